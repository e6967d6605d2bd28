// Where clients fetch a published plugin from: a path in the marketplace's own
// repository, or a place in the suite's, pinned to a commit as soon as there is
// one that holds it.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer"
)

// Forms of a source, by the names that --source has for them.
const (
	bySituation = "auto"
	byPath      = "path"
	bySubdir    = "git-subdir"
	byURL       = "url"
	byGitHub    = "github"
)

func sourceForms() []string { return []string{bySituation, byPath, bySubdir, byURL, byGitHub} }

// fetched is a source that a client fetches with git.
type fetched struct {
	Source string `json:"source"`
	URL    string `json:"url,omitempty"`
	Repo   string `json:"repo,omitempty"`
	Path   string `json:"path,omitempty"`
	Ref    string `json:"ref,omitempty"`
	SHA    string `json:"sha,omitempty"`
}

func (f fetched) where() string { return firstOf(f.URL, f.Repo) }

// source is a plugin's source in the marketplace: a path, or fetched.
func (r *release) source(ctx context.Context, o publishOptions, row *releaseRow, item installer.Item) (any, error) {
	inside, err := r.pathInMarket(row.Plugin)
	if err != nil {
		return nil, err
	}
	form := o.source
	if form == bySituation {
		if form = bySubdir; inside != "" {
			form = byPath
		}
	}
	if form == byPath {
		if inside == "" {
			return nil, &hinted{fmt.Errorf("%s lies outside of %s, so no path leads there", filepath.Join(r.dir, row.Plugin), r.market.Root),
				"--source git-subdir names the repository it lies in"}
		}
		row.Source = inside
		return inside, nil
	}
	if r.repo == nil {
		return nil, &hinted{fmt.Errorf("%s is not in a git repository, and clients fetch the plugin with git", r.dir),
			"git init, commit and push it; or put the suite into the marketplace's checkout"}
	}
	f, err := r.fetchedFrom(ctx, o, row, form)
	if err != nil {
		return nil, err
	}
	if f.SHA, err = r.pin(ctx, o, row, item, f); err != nil {
		return nil, err
	}
	row.Source, row.SHA = f.Source+" "+f.where(), f.SHA
	if f.Path != "" {
		row.Source += " " + f.Path
	}
	return f, nil
}

// pathInMarket is how the marketplace reaches a plugin that lies below it, "" if
// it does not.
func (r *release) pathInMarket(plugin string) (string, error) {
	root, err := filepath.EvalSymlinks(r.market.Root)
	if err != nil {
		return "", err
	}
	dir, err := filepath.EvalSymlinks(r.dir)
	if err != nil {
		return "", err
	}
	relative, err := filepath.Rel(root, filepath.Join(dir, plugin))
	if err != nil || !filepath.IsLocal(relative) {
		return "", nil
	}
	return "./" + filepath.ToSlash(relative), nil
}

// fetchedFrom names the suite's repository and the place in it.
func (r *release) fetchedFrom(ctx context.Context, o publishOptions, row *releaseRow, form string) (fetched, error) {
	branch := r.repo.branch(ctx)
	remote := firstOf(o.repo, r.repo.remote(ctx, branch))
	if remote == "" {
		return fetched{}, &hinted{fmt.Errorf("%s has no remote, and clients fetch the plugin from one", r.repo.root),
			"git remote add origin URL, or pass --repo URL"}
	}
	where, ok := publicURL(remote)
	if !ok && ownerRepo.MatchString(remote) {
		where, ok = "https://github.com/"+remote, true
	}
	if !ok {
		return fetched{}, &hinted{fmt.Errorf("its remote is %s, which others cannot fetch from", remote), "pass --repo URL: where people find the repository"}
	}
	place, err := r.repo.path(filepath.Join(r.dir, row.Plugin))
	if err != nil {
		return fetched{}, err
	}
	f := fetched{Source: form, URL: where, Path: place, Ref: firstOf(o.ref, branch)}
	if f.Ref == "" {
		return fetched{}, &hinted{fmt.Errorf("%s has no branch checked out (detached HEAD), so nobody knows what to fetch", r.repo.root),
			"git switch BRANCH, or pass --ref NAME"}
	}
	if form == bySubdir {
		return f, nil
	}
	if place != "." {
		return fetched{}, &hinted{fmt.Errorf("a source of the form %s is a whole repository, and %s is a directory in one", form, place), "take --source git-subdir"}
	}
	f.Path = ""
	if form == byGitHub {
		repo, ok := strings.CutPrefix(canonical(where), "github.com/")
		if !ok {
			return fetched{}, &hinted{fmt.Errorf("%s is not on GitHub", where), "take --source url"}
		}
		f.URL, f.Repo = "", repo
	}
	return f, nil
}

