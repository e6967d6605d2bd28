package publish

// What git is told: the executable bit of hooks in its index, and tags. Both are no
// files, so undo leaves them.

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"

	"github.com/cameronsjo/springfield/check"
	"github.com/cameronsjo/springfield/git"
)

// told is what git is told of a release.
type told struct {
	marks []mark
	tags  []tag
	waits []string // what has to happen before it can be told all
}

// told finds what git is to be told: tags only if the request asks for them.
func (in inputs) told(ctx context.Context, q Request, after tree, releases []release) (t told, err error) {
	if t.marks, t.waits, err = in.marks(ctx, after, q.Plugins); err != nil || !q.Tag {
		return t, err
	}
	t.tags, err = in.tags(ctx, after, releases)
	return t, err
}

// mark is hooks that a repository's index has as files that cannot be started, which
// a checkout on Windows does.
type mark struct {
	repo  *git.Repository
	files []string
}

func marked(marks []mark) (files []string) {
	for _, m := range marks {
		files = append(files, m.files...)
	}
	return files
}

// marks finds them, in the plugins that are published. Files that git does not know are
// for their owner to add; where git does not see modes, publish has to be called again
// then.
func (in inputs) marks(ctx context.Context, after tree, plugins []string) (marks []mark, waits []string, err error) {
	for _, p := range in.suite.Plugins {
		c := in.checkouts[p.Name]
		started := slices.DeleteFunc(after.started(p.Name), func(name string) bool { return path.Ext(name) == ".exe" })
		if c.repo == nil || len(started) == 0 || len(plugins) > 0 && !slices.Contains(plugins, p.Name) {
			continue
		}
		files := c.inRepo(started)
		modes, err := c.repo.Modes(ctx, "", files)
		if err != nil {
			return nil, nil, err
		}
		m := mark{repo: c.repo}
		for _, file := range files {
			if modes[file] == git.Plain {
				m.files = append(m.files, file)
			}
		}
		if len(m.files) > 0 {
			marks = append(marks, m)
		}
		if len(modes) < len(files) && !c.repo.SeesModes(ctx) {
			waits = append(waits, "git add "+check.Quote(c.dir)+", then publish again before you commit: git does not see here that hooks are executable, and publish tells it")
		}
	}
	return marks, waits, nil
}

// tag is a tag to make.
type tag struct {
	repo          *git.Repository
	name, message string
}

var errUntagged = errors.New("nothing was tagged")

// committed refuses to tag a plugin that is not committed.
func (r release) committed(ctx context.Context) error {
	if err := r.need(errUntagged.Error(), "git init and commit it"); err != nil {
		return err
	}
	dirty, err := r.repo.Dirty(ctx, r.place)
	if err == nil && len(dirty) > 0 {
		err = failf("commit it, then springfield publish --tag", "%w: %s is not committed", errUntagged, dirty[0])
	}
	return err
}

// tags are the tags that the releases lack. They are for what is committed, so it is
// an error if that is another one than the release.
func (in inputs) tags(ctx context.Context, after tree, releases []release) (tags []tag, err error) {
	for _, r := range releases {
		if err := r.committed(ctx); err != nil {
			return nil, err
		}
		if len(after.changes(r.plugin)) > 0 {
			return nil, failf("springfield publish, commit what it writes, then springfield publish --tag", "%w: publishing would change %s", errUntagged, filepath.Join(in.dir, r.plugin))
		}
		t := tag{r.repo, tagOf(r.plugin, r.new), r.plugin + " " + r.new}
		at := r.repo.Commit(ctx, "refs/tags/"+t.name)
		if at == "" {
			tags = append(tags, t)
			continue
		}
		same, err := r.repo.Holds(ctx, at, r.place)
		if err != nil {
			return nil, err
		}
		if !same {
			return nil, failf("raise the version: a tag that was published does not move", "%w: tag %s is there, at a commit with other files", errUntagged, t.name)
		}
	}
	return tags, nil
}

// tell tells git.
func (t told) tell(ctx context.Context) error {
	for _, m := range t.marks {
		if err := m.repo.MarkExecutable(ctx, m.files); err != nil {
			return err
		}
	}
	for _, tag := range t.tags {
		if err := tag.repo.Tag(ctx, tag.name, tag.message); err != nil {
			return err
		}
	}
	return nil
}
