//go:build unix

package main

// The picture of a terminal in the README: real commands in a scratch home, at a terminal, and what they
// print there. make pictures draws it again; without -update the test says whether it is still true.

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/cameronsjo/springfield/internal/picture"
	"github.com/cameronsjo/springfield/internal/scratch"
)

var updatePicture = flag.Bool("update-picture", false, "draw docs/pictures/terminal.svg again")

// passing is what differs from run to run: times, ages, and the gaps beside them.
var passing = regexp.MustCompile(`(\d+(\.\d+)? (ms|s|min)|just now)\b( ago)?|\d\d:\d\d(:\d\d)?| +`)

func TestTerminalPictureIsCurrent(t *testing.T) {
	const columns, rows = 96, 60
	home := t.TempDir()
	work := filepath.Join(home, "evergreen")
	goroot, gocache := scratch.Go(t)
	if err := scratch.Home(home); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	command := func(stdin, line string) *exec.Cmd {
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir, cmd.Stdin = work, strings.NewReader(stdin)
		cmd.Env = []string{"HOME=" + home, "GOCACHE=" + gocache, "XDG_CACHE_HOME=" + scratch.HookCache(), "TERM=xterm-256color",
			"PATH=" + strings.Join([]string{filepath.SplitList(os.Getenv("PATH"))[0], filepath.Join(goroot, "bin"), "/usr/bin", "/bin"}, ":")}
		return cmd
	}
	quietly := func(stdin, line string) {
		t.Helper()
		if out, err := command(stdin, line).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
	}
	screen := picture.New(columns, rows, io.Discard)
	shows := func(line string) {
		fmt.Fprintf(screen, "\x1b[90m$\x1b[0m \x1b[1m%s\x1b[0m\r\n", line)
		cmd := command("", line)
		cmd.Stdin = nil
		terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: columns, Rows: rows})
		if err != nil {
			t.Fatal(err)
		}
		defer terminal.Close()
		_, _ = io.Copy(screen, terminal) // ends with an error when the other side is closed
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, screen.Text())
		}
		io.WriteString(screen, "\r\n")
	}
	stops := func(session, says string) {
		quietly(fmt.Sprintf(`{"hook_event_name":"Stop","session_id":%q,"cwd":%q,"last_assistant_message":%q}`, session, work, says),
			"continuation-hooks/ned-flanders/hooks/springfield-hook")
	}

	quietly("", "springfield init --yes --owner 'Ned Flanders' --no-git && springfield enable ned-flanders")
	stops("plan", "Task 1 of 3 is done. Moving to Task 2.")
	stops("plan", "Task 2 of 3 is done. Now the documentation:")
	stops("plan", "All three tasks are done.")
	shows("springfield log")
	shows("springfield why a43fd0-1")
	shows("springfield hold 30m")

	file := filepath.Join("..", "..", "docs", "pictures", "terminal.svg")
	if err := screen.Check(file, "springfield", *updatePicture, func(text string) string { return passing.ReplaceAllString(text, " ") }); err != nil {
		t.Error(err)
	}
}
