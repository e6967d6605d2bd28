package ledger

import (
	"time"
	_ "unsafe" // for go:linkname
)

// Clock is the session's time in Unix milliseconds, and the machine's running time then in milliseconds.
type Clock struct{ At, Up int64 }

// Tell returns the clock at now. It never goes back, and is never slower than up. Limits are therefore not reset if
// the clock is set back, and if it was wrong by a year for a moment, this does not block anything for more than an
// hour. up starts again from zero when the machine restarts. If there are two stops at once, the second to write
// might have read the clock first.
func (c Clock) Tell(now time.Time, up int64) Clock {
	return Clock{max(now.UnixMilli(), c.At+max(0, up-c.Up)), up}
}

// RunningTime returns how long the machine has been running, in milliseconds. Some systems leave out sleep.
func RunningTime() int64 { return nanotime() / 1_000_000 }

//go:linkname nanotime runtime.nanotime
func nanotime() int64
