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
	repo  *git.Repository
	marks []string // hooks that its index has as files that cannot be started, as a checkout on Windows leaves them
	tags  []tag
	waits []string // what has to happen before it can be told all
}

// told finds what git is to be told: tags only if the request asks for them.
func (in inputs) told(ctx context.Context, q Request, after tree, releases []release) (t told, err error) {
	if t.repo = in.around.repo; t.repo != nil {
		if err = t.mark(ctx, in, after, q.Plugins); err != nil {
			return t, err
		}
	}
	if q.Tag {
		t.tags, err = in.tags(ctx, after, releases)
	}
	return t, err
}

// mark finds the hooks to mark, in the plugins that are published. Files that git does
// not know are for their owner to add; where git does not see modes, publish has to be
// called again then.
func (t *told) mark(ctx context.Context, in inputs, after tree, plugins []string) error {
	var files []string
	for _, p := range in.suite.Plugins {
		if len(plugins) == 0 || slices.Contains(plugins, p.Name) {
			files = append(files, in.around.inRepo(after.started(p.Name))...)
		}
	}
	files = slices.DeleteFunc(files, func(name string) bool { return path.Ext(name) == ".exe" })
	if len(files) == 0 {
		return nil
	}
	modes, err := t.repo.Modes(ctx, "", files)
	if err != nil {
		return err
	}
	for _, file := range files {
		if modes[file] == git.Plain {
			t.marks = append(t.marks, file)
		}
	}
	if len(modes) < len(files) && !t.repo.SeesModes(ctx) {
		t.waits = append(t.waits, "git add "+check.Quote(in.dir)+", then publish again before you commit: git does not see here that hooks are executable, and publish tells it")
	}
	return nil
}

// tag is a tag to make.
type tag struct{ name, message string }

var errUntagged = errors.New("nothing was tagged")

// committed refuses to tag a plugin that is not committed.
func (r release) committed(ctx context.Context) error {
	if err := r.around.need(errUntagged.Error(), "git init and commit it"); err != nil {
		return err
	}
	dirty, err := r.around.repo.Dirty(ctx, r.place())
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
		t := tag{tagOf(r.plugin, r.new), r.plugin + " " + r.new}
		at := r.around.repo.Commit(ctx, "refs/tags/"+t.name)
		if at == "" {
			tags = append(tags, t)
			continue
		}
		same, err := r.around.repo.Holds(ctx, at, r.place())
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
	if len(t.marks) > 0 {
		if err := t.repo.MarkExecutable(ctx, t.marks); err != nil {
			return err
		}
	}
	for _, tag := range t.tags {
		if err := t.repo.Tag(ctx, tag.name, tag.message); err != nil {
			return err
		}
	}
	return nil
}
