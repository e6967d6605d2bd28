package main

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/host"
)

// world is a scratch home and a directory to work in, in which springfield is called without a process of its own.
type world struct {
	dir     string // holds home and work
	heads   fs.FS  // compiled hooks to carry
	caller  *host.Host
	columns int // of its terminal, 0 for none
}

var must = scratch.Must

// newWorld makes an empty world.
func newWorld(t *testing.T) world {
	t.Helper()
	w := world{dir: t.TempDir(), heads: os.DirFS(carriedHeads(t))}
	must(t, os.Mkdir(w.work(), 0o755))
	w.write(t, "log.jsonl", pastSession)
	must(t, scratch.TurnGoTelemetryOff(w.home()))
	return w
}

func (w world) home() string { return filepath.Join(w.dir, "home") }
func (w world) work() string { return filepath.Join(w.dir, "work") }

// called is what came of a call.
type called struct {
	code     int
	out, err string
}

// call runs springfield in the working directory.
func (w world) call(t *testing.T, args ...string) called {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := w.callTo(t, &stdout, &stderr, args...)
	return called{code, stdout.String(), stderr.String()}
}

// callTo is call with other places for what is printed.
func (w world) callTo(t *testing.T, stdout, stderr io.Writer, args ...string) (code int) {
	t.Helper()
	a := w.app(stdout, stderr)
	in, err := os.Open(os.DevNull)
	must(t, err)
	defer in.Close()
	a.in, a.stdout, a.screen = in, in, in
	return a.execute(t.Context(), args)
}

// app is a springfield of this world, without a terminal. It finds programs in the system's directories, where there is
// no claude.
func (w world) app(stdout, stderr io.Writer) *app {
	a := appOf(&exec.Cmd{Dir: w.work(), Env: []string{"HOME=" + w.home(), "PATH=/usr/bin:/bin", "USER=ned", "NO_COLOR=1"}, Stdout: stdout, Stderr: stderr})
	a.prebuilt, a.caller, a.columns = w.heads, w.caller, w.columns
	return a
}

// must is call for what has to succeed.
func (w world) must(t *testing.T, args ...string) called {
	t.Helper()
	c := w.call(t, args...)
	if c.code != 0 {
		t.Fatalf("springfield %s: exit code %d\n%s%s", strings.Join(args, " "), c.code, c.out, c.err)
	}
	return c
}

// write writes a file, by its path below the world's directory.
func (w world) write(t *testing.T, name, text string) {
	t.Helper()
	scratch.PutFile(t, filepath.Join(w.dir, filepath.FromSlash(name)), text)
}

// stop has a plugin of a suite decide about a session's end, as Claude Code would.
func (w world) stop(t *testing.T, plugin, session, log string) {
	t.Helper()
	event, err := json.Marshal(map[string]any{
		"hook_event_name": "Stop", "session_id": session, "transcript_path": log, "cwd": w.work(), "stop_hook_active": false,
	})
	must(t, err)
	none := func(string) string { return "" }
	hook.Process{
		Stdin: bytes.NewReader(event), Stdout: io.Discard, Stderr: io.Discard, PluginRoot: plugin, Project: w.work(), Home: w.home(),
		Getenv: none, Environ: func() []string { return nil }, Now: time.Now(),
	}.Run()
}
