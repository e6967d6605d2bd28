// What the rules look at, for learning new ones from past sessions.

package rules

import (
	"strings"
	"unicode"
)

// Ending is how a message ends, as the rules see it.
type Ending struct {
	// Last is the last sentence: what opens and last look at.
	Last string
	// Sentences are those that says looks at.
	Sentences []string
	// Closing is the character that closes looks at, 0 if there is none.
	Closing rune
}

// EndingOf takes a message's end apart.
func EndingOf(text string) Ending {
	e := endOf(text)
	out := Ending{Last: e.last(), Sentences: e.all()}
	rest := strings.TrimRightFunc(e.paragraph, func(r rune) bool {
		return strings.ContainsRune(markup, r) || unicode.In(r, unicode.So, unicode.Mn, unicode.Cf)
	})
	for _, r := range rest {
		out.Closing = r
	}
	return out
}
