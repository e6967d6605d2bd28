package registry

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// with returns the options of a strategy with settings.
func with(t *testing.T, s strategy.Strategy, chosen rules.Options) rules.Ruled {
	t.Helper()
	options, ok := s.New().(rules.Ruled)
	if !ok {
		t.Fatalf("%s does not decide by rules", s.Name)
	}
	*options.Chosen() = chosen
	return options
}

// A late rule decides only if no other does.
func TestLateRules(t *testing.T) {
	onwards := rules.Rule{ID: "onwards", Says: []string{"onwards"}, Late: true, Then: strategy.Continue}
	rests := rules.Rule{ID: "rests", Says: []string{"onwards"}, Late: true, Then: strategy.Stop}
	first := rules.Rule{ID: "first", Says: []string{"onwards"}, Then: strategy.Stop}
	for name, test := range map[string]struct {
		strategy string
		config   rules.Options
		text     string
		want     strategy.Decision
		rule     string
	}{
		"decides where none does":     {"ned-flanders", rules.Options{Add: []rules.Rule{onwards}}, "Onwards with the rest", strategy.Continue, "onwards"},
		"in front of finished":        {"ned-flanders", rules.Options{Add: []rules.Rule{onwards}}, "The first is done. Onwards with the rest", strategy.Continue, "onwards"},
		"behind what asks":            {"ned-flanders", rules.Options{Add: []rules.Rule{onwards}}, "Onwards. Shall I?", strategy.Stop, "asks"},
		"behind what goes on":         {"ned-flanders", rules.Options{Add: []rules.Rule{rests}}, "Now I'll go onwards.", strategy.Continue, "intent"},
		"behind the seed's finished":  {"ned-flanders", rules.Options{Set: "seed", Add: []rules.Rule{onwards}}, "The first is done. Onwards", strategy.Stop, "finished"},
		"behind one of the same file": {"ned-flanders", rules.Options{Add: []rules.Rule{onwards, first}}, "Onwards with the rest", strategy.Stop, "first"},
		"switched off":                {"ned-flanders", rules.Options{Add: []rules.Rule{onwards}, Off: []string{"onwards"}}, "Onwards with the rest", strategy.Stop, "otherwise"},
		"in an order":                 {"ned-flanders", rules.Options{Add: []rules.Rule{onwards}, Order: []string{"onwards"}}, "Onwards. Shall I?", strategy.Continue, "onwards"},
		"bart's last task":            {"bart-simpson", rules.Options{Add: []rules.Rule{onwards}}, "Task 3/3 done, onwards", strategy.Stop, "announced-last"},
	} {
		known, _ := StrategyNamed(test.strategy)
		if v := with(t, known, test.config).Decide(strategy.Situation{Message: strategy.Message{Text: test.text}}); v.Decision != test.want || v.Rule != test.rule {
			t.Errorf("%s: %s by %s", name, v.Decision, v.Rule)
		}
	}
}

// Who prepares for many situations decides as who asks once, in whichever order they come.
func TestPreparedDecidesAlike(t *testing.T) {
	texts := []string{
		"", "Done.", "Now I'll write the tests.", "Shall I go on?", "Task 1 is there. Moving to Task 2.", "Let me know what you think.", "One of us should look.",
		"I'm using the writing-plans skill to plan this.", "Hm.", "Using executing-plans to go on. Task 3/5.", "Next step <!-- el-barto:continue -->",
		strings.Repeat("It was so. ", 90), "All 12 tests pass; PR created.", "Waiting for the build.",
	}
	configs := []rules.Options{{}, {Set: "seed"}, {Add: []rules.Rule{{ID: "mine", Text: `\bHm\b`, Then: strategy.Continue}, {ID: "broken", Ending: "(", Then: strategy.Continue}}, Off: []string{"waits"}}}
	prepared, kept := 0, &rules.Cache{}
	for _, s := range Strategies {
		if _, ok := s.New().(rules.Ruled); !ok {
			continue
		}
		for _, c := range configs {
			if c.Set == "seed" && !slices.Contains(rules.RuleSetsOf(*s), "seed") {
				continue
			}
			prepared++
			options := with(t, *s, c)
			decide := options.Prepare(kept)
			for range 2 {
				for i, text := range texts {
					situation := strategy.Situation{Message: strategy.Message{Text: text}, Turn: strategy.Turn{Known: true, Count: i % 3}, Todos: strategy.Todos{List: []activity.Todo{{Content: "a", Status: "pending"}}, Turns: i % 4}}
					if got, want := decide(situation), options.Decide(situation); !reflect.DeepEqual(got, want) {
						t.Errorf("%s, %q: %+v, want %+v", s.Name, text, got, want)
					}
				}
			}
		}
	}
	if prepared < 4 {
		t.Errorf("%d prepared", prepared)
	}
}

// Each recorded log is identified as its own host's.
func TestHostOfLog(t *testing.T) {
	logs, err := filepath.Glob("../host/*/testdata/*.jsonl")
	if err != nil || len(logs) < 20 {
		t.Fatal(logs, err)
	}
	for _, path := range logs {
		name := filepath.Base(filepath.Dir(filepath.Dir(path)))
		if base := filepath.Base(path); base == "events.jsonl" || name == "codex" && base == "subagent.jsonl" {
			continue // no logs; a subagent's is one of Codex's only by its place
		}
		if ReadLogHost(path).Name != name {
			t.Errorf("%s is taken for a log of %s", path, ReadLogHost(path).Title)
		}
	}
}
