//go:build unix

package hostile

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"
)

// plugins are all, each with what makes it go on where nothing is hostile.
// Files are the project's; %S is the transcript's path.
var plugins = []plugin{
	{name: "ned-flanders", says: "Task 1 complete. Moving to Task 2."},
	{name: "lisa-simpson", says: "Task 1 complete. Moving to Task 2."},
	{name: "bart-simpson", says: "Half of it is there. <!-- el-barto:continue -->"},
	{name: "marge-simpson", says: "The first part is in.", files: map[string]string{
		"docs/plans/loop.md":                "# Loop\n\n### Task 1: Parser\n\n### Task 2: Printer\n",
		".superpowers/sdd/loop/progress.md": "# SDD ledger — plan: docs/plans/loop.md\nTask 1: complete\n",
	}},
	{name: "ralph-wiggum", says: "One of them fails.", own: ".stravinsky/continuation-loop.md", files: map[string]string{
		".stravinsky/continuation-loop.md": "---\niteration_count: 1\nmax_iterations: 10\ncompletion_promise: \"All tests passing\"\n---\n\nMake the tests pass\n",
	}},
	{name: "ralph-specum", says: "Working on it.", own: "specs/demo/.ralph-state.json", files: map[string]string{
		"specs/.current-spec":          "demo\n",
		"specs/demo/tasks.md":          "# Tasks\n\n- [ ] 1.1 One\n- [ ] 1.2 Two\n",
		"specs/demo/.ralph-state.json": specState,
	}},
	{name: "ralph-speckit", says: "Working on it.", own: ".specify/specs/demo/.speckit-state.json", files: map[string]string{
		".specify/.current-feature":               "demo\n",
		".specify/specs/demo/tasks.md":            "# Tasks\n\n- [ ] T001 One\n- [ ] T002 Two\n",
		".specify/specs/demo/.speckit-state.json": specState,
	}},
	{name: "todo-continuation", event: "UserPromptSubmit"},
}

const specState = `{"phase":"execution","taskIndex":0,"totalTasks":2,"taskIteration":1,"globalIteration":1,"maxGlobalIterations":100}`

type plugin struct {
	name, event, says string
	files             map[string]string
	own               string // the file in the project that the plugin itself may change or remove
}

func (p plugin) eventName() string {
	if p.event != "" {
		return p.event
	}
	return "Stop"
}

// suites are all eight plugins, compiled for this machine alone, and for it and
// another one, so that a shell script starts the hook.
var suites = sync.OnceValues(func() (dirs struct{ direct, launched string }, err error) {
	dirs.direct, dirs.launched = filepath.Join(runDir, "suites", "direct"), filepath.Join(runDir, "suites", "launched")
	here, other := runtime.GOOS+"/"+runtime.GOARCH, "darwin/arm64"
	if here == other {
		other = "linux/amd64"
	}
	for dir, targets := range map[string][]string{dirs.direct: {here}, dirs.launched: {here, other}} {
		args := []string{"init", dir, "--all", "--yes", "--owner", "Ned", "--marketplace", "hostile-" + filepath.Base(dir)}
		for _, target := range targets {
			args = append(args, "--target", target)
		}
		home := filepath.Join(runDir, "maker")
		if err := os.MkdirAll(home, 0o755); err != nil {
			return dirs, err
		}
		if out, err := springfield(home, home, nil, args...); err != nil {
			return dirs, fmt.Errorf("springfield init: %w\n%s", err, out)
		}
	}
	return dirs, nil
})

// world is one user's home and one project.
type world struct {
	dir     string
	Home    string // of the user; .claude lies in it
	Project string // hostile; the working directory
	Canary  string // of the user, and no business of anything here
	Traps   string // programs that tell that they were started
	Log     string // where they tell it
	t       testing.TB
	sparse  int64 // size of a file that is nearly all holes
}

var worlds atomic.Int64

