//go:build unix

package git_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/git"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// world is a directory with repositories and a trap that records its start.
type world struct {
	dir  string
	git  string
	base []string // an environment with a home in it
}

var must = scratch.Must

func newWorld(t *testing.T) world {
	t.Helper()
	command, err := exec.LookPath("git")
	must(t, err)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	w := world{dir: dir, git: command}
	w.base = []string{"HOME=" + w.path("home"), "PATH=" + os.Getenv("PATH")}
	w.write(t, "trap", "#!/bin/sh\n: >'"+w.path("sprung")+"'\n", 0o755)
	w.write(t, "home/.gitconfig", "[user]\n\tname = Ned\n\temail = ned@example.invalid\n[init]\n\tdefaultBranch = main\n", 0o600)
	return w
}

func (w world) path(name ...string) string {
	return filepath.Join(append([]string{w.dir}, name...)...)
}

func (w world) must(t *testing.T, dir, command string, args ...string) {
	t.Helper()
	run(t, w.path(dir), w.base, command, args...)
}

func run(t *testing.T, dir string, env []string, command string, args ...string) {
	t.Helper()
	cmd := exec.Command(command, args...)
	cmd.Dir, cmd.Env = dir, env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %q: %v\n%s", command, args, err, out)
	}
}

func (w world) write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(w.path(path)), 0o755))
	must(t, os.WriteFile(w.path(path), []byte(text), mode))
}

// A directory that looks like a repository, or leads to another one, is ignored.
func TestRepositoriesThatAreElsewhere(t *testing.T) {
	w := newWorld(t)
	theirs := w.path("theirs")
	w.must(t, "", w.git, "init", "--quiet", w.path("project"))
	w.write(t, "project/suite/text", "", 0o644)
	w.must(t, "", w.git, "init", "--quiet", theirs)
	w.must(t, "theirs", w.git, "commit", "--quiet", "--allow-empty", "--message", "private")
	w.must(t, "theirs", w.git, "worktree", "add", "--quiet", w.path("linked"))
	w.must(t, "", w.git, "init", "--quiet", "--separate-git-dir", w.path("apart.git"), w.path("apart"))
	w.must(t, "", w.git, "-c", "protocol.file.allow=always", "-C", w.path("theirs"), "submodule", "--quiet", "add", theirs, "sub")
	w.must(t, "", w.git, "init", "--quiet", "--bare", w.path("bare"))
	w.must(t, "", w.git, "--git-dir", w.path("bare"), "config", "core.bare", "false")
	w.must(t, "", w.git, "--git-dir", w.path("bare"), "config", "core.worktree", w.path("theirs"))
	w.must(t, "", w.git, "--git-dir", w.path("bare"), "config", "core.fsmonitor", w.path("trap"))
	w.must(t, "", w.git, "init", "--quiet", w.path("worktree"))
	w.must(t, "", w.git, "init", "--quiet", w.path("common"))
	w.must(t, "worktree", w.git, "config", "core.worktree", theirs)
	w.write(t, "common/.git/commondir", theirs+"/.git\n", 0o644)
	w.write(t, "file/.git", "gitdir: "+theirs+"/.git\n", 0o644)
	w.write(t, "file2/.git", "gitdir: "+theirs+"/.git/worktrees/linked\n", 0o644)
	w.write(t, "link/text", "", 0o644)
	must(t, os.Symlink(theirs+"/.git", w.path("link", ".git")))
	g := git.FindGit(w.base, os.Getenv("PATH"), w.dir, w.path("home"))
	for dir, want := range map[string]string{
		"theirs": "theirs", "theirs/sub": "theirs/sub", "linked": "linked", "project/suite": "project",
		"apart": "", "bare": "", "worktree": "", "common": "", "file": "", "file2": "", "link": "",
	} {
		repo, err := g.RepositoryIfAny(t.Context(), w.path(filepath.FromSlash(dir)))
		var foreign *git.OutsideError
		switch {
		case want == "" && repo != nil:
			t.Errorf("%s is in %s", dir, repo.Root)
		case want == "" && dir != "bare" && !errors.As(err, &foreign):
			t.Errorf("%s: %v", dir, err)
		case want != "" && (repo == nil || repo.Root != w.path(filepath.FromSlash(want))):
			t.Errorf("%s: %v, %v", dir, repo, err)
		}
	}
	w.must(t, "apart", w.git, "config", "core.worktree", w.path("apart"))
	if repo, err := g.RepositoryIfAny(t.Context(), w.path("apart")); repo == nil {
		t.Errorf("a git directory that names its checkout: %v", err)
	}
	scratch.ErrorIf(t, rooted.IsTaken(w.path("sprung")), "a program was started that a repository names")
}

