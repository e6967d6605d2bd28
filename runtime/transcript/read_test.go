package transcript_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
	. "github.com/cameronsjo/springfield/runtime/transcript"
)

// session makes a log, line by line, as Claude Code writes it. Nothing in it comes from a real session.
type session struct {
	lines []string
	n     int // for uuids, ids and the clock
}

func (s *session) add(kind, rest string) *session {
	s.n++
	s.lines = append(s.lines, fmt.Sprintf(`{"parentUuid":"u%d","isSidechain":false,%s,"type":%q,"uuid":"u%d","timestamp":"2026-11-20T10:%02d:%02d.%03dZ","version":"2.1.329"}`,
		s.n-1, rest, kind, s.n, s.n/60%60, s.n%60, s.n%1000))
	return s
}

var must, errorIf = scratch.Must, scratch.ErrorIf

func (s *session) raw(line string) *session { s.lines = append(s.lines, line); return s }

func (s *session) asks(words string) *session {
	return s.add("user", `"message":{"role":"user","content":`+quote(words)+`}`)
}

func (s *session) meta(words string) *session {
	return s.add("user", `"isMeta":true,"message":{"role":"user","content":[{"type":"text","text":`+quote(words)+`}]}`)
}

func (s *session) says(words string) *session {
	return s.add("assistant", `"message":{"id":"m","model":"claude-x","role":"assistant","content":[{"type":"text","text":`+quote(words)+`}],"usage":{"input_tokens":3,"cache_creation_input_tokens":20,"cache_read_input_tokens":1000,"cache_creation":{"input_tokens":7},"output_tokens":50}}`)
}

// calls adds a tool call. returns or fails adds the result of the last call.
func (s *session) calls(name, input string) *session {
	s.add("assistant", fmt.Sprintf(`"message":{"id":"m","model":"claude-x","role":"assistant","content":[{"type":"tool_use","id":"t%d","name":%q,"input":%s}]}`, s.n+1, name, input))
	return s
}

func (s *session) returns(content, outcome string) *session { return s.answer(s.n, content, outcome) }

func (s *session) answer(call int, content, outcome string) *session {
	return s.add("user", fmt.Sprintf(`"message":{"role":"user","content":[{"tool_use_id":"t%d","type":"tool_result","content":%s}]},"toolUseResult":%s`, call, quote(content), outcome))
}

func (s *session) fails(content string) *session {
	return s.add("user", fmt.Sprintf(`"message":{"role":"user","content":[{"type":"tool_result","content":%s,"is_error":true,"tool_use_id":"t%d"}]},"toolUseResult":%s`, quote(content), s.n, quote("Error: "+content)))
}

func (s *session) runs(name, input string) *session {
	return s.calls(name, input).returns("ok", `{"stdout":"ok"}`)
}

func (s *session) attaches(attachment string) *session {
	return s.add("attachment", `"attachment":`+attachment)
}

func (s *session) creates(id, subject string) *session {
	return s.calls("TaskCreate", `{"subject":`+quote(subject)+`,"description":"d"}`).
		returns("Task #"+id+" created successfully: "+subject, `{"task":{"id":`+quote(id)+`,"subject":`+quote(subject)+`}}`)
}

func (s *session) updates(input string) *session {
	return s.calls("TaskUpdate", input).returns("Updated task", `{"success":true,"taskId":"1","updatedFields":["status"]}`)
}

func (s *session) compacts() *session {
	s.add("system", `"subtype":"compact_boundary","content":"Conversation compacted","compactMetadata":{"trigger":"auto"}`)
	return s.add("user", `"isCompactSummary":true,"isVisibleInTranscriptOnly":true,"message":{"role":"user","content":"This session is being continued from a previous conversation that ran out of context."}`)
}

func (s *session) bytes() []byte { return []byte(strings.Join(s.lines, "\n") + "\n") }

// view reads all of a log at once.
func view(t testing.TB, log []byte) View {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	must(t, os.WriteFile(path, log, 0o600))
	_, v, err := Read(path, Log{})
	must(t, err)
	return v
}

// check compares a part of a view.
func check(t *testing.T, log []byte, part func(View) any, want any) {
	t.Helper()
	got := part(view(t, log))
	errorIf(t, !reflect.DeepEqual(got, want), "got  %+v\nwant %+v", got, want)
}

func TestText(t *testing.T) {
	long := strings.Repeat("é", 40<<10)
	for name, test := range map[string]struct {
		log  *session
		want string
	}{
		"blank":        {new(session).says("one").says("\n\n \t").says(""), "one"},
		"blocks":       {new(session).add("assistant", `"message":{"content":[{"type":"text","text":"a"},{"type":"thinking","thinking":"b"},{"type":"text","text":"c"},{"type":"tool_use","id":"t","name":"Read","input":{}}]}`), "c"},
		"a string":     {new(session).add("assistant", `"message":{"content":"a"}`), "a"},
		"escapes":      {new(session).says("a \"q\" \\ b\\\\c \u2028 “x” 😀 \x01"), "a \"q\" \\ b\\\\c \u2028 “x” 😀 \x01"},
		"surrogates":   {new(session).raw(`{"type":"assistant","message":{"content":"\ud83d\ude00 \ud83d \u00e9 \uZZZZ \/"}}`), "😀 \uFFFD é \uFFFDZZZZ /"},
		"no UTF-8":     {new(session).raw("{\"type\":\"assistant\",\"message\":{\"content\":\"a\xff\xfeb\x00c\"}}"), "a\uFFFDb\x00c"},
		"sidechain":    {new(session).says("one").raw(strings.Replace(new(session).says("sub").lines[0], `"isSidechain":false`, `"isSidechain":true`, 1)), "one"},
		"synthetic":    {new(session).says("one").add("assistant", `"message":{"model":"<synthetic>","content":[{"type":"text","text":"No response requested."}]}`), "one"},
		"huge":         {new(session).says("one").raw(strings.Replace(text(strings.Repeat("x", MaxLine)), `"u"`, `"other"`, 1)), "one"},
		"NUL, unknown": {new(session).says("one").raw("\x00\x00").raw("[]").raw(`{"type":17}`).raw(`{"type":"progress","data":{}}`).raw(`{"type":"queue-operation","content":"x"}`).raw(`{"type":"assistant","message":[]}`).raw(`{"type":"assistant","message":{"content":[1,"x",{}]}}`), "one"},
		"CRLF":         {new(session).says("one").raw(new(session).says("two").lines[0] + "\r").raw(new(session).add("user", `"message":3`).lines[0]), "one"},
		"end of it":    {new(session).says(long), long[len(long)-MaxText:]},
	} {
		t.Run(name, func(t *testing.T) { check(t, test.log.bytes(), func(v View) any { return v.Text }, test.want) })
	}
	// The CRLF line above repeats u1; with a uuid of its own it counts.
	check(t, []byte(strings.ReplaceAll(string(new(session).says("one").says("two").bytes()), "\n", "\r\n")), func(v View) any { return v.Text }, "two")
	// A last line without its end counts when it is complete.
	s := new(session).says("one").says("two").bytes()
	check(t, s[:len(s)-1], func(v View) any { return v.Text }, "two")
	check(t, s[:len(s)-2], func(v View) any { return v.Text }, "one")
}

