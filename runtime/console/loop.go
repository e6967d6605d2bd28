// Commands change the loop file under the hook's lock and take effect at the next stop. The agent can use
// them all, but only a maximum typed by a person at a terminal can exceed the ceiling in the user's settings.

package console

import (
	"cmp"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/process"
	"github.com/cameronsjo/springfield/runtime/secret"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/strategy/wiggum"
	"github.com/cameronsjo/springfield/runtime/terminal"
	"github.com/cameronsjo/springfield/runtime/timestamp"
	"github.com/cameronsjo/springfield/runtime/workspace"
)

// loopWait limits the wait for the hook's lock.
const loopWait = 5 * time.Second

type LoopDriver struct {
	Settings      hook.Settings
	Problem, Next string // why none drives loops, and the command that helps
}

// problemInWords returns why no plugin drives loops and the next step, or "". Blanks are glued until printLine.
func (d LoopDriver) problemInWords() string {
	if d.Next == "" {
		return d.Problem
	}
	if strings.HasPrefix(d.Next, "springfield ") {
		return d.Problem + "; next: " + display.GlueBlanks(d.Next)
	}
	return d.Problem + "; next: " + d.Next
}

// DriverOfHook returns the plugin containing a hook (path without symlinks). If none drives loops, Problem is the
// reason and the settings are wiggum's.
func DriverOfHook(hookProgram, state, project string) LoopDriver {
	settings, err := hook.FindSettings(hookProgram, state, project)
	if err != nil {
		return NoDriver(state, project, "this hook is not in a plugin, so Claude Code does not call it", "run the hook of an installed plugin")
	}
	if !DrivesGoalLoops(settings.Strategy.Name) {
		return NoDriver(state, project, "this is the hook of "+settings.Plugin+", which does not drive goal loops", "springfield enable "+wiggum.Name)
	}
	return LoopDriver{Settings: settings}
}

// NoDriver returns a LoopDriver for a directory without a plugin, with the user's settings.
func NoDriver(state, project, problem, next string) LoopDriver {
	return LoopDriver{hook.Plugin{Name: wiggum.Name, Strategy: wiggum.Strategy}.ReadSettings(state, project), problem, next}
}

func DrivesGoalLoops(strategy string) bool { return strategy == wiggum.Name }

type loopHere struct {
	*Console
	space  *workspace.Space
	driver LoopDriver
	file   strategy.File
	goal   wiggum.Goal
	fault  error // why the file is invalid
	past   activity.LoopPast
}

// ActiveLoop returns the active loop's file ("" if none) and the driver.
func (d *Console) ActiveLoop() (path string, driverOfDir LoopDriver) {
	l, err := d.openLoopSpace(false)
	if err != nil {
		return "", driverOfDir
	}
	defer l.space.Close()
	if l.file.Found && l.fault == nil && l.goal.Active {
		path = l.filePath()
	}
	return path, l.driver
}

// openLoopSpace opens the hook's workspace (the working directory if exact) and reads the loop file. err is nil if it
// is missing (hasNoFile) or invalid (fault). Callers close space.
func (d *Console) openLoopSpace(exact bool) (*loopHere, error) {
	here := *d
	if d.Caller == nil {
		here.Session = "" // a user's loop is for the next session
	}
	dir, err := filepath.EvalSymlinks(d.Work) // Claude Code resolves links
	here.Work = dir
	var space *workspace.Space
	if err == nil {
		if !exact {
			dir, _ = workspace.Nearest(dir, d.Project, wiggum.Strategy.Marks, d.Home)
		}
		space, err = workspace.OpenSpace(dir)
	}
	if err != nil {
		return nil, &adviceError{"open workspace: " + err.Error(), "pass the directory of the project, which must exist, with --dir DIR"}
	}
	l := &loopHere{Console: &here, space: space, driver: d.Driver(space.Dir)}
	l.readFile()
	return l, nil
}

func (l *loopHere) readFile() {
	l.goal, l.fault, l.past = wiggum.Goal{}, nil, activity.LoopPast{}
	l.file = l.space.ReadWanted(strategy.WantedFile{Name: wiggum.File})
	if l.file.Problem != "" {
		l.fault = errors.New(l.file.Problem)
	} else if l.file.Found {
		if l.goal, l.fault = wiggum.ReadLoop(l.file.Data); !activity.IsShortLowerID(l.goal.ID) {
			l.goal.ID = ""
		} else if l.fault == nil {
			l.past = ledger.PastOfLoop(l.Dir, l.goal.ID, l.space.Dir)
			l.goal.Count = max(l.goal.Count, l.past.Count)
		}
	}
}

