// Package bart implements bart-simpson: the agent declares whether it will continue, with the marker <!--
// el-barto:continue --> or <!-- el-barto:stop -->, or with an announcement such as "Task 3/5".
//
// The last one counts, except in code or a quotation. A question stops the agent even after the marker to continue.
package bart

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/lastmessage"
	"github.com/cameronsjo/springfield/runtime/markdown"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

const maxMarker = 100

const (
	goOnWithMarker   = "Your message says that there is work left.{todos} Go on with it now. End with <!-- el-barto:stop --> when all is done, or when you need the user."
	goOnWithAnnounce = "The one you are at is not the last.{todos} Go on with it, and then with the next one, now. Say which one you are at. If you need a decision from the user, ask for it."
	goOnWithList     = "The todo list that you have changed since is not done.{todos} Go on with the next one now, and mark each as done. If you need a decision from the user, ask for it."
)

var Strategy = strategy.Strategy{Name: "bart-simpson", Event: "Stop", New: kind.New}

var kind = rules.Kind{Rules: ruleSet, Once: true}

func ruleSet(string) []rules.Rule {
	asks := func(r *rules.Rule) bool { return slices.Contains([]string{"asked", "asks", "choices"}, r.ID) }
	asksNot := func(r *rules.Rule) bool { return !asks(r) }
	return slices.Concat(
		[]rules.Rule{{ID: "marker-stop", Then: strategy.Stop, Sure: 99, Test: lastMarkerIs("stop")}, rules.LeaveRule},
		rules.Without(rules.PersonRules(), asksNot),
		[]rules.Rule{{ID: "marker", Then: strategy.Continue, Sure: 95, Reason: goOnWithMarker, Test: lastMarkerIs("continue")}},
		rules.Without(rules.PersonRules(), asks),
		[]rules.Rule{
			{ID: "todos", Then: strategy.Continue, Reason: goOnWithList, Test: announcedWithTodos},
			{ID: "announced", Then: strategy.Continue, Reason: goOnWithAnnounce, Test: announced(func(a announcement) bool { return a.at < a.of })},
			{ID: "announced-last", Then: strategy.Stop, Test: announced(func(a announcement) bool { return a.at == a.of })},
		},
	)
}

// lastMarkerIs returns a rule's test: whether the message's last marker is word, "continue" or "stop".
func lastMarkerIs(word string) func(strategy.Situation) (string, string, bool) {
	return func(s strategy.Situation) (evidence, reason string, ok bool) {
		found := lastMarker(spokenWords(s.Message))
		if found == "" {
			return "no marker", "", false
		}
		return "the marker el-barto:" + found, "", found == word
	}
}

func announced(holds func(announcement) bool) func(strategy.Situation) (string, string, bool) {
	return func(s strategy.Situation) (evidence, reason string, ok bool) {
		a := announcedIn(s)
		return a.String(), "", a.of > 0 && holds(a)
	}
}

func announcedWithTodos(s strategy.Situation) (evidence, reason string, ok bool) {
	a := announcedIn(s)
	switch {
	case a.of == 0:
		return a.String(), "", false
	case s.Todos.Turns > 0:
		return "the todo list is from an earlier turn", "", false
	case s.Todos.CountReadyIfAlone() == 0:
		return "nothing is open in the todo list", "", false
	}
	return a.String(), "", true
}

// announcedIn returns the last announcement of a count of steps, like "Task 3/5".
func announcedIn(s strategy.Situation) announcement {
	return lastAnnouncement(outerParagraphs(lastmessage.WithoutComments(spokenWords(s.Message))))
}

func outerParagraphs(text string) (firstTwoLastTwo string) {
	isRuler := func(paragraph string) bool { return strings.Trim(paragraph, " \t\n-*_") == "" }
	all := slices.DeleteFunc(strings.Split(text, "\n\n"), isRuler)
	if len(all) > 4 {
		all = append(all[:2], all[len(all)-2:]...)
	}
	return strings.Join(all, "\n\n")
}

