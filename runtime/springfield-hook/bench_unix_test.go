//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkProcess times the hook as Claude Code starts it: a whole process a stop, in turn with a Go program that does
// nothing. Only ratios mean anything on a machine that does other things too. Sessions are of lines as long as real
// ones; every stop has a prompt, a tool call and words of its own.
func BenchmarkProcess(b *testing.B) {
	hook := install(b)
	empty := emptyProgram(b)
	for _, size := range []struct {
		name  string
		bytes int64
	}{{"200 lines", 300 << 10}, {"50 MB", 50 << 20}, {"1 GB", 1 << 30}} {
		s := newSession(b, size.bytes)
		b.Run(size.name+", first read", func(b *testing.B) {
			for b.Loop() { // -benchtime 1x: how many runs a median needs is said here
				times := s.stops(b, hook, 5, true)
				b.ReportMetric(ms(median(times)), "ms/hook")
				b.ReportMetric(float64(s.size)/1e6/median(times).Seconds(), "MB/s")
			}
			b.ReportMetric(0, "ns/op")
		})
		b.Run(size.name+", position remembered", func(b *testing.B) {
			var hooks, empties []time.Duration
			for b.Loop() {
				for range 300 {
					hooks = append(hooks, s.stops(b, hook, 1, false)...)
					empties = append(empties, clock(b, empty, ""))
				}
			}
			b.ReportMetric(ms(median(hooks)), "ms/hook")
			b.ReportMetric(ms(median(empties)), "ms/empty")
			b.ReportMetric(float64(median(hooks))/float64(median(empties)), "hook/empty")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// session is a log of a given size that grows by a stop at a time.
type session struct {
	config, log string
	size        int64
	n           int
}

func newSession(b *testing.B, size int64) *session {
	b.Helper()
	config := b.TempDir()
	s := &session{config: config, log: filepath.Join(config, "projects", "x", "s.jsonl"), size: size}
	must(b, os.MkdirAll(filepath.Dir(s.log), 0o755))
	f, err := os.Create(s.log)
	must(b, err)
	defer f.Close()
	var page bytes.Buffer
	for i := 0; page.Len() < 4<<20 && int64(page.Len()) < size; i++ {
		page.WriteString(lines(i))
	}
	for written := int64(0); written < size; written += int64(page.Len()) {
		if _, err := f.Write(page.Bytes()); err != nil {
			b.Fatal(err)
		}
	}
	return s
}

// lines are a text, a tool call and its result.
func lines(i int) string {
	return fmt.Sprintf(`{"parentUuid":"p","isSidechain":false,"type":"assistant","message":{"id":"m%d","model":"m","role":"assistant","content":[{"type":"text","text":"%s"}],"usage":{"input_tokens":10,"output_tokens":20}},"uuid":"t%d","timestamp":"2026-11-20T10:00:00.000Z"}
{"parentUuid":"t%d","isSidechain":false,"message":{"id":"m%d","role":"assistant","content":[{"type":"tool_use","id":"toolu_%d","name":"Bash","input":{"command":"go test ./...","description":"Run the tests"}}]},"type":"assistant","uuid":"c%d","timestamp":"2026-11-20T10:00:01.000Z"}
{"parentUuid":"c%d","isSidechain":false,"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_%d","type":"tool_result","content":"%s","is_error":false}]},"toolUseResult":{"stdout":"%s","stderr":""},"uuid":"r%d","timestamp":"2026-11-20T10:00:02.000Z"}
`, i, strings.Repeat("a word or two ", 30), i, i, i, i, i, i, i, strings.Repeat("ok  some/package 0.1s ", 60), strings.Repeat("ok  some/package 0.1s ", 60), i)
}

// prompt is the line of the prompt that the next stop belongs to.
func (s *session) prompt() string {
	return fmt.Sprintf(`{"type":"user","uuid":"u%d","promptId":"p%d","origin":{"kind":"human"},"timestamp":"2026-11-20T10:00:00.000Z","message":{"role":"user","content":"looks good, go on with the next one and watch out for the race in the cache"}}`+"\n", s.n+1, s.n+1)
}

// event is a stop with new words. Once the budget is spent the hook still does all its work, and says so.
func (s *session) event() string {
	s.n++
	return fmt.Sprintf(`{"hook_event_name":"Stop","session_id":"s","transcript_path":%q,"prompt_id":"p%d","last_assistant_message":"Task %d complete. Moving to Task %d."}`, s.log, s.n, s.n, s.n+1)
}

// stops times n stops. fresh forgets before each what is remembered, so that
// the session is read from its beginning; else it grows by some lines.
func (s *session) stops(b *testing.B, hook string, n int, fresh bool) []time.Duration {
	b.Helper()
	var times []time.Duration
	for range n {
		s.prepare(b, hook, fresh)
		times = append(times, clock(b, hook, s.event()))
	}
	return times
}

func (s *session) prepare(b *testing.B, hook string, fresh bool) {
	b.Helper()
	ledger := filepath.Join(s.config, "springfield")
	if fresh {
		must(b, os.RemoveAll(ledger))
	} else if _, err := os.Stat(ledger); err != nil {
		clock(b, hook, s.event())
	}
	f, err := os.OpenFile(s.log, os.O_APPEND|os.O_WRONLY, 0)
	must(b, err)
	defer f.Close()
	if _, err := f.WriteString(s.prompt() + lines(1_000_000+s.n)); err != nil {
		b.Fatal(err)
	}
}

// clock runs a program on an event.
func clock(b *testing.B, program, event string) time.Duration {
	b.Helper()
	cmd := exec.Command(program)
	cmd.Env = []string{"HOME=/nonexistent"}
	cmd.Stdin = strings.NewReader(event)
	var out bytes.Buffer
	cmd.Stdout = &out
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if err != nil || event != "" && out.Len() == 0 {
		b.Fatalf("%s: %q, %v", program, out.String(), err)
	}
	return took
}

func emptyProgram(b *testing.B) string {
	b.Helper()
	empty := filepath.Join(b.TempDir(), "empty")
	source := empty + ".go"
	must(b, os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o600))
	if out, err := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", empty, source).CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return empty
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
