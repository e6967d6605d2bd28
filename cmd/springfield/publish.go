package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/publish"
)

type publishOptions struct {
	*app
	publish.Request
	json bool
}

const publishHelp = `The marketplace is the local checkout that --to, or publish.to in ` + generator.SuiteFile + `,
names, or the suite itself. DIR defaults to the suite around the current directory. Each plugin gets an entry in .claude-plugin/marketplace.json; other
entries, their order and the layout stay.

A changed plugin needs a new version, because clients fetch a version once: use --bump or --version.
publish compiles the hooks, checks all files, and writes plugin.json, the entry,
` + generator.SuiteFile + ` and, for --note, CHANGELOG.md: all or nothing.

Clients fetch a plugin outside the marketplace's checkout from the suite's repository, at a fixed
commit. This takes two runs: publish, commit and push; then publish again to write the commit.

springfield commits and pushes nothing. springfield undo restores all files, but not the
executable bits in git's index.`

func newPublish(a *app) *cobra.Command {
	o := publishOptions{app: a}
	var targets []string
	cmd := &cobra.Command{
		Use:   "publish [DIR]",
		Short: "Publish a suite's plugins in a marketplace",
		Long:  publishHelp,
		Example: `  springfield publish --bump minor
  springfield publish --to ../superpowers-marketplace --plugin ned-flanders
  springfield publish --check`,
		Args: arguments(0, 1, "at most one directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, name := range []string{"to", "bump", "version"} { // like --to "$UNSET"
				if flag := cmd.Flags().Lookup(name); flag.Changed && flag.Value.String() == "" {
					return check.Misuse(fmt.Errorf("--%s is empty", name), "give it a value, or omit it")
				}
			}
			var err error
			if o.Targets, err = generator.ParseTargets(targets); err != nil {
				return err
			}
			if err := o.validate(); err != nil {
				return err
			}
			if o.Dir, err = a.suiteDir(cmp.Or(args...)); err != nil {
				return err
			}
			if o.Date, err = buildDateOrNow(a.getenv("SOURCE_DATE_EPOCH")); err != nil {
				return err
			}
			return runPublish(cmd.Context(), o)
		},
		PreRunE: a.needPlaces,
	}
	f := cmd.Flags()
	f.StringVar(&o.To, "to", "", "local checkout of the marketplace")
	f.StringArrayVar(&o.Plugins, "plugin", nil, "publish only this plugin (repeatable; default: all)")
	f.StringVar(&o.Bump, "bump", "", "part of the version to raise: "+strings.Join(publish.VersionParts(), ", "))
	f.StringVar(&o.Version, "version", "", "new version")
	f.StringArrayVar(&o.Notes, "note", nil, "line for the changelog (repeatable)")
	f.StringArrayVar(&targets, "target", nil, "target of this and later releases (repeatable; default at first: all)")
	f.BoolVar(&o.Check, "check", false, "for CI: fail if anything is inconsistent or would change")
	f.BoolVar(&o.Look, "dry-run", false, "print a diff, change nothing")
	f.BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

func (o publishOptions) validate() error {
	switch {
	case o.Bump != "" && o.Version != "":
		return check.Misuse(errors.New("--bump and --version cannot be used together"), "use one of them to choose the version")
	case o.Bump != "" && !slices.Contains(publish.VersionParts(), o.Bump):
		return check.Misusef(check.HintAtNames(o.Bump, "--bump ", publish.VersionParts(), ""), "--bump cannot be %q", o.Bump)
	case o.Check && (o.Bump != "" || o.Version != "" || o.Look || len(o.Targets) > 0):
		return check.Misuse(errors.New("--check changes nothing, so flags for a change do not apply"), "omit --bump, --version, --target and --dry-run")
	}
	for _, note := range o.Notes {
		if strings.TrimSpace(note) == "" || strings.ContainsAny(note, "\r\n") {
			return check.Misuse(fmt.Errorf("--note %q is not one line of text", note), "give each line its own --note")
		}
	}
	return nil
}

