// Package scratch provides helpers for tests: assertions, files, compiled programs and homes.
package scratch

import (
	"encoding/json"
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

const module = "github.com/cameronsjo/springfield"

var shared string // directory of the tests of a package

// RunWithDir makes a directory, which unprivileged users can enter, runs a package's tests, removes it and returns the
// exit code.
func RunWithDir(tests interface{ Run() int }) int {
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

// PackageTempPath returns a path in RunWithDir's directory, without creating it. It panics if RunWithDir is not used.
func PackageTempPath(name ...string) string {
	if shared == "" {
		panic("TestMain does not call scratch.RunWithDir")
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

// FindGo returns the machine's GOROOT and GOCACHE.
func FindGo(t testing.TB) (root, cache string) {
	t.Helper()
	env, err := goEnv()
	Must(t, err)
	return env[0], env[1]
}

var built = struct {
	sync.Mutex
	path map[string]string
}{path: map[string]string{}}

// Program compiles a command like "cmd/springfield" once and returns the path. TestMain calls RunWithDir. Tests must
// not change the file.
func Program(t testing.TB, command string, buildFlags ...string) string {
	t.Helper()
	built.Lock()
	defer built.Unlock()
	key := fmt.Sprint(command, buildFlags)
	if path, ok := built.path[key]; ok {
		return path
	}
	path := PackageTempPath("programs", fmt.Sprint(len(built.path)), filepath.Base(command))
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	args := append(append([]string{"build", "-ldflags=-s -w", "-o", path}, buildFlags...), module+"/"+command)
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Fatalf("go %v: %v\n%s", args, err, out)
	}
	built.path[key] = path
	return path
}

// WriteOverlay writes from + ".json" and returns its go build flag. It overlays directory from on directory into.
func WriteOverlay(t testing.TB, from, into string) string {
	t.Helper()
	replace := map[string]string{}
	for _, file := range ListFiles(t, from) {
		replace[filepath.Join(into, filepath.Base(file))] = file
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	Must(t, err)
	PutFile(t, from+".json", string(data))
	return "-overlay=" + from + ".json"
}

// PlaceProgram links or copies a program to path, and creates its directory. Tests must not change the file.
func PlaceProgram(t testing.TB, program, path string) {
	t.Helper()
	Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	if os.Link(program, path) != nil {
		Must(t, os.WriteFile(path, ReadFile(t, program), 0o755))
	}
}

func TurnGoTelemetryOff(home string) (all error) {
	for name, text := range map[string]string{
		".config/go/telemetry/mode":                     "off 2026-01-01",
		"Library/Application Support/go/telemetry/mode": "off 2026-01-01",
	} {
		file := filepath.Join(home, filepath.FromSlash(name))
		all = errors.Join(all, os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600))
	}
	return all
}

// Must ends a test if err is not nil. about is printed first.
func Must(t testing.TB, err error, about ...any) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s%v", prefixOf(about), err)
	}
}

// PutFile writes a file and makes its directories.
func PutFile(t testing.TB, path, text string) {
	t.Helper()
	Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	Must(t, os.WriteFile(path, []byte(text), 0o644))
}

// ReadOrNone returns a file's content ("(none)" if missing).
func ReadOrNone(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return "(none)"
	}
	Must(t, err)
	return string(data)
}

func ReadFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	Must(t, err, "read")
	return data
}

func ModeOf(t testing.TB, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	Must(t, err)
	return info.Mode().Perm()
}
