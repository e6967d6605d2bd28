// The straight line from event to verdict. It fails open: every return without
// an answer lets Claude stop, and the exit code is 0 whatever happens.

package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/judge"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/process"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/workspace"
)

// Armour keeps Go's own deaths from blocking Claude: panics and fatal errors
// exit 2, which Claude Code reads as "block". With the traceback set to
// "crash" they end by SIGABRT instead, on unix, and a stack overflow is found
// after 4 MiB instead of a gigabyte. The first statement of every main.
func Armour() {
	debug.SetTraceback("crash")
	debug.SetMaxStack(4 << 20)
}

// Host is what the hook runs in. Only a main fills it.
type Host struct {
	Stdin  io.Reader
	Stdout io.Writer
	// Stderr gets lines that have been through display.Line, and words for Claude that
	// have been through display.Text. A display.Writer would spell out the joiners of these.
	Stderr     io.Writer
	Executable string // path of the running binary
	PluginRoot string // CLAUDE_PLUGIN_ROOT, the fallback
	Project    string // CLAUDE_PROJECT_DIR, where a project's layer lies
	Home       string // the user's home directory
	Off        bool   // SPRINGFIELD=off
	// Getenv reads the environment, of which only programs that are started get
	// something.
	Getenv func(string) string
	// Environ is the whole environment, for springfield-judge, which picks from it.
	Environ func() []string
	Now     time.Time

	finish time.Time // when the hook has to end
	prefix string    // of lines on standard error, "" for springfield's own
	quiet  bool      // standard error is where Claude is spoken to
	start  *start
}

// Run answers one event. The result is the exit code: 0, or 2 where the protocol
// says a continue so.
func (h Host) Run() (code int) {
	if h.Off {
		return 0
	}
	h.start = &start{plugin: "springfield", state: ledger.Dir("", h.Home), mark: &ledger.Mark{}}
	defer func() { h.start.mark.Close() }()
	defer func() { _ = recover() }() // of what follows a panic
	defer func() {
		if p := recover(); p != nil {
			code = 0
			err := fmt.Errorf("panic: %v", p)
			h.note("%v", err)
			if h.start.answered { // the next start tells
				h.start.mark.Fail(faultPanic, err.Error())
				return
			}
			h.print(output{SystemMessage: h.undecided(fault{faultPanic, err})})
		}
	}()
	if h.finish.IsZero() {
		h.finish = time.Now().Add(maxTime)
	}
	root, err := findRoot(h.Executable, h.PluginRoot)
	if err != nil {
		return h.unset(fault{faultPlugin, err}, "springfield")
	}
	own, err := readOwn(root)
	if err != nil {
		return h.unset(fault{faultSettings, err}, nameOf(root))
	}
	h.prefix = own.strategy.Prefix
	event, err := readEvent(h.Stdin)
	if err != nil {
		return h.unread(err, own)
	}
	if event.Name != "" && event.Name != own.strategy.Answers() {
		return 0 // not ours to decide
	}
	if own.strategy.Answers() == "UserPromptSubmit" && !event.fromPerson() {
		return 0
	}
	if event.Cwd == "" {
		if own.strategy.Placed {
			return 0
		}
		event.Cwd, _ = filepath.Abs(".")
	}
	if h.Getenv != nil {
		event.blockCap = readCap(h.Getenv("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"))
	}
	h.begin(event, own.strategy.Answers(), own.plugin)
	state := h.start.state
	project := h.Project
	if project == "" {
		project = event.Cwd
	}
	settings := own.settings(state, project)
	h.quiet = settings.Config.Protocol == "exit2"
	h.finish = h.finish.Add(patience(settings))
	for _, fault := range settings.Faults {
		h.note("%s; it is not in force", fault)
	}
	a := h.answer(state, settings, event)
	if a.fault != nil {
		a.alert = both(a.alert, h.undecided(*a.fault))
	}
	code, written := h.write(a, settings)
	if a.fault == nil {
		h.end(written) // what follows may take its time, and be ended in the middle
	}
	h.note("%s: %s by rule %s: %s", settings.Plugin, a.Decision, a.Rule, a.Evidence)
	h.script(root, a.dir, a.Script)
	// Behind the answer, and with no lock held: a command may take its time.
	// One that fails is not called for the next event.
	to := settings.Config.Progress
	for _, e := range a.Events {
		if err := Tell(state, to, e, h.Getenv, time.Until(h.finish)); err != nil {
			h.note("%v", err)
			to = nil
		}
	}
	return code
}

