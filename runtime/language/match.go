// Matching of a pack's entries in a sentence. An entry consists of words, and of
//
//	^      the beginning of the sentence, or of a clause after a colon or a dash
//	$      the end of the sentence, ignoring signs
//	$4     the end within four words
//	…      anything, within the sentence
//	word*  a word with this prefix
//	*word  a word with this suffix
//	{do}   an entry of that class
//	[a|b]  one of these, which contain no brackets
//	{n}    a number
//	!x     only if x is nowhere in the sentence
//	!x !y  as an entry: the next entries of the class match only without x and y in the sentence
//	!…x    only if x does not follow, up to a word of the class break
//	-x     an exception: x is not in the class
//	-<x    an exception: nothing after the word x is in the class

package language

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// matchesNone reports whether s matches no pattern in nots. Patterns are separated by " !", with none before the first.
// Patterns beginning with "…" are only searched in the clause from dotsFrom.
func (f *finder) matchesNone(nots, s string, dotsFrom int) bool {
	for nots != "" {
		var one string
		one, nots, _ = strings.Cut(nots, " !")
		scope := s
		if rest, ok := strings.CutPrefix(one, "…"); ok {
			one, scope = rest, f.firstClause(s[dotsFrom:])
		}
		if f.findPattern(one, scope, always) {
			return false
		}
	}
	return true
}

// firstClause returns s up to the first entry of the class Break, ignoring one at offset 0.
func (f *finder) firstClause(s string) string {
	for i := range s {
		if i == 0 || IsWithinWord(s, i) {
			continue
		}
		for _, e := range f.candidates(Break) {
			if _, ok := beginsRun(e, s, i); ok {
				return s[:i]
			}
		}
	}
	return s
}

// findPattern reports whether a non-empty entry, without "!" parts, matches anywhere in the folded sentence s with an
// end accepted by good.
func (f *finder) findPattern(pattern, s string, good func(end int) bool) bool {
	if rest, ok := strings.CutPrefix(pattern, "^"); ok {
		if f.begun != s || f.begins == nil {
			f.begun, f.begins = s, f.clauseStarts(s)
		}
		return slices.ContainsFunc(f.begins, func(i int) bool { return mayMatchAt(rest, s, i) && f.matchesAt(rest, s, i, good) })
	}
	word := literalPrefix(pattern)
	pattern, anywhere := strings.CutPrefix(pattern, "*")
	for from := 0; from <= len(s); {
		i := strings.Index(s[from:], word)
		if i < 0 {
			return false
		}
		i += from
		begins := anywhere || !IsWithinWord(s, i) && (i == len(s) || utf8.RuneStart(s[i]))
		if begins && f.matchesAt(pattern, s, i, good) {
			return true
		}
		from = i + 1
	}
	return false
}

// matchesAt reports whether pattern, without "^" or "!", matches s at offset i, with an end accepted by good. It skips
// spaces at i.
func (f *finder) matchesAt(pattern, s string, i int, good func(end int) bool) bool {
	for {
		pattern = strings.TrimLeft(pattern, " ")
		if pattern == "" {
			return good(i)
		}
		i = len(s) - len(strings.TrimLeft(s[i:], " "))
		switch {
		case pattern[0] == '$':
			return hasFewWords(s[i:], pattern[1:]) && good(i)
		case strings.HasPrefix(pattern, "…"):
			rest := strings.TrimLeft(pattern[len("…"):], " ")
			for j := i; j <= len(s); j++ {
				may := rest == "" || rest[0] == '*' || !IsWithinWord(s, j)
				if may && (j == len(s) || utf8.RuneStart(s[j])) && f.matchesAt(rest, s, j, good) {
					return true
				}
			}
			return false
		case pattern[0] == '[':
			group, rest, _ := strings.Cut(pattern[1:], "]")
			for more := true; more; {
				var one string
				one, group, more = strings.Cut(group, "|")
				one = strings.TrimLeft(one, " ")
				if mayMatchAt(one, s, i) && f.matchesAt(one, s, i, f.acceptRest(rest, s, good)) {
					return true
				}
			}
			return false
		case pattern[0] == '{':
			name, rest, _ := strings.Cut(pattern[1:], "}")
			if name == "n" {
				behind := len(s) - len(strings.TrimLeft(s[i:], "0123456789"))
				if behind == i {
					return false
				}
				i, pattern = behind, rest
				continue
			}
			c, ok := named[name]
			return ok && f.hasMemberAt(c, s, i, rest, good)
		}
		// A run of words, up to the next special character.
		run, rest := pattern, ""
		if j := strings.IndexAny(pattern, "{[…$"); j >= 0 {
			run, rest = pattern[:j], pattern[j:]
		}
		n, ok := beginsRun(strings.TrimPrefix(strings.TrimRight(run, " "), "*"), s, i)
		if !ok {
			return false
		}
		i, pattern = n, rest
	}
}

