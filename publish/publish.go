// Package publish brings the plugins of a suite into a marketplace: versions, hooks
// for every machine, a review, an entry that says where clients fetch each.
//
// It goes one way, and every step is a value that the next one starts from:
//
//	inputs    the suite, its checkout and the marketplace as they are     (inputs.go)
//	release   the version that a plugin gets, where clients fetch it from (release.go, source.go)
//	tree      the suite's files as they will be                           (tree.go)
//	Plan      the change that leads there, and what its review found      (catalog.go, review.go)
//
// Nothing is written before Plan.ApplyPlan.
package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
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

// Request says what to publish, and how.
type Request struct {
	Dir     string    // of the suite
	To      string    // of the marketplace; "": the one that the suite names, else the suite itself
	Plugins []string  // none: all of the suite
	Bump    string    // the part of the version to raise, one of VersionParts; "": none
	Version string    // to publish all of them under
	Date    time.Time // for the changelog
	Notes   []string  // for the changelog
	Targets []generator.Target
	Check   bool // only compares: what is published is not rendered anew, and may do without its marketplace
	Look    bool // nothing will be applied, so no other springfield has to wait
	Tag     bool // tags the commit of each release
}

// commandAgain is the call for the same suite and marketplace, with other flags.
func (q Request) commandAgain(flags string) string {
	call := "springfield publish " + check.QuoteArgument(q.Dir)
	if q.To != "" {
		call += " --to " + check.QuoteArgument(q.To)
	}
	return call + " " + flags
}

// Means are what publishing works with.
type Means struct {
	Git     git.Git
	Tools   generator.Toolchain
	Client  client.Command      // Claude Code, which is asked about the result
	Asking  func(client string) // is told before it is asked
	Note    func(text string)   // is told what is worth knowing before hooks are compiled
	Journal journal.Journal
	// Resolve gives the marketplace's directory that a suite or the user names, and
	// refuses a link in it.
	Resolve func(path string) (string, error)
}

// Plan is what publishing would do.
type Plan struct {
	Dir     string // of the suite
	Market  Market
	Plugins []Plugin
	Checks  []check.Finding // none of them a failure
	Change  journal.Change
	Waits   []string // what has to happen before the next run
	Push    []string // directories to commit and push

	gitTasks
	journal journal.Journal
	unlock  func()
}

// Plugin is one plugin as it is published.
type Plugin struct {
	Name   string `json:"plugin"`
	Old    string `json:"old,omitempty"` // "" was never published
	New    string `json:"new"`
	Source string `json:"source"`
	SHA    string `json:"sha,omitempty"` // the commit that it is pinned to
	Size   int64  `json:"size"`          // bytes of all its files
	Files  string `json:"files"`         // digest of them
	Fresh  bool   `json:"fresh"`         // this version was not published before
}

// RefusedError says that the review has found failures.
type RefusedError struct{ Checks []check.Finding }

func (e *RefusedError) Error() string {
	return "nothing is published: " + layout.CountOf(check.CountState(e.Checks, check.Failure), "failure")
}
func (e *RefusedError) Hint() string { return "the fix is beside each" }

