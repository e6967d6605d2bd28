// The hook fails open: a return with no answer lets the agent stop.

package hook

import (
	"cmp"
	"errors"
	"io"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/process"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/secret"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/timestamp"
	"github.com/cameronsjo/springfield/runtime/workspace"
)

// AbortOnCrash makes crashes end by SIGABRT on Unix, not exit status 2. It also limits the stack to 4 MiB.
func AbortOnCrash() {
	debug.SetTraceback("crash")
	debug.SetMaxStack(4 << 20)
}

// Process is the environment of the hook. Only a main fills it.
type Process struct {
	Stdin  io.Reader
	Stdout io.Writer
	// Stderr gets lines from display.OneLine, and text for Claude from display.DropInvisible. A
	// display.SafeWriter would escape joiners.
	Stderr     io.Writer
	Executable string // path without symlinks
	PluginRoot string // CLAUDE_PLUGIN_ROOT
	Project    string // CLAUDE_PROJECT_DIR
	Home       string
	Off        bool // SPRINGFIELD is an off word
	// Getenv returns a variable: for the programs that the hook starts, and the few that the hook reads.
	Getenv func(string) string
	// Hangs reports whether an agent started the client. If nil, none did.
	Hangs func() bool
	// Environ returns the whole environment, from which springfield-judge picks.
	Environ func() []string
	Now     time.Time
	Up      int64         // see ledger.MachineUptime
	Self    func() string // the command that a person types for this program
	// Sleep waits and returns the time then. ok is false if the client has ended. If nil, no session is woken.
	Sleep func(time.Duration) (now time.Time, up int64, ok bool)
	// Ancestors returns the IDs of the processes above this one, the nearest first.
	Ancestors func() []int
	// Answer returns the answer to a slash command of the plugin, or "" if it needs a model. If nil, all do.
	Answer func(e Event, state, word, arguments string) string

	finish time.Time // deadline, by default maxTime from the start
}

// IsOffWord reports whether value, from SPRINGFIELD, is off, 0, false, no or none, ignoring case.
func IsOffWord(value string) bool {
	return slices.Contains([]string{"off", "0", "false", "no", "none"}, strings.ToLower(value))
}

type start struct {
	Process
	root      string // of the plugin
	plugin    string
	own       Plugin
	event     Event
	eventName string // the event that the strategy answers
	state     string // state directory
	begun     time.Time
	answered  bool                       // an answer was written
	prefix    string                     // of lines on standard error, "" for the default
	quiet     bool                       // Claude reads standard error
	rest      func(*Snapshot) guard.Veto // why a session must not be woken, else nil
}

// maxTime is a second less than the timeout in hooks.json, after which the answer is ignored.
const maxTime = 9 * time.Second

// Run reads and answers an event. It returns the exit status: 2 for a continue under protocol exit2 or after
// an API error, otherwise 0.
func (h Process) Run() (code int) {
	if h.Off {
		return 0
	}
	if h.finish.IsZero() {
		h.finish = time.Now().Add(maxTime)
	}
	s := &start{Process: h, plugin: "springfield", eventName: "Stop", state: ledger.StateDir("", h.Home), begun: time.Now()}
	s.event.Host = registry.DefaultHost() // until the event is read
	defer func() { _ = recover() }()      // a panic of answerAfterPanic
	defer func() {
		if p := recover(); p != nil {
			code = 0
			s.answerAfterPanic(p)
		}
	}()
	fault, asked := s.readInputs()
	if !asked {
		return 0
	}
	s.state = s.stateDir()
	if fault != nil {
		told := s.recordUndecided(*fault)
		if fault.rule == faultEvent {
			told = "" // without a session it would be repeated
		}
		if err := s.printAnswer(said{systemMessage: told}); err != nil {
			s.noteForDebug("write answer: " + err.Error())
		}
		return 0
	}
	if s.event.Name == promptExpansion {
		s.answerCommand()
		return 0
	}
	settings := s.own.ReadSettings(s.state, s.projectDir())
	switch s.event.Name {
	case permissionRequest:
		s.denyDialogIfAway(settings)
		return 0
	case sessionStart:
		s.notePluginIsOn(settings)
		s.showOrderAndHold()
		return 0
	case stopFailure:
		return s.wakeAfterError(settings)
	}
	s.quiet = settings.Protocol == "exit2" && s.event.Host.Context != nil
	for _, fault := range settings.Faults {
		s.noteForDebug("passed over: " + fault)
	}
	a := s.decideAndRecord(settings)
	code = s.answerHost(a, settings)
	if len(a.Script) > 0 {
		s.tryPluginScript(a.dir, a.Script)
	}
	if len(a.Events) > 0 {
		s.recordAndReport(a.Events, settings.Progress)
	}
	if a.first {
		ledger.SweepSomeSessions(s.state, s.Now)
	}
	return code
}