func (l *loopHere) hasNoFile() bool { return !l.file.Found && l.fault == nil }

func (l *loopHere) filePath() string {
	return filepath.Join(l.space.Dir, filepath.FromSlash(wiggum.File))
}

func (l *loopHere) mostTurns(goal wiggum.Goal) int {
	return min(goal.Max, cmp.Or(l.typedMaxFor(goal), l.ceiling()))
}

// typedMaxFor returns the maximum the user typed for a goal (0 if none), for a paused goal possibly the one before the
// pause. l.past is the goal's history.
func (l *loopHere) typedMaxFor(goal wiggum.Goal) int {
	if goal.Active {
		return l.past.Typed
	}
	return cmp.Or(l.past.Typed, l.past.Before)
}

// maxIfPerson returns n if a person at a terminal runs the command, otherwise 0.
func (l *loopHere) maxIfPerson(n int) int {
	if n == 0 || l.Caller != nil {
		return 0
	}
	t, err := terminal.UserTerminal()
	if err != nil {
		return 0
	}
	t.Close()
	return n
}

func (l *loopHere) sayIfMaxLowered() {
	if n := l.mostTurns(l.goal); n < l.goal.Max {
		l.printNoteToErr("the file asks for " + strconv.Itoa(l.goal.Max) + " turns, and " + wiggum.CapOriginInWords(l.typedMaxFor(l.goal), n) +
			": a larger number counts only if you type it in a terminal of your own: " + l.commandTo("loop set max "+strconv.Itoa(min(l.goal.Max, activity.MostIterations))))
	}
}

func (l *loopHere) sayIfHeld() {
	inForce, _ := ledger.HoldsInForce(l.dirAndAlso(), l.Now())
	for _, h := range inForce {
		if h.Of == "" || h.Of == ledgerIDOf(l.goal.Session) {
			l.printNoteToErr("a hold is in force" + l.holdEnd(h.Hold) + ", so this loop does not continue; lift it with " + l.resumeCall(strings.TrimPrefix(h.Of, "session:")))
		}
	}
}

func (l *loopHere) ceiling() (bySettings int) {
	rounds, _ := l.driver.Settings.MaxIterations()
	return rounds
}

// wrapFault adds the loop file's path and advice to l.fault, which is set.
func (l *loopHere) wrapFault() error {
	return &adviceError{"read loop: " + l.filePath() + ": " + l.fault.Error(),
		"correct it, or remove it with " + l.commandTo("loop stop --delete")}
}

// changeFile replaces the loop file with edit's result, or removes it if nil. It tries to lock the workspace. It reads
// the file into l before and after. It returns the goal and content from before.
func (l *loopHere) changeFile(edit func() ([]byte, error)) (was wiggum.Goal, before []byte, err error) {
	// If we cannot lock, the hook cannot write either, or is slow. ApplyChanges never overwrites other edits.
	if lock, err := ledger.LockWorkspace(l.Dir, l.space.Dir, loopWait); err == nil {
		defer lock.Close()
	}
	l.readFile()
	was, before = l.goal, l.file.Data
	data, err := edit()
	if err != nil {
		return was, before, err
	}
	c := strategy.Change{Name: wiggum.File, Data: data}
	if l.file.Readable() {
		c.Was = l.file.Data
	}
	if err := l.space.ApplyChanges([]strategy.Change{c}); err != nil {
		verb, says, _ := strings.Cut(err.Error(), " ")
		return was, before, &adviceError{verb + " loop: " + l.space.Dir + "/" + says,
			"fix the cause: the hook cannot change that file either, and Claude may stop"}
	}
	l.readFile()
	return was, before, nil
}

// recordAndReport records an event with l.past.Typed and reports it to the user's progress command. It prints errors as
// notes. goal.ID is set. loopFile is the content for the history, or nil.
func (l *loopHere) recordAndReport(event string, goal wiggum.Goal, loopFile []byte) {
	e := activity.LoopEvent{
		Loop: goal.ID, At: l.Now().UnixMilli(), Event: event,
		Count: goal.Count, Max: l.mostTurns(goal), Session: goal.Session, Dir: l.space.Dir, File: wiggum.ShortenFile(loopFile), Typed: l.past.Typed,
	}
	if err := hook.RecordLoopEvent(l.Dir, l.driver.Settings.Progress, e, l.Getenv, process.Patience); err != nil {
		l.printNoteToErr("report the loop event: " + err.Error())
	}
	if also := l.dirAndAlso()[1:]; (e.Typed > 0 || e.StopsLoop()) && len(also) > 0 { // read by other hosts' hooks
		_ = ledger.AppendLoop(also[0], e)
	}
}