// PlanRelease works out what publishing would do. Until Plan.Unlock, no other
// springfield publishes the suite, or anything in the same marketplace.
func PlanRelease(ctx context.Context, m Means, q Request) (p *Plan, err error) {
	in, err := m.readInputs(ctx, q)
	defer func() {
		if err != nil {
			in.unlock()
		}
	}()
	if err != nil {
		return nil, err
	}
	if in.market.Own && !q.Check && in.around.repo != nil && in.around.remote == "" {
		m.Note(in.dir + " has no remote: others can install from it once it is pushed to one (git remote add origin URL)")
	}
	releases, err := in.releases(q)
	if err != nil {
		return nil, err
	}
	after, err := in.renderSuite(ctx, m.Tools, q, releases)
	if err != nil {
		return nil, err
	}
	unpinned, err := in.pinReleases(ctx, q, after, releases)
	if err != nil {
		return nil, err
	}
	catalog, err := in.entered(after, releases)
	if err != nil {
		return nil, err
	}
	checks, err := m.reviewRelease(ctx, in, after, releases, catalog)
	if err != nil {
		return nil, err
	}
	if check.CountState(checks, check.Failure) > 0 {
		return nil, &RefusedError{checks}
	}
	tasks, err := in.findGitTasks(ctx, q, after, releases)
	if err != nil {
		return nil, err
	}
	written, err := in.planChange(after, releases, catalog, tasks)
	if err != nil {
		return nil, err
	}
	waits, err := in.stepsToWaitFor(q, after, releases, append(unpinned, tasks.waits...))
	if err != nil {
		return nil, err
	}
	return &Plan{
		Dir: in.dir, Market: in.market, Plugins: describe(after, releases), Checks: checks,
		Change: written, Waits: waits, Push: in.checkoutsToPush(after, catalog, waits),
		gitTasks: tasks, journal: m.Journal, unlock: in.unlock,
	}, nil
}

// planChange is what leads to the suite's files and the catalog as they will be.
func (in inputs) planChange(
	after tree, releases []release, catalog journal.Edit, tasks gitTasks,
) (journal.Change, error) {
	did := check.NamesOf(releases, func(r release) string { return r.plugin + " " + r.new })
	c := journal.Change{Did: "publish " + strings.Join(did, ", ") + " in " + in.market.Name, Kind: "release", Edits: after.changes("")}
	if catalog.Changes() {
		c.Edits = append(c.Edits, catalog)
	}
	if n := len(tasks.Marks); n > 0 {
		c.Leaves = append(c.Leaves, fmt.Sprintf("git's index still has the executable bit of hooks (%d): git update-index --chmod=-x takes that back", n))
	}
	for _, tag := range tasks.Tags {
		c.Leaves = append(c.Leaves, "tag "+tag+" stays: git tag --delete removes it")
	}
	return c, c.Writable()
}

// describe says what is published.
func describe(after tree, releases []release) []Plugin {
	all := []Plugin{}
	for _, r := range releases {
		p := Plugin{Name: r.plugin, Old: r.old, New: r.new, Files: r.digest, Fresh: r.changesVersion()}
		p.Source, p.SHA = r.sourceForPeople()
		for _, name := range after.listFiles(r.plugin) {
			p.Size += after.files[name].size
		}
		all = append(all, p)
	}
	return all
}

// stepsToWaitFor are what has to happen before the next run.
func (in inputs) stepsToWaitFor(q Request, after tree, releases []release, more []string) (all []string, err error) {
	for _, p := range in.suite.Plugins { // a newer springfield's hook is in all of them
		before := in.published(p.Name)
		if before.Version == "" || len(after.listFiles(p.Name)) == 0 || slices.ContainsFunc(releases, func(r release) bool { return r.plugin == p.Name }) {
			continue
		}
		digest, err := after.digestOf(p.Name)
		if err != nil {
			return nil, err
		}
		if digest != before.Files {
			all = append(all, fmt.Sprintf("%s has changed, too, since %s was published, and clients fetch a version once: %s", p.Name, before.Version, q.commandAgain("--plugin "+check.QuoteArgument(p.Name)+" --bump patch")))
		}
	}
	return append(all, more...), nil
}

// checkoutsToPush are the checkouts that have something new for clients, unless the suite waits
// for more.
func (in inputs) checkoutsToPush(after tree, catalog journal.Edit, waits []string) (dirs []string) {
	if len(after.changes("")) > 0 && in.around.repo != nil && len(waits) == 0 {
		dirs = append(dirs, in.dir)
	}
	if !in.market.Own && in.market.inGit && catalog.Changes() {
		dirs = append(dirs, in.market.Root)
	}
	return dirs
}