func TestPrompts(t *testing.T) {
	first := func() *session { return new(session).asks("first") }
	type want struct {
		Turns        int
		Prompt, Text string
	}
	for name, test := range map[string]struct {
		log  *session
		want want
	}{
		"none":            {new(session).says("hello"), want{}},
		"two":             {first().says("a").asks("second"), want{2, "u3", "second"}},
		"image alone":     {first().add("user", `"message":{"content":[{"type":"image","source":{}}]}`), want{2, "u2", ""}},
		"image and words": {first().add("user", `"message":{"content":[{"type":"image","source":{}},{"type":"text","text":"look"}]}`), want{2, "u2", "look"}},
		"reminder first":  {first().asks("<system-reminder>\nThe day is new.\n</system-reminder>\n\nsecond"), want{2, "u2", "second"}},
		"reminder alone":  {first().asks("<system-reminder>x</system-reminder>"), want{1, "u1", "first"}},
		"meta":            {first().meta("a skill"), want{1, "u1", "first"}},
		"hook feedback":   {first().meta("Stop hook feedback:\ngo on"), want{1, "u1", "first"}},
		"notification":    {first().add("user", `"origin":{"kind":"task-notification"},"message":{"content":"<task-notification>\n<task-id>b</task-id>"}`), want{1, "u1", "first"}},
		"an agent":        {first().meta("Another Claude session sent a message:\n<agent-message from=\"moe\">\nHm.\n</agent-message>"), want{1, "u1", "first"}},
		"peer":            {first().add("user", `"origin":{"kind":"peer"},"message":{"content":"hello from there"}`), want{1, "u1", "first"}},
		"human origin":    {first().add("user", `"origin":{"kind":"human"},"promptSource":"sdk","message":{"content":"second"}`), want{2, "u2", "second"}},
		"compaction":      {first().compacts(), want{1, "u1", "first"}},
		"slash command":   {first().asks("<command-name>/compact</command-name>"), want{2, "u2", "<command-name>/compact</command-name>"}},
		"its output":      {first().asks("<local-command-stdout>done</local-command-stdout>"), want{1, "u1", "first"}},
		"shell command":   {first().asks("<bash-input>ls</bash-input>").asks("<bash-stdout>x</bash-stdout><bash-stderr></bash-stderr>"), want{2, "u2", "<bash-input>ls</bash-input>"}},
		"interruption":    {first().asks("[Request interrupted by user for tool use]"), want{1, "u1", "first"}},
		"typed ahead":     {first().attaches(`{"type":"queued_command","prompt":"and this","source_uuid":"x","commandMode":"prompt","origin":{"kind":"human"}}`), want{2, "u2", "and this"}},
		"arrived ahead":   {first().attaches(`{"type":"queued_command","prompt":"<task-notification>\n<task-id>b</task-id>","commandMode":"task-notification"}`), want{1, "u1", "first"}},
		"queue operation": {first().raw(`{"type":"queue-operation","operation":"enqueue","content":"second"}`), want{1, "u1", "first"}},
		"twice":           {first().raw(first().lines[0]), want{1, "u1", "first"}},
		"long":            {new(session).asks(strings.Repeat("é", 300)), want{1, "u1", strings.Repeat("é", 200)}},
		"strange uuid":    {new(session).raw(`{"type":"user","message":{"content":"x"},"uuid":"a\u0000b"}`), want{1, "", "x"}},
	} {
		t.Run(name, func(t *testing.T) {
			check(t, test.log.bytes(), func(v View) any { return want{v.Turns, v.Prompt, v.PromptText} }, test.want)
		})
	}
}

func TestCommandInDirectory(t *testing.T) {
	for input, want := range map[string]string{
		`{"cmd":"make test","workdir":"/p"}`:         "cd '/p' && make test",
		`{"command":"make test","directory":"/p"}`:   "cd '/p' && make test",
		`{"command":"make test","dir_path":"build"}`: "cd 'build' && make test",
		`{"command":"make test","dir_path":"."}`:     "make test",
		`{"command":"make test","dir_path":""}`:      "make test",
	} {
		v := view(t, new(session).asks("go").calls("run_shell_command", input).bytes())
		errorIf(t, len(v.Calls) != 1 || v.Calls[0].Command != want, "%s: %+v", input, v.Calls)
	}
}

func TestCalls(t *testing.T) {
	s := new(session).asks("go").runs("Read", `{"file_path":"/a"}`).asks("and").
		calls("Bash", `{"description":"Run the tests","command":"go test \\\n  ./..."}`).fails("Exit code 1\nFAIL x").
		calls("Grep", `{"pattern":"x\\d","path":"/a"}`).returns("\n  3 files\na\nb", `{"mode":"x"}`).
		calls("Write", `{"content":"`+strings.Repeat("x", 9000)+`","file_path":"/late"}`).
		calls("Bash", `{"command":"test -f done"}`).returns("", `{"stdout":"","interrupted":false,"returnCodeInterpretation":"Condition is false"}`).
		calls("mcp__x__y", `{"n":1,"what":"this"}`).returns("", `{}`).
		calls("Skill", `{"skill":"p:s"}`).fails("<tool_use_error>No such skill</tool_use_error>").
		calls("TaskUpdate", `{"taskId":"3","status":"completed"}`)
	v := view(t, s.bytes())
	again := view(t, new(session).asks("and").calls("Bash", `{"command":"go test"}`).fails("Exit code 23\nFAIL x").bytes())
	errorIf(t, v.Calls[0].Seen != again.Calls[0].Seen || v.Calls[0].Seen == v.Calls[5].Seen || v.Work != 3 || again.Work != 1,
		"failures: %+v, %+v", v.Calls, again.Calls)
	errorIf(t, v.Calls[0].Command != "go test \\\n  ./..." || v.Calls[1].Command != "", "commands: %+v", v.Calls)
	for i := range v.Calls {
		v.Calls[i].Seen, v.Calls[i].Command = "", ""
	}
	want := []activity.Call{
		{Name: "Bash", Input: `go test \ ./...`, Result: "exit 1", Error: true, Done: true, Writes: true},
		{Name: "Grep", Input: `x\d`, Result: "3 files", Done: true},
		{Name: "Write", Input: strings.Repeat("x", MaxShort), Writes: true},
		{Name: "Bash", Input: "test -f done", Error: true, Done: true, Writes: true},
		{Name: "mcp__x__y", Input: "this", Done: true, Writes: true},
		{Name: "Skill", Input: "p:s", Result: "No such skill", Error: true, Done: true, Writes: true},
		{Name: "TaskUpdate", Input: "#3 → completed"},
	}
	errorIf(t, !reflect.DeepEqual(v.Calls, want), "got  %+v\nwant %+v", v.Calls, want)
	errorIf(t, v.CallsInTurn != 7 || v.LastTool != "TaskUpdate", "%d calls, last %s", v.CallsInTurn, v.LastTool)

	for i := range 20 {
		s.runs("Read", fmt.Sprintf(`{"file_path":"/%d"}`, i))
	}
	v = view(t, s.bytes())
	if len(v.Calls) != MaxRecent || v.CallsInTurn != 27 || v.Calls[0].Input != "/12" || v.Calls[7].Input != "/19" {
		t.Errorf("%d of %d calls: %+v", len(v.Calls), v.CallsInTurn, v.Calls)
	}
	v = view(t, s.asks("thanks").bytes())
	errorIf(t, len(v.Calls) != 0 || v.CallsInTurn != 0 || v.LastTool != "Read", "after a prompt: %+v", v)
	// Several blocks in one line, results in another order.
	v = view(t, new(session).add("assistant", `"message":{"content":[{"type":"tool_use","id":"a","name":"A","input":{}},{"type":"tool_use","id":"b","name":"B","input":{}}]}`).
		add("user", `"message":{"content":[{"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"of b"}]},{"type":"tool_result","tool_use_id":"a","content":"of a"}]}`).bytes())
	if want := []activity.Call{{Name: "A", Result: "of a", Done: true, Writes: true}, {Name: "B", Result: "of b", Done: true, Writes: true}}; !reflect.DeepEqual(v.Calls, want) {
		t.Errorf("got %+v", v.Calls)
	}
}

