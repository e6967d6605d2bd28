// Phrases: runs of plain words at the places where the rules look. Everything that
// is not a plain word ends a run: numbers, paths, addresses, names of things in
// code, punctuation; and so do names of people and things.

package tune

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/language"

	"github.com/cameronsjo/springfield/runtime/rules"
)

const (
	maxWords  = 5  // of a phrase
	minWords  = 2  // of one that makes Claude go on: a single word says too many things
	maxLetter = 20 // of a word: what is longer is more likely a key
)

// word is one word of a span: text[from:to].
type word struct {
	from, to int
	capital  bool
}

// span is a run of words with single blanks in between.
type span struct {
	text  string // folded, as rules compare
	words []word
	first bool // a sentence begins with it
}

// phrase is n words of it, from the i-th.
func (s span) phrase(i, n int) string { return s.text[s.words[i].from:s.words[i+n-1].to] }

// spansOf takes a sentence apart.
func spansOf(sentence string) []span {
	var all []span
	s := span{first: true}
	flush := func() {
		if len(s.words) > 0 {
			all = append(all, s)
		}
		s = span{}
	}
	for _, token := range tokensOf(sentence) {
		plain := strings.Trim(token, ".,;:!?…\"“”'‘’()*。，、！？؟،।")
		if !isPlain(plain) {
			flush()
			continue
		}
		if !strings.HasPrefix(token, plain) {
			flush()
		}
		if len(s.words) > 0 && !isCharacter(token) {
			s.text += " "
		}
		r, _ := utf8.DecodeRuneInString(plain)
		folded := rules.Fold(plain)
		s.words = append(s.words, word{len(s.text), len(s.text) + len(folded), unicode.IsUpper(r)})
		s.text += folded
		if !strings.HasSuffix(token, plain) {
			flush()
		}
	}
	flush()
	return all
}

// tokensOf are what blanks stand between. In Chinese and Japanese each character is
// one, because words have no blanks between them.
func tokensOf(sentence string) []string {
	var all []string
	for token := range strings.SplitSeq(sentence, " ") {
		start := 0
		for i, r := range token {
			if r < utf8.RuneSelf || language.HasBlanks(string(r)) || !unicode.IsLetter(r) {
				continue
			}
			if start < i {
				all = append(all, token[start:i])
			}
			start = i + utf8.RuneLen(r)
			all = append(all, token[i:start])
		}
		if start < len(token) || token == "" {
			all = append(all, token[start:])
		}
	}
	return all
}

// isCharacter tells a token that is one character of Chinese or Japanese.
func isCharacter(token string) bool {
	r, size := utf8.DecodeRuneInString(token)
	return size == len(token) && unicode.IsLetter(r) && !language.HasBlanks(token)
}

// isPlain tells whether a word is letters, with apostrophes between them, and has
// no capital but its first letter.
func isPlain(w string) bool {
	if w == "" || utf8.RuneCountInString(w) > maxLetter {
		return false
	}
	before := rune(0)
	for i, r := range w {
		apostrophe := r == '\'' || r == '’'
		switch {
		case apostrophe && (before == '\'' || before == '’'), !apostrophe && !unicode.IsLetter(r) && !(i > 0 && unicode.Is(unicode.M, r)), i > 0 && unicode.ToLower(r) != r:
			return false
		}
		before = r
	}
	return true
}

// census knows how words are written: a word that has a capital in the middle of
// sentences and is never written without is a name.
type census map[string]*struct{ capital, small int }

func (c census) take(spans []span) {
	for _, s := range spans {
		for i, w := range s.words {
			key := base(s.phrase(i, 1))
			if c[key] == nil {
				c[key] = &struct{ capital, small int }{}
			}
			switch {
			case !w.capital:
				c[key].small++
			case i > 0:
				c[key].capital++
			}
		}
	}
}

// base is a word without the ending that makes an owner of it.
func base(w string) string { return strings.TrimSuffix(w, "'s") }

func (c census) isName(w string) bool {
	if w == "i" || strings.HasPrefix(w, "i'") {
		return false
	}
	known := c[base(w)]
	return known != nil && known.capital > 0 && known.small == 0
}