func newWorld(t testing.TB) *world {
	t.Helper()
	dir := filepath.Join(runDir, fmt.Sprintf("world-%d", worlds.Add(1)))
	w := &world{
		dir: dir, Home: filepath.Join(dir, "home"), Project: filepath.Join(dir, "project"), Canary: filepath.Join(dir, "home", "canary"),
		Traps: filepath.Join(dir, "traps"), Log: filepath.Join(dir, "started"), t: t, sparse: int64(size(1<<30, 64<<20)),
	}
	for _, d := range []string{w.Config("projects", "p"), w.Project, w.Canary, w.Traps} {
		must(t, os.MkdirAll(d, 0o755))
	}
	write(t, filepath.Join(w.Canary, "file"), "the user's own\n")
	write(t, filepath.Join(w.Canary, "directory", "file"), "the user's own, too\n")
	return w
}

// done takes a world away; one that failed is of no use either, since a draw repeats it.
func (w *world) done() {
	filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil && d != nil && d.IsDir() {
			os.Chmod(path, 0o700)
		}
		return nil
	})
	os.RemoveAll(w.dir)
}

func (w *world) Config(name ...string) string {
	return filepath.Join(append([]string{w.Home, ".claude"}, name...)...)
}

func (w *world) State(name ...string) string {
	return w.Config(append([]string{"springfield"}, name...)...)
}

func (w *world) Transcript() string { return w.Config("projects", "p", "s.jsonl") }

// trap plants a program that tells its name, and returns its path.
func (w *world) trap(dir, name string) string {
	w.t.Helper()
	path := filepath.Join(dir, name)
	must(w.t, os.MkdirAll(dir, 0o755))
	must(w.t, os.WriteFile(path, []byte("#!/bin/sh\nprintf '%s\\n' '"+name+"' >>'"+w.Log+"'\n"), 0o755))
	must(w.t, os.Chmod(path, 0o755))
	return path
}

// started are the traps that have gone off.
func (w *world) started() string {
	data, err := os.ReadFile(w.Log)
	if err != nil {
		return ""
	}
	return strings.Join(strings.Fields(string(data)), ", ")
}

// play lays out what makes a plugin go on, and returns the event.
func (w *world) play(p plugin) string {
	w.t.Helper()
	for name, text := range p.files {
		write(w.t, filepath.Join(w.Project, name), text)
	}
	old := time.Now().Add(-time.Minute)
	for name := range p.files { // a file that is being written is waited for
		must(w.t, os.Chtimes(filepath.Join(w.Project, name), old, old))
	}
	lines := `{"type":"user","uuid":"u1","sessionId":"s","promptId":"p1","cwd":"` + w.Project + `","timestamp":"2026-11-01T10:00:00Z","message":{"role":"user","content":"Execute the plan"}}` + "\n"
	if p.event != "" {
		lines += `{"type":"assistant","uuid":"u2","sessionId":"s","timestamp":"2026-11-01T10:00:01Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"TodoWrite","input":{"todos":[{"content":"Write the tests","status":"in_progress","activeForm":"Writing the tests"},{"content":"Update the docs","status":"pending","activeForm":"Updating the docs"}]}}]}}` + "\n" +
			`{"type":"user","uuid":"u3","sessionId":"s","timestamp":"2026-11-01T10:00:02Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}}` + "\n"
	}
	write(w.t, w.Transcript(), lines)
	return w.event(p)
}

func (w *world) event(p plugin) string {
	event := map[string]any{
		"session_id": "s", "transcript_path": w.Transcript(), "cwd": w.Project, "hook_event_name": p.eventName(),
		"prompt_id": "p1", "permission_mode": "default", "stop_hook_active": false, "background_tasks": []any{}, "session_crons": []any{},
	}
	if p.event != "" {
		event["prompt"] = "go on"
	} else {
		event["last_assistant_message"] = p.says
	}
	data, err := json.Marshal(event)
	must(w.t, err)
	return string(data)
}

