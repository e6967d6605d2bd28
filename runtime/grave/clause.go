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

// splitClauses returns the clauses of a text. If no sentence is a question, the last sentence counts as a question.
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
			} else if quote == `"` || strings.Contains(inner, "(") || !strings.Contains(inner, " ") && !strings.Contains(" live main master prod production staging ", " "+all[i]+" ") {
				if all[i] = nameFiles(all[i]); all[i] != "srcpath" {
					all[i] = "name"
				}
			}
		}
		text = strings.Join(all, " ")
	}
	return text
}

// sources are the endings of files that are usually in git.
const sources = " c cpp cs css go h html java js jsx kt md php py rb rs sh sql swift toml ts tsx vue yml "

// nameFiles replaces paths: with "srcpath" for a source file, "dotfile" outside of the project, and otherwise "file".
func nameFiles(clause string) string {
	words := strings.Split(clause, " ")
	for i, word := range words {
		dot := strings.LastIndexByte(word, '.')
		ending := word[dot+1:]
		if strings.HasPrefix(word, "/etc/") || strings.HasPrefix(word, "~/.") {
			words[i] = "dotfile"
		} else if dot > 0 && strings.Contains(sources, " "+strings.TrimRight(ending, "?!:")+" ") || strings.HasSuffix(word, "()") || strings.HasPrefix(word, "docs/") || strings.HasPrefix(word, "src/") {
			words[i] = "srcpath"
		} else if len(word) > 3 && strings.Contains(word, "/") && word != "and/or" || dot > 0 && ending > "a" && len(ending) < 7 {
			words[i] = "file"
		}
	}
	return strings.Join(words, " ")
}
