package specs_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/lastprompt"
	"github.com/cameronsjo/springfield/runtime/specs"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// The user's last word, and a question to an attending user, let the agent stop. Nothing is written or counted, the
// user is notified once, and the next order continues the loop.
func TestSpecsPause(t *testing.T) {
	forbids := lastprompt.Word{Kind: lastprompt.Forbids, Evidence: "wait"}
	question := strategy.Situation{Message: strategy.Message{Text: "Shall the executor drop the old table?", FromEvent: true}}
	attended := func(away bool, protocol string) strategy.Situation {
		s := question
		s.Turn.Attended, s.Turn.Away, s.Session.Protocol = true, away, protocol
		return s
	}
	for name, test := range map[string]struct {
		s     strategy.Situation
		state string
		rule  string
		told  string
	}{
		"forbids": {strategy.Situation{Turn: strategy.Turn{Word: forbids}}, state("execution", 1, 5, ""), "forbids", "you said “wait”; the loop goes on with your next instruction; to end it: "},
		"asks": {strategy.Situation{Turn: strategy.Turn{Changed: true, Word: lastprompt.Word{Kind: lastprompt.Asks, Evidence: "status?"}}}, state("execution", 1, 5, ""),
			"answers", "you asked “status?”"},
		"unknown":            {strategy.Situation{Turn: strategy.Turn{Attended: true}}, state("execution", 1, 5, ""), "task", ""},
		"the original":       {strategy.Situation{Turn: strategy.Turn{Word: forbids}, Session: strategy.Session{Protocol: "exit2"}}, state("execution", 1, 5, ""), "task", ""},
		"a damaged file":     {strategy.Situation{Turn: strategy.Turn{Word: forbids}}, "{", "forbids", "paused"},
		"the limit":          {strategy.Situation{Turn: strategy.Turn{Word: forbids}}, state("execution", 1, 5, `, "globalIteration": 100`), "forbids limit", ""},
		"another phase":      {strategy.Situation{Turn: strategy.Turn{Word: forbids}}, state("design", 1, 5, ""), "phase", ""},
		"a question":         {attended(false, ""), state("execution", 1, 5, ""), "asks", "Claude asks you: "},
		"nobody there":       {question, state("execution", 1, 5, ""), "task", ""},
		"away":               {attended(true, ""), state("execution", 1, 5, ""), "task", ""},
		"asks as originally": {attended(false, "exit2"), state("execution", 1, 5, ""), "task", ""},
	} {
		for _, k := range []kind{specumKind(), speckitKind()} {
			t.Run(k.Name+"/"+name, func(t *testing.T) {
				order := strategy.Situation{Turn: strategy.Turn{Known: true}}
				went := decideIn(t, k.Strategy, chosen{}, order, k.with(state("execution", 0, 5, ""), nil))
				order.Memories = []activity.Memory{went.Remember}
				test.s.Memories = order.Memories
				in := k.with(test.state, nil)
				in[strings.TrimSuffix(k.tasks, "tasks.md")+".progress-task-1.md"] = strategy.File{Found: true, Age: 1 << 30}
				v := decideIn(t, k.Strategy, chosen{}, test.s, in)
				errorIf(t, !strings.Contains(test.rule, v.Rule), "%s by %s, want %s", v.Decision, v.Rule, test.rule)
				if v.Decision == strategy.Continue || test.told == "" {
					return
				}
				want := went.Remember
				want.Paused = v.Remember.Paused
				if !strings.Contains(v.Told, test.told) || v.Changes != nil || !reflect.DeepEqual(v.Remember, want) {
					t.Errorf("%+v", v)
				}
				test.s.Memories, order.Memories = []activity.Memory{v.Remember}, []activity.Memory{v.Remember}
				if v := decideIn(t, k.Strategy, chosen{}, test.s, in); v.Decision != strategy.Stop || v.Told != "" || v.Remember.Key != "" {
					t.Errorf("again: %+v", v)
				}
				if v := decideIn(t, k.Strategy, chosen{}, order, k.with(state("execution", 1, 5, ""), nil)); v.Rule != "task" || v.Remember.Continues != 2 || v.Remember.Paused != "" {
					t.Errorf("the next order: %+v", v)
				}
			})
		}
	}
}

// A session that loses its spec notifies the user once. A completed spec is not a loss.
func TestSpecsAreLost(t *testing.T) {
	for _, k := range []kind{specumKind(), speckitKind()} {
		other := strings.ReplaceAll(k.state, "demo", "other")
		pointer := map[string]string{"ralph-specum": "specs/.current-spec", "ralph-speckit": ".specify/.current-feature"}[k.Name]
		for name, test := range map[string]struct {
			in   space
			dir  string
			text string
			told string
		}{
			"its state file is gone": {in: spaceOf(k.files), told: ": the loop of demo is left: its state file is gone, or "},
			"all is gone":            {in: space{}, told: " does not name it here any more"},
			"another is active":      {in: k.with("{}", map[string]string{pointer: "other"}), told: " does not name it here any more"},
			"another goes on":        {in: spaceOf(map[string]string{pointer: "other", other: state("execution", 0, 5, "")}), told: " does not name it here any more. "},
			"elsewhere":              {in: space{}, dir: "/elsewhere", told: " does not name it here any more"},
			"complete":               {in: spaceOf(k.files), text: specs.AllDone},
			"complete, with a file":  {in: k.with(state("execution", 5, 5, ""), nil), text: specs.AllDone},
		} {
			s := strategy.Situation{Turn: strategy.Turn{Known: true}}
			s.Memories = []activity.Memory{decideIn(t, k.Strategy, chosen{}, s, k.with(state("execution", 1, 5, ""), nil)).Remember}
			s.Workspace.Dir = test.dir
			for i := range 3 {
				s.Message = strategy.Message{Text: test.text, FromEvent: test.text != ""}
				if test.text != "" && i > 0 {
					s.Message, test.in = strategy.Message{Text: "Hello."}, spaceOf(k.files)
				}
				v := decideIn(t, k.Strategy, chosen{}, s, test.in)
				told := i == 0 && test.told != ""
				errorIf(t, told && !strings.Contains(v.Told, test.told) || !told && strings.Contains(v.Told, "is left"), "%s/%s, stop %d: %s, %q", k.Name, name, i, v.Rule, v.Told)
				errorIf(t, test.text != "" && i == 0 && v.Rule != "signal", "%s/%s: %s", k.Name, name, v.Rule)
				if v.Remember.Key != "" {
					s.Memories = append(s.Memories, v.Remember)
				}
			}
		}
	}
}
