package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/replay"
	"github.com/cameronsjo/springfield/runtime/command"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/fact"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/language"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/workspace"
)

type explainOptions struct {
	transcript string
	line       int
	strategy   string
	rules      string
	treeOnly   bool
	json       bool
}

func newExplain(a *app) *cobra.Command {
	var o explainOptions
	cmd := &cobra.Command{
		Use:   "explain TRANSCRIPT",
		Short: "Decide on a session log without Claude Code, and show every rule",
		Long: `Decide on a session log (~/.claude/projects/…/SESSION.jsonl) as a plugin's hook would if Claude
stopped at its end, or after --line. Shows what the hook sees, every rule with why it holds or
not, and the decision. Files that a strategy keeps in the project are read in the current directory,
as they are now. Budget and hold are left out: they depend on when you ask.`,
		Args: arguments(1, 1, "one session log"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.transcript = args[0]
			return runExplain(a, o)
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.line, "line", 0, "decide after this line, counted from 1 (default: the last)")
	f.StringVar(&o.strategy, "strategy", "ned-flanders", "how to decide: "+strings.Join(strategy.Names(), ", ")+", or what else springfield replay compares: ned-flanders:seed, seed-tree, a rules file")
	f.StringVar(&o.rules, "rules", "", "rule set: "+strings.Join(strategy.NedRuleSets(), ", "))
	f.BoolVar(&o.treeOnly, "tree-only", false, "ask the strategy alone, no guard")
	f.BoolVar(&o.json, "json", false, "print the result as JSON")
	return cmd
}

func runExplain(a *app, o explainOptions) error {
	settings, alone, err := a.decider(o)
	if err != nil {
		return err
	}
	known, config := settings.Strategy, settings.Config
	path := o.transcript
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.work, path)
	}
	cut, remove, err := cutAfter(path, o.line)
	if err != nil {
		return err
	}
	defer remove()
	event, err := replay.EventAtEnd(cut)
	if err != nil {
		return errors.New(strings.ReplaceAll("read session log: "+err.Error(), cut, path))
	}
	event.SessionID, event.Cwd = strings.TrimSuffix(filepath.Base(path), ".jsonl"), a.work
	space, err := workspace.Open(workspace.Nearest(a.work, known.Marks, a.home))
	if err != nil {
		return err
	}
	defer space.Close()
	snapshot := hook.Examine(event, settings, ledger.State{}, space, time.Now(), alone)
	if len(snapshot.Faults) > 0 {
		return errors.New(strings.ReplaceAll(snapshot.Faults[0], cut, path))
	}
	var answers []strategy.Answer
	if known.Rules != nil {
		answers = strategy.Ask(known.Rules(config), snapshot.Situation)
	}
	if o.json {
		encoded, err := json.Marshal(explained(known, snapshot, answers))
		if err != nil {
			return err
		}
		_, err = a.out.Write(append(encoded, '\n'))
		return err
	}
	a.explain(known, snapshot, answers)
	return nil
}

// decider is how to decide: a strategy, or whatever else a replay compares. alone
// leaves the guards out.
func (a *app) decider(o explainOptions) (settings hook.Settings, alone bool, err error) {
	if known, ok := strategy.Named(o.strategy); ok {
		config, err := known.Check(strategy.Config{Strategy: o.strategy, Rules: o.rules, Ceiling: known.Ceiling, Stale: known.Stale})
		if err != nil {
			return settings, false, &usageError{err, "see springfield explain --help"}
		}
		return hook.Settings{Plugin: o.strategy, Strategy: known, Config: config}, o.treeOnly, nil
	}
	all, err := a.candidates([]string{o.strategy})
	switch {
	case err != nil:
		return settings, false, err
	case all[0].AsksAlways:
		return settings, false, &usageError{fmt.Errorf("%s asks a model at every stop: there is no rule to explain", o.strategy), "there is " + strings.Join(strategy.Names(), ", ")}
	case o.rules != "":
		return settings, false, &usageError{errors.New("--rules goes with the name of a strategy alone"), "write --strategy ned-flanders --rules " + o.rules}
	}
	return all[0].Settings, o.treeOnly || all[0].Bare, nil
}

// cutAfter gives a log that ends after a line: the log itself for 0, else a
// copy in a temporary file that remove takes away.
func cutAfter(path string, line int) (cut string, remove func(), err error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", nil, fmt.Errorf("read session log: %w", err)
	}
	if !info.Mode().IsRegular() {
		return "", nil, fmt.Errorf("read session log: %s is not a file", path)
	}
	if line == 0 {
		return path, func() {}, nil
	}
	if line < 0 {
		return "", nil, &usageError{errors.New("--line counts from 1"), "leave it out for the last line"}
	}
	from, err := os.Open(path)
	if err != nil {
		return "", nil, fmt.Errorf("read session log: %w", err)
	}
	defer from.Close()
	to, err := os.CreateTemp("", "springfield-explain-*.jsonl")
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.Remove(to.Name()) }
	n, err := copyLines(to, from, line)
	if err = errors.Join(err, to.Close()); err != nil {
		remove()
		return "", nil, err
	}
	if n < line {
		remove()
		return "", nil, &usageError{fmt.Errorf("%s has %d lines, not %d", path, n, line), "leave --line out for the last one"}
	}
	return to.Name(), remove, nil
}

