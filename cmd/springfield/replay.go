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

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/replay"
	"github.com/cameronsjo/springfield/runtime/registry"
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
	json       bool
	html       string
}

func newReplay(a *app) *cobra.Command {
	var o replayOptions
	cmd := &cobra.Command{
		Use:   "replay [PATH...]",
		Short: "Show how each strategy would decide in your past sessions",
		Long: `Finds the stops in past sessions of all agents, or in the logs and directories
that you name, and lets every strategy decide there with the hook's code. From your next prompts, it
reports how many prompts each strategy would have saved, how often it would have been in the way,
and a model's cost; the questions that an away order would have answered; and the value of the
setting leave that fits your answers. Changes nothing, and neither asks a model nor opens a
connection.`,
		Example: `  springfield replay --since 90d --strategy ned-flanders --strategy lisa-simpson
  springfield replay --list wrong --strategy ned-flanders
  springfield replay --html replay.html`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.paths, o.numbered = args, cmd.Flags().Changed("number")
			return runReplay(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.strategies, "strategy", nil, "strategy to compare: its name, a plugin, ned-flanders:seed, seed-tree, or a rules file (repeatable; default: all that need only a log)")
	f.StringVar(&o.since, "since", "", "only stops since a date (2026-01-31) or an age (90d)")
	f.StringVar(&o.project, "project", "", "only sessions that began in or below this directory")
	f.StringVar(&o.host, "host", "", "only sessions of this agent: "+strings.Join(hosts.HostNames(), ", "))
	f.StringVar(&o.list, "list", "", "list stops by the decision of the first --strategy (default "+registry.Default()+"): "+strings.Join(replay.ListKinds(), ", "))
	f.IntVarP(&o.number, "number", "n", 20, "maximum number of stops to list with --list; 0 for all")
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.StringVar(&o.html, "html", "", "write an HTML page to this file; - for standard output")
	return cmd
}

func runReplay(ctx context.Context, a *app, o replayOptions) error {
	switch {
	case o.list != "" && !slices.Contains(replay.ListKinds(), o.list):
		return check.Misusef(check.HintAtNames(o.list, "--list ", replay.ListKinds(), ""), "--list cannot be %q", o.list)
	case o.numbered && o.list == "":
		return check.Misuse(errors.New("-n needs --list"),
			"springfield replay --list all -n "+strconv.Itoa(o.number))
	case o.host != "" && !slices.Contains(hosts.HostNames(), o.host):
		return unknownHostError(o.host)
	case o.number < 0:
		return check.Misuse(errors.New("-n must not be negative"), "use 0 to list all")
	case o.html != "" && (o.json || o.list != "") || o.json && o.list != "":
		return check.Misuse(errors.New("--json, --html and --list cannot be used together"), "run the command once for each; --json and --html contain every stop")
	}
	o.strategies = check.NamesOf(o.strategies, a.strategyPath)
	options, err := a.replayOptions(o)
	if err != nil {
		return err
	}
	if o.html != "" && o.html != "-" {
		if _, _, err := a.pageTarget(o.html); err != nil {
			return err
		}
	}
	const what = "reading your sessions"
	done := a.showWorking(what)
	options.Progress = func(p replay.Progress) {
		a.showStep(fmt.Sprintf("%s: %d of %d logs, %d of %d MB", what, p.Files, p.FilesTotal, p.Bytes>>20, p.BytesTotal>>20))
	}
	report := replay.RunReplay(ctx, options)
	done()
	named := func(s replay.Skipped) bool { return len(o.paths) > 0 && slices.Contains(options.Paths, s.File) }
	if i := slices.IndexFunc(report.Skipped, named); i >= 0 {
		return check.Advisef(nameLogs, "read %s: %s", report.Skipped[i].File, report.Skipped[i].Why)
	}
	none := len(o.paths) > 0 && report.Files+report.Elsewhere == 0 && !report.Partial
	if !none {
		if err := a.showReplay(o, report); err != nil {
			return err
		}
	}
	a.noteSkipped(report.Skipped)
	if report.Partial {
		a.talk("springfield: note: interrupted: the results cover only the logs read so far")
		return errCancelled
	}
	if none {
		return check.Advisef(nameLogs, "find session logs: there is none in %s", strings.Join(o.paths, " or "))
	}
	switch chosen := len(o.paths) > 0 || o.since+o.project+o.host != ""; {
	case len(report.Rows) > 0 || o.json || o.html == "-":
	case chosen:
		a.resultPrinter().PrintNext("springfield replay")
	default:
		a.printNextStep()
	}
	return nil
}

func (a *app) noteSkipped(all []replay.Skipped) {
	for i, s := range all {
		if i == mostSkipped {
			a.talk("springfield: note: skipped %d more; use --json to list them all", len(all)-i)
			break
		}
		a.talk("springfield: note: skipped %s: %s", s.File, s.Why)
	}
}

const mostSkipped, nameLogs = 10, "name a session log or a directory of logs; without a path, all your logs are read"

// replayOptions converts the flags in o. strategyPath has converted o.strategies.
func (e *environment) replayOptions(o replayOptions) (options replay.Options, err error) {
	if options.Since, err = parseSince(o.since, time.Now()); err != nil {
		return options, err
	}
	if o.project != "" {
		options.Project = rooted.PathFrom(e.work, o.project)
	}
	if len(o.strategies) == 0 {
		// A list is about the first strategy. Repeated names are ignored.
		o.strategies = replay.CandidateNamesByLog()
		if o.list != "" {
			o.strategies = append([]string{registry.Default()}, o.strategies...)
		}
	}
	options.Candidates, err = replay.Candidates(o.strategies, e.work)
	if err != nil {
		return options, err
	}
	for i := range options.Candidates {
		c := &options.Candidates[i]
		if about, err := generator.ReadAbout(c.Settings.Strategy.Name); err == nil && about.Changes != "none" {
			c.Note = "needs " + about.Needs + " that your skills write; without them it rarely continues"
		}
	}
	return options, e.chooseSessions(&options, o.paths, o.host)
}

// pageTarget returns the file for a page, and whether it is an earlier page. Any other file there, unless empty, is an
// error.
func (e *environment) pageTarget(name string) (page replay.PageFile, exists bool, err error) {
	if page.Path, page.In, err = e.pathResolver().FilePath(name, false); err != nil {
		return page, false, fmt.Errorf("write page: %w", err)
	}
	exists, err = page.CheckTarget()
	return page, exists, err
}

func (a *app) showReplay(o replayOptions, r replay.Report) error {
	switch {
	case o.json:
		return a.printJSON(r)
	case o.html != "":
		r.MapPaths(a.resultPrinter().ShortPath)
		if o.html == "-" {
			return replay.WriteHTML(a.out, r)
		}
		page, exists, err := a.pageTarget(o.html) // again, since reading takes time
		if exists && r.Partial {
			a.talk("springfield: note: %s was not overwritten, because it is complete and this replay is not", page.Path)
			return nil
		}
		if err == nil {
			err = page.WritePage(r)
		}
		if err != nil {
			return err
		}
		a.resultPrinter().PrintFolded("", "%s", r.Advice)
		a.say("wrote %s; open it in a browser", page.Path)
		return nil
	case o.list != "":
		if name := r.WriteList(a.resultPrinter(), o.list, o.number); name != "" {
			a.resultPrinter().PrintNext("springfield explain FILE --line N --strategy %s", check.QuoteArgument(name))
		}
		return nil
	}
	r.WriteText(a.resultPrinter())
	if wrong := r.MostInWay(); wrong != "" {
		a.resultPrinter().PrintNext("springfield replay --list wrong --strategy %s", check.QuoteArgument(wrong))
	}
	r.WriteNotes(a.notePrinter())
	return nil
}

// parseSince parses a date like 2026-01-31 or an age like 90d (zero time for "").
func parseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		return day, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n > 0 && n <= 36_500 {
			return now.AddDate(0, 0, -n), nil
		}
	} else if ago, err := time.ParseDuration(text); err == nil && ago > 0 {
		return now.Add(-ago), nil
	}
	return time.Time{}, check.Misuse(fmt.Errorf("--since %q is neither a date nor a duration", text),
		"write it like 2026-01-31 or 90d")
}

