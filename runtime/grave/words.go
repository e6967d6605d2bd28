package grave

import (
	_ "embed"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/language"
)

// data has the words of grave acts, in a section for each language. A line begins with its kind. Verbs, with
// the objects that make them grave:
//
//	send     all but inner
//	commit   all but inner
//	delete   all but code and inner
//	remove   harm, or more
//	do, go   reach, or more; other objects of go are only the next piece of work
//	make     out, or more; other objects are built
//	build    live
//	plain    none
//
// Nouns, by the risk of an act on them: inner moves inside of a program, code is edited, tests are code that is often
// only mentioned, source is a file to edit, harm is hard to restore, reach runs or changes running things, out belongs
// to others, live is in use. And:
//
//	sure     grave in every sentence that builds nothing
//	beyond   circumstances in which every act is grave unless known to be harmless; live is one, too
//	back     restores the object of an act, without beyond; back commit, do and delete only for these verbs, and
//	         even for an object of reach. All match parts of words
//	spares   denies that the act reaches anything
//	open     asks for more than a yes
//	mild     verbs of other lists that only change text
//	cut      begins another act
//	and      between two acts
//	past     marks an act as done
//	frame    asks permission for an unlisted verb, which counts as one of remove
//	order    the verb comes last
//	head     the decisive noun comes last
//	anywhere a stem may have syllables before it
//
// ~ is a few words. English words are stems that take endings, others prefixes of words. A * in front makes a
// word match inside of others, a dot at the end only as a whole. [*] applies to every language but English,
// [all] to all. Other lists in [en] distinguish an English verb from a noun.
//
//go:embed grave.txt
var data string

// The grades of an object, by the risk of an act on it.
const inner, code, source, unknown, harm, reach, out, live = 1, 2, 3, 4, 5, 6, 7, 8

// kind is a list of nouns with their grade, or of verbs with the lowest grade of an object that makes them grave.
type kind struct {
	list  string
	grade int
	verb  bool
}

var kinds = []kind{
	{"inner", inner, false}, {"code", code, false}, {"tests", code, false}, {"source", source, false}, {"harm", harm, false}, {"reach", reach, false}, {"out", out, false}, {"live", live, false},
	{"send", code, true}, {"commit", code, true}, {"delete", unknown, true}, {"remove", harm, true}, {"do", reach, true}, {"go", reach, true}, {"make", out, true},
	{"build", live, true}, {"plain", live + 1, true},
}

type tongue struct {
	english    bool
	told       bool // the text is in it
	text       string
	lists      map[string][]string
	spared     bool   // the text denies that the act reaches anything
	builds     bool   // a question is about building something
	built      bool   // the current clause is
	works      bool   // a question asks for work on the program
	understood bool   // a known verb was found
	act        string // the grave act
	asked      bool   // a question has a verb
	mild       bool   // a question asks for an act that is harmless in any circumstance
}

// readTongue returns the words of some sections that can occur in text.
func readTongue(text string, sections ...string) *tongue {
	t := &tongue{english: sections[0] == "en", text: text, lists: map[string][]string{}}
	text += " file dotfile srcpath" // from nameFiles
	var grams [1 << 15]bool         // the three-byte sequences in the text
	gram := func(s string) uint32 { return (uint32(s[0])<<10 ^ uint32(s[1])<<5 ^ uint32(s[2])) & (1<<15 - 1) }
	for i := range max(0, len(text)-2) {
		grams[gram(text[i:])] = true
	}
	for _, section := range sections {
		_, lines, _ := strings.Cut(data, "\n["+section+"]\n")
		lines, _, _ = strings.Cut(lines, "\n[")
		for line := range strings.Lines(lines) {
			kind, words, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			for word := range strings.SplitSeq(words, ",") {
				if !strings.HasPrefix(kind, "back") && (len(word) < 4 || word[2] == '~' || word[0] == '*' || grams[gram(word)]) || strings.HasPrefix(kind, "back") && strings.Contains(text, word) {
					t.lists[kind] = append(t.lists[kind], word)
				}
			}
		}
	}
	t.spared = t.first(t.text, "spares") != ""
	return t
}

// mark is a known word in a clause.
type mark struct {
	kind
	at, end, long int    // long is the length of the listed part
	apart         bool   // the word has a separate second part
	form          string // "s", "ed" or "ing" of an English word
}

// marks returns the known verbs and nouns of a clause in order. It omits words within a longer one such as
// "release notes".
func (t *tongue) marks(clause string) []mark {
	var all []mark
	for _, k := range kinds {
		for _, word := range t.lists[k.list] {
			for m := t.locate(clause, word, 0); m.at >= 0; m = t.locate(clause, word, m.end) {
				if m.kind = k; m.verb || !t.english || len(m.form) < 2 {
					all = append(all, m)
				}
			}
		}
	}
	var kept []mark
	for _, m := range all {
		within := false
		for _, o := range all {
			within = within || (o.verb == m.verb || o.grade <= code) && o.at <= m.at && m.at < o.at+o.long && (o.long > m.long || o.apart && !m.apart || o.at < m.at && m.end <= o.end)
		}
		if !within {
			kept = append(kept, m)
		}
	}
	sort.SliceStable(kept, func(i, j int) bool { return kept[i].at < kept[j].at })
	return kept
}

// forms maps the endings of an English stem to forms of the word.
const forms = " =, e=, y=, s=s, es=s, ies=s, d=ed, ed=ed, ied=ed, ing=ing, ying=ing, "

// locate returns the first occurrence of a word in clause from offset from, or a mark at -1. The mark does
// not include a part after ~.
func (t *tongue) locate(clause, word string, from int) mark {
	first, second, apart := strings.Cut(word, "~")
	begins, whole := strings.CutSuffix(first, ".")
	begins, within := strings.CutPrefix(begins, "*")
	for i := strings.Index(clause[from:], begins); i >= 0; i = strings.Index(clause[from:], begins) {
		m := mark{at: from + i, end: from + i + len(begins), apart: apart}
		from = m.end
		if within {
			m.at = strings.LastIndexByte(clause[:m.at], ' ') + 1
		}
		m.long = m.end - m.at
		for language.IsWithinWord(clause, m.end) {
			_, size := utf8.DecodeRuneInString(clause[m.end:])
			m.end += size
		}
		ending := clause[m.at+m.long : m.end]
		if len(ending) > 2 && ending[0] == begins[len(begins)-1] {
			ending = ending[1:] // "dropping"
		}
		_, form, known := strings.Cut(forms, " "+ending+"=")
		m.form, _, _ = strings.Cut(form, ",")
		if (known || !t.english) && (!whole || ending == "") && (!apart || t.locate(clause, second, m.end).at >= 0) && (t.lists["anywhere"] != nil || !language.IsWithinWord(clause, m.at)) {
			return m
		}
	}
	return mark{at: -1}
}

// upTo returns the clause up to the first word of the named list at or after offset from.
func (t *tongue) upTo(clause, list string, from int) string {
	for _, word := range t.lists[list] {
		if m := t.locate(clause, word, from); m.at >= 0 {
			clause = clause[:m.at]
		}
	}
	return clause
}

func (t *tongue) first(clause, list string) string {
	for _, word := range t.lists[list] {
		if t.locate(clause, word, 0).at >= 0 {
			return word
		}
	}
	return ""
}
