package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/replay"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/registry"
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
		Short: "Decide on a past session, and show every rule",
		Long: `Decides on a session log (~/.claude/projects/DIR/SESSION.jsonl) as a plugin's hook would
if Claude stopped at its end, or after --line. Shows what the hook sees, why each rule
holds or not, and the decision. Files that a strategy keeps in the project are read
in the current directory, as they are now. Budget and hold are left out.`,
		Example: `  springfield explain SESSION.jsonl
  springfield explain SESSION.jsonl --line 120 --strategy marge-simpson`,
		Args: arguments(1, 1, "one session log"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.transcript = args[0]
			return runExplain(a, o)
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.line, "line", 0, "decide after this line, counted from 1 (default: the last)")
	f.StringVar(&o.strategy, "strategy", registry.Default(), "how to decide: "+strings.Join(registry.Names(), ", ")+", or what else springfield replay compares: ned-flanders:seed, seed-tree, a rules file")
	f.StringVar(&o.rules, "rules", "", "rule set: "+strings.Join(registry.RuleSets(), ", "))
	f.BoolVar(&o.treeOnly, "tree-only", false, "ask the strategy alone, no guard")
	f.BoolVar(&o.json, "json", false, "print the result as JSON")
	return cmd
}

func runExplain(a *app, o explainOptions) error {
	if o.line < 0 {
		return &usageError{errors.New("--line counts from 1"), "leave it out for the last line"}
	}
	c, err := a.decider(o)
	if err != nil {
		return err
	}
	e, err := replay.Explain(replay.Place{Log: a.absolute(o.transcript), Line: o.line, Work: a.work, Home: a.home, Now: time.Now()}, c)
	var line *replay.LineError
	switch {
	case errors.As(err, &line):
		return &usageError{err, "leave --line out for the last one"}
	case err != nil:
		return err
	case o.json:
		return a.encodeLine(e)
	}
	e.WriteText(a.lines())
	return nil
}

// decider is how to decide: a strategy, or whatever else a replay compares.
func (a *app) decider(o explainOptions) (replay.Candidate, error) {
	if known, ok := registry.Named(o.strategy); ok {
		settings := hook.Unplugged(known, "", "")
		if o.rules != "" {
			var err error
			if settings, err = settings.With(`{"rules": ` + strconv.Quote(o.rules) + `}`); err != nil {
				return replay.Candidate{}, &usageError{err, "see springfield explain --help"}
			}
		}
		return replay.Candidate{Name: o.strategy, Settings: settings, Bare: o.treeOnly}, nil
	}
	all, err := a.candidates([]string{o.strategy})
	if err != nil {
		return replay.Candidate{}, err
	}
	c := all[0]
	switch {
	case c.AsksAlways:
		return c, &usageError{fmt.Errorf("%s asks a model at every stop: there is no rule to explain", o.strategy), "there is " + strings.Join(registry.Names(), ", ")}
	case o.rules != "":
		return c, &usageError{errors.New("--rules goes with the name of a strategy alone"), "write --strategy ned-flanders --rules " + o.rules}
	}
	c.Bare = c.Bare || o.treeOnly
	return c, nil
}

// encodeLine prints a result as JSON on one line.
func (a *app) encodeLine(v any) error {
	data, err := json.Marshal(v)
	if err == nil {
		_, err = a.out.Write(append(data, '\n'))
	}
	return err
}
