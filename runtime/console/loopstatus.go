// The state of a loop: what its file says, and where it ends.

package console

import (
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/timestamp"

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
	m.KeepEmpty().Text("directory", &s.Directory)
	m.KeepEmpty().Text("file", &s.File)
	m.KeepEmpty().Text("state", &s.State)
	m.Text("problem", &s.Problem)
	codec.Optional(m, "loop", &s.Loop)
	m.KeepEmpty().Text("plugin", &s.Plugin)
	codec.Number(m.KeepEmpty(), "ceiling", &s.Ceiling)
}

// loopJSON is the loop as its file has it.
type loopJSON struct {
	wiggum.Goal
	Limit int // where it ends: max, or the ceiling
}

func (l *loopJSON) Members(m *codec.Members) {
	m.Text("id", &l.ID)
	codec.Number(m.KeepEmpty(), "iteration", &l.Count)
	codec.Number(m.KeepEmpty(), "max", &l.Max)
	codec.Number(m.KeepEmpty(), "limit", &l.Limit)
	m.KeepEmpty().Texts("promises", &l.Promises)
	m.KeepEmpty().Bool("active", &l.Active)
	m.Text("session", &l.Session)
	codec.Number(m, "timeout_ms", &l.Timeout)
	codec.Number(m, "iteration_timeout_ms", &l.IterationTimeout)
	codec.Number(m, "started", &l.Started)
	m.KeepEmpty().Text("goal", &l.Body)
}

// LoopStatus shows the state of the loop of the workspace.
func (d *Console) LoopStatus(asJSON bool) error {
	l, err := d.openLoop(false)
	if err != nil {
		return err
	}
	defer l.space.Close()
	g := l.goal
	s := loopStatus{Directory: l.space.Dir, File: l.filePath(), Plugin: l.driver.Settings.Plugin, Ceiling: l.ceiling()}
	says := ""
	switch {
	case l.missing():
		s.State = loopNone
		says = "there is no loop in " + s.Directory + "; start one: " + l.Self + " loop start \"Fix the failing tests\""
	case l.fault != nil:
		s.State, s.Problem, says = loopUnreadable, l.fault.Error(), s.File+" is not a loop: "+l.fault.Error()
	case !g.Active:
		s.State = loopInactive
		says = "loop " + l.loopName(g) + " is paused" + l.progress(g) + "; to go on: " + l.Self + " loop set active true"
	case g.Count > 1:
		s.State, s.Problem = loopRunning, l.driver.Problem
		says = "loop " + l.loopName(g) + " is running" + l.progress(g)
		if s.Problem != "" {
			says = "loop " + l.loopName(g) + " does not go on" + l.progress(g)
		}
	default:
		s.State, s.Problem = loopWaiting, l.driver.Problem
		says = "loop " + l.loopName(g) + " waits for its first stop" + l.progress(g)
	}
	if l.file.Found && l.fault == nil {
		s.Loop = &loopJSON{g, l.limitOf(g)}
		s.Loop.Promises = append([]string{}, g.Promises...) // in JSON a list, also without any
	}
	if asJSON {
		return l.printJSON(&s)
	}
	l.printLine(says)
	if s.Loop == nil {
		return nil
	}
	l.printField("  goal      ", titleOf(g.Body))
	if len(g.Promises) > 0 {
		l.printLine("  promise   " + oneOf(g.Promises))
	} else {
		l.printLine("  promise   none: only the limit ends it")
	}
	if limit := l.limitOf(g); limit < g.Max {
		l.printLine("  limit     " + strconv.Itoa(limit) + ", your ceiling; the file asks for " + strconv.Itoa(g.Max))
	} else {
		l.printLine("  limit     " + strconv.Itoa(limit) + "; your ceiling is " + strconv.Itoa(l.ceiling()))
	}
	if g.Session == "" {
		l.printLine("  session   none yet: the first one that stops here")
	} else {
		l.printLine("  session   " + g.Session)
	}
	var times []string
	if g.Started > 0 {
		times = append(times, "started "+l.agoOf(g.Started))
	}
	if g.Timeout > 0 {
		times = append(times, "may take "+timestamp.LengthInWords(g.Timeout))
	}
	if g.IterationTimeout > 0 {
		times = append(times, "an iteration may take "+timestamp.LengthInWords(g.IterationTimeout))
	}
	l.printField("  time      ", strings.Join(times, ", "))
	if s.State == loopWaiting || s.State == loopRunning {
		l.notDriven()
	}
	return nil
}

func (d *Console) printJSON(o codec.Object) error {
	_, err := d.Out.Write(append(codec.Append(nil, o), '\n'))
	return err
}
