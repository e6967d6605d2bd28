// What publish asks of git, and the little it tells it. Without git, or outside
// of a repository, there is nothing to ask.
//
// The rules:
//   - a repository may be somebody else's, with its configuration: no program that
//     it names is run, neither hooks nor filters nor a file monitor nor a signer;
//   - nothing is fetched, not even what a partial clone has left out: over the
//     transport that a repository chooses, that could run anything;
//   - which repository it is, the directory says, not the environment: publish may
//     be called by a hook of git, which sets that for another one.

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// repository is a git checkout.
type repository struct {
	root  string // its top directory
	env   []string
	quiet []string // what its own configuration does not get to say
}

// repositoryAt is the checkout around a directory, nil if there is none.
func (a *app) repositoryAt(ctx context.Context, dir string) (*repository, error) {
	env := slices.DeleteFunc(slices.Clone(a.env), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains([]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
			"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_PREFIX", "GIT_EXTERNAL_DIFF"}, name)
	})
	r := &repository{
		root:  dir,
		env:   append(env, "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=", "LC_ALL=C", noText+"="),
		quiet: []string{"-c", "core.fsmonitor=", "-c", "core.hooksPath=/dev/null", "-c", "log.showSignature=false"},
	}
	root, err := r.git(ctx, "rev-parse", "--show-toplevel")
	var exit *exec.ExitError
	switch {
	case err != nil && strings.Contains(err.Error(), "dubious ownership"):
		return nil, fmt.Errorf("%s: %w", dir, errForeign)
	case errors.Is(err, exec.ErrNotFound), errors.As(err, &exit):
		return nil, ctx.Err()
	case err != nil:
		return nil, err
	}
	r.root = filepath.FromSlash(root)
	return r, r.withoutPrograms(ctx)
}

// errForeign is about a repository that git does not look at.
var errForeign = errors.New("git takes its repository for somebody else's, and does not look at it")

// noText is a variable without a text, for settings whose names have a "=".
const noText = "SPRINGFIELD_NO_TEXT"

// withoutPrograms takes away the filters and signers that the repository's own
// configuration names; those of the user, like Git LFS, stay.
func (r *repository) withoutPrograms(ctx context.Context) error {
	out, err := r.git(ctx, "config", "--show-scope", "--name-only", "--get-regexp", `^(filter\..*\.(clean|smudge|process|required)|gpg\.(.*\.)?(program|defaultkeycommand))$`)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return nil // there are none
	}
	for _, line := range strings.Split(out, "\n") {
		scope, name, _ := strings.Cut(line, "\t")
		if scope == "local" || scope == "worktree" {
			r.quiet = append(r.quiet, "--config-env="+name+"="+noText)
		}
	}
	return err
}

// git is what a command prints, without the last line end.
func (r *repository) git(ctx context.Context, args ...string) (string, error) {
	return r.gitReading(ctx, "", args...)
}

// gitReading is git with a text on its standard input.
func (r *repository) gitReading(ctx context.Context, text string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", slices.Concat(r.quiet, args)...)
	cmd.Dir, cmd.Env = r.root, r.env
	if args[0] != "check-ignore" { // which takes paths for what they are, and refuses to be told
		cmd.Env = append(slices.Clip(cmd.Env), "GIT_LITERAL_PATHSPECS=1")
	}
	cmd.Stdin = strings.NewReader(text)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		if first, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n"); first != "" {
			return "", fmt.Errorf("git %s: %s (%w)", args[0], first, err)
		}
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimRight(string(out), "\n"), nil
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
	name, _ := r.git(ctx, "symbolic-ref", "--quiet", "--short", "HEAD")
	return name
}

// remote is the URL of the remote that a branch follows, else of origin, else of
// the only one there is; "" if there is none. As it is configured: not with the
// replacements that only this machine makes.
func (r *repository) remote(ctx context.Context, branch string) string {
	name, err := r.git(ctx, "config", "--get", "branch."+branch+".remote")
	if err != nil || name == "." {
		name = "origin"
		if all, _ := r.git(ctx, "remote"); all != "" && !slices.Contains(strings.Split(all, "\n"), name) {
			name, _, _ = strings.Cut(all, "\n")
		}
	}
	where, _ := r.git(ctx, "config", "--get", "remote."+name+".url")
	return where
}

// dirty are the files below a path that are not as HEAD has them.
func (r *repository) dirty(ctx context.Context, path string) ([]string, error) {
	out, err := r.git(ctx, "status", "--porcelain", "-z", "--untracked-files=all", "--ignore-submodules=all", "--", path)
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
	if _, err := r.git(ctx, "rev-parse", "--verify", "--quiet", "HEAD"); err != nil {
		return "", nil
	}
	return r.git(ctx, "log", "-1", "--format=%H", "--", path)
}

