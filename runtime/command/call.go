// The hook binary's own words: why, log, hold, resume, loop, state,
// page. A few flags, read by hand, because a flag package would make the hook larger.

package command

import (
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/moment"
)

// Usage lists the words.
const Usage = `springfield-hook is the hook of a springfield plugin; Claude Code starts it with an event on standard input.
Called with a word it answers you:

  why [ID|last] [--session ID] [--json]           why Claude went on or stopped
  log [-n N] [--session ID] [--follow] [--json]   the newest decisions
                                                  --prompts, with either: what was said before prompts, or why nothing
  hold [DURATION] [--session ID]                  let Claude stop, now: 30m, 2h; until resume if none is given
  resume [--session ID]                           lift the hold; only at a terminal of your own, where it shows
                                                  a few letters to type
  page [SESSION.jsonl]                            what a judge is shown of a session's end; no judge is asked
  state [show] [--json]                           the workflow state, which marge-simpson reads
  state set KEY=VALUE… [--json]                   write it: tasks_total=5 tasks_completed=2

` + loopUsage

// Call answers one call. ErrUsage means that the words were not understood.
func (d Console) Call(args []string) error {
	word, args := args[0], args[1:]
	switch word {
	case "loop":
		return d.loop(args)
	case "state":
		return d.stateCall(args)
	}
	c, ok := readCall(args)
	if !ok {
		return ErrUsage
	}
	switch {
	case word == "why":
		return d.Why(c.operand, c.Asked)
	case word == "log" && c.operand == "" && c.follow:
		return d.Follow(c.Asked, func() bool { return false })
	case word == "log" && c.operand == "":
		return d.Log(c.n, c.Asked)
	case word == "hold":
		duration, err := ParseDuration(c.operand)
		if err != nil {
			return err
		}
		return d.Hold(c.Session, duration)
	case word == "page" && d.Plugin != nil:
		settings, err := d.Plugin()
		if err != nil {
			return err
		}
		return d.Page(c.operand, settings)
	case word == "resume" && c.operand == "":
		return d.Resume(c.Session)
	}
	return ErrUsage
}

// call is a call, taken apart.
type call struct {
	Asked
	operand string
	n       int
	follow  bool
}

// readCall takes the flags of a call apart.
func readCall(args []string) (c call, ok bool) {
	c.n = 20
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		name, value, hasValue := strings.Cut(arg, "=")
		if (name == "--session" || name == "-n") && !hasValue {
			if len(args) == 0 {
				return c, false
			}
			value, args = args[0], args[1:]
		}
		switch {
		case name == "--session":
			c.Session = value
		case name == "-n":
			var err error
			if c.n, err = strconv.Atoi(value); err != nil || c.n < 1 {
				return c, false
			}
		case arg == "--json":
			c.JSON = true
		case arg == "--prompts":
			c.Prompts = true
		case arg == "--follow":
			c.follow = true
		case strings.HasPrefix(arg, "-") || c.operand != "":
			return c, false
		default:
			c.operand = arg
		}
	}
	return c, true
}

// ParseDuration reads how long a hold lasts, "" for until it is lifted.
func ParseDuration(s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	ms, ok := moment.Span(s)
	if !ok {
		return 0, &adviceError{strconv.Quote(s) + " is not a length of time up to 365 days", "write it like 30m, 2h, 1h30m or 1d; without one the hold lasts until you resume"}
	}
	return time.Duration(ms) * time.Millisecond, nil
}
