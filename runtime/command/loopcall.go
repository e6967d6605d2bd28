// The hook binary's own word about loops, and its flags, read by hand.

package command

import (
	"path/filepath"
	"strconv"
	"strings"
)

// loopUsage lists the words about loops.
const loopUsage = `  loop start GOAL [--max N] [--promise TEXT]… [--timeout 2h] [--iteration-timeout 10m]
             [--template NAME] [--from-todos] [--replace]   begin a goal loop in this directory
  loop status [--json]                              how it stands, and what keeps it from running
  loop set KEY VALUE                                max, promise, timeout, iteration-timeout, active, goal, count, session
  loop stop [--delete]                              let Claude stop; with --delete the file goes, too
  loop history [-n N] [--all] [--json]              the loops of the past
  loop history show ID [--json] | rerun ID [--max N] [--promise TEXT]… [--replace]
                                                    one of them, stop by stop; the same again
             each with --dir DIR for another directory
`

// loopFlags is a call about loops, taken apart.
type loopFlags struct {
	operands              []string
	start                 LoopStart
	n                     int
	all, asJSON, toDelete bool
	given                 string // the flags, for those that do not belong to a word
}

// readLoopFlags takes the words behind `loop` apart.
func (d *Desk) readLoopFlags(args []string) (f loopFlags, ok bool) {
	f.n = 20
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
		flag := loopFlag(name)
		if flag == 0 {
			return f, false
		}
		if takes := strings.ContainsRune("mpieTdn", flag); takes && !hasValue {
			if len(args) == 0 {
				return f, false
			}
			value, args = args[0], args[1:]
		} else if !takes && hasValue {
			return f, false
		}
		f.given += string(flag)
		switch flag {
		case 'm', 'n':
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 {
				return f, false
			}
			if flag == 'm' {
				f.start.Max = n
			} else {
				f.n = n
			}
		case 'p':
			f.start.Promises = append(f.start.Promises, value)
		case 'i':
			f.start.Timeout = value
		case 'e':
			f.start.IterationTimeout = value
		case 'T':
			f.start.Template = value
		case 'd':
			if !filepath.IsAbs(value) {
				value = filepath.Join(d.Work, value)
			}
			d.Work, f.start.Named = value, true
		case 'f':
			f.start.FromTodos = true
		case 'r':
			f.start.Replace = true
		case 'a':
			f.all = true
		case 'j':
			f.asJSON = true
		case 'x':
			f.toDelete = true
		}
	}
	return f, true
}

func loopFlag(name string) rune {
	switch name {
	case "--max":
		return 'm'
	case "--promise":
		return 'p'
	case "--timeout":
		return 'i'
	case "--iteration-timeout":
		return 'e'
	case "--template":
		return 'T'
	case "--dir":
		return 'd'
	case "-n", "--number":
		return 'n'
	case "--from-todos":
		return 'f'
	case "--replace":
		return 'r'
	case "--all":
		return 'a'
	case "--json":
		return 'j'
	case "--delete":
		return 'x'
	}
	return 0
}

// loop answers a call about loops; without a word it is status.
func (d Desk) loop(args []string) error {
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
