// Package console answers people: what was decided and why, the holds, the goal
// loops. The
// CLI's verbs and the hook binary's own words print the same, because a plugin
// that came from a marketplace has only its hook.
//
// Times are given as ages: the hook carries no time zones.
package console

import (
	"errors"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/judge"
	"github.com/cameronsjo/springfield/runtime/language"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/timestamp"
)

// Console is where the user asks.
type Console struct {
	Out io.Writer
	Err io.Writer // for what is said besides
	Dir string    // state directory
	// Also is another state directory, "" for none: hosts other than Claude Code keep theirs
	// in the home, wherever CLAUDE_CONFIG_DIR is.
	Also string
	Now  func() time.Time
	// Self is how the person calls this program, for advice.
	Self string
	// Caller is the host whose agent asks, or a program that it has started; nil: a person
	// does.
	Caller *host.Host
	// Work is the directory that the person is in, Home their home.
	Work, Home string
	// Project is the directory that the asking session was started in, "" if that is not known.
	Project string
	// Session is the session that asks, "" for none.
	Session string
	// Interrupt ends a question to the person; nil for a program that Ctrl-C ends.
	Interrupt <-chan struct{}

	// JSON has hold and resume print their result as JSON.
	JSON bool

	// Plugin are the settings of the plugin that the hook lies in; nil for the CLI.
	Plugin func() (hook.Settings, error)

	// How the terminal shows text. All are nil in the hook, whose text is plain; the
	// methods shortPath and foldLine know that.

	// Paint begins a style, or with none ends it.
	Paint func(s display.Style)
	// Path writes ~ for the home directory, in a path or in a text.
	Path func(text string) string
	// Wrap breaks a line that is too wide for the terminal at blanks, and indents the
	// lines below by so many columns.
	Wrap func(line string, indent int) []string
	// Width is how many columns the terminal has, 0 for no end of a line.
	Width int
	// Clock is a moment as a clock shows it here: the hook knows no time zones.
	Clock func(time.Time) string

	// What follows is for the words about loops.

	// Off tells that SPRINGFIELD=off is set.
	Off bool
	// SayNext says what to type where nothing was decided yet; nil in the hook.
	SayNext func()
	// Driver finds out which plugin drives loops in a directory.
	Driver func(dir string) Driver
	// SwitchOn offers a person to switch a plugin on where none drives loops; nil: it cannot.
	SwitchOn func(Driver) error
	// Getenv reads the environment for the user's progress command.
	Getenv func(string) string
}

// Errors of this package come with advice.
type adviceError struct{ problem, advice string }

func (e *adviceError) Error() string { return display.OneLine(e.problem) }
func (e *adviceError) Hint() string  { return display.OneLine(e.advice) }

// misuse is an error about a call that cannot be meant.
type misuse struct{ adviceError }

// IsUsage tells that the call is what is wrong.
func (e *misuse) IsUsage() bool { return true }

func misused(problem, advice string) error { return &misuse{adviceError{problem, advice}} }

// AdviceOn is what to do about an error, "" if there is nothing to say.
func AdviceOn(err error) string {
	if e, ok := err.(interface{ Hint() string }); ok { // not errors.As, which makes the hook larger
		return display.PartWords(e.Hint())
	}
	return ""
}

// ofPrompt tells decisions about a prompt from those about a stop.
func ofPrompt(r ledger.Record) bool {
	return r.Decision == "pass" || r.Decision == "remind" || r.Decision == ledger.None && r.Event == "UserPromptSubmit"
}

// ExplainDecision tells about one decision: by its ID, or the last one.
func (d *Console) ExplainDecision(id string, a Asked) error {
	v, err := d.scopeOf(a)
	if err != nil {
		return err
	}
	r, err := d.findDecision(id, v, a)
	if err != nil && err != errNothing {
		return err
	}
	switch {
	case a.JSON && err != nil:
		return &adviceError{err.Error(), d.commandTo("log --all") + " lists every project's"}
	case a.JSON:
		return d.printJSON(&r)
	case err != nil:
		d.sayNothingDecided(v, a, "why", false)
		for _, s := range endedHoldsInWords(d.holdEvents(), nil, d.Now()) {
			d.printLine("note: " + s)
		}
	default:
		d.printDecision(r)
		d.printHoldOf(r)
		if id == "" || id == "last" {
			d.printScope(v, "why")
		}
	}
	if d.Off {
		d.printLine("SPRINGFIELD=off is set here: it makes hooks let every agent stop and record nothing")
	}
	return nil
}

// printDecision tells about a decision, or about a hook that came to none.
func (d *Console) printDecision(r ledger.Record) {
	agent := registry.AgentName(r.Host)
	did, kind := "let "+agent+" stop", display.Warn
	switch r.Decision {
	case ledger.None:
		did = "did not decide, and " + agent + " stopped"
		if ofPrompt(r) {
			did = "did not decide before a prompt"
		}
	case "continue":
		did, kind = "made "+agent+" go on", display.Good
	case "remind":
		did = "reminded " + agent + " before a prompt"
	case "pass":
		did = "said nothing before a prompt"
	}
	name := ""
	if r.ID != "" {
		name = " (" + r.ID + ")"
	}
	d.printLead(kind, r.Plugin+" "+did, ", "+d.agoOf(r.At)+name, 2)
	d.printField("  rule     ", r.Rule)
	d.printField("  because  ", r.Evidence)
	d.printField("  read in  ", language.LanguageNames(r.Lang))
	d.printField("  "+agent+" was told: ", r.Reason)
	d.printField("  you were told:   ", r.Told)
	if r.Decision == "continue" && r.Left != nil {
		d.printLine("  budget   " + strconv.Itoa(r.Left.Burst) + " more within 5 minutes, " + strconv.Itoa(r.Left.Prompt) + " more for this prompt")
	}
	d.printJudgement(r.Asked)
	if r.Decision != ledger.None {
		cost := "$0"
		if r.Asked != nil && r.Asked.Micros != 0 {
			cost = judge.Dollars(r.Asked.Micros)
		}
		d.printLine("  took     " + inMilliseconds(r.Took) + ", cost " + cost)
	}
	for _, flaw := range r.Flaws {
		d.printLine("  passed over: " + flaw)
	}
	if r.Host != "" {
		d.printField("  host     ", registry.TitleOf(r.Host))
	}
	d.printField("  session  ", r.Session)
	d.printField("  in       ", r.Cwd)
}