// Older versions of git echo or refuse unknown flags, and start no program of a repository either.
func TestOlderGit(t *testing.T) {
	command, err := exec.LookPath("git")
	must(t, err)
	for name, test := range map[string]struct {
		version, program string
		refuses          bool
	}{
		"2.30":                        {"2.30.2", "", false},
		"2.30, a program":             {"2.30.2", "filter.x.clean", false},
		"2.30, a program behind an =": {"2.30.2", "filter.a=b.clean", true},
		"2.39, a program behind an =": {"2.39.5", "filter.a=b.clean", false},
		"2.25":                        {"2.25.1", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			root, err := filepath.EvalSymlinks(t.TempDir())
			must(t, err)
			script := "#!/bin/sh\ncase \" $* \" in\n*' version '*) echo 'git version " + test.version + "'; exit;;\n"
			if minor, _, _ := strings.Cut(strings.TrimPrefix(test.version, "2."), "."); minor < "31" {
				script += "*' --path-format'*) echo --path-format=absolute;;\n*' --config-env'*) echo 'unknown option' >&2; exit 129;;\n"
				if minor < "26" {
					script += "*' --show-scope'*) echo 'unknown option' >&2; exit 129;;\n"
				}
			}
			script += "esac\nexec '" + command + "' \"$@\"\n"
			for _, dir := range []string{"bin", "home", "clone/sub"} {
				must(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
			}
			must(t, os.WriteFile(filepath.Join(root, "bin", "git"), []byte(script), 0o755))
			path := filepath.Join(root, "bin") + ":/usr/bin:/bin"
			env := []string{"HOME=" + filepath.Join(root, "home"), "PATH=" + path}
			clone := filepath.Join(root, "clone")
			filter := strings.TrimSuffix(strings.TrimPrefix(test.program, "filter."), ".clean")
			for file, text := range map[string]string{"text": "x", ".gitattributes": "text filter=" + filter + "\n"} {
				must(t, os.WriteFile(filepath.Join(clone, file), []byte(text), 0o644))
			}
			calls := [][]string{{"init", "--quiet"}}
			if test.program != "" {
				calls = append(calls, []string{"add", "text"}, []string{"config", test.program, "touch " + filepath.Join(root, "sprung") + "; cat"})
			}
			for _, args := range calls {
				run(t, clone, env, command, args...)
			}
			must(t, os.Symlink(filepath.Join(clone, "sub"), filepath.Join(root, "linked")))
			g := git.FindGit(env, path, root, filepath.Join(root, "home"))
			for _, dir := range []string{"clone", "clone/sub", "linked"} {
				repo, err := g.RepositoryIfAny(t.Context(), filepath.Join(root, dir))
				if test.refuses {
					if err == nil {
						_, err = repo.DirtyFiles(t.Context(), ".")
					}
					if _, missing := os.Stat(filepath.Join(root, "sprung")); err == nil || missing == nil {
						t.Errorf("%s: %v", dir, err)
					}
					continue
				}
				if err != nil || repo == nil || repo.Root != clone {
					t.Fatalf("%s: %v, %v", dir, repo, err)
				}
				if test.program == "" {
					continue
				}
				stale(t, filepath.Join(clone, "text"))
				if _, err := repo.DirtyFiles(t.Context(), "."); err != nil {
					t.Errorf("%s: %v", dir, err)
				}
				if _, err := os.Stat(filepath.Join(root, "sprung")); err == nil {
					t.Fatalf("%s: %s was started", dir, test.program)
				}
			}
			if test.program == "" || test.refuses {
				return
			}
			stale(t, filepath.Join(clone, "text"))
			run(t, clone, env, command, "status", "--porcelain")
			scratch.ErrorIf(t, !rooted.IsTaken(filepath.Join(root, "sprung")),
				"plain git does not start %s, so this shows nothing", test.program)
		})
	}
}

// stale makes git read the content of a file again.
func stale(t *testing.T, file string) {
	t.Helper()
	must(t, os.Chtimes(file, time.Now(), time.Now()))
}

// A moved file has changed in both places.
func TestDirtyFilesThatWereMoved(t *testing.T) {
	w := newWorld(t)
	w.write(t, "suite/ned/text", "hi-diddly-ho\n", 0o644)
	w.must(t, "", w.git, "init", "--quiet", w.path("suite"))
	w.must(t, "suite", w.git, "add", ".")
	w.must(t, "suite", w.git, "commit", "--quiet", "--message", "first")
	must(t, os.Mkdir(w.path("suite", "todd"), 0o755))
	w.must(t, "suite", w.git, "mv", "ned/text", "todd/text")
	repo, err := git.FindGit(w.base, os.Getenv("PATH"), w.dir, w.path("home")).RepositoryIfAny(t.Context(), w.path("suite"))
	must(t, err)
	dirty, err := repo.DirtyFiles(t.Context(), ".")
	must(t, err)
	scratch.Equal(t, strings.Join(dirty, " "), "ned/text todd/text")
}