// pin is the commit to pin a source to, "" while there is none that holds what
// is published: the first run writes everything but the pin, and after commit and
// push the next one writes that.
func (r *release) pin(ctx context.Context, o publishOptions, row *releaseRow, item installer.Item, f fetched) (string, error) {
	place, err := r.repo.path(filepath.Join(r.dir, row.Plugin))
	if err != nil || o.noPin {
		return "", err
	}
	changed, err := r.changedIn(row.Plugin)
	if err != nil {
		return "", err
	}
	dirty, err := r.repo.dirty(ctx, place)
	if err != nil {
		return "", err
	}
	if changed || len(dirty) > 0 {
		r.wait("commit and push %s, then publish again: that pins its entry to the commit", filepath.Join(r.dir, row.Plugin))
		return "", nil
	}
	var before fetched
	if json.Unmarshal(item.Source, &before) == nil && before.SHA != "" && sameRepository(before.where(), f.where()) && before.Path == f.Path {
		if same, err := r.repo.holds(ctx, before.SHA, place); err != nil || same {
			return before.SHA, err // pinned already, to the very same files
		}
		if known, shallow := r.repo.knows(ctx, before.SHA); !known && shallow && !row.Fresh {
			return before.SHA, nil // nobody can tell here, and nothing was changed
		}
	}
	commit, err := r.repo.lastChange(ctx, place)
	if err != nil || commit == "" {
		return "", err
	}
	for _, file := range generator.Started(filepath.Join(r.dir, row.Plugin)) {
		if !r.repo.has(ctx, commit, path.Join(place, file)) {
			return "", &hinted{fmt.Errorf("commit %.12s does not hold %s, so clients would get a plugin without its hook", commit, path.Join(place, file)),
				"git add --force it: something ignores it"}
		}
	}
	pushed, err := r.repo.isPushed(ctx, commit)
	if err != nil {
		return "", err
	}
	if !pushed {
		r.wait("push commit %.12s, then publish again: that pins the entry of %s to it", commit, row.Plugin)
		return "", nil
	}
	return commit, nil
}

// wait notes what has to happen before the next run.
func (r *release) wait(format string, args ...any) {
	if says := fmt.Sprintf(format, args...); !slices.Contains(r.waits, says) {
		r.waits = append(r.waits, says)
	}
}

// changedIn tells whether the release changes files of a plugin.
func (r *release) changedIn(plugin string) (bool, error) {
	differences, err := generator.Differences(filepath.Join(r.dir, plugin), filepath.Join(r.stage, plugin))
	return len(differences) > 0, err
}

// isOurs tells whether an entry's source is this plugin, in whatever form.
func (r *release) isOurs(had json.RawMessage, now any, plugin string) bool {
	var before fetched
	var relative string
	switch {
	case json.Unmarshal(had, &relative) == nil:
		inside, err := r.pathInMarket(plugin)
		return err == nil && inside != "" && path.Clean(relative) == path.Clean(inside)
	case json.Unmarshal(had, &before) != nil:
		return false
	}
	if after, ok := now.(fetched); ok {
		return sameRepository(before.where(), after.where()) && path.Clean(before.Path) == path.Clean(after.Path)
	}
	return false
}

var errUntagged = errors.New("nothing was tagged")

// tag tags the commits that hold the release, as `claude plugin tag` does.
func (r *release) tag(ctx context.Context) (made []string, err error) {
	if r.repo == nil {
		return nil, &hinted{fmt.Errorf("%w: %s is not in a git repository", errUntagged, r.dir), "git init and commit it"}
	}
	for _, row := range r.rows {
		place, err := r.repo.path(filepath.Join(r.dir, row.Plugin))
		if err != nil {
			return made, err
		}
		dirty, err := r.repo.dirty(ctx, place)
		if err != nil {
			return made, err
		}
		if len(dirty) > 0 {
			return made, &hinted{fmt.Errorf("%w: %s is not committed", errUntagged, dirty[0]), "commit it, then springfield publish --tag"}
		}
	}
	for _, row := range r.rows {
		place, err := r.repo.path(filepath.Join(r.dir, row.Plugin))
		if err != nil {
			return made, err
		}
		name := tagOf(row.Plugin, row.New)
		if at, err := r.repo.git(ctx, "rev-parse", "--verify", "--quiet", "refs/tags/"+name+"^{commit}"); err == nil {
			same, err := r.repo.holds(ctx, at, place)
			if err != nil {
				return made, err
			}
			if !same {
				return made, &hinted{fmt.Errorf("tag %s is there, at a commit with other files", name), "raise the version: a tag that was published does not move"}
			}
			continue
		}
		if _, err := r.repo.git(ctx, "tag", "--annotate", "--message", row.Plugin+" "+row.New, name); err != nil {
			return made, err
		}
		made = append(made, name)
	}
	return made, nil
}

// markStarted has git's index say that hooks are executable, which a checkout on
// Windows would lose. Only files that git knows: adding is for its owner.
func (r *release) markStarted(ctx context.Context) ([]string, error) {
	if r.repo == nil {
		return nil, nil
	}
	var files []string
	for _, p := range r.suite.Plugins {
		place, err := r.repo.path(filepath.Join(r.dir, p.Name))
		if err != nil {
			return nil, err
		}
		for _, file := range generator.Started(filepath.Join(r.dir, p.Name)) {
			if path.Ext(file) != ".exe" {
				files = append(files, path.Join(place, file))
			}
		}
	}
	modes, err := r.repo.modes(ctx, files)
	if err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(files, func(file string) bool { return modes[file] != "100644" })
	if len(files) == 0 {
		return nil, nil
	}
	_, err = r.repo.git(ctx, append([]string{"update-index", "--chmod=+x", "--"}, files...)...)
	return files, err
}
