package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func said(s string) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"content":[{"type":"text","text":%q}]}}`, s)
}

const prompt = `{"type":"user","uuid":"u1","message":{"content":"go"}}`

// write makes a directory of made sessions with their rows.
func write(t *testing.T, rows string, sessions map[string][]string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sessions"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, lines := range sessions {
		if err := os.WriteFile(filepath.Join(dir, "sessions", name), []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "stops.jsonl"), []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestScore(t *testing.T) {
	dir := write(t, `{"session":"a","line":3,"expect":"STOP","label":"OTHER","source":"x"}
{"session":"a","line":2,"expect":"CONTINUE","label":"MIDTURN","source":"x"}
{"session":"a","line":4,"expect":"WEAK_STOP","label":"END","source":"x"}
{"session":"b","line":2,"expect":"STOP","label":"OTHER","source":"y"}
`, map[string][]string{
		"a": {prompt, said("Now I'll write the parser."), said("Task 1 complete. Should I go on with Task 2?"), said("Let me fix it.")},
		"b": {prompt, said("Built with Next.js, as you asked.")},
	})
	var out bytes.Buffer
	if err := score(&out, dir, true); err != nil {
		t.Fatal(err)
	}
	// The cut decides: at line 2 the question of line 3 has not been asked.
	for _, want := range []string{
		`default\n.*\n  x +0 of 1 \(0.00 %\) +1 of 1 \(100.00 %\)\n  y +0 of 1 \(0.00 %\) +no rows\n  all +0 of 2 \(0.00 %\) +1 of 1`,
		`seed\n.*\n  x +1 of 1 \(100.00 %\) +0 of 1 \(0.00 %\)\n  y +1 of 1 .*\n  all +2 of 2`,
		`seed, tree only\n`,
		`1  CONTINUE continue intent`,
	} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("no match for %s in\n%s", want, out.String())
		}
	}
}

func TestScoreRefuses(t *testing.T) {
	for rows, want := range map[string]string{
		"":                            "line 1",
		"{":                           "line 1",
		`{"session":"../a"}`:          "is not a file name",
		`{"session":"a","line":9}`:    "has 1 lines, a row is at 9",
		`{"session":"none","line":1}`: "none",
	} {
		dir := write(t, rows, map[string][]string{"a": {prompt}})
		if err := score(&bytes.Buffer{}, dir, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", rows, err, want)
		}
	}
}
