//go:build unix

package workspace

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// TestMain is also the processes that these tests start: one that writes a file
// over and over, and one that has no room to write.
func TestMain(m *testing.M) {
	if role := os.Getenv("WORKSPACE_TEST"); role != "" {
		roles := map[string]func(dir string) error{"write": writeOften, "no room": writeWithoutRoom}
		if err := roles[role](os.Getenv("WORKSPACE_TEST_DIR")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// play starts this test binary in a role.
func play(t *testing.T, role, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "WORKSPACE_TEST="+role, "WORKSPACE_TEST_DIR="+dir)
	cmd.Stderr = &bytes.Buffer{}
	return cmd
}

// page is a writer's content, long enough to be seen torn. Every line names the writer.
func page(who, n int) []byte { return bytes.Repeat([]byte(fmt.Sprintf("%d %d\n", who, n)), 4000) }

// isPage reports whether data is a complete page of one writer.
func isPage(data []byte) bool {
	line, _, ok := bytes.Cut(data, []byte("\n"))
	return ok && bytes.Equal(data, bytes.Repeat(append(line, '\n'), 4000))
}

// writeOften writes its pages until it is killed, or so many times.
func writeOften(dir string) error {
	s, err := OpenSpace(dir)
	if err != nil {
		return err
	}
	times, err := strconv.Atoi(os.Getenv("WORKSPACE_TEST_TIMES"))
	if err != nil {
		return err
	}
	for n := 0; n < times || times == 0; n++ {
		if err := s.ApplyChanges([]strategy.Change{{Name: "dir/f", Data: page(os.Getpid(), n)}}); err != nil {
			return err
		}
	}
	return nil
}

// A writer that is killed leaves the old page or the new one. A later change removes its temporary file.
func TestKilledWriters(t *testing.T) {
	r := newRoom(t)
	r.write("space/dir/f", string(page(0, 0)))
	for n := range 25 {
		cmd := play(t, "write", r.Dir)
		cmd.Env = append(cmd.Env, "WORKSPACE_TEST_TIMES=0")
		must(t, cmd.Start())
		before := r.ReadWanted(strategy.WantedFile{Name: "dir/f"}).Data
		for bytes.Equal(before, r.ReadWanted(strategy.WantedFile{Name: "dir/f"}).Data) { // it is at work
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(n*137) * time.Microsecond)
		must(t, cmd.Process.Kill())
		_ = cmd.Wait() // killed
		if f := r.ReadWanted(strategy.WantedFile{Name: "dir/f"}); !f.Readable() || !isPage(f.Data) {
			t.Fatalf("kill %d: torn, %d bytes, %s", n, len(f.Data), f.Problem)
		}
	}
}

// writeWithoutRoom writes more than it may, as on a full disk.
func writeWithoutRoom(dir string) error {
	s, err := OpenSpace(dir)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1000, Max: 1000}); err != nil {
		return err
	}
	err = s.ApplyChanges([]strategy.Change{{Name: "dir/below.txt", Data: page(1, 1)}})
	if err == nil || err.Error() != "write dir/below.txt: "+syscall.EFBIG.Error() {
		return fmt.Errorf("without room: %w", err)
	}
	return s.ApplyChanges([]strategy.Change{{Name: "new", Data: page(1, 1), Optional: true}})
}

// On a full disk the old file stays, without a temporary file.
func TestNoRoom(t *testing.T) {
	r := newRoom(t)
	before := r.tree()
	cmd := play(t, "no room", r.Dir)
	err := cmd.Run()
	errorIf(t, err != nil, "%v: %s", err, cmd.Stderr)
	r.only(before, nil)
}

// Without permission, as a user other than root, reads and writes report it.
func TestWithoutPermission(t *testing.T) { scratch.AsUnprivileged(t, checkPermissions) }

func checkPermissions(t *testing.T, work string) {
	t.Setenv("TMPDIR", work)
	r := newRoom(t)
	for _, name := range []string{"secret", "closed/f", "fixed/f"} {
		r.write("space/"+name, filepath.Base(name))
	}
	before := r.tree()
	for name, mode := range map[string]fs.FileMode{"space/secret": 0, "space/closed": 0, "space/fixed": 0o555} {
		must(t, os.Chmod(r.path(name), mode))
	}
	for _, name := range []string{"secret", "closed/f", "closed/"} {
		if f := r.ReadWanted(strategy.WantedFile{Name: name}); !f.Found || f.Problem != "permission denied" || f.Data != nil || f.Names != nil {
			t.Errorf("read %s: %+v", name, f)
		}
	}
	for _, c := range []strategy.Change{
		{Name: "fixed/f", Data: []byte("x")}, {Name: "fixed/f", Data: []byte("x"), Was: []byte("f")}, {Name: "fixed/new", Data: []byte("x")},
		{Name: "fixed/new/f", Data: []byte("x")}, {Name: "fixed/f"}, {Name: "closed/f", Data: []byte("x")}, {Name: "closed/f"},
		{Name: "secret", Data: []byte("x"), Was: []byte("secret")},
	} {
		err := r.ApplyChanges([]strategy.Change{c})
		errorIf(t, err == nil || !strings.HasSuffix(err.Error(), ": permission denied"), "change %s: %v", c.Name, err)
	}
	for _, name := range []string{"space/secret", "space/closed", "space/fixed"} {
		must(t, os.Chmod(r.path(name), 0o755))
	}
	r.only(before, nil)
}

// A pipe without a writer, a terminal, a device without an end: none of them is read, and none holds Claude up.
func TestNoFilesOfTheSystem(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"a pipe":     func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a terminal": func(path string) error { return os.Symlink("/dev/ptmx", path) },
		"zeroes":     func(path string) error { return os.Symlink("/dev/zero", path) },
		"a socket": func(path string) error {
			fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
			if err != nil {
				return err
			}
			defer syscall.Close(fd)
			t.Chdir(filepath.Dir(path)) // the length of a socket's name is bounded
			return syscall.Bind(fd, &syscall.SockaddrUnix{Name: filepath.Base(path)})
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRoom(t)
			must(t, make(r.path("space/f")))
			for _, want := range []strategy.WantedFile{{Name: "f"}, {Name: "f/"}, {Name: "f", Whole: func([]byte) bool { return false }}} {
				if f := r.ReadWanted(want); f.Readable() || !f.Found || f.Data != nil || f.Names != nil {
					t.Errorf("read %s: %+v", want.Name, f)
				}
			}
			errorIf(t, r.ApplyChanges([]strategy.Change{{Name: "f", Data: []byte("x")}}) == nil, "written")
			errorIf(t, r.ApplyChanges([]strategy.Change{{Name: "f", Data: []byte("x"), Was: []byte("y")}}) == nil,
				"written over")
			if info, err := os.Lstat(r.path("space/f")); err != nil || info.Mode().IsRegular() {
				t.Errorf("it became %v, %v", info, err)
			}
		})
	}
}

// A pipe in place of the directory is an error at once: a program that waits for its other end waits without end.
func TestOpenPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	must(t, syscall.Mkfifo(pipe, 0o600))
	if space, err := OpenSpace(pipe); err == nil {
		space.Close()
		t.Error("a pipe was opened as a workspace")
	}
}
