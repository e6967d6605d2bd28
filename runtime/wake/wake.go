// Package wake decides whether to wake a session after an API error, after how long, and under which conditions. It is
// pure: the hook reads everything and waits.
package wake

import (
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/host/claude"
	"github.com/cameronsjo/springfield/runtime/ledger"
)

// Rule is the rule of a wake, and of a failure after which the session waits for one.
const Rule = "api-error"

// Coming begins the words about a wake to come, at the end of a record's evidence, and NotWoken those about none.
const (
	Coming   = "it is woken in "
	NotWoken = "it is not woken"
)

func IsOutage(kind string) bool { return kind == "server_error" || kind == "overloaded" }

// waits are the waits after successive failures, in seconds. Only the linker of a test changes them.
var waits = "60,180,600,1800,1800"

// WaitAfter returns the wait after failures in a row. ok is false if the session is no longer woken.
func WaitAfter(failures int) (wait time.Duration, ok bool) {
	all := strings.Split(waits, ",")
	if failures < 1 || failures > len(all) {
		return 0, false
	}
	seconds, err := strconv.Atoi(all[failures-1])
	return time.Duration(seconds) * time.Second, err == nil
}

// claimed is the lifetime of a claim without a wait.
const claimed = 30 * time.Second

// Claim returns failure with the number of failures in a row, restarted by a prompt or tool call since last. ok is
// false if another hook claimed it within twice the wait (at least 30s). Callers save it under the session's lock.
func Claim(last, failure ledger.Outage) (claim ledger.Outage, ok bool) {
	inRow := last.Times > 0 && last.Turns == failure.Turns && last.Calls == failure.Calls
	wait, _ := WaitAfter(last.Times)
	lasts := max(claimed, 2*wait).Milliseconds()
	if apart := failure.At - last.At; inRow && last.Since == failure.Since && -lasts < apart && apart < lasts {
		return last, false
	}
	failure.Times = 1
	if inRow {
		failure.Times = last.Times + 1
	}
	return failure, true
}

// Client is the Claude Code process of a session.
type Client struct {
	claude.Process
	Shared bool // another process has its session, too
}

// WhyNoWake returns why the client can't be woken later, or "".
func (c Client) WhyNoWake(session string) string {
	switch {
	case c.Session == "":
		return "the file of its own process was not found"
	case c.Session != session:
		return "its process has another session"
	case c.Kind != "interactive":
		return "it is not at a terminal"
	case c.Shared:
		return "another process has the session, too"
	case c.Status != "idle":
		return "it is " + c.Status + " now"
	}
	return ""
}

// Moment is the state of a session that waits.
type Moment struct {
	Client
	At       int64  // Unix milliseconds, by the system clock
	Turns    int    // prompts of the session
	Calls    int    // since the last prompt
	Words    string // the agent's last
	Typed    string // when the last prompt or command was typed
	Switches string // the settings that switch plugins
}

// WhyNot returns why not to wake a session after a wait ("" if unchanged).
func WhyNot(before, after Moment, wait time.Duration) string {
	passed := time.Duration(after.At-before.At) * time.Millisecond
	switch why := after.WhyNoWake(before.Session); {
	case passed < wait-5*time.Second || passed > wait+time.Minute:
		return "the machine slept, or its clock was set"
	case why != "":
		return why
	case after.Since != before.Since || after.Typed != before.Typed:
		return "it has been used since"
	case after.Turns != before.Turns || after.Calls != before.Calls || after.Words != before.Words:
		return "its log has gone on since"
	case after.Switches != before.Switches:
		return "plugins were switched since, or a settings file cannot be read"
	}
	return ""
}
