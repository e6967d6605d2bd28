package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// BenchmarkEnable times springfield enable as a process, without claude and with all syncs. The goal is 30 ms.
func BenchmarkEnable(b *testing.B) {
	dir := b.TempDir()
	cli := scratch.Program(b, "cmd/springfield")
	home := filepath.Join(dir, "home")
	must(b, os.Mkdir(home, 0o755))
	call := func(path string, args ...string) {
		b.Helper()
		cmd := exec.Command(cli, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+home, "USERPROFILE="+home, "CLAUDE_CONFIG_DIR=", "CLAUDE_CODE_PLUGIN_CACHE_DIR=", "PATH="+path)
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("springfield %v: %v\n%s", args, err, out)
		}
	}
	call(os.Getenv("PATH"), "init", "hooks", "--yes", "--owner", "Ned")
	for b.Loop() {
		call("", "enable", "ned-flanders")
		b.StopTimer()
		call("", "disable", "ned-flanders")
		b.StartTimer()
	}
}