// unset ends a start of which it is not known what was to decide. What it cannot
// be about is passed over, as it would be otherwise.
func (h Host) unset(f fault, plugin string) (code int) {
	h.note("%v", f.err)
	event, err := readEvent(h.Stdin)
	switch {
	case errors.Is(err, io.EOF):
		return 0
	case err == nil && event.Name == "UserPromptSubmit" && !event.fromPerson():
		return 0
	case event.Name != "" && event.Name != "Stop" && event.Name != "UserPromptSubmit":
		return 0
	}
	return h.giveUp(f, event, plugin)
}

// unread ends a start whose event cannot be read. With no event at all it was not
// Claude Code that called.
func (h Host) unread(err error, own own) (code int) {
	h.note("%v", err)
	if errors.Is(err, io.EOF) {
		return 0
	}
	return h.giveUp(fault{faultEvent, err}, Event{Name: own.strategy.Answers()}, own.plugin)
}

// giveUp ends a start that came to no decision before its work began.
func (h Host) giveUp(f fault, event Event, plugin string) (code int) {
	if event.Cwd == "" {
		event.Cwd, _ = filepath.Abs(".")
	}
	h.begin(event, (&start{event: event}).answers(), plugin)
	told := h.undecided(f)
	if f.rule == faultEvent {
		told = "" // it says no session in which to tell once
	}
	if err := h.print(output{SystemMessage: told}); err != nil {
		h.note("write answer: %v", err)
	}
	return 0
}

// answer is a verdict after hold and budget had their say.
type answer struct {
	strategy.Verdict
	told string // to the user, may be empty
	// fault is why it is not on file, and alert what the user is told of that, or of
	// earlier stops that came to no decision.
	fault *fault
	alert string
	dir   string       // the workspace
	left  ledger.Left  // of the budget
	next  ledger.State // to remember
	// asked is what a judge was asked.
	asked *ledger.Asked
	flaws []string // of settings and rules
}

// with puts down what came of a question to the judge.
func (a *answer) with(q asking) {
	a.asked = q.asked
	if q.asked != nil {
		a.next.Spent += q.asked.Micros
		a.next.Barred = judge.Failure(q.asked.Failed) == judge.Redirected
	}
	if q.judged != nil {
		a.next.Note(*q.judged)
	}
	if a.told == "" {
		a.told = q.told
	}
}

// answer decides and writes the decision down. A continue that cannot be
// written down does not happen.
func (h Host) answer(state string, settings Settings, event Event) answer {
	session, err := ledger.Open(state, event.key())
	if err != nil {
		return h.unwritten(settings, answer{}, faultLedger, unledgered(err))
	}
	defer session.Close()
	space, unlock, err := h.workspace(state, settings, event)
	if err != nil {
		return h.unwritten(settings, answer{}, faultWorkspace, err)
	}
	defer unlock()
	snapshot := h.held(state, settings, Snapshot{Event: event, Log: session.State.Log})
	if snapshot.Veto.Rule == "" {
		// Before the lock: a first look at a large transcript takes its time.
		snapshot = Examine(event, settings, session.State, space, h.Now, false)
		if snapshot.Verdict.Page != "" && snapshot.lags() {
			time.Sleep(lag) // next to what a question takes, nothing
			snapshot = Examine(event, settings, session.State, space, h.Now, false)
		}
	}
	for _, fault := range snapshot.Faults {
		h.note("%s", fault)
	}
	// Before the lock, too: others of the session need not wait for an answer.
	question := h.ask(state, settings, session.State, &snapshot)

	if err := session.Lock(); err != nil {
		rule := faultLedger
		if err == ledger.ErrBusy {
			rule = faultBusy
		}
		return h.unwritten(settings, answer{Verdict: snapshot.Verdict, told: snapshot.Verdict.Told}, rule, unledgered(err))
	}
	left := h.left(session)
	if question.asked != nil { // which takes long enough for somebody to say hold
		snapshot = h.held(state, settings, snapshot)
	}
	a := h.settle(session.State, settings, &snapshot)
	a.dir, a.flaws = snapshot.Situation.Workspace.Dir, flaws(settings, snapshot)
	a.with(question)
	if len(a.Changes) > 0 && space != nil {
		if err := space.Apply(a.Changes); err != nil {
			// What steers the loop is not what it was to be, so there is no next round.
			h.note("%v", err)
			a = answer{
				Verdict: strategy.Verdict{Decision: settings.Strategy.Silence(), Rule: "unwritten", Sure: 100, Evidence: err.Error()},
				told:    settings.Plugin + ": I let Claude stop: " + err.Error(), next: session.State,
			}
			a.next.Log = snapshot.Log
		}
	}
	if _, err := session.Append(h.record(a, settings, event)); err != nil {
		return h.unwritten(settings, a, faultLedger, unledgered(err))
	}
	a.alert = left
	return a
}

