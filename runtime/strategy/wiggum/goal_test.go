package wiggum

import (
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

const guide = `---
iteration_count: 1
max_iterations: 15
completion_promise: "✅ All tests passing"
active: true
---

Goal: Fix failing tests in test_auth.py
- Run pytest
`

func TestReadGoal(t *testing.T) {
	base := Goal{Count: 1, Max: 10, Active: true}
	with := func(change func(*Goal)) Goal { g := base; change(&g); return g }
	for name, test := range map[string]struct {
		text string
		want Goal
	}{
		"the guide's example": {guide, with(func(g *Goal) {
			g.Max, g.Promises, g.Body = 15, []string{"✅ All tests passing"}, "Goal: Fix failing tests in test_auth.py\n- Run pytest"
		})},
		"missing fields": {"---\n---\nGo.\n", with(func(g *Goal) { g.Body = "Go." })},
		"CRLF":           {strings.ReplaceAll("---\nmax_iterations: 3\nactive: false\n---\nGo.\nOn.\n", "\n", "\r\n"), with(func(g *Goal) { g.Max, g.Active, g.Body = 3, false, "Go.\r\nOn." })},
		"comments": {"---\n# a loop\nmax_iterations: 3 # few\ncompletion_promise: \"it is # done\" # said\n\n---\n",
			with(func(g *Goal) { g.Max, g.Promises = 3, []string{"it is # done"} })},
		"bare text":       {"---\ncompletion_promise: All tests passing\n---\n", with(func(g *Goal) { g.Promises = []string{"All tests passing"} })},
		"a hash inside":   {"---\ncompletion_promise: issue #5 fixed#\n---\n", with(func(g *Goal) { g.Promises = []string{"issue"} })},
		"single quotes":   {"---\ncompletion_promise: 'it''s done'\n---\n", with(func(g *Goal) { g.Promises = []string{"it's done"} })},
		"escapes":         {"---\ncompletion_promise: \"a \\\"b\\\" \\u00e9 \\\\\"\n---\n", with(func(g *Goal) { g.Promises = []string{`a "b" é \`} })},
		"a list":          {"---\ncompletion_promise: [All tests passing, \"a|b\", 'c']\n---\n", with(func(g *Goal) { g.Promises = []string{"All tests passing", "a|b", "c"} })},
		"a list of lines": {"---\ncompletion_promise:\n  - All tests passing\n  - \"b\"\nmax_iterations: 4\n---\n", with(func(g *Goal) { g.Max, g.Promises = 4, []string{"All tests passing", "b"} })},
		"Python's False":  {"---\nactive: False\n---\n", with(func(g *Goal) { g.Active = false })},
		"unknown fields":  {"---\nmood: sunny\nmax_iterations: 3\n---\n", with(func(g *Goal) { g.Max = 3 })},
		"times": {"---\ntimeout: 2h\niteration_timeout: 90s\nstarted_at: 2026-02-06T21:30:00Z\nsession_id: abc\n---\n", with(func(g *Goal) {
			g.Timeout, g.IterationTimeout, g.Started, g.Session = 7_200_000, 90_000, 1770413400000, "abc"
		})},
		"a line in the text": {"---\n---\none\n---\niteration_count: 7\n", with(func(g *Goal) { g.Body = "one\n---\niteration_count: 7" })},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := ReadLoop([]byte(test.text)); err != nil || !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %+v, %v\nwant %+v", got, err, test.want)
			}
		})
	}
}

func TestNoGoal(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      `line 1: the first line is not "---"`,
		"\ufeff---\n---\n":                      `line 1: the first line is not "---"`,
		"---\nactive: true\n":                   `line 3: no line "---" ends the fields`,
		"---\nactive\n---\n":                    "line 2: it is not a field: write `key: value`",
		"---\nactive:true\n---\n":               "line 2: a space is missing after the colon",
		"---\n\nmax_iterations: many\n---\n":    "line 3: max_iterations: it is a whole number, and not below 0",
		"---\nmax_iterations: -1\n---\n":        "line 2: max_iterations: it is a whole number, and not below 0",
		"---\nactive: perhaps\n---\n":           "line 2: active: it is true or false",
		"---\ntimeout: soon\n---\n":             "line 2: timeout: it must be a duration, like 30m or 2h",
		"---\ncompletion_promise: \"x\n---\n":   "line 2: the quotes are not closed",
		"---\ncompletion_promise: \"x\" y\n---": "line 2: there is more text after the value",
		"---\ncompletion_promise: [a, b\n---\n": "line 2: the list is not closed",
		"---\ncompletion_promise: {a: b}\n---":  "line 2: a value that begins with { needs quotes",
		"---\nactive: true\n- a\n---\n":         "line 3: a list item belongs to no field",
		"---\nactive: true\nactive: no\n---\n":  "line 3: active is given twice",
		"---\nx: \"\\q\"\n---\n":                "line 2: an unknown escape",
		"---\nx: \xff\n---\n":                   "line 1: it is not text in UTF-8",
	} {
		if _, err := ReadLoop([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestSetGoal(t *testing.T) {
	for name, test := range map[string]struct {
		before, key, value, after string
	}{
		"a number":             {guide, "iteration_count", "2", strings.Replace(guide, "count: 1", "count: 2", 1)},
		"a new field":          {guide, "session_id", `"s1"`, strings.Replace(guide, "active: true\n", "active: true\nsession_id: \"s1\"\n", 1)},
		"CRLF":                 {"---\r\nactive: true\r\n---\r\nx", "active", "false", "---\r\nactive: false\r\n---\r\nx"},
		"a comment stays":      {"---\nactive: true # mine\n---\n", "active", "false", "---\nactive: false # mine\n---\n"},
		"a list of lines":      {"---\ncompletion_promise:\n  - a\n  - b\nactive: true\n---\n", "completion_promise", `"c"`, "---\ncompletion_promise: \"c\"\nactive: true\n---\n"},
		"taken out":            {guide, "completion_promise", "", strings.Replace(guide, "completion_promise: \"✅ All tests passing\"\n", "", 1)},
		"none yet":             {"---\n---", "active", "false", "---\nactive: false\n---"},
		"the text is no field": {"---\nactive: true\n---\nactive: true\n", "active", "false", "---\nactive: false\n---\nactive: true\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := SetFields([]byte(test.before), [2]string{test.key, test.value}); err != nil || string(got) != test.after {
				t.Errorf("got %q, %v\nwant %q", got, err, test.after)
			}
		})
	}
	if _, err := SetFields([]byte("no fields"), [2]string{"active", "false"}); err == nil {
		t.Error("a file without fields took one")
	}
}

// Whatever a file says: no crash, and an edit changes its field, keeps
// the text, and reads back.
func TestSetGoalBody(t *testing.T) {
	for name, test := range map[string]struct{ file, body, want string }{
		"a new one":        {"---\na: b # c\n---\n\nOld.\n---\nOlder.\n", " New.\n\n- one \n", "---\na: b # c\n---\n\nNew.\n\n- one\n"},
		"CRLF":             {"---\r\na: b\r\n---\r\nOld.\r\n", "New.\n- one\r\n- two", "---\r\na: b\r\n---\r\n\r\nNew.\r\n- one\r\n- two\r\n"},
		"no body, no end":  {"---\na: b\n---", "New.", "---\na: b\n---\nNew.\n"},
		"nothing any more": {"---\na: b\n---\nOld.", "", "---\na: b\n---\n\n\n"},
	} {
		got, err := SetBody([]byte(test.file), test.body)
		if err != nil || string(got) != test.want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, test.want)
		}
	}
	if _, err := SetBody([]byte("no loop"), "New."); err == nil {
		t.Error("a file that is no loop got a goal")
	}
}

// A file that is all fields is none of ours: to look at each beside all others
// would take longer than the hook has.
func TestGoalOfManyFields(t *testing.T) {
	var b strings.Builder
	for i := range maxFields + 1 {
		if i == maxFields {
			if _, err := ReadLoop([]byte("---\n" + b.String() + "---\n")); err != nil {
				t.Error(err)
			}
		}
		b.WriteString("f" + strconv.Itoa(i) + ": 1\n")
	}
	if _, err := ReadLoop([]byte("---\n" + b.String() + "---\n")); err == nil || !strings.Contains(err.Error(), "line 202: more than 200 fields") {
		t.Errorf("%v", err)
	}
}

func FuzzGoal(f *testing.F) {
	f.Add(guide, "iteration_count", "a \"b\" | c")
	f.Add("---\r\na: [x, 'y', \"z\"] # c\r\nb:\r\n - 1\r\n---\r\n", "b", "")
	f.Add("---\n#\n\nx: ''\n---", "x", "\n\t\x00")
	f.Fuzz(func(t *testing.T, text, key, value string) {
		before, err := ReadLoop([]byte(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "line ") {
				t.Fatalf("%q: no line in %v", text, err)
			}
			return
		}
		after, err := SetFields([]byte(text), [2]string{"completion_promise", QuoteList([]string{value, "x"})}, [2]string{"iteration_count", "41"})
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		now, err := ReadLoop(after)
		if err != nil {
			t.Fatalf("%q became %q: %v", text, after, err)
		}
		if now.Count != 41 || now.Promises[len(now.Promises)-1] != "x" || now.Body != before.Body || now.Max != before.Max || now.Active != before.Active {
			t.Fatalf("%q became %q: %+v, was %+v", text, after, now, before)
		}
		printable := !strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError })
		if value = strings.TrimSpace(value); printable && value != "" && (len(now.Promises) != 2 || now.Promises[0] != value) {
			t.Fatalf("%q was set, and is %q", value, now.Promises)
		}
	})
}