// withoutNames are spans that end before a name and begin anew behind it.
func (c census) withoutNames(spans []span) []span {
	var all []span
	for _, s := range spans {
		rest := s
		for i := range s.words {
			if !c.isName(s.phrase(i, 1)) {
				continue
			}
			done := len(s.words) - len(rest.words)
			if i > done {
				all = append(all, span{s.text, s.words[done:i], rest.first})
			}
			rest = span{text: s.text, words: s.words[i+1:]}
		}
		if len(rest.words) > 0 {
			all = append(all, rest)
		}
	}
	return all
}

// Places where a phrase can stand, by the names that conditions of rules have.
const (
	opens  = "opens"  // it begins the last sentence
	says   = "says"   // it is in a sentence of the last paragraph
	closes = "closes" // it is the last character
)

// support is how often a phrase stands somewhere.
type support struct {
	rows, sessions int
	last           *point
}

// see counts a row, which may come several times in a row.
func (s *support) see(p *point) {
	if s.last == p {
		return
	}
	s.rows++
	if s.last == nil || s.last.row.Session != p.row.Session {
		s.sessions++
	}
	s.last = p
}

// common are the phrases of n words in the last paragraphs that enough rows of
// enough sessions have. shorter are those of n-1 words.
func common(points []*point, n int, shorter map[string]*support) map[string]*support {
	found := map[string]*support{}
	for _, p := range points {
		for _, s := range p.spans {
			for i := 0; i+n <= len(s.words); i++ {
				if n > 1 && (shorter[s.phrase(i, n-1)] == nil || shorter[s.phrase(i+1, n-1)] == nil) {
					continue
				}
				count(found, s.phrase(i, n), p)
			}
		}
	}
	rare(found)
	return found
}

func count(found map[string]*support, phrase string, p *point) {
	s := found[phrase]
	if s == nil {
		s = &support{}
		found[phrase] = s
	}
	s.see(p)
}

// rare takes out what too few have.
func rare(found map[string]*support) {
	for text, s := range found {
		if s.rows < minCases || s.sessions < minSessions {
			delete(found, text)
		}
	}
}

// openings are the phrases that the last sentence begins with.
func (p *point) openings() []string {
	var all []string
	for _, s := range p.opening {
		for n := 1; n <= min(maxWords, len(s.words)); n++ {
			all = append(all, s.phrase(0, n))
		}
	}
	return all
}

// phrase is a candidate's text, and the rows of a lesson that have it.
type phrase struct {
	where, text string
	words       int
	at          []int // indexes of points, ascending
}

// phrasesOf finds what enough of the rows that speak for it have, and in which of
// all rows it is.
func phrasesOf(points []*point, speaks func(*point) bool) []*phrase {
	var good []*point
	for _, p := range points {
		if speaks(p) {
			good = append(good, p)
		}
	}
	found := map[string]map[string]*support{opens: {}, closes: {}, says: {}}
	for _, p := range good {
		for _, text := range p.openings() {
			count(found[opens], text, p)
		}
		if p.closing != "" {
			count(found[closes], p.closing, p)
		}
	}
	rare(found[opens])
	rare(found[closes])
	levels := make([]map[string]*support, maxWords+1)
	for n := 1; n <= maxWords; n++ {
		levels[n] = common(good, n, levels[n-1])
		for text, s := range levels[n] {
			found[says][text] = s
		}
	}
	index := map[string]map[string]*phrase{opens: {}, closes: {}, says: {}}
	var all []*phrase
	put := func(where, text string, words, i int) {
		if found[where][text] == nil {
			return
		}
		ph := index[where][text]
		if ph == nil {
			ph = &phrase{where: where, text: text, words: words}
			index[where][text] = ph
			all = append(all, ph)
		}
		if len(ph.at) == 0 || ph.at[len(ph.at)-1] != i {
			ph.at = append(ph.at, i)
		}
	}
	for i, p := range points {
		for n, text := range p.openings() {
			put(opens, text, n+1, i)
		}
		if p.closing != "" {
			put(closes, p.closing, 0, i)
		}
		for _, s := range p.spans {
			for from := range s.words {
				for n := 1; n <= maxWords && from+n <= len(s.words) && levels[n][s.phrase(from, n)] != nil; n++ {
					put(says, s.phrase(from, n), n, i)
				}
			}
		}
	}
	return slices.Clip(all)
}