// Install is what a user types. Where it is not known where others find the
// marketplace, it is what works on this machine.
func (p *Plan) Install() []string {
	plugins := check.NamesOf(p.Plugins, func(one Plugin) string { return "/plugin install " + one.Name + "@" + p.Market.Name })
	return append([]string{"/plugin marketplace add " + cmp.Or(p.Market.Address, p.Market.Root)}, plugins...)
}

// ApplyPlan writes the files, all or none, and then tells git what is no file.
func (p *Plan) ApplyPlan(ctx context.Context) error {
	if err := p.journal.ApplyChange(p.Change); err != nil {
		return err
	}
	var err error
	if len(p.Marks) > 0 {
		err = p.repo.MarkExecutable(ctx, p.Marks)
	}
	for _, tag := range p.Tags {
		if err == nil {
			err = p.repo.TagHead(ctx, tag, strings.Replace(tag, "--v", " ", 1))
		}
	}
	if err != nil {
		return check.Advisef("springfield publish again does the rest, once the cause is gone",
			"the files are published, but git was not told about all of them: %w", err)
	}
	return nil
}

// Unlock lets other springfields publish again.
func (p *Plan) Unlock() { p.unlock() }

// gitTasks is what git is told of a release: the executable bit of hooks in its index, and tags.
// Both are no files, so undo leaves them.
type gitTasks struct {
	repo  *git.Repository
	Marks []string // hooks that its index has as files that cannot be started
	Tags  []string // PLUGIN--vVERSION, the form that Claude Code gives them
	waits []string // what has to happen before it can be told all
}

// findGitTasks finds what git is to be told: tags only if the request asks for them.
// The hooks to mark are those of the plugins that are published. Files that git does not
// know are for their owner to add; where git does not see modes, publish has to be called
// again then.
func (in inputs) findGitTasks(ctx context.Context, q Request, after tree, releases []release) (t gitTasks, err error) {
	if q.Tag {
		if t.Tags, err = in.missingTags(ctx, after, releases); err != nil {
			return t, err
		}
	}
	if t.repo = in.around.repo; t.repo == nil {
		return t, nil
	}
	var files []string
	for _, p := range in.suite.Plugins {
		if len(q.Plugins) == 0 || slices.Contains(q.Plugins, p.Name) {
			files = append(files, after.started(p.Name)...)
		}
	}
	var unknown bool
	if t.Marks, unknown, err = in.around.plainPrograms(files); unknown && err == nil && !t.repo.SeesModes(ctx) {
		t.waits = append(t.waits, "git add "+check.QuoteArgument(in.dir)+", then publish again before you commit: git does not see here that hooks are executable, and publish tells it")
	}
	return t, err
}

var errUntagged = errors.New("nothing was tagged")

// missingTags are the tags that the releases lack. They are for what is committed, so it is
// an error if that is another one than the release.
func (in inputs) missingTags(ctx context.Context, after tree, releases []release) (tags []string, err error) {
	for _, r := range releases {
		if err := r.around.requireRepo(errUntagged.Error(), "git init and commit it"); err != nil {
			return nil, err
		}
		dirty, err := r.around.dirtyFiles(r.placeInRepo())
		switch {
		case err != nil:
			return nil, err
		case len(dirty) > 0:
			return nil, check.Advisef("commit it, then springfield publish --tag", "%w: %s is not committed", errUntagged, dirty[0])
		case len(after.changes(r.plugin)) > 0:
			return nil, check.Advisef("springfield publish, commit what it writes, then springfield publish --tag",
				"%w: publishing would change %s", errUntagged, filepath.Join(in.dir, r.plugin))
		}
		tag := r.plugin + "--v" + r.new
		at := r.around.repo.CommitOf(ctx, "refs/tags/"+tag)
		if at == "" {
			tags = append(tags, tag)
			continue
		}
		same, err := r.around.repo.HoldsExactly(ctx, at, r.placeInRepo())
		if err != nil {
			return nil, err
		}
		if !same {
			return nil, check.Advisef("raise the version: a tag that was published does not move",
				"%w: tag %s is there, at a commit with other files", errUntagged, tag)
		}
	}
	return tags, nil
}
