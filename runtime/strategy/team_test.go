package strategy

import (
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/fact"
)

// Whose the open tasks are, and whether the message closes the work at hand.
func TestTodosOfOthers(t *testing.T) {
	task := func(status, owner string) fact.Todo {
		return fact.Todo{Content: "hang the sign", Status: status, Owner: owner}
	}
	for name, test := range map[string]struct {
		situation Situation
		want      Decision
		rule      string
	}{
		"pending":                       {Situation{Message: Message{Text: "The sign has four letters."}, Todos: Todos{List: []fact.Todo{task("pending", "")}}}, Continue, "todos"},
		"pending, the lead's own":       {Situation{Message: Message{Text: "The sign has four letters."}, Todos: Todos{List: []fact.Todo{task("pending", "team-lead")}}}, Continue, "todos"},
		"a teammate's":                  {Situation{Message: Message{Text: "The sign has four letters."}, Todos: Todos{List: []fact.Todo{task("in_progress", "moe")}}}, Stop, "otherwise"},
		"a teammate's, another to take": {Situation{Message: Message{Text: "The sign has four letters."}, Todos: Todos{List: []fact.Todo{task("in_progress", "moe"), task("pending", "")}}}, Stop, "otherwise"},
		"a teammate's, done":            {Situation{Message: Message{Text: "The sign has four letters."}, Todos: Todos{List: []fact.Todo{task("completed", "moe"), task("pending", "")}}}, Continue, "todos"},
		"teammates are there":           {Situation{Message: Message{Text: "The sign has four letters."}, Todos: Todos{List: []fact.Todo{task("pending", "")}, Team: 2}}, Stop, "otherwise"},
		"teammates, and its own action": {Situation{Message: Message{Text: "Let me read what moe has found."}, Todos: Todos{List: []fact.Todo{task("in_progress", "moe")}, Team: 1}}, Continue, "intent"},
		"a blocked one":                 {Situation{Message: Message{Text: "The sign has four letters."}, Todos: Todos{List: []fact.Todo{{Content: "a", Status: "pending", Blocked: true}}}}, Stop, "otherwise"},
		"a report over an open list":    {Situation{Message: Message{Text: "Fixed and pushed."}, Todos: Todos{List: []fact.Todo{task("pending", "")}}}, Stop, "reported"},
		"a link to what is done":        {Situation{Message: Message{Text: "The branch is there.\n\nDraft PR created: https://example.invalid/1"}, Todos: Todos{List: []fact.Todo{task("pending", "")}}}, Stop, "reported"},
		"all done over an open list":    {Situation{Message: Message{Text: "Everything is done."}, Todos: Todos{List: []fact.Todo{task("pending", "")}}}, Stop, "reported"},
		"a report, then the next step":  {Situation{Message: Message{Text: "Fixed and pushed. Now I'll hang the sign."}, Todos: Todos{List: []fact.Todo{task("pending", "")}}}, Continue, "intent"},
	} {
		t.Run(name, func(t *testing.T) {
			if v := ned().Decide(Config{}, test.situation); v.Decision != test.want || v.Rule != test.rule {
				t.Errorf("%s by %s (%s)", v.Decision, v.Rule, v.Evidence)
			}
		})
	}
}

// Rules of a file can name acts and languages, and a verdict says which were read.
func TestRulesReadActs(t *testing.T) {
	for name, test := range map[string]struct {
		rule    Rule
		text    string
		want    string // the rule that decides
		refused string
	}{
		"an act":               {Rule{ID: "x", Act: "announces", Then: Stop}, "Ich passe jetzt die Tests an.", "x", ""},
		"in a language":        {Rule{ID: "x", Act: "announces", Lang: []string{"de", "nl"}, Then: Stop}, "Ich passe jetzt die Tests an.", "x", ""},
		"in another":           {Rule{ID: "x", Act: "announces", Lang: []string{"fr"}, Then: Stop}, "Ich passe jetzt die Tests an.", "intent", ""},
		"a language alone":     {Rule{ID: "x", Lang: []string{"ja"}, Then: Stop}, "次にテストを実行します。", "x", ""},
		"near":                 {Rule{ID: "x", Act: "waits", Near: true, Then: Stop}, "CI is running.\n\nThe sign has four letters.", "x", ""},
		"tools were used":      {Rule{ID: "x", Used: true, Then: Stop}, "Let me hang the sign.", "intent", ""},
		"no such act":          {Rule{ID: "x", Act: "sings", Then: Stop}, "", "otherwise", "no act \"sings\""},
		"no pack":              {Rule{ID: "x", Lang: []string{"sv"}, Then: Stop}, "", "otherwise", "without a pack"},
		"nothing to go by":     {Rule{ID: "x", Near: true, Then: Stop}, "", "otherwise", "no condition"},
		"a phrase in Chinese":  {Rule{ID: "x", Says: []string{"挂招牌"}, Then: Stop}, "我来挂招牌了。", "x", ""},
		"a beginning behind 。": {Rule{ID: "x", Opens: []string{"挂招牌"}, Then: Stop}, "好。挂招牌了。", "x", ""},
	} {
		t.Run(name, func(t *testing.T) {
			c, faults := ned().Mend(Config{Add: []Rule{test.rule}})
			said := ""
			for _, err := range faults {
				said += err.Error()
			}
			if v := ned().Decide(c, Situation{Message: Message{Text: test.text}}); v.Rule != test.want || (said == "") != (test.refused == "") || !strings.Contains(said, test.refused) {
				t.Errorf("%s by %s (%s), %s", v.Decision, v.Rule, v.Evidence, said)
			}
		})
	}
	v := ned().Decide(Config{}, Situation{Message: Message{Text: "Ich passe jetzt die Tests an."}})
	if strings.Join(v.Languages, " ") != "de" || v.Decision != Continue || !strings.HasPrefix(v.Reason, "You said") {
		t.Errorf("%+v", v)
	}
}

// bart does not take a menu for an announcement.
func TestBartKnowsMenus(t *testing.T) {
	v := bart().Decide(Config{}, Situation{Message: Message{Text: "The brief is drafted.\n\nSelect an option:\n[A] Advanced\n[C] Continue (Step 3 of 11)"}})
	if v.Decision != Stop || v.Rule != "asks" {
		t.Errorf("%+v", v)
	}
}
