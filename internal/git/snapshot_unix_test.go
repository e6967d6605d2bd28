//go:build unix

package git

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
)

func shellIn(t *testing.T, dir string) func(script string) string {
	return func(script string) string {
		t.Helper()
		cmd := exec.Command("sh", "-ec", script)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=n", "GIT_AUTHOR_EMAIL=e",
			"GIT_COMMITTER_NAME=n", "GIT_COMMITTER_EMAIL=e")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
		return strings.TrimSpace(string(out))
	}
}

func repositoryIn(t *testing.T, dir string) *Repository {
	t.Helper()
	repository, err := FindGit(os.Environ(), os.Getenv("PATH"), dir, filepath.Join(dir, "home")).RepositoryIfAny(t.Context(), dir)
	scratch.Must(t, err)
	return repository
}

// A snapshot has tracked and untracked files, changes nothing, starts nothing and can be restored.
func TestSnapshot(t *testing.T) {
	dir := t.TempDir()
	sh := shellIn(t, dir)
	sh(`git init -q sub; cd sub; git commit -q --allow-empty -m sub; git config core.fsmonitor "touch $PWD/../ran; :"; cd ..
git init -q .; printf 'ignored\nran\n' >.gitignore; echo a >kept; echo b >gone; echo c >same; git add .gitignore kept gone same; git commit -q -m first
git -c advice.addEmbeddedRepo=false add sub; git commit -q -m sub
echo 'kept filter=evil' >.gitattributes; git config filter.evil.clean 'touch ran; cat'; git config core.fsmonitor 'touch ran; :'
mkdir -p hooks; printf '#!/bin/sh\ntouch "$OLDPWD/ran" ran\n' >hooks/reference-transaction; chmod +x hooks/*; git config core.hooksPath hooks
git config hook.x.command 'touch ran'; git config hook.x.event reference-transaction
echo changed >kept; echo d >same; touch -r .git/index same; rm gone; echo new >new; echo local >local; echo secret >ignored; git add -N new 2>/dev/null; rm -f ran`)
	repository := repositoryIn(t, dir)
	before := sh("sha256sum .git/index; git -c core.fsmonitor= rev-parse HEAD")
	sh("rm -f ran")
	head, kept, err := repository.TakeSnapshot(t.Context(), "x1")
	if err != nil || !strings.HasSuffix(before, head) {
		t.Fatal(head, kept, err)
	}
	if all, err := repository.ChangesSince(t.Context(), kept); err != nil || len(all) != 0 {
		t.Errorf("nothing has changed: %v, %v", all, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("the repository has started a program")
	}
	if after := sh("sha256sum .git/index; git -c core.fsmonitor= rev-parse HEAD"); after != before {
		t.Errorf("%s, then %s", before, after)
	}
	if files := sh("rm -f ran; git -c core.fsmonitor= ls-tree -r --name-only refs/springfield/away/x1"); files != ".gitattributes\n.gitignore\nhooks/reference-transaction\nkept\nlocal\nnew\nsame\nsub" {
		t.Errorf("kept: %q", files)
	}
	sh("git config --unset core.fsmonitor; echo more >>kept; rm new; printf 'kept\nlocal\n' >>.git/info/exclude; git rm -q --cached kept; printf '1\n2\n' >later; git add later")
	objects := sh("find .git/objects -type f | wc -l")
	all, err := repository.ChangesSince(t.Context(), kept)
	if want := (Changed{Path: "kept", Added: 1}); err != nil || len(all) != 3 || all[0] != want && all[1] != want || sh("find .git/objects -type f | wc -l") != objects {
		t.Errorf("%v, %v", all, err)
	}
	sh("git config --unset core.hooksPath; git restore --source=refs/springfield/away/x1 --worktree -- :/")
	if sh("cat kept new same; test ! -e later; test ! -e gone") != "changed\nnew\nd" {
		t.Error("it does not come back")
	}
}

// Neither index nor settings nor replaced objects hide a change, and no program is started.
func TestNothingHidesChanges(t *testing.T) {
	const traps = `git config core.fsmonitor "touch $PWD/ran; :"; git config core.sshCommand "touch $PWD/ran"
git config filter.evil.process "touch $PWD/ran"; git config filter.evil.clean "touch $PWD/ran; cat"; git config diff.evil.textconv "touch $PWD/ran; cat"
printf '* filter=evil diff=evil\n' >.git/info/attributes
`
	for name, test := range map[string]struct{ script, want string }{
		"assume unchanged": {"git update-index --assume-unchanged Makefile; echo evil >>Makefile", "Makefile +1 -0"},
		"skip worktree":    {"git update-index --skip-worktree Makefile; echo evil >>Makefile", "Makefile +1 -0"},
		"gone, skipped":    {"git update-index --skip-worktree Makefile; rm Makefile", "Makefile +0 -1"},
		"sparse":           {"git sparse-checkout set --no-cone /src/; mkdir -p src; test ! -e Makefile", "Makefile +0 -1"},
		"old time": {"git config core.checkStat minimal; git config core.trustctime false; echo evil >Makefile; touch -d 2020-01-01 Makefile",
			"Makefile +1 -1"},
		"commit replaced": {"echo evil >>Makefile; git add -A; git replace refs/springfield/away/x1 $(git commit-tree $(git write-tree) -m x)",
			"Makefile +1 -0"},
		"tree replaced": {"echo evil >>Makefile; git add -A; git replace refs/springfield/away/x1^{tree} $(git write-tree)", "Makefile +1 -0"},
		"text replaced": {"old=$(git rev-parse HEAD:Makefile); echo evil >>Makefile; git replace $old $(git hash-object -w Makefile)",
			"Makefile +1 -0"},
		"ignored and forgotten":  {"echo Makefile >>.git/info/exclude; git rm -q --cached Makefile; echo evil >>Makefile", "Makefile +1 -0"},
		"a pipe":                 {"rm Makefile; mkfifo Makefile", "Makefile +0 -1"},
		"a new pipe":             {"mkfifo new", ""},
		"a directory for a file": {"rm Makefile; mkdir Makefile; echo x >Makefile/x", "Makefile +0 -1, Makefile/x +1 -0 new"},
		"a file for a directory": {"rm -r src; echo x >src", "src +1 -0 new, src/a +0 -1"},
		"a link for a directory": {"mv src other; ln -s other src", "other/a +1 -0 new, src +1 -0 new, src/a +0 -1"},
		"a link out":             {"rm -r src; ln -s / src", "src +1 -0 new, src/a +0 -1"},
		"a repository for a directory": {"git rm -q -r --cached src; git init -q src; git -C src commit -q --allow-empty -m x; " +
			"git -c advice.addEmbeddedRepo=false add src; echo evil >>src/a", "src/a +1 -0"},
		"a repository without a commit": {"git init -q new; git init -q src; echo evil >>src/a", "src/a +1 -0"},
		"a conflict": {"git checkout -q -b b; echo b >Makefile; git commit -q -a -m b; git checkout -q -; echo c >Makefile; " +
			"git commit -q -a -m c; ! git merge -q b", "Makefile +5 -1"},
		"no index":  {"rm .git/index; echo evil >>Makefile", "Makefile +1 -0"},
		"no change": {"touch Makefile src/a; git update-index --refresh", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "a\u00a0b\u202fc\x01\t\"d\\:e\u0301")
			scratch.Must(t, os.Mkdir(dir, 0o755))
			sh := shellIn(t, dir)
			sh("git init -q .; echo safe >Makefile; mkdir src; echo a >src/a; touch -d 2020-01-01 Makefile src/a; git add .; git commit -q -m first")
			_, kept, err := repositoryIn(t, dir).TakeSnapshot(t.Context(), "x1")
			scratch.Must(t, err)
			sh(test.script + "\n" + traps)
			repository := repositoryIn(t, dir)
			sh("rm -f ran")
			all, err := repository.ChangesSince(t.Context(), kept)
			var got []string
			for _, c := range all {
				got = append(got, fmt.Sprintf("%s +%d -%d%s", c.Path, c.Added, c.Deleted, map[bool]string{true: " new"}[c.New]))
			}
			if said := strings.Join(got, ", "); err != nil || said != test.want {
				t.Errorf("%q, %v", said, err)
			}
			if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
				t.Error("the repository has started a program")
			}
		})
	}
}

