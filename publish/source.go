package publish

// Sources of published plugins: a path in the marketplace's own repository, or a directory of the suite's
// repository, pinned to a commit as soon as one contains the release.

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

const subdir = "git-subdir"

type gitSource struct {
	Source string `json:"source"`
	URL    string `json:"url,omitempty"`
	Path   string `json:"path,omitempty"`
	Ref    string `json:"ref,omitempty"`
	SHA    string `json:"sha,omitempty"`
}

// unpinnedSource returns the source for the plugin's entry in a separate marketplace: a path if the suite is inside,
// otherwise its repository. An entry that names the repository keeps it. A different plugin's entry is an error.
// r.entry, r.around and r.place are set.
func (in inputs) unpinnedSource(q Request, r release) (source any, err error) {
	inside, err := in.pathInMarket(r.plugin)
	if err != nil {
		return nil, err
	}
	before, ours := r.listedSource()
	source = inside
	if ours || inside == "" {
		source, err = r.sourceToFetch(q, before)
	}
	if place, isPath := in.market.placeOfSource(r.entry.Source); isPath {
		ours = inside != "" && place == path.Clean(inside)
	}
	if err == nil && r.entry.Name != "" && !ours {
		err = check.Advisef(hintOtherName(in.dir)+"; or remove that entry from the catalog first",
			"%s: %s already has a plugin of that name from another source: %s", r.plugin, in.market.Path, r.entry.Source)
	}
	return source, err
}

// listedSource returns the source of the plugin's catalog entry. matches is false if that does not fetch this plugin
// from this repository.
func (r release) listedSource() (listed gitSource, matches bool) {
	c := r.around
	if c.repo == nil || c.where == "" || json.Unmarshal(r.entry.Source, &listed) != nil || listed.Source != subdir ||
		!git.SameRepository(listed.URL, c.where) || path.Clean(listed.Path) != r.place {
		return gitSource{}, false
	}
	return listed, true
}

// pathInMarket returns the plugin's path relative to the marketplace, beginning with "./" ("" if not inside).
func (in inputs) pathInMarket(plugin string) (ifInside string, err error) {
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

// sourceToFetch returns the source to fetch the plugin with git, or an error if others cannot. It keeps the URL from
// urlFrom.
func (r release) sourceToFetch(q Request, urlFrom gitSource) (gitSource, error) {
	c := r.around
	const why = "clients fetch the plugin with git"
	switch {
	case c.foreign != nil:
		return gitSource{}, check.Advisef(c.foreign.Advice, "%w; %s", c.foreign, why)
	case c.repo == nil:
		return gitSource{}, check.Advisef("run git init, commit and push; or move the suite into the marketplace's checkout",
			"%s is not in a git repository; %s", c.dir, why)
	case c.remote == "":
		return gitSource{}, check.Advisef("run git remote add origin URL",
			"%s has no remote for clients to fetch the plugin from", c.repo.Root)
	case c.where == "":
		return gitSource{}, check.Advisef("run git remote set-url origin URL, with the address that others use",
			"the remote of %s is %s, which others cannot fetch from", c.repo.Root, c.remote)
	}
	f := gitSource{Source: subdir, URL: c.where, Path: r.place, Ref: urlFrom.Ref}
	if !q.Check || f.Ref == "" { // CI checks out pull requests and other branches
		f.Ref = c.branch()
	}
	if f.Ref == "" {
		return gitSource{}, check.Advisef("run git switch BRANCH",
			"%s has no branch checked out (detached HEAD), so clients would have no branch to fetch", c.repo.Root)
	}
	if urlFrom.URL != "" {
		f.URL = urlFrom.URL
	}
	return f, nil
}

// pinReleases sets the commit in each release's source. stepsFirst come first, such as a push. The next run then writes
// the pins.
func (in inputs) pinReleases(ctx context.Context, q Request, after plannedTree, releases []release) (stepsFirst []string, err error) {
	for i, r := range releases {
		if f, ok := r.source.(gitSource); ok {
			var wait string
			if f.SHA, wait, err = r.findCommitToPin(ctx, q, after); err != nil {
				return nil, err
			}
			if releases[i].source = f; wait != "" && !slices.Contains(stepsFirst, wait) {
				stepsFirst = append(stepsFirst, wait)
			}
		}
	}
	return stepsFirst, nil
}

// findCommitToPin returns the commit with the release, or the step for the user to take first. Both are "" if no commit
// changed the plugin. r.around has a repository.
func (r release) findCommitToPin(ctx context.Context, q Request, after plannedTree) (commit, step string, err error) {
	repo, place := r.around.repo, r.place
	dirty, err := r.around.dirty()
	if err != nil {
		return "", "", err
	}
	// Publish marks these, so there will be something to commit.
	plain, _, err := r.around.plainPrograms(after.listPrograms(r.plugin))
	if err != nil {
		return "", "", err
	}
	changed := slices.ContainsFunc(dirty, func(name string) bool { return isBelow(place, name) })
	if changed || len(plain)+len(after.changes(r.plugin)) > 0 {
		return "", "commit and push " + check.QuoteArgument(r.around.dir) + ", then publish again to pin its entries to that commit", nil
	}
	if before, ours := r.listedSource(); ours && before.SHA != "" {
		same, err := repo.IsUnchangedSince(ctx, before.SHA, place)
		if err != nil {
			return "", "", err
		}
		// A shallow clone in CI lacks the commit, which proves nothing.
		if same || q.Check && repo.CommitOf(ctx, before.SHA) == "" && repo.IsShallow(ctx) {
			return before.SHA, "", nil
		}
	}
	if commit, err = repo.LastChange(ctx, place); err != nil || commit == "" {
		return "", "", err
	}
	pushed, err := repo.IsKnownPushed(ctx, commit, r.around.where)
	if err == nil && !pushed {
		return "", fmt.Sprintf("push commit %.12s, then publish again to pin the entry of %s to it", commit,
			r.plugin), nil
	}
	return commit, "", err
}

// argumentToAddIfAny returns the /plugin marketplace add argument for a public address: OWNER/REPOSITORY for GitHub,
// git@HOST:PATH, "" for ssh://, other URLs with .git.
func argumentToAddIfAny(url string) string {
	if short, ok := strings.CutPrefix(url, "https://github.com/"); ok {
		return strings.TrimSuffix(strings.Trim(short, "/"), ".git")
	}
	switch {
	case strings.HasPrefix(url, "ssh://"):
		return ""
	case !strings.Contains(url, "://"):
		return url // git@HOST:PATH
	}
	return strings.TrimSuffix(strings.TrimSuffix(url, "/"), ".git") + ".git"
}
