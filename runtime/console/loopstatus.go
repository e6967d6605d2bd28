package console

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/strategy/wiggum"
	"github.com/cameronsjo/springfield/runtime/timestamp"
)

type loopStatus struct {
	Directory, File string
	// State is none, unreadable, inactive, waiting (for its first stop, its session, or the user) or running.
	State   string
	Problem string // why the file is not a loop, or why it does not run yet
	Loop    *loopJSON
	Plugin  string
	Ceiling int
}

func (s *loopStatus) Members(m *codec.Coder) {
	m.EvenEmpty().Text("directory", &s.Directory)
	m.EvenEmpty().Text("file", &s.File)
	m.EvenEmpty().Text("state", &s.State)
	m.Text("problem", &s.Problem)
	codec.Optional(m, "loop", &s.Loop)
	m.EvenEmpty().Text("plugin", &s.Plugin)
	codec.Number(m.EvenEmpty(), "ceiling", &s.Ceiling)
}

type loopJSON struct {
	wiggum.Goal
	Limit int // max or the ceiling
}

func (l *loopJSON) Members(m *codec.Coder) {
	m.Text("id", &l.ID)
	codec.Number(m.EvenEmpty(), "iteration", &l.Count)
	codec.Number(m.EvenEmpty(), "max", &l.Max)
	codec.Number(m.EvenEmpty(), "limit", &l.Limit)
	m.EvenEmpty().Texts("promises", &l.Promises)
	m.Text("check", &l.Check)
	m.EvenEmpty().Bool("active", &l.Active)
	m.Text("session", &l.Session)
	codec.Number(m, "timeout_ms", &l.Timeout)
	codec.Number(m, "iteration_timeout_ms", &l.IterationTimeout)
	codec.Number(m, "started", &l.Started)
	m.EvenEmpty().Text("goal", &l.Body)
}

func (d *Console) LoopStatus(asJSON bool) error {
	l, err := d.openLoopSpace(false)
	if err != nil {
		return err
	}
	defer l.space.Close()
	g := l.goal
	s := loopStatus{Directory: l.space.Dir, File: l.filePath(), Plugin: l.driver.Settings.Plugin, Ceiling: l.ceiling()}
	says := ""
	switch {
	case l.hasNoFile():
		s.State = "none"
		says = "there is no loop in " + s.Directory + "; start one with " + l.commandTo(`loop start "Fix the failing tests"`) + "; " + l.commandTo("loop history") + " lists past ones"
	case l.fault != nil:
		s.State, s.Problem, says = "unreadable", l.fault.Error(), s.File+" is not a valid loop: "+l.fault.Error()
	case !g.Active:
		s.State = "inactive"
		says = "loop " + loopIDOrFile(g) + " is paused" + l.turnsSoFar(g) + "; to continue, run " + l.commandTo("loop set active true")
	case g.Session != "" && l.hasNewSession():
		s.State = "waiting"
		says = "loop " + loopIDOrFile(g) + " waits for session " + g.Session + l.turnsSoFar(g) + ", but another session is active here; to give it the loop, run " + l.commandTo("loop set session none")
	case l.waitsForUser():
		s.State, s.Problem = "waiting", l.driver.problemInWords()
		says = "loop " + loopIDOrFile(g) + " is paused until your next instruction" + l.turnsSoFar(g) + "; for the reason, type " + l.wordToType("why")
	case l.past.Continues > 0:
		s.State, s.Problem = "running", l.driver.problemInWords()
		says = "loop " + loopIDOrFile(g) + " is running" + l.turnsSoFar(g)
		if s.Problem != "" {
			says = "loop " + loopIDOrFile(g) + " does not continue" + l.turnsSoFar(g)
		}
	default:
		s.State, s.Problem = "waiting", l.driver.problemInWords()
		says = "loop " + loopIDOrFile(g) + " waits for its first stop, " + l.turnsAhead()
	}
	if l.file.Found && l.fault == nil {
		s.Loop = &loopJSON{g, l.mostTurns(g)}
		s.Loop.Promises = append([]string{}, g.Promises...) // never null in JSON
	}
	if asJSON {
		s.Problem = display.UnglueBlanks(s.Problem)
		return l.printJSON(&s)
	}
	l.printLine(says)
	if s.Loop == nil {
		return nil
	}
	l.printIfSet("  goal      ", shortGoalOf(g.Body))
	if len(g.Promises) > 0 {
		l.printLine("  promise   " + joinByOr(g.Promises))
	} else {
		l.printLine("  promise   none; only the limit ends it")
	}
	l.printIfSet("  check     ", g.Check)
	limit := strconv.Itoa(l.mostTurns(g)) + "; "
	if l.mostTurns(g) < g.Max {
		limit += "the file asks for " + strconv.Itoa(g.Max) + ", and "
	}
	l.printLine("  limit     " + limit + wiggum.CapOriginInWords(l.typedMaxFor(g), l.ceiling()))
	l.printLine("  session   " + cmp.Or(g.Session, "none yet; the first one that stops here"))
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
	l.printIfSet("  time      ", strings.Join(times, ", "))
	if s.Problem != "" {
		l.printNoteToErr("no plugin drives this loop: " + s.Problem)
	}
	l.sayIfHeld()
	return nil
}

func loopIDOrFile(goal wiggum.Goal) string {
	return cmp.Or(goal.ID, wiggum.File)
}

// turnsSoFar returns ", 3 of 25 turns done", to append to a clause.
func (l *loopHere) turnsSoFar(goal wiggum.Goal) (suffix string) {
	return ", " + wiggum.TurnsInWords(goal.Count, l.mostTurns(goal))
}

// hasNewSession reports whether a different session has been active here since the loop file was last changed, at the
// loop's last stop or by a command. The loop has a session.
func (l *loopHere) hasNewSession() bool {
	path, at := l.ownOrNewestLog()
	return path != "" && filepath.Base(path) != l.goal.Session+".jsonl" && at > l.Now().UnixMilli()-l.file.Age
}

// waitsForUser reports whether the loop is paused since the plugin's last decision here.
func (l *loopHere) waitsForUser() bool {
	of := ledger.Scope{Session: ledgerIDOf(l.goal.Session), Project: l.space.Dir}
	all, _ := ledger.Newest(l.dirAndAlso(), of, 1, true, func(r ledger.Record) bool { return r.Plugin == l.driver.Settings.Plugin })
	return len(all) > 0 && all[0].At >= l.goal.Started && slices.ContainsFunc(all[0].State.Loops, func(m activity.Memory) bool {
		return m.Key == strategy.MemoryKey(l.space.Dir+"/"+wiggum.File) && m.Paused != ""
	})
}
