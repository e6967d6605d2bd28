//go:build e2e

package e2e

// The pictures of terminals in the README: real commands, and the real client with ned-flanders on, before the stand-in.
// make pictures draws them again; without -update the tests say whether today the same is shown.

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/creack/pty"
	"github.com/hinshun/vt10x"

	"github.com/cameronsjo/springfield/runtime/ledger"
)

var (
	// passing is what differs from run to run: times, ages, and the gaps beside them.
	passing = regexp.MustCompile(`(\d+(\.\d+)? (ms|s|min)|just now)\b( ago)?|\d\d:\d\d(:\d\d)?| +`)
	// words are what stands between gaps: each is put in its place, so that columns stay columns in every font.
	words = regexp.MustCompile(`\S+( \S+)*`)
	faint = regexp.MustCompile(`\x1b\[([0-9;]*;)?2m`)
)

const columns = 96

// evergreen is a world with a project, and with ned-flanders on.
func evergreen(t *testing.T) *World {
	t.Helper()
	w := newWorld(t, newest)
	w.Project = filepath.Join(w.Home, "evergreen")
	must(t, os.MkdirAll(w.Project, 0o755))
	suite := filepath.Join(w.Home, "continuation-hooks")
	w.Springfield("init", suite, "--yes", "--owner", "Ned Flanders")
	w.Springfield("enable", "ned-flanders", "--suite", suite)
	return w
}

// shown is a screen that draws faint text, which the emulation does not have, in grey.
type shown struct{ vt10x.Terminal }

func (s shown) Write(p []byte) (int, error) {
	_, err := s.Terminal.Write(faint.ReplaceAll(p, []byte("\x1b[${1}90m")))
	return len(p), err
}

// at starts a program at a terminal, whose screen has what it writes there until it ends.
func (w *World) at(rows int, env []string, name string, args ...string) (
	screen vt10x.Terminal, keys io.Writer, ended chan error,
) {
	w.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = w.Project, append(env, "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8")
	must(w.t, scratchOnly(cmd.Env, realHomes()))
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: columns, Rows: uint16(rows)})
	must(w.t, err)
	screen, ended = vt10x.New(vt10x.WithSize(columns, rows), vt10x.WithWriter(terminal)), make(chan error, 1)
	gone := make(chan struct{})
	go func() {
		_, _ = io.Copy(shown{screen}, terminal) // ends with an error when the other side is closed
		ended <- cmd.Wait()
		close(gone)
	}()
	w.t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // its session: a child may still write to the home
		terminal.Close()
		<-gone
	})
	return screen, terminal, ended
}

func TestTerminalPictureIsCurrent(t *testing.T) {
	w := evergreen(t)
	screen, _, ended := w.at(60, w.env([]string{filepath.Dir(springfield(t)), "/usr/bin", "/bin"}), "sh", "-ec", `
		for says in 'Task 1 of 3 is done. Moving to Task 2.' 'Task 2 of 3 is done. Now I will write the documentation.' \
			'All three tasks are done.'; do
			event='{"hook_event_name":"Stop","session_id":"plan","cwd":"%s","last_assistant_message":"%s"}'
			printf "$event" "$PWD" "$says" |
				"$HOME/continuation-hooks/ned-flanders/hooks/springfield-hook" >/dev/null
		done
		for line in 'springfield log' 'springfield why a43fd0-1' 'springfield hold 30m'; do
			printf '\033[90m$\033[0m \033[1m%s\033[0m\n' "$line"
			$line
			echo
		done`)
	must(t, <-ended, screen)
	isCurrent(t, screen, "terminal.svg", "springfield", "$ springfield log", "lift it from")
}

