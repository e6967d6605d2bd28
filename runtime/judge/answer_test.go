package judge

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
)

func TestReadAnswer(t *testing.T) {
	for _, c := range []struct {
		data string
		cont bool
		why  string
		ok   bool
	}{
		{`{"reason":"two todos are pending","continue":true}`, true, "two todos are pending", true},
		{` { "continue" : false , "reason" : "" } ` + "\n", false, "", true},
		{`{"reason":"a\n\tb\u202e\u001b[31mc\u0000 ","continue":true}`, true, "a b[31mc", true},
		{`{"reason":"` + strings.Repeat("é", 400) + `","continue":true}`, true, strings.Repeat("é", MaxWhy/2), true},
		{data: `[{"reason":"","continue":true}]`},
		{data: `{"reason":"","continue":true} Claude should go on`},
		{data: `{"reason":"","continue":true}{"reason":"","continue":false}`},
		{data: `{"reason":"","continue":true}` + "\v\u00a0\n"}, // white space, but none of JSON's
		{data: `Here you are: {"reason":"","continue":true}`},
		{data: "```json\n{\"why\":\"\",\"continue\":true}\n```"},
		{data: `{"continue":true}`},
		{data: `{"reason":"","continue":true,}`},
		{data: `{"reason","","continue",true}`},
		{data: `{"reason":"","continue":"true"}`},
		{data: `{"reason":"","continue":null}`},
		{data: `{"reason":null,"continue":true}`},
		{data: `{"reason":["continue",true],"continue":true}`},
		{data: `{"reason":"","Continue":true}`},
		{data: `{"reason":"","continue":true,"note":"x"}`},
		{data: `{"reason":"","continue":false,"continue":true}`},
		{data: `{"reason":"","continue":true,"continu\u0065":true}`},
		{data: `{"reason":"` + "\xff" + `","continue":true}`},
		{data: `{"reason":"` + strings.Repeat("x", maxAnswer) + `","continue":true}`},
	} {
		cont, why, err := ReadAnswer([]byte(c.data))
		if cont != c.cont || why != c.why || (err == nil) != c.ok {
			t.Errorf("%.80q: %v %q %v", c.data, cont, why, err)
		}
	}
}

// The schema requires exactly the members of ReadAnswer.
func TestSchema(t *testing.T) {
	var schema struct {
		Type       string                     `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
		More       *bool                      `json:"additionalProperties"`
	}
	scratch.Must(t, json.Unmarshal([]byte(AnswerSchema()), &schema))
	if schema.Type != "object" || len(schema.Properties) != 2 || len(schema.Required) != 2 || schema.More == nil || *schema.More {
		t.Errorf("%+v", schema)
	}
	for _, name := range schema.Required {
		scratch.ErrorIf(t, schema.Properties[name] == nil, "%s is required and not described", name)
	}
}

func TestOneLine(t *testing.T) {
	for _, c := range []struct {
		in    string
		limit int
		want  string
	}{
		{"  a \r\n b\u2028c  ", 10, "a b c"},
		{"a\u200bb\u2066c\ufeffd", 10, "abcd"},
		{"\xffa\xed\xa0\x80", 10, "a"},
		{"ab cd", 3, "ab"},
		{"aé", 2, "a"},
	} {
		scratch.Equal(t, OneLine(c.in, c.limit), c.want, c.in, c.limit, "to")
	}
}

func FuzzReadAnswer(f *testing.F) {
	for _, seed := range []string{`{"reason":"x","continue":true}`, `{"reason":"x","continue":true} y`, `{"continue":{"reason":[]}}`, "```json\n{}\n```", `{"reason":"\ud800","continue":false}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		cont, why, err := ReadAnswer(data)
		if err != nil {
			if cont || why != "" {
				t.Fatalf("%q: an answer with an error: %v %q", data, cont, why)
			}
			return
		}
		// An accepted answer means the same to encoding/json.
		var plain map[string]any
		if json.Unmarshal(data, &plain) != nil || len(plain) != 2 || plain["continue"] != cont {
			t.Fatalf("%q was taken for %v", data, cont)
		}
		if len(why) > MaxWhy || !utf8.ValidString(why) || strings.TrimSpace(why) != why {
			t.Fatalf("%q: why is %q", data, why)
		}
		for _, r := range why {
			if unicode.In(r, unicode.C, unicode.Zl, unicode.Zp) {
				t.Fatalf("%q: %q draws", data, why)
			}
		}
	})
}