// isPushed tells whether a branch of the repository at a URL has a commit, as far
// as this checkout knows. Where no remote is that one, any counts.
func (r *repository) isPushed(ctx context.Context, commit, where string) (bool, error) {
	args := []string{"for-each-ref", "--count=1", "--format=%(refname)", "--contains=" + commit}
	all, err := r.git(ctx, "remote")
	if err != nil {
		return false, err
	}
	none := len(args)
	for _, name := range strings.Fields(all) {
		address, _ := r.git(ctx, "config", "--get", "remote."+name+".url")
		if address, ok := publicURL(address); ok && sameRepository(address, where) {
			args = append(args, "refs/remotes/"+name+"/")
		}
	}
	if len(args) == none {
		args = append(args, "refs/remotes/")
	}
	out, err := r.git(ctx, args...)
	return out != "", err
}

// holds tells whether a commit has exactly what lies below a path.
func (r *repository) holds(ctx context.Context, commit, path string) (bool, error) {
	if _, err := r.git(ctx, "cat-file", "-e", commit+"^{commit}"); err != nil {
		return false, nil // it is not here
	}
	_, err := r.git(ctx, "diff", "--quiet", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", commit, "--", path)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return false, nil
	}
	return err == nil, err
}

// knows tells whether a commit is in this checkout. One that is not may have been
// left out of it: a checkout in CI has the newest alone.
func (r *repository) knows(ctx context.Context, commit string) (known, shallow bool) {
	if _, err := r.git(ctx, "cat-file", "-e", commit+"^{commit}"); err == nil {
		return true, false
	}
	out, err := r.git(ctx, "rev-parse", "--is-shallow-repository")
	return false, err == nil && out == "true"
}

// mode is the mode that a commit has for a file, "" if it has none: one that is
// ignored never gets there.
func (r *repository) mode(ctx context.Context, commit, file string) string {
	out, err := r.git(ctx, "ls-tree", commit, "--", file)
	if err != nil {
		return ""
	}
	mode, _, _ := strings.Cut(out, " ")
	return mode
}

// seesModes tells whether git looks at what is executable: not on Windows.
func (r *repository) seesModes(ctx context.Context) bool {
	out, err := r.git(ctx, "config", "--type=bool", "--get", "core.fileMode")
	return err != nil || out != "false"
}

// ignored are those of some files, there or not, that git passes over.
func (r *repository) ignored(ctx context.Context, files []string) ([]string, error) {
	if len(files) == 0 {
		return nil, nil
	}
	// Behind "./" no name begins with the ":" of a pathspec.
	out, err := r.gitReading(ctx, "./"+strings.Join(files, "\x00./"), "check-ignore", "-z", "--stdin")
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
	out, err := r.git(ctx, append([]string{"ls-files", "--stage", "-z", "--"}, files...)...)
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
	if _, err := r.git(ctx, "rev-parse", "--verify", "--quiet", since+"^{commit}"); err != nil {
		return nil
	}
	out, err := r.git(ctx, "log", fmt.Sprintf("--max-count=%d", n), "--no-merges", "--format=%s", since+"..HEAD", "--", path)
	if err != nil || out == "" {
		return nil
	}
	return strings.Split(out, "\n")
}

// scpLike is USER@HOST:PATH. A host of one letter is a drive of Windows; what
// begins with a colon would name a helper that git runs, as in ext::.
var scpLike = regexp.MustCompile(`^(?:[^@/:-][^@/:]*@)?([^@/:-][^@/:]+):([^:].*)$`)

// publicURL is a remote as a catalog may name it: without a password, and for
// GitHub over https, which needs no key. Not ok: others cannot fetch from it, or
// should not.
func publicURL(remote string) (where string, ok bool) {
	if strings.ContainsFunc(remote, unicode.IsControl) {
		return "", false
	}
	if at := scpLike.FindStringSubmatch(remote); at != nil && !strings.Contains(remote, "://") {
		if strings.EqualFold(at[1], "github.com") {
			return "https://github.com/" + strings.TrimLeft(at[2], "/"), true
		}
		return remote, true
	}
	u, err := url.Parse(remote)
	if err != nil || u.Hostname() == "" || strings.HasPrefix(u.Host, "-") {
		return "", false
	}
	u.RawQuery, u.ForceQuery, u.Fragment = "", false, "" // which can hold a token
	switch {
	case strings.EqualFold(u.Hostname(), "github.com"):
		return "https://github.com/" + strings.TrimLeft(u.Path, "/"), true
	case u.Scheme == "https" || u.Scheme == "http":
		u.User = nil
	case u.Scheme != "ssh":
		return "", false
	case u.User != nil:
		u.User = url.User(u.User.Username())
	}
	return u.String(), true
}

// sameRepository tells whether two URLs, or OWNER/REPO, name one repository.
func sameRepository(a, b string) bool { return canonical(a) == canonical(b) }

func canonical(where string) string {
	if at := scpLike.FindStringSubmatch(where); at != nil && !strings.Contains(where, "://") {
		where = "ssh://" + at[1] + "/" + at[2]
	}
	if ownerRepo.MatchString(where) {
		where = "https://github.com/" + where
	}
	if u, err := url.Parse(where); err == nil && u.Host != "" {
		where = u.Hostname() + "/" + strings.Trim(u.Path, "/")
	}
	return strings.ToLower(strings.TrimSuffix(where, ".git"))
}

var ownerRepo = regexp.MustCompile(`^[A-Za-z0-9][-A-Za-z0-9]*/[-A-Za-z0-9._]+$`)