// noteIfCancelled records the cancellation of the loop was, if it has an ID and was active or has a typed maximum.
// Callers end the loop first. loopFile is its content. It sets l.past.
func (l *loopHere) noteIfCancelled(was wiggum.Goal, loopFile []byte) {
	l.past = ledger.PastOfLoop(l.Dir, was.ID, l.space.Dir) // the file might be gone
	if was.ID != "" && (was.Active || l.past.Typed > 0) {
		l.recordAndReport(activity.LoopCancelled, was, loopFile)
	}
}

// beginLoop writes draft with new state fields, and records and prints the start. It uses o's Max and Replace. If no
// plugin drives loops, it offers to enable one, or returns an error.
func (l *loopHere) beginLoop(draft []byte, o LoopStart) error {
	free := func() error {
		if l.fault != nil && !o.Replace {
			return l.wrapFault()
		}
		if l.file.Found && (l.goal.Active || l.goal.ID == "") && !o.Replace { // without an ID it is not in the history
			return &adviceError{"this directory already has a loop: " + loopIDOrFile(l.goal) + l.turnsSoFar(l.goal),
				"stop it with " + l.commandTo("loop stop") + ", or replace it with --replace"}
		}
		return nil
	}
	if err := free(); err != nil {
		return err
	}
	if l.driver.Problem != "" && l.SwitchOn != nil {
		if err := l.SwitchOn(l.driver); err != nil {
			return err
		}
		l.driver = l.Driver(l.space.Dir)
	}
	if l.driver.Problem != "" {
		return &adviceError{"no plugin would drive this loop: " + l.driver.Problem, l.driver.Next}
	}
	typed := l.maxIfPerson(o.Max)
	goal, err := wiggum.ReadLoop(draft)
	if err == nil && goal.Check != "" && len(goal.Promises) == 0 {
		return misused("a check has no effect without a promise", "add a promise: --promise \"All tests passing\"")
	}
	if err != nil || min(goal.Max, cmp.Or(typed, l.ceiling())) < 2 {
		return cmp.Or(err, misused("a loop needs at least two turns", "pass a larger number in a terminal: --max 10"))
	}
	now := l.Now().UnixMilli()
	session := ""
	if l.Session != "" {
		session = wiggum.QuoteValue(l.Session)
	}
	draft, err = wiggum.SetFields(draft, [][2]string{
		{"iteration_count", "0"}, {"active", "true"}, {"stopped_at", ""}, {"session_id", session},
		{"loop_id", wiggum.NewLoopID(l.space.Dir, l.Session, now)}, {"started_at", timestamp.FormatTime(now)},
	}...)
	if err != nil {
		return err
	}
	was, before, err := l.changeFile(func() ([]byte, error) { return draft, free() })
	if err != nil {
		return err
	}
	l.noteIfCancelled(was, before)
	l.past.Typed = typed
	l.recordAndReport(activity.LoopStarted, l.goal, l.file.Data)
	until := "without a promise that could end it earlier"
	if len(l.goal.Promises) > 0 {
		until = "until Claude writes " + joinByOr(l.goal.Promises)
	}
	if len(l.goal.Promises) > 0 && l.goal.Check != "" {
		until += ", and the check passes"
	}
	l.printLine("loop " + l.goal.ID + ", " + l.turnsAhead() + ", " + until)
	l.printLine("  file     " + l.filePath() + "; edits take effect at the next stop")
	if l.goal.Session == "" {
		l.printLine("  starts   the next time Claude stops here; then it belongs to that session")
	} else {
		l.printLine("  starts   the next time this session stops")
	}
	l.printLine("  status   " + l.commandTo("loop status"))
	l.printLine("  stop it  " + l.commandTo("loop stop"))
	l.sayIfMaxLowered()
	l.sayIfHeld()
	return nil
}

