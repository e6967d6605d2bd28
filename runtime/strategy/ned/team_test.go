package ned

import (
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// Whose the open tasks are, and whether the message closes the work at hand.
func TestTodosOfOthers(t *testing.T) {
	task := func(status, owner string) activity.Todo {
		return activity.Todo{Content: "hang the sign", Status: status, Owner: owner}
	}
	for name, test := range map[string]struct {
		situation strategy.Situation
		want      strategy.Decision
		rule      string
	}{
		"pending":                       {strategy.Situation{Message: strategy.Message{Text: "The sign has four letters."}, Todos: strategy.Todos{List: []activity.Todo{task("pending", "")}}}, strategy.Continue, "todos"},
		"a teammate's":                  {strategy.Situation{Message: strategy.Message{Text: "The sign has four letters."}, Todos: strategy.Todos{List: []activity.Todo{task("in_progress", "moe")}}}, strategy.Stop, "otherwise"},
		"a teammate's, another to take": {strategy.Situation{Message: strategy.Message{Text: "The sign has four letters."}, Todos: strategy.Todos{List: []activity.Todo{task("in_progress", "moe"), task("pending", "")}}}, strategy.Stop, "otherwise"},
		"teammates are there":           {strategy.Situation{Message: strategy.Message{Text: "The sign has four letters."}, Todos: strategy.Todos{List: []activity.Todo{task("pending", "")}, Team: 2}}, strategy.Stop, "otherwise"},
		"teammates, and its own action": {strategy.Situation{Message: strategy.Message{Text: "Let me read what moe has found."}, Todos: strategy.Todos{List: []activity.Todo{task("in_progress", "moe")}, Team: 1}}, strategy.Continue, "intent"},
		"a blocked one":                 {strategy.Situation{Message: strategy.Message{Text: "The sign has four letters."}, Todos: strategy.Todos{List: []activity.Todo{{Content: "a", Status: "pending", Blocked: true}}}}, strategy.Stop, "otherwise"},
		"a report over an open list":    {strategy.Situation{Message: strategy.Message{Text: "Fixed and pushed."}, Todos: strategy.Todos{List: []activity.Todo{task("pending", "")}}}, strategy.Stop, "reported"},
		"a report, then the next step":  {strategy.Situation{Message: strategy.Message{Text: "Fixed and pushed. Now I'll hang the sign."}, Todos: strategy.Todos{List: []activity.Todo{task("pending", "")}}}, strategy.Continue, "intent"},
	} {
		t.Run(name, func(t *testing.T) {
			if v := decide(rules.Options{}, test.situation); v.Decision != test.want || v.Rule != test.rule {
				t.Errorf("%s by %s (%s)", v.Decision, v.Rule, v.Evidence)
			}
		})
	}
}

// Rules of a file can name acts and languages, and a verdict says which were read.
func TestRulesReadActs(t *testing.T) {
	for name, test := range map[string]struct {
		rule    rules.Rule
		text    string
		want    string // the rule that decides
		refused string
	}{
		"an act":               {rules.Rule{ID: "x", Act: "announces", Then: strategy.Stop}, "Ich passe jetzt die Tests an.", "x", ""},
		"in a language":        {rules.Rule{ID: "x", Act: "announces", Lang: []string{"de", "nl"}, Then: strategy.Stop}, "Ich passe jetzt die Tests an.", "x", ""},
		"in another":           {rules.Rule{ID: "x", Act: "announces", Lang: []string{"fr"}, Then: strategy.Stop}, "Ich passe jetzt die Tests an.", "intent", ""},
		"near":                 {rules.Rule{ID: "x", Act: "waits", Near: true, Then: strategy.Stop}, "CI is running.\n\nThe sign has four letters.", "x", ""},
		"tools were used":      {rules.Rule{ID: "x", Used: true, Then: strategy.Stop}, "Let me hang the sign.", "intent", ""},
		"no such act":          {rules.Rule{ID: "x", Act: "sings", Then: strategy.Stop}, "", "otherwise", "no act \"sings\""},
		"no pack":              {rules.Rule{ID: "x", Lang: []string{"sv"}, Then: strategy.Stop}, "", "otherwise", "no language pack"},
		"nothing to go by":     {rules.Rule{ID: "x", Near: true, Then: strategy.Stop}, "", "otherwise", "no condition"},
		"a phrase in Chinese":  {rules.Rule{ID: "x", Says: []string{"挂招牌"}, Then: strategy.Stop}, "我来挂招牌了。", "x", ""},
		"a beginning behind 。": {rules.Rule{ID: "x", Opens: []string{"挂招牌"}, Then: strategy.Stop}, "好。挂招牌了。", "x", ""},
	} {
		t.Run(name, func(t *testing.T) {
			c, faults := mend(rules.Options{Add: []rules.Rule{test.rule}})
			said := ""
			for _, err := range faults {
				said += err.Error()
			}
			if v := decide(c, strategy.Situation{Message: strategy.Message{Text: test.text}}); v.Rule != test.want || (said == "") != (test.refused == "") || !strings.Contains(said, test.refused) {
				t.Errorf("%s by %s (%s), %s", v.Decision, v.Rule, v.Evidence, said)
			}
		})
	}
	v := decide(rules.Options{}, strategy.Situation{Message: strategy.Message{Text: "Ich passe jetzt die Tests an."}})
	if strings.Join(v.Languages, " ") != "de" || v.Decision != strategy.Continue || !strings.HasPrefix(v.Reason, "You said") {
		t.Errorf("%+v", v)
	}
}
