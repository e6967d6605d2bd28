// Package publish publishes the plugins of a suite in a marketplace: it updates versions, builds hooks for all
// machines, reviews the result, and adds entries for clients.
//
// These are the steps, each using the result from the last:
//   - inputs: the suite, its checkout and the marketplace (inputs.go, checkout.go)
//   - release: a plugin's version, and the source for clients (release.go, source.go)
//   - tree: the suite's files after the release (tree.go)
//   - Plan: the change, and the findings of its review (catalog.go, review.go)
//
// Nothing is written until Plan.WriteAndMark is called.
package publish

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/git"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/layout"
)

type Request struct {
	Dir     string    // of the suite
	To      string    // of the marketplace; "": from the suite, or the suite itself
	Plugins []string  // none: all
	Bump    string    // part of the version to raise, one of VersionParts; "": none
	Version string    // new version of all plugins
	Date    time.Time // for the changelog
	Notes   []string  // for the changelog
	Targets []generator.Target
	Check   bool // compares without rendering, if necessary without the marketplace
	Look    bool // nothing will be applied, so no lock is taken
}

func (q Request) publishCall(flags string) string {
	call := "springfield publish " + check.QuoteArgument(q.Dir)
	if q.To != "" {
		call += " --to " + check.QuoteArgument(q.To)
	}
	return call + " " + flags
}

type Means struct {
	Git     git.Git
	Tools   generator.Toolchain
	Client  client.Command      // validates the result
	Asking  func(client string) // called before the client
	Note    func(text string)   // receives notes, before hooks are compiled
	Journal journal.Journal
	// Resolve returns the absolute directory of a marketplace, and refuses links.
	Resolve func(path string) (string, error)
}

// Plan is a planned release.
type Plan struct {
	Dir     string // of the suite
	Market  Market
	Plugins []Plugin
	Checks  []check.Finding // no failures
	Change  journal.Change
	Waits   []string // steps before the next run
	Push    []string // directories to commit and push
	Marks   []string // programs to mark as executable in git's index, which undo leaves
	Unlock  func()

	repo    *git.Repository
	journal journal.Journal
}

type Plugin struct {
	Name   string `json:"plugin"`
	Old    string `json:"old,omitempty"` // "": never published
	New    string `json:"new"`
	Source string `json:"source"`
	SHA    string `json:"sha,omitempty"` // pinned commit
	Size   int64  `json:"size"`          // of all files, in bytes
	Files  string `json:"files"`         // digest
	Fresh  bool   `json:"fresh"`         // a new version
}

type RefusedError struct{ Checks []check.Finding }

func (e *RefusedError) Error() string {
	return "nothing was published: " + layout.CountOf(check.CountState(e.Checks, check.Failure), "failure")
}
func (e *RefusedError) Hint() string { return "see the fix for each above" }

// PlanRelease plans a release without writing files of the suite or marketplace. Unless q.Check is set, it builds the
// programs. It locks both until Plan.Unlock, unless q.Check or q.Look is set. Callers always call Plan.Unlock. A
// review's failures are a *RefusedError.
func PlanRelease(ctx context.Context, m Means, q Request) (p *Plan, err error) {
	in, err := m.openInputs(ctx, q)
	defer func() {
		if err != nil {
			in.unlock()
		}
	}()
	if err != nil {
		return nil, err
	}
	if !q.Check {
		m.noteChoices(in, q)
	}
	releases, err := in.chosenReleases(q)
	if err != nil {
		return nil, err
	}
	after, err := in.buildSuite(ctx, m.Tools, q, releases)
	if err != nil {
		return nil, err
	}
	unpinned, err := in.pinReleases(ctx, q, after, releases)
	if err != nil {
		return nil, err
	}
	catalog, err := in.planEntries(after, releases)
	if err != nil {
		return nil, err
	}
	checks, err := m.reviewRelease(ctx, in, after, releases)
	if err != nil {
		return nil, err
	}
	if check.CountState(checks, check.Failure) > 0 {
		return nil, &RefusedError{checks}
	}
	marks, wait, err := in.findExecMarks(ctx, q, after)
	if err != nil {
		return nil, err
	}
	written, err := in.planChange(after, releases, catalog, len(marks))
	if err != nil {
		return nil, err
	}
	waits := append(unpinned, wait...)
	return &Plan{
		Dir: in.dir, Market: in.market, Plugins: describeReleases(after, releases), Checks: checks,
		Change: written, Waits: waits, Push: in.checkoutsToPush(after, catalog, waits),
		Marks: marks, repo: in.around.repo, journal: m.Journal, Unlock: in.unlock,
	}, nil
}

