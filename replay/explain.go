package replay

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/console"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/judge"
	"github.com/cameronsjo/springfield/runtime/language"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/transcript"
	"github.com/cameronsjo/springfield/runtime/workspace"
)

type Place struct {
	Log  string
	Line int    // last line to read, from 1; 0: the last of the log
	At   int64  // without a line: last moment to read, in Unix milliseconds; 0: all
	Work string // directory of the session; project files are read from it as they are now
	Home string // no file above it is read
	Now  time.Time
}

// Explanation is a decision and its causes, in the shape of docs/schemas/explain.schema.json.
type Explanation struct {
	Version   int               `json:"version"`        // of this shape: 1
	Host      string            `json:"host,omitempty"` // "": Claude Code
	Strategy  string            `json:"strategy"`
	Decision  strategy.Decision `json:"decision"`
	Rule      string            `json:"rule"`
	Sure      int               `json:"sure"` // percent
	Evidence  string            `json:"evidence"`
	Lang      []string          `json:"lang"` // languages of the message, BCP 47
	Reason    string            `json:"reason,omitempty"`
	Page      string            `json:"page,omitempty"`
	Asks      bool              `json:"asks,omitempty"`
	Situation Facts             `json:"situation"`
	Rules     []Asked           `json:"rules"` // in evaluation order

	Judge string `json:"-"` // whether the judge would be asked, and why
}

type Asked struct {
	ID       string            `json:"id"`
	Then     strategy.Decision `json:"then"`
	Holds    bool              `json:"holds"`
	Decides  bool              `json:"decides"` // the first that holds, unless a guard decides
	Evidence string            `json:"evidence"`
}

// Facts is the situation as the hook sees it.
type Facts struct {
	Message     string          `json:"message,omitempty"` // last text of Claude
	Prompt      string          `json:"prompt,omitempty"`  // beginning of the last prompt
	Calls       []activity.Call `json:"calls"`             // last calls of the turn, oldest first
	CallsInTurn int             `json:"calls_in_turn"`
	Asked       string          `json:"asked,omitempty"` // tool that asked the user at the end of the turn
	Skill       activity.Skill  `json:"skill,omitzero"`
	Todos       []activity.Todo `json:"todos"`
	Plans       []activity.Plan `json:"plans"`     // files named in the session, last one first
	Running     int             `json:"running"`   // background tasks of the turn
	Continued   int             `json:"continued"` // by springfield, since the prompt
	Files       []string        `json:"files"`     // of the project, read by the strategy
}

// Explain returns a candidate's decision for a place in a session log, with causes. It ignores the budget and holds.
func Explain(p Place, c Candidate) (Explanation, error) {
	known := c.Settings.Strategy
	m, err := p.readScene(c)
	if err != nil {
		return Explanation{}, err
	}
	dir, _ := workspace.Nearest(p.Work, "", known.Marks, p.Home)
	space, err := workspace.OpenSpace(dir)
	if err != nil {
		return Explanation{}, err
	}
	defer space.Close()
	snapshot := hook.Stop{Event: m.event, Settings: c.Settings, Space: space, Reading: m, Now: p.Now, Home: p.Home, Unguarded: c.Bare}.Examine()
	if len(snapshot.Faults) > len(snapshot.Verdict.Faults) { // not about a rule
		return Explanation{}, errors.New(snapshot.Faults[0])
	}
	v, s, view := snapshot.Verdict, snapshot.Situation, snapshot.View
	found := Facts{
		Message: s.Message.Text, Prompt: view.PromptText, Calls: append([]activity.Call{}, view.Calls...), CallsInTurn: view.CallsInTurn, Asked: s.Turn.Asked, Skill: view.Skill,
		Todos: append([]activity.Todo{}, view.Todos...), Plans: append([]activity.Plan{}, view.Plans...), Running: s.Turn.Running, Continued: view.Feedback.InTurn,
		Files: append([]string{}, slices.Sorted(maps.Keys(s.Workspace.Files))...),
	}
	e := Explanation{
		Version: 1, Host: m.host, Strategy: known.Name, Decision: v.Decision, Rule: v.Rule, Sure: v.Sure, Evidence: v.Evidence, Lang: append([]string{}, v.Languages...),
		Reason: v.Reason, Asks: v.Page != "", Situation: found, Rules: rulesTried(c.Settings, snapshot),
	}
	if known.Judges {
		e.Page, e.Judge = judge.PageFor(snapshot.Situation), console.WhetherAsksJudge(known, v)
	}
	return e, nil
}

