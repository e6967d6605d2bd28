// Sentences, and the clauses that they consist of.

package grave

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/language"
)

type sentence struct {
	clauses []string // folded, without quotes
	words   string   // all of them
	asks    bool
}

// splitSentences drops a sentence that is there again further behind, or whose beginning is: evidence
// stands in front of the message that it is from. Where nothing ends like a question, the last sentence counts as one.
func splitSentences(text string) []sentence {
	var all []sentence
	var s sentence
	from := 0
	take := func(end, next int) {
		if clause := strings.Trim(nameFiles(language.FoldText(unquote.Replace(text[from:end]))), " …-#>."); clause != "" {
			s.clauses = append(s.clauses, clause)
		}
		from = next
	}
	question := false
	for i, r := range text + "\n" {
		next := i + utf8.RuneLen(r)
		switch r {
		case '.', ':', ',':
			if next < len(text) && text[next] != ' ' && text[next] != '\n' {
				continue
			}
		case ';', '(', ')', '–', '—', '，', '、', '；', '：', '،', '•', '→', '|', '\n', '?', '!', '？', '！', '؟', '。', '।', '…':
		default:
			continue
		}
		take(i, min(next, len(text)))
		switch r {
		case '.', '\n', '?', '!', '？', '！', '؟', '。', '।':
			s.asks = r == '?' || r == '？' || r == '؟'
			if s.words = strings.Join(s.clauses, " "); s.words != "" {
				all = append(all, s)
				question = question || s.asks
			}
			s = sentence{}
		}
	}
	if len(all) > 0 && !question {
		all[len(all)-1].asks = true
	}
	var kept []sentence
	for i, s := range all {
		if !slices.ContainsFunc(all[i+1:], func(o sentence) bool { return strings.HasPrefix(o.words, s.words) }) {
			kept = append(kept, s)
		}
	}
	return kept
}

var unquote = strings.NewReplacer("`", " ", "*", " ", "\"", " ", "“", " ", "”", " ", "«", " ", "»", " ", "„", " ", "「", " ", "」", " ")

// nameFiles puts the word file in the place of paths.
func nameFiles(clause string) string {
	if !strings.ContainsAny(clause, "./") {
		return clause
	}
	all := strings.Split(clause, " ")
	for i, word := range all {
		if strings.HasPrefix(word, "/etc/") || strings.HasPrefix(word, "~/.") {
			continue // not of the project
		}
		name, ending, ok := strings.Cut(word, ".")
		if strings.Contains(word, "/") && len(word) > 3 && word != "and/or" || ok && name != "" && strings.Contains(" ts tsx js jsx go py md json sql env csv txt yml yaml toml db sqlite log html css sh java rs rb lock xml zip gz pdf png ", " "+ending+" ") {
			all[i] = "file"
		}
	}
	return strings.Join(all, " ")
}