// own gives the world to the user that hooks run as. What belongs to root in it belongs to another user from then on.
func (w *world) own() {
	w.t.Helper()
	user := unprivileged()
	if user == 0 {
		return
	}
	must(w.t, filepath.WalkDir(w.dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, user, user)
	}))
}

// form is a way in which the client starts a hook.
type form struct {
	name  string
	shell string // "" starts it directly, or by the first line of the launcher
	suite func() (string, error)
}

func direct() (string, error)   { s, err := suites(); return s.direct, err }
func launched() (string, error) { s, err := suites(); return s.launched, err }

// forms are all there are on this machine: Debian's sh is dash, that of macOS, Fedora and Arch is bash.
func forms() []form {
	all := []form{{"direct", "", direct}, {"launcher", "", launched}}
	for _, shell := range []string{"/bin/bash", "/bin/dash", "/bin/busybox"} {
		if _, err := os.Stat(shell); err == nil {
			all = append(all, form{"launcher in " + filepath.Base(shell), shell, launched})
		}
	}
	return all
}

// hook runs a plugin's hook on an event, as the client does, with variables beside those that the client itself sets.
func (w *world) hook(f form, p plugin, event string, vars ...string) outcome {
	w.t.Helper()
	suite, err := f.suite()
	must(w.t, err)
	root := filepath.Join(suite, p.name)
	return w.hookAt(f, root, filepath.Join(root, "hooks", "springfield-hook"), event, vars...)
}

func (w *world) hookAt(f form, root, program, event string, vars ...string) outcome {
	w.t.Helper()
	stdin := filepath.Join(w.dir, "event")
	must(w.t, os.WriteFile(stdin, []byte(event), 0o644))
	j := job{Path: program, Args: [][]byte{[]byte(program)}, Dir: w.Project, Stdin: stdin, User: unprivileged()}
	if f.shell != "" { // as the kernel reads a first line without arguments
		j.Path, j.Args = f.shell, [][]byte{[]byte("sh"), []byte(program)}
	}
	// The project's variables come over the user's, and the client's own over both. PATH and HOME are not the client's.
	for _, v := range []string{"PATH=/usr/bin:/bin", "HOME=" + w.Home} {
		name, _, _ := strings.Cut(v, "=")
		if !slices.ContainsFunc(vars, func(v string) bool { return strings.HasPrefix(v, name+"=") }) {
			j.Env = append(j.Env, []byte(v))
		}
	}
	for _, v := range vars {
		j.Env = append(j.Env, []byte(v))
	}
	for _, v := range []string{"CLAUDE_PLUGIN_ROOT=" + root, "CLAUDE_PROJECT_DIR=" + w.Project, "CLAUDECODE=1"} {
		j.Env = append(j.Env, []byte(v))
	}
	return run(w.t, j)
}

type answer string

const (
	stops   answer = "stop"
	goesOn  answer = "continue"
	garbled answer = "not an answer"
)

