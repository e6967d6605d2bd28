package lastmessage

import (
	"strings"
	"testing"
	"time"
)

// What a message does at its end, by kinds of Markdown and in several languages.
func TestActs(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		act  Act
		want bool
	}{
		"a transition in bold":          {"✅ Task 1 complete. Now **Task 2: add the endpoint**", Moves, true},
		"a transition":                  {"Phase 1 is finished. On to Phase 2.", Moves, true},
		"a step that is next":           {"Step 1 finished. Step 2 is next.", Moves, true},
		"a step's title":                {"The docs are there.\n\nTask 2: Recovery modes", Moves, true},
		"moving on, denied":             {"Moving on to the tests isn't possible here.", Moves, false},
		"a heading":                     {"## Task 3: Wire the router", Heads, true},
		"a bold line":                   {"**Step 5 — Create theme-constants.ts**", Heads, true},
		"a count and a title":           {"▶ [8/12] Port the date picker", Heads, true},
		"a heading that closes":         {"## All done", Heads, false},
		"a heading with text":           {"## Result\n\nIt works.", Heads, false},
		"a heading before a quotation":  {"## Reply\n\n> It works.", Heads, false},
		"a question in a heading":       {"### Is it safe? Checking the map", Asks, false},
		"a question in a bold title":    {"**3.2 Why two clocks? The answer of the kernel**", Asks, false},
		"a bold question":               {"**Shall I go on?**", Asks, true},
		"a question in code":            {"Now I'll run `a ? b : c`.", Asks, false},
		"a question that is quoted":     {"You asked \"does it work?\" and I'm checking that now.", Asks, false},
		"a question answered":           {"Is it gone? Yes, on all pages.", Asks, false},
		"a question in the middle":      {"Do you want A or B? A is cheap. The rest is as it was.", Asks, true},
		"a menu":                        {"Step 3 of 11 is drafted.\n\n[A] Advanced [C] Continue (Step 4 of 11)", Asks, true},
		"a list that is ticked":         {"- [x] a\n- [X] b", Leaves, false},
		"a list that is half ticked":    {"- [x] parser\n- [ ] printer", Leaves, true},
		"taken off the list":            {"- [x] parser\n- [ ] ~~printer~~", Leaves, false},
		"what is left, then a list":     {"Fixed the login test. Still need to fix:\n\n- logout\n- reset", Leaves, true},
		"what is left is the user's":    {"The key still needs to be rotated, which is up to you.", Leaves, false},
		"an open code block":            {"I'll change it like this:\n\n```go\nfunc", Breaks, true},
		"a code block":                  {"It is this:\n\n```go\nfunc\n```", Breaks, false},
		"a table without rows":          {"The result:\n\n| a | b |\n|---|---|", Breaks, true},
		"a table":                       {"| a | b |\n|---|---|\n| 1 | 2 |", Breaks, false},
		"a step and a colon":            {"Now insert the row between the two:", Hands, false},
		"a request and a colon":         {"Please run the following:", Hands, false},
		"a wait and a colon":            {"Now wait for the second build to finish:", Waits, false},
		"a request, then code":          {"Please run the following:\n\n```sh\nmake\n```", Hands, true},
		"a request, then a list":        {"Please restart these two:\n\n- the worker\n- the queue", Hands, true},
		"a request, then a quotation":   {"Please send this:\n\n> It works.", Hands, true},
		"a title, then code":            {"It works.\n\n## Building it\n\n```sh\nmake\n```", Announces, false},
		"code within shown Markdown":    {"Say it so:\n\n```markdown\n## Use\n```sh\nmake\n```\nNow.\n```\n\nThat is all.", Breaks, false},
		"open code within Markdown":     {"Say it so:\n\n```markdown\n## Use\n```sh\nmake\n```\nNow.", Breaks, true},
		"a title with a value":          {"It works.\n\n**Verdict: ship it**", Heads, false},
		"a title with a value, French":  {"Tout est vert.\n\n**Verdict : prêt**", Heads, false},
		"a title with a verb of work":   {"It works.\n\n**Cache: add a limit**", Heads, true},
		"a title with a number":         {"It works.\n\n**Finding 2: no limit**", Heads, true},
		"a value and nothing before":    {"**Cache: no limit**", Heads, true},
		"left in brackets":              {"The tree is clean (two notes are left).", Leaves, false},
		"crosses behind the text":       {"- before: it hung ❌\n- after: it answers ✅", Leaves, false},
		"crosses in front":              {"- ❌ printer\n- ✅ parser", Leaves, true},
		"numbers in a row":              {"Updated the hints of F1/2/3, done so far.", Counts, false},
		"a colon":                       {"The diff between them:", Breaks, true},
		"half a sentence":               {"The race is there because it is called before the", Breaks, true},
		"a whole one without its point": {"The race is gone", Breaks, false},
		"n of m":                        {"Converted 9 of 26 suites so far; the others follow the same pattern.", Counts, true},
		"all of them":                   {"Converted 26 of 26 suites so far.", Counts, false},
		"a comment":                     {"It works.<!-- Now I'll run the tests. -->", Announces, false},
		"a quotation":                   {"It works.\n\n> Now I'll run the tests.", Announces, false},
		"an announcement before others": {"I'm adding it now. It has two sides.", Announces, false},
		"German":                        {"Aufgabe 1 ist fertig. Weiter mit Aufgabe 2.", Moves, true},
		"German, a question":            {"Soll ich weitermachen?", Asks, true},
		"Japanese":                      {"パーサーは完成しました。次にテストを実行します。", Announces, true},
		"Japanese, a question":          {"どちらにしますか？", Asks, true},
		"Arabic, a question":            {"هل أكمل؟", Asks, true},
		"a language without a pack":     {"Parsern är klar. Nu kör jag testerna.", Announces, false},
		"nothing":                       {"", Heads, false},
		"nothing but a comment":         {"<!-- x -->", Breaks, false},
	} {
		c := ReadMessage(nil, test.text)
		said, got := c.FindAct(test.act, false)
		if !got {
			said, got = c.FindAct(test.act, true)
		}
		if got != test.want {
			t.Errorf("%s: %s is %v (%q)", name, test.act, got, said)
		}
	}
}

