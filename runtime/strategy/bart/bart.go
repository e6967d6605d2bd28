// Package bart is bart-simpson: Claude says itself whether it goes on. Two markers in its last
// message, <!-- el-barto:continue --> and <!-- el-barto:stop -->, and
// announcements that say how far it is: "I'm using executing-plans. Task 3/5."
//
// What counts is what Claude says, not what it shows: a marker or an
// announcement in a code block, in inline code or in a quotation is none. Of
// several the last counts. Stop always stops; a question stops whatever the
// marker says.
package bart

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/lastmessage"
	"github.com/cameronsjo/springfield/runtime/markdown"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// maxMarker bounds what stands in a marker, in bytes.
const maxMarker = 100

// What the model is told.
const (
	goOnWithMarker   = "Your message says that there is work left.{todos} Go on with it now. End with <!-- el-barto:stop --> when all is done, or when you need the user."
	goOnWithAnnounce = "The one you are at is not the last.{todos} Go on with it, and then with the next one, now. Say which one you are at. If you need a decision from the user, ask for it."
	goOnWithList     = "The todo list that you have changed since is not done.{todos} Go on with the next one now, and mark each as done. If you need a decision from the user, ask for it."
)

var Strategy = strategy.Strategy{Name: "bart-simpson", New: kind.New}

var kind = rules.Kind{Rules: ruleSet, Once: true}

// ruleSet asks for a stop first, then for the person, then for what Claude said.
func ruleSet(string) []rules.Rule {
	var questions, others []rules.Rule
	for _, r := range rules.PersonRules() {
		switch r.ID {
		case "asked", "asks", "choices":
			questions = append(questions, r)
		default:
			others = append(others, r)
		}
	}
	all := []rules.Rule{{ID: "marker-stop", Then: strategy.Stop, Sure: 99, Test: markerSays("stop")}, rules.LeaveRule()}
	all = append(all, questions...)
	all = append(all, rules.Rule{ID: "marker", Then: strategy.Continue, Sure: 95, Reason: goOnWithMarker, Test: markerSays("continue")})
	all = append(all, others...)
	return append(all,
		rules.Rule{ID: "todos", Then: strategy.Continue, Reason: goOnWithList, Test: announcedTodos},
		rules.Rule{ID: "announced", Then: strategy.Continue, Reason: goOnWithAnnounce, Test: announced(func(a announcement) bool { return a.at < a.of })},
		rules.Rule{ID: "announced-last", Then: strategy.Stop, Test: announced(func(a announcement) bool { return a.at == a.of })},
	)
}

// markerSays tests whether the last marker of this turn's message is this one.
func markerSays(word string) func(strategy.Situation) (string, string, bool) {
	return func(s strategy.Situation) (evidence, reason string, ok bool) {
		found := ""
		if !s.Message.Earlier {
			found = lastMarker(spokenWords(s.Message.Text))
		}
		if found == "" {
			return "no marker", "", false
		}
		return "the marker el-barto:" + found, "", found == word
	}
}

// announced tests the last announcement of this turn's message.
func announced(holds func(announcement) bool) func(strategy.Situation) (string, string, bool) {
	return func(s strategy.Situation) (evidence, reason string, ok bool) {
		a, found := announcedIn(s)
		return a.String(), "", found && holds(a)
	}
}

// announcedTodos tests whether beside an announcement there is a todo list that
// changed in this turn and is open: it knows more than the announcement.
func announcedTodos(s strategy.Situation) (evidence, reason string, ok bool) {
	a, found := announcedIn(s)
	if !found {
		return a.String(), "", false
	}
	if s.Todos.Turns > 0 {
		return "the todo list is from an earlier turn", "", false
	}
	if s.Todos.CountOwn() > 0 {
		return a.String(), "", true
	}
	return "nothing is open in the todo list", "", false
}

func announcedIn(s strategy.Situation) (announcement, bool) {
	if s.Message.Earlier {
		return announcement{}, false
	}
	return lastAnnouncement(outerParagraphs(lastmessage.WithoutComments(spokenWords(s.Message.Text))))
}

// outerParagraphs are the first two paragraphs of a text and the last two: where Claude
// says what it is at. Further in, a long message reports: "Phase 12 of 17" is a
// line of a table there.
func outerParagraphs(text string) string {
	var all []string
	for _, p := range strings.Split(text, "\n\n") {
		if strings.Trim(p, " \t\n-*_") != "" { // a line across the page is no paragraph
			all = append(all, p)
		}
	}
	if len(all) > 4 {
		all = append(all[:2], all[len(all)-2:]...)
	}
	return strings.Join(all, "\n\n")
}

