package publish

// Where clients fetch a published plugin from: a path in the marketplace's own
// repository, or a place in the suite's, pinned to a commit as soon as there is one
// that holds it.

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/check"
	"github.com/cameronsjo/springfield/folder"
	"github.com/cameronsjo/springfield/git"
)

// The forms of a source, as requests name them.
const (
	BySituation = "auto"
	ByPath      = "path"
	BySubdir    = "git-subdir"
	ByURL       = "url"
	ByGitHub    = "github"
)

// Forms are the forms of a source.
func Forms() []string { return []string{BySituation, ByPath, BySubdir, ByURL, ByGitHub} }

// fetched is a source that a client fetches with git.
type fetched struct {
	Source string `json:"source"`
	URL    string `json:"url,omitempty"`
	Repo   string `json:"repo,omitempty"`
	Path   string `json:"path,omitempty"`
	Ref    string `json:"ref,omitempty"`
	SHA    string `json:"sha,omitempty"`
}

func (f fetched) where() string {
	if f.URL != "" {
		return f.URL
	}
	return f.Repo
}

// shown is the source for people.
func (r release) shown() (text, sha string) {
	switch s := r.source.(type) {
	case fetched:
		return strings.TrimSpace(s.Source + " " + s.where() + " " + s.Path), s.SHA
	case string:
		return s, ""
	}
	return "./" + r.plugin, ""
}

// source is where a plugin's entry in another marketplace leads: to a path, or to a
// repository, without its commit so far. An entry that fetches the plugin already
// keeps its form.
func (in inputs) source(ctx context.Context, q Request, r release) (source any, err error) {
	_, listed := in.market.item(r.plugin)
	if other, ok := in.market.alike(r.plugin); ok && !listed {
		return nil, failf(anotherName(in.dir), "%s: %s offers %s, which looks the same", r.plugin, in.market.Path, other)
	}
	inside, err := in.pathInMarket(r.plugin)
	if err != nil {
		return nil, err
	}
	before, ours := r.fetchedBefore()
	form := q.Source
	switch {
	case form != BySituation:
	case ours:
		form = before.Source
	case r.own: // which a clone of the marketplace may come without
		form = ByURL
	case inside != "":
		form = ByPath
	default:
		form = BySubdir
	}
	switch {
	case form != ByPath:
		source, err = r.fetchedFrom(ctx, q, form, before)
	case inside == "":
		err = failf("--source git-subdir names the repository it is in", "%s is outside %s, so no path leads there", filepath.Join(in.dir, r.plugin), in.market.Root)
	default:
		source = inside
	}
	if place, isPath := in.market.place(r.entry.Source); isPath {
		ours = inside != "" && place == path.Clean(inside)
	}
	if err == nil && listed && !ours && !q.Replace {
		err = failf(anotherName(in.dir)+"; --replace takes the entry over",
			"%s: %s offers a plugin of that name from elsewhere: %s", r.plugin, in.market.Path, r.entry.Source)
	}
	return source, err
}

