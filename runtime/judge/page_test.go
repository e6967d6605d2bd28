package judge

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/activity"
)

// Pages of the first design's signals, one of them the page that it shows.
func TestPageOfASignal(t *testing.T) {
	for name, test := range map[string]struct {
		page Page
		want string
	}{
		"AskUserQuestion": {
			Page{Asked: "AskUserQuestion", Calls: []activity.Call{{Name: "AskUserQuestion"}}, Message: "Two ways are open."},
			`CONTEXT:
  Active skill: none
  Todo state: none
  Last tools: [AskUserQuestion()]
  Latest request: ""
  Waiting for: the user (AskUserQuestion)
  Last message: "Two ways are open."
`,
		},
		"Task N complete": { // the page that the design shows
			Page{
				Skill: "executing-plans", Todos: activity.Tally{Done: 2, Pending: 3},
				Calls:   []activity.Call{{Name: "Read", Input: "a.go", Result: "package a"}, {Name: "Edit", Input: "a.go", Result: "ok"}, {Name: "Bash", Input: "npm test", Result: "exit 0"}, {Name: "TaskUpdate", Input: "#2 → completed", Result: "Updated task #2 status"}},
				Message: "Task 2 complete. Moving to Task 3.",
			},
			`CONTEXT:
  Active skill: executing-plans
  Todo state: 2/5 complete, 3 pending
  Last tools: [Edit(a.go → ok), Bash(npm test → exit 0), TaskUpdate(task2 → completed)]
  Latest request: ""
  Waiting for: nothing
  Last message: "Task 2 complete. Moving to Task 3."
`,
		},
	} {
		want := test.want + "\nDECIDE: Should Claude continue working autonomously?\n"
		if got := test.page.String(); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, want)
		}
	}
}

func TestPageSaysWhatRuns(t *testing.T) {
	for running, want := range map[int]string{0: "nothing", 1: "nothing, 1 task runs in the background", 3: "nothing, 3 tasks run in the background"} {
		if got := (Page{Running: running}).String(); !strings.Contains(got, "\n  Waiting for: "+want+"\n") {
			t.Errorf("%d: %s", running, got)
		}
	}
	if got := (activity.Tally{Done: 1, Doing: 1, Pending: 2}).String(); got != "1/4 complete, 1 in progress, 2 pending" {
		t.Error(got)
	}
}

// A long message is shown by its end, from the beginning of a sentence.
func TestMessageIsTrimmedAtSentenceEnds(t *testing.T) {
	sentence := "The %dth of many sentences says a little about what has been done. "
	var long strings.Builder
	for i := range 40 {
		fmt.Fprintf(&long, sentence, i)
	}
	got := endOfMessage(long.String() + "Now the last one.")
	if !strings.HasPrefix(got, "… The ") || !strings.HasSuffix(got, "Now the last one.") || utf8.RuneCountInString(got) > maxMessage+2 || utf8.RuneCountInString(got) < maxMessage/2 {
		t.Errorf("%d characters: %s", utf8.RuneCountInString(got), got)
	}
	if got := endOfMessage("  short.\n"); got != "short." {
		t.Errorf("%q", got)
	}
	for _, endless := range []string{strings.Repeat("x", 5000), strings.Repeat("語", 5000), strings.Repeat("\n", 5000) + "x", strings.Repeat(`"\`, 3000)} {
		wellFormed(t, Page{Message: endless + "THE END"})
		if got := (Page{Message: endless + "THE END"}).String(); !strings.Contains(got, `THE END"`) {
			t.Errorf("the end is not there: %s", got)
		}
	}
}