// spokenWords is what is left of a message without code and quotations.
func spokenWords(text string) string {
	var b strings.Builder
	blank, indented := true, false
	markdown.EachLine(text, func(_ int, line string, code bool) {
		trimmed := strings.TrimLeft(line, " \t")
		// Indented code begins behind a blank line and ends where the indent does.
		deep := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
		indented = deep && trimmed != "" && (blank || indented) || indented && trimmed == ""
		blank = trimmed == ""
		if !code && !indented && !strings.HasPrefix(trimmed, ">") {
			b.WriteString(line)
		}
		b.WriteByte('\n')
	})
	return withoutCode(b.String())
}

// withoutCode leaves inline code out: what stands between backticks in one paragraph.
func withoutCode(text string) string {
	var b strings.Builder
	for {
		before, rest, _ := strings.Cut(text, "`")
		b.WriteString(before)
		if rest == "" {
			return b.String()
		}
		after := strings.TrimLeft(rest, "`")
		marks := text[len(before) : len(text)-len(after)]
		inside, behind, closed := strings.Cut(after, marks)
		if text = behind; !closed || strings.Contains(inside, "\n\n") {
			b.WriteString(marks)
			text = after
		}
	}
}

// lastMarker is what the last marker says, "continue" or "stop", "" if there is
// none. Blanks and case do not matter; one between quotation marks is a
// quotation.
func lastMarker(text string) (word string) {
	for {
		i := strings.Index(text, "<!--")
		if i < 0 {
			return word
		}
		before := text[:i]
		text = text[i+len("<!--"):]
		comment, _, ok := strings.Cut(text[:min(len(text), maxMarker)], "-->")
		if !ok {
			continue
		}
		after := text[len(comment)+len("-->"):]
		name, says, _ := strings.Cut(comment, ":")
		if strings.EqualFold(strings.TrimSpace(name), "el-barto") && !isQuoted(before, after) {
			switch says = strings.ToLower(strings.TrimSpace(says)); says {
			case "continue", "stop":
				word = says
			}
			text = after
		}
	}
}

// isQuoted tells whether quotation marks stand right around something.
func isQuoted(before, after string) bool {
	opens, _ := utf8.DecodeLastRuneInString(before)
	closes, _ := utf8.DecodeRuneInString(after)
	return strings.ContainsRune("\"'“‘„«”", opens) && strings.ContainsRune("\"'”’“»", closes)
}

// announcement is "Task 3/5", "Step 3 of 5", "Phase 3 of 5".
type announcement struct {
	what   string
	at, of int
}

func (a announcement) String() string {
	if a.of == 0 {
		return "no announcement"
	}
	return a.what + " " + strconv.Itoa(a.at) + "/" + strconv.Itoa(a.of)
}

func lastAnnouncement(text string) (last announcement, ok bool) {
	text = quotation.LowerASCII(text)
	for i := 0; i < len(text); i++ {
		word, name := "", ""
		switch text[i] {
		case 't':
			word, name = "task", "Task"
		case 's':
			word, name = "step", "Step"
		case 'p':
			word, name = "phase", "Phase"
		default:
			continue
		}
		if strings.HasPrefix(text[i:], word) && !rules.WordBefore(text, i) {
			if at, of, found := countIn(text[i+len(word):]); found {
				last, ok = announcement{name, at, of}, true
			}
		}
	}
	return last, ok
}

// countIn reads how a text begins as " 3/5" or " 3 of 5", emphasis left aside.
func countIn(s string) (at, of int, ok bool) {
	s = strings.TrimPrefix(s, "s")
	s, gap := skipMarks(s, " \t*_#:(")
	at, s, ok = numberIn(s)
	if !gap || !ok {
		return 0, 0, false
	}
	s, _ = skipMarks(s, " \t*_")
	if rest, found := strings.CutPrefix(s, "/"); found {
		s = rest
	} else {
		s = strings.TrimPrefix(s, "(")
		s = strings.TrimPrefix(s, "out ")
		if s, ok = strings.CutPrefix(s, "of "); !ok {
			return 0, 0, false
		}
	}
	s, _ = skipMarks(s, " \t*_")
	of, s, ok = numberIn(s)
	if !ok || of == 0 || at > of || s != "" && (s[0] == '/' || s[0] == '%' || rules.IsWordRune(rune(s[0]))) || len(s) > 1 && s[0] == '.' && '0' <= s[1] && s[1] <= '9' {
		return 0, 0, false
	}
	return at, of, true
}

// skipMarks leaves out at most six of some characters.
func skipMarks(s, marks string) (rest string, skipped bool) {
	n := 0
	for n < len(s) && n < 6 && strings.IndexByte(marks, s[n]) >= 0 {
		n++
	}
	return s[n:], n > 0
}

// numberIn reads up to four digits.
func numberIn(s string) (n int, rest string, ok bool) {
	rest = strings.TrimLeft(s, "0123456789")
	digits := s[:len(s)-len(rest)]
	n, err := strconv.Atoi(digits)
	return n, rest, err == nil && len(digits) <= 4
}
