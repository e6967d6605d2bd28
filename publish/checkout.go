package publish

import (
	"context"
	"errors"
	"path"
	"slices"
	"sync"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/git"
)

type checkout struct {
	repo    *git.Repository   // nil if none
	foreign *git.OutsideError // why git does not trust the repository
	dir     string            // the suite or marketplace
	place   string            // of dir in the repository
	remote  string            // as configured
	where   string            // public address, or ""

	// Queried at most once: the current branch, the files below dir that differ from HEAD, and the modes in git's
	// index.
	branch func() string
	dirty  func() ([]string, error)
	modes  func() (map[string]string, error)
}

// findCheckoutIfAny returns the git checkout around dir, or only dir without a repository. Repositories not trusted by
// git are not errors.
func (m Means) findCheckoutIfAny(ctx context.Context, dir string) (around checkout, err error) {
	c := checkout{dir: dir}
	if c.repo, err = m.Git.RepositoryIfAny(ctx, dir); err != nil && !errors.As(err, &c.foreign) {
		return c, err
	}
	if c.repo == nil {
		return c, nil
	}
	c.remote = c.repo.RemoteURL(ctx)
	c.where, _ = git.FetchableURL(c.remote)
	c.place, err = c.repo.PathFromRoot(dir)
	c.branch = sync.OnceValue(func() string { return c.repo.CurrentBranch(ctx) })
	c.dirty = sync.OnceValues(func() ([]string, error) { return c.repo.DirtyFiles(ctx, c.place) })
	c.modes = sync.OnceValues(func() (map[string]string, error) { return c.repo.FileModes(ctx, c.place) })
	return c, err
}

// plainPrograms returns the programs with no executable bit in git's index, except .exe files. names are relative to
// c.dir, and plain to the repository's root. unindexed reports whether one is not in the index. c has a repository.
func (c checkout) plainPrograms(names []string) (plain []string, unindexed bool, err error) {
	for _, name := range names {
		if path.Ext(name) == ".exe" {
			continue
		}
		modes, err := c.modes()
		if err != nil {
			return nil, false, err
		}
		switch name = path.Join(c.place, name); modes[name] {
		case "":
			unindexed = true
		case git.Plain:
			plain = append(plain, name)
		}
	}
	return plain, unindexed, nil
}

// findExecMarks returns the programs to mark as executable in git's index, relative to the repository's root. steps ask
// the user to publish again after git add, if needed.
func (in inputs) findExecMarks(ctx context.Context, q Request, after plannedTree) (toMark, steps []string, err error) {
	if in.around.repo == nil {
		return nil, nil, nil
	}
	var files []string
	for _, p := range in.suite.Plugins {
		if len(q.Plugins) == 0 || slices.Contains(q.Plugins, p.Name) {
			files = append(files, after.listPrograms(p.Name)...)
		}
	}
	toMark, unknown, err := in.around.plainPrograms(files)
	if unknown && err == nil && !in.around.repo.SeesModes(ctx) {
		steps = append(steps, "git add "+check.QuoteArgument(in.dir)+", then publish again before you commit: git does not record executable bits here, so publish must set those of the hooks")
	}
	return toMark, steps, err
}
