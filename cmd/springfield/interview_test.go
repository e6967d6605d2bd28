//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
	"golang.org/x/sys/unix"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// person is a user at a terminal. It types once the question is shown and the terminal has been raw and quiet
// for 30 ms, because survey discards earlier keys.
type person struct {
	t     *testing.T
	vt    vt10x.Terminal
	ptm   *os.File
	pts   *os.File
	cmd   *exec.Cmd
	mu    sync.Mutex
	spoke time.Time
	bytes []byte        // all that was said
	over  chan struct{} // closed when nothing more can be said
}

// start runs springfield in a scratch directory on a terminal of its own.
func start(t *testing.T, columns int, args ...string) (*person, string) {
	t.Helper()
	dir := t.TempDir()
	must(t, scratch.TurnGoTelemetryOff(filepath.Join(dir, "home")))
	return startAgain(t, dir, columns, "xterm", args...), dir
}

// startAgain is start with the directory, and so the home, of another start, and a kind of terminal.
func startAgain(t *testing.T, dir string, columns int, kind string, args ...string) *person {
	t.Helper()
	_, gocache := scratch.FindGo(t)
	ptm, pts, err := pty.Open()
	must(t, err)
	must(t, pty.Setsize(pts, &pty.Winsize{Rows: 24, Cols: uint16(columns)}))
	self, err := os.Executable()
	must(t, err)
	// testscript selects the command by its name.
	command := filepath.Join(dir, "springfield")
	if err := os.Symlink(self, command); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	x := &person{t: t, ptm: ptm, pts: pts, over: make(chan struct{})}
	x.vt = vt10x.New(vt10x.WithWriter(ptm), vt10x.WithSize(columns, 24))
	x.cmd = exec.Command(command, args...)
	x.cmd.Dir = filepath.Join(dir)
	x.cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home"), "TERM=" + kind, "GOCACHE=" + gocache,
		"PREBUILT=" + os.Getenv("PREBUILT"),
	}
	x.cmd.Stdin, x.cmd.Stdout, x.cmd.Stderr = pts, pts, pts
	x.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true} // else Ctrl-C reaches no process
	must(t, x.cmd.Start())
	go func() {
		defer close(x.over)
		buf := make([]byte, 4096)
		for {
			n, err := ptm.Read(buf)
			if err != nil {
				return
			}
			x.mu.Lock()
			x.spoke = time.Now()
			x.bytes = append(x.bytes, buf[:n]...)
			x.mu.Unlock()
			x.vt.Write(buf[:n]) // answers where the cursor is
		}
	}()
	t.Cleanup(func() { x.cmd.Process.Kill(); pts.Close(); ptm.Close() })
	return x
}

// raw tells whether the terminal hands over single keys.
func (x *person) raw() bool {
	mode, err := unix.IoctlGetTermios(int(x.pts.Fd()), getMode)
	must(x.t, err)
	return mode.Lflag&unix.ICANON == 0
}

func (x *person) said() []byte {
	x.mu.Lock()
	defer x.mu.Unlock()
	return bytes.Clone(x.bytes)
}

// wait waits until the screen shows a text and the program waits for keys if raw, else for a line.
func (x *person) wait(text string, raw bool) {
	x.t.Helper()
	for end := time.Now().Add(60 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		x.mu.Lock()
		quiet := time.Since(x.spoke) > 30*time.Millisecond
		x.mu.Unlock()
		if quiet && x.raw() == raw && strings.Contains(unspaced(x.vt.String()), unspaced(text)) {
			return
		}
	}
	x.t.Fatalf("no %q on the screen:\n%s", text, x.vt.String())
}

// unspaced leaves white space out: the edge of the screen breaks lines anywhere, in the middle of a word too.
func unspaced(text string) string { return strings.Join(strings.Fields(text), "") }

func (x *person) send(keys string) {
	x.t.Helper()
	_, err := io.WriteString(x.ptm, keys)
	must(x.t, err)
}

// answer types keys at a question.
func (x *person) answer(text, keys string) {
	x.t.Helper()
	x.wait(text, true)
	x.send(keys)
}

func (x *person) exitCode() int {
	x.t.Helper()
	stuck := time.AfterFunc(time.Minute, func() { x.cmd.Process.Signal(syscall.SIGQUIT) }) // Go then prints where it waits
	x.cmd.Wait()
	x.pts.Close()
	<-x.over // its last words may still lie in the terminal
	if !stuck.Stop() {
		x.t.Fatalf("it did not end; the screen is\n%s\nall that it said:\n%s", x.vt.String(), x.said())
	}
	return x.cmd.ProcessState.ExitCode()
}

const (
	down  = "\x1b[B"
	enter = "\r"
	ctrlC = "\x03"
	ctrlD = "\x04"
)