// readInputs reads the plugin and event into s. forUs is false if there is no event to answer. The caller then ignores
// f.
func (s *start) readInputs() (f *fault, forUs bool) {
	var err error
	if s.root, err = findRoot(s.Executable, s.PluginRoot); err != nil {
		f = &fault{faultPlugin, err}
	} else if s.own, err = ReadPlugin(s.root); err != nil {
		f = &fault{faultSettings, err}
		if name := filepath.Base(s.root); isPluginName(name) { // the directory of a cached copy is a version
			s.plugin = name
		}
	} else {
		s.plugin, s.eventName, s.prefix = s.own.Name, s.own.Strategy.Event, s.own.Strategy.Prefix
	}
	if f != nil {
		s.noteForDebug(f.err.Error())
	}
	event, err := readEvent(s.Stdin)
	if err != nil && f == nil {
		s.noteForDebug(err.Error())
		f, event.Name = &fault{faultEvent, err}, s.eventName
	}
	if f != nil && f.rule != faultEvent && event.Name == "UserPromptSubmit" {
		s.eventName = event.Name
	}
	ours := event.Name == "" || event.Name == s.eventName
	if event.Name == promptExpansion {
		ours = f == nil
	} else if event.Name == permissionRequest || event.Name == sessionStart {
		ours = f == nil && s.eventName == "Stop"
	} else if event.Name == stopFailure {
		ours = f == nil && s.eventName == "Stop" && event.Host.Default
	}
	typed := err != nil || s.eventName != "UserPromptSubmit" || event.Name == promptExpansion || event.IsFromUser()
	placed := event.Cwd != "" || f != nil || !s.own.Strategy.Placed
	if errors.Is(err, io.EOF) || !ours || !typed || !placed {
		return f, false
	}
	if event.Cwd == "" {
		event.Cwd, _ = filepath.Abs(".")
	}
	if event.Host == nil { // the event is unreadable
		event.Host = registry.DefaultHost()
	}
	s.event = event
	return f, true
}

// stateDir returns the session's state directory, next to Claude Code's transcripts, or in the home directory for other
// hosts. One in the project is not trusted, unless the project contains the home directory.
func (s *start) stateDir() string {
	own := ledger.StateDir("", s.Home)
	if !s.event.Host.Default {
		return own
	}
	state := ledger.StateDir(s.event.TranscriptPath, s.Home)
	if own == "" || state == own {
		return state
	}
	for _, project := range []string{s.Project, s.event.Cwd, "/proc"} {
		if project != "" && file.WithinByName(state, project) && !file.WithinByName(s.Home, project) {
			return own
		}
	}
	return state
}

// projectDir returns the project for settings: CLAUDE_PROJECT_DIR if set by the host, otherwise the event's directory.
// It must not determine where a judge's question is sent.
func (s *start) projectDir() string {
	if s.Project != "" && (s.event.Cwd == "" || s.event.Host.ProjectVariable != "") {
		return s.Project
	}
	return s.event.Cwd
}

type answer struct {
	Settled
	fault   *fault // why not recorded
	first   bool   // it is the session's first
	dir     string // workspace
	context bool   // the host reads additionalContext
}

