package replay

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// replayed returns the report on a home.
func replayed(t testing.TB, home string, names ...string) Report {
	t.Helper()
	if len(names) == 0 {
		names = []string{"ned-flanders"}
	}
	return RunReplay(t.Context(), Options{Paths: []string{ProjectsDir(home)}, Candidates: candidatesOf(t, names...)})
}

func candidatesOf(t testing.TB, names ...string) []Candidate {
	t.Helper()
	candidates, err := Candidates(names, "")
	must(t, err)
	return candidates
}

// alone returns the report on one made session.
func alone(t testing.TB, m *made, names ...string) Report {
	t.Helper()
	home := t.TempDir()
	m.write(t, home)
	r := replayed(t, home, names...)
	if len(r.Skipped) > 0 {
		t.Fatalf("skipped %v", r.Skipped)
	}
	return r
}

func labelsOf(r Report) (all []Label) {
	for _, row := range r.Rows {
		all = append(all, row.Label)
	}
	return all
}

func TestLabels(t *testing.T) {
	t.Parallel()
	start := func() *made { return newMade("s").asks("write the parser").works() }
	told := func(text string) *made { return start().says(text).rests() }
	const stop = "The parser is written."
	blocks := `{"type":"hook_blocking_error","hookName":"Stop","hookEvent":"Stop","blockingError":{"blockingError":"go on","command":"x"}}`
	const newer = "Another Claude session sent a message:\n"
	const mail = `<teammate-message teammate_id="moe">hello</teammate-message>`
	queued := `{"type":"queued_command","commandMode":"prompt","prompt":` + quoted(mail) + `}`
	twice := told(stop)
	for name, test := range map[string]struct {
		session *made
		want    []Label
	}{
		"nothing":                         {newMade("s"), nil},
		"the file ends":                   {told(stop), []Label{Ended}},
		"the file ends without a summary": {start().says(stop), []Label{Ended}},
		"the file ends in a call":         {start().says("Now the tests.").call("Bash", `{}`), []Label{MidWork}},
		"a nudge":                         {told(stop).asks("continue"), []Label{Nudge}},
		"a nudge after a question":        {told("Shall I go on with the lexer?").asks("Continue!"), []Label{Affirmed}},
		"a nudge behind a reminder":       {told(stop).asks("<system-reminder>x</system-reminder>\ncontinue"), []Label{Nudge}},
		"more than a nudge":               {told(stop).asks("continue with the lexer"), []Label{Answered}},
		"yes":                             {told("Shall I?").asks("yes"), []Label{Affirmed}},
		"yes to no question":              {told(stop).asks("ok"), []Label{Nudge}},
		"go ahead after a question":       {told("Shall I?").asks("go ahead"), []Label{Affirmed}},
		"go ahead after none":             {told(stop).asks("go ahead"), []Label{Nudge}},
		"an answer":                       {told("A or B?").asks("B, and add a test"), []Label{Answered}},
		"an image": {told(stop).add("user", `"message":{"role":"user","content":[{"type":"image","source":{}}]}`),
			[]Label{Answered}},
		"a command":            {told(stop).asks("<command-message>x</command-message>\n<command-name>/review</command-name>"), []Label{Commanded}},
		"a command of its own": {told(stop).meta("<local-command-caveat>Caveat: …").asks("<command-name>/compact</command-name>").asks("<local-command-stdout>done</local-command-stdout>"), []Label{Commanded}},
		"exit":                 {told(stop).asks("<command-name>/exit</command-name>\n<command-message>exit</command-message>"), []Label{Ended}},
		"a notification":       {told("I'll wait for it.").asks("<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>"), []Label{Background}},
		"a notification by its origin": {told(stop).add("user", `"origin":{"kind":"task-notification"},"message":{"role":"user","content":"The build ended"}`),
			[]Label{Background}},
		"another session": {told(stop).asks("<teammate-message>hello"), []Label{Background}},
		"typed before":    {start().queue("enqueue", "and the lexer").says(stop).queue("dequeue", "").rests().asks("and the lexer"), []Label{Queued}},
		"typed behind":    {start().says(stop).queue("enqueue", "and the lexer").queue("dequeue", "").rests().asks("and the lexer"), []Label{Answered}},
		"typed before, taken back": {start().queue("enqueue", "and the lexer").queue("popAll", "and the lexer").says(stop).asks("and the lexer"),
			[]Label{Answered}},
		"put in while Claude works": {start().says(stop).attaches(`{"type":"queued_command","prompt":"and the lexer","commandMode":"prompt"}`), []Label{Queued}},
		"interrupted":               {start().says("Now the lexer.").asks("[Request interrupted by user]").asks("no, wait"), []Label{Interrupted}},
		"interrupted in a call":     {start().says("Now the lexer.").call("Bash", `{}`).asks("[Request interrupted by user for tool use]").asks("no"), []Label{MidWork}},
		"interrupted later":         {told(stop).asks("[Request interrupted by user]").asks("again"), []Label{Answered}},
		"pushed":                    {start().says(stop).attaches(blocks).meta("Stop hook feedback:\ngo on").works(), []Label{Pushed}},
		"pushed, words first":       {start().says(stop).meta("Stop hook feedback:\ngo on").attaches(blocks).rests().works(), []Label{Pushed}},
		"pushed by context": {start().says(stop).attaches(`{"type":"hook_additional_context","hookName":"Stop","hookEvent":"Stop","content":["go on"]}`).works(),
			[]Label{Pushed}},
		"pushed without a trace": {told(stop).works(), []Label{Pushed}},
		"mid-work":               {start().says("Now the lexer.").works().says(stop), []Label{MidWork, Ended}},
		"a long message":         {start().says("First,").says("second.").works(), []Label{MidWork}},
		"text and call in a line": {start().add("assistant", `"message":{"content":[{"type":"text","text":"Now"},{"type":"tool_use","id":"t","name":"Bash","input":{}}]}`).says(stop),
			[]Label{Ended}},
		"an error of the API": {start().says("Now the lexer.").add("assistant", `"isApiErrorMessage":true,"message":{"model":"<synthetic>","content":[{"type":"text","text":"API Error"}]}`).asks("continue"),
			nil},
		"compaction": {start().says("Now the lexer.").add("system", `"subtype":"compact_boundary"`).
			add("user", `"isCompactSummary":true,"message":{"content":"This session is being continued"}`).works().says(stop), []Label{MidWork, Ended}},
		"a subagent in the same file": {start().says("Now the lexer.").raw(`{"type":"assistant","isSidechain":true,"message":{"content":[{"type":"text","text":"I look"}]}}`).works(),
			[]Label{MidWork}},
		"a torn line in between": {told(stop).raw(`{"type":"user","message":{"content":"conti`).raw("no JSON").asks("continue"), []Label{Nudge}},
		"another, newer":         {told(stop).asks(newer + mail + "\n\nIt is another's."), []Label{Background}},
		"another, meta":          {told(stop).meta(newer + `<agent-message from="moe">hello</agent-message>`), []Label{Background}},
		"another, put in":        {told(stop).attaches(queued).works(), []Label{Background}},
		"words about another":    {told(stop).asks(newer + "What did it want?"), []Label{Answered}},
		"the same line twice":    {twice.raw(twice.lines[len(twice.lines)-2]).asks("continue"), []Label{Nudge}},
	} {
		r := alone(t, test.session)
		got := labelsOf(r)
		errorIf(t, !slices.Equal(got, test.want), "%s: %v, want %v", name, got, test.want)
		for _, row := range r.Rows {
			errorIf(t, row.Means != row.Label.MeaningOf(), "%s: %s means %s", name, row.Label, row.Means)
		}
	}
}

