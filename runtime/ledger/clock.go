package ledger

import (
	"time"
	_ "unsafe" // for go:linkname
)

// Clock is the session's time, in Unix milliseconds, and the machine's running time then, in milliseconds.
type Clock struct{ At, Up int64 }

// Advance returns the clock for now, with up from MachineUptime. The clock never goes back or runs slower than up.
func (c Clock) Advance(now time.Time, up int64) Clock {
	return Clock{max(now.UnixMilli(), c.At+max(0, up-c.Up)), up}
}

// MachineUptime returns the machine's uptime in milliseconds. Some systems do not count sleep.
func MachineUptime() int64 { return nanotime() / 1_000_000 }

//go:linkname nanotime runtime.nanotime
func nanotime() int64
