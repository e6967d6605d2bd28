package lastword

import (
	"os"
	"strings"
	"testing"
)

func TestScratch(t *testing.T) {
	data, _ := os.ReadFile(os.Getenv("ROWS"))
	n, bad := 0, 0
	for line := range strings.Lines(string(data)) {
		want, text, ok := strings.Cut(strings.TrimSpace(line), "|")
		if !ok {
			continue
		}
		text = strings.ReplaceAll(text, `\n`, "\n")
		kinds := map[string]Kind{"f": Forbids, "a": Asks, "s": Standing, "y": Yes, "o": Orders, "u": Unknown}
		n++
		if w := Read(Prompt{text, text}); w.Kind != kinds[want] {
			bad++
			t.Logf("%q: %q %s, want %s", text, w.Kind, w.Evidence, kinds[want])
		}
	}
	t.Logf("%d of %d wrong", bad, n)
}
