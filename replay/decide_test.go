package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/registry"
)

// cutBehind writes a log that ends after a line.
func cutBehind(t *testing.T, m *made, line int, path string) {
	t.Helper()
	scratch.PutFile(t, path, strings.Join(m.lines[:line], "\n")+"\n")
}

// Each row has the decision of the hook for a log that ends there.
func TestDecisionsAreTheHooks(t *testing.T) {
	t.Parallel()
	m := working("s", 3<<20, 7)
	m.call("TodoWrite", `{"todos":[{"content":"a","status":"completed"},{"content":"b","status":"pending"}]}`).returns("ok").says("The first is in place.").rests().asks("go on")
	m.call("AskUserQuestion", `{"questions":[]}`).returns("A").says("Then A it is. Moving to Task 2.").rests()
	names := CandidateNames()
	candidates := candidatesOf(t, names...)
	r := alone(t, m, names...)
	if len(r.Rows) < 30 {
		t.Fatalf("%d rows", len(r.Rows))
	}
	cut := filepath.Join(t.TempDir(), "s.jsonl")
	decisions := map[string]int{}
	for _, row := range r.Rows {
		cutBehind(t, m, row.Line, cut)
		for i, c := range candidates {
			event := hook.Event{Name: "Stop", SessionID: "s", TranscriptPath: cut, Moment: guard.Moment{PermissionMode: "default"}, LastMessage: row.Text}
			want := hook.Stop{Event: event, Settings: c.Settings, Now: row.At, Unguarded: true}.Examine().Verdict
			got := row.Choices[i]
			decision := got.Decision
			if got.Alone != "" {
				decision = got.Alone
			}
			if decision != string(want.Decision) || got.Guard == "" && (got.Rule != want.Rule || got.Evidence != quotation.Head(want.Evidence, maxEvidence) || got.Asks != (want.Page != "")) {
				t.Errorf("line %d, %s: %+v, want %+v", row.Line, c.Name, got, want)
			}
			decisions[c.Name+" "+decision]++
		}
	}
	for _, both := range []string{"ned-flanders", "ned-flanders:seed", "seed-tree", "lisa-simpson"} {
		if decisions[both+" stop"] == 0 || decisions[both+" continue"] == 0 {
			t.Errorf("%s says the same everywhere: %v", both, decisions)
		}
	}
}

// Over a whole session, the decisions are those of the hook with its own ledger.
func TestBudgetsAreTheHooks(t *testing.T) {
	m := newMade("s").asks("write the parser")
	for i := range 8 {
		m.works().says(fmt.Sprintf("Part %d is there. Now I'll write the next one.", i)).rests().wait(time.Duration(i) * 20 * time.Second)
		if i%4 == 3 {
			m.asks("continue")
		} else {
			m.meta("Stop hook feedback:\nsomebody else's")
		}
	}
	for range 5 { // nothing is done
		m.says("Let me look into it.").rests().wait(2 * time.Minute)
		m.meta("Stop hook feedback:\nsomebody else's")
	}
	m.says("Let me look into it.").rests().asks("no, stop")
	home := t.TempDir()
	root := filepath.Join(home, "ned-flanders")
	must(t, os.MkdirAll(filepath.Join(root, "hooks"), 0o700))
	scratch.PutFile(t, filepath.Join(root, "strategy.json"), `{"strategy": "ned-flanders"}`)
	path := filepath.Join(ProjectsDir(filepath.Join(home, ".claude")), "-home-me-project", "s.jsonl")
	guards := map[string]int{}
	for _, row := range alone(t, m, "ned-flanders").Rows {
		cutBehind(t, m, row.Line, path)
		var prompt string
		log := scratch.ReadFile(t, path)
		for _, id := range regexp.MustCompile(`"promptId":"(p\d+)"`).FindAllSubmatch(log, -1) {
			prompt = string(id[1])
		}
		event, err := json.Marshal(map[string]any{
			"session_id": "s", "transcript_path": path, "cwd": home, "hook_event_name": "Stop", "permission_mode": "default", "last_assistant_message": row.Text, "prompt_id": prompt,
		})
		must(t, err)
		var out, said bytes.Buffer
		host := hook.Process{Stdin: bytes.NewReader(event), Stdout: &out, Stderr: &said, Executable: filepath.Join(root, "hooks", "springfield-hook"), Home: home, Now: row.At, Getenv: func(string) string { return "" }}
		if code := host.Run(); code != 0 {
			t.Fatal(code)
		}
		want := "stop"
		if strings.Contains(out.String(), `"decision":"block"`) {
			want = "continue"
		}
		got := row.Choices[0]
		if got.Decision != want || !strings.Contains(said.String(), got.Decision+" by rule "+got.Rule+":") {
			t.Errorf("line %d: %+v, the hook says %s%s", row.Line, got, said.String(), out.String())
		}
		guards[got.Guard]++
	}
	errorIf(t, guards["budget"] == 0 || guards["stagnation"] == 0 || guards[""] == 0, "made differences: %v", guards)
}

