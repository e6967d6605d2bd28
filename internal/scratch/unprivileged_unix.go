//go:build unix

package scratch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// Unprivileged is the ID of a user and a group without rights.
const Unprivileged = 65534

// unprivileged is a variable with the directory of a test that runs again as Unprivileged.
const unprivileged = "SPRINGFIELD_TEST_UNPRIVILEGED"

// AsUnprivileged calls check with an empty directory, as a user whom permissions restrict. As root, it runs the test
// again in a new process, and calls check only there. Call it once in a test.
func AsUnprivileged(t *testing.T, check func(t *testing.T, dir string)) {
	t.Helper()
	if dir := os.Getenv(unprivileged); dir != "" {
		check(t, dir)
		return
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	Must(t, err)
	if os.Geteuid() != 0 {
		check(t, dir)
		return
	}
	work, program := filepath.Join(dir, "work"), filepath.Join(dir, "test")
	// Only the owner can enter t.TempDir, and the directory in which go test builds.
	Must(t, os.Chmod(dir, 0o755))
	Must(t, os.Chmod(filepath.Dir(dir), 0o755))
	Must(t, os.Mkdir(work, 0o755))
	Must(t, os.Chown(work, Unprivileged, Unprivileged))
	self, err := os.Executable()
	Must(t, err)
	PlaceProgram(t, self, program)
	cmd := exec.Command(program, "-test.run=^"+t.Name()+"$", "-test.v", fmt.Sprint("-full=", *Full))
	cmd.Dir = work
	cmd.Env = append(os.Environ(), unprivileged+"="+work)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: Unprivileged, Gid: Unprivileged}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("as another user: %v\n%s", err, out)
	}
}