func TestTodos(t *testing.T) {
	two := `{"todos":[{"content":"a","status":"in_progress","activeForm":"A"},{"content":"b","status":"pending"}]}`
	ab := []activity.Todo{{Content: "a", Status: "in_progress"}, {Content: "b", Status: "pending"}}
	tasks := func() *session { return new(session).asks("go").creates("1", "one").creates("2", "two") }
	one, twoT := activity.Todo{ID: "1", Content: "one", Status: "pending"}, activity.Todo{ID: "2", Content: "two", Status: "pending"}
	with := func(t activity.Todo, status string) activity.Todo { t.Status = status; return t }
	reminder := `{"type":"task_reminder","content":[{"id":"1","subject":"one","description":"d","status":"completed","blocks":[],"blockedBy":[]},{"id":"7","subject":"seven","status":"pending","owner":"w","blocks":[],"blockedBy":["1"]}],"itemCount":2}`
	reminded := []activity.Todo{with(one, "completed"), {ID: "7", Content: "seven", Status: "pending", Owner: "w"}}
	for name, test := range map[string]struct {
		log   *session
		want  []activity.Todo
		turns int
	}{
		"none":                 {new(session).asks("go").runs("Bash", `{}`), nil, 1},
		"written":              {new(session).asks("go").runs("TodoWrite", two).runs("Bash", `{}`), ab, 0},
		"replaced":             {new(session).runs("TodoWrite", two).asks("go").runs("TodoWrite", `{"todos":[]}`), nil, 0},
		"error":                {new(session).runs("TodoWrite", two).asks("go").calls("TodoWrite", `{"todos":[]}`).fails("InputValidationError"), ab, 1},
		"no such tool":         {new(session).calls("TodoWrite", two).fails("No such tool available: TodoWrite"), nil, 0},
		"odd type":             {new(session).runs("TodoWrite", two).runs("TodoWrite", `{"todos":"none"}`), ab, 0},
		"old reminder":         {new(session).attaches(`{"type":"todo_reminder","content":[{"content":"a","status":"in_progress"},{"content":"b","status":"pending"}]}`), ab, 0},
		"compaction":           {new(session).runs("TodoWrite", two).compacts(), ab, 0},
		"tasks":                {tasks(), []activity.Todo{one, twoT}, 0},
		"task refused":         {new(session).calls("TaskCreate", `{"subject":"one"}`).fails("No such tool available: TaskCreate"), nil, 0},
		"only TaskCreate":      {new(session).calls("Read", `{}`).returns("Task #1 created successfully: one", `{"task":{"id":"1","subject":"one"}}`), nil, 0},
		"update":               {tasks().updates(`{"taskId":"1","status":"in_progress"}`), []activity.Todo{with(one, "in_progress"), twoT}, 0},
		"subject, owner":       {tasks().updates(`{"taskId":"1","subject":"uno","owner":"me"}`), []activity.Todo{{ID: "1", Content: "uno", Status: "pending", Owner: "me"}, twoT}, 0},
		"deleted":              {tasks().updates(`{"taskId":"1","status":"deleted"}`), []activity.Todo{twoT}, 0},
		"error undone":         {tasks().runs("Bash", `{}`).calls("TaskUpdate", `{"taskId":"1","status":"completed","owner":"x"}`).fails("Task not found"), []activity.Todo{one, twoT}, 0},
		"deletion undone":      {tasks().calls("TaskUpdate", `{"taskId":"1","status":"deleted"}`).fails("no"), []activity.Todo{twoT, one}, 0},
		"unknown":              {new(session).updates(`{"taskId":"9","status":"in_progress"}`), []activity.Todo{{ID: "9", Status: "in_progress"}}, 0},
		"blocked":              {tasks().updates(`{"taskId":"2","addBlockedBy":["1"]}`), []activity.Todo{one, {ID: "2", Content: "two", Status: "pending", Blocked: true}}, 0},
		"unblocked":            {tasks().updates(`{"taskId":"2","addBlockedBy":["1"]}`).updates(`{"taskId":"1","status":"completed"}`), []activity.Todo{with(one, "completed"), twoT}, 0},
		"reminded":             {tasks().attaches(reminder).runs("Bash", `{}`), reminded, 0},
		"reminder, but a list": {new(session).runs("TodoWrite", two).attaches(`{"type":"task_reminder","content":[],"itemCount":0}`), ab, 0},
		"TaskList":             {tasks().calls("TaskList", `{}`).returns("#7 [pending] seven", `{"tasks":[{"id":"7","subject":"seven","status":"pending","blockedBy":[]}]}`), []activity.Todo{{ID: "7", Content: "seven", Status: "pending"}}, 0},
		"TaskList, no news":    {tasks().asks("x").calls("TaskList", `{}`).returns("…", `{"tasks":[{"id":"1","subject":"one","status":"pending"},{"id":"2","subject":"two","status":"pending"}]}`), []activity.Todo{one, twoT}, 1},
		"TaskGet":              {new(session).calls("TaskGet", `{"taskId":"4"}`).returns("…", `{"task":{"id":"4","subject":"four","status":"in_progress","blocks":[],"blockedBy":[]}}`), []activity.Todo{{ID: "4", Content: "four", Status: "in_progress"}}, 0},
		"other kind":           {new(session).runs("TodoWrite", two).creates("1", "one"), []activity.Todo{one}, 0},
		"duplicate line":       {tasks().raw(tasks().lines[2]), []activity.Todo{one, twoT}, 0},
	} {
		v := view(t, test.log.bytes())
		if len(v.Todos) != len(test.want) || len(v.Todos) > 0 && !reflect.DeepEqual(v.Todos, test.want) {
			t.Errorf("%s: got  %+v\nwant %+v", name, v.Todos, test.want)
		}
		if len(v.Todos) > 0 && v.TodosTurns != test.turns {
			t.Errorf("%s: changed %d turns ago, want %d", name, v.TodosTurns, test.turns)
		}
	}
}