func (f *finder) acceptRest(rest, s string, good func(end int) bool) func(end int) bool {
	if rest == "" {
		return good
	}
	return func(end int) bool { return f.matchesAt(rest, s, end, good) }
}

// mayMatchAt returns false only if pattern's first byte excludes a match at offset i of s. pattern has no "^".
func mayMatchAt(pattern, s string, i int) bool {
	if pattern == "" {
		return true
	}
	switch c := pattern[0]; c {
	case ' ', '{', '[', '$', '*', "…"[0]:
		return true
	default:
		return i < len(s) && s[i] == c
	}
}

const maxDepth = 8 // of nested classes

// hasMemberAt reports whether an entry of c, then suffix, matches s at offset i with an end accepted by good. It
// returns false at an exception.
func (f *finder) hasMemberAt(c Class, s string, i int, suffix string, good func(end int) bool) bool {
	for _, e := range f.candidates(c) {
		if e[0] == '-' { // an exception
			if word, behind := strings.CutPrefix(e[1:], "<"); behind {
				if before, ok := strings.CutSuffix(s[:i], word+" "); ok && !IsWithinWord(s, len(before)) {
					return false
				}
			}
			if _, not := beginsRun(e[1:], s, i); not {
				return false
			}
			continue
		}
		if !mayMatchAt(e, s, i) {
			continue
		}
		if strings.ContainsAny(e, "[{…") {
			f.depth++
			found := f.depth < maxDepth && f.matchesAt(e, s, i, f.acceptRest(suffix, s, good))
			f.depth--
			if found {
				return true
			}
			continue
		}
		if e[0] != '*' {
			if n, ok := beginsRun(e, s, i); ok && f.matchesAt(suffix, s, n, good) {
				return true
			}
			continue
		}
		j := len(s) - len(strings.TrimLeftFunc(s[i:], func(r rune) bool { return inSpacedWord(r) || r == '-' }))
		if strings.HasSuffix(s[i:j], e[1:]) && j > i+len(e)-1 && f.matchesAt(suffix, s, j, good) {
			return true
		}
	}
	return false
}

// beginsRun reports whether phrase's words match s from offset i up to a word's end. A star matches the rest of a word.
// Callers check for a word's beginning.
func beginsRun(phrase, s string, i int) (end int, ok bool) {
	for phrase != "" {
		word, rest, star := strings.Cut(phrase, "*")
		if !strings.HasPrefix(s[i:], word) {
			return 0, false
		}
		i += len(word)
		if star {
			i = len(s) - len(strings.TrimLeftFunc(s[i:], inSpacedWord))
		}
		phrase = rest
	}
	return i, !IsWithinWord(s, i)
}

// hasFewWords reports whether rest has up to maxWords words. maxWords is a digit ("" for 0).
func hasFewWords(rest, maxWords string) bool {
	most := 0
	if maxWords != "" {
		most = int(maxWords[0] - '0')
	}
	word := false
	for _, r := range rest {
		is := inSpacedWord(r) || unicode.IsLetter(r) || r == '`'
		if is && !word {
			if most--; most < 0 {
				return false
			}
		}
		word = is || word && (r == '-' || r == '\'')
	}
	return true
}