// fetchedBefore is what the plugin's entry fetches, if that is this very plugin.
func (r release) fetchedBefore() (before fetched, ours bool) {
	if r.repo == nil || json.Unmarshal(r.entry.Source, &before) != nil || !slices.Contains([]string{BySubdir, ByURL, ByGitHub}, before.Source) ||
		r.where == "" || !git.SameRepository(before.where(), r.where) || path.Clean(before.Path) != r.place {
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
	if at := filepath.Join(dir, plugin); folder.Holds(root, at) {
		relative, err := filepath.Rel(root, at)
		return "./" + filepath.ToSlash(relative), err
	}
	return "", nil
}

// fetchedFrom names the plugin's repository and the place in it. The same repository
// stays written as it was: every checkout has another way to write it.
func (r release) fetchedFrom(ctx context.Context, q Request, form string, before fetched) (fetched, error) {
	if err := r.need("clients fetch the plugin with git", "git init, commit and push it; or put the suite into the marketplace's checkout"); err != nil {
		return fetched{}, err
	}
	switch {
	case r.remote == "":
		return fetched{}, failf("git remote add origin URL, or pass --repo URL", "%s has no remote, and clients fetch the plugin from one", r.repo.Root)
	case r.where == "":
		return fetched{}, failf("pass --repo URL: where people find the repository", "its remote is %s, which others cannot fetch from", r.remote)
	}
	f := fetched{Source: form, URL: r.where, Path: r.place, Ref: q.Ref}
	if f.Ref == "" && q.Check { // CI checks pull requests out, and other branches
		f.Ref = before.Ref
	}
	if f.Ref == "" {
		f.Ref = r.repo.Branch(ctx)
	}
	if f.Ref == "" {
		return fetched{}, failf("git switch BRANCH, or pass --ref NAME", "%s has no branch checked out (detached HEAD), so it is not known what to fetch", r.repo.Root)
	}
	if form != ByGitHub && before.URL != "" && q.Repo == "" {
		f.URL = before.URL
	}
	if form == BySubdir {
		return f, nil
	}
	if r.place != "." {
		return fetched{}, failf("use --source git-subdir", "a source of the form %s is a whole repository, and %s is a directory in one", form, r.place)
	}
	f.Path = ""
	if form == ByGitHub {
		repo, ok := strings.CutPrefix(git.Canonical(r.where), "github.com/")
		if !ok {
			return fetched{}, failf("use --source url", "%s is not on GitHub", r.where)
		}
		if f.URL, f.Repo = "", repo; before.Repo != "" && q.Repo == "" {
			f.Repo = before.Repo
		}
	}
	return f, nil
}

// pinned are the releases with the commits to fetch, and what has to happen before
// the others can have one.
func (in inputs) pinned(ctx context.Context, q Request, after tree, releases []release) (all []release, waits []string, err error) {
	for _, r := range releases {
		if f, ok := r.source.(fetched); ok && !q.NoPin {
			var wait string
			if f.SHA, wait, err = r.pin(ctx, after); err != nil {
				return nil, nil, err
			}
			if r.source = f; wait != "" {
				waits = append(waits, wait)
			}
		}
		all = append(all, r)
	}
	return all, waits, nil
}

// pin is the commit to pin a source to, "" while there is none that holds what is
// published: the first run writes everything but the pin, and after commit and push
// the next one writes that.
func (r release) pin(ctx context.Context, after tree) (commit, wait string, err error) {
	old, _ := r.fetchedBefore()
	before := old.SHA
	dirty, err := r.repo.Dirty(ctx, r.place)
	if err != nil {
		return "", "", err
	}
	if len(dirty) > 0 || len(after.changes(r.plugin)) > 0 {
		return "", "commit and push " + check.Quote(r.dir) + ", then publish again: that pins its entries to the commit", nil
	}
	if before != "" {
		if same, err := r.repo.Holds(ctx, before, r.place); err != nil || same {
			return before, "", err // pinned already, to the very same files
		}
		if !r.fresh() && r.repo.Commit(ctx, before) == "" && r.repo.IsShallow(ctx) {
			return before, "", nil // it cannot be told here, and nothing was changed
		}
	}
	if commit, err = r.repo.LastChange(ctx, r.place); err != nil || commit == "" {
		return "", "", err
	}
	started := r.inRepo(after.started(r.plugin))
	modes, err := r.repo.Modes(ctx, commit, started)
	if err != nil {
		return "", "", err
	}
	for _, file := range started {
		switch mode := modes[file]; {
		case mode == "":
			return "", "", failf("git add --force it: something ignores it", "commit %.12s does not contain %s, so clients would get a plugin without it", commit, file)
		case mode != git.Executable && path.Ext(file) != ".exe":
			return "", fmt.Sprintf("commit %.12s has %s as a file that is not executable; publish fixes that in git's index: commit and push, then publish again", commit, file), nil
		}
	}
	pushed, err := r.repo.IsPushed(ctx, commit, r.where)
	if err != nil {
		return "", "", err
	}
	if !pushed {
		return "", fmt.Sprintf("push commit %.12s, then publish again: that pins the entry of %s to it", commit, r.plugin), nil
	}
	return commit, "", nil
}
