package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/installer/doctor"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/replay"
	"github.com/cameronsjo/springfield/runtime/console"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/rules"
)

type explainOptions struct {
	transcript string // a file, a session, a decision, or last
	line       int
	strategy   string
	json       bool
	chosen     bool // --strategy was given
}

func newExplain(a *app) *cobra.Command {
	var o explainOptions
	cmd := &cobra.Command{
		Use:   "explain LOG|SESSION|DECISION|last",
		Short: "Replay a past session and show how every rule voted",
		Long: `Decides as a plugin's hook would if Claude stopped at the end of a log, or
after --line. Shows the hook's input, why each rule matches or does not match, and the decision.
Ignores limits, holds and away orders.

LOG is a file, such as ~/.claude/projects/DIR/SESSION.jsonl. SESSION is an ID or its start. DECISION
is an ID from springfield log. For a DECISION or last, explain uses the plugin that decided and the
log of that time.

Without --strategy, your current settings and the project's apply; with it, only the strategy's own.
The project's files are read in their current state.`,
		Example: `  springfield explain last
  springfield explain SESSION.jsonl
  springfield explain SESSION.jsonl --line 120 --strategy marge-simpson`,
		Args: arguments(1, 1, "a session log, a session, a decision, or last"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.transcript = args[0]
			o.chosen = cmd.Flags().Changed("strategy")
			return runExplain(cmd.Context(), a, o)
		},
		PreRunE: a.needPlaces,
	}
	cmd.Flags().IntVar(&o.line, "line", 0, "decide after this line (default: the last)")
	explainFlags(cmd, &o)
	return cmd
}

// explainFlags adds --strategy and --json to cmd. When cmd runs, it must set o.chosen.
func explainFlags(cmd *cobra.Command, o *explainOptions) {
	f := cmd.Flags()
	f.StringVar(&o.strategy, "strategy", registry.Default(), "strategy to use: its name, a plugin, ned-flanders:seed, seed-tree, or a rules file")
	f.BoolVar(&o.json, "json", false, "print JSON")
}

func runExplain(ctx context.Context, a *app, o explainOptions) error {
	if o.line < 0 {
		return check.Misuse(errors.New("--line counts from 1"), "omit it for the last line")
	}
	place, decided, err := a.placeToExplain(ctx, o)
	if err != nil {
		return err
	}
	if decided.ID != "" && !o.json {
		by := "your current settings"
		if o.chosen {
			by = "--strategy " + o.strategy
		}
		a.say("%s: %s decided %s because of rule %s, %s, in %s", decided.ID, decided.Plugin, decided.Decision, decided.Rule,
			doctor.AgoInWords(place.Now, time.UnixMilli(decided.At)), place.Log)
		a.say("below is the decision by %s, without a model's answer, the hook's counts, holds or away orders", by)
	}
	c, err := a.candidateToExplain(o, cmp.Or(decided.Plugin, o.strategy), cmp.Or(decided.ProjectOrCwd(), place.Work))
	if err != nil {
		return err
	}
	return a.explainPlace(place, c, o.json)
}

func (a *app) explainPlace(place replay.Place, c replay.Candidate, asJSON bool) error {
	e, err := replay.Explain(place, c)
	switch {
	case err != nil:
		return err
	case asJSON:
		return json.NewEncoder(a.out).Encode(e)
	}
	e.WriteText(a.resultPrinter())
	for _, fault := range slices.Concat(c.Settings.Faults, check.NamesOf(rules.CheckPatterns(c.Settings.Options), error.Error)) {
		a.talk("springfield: note: ignored: %s", fault)
	}
	return nil
}

// candidateToExplain returns the candidate that --strategy names, else the plugin with its settings in project.
func (a *app) candidateToExplain(o explainOptions, plugin, project string) (replay.Candidate, error) {
	if o.chosen {
		return a.typedCandidate(o)
	}
	p, err := a.findPluginOrStrategy(plugin)
	if known, ok := registry.StrategyNamed(plugin); err != nil && ok {
		p, err = hook.Plugin{Name: plugin, Strategy: known}, nil
	}
	if err != nil {
		return replay.Candidate{}, check.Advise(err, "choose how to decide: --strategy "+registry.Default())
	}
	return replay.Candidate{Name: plugin, Settings: p.ReadSettings(a.places.StatePath(), project)}, nil
}

// placeToExplain finds the log for o by path, session or decision. decided is the decision, if o names one.
func (a *app) placeToExplain(ctx context.Context, o explainOptions) (place replay.Place, decided ledger.Record, err error) {
	place = replay.Place{Log: rooted.PathFrom(a.work, o.transcript), Line: o.line, Work: a.work, Home: a.home, Now: time.Now()}
	if _, err := os.Stat(place.Log); err == nil && o.transcript != "last" || filepath.Base(o.transcript) != o.transcript || filepath.Ext(o.transcript) == ".jsonl" {
		return place, decided, nil
	}
	err = a.useAndSweep(ctx, a.work, func(d console.Console) (err error) {
		if o.transcript != "last" && !ledger.IsDecisionID(o.transcript) {
			place.Log, err = d.FindLog(o.transcript)
			return err
		}
		if decided, err = d.Decision(o.transcript); err != nil {
			return err
		}
		place.Log, err = d.FindLog(decided.Session)
		place.At = decided.At
		return err
	})
	if info, gone := os.Stat(decided.Cwd); gone == nil && info.IsDir() && filepath.IsAbs(decided.Cwd) {
		place.Work = decided.Cwd
	}
	return place, decided, err
}

// strategyPath returns the path to a plugin's strategy.json, or plugin if no plugin with files is found.
func (a *app) strategyPath(plugin string) (pathOrName string) {
	if slices.Contains(replay.CandidateNames(), plugin) || a.findPlaces() != nil {
		return plugin
	}
	if p, err := a.findPluginOrStrategy(plugin); err == nil && p.Root != "" {
		return filepath.Join(p.Root, "strategy.json")
	}
	return plugin
}

// typedCandidate returns the candidate that --strategy names. o.chosen is set.
func (a *app) typedCandidate(o explainOptions) (replay.Candidate, error) {
	if known, ok := registry.StrategyNamed(o.strategy); ok {
		settings, err := hook.Defaults(known, "")
		return replay.Candidate{Name: o.strategy, Settings: settings}, err
	}
	all, err := replay.Candidates([]string{a.strategyPath(o.strategy)}, a.work)
	if err != nil {
		return replay.Candidate{}, err
	}
	return all[0], nil
}