// decideAndRecord decides a stop, asks a judge if needed, changes workspace files and records the decision. If the
// change or record fails, the agent may stop. Stops another copy decided get a silent answer. Callers record the
// answer's fault.
func (s *start) decideAndRecord(settings Settings) answer {
	session, err := ledger.OpenUnlocked(s.state, ledgerIDOf(s.event))
	if err != nil {
		return s.unwrittenAnswer(settings, Settled{}, faultLedger, err)
	}
	defer session.Close()
	if s.hasCopyDecided(session.State, settings) {
		return decidedByOtherCopy(settings)
	}
	space, unlock, err := s.openSpace(settings)
	if err != nil {
		return s.unwrittenAnswer(settings, Settled{}, faultWorkspace, err)
	}
	defer unlock()
	// Reading a large transcript and asking a judge take time, so this happens before the lock.
	stop := s.stopOf(settings, session.State)
	stop.Space = space
	snapshot := s.examineStop(stop)
	var outcome askOutcome
	if snapshot.Verdict.Page != "" {
		outcome = s.askJudge(&snapshot)
	}

	if err := session.LockAndRead(); err != nil {
		rule := faultLedger
		if err == ledger.ErrBusy {
			rule = faultBusy
		}
		return s.unwrittenAnswer(settings, Settled{Verdict: snapshot.Verdict}, rule, err)
	}
	if s.hasCopyDecided(session.State, settings) {
		return decidedByOtherCopy(settings)
	}
	if s.rest != nil && snapshot.Veto.Rule == "" {
		snapshot.applyVeto(s.rest(&snapshot))
	}
	snapshot.applyVeto(s.holdVeto()) // the user may have set a hold meanwhile
	clock := session.State.Clock.Advance(s.Now, s.Up)
	snapshot.Before, snapshot.Away, snapshot.Now = session.State, nil, time.UnixMilli(clock.At)
	var brought *ledger.AwayLog
	if order, isAway := s.orderInForce(); isAway { // the user may be back meanwhile
		if brought, err = ledger.LockAwayLog(s.safeAwayDir(), order); err != nil {
			s.noteForDebug("read away: " + err.Error())
		} else {
			defer brought.Close()
			snapshot.Away = &brought.Away
		}
	}
	settled := snapshot.Settle()
	if settled.Away.Did != "" {
		if err := brought.AddEvent(settled.Away); err != nil && settled.Decision == strategy.Continue {
			return s.unwrittenAnswer(settings, settled, faultLedger, err)
		}
	}
	if outcome.taken > 0 || outcome.asked != nil {
		outcome.noteJudgement(&settled)
	}
	if len(settled.Changes) > 0 && space != nil {
		if err := space.ApplyChanges(settled.Changes); err != nil {
			// The state of the loop is not as decided, so there is no next round.
			s.noteForDebug(err.Error())
			settled = Settled{Verdict: strategy.Verdict{
				Decision: settings.Strategy.NoEffect(), Rule: "unwritten", Sure: 100, Evidence: err.Error(),
				Told: settings.Plugin + " let " + s.event.Host.Agent + " stop: " + err.Error(),
			}, Next: session.State}
			settled.Next.Log = snapshot.Log
		}
	}
	settled.Next.Clock = clock
	settled.Next.MeetPlugin(s.asSeenPlugin(settings, clock))
	record := s.recordOf(settled, settings.Plugin)
	record.Asked = outcome.asked
	for _, flaw := range slices.Concat(settings.Faults, snapshot.Faults) {
		if len(record.Flaws) < 3 {
			record.Flaws = append(record.Flaws, shortenText(secret.Mask(flaw), 400))
		}
	}
	if _, err := session.AppendRecord(record); err != nil {
		return s.unwrittenAnswer(settings, settled, faultLedger, err)
	}
	return answer{
		Settled: settled, first: snapshot.Before.Number == 0, dir: snapshot.Situation.Workspace.Dir,
		context: s.event.Host.Context != nil && s.event.Host.Context(s.event),
	}
}

// stopOf returns the event's stop, without Space.
func (s *start) stopOf(settings Settings, before ledger.State) Stop {
	stop := Stop{Event: s.event, Settings: settings, Before: before, Now: time.UnixMilli(before.Clock.Advance(s.Now, s.Up).At), Self: s.Self, Home: s.Home, Project: s.projectDir()}
	if s.Hangs != nil {
		stop.Hangs = sync.OnceValue(s.Hangs) // it reads all ancestors
	}
	if s.event.Host.Default {
		stop.Attended, stop.Headless = s.Getenv("CLAUDE_CODE_SESSION_ATTENDED") == "1", s.Getenv("CLAUDE_CODE_ENTRYPOINT") == "claude-code-github-action"
	}
	stop.Past = func(loop, dir string) activity.LoopPast { return ledger.PastOfLoop(s.state, loop, dir) }
	if order, ok := s.orderInForce(); ok {
		stop.Away = &ledger.Away{Order: order}
	}
	return stop
}

// examineStop examines a stop, unless a hold or missing log entry vetoes it. It can wait for late log entries, and
// notes faults for debugging.
func (s *start) examineStop(stop Stop) (snapshot Snapshot) {
	snapshot = Snapshot{Stop: stop, Log: stop.Before.Log}
	veto := s.holdVeto()
	if veto.Rule == "" && s.event.Host.Arrived != nil && s.eventName == "Stop" && s.event.LastMessage == "" {
		veto = s.awaitArrival()
	}
	if !snapshot.applyVeto(veto) {
		snapshot = stop.Examine()
		for began := time.Now(); snapshot.lagMatters() && time.Since(began) < snapshot.maxLag(); {
			time.Sleep(lag / 5)
			snapshot = stop.Examine()
		}
	}
	for _, fault := range snapshot.Faults {
		s.noteForDebug(fault)
	}
	return snapshot
}

