package grave_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/grave"
)

// Grave questions and harmless ones, in each language a file.
func TestFind(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			sign, question, _ := strings.Cut(strings.TrimSpace(line), " ")
			if act, found := grave.Find(question); found != (sign == "+") {
				t.Errorf("%s: %s %q (%q)", file, sign, question, act)
			}
		}
	}
}