func copyLines(to io.Writer, from io.Reader, lines int) (n int, err error) {
	r := bufio.NewReader(from)
	for n < lines {
		line, err := r.ReadSlice('\n')
		if len(line) > 0 {
			if _, err := to.Write(line); err != nil {
				return n, err
			}
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			if len(bytes.TrimSpace(line)) > 0 {
				n++
			}
			return n, nil
		case err != nil:
			return n, err
		default:
			n++
		}
	}
	return n, nil
}

// explain prints a snapshot for people.
func (a *app) explain(known strategy.Strategy, snapshot hook.Snapshot, answers []strategy.Answer) {
	s, v := snapshot.Situation, snapshot.View
	a.say("situation")
	a.say("  last message  %s", excerpt(s.Message.Text))
	if v.PromptText != "" {
		a.say("  prompt        %s", excerpt(v.PromptText))
	}
	for _, c := range v.Calls {
		outcome := c.Result
		if c.Error {
			outcome = "error: " + outcome
		}
		a.say("  tool          %s", display.Line(c.Name+"("+c.Input+") "+outcome))
	}
	if s.Turn.Asked != "" {
		a.say("  asked by      %s", s.Turn.Asked)
	}
	if s.Skill.Name != "" {
		a.say("  skill         %s, %d turns ago", s.Skill.Name, s.Skill.Turns)
	}
	if len(s.Todos.List) > 0 {
		a.say("  todos         %s", tally(s.Todos.List))
	}
	if v.Feedback.InTurn > 0 {
		a.say("  continued     %d times since the prompt", v.Feedback.InTurn)
	}
	if len(answers) > 0 {
		a.say("rules")
	}
	decided := snapshot.Veto.Rule != ""
	for _, r := range answers {
		mark := " "
		switch {
		case r.Holds && !decided:
			mark, decided = ">", true
		case r.Holds:
			mark = "+"
		}
		a.say(" %s %-12s %-9s %s", mark, r.Rule.ID, r.Rule.Then, display.Line(r.Evidence))
	}
	a.say("decision")
	a.say("  %s by %s, %d %% sure: %s", snapshot.Verdict.Decision, snapshot.Verdict.Rule, snapshot.Verdict.Sure, display.Line(snapshot.Verdict.Evidence))
	if langs := language.Names(snapshot.Verdict.Languages); langs != "" {
		a.say("  read in %s", langs)
	}
	if snapshot.Verdict.Reason != "" {
		a.say("  Claude is told: %s", display.Line(strings.Join(strings.Fields(snapshot.Verdict.Reason), " ")))
	}
	if known.Judges {
		a.say("page")
		for _, line := range strings.Split(strings.TrimSuffix(strategy.Page(s), "\n"), "\n") {
			a.say("%s", strings.TrimRight("  "+line, " "))
		}
		a.say("%s", display.Line(command.WouldAsk(known, snapshot.Verdict)))
	}
}

// excerpt is the end of a text on one line.
func excerpt(s string) string {
	s = display.Line(strings.Join(strings.Fields(s), " "))
	if r := []rune(s); len(r) > 160 {
		s = "…" + string(r[len(r)-160:])
	}
	return s
}

func tally(todos []fact.Todo) string {
	n := fact.Count(todos)
	return fmt.Sprintf("%d completed, %d in progress, %d pending", n.Done, n.Doing, n.Pending)
}

// explained is the JSON shape of an explanation.
func explained(known strategy.Strategy, snapshot hook.Snapshot, answers []strategy.Answer) any {
	type rule struct {
		ID       string            `json:"id"`
		Then     strategy.Decision `json:"then"`
		Holds    bool              `json:"holds"`
		Evidence string            `json:"evidence"`
	}
	var rules []rule
	for _, r := range answers {
		rules = append(rules, rule{r.Rule.ID, r.Rule.Then, r.Holds, r.Evidence})
	}
	page := ""
	if known.Judges {
		page = strategy.Page(snapshot.Situation)
	}
	return struct {
		Decision  strategy.Decision  `json:"decision"`
		Rule      string             `json:"rule"`
		Sure      int                `json:"sure"`
		Evidence  string             `json:"evidence"`
		Lang      []string           `json:"lang,omitempty"`
		Reason    string             `json:"reason,omitempty"`
		Page      string             `json:"page,omitempty"` // what a judge is shown
		Asks      bool               `json:"asks,omitempty"` // tells that it would be asked
		Situation strategy.Situation `json:"situation"`
		Rules     []rule             `json:"rules"`
	}{snapshot.Verdict.Decision, snapshot.Verdict.Rule, snapshot.Verdict.Sure, snapshot.Verdict.Evidence, snapshot.Verdict.Languages, snapshot.Verdict.Reason, page, snapshot.Verdict.Page != "", snapshot.Situation, rules}
}