func TestSessionPictureIsCurrent(t *testing.T) {
	w := evergreen(t)
	plan := filepath.Join(w.Project, "plan.md")
	write(t, plan, "1. read TOML\n2. write TOML\n3. document it\n")
	model := newStandIn(t, []Turn{
		calls("I'll start with the plan.", "Read", map[string]any{"file_path": plan}),
		says("Task 1 of 3 is done: the parser reads TOML. Moving to Task 2.")[0],
		says("Task 2 of 3 is done: the writer keeps the order of the keys. Moving to Task 3.")[0],
		says("All three tasks are done, and the tests pass.")[0],
	}, nil)
	screen := w.interactive(model, "acceptEdits", 36, [2]string{"accept edits on", "carry out plan.md"}, [2]string{"carry out plan.md", "\r"}, [2]string{"the tests pass.", ""})
	isCurrent(t, screen, "session.svg", "Claude Code", "carry out plan.md", "the tests pass.")
}

func TestNightPictureIsCurrent(t *testing.T) {
	w := evergreen(t)
	now := time.Now()
	must(t, ledger.SetOrders(filepath.Join(w.Home, ".claude", "springfield"), func([]ledger.AwayOrder) []ledger.AwayOrder {
		return []ledger.AwayOrder{{ID: "night", At: now.Add(-4 * time.Minute).UnixMilli(), Until: now.Add(8*time.Hour - 4*time.Minute).UnixMilli(), Most: 50, Check: "make test", From: "/dev/pts/3"}}
	}))
	write(t, w.path("Makefile"), "test:\n\t@echo 41 passed\n")
	write(t, w.path(".claude/settings.local.json"), `{"permissions": {"allow": ["Bash(make test)"]}}`)
	model := newStandIn(t, []Turn{
		says("The parser reads TOML. Shall the cache live in memory or on disk?")[0],
		says("In memory, as that can be undone. Everything is done.")[0],
		calls("I run the check.", "Bash", map[string]any{"command": "make test", "description": "Run the tests"}),
		says("All tests pass. Decided while you were away: the cache is in memory.")[0],
	}, nil)
	screen := w.interactive(model, "acceptEdits", 44, [2]string{"accept edits on", "carry out plan.md"}, [2]string{"carry out plan.md", "\r"}, [2]string{"the cache is in memory.", ""})
	isCurrent(t, screen, "night.svg", "Claude Code", "carry out plan.md", "the cache is in memory.")
}

func TestWatchPictureIsCurrent(t *testing.T) {
	w := evergreen(t)
	session := func(project string, script []Turn, steps ...[2]string) {
		w.Project = filepath.Join(w.Home, project)
		write(t, w.path(".claude/settings.local.json"), `{"permissions": {"allow": ["Bash(make test)"]}}`)
		write(t, w.path("Makefile"), "test:\n\t@sleep 600\n")
		w.interactive(newStandIn(t, script, nil), "acceptEdits", 28, append([][2]string{{"accept edits on", "carry out plan.md"}, {"carry out plan.md", "\r"}}, steps...)...)
	}
	session("barn", says("The parser reads TOML. Shall the cache live in memory or on disk?"), [2]string{"memory or on disk?", ""})
	session("orchard", says("All three tasks are done, and the tests pass."), [2]string{"the tests pass.", ""})
	session("evergreen", []Turn{calls("Task 1 is done.", "Bash", map[string]any{"command": "make test", "description": "Run the tests"})}, [2]string{"make test", ""})
	eventually(t, "the call in the log, which follows the screen", func() bool {
		return strings.Contains(w.Springfield("watch", "--once").Stdout, "make test")
	})
	screen, _, ended := w.at(20, w.env([]string{filepath.Dir(springfield(t)), "/usr/bin", "/bin"}), "sh", "-ec", `
		printf '{"session_id":"silo","turn_id":"t1","transcript_path":null,"cwd":"%s","hook_event_name":"Stop","model":"gpt","permission_mode":"default","stop_hook_active":false,"last_assistant_message":"Which of the two schemas is the right one?"}' "$HOME/silo" |
			"$HOME/continuation-hooks/ned-flanders/hooks/springfield-hook" >/dev/null
		printf '\033[90m$\033[0m \033[1mspringfield watch\033[0m\n'
		springfield watch --once`)
	must(t, <-ended, screen)
	isCurrent(t, screen, "watch.svg", "springfield", "$ springfield watch", "orchard")
}

