package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/internal/rooted"
)

// Repository is a checkout. Paths in it are relative to Root, with slashes.
type Repository struct {
	Root string
	*caller
}

// OutsideError is returned if a repository might belong to a different user or checkout.
type OutsideError struct{ Dir, Says, Advice string }

func (e *OutsideError) Error() string { return e.Dir + ": " + e.Says }
func (e *OutsideError) Hint() string  { return e.Advice }

// RepositoryRoot returns dir or the nearest parent with .git, or "". dir is absolute.
func RepositoryRoot(dir string) string {
	return rooted.FindUpward(dir, func(dir string) bool {
		_, err := os.Lstat(filepath.Join(dir, ".git"))
		return !errors.Is(err, fs.ErrNotExist)
	})
}

// RepositoryIfAny returns the checkout around dir (nil if there is none or no git). dir is absolute. For a different
// directory's or user's checkout, the error is an *OutsideError.
func (g Git) RepositoryIfAny(ctx context.Context, dir string) (*Repository, error) {
	c := g.callerIn(dir)
	out, err := c.runGit(ctx, "", "rev-parse", "--show-toplevel", "--git-dir", "--git-common-dir")
	var exit *exec.ExitError
	switch {
	case err != nil && strings.Contains(err.Error(), "dubious ownership"):
		return nil, &OutsideError{dir, "git does not read its repository, because that belongs to another user", "if you trust it, run git config --global --add safe.directory DIR"}
	case errors.Is(err, exec.ErrNotFound), errors.As(err, &exit):
		return nil, ctx.Err()
	case err != nil:
		return nil, err
	}
	at := strings.Split(out, "\n")
	if len(at) != 3 {
		return nil, fmt.Errorf("git rev-parse: a directory's name contains a line break: %q", out)
	}
	for i := range at {
		at[i] = rooted.PathFrom(resolveLinks(dir), filepath.FromSlash(at[i])) // relative to the resolved dir
	}
	r := &Repository{at[0], c}
	c.dir = r.Root
	if !rooted.HoldsPath(resolveLinks(r.Root), resolveLinks(dir)) || !r.hasGitDir(ctx, at[1], at[2]) {
		return nil, &OutsideError{dir, "its git repository belongs to another directory: " + at[1],
			"springfield accepts clones, linked worktrees and submodules as git makes them; for a separate git directory, set the directory of its files with git -C DIR config core.worktree DIR"}
	}
	return r, c.ignorePrograms(ctx)
}

// hasGitDir reports whether gitDir, and the directory common shared by worktrees, belong to the checkout.
func (r *Repository) hasGitDir(ctx context.Context, gitDir, common string) bool {
	own := filepath.Join(resolveLinks(r.Root), ".git")
	info, err := os.Lstat(own)
	if err != nil {
		return false
	}
	gitDir, common = resolveLinks(gitDir), resolveLinks(common)
	switch {
	case info.IsDir():
		return gitDir == common && rooted.SameFile(gitDir, own)
	case !info.Mode().IsRegular():
		return false
	case gitDir == common: // a submodule or a separate git directory: it names the checkout
		where, err := r.runGit(ctx, "", "config", "--local", "--get", "core.worktree")
		return err == nil && where != ""
	}
	return isLinked(own, gitDir, common)
}

// isLinked reports whether dir is a linked worktree's git directory, inside the repository's common, and refers back to
// the worktree's .git file dotGit. Callers resolve links in dir and common first.
func isLinked(dotGit, dir, common string) bool {
	text, err := rooted.ReadFile(dir, "gitdir", 4<<10)
	back := rooted.PathFrom(dir, strings.TrimSpace(string(text)))
	return err == nil && filepath.Dir(dir) == filepath.Join(common, "worktrees") && rooted.SameFile(back, dotGit)
}

// MainWorktree returns the main worktree if root is a linked one ("" if the repository is bare), else root. gitDir and
// common are the git directories named by root's .git file. If gitDir does not name root too, it returns root.
func MainWorktree(root, gitDir, common string) string {
	gitDir, common = resolveLinks(gitDir), resolveLinks(common)
	switch {
	case !isLinked(filepath.Join(root, ".git"), gitDir, common):
		return root
	case filepath.Base(common) != ".git":
		return ""
	}
	return filepath.Dir(common)
}

// PathFromRoot returns the slash path of an existing file or directory relative to the root. name is absolute. Outside
// of the repository the result begins with "..".
func (r *Repository) PathFromRoot(name string) (_ string, err error) {
	name, err = filepath.EvalSymlinks(name)
	if err != nil {
		return "", err
	}
	relative, err := filepath.Rel(resolveLinks(r.Root), name)
	return filepath.ToSlash(relative), err
}

// CurrentBranch returns the current branch ("" if HEAD is detached or git fails).
func (r *Repository) CurrentBranch(ctx context.Context) string {
	name, _ := r.runGit(ctx, "", "symbolic-ref", "--quiet", "--short", "HEAD")
	return name
}

