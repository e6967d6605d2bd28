// The state of a loop: what its file says, and where it ends.

package command

import (
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/moment"

	"github.com/cameronsjo/springfield/runtime/strategy/wiggum"
)

// What a loop can be.
const (
	loopNone       = "none"       // no file
	loopUnreadable = "unreadable" // a file that is no loop
	loopInactive   = "inactive"   // active: false
	loopWaiting    = "waiting"    // for its first stop
	loopRunning    = "running"
)

// loopStatus is the JSON shape of a status.
type loopStatus struct {
	Directory, File, State string
	// Problem is why the file is no loop, or why a loop does not run yet.
	Problem string
	Loop    *loopJSON
	Plugin  string
	Ceiling int
}

func (s *loopStatus) Members(m *codec.Members) {
	m.Keep().Text("directory", &s.Directory)
	m.Keep().Text("file", &s.File)
	m.Keep().Text("state", &s.State)
	m.Text("problem", &s.Problem)
	codec.Optional(m, "loop", &s.Loop)
	m.Keep().Text("plugin", &s.Plugin)
	codec.Number(m.Keep(), "ceiling", &s.Ceiling)
}

// loopJSON is the loop as its file has it.
type loopJSON struct {
	wiggum.Goal
	Limit int // where it ends: max, or the ceiling
}

func (l *loopJSON) Members(m *codec.Members) {
	m.Text("id", &l.ID)
	codec.Number(m.Keep(), "iteration", &l.Count)
	codec.Number(m.Keep(), "max", &l.Max)
	codec.Number(m.Keep(), "limit", &l.Limit)
	m.Keep().Texts("promises", &l.Promises)
	m.Keep().Bool("active", &l.Active)
	m.Text("session", &l.Session)
	codec.Number(m, "timeout_ms", &l.Timeout)
	codec.Number(m, "iteration_timeout_ms", &l.IterationTimeout)
	codec.Number(m, "started", &l.Started)
	m.Keep().Text("goal", &l.Body)
}

// LoopStatus shows the state of the loop of the workspace.
func (d *Console) LoopStatus(asJSON bool) error {
	l, err := d.here(false)
	if err != nil {
		return err
	}
	defer l.space.Close()
	g := l.goal
	s := loopStatus{Directory: l.space.Dir, File: l.path(), Plugin: l.driver.Settings.Plugin, Ceiling: l.ceiling()}
	says := ""
	switch {
	case l.missing():
		s.State = loopNone
		says = "there is no loop in " + s.Directory + "; start one: " + l.Self + " loop start \"Fix the failing tests\""
	case l.fault != nil:
		s.State, s.Problem, says = loopUnreadable, l.fault.Error(), s.File+" is not a loop: "+l.fault.Error()
	case !g.Active:
		s.State = loopInactive
		says = "loop " + l.name(g) + " is paused" + l.progress(g) + "; to go on: " + l.Self + " loop set active true"
	case g.Count > 1:
		s.State, s.Problem = loopRunning, l.driver.Problem
		says = "loop " + l.name(g) + " is running" + l.progress(g)
		if s.Problem != "" {
			says = "loop " + l.name(g) + " does not go on" + l.progress(g)
		}
	default:
		s.State, s.Problem = loopWaiting, l.driver.Problem
		says = "loop " + l.name(g) + " waits for its first stop" + l.progress(g)
	}
	if l.file.Found && l.fault == nil {
		s.Loop = &loopJSON{g, l.limit(g)}
		s.Loop.Promises = append([]string{}, g.Promises...) // in JSON a list, also without any
	}
	if asJSON {
		return l.encode(&s)
	}
	l.line(says)
	if s.Loop == nil {
		return nil
	}
	l.field("  goal      ", title(g.Body))
	if len(g.Promises) > 0 {
		l.line("  promise   " + anyOf(g.Promises))
	} else {
		l.line("  promise   none: only the limit ends it")
	}
	if limit := l.limit(g); limit < g.Max {
		l.line("  limit     " + strconv.Itoa(limit) + ", your ceiling; the file asks for " + strconv.Itoa(g.Max))
	} else {
		l.line("  limit     " + strconv.Itoa(limit) + "; your ceiling is " + strconv.Itoa(l.ceiling()))
	}
	if g.Session == "" {
		l.line("  session   none yet: the first one that stops here")
	} else {
		l.line("  session   " + g.Session)
	}
	var times []string
	if g.Started > 0 {
		times = append(times, "started "+l.ago(g.Started))
	}
	if g.Timeout > 0 {
		times = append(times, "may take "+moment.Length(g.Timeout))
	}
	if g.IterationTimeout > 0 {
		times = append(times, "an iteration may take "+moment.Length(g.IterationTimeout))
	}
	l.field("  time      ", strings.Join(times, ", "))
	if s.State == loopWaiting || s.State == loopRunning {
		l.notDriven()
	}
	return nil
}

func (d *Console) encode(o codec.Object) error {
	_, err := d.Out.Write(append(codec.Append(nil, o), '\n'))
	return err
}
