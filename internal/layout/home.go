package layout

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/check"
)

// Tilde writes ~ for the home directory, in a path or in a text that has paths in it.
// A path in single quotes, as a shell takes it, becomes ~/'rest', which a shell
// takes too, or ~/rest where that needs no quotes. Behind = the path stays whole,
// because not every shell knows ~ there.
func Tilde(text, home string) string {
	if len(home) < 2 || !strings.Contains(text, home) {
		return text
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, home)
		if !found {
			return b.String() + text
		}
		last, _ := utf8.DecodeLastRuneInString(before)
		if before == "" {
			last, _ = utf8.DecodeLastRuneInString(b.String())
		}
		next, _ := utf8.DecodeRuneInString(after)
		quoted := last == '\'' && before != ""
		switch {
		case before+b.String() != "" && (inName(last) || strings.ContainsRune(`/\=`, last)), after != "" && inName(next):
			b.WriteString(before + home)
		case quoted && next == '/':
			b.WriteString(strings.TrimSuffix(before, "'") + "~/")
			after = after[1:]
			if rest, more, closed := strings.Cut(after, "'"); closed && check.Quote(rest) == rest && !strings.HasPrefix(more, `\`) {
				b.WriteString(rest)
				after = after[len(rest)+1:]
			} else {
				b.WriteString("'")
			}
		case quoted && next == '\'':
			b.WriteString(strings.TrimSuffix(before, "'") + "~")
			after = after[1:]
		default:
			b.WriteString(before + "~")
		}
		text = after
	}
}

// inName tells the characters that names of files are made of.
func inName(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-~", r)
}
