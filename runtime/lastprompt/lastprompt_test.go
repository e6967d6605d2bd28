package lastprompt

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

func whole(text string) Prompt { return Prompt{Begin: text, End: text} }

func TestPrompts(t *testing.T) {
	data, err := os.ReadFile("testdata/prompts.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		kind, text, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || kind == "#" {
			continue
		}
		text = strings.ReplaceAll(strings.ReplaceAll(text, `\n`, "\n"), `\t`, "\t")
		if w := Read(whole(text)); string(w.Kind) != kind {
			t.Errorf("%q: %s %s, want %s", text, w.Kind, w.Evidence, kind)
		}
	}
}

func TestEvidenceQuotesTheClause(t *testing.T) {
	for text, want := range map[string]Word{
		"":                                      {},
		" \n":                                   {},
		"commit this. Please stop here, thanks": {Kind: Forbids, Evidence: "“Please stop here”"},
		"It fails. Why?":                        {Kind: Asks, Evidence: "“Why?”"},
		"Do 1 to 5. Don't stop to ask.":         {Kind: Standing, Evidence: "“Don't stop to ask.”"},
		"Yes, go on.":                           {Kind: Yes, Evidence: "“Yes, go on.”"},
		"fix it":                                {Kind: Orders},
	} {
		got := Read(whole(text))
		if got.Held = ""; got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestHeld(t *testing.T) {
	for _, test := range []struct{ prompt, next, said string }{
		{"fix the lint, but don't push yet", "I'll push the branch now.", "“but don't push yet”"},
		{"fix the lint, but don't push yet", "I'll fix the second file now.", ""},
		{"dont post it, just draft a reply to #412", "Next I'll post it.", "“dont post it”"},
		{"Write the migration. Don't run it against any database.", "Applying it to the local database.", "“Don't run it against any database.”"},
		{"Leave features/upload alone. Move the rest to fetch.", "Next are the calls in features/orders.", ""},
		{"Leave features/upload alone. Move the rest to fetch.", "Next is features/upload/form.ts.", "“Leave features/upload alone.”"},
		{"fix the lint, but don't push yet", "Push it?" + strings.Repeat(" Or not.", 400), ""},
		{"Do phases 1 and 2, then stop", "On to phase 3.", "“then stop”"},
		{"Fix the typo. Nothing else in there please.", "I'll rewrite the section.", "“Nothing else in there please.”"},
		{"Update the chart. The rollout to staging, that's for Sanjay tomorrow", "Now I'll roll it out to staging.", "“that's for Sanjay tomorrow”"},
		{"Build step 1 (the parser). Evaluator and printer can wait", "I'll begin with the evaluator.", "“Evaluator and printer can wait”"},
		{"arregla el typo, el merge lo hace QA", "A continuación hago el merge.", "“el merge lo hace QA”"},
		{"N+1直しといて、pushはまだしないで", "これからpushします。", "“pushはまだしないで”"},
		{"Do not stop until all tests pass", "Next I'll fix the tests.", ""},
		{"fix the tests and don't forget to run the linter", "Next I'll run the linter.", ""},
		{"Don't ask me about the tests, update them", "Next I'll update the tests.", ""},
		{"fix it, and don't wait for my ok", "Next I'll fix the second test.", ""},
		{"fix it, then wait for my ok", "Next I'll fix the second test.", "“then wait for my ok”"},
		{"The login button must not be clickable twice. Fix that.", "Next I'll fix the button on the signup page.", ""},
		{"Migrate all components. Never use any.", "Next I'll migrate Table.", ""},
		{"用户不能删除默认项目，请实现", "接下来在项目接口里实现。", ""},
		{"don't use AKIA4EXAMPLE7EXAMPLE9 in the example", "AKIA4EXAMPLE7EXAMPLE9", ""},
		{"räum auf, aber vergiss die Tests nicht", "Jetzt passe ich die Tests an.", ""},
		{"mets à jour la page, et n'oublie pas les tests", "Je passe aux tests.", ""},
		{"The tests don't pass on Windows, fix them", "Next I'll fix the tests on Windows.", ""},
		{"don't we have tests for that?", "I'll look at the tests.", ""},
	} {
		if said, _ := FindBanned(Read(whole(test.prompt)).Held, test.next); said != test.said {
			t.Errorf("%q, %q: %s, want %s", test.prompt, test.next, said, test.said)
		}
	}
}

// Of a long prompt only the two ends are known, and what is half a sentence decides nothing.
func TestLongPrompts(t *testing.T) {
	middle := strings.Repeat("The parser reads the file line by line. ", 40)
	for name, test := range map[string]struct {
		text string
		want Kind
	}{
		"it ends with a word that forbids":    {middle + "Stop here.", Forbids},
		"it begins with one":                  {"Stop. " + middle, Forbids},
		"one is at its beginning, then order": {"Wait. Rename the parser first. " + middle, Orders},
		"one is in the known part, no last":   {"The file is read. Stop here. " + middle, Orders},
		"it ends with a question":             {middle + "Why is that slow?", Asks},
		"it begins with an order":             {"Fix the parser. " + middle + "Why is that slow?", Asks},
		"an order behind the question":        {middle + "Why is that slow? Fix it.", Orders},
		"a standing order at its end":         {middle + "Do not stop until all tests pass.", Standing},
		"half a sentence at the seam":         {strings.Repeat("x ", 190) + "we do not want to stop" + strings.Repeat(" y", 300) + ".", Orders},
		"code that goes on in the end":        {"Fix this:\n```go\n" + strings.Repeat("why?\n", 300) + "stop\n```\n", Orders},
		"and words behind it":                 {"```go\n" + strings.Repeat("fix\n", 300) + "fix it\n```\nStop here.", Forbids},
	} {
		p := Prompt{Begin: test.text[:min(len(test.text), 400)], End: test.text[max(0, len(test.text)-240):]}
		if w := Read(p); w.Kind != test.want {
			t.Errorf("%s: %s %s, want %s", name, w.Kind, w.Evidence, test.want)
		}
	}
}

func TestPartsThatOverlapAreWhole(t *testing.T) {
	text := strings.Repeat("The parser reads the file line by line. ", 9) + "Rename it to scanner and stop the old server at the end of the run, which is in main. " + strings.Repeat("It is old. ", 4) + "Why is it slow? I know."
	if w := Read(Prompt{Begin: text[:400], End: text[len(text)-240:]}); w.Kind != Orders {
		t.Errorf("%d bytes: %v", len(text), w)
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{"stop", "why?\n```", "<a-b>x</a-b>", "¿qué", "先别继续", strings.Repeat("and then wait, ", 99), strings.Repeat("@", 999), strings.Repeat("<a-b", 400), "\xff\xe3\x80"} {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, begin, end string) {
		for _, p := range []Prompt{{begin, end}, whole(begin), {begin, ""}, {"", end}} {
			w := Read(p)
			FindBanned(w.Held, end)
			if len(w.Held) > maxHeld || !utf8.ValidString(w.Held) || !utf8.ValidString(w.Evidence) || len(w.Evidence) > 100 || w.Kind == Unknown && w.Evidence != "" {
				t.Errorf("%q: %v", p, w)
			}
		}
	})
}
