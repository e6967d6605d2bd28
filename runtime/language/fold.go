package language

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// FoldText normalises a text for comparison: lower case, straight apostrophes and single spaces, without commas, Arabic
// vowel signs and invisible characters. It drops leading spaces, but keeps one at the end.
func FoldText(s string) (folded string) {
	var b strings.Builder
	b.Grow(len(s))
	blank := true
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			i++
			switch {
			case c == ' ' || c == '\t' || c == '\n' || c == '\r':
				if !blank {
					b.WriteByte(' ')
				}
				blank = true
				continue
			case c == ',':
				continue
			case 'A' <= c && c <= 'Z':
				c += 'a' - 'A'
			}
			b.WriteByte(c)
			blank = false
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		switch {
		case r == '，' || r == '、' || r == '،':
			continue
		case r == 0x640 || 0x64b <= r && r <= 0x652 || 0x200b <= r && r <= 0x200f || r == 0xfe0f || r == 0x2060 || r == 0xad || r == utf8.RuneError:
			continue // Arabic vowels, marks of width and direction
		case r == 0x93c: // nukta
			continue
		case r == 0xa0 || r == 0x3000 || r == 0x202f || 0x2000 <= r && r <= 0x200a:
			if !blank {
				b.WriteByte(' ')
			}
			blank = true
			continue
		}
		b.WriteRune(foldRune(r))
		blank = false
	}
	return b.String()
}

func foldRune(r rune) rune {
	switch {
	case r == '’' || r == '‘' || r == 'ʼ':
		return '\''
	case r == 'ё' || r == 'Ё':
		return 'е'
	case 0x958 <= r && r <= 0x95f:
		return []rune("कखगजडढफय")[r-0x958]
	case r == 0x901:
		return 0x902
	case 0x660 <= r && r <= 0x669:
		return '0' + r - 0x660
	case 0x6f0 <= r && r <= 0x6f9:
		return '0' + r - 0x6f0
	case 0x966 <= r && r <= 0x96f:
		return '0' + r - 0x966
	case 0xff01 <= r && r <= 0xff5e:
		return unicode.ToLower(r - 0xfee0) // the full width of ASCII
	}
	return unicode.ToLower(r)
}

// inSpacedWord reports whether r belongs to a word that ends at a space or sign. It is false for Chinese and Japanese.
func inSpacedWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || r == '_'
	}
	if 0x2e80 <= r && r <= 0xa4cf || 0xf900 <= r && r <= 0xfaff || 0x20000 <= r || r == utf8.RuneError {
		return false
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r)
}

func UsesBlanks(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return inSpacedWord(r)
}

// IsWithinWord reports whether offset i in the folded text s is inside a word, not at its beginning or end. It returns
// false if i is outside s. Dots between letters or digits join names.
func IsWithinWord(s string, i int) bool {
	if i <= 0 || i >= len(s) {
		return false
	}
	for _, dot := range [...]int{i - 1, i} {
		if dot > 0 && dot+1 < len(s) && s[dot] == '.' && isLowerOrDigit(s[dot-1]) && isLowerOrDigit(s[dot+1]) {
			return true
		}
	}
	if a, b := rune(s[i-1]), rune(s[i]); a < utf8.RuneSelf && !inSpacedWord(a) || b < utf8.RuneSelf && !inSpacedWord(b) {
		return false
	} else if a < utf8.RuneSelf && b < utf8.RuneSelf {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	behind, _ := utf8.DecodeRuneInString(s[i:])
	return inSpacedWord(before) && inSpacedWord(behind)
}

func isLowerOrDigit(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }
