// Package flag would make the hook larger.

package console

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const Usage = `springfield-hook is the hook of a springfield plugin. Your agent starts it with an event on standard input.
You can call it with one of these commands:

  why [ID|last]        why the agent continued or stopped, in this session or, outside a session, in this project
  log [-n N]           the latest decisions
  both with --all or --session ID for others, --prompts for decisions before prompts, --json
  hold [DURATION]      let every agent stop, now: 30m, 2h, "1 hour 30 minutes"; by default until you resume, or
                       for 12 hours if it is not set at a terminal of your own
      [--session ID]   in one session
      [--list]         show the holds in force
  resume [--session ID]
                       lift the hold; only at a terminal of your own, where you answer y
  page [SESSION.jsonl] the page that a judge would get about the end of a session

` + loopUsage

// AnswerCall runs the command args[0], or returns ErrUsage if it is unknown or its arguments are invalid. args is not
// empty.
func (d *Console) AnswerCall(args []string) error {
	word, args := args[0], args[1:]
	if word == "loop" {
		return d.answerLoopCall(args)
	}
	c, ok := readCall(word, args)
	if !ok {
		return ErrUsage
	}
	asked := Asked{Session: c.last("--session"), All: c.has("--all"), Prompts: c.has("--prompts"), JSON: c.has("--json")}
	operand := strings.Join(c.operands, " ")
	switch word {
	case "why":
		return d.ExplainOrSayNone(operand, asked)
	case "log":
		return d.ListDecisions(c.number["-n"], asked)
	case "hold":
		if c.has("--list") {
			return d.ListHolds()
		}
		duration, err := ParseHoldDuration(operand)
		if err != nil {
			return err
		}
		return d.HoldSessions(asked.Session, duration)
	case "resume":
		return d.AskToLift(asked.Session)
	case "page":
		if d.Plugin == nil {
			return ErrUsage
		}
		settings, err := d.Plugin()
		if err != nil {
			return err
		}
		return d.PrintJudgePage(operand, settings)
	}
	return ErrUsage
}

const (
	maxArguments = 200                           // bytes after the command
	shellSigns   = "\"'`$\\;&|<>(){}*?[]~#!\r\n" // special to a shell
)

