package specs

import (
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// goOnWithTask returns the verdict with the task or tasks to do next.
func (r *round) goOnWithTask() strategy.Verdict {
	st := r.state
	index, attempt, global := strconv.Itoa(st.Index), strconv.Itoa(st.Attempt), strconv.Itoa(st.Global)
	head := "Continue " + r.Noun + ": " + r.place.Name + " (Task " + r.state.currentTask() + ", Iter " + global + ")"
	told := r.Title + " iteration " + global + " | Task " + r.state.currentTask()

	block, group := taskBlock(r.s.Workspace.Files[r.place.Dir+"/tasks.md"].Data, st.Index, r.Groups)
	heading, hand := "## Current Task", "Hand the task above to the spec-executor agent. Do not carry it out yourself."
	switch {
	case block == "":
		block, hand = "Look it up in tasks.md: the task number "+index+", counted from 0.", "Hand that task to the spec-executor agent. Do not carry it out yourself."
	case group:
		heading, hand = "## Current Task Group (PARALLEL)", "Hand the tasks above to spec-executor agents, all in one message, each with a progress file of its own (.progress-task-{index}.md). Do not carry them out yourself."
		told += " (PARALLEL GROUP)"
	}
	state, tasks := r.place.Shown+"/"+r.StateFile, r.place.Shown+"/tasks.md"
	return strategy.Verdict{
		Rule: "task", Evidence: "task " + r.state.currentTask() + ", iteration " + global, Told: told,
		Reason: head + "\n\n" +
			"## State\nPath: " + r.place.Shown + " | Index: " + index + " | Iteration: " + attempt + "/" + strconv.Itoa(st.Attempts) + " | Recovery: " + strconv.FormatBool(st.Recovery) + "\n\n" +
			heading + "\n" + block + "\n\n" +
			"## Resume\n" +
			"1. Read " + state + " and " + tasks + ". Trust them, not your memory. If the state file is gone, stop.\n" +
			"2. " + hand + "\n" +
			"3. When it reports TASK_COMPLETE, check it as " + r.commandToType("implement") + " says; then taskIndex moves on and taskIteration is 1.\n" +
			"4. When it fails, taskIteration grows by 1. Beyond " + strconv.Itoa(st.Attempts) + ": with recoveryMode add a fix task, without it set awaitingApproval and ask the user.\n" +
			"5. Either way globalIteration grows by 1. Write the state file, and end your turn.\n\n" +
			"## Critical\n" +
			"- You coordinate: delegate every task, implement none.\n" +
			"- Move on only after a checked TASK_COMPLETE.\n" +
			"- Say " + allDone + " on a line of its own only when every box in tasks.md is checked and the state file is deleted. Not before.",
	}
}

// goOnWithPhase returns the verdict to continue the phase in quick mode. Callers set Decision, Sure and Remember.
func (r *round) goOnWithPhase() strategy.Verdict {
	phase := shortenText(r.state.Phase)
	return strategy.Verdict{
		Rule: quickMode, Evidence: "quickMode in phase " + phase, Told: r.Title + " quick mode: phase " + phase + " of " + r.place.Name,
		Reason: "Quick mode active: go on with phase " + phase + " of " + r.place.Name + ".\n\n" +
			"Finish what this phase has to produce, then start the next one. Make decisions yourself, and ask the user nothing. " +
			"Write the phase into " + r.place.Shown + "/" + r.StateFile + " as you go.",
	}
}

// goOnceToExplain returns a continue in which the agent explains err, the state file's fault, to the user. For the same
// file content, and after maxErrors messages, later verdicts are stops.
func (r *round) goOnceToExplain(err error) strategy.Verdict {
	file := r.place.Shown + "/" + r.StateFile
	v := strategy.StopBy("corrupt", file+": "+err.Error())
	v.Reason = "ERROR: Corrupt state file at " + file + " (" + err.Error() + ")\n\n" +
		"Recovery options:\n" +
		"1. Start again: " + r.commandToType("implement") + " makes a new state from tasks.md, whose boxes say what is done\n" +
		"2. Cancel: " + r.commandToType("cancel") + "\n\n" +
		"Tell the user what happened and which of the two you suggest. Start no task before that file is correct."
	v.Told = r.Title + ": corrupt state file " + file + " (" + err.Error() + "): " + r.commandToType("implement") + " or " + r.commandToType("cancel")
	return r.continueOnce(v, quotation.HashText(string(r.file.Data)))
}

func (r *round) reportLimitOnce(reached int) (blockOrStop strategy.Verdict) {
	n := strconv.Itoa(r.iterationLimit())
	v := strategy.StopBy("limit", "iteration "+strconv.Itoa(reached)+" of "+n)
	v.Notes = []string{
		"ERROR: Maximum global iterations (" + n + ") reached. See " + r.place.Shown + " for what kept failing.",
		"Recovery: fix that, then " + r.commandToType("implement") + "; or " + r.commandToType("cancel"),
	}
	capped := ""
	if r.state.Limit > r.ceiling {
		capped = "The state file asks for " + strconv.Itoa(r.state.Limit) + "; the ceiling is " + n + ", and only the user's own ~/.claude/springfield/" + r.pluginName() + ".json can raise it."
		v.Notes = append(v.Notes, capped)
		capped = "\n" + capped + "\n"
	}
	v.Told = r.Title + ": Maximum global iterations (" + n + ") reached at task " + r.state.currentTask() + " of " + r.place.Name + ". " +
		"Look at " + r.place.Shown + ", then go on with " + r.commandToType("implement") + ", or give up with " + r.commandToType("cancel") + "."
	if !r.Blocks {
		return r.tellOnce(v, limitHash(r.file.Data))
	}
	v.Reason = "ERROR: Maximum global iterations (" + n + ") reached at task " + r.state.currentTask() + ".\n" + capped + "\n" +
		"Recovery options:\n" +
		"1. Read " + r.place.Shown + "/.progress.md: what failed again and again?\n" +
		"2. Fix that by hand, then start again: " + r.commandToType("implement") + "\n" +
		"3. Cancel: " + r.commandToType("cancel") + "\n\n" +
		"Tell the user where the work stands and what you suggest. Start no further task."
	return r.continueOnce(v, limitHash(r.file.Data))
}

// taskBlock returns the task's line and the indented lines below. If groups is set and the task is marked [P], it adds
// the marked tasks directly after. group reports whether there are any.
func taskBlock(tasks []byte, index int, groups bool) (block string, group bool) {
	var lines []string
	n, count := -1, 0
scan:
	for _, line := range strings.Split(string(tasks), "\n") {
		line = strings.TrimRight(line, " \t\r")
		switch {
		case len(line) >= 5 && (line[0] == '-' || line[0] == '*') && line[1:3] == " [" && strings.ContainsRune(" xX", rune(line[3])) && line[4] == ']':
			n++
			parallel := groups && strings.Contains(line, "[P]")
			if n == index || n > index && group && parallel && count < maxGroup {
				group = parallel
				count++
				lines = append(lines, line)
			} else if n > index {
				break scan
			}
		case n < index:
		case line == "" || strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t"):
			lines = append(lines, line)
		default:
			break scan
		}
	}
	block = strings.TrimRight(strings.Join(lines, "\n"), "\n")
	return quotation.ClipBytes(strings.ToValidUTF8(block, "?"), maxBlock), group && count > 1
}
