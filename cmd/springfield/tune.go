// Tuning: changes of the user's own rules file that past sessions speak for, as a
// diff to accept.

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/installer"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/replay"
	"github.com/cameronsjo/springfield/replay/tune"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

type tuneOptions struct {
	paths  []string
	plugin string
	since  string
	dryRun bool
	yes    bool
	json   bool
}

func newTune(a *app, runF func(context.Context, *app, tuneOptions) error) *cobra.Command {
	var o tuneOptions
	cmd := &cobra.Command{
		Use:   "tune [PATH...]",
		Short: "Propose changes to your rules that your own past sessions speak for",
		Long: `Read past sessions (~/.claude/projects, or the session logs and directories given) and look for
phrases that a plugin's rules miss: after which you had to say "continue", or Claude went on by
itself; and for phrases after which you had something else to say where the rules made Claude go on.
What is found in one half of the sessions is tested on the other half; only what holds there, beyond
chance, is proposed.

Shows the change of your own rules file, ~/.claude/springfield/PLUGIN.json, as a diff with the counts
and excerpts behind it, and asks before it writes. springfield undo takes it back. Nothing leaves
the machine.`,
		Example: `  springfield tune
  springfield tune --since 90d --dry-run
  springfield tune --plugin ned-flanders --yes ~/.claude/projects/-home-ned-shop`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.paths = args
			return runF(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.plugin, "plugin", "", "whose rules (default: the plugin that decides at Stop, else ned-flanders)")
	f.StringVar(&o.since, "since", "", "only what happened since: a day like 2026-01-31, or 90d")
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
	since, err := parseSince(o.since, time.Now())
	if err != nil {
		return err
	}
	paths, err := a.logs(o.paths)
	if err != nil {
		return err
	}
	t, err := a.tuned(places, o.plugin)
	if err != nil {
		return err
	}
	present, err := t.now()
	if err != nil {
		return hintRules(err)
	}
	look := func(what string, candidates ...hook.Settings) (replay.Report, error) {
		options := replay.Options{Paths: paths, Since: since}
		for _, c := range candidates {
			// Limits over time are no matter of rules.
			options.Candidates = append(options.Candidates, replay.Candidate{Name: c.Plugin, Settings: c, NoBudget: true})
		}
		var done func()
		options.Progress, done = a.watch(what)
		report, err := replay.Run(ctx, options)
		done()
		if err == nil && ctx.Err() != nil {
			err = ctx.Err() // half a history is not proposed from
		}
		return report, err
	}
	report, err := look("reading", present)
	if err != nil {
		return err
	}
	if len(o.paths) > 0 && o.since == "" {
		if err := a.nothingNamed(report); err != nil {
			return err
		}
	}
	a.passedOver(report, "")
	if present.Strategy.Reads != nil {
		a.talk("springfield: note: %s also looks at files of the project; those of then are not in a session log, so its rules were asked without them", t.plugin)
	}
	proposal, err := tune.Propose(ctx, report.Rows, tune.Tuning{Rules: present.Strategy.Rules(present.Config)})
	if err != nil {
		return err
	}
	for settled := false; !settled && len(proposal.Proposed) > 0; {
		candidates := []hook.Settings{present}
		for i := range proposal.Proposed {
			with, err := t.with(proposal.Proposed[:i+1])
			if err != nil {
				return hintRules(err)
			}
			candidates = append(candidates, with)
		}
		again, err := look("deciding anew", candidates...)
		if err != nil {
			return err
		}
		settled = proposal.Weigh(again.Rows)
	}
	plan, err := t.plan(proposal.Proposed)
	if err != nil {
		return hintRules(err)
	}
	if !o.json {
		a.sayProposal(t, report, proposal, plan)
	}
	written, err := a.accept(ctx, t, o, proposal, plan)
	if err != nil {
		return hintRules(err)
	}
	if o.json {
		return a.encode(struct {
			Plugin   string `json:"plugin"`
			File     string `json:"file"` // the user's own rules
			Sessions int    `json:"sessions"`
			Rows     int    `json:"rows"`
			tune.Proposal
			Diff    string `json:"diff"` // unified; empty when nothing is proposed
			Written bool   `json:"written"`
		}{t.plugin, places.RulesFile(t.plugin), report.Sessions, len(report.Rows), withLists(proposal), plan.Diff(), written})
	}
	return nil
}

// withLists has no null where JSON has a list.
func withLists(p tune.Proposal) tune.Proposal {
	p.Proposed = append([]tune.Proposed{}, p.Proposed...)
	return p
}

// accept writes the plan if the user says so: by --yes, or asked on a terminal.
func (a *app) accept(ctx context.Context, t tuned, o tuneOptions, proposal tune.Proposal, plan installer.Plan) (written bool, err error) {
	switch {
	case !plan.Changes() || o.dryRun:
		return false, nil
	case o.yes:
	case !a.terminal || o.json:
		a.talk("nothing was written; --yes writes it")
		return false, nil
	default:
		yes, err := a.newPrompter(ctx).confirm("Write this to " + t.places.RulesFile(t.plugin) + "?")
		if err != nil {
			return false, err
		}
		if !yes {
			return false, errCancelled
		}
	}
	shown := plan.Diff()
	if _, err = apply(t.places, func() (installer.Plan, error) {
		again, err := t.plan(proposal.Proposed)
		if err == nil && again.Diff() != shown {
			err = fmt.Errorf("write rules: %s: %w", t.places.RulesFile(t.plugin), installer.ErrChanged) // it was not this that was accepted
		}
		return again, err
	}); err != nil {
		return false, err
	}
	if !o.json {
		a.say("changed %s; it decides at the next stop, springfield undo takes it back", t.places.RulesFile(t.plugin))
	}
	return true, nil
}

// tuned is the plugin whose rules are looked at.
type tuned struct {
	places installer.Places
	plugin string
	// root is where it lies, "" if only its strategy is known.
	root  string
	known strategy.Strategy
}

// tuned finds the plugin: by its name, else the one that decides, else
// ned-flanders, whose rules wait for nobody to enable it.
func (a *app) tuned(places installer.Places, name string) (tuned, error) {
	inventory, err := places.Inventory()
	if err != nil {
		return tuned{}, err
	}
	var found []tuned
	for _, p := range inventory.Plugins {
		if p.Dir == "" || !p.Ours() || name == "" && (!p.Runs() || !p.Drives()) || name != "" && name != p.Name && name != p.ID {
			continue
		}
		if t, err := tunedIn(places, p.Dir); err == nil && !slices.ContainsFunc(found, func(other tuned) bool { return other.plugin == t.plugin }) {
			found = append(found, t)
		} else if err != nil && name != "" {
			return tuned{}, err
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return tuned{}, &usageError{fmt.Errorf("%s and %s both decide by rules", found[0].plugin, found[1].plugin), "say which: --plugin " + found[0].plugin}
	}
	bare, _, _ := strings.Cut(firstOf(name, "ned-flanders"), "@")
	p, err := a.findPlugin(places, firstOf(name, "ned-flanders"), "")
	var several *severalError
	switch {
	case err == nil && p.Suite != "":
		return tunedIn(places, filepath.Join(p.Suite, p.Name))
	case name != "" && errors.As(err, &several):
		return tuned{}, err
	}
	known, ok := strategy.Named(bare)
	if !ok {
		return tuned{}, &usageError{fmt.Errorf("there is no plugin %q", name), "springfield status shows which there are; a strategy will do, too: " + strings.Join(ruled(), ", ")}
	}
	t := tuned{places: places, plugin: bare, known: known}
	return t, t.decidesByRules()
}

func tunedIn(places installer.Places, dir string) (tuned, error) {
	settings, err := hook.ReadSettings(dir, "", "")
	if err != nil {
		return tuned{}, err
	}
	t := tuned{places: places, plugin: settings.Plugin, root: dir, known: settings.Strategy}
	return t, t.decidesByRules()
}

func (t tuned) decidesByRules() error {
	if !slices.Contains(ruled(), t.known.Name) {
		return &usageError{fmt.Errorf("%s does not decide at Stop by rules, so there is nothing to tune", t.plugin), "plugins of these strategies do: " + strings.Join(ruled(), ", ")}
	}
	return nil
}

// ruled names the strategies that decide at Stop by rules, which a file can add to.
func ruled() []string {
	var names []string
	for _, s := range strategy.All() {
		if s.Rules != nil && s.Answers() == "Stop" {
			names = append(names, s.Name)
		}
	}
	return names
}

// now are the settings in force, without those of a project.
func (t tuned) now() (hook.Settings, error) {
	var settings hook.Settings
	_, err := installer.PlanRules(t.places, t.plugin, nil, "", func(data []byte) (err error) {
		settings, err = t.settings(data)
		return err
	})
	return settings, err
}

// with are the settings with proposals.
func (t tuned) with(proposed []tune.Proposed) (hook.Settings, error) {
	var settings hook.Settings
	additions, err := additions(proposed)
	if err == nil {
		_, err = installer.PlanRules(t.places, t.plugin, additions, "", func(data []byte) (err error) {
			settings, err = t.settings(data)
			return err
		})
	}
	return settings, err
}

// plan is the edit that proposals come to.
func (t tuned) plan(proposed []tune.Proposed) (installer.Plan, error) {
	additions, err := additions(proposed)
	if err != nil {
		return installer.Plan{}, err
	}
	return installer.PlanRules(t.places, t.plugin, additions, "tune "+t.plugin, func(data []byte) error {
		_, err := t.settings(data)
		return err
	})
}

func additions(proposed []tune.Proposed) ([]installer.Addition, error) {
	var all []installer.Addition
	for _, p := range proposed {
		list, v := "add", any(p.Rule)
		if p.Rule == nil {
			list, v = "off", p.Off
		}
		value, err := document.Encode(v)
		if err != nil {
			return nil, err
		}
		all = append(all, installer.Addition{List: list, Value: value})
	}
	return all, nil
}

// settings are what the hook would have in force if the user's file held data. What
// the hook would find wrong with it is an error.
func (t tuned) settings(data []byte) (hook.Settings, error) {
	dir, err := os.MkdirTemp("", "springfield-tune-")
	if err != nil {
		return hook.Settings{}, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, t.plugin+".json")
	if len(bytes.TrimSpace(data)) > 0 {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			return hook.Settings{}, err
		}
	}
	settings := hook.Unplugged(t.known, dir, "")
	if t.root != "" {
		if settings, err = hook.ReadSettings(t.root, dir, ""); err != nil {
			return hook.Settings{}, err
		}
	}
	for _, fault := range settings.Faults {
		if strings.HasPrefix(fault, file) {
			return hook.Settings{}, errors.New("read rules: " + t.places.RulesFile(t.plugin) + strings.TrimPrefix(fault, file))
		}
	}
	return settings, nil
}

func hintRules(err error) error {
	var syntax *document.SyntaxError
	switch {
	case errors.As(err, &syntax), strings.HasPrefix(err.Error(), "read rules: "):
		return &hinted{err, "mend that file first: nothing was written"}
	case errors.Is(err, installer.ErrChanged):
		return &hinted{err, "the file was left to the other program; call springfield tune again"}
	}
	return err
}

// sayProposal prints what was found, and the diff.
func (a *app) sayProposal(t tuned, report replay.Report, p tune.Proposal, plan installer.Plan) {
	missed, wrong := p.Learned.Missed+p.Held.Missed, p.Learned.Wrong+p.Held.Wrong
	a.folded("", "%s, %s: %d times the rules of %s let Claude stop in mid-work or before a bare \"continue\", %d times they continued where you had something else to say",
		count(report.Sessions, "session"), count(p.Learned.Continue+p.Learned.Stop+p.Held.Continue+p.Held.Stop, "place")+" that count", missed, t.plugin, wrong)
	if len(p.Proposed) == 0 {
		a.folded("", "nothing to propose: no phrase that both halves of these sessions speak for, beyond chance")
		if stops := p.Held.Stop; stops < enough {
			a.folded("", "%d of the stops in the held-out half count, which is few: with more history there may be something to find", stops)
		}
		return
	}
	for _, c := range p.Proposed {
		a.say("")
		a.folded("", "%s", proposed(c))
		a.folded("  learned on ", "%s", evidence(c, c.Learned))
		a.folded("  held out   ", "%s", evidence(c, c.Held))
		for _, e := range c.Excerpts {
			a.say("    %s:%d  %s", e.File, e.Line, excerpt(e.Text))
		}
	}
	if p.Before != nil && p.After != nil {
		a.say("")
		a.say("decided anew on the held-out half, %s", count(p.Held.Sessions, "session"))
		a.say("  caught            %s, then %s", part(p.Before.Caught), part(p.After.Caught))
		a.folded("  wrongly continued ", "%s, then %s; at 95 %% confidence no more than %.1f %%", part(p.Before.Wrong), part(p.After.Wrong), 100*p.After.Wrong.High)
	}
	a.say("")
	fmt.Fprint(a.out, plan.Diff())
}

// proposed is a proposal in one line.
func proposed(c tune.Proposed) string {
	if c.Rule == nil {
		return fmt.Sprintf("switch off the rule %s", c.Off)
	}
	where := map[string]string{
		"opens": "the last sentence begins with %q", "says": "the last paragraph says %q", "closes": "the message ends with %q",
	}[c.Where]
	return fmt.Sprintf("%s where "+where, c.Rule.Then, c.Phrase)
}

// evidence are counts in one line: what the change would mend, and what it would
// spoil.
func evidence(c tune.Proposed, e tune.Evidence) string {
	work := fmt.Sprintf("%s and %s in mid-work", count(e.Nudges, "nudge"), count(e.MidWork, "point"))
	answered := fmt.Sprintf("%s where you had something else to say", count(e.Answered, "stop"))
	if c.Rule != nil && c.Rule.Then == strategy.Continue {
		return fmt.Sprintf("%s, of %s; against it %s", work, count(e.Sessions, "session"), answered)
	}
	return fmt.Sprintf("%s, of %s; against it %s", answered, count(e.Sessions, "session"), work)
}

// enough is how many stops where a person answered make it likely that what there
// is to find is found.
const enough = 50

func part(r replay.Rate) string { return fmt.Sprintf("%d of %d", r.N, r.Of) }
