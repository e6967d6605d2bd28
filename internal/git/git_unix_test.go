//go:build unix

package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A pipe in the place of a file that git reads holds nothing up without end, and is
// not taken for a directory without a repository.
func TestGitThatDoesNotAnswer(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, ".gitignore"), 0o600); err != nil {
		t.Fatal(err)
	}
	g := FindGit([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, dir, "")
	g.within = 300 * time.Millisecond
	if _, err := g.callerIn(dir).runGit(context.Background(), "./x", "check-ignore", "-z", "--stdin"); !errors.Is(err, errSlow) {
		t.Errorf("%v", err)
	}
}
