package publish

// Where clients fetch a published plugin from: a path in the marketplace's own
// repository, or a directory of the suite's, pinned to a commit as soon as there is
// one that holds it.

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/git"
	"github.com/cameronsjo/springfield/internal/rooted"
)

// subdir is the kind of source that is a directory of a git repository.
const subdir = "git-subdir"

// fetched is a source that a client fetches with git.
type fetched struct {
	Source string `json:"source"` // subdir
	URL    string `json:"url,omitempty"`
	Path   string `json:"path,omitempty"`
	Ref    string `json:"ref,omitempty"`
	SHA    string `json:"sha,omitempty"`
}

func (r release) sourceForPeople() (text, sha string) {
	switch s := r.source.(type) {
	case fetched:
		return strings.Join([]string{s.Source, s.URL, s.Path}, " "), s.SHA
	case string:
		return s, ""
	}
	return "./" + r.plugin, ""
}

// sourceOf is where a plugin's entry in another marketplace leads: to a path where the
// suite lies in the marketplace's checkout, else to the suite's repository, without
// the commit so far. An entry that fetches the plugin already keeps its form.
func (in inputs) sourceOf(q Request, r release) (source any, err error) {
	_, listed := in.market.entryOf(r.plugin)
	inside, err := in.pathInMarket(r.plugin)
	if err != nil {
		return nil, err
	}
	before, ours := r.fetchedBefore()
	source = inside
	if ours || inside == "" {
		source, err = r.fetchedFrom(q, before)
	}
	if place, isPath := in.market.placeOfSource(r.entry.Source); isPath {
		ours = inside != "" && place == path.Clean(inside)
	}
	if err == nil && listed && !ours {
		err = check.Advisef(anotherName(in.dir)+"; or take that entry out of the catalog first",
			"%s: %s offers a plugin of that name from elsewhere: %s", r.plugin, in.market.Path, r.entry.Source)
	}
	return source, err
}

// placeInRepo is where the plugin lies in the suite's repository.
func (r release) placeInRepo() string { return path.Join(r.around.place, r.plugin) }

// fetchedBefore is what the plugin's entry fetches, if that is this very plugin.
func (r release) fetchedBefore() (before fetched, ours bool) {
	c := r.around
	if c.repo == nil || c.where == "" || json.Unmarshal(r.entry.Source, &before) != nil || before.Source != subdir ||
		!git.SameRepository(before.URL, c.where) || path.Clean(before.Path) != r.placeInRepo() {
		return fetched{}, false
	}
	return before, true
}

// pathInMarket is how the marketplace reaches a plugin that lies below it, "" if it
// does not.
func (in inputs) pathInMarket(plugin string) (string, error) {
	root, err := filepath.EvalSymlinks(in.market.Root)
	if err != nil {
		return "", err
	}
	dir, err := filepath.EvalSymlinks(in.dir)
	if err != nil {
		return "", err
	}
	if at := filepath.Join(dir, plugin); rooted.HoldsPath(root, at) {
		relative, err := filepath.Rel(root, at)
		return "./" + filepath.ToSlash(relative), err
	}
	return "", nil
}

// fetchedFrom names the plugin's repository and the place in it. The same repository
// stays written as it was: every checkout has another way to write it.
func (r release) fetchedFrom(q Request, before fetched) (fetched, error) {
	c := r.around
	if err := c.requireRepo("clients fetch the plugin with git", "git init, commit and push it; or put the suite into the marketplace's checkout"); err != nil {
		return fetched{}, err
	}
	switch {
	case c.remote == "":
		return fetched{}, check.Advisef("git remote add origin URL",
			"%s has no remote, and clients fetch the plugin from one", c.repo.Root)
	case c.where == "":
		return fetched{}, check.Advisef("git remote set-url origin URL: where people find the repository",
			"its remote is %s, which others cannot fetch from", c.remote)
	}
	f := fetched{Source: subdir, URL: c.where, Path: r.placeInRepo(), Ref: before.Ref}
	if !q.Check || f.Ref == "" { // CI checks pull requests out, and other branches
		f.Ref = c.branch()
	}
	if f.Ref == "" {
		return fetched{}, check.Advisef("git switch BRANCH",
			"%s has no branch checked out (detached HEAD), so it is not known what to fetch", c.repo.Root)
	}
	if before.URL != "" {
		f.URL = before.URL
	}
	return f, nil
}

// pinReleases gives the releases the commits to fetch, and returns what has to happen before
// the others can have one, each once: the first run writes everything but the pin, and after
// commit and push the next one writes that.
func (in inputs) pinReleases(ctx context.Context, q Request, after tree, releases []release) (waits []string, err error) {
	for i, r := range releases {
		if f, ok := r.source.(fetched); ok {
			var wait string
			if f.SHA, wait, err = r.pinCommit(ctx, q, after); err != nil {
				return nil, err
			}
			if releases[i].source = f; wait != "" && !slices.Contains(waits, wait) {
				waits = append(waits, wait)
			}
		}
	}
	return waits, nil
}

func (r release) pinCommit(ctx context.Context, q Request, after tree) (commit, wait string, err error) {
	repo, place := r.around.repo, r.placeInRepo()
	dirty, err := r.around.dirtyFiles(place)
	if err != nil {
		return "", "", err
	}
	// Publish mends these, and then there is something to commit.
	plain, _, err := r.around.plainPrograms(after.started(r.plugin))
	if err != nil {
		return "", "", err
	}
	if len(dirty)+len(plain)+len(after.changes(r.plugin)) > 0 {
		return "", "commit and push " + check.QuoteArgument(r.around.dir) + ", then publish again: that pins its entries to the commit", nil
	}
	if before, ours := r.fetchedBefore(); ours && before.SHA != "" {
		same, err := repo.HoldsExactly(ctx, before.SHA, place)
		if err != nil {
			return "", "", err
		}
		// CI often has only the newest commit, which is not enough to know.
		if same || q.Check && repo.CommitOf(ctx, before.SHA) == "" && repo.IsShallow(ctx) {
			return before.SHA, "", nil
		}
	}
	if commit, err = repo.LastChange(ctx, place); err != nil || commit == "" {
		return "", "", err
	}
	pushed, err := repo.IsPushed(ctx, commit, r.around.where)
	if err == nil && !pushed {
		return "", fmt.Sprintf("push commit %.12s, then publish again: that pins the entry of %s to it", commit,
			r.plugin), nil
	}
	return commit, "", err
}
