package hook

import (
	"os"
	"strings"
	"testing"
	"time"
	"io"
)

func BenchmarkZZ(b *testing.B) {
	ev, _ := os.ReadFile("/tmp/bench/ev.json")
	for b.Loop() {
		os.RemoveAll("/tmp/bench/home/.claude/springfield")
		p := Process{Stdin: strings.NewReader(string(ev)), Stdout: io.Discard, Stderr: io.Discard, Executable: "/tmp/bench/new/ned-flanders/hooks/springfield-hook", Home: "/tmp/bench/home", Getenv: func(string) string { return "" }, Now: time.Now()}
		p.Run()
	}
}