// Of more items than are kept, the open ones stay.
func TestManyTodos(t *testing.T) {
	s := new(session)
	var all []string
	for i := range 100 {
		s.creates(fmt.Sprint(i), fmt.Sprint("task ", i))
		status := "pending"
		if i%2 == 0 {
			s.updates(fmt.Sprintf(`{"taskId":"%d","status":"completed"}`, i))
			status = "completed"
		}
		all = append(all, fmt.Sprintf(`{"content":"todo %d","status":%q}`, i, status))
	}
	for _, log := range [][]byte{s.bytes(), new(session).calls("TodoWrite", `{"todos":[`+strings.Join(all, ",")+`]}`).bytes()} {
		v := view(t, log)
		open := 0
		for _, todo := range v.Todos {
			if todo.Status == "pending" {
				open++
			}
		}
		errorIf(t, len(v.Todos) != MaxTodos || open != 50, "%d todos, %d open", len(v.Todos), open)
	}
}

func TestSkill(t *testing.T) {
	for name, test := range map[string]struct {
		log  *session
		want activity.Skill
	}{
		"tool":             {new(session).asks("go").runs("Skill", `{"skill":"superpowers:brainstorming"}`).asks("and"), activity.Skill{Name: "brainstorming", From: "tool", Turns: 1}},
		"refused":          {new(session).runs("Skill", `{"skill":"a"}`).asks("x").calls("Skill", `{"skill":"b"}`).fails("Unknown skill"), activity.Skill{Name: "a", From: "tool", Turns: 1}},
		"body":             {new(session).meta("Base directory for this skill: /home/x/.claude/skills/writing-plans\n\n# Writing"), activity.Skill{Name: "writing-plans", From: "body", Turns: 0}},
		"body, Windows":    {new(session).meta(`Base directory for this skill: C:\Users\new\skills\writing-plans` + "\n\n# Writing"), activity.Skill{Name: "writing-plans", From: "body", Turns: 0}},
		"a person's words": {new(session).asks("Base directory for this skill: /a/b"), activity.Skill{}},
		"attribution":      {new(session).asks("go").add("assistant", `"attributionSkill":"p:review","message":{"content":"x"}`), activity.Skill{Name: "review", From: "attribution", Turns: 0}},
		"still at work":    {new(session).runs("Skill", `{"skill":"review"}`).asks("go").add("assistant", `"attributionSkill":"p:review","message":{"content":"x"}`), activity.Skill{Name: "review", From: "tool", Turns: 0}},
		"announced":        {new(session).says("Good.\nI'm using the executing-plans skill to implement this plan."), activity.Skill{}},
		"strange name":     {new(session).runs("Skill", `{"skill":"a\nb"}`), activity.Skill{}},
	} {
		t.Run(name, func(t *testing.T) { check(t, test.log.bytes(), func(v View) any { return v.Skill }, test.want) })
	}
}

func TestAsked(t *testing.T) {
	for name, test := range map[string]struct {
		log  *session
		want string
	}{
		"nothing":          {new(session).asks("go").runs("Bash", `{}`), ""},
		"asked":            {new(session).asks("go").says("Which?").calls("AskUserQuestion", `{"questions":[]}`), "AskUserQuestion"},
		"and said":         {new(session).asks("go").runs("AskUserQuestion", `{"questions":[]}`).says("Good."), ""},
		"plan":             {new(session).asks("go").calls("ExitPlanMode", `{"plan":"x"}`), "ExitPlanMode"},
		"plan refused":     {new(session).asks("go").calls("ExitPlanMode", `{"plan":"x"}`).fails("rejected").says("Then I wait."), "ExitPlanMode"},
		"in an older turn": {new(session).asks("go").runs("AskUserQuestion", `{}`).asks("this"), ""},
	} {
		t.Run(name, func(t *testing.T) { check(t, test.log.bytes(), func(v View) any { return v.Asked }, test.want) })
	}
}

func TestStarted(t *testing.T) {
	server := func() *session {
		return new(session).asks("go").calls("Bash", `{"command":"make serve","run_in_background":true}`).
			returns("Command running in background with ID: b1. Output is being written to: /tmp/b1", `{"stdout":"","backgroundTaskId":"b1"}`)
	}
	agent := func(s *session) *session {
		return s.calls("Agent", `{"description":"Look around","prompt":"…"}`).
			returns("Async agent launched successfully.\nagentId: a1 (internal)", `{"isAsync":true,"status":"async_launched","agentId":"a1","prompt":"…"}`)
	}
	notice := func(id, status string) string {
		return "<task-notification>\n<task-id>" + id + "</task-id>\n" + status + "<summary>x</summary>\n</task-notification>"
	}
	b1, a1 := Task{"b1", "make serve"}, Task{"a1", "Look around"}
	for name, test := range map[string]struct {
		log  *session
		want []Task
	}{
		"shell":            {server(), []Task{b1}},
		"shell, text only": {new(session).asks("go").calls("Bash", `{"command":"make serve","run_in_background":true}`).returns("Command running in background with ID: b1. Output is", `"x"`), []Task{b1}},
		"not answered yet": {new(session).asks("go").calls("Bash", `{"command":"make serve","run_in_background":true}`), []Task{{"", "make serve"}}},
		"sent there":       {new(session).asks("go").calls("Bash", `{"command":"make all"}`).returns("", `{"stdout":"","backgroundTaskId":"b2"}`), []Task{{"b2", "make all"}}},
		"quoted":           {new(session).asks("go").calls("Bash", `{"command":"cat x"}`).returns(`"backgroundTaskId":"b2"`, `{"stdout":"\"backgroundTaskId\":\"b2\""}`), nil},
		"agent":            {agent(server()), []Task{b1, a1}},
		"monitor":          {new(session).asks("go").calls("Monitor", `{"command":"watch","description":"CI"}`).returns("Monitor started (task m1, timeout 3ms)", `{"taskId":"m1","timeoutMs":3}`), []Task{{"m1", "watch"}}},
		"news":             {server().asks(notice("b1", "<event>x</event>")), []Task{b1}},
		"ended":            {agent(server()).asks(notice("b1", "<status>completed</status>")), []Task{a1}},
		"both ended":       {agent(server()).add("user", `"origin":{"kind":"task-notification"},"message":{"content":`+quote(notice("b1", "<status>killed</status>")+notice("a1", "<status>failed</status>"))+`}`), nil},
		"ended ahead":      {agent(server()).attaches(`{"type":"queued_command","commandMode":"task-notification","prompt":` + quote(notice("a1", "<status>completed</status>")) + `}`), []Task{b1}},
		"stopped":          {server().calls("TaskStop", `{"task_id":"b1"}`).returns("stopped", `{"message":"x","task_id":"b1"}`), nil},
		"looked at":        {server().calls("TaskOutput", `{"task_id":"b1"}`).returns("x", `{"retrieval_status":"not_ready","task":{"task_id":"b1","status":"running"}}`), []Task{b1}},
		"found ended":      {server().calls("TaskOutput", `{"task_id":"b1"}`).returns("x", `{"retrieval_status":"success","task":{"task_id":"b1","status":"completed"}}`), nil},
		"an older turn":    {server().asks("now this"), nil},
	} {
		t.Run(name, func(t *testing.T) { check(t, test.log.bytes(), func(v View) any { return v.Started }, test.want) })
	}
}