// holdVeto returns a veto if a hold is in force. It also checks the home directory.
func (s *start) holdVeto() guard.Veto {
	hold, ok := ledger.HoldInForce(s.state, ledgerIDOf(s.event), s.Now)
	if own := ledger.StateDir("", s.Home); !ok && own != "" && own != s.state {
		hold, ok = ledger.HoldInForce(own, ledgerIDOf(s.event), s.Now)
	}
	if !ok {
		return guard.Veto{}
	}
	if hold.Until == 0 {
		return guard.Veto{Rule: "hold", Evidence: "a hold is in force, until you resume"}
	}
	return guard.Veto{Rule: "hold", Evidence: "a hold is in force, for another " + timestamp.LengthInWords(hold.Until-s.Now.UnixMilli())}
}

const lockWait = 2 * time.Second

// openSpace opens the strategy's directory, and locks it if the strategy changes files. Only a failed lock is an error.
// The Space is nil if no files are needed or it cannot be opened. If err is nil, callers call unlock, which closes the
// Space.
func (s *start) openSpace(settings Settings) (orNil *workspace.Space, unlock func(), err error) {
	if settings.Options.Needs().Files == nil {
		return nil, func() {}, nil
	}
	dir, _ := workspace.Nearest(s.event.Cwd, s.projectDir(), settings.Strategy.Marks, s.Home)
	orNil, err = workspace.OpenSpace(dir)
	if err != nil {
		s.noteForDebug(err.Error())
		return nil, func() {}, nil
	}
	if !settings.Strategy.Owns {
		return orNil, orNil.Close, nil
	}
	lock, err := ledger.LockWorkspace(s.state, orNil.Dir, lockWait)
	if err != nil {
		if err == ledger.ErrBusy {
			err = errors.New("another hook has locked " + orNil.Dir + " for 2 seconds")
		}
		orNil.Close()
		return nil, nil, err
	}
	return orNil, func() { lock.Close(); orNil.Close() }, nil
}

func (s *start) recordOf(v Settled, plugin string) ledger.Record {
	event := ""
	if s.event.Name == stopFailure {
		event, v.Told = stopFailure, "" // the client does not show it
	}
	return ledger.Record{
		Host: s.event.Host.RecordName(), At: s.Now.UnixMilli(), Session: shortenText(s.event.SessionID, 200),
		Cwd: shortenText(s.event.Cwd, 1000), Project: shortenText(s.projectDir(), 1000), Plugin: plugin,
		Event: event, Decision: string(v.Decision), Rule: v.Rule, Evidence: shortenText(v.Evidence, 1000), Lang: v.Languages,
		Reason: shortenText(v.Reason, 2000), Told: shortenText(v.Told, 2000),
		Left: v.Left, Took: max(0, time.Since(s.Now).Microseconds()), State: v.Next,
	}
}

// shortenText returns s without invisible characters, cut to most bytes and "…". It keeps newlines and tabs.
func shortenText(s string, most int) string {
	return quotation.ClipBytes(display.DropInvisible(s), most)
}

// unwrittenAnswer returns the answer when err prevented recording v. A continue, reminder or zero Settled becomes a
// verdict with no effect. Except for faultWorkspace, the failed action is added to err.
func (s *start) unwrittenAnswer(settings Settings, v Settled, faultRule string, err error) answer {
	if faultRule != faultWorkspace {
		err = newFailure("write ledger", err)
	}
	s.noteForDebug(err.Error())
	if v.Decision == strategy.Continue || v.Decision == strategy.Remind || v.Decision == "" {
		v = Settled{Verdict: strategy.Verdict{Decision: settings.Strategy.NoEffect(), Rule: "unwritten", Evidence: "the decision could not be saved"}}
	}
	return answer{Settled: v, fault: &fault{faultRule, err}}
}

// tryPluginScript runs a plugin's script in dir. argv begins with its path below the plugin directory, with slashes. It
// discards the output, ignores a missing script and notes other failures for debugging.
func (s *start) tryPluginScript(dir string, argv []string) {
	path, err := filepath.Abs(filepath.Join(s.root, filepath.FromSlash(argv[0])))
	if err != nil || !file.IsReadable(path) {
		return
	}
	err = process.Child{Argv: append([]string{path}, argv[1:]...), Dir: dir, Getenv: s.Getenv, Within: time.Until(s.finish), Set: []string{"RALPH_CWD=" + dir}}.Run()
	if err != nil {
		s.noteForDebug("run " + argv[0] + ": " + err.Error())
	}
}

// noteForDebug writes to the client's debug log, unless stderr is reserved for the strategy or Claude.
func (s *start) noteForDebug(line string) {
	if s.prefix == "" && !s.quiet {
		s.sayToStderr(line)
	}
}

func (s *start) sayToStderr(line string) {
	io.WriteString(s.Stderr, display.OneLine(cmp.Or(s.prefix, "springfield: ")+secret.Mask(line))+"\n")
}
