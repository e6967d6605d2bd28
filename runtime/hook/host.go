// The straight line from event to verdict. It fails open: every return without
// an answer lets Claude stop, and the exit code is 0 whatever happens.

package hook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/strategy"
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
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Executable     string // path of the running binary
	PluginRoot     string // CLAUDE_PLUGIN_ROOT, the fallback
	Project        string // CLAUDE_PROJECT_DIR, where a project's layer lies
	Home           string // the user's home directory
	Off            bool   // SPRINGFIELD=off
	Now            time.Time
}

// Run answers one event. The result is the exit code, always 0.
func (h Host) Run() (code int) {
	defer func() {
		if p := recover(); p != nil {
			h.note("panic: %v", p)
			code = 0
		}
	}()
	if h.Off {
		return 0
	}
	event, err := readEvent(h.Stdin)
	if err != nil {
		h.note("%v", err)
		return 0
	}
	if event.Name != "" && event.Name != "Stop" {
		return 0 // not ours to decide
	}
	root, err := findRoot(h.Executable, h.PluginRoot)
	if err != nil {
		h.note("%v", err)
		return 0
	}
	state := ledger.Dir(event.TranscriptPath, h.Home)
	project := h.Project
	if project == "" {
		project = event.Cwd
	}
	settings, err := ReadSettings(root, state, project)
	if err != nil {
		h.note("%v", err)
		return 0
	}
	for _, fault := range settings.Faults {
		h.note("%s; it is not in force", fault)
	}
	a := h.answer(state, settings, event)
	h.note("%s: %s by rule %s: %s", settings.Plugin, a.Decision, a.Rule, a.Evidence)
	h.write(a)
	return 0
}

// answer is a verdict after hold and budget had their say.
type answer struct {
	strategy.Verdict
	told string       // to the user, may be empty
	left ledger.Left  // of the budget
	next ledger.State // to remember
}

// answer decides and writes the decision down. A continue that cannot be
// written down does not happen.
func (h Host) answer(state string, settings Settings, event Event) answer {
	session, err := ledger.Open(state, event.key())
	if err != nil {
		return h.unwritten(answer{}, err)
	}
	defer session.Close()
	var study Study
	if hold, ok := ledger.Held(state, event.key(), h.Now); ok {
		study = Study{Event: event, Log: session.State.Log, Veto: guard.Veto{Rule: "hold", Evidence: "a hold is in force" + until(hold, h.Now)}}.vetoed()
	} else {
		// Before the lock: a first look at a large transcript takes its time.
		study = Examine(event, settings, session.State.Log, false)
	}
	for _, fault := range study.Faults {
		h.note("%s", fault)
	}

	if err := session.Lock(); err != nil {
		return h.unwritten(answer{Verdict: study.Verdict}, err)
	}
	a := h.settle(session.State, settings, &study)
	if _, err := session.Append(h.record(a, settings, event)); err != nil {
		return h.unwritten(a, err)
	}
	return a
}

// settle spends the budget.
func (h Host) settle(before ledger.State, settings Settings, study *Study) answer {
	a := answer{Verdict: study.Verdict, next: before}
	if a.Decision == strategy.Continue {
		var veto guard.Veto
		a.next, a.left, veto = guard.Spend(before, settings.Limits, study.prompt(), study.progress(), study.witness(), h.Now)
		if veto.Rule != "" {
			a.Verdict = strategy.Verdict{Decision: strategy.Stop, Rule: veto.Rule, Sure: 100, Evidence: veto.Evidence}
			a.told = settings.Plugin + ": I let Claude stop: " + veto.Evidence + ". Say “continue” to go on."
		} else {
			a.told = settings.Plugin + ": going on, rule " + a.Rule + ", " + a.Evidence +
				" (" + strconv.Itoa(a.left.Burst) + " more within 5 minutes)"
		}
	}
	a.next.Log = study.Log
	return a
}

// record is what the ledger keeps of an answer.
func (h Host) record(a answer, settings Settings, event Event) ledger.Record {
	return ledger.Record{
		At: h.Now.UnixMilli(), Session: short(event.SessionID, 200), Cwd: short(event.Cwd, 1000), Plugin: settings.Plugin,
		Decision: string(a.Decision), Rule: a.Rule, Evidence: short(a.Evidence, 1000), Reason: short(a.Reason, 2000), Told: short(a.told, 2000),
		Left: a.left, Took: max(0, time.Since(h.Now).Microseconds()), State: a.next,
	}
}

func short(s string, most int) string {
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

func (h Host) unwritten(a answer, err error) answer {
	h.note("write ledger: %v", err)
	if a.Decision != strategy.Stop {
		a = answer{Verdict: strategy.Verdict{Decision: strategy.Stop, Rule: "unwritten", Evidence: "the decision could not be written down"}}
	}
	return a
}

// output is what Claude Code reads. Letting Claude stop is silence, unless the
// user has to be told something.
type output struct {
	Decision      string `json:"decision,omitempty"` // "block" or absent
	Reason        string `json:"reason,omitempty"`
	SystemMessage string `json:"systemMessage,omitempty"`
}

func (h Host) write(a answer) {
	o := output{SystemMessage: a.told}
	if a.Decision == strategy.Continue {
		o.Decision, o.Reason = "block", a.Reason
	}
	if o == (output{}) {
		return
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(o); err != nil {
		h.note("write answer: %v", err)
		return
	}
	h.Stdout.Write(b.Bytes())
}

// note writes one line for the client's debug log.
func (h Host) note(format string, args ...any) {
	line := strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " ")
	fmt.Fprintln(h.Stderr, "springfield: "+line)
}