// printJudgement tells about a question to a judge.
func (d *Console) printJudgement(a *ledger.Asked) {
	if a == nil {
		return
	}
	s := a.Model
	if a.Backend != "" {
		s += " by " + a.Backend
	}
	s += ", a page of " + strconv.Itoa(a.Bytes) + " bytes"
	switch {
	case a.Cached:
		s += ", answered before in this session"
	case a.Failed != "":
		s += ", no answer after " + inMilliseconds(a.Took*1000) + ": " + a.Failed + ", " + a.Detail
	default:
		if in := a.Input + a.CacheRead + a.CacheWrite; in > 0 {
			s += ", " + strconv.FormatInt(in, 10) + " tokens in, " + strconv.FormatInt(a.Output, 10) + " out"
		}
		s += ", " + inMilliseconds(a.Took*1000)
	}
	d.printField("  judge    ", s)
}

// commandTo is how a person calls this program with some words. No line is broken in it.
func (d *Console) commandTo(words string) string { return display.JoinWords(d.Self + " " + words) }

// errNothing says that there is no decision to tell about.
var errNothing = errors.New("no decision is recorded")

func sessionOrAll(session string) string {
	if session == "" {
		return "all sessions"
	}
	return "session " + session
}

// sessionKey is how the hook names a session in the ledger.
func sessionKey(session string) string {
	if session == "" {
		return ""
	}
	return "session:" + session
}

// printLine prints a line; what it has from files and sessions does not draw. Where it is
// too wide it goes on below, two columns further in than it begins.
func (d *Console) printLine(s string) { d.printHanging(s, len(s)-len(strings.TrimLeft(s, " "))+2) }

// printHanging prints a line that goes on below so many columns further in.
func (d *Console) printHanging(s string, indent int) { d.printLead(0, "", s, indent) }

func (d *Console) printLead(s display.Style, begins, rest string, indent int) {
	text, begins := d.foldLine(begins+rest, indent)+"\n", d.shortPath(display.OneLine(begins))
	if d.Paint != nil && begins != "" && strings.HasPrefix(text, begins) {
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
	return display.PartWords(line)
}

func (d *Console) printNote(s string) {
	besides := *d
	besides.Out = d.Err
	besides.printLine("springfield: note: " + s)
}

func (d *Console) printField(name, value string) {
	if value != "" {
		d.printHanging(name+value, len(name))
	}
}

// shortPath writes ~ for the home directory where the caller's text is a person's.
func (d *Console) shortPath(text string) string {
	if d.Path == nil {
		return text
	}
	return d.Path(text)
}

func (d *Console) agoOf(at int64) string { return timestamp.AgoInWords(d.Now().UnixMilli() - at) }

func inMilliseconds(us int64) string {
	return strconv.FormatFloat(float64(us)/1000, 'f', 1, 64) + " ms"
}

func padRight(s string, width int) string {
	s = display.OneLine(s)
	if n := width - len([]rune(s)); n > 0 {
		return s + strings.Repeat(" ", n)
	}
	return s + " "
}

// ErrUsage is a call that cannot be meant.
var ErrUsage = errors.New("usage")

// The page: what a judge is shown, or would be, of a session's end. No judge
// is asked.

// PrintPage prints the page of a session log, by default that of the session that
// asks, and below it what the rules say.
func (d *Console) PrintPage(path string, settings hook.Settings) error {
	if path == "" {
		if path = d.findLog(d.Session); path == "" {
			return &adviceError{"which session?", "name its log: page ~/.claude/projects/…/SESSION.jsonl"}
		}
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(d.Work, path)
	}
	f, _, err := file.OpenRegular(path, 0)
	if err != nil {
		return &adviceError{"read session log: " + err.Error(), "name a log: ~/.claude/projects/…/SESSION.jsonl"}
	}
	f.Close()
	event := hook.Event{Host: registry.HostOfLog(path), SessionID: strings.TrimSuffix(filepath.Base(path), ".jsonl"), TranscriptPath: path, Cwd: d.Work}
	snapshot := hook.Stop{Event: event, Settings: settings, Now: d.Now(), Alone: true}.Examine()
	if len(snapshot.Faults) > 0 && snapshot.Log == nil {
		return &adviceError{snapshot.Faults[0], "name a session log of Claude Code"}
	}
	if _, err := io.WriteString(d.Out, judge.PageFor(snapshot.Situation)); err != nil {
		return err
	}
	d.printLine("")
	d.printLine(WouldAsk(settings.Strategy, snapshot.Verdict))
	return nil
}

// WouldAsk says whether a judge would be asked about a stop.
func WouldAsk(known strategy.Strategy, v strategy.Verdict) string {
	by := " (rule " + v.Rule + ", " + strconv.Itoa(v.Sure) + " % sure: " + v.Evidence + ")"
	switch {
	case !known.Judges:
		return "no judge is asked: " + known.Name + " decides by itself" + by
	case v.Page != "":
		return "the judge would be asked: no rule is sure enough" + by
	}
	return "no judge would be asked" + by
}
