package layout

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// WithTilde writes ~ for the home directory, in a path or in a text that has paths in it.
// Behind = and in quotes the path stays whole, because a shell knows no ~ there.
func WithTilde(text, home string) string {
	if len(home) < 2 {
		return text
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, home)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		last, _ := utf8.DecodeLastRuneInString(b.String())
		next, _ := utf8.DecodeRuneInString(after)
		switch {
		case b.Len() > 0 && (isNameRune(last) || strings.ContainsRune(`/\='`, last)), after != "" && isNameRune(next):
			b.WriteString(home)
		default:
			b.WriteString("~")
		}
		text = after
	}
}

// isNameRune tells the characters that names of files are made of.
func isNameRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-~", r)
}
