// The words about goal loops: start one, change it, stop it. What they write is
// the loop's own file in the workspace, under the lock that the hook takes, so
// that neither undoes what the other has just done; it takes effect at the next
// stop.
//
// Claude may say all of them. None raises the ceiling, which is in the user's own
// settings.

package command

import (
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/fact"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/moment"
	"github.com/cameronsjo/springfield/runtime/process"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/workspace"

	"github.com/cameronsjo/springfield/runtime/strategy/wiggum"
)

// loopWait is how long a person waits for a stop that is being decided.
const loopWait = 5 * time.Second

// Driver is the plugin that drives the goal loops of a workspace.
type Driver struct {
	Settings hook.Settings
	// Problem is why none does, as far as is known, and what to do about it.
	Problem string
}

// DriverAround is the plugin that a hook lies in, if that drives loops.
func DriverAround(executable, state, dir string) Driver {
	settings, err := hook.FindSettings(executable, state, dir)
	switch {
	case err != nil:
		return NoDriver(state, dir, "this hook is not in a plugin, so Claude Code does not call it; run a plugin's own")
	case !Drives(settings.Strategy.Name):
		return NoDriver(state, dir,
			"this is the hook of "+settings.Plugin+", which does not drive goal loops; "+wiggum.Name+" does")
	}
	return Driver{Settings: settings}
}

// NoDriver is where no plugin drives loops; what the user set for one counts.
func NoDriver(state, dir, problem string) Driver {
	return Driver{hook.Plugin{Name: wiggum.Name, Strategy: wiggum.Strategy()}.ReadSettings(state, dir), problem}
}

// Drives tells whether a plugin of this strategy drives goal loops.
func Drives(strategy string) bool { return strategy == wiggum.Name }

// loopHere is the loop of a workspace, and who drives it.
type loopHere struct {
	*Console
	space  *workspace.Space
	driver Driver
	file   strategy.File
	goal   wiggum.Goal
	fault  error // why the file is no loop
}

// here opens the workspace, the one that the hook would find from this directory, and
// reads its loop. A directory that is named for a new loop is the workspace itself.
func (d *Console) here(named bool) (*loopHere, error) {
	here := *d
	if d.Caller == nil {
		here.Session = "" // a user starts loops for the next session that comes
	}
	dir, err := filepath.EvalSymlinks(d.Work) // as Claude Code names its directory
	here.Work = dir
	var space *workspace.Space
	if err == nil {
		if !named {
			dir = workspace.Nearest(dir, wiggum.Strategy().Marks, d.Home)
		}
		space, err = workspace.Open(dir)
	}
	if err != nil {
		return nil, &adviceError{"open workspace: " + err.Error(), "name the directory of the project: --dir DIR"}
	}
	l := &loopHere{Console: &here, space: space, driver: d.Driver(space.Dir)}
	l.read()
	return l, nil
}

// read reads the loop's file as it is now.
func (l *loopHere) read() {
	l.goal, l.fault = wiggum.Goal{}, nil
	l.file = l.space.Read(strategy.Want{Name: wiggum.File})
	switch {
	case l.file.Problem != "":
		l.fault = errors.New(l.file.Problem)
	case l.file.Found:
		if l.goal, l.fault = wiggum.Read(l.file.Data); !fact.IsLoopID(l.goal.ID) {
			l.goal.ID = "" // as the hook takes it
		}
	}
}

// missing tells that there is no file.
func (l *loopHere) missing() bool { return !l.file.Found && l.fault == nil }

// path names the loop's file.
func (l *loopHere) path() string {
	return filepath.Join(l.space.Dir, filepath.FromSlash(wiggum.File))
}

// limit is the iteration at which the loop ends: its own, or the ceiling.
func (l *loopHere) limit(goal wiggum.Goal) int {
	if c := l.ceiling(); c > 0 && c < goal.Max {
		return c
	}
	return goal.Max
}

func (l *loopHere) ceiling() int {
	rounds, _ := l.driver.Settings.MaxRounds()
	return rounds
}

// unread is the error about a file that is no loop.
func (l *loopHere) unread() error {
	return &adviceError{"read loop: " + l.path() + ": " + l.fault.Error(),
		"correct it, or remove it: " + l.Self + " loop stop --delete"}
}

