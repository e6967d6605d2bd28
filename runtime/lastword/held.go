package lastword

import (
	"slices"
	"strings"
	"unicode"

	"github.com/cameronsjo/springfield/runtime/language"
	"github.com/cameronsjo/springfield/runtime/quotation"
)

// maxHeld limits Word.Held, in bytes.
const maxHeld = 600

// listHeld returns the clauses that hold something back, one a line: the words of its subject, a tab, and the clause. Where
// the subject is "", the clause holds back everything.
func (in reader) listHeld(all []clause) string {
	var held strings.Builder
	for _, c := range all {
		has := func(class language.Class) bool {
			return slices.ContainsFunc(c.forms, func(form string) bool { return in.Has(class, form) })
		}
		limits := has(language.Limit)
		holds := c.act == forbids || c.act == bars || has(language.Hold) && (c.act < asks || in.Skip(c.text, language.Not) > 0)
		subject := slices.DeleteFunc(subjectsOf(c.forms[len(c.forms)-1]), in.isFiller)
		if limits {
			subject = nil
		}
		if c.asks || !limits && (!holds || len(subject) == 0) {
			continue
		}
		if line := strings.Join(subject, " ") + "\t" + quotation.QuoteEvidence(c.said) + "\n"; held.Len()+len(line) <= maxHeld {
			held.WriteString(line)
		}
	}
	return held.String()
}

func (in reader) isFiller(word string) bool {
	return in.Skip(word, language.Common, language.Filler, language.Soft, language.And, language.Then, language.Not, language.Touch, language.Resume, language.Bother) == len(word)
}

// FindHeld returns the first of a prompt's clauses in held whose subject is in text.
func FindHeld(held, text string) (said string, ok bool) {
	subjects := subjectsOf(fold(text))
	for line := range strings.Lines(held) {
		subject, said, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		words := strings.Fields(subject)
		same := func(word string) bool {
			return slices.ContainsFunc(subjects, func(other string) bool { return areRelated(word, other) })
		}
		if len(words) == 0 || slices.ContainsFunc(words, same) {
			return said, true
		}
	}
	return "", false
}

// areRelated reports whether two words are the same, or forms of one: "deploying" and "deploy".
func areRelated(a, b string) bool {
	shorter, longer := []rune(a), []rune(b)
	if len(shorter) > len(longer) {
		shorter, longer = longer, shorter
	}
	n := 0
	for n < len(shorter) && shorter[n] == longer[n] {
		n++
	}
	whole := n == len(shorter)
	if slices.Contains(longer, '/') { // a directory and what is below it
		return whole && (len(longer) == n || longer[n] == '/')
	}
	return whole && len(longer)-n <= 3 || n >= 6 || n >= 2 && unicode.Is(unicode.Hangul, shorter[0])
}

// subjectsOf returns the words of a folded text that have three letters or more, paths, Korean words of two, and the pairs
// of characters of scripts without blanks, except for hiragana.
func subjectsOf(text string) (all []string) {
	start, script := 0, signs
	for i, r := range text + " " {
		next := scriptOf(r)
		if next == signs && script == blanks && isWithinPath(text, i) {
			next = blanks
		}
		if next == script {
			continue
		}
		run := []rune(text[start:i])
		switch {
		case script == blanks && len(run) >= 3, script == blanks && len(run) == 2 && unicode.Is(unicode.Hangul, run[0]):
			all = append(all, string(run))
		case script == pairs:
			for j := range len(run) - 1 {
				all = append(all, string(run[j:j+2]))
			}
		}
		start, script = i, next
	}
	return all
}

// isWithinPath reports whether the character at offset i of text joins a name: "src/render.go", "test_vat".
func isWithinPath(text string, i int) bool {
	return i > 0 && i+1 < len(text) && strings.IndexByte("/._", text[i]) >= 0 && isLetter(text[i+1])
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

const (
	signs = iota
	blanks
	pairs
)

func scriptOf(r rune) int {
	switch {
	case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r) && r != 'ー' || unicode.Is(unicode.Hiragana, r):
		return signs
	case language.HasBlanks(string(r)):
		return blanks
	}
	return pairs
}