// reads is what Claude Code would take an outcome for, and what is wrong with it.
func reads(o outcome) (answer, string) {
	switch {
	case o.Left:
		return garbled, "it leaves a process behind"
	case o.Signal != "":
		return garbled, "ended by " + o.Signal + ": " + clip(o.Stderr)
	case o.Code != 0:
		return garbled, fmt.Sprintf("exit %d: %s", o.Code, clip(o.Stderr))
	case o.Peak > memory:
		return garbled, fmt.Sprintf("%d MiB of memory", o.Peak>>20)
	case o.Stdout == "":
		return stops, ""
	case !utf8.ValidString(o.Stdout):
		return garbled, "the answer is not UTF-8"
	}
	for _, r := range o.Stdout {
		if r != '\n' && (r < ' ' || r >= 0x7f && r < 0xa0) {
			return garbled, fmt.Sprintf("the answer has the control character %U", r)
		}
	}
	d := json.NewDecoder(strings.NewReader(o.Stdout))
	var said struct {
		Decision *string
		Continue *bool
		Specific *struct {
			Event   string `json:"hookEventName"`
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if err := d.Decode(&said); err != nil {
		return garbled, "the answer is not JSON: " + err.Error()
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) || o.Stdout[0] != '{' {
		return garbled, "the answer is not one object"
	}
	switch {
	case said.Decision != nil && *said.Decision != "block":
		return garbled, "the decision is " + *said.Decision
	case said.Decision != nil, said.Specific != nil && said.Specific.Context != "":
		return goesOn, ""
	}
	return stops, ""
}

// memory is the most that a decision may take, in bytes: a common one takes 7 MiB,
// one about an event of 4 MiB takes 50.
const memory = 64 << 20

func clip(s string) string {
	if len(s) > 300 {
		s = s[:300] + "…"
	}
	return fmt.Sprintf("%q", s)
}

// tree is what lies in a directory: by path, what it is and what is in it.
type tree map[string]string

// look takes in directories as they are; not what matches skip.
func look(t testing.TB, skip func(path string) bool, dirs ...string) tree {
	t.Helper()
	all := tree{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if skip != nil && skip(path) {
				if err == nil && d.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
			if err != nil {
				all[path] = "unreadable"
				return nil
			}
			info, err := d.Info()
			if err != nil {
				return nil
			}
			what := info.Mode().String()
			switch {
			case info.Mode()&fs.ModeSymlink != 0:
				to, _ := os.Readlink(path)
				what += " -> " + to
			case info.Mode().IsRegular() && info.Size() > 16<<20:
				what += fmt.Sprint(" ", info.Size())
			case info.Mode().IsRegular():
				data, _ := os.ReadFile(path)
				what += fmt.Sprintf(" %d %x", len(data), sha256.Sum256(data))
			}
			all[path] = what
			return nil
		})
		must(t, err)
	}
	return all
}

// changed says what differs, "" if nothing.
func (before tree) changed(after tree) string {
	var b bytes.Buffer
	for path, was := range before {
		switch is, ok := after[path]; {
		case !ok:
			fmt.Fprintf(&b, "%s is gone; ", path)
		case is != was:
			fmt.Fprintf(&b, "%s was %.40s, is %.40s; ", path, was, is)
		}
	}
	for path := range after {
		if _, ok := before[path]; !ok {
			fmt.Fprintf(&b, "%s is new; ", path)
		}
	}
	if b.Len() > 600 {
		b.Truncate(600)
	}
	return b.String()
}

// outside is all of the world that a hook has no business with: all but the
// state directory, and the one file that a loop's plugin keeps in the project.
func (w *world) outside(p plugin) tree {
	w.t.Helper()
	own := filepath.Join(w.Project, p.own)
	return look(w.t, func(path string) bool {
		return path == w.State() || p.own != "" && (path == own || filepath.Dir(path) == filepath.Dir(own) && strings.HasPrefix(filepath.Base(path), ".springfield-"))
	}, w.Home, w.Project, w.Traps)
}

func (w *world) inCanary(path, _ string) bool { return strings.HasPrefix(path, w.Canary) }

// report counts what was seen, and fails with the first of each kind.
type report struct {
	sync.Mutex
	t      testing.TB
	runs   int
	wrong  int
	peak   int64
	kinds  map[string]int
	counts map[string]int
}

func newReport(t testing.TB) *report {
	return &report{t: t, kinds: map[string]int{}, counts: map[string]int{}}
}

func (r *report) ran(o outcome) {
	r.Lock()
	defer r.Unlock()
	r.runs++
	r.peak = max(r.peak, o.Peak)
}

func (r *report) count(what string, n int) {
	r.Lock()
	defer r.Unlock()
	r.counts[what] += n
}

// fault fails; of one kind at most three are shown.
func (r *report) fault(kind, format string, args ...any) {
	r.Lock()
	defer r.Unlock()
	r.wrong++
	r.kinds[kind]++
	if r.kinds[kind] <= 3 {
		r.t.Errorf("%s: %s", kind, fmt.Sprintf(format, args...))
	}
}