// turnsAhead describes the remaining turns. The first needs no continue.
func (l *loopHere) turnsAhead() string {
	switch n := l.mostTurns(l.goal) - l.goal.Count; {
	case n < 2:
		return "this turn is its last"
	case n == 2:
		return "2 turns: this one and 1 continue"
	default:
		return strconv.Itoa(n) + " turns: this one and " + strconv.Itoa(n-1) + " continues"
	}
}

// joinByOr joins texts in curly quotes by “or”. texts is not empty.
func joinByOr(texts []string) string { return "“" + strings.Join(texts, "” or “") + "”" }

// LoopKeys returns the keys of loop set with their descriptions.
func LoopKeys() [][2]string {
	return [][2]string{
		{"max", "number of turns, up to 500 at your terminal, elsewhere up to your ceiling"},
		{"promise", "words that end the loop; separate alternatives with |; or none"},
		{"check", "command that proves the promise, or none"},
		{"timeout", "time limit of the loop, such as 2h, or none"},
		{"iteration-timeout", "time limit of an iteration, such as 10m, or none"},
		{"active", "true or false"},
		{"goal", "text of the goal"},
		{"count", "number of turns done; lowering it allows no more turns"},
		{"session", "session that owns the loop, or none for the next that stops here"},
	}
}

// parseLoopKey returns the field for a key from LoopKeys, with a raw value for wiggum.SetFields. "none", if allowed,
// becomes "" (remove). The key goal is an error.
func parseLoopKey(key string, values []string) (field [2]string, err error) {
	value, text := strings.Join(values, " "), ""
	switch key {
	case "max", "count":
		name, least := "iteration_count", 0
		if key == "max" {
			name, least = "max_iterations", 2
		}
		n, err := strconv.Atoi(value)
		if err != nil || n < least || n > activity.MostIterations {
			return field, misused(key+": "+strconv.Quote(value)+" is not a number of turns from "+strconv.Itoa(least)+" to "+strconv.Itoa(activity.MostIterations), "write it like 15, at most "+strconv.Itoa(activity.MostIterations))
		}
		return [2]string{name, value}, nil
	case "promise":
		var all []string
		for p := range strings.SplitSeq(strings.Join(values, "|"), "|") {
			if p = strings.TrimSpace(p); p != "" {
				all = append(all, p)
			}
		}
		if len(all) > 0 && value != "none" {
			text = wiggum.QuoteValues(all)
		}
		return [2]string{"completion_promise", text}, nil
	case "check":
		if value != "none" {
			text = wiggum.QuoteValue(value)
		}
		if plain := strings.Join(strings.Fields(display.OneLine(value)), " "); plain != value || value == "" || len(value) > activity.MaxCheck || secret.Mask(value) != value {
			return field, misused("check: it must be one plain line of at most "+strconv.Itoa(activity.MaxCheck)+" bytes, without consecutive spaces or a secret", "put the commands into a script, and pass the script")
		}
		return [2]string{"check", text}, nil
	case "timeout", "iteration-timeout":
		if value != "none" {
			text = value
			if _, ok := timestamp.ParseSpan(value); !ok {
				return field, misused(key+": "+strconv.Quote(value)+" is not a duration", "write it like 30m, 2h or 1d")
			}
		}
		return [2]string{strings.ReplaceAll(key, "-", "_"), text}, nil
	case "active":
		if value != "true" && value != "false" {
			return field, misused("active: "+strconv.Quote(value)+" is neither true nor false",
				"use false to pause the loop, or true to continue it")
		}
		return [2]string{"active", value}, nil
	case "session":
		if value != "none" {
			text = wiggum.QuoteValue(value)
		}
		return [2]string{"session_id", text}, nil
	}
	var names []string
	for _, k := range LoopKeys() {
		names = append(names, k[0])
	}
	return field, misused("loop set has no key "+strconv.Quote(key), "the keys are "+strings.Join(names, ", "))
}

