// The end of the story: from a suite to a marketplace that people install from.
// Everything is worked out and reviewed in a copy; then hooks are written, and
// the rest in one edit that undo takes back.

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/check"
	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer"
	"github.com/cameronsjo/springfield/installer/document"
)

type publishOptions struct {
	dir     string // "": the suite around the working directory
	to      string
	plugins []string
	bump    string
	version string
	notes   []string
	source  string
	repo    string
	ref     string
	noPin   bool
	replace bool
	targets []string
	builder generator.Builder
	check   bool
	tag     bool
	dryRun  bool
	json    bool
}

func newPublish(a *app, runF func(context.Context, *app, publishOptions) error) *cobra.Command {
	var o publishOptions
	var builder string
	cmd := &cobra.Command{
		Use:   "publish [DIR]",
		Short: "Publish a suite's plugins in a marketplace: versions, hooks for every machine, review, entry",
		Long: `Publish the plugins of the suite in DIR, or around the current directory, in a marketplace: the
local checkout that --to names, or publish.to in ` + generator.SuiteFile + `, or the suite itself, which is
one. Each gets its entry in .claude-plugin/marketplace.json; the entries of others, their order and
layout stay as they are.

Hooks are compiled for every machine. A plugin whose files have changed since it was published
needs a new version (--bump, --version): clients fetch a version once. plugin.json, entry,
` + generator.SuiteFile + ` and CHANGELOG.md agree afterwards, or nothing is written. Before that, everything
is reviewed as marketplaces do it, and Claude Code validates it where it is installed.

A plugin inside the marketplace's checkout is named by its path. Any other is fetched from the
suite's own repository (git-subdir) and pinned to a commit. That takes two runs: the first writes
everything but the commit; after commit and push the second writes that.

Nothing is committed or pushed. springfield undo takes it back, but for the hooks.`,
		Example: `  springfield publish --bump minor
  springfield publish --to ../superpowers-marketplace --plugin ned-flanders
  springfield publish --check
  springfield publish --tag`,
		Args: arguments(0, 1, "at most one directory"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if len(args) == 1 {
				o.dir = args[0]
			}
			for _, name := range []string{"to", "bump", "version", "repo", "ref"} { // like --to "$UNSET"
				if flag := cmd.Flags().Lookup(name); flag.Changed && flag.Value.String() == "" {
					return &usageError{fmt.Errorf("--%s is empty", name), "give it a value, or leave it out"}
				}
			}
			if o.builder, err = parseBuilder(builder); err != nil {
				return err
			}
			return runF(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.to, "to", "", "directory of the marketplace: a local checkout")
	f.StringArrayVar(&o.plugins, "plugin", nil, "publish only this plugin (repeatable; default: all)")
	f.StringVar(&o.bump, "bump", "", "raise the version: "+strings.Join(generator.Bumps(), ", "))
	f.StringVar(&o.version, "version", "", "the version to publish one plugin under")
	f.StringArrayVar(&o.notes, "note", nil, "a line for the changelog (repeatable; default: subjects of the commits since)")
	f.StringVar(&o.source, "source", bySituation, "how clients find it: "+strings.Join(sourceForms(), ", "))
	f.StringVar(&o.repo, "repo", "", "URL of the suite's repository (default: its remote)")
	f.StringVar(&o.ref, "ref", "", "branch or tag to fetch (default: the branch that is checked out)")
	f.BoolVar(&o.noPin, "no-pin", false, "do not pin to a commit")
	f.BoolVar(&o.replace, "replace", false, "take over an entry that is somebody else's")
	f.StringArrayVar(&o.targets, "target", nil, "machine to compile for, os/arch (repeatable; default: every one)")
	f.StringVar(&builder, "builder", string(generator.Auto), "where hooks come from: auto, go or prebuilt")
	f.BoolVar(&o.check, "check", false, "for CI: is everything consistent, and would nothing change; the exit code says so")
	f.BoolVar(&o.tag, "tag", false, "tag the commit of each release, as claude plugin tag does; it must be committed")
	f.BoolVar(&o.dryRun, "dry-run", false, "show the change of every file as a diff, change nothing")
	f.BoolVar(&o.json, "json", false, "print the result as JSON")
	return cmd
}

func (o publishOptions) validate() error {
	switch {
	case o.bump != "" && o.version != "":
		return &usageError{errors.New("--bump and --version do not go together"), "one of them says which version"}
	case o.bump != "" && !slices.Contains(generator.Bumps(), o.bump):
		return &usageError{fmt.Errorf("--bump cannot be %q", o.bump), "--bump is " + strings.Join(generator.Bumps(), ", ")}
	case !slices.Contains(sourceForms(), o.source):
		return &usageError{fmt.Errorf("--source cannot be %q", o.source), "--source is " + strings.Join(sourceForms(), ", ")}
	case o.check && (o.bump != "" || o.version != "" || o.tag || o.dryRun || len(o.targets) > 0):
		return &usageError{errors.New("--check looks and changes nothing"), "leave --bump, --version, --tag, --target and --dry-run out"}
	case o.tag && (o.bump != "" || o.version != ""):
		return &usageError{errors.New("--tag tags what is committed"), "raise the version first, commit, then springfield publish --tag"}
	}
	for _, note := range o.notes {
		if strings.TrimSpace(note) == "" || strings.ContainsAny(note, "\r\n") {
			return &usageError{fmt.Errorf("--note %q is not one line of text", note), "give each line a --note of its own"}
		}
	}
	return nil
}

func runPublish(ctx context.Context, a *app, o publishOptions) error {
	if err := o.validate(); err != nil {
		return err
	}
	places, err := a.places()
	if err != nil {
		return err
	}
	r, done, err := a.prepare(ctx, places, o)
	defer done()
	if err != nil {
		return err
	}
	hooks, checks, err := a.review(ctx, r)
	if err != nil {
		return err
	}
	if err := a.refuse(checks); err != nil {
		return err
	}
	plan, err := r.plan(places)
	if err != nil {
		return hintPublish(err)
	}
	var tags []string
	if o.tag {
		if tags, err = r.tagsToMake(ctx); err != nil {
			return err
		}
	}
	switch {
	case o.check:
		unmarked, err := r.unmarked(ctx)
		if err != nil {
			return err
		}
		return a.reportCheck(o, r, plan, checks, unmarked)
	case o.dryRun:
		for _, file := range r.compiledFiles() {
			plan.Notes = append(plan.Notes, "compiled: "+file)
		}
		for _, tag := range tags {
			plan.Notes = append(plan.Notes, "tagged: "+tag)
		}
		plan.Notes = append(plan.Notes, r.waits...)
		return a.preview(o.json, plan)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := plan.Apply(places); err != nil {
		return hintPublish(err)
	}
	report := published{release: r, Files: plan, Hooks: hooks, Checks: checks}
	if report.Marked, err = r.markStarted(ctx); err == nil {
		report.Tags, err = r.tag(ctx, tags)
	}
	if err != nil {
		return &hinted{fmt.Errorf("the files are published, but git was not told of all: %w", err), "springfield publish again does the rest, once the cause is gone"}
	}
	return a.reportPublish(o, report)
}

// hintPublish says what to do about a release that could not be planned or written,
// and what has been written.
func hintPublish(err error) error {
	var syntax *document.SyntaxError
	var failed *installer.WriteError
	switch {
	case errors.As(err, &failed) && len(failed.Left) > 0:
		return hintLeft(failed, "springfield undo takes back all but the hooks, springfield build makes these what "+generator.SuiteFile+" says")
	case errors.As(err, &syntax):
		return &hinted{err, "nothing was changed; Claude Code takes plain JSON in which every plugin has a name of its own"}
	case errors.Is(err, installer.ErrChanged):
		return &hinted{err, "nothing was changed: another program has just changed it; call springfield publish again"}
	case errors.Is(err, os.ErrPermission):
		return &hinted{err, "nothing was changed; give yourself the right to write there"}
	case failed != nil:
		return &hinted{err, "nothing was changed; call springfield publish again once the cause is gone"}
	}
	return err
}

// review asks everybody who has a say: our own checks, Claude Code's about the
// suite, the plugins and the marketplace as it will be, and what marketplaces ask.
func (a *app) review(ctx context.Context, r *release) ([]generator.HookLine, []check.Finding, error) {
	checks, err := a.validate(ctx, r.stage)
	if err != nil {
		return nil, nil, err
	}
	var chosen []string
	for _, row := range r.rows {
		chosen = append(chosen, row.Plugin)
	}
	hooks, faults, err := generator.Review(r.stage, r.suite, chosen)
	if err != nil {
		return nil, nil, err
	}
	checks = append(checks, faults...)
	ignored, err := r.passedOver(ctx)
	if err != nil {
		return nil, nil, err
	}
	checks = append(checks, ignored...)
	if err := generator.CheckMarketplace(r.market.Name); err != nil && !r.own {
		checks = append(checks, check.Finding{Check: "review", State: check.Warning, File: r.market.Path, Says: err.Error(), Fix: "Claude Code takes such a name only from its owner"})
	}
	if r.own || len(r.changes) == 0 {
		return hooks, checks, nil
	}
	more, err := a.askAboutMarket(ctx, r)
	return hooks, append(checks, more...), err
}

// askAboutMarket has Claude Code look at the other marketplace as it will be.
// What it warns of is that one's own affair.
func (a *app) askAboutMarket(ctx context.Context, r *release) ([]check.Finding, error) {
	after, err := r.market.After(r.changes)
	if err != nil {
		return nil, hintPublish(err)
	}
	dir, err := os.MkdirTemp("", "springfield-publish-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.Mkdir(filepath.Join(dir, ".claude-plugin"), 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, ".claude-plugin", "marketplace.json"), after, 0o644); err != nil {
		return nil, err
	}
	all, err := a.claude(installer.Places{}).Validate(ctx, dir, nil, a.asking)
	return slices.DeleteFunc(all, func(f check.Finding) bool { return f.State != check.Failure }), err
}

// refuse shows what is wrong, and is the error if anything is.
func (a *app) refuse(checks []check.Finding) error {
	failed := check.Count(checks, check.Failure)
	if failed == 0 {
		return nil
	}
	wrong := slices.DeleteFunc(slices.Clone(checks), func(f check.Finding) bool { return f.State != check.Failure && f.State != check.Warning })
	a.printFindings(wrong)
	return &hinted{fmt.Errorf("nothing is published: %s", count(failed, "failure")), "what to do is said beside each"}
}

// reportCheck says whether publishing would change anything. unmarked are hooks
// that git has as files that nobody can start.
func (a *app) reportCheck(o publishOptions, r *release, plan installer.Plan, checks []check.Finding, unmarked []string) error {
	written, removed := plan.Files()
	changed := slices.Concat(written, removed, r.compiledFiles())
	for _, file := range unmarked {
		changed = append(changed, "the executable bit that git has for "+file)
	}
	if o.json {
		if err := a.encode(struct {
			Published bool            `json:"published"`        // nothing would change
			Changes   []string        `json:"changes"`          // files that publishing would change
			Absent    string          `json:"absent,omitempty"` // the marketplace that is not here to look at
			Plugins   []releaseRow    `json:"plugins"`
			Checks    []check.Finding `json:"checks"`
		}{len(changed) == 0, list(changed), r.absent, append([]releaseRow{}, r.rows...), checks}); err != nil {
			return err
		}
	}
	if len(changed) > 0 {
		return &hinted{fmt.Errorf("publishing would change %s: %s", count(len(changed), "file"), strings.Join(changed, ", ")),
			"springfield publish, and commit what it writes; --dry-run shows it"}
	}
	if r.absent != "" {
		a.talk("its marketplace, %s, is not here, so its entries have not been looked at; --to names a checkout of it", r.absent)
	}
	switch {
	case o.json:
	case len(r.rows) == 0:
		a.say("%s is consistent; nothing of it was published yet", r.dir)
	default:
		a.say("%s is as it was published in %s", r.dir, r.market.Name)
	}
	return nil
}

// published is what publish reports.
type published struct {
	*release
	Files  installer.Plan
	Hooks  []generator.HookLine
	Checks []check.Finding
	Marked []string // files that git's index has as executable now
	Tags   []string // that were made
}

func (p published) warnings() (n int) {
	for _, c := range p.Checks {
		if c.State == check.Warning {
			n++
		}
	}
	return n
}

func (a *app) reportPublish(o publishOptions, p published) error {
	written, removed := p.Files.Files()
	hooks := p.compiledFiles()
	if o.json {
		return a.encode(struct {
			Marketplace string               `json:"marketplace"`
			Path        string               `json:"path"` // of its catalog
			Plugins     []releaseRow         `json:"plugins"`
			Hooks       []generator.HookLine `json:"hooks"`
			Changed     []string             `json:"changed"`
			Removed     []string             `json:"removed"`
			Compiled    []string             `json:"compiled"`
			Tags        []string             `json:"tags"`
			Waits       []string             `json:"waits"` // what has to happen before the next run
			Checks      []check.Finding      `json:"checks"`
		}{p.market.Name, p.market.Path, p.rows, p.Hooks, list(written), list(removed), list(hooks), list(p.Tags), list(p.waits), p.Checks})
	}
	if err := a.printRows(p); err != nil {
		return err
	}
	for _, h := range p.Hooks {
		leaves := "nothing leaves the machine"
		if len(h.Hosts) > 0 {
			leaves = "talks to " + strings.Join(h.Hosts, ", ")
		}
		a.item("  "+h.Plugin+": ", fmt.Sprintf("%s hook; held back by: %s; %s", h.Event, h.Gate, leaves))
	}
	a.say("")
	for _, file := range slices.Concat(written, hooks) {
		a.say("  changed %s", file)
	}
	for _, file := range removed {
		a.say("  removed %s", file)
	}
	if len(written)+len(removed)+len(hooks) == 0 {
		a.say("  nothing changed: this is published already")
	}
	for _, tag := range p.Tags {
		a.say("  tagged %s", tag)
	}
	if len(p.Marked) > 0 {
		a.say("  git's index has %s as executable now", count(len(p.Marked), "hook"))
	}
	for _, wait := range p.waits {
		a.item("  ", wait)
	}
	for _, dir := range p.toPush() {
		a.item("  ", "commit and push "+quoted(dir)+": that is where clients get it from")
	}
	if p.marketRepo == "" {
		a.say("\nto install, on this machine (others name the repository that it is pushed to, as OWNER/REPO or with .git at its end):")
	} else {
		a.say("\nto install:")
	}
	for _, line := range p.install() {
		a.say("  %s", line)
	}
	return nil
}

// toPush are the checkouts that have something new for clients, but for what waits
// for more.
func (p published) toPush() (dirs []string) {
	written, removed := p.Files.Files()
	isTheirs := func(file string) bool { return !p.own && file == p.market.Path }
	ours := slices.DeleteFunc(slices.Concat(written, removed, p.compiledFiles()), isTheirs)
	if len(p.waits) > 0 {
		ours = nil
	}
	for _, plugin := range slices.Sorted(maps.Keys(p.repos)) {
		dir := filepath.Join(p.dir, plugin)
		rest := slices.DeleteFunc(slices.Clone(ours), func(file string) bool { return strings.HasPrefix(file, dir+string(filepath.Separator)) })
		if len(rest) < len(ours) {
			ours, dirs = rest, append(dirs, dir)
		}
	}
	if p.repo != nil && len(ours) > 0 {
		dirs = append(dirs, p.dir)
	}
	if p.marketInGit && slices.ContainsFunc(written, isTheirs) {
		dirs = append(dirs, p.market.Root)
	}
	return dirs
}

func (a *app) printRows(p published) error {
	checks := "passed"
	if n := p.warnings(); n > 0 {
		checks = count(n, "warning") + "; springfield validate shows them"
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "plugin\tversion\tsource\tsize\tchecks")
	for _, row := range p.rows {
		version := row.New
		switch {
		case row.Old == "":
			version = "new → " + row.New
		case row.Fresh:
			version = row.Old + " → " + row.New
		}
		source := row.Source
		if row.SHA != "" {
			source += " @" + row.SHA[:12]
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%.1f MB\t%s\n", row.Plugin, version, source, float64(row.Size)/1e6, checks)
	}
	return w.Flush()
}

// install is what a user types. Where nobody knows where others find the
// marketplace, it is what works on this machine.
func (p published) install() []string {
	from := p.marketRepo
	if from == "" {
		from = p.market.Root
	}
	lines := []string{"/plugin marketplace add " + from}
	for _, row := range p.rows {
		lines = append(lines, "/plugin install "+row.Plugin+"@"+p.market.Name)
	}
	return lines
}
