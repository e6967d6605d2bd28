// Package scratch is what the tests of several packages share: the go command of this machine, programs of
// this tree that are compiled once, one cache of compiled hooks, and homes that know that cache again.
package scratch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// module is what this tree is called.
const module = "github.com/cameronsjo/springfield"

// shared is the directory of one run of a package's tests.
var shared string

// RunTests runs the tests of a package with a directory for what they share, and removes it afterwards. A user
// without rights can enter it: some tests run programs as such a user.
func RunTests(tests interface{ Run() int }) int {
	dir, err := os.MkdirTemp("", "springfield-test-")
	if err == nil {
		defer os.RemoveAll(dir)
		err = os.Chmod(dir, 0o755)
	}
	if err == nil {
		shared, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		panic(fmt.Sprintf("no directory for the tests: %v", err))
	}
	return tests.Run()
}

// SharedPath is a path in the directory of this run.
func SharedPath(name ...string) string {
	if shared == "" {
		panic("TestMain does not call scratch.RunTests")
	}
	return filepath.Join(append([]string{shared}, name...)...)
}

var goEnv = sync.OnceValues(func() ([]string, error) {
	out, err := exec.Command("go", "env", "GOROOT", "GOCACHE").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n"), nil
})

// FindGo says where the go command of this machine lies and where it keeps what it has compiled. Compiling a hook
// takes ten seconds without that cache, so tests share it with the machine.
func FindGo(t testing.TB) (root, cache string) {
	t.Helper()
	env, err := goEnv()
	if err != nil {
		t.Fatal(err)
	}
	return env[0], env[1]
}

// built are the programs of this run, by how they are compiled.
var built struct {
	sync.Mutex
	path map[string]string
}

// Program compiles a command of this tree, once for a run, and returns its path. Tests must not change the file.
func Program(t testing.TB, command string, flags ...string) string {
	t.Helper()
	built.Lock()
	defer built.Unlock()
	key := fmt.Sprint(command, flags)
	if path, ok := built.path[key]; ok {
		return path
	}
	path := SharedPath("programs", fmt.Sprint(len(built.path)), filepath.Base(command))
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	args := append(append([]string{"build", "-o", path}, flags...), module+"/"+command)
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Fatalf("go %v: %v\n%s", args, err, out)
	}
	if built.path == nil {
		built.path = map[string]string{}
	}
	built.path[key] = path
	return path
}

// PlaceProgram puts a program where a test wants it. The file is shared, not copied, where that can be done.
func PlaceProgram(t testing.TB, program, path string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil && os.Link(program, path) != nil {
		var data []byte
		if data, err = os.ReadFile(program); err == nil {
			err = os.WriteFile(path, data, 0o755)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// PrepareHome prepares a home: it tells go to count nothing there, which go does in a home that is new, with a process
// in the background.
func PrepareHome(dir string) error {
	var all error
	for name, text := range map[string]string{
		".config/go/telemetry/mode":                     "off 2026-01-01",
		"Library/Application Support/go/telemetry/mode": "off 2026-01-01",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		all = errors.Join(all, os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600))
	}
	return all
}

// Must ends a test that cannot go on; about says where that was.
func Must(t testing.TB, err error, about ...any) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s%v", placeOf(about), err)
	}
}

// PutFile writes a file, and makes the directories above it.
func PutFile(t testing.TB, path, text string) {
	t.Helper()
	Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	Must(t, os.WriteFile(path, []byte(text), 0o644))
}

// LookAt is a file's content, "(none)" if there is none.
func LookAt(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return "(none)"
	}
	Must(t, err)
	return string(data)
}

// ReadFile is a file's content, which has to be there.
func ReadFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	Must(t, err, "read")
	return data
}

// ModeOf are the permissions of a file, which has to be there.
func ModeOf(t testing.TB, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	Must(t, err)
	return info.Mode().Perm()
}
