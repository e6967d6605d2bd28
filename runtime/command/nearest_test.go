package command

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/strategy/wiggum"
)

func TestNearest(t *testing.T) {
	long := strings.Repeat("lorem ipsum ", 20)
	for name, test := range map[string]struct {
		promises, messages []string
		words, of          int
		text               string
		said               bool
	}{
		"nothing said":               {[]string{"All tests passing"}, nil, 0, 0, "", false},
		"no word of it":              {[]string{"All tests passing"}, []string{"Pigs fly."}, 0, 0, "", false},
		"one word":                   {[]string{"All tests passing"}, []string{"The tests fail."}, 1, 3, "The tests fail.", false},
		"the longest run":            {[]string{"All tests passing"}, []string{"All of it.", "Now tests passing!", "All."}, 2, 3, "Now tests passing!", false},
		"the newest of equals":       {[]string{"All tests passing"}, []string{"Tests A.", "Tests B."}, 1, 3, "Tests B.", false},
		"a run, not single words":    {[]string{"All tests passing"}, []string{"All tests.", "All the tests are passing."}, 2, 3, "All tests.", false},
		"over line ends and marks":   {[]string{"✅ All tests passing"}, []string{"All\n tests — PASSING"}, 3, 3, "All tests — PASSING", false},
		"said":                       {[]string{"tests passing"}, []string{"All TESTS passing.", "tests: passing"}, 2, 2, "All TESTS passing.", true},
		"any of several":             {[]string{"pigs can fly", "snow in June"}, []string{"There is snow in May."}, 2, 3, "There is snow in May.", false},
		"the better part of its own": {[]string{"a b c d e f", "x y"}, []string{"a b c", "x y z"}, 2, 2, "x y z", true},
		"what stands around":         {[]string{"All tests passing"}, []string{long + "tests passing " + long}, 2, 3, "…lorem", false},
		"a promise without words":    {[]string{"✅"}, []string{"✅ tests"}, 0, 0, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			got := nearest(test.promises, test.messages)
			if got.Words != test.words || got.Of != test.of || !strings.HasPrefix(got.Text, test.text) || got.Said != test.said {
				t.Errorf("got %+v", got)
			}
			if len(got.Text) > 2*around+len("tests passing")+2*len("…") {
				t.Errorf("it shows %d bytes", len(got.Text))
			}
		})
	}
}

// Whatever was said: no more words than there are, and a text that is one.
func FuzzNearest(f *testing.F) {
	f.Add("All tests passing", "Now all tests are passing.")
	f.Add("✅ ünïcode", "Ünïcode\xff\n✅")
	f.Add("a a a", "a a a a a")
	f.Fuzz(func(t *testing.T, promise, message string) {
		got := nearest([]string{promise}, []string{message})
		want := wordsOf(promise)
		want = want[:min(len(want), maxPromiseWords)]
		if got.Words > len(want) || got.Words > len(wordsOf(message)) || got.Words > 0 && got.Of != len(want) {
			t.Errorf("%d of %d words", got.Words, got.Of)
		}
		if !utf8.ValidString(got.Text) || strings.ContainsAny(got.Text, "\n\r\x1b") {
			t.Errorf("it shows %q", got.Text)
		}
		// The run that was found is in both.
		var has []string
		for _, w := range wordsOf(message) {
			has = append(has, w.text)
		}
		found := got.Words == 0
		for i := 0; i+got.Words <= len(want) && !found; i++ {
			var run []string
			for _, w := range want[i : i+got.Words] {
				run = append(run, w.text)
			}
			found = strings.Contains("\x00"+strings.Join(has, "\x00")+"\x00", "\x00"+strings.Join(run, "\x00")+"\x00")
		}
		if !found {
			t.Errorf("%d words of %q are not in %q", got.Words, promise, message)
		}
	})
}

func TestIsVague(t *testing.T) {
	for _, promise := range []string{"done", "Done.", "OK", "ok!", "finished", "It is done", "I'm done", "All good", "✅", "Task complete", "complete", "everything works"} {
		if !isVague(promise) {
			t.Errorf("%q is not vague", promise)
		}
	}
	for _, promise := range []string{
		"All tests passing", "✅ All tests passing", "Feature complete", "Feature complete and tested", "Bug fixed", "Root cause identified and fixed",
		"Documentation complete", "Goal achieved", "No errors found", "TASK_COMPLETE_4711", "готово все тесты",
	} {
		if isVague(promise) {
			t.Errorf("%q is vague", promise)
		}
	}
}

func TestProjectName(t *testing.T) {
	for dir, want := range map[string]string{
		"/home/homer/my_app.go": "-home-homer-my-app-go",
		`C:\Users\Homer`:        "C--Users-Homer",
		"/tmp/Müll":             "-tmp-M-ll",
		"/tmp/🍩":                "-tmp---",
	} {
		if got := projectName(dir); got != want {
			t.Errorf("%s: %s, want %s", dir, got, want)
		}
	}
}

// The templates are loops, and none of them breaks the rules that the words warn
// of.
func TestTemplates(t *testing.T) {
	l := loopHere{Console: &Console{}}
	l.driver.Settings.Options = wiggum.Strategy().New()
	want := map[string]int{"tests": 15, "feature": 20, "debug": 12, "quick": 8, "docs": 10}
	for _, template := range templates() {
		draft, err := l.draft(LoopStart{Goal: "Bake a cake", Template: template.name})
		if err != nil {
			t.Fatal(err)
		}
		g, err := wiggum.Read(draft)
		if err != nil {
			t.Fatalf("%s: %v", template.name, err)
		}
		if g.Max != want[template.name] || g.Count != 1 || !g.Active || len(g.Promises) != 1 || isVague(g.Promises[0]) || g.Max > manyIterations {
			t.Errorf("%s: %+v", template.name, g)
		}
		if !strings.HasPrefix(g.Body, "Goal: Bake a cake\n") || !strings.HasSuffix(g.Body, "If something blocks you, say what it is.") || len(g.Body) > 1000 {
			t.Errorf("%s: the goal is\n%s", template.name, g.Body)
		}
	}
	if len(templates()) != len(want) {
		t.Errorf("%d templates", len(templates()))
	}
}