// Files that git was told to ignore changes of are in the snapshot.
func TestSnapshotOfWhatIsPassedOver(t *testing.T) {
	dir := t.TempDir()
	sh := shellIn(t, dir)
	sh(`git init -q .; echo a >assumed; echo b >skipped; echo c >pipe; printf 'd\r\n' >crlf; echo e >time; touch -d 2020-01-01 time; git add .
git commit -q -m first; printf '* text=auto\n' >.gitattributes; git update-index --assume-unchanged assumed; git update-index --skip-worktree skipped
echo mine >>assumed; echo mine >>skipped; rm pipe; mkfifo pipe; git config core.checkStat minimal; git config core.trustctime false
echo f >time; touch -d 2020-01-01 time`)
	before := sh("sha256sum .git/index")
	_, kept, err := repositoryIn(t, dir).TakeSnapshot(t.Context(), "x1")
	scratch.Must(t, err)
	if after := sh("sha256sum .git/index"); after != before {
		t.Error("the index is another one")
	}
	scratch.Equal(t, sh("git ls-tree -r --name-only "+kept), ".gitattributes\nassumed\ncrlf\nskipped\ntime", "kept")
	if text := sh("for f in assumed skipped crlf time; do git cat-file blob " + kept + ":$f; done"); text != "a\nmine\nb\nmine\nd\r\nf" {
		t.Errorf("kept: %q", text)
	}
	if all, err := repositoryIn(t, dir).ChangesSince(t.Context(), kept); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
}

// A pipe in the place of a file that git reads ends a snapshot with an error within seconds.
func TestSnapshotBesidePipes(t *testing.T) {
	for _, name := range []string{"sub/.gitignore", "sub/.gitattributes", ".git/info/attributes", ".git/info/exclude", ".git/index"} {
		dir := t.TempDir()
		shellIn(t, dir)("git init -q .; mkdir sub; echo a >sub/a; git add .; git commit -q -m first; rm -f " + name + "; mkfifo " + name)
		repository := repositoryIn(t, dir)
		repository.within = time.Second / 2 // for 10 seconds
		began := time.Now()
		if _, _, err := repository.TakeSnapshot(t.Context(), "x1"); !errors.Is(err, errSlow) || time.Since(began) > 3*time.Second {
			t.Errorf("%s: %v after %v", name, err, time.Since(began))
		}
	}
}

// Nested repositories are counted, except ignored and missing ones.
func TestCountNested(t *testing.T) {
	dir := t.TempDir()
	shellIn(t, dir)(`git init -q .; for d in sub loose deep/er ignored empty gone; do git init -q $d; git -C $d commit -q --allow-empty -m x; done
git -c advice.addEmbeddedRepo=false add sub empty gone; rm -r empty/.git gone; mv sub/.git .git/sub; echo gitdir: ../.git/sub >sub/.git; echo ignored >.gitignore; git init -q deep/new; echo x >deep/file`)
	if n, err := repositoryIn(t, dir).CountNested(t.Context()); err != nil || n != 4 {
		t.Errorf("%d, %v", n, err)
	}
}
