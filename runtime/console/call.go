// The hook binary's own words: why, log, hold, resume, loop, page. A few flags, read
// by hand, because a flag package would make the hook larger.

package console

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/timestamp"
)

// Usage lists the words.
const Usage = `springfield-hook is the hook of a springfield plugin; your agent's program starts it with an event on standard input.
Called with a word it answers you:

  why [ID|last]        why the agent went on or stopped: of this session, outside of one of the project here
  log [-n N]           the newest decisions
      [--follow]       and then others as they are made
  both with --all, --session ID or --project DIR for others, --host NAME for those of one host, --prompts for what was
                       said before prompts, --json
  hold [DURATION]      let every agent stop, now: 30m, 2h, "1 hour 30 minutes"; else until you resume, or
                       for 12 hours if it is not set at a terminal of your own
      [--session ID]   in one session
      [--list]         show the holds in force
  resume [--session ID]
                       lift the hold; only at a terminal of your own, where you answer y
  page [SESSION.jsonl] what a judge is shown of a session's end; no judge is asked

` + loopUsage

// AnswerCall answers one call. ErrUsage means that the words were not understood.
func (d *Console) AnswerCall(args []string) error {
	word, args := args[0], args[1:]
	if word == "loop" {
		return d.answerLoopCall(args)
	}
	c, ok := readCall(args)
	if !ok || !c.fitsWord(word) {
		return ErrUsage
	}
	operand := strings.Join(c.operands, " ")
	switch word {
	case "why":
		return d.ExplainDecision(operand, c.Asked)
	case "log":
		if c.follow {
			return d.FollowLog(c.n, c.Asked, func() bool { return false })
		}
		return d.ListDecisions(c.n, c.Asked)
	case "hold":
		if c.list {
			return d.ListHolds()
		}
		duration, err := ParseDuration(operand)
		if err != nil {
			return err
		}
		return d.HoldSessions(c.Session, duration)
	case "resume":
		return d.LiftHold(c.Session)
	case "page":
		if d.Plugin == nil {
			return ErrUsage
		}
		settings, err := d.Plugin()
		if err != nil {
			return err
		}
		return d.PrintPage(operand, settings)
	}
	return ErrUsage
}

// maxArguments bounds what is typed behind a slash command, in bytes, and shellSigns are what a shell takes for more
// than a word.
const (
	maxArguments = 200
	shellSigns   = "\"'`$\\;&|<>(){}*?[]~#!\r\n"
)

// AnswerAtOnce answers a slash command without a model, "" where that is not possible: it begins work for the agent,
// or its words are for a shell to read.
func (d Console) AnswerAtOnce(word, arguments string) string {
	args := append([]string{word}, strings.Fields(arguments)...)
	looks := slices.Contains([]string{"why", "log", "hold", "page"}, word) ||
		word == "loop" && (len(args) == 1 || slices.Contains([]string{"status", "stop", "history"}, args[1])) && !slices.Contains(args, "rerun")
	settings, err := d.Plugin()
	if err != nil || !looks || len(arguments) > maxArguments || strings.ContainsAny(arguments, shellSigns) {
		return ""
	}
	if settings.Strategy.EventName() != "Stop" && (word == "why" || word == "log") {
		args = append(args, "--prompts")
	}
	var out strings.Builder
	d.Out, d.Err = &out, &out
	if err := d.AnswerCall(args); err == ErrUsage {
		return ""
	} else if err != nil {
		out.WriteString("error: " + err.Error() + "\n" + AdviceOn(err))
	}
	return strings.TrimRight(out.String(), "\n")
}

// call is a call, taken apart.
type call struct {
	Asked
	operands []string
	n        int
	follow   bool
	list     bool
	given    []string // the flags
}

func (c call) fitsWord(word string) bool {
	takes := map[string]string{
		"why": "--session --project --all --host --prompts --json", "log": "--session --project --all --host --prompts --json -n --follow",
		"hold": "--session --list", "resume": "--session", "page": "",
	}[word]
	scopes := 0
	for _, flag := range c.given {
		if !strings.Contains(takes+" ", flag+" ") {
			return false
		}
		if strings.Contains("--session --project --all", flag) {
			scopes++
		}
	}
	most := map[string]int{"why": 1, "page": 1, "hold": 4}[word]
	if c.list {
		most = 0
	}
	return scopes <= 1 && len(c.operands) <= most
}