// A call that was interrupted or is in the background has no outcome yet.
func TestOpenCalls(t *testing.T) {
	for outcome, open := range map[string]bool{
		`{"stdout":"","interrupted":false}`: false, `{"stdout":"","interrupted":true}`: true, `{"stdout":"","backgroundTaskId":"b1"}`: true,
	} {
		v := view(t, new(session).asks("go").calls("Bash", `{"command":"make test"}`).returns("x", outcome).bytes())
		errorIf(t, v.Calls[0].Open != open, "%s: %+v", outcome, v.Calls)
	}
	v := view(t, new(session).asks("go").calls("Bash", `{"command":"make test","run_in_background":true}`).returns("x", `{"backgroundTaskId":"b1"}`).bytes())
	errorIf(t, !v.Calls[0].Open, "in the background: %+v", v.Calls)
}

func TestDeniedCalls(t *testing.T) {
	const kind = `,"toolDenialKind":"permission-rule"`
	for said, denied := range map[string]bool{
		"This command requires approval": true, "Permission to use Bash with command make test has been denied.": true,
		"The user doesn't want to proceed with this tool use.": true, "PreToolUse:Bash hook error: [no.sh]: no": true,
		`Exit code 2\nThis command requires approval`: false, "Exit code 1": false, "not here": false,
		"not here" + kind: true, "busy, so auto mode cannot tell" + strings.ReplaceAll(kind, "permission-rule", "automode-unavailable"): false,
	} {
		said, member, _ := strings.Cut(said, `,"`)
		if member != "" {
			member = `,"` + member
		}
		s := new(session).asks("go").calls("Bash", `{"command":"make test"}`)
		v := view(t, s.add("user", fmt.Sprintf(`"message":{"role":"user","content":[{"type":"tool_result","content":"%s","is_error":true,"tool_use_id":"t%d"}]}%s`, said, s.n, member)).bytes())
		errorIf(t, v.Calls[0].Denied != denied || !v.Calls[0].Error, "%s: %+v", said, v.Calls)
	}
}

// at is the time of a line: 2026-11-20T10:00:00Z, as session.add counts.
func at(n int64) int64 { return 1795168800000 + n*1000 + n }

// When the user typed last: no command, and no words that were typed while Claude worked.
func TestOwnAt(t *testing.T) {
	first := func() *session { return new(session).asks("first") }
	for name, test := range map[string]struct {
		log  *session
		line int64
	}{
		"a prompt":     {first().says("a").asks("second"), 3},
		"a command":    {first().asks("<command-name>/compact</command-name>"), 1},
		"typed ahead":  {first().attaches(`{"type":"queued_command","prompt":"and this","source_uuid":"x","commandMode":"prompt","origin":{"kind":"human"}}`), 1},
		"notification": {first().add("user", `"origin":{"kind":"task-notification"},"message":{"content":"<task-notification>\n<task-id>b</task-id>"}`), 1},
		"none":         {new(session).says("a"), 0},
	} {
		want := int64(0)
		if test.line > 0 {
			want = at(test.line)
		}
		errorIf(t, view(t, test.log.bytes()).OwnAt != want, "%s: %d, want %d", name, view(t, test.log.bytes()).OwnAt, want)
	}
}

func TestOwnPrompt(t *testing.T) {
	command := func(name string) string {
		return "<command-message>" + name + "</command-message>\\n<command-name>/" + name + "</command-name>"
	}
	line := func(id, words, more string) string {
		return `{"type":"user","uuid":"` + id + `","promptId":"` + id + `","version":"2.1.197",` + more + `"message":{"role":"user","content":"` + words + `"}}` + "\n"
	}
	for name, test := range map[string]struct{ log, own string }{
		"a prompt":             {line("p1", "go", "") + line("p2", "continue", ""), "p2"},
		"why":                  {line("p1", "go", "") + line("p2", command("ned-flanders:why"), ""), "p1"},
		"a command of others":  {line("p1", "go", "") + line("p2", command("superpowers:execute-plan"), ""), "p2"},
		"no plugin's":          {line("p1", "go", "") + line("p2", command("log"), ""), "p2"},
		"a task has ended":     {line("p1", "go", "") + line("p2", "<task-notification>x</task-notification>", `"origin":{"kind":"task-notification"},`), "p1"},
		"words about our why":  {line("p1", "go", "") + line("p2", "what does /ned-flanders:why say?", ""), "p2"},
		"a prompt without id":  {line("p1", "go", "") + `{"type":"user","uuid":"u","message":{"content":"on"}}` + "\n", ""},
		"a session just begun": {"", ""},
	} {
		check(t, []byte(test.log), func(v View) any { return v.Opening.ID }, test.own)
		if v := view(t, []byte(test.log)); test.log != "" && v.Version != "2.1.197" {
			t.Errorf("%s: version %q", name, v.Version)
		}
	}
}