func (p Place) readScene(by Candidate) (*scene, error) {
	const howToFind = "run springfield log to list decisions, or name a session log; they are below ~/.claude/projects"
	info, err := os.Stat(p.Log)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a file", p.Log)
	}
	if err != nil {
		return nil, check.Advisef(howToFind, "read session log: %w", err)
	}
	// The event is known only at the end. Commands that the host ran after the last stop do not count.
	w, lines, entries, local, mode := walker{session: session{path: p.Log, host: registry.ReadLogHost(p.Log)}}, 0, 0, false, ""
	w.whole = w.host.Log.Whole
	err = w.host.Log.EachLine(p.Log, 0, func(c *transcript.Cursor) bool {
		if p.Line == 0 && p.At > 0 && c.LineTime() > p.At {
			return false
		}
		if c.IsOfConversation() {
			entries++
		}
		w.noteLine(c)
		if local = c.Entry.Local || local && c.What == transcript.Nothing; !local || p.Line > 0 {
			lines, mode = c.Number, w.mode
		}
		return c.Number != p.Line
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("read session log: %w", err)
	case entries == 0 && p.At > 0 && lines == 0:
		return nil, fmt.Errorf("%s begins after that decision", p.Log)
	case entries == 0 && p.Line > 0 && lines == p.Line:
		return nil, check.Misusef("name a later line, or omit --line for the last line", "%s has no entry of a session up to line %d", p.Log, p.Line)
	case entries == 0:
		return nil, check.Advisef(howToFind, "%s is not a session log: it contains no entry "+
			"of a session, a JSON object of the type user or assistant", p.Log)
	case lines < p.Line:
		return nil, check.Misusef("omit --line for the last line", "%s has %d lines, not %d", p.Log, lines, p.Line)
	}
	tail := by.Settings.Options.Needs().Lines
	var window activity.Window
	m := &scene{host: w.host.RecordName(), now: p.Now, lines: func(int) activity.Window { return window }}
	err = w.host.Log.EachLine(p.Log, tail, func(c *transcript.Cursor) bool {
		if c.Number >= lines {
			m.view, window = c.ViewAfterLine(), c.WindowOf(tail)
		}
		return c.Number < lines
	})
	if err != nil {
		return nil, fmt.Errorf("read session log: %w", err)
	}
	w.id, w.mode = w.logName(), mode
	m.event = w.eventAt("", m.view)
	m.event.Cwd = p.Work
	return m, nil
}

func rulesTried(settings hook.Settings, snapshot hook.Snapshot) []Asked {
	all := []Asked{}
	ruled, ok := settings.Options.(rules.Ruled)
	if !ok {
		return all
	}
	decided := snapshot.Veto.Rule != ""
	for _, r := range rules.AskEach(ruled.Rules(), snapshot.Situation) {
		all = append(all, Asked{r.Rule.ID, r.Rule.Then, r.Holds, r.Holds && !decided, r.Evidence})
		decided = decided || r.Holds
	}
	return all
}

// WriteText writes the decision, situation, rules and any judge's page.
func (e Explanation) WriteText(out layout.Printer) {
	e.writeDecision(out)
	e.Situation.writeText(out)
	var rows [][]string
	var reasons []string
	without := map[string][]string{} // rules by the reason why they do not match
	listed := map[string]bool{}      // IDs, which rules can share
	if decides := func(r Asked) bool { return r.Decides }; e.Rule != otherwise && len(e.Rules) > 0 && !slices.ContainsFunc(e.Rules, decides) {
		rows = append(rows, []string{"> " + e.Rule, string(e.Decision), "a check before the rules"})
	}
	for _, r := range e.Rules {
		if mark := map[bool]string{true: "> ", false: "+ "}[r.Decides]; r.Holds && !listed[r.ID] {
			listed[r.ID] = true
			rows = append(rows, []string{mark + r.ID, string(r.Then), r.Evidence})
		}
	}
	for _, r := range e.Rules {
		if listed[r.ID] {
			continue
		}
		listed[r.ID] = true
		if without[r.Evidence] == nil {
			reasons = append(reasons, r.Evidence)
		}
		without[r.Evidence] = append(without[r.Evidence], r.ID)
	}
	if len(rows) > 0 {
		out.InBold().PrintText("rules that match")
		out.PrintTable(" ", rows)
		out.PrintText("  >: the first one, which decides; +: another")
	}
	if len(reasons) > 0 {
		out.InBold().PrintText("rules that do not match")
	}
	for _, reason := range reasons {
		out.PrintItem("", reason+": "+strings.Join(without[reason], ", "))
	}
	if e.Judge != "" {
		out.InBold().PrintText("page")
		for _, line := range strings.Split(strings.TrimSuffix(e.Page, "\n"), "\n") {
			out.PrintText("%s", strings.TrimRight("  "+line, " "))
		}
		out.PrintField("", e.Judge)
	}
}

func (e Explanation) writeDecision(out layout.Printer) {
	out.InBold().PrintText("decision")
	says := string(e.Decision) + byOrNoRule(e.Rule) + fmt.Sprintf(", %d %% sure", e.Sure)
	if e.Rule != otherwise {
		says += ": " + display.OneLine(e.Evidence)
	}
	out.PrintField("  ", says)
	if name := language.ForeignLanguage(e.Lang); name != "" {
		out.PrintText("  read in %s", name)
	}
	if e.Reason != "" {
		out.PrintField("  sent to "+registry.AgentName(e.Host)+": ", strings.Join(strings.Fields(e.Reason), " "))
	}
}

func (s Facts) writeText(out layout.Printer) {
	out.InBold().PrintText("situation")
	out.PrintField("  last message  ", endOnOneLine(s.Message))
	if s.Prompt != "" {
		out.PrintField("  prompt        ", endOnOneLine(s.Prompt))
	}
	for _, c := range s.Calls {
		outcome := c.Result
		if c.Error {
			outcome = "error: " + outcome
		}
		out.PrintField("  tool          ", c.Name+"("+c.Input+") "+outcome)
	}
	if s.Asked != "" {
		out.PrintText("  asked by      %s", s.Asked)
	}
	if s.Skill.Name != "" {
		out.PrintText("  skill         %s, %s ago", s.Skill.Name, layout.CountOf(s.Skill.Turns, "turn"))
	}
	if n := activity.CountTodos(s.Todos); len(s.Todos) > 0 {
		out.PrintText("  todos         %d completed, %d in progress, %d pending", n.Done, n.Doing, n.Pending)
	}
	if s.Continued > 0 {
		out.PrintText("  continued     %s since the prompt", layout.CountOf(s.Continued, "time"))
	}
}

func endOnOneLine(s string) string {
	return layout.EndThatFits(display.OneLine(strings.Join(strings.Fields(s), " ")), 160)
}
