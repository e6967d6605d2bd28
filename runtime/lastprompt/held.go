package lastprompt

import (
	"slices"
	"strings"
	"unicode"

	"github.com/cameronsjo/springfield/runtime/language"
	"github.com/cameronsjo/springfield/runtime/quotation"
)

// maxHeld limits Word.Held, in bytes.
const maxHeld = 600

const maxAnnounced = 2000 // bytes at the end of an announcement

// holdingClauses returns clauses that hold something back, one per line: subject's words ("" for everything), tab,
// quoted clause. The clauses' acts are set.
func (in reader) holdingClauses(all []clause) (subjectTabClauses string) {
	var held strings.Builder
	var before []string // the subject of the clause before, if that only states something
	topic := -1         // the sentence of such a clause
	for _, c := range all {
		has := func(class language.Class) bool {
			return slices.ContainsFunc(c.forms, func(form string) bool { return in.Has(class, form) })
		}
		holds, limits := has(language.Hold) && c.act != asks, has(language.Limit)
		part := c.forms[len(c.forms)-1]
		subject := slices.DeleteFunc(longWordsOf(part), in.isNoSubject)
		switch {
		case holds && c.act == states && topic == c.sentence: // "the release, that is for qa"
			subject = append(slices.Clip(before), subject...)
		case holds && len(subject) == 0 && !in.Has(language.Any, part) && !strings.Contains(part, "`"):
			subject = before
		}
		if before, topic = nil, -1; c.act == states {
			before, topic = subject, c.sentence
		}
		if limits {
			subject = nil
		}
		if c.asks || has(language.Standing) || !limits && (len(subject) == 0 || !holds && c.act != bars && c.act != forbids) {
			continue
		}
		if line := strings.Join(subject, " ") + "\t" + quotation.QuoteEvidence(c.said) + "\n"; held.Len()+len(line) <= maxHeld {
			held.WriteString(line)
		}
	}
	return held.String()
}

func (in reader) isNoSubject(word string) bool {
	return len(word) >= 16 && strings.ContainsAny(word, "0123456789") ||
		language.UsesBlanks(word) && in.MatchLen(word, language.Touch, language.Resume) == len(word) || // without blanks, "push" is one of these
		in.MatchLen(word, language.Common, language.Filler, language.Soft, language.And, language.Then, language.Not, language.Bother) == len(word)
}

// FindBanned returns the first prompt clause, quoted, with a subject, or a related word, in the last 2,000 bytes of the
// agent's announcement. held is Word.Held. A clause with no subject bans every announcement.
func FindBanned(held, announcement string) (heldClause string, ok bool) {
	subjects := longWordsOf(fold(quotation.Tail(announcement, maxAnnounced)))
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

// areRelated reports whether two words are the same, related ("deploying" and "deploy"), or a directory and a path
// below it.
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
	return whole && (len(longer)-n <= 3 || n >= 4 && len(longer)-n <= 6) || n >= 6 || n >= 2 && unicode.Is(unicode.Hangul, shorter[0]) || n >= 3 && n >= len(shorter)-2 && unicode.Is(unicode.Cyrillic, shorter[0])
}

// longWordsOf returns a folded text's words of three or more letters (two in hangul), paths, and character pairs of
// scripts without blanks, except hiragana.
func longWordsOf(folded string) (all []string) {
	start, how := 0, atEach
	for i, r := range folded + " " {
		next := wordSplitOf(r)
		if next == atEach && how == atBlanks && isPathJoiner(folded, i) {
			next = atBlanks
		}
		if next == how {
			continue
		}
		run := []rune(folded[start:i])
		switch {
		case how == atBlanks && len(run) >= 3, how == atBlanks && len(run) == 2 && unicode.Is(unicode.Hangul, run[0]):
			all = append(all, string(run))
		case how == inPairs:
			for j := range len(run) - 1 {
				all = append(all, string(run[j:j+2]))
			}
		}
		start, how = i, next
	}
	return all
}

func isPathJoiner(text string, i int) bool {
	return i > 0 && i+1 < len(text) && strings.IndexByte("/._", text[i]) >= 0 && 'a' <= text[i+1]|0x20 && text[i+1]|0x20 <= 'z'
}

// splitting is the way in which text is split into subjects. It depends on the script.
type splitting int

const (
	atEach   splitting = iota // the character belongs to no subject
	atBlanks                  // into words
	inPairs                   // into pairs of characters
)

func wordSplitOf(r rune) splitting {
	switch {
	case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r) && r != 'ー' || unicode.Is(unicode.Hiragana, r):
		return atEach
	case language.UsesBlanks(string(r)):
		return atBlanks
	}
	return inPairs
}
