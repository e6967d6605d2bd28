//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sessionsWith writes sessions that end in the middle of work with a phrase.
func sessionsWith(t *testing.T, phrase string) string {
	t.Helper()
	dir := t.TempDir()
	for s := range 30 {
		var b strings.Builder
		n := 0
		line := func(kind, content string) {
			n++
			fmt.Fprintf(&b, `{"type":%q,"uuid":"%d-%d","sessionId":"session-%d","timestamp":"2026-03-01T10:%02d:00.000Z","message":{"role":%q,"id":"m%d-%d","content":%s}}`+"\n",
				kind, s, n, s, n, kind, s, n, content)
		}
		for range 3 {
			line("user", `"What about the dates?"`)
			line("assistant", `[{"type":"text","text":"The parser reads all rows."}]`)
			line("user", `"Rename the first."`)
			line("assistant", `[{"type":"text","text":"`+phrase+`"}]`)
			line("user", `"continue"`)
			line("assistant", `[{"type":"text","text":"The cache holds five files."}]`)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("session-%d.jsonl", s)), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// On a terminal it asks; without a yes nothing is written. Line by line: what the
// other prompter throws away of keys that come early is not what is tested here.
func TestTuneAsks(t *testing.T) {
	logs := sessionsWith(t, "Donuts for the whole barn.")
	for _, tt := range []struct {
		keys    string
		code    int
		written bool
	}{{enter, 0, true}, {"n" + enter, 130, false}, {ctrlC, 130, false}} {
		x, dir := start(t, 120, "tune", "--plain", logs)
		x.waitForLine("Write this to")
		if said := string(x.said()); !strings.Contains(said, "tuned-donuts-for-the-whole-barn") || !strings.Contains(said, "second half") {
			t.Errorf("it asks before it shows:\n%s", said)
		}
		x.send(tt.keys)
		if code := x.exitCode(); code != tt.code {
			t.Errorf("%q: exit code %d:\n%s", tt.keys, code, x.vt.String())
		}
		data, err := os.ReadFile(filepath.Join(dir, "home", ".claude", "springfield", "ned-flanders.json"))
		if written := err == nil && strings.Contains(string(data), `"donuts for the whole barn"`); written != tt.written {
			t.Errorf("%q: the file has %q, %v", tt.keys, data, err)
		}
	}
}
