package hook

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/rules"
)

// examineLisa examines a stop of lisa-simpson.
func (w *world) examineLisa(message string) Snapshot {
	known, _ := registry.StrategyNamed("lisa-simpson")
	return Stop{
		Event:    Event{SessionID: "s", TranscriptPath: w.path(".claude/projects/-w/s.jsonl"), LastMessage: message},
		Settings: Settings{Plugin: "lisa-simpson", Strategy: known, Options: known.New(), Limits: guard.Defaults}, Now: w.host.Now, Unguarded: true,
	}.Examine()
}

// projects are settings of a plugin that a project brings to make a decision long, and
// the message that it does so with.
func projects() map[string]struct{ file, message string } {
	rules := func(n int, rule string) string {
		var all []string
		for i := range n {
			all = append(all, strings.ReplaceAll(rule, "ID", fmt.Sprintf("r%d", i)))
		}
		return `{"add": [` + strings.Join(all, ",") + `]}`
	}
	list := func(n int, phrase string) string { return strings.TrimSuffix(strings.Repeat(`"`+phrase+`",`, n), ",") }
	pattern := func(p string) string {
		return fmt.Sprintf(`{"id":"ID","text":%q,"then":"stop"}`, p)
	}
	dull := strings.Repeat("a ", 1<<10)
	return map[string]struct{ file, message string }{
		"a long program":            {rules(1, pattern(strings.Repeat(".{0,1000}", 100)+"z")), dull},
		"ten long programs":         {rules(10, pattern(strings.Repeat(".{0,1000}", 100)+"z")), dull},
		"programs at the limit":     {rules(200, pattern(`[\pL ]{0,230}#`)), dull},
		"small programs, long text": {rules(200, pattern("(?:a| )*#")), strings.Repeat("a ", 64<<10)},
		"small programs":            {rules(200, pattern("(?:a| )*#")), dull},
		"repeated stars":            {rules(200, pattern(strings.Repeat("[a ]*", 120)+"#")), dull},
		"a wide automaton":          {rules(1, pattern(`(?i)[\pL\pN]{0,45}#`)), strings.Repeat("a", 9500)},
		"folded ranges":             {rules(200, pattern(`(?i)`+strings.Repeat(`[B-\x{1e942}]`, 70))), dull},
		"folded raw ranges":         {rules(200, pattern(`(?i)`+strings.Repeat("[B-\U0001e942]", 100))), dull},
		"classes of classes":        {rules(200, pattern("["+strings.Repeat(`\pL`, 300)+"]#")), dull},
		"nested repeats":            {rules(200, pattern(strings.Repeat("(?:(?:(?:a{0,10}){0,10}){0,10})", 30))), dull},
		"one-pass":                  {rules(200, pattern("^(?:"+strings.Repeat("(?:a|b", 100)+strings.Repeat(")", 100)+")$")), dull},
		"phrases":                   {rules(100, `{"id":"ID","says":[`+list(500, "a")+`],"then":"stop"}`), strings.Repeat("a", 600)},
		"phrases, long text":        {rules(200, `{"id":"ID","says":["`+strings.Repeat("a ", 490)+`x"],"begins":[`+list(50, "a")+`],"last":["a a"],"then":"stop"}`), strings.Repeat("a ", 128<<10)},
		"many sentences":            {rules(150, `{"id":"ID","says":[`+list(200, "b")+`],"then":"continue"}`), strings.Repeat("a! ", 85<<10)},
		"closing characters":        {rules(200, `{"id":"ID","closes":"`+strings.Repeat("é", 490)+`","lists":"x","then":"stop"}`), strings.Repeat("a*", 300) + strings.Repeat("*", 600)},
		"a character set of a file": {rules(1, `{"id":"ID","closes":"`+strings.Repeat("é", 31<<10)+`","then":"stop"}`), strings.Repeat("*", 600)},
		"empty rules":               {`{"add": [` + strings.TrimSuffix(strings.Repeat("{},", 21<<10), ",") + `]}`, dull},
		"names of rules":            {`{"off": [` + list(21<<10, "") + `]}`, dull},
		"known names of rules":      {`{"off": [` + list(8000, "todos") + `]}`, dull},
		"long names":                {`{"off": ["` + strings.Repeat("x", 63<<10) + `"]}`, dull},
		"a long id":                 {`{"add": [{"id": "` + strings.Repeat("x", 63<<10) + `"}]}`, dull},
		"deep nesting":              {`{"add": ` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}`, dull},
		"deep nesting elsewhere":    {`{"x": ` + strings.Repeat(`{"a":`, 9000) + `1` + strings.Repeat("}", 9000) + `}`, dull},
		"checks":                    {`{"checks": [` + list(16000, "x") + `]}`, dull},
		"duplicate members":         {`{` + strings.TrimSuffix(strings.Repeat(`"add":[{}],`, 5000), ",") + `}`, dull},
	}
}

// Whatever a project's settings contain, the user's rules decide, the record names the faults, and messages are few.
func TestHostileProject(t *testing.T) {
	for name, p := range projects() {
		w := newWorld(t, ned)
		w.write("project/.claude/springfield/ned-flanders.json", p.file)
		w.write(".claude/springfield/ned-flanders.json", `{"add": [{"id": "mine", "text": "^[a*]", "then": "stop"}]}`)
		w.host.Project = w.path("project")
		_, notes := w.run(w.event(map[string]any{"last_assistant_message": p.message}))
		history, _ := ledger.Newest([]string{w.path(".claude/springfield")}, ledger.Scope{}, 10, true, func(ledger.Record) bool { return true })
		if len(history) != 1 || history[0].Rule != "mine" {
			t.Fatalf("%s: %+v\n%.500s", name, history, notes)
		}
		flaws := fmt.Sprint(history[0].Flaws)
		if n := len(history[0].Flaws); n > 3 || len(flaws) > 1500 || (n == 0) != (name == "a wide automaton") {
			t.Errorf("%s: %d flaws: %s", name, n, flaws)
		}
		if lines := strings.Count(notes, "\n"); lines > 250 || len(notes) > 64<<10 {
			t.Errorf("%s: %d lines, %d bytes of notes", name, lines, len(notes))
		}
	}
}

// A project's list that is cut takes nothing out of the user's.
func TestProjectCannotCutTheUsersLists(t *testing.T) {
	w := newWorld(t, ned)
	w.write(".claude/springfield/ned-flanders.json", `{"off": ["progress", "todos", "skill"], "order": ["asks"]}`)
	w.write("project/.claude/springfield/ned-flanders.json", projects()["names of rules"].file)
	s, err := ReadSettings(w.path("plugin"), w.path(".claude/springfield"), w.path("project"))
	if err != nil || !slices.Contains(s.Options.(rules.Ruled).Chosen().Off, "progress") || !slices.Contains(s.Options.(rules.Ruled).Chosen().Off, "skill") || !slices.Equal(s.Options.(rules.Ruled).Chosen().Order, []string{"asks"}) {
		t.Errorf("%d off, order %v, %v", len(s.Options.(rules.Ruled).Chosen().Off), s.Options.(rules.Ruled).Chosen().Order, err)
	}
	if len(s.Faults) != maxFaults+1 || !strings.HasSuffix(s.Faults[maxFaults], "more faults") {
		t.Errorf("%d faults, last %s", len(s.Faults), s.Faults[len(s.Faults)-1])
	}
}
