package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/replay"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// pastSessions writes made sessions into a home: Claude announces work and is told to go on, or asks and is answered.
func pastSessions(t *testing.T, sessions int) (home string) {
	t.Helper()
	home = t.TempDir()
	for s := range sessions {
		var b strings.Builder
		n := 0
		line := func(kind, content string) {
			n++
			fmt.Fprintf(&b, `{"type":%q,"uuid":"%d-%d","sessionId":"session-%d","cwd":"/home/ned/project-%d","timestamp":"2026-%02d-01T10:%02d:00.000Z","message":{"role":%q,"content":%s}}`+"\n",
				kind, s, n, s, s%3, 1+s%12, n, kind, content)
		}
		for range 4 {
			line("user", `"Rename the first."`)
			line("assistant", `[{"type":"text","text":"The first is renamed. Now I'll rename the second."}]`)
			line("user", `"continue"`)
			line("assistant", `[{"type":"text","text":"Both are renamed. Shall I commit them?"}]`)
		}
		path := filepath.Join(home, ".claude", "projects", fmt.Sprintf("-work-project-%d", s%3), fmt.Sprintf("session-%d.jsonl", s))
		scratch.PutFile(t, path, b.String())
	}
	return home
}

// replayed runs the verb as it would be called there.
func replayed(ctx context.Context, home string, width int, o replayOptions) (code int, out, said string) {
	var stdout, stderr bytes.Buffer
	a := &app{
		streams:     streams{out: &stdout, err: &stderr, columns: width, tilde: home},
		environment: environment{work: home, home: home, getenv: func(string) string { return "" }},
	}
	code = a.reportError(runReplay(ctx, a, o), false)
	return code, stdout.String(), stderr.String()
}

// Whatever the terminal's width, figures and bars keep to it. Only what is to be copied goes on as one line.
func TestReplayFits(t *testing.T) {
	home := pastSessions(t, 40)
	for _, width := range []int{40, 80, 300} {
		for _, o := range []replayOptions{{}, {list: "all"}, {list: "nudges", strategies: []string{"seed-tree"}}} {
			code, out, said := replayed(t.Context(), home, width, o)
			if code != 0 {
				t.Fatal(said)
			}
			for line := range strings.Lines(out + said) {
				line = strings.TrimRight(line, "\n")
				if utf8.RuneCountInString(line) > min(width, 100) && !strings.HasPrefix(line, "next: ") && !strings.Contains(line, ".jsonl:") {
					t.Errorf("%d columns: %q", width, line)
				}
				scratch.Equal(t, line, strings.TrimRight(line, " "), width, "columns")
			}
		}
	}
}

// Who is interrupted has what was read by then, told as that, and exit code 130.
func TestReplayInterrupted(t *testing.T) {
	home := pastSessions(t, 5)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, o := range map[string]replayOptions{"table": {}, "list": {list: "all"}, "json": {json: true}, "page": {html: "-"}} {
		code, out, said := replayed(ctx, home, 80, o)
		if code != 130 || !strings.Contains(said, "interrupted") || !strings.HasSuffix(said, "springfield: cancelled\n") {
			t.Errorf("%s: exit code %d: %s", name, code, said)
		}
		switch name {
		case "json":
			var r replay.Report
			if err := json.Unmarshal([]byte(out), &r); err != nil || !r.Partial {
				t.Errorf("%v: %s", err, out)
			}
		case "page":
			if !strings.Contains(out, replay.PageMark) || !strings.Contains(out, "interrupted") {
				t.Errorf("%.300s", out)
			}
		}
	}
}

// What was read by then does not take the place of a page that is whole.
func TestReplayInterruptedKeepsThePage(t *testing.T) {
	home := pastSessions(t, 2)
	page := filepath.Join(home, "page.html")
	if code, _, said := replayed(t.Context(), home, 80, replayOptions{html: "page.html"}); code != 0 {
		t.Fatal(said)
	}
	whole := scratch.ReadFile(t, page)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, _, said := replayed(ctx, home, 80, replayOptions{html: "page.html"})
	if now, err := os.ReadFile(page); code != 130 || err != nil || !bytes.Equal(now, whole) || !strings.Contains(said, "was not overwritten") {
		t.Errorf("exit code %d, %v: %s", code, err, said)
	}
	must(t, os.Remove(page))
	replayed(ctx, home, 80, replayOptions{html: "page.html"})
	scratch.Holds(t, "where there is none, what was read is better than nothing", scratch.ReadOrNone(t, page), "interrupted")
}

// A page that cannot be written whole is not written.
func TestReplayPageIsWhole(t *testing.T) {
	home := pastSessions(t, 2)
	page := filepath.Join(home, "page.html")
	for _, again := range []bool{false, true} {
		if code, _, said := replayed(t.Context(), home, 80, replayOptions{html: "page.html"}); code != 0 {
			t.Fatalf("again %v: %s", again, said)
		}
	}
	info, err := os.Stat(page)
	scratch.ErrorIf(t, err != nil || info.Mode().Perm()&0o077 != 0, "others may read it: %v, %v", info, err)
	for name, text := range map[string]string{"thesis.html": "<!doctype html><p>mine", "empty.html": ""} {
		path := filepath.Join(home, name)
		must(t, os.WriteFile(path, []byte(text), 0o600))
		code, _, said := replayed(t.Context(), home, 80, replayOptions{html: name})
		data, err := os.ReadFile(path)
		if text != "" && (code != 1 || string(data) != text || err != nil || !strings.Contains(said, "is not a page of springfield")) {
			t.Errorf("%s: exit code %d, %s; now %q", name, code, said, data)
		}
		if text == "" && (code != 0 || len(data) == 0) {
			t.Errorf("%s: exit code %d, %s", name, code, said)
		}
	}
	left, err := filepath.Glob(filepath.Join(home, ".springfield-page-*"))
	scratch.ErrorIf(t, err != nil || len(left) > 0, "left behind: %v, %v", left, err)
}