// isCurrent compares a picture with the rows of a screen from the last that has some words to the last that has others.
// The description of a picture is its text.
func isCurrent(t *testing.T, screen vt10x.Terminal, name, title, from, to string) {
	t.Helper()
	rows := strings.Split(screen.String(), "\n")
	first, end, shown := 0, len(rows), ""
	for y, row := range rows {
		if strings.Contains(row, from) {
			first = y
		}
		if strings.Contains(row, to) {
			end = y + 1
		}
	}
	for _, row := range rows[first:end] {
		shown += strings.TrimRight(row, " ") + "\n"
	}
	file := filepath.Join("..", "docs", "pictures", name)
	if *scratch.Update {
		must(t, os.WriteFile(file, []byte(draw(screen, first, end, title, shown)), 0o644))
	}
	svg, err := os.ReadFile(file)
	_, drawn, _ := strings.Cut(string(svg), "<desc>")
	drawn, _, _ = strings.Cut(drawn, "</desc>")
	drawn = html.UnescapeString(drawn)
	if err != nil || passing.ReplaceAllString(shown, " ") != passing.ReplaceAllString(drawn, " ") {
		t.Errorf("%s is not what is shown today; make pictures draws it again: %v\nshown:\n%s\ndrawn:\n%s",
			file, err, shown, drawn)
	}
}

// draw is rows of a screen as SVG, without a script or a font of its own.
func draw(screen vt10x.Terminal, first, end int, title, text string) string {
	const cell, line, margin, bar, bold = 8.4, 19.0, 18.0, 34.0, 1 << 2
	colour := func(c vt10x.Color) string {
		if c >= 256 && c < 1<<24 {
			return fmt.Sprintf("#%06x", uint32(c))
		}
		return map[vt10x.Color]string{vt10x.Green: "#3fb950", vt10x.Yellow: "#d29922", vt10x.DarkGrey: "#8b949e"}[c]
	}
	width, height := 2*margin+columns*cell, bar+1.5*margin+float64(end-first)*line
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%[1]g" height="%[2]g"
role="img" aria-label="%[3]s">
<title>%[3]s</title>
<desc>%[4]s</desc>
<rect width="100%%" height="100%%" rx="10" fill="#0d1117"/>
<g font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" xml:space="preserve">
<text x="50%%" y="22" text-anchor="middle" fill="#8b949e" font-size="13">%[3]s</text>
`, width, height, title, html.EscapeString(text))
	screen.Lock()
	defer screen.Unlock()
	for y := first; y < end; y++ {
		top := bar + float64(y-first)*line
		for x := 0; x < columns; {
			look, left, run := screen.Cell(x, y), margin+float64(x)*cell, ""
			for ; x < columns; x++ {
				next := screen.Cell(x, y)
				if next.FG != look.FG || next.BG != look.BG || next.Mode&bold != look.Mode&bold {
					break
				}
				run += string(next.Char)
			}
			if ground := colour(look.BG); ground != "" {
				fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.0f" fill="%s"/>`+"\n",
					left, top, cell*float64(utf8.RuneCountInString(run)), line, ground)
			}
			for _, at := range words.FindAllStringIndex(run, -1) {
				before, word := utf8.RuneCountInString(run[:at[0]]), run[at[0]:at[1]]
				fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" textLength="%.1f" lengthAdjust="spacingAndGlyphs" `,
					left+cell*float64(before), top+14, cell*float64(utf8.RuneCountInString(word)))
				fmt.Fprintf(&b, `fill="%s" font-weight="%d">%s</text>`+"\n",
					cmp.Or(colour(look.FG), "#e6edf3"), 400+50*(look.Mode&bold),
					html.EscapeString(strings.NewReplacer("⎿", "└", "⏵", "▸").Replace(word))) // most fonts have these
			}
		}
	}
	return b.String() + "</g>\n</svg>\n"
}