func TestTornEnd(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	m := newMade("s").asks("go").works().says("The parser is written.")
	path := m.write(t, home)
	next := m.asks("continue").lines[len(m.lines)-1]
	for cut := range len(next) + 1 {
		text := strings.Join(m.lines[:len(m.lines)-1], "\n") + "\n" + next[:cut]
		must(t, os.WriteFile(path, []byte(text), 0o600))
		want := []Label{Ended}
		if cut == len(next) {
			want = []Label{Nudge}
		}
		if got := labelsOf(replayed(t, home)); !slices.Equal(got, want) {
			t.Fatalf("cut after %d bytes: %v", cut, got)
		}
	}
}

func TestRow(t *testing.T) {
	m := newMade("s").asks("write the parser")
	m.call("TodoWrite", `{"todos":[{"content":"a","status":"completed"},{"content":"b","status":"in_progress"},{"content":"c","status":"pending"}]}`).returns("ok")
	m.call("Skill", `{"skill":"superpowers:executing-plans"}`).returns("ok").works()
	m.says("  " + strings.Repeat("é", 900) + " Now the tests.\n").rests()
	at := m.at
	line := len(m.lines) - 1
	m.wait(time.Minute).asks("continue " + strings.Repeat("ü", 200))
	home := t.TempDir()
	path := m.write(t, home)
	r := replayed(t, home)
	if len(r.Rows) != 1 {
		t.Fatal(r.Rows)
	}
	row := r.Rows[0]
	if len(row.Text) > 1000 || !strings.HasSuffix(row.Text, " Now the tests.") || len(row.Next) > 300 || !strings.HasPrefix(row.Next, "continue ü") {
		t.Errorf("texts %q, %q", row.Text, row.Next)
	}
	row.Text, row.Next, row.Choices = "", "", nil
	want := Row{
		File: path, Line: line, Session: "s", Project: "/home/me/project", At: at.Add(-10 * time.Second), Label: Answered, Means: WantStop,
		Idle: 80, Todos: "1/3 complete, 1 in progress, 1 pending", Skill: "executing-plans", LastTool: "Bash",
	}
	errorIf(t, !reflect.DeepEqual(row, want), "\ngot  %+v\nwant %+v", row, want)
	if r.Files != 1 || r.Sessions != 1 || r.Bytes != int64(len(m.text())) || r.Partial || r.Version != 1 || len(r.Labels) != len(AllLabels()) || r.Labels[2] != (LabelCount{Answered, WantStop, 1}) {
		t.Errorf("%+v", r)
	}
}