// A point in mid-work sees the budget and spends none.
func TestMidWorkSpendsNothing(t *testing.T) {
	m := newMade("s").asks("write the parser")
	for range 10 {
		m.says("Now let me write the next part.").works()
	}
	for range 3 {
		m.says("Let me go on with the next part.").rests().asks("continue").works()
	}
	m.says("Now let me write the last part.").works()
	m.says("Let me write the test.").asks("[Request interrupted by user]").wait(time.Hour).asks("again").works()
	m.says("Let me write the test.").rests().asks("continue")
	mine := filepath.Join(t.TempDir(), "ned-flanders.json")
	must(t, os.WriteFile(mine, []byte(`{"budget":{"hour":3}}`), 0o600))
	r := alone(t, m, mine, "seed-tree")
	var got []string
	for _, row := range r.Rows[10:] {
		got = append(got, strings.TrimSpace(string(row.Label)+" "+row.Choices[0].Decision+" "+row.Choices[0].Guard))
	}
	for _, row := range r.Rows[:10] {
		errorIf(t, row.Choices[0].Decision != "continue", "line %d: %+v", row.Line, row.Choices[0])
	}
	want := []string{"nudge continue", "nudge continue", "nudge continue", "mid-work stop budget", "interrupted stop budget", "nudge continue"}
	errorIf(t, !slices.Equal(got, want), "%q, want %q", got, want)
	for _, row := range r.Rows {
		c := row.Choices[1]
		errorIf(t, c.Alone != "" || c.Guard != "", "seed-tree has limits: %+v", c)
	}
}