// clauseStarts returns up to eight offsets where the sentence or a clause begins, after signs and words like "so", but
// not commas or full stops. Offsets can repeat, in any order.
func (f *finder) clauseStarts(foldedSentence string) []int {
	all := make([]int, 0, 8)
	add := func(i int) {
		i = len(foldedSentence) - len(strings.TrimLeftFunc(foldedSentence[i:], func(r rune) bool { return !inSpacedWord(r) && !unicode.IsLetter(r) && r != '`' }))
		for range 3 { // "so", "ok"
			if len(all) == 8 || i >= len(foldedSentence) {
				return
			}
			all = append(all, i)
			next := 0
			for _, e := range f.candidates(Link) {
				if n, ok := beginsRun(e, foldedSentence, i); ok {
					next = n
					break
				}
			}
			if next == 0 {
				return
			}
			i = len(foldedSentence) - len(strings.TrimLeft(foldedSentence[next:], " :.!-"))
		}
	}
	add(0)
	for i, r := range foldedSentence {
		switch r {
		case ':', ';', '—', '–', '→', '←', '：', '；', '؛', '·', '▶', '►', '>':
			add(i + utf8.RuneLen(r))
		case '✅', '✔', '☑', '✓', '🎉', '👍', '🟢':
			add(i + utf8.RuneLen(r))
		case '-':
			if i > 0 && foldedSentence[i-1] == ' ' && strings.HasPrefix(foldedSentence[i+1:], " ") {
				add(i + 1)
			}
		}
	}
	return all
}

// searched is the text to search. grams is a set of its three-byte sequences, which excludes most entries
// without a search.
type searched struct {
	all   string
	grams [512]uint64
}

// Finders find the entries of several packs in the same folded sentences.
type Finders []*finder

// AllFinders returns a finder for each pack, for these sentences only. Callers fold them with FoldText and, for prompt
// classes, remove accents too. Finders are not safe for concurrent use.
func AllFinders(packs []*Pack, folded []string) (perPack Finders) {
	t := &searched{all: strings.Join(folded, "\n")}
	for i := 0; i+3 <= len(t.all); i++ {
		h := hashTrigram(t.all[i:])
		t.grams[h>>6] |= 1 << (h & 63)
	}
	for _, p := range packs {
		perPack = append(perPack, &finder{pack: p, text: t})
	}
	return perPack
}

func hashTrigram(s string) uint32 {
	return (uint32(s[0])<<10 ^ uint32(s[1])<<5 ^ uint32(s[2])) & 0x7fff
}

// mayHave returns false only if the entry matches nowhere in the text. The entry is not empty, and has no leading "!".
func (t *searched) mayHave(entry string) bool {
	mayBegin := func(pattern string) bool {
		return len(pattern) < 3 || !isPlain[pattern[0]] || !isPlain[pattern[1]] || !isPlain[pattern[2]] ||
			t.mayHaveGram(pattern)
	}
	begin := entry
	if begin[0] == '^' || begin[0] == '*' {
		begin = begin[1:]
	}
	if group, ok := strings.CutPrefix(begin, "["); ok {
		group, _, _ = strings.Cut(group, "]")
		may := false
		for one, more := "", true; more && !may; { // an iterator would allocate, because the hook is built without inlining
			one, group, more = strings.Cut(group, "|")
			may = mayBegin(one)
		}
		if !may {
			return false
		}
	} else if !mayBegin(begin) {
		return false
	}
	word := longestLiteral(entry)
	return len(word) < 3 || t.mayHaveGram(word) && t.mayHaveGram(word[len(word)-3:]) && strings.Contains(t.all, word)
}

// mayHaveGram reports whether the text may contain s's first three bytes. s has three or more.
func (t *searched) mayHaveGram(s string) bool {
	h := hashTrigram(s)
	return t.grams[h>>6]&(1<<(h&63)) != 0
}

