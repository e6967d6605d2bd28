// The hook binary's own word about loops, and its flags, read by hand.

package console

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

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