// RemoteURL returns the configured URL of the branch's remote, else origin, else the first remote, or "". It does not
// apply url.*.insteadOf.
func (r *Repository) RemoteURL(ctx context.Context) string {
	name, err := r.runGit(ctx, "", "config", "--get", "branch."+r.CurrentBranch(ctx)+".remote")
	if err != nil || name == "." {
		name = "origin"
		if all, _ := r.runGit(ctx, "", "remote"); all != "" && !slices.Contains(strings.Split(all, "\n"), name) {
			name, _, _ = strings.Cut(all, "\n")
		}
	}
	where, _ := r.runGit(ctx, "", "config", "--get", "remote."+name+".url")
	return where
}

// DirtyFiles returns untracked files and those that differ from HEAD below path, without submodules. Paths are relative
// to the root (".").
func (r *Repository) DirtyFiles(ctx context.Context, path string) ([]string, error) {
	out, err := r.runGit(ctx, "", "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all",
		"--", path)
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

// LastChange returns the latest commit that changed path, relative to the root, or "".
func (r *Repository) LastChange(ctx context.Context, path string) (commit string, err error) {
	if r.CommitOf(ctx, "HEAD") == "" {
		return "", nil
	}
	return r.runGit(ctx, "", "log", "-1", "--format=%H", "--", path)
}

// CommitOf resolves a name to a commit ("" if unknown).
func (r *Repository) CommitOf(ctx context.Context, name string) string {
	if strings.HasPrefix(name, "-") { // an option; names may come from a catalog
		return ""
	}
	commit, _ := r.runGit(ctx, "", "rev-parse", "--verify", "--quiet", name+"^{commit}")
	return commit
}

func (r *Repository) IsShallow(ctx context.Context) bool {
	out, err := r.runGit(ctx, "", "rev-parse", "--is-shallow-repository")
	return err == nil && out == "true"
}

// IsKnownPushed reports whether a remote-tracking branch contains a commit. It only considers remotes with the URL
// preferredURL, or all if none.
func (r *Repository) IsKnownPushed(ctx context.Context, commit, preferredURL string) (bool, error) {
	args := []string{"for-each-ref", "--count=1", "--format=%(refname)", "--contains=" + commit}
	all, err := r.runGit(ctx, "", "remote")
	if err != nil {
		return false, err
	}
	none := len(args)
	for _, name := range strings.Fields(all) {
		address, _ := r.runGit(ctx, "", "config", "--get", "remote."+name+".url")
		if address, ok := FetchableURL(address); ok && SameRepository(address, preferredURL) {
			args = append(args, "refs/remotes/"+name+"/")
		}
	}
	if len(args) == none {
		args = append(args, "refs/remotes/")
	}
	out, err := r.runGit(ctx, "", args...)
	return out != "", err
}

// IsUnchangedSince reports whether the tracked files below path, relative to the root, are as in commit, apart from
// submodules. It returns false if the commit is unknown.
func (r *Repository) IsUnchangedSince(ctx context.Context, commit, path string) (bool, error) {
	if r.CommitOf(ctx, commit) == "" {
		return false, nil
	}
	_, err := r.runGit(ctx, "", "diff", "--quiet", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all",
		commit, "--", path)
	if exitedWith(err, 1) {
		return false, nil
	}
	return err == nil, err
}

// Plain is git's mode of a file that is not executable.
const Plain = "100644"

// FileModes maps files below path to modes in git's index. It omits untracked files. Paths are relative to the root
// (".").
func (r *Repository) FileModes(ctx context.Context, path string) (map[string]string, error) {
	out, err := r.runGit(ctx, "", "ls-files", "--stage", "-z", "--", path)
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

// SeesModes reports whether git reads executable bits from files (not on Windows).
func (r *Repository) SeesModes(ctx context.Context) bool {
	out, err := r.runGit(ctx, "", "config", "--type=bool", "--get", "core.fileMode")
	return err != nil || out != "false"
}

// StageExecutable marks files as executable in git's index. They must be there. Paths are relative to the root.
func (r *Repository) StageExecutable(ctx context.Context, indexed []string) error {
	_, err := r.runGit(ctx, "", append([]string{"update-index", "--chmod=+x", "--"}, indexed...)...)
	return err
}

// Ignored returns the given files git ignores. They need not exist. Paths are relative to the root, with slashes. A
// file in the index is not ignored.
func (r *Repository) Ignored(ctx context.Context, files []string) (found []string, err error) {
	if len(files) == 0 {
		return nil, nil
	}
	// After "./" a ":" does not begin a pathspec.
	out, err := r.runGit(ctx, "./"+strings.Join(files, "\x00./"), "check-ignore", "-z", "--stdin")
	if exitedWith(err, 1) {
		return nil, nil
	}
	for _, file := range strings.FieldsFunc(out, func(r rune) bool { return r == 0 }) {
		found = append(found, strings.TrimPrefix(file, "./"))
	}
	return found, err
}

// scpLike matches USER@HOST:PATH. A host of one letter is a Windows drive, and "::" as in ext:: runs a helper.
var scpLike = regexp.MustCompile(`^(?:[^@/:-][^@/:]*@)?([^@/:-][^@/:]+):([^:].*)$`)

var ownerRepo = regexp.MustCompile(`^[A-Za-z0-9][-A-Za-z0-9]*/[-A-Za-z0-9._]+$`)
