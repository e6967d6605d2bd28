// Tuning: changes of the user's own rules file that past sessions speak for, as a
// diff to accept.

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/change"
	"github.com/cameronsjo/springfield/installer"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/layer"
	"github.com/cameronsjo/springfield/replay"
	"github.com/cameronsjo/springfield/replay/tune"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/registry"
)

type tuneOptions struct {
	paths  []string
	plugin string
	since  string
	host   string
	dryRun bool
	yes    bool
	json   bool
}

func newTune(a *app) *cobra.Command {
	var o tuneOptions
	cmd := &cobra.Command{
		Use:   "tune [PATH...]",
		Short: "Propose changes to your rules, learned from your past sessions",
		Long: `Reads your past sessions (of every host that is here, or the logs and directories that
you name) and looks for phrases that a plugin's rules miss, because you had to say
"continue", and for phrases after which the rules continued wrongly. What it finds in
one half of the sessions is tested on the other half. Only what holds there, beyond
chance, is proposed.

Shows the change to your own rules, ~/.claude/springfield/PLUGIN.json, as a diff with
counts and excerpts, and asks before it writes. springfield undo takes it back.
Nothing leaves your machine.`,
		Example: `  springfield tune
  springfield tune --since 90d --dry-run
  springfield tune --plugin ned-flanders --yes`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.paths = args
			return runTune(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.plugin, "plugin", "", "the plugin with these rules (default: the plugin that decides at Stop, else "+registry.Default()+")")
	f.StringVar(&o.since, "since", "", "only what happened since: a date like 2026-01-31, or 90d")
	onlyHost(cmd, &o.host)
	f.BoolVar(&o.dryRun, "dry-run", false, "show the change, write nothing")
	f.BoolVarP(&o.yes, "yes", "y", false, "write without asking")
	f.BoolVar(&o.json, "json", false, "print the result as JSON")
	return cmd
}

func runTune(ctx context.Context, a *app, o tuneOptions) error {
	if o.dryRun && o.yes {
		return &usageError{errors.New("--dry-run and --yes do not go together"), "--dry-run shows what --yes would write"}
	}
	places, err := a.places()
	if err != nil {
		return err
	}
	var options replay.Options
	if options.Since, err = parseSince(o.since, time.Now()); err != nil {
		return err
	}
	if err = a.read(&options, o.paths, o.host); err != nil {
		return err
	}
	p, err := a.tuned(places, o.plugin)
	if err != nil {
		return err
	}
	stack, err := layer.Read(places, p)
	if err != nil {
		return err
	}
	t := tuned{stack, places}
	done := a.working("reading your sessions")
	defer done()
	report, proposal, err := tune.Run(ctx, tune.Request{
		Options: options, Settings: t.settings, Begun: a.watch, Read: func(r replay.Report) error { return a.noteRead(o, p, r) },
	})
	done()
	if err != nil {
		return hintPlugin(err)
	}
	plan, err := t.plan(proposal.Proposed)
	if err != nil {
		return hintPlugin(err)
	}
	switch {
	case o.json:
	case len(report.Rows) == 0:
		a.lines().Fold("", "%s", report.Advice)
	default:
		proposal.WriteText(a.lines(), p.Name, report.Sessions)
		if !plan.Empty() {
			a.say("")
			a.lines().Diff(plan.Diff())
		}
	}
	written, err := a.accept(ctx, t, o, proposal, plan)
	if err != nil {
		return hintPlugin(err)
	}
	if o.json {
		return a.encode(tuneShape{p.Name, t.file(), report.Sessions, len(report.Rows), proposal, plan.Diff(), written})
	}
	return nil
}

// noteRead says what has to be known of the sessions that were read.
func (a *app) noteRead(o tuneOptions, p layer.Plugin, r replay.Report) error {
	if len(o.paths) > 0 && o.since+o.host == "" {
		if err := a.nothingNamed(r); err != nil {
			return err
		}
	}
	a.noteSkipped(r, "")
	if p.Strategy.New().Needs().Files != nil {
		a.talk("springfield: note: %s also looks at files of the project; a session log does not have them, so its rules decided without", p.Name)
	}
	a.step("looking for phrases")
	return nil
}

// tuneShape is the JSON of a tuning; docs/tune.md describes it.
type tuneShape struct {
	Plugin   string `json:"plugin"`
	File     string `json:"file"` // the user's own rules
	Sessions int    `json:"sessions"`
	Rows     int    `json:"rows"`
	tune.Proposal
	Diff    string `json:"diff"` // unified; empty when nothing is proposed
	Written bool   `json:"written"`
}

// accept writes the plan if the user says so: by --yes, or asked on a terminal.
func (a *app) accept(ctx context.Context, t tuned, o tuneOptions, proposal tune.Proposal, plan change.Change) (written bool, err error) {
	switch {
	case plan.Empty() || o.dryRun:
		return false, nil
	case o.yes:
	case !a.terminal || o.json:
		a.talk("nothing was written; --yes writes it")
		return false, nil
	default:
		yes, err := a.asker(ctx).Confirm("Write this to " + t.file() + "?")
		if err != nil {
			return false, err
		}
		if !yes {
			return false, errCancelled
		}
	}
	shown := plan.Diff()
	if _, err = installer.Journal(t.places).Do(func() (change.Change, error) {
		again, err := t.plan(proposal.Proposed)
		if err == nil && again.Diff() != shown {
			err = fmt.Errorf("write settings: %s: %w", t.file(), change.ErrChanged) // it was not this that was accepted
		}
		return again, err
	}); err != nil {
		return false, err
	}
	if !o.json {
		a.say("changed %s; it decides at the next stop, springfield undo takes it back", t.file())
	}
	return true, nil
}

// tuned are the rules of a plugin, and the home that they are in.
type tuned struct {
	layer.Stack
	places client.Places
}

// file is the user's own rules.
func (t tuned) file() string { return t.places.RulesFile(t.Plugin.Name) }

// tuned finds a plugin that has rules: by its name, else the one that decides, else the
// default one, which need not be enabled.
func (a *app) tuned(places client.Places, name string) (layer.Plugin, error) {
	p, err := a.tunable(places, name)
	if err == nil {
		err = tune.Check(p.Name, p.Strategy)
	}
	var none *tune.RulesError
	if errors.As(err, &none) {
		err = &usageError{err, "plugins of these strategies do: " + strings.Join(tune.Ruled(), ", ")}
	}
	return p, err
}

func (a *app) tunable(places client.Places, name string) (layer.Plugin, error) {
	if name != "" {
		return a.plugin(places, name)
	}
	inventory, err := client.Look(places).Inventory()
	if err != nil {
		return layer.Plugin{}, err
	}
	var found []layer.Plugin
	for _, p := range inventory.Plugins {
		if p.Dir == "" || !p.Ours() || !p.Runs() || !p.Drives() {
			continue
		}
		in, err := layer.In(p.Dir)
		if err == nil && tune.Check(in.Name, in.Strategy) == nil && !slices.ContainsFunc(found, func(other layer.Plugin) bool { return other.Name == in.Name }) {
			found = append(found, in)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return layer.Plugin{}, &usageError{fmt.Errorf("%s and %s both decide by rules", found[0].Name, found[1].Name), "choose one: --plugin " + found[0].Name}
	}
	return a.plugin(places, registry.Default())
}

// plan is the edit that proposals come to. What the hook would find wrong with the file
// that comes of it is an error.
func (t tuned) plan(proposed []tune.Proposed) (change.Change, error) {
	plan, _, err := t.with(proposed)
	return plan, err
}

// settings are those in force, without those of a project, with proposals.
func (t tuned) settings(proposed []tune.Proposed) (hook.Settings, error) {
	_, after, err := t.with(proposed)
	if err != nil {
		return hook.Settings{}, err
	}
	return t.Settings(after), nil
}

// with adds proposals behind what the user's own file has. The file is read anew: it may
// have changed since.
func (t tuned) with(proposed []tune.Proposed) (plan change.Change, after []byte, err error) {
	var edits []document.Edit
	for _, p := range proposed {
		list, v := "add", any(p.Rule)
		if p.Rule == nil {
			list, v = "off", p.Off
		}
		value, err := document.Encode(v)
		if err != nil {
			return plan, nil, err
		}
		edits = append(edits, document.Edit{Path: []string{list, document.Appended}, Value: value})
	}
	stack, err := layer.Read(t.places, t.Plugin)
	if err != nil {
		return plan, nil, err
	}
	return stack.Plan(layer.User, "tune "+t.Plugin.Name, edits)
}