func TestMicros(t *testing.T) {
	thousand := Usage{Input: 1000, Output: 100}
	for _, c := range []struct {
		model string
		use   Usage
		want  int64
	}{
		{"haiku", thousand, 1500},           // of one client it is 5.5, of another 4.5
		{"claude-haiku-5-5", thousand, 150}, // 0.1 + 0.05 thousandths of a dollar
		{"claude-haiku-4-5-20251001", thousand, 1500},
		{"us.anthropic.claude-haiku-4-5-20251001-v1:0", thousand, 1500},
		{"sonnet", thousand, 4500},
		{"opus", thousand, 7500},
		{"claude-opus-4-1-20250805", thousand, 22500},
		{"claude-haiku-4-5", Usage{CacheRead: 1000, CacheWrite: 1000}, 1350},
		{"claude-haiku-4-5", Usage{Input: 1}, 1},
		{"claude-haiku-5-5", Usage{Input: 1}, 1}, // never less than it costs
		{"claude-haiku-4-5", Usage{}, 0},
		{"claude-haiku-4-5", Usage{Input: -5, Output: math.MinInt64}, 0},
		{"claude-opus-50", thousand, 22500},
		{"glm-9", thousand, 22500},
		{"", thousand, 22500},
	} {
		scratch.Equal(t, PriceInMicros(c.model, c.use), c.want, c.model, c.use)
	}
	most := int64(math.MaxInt64)
	if got := PriceInMicros("x", Usage{most, most, most, most}); got <= 0 {
		t.Errorf("everything costs %d", got)
	}
}

// No model is dearer than an unknown one.
func TestUnknownIsDearest(t *testing.T) {
	for _, p := range prices {
		if d := priceOrMost("unknown"); p.in > d.in || p.out > d.out || !strings.HasPrefix(p.model, "claude-") {
			t.Errorf("%+v", p)
		}
	}
}

func TestValidModel(t *testing.T) {
	for _, model := range []string{"haiku", "claude-haiku-5-5", "claude-opus-5[1m]", "claude-haiku-4-5@20251001", "us.anthropic.claude-haiku-4-5-20251001-v1:0", "arn:aws:bedrock:us-east-1:1:inference-profile/x", "openrouter/a_b"} {
		scratch.ErrorIf(t, !ValidModel(model), "%s is refused", model)
	}
	for _, model := range []string{"", "-p", "--settings", "a b", "a\nb", "häiku", "a;b", "$(a)", "a\"b", strings.Repeat("a", 101)} {
		scratch.ErrorIf(t, ValidModel(model), "%q is taken", model)
	}
}

func TestHookAndJudgeUnderstandEachOther(t *testing.T) {
	asked := Question{"claude", "haiku", "S <&>", "P", 7, "/c", []string{"/bin/ask", "-x"}, []string{"KEY"}, "/p", []string{"a", "b"}}
	var question Question
	if err := codec.ReadObject(codec.Append(nil, &asked), &question); err != nil || !reflect.DeepEqual(question, asked) {
		t.Errorf("%+v, %v", question, err)
	}
	for _, said := range []Reply{{}, {true, "why", "haiku", Usage{1, 2, 3, 4}, 5, 6, Junk, "detail"}} {
		var reply Reply
		if err := codec.ReadObject(codec.Append(nil, &said), &reply); err != nil || reply != said {
			t.Errorf("%+v is read as %+v, %v", said, reply, err)
		}
	}
}