func TestInterview(t *testing.T) {
	for _, columns := range []int{80, 60, 40} {
		if columns < 80 { // the first compiles its hook
			t.Setenv("PREBUILT", carriedHeads(t))
		}
		x, dir := start(t, columns, "init", "--memory", "CLAUDE.md")
		x.answer("Which plugins?", " "+enter)      // the cursor is on ned-flanders, marked already, now not
		x.answer("choose at least one", " "+enter) // the cursor is on it
		x.answer("Which rules", down+enter)
		for _, part := range []string{"goes on while work obviously remains", "goes on while a spec's tasks.md has open tasks", "looser; goes on more often, and is wrong more often"} {
			scratch.Holds(t, "all of the choices", unspaced(string(x.said())), unspaced(part))
		}
		x.answer("What is the name of the marketplace?", "My Hooks"+enter)
		x.answer("is not a valid marketplace name", "evergreen"+enter) // a validation error, and its correction
		x.answer("Who owns it?", "Ned <ned>"+enter)
		x.answer("not a name with an email address", "Ned <ned@example.org>"+enter)
		x.answer("Which machines", enter)
		x.wait("Make it?", true)
		for _, part := range []string{"evergreen", "Ned <ned@example.org>", "ned-flanders, rules seed", generator.HostTarget().String(), "CLAUDE.md"} {
			if !strings.Contains(unspaced(x.vt.String()), unspaced(part)) { // a long path is broken anywhere
				t.Errorf("%d columns: the summary has no %s:\n%s", columns, part, x.vt.String())
			}
		}
		x.send(enter)
		if code := x.exitCode(); code != 0 {
			t.Fatalf("exit code %d:\n%s", code, x.vt.String())
		}
		checkMade(t, dir)
		scratch.Holds(t, columns, scratch.ReadOrNone(t, filepath.Join(dir, "CLAUDE.md")), "ned-flanders")
	}
}

// checkMade looks for the answers of a full interview in the suite.
func checkMade(t *testing.T, dir string) {
	t.Helper()
	for file, want := range map[string]string{
		"ned-flanders/strategy.json":      `"rules": "seed"`,
		".claude-plugin/marketplace.json": `"name": "evergreen"`,
		"springfield.yaml":                "email: ned@example.org",
		"README.md":                       "--host codex",
	} {
		data, err := os.ReadFile(filepath.Join(dir, "continuation-hooks", file))
		if err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s has no %s (%v)", file, want, err)
		}
	}
}

// Nothing is asked or drawn for a screen reader; the hint names the flags.
func TestInterviewPlain(t *testing.T) {
	for kind, args := range map[string][]string{"xterm": {"init", "--plain"}, "dumb": {"init"}} {
		dir := t.TempDir()
		must(t, scratch.TurnGoTelemetryOff(filepath.Join(dir, "home")))
		x := startAgain(t, dir, 80, kind, args...)
		scratch.Equal(t, x.exitCode(), 2, kind)
		scratch.Holds(t, kind, string(x.said()), "no strategy was chosen", "pass --strategy NAME, --all, or --yes")
		scratch.Lacks(t, kind, string(x.said()), "Which plugins?", "\x1b[?", "\x1b[K")
	}
}

// Ctrl-C at any question, the end of input, or a no leaves nothing behind.
func TestInterviewCancelled(t *testing.T) {
	questions := []string{"Which plugins?", "Which rules", "What is the name of the marketplace?", "Who owns it?", "Which machines", "Make it?"}
	for i, question := range questions {
		x, dir := start(t, 80, "init", "--memory", "CLAUDE.md")
		for _, before := range questions[:i] {
			x.wait(before, true)
			if before == "Who owns it?" {
				x.send("Ned")
			}
			x.send(enter)
		}
		x.wait(question, true)
		x.send(ctrlC)
		checkCancelled(t, x, dir, "Ctrl-C at "+question)
	}
	// A signal takes effect at once and restores the terminal.
	x, dir := start(t, 80, "init")
	x.wait("Which plugins?", true)
	must(t, x.cmd.Process.Signal(syscall.SIGTERM))
	x.cmd.Wait()
	raw := x.raw() // the cursor's last words may still lie in the terminal
	checkCancelled(t, x, dir, "SIGTERM")
	scratch.ErrorIf(t, raw || !x.vt.CursorVisible(), "SIGTERM leaves the terminal raw, or without a cursor")

	x, dir = start(t, 80, "init", "--strategy", "ned-flanders", "--set", "ned-flanders.rules=seed", "--marketplace", "m", "--owner", "Ned", "--target", "linux/amd64")
	x.answer("Make it?", "n"+enter) // every question had its flag
	checkCancelled(t, x, dir, "no")
}

func checkCancelled(t *testing.T, x *person, dir, how string) {
	t.Helper()
	scratch.Equal(t, x.exitCode(), 130, how, "exit code", x.vt.String())
	for _, path := range scratch.ListFiles(t, dir) {
		own := slices.Contains([]string{"springfield", "mode"}, filepath.Base(path)) // the command itself, and what scratch.TurnGoTelemetryOff puts there
		scratch.ErrorIf(t, !own, "%s leaves %s behind", how, path)
	}
}
