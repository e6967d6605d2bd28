package ledger

import (
	"time"
	_ "unsafe" // for go:linkname
)

// Clock is the session's time in Unix milliseconds, and the machine's running time then in milliseconds.
type Clock struct{ At, Up int64 }

// Tell returns the clock at a time. It never runs backwards, and at least as fast as the machine. A clock that
// is set back resets no limit, and one that was briefly wrong by a year blocks nothing for longer than its own
// hour. The running time restarts with the machine. Of two stops at once, the later writer may have read the
// clock earlier.
func (c Clock) Tell(now time.Time, up int64) Clock {
	return Clock{max(now.UnixMilli(), c.At+max(0, up-c.Up)), up}
}

// RunningTime returns how long the machine has been running, in milliseconds. Some systems leave out sleep.
func RunningTime() int64 { return nanotime() / 1_000_000 }

//go:linkname nanotime runtime.nanotime
func nanotime() int64
