package grave

import (
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/language"
)

// Texts are folded, so a word that is not would never be found.
func TestWordsAreFolded(t *testing.T) {
	for line := range strings.Lines(data) {
		if kind, words, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && kind[0] != '#' {
			for _, word := range strings.Split(words, ",") {
				if word = strings.TrimSpace(word); language.FoldText(word) != word {
					t.Errorf("%s: %q, want %q", kind, word, language.FoldText(word))
				}
			}
		}
	}
}