func TestFeedback(t *testing.T) {
	blocks := func(s *session, command string) *session {
		return s.attaches(`{"type":"hook_blocking_error","hookName":"Stop","hookEvent":"Stop","toolUseID":"x","blockingError":{"blockingError":"go on","command":` + quote(command) + `}}`).
			meta("Stop hook feedback:\ngo on")
	}
	// Claude Code 2.1.163, 2.1.197 and 2.1.330 write this for a hook that prints something.
	prints := func(s *session, command, stdout string) *session {
		return s.attaches(`{"type":"hook_success","hookName":"Stop","toolUseID":"x","hookEvent":"Stop","content":"","stdout":` + quote(stdout) + `,"stderr":"","exitCode":0,"command":` + quote(command) + `,"durationMs":5}`)
	}
	context := func(s *session, command string) *session {
		return prints(s, command, `{"systemMessage":"ned-flanders kept Claude going","hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"go on"}}`+"\n").
			attaches(`{"type":"hook_additional_context","content":["go on"],"hookName":"Stop","toolUseID":"x","hookEvent":"Stop"}`)
	}
	const ours, theirs = `"${CLAUDE_PLUGIN_ROOT}"/hooks/springfield-hook`, "/x/other.sh"
	one := func(n int64) Feedback { return Feedback{Ours: []int64{at(n)}, All: 1, InOwn: 1, InTurn: 1} }
	for name, test := range map[string]struct {
		log  *session
		want Feedback
	}{
		"ours":          {blocks(new(session).asks("go"), ours), one(2)},
		"others":        {blocks(new(session).asks("go"), theirs), Feedback{}},
		"both":          {blocks(blocks(new(session).asks("go"), ours), theirs), one(2)},
		"words first":   {new(session).meta("Stop hook feedback:\nx").attaches(`{"type":"hook_blocking_error","hookEvent":"Stop","blockingError":{"command":"` + "/a/springfield-hook.exe" + `"}}`), one(2)},
		"words only":    {new(session).asks("go").meta("Stop hook feedback:\nx"), Feedback{}},
		"an older turn": {blocks(blocks(new(session), ours), theirs).asks("go"), Feedback{Ours: []int64{at(1)}, All: 1, InOwn: 1}},
		"another event": {new(session).attaches(`{"type":"hook_blocking_error","hookEvent":"PreToolUse","blockingError":{"command":"springfield-hook"}}`), Feedback{}},

		"ours, by context":           {context(new(session).asks("go"), ours), one(2)},
		"ours by context, a block":   {blocks(context(new(session).asks("go"), ours), theirs), one(2)},
		"a block of ours, a context": {context(blocks(new(session).asks("go"), ours), theirs), one(2)},
		"context, an older turn":     {context(new(session), ours).asks("go"), Feedback{Ours: []int64{at(1)}, All: 1, InOwn: 1}},
		"a message to the user":      {prints(new(session).asks("go"), ours, `{"systemMessage":"ned-flanders let Claude stop: additionalContext"}`+"\n"), Feedback{}},
		"context for another event":  {new(session).attaches(`{"type":"hook_additional_context","content":["x"],"hookName":"PostToolUse","toolUseID":"x","hookEvent":"PostToolUse"}`), Feedback{}},
	} {
		t.Run(name, func(t *testing.T) { check(t, test.log.bytes(), func(v View) any { return v.Feedback }, test.want) })
	}
	s := new(session)
	for range 300 {
		blocks(s, ours)
	}
	if v := view(t, s.bytes()); len(v.Feedback.Ours) != MaxOurs || v.Feedback.InTurn != 300 || v.Feedback.Ours[MaxOurs-1] != at(599) {
		t.Errorf("%+v", v.Feedback)
	}
	s.raw(`{"type":"attachment","uuid":"late","timestamp":"2026-11-20T11:09:00Z","attachment":{"type":"hook_blocking_error","hookEvent":"Stop","blockingError":{"command":"springfield-hook"}}}`)
	if v := view(t, s.bytes()); len(v.Feedback.Ours) != 31 || v.Feedback.All != 301 {
		t.Errorf("those of an hour ago are kept: %+v", v.Feedback)
	}
}

// A log that was rewritten is read from its start.
func TestRewritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	put := func(b []byte) { must(t, os.WriteFile(path, b, 0o600)) }
	put(new(session).asks("a").says("one").asks("b").says("two").bytes())
	prior, v, _ := Read(path, Log{})
	if v.Turns != 2 {
		t.Fatal(v)
	}
	for name, log := range map[string][]byte{
		"shorter":     new(session).asks("a").bytes(),
		"empty":       nil,
		"other, long": new(session).asks("c").says(strings.Repeat("x", 9000)).bytes(),
	} {
		put(log)
		_, got, err := Read(path, prior)
		errorIf(t, err != nil || !got.Rewritten, "%s: not known to be another log", name)
		got.Rewritten = false
		errorIf(t, err != nil || !reflect.DeepEqual(got, view(t, log)), "%s: %+v, %v", name, got, err)
	}
	old := prior
	old.Form++
	old.Turns = 99
	put(new(session).asks("a").says("one").asks("b").says("two").bytes())
	if _, v, _ := Read(path, old); v.Turns != 2 {
		t.Errorf("a Log of another form is continued: %+v", v)
	}
	old = prior
	old.Format = "another"
	if _, v, _ := Read(path, old); v.Turns != 2 {
		t.Errorf("a Log of another host is continued: %+v", v)
	}
	if log, _, err := Read(filepath.Join(t.TempDir(), "none"), prior); err == nil || !reflect.DeepEqual(log, prior) {
		t.Errorf("a missing log: %+v, %v", log, err)
	}
}

// carry writes and reads a Log as the ledger does.
func carry(t testing.TB, log Log) Log {
	t.Helper()
	b := codec.Append(nil, &log)
	if len(b) > 16<<10 {
		t.Fatalf("the Log has %d bytes: %s", len(b), b)
	}
	var back Log
	must(t, codec.ReadObject(b, &back))
	return back
}

// inPieces reads a log that grows by the given lengths.
func inPieces(t testing.TB, path string, log []byte, next func() int) (Log, View) {
	t.Helper()
	f, err := os.Create(path)
	must(t, err)
	defer f.Close()
	var prior Log
	var v View
	for at := 0; ; {
		n := min(len(log)-at, max(0, next()))
		if _, err := f.Write(log[at : at+n]); err != nil {
			t.Fatal(err)
		}
		at += n
		if prior, v, err = Read(path, prior); err != nil {
			t.Fatal(err)
		}
		prior = carry(t, prior)
		if at == len(log) {
			return prior, v
		}
	}
}

// Random sessions, cut anywhere, say the same as at once.
func TestIncrements(t *testing.T) {
	rng := rand.New(rand.NewSource(7))
	path := filepath.Join(t.TempDir(), "s.jsonl")
	for range 10 {
		log := generated(rng, 400).bytes()
		if rng.Intn(2) == 0 {
			log = log[:len(log)-rng.Intn(200)]
		}
		want := view(t, log)
		for _, most := range []int{300, 5000, 200_000} {
			_, got := inPieces(t, path, log, func() int { return 1 + rng.Intn(most) })
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("pieces of at most %d:\ngot  %+v\nwant %+v", most, got, want)
			}
		}
	}
}

// Lines around every bound that the reader has.
func TestLongLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	for _, length := range []int{Chunk - 1, Chunk, Chunk + 1, 2 * Chunk, MaxLine - 1, MaxLine, MaxLine + 1, MaxLine + Chunk, MaxLine + Chunk + 1, 3 * MaxLine} {
		for _, end := range []string{"\n", ""} {
			long := func(id string, length int) string {
				line := `{"type":"assistant","uuid":"` + id + `","message":{"content":"` + id
				return line + strings.Repeat("x", length-len(line)-len(`"}}`)) + `"}}`
			}
			log := []byte(strings.Join([]string{new(session).says("first").lines[0], long("long", length), long("again", length)}, "\n") + end)
			_, v := inPieces(t, path, log, func() int { return len(log) })
			want := "first"
			if length <= MaxLine {
				want = "again"
			}
			if length <= MaxLine && !strings.HasPrefix(view(t, log[:bytes.LastIndex(log, []byte("\n{"))+1]).Text, "xxx") || length > MaxLine && v.Text != want {
				t.Errorf("%d bytes, end %q: %.20s", length, end, v.Text)
			}
			got := view(t, append(bytes.TrimRight(log, "\n"), "\n"+new(session).asks("p").says("last").lines[1]...))
			errorIf(t, got.Text != "last", "%d bytes: the reader did not go on: %.20s", length, got.Text)
			_, pieces := inPieces(t, path, log, func() int { return 300_000 })
			errorIf(t, !reflect.DeepEqual(pieces, v), "%d bytes, end %q: pieces differ", length, end)
		}
	}
}