// held makes a stop of a snapshot while a hold is in force.
func (h Host) held(state string, settings Settings, s Snapshot) Snapshot {
	hold, ok := ledger.Held(state, s.Event.key(), h.Now)
	if own := ledger.Dir("", h.Home); !ok && own != "" && own != state {
		hold, ok = ledger.Held(own, s.Event.key(), h.Now) // what moves the state directory lifts no hold
	}
	if !ok {
		return s
	}
	s.Veto = guard.Veto{Rule: "hold", Evidence: "a hold is in force" + until(hold, h.Now)}
	return s.vetoed(settings)
}

// Tell puts what happens to a loop into its history, and tells the command that
// the user named. The loop does not depend on either. A loop that is over is not
// cancelled as well: whoever stopped it has said so.
func Tell(state string, to *strategy.Progress, e strategy.LoopEvent, getenv func(string) string, within time.Duration) error {
	if e.Event == strategy.LoopCancelled && ledger.LoopIsOver(state, e.Loop) {
		return nil
	}
	err := ledger.AppendLoop(state, e)
	if to == nil || !to.Wants(e) {
		return err
	}
	e.File = ""
	line, encodeErr := json.Marshal(e)
	if encodeErr != nil {
		return encodeErr
	}
	if ran := (process.Program{Argv: to.Command, Stdin: append(line, '\n'), Getenv: getenv, Within: within}).Run(); ran != nil {
		err = fmt.Errorf("run %s: %w", to.Command[0], ran)
	}
	return err
}

// maxTime is how long the hook may take with all that it waits for and calls: a
// second less than Claude Code gives it, which forgets the answer of a hook that
// it has to end.
const maxTime = 9 * time.Second

// lockWait is how long a stop waits for another one in the same workspace, which
// may be watching a file that is being written.
const lockWait = 2 * time.Second

// workspace opens the directory that the strategy has files in, and locks it if
// it changes them. A workspace that is not there is none.
func (h Host) workspace(state string, settings Settings, event Event) (space *workspace.Space, unlock func(), err error) {
	unlock = func() {}
	if settings.Strategy.Reads == nil {
		return nil, unlock, nil
	}
	space, err = workspace.Open(workspace.Nearest(event.Cwd, settings.Strategy.Marks, h.Home))
	if err != nil {
		h.note("%v", err)
		return nil, unlock, nil
	}
	if !settings.Strategy.Owns {
		return space, space.Close, nil
	}
	lock, err := ledger.LockWorkspace(state, space.Dir, lockWait)
	if err != nil {
		if err == ledger.ErrBusy {
			err = errors.New("another stop held " + space.Dir + " for 2 seconds")
		}
		space.Close()
		return nil, unlock, err
	}
	return space, func() { lock.Close(); space.Close() }, nil
}

// settle spends the budget, or a loop's own rounds.
func (h Host) settle(before ledger.State, settings Settings, snapshot *Snapshot) answer {
	a := answer{Verdict: snapshot.Verdict, next: before, told: snapshot.Verdict.Told}
	switch {
	case a.Remember.Key != "":
		if a.Decision == strategy.Continue {
			var veto guard.Veto
			if a.next, veto = guard.Round(before, settings.Config.Ceiling, snapshot.knownPrompt()); veto.Rule != "" {
				a.refused(settings, veto)
				break
			}
		}
		a.next.Remember(a.Remember)
	case a.Decision == strategy.Continue:
		var veto guard.Veto
		limits := settings.Limits
		if a.Once {
			limits.Same = 1
		}
		a.next, a.left, veto = guard.Spend(before, limits, snapshot.prompt(), snapshot.progress(), snapshot.witness(), h.Now)
		if veto.Rule != "" {
			a.refused(settings, veto)
		} else if a.told == "" {
			a.told = settings.Plugin + ": going on, rule " + a.Rule + ", " + a.Evidence +
				" (" + strconv.Itoa(a.left.Burst) + " more within 5 minutes)"
		}
	}
	a.next.Log = snapshot.Log
	return a
}

// refused makes a stop of a continue that is one too many. Nothing changes in the
// workspace: another prompt goes on from there.
func (a *answer) refused(settings Settings, veto guard.Veto) {
	a.Verdict = strategy.Verdict{Decision: strategy.Stop, Rule: veto.Rule, Sure: 100, Evidence: veto.Evidence}
	a.told = settings.Plugin + ": I let Claude stop: " + veto.Evidence + ". Say “continue” to go on."
}

