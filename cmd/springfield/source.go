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

	"github.com/cameronsjo/springfield/check"
	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/git"
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

// source is a plugin's source in the marketplace: a path, or fetched. An entry
// that fetches the plugin already keeps its form.
func (r *release) source(ctx context.Context, o publishOptions, row *releaseRow, item installer.Item) (any, error) {
	inside, err := r.pathInMarket(row.Plugin)
	if err != nil {
		return nil, err
	}
	before, known, err := r.fetchedBefore(ctx, o, row.Plugin, item)
	if err != nil {
		return nil, err
	}
	form := o.source
	if form == bySituation {
		switch {
		case known:
			form = before.Source
		case r.repos[row.Plugin] != nil: // which a clone of the marketplace may come without
			form = byURL
		case inside != "":
			form = byPath
		default:
			form = bySubdir
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
	if err := r.needRepo(row.Plugin, "clients fetch the plugin with git", "git init, commit and push it; or put the suite into the marketplace's checkout"); err != nil {
		return nil, err
	}
	f, err := r.fetchedFrom(ctx, o, row, form, before)
	if err != nil {
		return nil, err
	}
	if f.SHA, err = r.pin(ctx, o, row, before); err != nil {
		return nil, err
	}
	row.Source, row.SHA = f.Source+" "+f.where(), f.SHA
	if f.Path != "" {
		row.Source += " " + f.Path
	}
	return f, nil
}

// address is where people find a plugin's repository, "" if nobody knows.
func (r *release) address(ctx context.Context, o publishOptions, plugin string) (remote, where string) {
	repo, _, _ := r.repoOf(plugin)
	if remote = o.repo; remote == "" && repo != nil {
		remote = repo.Remote(ctx)
	}
	if where, ok := git.PublicURL(remote); ok {
		return remote, where
	}
	if git.IsOwnerRepo(remote) && o.repo != "" {
		return remote, "https://github.com/" + remote
	}
	return remote, ""
}

// fetchedBefore is what an entry fetches, if that is this very plugin.
func (r *release) fetchedBefore(ctx context.Context, o publishOptions, plugin string, item installer.Item) (before fetched, known bool, err error) {
	repo, place, err := r.repoOf(plugin)
	if err != nil || repo == nil || json.Unmarshal(item.Source, &before) != nil || !slices.Contains([]string{bySubdir, byURL, byGitHub}, before.Source) {
		return fetched{}, false, err
	}
	_, where := r.address(ctx, o, plugin)
	if where == "" || !git.SameRepository(before.where(), where) || path.Clean(before.Path) != place {
		return fetched{}, false, nil
	}
	return before, true, nil
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

// fetchedFrom names the suite's repository and the place in it. The same
// repository stays written as it was: every checkout has another way to write it.
func (r *release) fetchedFrom(ctx context.Context, o publishOptions, row *releaseRow, form string, before fetched) (fetched, error) {
	repo, place, err := r.repoOf(row.Plugin)
	if err != nil {
		return fetched{}, err
	}
	remote, where := r.address(ctx, o, row.Plugin)
	switch {
	case remote == "":
		return fetched{}, &hinted{fmt.Errorf("%s has no remote, and clients fetch the plugin from one", repo.Root),
			"git remote add origin URL, or pass --repo URL"}
	case where == "":
		return fetched{}, &hinted{fmt.Errorf("its remote is %s, which others cannot fetch from", remote), "pass --repo URL: where people find the repository"}
	}
	f := fetched{Source: form, URL: where, Path: place, Ref: firstOf(o.ref, repo.Branch(ctx))}
	if o.check { // CI checks pull requests out, and other branches
		f.Ref = firstOf(o.ref, before.Ref, f.Ref)
	}
	if f.Ref == "" {
		return fetched{}, &hinted{fmt.Errorf("%s has no branch checked out (detached HEAD), so nobody knows what to fetch", repo.Root),
			"git switch BRANCH, or pass --ref NAME"}
	}
	if form != byGitHub && before.URL != "" && o.repo == "" {
		f.URL = before.URL
	}
	if form == bySubdir {
		return f, nil
	}
	if place != "." {
		return fetched{}, &hinted{fmt.Errorf("a source of the form %s is a whole repository, and %s is a directory in one", form, place), "take --source git-subdir"}
	}
	f.Path = ""
	if form == byGitHub {
		repo, ok := strings.CutPrefix(git.Canonical(where), "github.com/")
		if !ok {
			return fetched{}, &hinted{fmt.Errorf("%s is not on GitHub", where), "take --source url"}
		}
		if f.URL, f.Repo = "", repo; before.Repo != "" && o.repo == "" {
			f.Repo = before.Repo
		}
	}
	return f, nil
}

// pin is the commit to pin a source to, "" while there is none that holds what
// is published: the first run writes everything but the pin, and after commit and
// push the next one writes that.
func (r *release) pin(ctx context.Context, o publishOptions, row *releaseRow, before fetched) (string, error) {
	repo, place, err := r.repoOf(row.Plugin)
	if err != nil || o.noPin {
		return "", err
	}
	changed, err := r.changedIn(row.Plugin)
	if err != nil {
		return "", err
	}
	dirty, err := repo.Dirty(ctx, place)
	if err != nil {
		return "", err
	}
	if changed || len(dirty) > 0 {
		r.wait("commit and push %s, then publish again: that pins its entries to the commit", quoted(r.repoDir(row.Plugin)))
		return "", nil
	}
	if before.SHA != "" {
		if same, err := repo.Holds(ctx, before.SHA, place); err != nil || same {
			return before.SHA, err // pinned already, to the very same files
		}
		if repo.Commit(ctx, before.SHA) == "" && repo.IsShallow(ctx) && !row.Fresh {
			return before.SHA, nil // nobody can tell here, and nothing was changed
		}
	}
	commit, err := repo.LastChange(ctx, place)
	if err != nil || commit == "" {
		return "", err
	}
	for _, file := range generator.Started(filepath.Join(r.dir, row.Plugin)) {
		file = path.Join(place, file)
		modes, err := repo.Modes(ctx, commit, []string{file})
		if err != nil {
			return "", err
		}
		switch mode := modes[file]; {
		case mode == "":
			return "", &hinted{fmt.Errorf("commit %.12s does not hold %s, so clients would get a plugin without it", commit, file),
				"git add --force it: something ignores it"}
		case mode != git.Executable && path.Ext(file) != ".exe":
			r.wait("commit %.12s has %s as a file that nobody can start; publish has git's index mended: commit and push, then publish again", commit, file)
			return "", nil
		}
	}
	_, where := r.address(ctx, o, row.Plugin)
	pushed, err := repo.IsPushed(ctx, commit, where)
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
func (r *release) isOurs(ctx context.Context, o publishOptions, plugin string, item installer.Item) (bool, error) {
	if place, ok := r.market.Place(item.Source); ok {
		inside, err := r.pathInMarket(plugin)
		return inside != "" && place == path.Clean(inside), err
	}
	_, known, err := r.fetchedBefore(ctx, o, plugin, item)
	return known, err
}

var errUntagged = errors.New("nothing was tagged")

// tagsToMake are the tags that a release lacks. They are for what is committed, so
// it is an error if that is another one than the release.
func (r *release) tagsToMake(ctx context.Context) (names []string, err error) {
	for _, row := range r.rows {
		if err := r.needRepo(row.Plugin, errUntagged.Error(), "git init and commit it"); err != nil {
			return nil, err
		}
		repo, place, err := r.repoOf(row.Plugin)
		if err != nil {
			return nil, err
		}
		dirty, err := repo.Dirty(ctx, place)
		if err != nil {
			return nil, err
		}
		if len(dirty) > 0 {
			return nil, &hinted{fmt.Errorf("%w: %s is not committed", errUntagged, dirty[0]), "commit it, then springfield publish --tag"}
		}
		if changed, err := r.changedIn(row.Plugin); err != nil {
			return nil, err
		} else if changed {
			return nil, &hinted{fmt.Errorf("%w: publishing would change %s", errUntagged, filepath.Join(r.dir, row.Plugin)), "springfield publish, commit what it writes, then springfield publish --tag"}
		}
		name := tagOf(row.Plugin, row.New)
		at := repo.Commit(ctx, "refs/tags/"+name)
		if at == "" {
			names = append(names, name)
			continue
		}
		same, err := repo.Holds(ctx, at, place)
		if err != nil {
			return nil, err
		}
		if !same {
			return nil, &hinted{fmt.Errorf("%w: tag %s is there, at a commit with other files", errUntagged, name), "raise the version: a tag that was published does not move"}
		}
	}
	return names, nil
}

// tag tags the commit of a release, as `claude plugin tag` does.
func (r *release) tag(ctx context.Context, names []string) (made []string, err error) {
	for _, row := range r.rows {
		name := tagOf(row.Plugin, row.New)
		if !slices.Contains(names, name) {
			continue
		}
		repo, _, err := r.repoOf(row.Plugin)
		if err != nil {
			return made, err
		}
		if err := repo.Tag(ctx, name, row.Plugin+" "+row.New); err != nil {
			return made, err
		}
		made = append(made, name)
	}
	return made, nil
}

// markStarted has git's index say that hooks are executable, which a checkout on
// Windows would lose. Only files that git knows: adding is for its owner.
func (r *release) markStarted(ctx context.Context) (all []string, err error) {
	for _, p := range r.suite.Plugins {
		repo, files, unknown, err := r.unmarkedIn(ctx, p.Name)
		if err != nil {
			return all, err
		}
		if unknown && !repo.SeesModes(ctx) {
			r.wait("git add %s, then publish again before you commit: git does not see here that hooks are executable, and publish tells it", quoted(r.repoDir(p.Name)))
		}
		if len(files) == 0 {
			continue
		}
		if err = repo.MarkExecutable(ctx, files); err != nil {
			return all, err
		}
		all = append(all, files...)
	}
	return all, nil
}

// unmarked are hooks that git's index has as files that nobody can start.
func (r *release) unmarked(ctx context.Context) (all []string, err error) {
	for _, p := range r.suite.Plugins {
		_, files, _, err := r.unmarkedIn(ctx, p.Name)
		if err != nil {
			return nil, err
		}
		all = append(all, files...)
	}
	return all, nil
}

// unmarkedIn are those of one plugin, as its repository names them, and whether
// there are hooks that its index does not know.
func (r *release) unmarkedIn(ctx context.Context, plugin string) (repo *git.Repository, files []string, unknown bool, err error) {
	started := slices.DeleteFunc(generator.Started(filepath.Join(r.dir, plugin)), func(file string) bool { return path.Ext(file) == ".exe" })
	if len(started) == 0 {
		return nil, nil, false, nil
	}
	repo, place, err := r.repoOf(plugin)
	if err != nil || repo == nil {
		return nil, nil, false, err
	}
	for i := range started {
		started[i] = path.Join(place, started[i])
	}
	modes, err := repo.Modes(ctx, "", started)
	for _, file := range started {
		unknown = unknown || modes[file] == ""
		if modes[file] == git.Plain {
			files = append(files, file)
		}
	}
	return repo, files, unknown, err
}

// passedOver are files of the release that git ignores, so that clients would not
// get them.
func (r *release) passedOver(ctx context.Context) (all []check.Finding, err error) {
	for _, row := range r.rows {
		repo, place, err := r.repoOf(row.Plugin)
		if err != nil {
			return nil, err
		}
		if repo == nil {
			continue
		}
		files, err := generator.FilesOf(filepath.Join(r.stage, row.Plugin))
		if err != nil {
			return nil, err
		}
		for i := range files {
			files[i] = path.Join(place, files[i])
		}
		ignored, err := repo.Ignored(ctx, files)
		if err != nil {
			return nil, err
		}
		for _, file := range ignored {
			inside, _ := strings.CutPrefix(file, place+"/") // none for "."
			all = append(all, check.Finding{Check: "review", State: check.Failure, File: path.Join(row.Plugin, inside), Says: "git ignores it, so clients would not get it",
				Fix: "git add --force it, or take it out of the plugin"})
		}
	}
	return all, nil
}
