//go:build unix

package hook

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/runtime/ledger"

	"github.com/cameronsjo/springfield/runtime/strategy/wiggum"
)

// What has no end does not hold Claude up.
func TestLoopFileWithoutAnEnd(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"pipe":     func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"zeros":    func(path string) error { return os.Symlink("/dev/zero", path) },
		"terminal": func(path string) error { return os.Symlink("/dev/ptmx", path) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, wiggumOne)
			if err := os.MkdirAll(filepath.Dir(w.path(loopFile)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := make(w.path(loopFile)); err != nil {
				t.Fatal(err)
			}
			if out, _ := w.stop("s1", "All tests passing"); out.Decision != "" {
				t.Errorf("%+v", out)
			}
			if _, err := os.Lstat(w.path(loopFile)); err != nil {
				t.Errorf("it is gone: %v", err)
			}
		})
	}
}

// A directory without write permission: the loop does not go on. Root may write
// anywhere, so the hook runs as another user then.
func TestLoopDirectoryThatCannotBeWritten(t *testing.T) {
	w := inLoop(t, wiggumOne, loopText)
	dir := filepath.Dir(w.path(loopFile))
	if os.Geteuid() == 0 {
		const nobody = 65534
		err := filepath.WalkDir(w.home, func(path string, _ os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Chown(path, nobody, nobody)
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Dir(w.home), 0o755); err != nil { // the test's own
			t.Fatal(err)
		}
		as := asNobody(t, w.home)
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		out := as(w.event(map[string]any{"cwd": w.path("work"), "last_assistant_message": "Working."}), w)
		checkUnwritable(t, w, out)
		return
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
	out, _ := w.stop("s1", "Working.")
	checkUnwritable(t, w, out)
}

func checkUnwritable(t *testing.T, w *world, out output) {
	t.Helper()
	if out.Decision != "" || !strings.Contains(out.SystemMessage, "write .stravinsky/continuation-loop.md: permission denied") || w.read(loopFile) != loopText {
		t.Errorf("%+v\n%s", out, w.read(loopFile))
	}
	names, err := os.ReadDir(filepath.Dir(w.path(loopFile)))
	if err != nil || len(names) != 1 {
		t.Errorf("left behind: %v, %v", names, err)
	}
}

// asNobody answers events in a copy of this test binary that runs as nobody.
func asNobody(t *testing.T, home string) func(event string, w *world) output {
	t.Helper()
	self, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(home, "hook.test")
	if err := os.WriteFile(copied, self, 0o755); err != nil {
		t.Fatal(err)
	}
	return func(event string, w *world) (out output) {
		t.Helper()
		cmd := exec.Command(copied)
		cmd.Dir = home
		cmd.Env = []string{"HOOK_TEST_EXECUTABLE=" + w.host.Executable, "HOOK_TEST_HOME=" + home, "TMPDIR=" + home}
		cmd.Stdin = strings.NewReader(event)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		answer, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, answer)
		}
		if err := json.Unmarshal(answer, &out); err != nil {
			t.Fatalf("%q: %v", answer, err)
		}
		return out
	}
}

// The user's own file names a program that is told; a plugin and a project cannot.
func TestLoopTellsTheUsersProgram(t *testing.T) {
	w := inLoop(t, wiggumOne, strings.Replace(loopText, "_iterations: 10", "_iterations: 7", 1))
	script := func(name string) (config, heard string) {
		heard = w.path(name + ".heard")
		w.write(name, "#!/bin/sh\nexec cat >>'"+heard+"'\n")
		if err := os.Chmod(w.path(name), 0o755); err != nil {
			t.Fatal(err)
		}
		return `"progress": {"command": [` + strconv.Quote(w.path(name)) + `], "every": 2}`, heard
	}
	mine, heard := script("mine")
	evil, theirs := script("theirs")
	w.write("plugin/strategy.json", strings.TrimSuffix(wiggumOne, "}")+", "+evil+"}")
	w.write("work/.claude/springfield/ralph-wiggum.json", "{"+evil+"}")
	if out, _ := w.stop("s1", "0"); out.Decision != "block" {
		t.Fatalf("%+v", out)
	}
	if _, err := os.Stat(theirs); err == nil {
		t.Fatal("a program that the plugin or the project names was run")
	}
	w.write(".claude/springfield/ralph-wiggum.json", "{"+mine+"}")
	w.write(loopFile, strings.Replace(loopText, "_iterations: 10", "_iterations: 7", 1))
	for range 6 {
		w.stop("s1", "Working "+w.host.Now.String())
	}
	if _, err := os.Stat(theirs); err == nil {
		t.Fatal("a program that the plugin or the project names was run")
	}
	data, err := os.ReadFile(heard)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		var e map[string]any
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		got = append(got, e["event"].(string)+strconv.Itoa(int(e["iteration"].(float64))))
		if e["file"] != nil || e["max"] != 7.0 || e["directory"] != w.path("work") || e["loop"] == "" {
			t.Errorf("%v", e)
		}
	}
	if want := "start1 iteration2 iteration4 last6 limit7"; strings.Join(got, " ") != want {
		t.Errorf("heard %s, want %s", got, want)
	}
}