// The size of a Log is bounded, whatever the session contains.
func TestLargestLog(t *testing.T) {
	s := new(session).asks("go")
	name := strings.Repeat("n", MaxName)
	for i := range 300 {
		id := fmt.Sprintf("%012d", i)
		s.calls("Write", `{"file_path":"docs/plans/`+id+`.md"}`)
		s.creates(id, strings.Repeat("<&>\x01", 100))
		s.updates(fmt.Sprintf(`{"taskId":%q,"owner":"<<<<<<<<<","addBlockedBy":["a","b","c","d","e"]}`, id))
		s.attaches(`{"type":"hook_blocking_error","hookEvent":"Stop","blockingError":{"command":"springfield-hook"}}`)
		s.calls("Bash", `{"command":"x"}`).returns("", `{"backgroundTaskId":"`+fmt.Sprintf("%040d", i)+`"}`)
	}
	for i := range 30 {
		mate := name[:37] + fmt.Sprint(100+i)
		s.asks(`<teammate-message teammate_id="` + mate + `" color="x">` + "\n" +
			`{"type":"idle_notification"}</teammate-message>`)
		s.calls("SendMessage", `{"to":"`+mate+`","message":"x"}`)
	}
	s.runs("Skill", `{"skill":"`+name+`"}`)
	for i := range 100 {
		s.calls(name, `{"run_in_background":true}`)
		s.calls("TaskUpdate", fmt.Sprintf(`{"taskId":"%012d","status":"completed"}`, 299-i%30))
		s.answer(1, "none", `{}`)
	}
	for i := range 16 {
		s.calls("TaskUpdate", fmt.Sprintf(`{"taskId":"%012d","status":"completed"}`, 299-i))
	}
	path := filepath.Join(t.TempDir(), "s.jsonl")
	log, _ := inPieces(t, path, s.bytes(), func() int { return 1 << 20 })
	b := codec.Append(nil, &log)
	// Far into a log of gigabytes, the offset of every place is longer by six digits.
	places := 3 + len(log.Plans) + 2*len(log.Todos.Tasks) + 2*len(log.Recent) + 3*len(log.Claims) + len(log.Started)
	t.Logf("%d bytes with %d places", len(b), places)
	errorIf(t, len(b)+6*places > 16<<10, "%d bytes with %d places", len(b), places)
}

// generated is a random session of all kinds of lines.
func generated(rng *rand.Rand, n int) *session {
	s := new(session)
	word := func() string {
		return []string{"alpha", "the parser", "a \"quoted\" \\ word", "ünïcode 😀", "line\nbreak", strings.Repeat("long ", rng.Intn(300)), "Using writing-plans to plan it.", "see docs/plans/a.md"}[rng.Intn(8)]
	}
	id := func() string { return fmt.Sprint(1 + rng.Intn(12)) }
	status := func() string {
		return []string{"pending", "in_progress", "completed", "deleted"}[rng.Intn(4)]
	}
	for range n {
		switch rng.Intn(24) {
		case 0:
			s.asks(word())
		case 1, 2, 3:
			s.says(word())
		case 4, 5, 6:
			s.calls("Bash", `{"command":`+quote(word())+`}`)
		case 7, 8:
			s.returns(word(), `{"stdout":`+quote(word())+`}`)
		case 9:
			s.fails("Exit code 2\n" + word())
		case 10:
			s.calls("TodoWrite", fmt.Sprintf(`{"todos":[{"content":%s,"status":%q}]}`, quote(word()), status()))
		case 11:
			s.creates(id(), word())
		case 12:
			s.calls("TaskUpdate", fmt.Sprintf(`{"taskId":%q,"status":%q,"addBlockedBy":[%q]}`, id(), status(), id()))
		case 13:
			s.attaches(fmt.Sprintf(`{"type":"task_reminder","content":[{"id":%q,"subject":%s,"status":%q}]}`, id(), quote(word()), status()))
		case 14:
			s.calls("Skill", `{"skill":"p:`+[]string{"review", "brainstorming"}[rng.Intn(2)]+`"}`)
		case 15:
			s.calls("AskUserQuestion", `{"questions":[]}`)
		case 16:
			s.calls("Bash", `{"command":"serve","run_in_background":true}`).returns("x", `{"backgroundTaskId":"b`+id()+`"}`)
		case 17:
			s.asks("<task-notification>\n<task-id>b" + id() + "</task-id><status>completed</status>")
		case 18:
			s.attaches(`{"type":"hook_blocking_error","hookEvent":"Stop","blockingError":{"command":"` + []string{"springfield-hook", "other"}[rng.Intn(2)] + `"}}`)
		case 19:
			s.meta("Stop hook feedback:\n" + word())
		case 20:
			s.compacts()
		case 21: // again, as after a resume
			if k := len(s.lines); k > 10 {
				s.lines = append(s.lines, s.lines[k-10:]...)
			}
		case 22:
			s.raw([]string{"", "{", "\x00\x00", `{"type":"progress","data":{"x":[1,2,{}]}}`, `{"type":"assistant","message":{"content":[{"type":"text"`, "\xff\xfe"}[rng.Intn(6)])
		case 23:
			s.meta("Base directory for this skill: /x/skills/writing-plans\n\n# Plans")
		}
	}
	return s
}

func FuzzRead(f *testing.F) {
	rng := rand.New(rand.NewSource(3))
	for range 40 {
		f.Add(generated(rng, 12).bytes(), uint16(rng.Intn(900)), uint16(rng.Intn(900)))
	}
	s := new(session).asks("go").creates("1", "one").updates(`{"taskId":"1","addBlocks":["1"],"addBlockedBy":["1"],"status":"completed"}`)
	f.Add(s.bytes(), uint16(1), uint16(70))
	f.Add([]byte("{\"type\":\"assistant\",\"message\":{\"content\":\"\\"), uint16(3), uint16(4))
	f.Fuzz(func(t *testing.T, log []byte, a, b uint16) {
		if len(log) > 64<<10 {
			return
		}
		path := filepath.Join(t.TempDir(), "s.jsonl")
		turn := false
		_, got := inPieces(t, path, log, func() int {
			if turn = !turn; turn {
				return 1 + int(a)%1000 + len(log)/20
			}
			return 1 + int(b)%1000
		})
		at, want, err := Read(path, Log{})
		must(t, err)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("in pieces %+v\nat once   %+v", got, want)
		}
		if len(want.Calls) > MaxRecent || len(want.Todos) > MaxTodos || len(want.Started) > MaxStarted || len(want.Text) > MaxText || want.CallsInTurn < 0 || want.TodosTurns < 0 || len(want.Plans) > MaxPlans {
			t.Fatalf("out of bounds: %+v", want)
		}
		if _, again, _ := Read(path, at); !reflect.DeepEqual(again, want) {
			t.Fatal("a second reading differs")
		}
	})
}

