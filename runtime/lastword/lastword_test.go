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

func BenchmarkRead(b *testing.B) {
	for name, text := range map[string]string{
		"en short": "can you fix it?", "de": "halt, nimm lieber tabs", "stop": "stop", "unknown": "the header is broken",
		"zh": "先别继续，我要想一下", "es": "puedes arreglarlo?",
		"long": strings.Repeat("The parser drops the last line, and then it fails. Why does it do that? ", 5),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Read(Prompt{text, text})
			}
		})
	}
}
