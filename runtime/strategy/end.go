// How a message ends: its last paragraph, its last sentence, its last
// character. That is where Claude says what happens next; the words before it
// are about what has been.

package strategy

import "strings"

// maxParagraph bounds the last paragraph, in bytes from its end.
const maxParagraph = 600

// markup is what may stand behind the last character of a sentence.
const markup = " \t\r\n\"'”’)]*_`"

type end struct {
	paragraph string
	sentences []string // of the paragraph, without leading markup; the last one last
}

func endOf(text string) end {
	p := strings.TrimSpace(text)
	if i := strings.LastIndex(p, "\n\n"); i >= 0 {
		p = p[i+2:]
	}
	if len(p) > maxParagraph {
		p = strings.ToValidUTF8(p[len(p)-maxParagraph:], "")
	}
	return end{p, sentences(p)}
}

// sentences splits at line ends and where a full stop, colon, question or
// exclamation mark has a blank behind it.
func sentences(p string) []string {
	var all []string
	start := 0
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '.', '!', '?', ':':
			if i+1 == len(p) || p[i+1] != ' ' {
				continue
			}
		case '\n':
		default:
			continue
		}
		all = add(all, p[start:i+1])
		start = i + 1
	}
	return add(all, p[start:])
}

func add(all []string, sentence string) []string {
	if sentence = strings.TrimLeft(sentence, " \t\r\n-*_#>`(\"“"); strings.Trim(sentence, markup) != "" {
		all = append(all, sentence)
	}
	return all
}

// last is the last sentence, "" if there is none.
func (e end) last() string {
	if len(e.sentences) == 0 {
		return ""
	}
	return e.sentences[len(e.sentences)-1]
}

// fold makes phrases comparable: lower case, straight apostrophes.
func fold(s string) string { return strings.ReplaceAll(strings.ToLower(s), "’", "'") }

// closes tells whether one of the characters ends the text.
func (e end) closes(characters string) bool {
	p := strings.TrimRight(e.paragraph, markup)
	return p != "" && strings.ContainsRune(characters, rune(p[len(p)-1]))
}

// opens tells whether one of the phrases begins the last sentence.
func (e end) opens(phrases []string) bool {
	s := fold(e.last())
	for _, phrase := range phrases {
		phrase = fold(phrase)
		if strings.HasPrefix(s, phrase) && !isWord(s, len(phrase)) {
			return true
		}
	}
	return false
}

// says finds the first sentence that has one of the phrases as whole words.
func (e end) says(phrases []string) (sentence string, ok bool) {
	for _, sentence := range e.sentences {
		folded := fold(sentence)
		for _, phrase := range phrases {
			if hasWords(folded, fold(phrase)) {
				return quote(sentence), true
			}
		}
	}
	return "", false
}

func hasWords(s, phrase string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], phrase)
		if i < 0 {
			return false
		}
		i += from
		if !isWord(s, i-1) && !isWord(s, i+len(phrase)) {
			return true
		}
		from = i + 1
	}
}

// isWord tells whether a letter or digit is at i. Bytes of letters beyond ASCII
// count as such.
func isWord(s string, i int) bool {
	if i < 0 || i >= len(s) {
		return false
	}
	c := s[i]
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 0x80
}

// quote makes evidence of a text: on one line, at most 80 bytes of it.
func quote(s string) string {
	s = strings.ToValidUTF8(strings.Join(strings.Fields(s), " "), "")
	if len(s) > 80 {
		s = strings.ToValidUTF8(s[:80], "") + "…"
	}
	return "“" + s + "”"
}
