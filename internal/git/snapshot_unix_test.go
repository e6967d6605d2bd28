//go:build unix

package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A snapshot has what is tracked and what is not, leaves index, branch and files as they are, starts
// nothing that the repository names, and gives everything back.
func TestSnapshot(t *testing.T) {
	dir := t.TempDir()
	sh := func(script string) string {
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
	sh(`git init -q sub; cd sub; git commit -q --allow-empty -m sub; git config core.fsmonitor "touch $PWD/../ran; :"; cd ..
git init -q .; printf 'ignored\nran\n' >.gitignore; echo a >kept; echo b >gone; echo c >same; git add .gitignore kept gone same; git commit -q -m first
git -c advice.addEmbeddedRepo=false add sub; git commit -q -m sub
echo 'kept filter=evil' >.gitattributes; git config filter.evil.clean 'touch ran; cat'; git config core.fsmonitor 'touch ran; :'
mkdir -p hooks; printf '#!/bin/sh\ntouch "$OLDPWD/ran" ran\n' >hooks/reference-transaction; chmod +x hooks/*; git config core.hooksPath hooks
git config hook.x.command 'touch ran'; git config hook.x.event reference-transaction
echo changed >kept; echo d >same; touch -r .git/index same; rm gone; echo new >new; echo local >local; echo secret >ignored; git add -N new 2>/dev/null; rm -f ran`)
	repository, err := FindGit(os.Environ(), dir, filepath.Join(dir, "home")).Repository(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	before := sh("sha256sum .git/index; git -c core.fsmonitor= rev-parse HEAD")
	sh("rm -f ran")
	head, kept, err := repository.KeepTree(t.Context(), "x1")
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
