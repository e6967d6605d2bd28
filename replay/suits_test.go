package replay

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// One begins with the default strategy, unless another is better beyond chance, needs
// no model, and is a plugin as it is.
func TestSuits(t *testing.T) {
	three := []string{"ned-flanders", "bart-simpson", "lisa-simpson"}
	seed := []string{"ned-flanders", "ned-flanders:seed", "bart-simpson"}
	for name, test := range map[string]struct {
		report Report
		want   string
	}{
		"nothing":         {reportOf(three), "ned-flanders"},
		"none compared":   {reportOf(nil), "ned-flanders"},
		"alike":           {reportOf(three, rowsOf(100, Answered, "stop", "stop", "stop"), rowsOf(60, MidWork, "go", "go", "go")), "ned-flanders"},
		"marks are used":  {reportOf(three, rowsOf(100, Answered, "stop", "stop", "stop"), rowsOf(60, MidWork, "stop", "go", "stop")), "bart-simpson"},
		"by a model":      {reportOf(three, rowsOf(100, Answered, "stop", "stop", "stop"), rowsOf(60, MidWork, "stop", "stop", "go")), "ned-flanders"},
		"not as it is":    {reportOf(seed, rowsOf(100, Answered, "stop", "stop", "stop"), rowsOf(60, MidWork, "stop", "go", "stop")), "ned-flanders"},
		"wrong too often": {reportOf(three, rowsOf(100, Answered, "stop", "go", "stop"), rowsOf(60, MidWork, "stop", "go", "stop")), "ned-flanders"},
	} {
		if got := test.report.Suits().Name; got != test.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestSize(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"-p/a.jsonl", "-p/b.jsonl", "-p/subagents/c.jsonl", "-p/notes.txt"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("12345"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if files, bytes, whole := Size([]string{dir}, time.Hour); files != 2 || bytes != 10 || !whole {
		t.Errorf("%d files, %d bytes, all of them: %t", files, bytes, whole)
	}
	if files, _, whole := Size([]string{dir}, 0); files != 0 || whole {
		t.Errorf("without time %d files, all of them: %t", files, whole)
	}
}
