// The state of a loop, with the four headings of the guide's troubleshooting: it won't
// start, it stops prematurely, it won't stop, its file does not change. A heading is
// shown where there is a problem. The answers come from the loop's own file, its
// history, the newest decision and what Claude said.

package command

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/fact"
	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/moment"
	"github.com/cameronsjo/springfield/runtime/strategy"

	"github.com/cameronsjo/springfield/runtime/registry"
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
	// Problem is why the file is no loop.
	Problem string
	Loop    *loopJSON
	Plugin  string
	Ceiling int

	// The four headings. The first three are lists of findings, empty if there is
	// nothing to find.
	WontStart, EndedEarly, WontStop, NotUpdating []finding

	Nearest   *near
	LastEnded *pastLoop
	active    bool
}

func (s *loopStatus) Members(m *codec.Members) {
	m.Keep().Text("directory", &s.Directory)
	m.Keep().Text("file", &s.File)
	m.Keep().Text("state", &s.State)
	m.Text("problem", &s.Problem)
	codec.Optional(m, "loop", &s.Loop)
	m.Keep().Text("plugin", &s.Plugin)
	codec.Number(m.Keep(), "ceiling", &s.Ceiling)
	codec.List(m.Keep(), "wont_start", &s.WontStart)
	codec.List(m.Keep(), "stops_prematurely", &s.EndedEarly)
	codec.List(m.Keep(), "wont_stop", &s.WontStop)
	codec.List(m.Keep(), "file_not_updating", &s.NotUpdating)
	codec.Optional(m, "nearest", &s.Nearest)
	codec.Optional(m, "last_ended", &s.LastEnded)
}

// loopJSON is the loop as its file has it.
type loopJSON struct {
	ID             string
	Iteration, Max int
	Limit          int // where it ends: max, or the ceiling
	Promises       []string
	Active         bool
	Session        string
	// In milliseconds; Started is a moment.
	Timeout, IterationTimeout, Started int64
	Goal                               string
}

func (l *loopJSON) Members(m *codec.Members) {
	m.Text("id", &l.ID)
	codec.Number(m.Keep(), "iteration", &l.Iteration)
	codec.Number(m.Keep(), "max", &l.Max)
	codec.Number(m.Keep(), "limit", &l.Limit)
	m.Keep().Texts("promises", &l.Promises)
	m.Keep().Bool("active", &l.Active)
	m.Text("session", &l.Session)
	codec.Number(m, "timeout_ms", &l.Timeout)
	codec.Number(m, "iteration_timeout_ms", &l.IterationTimeout)
	codec.Number(m, "started", &l.Started)
	m.Keep().Text("goal", &l.Goal)
}

// finding is something that was found, and what to do about it.
type finding struct {
	Says, Fix string

	shown string // the name of its line where it is no problem
}

func (f *finding) Members(m *codec.Members) {
	m.Keep().Text("says", &f.Says)
	m.Text("fix", &f.Fix)
}

// LoopStatus shows the state of the loop of the workspace.
func (d *Console) LoopStatus(asJSON bool) error {
	l, err := d.here()
	if err != nil {
		return err
	}
	defer l.space.Close()
	s := l.status()
	if asJSON {
		return l.encode(&s)
	}
	l.line(l.headline(s))
	if s.Loop != nil {
		l.sayLoop(s)
	}
	l.sayFindings("won't start", s.WontStart)
	l.sayFindings("stops prematurely", s.EndedEarly)
	l.sayFindings("won't stop", s.WontStop)
	l.sayFindings("file not updating", s.NotUpdating)
	return nil
}

// sayFindings shows problems under their heading, and what is none without.
func (l *loopHere) sayFindings(heading string, findings []finding) {
	for _, f := range findings {
		text := f.Says
		if f.Fix != "" {
			text += "; " + f.Fix
		}
		if f.shown != "" {
			l.field("  "+pad(f.shown, 10), text)
			continue
		}
		l.field("  "+pad(heading, 18)+" ", text)
		heading = ""
	}
}

