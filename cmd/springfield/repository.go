// What springfield asks of a git checkout, and the little it tells it. Without git,
// or outside of a repository, there is nothing to ask.

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// repository is a git checkout.
type repository struct {
	*git
	root string // its top directory
}

// foreignError is about a repository that is not looked at.
type foreignError struct{ dir, says, hint string }

func (e *foreignError) Error() string { return e.dir + ": " + e.says }

// repositoryAt is the checkout around a directory, nil if there is none. One that
// is not the directory's own gives a *foreignError.
func (a *app) repositoryAt(ctx context.Context, dir string) (*repository, error) {
	g := a.gitAt(dir)
	out, err := g.run(ctx, "", "rev-parse", "--show-toplevel", "--git-dir", "--git-common-dir")
	var exit *exec.ExitError
	switch {
	case err != nil && strings.Contains(err.Error(), "dubious ownership"):
		return nil, &foreignError{dir, "git takes its repository for another user's, and does not look at it", "git config --global --add safe.directory DIR, for one that you trust"}
	case errors.Is(err, exec.ErrNotFound), errors.As(err, &exit):
		return nil, ctx.Err()
	case err != nil:
		return nil, err
	}
	at := strings.Split(out, "\n")
	if len(at) != 3 {
		return nil, fmt.Errorf("git rev-parse: a directory's name goes over several lines: %q", out)
	}
	for i := range at {
		if at[i] = filepath.FromSlash(at[i]); !filepath.IsAbs(at[i]) { // git counts from where it is, without links
			at[i] = filepath.Join(beyondLinks(dir), at[i])
		}
	}
	r := &repository{g, at[0]}
	g.dir = r.root
	if !isBelow(beyondLinks(r.root), beyondLinks(dir)) || !r.isIn(ctx, at[1], at[2]) {
		return nil, &foreignError{dir, "its git repository is that of another directory: " + at[1],
			"springfield looks at a clone, a linked worktree and a submodule, as git makes them; git -C DIR config core.worktree DIR says where the files of a separate git directory are"}
	}
	return r, g.withoutPrograms(ctx)
}

// isIn tells whether a git directory, and the one that it has in common with other
// worktrees, are those of the checkout. An archive of a project can have brought
// a .git that leads to another repository.
func (r *repository) isIn(ctx context.Context, dir, common string) bool {
	own := filepath.Join(beyondLinks(r.root), ".git")
	info, err := os.Lstat(own)
	if err != nil {
		return false
	}
	dir, common = beyondLinks(dir), beyondLinks(common)
	switch {
	case info.IsDir():
		return dir == common && sameDir(dir, own)
	case !info.Mode().IsRegular():
		return false
	case dir == common: // of a submodule, and of one that is elsewhere: it names the checkout
		where, err := r.run(ctx, "", "config", "--local", "--get", "core.worktree")
		return err == nil && where != ""
	}
	// A linked worktree: both name each other.
	text, err := os.ReadFile(filepath.Join(dir, "gitdir"))
	back := strings.TrimSpace(string(text))
	if !filepath.IsAbs(back) {
		back = filepath.Join(dir, back)
	}
	return err == nil && filepath.Dir(dir) == filepath.Join(common, "worktrees") && sameDir(back, own)
}

// path is a path in the checkout as git writes it.
func (r *repository) path(name string) (string, error) {
	root, err := filepath.EvalSymlinks(r.root)
	if err != nil {
		return "", err
	}
	if name, err = filepath.EvalSymlinks(name); err != nil {
		return "", err
	}
	relative, err := filepath.Rel(root, name)
	return filepath.ToSlash(relative), err
}

// branch is the one that is checked out, "" for a detached HEAD.
func (r *repository) branch(ctx context.Context) string {
	name, _ := r.run(ctx, "", "symbolic-ref", "--quiet", "--short", "HEAD")
	return name
}

// remote is the URL of the remote that a branch follows, else of origin, else of
// the only one there is; "" if there is none. As it is configured: not with the
// replacements that only this machine makes.
func (r *repository) remote(ctx context.Context, branch string) string {
	name, err := r.run(ctx, "", "config", "--get", "branch."+branch+".remote")
	if err != nil || name == "." {
		name = "origin"
		if all, _ := r.run(ctx, "", "remote"); all != "" && !slices.Contains(strings.Split(all, "\n"), name) {
			name, _, _ = strings.Cut(all, "\n")
		}
	}
	where, _ := r.run(ctx, "", "config", "--get", "remote."+name+".url")
	return where
}