func TestGuards(t *testing.T) {
	t.Parallel()
	const ends, mate = "Let me go on with the next part.", `{"name":"moe","team_name":"barn"}`
	mode := func(m *made, mode string) *made {
		m.lines[len(m.lines)-1] = strings.Replace(m.lines[len(m.lines)-1], `"permissionMode":"default"`, `"permissionMode":"`+mode+`"`, 1)
		return m
	}
	background := `"message":{"role":"user","content":[{"tool_use_id":"toolu_1","type":"tool_result","content":"Command running in background with ID: b1"}]},"toolUseResult":{"backgroundTaskId":"b1"}`
	for name, test := range map[string]struct {
		session *made
		guard   string
	}{
		"none":              {newMade("s").asks("go").works(), ""},
		"plan mode":         {mode(newMade("s").asks("go"), "plan").works(), "plan-mode"},
		"plan mode, a line": {newMade("s").asks("go").raw(`{"type":"permission-mode","permissionMode":"plan","sessionId":"s"}`).works(), "plan-mode"},
		"plan mode, left":   {mode(newMade("s").asks("go"), "plan").call("ExitPlanMode", `{}`).returns("approved").works(), ""},
		"plan mode, kept": {mode(newMade("s").asks("go"), "plan").call("ExitPlanMode", `{}`).
			add("user", `"message":{"role":"user","content":[{"tool_use_id":"toolu_1","type":"tool_result","content":"no","is_error":true}]}`).works(), "plan-mode"},
		"plan mode, entered":         {newMade("s").asks("go").call("EnterPlanMode", `{}`).returns("ok").works(), "plan-mode"},
		"plan mode, the turn before": {mode(newMade("s").asks("go"), "plan").works().says("Done.").asks("go").works(), ""},
		"background":                 {newMade("s").asks("go").call("Bash", `{"command":"make all","run_in_background":true}`).add("user", background), "background"},
		"a team":                     {newMade("s").asks("go").call("Agent", mate).returns("Spawned."), "team"},
		"a server":                   {newMade("s").asks("go").call("Bash", `{"command":"npm run dev","run_in_background":true}`).add("user", background), ""},
		"its answer":                 {newMade("s").asks("<command-message>why</command-message>\n<command-name>/ned-flanders:why</command-name>"), "answer"},
	} {
		r := alone(t, test.session.says(ends).rests().asks("no"), "ned-flanders", "ned-flanders:seed", "seed-tree")
		row := r.Rows[len(r.Rows)-1]
		c := row.Choices[0]
		if c.Guard != test.guard || test.guard == "" && c.Decision != "continue" || test.guard != "" && (c.Decision != "stop" || c.Alone != "continue" || c.Rule != test.guard) {
			t.Errorf("%s: %+v", name, c)
		}
		if tree, seed := row.Choices[2], row.Choices[1]; tree.Guard != "" || test.guard == "" && tree != seed || test.guard != "" && seed.Rule != test.guard {
			t.Errorf("%s: seed %+v, tree %+v", name, seed, tree)
		}
		// An explanation of that place agrees, and so does one of a log that ends there.
		cut := filepath.Join(t.TempDir(), "s.jsonl")
		cutBehind(t, test.session, row.Line, cut)
		known, _ := registry.StrategyNamed("ned-flanders")
		for _, place := range []Place{{Log: row.File, Line: row.Line}, {Log: cut}} {
			place.Work, place.Now = t.TempDir(), row.At
			e, err := Explain(place, Candidate{Settings: hook.Settings{Plugin: "ned-flanders", Strategy: known, Options: known.New()}})
			must(t, err)
			if test.guard != "" && e.Rule != test.guard || test.guard == "" && e.Decision != "continue" {
				t.Errorf("%s: explained as %s by %s", name, e.Decision, e.Rule)
			}
		}
	}
	if _, err := Explain(Place{Log: filepath.Join(t.TempDir(), "none.jsonl"), Work: t.TempDir()}, Candidate{}); err == nil {
		t.Error("a log that is not there is explained")
	}
}

