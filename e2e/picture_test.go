//go:build e2e

package e2e

// The picture of a session in the README: the real client at a terminal, with ned-flanders on, before the stand-in.
// make pictures draws it again; without -update the test says whether the client still shows the same.

import (
	"encoding/json"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/cameronsjo/springfield/internal/picture"
)

var update = flag.Bool("update", false, "draw docs/pictures/session.svg again")

// shown is a screen that a program writes to and a test reads.
type shown struct {
	sync.Mutex
	*picture.Terminal
}

func (s *shown) Write(p []byte) (int, error) {
	s.Lock()
	defer s.Unlock()
	return s.Terminal.Write(p)
}

// until waits for words on the screen.
func (s *shown) until(t *testing.T, words string) {
	t.Helper()
	for end := time.Now().Add(limit); ; time.Sleep(50 * time.Millisecond) {
		s.Lock()
		text := s.Text()
		s.Unlock()
		switch {
		case strings.Contains(text, words):
			return
		case time.Now().After(end):
			t.Fatalf("%q is not on the screen after %v:\n%s", words, limit, text)
		}
	}
}

func TestSessionPictureIsCurrent(t *testing.T) {
	const columns, rows = 96, 28
	w := newWorld(t, newest)
	w.Project = filepath.Join(w.Home, "evergreen")
	plan := filepath.Join(w.Project, "plan.md")
	if err := os.MkdirAll(w.Project, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(plan, []byte("1. read TOML\n2. write TOML\n3. document it\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w.Springfield("init", filepath.Join(w.Home, "continuation-hooks"), "--yes", "--owner", "Ned Flanders", "--no-git")
	w.Springfield("enable", "ned-flanders", "--suite", filepath.Join(w.Home, "continuation-hooks"))
	w.welcomed()

	model := newStandIn(t, []Turn{
		calls("I'll start with the plan.", "Read", map[string]any{"file_path": plan}),
		says("Task 1 of 3 is done: the parser reads TOML. Moving to Task 2.")[0],
		says("All three tasks are done, and the tests pass.")[0],
	}, nil)
	cmd := exec.Command(w.client(), "--permission-mode", "acceptEdits")
	cmd.Dir = w.Project
	cmd.Env = append(w.clientEnv(model.URL), "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8")
	if err := scratchOnly(cmd.Env, realHomes()); err != nil {
		t.Fatal(err)
	}
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: columns, Rows: rows})
	if err != nil {
		t.Fatal(err)
	}
	screen := &shown{Terminal: picture.New(columns, rows, terminal)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(screen, terminal)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		terminal.Close()
		<-done
	})
	screen.until(t, "accept edits on")
	io.WriteString(terminal, "carry out plan.md")
	screen.until(t, "carry out plan.md")
	io.WriteString(terminal, "\r")
	screen.until(t, "the tests pass.")

	screen.Lock()
	defer screen.Unlock()
	screen.Crop("carry out plan.md", "the tests pass.")
	file := filepath.Join("..", "docs", "pictures", "session.svg")
	if err := screen.Check(file, "Claude Code", *update, func(text string) string { return text }); err != nil {
		t.Error(err)
	}
}

// welcomed answers what the client asks a person who starts it for the first time.
func (w *World) welcomed() {
	w.t.Helper()
	data, err := json.Marshal(map[string]any{
		"hasCompletedOnboarding": true, "theme": "dark", "numStartups": 5, "hasSeenAutoDefaultNotice": true,
		"lastOnboardingVersion": w.Version, "lastReleaseNotesSeen": w.Version,
		"customApiKeyResponses": map[string]any{"approved": []string{"sk-ant-stand-in"}, "rejected": []string{}},
		"projects":              map[string]any{w.Project: map[string]any{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}},
	})
	if err == nil {
		err = os.WriteFile(filepath.Join(w.Home, ".claude.json"), data, 0o600)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}
