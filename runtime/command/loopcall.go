// The hook binary's own word about loops, and its flags, read by hand.

package command

import (
	"path/filepath"
	"strconv"
	"strings"
)

// loopUsage lists the words about loops.
const loopUsage = `  loop start GOAL [--max N] [--promise TEXT]… [--timeout 2h] [--iteration-timeout 10m]
             [--template NAME] [--from-todos] [--replace]   start a goal loop in this directory
  loop status [--json]                              its state, and its problems
  loop set KEY VALUE                                max, promise, timeout, iteration-timeout, active, goal, count, session
  loop stop [--delete]                              let Claude stop; --delete also deletes the file
  loop history [-n N] [--all] [--json]              past loops
  loop history show ID [--json] | rerun ID [--max N] [--promise TEXT]… [--replace]
                                                    one of them, stop by stop; run it again
             each with --dir DIR for another directory
`

// loopFlags is a call about loops, taken apart.
type loopFlags struct {
	operands              []string
	start                 LoopStart
	n                     int
	all, asJSON, toDelete bool
	given                 string // the letters of the flags, for those that do not belong to a word
}

// loopFlag is a flag by its name: a letter, and where its value goes. Without set it
// takes none.
type loopFlag struct {
	letter string
	set    func(value string) bool
	yes    *bool
}

// flags are those that there are. --dir changes where the caller is.
func (f *loopFlags) flags(work *string) map[string]loopFlag {
	text := func(to *string) func(string) bool {
		return func(value string) bool { *to = value; return true }
	}
	number := func(to *int) func(string) bool {
		return func(value string) (ok bool) {
			n, err := strconv.Atoi(value)
			*to = n
			return err == nil && n > 0
		}
	}
	n := loopFlag{letter: "n", set: number(&f.n)}
	return map[string]loopFlag{
		"-n": n, "--number": n,
		"--max": {letter: "m", set: number(&f.start.Max)},
		"--promise": {letter: "p", set: func(value string) bool {
			f.start.Promises = append(f.start.Promises, value)
			return true
		}},
		"--timeout":           {letter: "i", set: text(&f.start.Timeout)},
		"--iteration-timeout": {letter: "e", set: text(&f.start.IterationTimeout)},
		"--template":          {letter: "T", set: text(&f.start.Template)},
		"--dir": {letter: "d", set: func(value string) bool {
			if !filepath.IsAbs(value) {
				value = filepath.Join(*work, value)
			}
			*work, f.start.Named = value, true
			return true
		}},
		"--from-todos": {letter: "f", yes: &f.start.FromTodos}, "--replace": {letter: "r", yes: &f.start.Replace},
		"--all": {letter: "a", yes: &f.all}, "--json": {letter: "j", yes: &f.asJSON}, "--delete": {letter: "x", yes: &f.toDelete},
	}
}

// readLoopFlags takes the words behind `loop` apart.
func (d *Console) readLoopFlags(args []string) (f *loopFlags, ok bool) {
	f = &loopFlags{n: 20}
	known := f.flags(&d.Work)
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if arg == "--" {
			f.operands = append(f.operands, args...)
			break
		}
		if !strings.HasPrefix(arg, "-") || arg == "-" {
			f.operands = append(f.operands, arg)
			continue
		}
		name, value, hasValue := strings.Cut(arg, "=")
		flag, there := known[name]
		switch {
		case !there || flag.set == nil && hasValue:
			return f, false
		case flag.set == nil:
			*flag.yes = true
		case !hasValue && len(args) == 0:
			return f, false
		default:
			if !hasValue {
				value, args = args[0], args[1:]
			}
			if !flag.set(value) {
				return f, false
			}
		}
		f.given += flag.letter
	}
	return f, true
}

// loop answers a call about loops; without a word it is status.
func (d *Console) loop(args []string) error {
	word := "status"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		word, args = args[0], args[1:]
	}
	f, ok := d.readLoopFlags(args)
	if !ok {
		return ErrUsage
	}
	only := func(flags string) bool { return strings.Trim(f.given, flags) == "" }
	n := len(f.operands)
	switch {
	case word == "start" && only("mpieTdfr"):
		f.start.Goal = strings.Join(f.operands, " ")
		return d.StartLoop(f.start)
	case word == "status" && n == 0 && only("dj"):
		return d.LoopStatus(f.asJSON)
	case word == "set" && n >= 2 && only("d"):
		return d.SetLoop(LoopKey(f.operands[0]), f.operands[1:])
	case word == "stop" && n == 0 && only("dx"):
		return d.StopLoop(f.toDelete)
	case word == "history" && n == 0 && only("dnaj"):
		return d.LoopHistory(f.n, f.all, f.asJSON)
	case word == "history" && n == 2 && f.operands[0] == "show" && only("dj"):
		return d.ShowLoop(f.operands[1], f.asJSON)
	case word == "history" && n == 2 && f.operands[0] == "rerun" && only("mpiedr"):
		return d.RerunLoop(f.operands[1], f.start)
	}
	return ErrUsage
}