// hostile are texts that a reader could lose itself in.
func hostile(n int) map[string]string {
	return map[string]string{
		"bold":        strings.Repeat("**", n),
		"backticks":   strings.Repeat("` ", n),
		"quotes":      strings.Repeat("\"a “b ", n/2),
		"brackets":    strings.Repeat("[", n) + strings.Repeat("](", n/2),
		"comments":    strings.Repeat("<!--", n),
		"lines":       strings.Repeat("a\n", n),
		"items":       strings.Repeat("- [ ] a\n", n/4),
		"fences":      strings.Repeat("```\n~~~\n", n/4),
		"one word":    strings.Repeat("a", n),
		"words":       strings.Repeat("i'll now ", n/4),
		"sentences":   strings.Repeat("I'll run it now. ", n/8),
		"questions":   strings.Repeat("? ", n),
		"dashes":      strings.Repeat("a — now i'm ", n/8),
		"Han":         strings.Repeat("现在我来", n/4),
		"kana":        strings.Repeat("次に、", n/4),
		"Arabic":      strings.Repeat("الآن ", n/4),
		"Devanagari":  strings.Repeat("अब मैं ", n/8),
		"combining":   "a" + strings.Repeat("\u0301", n),
		"invalid":     strings.Repeat("\xff", n),
		"table":       strings.Repeat("|a|⬜|\n", n/4),
		"numbers":     strings.Repeat("1 of ", n/4),
		"digits":      strings.Repeat("1", n),
		"underscores": strings.Repeat("_a_", n/2),
		"links":       strings.Repeat("http://a ", n/4),
	}
}

func readAll(text string) {
	c := ReadMessage(nil, text)
	for _, act := range AllActs() {
		c.FindAct(act, false)
		c.FindAct(act, true)
	}
}

// Twice the text takes about twice the time: four times is the sign of a square.
func TestWorkGrowsWithTheText(t *testing.T) {
	const small = 1 << 15
	long := hostile(4 * small)
	took := func(text string) time.Duration {
		start := time.Now()
		readAll(text)
		return time.Since(start)
	}
	for name, text := range hostile(small) {
		one, four := time.Hour, time.Hour
		// The shortest of many tries is what the work takes: a busy machine only makes
		// one longer. What grows with the square fails all of them.
		for try := 0; try < 40 && (try < 3 || four > 12*one); try++ {
			one, four = min(one, took(text)), min(four, took(long[name]))
		}
		if four > 12*one {
			t.Errorf("%s: %v, and four times as much %v", name, one, four)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range hostile(40) {
		f.Add(text)
	}
	f.Add("✅ Task 1 complete. Now **Task 2: add the endpoint**\n\n- [ ] a\n| a | ⏳ |\n```\nx")
	f.Fuzz(func(t *testing.T, text string) {
		c := ReadMessage(nil, text)
		for _, act := range AllActs() {
			for _, near := range []bool{false, true} {
				if said, _ := c.FindAct(act, near); !strings.Contains(text, said) && said != "an open code block" && !strings.Contains(text, "<!--") {
					t.Errorf("%s: %q was not said in %q", act, said, text)
				}
			}
		}
	})
}
