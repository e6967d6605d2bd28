// How an entry of a pack is found in a sentence. An entry is words, with
//
//	^      the sentence, or a clause behind a colon or a dash, begins here
//	$      the sentence ends here, signs left aside
//	…      anything, within the sentence
//	word*  a word that begins so
//	*word  a word that ends so
//	{do}   an entry of that class
//	{n}    a number
//	!x     and x is nowhere in the sentence
package language

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// matches tests an entry on a sentence.
func (f *Finder) matches(entry, s string) bool {
	pattern, not, _ := strings.Cut(entry, " !")
	if !f.finds(pattern, s) {
		return false
	}
	for not != "" {
		var one string
		one, not, _ = strings.Cut(not, " !")
		if f.finds(one, s) {
			return false
		}
	}
	return true
}

// finds looks for a pattern anywhere in a sentence.
func (f *Finder) finds(pattern, s string) bool {
	if rest, ok := strings.CutPrefix(pattern, "^"); ok {
		for _, i := range f.beginnings(s) {
			if f.at(rest, s, i) {
				return true
			}
		}
		return false
	}
	word := literal(pattern)
	if pattern[0] == '*' {
		for from := 0; ; {
			i := strings.Index(s[from:], word)
			if i < 0 {
				return false
			}
			i += from
			if f.at(pattern[1:], s, i) {
				return true
			}
			from = i + 1
		}
	}
	if word == "" { // it begins with a class or an end
		for i := 0; i <= len(s); i++ {
			if (i == 0 || !wordBefore(s, i) || !wordAt(s, i)) && utf8.RuneStart(at(s, i)) && f.at(pattern, s, i) {
				return true
			}
		}
		return false
	}
	for from := 0; from <= len(s); {
		i := strings.Index(s[from:], word)
		if i < 0 {
			return false
		}
		i += from
		if (!wordBefore(s, i) || !wordAt(s, i)) && f.at(pattern, s, i) {
			return true
		}
		from = i + 1
	}
	return false
}

func at(s string, i int) byte {
	if i < len(s) {
		return s[i]
	}
	return 0
}

// at tests whether a pattern matches from there on.
func (f *Finder) at(pattern, s string, i int) bool {
	for {
		pattern = strings.TrimLeft(pattern, " ")
		if pattern == "" {
			return true
		}
		for i < len(s) && s[i] == ' ' {
			i++
		}
		switch {
		case pattern[0] == '$':
			return ends(s[i:])
		case strings.HasPrefix(pattern, "…"):
			rest := strings.TrimLeft(pattern[len("…"):], " ")
			for j := i; j <= len(s); j++ {
				if utf8.RuneStart(at(s, j)) && (rest == "" || rest[0] == '*' || !wordBefore(s, j) || !wordAt(s, j)) && f.at(rest, s, j) {
					return true
				}
			}
			return false
		case pattern[0] == '{':
			name, rest, _ := strings.Cut(pattern[1:], "}")
			if name == "n" {
				j := i
				for j < len(s) && '0' <= s[j] && s[j] <= '9' {
					j++
				}
				if j == i {
					return false
				}
				i, pattern = j, rest
				continue
			}
			c, ok := classNamed(name)
			if !ok {
				return false
			}
			found := false
			for _, e := range f.entries(c) {
				if e[0] == '-' { // none of the class, though it looks like one
					if _, not := begins(e[1:], s, i); not {
						break
					}
					continue
				}
				if e[0] == '*' { // a word that ends so
					j := i
					for j < len(s) {
						r, size := utf8.DecodeRuneInString(s[j:])
						if !isWord(r) && r != '-' {
							break
						}
						j += size
					}
					found = strings.HasSuffix(s[i:j], e[1:]) && j > i+len(e)-1 && f.at(rest, s, j)
				} else if n, ok := begins(e, s, i); ok {
					found = f.at(rest, s, n)
				}
				if found {
					break
				}
			}
			return found
		}
		// A run of words, up to what is special.
		run, rest := pattern, ""
		if j := strings.IndexAny(pattern, "{…$"); j >= 0 {
			run, rest = pattern[:j], pattern[j:]
		}
		run = strings.TrimRight(run, " ")
		run = strings.TrimPrefix(run, "*")
		n, ok := begins(run, s, i)
		if !ok {
			return false
		}
		i, pattern = n, rest
	}
}

// begins tests whether a run of words stands there, and says where it ends. A star
// behind a word stands for the rest of it.
func begins(run, s string, i int) (end int, ok bool) {
	for run != "" {
		word, rest, star := strings.Cut(run, "*")
		if !strings.HasPrefix(s[i:], word) {
			return 0, false
		}
		i += len(word)
		if star {
			for i < len(s) {
				r, size := utf8.DecodeRuneInString(s[i:])
				if !isWord(r) {
					break
				}
				i += size
			}
		}
		run = rest
	}
	return i, !wordAt(s, i) || !wordBefore(s, i)
}

// ends tells whether nothing but signs is left of a sentence.
func ends(rest string) bool {
	return !strings.ContainsFunc(rest, func(r rune) bool { return isWord(r) || unicode.IsLetter(r) || r == '`' })
}

// beginnings are the places where a sentence, or a clause of it, begins.
func (f *Finder) beginnings(s string) []int {
	all := make([]int, 0, 8)
	add := func(i int) {
		for i < len(s) && len(all) < 8 {
			r, size := utf8.DecodeRuneInString(s[i:])
			if isWord(r) || unicode.IsLetter(r) || r == '`' {
				break
			}
			i += size
		}
		for range 3 { // "so", "ok"
			if len(all) == 8 || i >= len(s) {
				return
			}
			all = append(all, i)
			next := 0
			for _, e := range f.entries(Link) {
				if n, ok := begins(e, s, i); ok {
					next = n
					break
				}
			}
			if next == 0 {
				return
			}
			for next < len(s) && (s[next] == ' ' || s[next] == ':' || s[next] == '.' || s[next] == '!' || s[next] == '-') {
				next++
			}
			i = next
		}
	}
	add(0)
	for i, r := range s {
		switch r {
		case ':', ';', '—', '–', '→', '：', '；', '·', '▶', '►', '>':
			add(i + utf8.RuneLen(r))
		case '-':
			if i > 0 && s[i-1] == ' ' && at(s, i+1) == ' ' {
				add(i + 1)
			}
		}
	}
	return all
}