func runPublish(ctx context.Context, o publishOptions) error {
	plan, err := publish.PlanRelease(ctx, publish.Means{
		Git: o.gitOfProcess(), Tools: o.toolchain(), Client: o.claudeCommand(), Asking: o.sayClientIsAsked,
		Note:    func(text string) { o.talk("springfield: note: %s", text) },
		Journal: settings.Journal(o.places),
		Resolve: func(path string) (string, error) {
			absolute, _, err := o.pathResolver().Absolute(path)
			return absolute, err
		},
	}, o.Request)
	if err != nil {
		return o.tellPublishError(err)
	}
	defer plan.Unlock()
	switch {
	case o.Check:
		return o.reportCheck(plan)
	case o.Look:
		if !o.json {
			o.printPlugins(plan)
			o.say("")
		}
		plan.Change.Notes = append(plan.Change.Notes, plan.Waits...)
		return o.showPreview(o.json, plan.Change, "")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := plan.WriteAndMark(ctx); err != nil {
		return o.tellPublishError(err)
	}
	return o.reportPublish(plan)
}

// buildDateOrNow parses the value of SOURCE_DATE_EPOCH (current time for "").
func buildDateOrNow(epoch string) (time.Time, error) {
	if epoch == "" {
		return time.Now(), nil
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return time.Time{}, check.Misuse(fmt.Errorf("SOURCE_DATE_EPOCH=%q is not a number of seconds", epoch),
			"unset it, or set it to the time of a commit, as printed by git log -1 --format=%ct")
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// tellPublishError adds a hint to err. For a refused release it prints the failed checks and warnings instead, or with
// --json all checks.
func (o publishOptions) tellPublishError(err error) error {
	var syntax *document.SyntaxError
	var refused *publish.RefusedError
	switch {
	case errors.As(err, &refused) && o.json:
		shape := checkedShape{Changes: []string{}, Plugins: []publish.Plugin{}, Checks: refused.Checks}
		return cmp.Or(o.printJSON(shape), err)
	case errors.As(err, &refused):
		o.printFindings(slices.DeleteFunc(refused.Checks, func(f check.Finding) bool {
			return f.State != check.Failure && f.State != check.Warning
		}))
		return err
	case errors.As(err, &syntax):
		return check.Advise(err, "nothing was changed; Claude Code accepts only plain JSON in which every plugin has its own name")
	}
	return o.hintChange(err, "publish")
}

// checkedShape is the JSON of --check, and of a refused release.
type checkedShape struct {
	Published bool             `json:"published"`        // nothing would change
	Changes   []string         `json:"changes"`          // files to be changed
	Absent    string           `json:"absent,omitempty"` // the marketplace that is not here to look at
	Plugins   []publish.Plugin `json:"plugins"`
	Checks    []check.Finding  `json:"checks"`
}

// reportCheck prints the result of --check. It returns an error if publishing would change files.
func (o publishOptions) reportCheck(p *publish.Plan) error {
	written, removed := p.Change.Files()
	marks := check.NamesOf(p.Marks, func(file string) string { return "git's executable bit of " + file })
	changed := slices.Concat(written, removed, marks)
	if o.json {
		if err := o.printJSON(checkedShape{len(changed) == 0, nonNil(changed), p.Market.Absent, nonNil(p.Plugins), nonNil(p.Checks)}); err != nil {
			return err
		}
	}
	if len(changed) > 0 {
		return check.Advise(fmt.Errorf("publishing would change %s: %s", countOf(len(changed), "file"), strings.Join(changed, ", ")),
			"run springfield publish and commit the changes; --dry-run shows them")
	}
	if p.Market.Absent != "" {
		o.talk("there is no checkout of its marketplace, %s, so its entries were not checked; pass one with --to",
			p.Market.Absent)
	}
	switch {
	case o.json:
	case len(p.Plugins) == 0:
		o.say("%s is consistent; it has not been published yet", p.Dir)
	default:
		o.say("%s is unchanged since it was published in %s", p.Dir, p.Market.Name)
	}
	return nil
}

func (o publishOptions) reportPublish(p *publish.Plan) error {
	written, removed := p.Change.Files()
	if o.json {
		return o.printJSON(struct {
			Marketplace string           `json:"marketplace"`
			Path        string           `json:"path"` // of its catalog
			Plugins     []publish.Plugin `json:"plugins"`
			Changed     []string         `json:"changed"`
			Removed     []string         `json:"removed"`
			Waits       []string         `json:"waits"` // before the next run
			Checks      []check.Finding  `json:"checks"`
		}{p.Market.Name, p.Market.Path, nonNil(p.Plugins), nonNil(written), nonNil(removed), nonNil(p.Waits), nonNil(p.Checks)})
	}
	o.printPlugins(p)
	o.say("")
	o.tellChange(p.Change, "")
	if len(written)+len(removed) == 0 {
		o.say("  nothing changed: this is already published")
	}
	if n := len(p.Marks); n > 0 {
		o.say("  git's index now marks %s as executable", countOf(n, "hook"))
	}
	for _, wait := range p.Waits {
		o.say("%s", wait)
	}
	for _, dir := range p.Push {
		o.say("commit and push %s, because clients fetch the plugins from there", check.QuoteArgument(dir))
	}
	if p.Market.Address == "" {
		o.say("\nto install on this machine (on others, use the repository that you push to: OWNER/REPO or a URL that ends in .git):")
	} else {
		o.say("\nto install:")
	}
	o.sayLines("", p.HowToInstall(), "")
	return nil
}

func (o publishOptions) printPlugins(p *publish.Plan) {
	checks := "passed"
	if n := check.CountState(p.Checks, check.Warning); n > 0 {
		checks = countOf(n, "warning") + "; run springfield validate to see them"
	}
	rows := [][]string{{"plugin", "version", "source", "size", "checks"}}
	for _, plugin := range p.Plugins {
		version := plugin.New
		switch {
		case plugin.Old == "":
			version = "new → " + plugin.New
		case plugin.Fresh:
			version = plugin.Old + " → " + plugin.New
		}
		source := plugin.Source
		if plugin.SHA != "" {
			source += " @" + plugin.SHA[:12]
		}
		rows = append(rows, []string{plugin.Name, version, source, megabytes(int(plugin.Size)), checks})
	}
	o.resultPrinter().PrintTable("", rows)
}
