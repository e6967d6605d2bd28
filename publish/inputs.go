package publish

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
)

type inputs struct {
	dir    string
	suite  generator.Suite
	files  rooted.Folder
	around checkout // of the suite
	market Market

	published map[string]generator.Published // by plugin

	held []func() // called at the end, to unlock and close
}

// Market is the marketplace of a release.
type Market struct {
	Name    string
	Root    string
	Path    string // of its catalog
	Own     bool   // the suite itself
	Address string // for /plugin marketplace add, "" if unknown
	Absent  string // missing marketplace of the suite, during a check

	inGit bool
	catalog
}

func (m Means) lockDir(in *inputs, q Request, dir string) error {
	if q.Check || q.Look {
		return nil
	}
	unlock, err := m.Journal.LockDir(dir)
	if errors.Is(err, journal.ErrLocked) {
		return check.Advisef("nothing was changed; run the command again when the other one has finished", "publish in %s: %w", dir,
			journal.ErrLocked)
	}
	if err == nil {
		in.held = append(in.held, unlock)
	}
	return err
}

// unlock releases the locks, if any, and closes in.files.
func (in inputs) unlock() {
	for _, release := range in.held {
		release()
	}
}

// openInputs locks and reads the suite and marketplace. Callers run in.unlock, even on errors. q.Check and q.Look lock
// nothing.
func (m Means) openInputs(ctx context.Context, q Request) (in inputs, err error) {
	if err = m.lockDir(&in, q, q.Dir); err != nil {
		return in, err
	}
	if in.suite, err = generator.ReadSuite(q.Dir); err != nil {
		return in, err
	}
	if in.suite.Publish != nil {
		in.published = in.suite.Publish.Plugins
	}
	in.dir = q.Dir
	if _, named := os.Readlink(q.Dir); named == nil { // a link to it
		if in.dir, err = filepath.EvalSymlinks(q.Dir); err != nil {
			return in, err
		}
	}
	if in.files, err = rooted.OpenFolder(in.dir); err != nil {
		return in, err
	}
	in.held = append(in.held, func() { _ = in.files.Close() })
	if in.around, err = m.findCheckoutIfAny(ctx, in.dir); err != nil {
		return in, err
	}
	for _, p := range in.suite.Plugins {
		if dir := filepath.Join(in.dir, p.Name); rooted.IsTaken(filepath.Join(dir, ".git")) {
			return in, check.Advisef("make it an ordinary directory in the suite's repository: remove its .git",
				"%s is a git repository of its own, so clients that fetch the suite do not get it", dir)
		}
	}
	in.market, err = m.lockMarketplace(ctx, q, &in)
	return in, err
}

// lockMarketplace finds the marketplace, and unless it is the suite itself, locks it until in.unlock and reads the
// catalog. Set in.dir, in.suite and in.around first.
func (m Means) lockMarketplace(ctx context.Context, q Request, in *inputs) (k Market, err error) {
	to := in.dir
	switch {
	case q.To != "":
		to = q.To
	case in.suite.Publish != nil && in.suite.Publish.To != "":
		to = rooted.PathFrom(in.dir, filepath.FromSlash(in.suite.Publish.To))
		if q.Check && !rooted.TargetIsDir(to) { // CI has only the suite
			to, k.Absent = in.dir, to
		}
	}
	if to, err = m.Resolve(to); err != nil {
		return k, err
	}
	k.Name, k.Root, k.Path = in.suite.Marketplace, to, filepath.Join(to, ".claude-plugin", "marketplace.json")
	around := in.around
	if k.Own = rooted.SameFile(to, in.dir); !k.Own {
		if err := m.lockDir(in, q, to); err != nil {
			return k, err
		}
		if k.catalog, k.Name, err = openCatalog(to, k.Path); err != nil {
			return k, err
		}
		if around, err = m.findCheckoutIfAny(ctx, to); err != nil {
			return k, err
		}
	}
	if k.inGit = around.repo != nil; k.inGit && rooted.SameFile(around.repo.Root, to) {
		k.Address = argumentToAddIfAny(around.where)
	}
	if k.Own && in.suite.Repository != "" {
		k.Address = in.suite.Repository
	}
	return k, nil
}
