// The words of a language, and where a clause has them.

package grave

import (
	_ "embed"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/language"
)

//go:embed grave.txt
var data string

// A rule is one line of verbs.
type rule struct {
	phrases              []string // needs of several words
	verbs, needs, except []string
	code, harm           bool // $code is among the one, $harm among the others
}

type tongue struct {
	english bool
	lists   map[string][]string
	// Of other languages: the verb comes last, the head of its object does, syllables stand in front of a stem.
	verbLast, headLast, anywhere bool
	rules                        []rule
	builds                       bool // a question is about building something
	// understood is set where a text has a verb in its place.
	understood bool
}

// readTongue reads what a language has of the words of a text, and the harmless nouns of others:
// a short text can be in the language of a neighbour.
func readTongue(code string, others []string, text *text) *tongue {
	t := &tongue{english: code == "en", lists: map[string][]string{}, anywhere: strings.Contains(section(code), "\nanywhere ")}
	text.index(t.anywhere)
	for line := range strings.Lines(section(code)) {
		t.readLine(strings.TrimSuffix(line, "\n"), text)
	}
	if t.english {
		others = nil
	} else {
		others = append([]string{"*"}, others...)
	}
	for _, other := range others {
		for line := range strings.Lines(section(other)) {
			if kind, _, _ := strings.Cut(line, " "); other == "*" || other != code && (kind == "code" || kind == "inner") {
				t.readLine(strings.TrimSuffix(line, "\n"), text)
			}
		}
	}
	for i := range t.rules {
		r := &t.rules[i]
		for _, need := range r.needs {
			if list, ok := strings.CutPrefix(need, "$"); ok {
				r.needs = append(r.needs, t.lists[list]...)
			}
		}
	}
	return t
}

// section is what there is of a language.
func section(code string) string {
	_, lines, _ := strings.Cut(data, "\n["+code+"]\n")
	lines, _, _ = strings.Cut(lines, "\n[")
	return lines
}

func (t *tongue) readLine(line string, text *text) {
	kind, words, _ := strings.Cut(line, " ")
	switch kind {
	case "order":
		t.verbLast = true
	case "head":
		t.headLast = true
	case "anywhere": // known already
	case "act":
		verbs, needs, needy := strings.Cut(words, " : ")
		verbs, except, _ := strings.Cut(verbs, " - ")
		if r := (rule{verbs: text.known(verbs), code: strings.Contains(except, "$code"), harm: strings.Contains(needs, "$harm")}); len(r.verbs) > 0 {
			if needy {
				r.needs = append([]string{}, text.known(needs)...) // not nil: none of them is in the text
			}
			r.phrases = slices.DeleteFunc(slices.Clone(r.needs), func(need string) bool { return !strings.Contains(need, " ") })
			r.except = text.known(except)
			t.rules = append(t.rules, r)
		}
	default:
		t.lists[kind] = append(t.lists[kind], text.known(words)...)
	}
}

// A text knows which three bytes its words begin with, so that most words of a language need no search.
type text struct {
	folded string
	grams  [512]uint64
}

// index takes what words begin with, or all there is.
func (t *text) index(anywhere bool) {
	t.grams = [512]uint64{}
	for i := 0; i+3 <= len(t.folded); i++ {
		if anywhere || !language.IsWithinWord(t.folded, i) {
			h := gram(t.folded[i:])
			t.grams[h>>6] |= 1 << (h & 63)
		}
	}
}

func gram(s string) uint32 { return (uint32(s[0])<<10 ^ uint32(s[1])<<5 ^ uint32(s[2])) & 0x7fff }

// mayHave is a quick look at the first three bytes of a word.
func (t *text) mayHave(word string) bool {
	return len(word) < 3 || word[0] == '$' || word[1] == '_' || word[2] == '_' || word[2] == '~' || word[2] == '.' || t.grams[gram(word)>>6]&(1<<(gram(word)&63)) != 0
}

// known lists the words that a text may have.
func (t *text) known(words string) (found []string) {
	for word := range strings.SplitSeq(words, " ") {
		if word == "" || !t.mayHave(word) {
			continue
		}
		begins := strings.TrimSuffix(word, ".")
		if i := strings.IndexAny(begins, "_~"); i > 0 {
			begins = begins[:i]
		}
		if n := len(begins); n > 3 && begins[n-1] < 0x80 {
			begins = begins[:n-1] // "delete", "deleting"
		}
		if word[0] == '$' || strings.Contains(t.folded, begins) {
			found = append(found, strings.ReplaceAll(word, "_", " "))
		}
	}
	return found
}

// locate finds the first place of a word from there on, -1 if there is none.
func (t *tongue) locate(clause, word string, from int) (at, end int) {
	first, second, apart := strings.Cut(word, "~")
	for from <= len(clause) {
		at, end = t.locateOne(clause, first, from)
		if at < 0 || !apart {
			return at, end
		}
		if i, e := t.locateOne(clause, second, end); i >= 0 && (!t.english || i-end < 30) {
			return at, e
		}
		from = end
	}
	return -1, -1
}

func (t *tongue) locateOne(clause, word string, from int) (at, end int) {
	begins, whole := strings.CutSuffix(word, ".")
	if t.english {
		begins = stem(word)
	}
	for from < len(clause) {
		i := strings.Index(clause[from:], begins)
		if i < 0 {
			return -1, -1
		}
		at = from + i
		end = at + len(begins)
		from = end
		if language.IsWithinWord(clause, at) && !t.anywhere {
			continue
		}
		for language.IsWithinWord(clause, end) {
			_, size := utf8.DecodeRuneInString(clause[end:])
			end += size
		}
		switch {
		case whole && clause[at:end] != begins, t.english && form(clause[at:end], word) == none:
			continue
		}
		return at, end
	}
	return -1, -1
}

// has reports whether a clause has one of some words.
func (t *tongue) has(clause string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { at, _ := t.locate(clause, w, 0); return at >= 0 })
}

// forms of an English verb.
const (
	none = iota
	base
	present
	gerund
	past
)

// stem is what all forms of an English word begin with.
func stem(word string) string {
	if n := len(word); n > 2 && (word[n-1] == 'e' || word[n-1] == 'y' && strings.IndexByte("aeou", word[n-2]) < 0) {
		return word[:n-1]
	}
	return word
}

// form tells which form of an English word that is.
func form(is, word string) int {
	ending, ok := strings.CutPrefix(is, stem(word))
	last := word[len(word)-1:]
	switch {
	case is == word:
		return base
	case !ok:
		return none
	}
	if rest, double := strings.CutPrefix(ending, last); double && (rest == "ing" || rest == "ed") {
		ending = rest
	}
	switch ending {
	case "s", "es", "ies":
		return present
	case "ing", "ying":
		return gerund
	case "ed", "ied":
		return past
	}
	return none
}