// change edits the file under the lock. edit gets what is there then.
func (l *loopHere) change(edit func() ([]byte, error)) error {
	// Without the lock the hook cannot write either, or is slow; an edit of another
	// program's is still never overwritten.
	if lock, err := ledger.LockWorkspace(l.Dir, l.space.Dir, loopWait); err == nil {
		defer lock.Close()
	}
	l.read()
	data, err := edit()
	if err != nil {
		return err
	}
	c := strategy.Change{Name: wiggum.File, Data: data}
	if l.file.Readable() {
		c.Was = l.file.Data
	}
	if err := l.space.Apply([]strategy.Change{c}); err != nil {
		verb, says, _ := strings.Cut(err.Error(), " ")
		return &adviceError{verb + " loop: " + l.space.Dir + "/" + says,
			"look at that file; what cannot be changed here the hook cannot change either, and Claude may stop"}
	}
	l.read()
	return nil
}

// tell puts an event into the history and tells the user's command. data is the file.
func (l *loopHere) tell(what string, goal wiggum.Goal, data []byte) {
	e := fact.LoopEvent{
		Loop: goal.ID, At: l.Now().UnixMilli(), Event: what,
		Count: goal.Count, Max: l.limit(goal), Session: goal.Session, Dir: l.space.Dir, File: wiggum.LoopFile(data),
	}
	if err := hook.Tell(l.Dir, l.driver.Settings.Progress, e, l.Getenv, process.Patience); err != nil {
		l.note("report the loop: " + err.Error())
	}
}

// cancelled tells of a loop that was at work, and is not any more.
func (l *loopHere) cancelled(was wiggum.Goal, data []byte) {
	if was.Active && was.ID != "" {
		l.tell(fact.LoopCancelled, was, data)
	}
}

// begin writes a new loop.
func (l *loopHere) begin(draft []byte, replace bool) error {
	now := l.Now().UnixMilli()
	session := ""
	if l.Session != "" {
		session = wiggum.Quote(l.Session)
	}
	draft, err := wiggum.Set(draft, [][2]string{
		{"iteration_count", "1"}, {"active", "true"}, {"stopped_at", ""}, {"session_id", session},
		{"loop_id", wiggum.NewLoopID(l.space.Dir, l.Session, now)}, {"started_at", moment.Write(now)},
	}...)
	if err != nil {
		return err
	}
	var was wiggum.Goal
	var before []byte
	err = l.change(func() ([]byte, error) {
		was, before = l.goal, l.file.Data
		switch {
		case l.fault != nil && !replace:
			return nil, l.unread()
		case l.file.Found && (was.Active || was.ID == "") && !replace: // one without an ID is in no history
			return nil, &adviceError{"a loop is here already: " + l.name(was) + l.progress(was),
				"stop it with " + l.Self + " loop stop, or replace it with --replace"}
		}
		return draft, nil
	})
	if err != nil {
		return err
	}
	l.cancelled(was, before)
	l.tell(fact.LoopStarted, l.goal, l.file.Data)
	until := "without a promise that ends it earlier"
	if len(l.goal.Promises) > 0 {
		until = "until Claude says " + anyOf(l.goal.Promises)
	}
	l.line("loop " + l.goal.ID + ": at most " + strconv.Itoa(l.limit(l.goal)) + " iterations, " + until)
	l.line("  file     " + l.path() + "; edits take effect at the next stop")
	if l.goal.Session == "" {
		l.line("  starts   the next time Claude stops here; then the loop belongs to that session")
	} else {
		l.line("  starts   the next time this session stops")
	}
	l.line("  status   " + l.Self + " loop status")
	l.line("  stop it  " + l.Self + " loop stop")
	l.notDriven()
	return nil
}

// notDriven says why a loop does not run.
func (l *loopHere) notDriven() {
	if l.driver.Problem != "" {
		l.note("nothing drives this loop: " + l.driver.Problem)
	}
}

func (l *loopHere) name(goal wiggum.Goal) string {
	if goal.ID == "" {
		return wiggum.File
	}
	return goal.ID
}

func (l *loopHere) progress(goal wiggum.Goal) string {
	return ", iteration " + strconv.Itoa(goal.Count) + " of " + strconv.Itoa(l.limit(goal))
}

func anyOf(texts []string) string { return "“" + strings.Join(texts, "” or “") + "”" }

// LoopKeys are what loop set can change, with what each takes.
func LoopKeys() [][2]string {
	return [][2]string{
		{"max", "how many iterations"},
		{"promise", "what Claude says at the end; of several, any one; none: no promise"},
		{"timeout", "how long the loop may take: 30m, 2h; none: no limit"},
		{"iteration-timeout", "how long one iteration may take: 10m; none: no limit"},
		{"active", "true or false"},
		{"goal", "the text of the goal"},
		{"count", "the current iteration"},
		{"session", "the session that the loop belongs to; none: the next one that stops here"},
	}
}