// record is what the ledger keeps of an answer.
func (h Host) record(a answer, settings Settings, event Event) ledger.Record {
	return ledger.Record{
		At: h.Now.UnixMilli(), Session: short(event.SessionID, 200), Cwd: short(event.Cwd, 1000), Plugin: settings.Plugin,
		Decision: string(a.Decision), Rule: a.Rule, Evidence: short(a.Evidence, 1000), Lang: a.Languages, Reason: short(a.Reason, 2000), Told: short(a.told, 2000),
		Left: a.left, Asked: a.asked, Took: max(0, time.Since(h.Now).Microseconds()), Flaws: a.flaws, State: a.next,
	}
}

// flaws are the first of what was not in force.
func flaws(settings Settings, snapshot Snapshot) (first []string) {
	all := slices.Concat(settings.Faults, snapshot.Faults)
	for _, text := range all[:min(len(all), 3)] {
		first = append(first, short(text, 400))
	}
	return first
}

// short is a text in at most so many bytes and a mark, and at most twice as many
// in JSON: a record has to fit into its line.
func short(s string, most int) string {
	s = display.Text(s)
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

func until(hold ledger.Hold, now time.Time) string {
	if hold.Until == 0 {
		return ", until you resume"
	}
	return ", for another " + strconv.FormatInt((hold.Until-now.UnixMilli())/60_000+1, 10) + " min"
}

func unledgered(err error) error { return fmt.Errorf("write ledger: %w", err) }

// unwritten is an answer that is not on file: a stop stands, a continue does not
// happen.
func (h Host) unwritten(settings Settings, a answer, rule string, err error) answer {
	h.note("%v", err)
	if a.Decision == strategy.Continue || a.Decision == strategy.Remind || a.Decision == "" {
		a = answer{Verdict: strategy.Verdict{Decision: settings.Strategy.Silence(), Rule: "unwritten", Evidence: "the decision could not be written down"}}
	}
	a.fault = &fault{rule, err}
	return a
}

// output is what Claude Code reads. Letting Claude stop is silence, unless the
// user has to be told something.
type output struct {
	Decision      string `json:"decision,omitempty"` // "block" or absent
	Reason        string `json:"reason,omitempty"`
	SystemMessage string `json:"systemMessage,omitempty"`
	// Specific is what an event other than Stop is answered with.
	Specific *specific `json:"hookSpecificOutput,omitempty"`
}

// specific puts words before the model.
type specific struct {
	Event   string `json:"hookEventName"`
	Context string `json:"additionalContext"`
}

// write answers Claude Code. The error is that nothing has read it.
func (h Host) write(a answer, settings Settings) (code int, err error) {
	// The client shows both on a terminal, and a model reads what nobody sees.
	a.told, a.Reason = display.Text(a.told), display.Text(a.Reason)
	for _, line := range a.Notes {
		h.say(line)
	}
	if settings.Config.Protocol == "exit2" && settings.Strategy.Answers() == "Stop" {
		if a.Decision != strategy.Continue {
			if !settings.Strategy.Judges {
				a.told = ""
			}
			return 0, h.print(output{SystemMessage: both(a.alert, a.told)}) // of a judge that does not answer the user hears all the same
		}
		if soundsLikeAFailure(a.Reason) {
			io.WriteString(h.Stdout, "{}\n")
		}
		_, err := io.WriteString(h.Stderr, a.Reason+"\n")
		return 2, err
	}
	o := output{SystemMessage: both(a.alert, a.told)}
	switch a.Decision {
	case strategy.Continue:
		o.Decision, o.Reason = "block", a.Reason
	case strategy.Remind:
		o.Specific = &specific{settings.Strategy.Answers(), a.Reason}
	}
	return 0, h.print(o)
}

// print prints an answer, if there is anything to say.
func (h Host) print(o output) error {
	if o == (output{}) {
		return nil
	}
	h.start.answered = true
	o.SystemMessage = display.Text(o.SystemMessage)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(o); err != nil {
		return err
	}
	_, err := h.Stdout.Write(b.Bytes())
	return err
}

// soundsLikeAFailure tells whether Claude Code would take a reason for the last
// words of a shell that did not find the hook, and let Claude stop. It does so
// only while nothing is on standard output.
func soundsLikeAFailure(reason string) bool {
	reason = strings.ToLower(reason)
	return strings.Contains(reason, "no such file") || strings.Contains(reason, "can't open")
}

// note writes one line for the client's debug log, unless standard error is
// somebody's: the strategy's, or Claude's to read.
func (h Host) note(format string, args ...any) {
	if h.prefix == "" && !h.quiet {
		h.say(fmt.Sprintf(format, args...))
	}
}

func (h Host) say(line string) {
	prefix := h.prefix
	if prefix == "" {
		prefix = "springfield: "
	}
	fmt.Fprintln(h.Stderr, display.Line(prefix+line))
}
