// Package console implements the commands about decisions, holds and goal loops. The CLI and the hook share it, because
// a plugin from a marketplace only has the hook. Times are ages, because the hook has no time zones.
package console

import (
	"errors"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/judge"
	"github.com/cameronsjo/springfield/runtime/language"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/timestamp"
)

// Console is the environment and the output of a command.
type Console struct {
	Out io.Writer
	Err io.Writer
	Dir string // state directory
	// Also is a second state directory, or "". Other hosts keep theirs in the home even if CLAUDE_CONFIG_DIR is set.
	Also string
	Now  func() time.Time
	Self string // the command that a person types
	// Caller is the host if an agent runs the command, even through a program. It is nil for a person.
	Caller     *host.Host
	Work, Home string
	Project    string // directory in which the session started, "" if unknown
	Session    string // session that runs the command, or ""
	// Interrupt cancels a question to the user. It is nil for a program that Ctrl-C ends.
	Interrupt <-chan struct{}

	JSON bool // output of hold and resume

	// Plugin returns the settings of the plugin that contains the hook. It is nil in the CLI.
	Plugin func() (hook.Settings, error)

	// How to print text. These are all nil or 0 in the hook, where text is plain.

	// Paint begins a style, or ends it with 0.
	Paint func(s display.Style)
	// Path abbreviates the home directory to ~ in a text.
	Path func(text string) string
	// Wrap breaks a line at the terminal's width and indents the rest.
	Wrap func(line string, indent int) []string
	// Width is the terminal's width in columns, 0 for no limit.
	Width int

	// Off reports that SPRINGFIELD=off is set.
	Off bool
	// SayNext prints the next step if there are no decisions yet.
	SayNext func()
	// Driver returns the plugin that drives loops in a directory.
	Driver func(dir string) LoopDriver
	// SwitchOn offers to enable a plugin if none drives loops. It can be nil.
	SwitchOn func(LoopDriver) error
	Getenv   func(string) string
}

type adviceError struct{ problem, advice string }

func (e *adviceError) Error() string { return display.OneLine(e.problem) }
func (e *adviceError) Hint() string  { return display.OneLine(e.advice) }

type misuse struct{ adviceError }

func (e *misuse) IsUsage() bool { return true }

func misused(problem, advice string) error { return &misuse{adviceError{problem, advice}} }

// AdviceOn returns an error's hint, or "". It does not unwrap.
func AdviceOn(err error) string {
	if e, ok := err.(interface{ Hint() string }); ok { // errors.As makes the hook larger
		return display.UnglueBlanks(e.Hint())
	}
	return ""
}

func ofPrompt(r ledger.Record) bool {
	return r.Decision == "pass" || r.Decision == "remind" || r.Decision == ledger.None && r.Event == "UserPromptSubmit"
}

// ExplainOrSayNone prints the decision with this ID, for "" or "last" the latest, or that there is none (an error with
// JSON).
func (d *Console) ExplainOrSayNone(id string, a Asked) error {
	v, err := d.scopeOf(a)
	if err != nil {
		return err
	}
	r, err := d.findDecision(id, v, a)
	if err != nil && err != errNothing {
		return err
	}
	if a.JSON && err != nil {
		return &adviceError{err.Error(), d.commandTo("log --all") + " lists those of every project"}
	}
	if a.JSON {
		return d.printJSON(&r)
	}
	if err != nil {
		d.sayNothingDecided(v, a, "why", false)
	} else {
		d.explainDecision(r)
	}
	if err == nil && (id == "" || id == "last") {
		d.printImplied(v, "why")
	}
	if d.Off {
		d.printLine("SPRINGFIELD=off is set here, so hooks let every agent stop and record nothing")
	}
	return nil
}

