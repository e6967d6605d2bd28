//go:build unix

package scratch

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// Unprivileged is a user and a group without rights of their own.
const Unprivileged = 65534

// unprivileged names the directory of a test that runs again as such a user.
const unprivileged = "SPRINGFIELD_TEST_UNPRIVILEGED"

// WithoutRights makes a check in an empty directory, without root's rights: root may read and write anywhere, so
// a test that root runs is run again as a user without rights.
func WithoutRights(t *testing.T, check func(t *testing.T, dir string)) {
	t.Helper()
	if dir := os.Getenv(unprivileged); dir != "" {
		check(t, dir)
		return
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 {
		check(t, dir)
		return
	}
	work, program := filepath.Join(dir, "work"), filepath.Join(dir, "test")
	// t.TempDir is made for its owner only, and so is the directory where go test builds.
	if err := errors.Join(os.Chmod(dir, 0o755), os.Chmod(filepath.Dir(dir), 0o755), os.Mkdir(work, 0o755), os.Chown(work, Unprivileged, Unprivileged)); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	Must(t, err)
	PlaceProgram(t, self, program)
	cmd := exec.Command(program, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Dir = work
	cmd.Env = append(os.Environ(), unprivileged+"="+work)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: Unprivileged, Gid: Unprivileged}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("as another user: %v\n%s", err, out)
	}
}