// noteChoices notes how others can install the plugins, and choices made permanent by the next commit.
func (m Means) noteChoices(in inputs, q Request) {
	dir := check.QuoteArgument(in.dir)
	lacks, first := " has no remote", ""
	if in.around.repo == nil {
		lacks, first = " is not in a git repository", "git init "+dir+", commit, run "
	}
	if in.market.Own && in.around.remote == "" && in.around.foreign == nil {
		m.Note(in.dir + lacks + ": to let others install from it, run " + first + "git -C " + dir + " remote add origin URL, then push")
	}
	more := slices.DeleteFunc(clientTargets(), func(t generator.Target) bool { return slices.Contains(in.suite.Targets, t) })
	if len(q.Targets) == 0 && len(more) > 0 {
		m.Note(fmt.Sprintf(map[bool]string{
			false: "each plugin also gets hooks for %s, which git keeps forever; --dry-run shows the sizes, --target TARGET limits them",
			true:  "no plugin gets hooks for %s, because " + generator.SuiteFile + " does not list them; --target TARGET, once for each target, chooses anew",
		}[len(in.published) > 0], strings.Join(check.NamesOf(more, generator.Target.String), ", ")))
	}
	if address := cmp.Or(in.market.Address, "OWNER/REPO"); in.market.Own && in.suite.Repository == "" && strings.Count(address, "/") == 1 {
		m.Note("the READMEs contain OWNER/REPO until " + generator.SuiteFile + " has repository: " + address + " and the suite is updated")
	}
}

func (in inputs) planChange(after plannedTree, releases []release, catalog journal.Edit, execMarks int) (journal.Change, error) {
	did := check.NamesOf(releases, func(r release) string { return r.plugin + " " + r.new })
	c := journal.Change{Did: "publish " + strings.Join(did, ", ") + " in " + in.market.Name, Kind: "release", Edits: after.changes("")}
	if catalog.Changes() {
		c.Edits = append(c.Edits, catalog)
	}
	if execMarks > 0 {
		c.Leaves = append(c.Leaves, fmt.Sprintf("git's index still marks hooks as executable (%d): run git update-index --chmod=-x to revert that", execMarks))
	}
	return c, c.CheckAccess()
}

func describeReleases(after plannedTree, releases []release) []Plugin {
	all := []Plugin{}
	for _, r := range releases {
		p := Plugin{Name: r.plugin, Old: r.old, New: r.new, Files: r.digest, Fresh: r.old != r.new}
		switch s := r.source.(type) {
		case gitSource:
			p.Source, p.SHA = strings.Join([]string{s.Source, s.URL, s.Path}, " "), s.SHA
		case string:
			p.Source = s
		}
		for _, name := range after.filesBelow(r.plugin) {
			p.Size += after.files[name].size
		}
		all = append(all, p)
	}
	return all
}

func (in inputs) checkoutsToPush(after plannedTree, catalog journal.Edit, stepsFirst []string) (dirs []string) {
	if len(after.changes("")) > 0 && in.around.repo != nil && len(stepsFirst) == 0 {
		dirs = append(dirs, in.dir)
	}
	if !in.market.Own && in.market.inGit && catalog.Changes() {
		dirs = append(dirs, in.market.Root)
	}
	return dirs
}

// HowToInstall returns Claude Code's commands to install the plugins. They work only on this machine if the public
// address is unknown.
func (p *Plan) HowToInstall() []string {
	plugins := check.NamesOf(p.Plugins, func(one Plugin) string { return "/plugin install " + one.Name + "@" + p.Market.Name })
	return append([]string{"/plugin marketplace add " + cmp.Or(p.Market.Address, p.Market.Root)}, plugins...)
}

// WriteAndMark writes all files or none, then marks p.Marks as executable in git's index. If git fails, the files stay.
func (p *Plan) WriteAndMark(ctx context.Context) error {
	if err := p.journal.ApplyChange(p.Change); err != nil {
		return err
	}
	if len(p.Marks) == 0 {
		return nil
	}
	if err := p.repo.StageExecutable(ctx, p.Marks); err != nil {
		return check.Advisef("fix the cause, then run springfield publish again to do the rest",
			"the files are published, but not all executable bits were set in git: %w", err)
	}
	return nil
}

// chooseTargets returns the targets to publish, by default all that clients use, or those of a published suite.
func (in inputs) chooseTargets(q Request) []generator.Target {
	switch {
	case len(q.Targets) > 0:
		return q.Targets
	case len(in.published) > 0:
		return in.suite.Targets
	}
	return clientTargets()
}

func clientTargets() []generator.Target {
	return slices.DeleteFunc(generator.AllTargets(), func(t generator.Target) bool {
		return t == generator.Target{OS: "windows", Arch: "arm64"} // runs amd64
	})
}