// dirty are the files below a path that are not as HEAD has them.
func (r *repository) dirty(ctx context.Context, path string) ([]string, error) {
	out, err := r.run(ctx, "", "status", "--porcelain", "-z", "--untracked-files=all", "--ignore-submodules=all", "--", path)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, entry := range strings.Split(out, "\x00") {
		if len(entry) > 3 {
			files = append(files, entry[3:])
		}
	}
	return files, nil
}

// lastChange is the newest commit that changed something below a path, "" if
// none did.
func (r *repository) lastChange(ctx context.Context, path string) (string, error) {
	if _, err := r.run(ctx, "", "rev-parse", "--verify", "--quiet", "HEAD"); err != nil {
		return "", nil
	}
	return r.run(ctx, "", "log", "-1", "--format=%H", "--", path)
}

// isPushed tells whether a branch of the repository at a URL has a commit, as far
// as this checkout knows. Where no remote is that one, any counts.
func (r *repository) isPushed(ctx context.Context, commit, where string) (bool, error) {
	args := []string{"for-each-ref", "--count=1", "--format=%(refname)", "--contains=" + commit}
	all, err := r.run(ctx, "", "remote")
	if err != nil {
		return false, err
	}
	none := len(args)
	for _, name := range strings.Fields(all) {
		address, _ := r.run(ctx, "", "config", "--get", "remote."+name+".url")
		if address, ok := publicURL(address); ok && sameRepository(address, where) {
			args = append(args, "refs/remotes/"+name+"/")
		}
	}
	if len(args) == none {
		args = append(args, "refs/remotes/")
	}
	out, err := r.run(ctx, "", args...)
	return out != "", err
}

// holds tells whether a commit has exactly what lies below a path.
func (r *repository) holds(ctx context.Context, commit, path string) (bool, error) {
	if _, err := r.run(ctx, "", "cat-file", "-e", commit+"^{commit}"); err != nil {
		return false, nil // it is not here
	}
	_, err := r.run(ctx, "", "diff", "--quiet", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", commit, "--", path)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return false, nil
	}
	return err == nil, err
}

// knows tells whether a commit is in this checkout. One that is not may have been
// left out of it: a checkout in CI has the newest alone.
func (r *repository) knows(ctx context.Context, commit string) (known, shallow bool) {
	if _, err := r.run(ctx, "", "cat-file", "-e", commit+"^{commit}"); err == nil {
		return true, false
	}
	out, err := r.run(ctx, "", "rev-parse", "--is-shallow-repository")
	return false, err == nil && out == "true"
}

// mode is the mode that a commit has for a file, "" if it has none: one that is
// ignored never gets there.
func (r *repository) mode(ctx context.Context, commit, file string) string {
	out, err := r.run(ctx, "", "ls-tree", commit, "--", file)
	if err != nil {
		return ""
	}
	mode, _, _ := strings.Cut(out, " ")
	return mode
}

// seesModes tells whether git looks at what is executable: not on Windows.
func (r *repository) seesModes(ctx context.Context) bool {
	out, err := r.run(ctx, "", "config", "--type=bool", "--get", "core.fileMode")
	return err != nil || out != "false"
}

// ignored are those of some files, there or not, that git passes over.
func (r *repository) ignored(ctx context.Context, files []string) ([]string, error) {
	if len(files) == 0 {
		return nil, nil
	}
	// Behind "./" no name begins with the ":" of a pathspec.
	out, err := r.run(ctx, "./"+strings.Join(files, "\x00./"), "check-ignore", "-z", "--stdin")
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return nil, nil // none
	}
	var found []string
	for _, file := range strings.FieldsFunc(out, func(r rune) bool { return r == 0 }) {
		found = append(found, strings.TrimPrefix(file, "./"))
	}
	return found, err
}

// modes are the modes that the index has for files; those it does not know are
// left out.
func (r *repository) modes(ctx context.Context, files []string) (map[string]string, error) {
	out, err := r.run(ctx, "", append([]string{"ls-files", "--stage", "-z", "--"}, files...)...)
	if err != nil {
		return nil, err
	}
	modes := map[string]string{}
	for _, entry := range strings.Split(out, "\x00") {
		if about, file, ok := strings.Cut(entry, "\t"); ok {
			modes[file], _, _ = strings.Cut(about, " ")
		}
	}
	return modes, nil
}

// subjects are the first lines of the commits since another one that changed
// something below a path, the newest first, at most n.
func (r *repository) subjects(ctx context.Context, since, path string, n int) []string {
	if _, err := r.run(ctx, "", "rev-parse", "--verify", "--quiet", since+"^{commit}"); err != nil {
		return nil
	}
	out, err := r.run(ctx, "", "log", fmt.Sprintf("--max-count=%d", n), "--no-merges", "--format=%s", since+"..HEAD", "--", path)
	if err != nil || out == "" {
		return nil
	}
	return strings.Split(out, "\n")
}