// isPlain contains the bytes with no special meaning in an entry.
var isPlain = func() (plain [256]bool) {
	for c := range plain {
		plain[c] = 'a' <= c && c <= 'z' || c >= 0x80 && c != 0xe2
	}
	return plain
}()

type finder struct {
	pack *Pack
	text *searched
	has  [classes][]string // candidates that may match in the text
	read [classes]bool

	depth  int    // of nested classes
	begun  string // sentence for begins
	begins []int
}

func always(int) bool { return true }

// Has reports whether an entry of class c matches in folded, unless an earlier exclusion in the same pack and class
// does, too. folded is (part of) a sentence from the finders.
func (all Finders) Has(c Class, folded string) bool {
packs:
	for _, f := range all {
		for _, e := range f.candidates(c) {
			if nots, excludes := strings.CutPrefix(e, "!"); excludes {
				if !f.matchesNone(nots, folded, 0) {
					continue packs
				}
				continue
			}
			pattern, nots := e, ""
			if i := strings.IndexByte(e, '!'); i > 0 {
				pattern, nots = e[:i-1], e[i+1:]
			}
			good := always
			if nots := nots; nots != "" { // a captured variable is allocated for each entry
				good = func(end int) bool { return f.matchesNone(nots, folded, end) }
			}
			if f.findPattern(pattern, folded, good) {
				return true
			}
		}
	}
	return false
}

// MatchLen returns the length in bytes of the longest match for these classes from the start of folded (0 if none).
// Entries with "^" or "!" never match. folded is (part of) a finders' sentence.
func (all Finders) MatchLen(folded string, some ...Class) (longest int) {
	take := func(end int) bool {
		longest = max(longest, end)
		return false
	}
	for _, f := range all {
		for _, c := range some {
			f.hasMemberAt(c, folded, 0, "", take)
		}
	}
	return longest
}

// candidates returns the entries of class c that may match in the text, with exceptions ("-x"), and all exclusions
// ("!x").
func (f *finder) candidates(c Class) []string {
	if f.read[c] {
		return f.has[c]
	}
	f.read[c] = true
	for text := f.pack.text[c]; text != ""; {
		var e string
		if e, text, _ = strings.Cut(text, "\n"); e != "" && e[0] != '#' && (e[0] == '!' || f.text.mayHave(e)) {
			f.has[c] = append(f.has[c], e)
		}
	}
	return f.has[c]
}

// literalPrefix returns the literal text at the beginning of a non-empty entry, or "".
func literalPrefix(entry string) string {
	if entry[0] == '^' || entry[0] == '*' || entry[0] == '-' {
		entry = entry[1:]
	}
	for i := 0; i < len(entry); i++ {
		switch c := entry[i]; {
		case c == '{' || c == '[' || c == '*' || c == '$' || c == 0xe2 && strings.HasPrefix(entry[i:], "…") || c == ' ' && i+1 < len(entry) && entry[i+1] == '!':
			return strings.TrimRight(entry[:i], " ")
		}
	}
	return entry
}

// longestLiteral returns the longest literal text an entry's matches must contain.
func longestLiteral(entry string) (word string) {
	start, depth := 0, 0
	take := func(end int) {
		if run := strings.Trim(entry[start:end], " "); depth == 0 && len(run) > len(word) {
			word = run
		}
		start = end + 1
	}
	for i := 0; i < len(entry); i++ {
		switch c := entry[i]; {
		case 'a' <= c && c <= 'z':
		case c == '{' || c == '[':
			take(i)
			depth++
		case c == '}' || c == ']':
			take(i)
			depth--
		case c == '*' || c == '^' || c == '<' || c == '-' && i == 0:
			take(i)
		case c == '$' && depth == 0:
			take(i)
			return word
		case c == 0xe2 && strings.HasPrefix(entry[i:], "…"):
			take(i)
			i += len("…") - 1
			start = i + 1
		case c == ' ' && i+1 < len(entry) && entry[i+1] == '!':
			take(i)
			return word
		}
	}
	take(len(entry))
	return word
}