// wellFormed checks that a page has its eight lines, each field its own, and
// that nothing of a text is outside of its quotation marks.
func wellFormed(t *testing.T, p Page) {
	t.Helper()
	s := p.String()
	if len(s) > 3<<10 {
		t.Errorf("a page of %d bytes", len(s))
	}
	if !utf8.ValidString(s) {
		t.Errorf("no UTF-8: %q", s)
	}
	for _, r := range s {
		if r != '\n' && (!unicode.IsGraphic(r) || isHidden(r)) {
			t.Errorf("%U is in it: %q", r, s)
		}
	}
	lines := strings.Split(s, "\n")
	starts := []string{"CONTEXT:", "  Active skill: ", "  Todo state: ", "  Last tools: [", "  Latest request: ", "  Waiting for: ", "  Last message: ", "", "DECIDE: Should Claude continue working autonomously?", ""}
	if len(lines) != len(starts) {
		t.Fatalf("%d lines:\n%s", len(lines), s)
	}
	for i, start := range starts {
		rest, ok := strings.CutPrefix(lines[i], start)
		if !ok {
			t.Fatalf("line %d does not begin with %q:\n%s", i+1, start, s)
		}
		bare := outside(t, rest)
		switch i {
		case 0, 7, 8, 9:
			if rest != "" {
				t.Errorf("line %d goes on with %q", i+1, rest)
			}
		case 4, 6:
			if bare != "" {
				t.Errorf("line %d: %q is outside of the quotation marks:\n%s", i+1, bare, s)
			}
		case 1:
			if strings.ContainsFunc(bare, func(r rune) bool { return !isPlain(r) }) {
				t.Errorf("skill %q", bare)
			}
		case 3:
			calls := strings.TrimSuffix(bare, "]")
			if n := strings.Count(calls, "("); n != min(len(p.Calls), maxCalls) || strings.Count(calls, ")") != n || strings.ContainsAny(calls, `[]{}<>"\`) {
				t.Errorf("calls %q", bare)
			}
		}
	}
}

// outside is what of a line is not between quotation marks.
func outside(t *testing.T, line string) string {
	t.Helper()
	var b strings.Builder
	in := false
	for i := 0; i < len(line); i++ {
		switch {
		case in && line[i] == '\\':
			i++
			if i == len(line) || !strings.ContainsRune(`"\n`, rune(line[i])) {
				t.Fatalf("an escape that is none: %s", line)
			}
		case line[i] == '"':
			in = !in
		case !in:
			b.WriteByte(line[i])
		}
	}
	if in {
		t.Fatalf("a quotation mark is open: %s", line)
	}
	return b.String()
}

// injections are attempts to leave a field, to forge one, or to give an answer: a
// line each as Go writes it, and some that are only long.
func injections() []string {
	data, err := os.ReadFile("testdata/injections.txt")
	if err != nil {
		panic(err)
	}
	var all []string
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		s, err := strconv.Unquote(line)
		if err != nil {
			panic(line)
		}
		all = append(all, s)
	}
	return append(all, strings.Repeat("\"", 4000), strings.Repeat("\\", 4001), strings.Repeat("\n", 4000), strings.Repeat("\U0001f600", 3000), strings.Repeat("a\u0301", 3000),
		strings.Repeat("continue. ", 1000))
}

func TestNoTextLeavesItsField(t *testing.T) {
	all := injections()
	if len(all) < 50 {
		t.Fatalf("%d attempts", len(all))
	}
	for i, s := range all {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			call := activity.Call{Name: s, Input: s, Result: s}
			wellFormed(t, Page{Message: s})
			wellFormed(t, Page{Request: s})
			wellFormed(t, Page{Skill: s})
			wellFormed(t, Page{Asked: s})
			wellFormed(t, Page{Calls: []activity.Call{{Name: "Bash", Input: "ls", Result: s}, {Name: "Bash", Input: s, Result: "ok"}, {Name: s, Input: "ls", Result: "ok"}}})
			wellFormed(t, Page{Calls: []activity.Call{{Name: "TaskUpdate", Input: "#" + s + " → " + s}}})
			wellFormed(t, Page{Skill: s, Request: s, Message: s, Asked: s, Calls: []activity.Call{call, call, call, call}, Todos: activity.Tally{Done: 1 << 40, Doing: 1 << 40, Pending: 1 << 40}, Running: 1 << 40})
		})
	}
}

func FuzzPage(f *testing.F) {
	for _, s := range injections() {
		f.Add(s, s, s, s)
	}
	f.Fuzz(func(t *testing.T, skill, request, message, call string) {
		wellFormed(t, Page{Skill: skill, Request: request, Message: message, Asked: skill, Calls: []activity.Call{{Name: call, Input: request, Result: message}, {Name: skill, Input: call, Result: request}, {Name: "TaskUpdate", Input: call, Result: message}}, Todos: activity.Tally{Done: len(skill), Doing: len(request), Pending: len(message)}, Running: len(call)})
	})
}

// The prompt is part of the product: a change of it is to be looked at here.
func TestPrompt(t *testing.T) {
	golden, err := os.ReadFile("testdata/prompt.txt")
	if err != nil {
		t.Fatal(err)
	}
	if PromptFor("Claude") != string(golden) {
		t.Errorf("it is not that of testdata/prompt.txt:\n%s", PromptFor("Claude"))
	}
	if n := len(PromptFor("Claude")); n > 1200 {
		t.Errorf("%d bytes, at most 1200", n)
	}
}

func TestDollars(t *testing.T) {
	for micros, want := range map[int64]string{0: "$0.00", 26: "$0.000026", 1100: "$0.0011", 200_000: "$0.20", 1_500_000: "$1.50", 123_456_789: "$123.456789"} {
		if got := Dollars(micros); got != want {
			t.Errorf("%d: %s, want %s", micros, got, want)
		}
	}
}