// AnswerAtOnce runs a slash command that informs, holds or stops, and returns the output or error. It returns "" for
// other commands, a usage error, arguments too long or needing a shell, and if d.Plugin returns an error. d.Plugin is
// set.
func (d Console) AnswerAtOnce(word, arguments string) string {
	args := append([]string{word}, strings.Fields(arguments)...)
	looks := slices.Contains([]string{"why", "log", "hold", "page"}, word) ||
		word == "loop" && (len(args) == 1 || slices.Contains([]string{"status", "stop", "history"}, args[1])) && !slices.Contains(args, "rerun")
	settings, err := d.Plugin()
	if err != nil || !looks || len(arguments) > maxArguments || strings.ContainsAny(arguments, shellSigns) {
		return ""
	}
	if settings.Strategy.Event != "Stop" && (word == "why" || word == "log") {
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

type call struct {
	operands []string
	given    map[string][]string
	number   map[string]int // of -n and --max
}

func (c call) has(flag string) bool { return c.given[flag] != nil }

func (c call) last(flag string) string {
	return strings.Join(c.given[flag][max(0, len(c.given[flag])-1):], "")
}

// readCall parses a command's arguments. ok is false if invalid. Flag names keep their dashes. number["-n"] defaults to
// 20.
func readCall(word string, args []string) (c call, ok bool) {
	const about, again = "--session --all --prompts --json", "--max --promise --check --timeout --iteration-timeout --replace --dir"
	takes, ok := map[string]string{
		"why": about, "log": about + " -n", "hold": "--session --list", "resume": "--session", "page": "",
		"loop start": again + " --template --from-todos", "loop status": "--json --dir", "loop set": "--dir", "loop stop": "--delete --dir",
		"loop history": "-n --all --json --dir", "loop history show": "--json --dir", "loop history rerun": again,
	}[word]
	const any = 1 << 20
	most := map[string]int{
		"why": 1, "page": 1, "hold": 4, "loop start": any, "loop set": any, "loop history show": 1, "loop history rerun": 1,
	}[word]
	c = call{given: map[string][]string{}, number: map[string]int{"-n": 20}}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if arg == "--" {
			c.operands = append(c.operands, args...)
			break
		}
		if !strings.HasPrefix(arg, "-") || arg == "-" {
			c.operands = append(c.operands, arg)
			continue
		}
		name, value, hasValue := strings.Cut(arg, "=")
		isSwitch := slices.Contains([]string{"--all", "--prompts", "--json", "--list", "--replace", "--from-todos", "--delete"}, name)
		if !isSwitch && !hasValue && len(args) > 0 {
			value, args, hasValue = args[0], args[1:], true
		}
		if isSwitch == hasValue || !slices.Contains(strings.Fields(takes), name) {
			return c, false
		}
		c.given[name] = append(c.given[name], value)
	}
	for _, name := range []string{"-n", "--max"} {
		if c.has(name) {
			n, err := strconv.Atoi(c.last(name))
			if err != nil || n < 1 {
				return c, false
			}
			c.number[name] = n
		}
	}
	if session := c.has("--session"); session && (c.has("--all") || c.last("--session") == "") || c.has("--list") && len(c.operands) > 0 {
		return c, false // an empty variable must not mean all sessions
	}
	return c, ok && len(c.operands) <= most
}

const loopUsage = `  loop start GOAL [--max N] [--promise TEXT]… [--check CMD] [--timeout 2h]
             [--iteration-timeout 10m] [--template NAME] [--from-todos] [--replace]   start a goal loop in this directory
  loop status [--json]                              its state
  loop set KEY VALUE                                max, promise, check, timeout, iteration-timeout, active, goal, count, session
  loop stop [--delete]                              let Claude stop; --delete also deletes the file
  loop history [-n N] [--all] [--json]              past loops
  loop history show ID [--json] | rerun ID [--max N] [--promise TEXT]… [--replace]
                                                    one loop, stop by stop; run it again
             each with --dir DIR for another directory
`

// answerLoopCall runs loop with the arguments after that word, by default status. It changes d.Work to --dir.
func (d *Console) answerLoopCall(args []string) error {
	word := "status"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		word, args = args[0], args[1:]
	}
	if word == "history" && len(args) > 0 && (args[0] == "show" || args[0] == "rerun") {
		word, args = word+" "+args[0], args[1:]
	}
	c, ok := readCall("loop "+word, args)
	if !ok {
		return ErrUsage
	}
	if dir := c.last("--dir"); filepath.IsAbs(dir) {
		d.Work = dir
	} else {
		d.Work = filepath.Join(d.Work, dir)
	}
	o := LoopStart{
		Goal: strings.Join(c.operands, " "), Max: c.number["--max"], Promises: c.given["--promise"],
		Check: c.last("--check"), Timeout: c.last("--timeout"), IterationTimeout: c.last("--iteration-timeout"),
		Template: c.last("--template"), FromTodos: c.has("--from-todos"), Replace: c.has("--replace"), Named: c.has("--dir"),
	}
	switch n := len(c.operands); {
	case word == "start":
		return d.StartLoop(o)
	case word == "status":
		return d.LoopStatus(c.has("--json"))
	case word == "set" && n >= 2:
		return d.SetLoop(c.operands[0], c.operands[1:])
	case word == "stop":
		return d.StopLoopIfAny(c.has("--delete"))
	case word == "history":
		return d.LoopHistory(c.number["-n"], c.has("--all"), c.has("--json"))
	case word == "history show" && n == 1:
		return d.ShowPastLoop(c.operands[0], c.has("--json"))
	case word == "history rerun" && n == 1:
		return d.RerunLoop(c.operands[0], o)
	}
	return ErrUsage
}