// explainDecision prints a decision and how the session went on, and records unrecorded hold ends.
func (d *Console) explainDecision(r ledger.Record) {
	agent := registry.AgentName(r.Host)
	did, kind := "let "+agent+" stop", display.Warn
	switch r.Decision {
	case ledger.None:
		did = "did not decide, and " + agent + " stopped"
		if ofPrompt(r) {
			did = "did not decide before a prompt"
		}
	case "continue":
		did, kind = "made "+agent+" continue", display.Good
		if r.Event != "" {
			did = "woke " + agent
		}
	case "remind":
		did = "reminded " + agent + " before a prompt"
	case "pass":
		did = "did not remind " + agent + " before a prompt"
	}
	name := ""
	if r.ID != "" {
		name = " (" + r.ID + ")"
	}
	d.printLead(kind, r.Plugin+" "+did, ", "+d.agoOf(r.At)+name, 2)
	d.printIfSet("  rule     ", r.Rule)
	d.printIfSet("  because  ", r.Evidence)
	d.noteAndPrintHold(r)
	if !ofPrompt(r) {
		after := d.FindAftermath(r)
		if n := max(after.blocks[0], after.blocks[1]); n > 0 {
			times := " time" + strings.Repeat("s", min(n-1, 1))
			d.printIfSet("  besides  ", "another hook made "+agent+" go on, "+strconv.Itoa(n)+times+" since the prompt: "+after.blocker)
		}
		d.printIfSet("  then     ", after.FailureIfAny(agent))
	}
	d.printIfSet("  read in  ", language.ForeignLanguage(r.Lang))
	d.printIfSet("  sent to "+agent+": ", r.Reason)
	d.printIfSet("  shown to you:   ", r.Told)
	if r.Decision == "continue" && r.Left != nil {
		d.printLine("  budget   " + strconv.Itoa(r.Left.Burst) + " more within 5 minutes, " + strconv.Itoa(r.Left.Prompt) + " more for this prompt")
	}
	if r.Asked != nil {
		d.printJudgeCall(r.Asked)
	}
	if r.Decision != ledger.None {
		cost := "$0"
		if r.Asked != nil && r.Asked.Micros != 0 {
			cost = judge.Dollars(r.Asked.Micros)
		}
		d.printLine("  took     " + inMilliseconds(r.Took) + ", cost " + cost)
	}
	for _, flaw := range r.Flaws {
		d.printLine("  ignored: " + flaw)
	}
	if r.Host != "" {
		d.printIfSet("  host     ", registry.TitleOf(r.Host))
	}
	d.printIfSet("  session  ", r.Session)
	d.printIfSet("  in       ", r.Cwd)
}

func (d *Console) printJudgeCall(a *ledger.Asked) {
	s := a.Model
	if a.Backend != "" {
		s += " by " + a.Backend
	}
	s += ", a page of " + strconv.Itoa(a.Bytes) + " bytes"
	if a.Cached {
		s += ", answered before in this session"
	} else if a.Failed != "" {
		s += ", no answer after " + inMilliseconds(a.Took*1000) + ": " + a.Failed + ", " + a.Detail
	} else {
		if in := a.Input + a.CacheRead + a.CacheWrite; in > 0 {
			s += ", " + strconv.FormatInt(in, 10) + " tokens in, " + strconv.FormatInt(a.Output, 10) + " out"
		}
		s += ", " + inMilliseconds(a.Took*1000)
	}
	d.printIfSet("  judge    ", s)
}

// commandTo returns d.Self with these words. Its blanks are glued; printLine and AdviceOn undo that.
func (d *Console) commandTo(words string) string { return display.GlueBlanks(d.Self + " " + words) }

var errNothing = errors.New("no decision is recorded")

func sessionOrAll(session string) string {
	if session == "" {
		return "all sessions"
	}
	return "session " + session
}

// ledgerIDOf returns "session:" and the session's ID ("" for all sessions).
func ledgerIDOf(session string) string {
	if session == "" {
		return ""
	}
	return "session:" + session
}

// printLine prints a line without control characters. Wide lines continue two columns further in.
func (d *Console) printLine(s string) { d.printLead(0, "", s, len(s)-len(strings.TrimLeft(s, " "))+2) }