// FuzzLog: a ledger can be damaged too.
func FuzzLog(f *testing.F) {
	path := filepath.Join(f.TempDir(), "s.jsonl")
	must(f, os.WriteFile(path, generated(rand.New(rand.NewSource(5)), 50).bytes(), 0o600))
	log, _, _ := Read(path, Log{})
	b := codec.Append(nil, &log)
	f.Add(b)
	f.Fuzz(func(t *testing.T, state []byte) {
		var damaged Log
		if codec.ReadObject(state, &damaged) != nil {
			return
		}
		damaged.Form, damaged.Offset, damaged.Mark = log.Form, log.Offset, log.Mark
		if _, _, err := Read(path, damaged); err != nil {
			t.Fatal(err)
		}
	})
}

func TestPlansIn(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                          nil,
		"Read docs/plans/auth.md first.":            {"docs/plans/auth.md"},
		"(see `docs/superpowers/plans/a.md`)":       {"docs/superpowers/plans/a.md"},
		"first plans/a.md, then plans/b.md":         {"plans/b.md", "plans/a.md"},
		"\"docs/plans/a.md\":12":                    {"docs/plans/a.md"},
		"the plan:docs/plans/a.md.":                 {"docs/plans/a.md"},
		"PLAN.md":                                   {"PLAN.md"},
		"docs/plan_of_work.md":                      {"docs/plan_of_work.md"},
		"/home/bart/x/docs/plans/ünï.md":            {"/home/bart/x/docs/plans/ünï.md"},
		`C:\repo\docs\plans\a.md`:                   {"C:/repo/docs/plans/a.md"},
		"cat .superpowers/sdd/auth/task-1-brief.md": {".superpowers/sdd/auth"},
		".superpowers/sdd/progress.md":              nil,
		"docs/planet/a.md, docs/airplane.md":        nil,
		"docs/plans/a.mdx docs/plans/a.md.tmpl docs/plans/a.md/b": nil,
	} {
		got := PlansIn(text)
		errorIf(t, !reflect.DeepEqual(got, want), "%q: %q, want %q", text, got, want)
	}
}

func TestPlans(t *testing.T) {
	plans := func(v View) any { return v.Plans }
	const a, b = "docs/plans/a.md", "docs/plans/b.md"
	for name, test := range map[string]struct {
		session *session
		want    []activity.Plan
	}{
		"a prompt, earlier": {new(session).asks("Carry out " + a).says("Done.").asks("Fix the typo."), []activity.Plan{{Name: a, Turns: 1}}},
		"what Claude says":  {new(session).asks("go").says("I follow " + a + "."), []activity.Plan{{Name: a}}},
		"a call":            {new(session).asks("go").runs("Read", `{"file_path":"/w/`+a+`"}`), []activity.Plan{{Name: "/w/" + a}}},
		"the newest first":  {new(session).asks("go").says(a).says(b).says(a), []activity.Plan{{Name: a}, {Name: b}}},
		"written":           {new(session).asks("go").runs("Write", `{"file_path":"`+a+`","content":"see `+b+`"}`), []activity.Plan{{Name: a, Written: true}}},
		"written, then read": {new(session).asks("go").runs("Write", `{"file_path":"`+a+`","content":""}`).runs("Read", `{"file_path":"`+a+`"}`),
			[]activity.Plan{{Name: a, Written: true}}},
		"written, earlier": {new(session).asks("go").runs("Write", `{"file_path":"`+a+`","content":""}`).asks("carry it out").runs("Read", `{"file_path":"`+a+`"}`),
			[]activity.Plan{{Name: a}}},
		"a long call":       {new(session).asks("go").runs("Agent", `{"prompt":"follow `+a+` `+strings.Repeat("word ", 2000)+`"}`), []activity.Plan{{Name: a}}},
		"in what is edited": {new(session).asks("go").runs("Edit", `{"file_path":"README.md","old_string":"`+a+`","new_string":"`+b+`"}`), nil},
		"in a result":       {new(session).asks("go").calls("Bash", `{"command":"ls"}`).returns(a, `{}`), nil},
		"a ledger":          {new(session).asks("go").runs("Bash", `{"command":"echo x >> .superpowers/sdd/auth/progress.md"}`), []activity.Plan{{Name: ".superpowers/sdd/auth"}}},
	} {
		t.Run(name, func(t *testing.T) { check(t, test.session.bytes(), plans, test.want) })
	}
}

func TestManyPlans(t *testing.T) {
	s := new(session).asks("go")
	for range 3 {
		for _, c := range "abcdefghijkl" {
			s.says("docs/plans/" + string(c) + ".md")
		}
	}
	v := view(t, s.bytes())
	if len(v.Plans) != MaxPlans || v.Plans[0].Name != "docs/plans/l.md" || v.Plans[MaxPlans-1].Name != "docs/plans/e.md" {
		t.Errorf("%+v", v.Plans)
	}
}

func FuzzPlansIn(f *testing.F) {
	for _, seed := range []string{"docs/plans/a.md", `C:\plans\a.md`, "\\\\\\.md plan.md", ".superpowers/sdd/a/b.md", "plan.md.md", "\x00plans/\u2028.md"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range PlansIn(text) {
			errorIf(t, name == "" || len(name) > 2*MaxPath, "%q", name)
		}
		EachPlan([]byte(text), func([]byte) {}) // as a damaged log has it
	})
}

// Only the end of a log of gigabytes is read, and the view reports how many bytes were skipped.
func TestLogOfGigabytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	f, err := os.Create(path)
	must(t, err)
	defer f.Close()
	put := func(at int64, text string) {
		_, err := f.WriteAt([]byte(text), at)
		must(t, err)
	}
	lines := func(s *session) string { return string(s.bytes()) }
	var prior Log
	read := func() (v View) {
		t.Helper()
		prior, v, err = Read(path, prior)
		must(t, err)
		prior = carry(t, prior)
		return v
	}
	old := lines(new(session).asks("old").says("old").creates("1", "old task"))
	put(0, old)
	if v := read(); v.Skipped != 0 || len(v.Todos) != 1 {
		t.Fatalf("%+v", v)
	}
	for i, cut := range []string{"\xc3\xa9nd of a line", "\n", "x", `{"type":"user","message":{"content":"cut"}}`} {
		size := int64(20+20*i) << 30
		end := "\n" + lines((&session{n: 10}).says("last"))
		put(size-MaxNew-1, cut+"\n"+lines(new(session).asks("new").runs("Bash", `{"command":"x"}`)))
		put(size-int64(len(end)), end)
		v := read()
		if v.Skipped != size-MaxNew || v.PromptText != "new" || v.Turns != 2 || v.CallsInTurn != 1 || v.Text != "last" || len(v.Todos) != 0 {
			t.Errorf("%q: %+v", cut, v)
		}
	}
	before := prior.Skipped
	info, _ := f.Stat()
	put(info.Size(), lines((&session{n: 20}).says("more")))
	if v := read(); v.Skipped != before || v.Text != "more" || v.PromptText != "new" {
		t.Errorf("a little more: %+v", v)
	}
	put(info.Size()+MaxNew+1, "\n"+lines((&session{n: 30}).says("end")))
	if v := read(); v.Skipped <= before || v.Text != "end" || v.PromptText != "" || v.Turns != 1 {
		t.Errorf("no prompt is in what is read: %+v", v)
	}
}