func (l *loopHere) status() loopStatus {
	s := loopStatus{
		Directory: l.space.Dir, File: filepath.Join(l.space.Dir, filepath.FromSlash(wiggum.File)),
		Plugin: l.driver.Settings.Plugin, Ceiling: l.ceiling(),
		WontStart: []finding{}, EndedEarly: []finding{}, WontStop: []finding{}, NotUpdating: []finding{},
	}
	past, err := l.pastHere()
	if err != nil {
		l.note("read history: " + err.Error())
	}
	var own *pastLoop // this loop, as the history has it
	for i := range past {
		if p := &past[i]; l.goal.ID != "" && p.ID == l.goal.ID {
			own = p
		}
		// A file that was no loop did not end; the one that is here may go on again.
		if past[i].Max > 0 && (past[i].over() || l.fault == nil) && (own != &past[i] || past[i].over() && !l.goal.Active) {
			s.LastEnded = &past[i]
		}
	}
	begun := own != nil && len(own.Events) > 1
	switch {
	case l.missing():
		s.State = loopNone
	case l.fault != nil:
		s.State, s.Problem = loopUnreadable, l.fault.Error()
	case !l.goal.Active:
		s.State = loopInactive
	case l.goal.Count > 1 || begun:
		s.State = loopRunning
	default:
		s.State = loopWaiting
	}
	s.active = s.State == loopRunning || s.State == loopWaiting
	if s.State != loopNone && l.fault == nil {
		g := l.goal
		s.Loop = &loopJSON{
			ID: g.ID, Iteration: g.Count, Max: g.Max, Limit: l.limit(g), Promises: append([]string{}, g.Promises...), Active: g.Active, Session: g.Session,
			Timeout: g.Timeout, IterationTimeout: g.IterationTimeout, Started: g.Started, Goal: g.Body,
		}
	}
	decision, decided := l.lastDecision()
	l.wontStart(&s, own, decision, decided)
	l.endedEarly(&s, own)
	l.wontStop(&s, own)
	l.notUpdating(&s, decision, decided)
	return s
}

func (l *loopHere) headline(s loopStatus) string {
	switch s.State {
	case loopNone:
		return "there is no loop in " + s.Directory
	case loopUnreadable:
		return s.File + " is not a loop: " + s.Problem
	case loopInactive:
		return "loop " + l.name(l.goal) + " is paused" + l.progress(l.goal)
	case loopWaiting:
		return "loop " + l.name(l.goal) + " waits for its first stop" + l.progress(l.goal)
	}
	return "loop " + l.name(l.goal) + " is running" + l.progress(l.goal)
}

