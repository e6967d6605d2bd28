// The clauses of a text.

package grave

import (
	"strings"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/language"
)

// A clause is folded, and names are in the place of quotes.
type clause struct {
	text string
	asks bool
}

// splitClauses takes the clauses of the last sentence for a question where no sentence is one.
func splitClauses(text string) (all []clause) {
	text = nameQuotes(text) + "\n"
	from, begin, last, question := 0, 0, 0, false
	for i, r := range text {
		next := i + utf8.RuneLen(r)
		ends := strings.ContainsRune(".\n?!？！؟。।", r)
		if !ends && !strings.ContainsRune(":,;()–—，、；：،•→|…", r) || strings.ContainsRune(".:,", r) && text[next] != ' ' && text[next] != '\n' {
			continue
		}
		folded := language.FoldText(strings.ReplaceAll(text[from:i], "*", ""))
		if folded = strings.Trim(nameFiles(folded), " -#>."); folded != "" {
			all = append(all, clause{text: folded})
		}
		if from = next; ends && begin < len(all) {
			for j := begin; j < len(all); j++ {
				all[j].asks = r == '?' || r == '？' || r == '؟'
			}
			question = question || all[begin].asks
			last, begin = begin, len(all)
		}
	}
	for j := last; j < len(all) && !question; j++ {
		all[j].asks = true
	}
	return all
}

var closing = map[rune]string{'"': "\"", '“': "”", '„': "“”", '«': "»", '「': "」", '`': "`", '\'': "'"}

// nameQuotes puts a word in the place of what is quoted. Code stays, as it may be a command, but for what is called.
func nameQuotes(text string) string {
	for from := 0; ; {
		i := strings.IndexFunc(text[from:], func(r rune) bool { return closing[r] != "" })
		if i < 0 {
			return text
		}
		i += from
		r, size := utf8.DecodeRuneInString(text[i:])
		from = i + size
		n := strings.IndexAny(text[from:], closing[r]+"\n")
		if n <= 0 || text[from+n] == '\n' || r == '\'' && i > 0 && text[i-1] != ' ' {
			continue
		}
		quoted, rest := text[from:from+n], text[from+n:]
		called := strings.Contains(quoted, "(") || strings.ToLower(quoted[1:]) != quoted[1:] && !strings.Contains(quoted, " ")
		if _, size = utf8.DecodeRuneInString(rest); (r != '`' || called) && len(text)-n > 12 {
			quoted = "name"
		}
		text = text[:i] + " " + quoted + " " + rest[size:]
	}
}

// nameFiles puts a word in the place of paths.
func nameFiles(clause string) string {
	words := strings.Split(clause, " ")
	for i, word := range words {
		name, ending, _ := strings.Cut(word, ".")
		if strings.HasPrefix(word, "/etc/") || strings.HasPrefix(word, "~/.") {
			words[i] = "dotfile" // not of the project
		} else if len(word) > 3 && strings.Contains(word, "/") && word != "and/or" || name != "" && ending > "a" && len(ending) < 7 {
			words[i] = "file"
		}
	}
	return strings.Join(words, " ")
}