// entry is the field of the file that a key and its values stand for.
func entry(key string, values []string) (field [2]string, err error) {
	value, text := strings.Join(values, " "), ""
	switch key {
	case "max", "count":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > 1_000_000 {
			return field, misused(key+": "+strconv.Quote(value)+" is not a number of iterations", "write it like 15")
		}
		return [2]string{map[string]string{"max": "max_iterations", "count": "iteration_count"}[key], value}, nil
	case "promise": // A|B are two
		var all []string
		for p := range strings.SplitSeq(strings.Join(values, "|"), "|") {
			if p = strings.TrimSpace(p); p != "" {
				all = append(all, p)
			}
		}
		if len(all) > 0 && value != "none" {
			text = wiggum.QuoteList(all)
		}
		return [2]string{"completion_promise", text}, nil
	case "timeout", "iteration-timeout":
		if value != "none" {
			text = value
			if _, ok := moment.Span(value); !ok {
				return field, misused(key+": "+strconv.Quote(value)+" is not a duration", "write it like 30m, 2h or 1d")
			}
		}
		return [2]string{strings.ReplaceAll(key, "-", "_"), text}, nil
	case "active":
		if value != "true" && value != "false" {
			return field, misused("active: "+strconv.Quote(value)+" is neither true nor false",
				"false pauses the loop, true lets it go on")
		}
		return [2]string{"active", value}, nil
	case "session":
		if value != "none" {
			text = wiggum.Quote(value)
		}
		return [2]string{"session_id", text}, nil
	}
	var names []string
	for _, k := range LoopKeys() {
		names = append(names, k[0])
	}
	return field, misused("loop set has no key "+strconv.Quote(key), "the keys are "+strings.Join(names, ", "))
}

// SetLoop changes one thing about the loop that is here.
func (d *Console) SetLoop(key string, values []string) error {
	l, err := d.here(false)
	if err != nil {
		return err
	}
	defer l.space.Close()
	var field [2]string
	body := strings.Join(values, " ")
	if key == "goal" {
		body, err = goalText(body)
	} else {
		field, err = entry(key, values)
	}
	if err != nil {
		return err
	}
	var was wiggum.Goal
	err = l.change(func() ([]byte, error) {
		was = l.goal
		switch {
		case l.missing():
			return nil, &adviceError{"there is no loop in " + l.space.Dir,
				"start one: " + l.Self + " loop start \"Fix the failing tests\""}
		case l.fault != nil:
			return nil, l.unread()
		case key == "goal":
			return wiggum.SetBody(l.file.Data, body)
		case key == "active" && body == "true":
			return wiggum.Set(l.file.Data, field, [2]string{"stopped_at", ""})
		case key == "active":
			return l.pause()
		}
		return wiggum.Set(l.file.Data, field)
	})
	if err != nil {
		return err
	}
	if !l.goal.Active {
		l.cancelled(was, l.file.Data)
	}
	if key == "promise" {
		body = strings.Join(values, "|")
	}
	l.line(key + " is " + title(body) + "; it takes effect at the next stop")
	return nil
}

// pause is the file of a loop that is stopped.
func (l *loopHere) pause() ([]byte, error) {
	fields := [][2]string{{"active", "false"}}
	if l.goal.ID != "" { // the hook has told of it, and shall not tell of this again
		fields = append(fields, [2]string{"stopped_at", moment.Write(l.Now().UnixMilli())})
	}
	return wiggum.Set(l.file.Data, fields...)
}

// StopLoop ends the loop that is here, or takes its file away, too.
func (d *Console) StopLoop(remove bool) error {
	l, err := d.here(false)
	if err != nil {
		return err
	}
	defer l.space.Close()
	var was wiggum.Goal
	var before []byte
	nothing := errors.New("nothing to stop")
	err = l.change(func() ([]byte, error) {
		was, before = l.goal, l.file.Data
		switch {
		case l.missing() || !remove && l.fault == nil && !was.Active:
			return nil, nothing
		case remove:
			return nil, nil
		case l.fault != nil:
			return nil, l.unread()
		}
		return l.pause()
	})
	switch {
	case err == nothing && l.missing():
		l.line("there is no loop in " + l.space.Dir)
		return nil
	case err == nothing:
		l.line("the loop is paused already: active is false in " + l.path())
		return nil
	case err != nil:
		return err
	case !remove:
		before = l.file.Data
	}
	l.cancelled(was, before)
	if !remove {
		l.line("stopped the loop" + l.progress(was) + ": Claude may stop")
		l.line("its file stays, with active: false; to go on: " + l.Self + " loop set active true")
		return nil
	}
	l.line("stopped the loop and deleted " + l.path() + ": Claude may stop")
	if was.ID != "" {
		l.line("it is kept in the history: " + l.Self + " loop history show " + was.ID)
	}
	return nil
}
