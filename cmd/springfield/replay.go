// What each strategy would have done in the user's own past sessions.

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/check"
	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/replay"
	"github.com/cameronsjo/springfield/replay/tune"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/rules"
)

type replayOptions struct {
	paths      []string
	strategies []string
	since      string
	project    string
	host       string
	list       string
	number     int
	numbered   bool // -n was given
	noBudget   bool
	seeds      bool
	redact     bool
	json       bool
	html       string
}

func newReplay(a *app) *cobra.Command {
	var o replayOptions
	cmd := &cobra.Command{
		Use:   "replay [PATH...]",
		Short: "Show what each strategy would have done in your past sessions",
		Long: `Reads your past sessions (of every host that is here, or the logs and directories that
you name), finds where the agent stopped and what you said next, and lets every strategy
decide there with the code of the hook. Shows the stops that each would have caught,
those that it would have wrongly continued, and what asking a model would have cost;
with several hosts also how they compare.
Changes nothing, asks no model, and nothing leaves your machine.`,
		Example: `  springfield replay
  springfield replay --since 90d --strategy ned-flanders --strategy lisa-simpson
  springfield replay --list wrong --strategy ned-flanders
  springfield replay --html replay.html`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.paths, o.numbered = args, cmd.Flags().Changed("number")
			return runReplay(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.strategies, "strategy", nil, "compare this one: "+strings.Join(replay.Names(), ", ")+", or a rules file; repeatable (default: all that a session log is enough for)")
	f.BoolVar(&o.seeds, "seeds", false, "also compare the earlier designs: "+strings.Join(replay.Seeds(), ", "))
	f.StringVar(&o.since, "since", "", "only what happened since: a date like 2026-01-31, or 90d")
	f.StringVar(&o.project, "project", "", "only sessions that began in this directory or below it")
	onlyHost(cmd, &o.host)
	f.StringVar(&o.list, "list", "", "list stops instead of scores, by what the first --strategy did (default "+registry.Default()+"): "+strings.Join(replay.Lists(), ", "))
	f.IntVarP(&o.number, "number", "n", 20, "with --list, how many; 0 for all")
	f.BoolVar(&o.noBudget, "no-budget", false, "without the limits over time")
	f.BoolVar(&o.redact, "redact", false, "hide every word (letters become x), to share the result")
	f.BoolVar(&o.json, "json", false, "print everything as JSON")
	f.StringVar(&o.html, "html", "", "write everything into this file, as one page of HTML to browse; - for standard output")
	return cmd
}

func runReplay(ctx context.Context, a *app, o replayOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	options, err := a.replayed(o)
	if err != nil {
		return err
	}
	var done func()
	options.Progress, done = a.watch("reading your sessions")
	report, err := replay.Run(ctx, options)
	done()
	if err != nil {
		return err
	}
	if o.redact {
		report.Redact()
	}
	if err := a.showReplay(o, report); err != nil {
		return err
	}
	a.suggestTune(ctx, o, options.Candidates, report)
	if len(o.paths) > 0 && o.since+o.project+o.host == "" && len(report.Skipped) == 0 {
		if err := a.nothingNamed(report); err != nil {
			return err
		}
	}
	a.noteSkipped(report, "; --json lists all")
	if report.Partial {
		a.talk("springfield: note: interrupted: this is what had been read by then")
		return errCancelled
	}
	return nil
}

// check refuses flags that do not go together.
func (o replayOptions) check() error {
	switch {
	case o.list != "" && !slices.Contains(replay.Lists(), o.list):
		return &usageError{fmt.Errorf("--list %q: there is no such list", o.list), "choose from " + strings.Join(replay.Lists(), ", ")}
	case o.numbered && o.list == "":
		return &usageError{errors.New("-n goes with --list"), "springfield replay --list all -n " + strconv.Itoa(o.number)}
	case o.number < 0:
		return &usageError{errors.New("-n must not be negative"), "0 lists all"}
	}
	if _, err := parseSince(o.since, time.Now()); err != nil {
		return err
	}
	if o.html != "" && (o.json || o.list != "") || o.json && o.list != "" {
		return &usageError{errors.New("--json, --html and --list do not go together"), "run it twice; --json and --html have every stop"}
	}
	return nil
}

// replayed is what to replay.
func (a *app) replayed(o replayOptions) (options replay.Options, err error) {
	options.Since, _ = parseSince(o.since, time.Now())
	if o.html != "" && o.html != "-" {
		page, err := a.page(o.html)
		if err == nil {
			_, err = page.Check()
		}
		if err != nil {
			return options, err
		}
	}
	if o.project != "" {
		options.Project = a.absolute(o.project)
	}
	if len(o.strategies) == 0 {
		// A list is about the first strategy. A name that comes again is left out.
		o.strategies = replay.Alone()
		if o.list != "" {
			o.strategies = append([]string{registry.Default()}, o.strategies...)
		}
	}
	if o.seeds {
		o.strategies = append(o.strategies, replay.Seeds()...)
	}
	options.Candidates, err = a.candidates(o.strategies)
	if err != nil {
		return options, err
	}
	for i := range options.Candidates {
		c := &options.Candidates[i]
		c.NoBudget = c.NoBudget || o.noBudget
		if about, err := generator.ReadAbout(c.Settings.Strategy.Name); err == nil && about.Changes != "none" {
			c.Note = "needs " + about.Needs + " that your skills write; without them it hardly ever continues"
		}
	}
	return options, a.read(&options, o.paths, o.host)
}

// page is the file of a page that was named.
func (a *app) page(name string) (p replay.PageFile, err error) {
	if p.Path, p.In, err = a.typedFile(name, false); err != nil {
		err = fmt.Errorf("write page: %w", err)
	}
	return p, err
}

// candidates are those asked for by name or by the path of a rules file.
func (a *app) candidates(names []string) ([]replay.Candidate, error) {
	all, err := replay.Candidates(names, a.work)
	var name *replay.NameError
	if errors.As(err, &name) {
		hint := "springfield list describes them"
		if like := near(name.Name, replay.Names()); len(like) > 0 {
			hint = "did you mean " + strings.Join(like, " or ") + "?"
		}
		err = &usageError{err, hint}
	}
	return all, err
}

// near are the names that may have been meant by another that was typed.
func near(typed string, names []string) []string {
	all := &cobra.Command{SuggestionsMinimumDistance: 2}
	for _, name := range names {
		all.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	return all.SuggestionsFor(typed)
}

func (a *app) showReplay(o replayOptions, r replay.Report) error {
	switch {
	case o.json:
		return a.encode(r)
	case o.html != "":
		r.Shorten(a.lines().Path)
		if o.html == "-" {
			return replay.WriteHTML(a.out, r)
		}
		return a.writePage(o.html, r)
	case o.list != "":
		if name := r.WriteList(a.lines(), o.list, o.number); name != "" {
			a.lines().Next("springfield explain FILE --line N --strategy %s", check.Quote(name))
		}
		return nil
	}
	r.WriteText(a.lines())
	if wrong := r.MostWrong(); wrong != "" && !o.redact {
		a.lines().Next("springfield replay --list wrong --strategy %s%s", check.Quote(wrong), sameSessions(o))
	}
	r.WriteNotes(a.notes())
	return nil
}

// suggestTune says so where changes of the rules would mend something. Who has rules
// of their own has been there.
func (a *app) suggestTune(ctx context.Context, o replayOptions, candidates []replay.Candidate, r replay.Report) {
	const least = 10 // wrong decisions
	i := slices.IndexFunc(r.Scores, func(s replay.Score) bool { return s.Name == registry.Default() })
	if o.json || o.html != "" || o.list != "" || o.project != "" || o.host != "" || r.Redacted || r.Partial || i < 0 {
		return
	}
	ruled, ok := candidates[i].Settings.Options.(rules.Ruled)
	s := r.Scores[i]
	places, err := a.places()
	if err != nil || !ok || s.Caught.Of-s.Caught.N+s.Wrong.N < least {
		return
	}
	if _, err := os.Stat(places.RulesFile(s.Name)); err == nil {
		return
	}
	done := a.working("looking for phrases that " + s.Name + " misses")
	p, err := tune.Propose(ctx, r.Rows, tune.Tuning{Rules: ruled.Rules(), Choice: i})
	done()
	if err != nil || len(p.Proposed) == 0 {
		return
	}
	o.noBudget = false // which tune never counts
	out := a.lines()
	out.Fold("", "your sessions speak for %s of the rules of %s", count(len(p.Proposed), "change"), s.Name)
	out.Next("springfield tune%s", sameSessions(o))
}

// writePage writes the page, unless that would put less in the place of one that is whole.
func (a *app) writePage(name string, r replay.Report) error {
	page, err := a.page(name) // reading the sessions has taken its time
	if err != nil {
		return err
	}
	there, err := page.Check()
	if there && r.Partial {
		a.talk("springfield: note: %s is left as it was, because it is complete", page.Path)
		return nil
	}
	if err == nil {
		err = page.Write(r)
	}
	if err != nil {
		return err
	}
	a.lines().Fold("", "%s", r.Advice)
	a.say("wrote %s; open it in a browser", page.Path)
	return nil
}

// sameSessions are the arguments that name the same sessions.
func sameSessions(o replayOptions) string {
	s := ""
	for _, flag := range [][2]string{{"--since", o.since}, {"--project", o.project}, {"--host", o.host}} {
		if flag[1] != "" {
			s += " " + flag[0] + " " + check.Quote(flag[1])
		}
	}
	if o.noBudget {
		s += " --no-budget"
	}
	for _, path := range o.paths {
		s += " " + check.Quote(path)
	}
	return s
}
