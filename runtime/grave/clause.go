package grave

import (
	"strings"

	"github.com/cameronsjo/springfield/runtime/language"
)

// clause is a folded clause, with names in place of quoted text.
type clause struct {
	text string
	asks bool
}

var (
	quotes = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`, "「", `"`, "」", `"`, " '", ` "`, "' ", `" `, "'.", `".`, "',", `",`, "'?", `"?`)
	// ends replaces the end of a sentence with a newline and the end of a clause with a tab.
	ends = strings.NewReplacer(". ", "\n", "! ", "\n", "。", "\n", "！", "\n", "।", "\n", "? ", "?\n", "？", "?\n", "؟", "?\n", ", ", "\t", ": ", "\t", ";", "\t",
		"(", "\t", ")", "\t", "–", "\t", "—", "\t", "，", "\t", "、", "\t", "；", "\t", "：", "\t", "،", "\t", "•", "\t", "→", "\t", "|", "\t", "…", "\t",
		",\xe3", "\t\xe3", ",\xe4", "\t\xe4", ",\xe5", "\t\xe5", ",\xe6", "\t\xe6", ",\xe7", "\t\xe7", ",\xe8", "\t\xe8", ",\xe9", "\t\xe9") // Japanese, Chinese
)

// splitClauses returns the clauses of a text. If no sentence is a question, the last sentence counts as a
// question.
func splitClauses(text string) (all []clause) {
	last, question := 0, false
	for sentence := range strings.SplitSeq(ends.Replace(nameQuotes(text)), "\n") {
		begin, asks := len(all), strings.HasSuffix(strings.TrimRight(sentence, " \t*"), "?")
		for c := range strings.SplitSeq(sentence, "\t") {
			if c = strings.Trim(language.FoldText(nameFiles(c[max(0, len(c)-maxClause):])), " -#>.?!*"); c != "" {
				all, last = append(all, clause{c, asks}), begin
			}
		}
		question = question || asks
	}
	for i := last; i < len(all) && !question; i++ {
		all[i].asks = true
	}
	return all
}

// nameQuotes replaces quoted text with "name". Code of several words remains, because it can be a command.
func nameQuotes(text string) string {
	text = quotes.Replace(text)
	for _, quote := range []string{"`", `"`} {
		all := strings.Split(text, quote)
		for i := 1; i+1 < len(all); i += 2 {
			inner := all[i][min(1, len(all[i])):]
			if strings.Contains(inner, "\n") {
				i-- // the quote is not closed
			} else if quote == `"` || strings.Contains(inner, "(") || !strings.Contains(inner, " ") {
				all[i] = "name"
			}
		}
		text = strings.Join(all, " ")
	}
	return text
}

// nameFiles replaces paths with "file", and paths outside of the project with "dotfile".
func nameFiles(clause string) string {
	words := strings.Split(clause, " ")
	for i, word := range words {
		name, ending, _ := strings.Cut(word, ".")
		if strings.HasPrefix(word, "/etc/") || strings.HasPrefix(word, "~/.") {
			words[i] = "dotfile"
		} else if len(word) > 3 && strings.Contains(word, "/") && word != "and/or" || name != "" && ending > "a" && len(ending) < 7 {
			words[i] = "file"
		}
	}
	return strings.Join(words, " ")
}
