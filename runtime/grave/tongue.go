// The words of a language, and where a clause has them.

package grave

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/runtime/language"
)

//go:embed grave.txt
var data string

// A rule is one line of verbs.
type rule struct {
	verbs, needs, except []string
	code                 bool // an object that is code makes it harmless
}

type tongue struct {
	english bool
	lists   map[string][]string
	rules   []rule
	builds  bool // a question is about building something
}

// readTongue reads what a language has of the words of a text, and the harmless nouns of others:
// a short text can be in the language of a neighbour.
func readTongue(code string, others []string, text string) *tongue {
	t := &tongue{english: code == "en", lists: map[string][]string{}}
	for section := range strings.SplitSeq(data, "\n[") {
		name, lines, _ := strings.Cut(section, "]\n")
		own := name == code || name == "*" && !t.english
		if !own && !slices.Contains(others, name) {
			continue
		}
		for line := range strings.SplitSeq(lines, "\n") {
			kind, words, _ := strings.Cut(line, " ")
			if !own && kind != "code" && kind != "inner" {
				continue
			}
			switch kind {
			case "order", "head", "anywhere":
				t.lists[kind] = []string{words}
				continue
			default:
				t.lists[kind] = append(t.lists[kind], wordsIn(words, text)...)
				continue
			case "act":
			}
			verbs, needs, _ := strings.Cut(words, " : ")
			verbs, except, safe := strings.Cut(verbs, " - ")
			if r := (rule{verbs: wordsIn(verbs, text), code: safe}); len(r.verbs) > 0 {
				if needs != "" {
					r.needs = append([]string{}, wordsIn(needs, text)...) // not nil: none of them is in the text
				}
				r.except = wordsIn(except, text)
				t.rules = append(t.rules, r)
			}
		}
	}
	for i := range t.rules {
		r := &t.rules[i]
		if slices.Contains(r.needs, "$harm") {
			r.needs = append(r.needs, t.lists["harm"]...)
		}
	}
	return t
}

// wordsIn lists those whose beginnings a text has, so that most are looked at once.
func wordsIn(words, text string) (found []string) {
	for word := range strings.FieldsSeq(words) {
		begins := strings.TrimSuffix(word, ".")
		if i := strings.IndexAny(begins, "_~"); i > 0 {
			begins = begins[:i]
		}
		if n := len(begins); n > 3 && begins[n-1] < 0x80 {
			begins = begins[:n-1] // "delete", "deleting"
		}
		if word[0] == '$' || strings.Contains(text, begins) {
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
		if language.IsWithinWord(clause, at) && t.lists["anywhere"] == nil {
			continue
		}
		for end < len(clause) && language.IsWithinWord(clause, end) {
			end++
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