// chooseSessions sets the logs to replay in o: the paths, else all logs from the host ("" for every host).
func (e *environment) chooseSessions(o *replay.Options, pathsIfAny []string, knownHostOrAll string) (err error) {
	o.Host = knownHostOrAll
	for _, arg := range pathsIfAny {
		if arg == "" {
			return check.Misuse(errors.New("a path is empty"), "name a session log or a directory with session logs")
		}
		path := rooted.PathFrom(e.work, arg)
		if _, err := os.Stat(path); err != nil {
			return check.Advisef(nameLogs, "find session logs: %w", err)
		}
		o.Paths = append(o.Paths, path)
	}
	if len(pathsIfAny) > 0 {
		return nil
	}
	if err := e.findPlaces(); err != nil {
		return err
	}
	for _, known := range hosts.AllHosts() {
		h, ok := registry.HostNamed(known.Name)
		at := known.PlaceFor(e.hostOwner())
		if ok && !known.Markets && at.Dir != "" && (knownHostOrAll == "" || knownHostOrAll == known.Name) {
			if _, err := os.Stat(at.Dir); err == nil {
				o.LogDirs = append(o.LogDirs, replay.LogDir{Host: h, Dir: at.Dir})
			}
		}
	}
	projects := replay.ProjectsDir(e.places.Config)
	if _, err := os.Stat(projects); knownHostOrAll == hosts.ClaudeHost().Name || knownHostOrAll == "" && (err == nil || len(o.LogDirs) == 0) {
		o.Paths = []string{projects}
	}
	return nil
}
