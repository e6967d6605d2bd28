// Package recorded tests the reader of a host's session log, in the same way for each
// host: by logs that the real program has written, by lines that are in none of them, and
// by what a fuzzer makes of both. Only tests import it.
package recorded

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/transcript"
)

var update = flag.Bool("update", false, "write what is made of the recorded logs")

// Logs compares what the lines of each log in testdata mean with the file beside it. In a
// log that is headed the first line alone tells whose it is.
func Logs(t *testing.T, format transcript.Format, headed bool) {
	t.Helper()
	for _, file := range logs(t) {
		var got strings.Builder
		for i, line := range linesOf(t, file) {
			if owns := format.Owns(line); i == 0 && !owns || i > 0 && headed && owns {
				t.Errorf("%s: line %d is its own: %t\n%s", file, i+1, owns, line)
			}
			if e := (transcript.Entry{Line: line}); format.Parse(&e) {
				if words := len(e.Words) > 0 && e.What == transcript.Prompted; words && format.Dull != nil && format.Dull(line) {
					t.Errorf("%s: a person's words are dull: %s", file, line)
				}
				got.WriteString(digest(format, &e) + "\n")
			}
		}
		golden := strings.TrimSuffix(file, ".jsonl") + ".parsed"
		if *update {
			if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(golden); err != nil || got.String() != string(want) {
			t.Errorf("%s (%v):\n%s", golden, err, got.String())
		}
	}
}

// Lines compares what lines mean, which no recorded log has; "-" is a line that is not read.
func Lines(t *testing.T, format transcript.Format, lines map[string]string) {
	t.Helper()
	for line, want := range lines {
		e, got := transcript.Entry{Line: []byte(line)}, "-"
		if format.Parse(&e) {
			got = digest(format, &e)
		}
		if got != want {
			t.Errorf("%s\n%q, want %q", line, got, want)
		}
	}
}

// Fuzz reads whatever a line has. What is read of it is a part of it, by which its place
// in the log is known.
func Fuzz(f *testing.F, format transcript.Format, lines map[string]string) {
	for line := range lines {
		f.Add([]byte(line))
	}
	for _, file := range logs(f) {
		for _, line := range linesOf(f, file) {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		format.Owns(line)
		if format.Dull != nil {
			format.Dull(line)
		}
		e := transcript.Entry{Line: line}
		if !format.Parse(&e) {
			return
		}
		read := [][]byte{e.ID, e.Time, e.Words, e.PromptID, e.Version, e.Session, e.Cwd}
		for i := range e.Parts {
			p := &e.Parts[i]
			read = append(read, p.Text, p.ID, p.Name, p.Input, jobOf(format, p))
		}
		for _, part := range read {
			// A part of the line shares the line's end.
			if from := cap(line) - cap(part); part != nil && (from < 0 || from+len(part) > len(line) || !bytes.Equal(line[from:from+len(part)], part)) {
				t.Fatalf("%q is no part of %q", part, line)
			}
		}
	})
}

// logs are those in testdata. What is in events.jsonl are events, not a log.
func logs(t testing.TB) (all []string) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.jsonl")
	for _, file := range files {
		if filepath.Base(file) != "events.jsonl" {
			all = append(all, file)
		}
	}
	if err != nil || len(all) == 0 {
		t.Fatalf("no recorded logs: %v", err)
	}
	return all
}

func linesOf(t testing.TB, file string) [][]byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(data), []byte("\n"))
}

// digest is a line's meaning in one line.
func digest(format transcript.Format, e *transcript.Entry) string {
	words := []string{string(e.ID)}
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	if e.What != transcript.Nothing {
		add("%s %s", map[transcript.Happening]string{
			transcript.Prompted: "prompted", transcript.Joined: "joined", transcript.Woken: "woken", transcript.Pushed: "pushed", transcript.Rested: "rested",
			transcript.Interrupted: "interrupted", transcript.Failed: "failed",
		}[e.What], e.Words)
	}
	for _, m := range []struct {
		name  string
		value []byte
	}{{"mode", e.Mode}, {"prompt", e.PromptID}, {"session", e.Session}, {"cwd", e.Cwd}, {"todos", e.Todos}} {
		if m.value != nil {
			add("%s %s", m.name, m.value)
		}
	}
	if e.Subagent {
		add("of a subagent")
	}
	for i := range e.Parts {
		switch p := &e.Parts[i]; p.Kind {
		case transcript.Text:
			add("says %s", p.Text)
		case transcript.Call:
			add("calls %s %s, does %d %s %s", p.ID, p.Name, p.Does, p.Text, p.Input)
		case transcript.Result:
			add("result of %s, failed %t: %s", p.ID, p.Failed, p.Text)
			if job := jobOf(format, p); job != nil {
				add("job %s", job)
			}
		case transcript.Ended:
			add("ended %s", p.ID)
		case transcript.HookBlock:
			add("block, ours %t", p.Ours)
		default:
			add("part %d %s", p.Kind, p.Name)
		}
	}
	return strings.Join(words, " | ")
}

// jobOf is what a result began in the background.
func jobOf(format transcript.Format, p *transcript.Part) []byte {
	if format.Outcome == nil {
		return nil
	}
	return format.Outcome(transcript.MayGoOn, p).Job
}