func FuzzRun(f *testing.F) {
	f.Add([]byte(newMade("s").asks("go").works().says("Now the lexer.").works().says("Done.").rests().asks("continue").text()))
	f.Add([]byte(newMade("s").asks("go").queue("enqueue", "x").says("Done.").attaches(`{"type":"queued_command","prompt":"x","commandMode":"prompt"}`).text()))
	f.Add([]byte("{\"type\":\"assistant\",\"message\":{\"content\":\"x\"}}\n\xff\n{"))
	for _, log := range hostLogs() {
		f.Add([]byte(log.lines))
	}
	candidates := candidatesOf(f, CandidateNames()...)
	f.Fuzz(func(t *testing.T, log []byte) {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		must(t, os.WriteFile(path, log, 0o600))
		r := RunReplay(t.Context(), Options{Paths: []string{path}, Candidates: candidates})
		if r.Partial || len(r.Skipped) > 0 {
			t.Fatal(r.Partial, r.Skipped)
		}
		line := 0
		for _, row := range r.Rows {
			if row.Line <= line || row.Line > strings.Count(string(log), "\n")+1 {
				t.Errorf("line %d after line %d", row.Line, line)
			}
			line = row.Line
			if !slices.Contains(AllLabels(), row.Label) || row.Text == "" || len(row.Text) > maxText || len(row.Next) > maxNext || row.Idle < 0 || len(row.Choices) != len(candidates) {
				t.Errorf("%+v", row)
			}
			for _, c := range row.Choices {
				if c.Decision != "stop" && c.Decision != "continue" || c.Rule == "" || (c.Alone == "") != (c.Guard == "") || c.Asks != (c.Bytes > 0) {
					t.Errorf("%+v", c)
				}
			}
		}
	})
}