// What the ledger keeps of a stop fits into a record, whatever the project is made
// of: letters that are six times as long there, in names and in the goal.
func TestLoopFitsIntoTheLedger(t *testing.T) {
	w := newWorld(t, wiggumOne)
	for i := range 9 {
		work := "w" + strings.Repeat("/"+strings.Repeat("\x01", 180), 5) + "/" + strconv.Itoa(i)
		text := "---\ncompletion_promise: [" + strings.Repeat("\x02", 3000) + "]\n---\n" + strings.Repeat("\x03\u2028", 3000)
		w.write(work+"/"+wiggum.File, text)
		for stop := range 2 {
			out, notes := w.run(w.event(map[string]any{"cwd": w.path(work), "last_assistant_message": strings.Repeat("\x04", stop), "prompt_id": strings.Repeat("\x05", 3000)}))
			if out.Decision != "block" {
				t.Fatalf("loop %d, stop %d: %.200s, %.200s", i, stop, out.SystemMessage, notes)
			}
		}
	}
}

// Claude Code forgets the answer of a hook that takes too long: where the time is
// up, nothing is called any more, and what happens goes into the history only.
func TestLoopKeepsItsTime(t *testing.T) {
	for _, left := range []time.Duration{0, 200 * time.Millisecond} {
		w := inLoop(t, wiggumOne, loopText)
		w.write("slow", "#!/bin/sh\necho called >>'"+w.path("heard")+"'\nexec sleep 60\n")
		if err := os.Chmod(w.path("slow"), 0o755); err != nil {
			t.Fatal(err)
		}
		w.write(".claude/springfield/ralph-wiggum.json", `{"progress": {"command": [`+strconv.Quote(w.path("slow"))+`]}}`)
		w.host.finish = time.Now().Add(left)
		if out, _ := w.stop("s1", "a"); out.Decision != "block" {
			t.Fatalf("%+v", out)
		}
		if got := w.happened(); got != "start1 iteration2" {
			t.Errorf("history %s", got)
		}
		if n := strings.Count(w.read("heard"), "called"); n > 1 || left == 0 && n > 0 {
			t.Errorf("with %s left it was called %d times", left, n)
		}
	}
}

// A project's names do not draw on a terminal.
func TestNotesAreText(t *testing.T) {
	w := newWorld(t, ned)
	w.host.Project = w.path("a\x1b[2J\nb")
	w.write("a\x1b[2J\nb/.claude/springfield/ned-flanders.json", `{"x": 1}`)
	if _, notes := w.run(w.event(nil)); !strings.Contains(notes, "it is not in force") || strings.Contains(notes, "\x1b") || strings.Contains(notes, "\nb") {
		t.Errorf("%q", notes)
	}
}

// Who stops a loop has told of it: the stop that finds it gone does not tell again.
func TestLoopIsCancelledOnce(t *testing.T) {
	w := inLoop(t, wiggumOne, loopText)
	w.stop("s1", "a")
	state := w.path(".claude/springfield")
	all, err := ledger.LoopEvents(state)
	if err != nil {
		t.Fatal(err)
	}
	end := all[len(all)-1]
	end.Event = "cancel"
	if err := Tell(state, nil, end, nil, 0); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(w.path(loopFile)); err != nil {
		t.Fatal(err)
	}
	w.stop("s1", "b")
	if got := w.happened(); got != "start1 iteration2 cancel2" {
		t.Errorf("history %s", got)
	}
}
