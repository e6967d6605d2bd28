//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkProcess times the hook as Claude Code starts it, a whole process per
// stop on a session of 200 lines, in turn with a Go program that does nothing.
// Only the ratio means anything on a machine that does other things too.
func BenchmarkProcess(b *testing.B) {
	hook := install(b)
	empty := filepath.Join(b.TempDir(), "empty")
	source := empty + ".go"
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", empty, source).CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}

	config := b.TempDir()
	log := filepath.Join(config, "projects", "x", "s.jsonl")
	if err := os.MkdirAll(filepath.Dir(log), 0o755); err != nil {
		b.Fatal(err)
	}
	line := `{"parentUuid":"p","isSidechain":false,"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"` +
		strings.Repeat("a word or two ", 100) + `"}]},"uuid":"u"}` + "\n"
	if err := os.WriteFile(log, []byte(strings.Repeat(line, 200)), 0o600); err != nil {
		b.Fatal(err)
	}

	var hooks, empties []time.Duration
	n := 0
	for b.Loop() {
		n++ // another session every three stops, so that the budget never ends it
		event := fmt.Sprintf(`{"hook_event_name":"Stop","session_id":"s%d","transcript_path":%q,"prompt_id":"p","last_assistant_message":"Task 1 complete. Moving to Task 2."}`, n/3, log)
		hooks = append(hooks, clock(b, hook, event, `"block"`))
		empties = append(empties, clock(b, empty, event, ""))
	}
	h, e := median(hooks), median(empties)
	b.ReportMetric(float64(h.Microseconds())/1000, "ms/hook")
	b.ReportMetric(float64(e.Microseconds())/1000, "ms/empty")
	b.ReportMetric(float64(h)/float64(e), "hook/empty")
	b.ReportMetric(0, "ns/op")
}

func clock(b *testing.B, program, event, want string) time.Duration {
	cmd := exec.Command(program)
	cmd.Env = []string{"HOME=/nonexistent"}
	cmd.Stdin = strings.NewReader(event)
	start := time.Now()
	out, err := cmd.Output()
	took := time.Since(start)
	if err != nil || !strings.Contains(string(out), want) {
		b.Fatalf("%s: %q, %v", program, out, err)
	}
	return took
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}