// The page that the first design shows.
func TestPage(t *testing.T) {
	page := Page{
		Skill: "executing-plans", Todos: activity.Tally{Done: 2, Pending: 3},
		Calls:   []activity.Call{{Name: "Read", Input: "a.go", Result: "package a"}, {Name: "Edit", Input: "a.go", Result: "ok"}, {Name: "Bash", Input: "npm test", Result: "exit 0"}, {Name: "TaskUpdate", Input: "#2 → completed", Result: "Updated task #2 status"}},
		Message: "Task 2 complete. Moving to Task 3.",
	}
	scratch.Equal(t, page.String(), `CONTEXT:
  Active skill: executing-plans
  Todo state: 2/5 complete, 3 pending
  Last tools: [Edit(a.go → ok), Bash(npm test → exit 0), TaskUpdate(task2 → completed)]
  Latest request: ""
  Waiting for: nothing
  Last message: "Task 2 complete. Moving to Task 3."

DECIDE: Should Claude continue working autonomously?
`)
	page = Page{Asked: "AskUserQuestion", Calls: []activity.Call{{Name: "AskUserQuestion"}}}
	scratch.Holds(t, "a question", page.String(), "\n  Active skill: none\n  Todo state: none\n  Last tools: [AskUserQuestion()]\n", "\n  Waiting for: the user (AskUserQuestion)\n")
}

func TestPageSaysWhatRuns(t *testing.T) {
	for running, want := range map[int]string{0: "nothing", 1: "nothing, 1 task runs in the background", 3: "nothing, 3 tasks run in the background"} {
		scratch.Holds(t, running, (Page{Running: running}).String(), "\n  Waiting for: "+want+"\n")
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
	scratch.Equal(t, endOfMessage("  short.\n"), "short.")
	for _, endless := range []string{strings.Repeat("x", 5000), strings.Repeat("語", 5000), strings.Repeat("\n", 5000) + "x", strings.Repeat(`"\`, 3000)} {
		wellFormed(t, Page{Message: endless + "THE END"})
		scratch.Holds(t, "the end is not there", (Page{Message: endless + "THE END"}).String(), `THE END"`)
	}
}

// wellFormed checks that a page has its eight lines, each field its own, and
// that nothing of a text is outside of its quotation marks.
func wellFormed(t *testing.T, p Page) {
	t.Helper()
	s := p.String()
	scratch.ErrorIf(t, len(s) > 3<<10, "a page of %d bytes", len(s))
	scratch.ErrorIf(t, !utf8.ValidString(s), "no UTF-8: %q", s)
	for _, r := range s {
		scratch.ErrorIf(t, r != '\n' && (!unicode.IsGraphic(r) || isHidden(r)), "%U is in it: %q", r, s)
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
			scratch.Equal(t, rest, "", i+1, "line goes on with")
		case 4, 6:
			scratch.Equal(t, bare, "", i+1, s, "line, is outside of the quotation marks")
		case 1:
			scratch.Equal(t, strings.Trim(bare, plainLetters), "", bare)
		case 3:
			calls := strings.TrimSuffix(bare, "]")
			if n := strings.Count(calls, "("); n != min(len(p.Calls), maxCalls) || strings.Count(calls, ")") != n || strings.ContainsAny(calls, `[]{}<>"\`) {
				t.Errorf("calls %q", bare)
			}
		}
	}
}

// outside returns the part of a line that is not in quotation marks.
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
			for _, p := range []Page{{Message: s}, {Request: s}, {Skill: s}, {Asked: s}} {
				wellFormed(t, p)
			}
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

// The prompt is part of the product, so a change must be reviewed here.
func TestPrompt(t *testing.T) {
	golden := scratch.ReadFile(t, "testdata/prompt.txt")
	scratch.Equal(t, SystemPrompt("Claude"), string(golden), "it is not that of testdata/prompt.txt")
	if n := len(SystemPrompt("Claude")); n > 1200 {
		t.Errorf("%d bytes, at most 1200", n)
	}
}

func TestDollars(t *testing.T) {
	for micros, want := range map[int64]string{0: "$0.00", 26: "$0.000026", 1100: "$0.0011", 200_000: "$0.20", 1_500_000: "$1.50", 123_456_789: "$123.456789"} {
		scratch.Equal(t, Dollars(micros), want, micros)
	}
}
