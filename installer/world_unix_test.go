//go:build unix

package installer

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

const (
	other        = 65534
	unprivileged = "SPRINGFIELD_TEST_UNPRIVILEGED"
)

// realDir is a temporary directory without a symbolic link on the way.
func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// withoutRights makes a check in a directory of its own, without root's rights: root may
// write anywhere, so the test runs itself again as another user then.
func withoutRights(t *testing.T, check func(t *testing.T, dir string)) {
	t.Helper()
	if dir := os.Getenv(unprivileged); dir != "" {
		check(t, dir)
		return
	}
	dir := realDir(t)
	if os.Geteuid() != 0 {
		check(t, dir)
		return
	}
	// t.TempDir is made for its owner only, and so is where go test builds.
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	work := filepath.Join(dir, "work")
	if err := errors.Join(os.Mkdir(work, 0o755), os.Chown(work, other, other)); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "installer.test")
	copyProgram(t, program)
	cmd := exec.Command(program, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Dir = work
	cmd.Env = append(os.Environ(), unprivileged+"="+work)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: other, Gid: other}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("as another user: %v\n%s", err, out)
	}
}

func copyProgram(t *testing.T, path string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	from, err := os.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(to, from)
	if err := errors.Join(err, to.Close()); err != nil {
		t.Fatal(err)
	}
}