func TestCandidates(t *testing.T) {
	t.Parallel()
	all, err := Candidates(CandidateNames(), "")
	must(t, err)
	var names []string
	for _, c := range all {
		names = append(names, c.Name)
		reads := c.Settings.Options.Needs().Files != nil
		errorIf(t, reads && c.Note == "", "%s has no note", c.Name)
	}
	if !slices.Equal(names, CandidateNames()) || !slices.Contains(names, "ned-flanders:seed") || slices.Contains(names, "todo-continuation") {
		t.Error(names)
	}
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	mine := file("mine.json", `{"add":[{"id":"mine","says":["hear hear"],"then":"continue"}],"budget":{"hour":1}}`)
	bart := file("bart-simpson.json", `{"off":["waits"]}`)
	for _, test := range []struct{ name, want string }{
		{"ned-flanders:nothing", "no rule set"},
		{"bart-simpson:seed", "one set of rules"},
		{filepath.Join(dir, "none.json"), "no such file"},
		{file("wrong.json", `{"strategy":"ned-flanders","add":[{"id":"x","then":"continue"}]}`), "has no condition"},
		{file("who.json", `{"strategy":"homer"}`), `there is no strategy "homer"`},
		{file("prompts.json", `{"strategy":"todo-continuation"}`), "decides at prompts"},
	} {
		if _, err := Candidates([]string{test.name}, ""); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	m := newMade("s").asks("go").works().says("Hear, hear.").says("Hear hear.").rests().asks("now the other one").says("Hear hear!").rests()
	r := alone(t, m, "ned-flanders", mine, bart)
	var got []string
	for _, row := range r.Rows {
		got = append(got, row.Choices[0].Decision+" "+row.Choices[1].Decision+" "+row.Choices[1].Rule+" "+row.Choices[2].Decision)
	}
	if want := []string{"stop continue mine stop", "stop stop budget stop"}; !slices.Equal(got, want) || r.Scores[1].Name != mine {
		t.Errorf("%q, want %q", got, want)
	}
}

// The explanation of every strategy fits the published schema.
func TestExplanationFitsItsSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(schemas + "explain.schema.json")
	must(t, err)
	full := newMade("s").asks("go on with docs/plans/a.md").call("TodoWrite", `{"todos":[{"content":"a","status":"completed"},{"content":"b","status":"pending"}]}`).returns("ok").
		call("Bash", `{"command":"make"}`).add("user", `"message":{"role":"user","content":[{"tool_use_id":"toolu_2","type":"tool_result","content":"no","is_error":true}]}`).
		says("Let me go on with the next part.")
	for name, session := range map[string]*made{"short": newMade("s").says("Done."), "full": full} {
		log := filepath.Join(t.TempDir(), "s.jsonl")
		must(t, os.WriteFile(log, []byte(strings.Join(session.lines, "\n")), 0o600))
		for _, known := range registry.Strategies {
			c := Candidate{Settings: hook.Settings{Plugin: known.Name, Strategy: *known, Options: known.New()}}
			e, err := Explain(Place{Log: log, Work: t.TempDir(), Now: time.Now()}, c)
			must(t, err, name, known.Name)
			data, err := json.Marshal(e)
			must(t, err)
			v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
			must(t, err)
			scratch.Equal(t, schema.Validate(v), nil, name, known.Name, data)
			if s := e.Situation; name == "full" && (len(s.Todos) != 2 || len(s.Calls) != 2 || !s.Calls[1].Error || s.Prompt == "" || s.Message == "") {
				t.Errorf("%s: %s", known.Name, data)
			}
		}
	}
}

// Rules can share an ID, which is listed once.
func TestExplainListsARuleOnce(t *testing.T) {
	var b strings.Builder
	e := Explanation{Rules: []Asked{
		{ID: "asks", Evidence: "no sign"}, {ID: "intent", Evidence: "no"}, {ID: "intent", Holds: true, Decides: true, Evidence: "“Let me.”"}, {ID: "intent", Holds: true, Evidence: "“I will.”"}, {ID: "asks", Evidence: "no end"},
	}}
	e.WriteText(layout.Printer{W: &b, Width: 80})
	for _, id := range []string{"intent", "asks"} {
		if n := strings.Count(b.String(), id); n != 1 {
			t.Errorf("%s, %d times:\n%s", id, n, b.String())
		}
	}
}

func TestExplainSaysWhichLinesThereAre(t *testing.T) {
	log := filepath.Join(t.TempDir(), "s.jsonl")
	must(t, os.WriteFile(log, []byte(`{"type":"user"}`+"\n{}\n"), 0o600))
	if _, err := Explain(Place{Log: log, Line: 3, Work: t.TempDir()}, Candidate{}); err == nil || err.Error() != log+" has 2 lines, not 3" {
		t.Error(err)
	}
	must(t, os.WriteFile(log, []byte(`{"type":"queue-operation","operation":"enqueue","content":"go"}`+"\n"+`{"type":"user"}`+"\n"), 0o600))
	if _, err := Explain(Place{Log: log, Line: 1, Work: t.TempDir()}, Candidate{}); err == nil || err.Error() != log+" has no entry of a session up to line 1" {
		t.Error(err)
	}
	for _, text := range []string{"", "root:x:0:0:root:/root:/bin/sh\n", "{}\n[]\n{\"type\":\"summary\"}\n", "\x00\xff\n"} {
		must(t, os.WriteFile(log, []byte(text), 0o600))
		if _, err := Explain(Place{Log: log, Work: t.TempDir()}, Candidate{}); err == nil || !strings.Contains(err.Error(), "is not a session log") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := Explain(Place{Log: filepath.Dir(log)}, Candidate{}); err == nil || !strings.Contains(err.Error(), "is not a file") {
		t.Error(err)
	}
}