// readCall takes the flags of a call apart.
func readCall(args []string) (c call, ok bool) {
	c.n, ok = 20, true
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		name, value, hasValue := strings.Cut(arg, "=")
		if !strings.HasPrefix(arg, "-") {
			c.operands = append(c.operands, arg)
			continue
		}
		if name == "--session" || name == "--project" || name == "--host" || name == "-n" {
			if !hasValue && len(args) > 0 {
				value, args = args[0], args[1:]
			}
			if value == "" { // an empty variable is not everything
				return c, false
			}
		} else if hasValue {
			return c, false
		}
		c.given = append(c.given, name)
		switch name {
		case "--session":
			c.Session = value
		case "--project":
			c.Project = value
		case "--host":
			c.Host = value
			_, ok = registry.HostNamed(value)
		case "--all":
			c.All = true
		case "-n":
			var err error
			c.n, err = strconv.Atoi(value)
			ok = err == nil && c.n >= 1
		case "--json":
			c.JSON = true
		case "--prompts":
			c.Prompts = true
		case "--follow":
			c.follow = true
		case "--list":
			c.list = true
		default:
			ok = false
		}
		if !ok {
			return c, false
		}
	}
	return c, true
}

// ParseDuration reads how long a hold lasts, "" for until it is lifted.
func ParseDuration(s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	ms, ok := timestamp.ParseSpan(s)
	if !ok {
		return 0, &adviceError{strconv.Quote(s) + " is not a duration of at most 365 days", "write it like 30m, 2h, 1h30m or 1d; without a duration, a hold from your own terminal lasts until you resume, any other for 12 hours"}
	}
	return time.Duration(ms) * time.Millisecond, nil
}

// The hook binary's own word about loops, and its flags, read by hand.

// loopUsage lists the words about loops.
const loopUsage = `  loop start GOAL [--max N] [--promise TEXT]… [--timeout 2h] [--iteration-timeout 10m]
             [--template NAME] [--from-todos] [--replace]   start a goal loop in this directory
  loop status [--json]                              its state
  loop set KEY VALUE                                max, promise, timeout, iteration-timeout, active, goal, count, session
  loop stop [--delete]                              let Claude stop; --delete also deletes the file
  loop history [-n N] [--all] [--json]              past loops
  loop history show ID [--json] | rerun ID [--max N] [--promise TEXT]… [--replace]
                                                    one of them, stop by stop; run it again
             each with --dir DIR for another directory
`

// answerLoopCall answers a call about loops; without a word it is status.
func (d *Console) answerLoopCall(args []string) error {
	word := "status"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		word, args = args[0], args[1:]
	}
	if word == "history" && len(args) > 0 && (args[0] == "show" || args[0] == "rerun") {
		word, args = word+" "+args[0], args[1:]
	}
	const again = "--max --promise --timeout --iteration-timeout --replace"
	takes, ok := map[string]string{
		"start": again + " --template --from-todos", "status": "--json", "set": "", "stop": "--delete",
		"history": "-n --all --json", "history show": "--json", "history rerun": again,
	}[word]
	if !ok {
		return ErrUsage
	}
	known := append(strings.Fields(takes), "--dir")
	var operands []string
	given := map[string][]string{}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if arg == "--" {
			operands = append(operands, args...)
			break
		}
		if !strings.HasPrefix(arg, "-") || arg == "-" {
			operands = append(operands, arg)
			continue
		}
		name, value, hasValue := strings.Cut(arg, "=")
		isSwitch := slices.Contains([]string{"--replace", "--from-todos", "--json", "--delete", "--all"}, name)
		if !isSwitch && !hasValue && len(args) > 0 {
			value, args, hasValue = args[0], args[1:], true
		}
		if isSwitch == hasValue || !slices.Contains(known, name) {
			return ErrUsage
		}
		given[name] = append(given[name], value)
	}
	is := func(name string) bool { return given[name] != nil }
	last := func(name string) string { return strings.Join(given[name][max(0, len(given[name])-1):], "") }
	number := map[string]int{"-n": 20}
	for _, name := range []string{"-n", "--max"} {
		if is(name) {
			n, err := strconv.Atoi(last(name))
			if err != nil || n < 1 {
				return ErrUsage
			}
			number[name] = n
		}
	}
	if dir := last("--dir"); filepath.IsAbs(dir) {
		d.Work = dir
	} else {
		d.Work = filepath.Join(d.Work, dir)
	}
	o := LoopStart{
		Goal: strings.Join(operands, " "), Max: number["--max"], Promises: given["--promise"],
		Timeout: last("--timeout"), IterationTimeout: last("--iteration-timeout"),
		Template: last("--template"), FromTodos: is("--from-todos"), Replace: is("--replace"), Named: is("--dir"),
	}
	switch n := len(operands); {
	case word == "start":
		return d.StartLoop(o)
	case word == "status" && n == 0:
		return d.LoopStatus(is("--json"))
	case word == "set" && n >= 2:
		return d.SetLoop(operands[0], operands[1:])
	case word == "stop" && n == 0:
		return d.StopLoop(is("--delete"))
	case word == "history" && n == 0:
		return d.LoopHistory(number["-n"], is("--all"), is("--json"))
	case word == "history show" && n == 1:
		return d.ShowLoop(operands[0], is("--json"))
	case word == "history rerun" && n == 1:
		return d.RerunLoop(operands[0], o)
	}
	return ErrUsage
}
