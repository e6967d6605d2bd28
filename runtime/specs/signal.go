package specs

import (
	"slices"
	"strings"
	"unicode"

	"github.com/cameronsjo/springfield/runtime/markdown"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

const allDone = "ALL_TASKS_COMPLETE" // the completion signal

func whereSignalled(s strategy.Situation) (inWords string) {
	if s.Message.FromEvent && saysDone(s.Message.Text, true) {
		return "the last message"
	}
	says := func(text string) bool { return saysDone(text, true) }
	if slices.ContainsFunc(s.Window.Said, says) || saysDone(strings.Join(s.Window.Raw, "\n"), false) {
		return "transcript"
	}
	return ""
}

// saysDone reports whether text contains the signal on a separate line, outside code, or, with orAnnounced, at the last
// line's end if announced ("All done:").
func saysDone(text string, orAnnounced bool) bool {
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
		before, after, ok := strings.Cut(line, allDone)
		alone = alone || ok && !strings.ContainsFunc(before, neitherEmojiNor("#*_` \t")) && !strings.ContainsFunc(after, neitherEmojiNor("#*_` \t.!"))
		last = line
	})
	return alone || orAnnounced && announcesDone(last)
}

func neitherEmojiNor(decoration string) func(rune) bool {
	return func(r rune) bool {
		return !strings.ContainsRune(decoration, r) && !unicode.Is(unicode.So, r) && r != '\ufe0f' && r != '\u200d'
	}
}

// announcesDone reports whether line ends with the announced signal ("All 5 tasks are finished: ALL_TASKS_COMPLETE").
// Negations and conditions do not count.
func announcesDone(line string) bool {
	before, after, ok := strings.Cut(line, allDone)
	if !ok || strings.ContainsFunc(after, neitherEmojiNor("*_` \t.!")) {
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