// spokenWords returns the message without code and quotations ("" if from an earlier turn).
func spokenWords(m strategy.Message) string {
	if m.Earlier {
		return ""
	}
	var b strings.Builder
	blank, indented := true, false
	markdown.EachLine(m.Text, func(_ int, line string, code bool) {
		trimmed := strings.TrimLeft(line, " \t")
		// Indented code begins after a blank line and ends with the indent.
		deep := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
		indented = deep && trimmed != "" && (blank || indented) || indented && trimmed == ""
		blank = trimmed == ""
		if !code && !indented && !strings.HasPrefix(trimmed, ">") {
			b.WriteString(line)
		}
		b.WriteByte('\n')
	})
	return cutCodeSpans(b.String())
}

// cutCodeSpans removes inline code that ends in its paragraph.
func cutCodeSpans(text string) string {
	var b strings.Builder
	for {
		before, rest, _ := strings.Cut(text, "`")
		b.WriteString(before)
		if rest == "" {
			return b.String()
		}
		after := strings.TrimLeft(rest, "`")
		marks := text[len(before) : len(text)-len(after)]
		inside, next, closed := strings.Cut(after, marks)
		if text = next; !closed || strings.Contains(inside, "\n\n") {
			b.WriteString(marks)
			text = after
		}
	}
}

// lastMarker returns the last unquoted marker's word, "continue" or "stop" ("" if none). text is from spokenWords.
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
		name, value, _ := strings.Cut(comment, ":")
		if strings.EqualFold(strings.TrimSpace(name), "el-barto") && !isQuoted(before, after) {
			if value = strings.ToLower(strings.TrimSpace(value)); value == "continue" || value == "stop" {
				word = value
			}
			text = after
		}
	}
}

func isQuoted(before, after string) bool {
	opens, _ := utf8.DecodeLastRuneInString(before)
	closes, _ := utf8.DecodeRuneInString(after)
	return strings.ContainsRune("\"'“‘„«”", opens) && strings.ContainsRune("\"'”’“»", closes)
}

// announcement is a phrase such as "Task 3/5" or "Phase 3 of 5".
type announcement struct {
	name   string
	at, of int
}

func (a announcement) String() string {
	if a.of == 0 {
		return "no announcement"
	}
	return strings.ToUpper(a.name[:1]) + a.name[1:] + " " + strconv.Itoa(a.at) + "/" + strconv.Itoa(a.of)
}

// lastAnnouncement returns the last announcement, its name in lower case. Its of is 0 if there is none.
func lastAnnouncement(text string) (last announcement) {
	text = quotation.LowerASCII(text)
	for i := range len(text) {
		for _, name := range [...]string{"task", "step", "phase"} {
			rest, begins := strings.CutPrefix(text[i:], name)
			if !begins || rules.IsWordRuneBefore(text, i) {
				continue
			}
			if at, of, found := parseCount(rest); found {
				last = announcement{name, at, of}
			}
		}
	}
	return last
}

// parseCount parses a count like " 3/5" or " 3 of 5" from the start of s, ignoring emphasis. s is lower case. ok is
// false without a gap before the count, if of is 0, or if at exceeds of.
func parseCount(s string) (at, of int, ok bool) {
	s = strings.TrimPrefix(s, "s")
	s, gap := skipMarks(s, " \t*_#:(")
	at, s, ok = parseDigits(s)
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
	of, s, ok = parseDigits(s)
	if !ok || of == 0 || at > of || s != "" && (s[0] == '/' || s[0] == '%' || rules.IsWordRune(rune(s[0]))) || len(s) > 1 && s[0] == '.' && '0' <= s[1] && s[1] <= '9' {
		return 0, 0, false
	}
	return at, of, true
}

// skipMarks skips up to six leading bytes of s that are in marks. marks is ASCII.
func skipMarks(s, marks string) (rest string, skipped bool) {
	n := 0
	for n < len(s) && n < 6 && strings.IndexByte(marks, s[n]) >= 0 {
		n++
	}
	return s[n:], n > 0
}

// parseDigits parses a number of one to four digits at the start of s. ok is false for other numbers of digits.
func parseDigits(s string) (n int, rest string, ok bool) {
	rest = strings.TrimLeft(s, "0123456789")
	digits := s[:len(s)-len(rest)]
	n, err := strconv.Atoi(digits)
	return n, rest, err == nil && len(digits) <= 4
}
