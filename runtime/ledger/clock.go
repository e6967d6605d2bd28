package ledger

import (
	"time"
	_ "unsafe" // for go:linkname
)

// Clock is the time that counts, in Unix milliseconds, and for how long the machine had been
// running then, in milliseconds.
type Clock struct{ At, Up int64 }

// Tell is the clock at a time. It goes only forward, at least as the machine runs: a clock that is
// set back opens no limit anew, and one that was wrong by a year for a moment closes none for longer
// than its own hour. A machine that was started anew begins to count again, and of two stops at once the later
// one to write has looked earlier.
func (c Clock) Tell(now time.Time, up int64) Clock {
	return Clock{max(now.UnixMilli(), c.At+max(0, up-c.Up)), up}
}

func (c Clock) Time() time.Time { return time.UnixMilli(c.At) }

// RunningTime is for how long the machine has been running, in milliseconds. Some do not count
// the time that they sleep.
func RunningTime() int64 { return nanotime() / 1_000_000 }

//go:linkname nanotime runtime.nanotime
func nanotime() int64