// printLead prints begins in style s (0 for none), then rest. indent is for a wide line's rest.
func (d *Console) printLead(s display.Style, begins, rest string, indent int) {
	text, begins := d.foldLine(begins+rest, indent)+"\n", d.shortPath(display.OneLine(begins))
	if d.Paint != nil && s != 0 && begins != "" && strings.HasPrefix(text, begins) {
		d.Paint(s)
		io.WriteString(d.Out, begins)
		d.Paint(0)
		text = text[len(begins):]
	}
	io.WriteString(d.Out, text)
}

func (d *Console) foldLine(s string, indent int) string {
	line := d.shortPath(display.OneLine(s))
	if d.Wrap != nil {
		line = strings.Join(d.Wrap(line, indent), "\n")
	}
	return display.UnglueBlanks(line)
}

func (d *Console) printNoteToErr(s string) {
	besides := *d
	besides.Out = d.Err
	besides.printLine("springfield: note: " + s)
}

// printIfSet prints lead, with all blanks, and value, or nothing if value is "".
func (d *Console) printIfSet(lead, value string) {
	if value != "" {
		d.printLead(0, "", lead+value, len(lead))
	}
}

func (d *Console) shortPath(text string) string {
	if d.Path == nil {
		return text
	}
	return d.Path(text)
}

func (d *Console) agoOf(atMillis int64) string {
	return timestamp.AgoInWords(d.Now().UnixMilli() - atMillis)
}

func inMilliseconds(us int64) string {
	return strconv.FormatFloat(float64(us)/1000, 'f', 1, 64) + " ms"
}

// padRight pads s to width on one line, always ending with a blank.
func padRight(s string, width int) string {
	s = display.OneLine(s)
	return s + strings.Repeat(" ", max(1, width-len([]rune(s))))
}

// ErrUsage is returned for an invalid call.
var ErrUsage = errors.New("usage")

// PrintJudgePage prints the judge's page for a session log's end ("" for the current session's), and whether a judge
// would be asked. It asks none.
func (d *Console) PrintJudgePage(logPath string, settings hook.Settings) error {
	if logPath == "" {
		if logPath = d.findLog(d.Session); logPath == "" {
			return &adviceError{"which session?", "pass the path of its log: page ~/.claude/projects/…/SESSION.jsonl"}
		}
	}
	if !filepath.IsAbs(logPath) {
		logPath = filepath.Join(d.Work, logPath)
	}
	f, _, err := file.OpenRegular(logPath, 0)
	if err != nil {
		return &adviceError{"read session log: " + err.Error(), "pass the path of a log, such as ~/.claude/projects/…/SESSION.jsonl"}
	}
	f.Close()
	event := hook.Event{Host: registry.ReadLogHost(logPath), SessionID: strings.TrimSuffix(filepath.Base(logPath), ".jsonl"), TranscriptPath: logPath, Cwd: d.Work}
	snapshot := hook.Stop{Event: event, Settings: settings, Now: d.Now(), Unguarded: true}.Examine()
	if len(snapshot.Faults) > 0 && snapshot.Log == nil {
		return &adviceError{snapshot.Faults[0], "pass the path of a session log of Claude Code"}
	}
	if _, err := io.WriteString(d.Out, judge.PageFor(snapshot.Situation)); err != nil {
		return err
	}
	d.printLine("")
	d.printLine(WhetherAsksJudge(settings.Strategy, snapshot.Verdict))
	return nil
}

// WhetherAsksJudge describes whether a judge would be asked about a stop.
func WhetherAsksJudge(known strategy.Strategy, v strategy.Verdict) string {
	by := " (rule " + v.Rule + ", " + strconv.Itoa(v.Sure) + " % sure: " + v.Evidence + ")"
	if !known.Judges {
		return "the judge is not asked: " + known.Name + " decides by itself" + by
	}
	if v.Page != "" {
		return "the judge would be asked: no rule is sure enough" + by
	}
	return "the judge would not be asked" + by
}

func (d *Console) printJSON(o codec.Object) error {
	_, err := d.Out.Write(append(codec.Append(nil, o), '\n'))
	return err
}

func clipTo99(s string) string { return quotation.ClipRunes(s, 99) }
