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
	"github.com/cameronsjo/springfield/runtime/transcript"
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
	Home           string // the user's home directory
	Off            bool   // SPRINGFIELD=off
	Now            time.Time
}

// maxText bounds how much of the last message the rules look at, in bytes from
// its end.
const maxText = 256 << 10

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
	plugin, err := findPlugin(h.Executable, h.PluginRoot)
	if err != nil {
		h.note("%v", err)
		return 0
	}
	strat, ok := strategy.Named(plugin.Config.Strategy)
	if !ok {
		h.note("there is no strategy %q; this hook knows %s", plugin.Config.Strategy, strings.Join(strategy.Names(), ", "))
		return 0
	}
	if err := strat.Check(plugin.Config); err != nil {
		h.note("%s/strategy.json: %v; the built-in rules are in force", plugin.Root, err)
	}

	verdict := h.decide(strat, plugin, event)
	answer := h.settle(plugin, event, verdict)
	h.note("%s: %s by rule %s: %s", plugin.Name, answer.Decision, answer.Rule, answer.Evidence)
	h.write(answer)
	return 0
}

// decide asks the guards, then the strategy.
func (h Host) decide(strat strategy.Strategy, plugin Plugin, event Event) strategy.Verdict {
	moment := event.moment()
	if v := guard.Before(moment); v.Rule != "" {
		return strategy.Verdict{Decision: strategy.Stop, Rule: v.Rule, Evidence: v.Evidence}
	}
	window, err := transcript.Read(event.TranscriptPath, strat.Window)
	if err != nil && event.TranscriptPath != "" {
		h.note("read transcript: %v", err) // the event's text may be enough
	}
	if v := guard.Waiting(moment, window.Background); v.Rule != "" {
		return strategy.Verdict{Decision: strategy.Stop, Rule: v.Rule, Evidence: v.Evidence}
	}
	return strat.Decide(plugin.Config, situation(event, window))
}

// situation puts the event before the transcript, which may lag.
func situation(event Event, window transcript.Window) strategy.Situation {
	s := strategy.Situation{Text: event.LastMessage, LastTool: window.LastTool}
	if s.Text == "" {
		s.Text = window.Text
	}
	if len(s.Text) > maxText {
		s.Text = strings.ToValidUTF8(s.Text[len(s.Text)-maxText:], "")
	}
	for _, t := range window.Todos {
		s.Todos = append(s.Todos, strategy.Todo(t))
	}
	return s
}

// answer is a verdict after the budget had its say.
type answer struct {
	strategy.Verdict
	message string // to the user, may be empty
}

// settle spends the budget and writes the ledger, under one lock. A continue
// that cannot be written down does not happen.
func (h Host) settle(plugin Plugin, event Event, verdict strategy.Verdict) answer {
	a := answer{Verdict: verdict}
	session, err := ledger.Open(ledger.Dir(event.TranscriptPath, h.Home), event.ledgerKey())
	if err != nil {
		return h.unwritten(a, err)
	}
	defer session.Close()

	state := session.State
	if verdict.Decision == strategy.Continue {
		var left guard.Left
		var veto guard.Veto
		state, left, veto = guard.Spend(state, event.PromptID, h.Now)
		if veto.Rule != "" {
			a.Verdict = strategy.Verdict{Decision: strategy.Stop, Rule: veto.Rule, Evidence: veto.Evidence}
			a.message = plugin.Name + ": I let Claude stop: " + veto.Evidence + ". Say “continue” to go on."
		} else {
			a.message = plugin.Name + ": going on, rule " + verdict.Rule + ", " + verdict.Evidence +
				" (" + strconv.Itoa(left.Burst) + " more within 5 minutes)"
		}
	}
	err = session.Append(ledger.Record{
		At: h.Now.UnixMilli(), Session: event.SessionID, Plugin: plugin.Name,
		Decision: string(a.Decision), Rule: a.Rule, Evidence: a.Evidence, State: state,
	})
	if err != nil {
		return h.unwritten(a, err)
	}
	return a
}

func (h Host) unwritten(a answer, err error) answer {
	h.note("write ledger: %v", err)
	if a.Decision == strategy.Continue {
		a.Verdict = strategy.Verdict{Decision: strategy.Stop, Rule: "unwritten", Evidence: "the decision could not be written down"}
		a.message = ""
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
	o := output{SystemMessage: a.message}
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