func (l *loopHere) sayLoop(s loopStatus) {
	g := l.goal
	l.field("  goal      ", title(g.Body))
	if len(g.Promises) > 0 {
		l.line("  promise   " + anyOf(g.Promises))
	} else {
		l.line("  promise   none: only the limit ends it")
	}
	switch limit := l.limit(g); {
	case limit < g.Max:
		l.line("  limit     " + strconv.Itoa(limit) + ", your ceiling; the file asks for " + strconv.Itoa(g.Max))
	default:
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
	if len(times) > 0 {
		l.line("  time      " + strings.Join(times, ", "))
	}
}

// isIn tells whether a directory is another one or lies in it.
func isIn(dir, around string) bool {
	rest, err := filepath.Rel(around, dir)
	return err == nil && filepath.IsLocal(rest)
}

// lastDecision is what the hook decided here the last time.
func (l *loopHere) lastDecision() (ledger.Record, bool) {
	looked := 0
	for r := range ledger.Back(l.dirs(), ledger.Scope{}) {
		if looked++; looked > 1000 {
			break
		}
		if isIn(r.Cwd, l.space.Dir) && r.Plugin == l.driver.Settings.Plugin {
			return r, true
		}
	}
	return ledger.Record{}, false
}

// wontStart collects what keeps a loop from running.
func (l *loopHere) wontStart(s *loopStatus, own *pastLoop, decision ledger.Record, decided bool) {
	add := func(says, fix string) { s.WontStart = append(s.WontStart, finding{Says: says, Fix: fix}) }
	switch s.State {
	case loopNone:
		fix := "start one: " + l.Self + " loop start \"Fix the failing tests\""
		if above := l.above(); above != "" {
			fix = "there is one in " + above + ": --dir " + strconv.Quote(above)
		}
		add("there is no "+s.File, fix)
	case loopUnreadable:
		fix := "correct that line"
		if s.Problem == "permission denied" {
			fix = readable(s.File)
		}
		add(wiggum.File+": "+s.Problem+l.faultyLine(s.Problem), fix)
	case loopInactive:
		why := ""
		if own != nil && own.over() {
			why = ": " + ended(*own) + ", " + l.ago(own.At)
		}
		add("active is false"+why, "to go on: "+l.Self+" loop set active true")
	}
	since := l.goal.Started
	if own != nil {
		since = own.Began // to the millisecond
	}
	decided = decided && decision.At >= since
	if l.driver.Problem != "" && !decided { // settings do not know of claude --plugin-dir
		add(l.driver.Problem, l.driver.Fix)
	}
	if l.Off {
		add("SPRINGFIELD=off is set here, so every springfield hook lets the agent stop", "unset SPRINGFIELD")
	}
	hold, held := ledger.LongestHold(l.dirs(), "", l.Now())
	if !held {
		hold, held = ledger.LongestHold(l.dirs(), key(l.goal.Session), l.Now())
	}
	if held {
		add("a hold is in force"+l.until(hold), "lift it from a terminal: "+l.Self+" resume")
	}
	if !s.active {
		return
	}
	if l.Session != "" && l.goal.Session != "" && l.goal.Session != l.Session {
		add("it belongs to another session: "+l.goal.Session, l.Self+" loop set session none gives it to the next session that stops here")
	}
	if guard.RalphArmed(l.space.Dir, l.goal.Session) {
		add(".claude/ralph-loop.local.md is armed: ralph-loop drives this session", "/cancel-ralph ends it")
	}
	if g := l.goal; g.Count+1 >= l.limit(g) {
		add("it ends at the next stop: iteration "+strconv.Itoa(g.Count+1)+" of "+strconv.Itoa(l.limit(g)), l.Self+" loop set max "+strconv.Itoa(g.Max+10))
	}
	if decided {
		l.lastStop(s, own, decision)
	}
}

// lastStop tells of the last time that Claude stopped here, if that kept the loop from
// running and nothing else says so.
func (l *loopHere) lastStop(s *loopStatus, own *pastLoop, decision ledger.Record) {
	add := func(says, fix string) { s.WontStart = append(s.WontStart, finding{Says: says, Fix: fix}) }
	if decision.Decision == ledger.None {
		add("the last time Claude stopped here, "+l.ago(decision.At)+", the hook did not decide: "+decision.Evidence, "")
	}
	if decision.Decision == string(strategy.Stop) {
		switch decision.Rule {
		case "other-session":
			// Else it is said above, it has been set free, or it has been running: two
			// sessions in one directory.
			if l.goal.Session != "" && l.Session == "" && (own == nil || len(own.Events) == 1) {
				add("session "+decision.Session+" stopped here "+l.ago(decision.At)+", and the loop belongs to session "+l.goal.Session, l.Self+" loop set session none gives it to the next one that stops here")
			}
			return
		case "hold", "inactive", "no-loop", "unwritten", fact.LoopPromised, fact.LoopLimited, fact.LoopTimedOut, fact.LoopStalled:
			return // said elsewhere, or over
		}
		add("the last time Claude stopped here, "+l.ago(decision.At)+", rule "+decision.Rule+" let it stop: "+decision.Evidence, "")
	}
}

// faultyLine is the line that a fault names.
func (l *loopHere) faultyLine(problem string) string {
	rest, ok := strings.CutPrefix(problem, "line ")
	if !ok {
		return ""
	}
	number, _, _ := strings.Cut(rest, ":")
	n, err := strconv.Atoi(number)
	lines := strings.Split(string(l.file.Data), "\n")
	if err != nil || n < 1 || n > len(lines) {
		return ""
	}
	line := []rune(strings.TrimSpace(lines[n-1]))
	if len(line) == 0 {
		return ""
	}
	return ", in “" + string(line[:min(len(line), 80)]) + "”"
}

// standsStill is how long an iteration may take before something else may have
// ended the turn, in milliseconds.
const standsStill = 10 * 60_000

// endedEarly tells what ended the last loop of the workspace.
func (l *loopHere) endedEarly(s *loopStatus, own *pastLoop) {
	if s.State == loopRunning && own != nil && l.Now().UnixMilli()-own.At > standsStill {
		s.EndedEarly = append(s.EndedEarly, finding{
			Says: "its last iteration was " + l.ago(own.At) + "; if Claude does nothing now, the reason was Esc, an error of the API, or Claude Code's own cap on continues without a tool call",
			Fix:  "say “continue”; springfield doctor checks the cap",
		})
	}
	p := s.LastEnded
	if p == nil {
		return
	}
	f := finding{Says: "loop " + p.ID + ": " + ended(*p) + ", " + l.ago(p.At)}
	again := l.Self + " loop history rerun " + p.ID
	switch p.Event {
	case fact.LoopPromised:
		if text := excerptEnd(p.last().Text); text != "" {
			f.Says += ", in “" + text + "”"
		}
		f.Fix = "if that was too early, choose a promise that is only true at the end: " + again + " --promise \"…\""
	case fact.LoopLimited:
		f.Fix = "if it needs more: " + again + " --max " + strconv.Itoa(p.Max+10)
		if p.Max >= l.ceiling() {
			f.Fix = "your ceiling is " + strconv.Itoa(l.ceiling()) + ", \"ceiling\" in " + filepath.Join(l.Dir, l.driver.Settings.Plugin+".json")
		}
	case fact.LoopTimedOut:
		f.Fix = "if it needs longer: " + again + " --timeout 4h"
	case fact.LoopStalled:
		f.Fix = "tell Claude what it could not find out, then " + again
		if s.State == loopInactive && p.ID == l.goal.ID {
			f.Fix = "tell Claude what it could not find out, then " + l.Self + " loop set active true"
		}
	default:
		f.Fix = "to run it again: " + again
	}
	if p.Event == fact.LoopPromised || p.Event == fact.LoopCancelled {
		f.shown = "last"
	}
	if !p.over() { // its end was not told
		f.Says = "loop " + p.ID + ": its file was deleted or replaced by hand at iteration " + strconv.Itoa(p.Count) + " of " + strconv.Itoa(p.Max) + ", " + l.ago(p.At)
	}
	p.Events = p.Events[len(p.Events)-1:]
	s.EndedEarly = append(s.EndedEarly, f)
}

// wontStop tells how near Claude has come to the promise.
func (l *loopHere) wontStop(s *loopStatus, own *pastLoop) {
	if !s.active {
		return
	}
	end := "; " + l.Self + " loop stop ends it now"
	if len(l.goal.Promises) == 0 {
		s.WontStop = append(s.WontStop, finding{Says: "it has no promise, so it goes on to iteration " + strconv.Itoa(l.limit(l.goal)), Fix: l.Self + " loop set promise \"All tests passing\"" + end})
		return
	}
	messages := l.said(own)
	if len(messages) == 0 {
		return
	}
	best := nearest(l.goal.Promises, messages)
	f := finding{Fix: "the last message before a stop has to contain the promise, letter by letter; only capitals do not matter" + end}
	switch {
	case best.Said:
		f.Says = "Claude has said the promise, but not in its last message before a stop: “" + best.Text + "”"
	case best.Words == 0:
		f.Says = "Claude has not said the promise yet, nor any word of it"
	case best.Words == best.Of:
		f.Says = "Claude said all words of the promise, but not exactly: “" + best.Text + "”"
	default:
		f.Says = "Claude has not said the promise yet; the nearest message has " + strconv.Itoa(best.Words) + " of " + count(best.Of, "word") + " of “" + best.Promise + "”: “" + best.Text + "”"
	}
	if near := best.Words > 0 && best.Words == best.Of; !best.Said && !near && 2*l.goal.Count < l.limit(l.goal) {
		f.shown = "so far"
	}
	s.WontStop = append(s.WontStop, f)
	if best.Of > 0 {
		s.Nearest = &best
	}
}

// saidLines is how much of a session's end is searched, in lines.
const saidLines = 4000

// said are the messages of the loop's session that are recorded, oldest first.
func (l *loopHere) said(own *pastLoop) (all []string) {
	if own != nil {
		for _, e := range own.Events {
			if e.Text != "" {
				all = append(all, e.Text)
			}
		}
	}
	if id := l.goal.Session; isSession(id) {
		for _, dir := range l.transcripts() {
			path := filepath.Join(dir, id+".jsonl")
			if w, err := registry.HostOfLog(path).Log.Tail(path, saidLines); err == nil {
				all = append(all, w.Said...)
			}
		}
	}
	return all
}

// isSession tells whether an id can be part of a file's name: it comes from a file
// of the project.
func isSession(id string) bool {
	return id != "" && len(id) <= 100 && !strings.ContainsFunc(id, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	})
}

// readable is how a file and its directory become the user's to read and write.
func readable(file string) string { return "chmod -R u+rwX " + filepath.Dir(file) }

// notUpdating tells why the hook cannot write the loop's file.
func (l *loopHere) notUpdating(s *loopStatus, decision ledger.Record, decided bool) {
	if s.State == loopNone {
		return
	}
	if err := l.space.Check(wiggum.File); err != nil {
		fix := readable(s.File)
		if strings.Contains(err.Error(), "regular") {
			fix = l.Self + " loop stop --delete removes it"
		}
		s.NotUpdating = append(s.NotUpdating, finding{Says: wiggum.File + " cannot be changed: " + err.Error() + ", so Claude may stop", Fix: fix})
	} else if decided && decision.Rule == "unwritten" {
		s.NotUpdating = append(s.NotUpdating, finding{Says: "the last time, " + l.ago(decision.At) + ", the hook could not write it: " + decision.Evidence})
	}
}

func (d *Console) encode(o codec.Object) error {
	_, err := d.Out.Write(append(codec.Append(nil, o), '\n'))
	return err
}
