package language

import "strings"

// Text is what entries are looked for in: sentences, folded. It knows which three
// bytes follow each other anywhere in them, so that most entries need no search.
type Text struct {
	all   string
	grams [512]uint64
}

// TextOf makes sentences ready to be searched.
func TextOf(sentences []string) *Text {
	t := &Text{all: strings.Join(sentences, "\n")}
	for i := 0; i+3 <= len(t.all); i++ {
		h := gram(t.all[i:])
		t.grams[h>>6] |= 1 << (h & 63)
	}
	return t
}

func gram(s string) uint32 {
	return (uint32(s[0])<<10 ^ uint32(s[1])<<5 ^ uint32(s[2])) & 0x7fff
}

// mayHave tells whether a word can be in the text.
func (t *Text) mayHave(word string) bool {
	if len(word) >= 3 && !t.mayBegin(gram(word), gram(word[len(word)-3:])) {
		return false
	}
	return strings.Contains(t.all, word)
}

// mayBegin tells whether the first and the last three bytes of a word can be in it.
func (t *Text) mayBegin(first, last uint32) bool {
	return t.grams[first>>6]&(1<<(first&63)) != 0 && t.grams[last>>6]&(1<<(last&63)) != 0
}

// Finder finds what a pack knows in one text.
type Finder struct {
	Pack *Pack
	text *Text
	has  [classes][]string // entries that the text may have
	read [classes]bool
}

// In makes a pack ready to search a text.
func (p *Pack) In(t *Text) *Finder { return &Finder{Pack: p, text: t} }

// Says tells whether a sentence of the text has an entry of a class.
func (f *Finder) Says(c Class, sentence string) bool {
	for _, e := range f.entries(c) {
		if f.matches(e, sentence) {
			return true
		}
	}
	return false
}

// entries lists those of a class that the text may have.
func (f *Finder) entries(c Class) []string {
	if f.read[c] {
		return f.has[c]
	}
	f.read[c] = true
	if f.Pack.ready != nil {
		for _, p := range f.Pack.probes(c) {
			if (len(p.word) < 3 || f.text.mayBegin(p.first, p.last)) && strings.Contains(f.text.all, p.word) {
				f.has[c] = append(f.has[c], p.entry)
			}
		}
		return f.has[c]
	}
	f.Pack.each(c, func(entry string) bool {
		if word := longest(entry); word == "" || f.text.mayHave(word) {
			f.has[c] = append(f.has[c], entry)
		}
		return true
	})
	return f.has[c]
}

// literal is what a sentence has to contain for an entry to be worth a look, ""
// if that is not known.
func literal(entry string) string {
	if entry[0] == '^' || entry[0] == '*' || entry[0] == '-' {
		entry = entry[1:]
	}
	for i := 0; i < len(entry); i++ {
		switch c := entry[i]; {
		case c == '{' || c == '*' || c == '$' || c == 0xe2 && strings.HasPrefix(entry[i:], "…") || c == ' ' && i+1 < len(entry) && entry[i+1] == '!':
			return strings.TrimRight(entry[:i], " ")
		}
	}
	return entry
}

// longest is the longest run of letters that a sentence has to contain for an entry
// to hold.
func longest(entry string) (word string) {
	if isPlain(entry) {
		return entry
	}
	start := 0
	braced := false
	take := func(end int) {
		if run := strings.Trim(entry[start:end], " "); !braced && len(run) > len(word) {
			word = run
		}
		start = end + 1
	}
	for i := 0; i < len(entry); i++ {
		switch c := entry[i]; {
		case c == '{' || c == '}' || c == '*' || c == '^' || c == '-' && i == 0:
			take(i)
			braced = c == '{'
		case c == '$':
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

// isPlain tells an entry of words alone, as most are.
func isPlain(entry string) bool {
	for i := 0; i < len(entry); i++ {
		switch c := entry[i]; {
		case 'a' <= c && c <= 'z', c == ' ', c == '\'', c > 0x7f && c != 0xe2:
		default:
			return false
		}
	}
	return true
}
