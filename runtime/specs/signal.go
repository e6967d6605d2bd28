// The word that ends a spec: on a line of its own, in what Claude says. A
// sentence about the word is not the word, and neither is the word in a code
// fence or a quote.

package specs

import (
	"slices"
	"strings"
	"unicode"

	"github.com/cameronsjo/springfield/runtime/markdown"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

const allDone = "ALL_TASKS_COMPLETE"

// whereSignalled says where the word stands, "" if nowhere: in the last message, or
// in what Claude has said since the newest prompt. Lines that are no JSON count
// too: all of a transcript that is plain text.
func whereSignalled(s strategy.Situation) string {
	if s.Message.FromEvent && saysDone(s.Message.Text, true) {
		return "the last message"
	}
	says := func(text string) bool { return saysDone(text, true) }
	if slices.ContainsFunc(s.Window.Said, says) || saysDone(strings.Join(s.Window.Raw, "\n"), false) {
		return "transcript"
	}
	return ""
}

// saysDone tells whether a text has the word on a line of its own. closing lets
// it stand at the very end behind "All done:", too.
func saysDone(text string, closing bool) bool {
	if !strings.Contains(text, allDone) {
		return false
	}
	last, alone := "", false
	markdown.EachLine(text, func(_ int, line string, code bool) {
		if line = strings.TrimSpace(line); code {
			last = ""
		}
		if code || line == "" {
			return
		}
		// The word alone: bold, a heading, with a mark or an emoji beside it.
		before, after, ok := strings.Cut(line, allDone)
		alone = alone || ok && !strings.ContainsFunc(before, isDecoration("#*_` \t")) && !strings.ContainsFunc(after, isDecoration("#*_` \t.!"))
		last = line
	})
	return alone || closing && isAnnounced(last)
}

// isDecoration tells characters that make a line more than a decorated word.
func isDecoration(decoration string) func(rune) bool {
	return func(r rune) bool {
		return !strings.ContainsRune(decoration, r) && !unicode.Is(unicode.So, r) && r != '\ufe0f' && r != '\u200d'
	}
}

// isAnnounced tells whether the line says that all is done and has the word
// behind a colon or a dash: "All 5 tasks are finished: ALL_TASKS_COMPLETE".
func isAnnounced(line string) bool {
	before, after, ok := strings.Cut(line, allDone)
	if !ok || strings.ContainsFunc(after, isDecoration("*_` \t.!")) {
		return false
	}
	before = strings.TrimRight(before, "*_` \t")
	said := ""
	for _, mark := range []string{":", "—", "–", " -"} {
		if cut, ok := strings.CutSuffix(before, mark); ok {
			said = cut
		}
	}
	words := strings.FieldsFunc(strings.ToLower(said), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' })
	done := false
	for _, word := range words {
		switch word {
		case "done", "complete", "completed", "finished":
			done = true
		case "not", "no", "never", "yet", "until", "till", "when", "once", "after", "before", "if", "unless", "then", "will", "would", "should", "must", "can",
			"print", "output", "say", "write", "emit", "reply", "answer", "send", "signal", "only", "later", "almost", "nearly":
			return false
		}
		if strings.HasSuffix(word, "n't") || strings.HasSuffix(word, "n’t") || strings.HasSuffix(word, "'ll") || strings.HasSuffix(word, "’ll") {
			return false
		}
	}
	return done
}
