package host_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/host/copilot"
	"github.com/cameronsjo/springfield/runtime/host/droid"
	"github.com/cameronsjo/springfield/runtime/host/gemini"
	"github.com/cameronsjo/springfield/runtime/host/qwen"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

var update = flag.Bool("update", false, "write what the logs mean anew")

// lines are lines of some hosts that no recorded log has, with what they mean; "-" is a line
// that is not read.
func lines() map[string]map[string]string {
	return map[string]map[string]string{"copilot": copilotLines(), "droid": droidLines(), "gemini": geminiLines(), "qwen": qwenLines()}
}

// must ends a test that cannot go on.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// logOf is a host's log. The registry is not asked: it is made beside this test.
func logOf(host string) transcript.Format {
	return map[string]transcript.Format{
		"copilot": copilot.Host().Log, "droid": droid.Host().Log, "gemini": gemini.Host().Log, "qwen": qwen.Host().Log,
	}[host]
}

// recorded are a host's logs, line by line. What is in events.jsonl are events, not a log.
func recorded(t testing.TB, host string) map[string][][]byte {
	t.Helper()
	files, err := filepath.Glob(host + "/testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded logs of %s: %v", host, err)
	}
	logs := map[string][][]byte{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		must(t, err)
		if filepath.Base(file) != "events.jsonl" {
			logs[file] = bytes.Split(bytes.TrimSpace(data), []byte("\n"))
		}
	}
	return logs
}

// What lines mean is what the file beside a log says, and the lists above.
func TestLogs(t *testing.T) {
	for host, known := range lines() {
		format := logOf(host)
		headed := host == "droid" || host == "copilot" // the first line alone tells whose the log is
		for file, all := range recorded(t, host) {
			var got strings.Builder
			for i, line := range all {
				if owns := format.Owns(line); i == 0 && !owns || i > 0 && headed && owns {
					t.Errorf("%s: line %d is its own: %t\n%s", file, i+1, owns, line)
				}
				e := transcript.Entry{Line: line}
				if !format.Parse(&e) {
					continue
				}
				if e.What == transcript.Prompted && len(e.Words) > 0 && format.Dull != nil && format.Dull(line) {
					t.Errorf("%s: a person's words are dull: %s", file, line)
				}
				got.WriteString(digest(format, &e) + "\n")
			}
			golden := strings.TrimSuffix(file, ".jsonl") + ".parsed"
			if *update {
				must(t, os.WriteFile(golden, []byte(got.String()), 0o644))
			}
			if want, err := os.ReadFile(golden); err != nil || got.String() != string(want) {
				t.Errorf("%s (%v):\n%s", golden, err, got.String())
			}
		}
		for line, want := range known {
			e, got := transcript.Entry{Line: []byte(line)}, "-"
			if format.Parse(&e) {
				got = digest(format, &e)
			}
			if got != want {
				t.Errorf("%s\n%q, want %q", line, got, want)
			}
		}
	}
}

func FuzzCopilotLine(f *testing.F) { fuzzLine(f, "copilot") }
func FuzzDroidLine(f *testing.F)   { fuzzLine(f, "droid") }
func FuzzGeminiLine(f *testing.F)  { fuzzLine(f, "gemini") }
func FuzzQwenLine(f *testing.F)    { fuzzLine(f, "qwen") }

// fuzzLine reads whatever a line has. What is read of it is a part of it, by which its place
// in the log is known.
func fuzzLine(f *testing.F, host string) {
	for line := range lines()[host] {
		f.Add([]byte(line))
	}
	for _, log := range recorded(f, host) {
		for _, line := range log {
			f.Add(line)
		}
	}
	format := logOf(host)
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
