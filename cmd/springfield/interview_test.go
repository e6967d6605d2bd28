//go:build unix

package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
	"golang.org/x/sys/unix"
)

// person is somebody at a terminal: it reads the screen and types. Keys are
// sent only once the question is there, the terminal is raw and has been quiet
// for 30 ms: survey throws earlier ones away.
type person struct {
	t     *testing.T
	vt    vt10x.Terminal
	ptm   *os.File
	pts   *os.File
	cmd   *exec.Cmd
	mu    sync.Mutex
	spoke time.Time
}

// start runs springfield in a scratch directory on a terminal of its own.
func start(t *testing.T, columns int, args ...string) (*person, string) {
	t.Helper()
	dir := t.TempDir()
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	ptm, pts, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(pts, &pty.Winsize{Rows: 24, Cols: uint16(columns)}); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// testscript runs the command under test by the name it is called by.
	command := filepath.Join(dir, "springfield")
	if err := os.Symlink(self, command); err != nil {
		t.Fatal(err)
	}
	x := &person{t: t, ptm: ptm, pts: pts}
	x.vt = vt10x.New(vt10x.WithWriter(ptm), vt10x.WithSize(columns, 24))
	x.cmd = exec.Command(command, args...)
	x.cmd.Dir = filepath.Join(dir)
	x.cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home"), "TERM=xterm",
		"GOCACHE=" + strings.TrimSpace(string(out)),
	}
	x.cmd.Stdin, x.cmd.Stdout, x.cmd.Stderr = pts, pts, pts
	if err := x.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := ptm.Read(buf)
			if err != nil {
				return
			}
			x.mu.Lock()
			x.spoke = time.Now()
			x.mu.Unlock()
			x.vt.Write(buf[:n]) // answers where the cursor is
		}
	}()
	t.Cleanup(func() { x.cmd.Process.Kill(); pts.Close(); ptm.Close() })
	return x, dir
}

// raw tells whether the terminal hands over single keys.
func (x *person) raw() bool {
	mode, err := unix.IoctlGetTermios(int(x.pts.Fd()), getMode)
	if err != nil {
		x.t.Fatal(err)
	}
	return mode.Lflag&unix.ICANON == 0
}

// waitFor waits until the screen shows a text and the program waits for keys.
func (x *person) waitFor(text string) {
	x.t.Helper()
	for end := time.Now().Add(60 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		x.mu.Lock()
		quiet := time.Since(x.spoke) > 30*time.Millisecond
		x.mu.Unlock()
		if quiet && x.raw() && strings.Contains(x.vt.String(), text) {
			return
		}
	}
	x.t.Fatalf("no %q on the screen:\n%s", text, x.vt.String())
}

func (x *person) send(keys string) {
	x.t.Helper()
	if _, err := io.WriteString(x.ptm, keys); err != nil {
		x.t.Fatal(err)
	}
}

func (x *person) exitCode() int {
	x.t.Helper()
	x.cmd.Wait()
	return x.cmd.ProcessState.ExitCode()
}

const (
	down   = "\x1b[B"
	enter  = "\r"
	ctrlC  = "\x03"
	rubout = "\x7f"
)

func TestInterview(t *testing.T) {
	for _, columns := range []int{80, 40} {
		x, dir := start(t, columns, "init")
		x.waitFor("Which plugins?")
		x.send(enter) // ned-flanders is marked already
		x.waitFor("Which rules")
		x.send(down + enter)
		x.waitFor("Name of the marketplace?")
		x.send(strings.Repeat(rubout, 30) + "My Hooks" + enter)
		x.waitFor("not a name") // a validation error, and its correction
		x.send(strings.Repeat(rubout, 30) + "evergreen" + enter)
		x.waitFor("Who owns it?")
		x.send(strings.Repeat(rubout, 60) + "Ned <ned@example.org>" + enter)
		x.waitFor("Make ")
		x.send(enter)
		if code := x.exitCode(); code != 0 {
			t.Fatalf("exit code %d:\n%s", code, x.vt.String())
		}
		for file, want := range map[string]string{
			"ned-flanders/strategy.json":      `"rules": "seed"`,
			".claude-plugin/marketplace.json": `"name": "evergreen"`,
			"springfield.yaml":                "email: ned@example.org",
		} {
			data, err := os.ReadFile(filepath.Join(dir, "continuation-hooks", file))
			if err != nil || !strings.Contains(string(data), want) {
				t.Errorf("%d columns: %s has no %s (%v)", columns, file, want, err)
			}
		}
	}
}

// Ctrl-C at any question, or a no at the end, leaves nothing behind.
func TestInterviewCancelled(t *testing.T) {
	questions := []string{"Which plugins?", "Which rules", "Name of the marketplace?", "Who owns it?", "Make "}
	for i, question := range questions {
		x, dir := start(t, 80, "init")
		for _, before := range questions[:i] {
			x.waitFor(before)
			if before == "Who owns it?" {
				x.send(strings.Repeat(rubout, 60) + "Ned")
			}
			x.send(enter)
		}
		x.waitFor(question)
		x.send(ctrlC)
		if code := x.exitCode(); code != 130 {
			t.Errorf("Ctrl-C at %q: exit code %d", question, code)
		}
		if _, err := os.Stat(filepath.Join(dir, "continuation-hooks")); !os.IsNotExist(err) {
			t.Errorf("Ctrl-C at %q leaves a suite behind", question)
		}
	}
	x, dir := start(t, 80, "init", "--strategy", "ned-flanders", "--set", "ned-flanders.rules=seed", "--marketplace", "m", "--owner", "Ned")
	x.waitFor("Make ") // every question had its flag
	x.send("n" + enter)
	if code := x.exitCode(); code != 130 {
		t.Errorf("no: exit code %d", code)
	}
	if _, err := os.Stat(filepath.Join(dir, "continuation-hooks")); !os.IsNotExist(err) {
		t.Error("no leaves a suite behind")
	}
}
