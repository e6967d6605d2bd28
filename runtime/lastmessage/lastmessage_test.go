package lastmessage

import (
	"strings"
	"testing"
)

func TestActs(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		act  Act
		want bool
	}{
		"a transition in bold":          {"✅ Task 1 complete. Now **Task 2: add the endpoint**", Moves, true},
		"a transition":                  {"Phase 1 is finished. On to Phase 2.", Moves, true},
		"moving on, denied":             {"Moving on to the tests isn't possible here.", Moves, false},
		"a question in a heading":       {"### Is it safe? Checking the map", Asks, false},
		"a question in a bold title":    {"**3.2 Why two clocks? The answer of the kernel**", Asks, false},
		"a bold question":               {"**Shall I go on?**", Asks, true},
		"a question in code":            {"Now I'll run `a ? b : c`.", Asks, false},
		"a file called like a request":  {"build.mk is done. install.mk is next.", Hands, false},
		"the agent's own verb":          {"Die CI ist durch. Dann setze ich jetzt den Tag.", Hands, false},
		"a question that is quoted":     {"See [\"x\"](y). You asked \"does it work?\" and I'm checking that now.", Asks, false},
		"a question answered":           {"Is it gone? Yes, on all pages.", Asks, false},
		"a question in the middle":      {"Do you want A or B? A is cheap. The rest is as it was.", Asks, true},
		"a menu":                        {"Step 3 of 11 is drafted.\n\n[A] Advanced [C] Continue (Step 4 of 11)", Asks, true},
		"a request, then code":          {"Please run the following:\n\n```sh\nmake\n```", Hands, true},
		"a request, then a list":        {"Please restart these two:\n\n- the worker\n- the queue", Hands, true},
		"a request, then a quotation":   {"Please send this:\n\n> It works.", Hands, true},
		"a title, then code":            {"It works.\n\n## Building it\n\n```sh\nmake\n```", Announces, false},
		"a comment":                     {"It works.<!-- Now I'll run the tests. -->", Announces, false},
		"a quotation":                   {"It works.\n\n> Now I'll run the tests.", Announces, false},
		"an announcement before others": {"I'm adding it now. It has two sides.", Announces, false},
		"an announcement of a plan":     {"I'll do the cheap part first:\n\n- drop the imports\n- run the tests", Announces, false},
		"leave":                         {"Phase 2 is done. Shall I start phase 3?", Leave, true},
		"leave, without a question":     {"Phase 2 is done.\n\nReady to proceed to phase 3 when you are.", Leave, true},
		"leave in a word":               {"All checks pass. Say go.", Leave, true},
		"leave to go on":                {"Task 3 is in. Want me to continue?", Leave, true},
		"an offer of new work":          {"All done. Want me to add a changelog entry, too?", Leave, false},
		"a choice":                      {"Shall I continue with task 4, or would you rather review first?", Leave, false},
		"which one":                     {"Which task should I start with?", Leave, false},
		"leave, then a list":            {"Shall I continue with phase 3?\n\n1. Now\n2. Later", Leave, false},
		"leave in German":               {"Phase 2 ist fertig. Soll ich mit Phase 3 anfangen?", Leave, true},
		"leave in French":               {"L'étape 2 est terminée. Dois-je continuer avec l'étape 3 ?", Leave, true},
		"leave in Spanish":              {"La fase 2 está lista. ¿Continúo con la fase 3?", Leave, true},
		"leave in Chinese":              {"第2阶段完成。要继续第3阶段吗？", Leave, true},
		"leave in Japanese":             {"フェーズ2が完了しました。フェーズ3に進んでよろしいですか？", Leave, true},
		"leave in Russian":              {"Этап 2 готов. Перейти к этапу 3?", Leave, true},
		"leave in Korean":               {"2단계가 끝났습니다. 다음 단계로 넘어갈까요?", Leave, true},
		"leave in Portuguese":           {"A fase 2 está pronta. Posso começar a fase 3?", Leave, true},
		"a choice in German":            {"Soll ich mit Phase 3 weitermachen oder erst aufräumen?", Leave, false},
		"German":                        {"Aufgabe 1 ist fertig. Weiter mit Aufgabe 2.", Moves, true},
		"German, a question":            {"Soll ich weitermachen?", Asks, true},
		"Japanese":                      {"パーサーは完成しました。次にテストを実行します。", Announces, true},
		"Japanese, a question":          {"どちらにしますか？", Asks, true},
		"Arabic, a question":            {"هل أكمل؟", Asks, true},
		"a language without a pack":     {"Parsern är klar. Nu kör jag testerna.", Announces, false},
	} {
		c := ReadMessage(test.text)
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

// A reader that is quadratic would not return.
func TestLongTexts(t *testing.T) {
	for _, text := range hostile(1 << 18) {
		c := ReadMessage(text)
		for _, act := range AllActs() {
			c.FindAct(act, false)
			c.FindAct(act, true)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range hostile(40) {
		f.Add(text)
	}
	f.Add("✅ Task 1 complete. Now **Task 2: add the endpoint**\n\n- [ ] a\n| a | ⏳ |\n```\nx")
	f.Fuzz(func(t *testing.T, text string) {
		c := ReadMessage(text)
		for _, act := range AllActs() {
			for _, near := range []bool{false, true} {
				if said, _ := c.FindAct(act, near); !strings.Contains(text, said) && said != "an open code block" && !strings.Contains(text, "<!--") {
					t.Errorf("%s: %q was not said in %q", act, said, text)
				}
			}
		}
	})
}
