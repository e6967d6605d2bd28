//go:build unix

package installer

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

func TestReplaceKeepsMode(t *testing.T) {
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o644, 0o664, 0o400, 0o755} {
		path := filepath.Join(realDir(t), "settings.json")
		write(t, path, "old")
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		f := open(t, path)
		if err := f.Replace([]byte("new")); err != nil {
			t.Fatal(err)
		}
		checkMode(t, path, mode)
		if f.Mode != mode {
			t.Errorf("Mode = %v, want %v", f.Mode, mode)
		}
	}
}

func TestReplaceNewFileIsPrivate(t *testing.T) {
	path := filepath.Join(realDir(t), "new", "settings.json")
	if err := open(t, path).Replace([]byte("{}")); err != nil {
		t.Fatal(err)
	}
	checkMode(t, path, newFileMode)
}

func checkMode(t *testing.T, path string, mode fs.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != mode {
		t.Errorf("%s has mode %v, want %v", path, info.Mode().Perm(), mode)
	}
}

func TestOpenPipeDoesNotWait(t *testing.T) {
	path := filepath.Join(realDir(t), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if f, err := Open(path); f != nil || err == nil || err.Error() != "open "+path+": not a regular file" {
		t.Errorf("Open = %v, %v", f, err)
	}
}

// What the system says is kept, only the path is the one a user knows.
func TestFailedKeepsCause(t *testing.T) {
	for _, cause := range []error{syscall.EROFS, syscall.ENOSPC, syscall.EACCES} {
		for _, err := range []error{
			&fs.PathError{Op: "open", Path: "x/.settings.json.1.tmp", Err: cause},
			&os.LinkError{Op: "rename", Old: "x/.settings.json.1.tmp", New: "x/settings.json", Err: cause},
		} {
			got := failed("write", "x/settings.json", err)
			if want := "write x/settings.json: " + cause.Error(); !errors.Is(got, cause) || got.Error() != want {
				t.Errorf("got %v, want %s", got, want)
			}
		}
	}
}

// Root may write anywhere and give files away, so that these two need to know
// who they are.

const (
	nobody       = 65534
	unprivileged = "SPRINGFIELD_TEST_UNPRIVILEGED"
)

func TestReplaceKeepsOwner(t *testing.T) {
	path := filepath.Join(realDir(t), "settings.json")
	write(t, path, "old")
	owner := os.Getuid()
	if os.Geteuid() == 0 {
		owner = nobody
		if err := os.Chown(path, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	if err := open(t, path).Replace([]byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if is := int(info.Sys().(*syscall.Stat_t).Uid); is != owner {
		t.Errorf("the owner became %d, was %d", is, owner)
	}
	checkFile(t, path, "new")
}

func TestReplaceWithoutPermission(t *testing.T) { asNobody(t, checkWithoutPermission) }

// asNobody makes a check in a directory of its own, without root's rights: root may
// write anywhere, so the test runs itself again as nobody then.
func asNobody(t *testing.T, check func(t *testing.T, dir string)) {
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
	if err := errors.Join(os.Mkdir(work, 0o755), os.Chown(work, nobody, nobody)); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "installer.test")
	copyProgram(t, program)
	cmd := exec.Command(program, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Dir = work
	cmd.Env = append(os.Environ(), unprivileged+"="+work)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("as nobody: %v\n%s", err, out)
	}
}

func checkWithoutPermission(t *testing.T, dir string) {
	if os.Geteuid() == 0 {
		t.Fatal("still root")
	}
	closed := filepath.Join(dir, "closed")
	path := filepath.Join(closed, "settings.json")
	write(t, path, "old")
	f, missing := open(t, path), open(t, filepath.Join(closed, "new", "settings.json"))
	if err := os.Chmod(closed, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(closed, 0o755)

	denied := func(err error, message string) {
		t.Helper()
		if !errors.Is(err, fs.ErrPermission) || err.Error() != message+": permission denied" {
			t.Errorf("got %v, want %s: permission denied", err, message)
		}
	}
	denied(f.Replace([]byte("new")), "write "+path)
	denied(f.Remove(), "remove "+path)
	denied(missing.Replace([]byte("new")), "write "+missing.Path)
	_, err := Lock(filepath.Join(closed, "lock"))
	denied(err, "lock "+filepath.Join(closed, "lock"))
	checkFile(t, path, "old")

	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	_, err = Open(path)
	denied(err, "open "+path)
	denied(f.Replace([]byte("new")), "write "+path)
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
