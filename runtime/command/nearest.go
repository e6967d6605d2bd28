// How near Claude came to a promise: the longest run of the promise's words that
// a message has. It answers why a loop does not end although all is done.

package command

import (
	"strings"
	"unicode"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/display"
)

// word is a word of a text, in lower case, and where it stands.
type word struct {
	text       string
	start, end int
}

func wordsOf(text string) []word {
	var all []word
	start := -1
	for i, r := range text {
		switch in := unicode.IsLetter(r) || unicode.IsDigit(r); {
		case in && start < 0:
			start = i
		case !in && start >= 0:
			all = append(all, word{strings.ToLower(text[start:i]), start, i})
			start = -1
		}
	}
	if start >= 0 {
		all = append(all, word{strings.ToLower(text[start:]), start, len(text)})
	}
	return all
}

// near is how near a text came to a promise.
type near struct {
	Promise string
	// Words of the promise's Of words stand in the text one after the other.
	Words, Of int
	// Text is that part of the message, with what stands around it.
	Text string
	// Said tells that the promise itself stands there.
	Said bool
}

func (n *near) Members(m *codec.Members) {
	m.Keep().Text("promise", &n.Promise)
	codec.Number(m.Keep(), "words", &n.Words)
	codec.Number(m.Keep(), "of", &n.Of)
	m.Keep().Text("text", &n.Text)
	m.Bool("said", &n.Said)
}

// maxPromises and maxPromiseWords bound what is compared: the file may be
// anybody's.
const (
	maxPromises     = 10
	maxPromiseWords = 40
)

// around is how much of a message is shown on each side, in bytes.
const around = 60

// nearest is the message that came nearest to one of the promises; of several the
// last. No words: none has even one.
func nearest(promises, messages []string) (best near) {
	for _, m := range messages {
		have, lower := wordsOf(m), strings.ToLower(m)
		for _, promise := range promises[:min(len(promises), maxPromises)] {
			said := strings.Contains(lower, strings.ToLower(promise))
			want := wordsOf(promise)
			want = want[:min(len(want), maxPromiseWords)]
			n, at := longestRun(want, have)
			if n == 0 || n*max(best.Of, 1) < best.Words*len(want) || best.Said && !said {
				continue
			}
			best = near{promise, n, len(want), excerpt(m, have[at].start, have[at+n-1].end), said}
		}
	}
	return best
}

// longestRun is how many words in a row two texts share, and where that is in the
// second.
func longestRun(want, have []word) (n, at int) {
	// runs[i]: how long the run is that ends with want[i] and the word at hand.
	runs := make([]int, len(want)+1)
	for j, h := range have {
		for i := len(want); i > 0; i-- {
			if want[i-1].text != h.text {
				runs[i] = 0
				continue
			}
			if runs[i] = runs[i-1] + 1; runs[i] >= n {
				n, at = runs[i], j-runs[i]+1
			}
		}
	}
	return n, at
}

// excerpt is a part of a text with what stands around it, on one line.
func excerpt(text string, start, end int) string {
	from, to := max(0, start-around), min(len(text), end+around)
	part := strings.Join(strings.Fields(strings.ToValidUTF8(text[from:to], "")), " ")
	if from > 0 {
		part = "…" + part
	}
	if to < len(text) {
		part += "…"
	}
	return display.Line(part)
}