// SetLoop sets a LoopKeys key in the loop file and prints the value. It records a maximum that the user typed or
// restored, and a loop's cancellation.
func (d *Console) SetLoop(key string, values []string) error {
	l, err := d.openLoopSpace(false)
	if err != nil {
		return err
	}
	defer l.space.Close()
	var field [2]string
	body := strings.Join(values, " ")
	if key == "goal" {
		body, err = trimGoal(body)
	} else {
		field, err = parseLoopKey(key, values)
	}
	if err != nil {
		return err
	}
	typed := 0
	n, _ := strconv.Atoi(body)
	if key == "max" {
		typed = l.maxIfPerson(n)
	} else if key == "active" && body == "true" { // the typed maximum stays
		typed = l.maxIfPerson(l.past.Before)
	}
	was, _, err := l.changeFile(func() ([]byte, error) {
		switch {
		case l.hasNoFile():
			return nil, &adviceError{"there is no loop in " + l.space.Dir,
				"start one with " + l.commandTo(`loop start "Fix the failing tests"`)}
		case l.fault != nil:
			return nil, l.wrapFault()
		case key == "goal" && body == "":
			return nil, misused("the goal is empty", l.commandTo(`loop set goal "Fix the failing tests"`))
		case key == "max" && n <= l.goal.Count:
			return nil, misused("max: "+strconv.Itoa(l.goal.Count)+" turns are done already", "choose a larger number, or let Claude stop with "+l.commandTo("loop stop"))
		case key == "count" && n > l.mostTurns(l.goal):
			return nil, misused("count: the loop's limit is "+strconv.Itoa(l.mostTurns(l.goal))+" turns", "choose a smaller number, or let Claude stop with "+l.commandTo("loop stop"))
		case key == "goal":
			return wiggum.SetBody(l.file.Data, body)
		case key == "active" && body == "true":
			return wiggum.SetFields(l.file.Data, field, [2]string{"stopped_at", ""})
		case key == "active":
			return l.dataToPause()
		case typed > 0 && l.goal.ID == "": // the history needs an ID
			named := [2]string{"loop_id", wiggum.NewLoopID(l.space.Dir, l.Session, l.Now().UnixMilli())}
			return wiggum.SetFields(l.file.Data, field, named)
		}
		return wiggum.SetFields(l.file.Data, field)
	})
	if err != nil {
		return err
	}
	if was.Active && !l.goal.Active {
		l.noteIfCancelled(was, l.file.Data)
	}
	if typed > 0 {
		l.past.Typed = typed
		l.recordAndReport(activity.LoopRaised, l.goal, nil)
	}
	if key == "max" {
		l.sayIfMaxLowered()
	}
	if key == "promise" {
		body = cmp.Or(strings.Join(values, "|"), "none")
	}
	if key == "max" && l.mostTurns(l.goal) < l.goal.Max { // sayIfMaxLowered explains it
		l.printLine("max is " + body + " in the file")
		return nil
	} else if key == "max" {
		body += ", " + l.turnsAhead()
	}
	l.printLine(key + " is " + shortGoalOf(body) + "; it takes effect at the next stop")
	return nil
}

func (l *loopHere) dataToPause() ([]byte, error) {
	fields := [][2]string{{"active", "false"}}
	if l.goal.ID != "" { // so that the hook does not report it again
		fields = append(fields, [2]string{"stopped_at", timestamp.FormatTime(l.Now().UnixMilli())})
	}
	return wiggum.SetFields(l.file.Data, fields...)
}

// StopLoopIfAny pauses the workspace's loop, or deletes its file if remove is set, and prints the result, also if
// nothing is to stop.
func (d *Console) StopLoopIfAny(remove bool) error {
	l, err := d.openLoopSpace(false)
	if err != nil {
		return err
	}
	defer l.space.Close()
	nothing := errors.New("nothing to stop")
	was, before, err := l.changeFile(func() ([]byte, error) {
		if l.hasNoFile() || !remove && l.fault == nil && !l.goal.Active {
			return nil, nothing
		}
		if remove {
			return nil, nil
		}
		if l.fault != nil {
			return nil, l.wrapFault()
		}
		return l.dataToPause()
	})
	switch {
	case err == nothing && l.hasNoFile():
		l.printLine("there is no loop in " + l.space.Dir + "; " + l.commandTo("loop history --all") + " lists past loops")
		return nil
	case err == nothing:
		l.printLine("the loop is already paused: active is false in " + l.filePath())
		return nil
	case err != nil:
		return err
	case !remove:
		before = l.file.Data
	}
	l.noteIfCancelled(was, before)
	if !remove {
		l.printLine("stopped the loop" + l.turnsSoFar(was) + ": Claude may stop")
		l.printLine("its file stays, with active: false; to continue, run " + l.commandTo("loop set active true"))
		return nil
	}
	l.printLine("stopped the loop and deleted " + l.filePath() + ": Claude may stop")
	if was.ID != "" {
		l.printLine("to see it in the history, run " + l.commandTo("loop history show "+was.ID))
	}
	return nil
}
