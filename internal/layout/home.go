package layout

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Tilde writes ~ for the home directory, in a path or in a text that has paths in it.
// Behind = and in quotes the path stays whole, because a shell knows no ~ there.
func Tilde(text, home string) string {
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
		case b.Len() > 0 && (inName(last) || strings.ContainsRune(`/\='`, last)), after != "" && inName(next):
			b.WriteString(home)
		default:
			b.WriteString("~")
		}
		text = after
	}
}

// inName tells the characters that names of files are made of.
func inName(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-~", r)
}
