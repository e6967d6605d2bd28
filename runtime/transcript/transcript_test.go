package transcript_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/host/claude"
	. "github.com/cameronsjo/springfield/runtime/transcript"
)

// Lines as Claude Code writes them, made here.
func text(s string) string {
	return fmt.Sprintf(`{"parentUuid":"p","isSidechain":false,"type":"assistant","message":{"id":"msg_1","role":"assistant","content":[{"type":"text","text":%s}]},"uuid":"u"}`, quote(s))
}

func tool(name, input string) string {
	return fmt.Sprintf(`{"message":{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":%s,"input":%s}]},"type":"assistant","uuid":"u"}`, quote(name), input)
}

func prompt(s string) string {
	return fmt.Sprintf(`{"type":"user","message":{"role":"user","content":%s},"uuid":"u"}`, quote(s))
}

// quote writes a string as Claude Code does, with < and > as they are.
func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(s)
	return strings.TrimSuffix(b.String(), "\n")
}

const result = `{"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_1","type":"tool_result","content":"ok"}]},"toolUseResult":{"stdout":"ok"}}`

func write(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "session.jsonl")
	must(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600))
	return path
}

func TestTail(t *testing.T) {
	todos := `{"todos":[{"content":"a","status":"completed","activeForm":"A"},{"content":"b","status":"pending"}]}`
	huge := text(strings.Repeat("x", MaxLine))
	for name, test := range map[string]struct {
		lines []string
		want  activity.Window
	}{
		"nothing":        {nil, activity.Window{}},
		"todos":          {[]string{tool("TodoWrite", todos)}, activity.Window{LastTool: "TodoWrite", Todos: []activity.Todo{{Content: "a", Status: "completed"}, {Content: "b", Status: "pending"}}}},
		"a tool":         {[]string{tool("Bash", `{"command":"make"}`), result, prompt("and now?"), text("Now this.")}, activity.Window{Text: "Now this.", LastTool: "Bash"}},
		"torn last line": {[]string{text("one"), text("two")[:90]}, activity.Window{Text: "one"}},
		"NUL and junk":   {[]string{text("one"), "\x00\x00\x00", "\xff\xfe{", `{"type":"assistant","message":`}, activity.Window{Text: "one"}},
		"a huge line":    {[]string{text("one"), huge}, activity.Window{Text: "one"}},
	} {
		got, err := Tail(write(t, test.lines...), 50)
		must(t, err)
		got.Said, got.Raw = nil, nil
		errorIf(t, !reflect.DeepEqual(got, test.want), "%s: got %+v, want %+v", name, got, test.want)
	}
}

func TestTailRefusesWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	for name, path := range map[string]string{"missing": filepath.Join(dir, "none"), "directory": dir, "no name": ""} {
		_, err := Tail(path, 50)
		errorIf(t, err == nil, "%s: no error", name)
	}
}

// What is read stays bounded however large the file is.
func TestTailIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.jsonl")
	f, err := os.Create(path)
	must(t, err)
	defer f.Close()
	// A gigabyte of nothing, then a line: sparse, so it costs no disk.
	if _, err := f.WriteAt([]byte("\n"+text("the end")), 1<<30); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w, err := Tail(path, 50)
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; err != nil || w.Text != "the end" || allocated > 4*MaxTail {
		t.Errorf("%+v, %v, %d bytes allocated", w, err, allocated)
	}
}

// All texts since the last prompt are found, and all plain lines.
func TestTailSince(t *testing.T) {
	said := func(text string) string {
		return `{"type":"assistant","uuid":"a","message":{"role":"assistant","content":[{"type":"text","text":"` + text + `"}]}}`
	}
	const (
		prompt = `{"type":"user","uuid":"u","message":{"role":"user","content":"say WORD"}}`
		other  = `{"type":"user","uuid":"u","message":{"role":"user","content":"go"}}`
		result = `{"type":"user","uuid":"r","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"WORD"}]}}`
		dull   = `{"type":"user","uuid":"r","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"ok"}]}}`
		spaced = `{"type": "assistant", "message": {"content": [{"type": "text", "text": "a WORD"}]}}`
	)
	for name, test := range map[string]struct {
		lines []string
		said  []string
		raw   []string
	}{
		"no prompt":       {[]string{said("WORD"), said("b WORD")}, []string{"WORD", "b WORD"}, nil},
		"nobody":          {[]string{prompt, said("a"), dull, said("b")}, nil, nil},
		"the assistant":   {[]string{prompt, said("a"), said("WORD"), dull, said("b")}, []string{"WORD"}, nil},
		"before a prompt": {[]string{prompt, said("WORD"), other, said("b")}, nil, nil},
		"after a prompt":  {[]string{other, said("a"), prompt, said("b"), said("my WORD")}, []string{"my WORD"}, nil},
		"a tool":          {[]string{other, result, said("b")}, nil, nil},
		"with blanks":     {[]string{other, spaced}, []string{"a WORD"}, nil},
		"across results":  {[]string{other, said("WORD"), dull, result}, []string{"WORD"}, nil},
		"our own words": {[]string{other, said("my WORD"), `{"type":"user","isMeta":true,"message":{"content":"Stop hook feedback:\nWORD"}}`,
			said("WORD")}, []string{"my WORD", "WORD"}, nil},
		"plain text":         {[]string{"a", "WORD"}, nil, []string{"a", "WORD"}},
		"a prompt about ids": {[]string{said("WORD"), strings.Replace(other, "go", `\"tool_use_id\" and \"type\":\"assistant\"`, 1)}, nil, nil},
	} {
		w, err := Tail(write(t, test.lines...), 50)
		w.Said = slices.DeleteFunc(w.Said, func(s string) bool { return !strings.Contains(s, "WORD") })
		if err != nil || !slices.Equal(w.Said, test.said) || !slices.Equal(w.Raw, test.raw) {
			t.Errorf("%s: said %q, raw %q, %v", name, w.Said, w.Raw, err)
		}
	}
}

// The logs of these tests are Claude Code's.
var format = claude.Host.Log

func Read(path string, prior Log) (Log, View, error) {
	data, view, err := File{Format: &format, Path: path}.ReadNew(codec.Append(nil, &prior), "")
	if err != nil {
		return prior, view, err
	}
	var log Log
	err = codec.ReadObject(data, &log)
	return log, view, err
}

func Tail(path string, n int) (activity.Window, error) {
	return File{Format: &format, Path: path}.LastLines(n)
}
func Each(path string, tail int, visit func(*Cursor) bool) error {
	return format.EachLine(path, tail, visit)
}

// calling is a format whose every line is one call, with the line's member "in" for input.
func calling(does Does) Format {
	return Format{Name: "calling", Parse: func(e *Entry) bool {
		input := codec.FindMember(e.Line, "in")
		e.Parts = append(e.Parts, Part{Kind: Call, Name: []byte("tool"), Does: does, Input: input})
		return input != nil
	}}
}

func viewOf(t *testing.T, f Format, lines ...string) View {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log")
	must(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	_, v, err := File{Format: &f, Path: path}.ReadNew(nil, "")
	must(t, err)
	return v
}

func TestTodosOfEveryShape(t *testing.T) {
	two := []activity.Todo{{Content: `a "b"`, Status: "completed"}, {Content: "c", Status: "in_progress"}, {Content: "d", Status: "pending"}}
	for name, test := range map[string]struct {
		input string
		want  []activity.Todo
	}{
		"an array in an object": {`{"todos":[{"content":"a \"b\"","status":"completed"},{"content":"c","status":"in_progress"},{"content":"d","status":"pending"}]}`, two},
		"steps of a plan":       {`{"explanation":"x","plan":[{"step":"a \"b\"","status":"completed"},{"step":"c","status":"in_progress"},{"step":"d","status":"pending"}]}`, two},
		"the same in a string":  {quote(`{"plan":[{"step":"a \"b\"","status":"completed"},{"step":"c","status":"in_progress"},{"step":"d","status":"pending"}]}`), two},
		"boxes":                 {`{"todos":` + quote("- [x] a \"b\"\n- [~] c\n- [ ] d") + `}`, two},
		"numbers and words":     {`{"todos":` + quote("1. [completed] a \"b\"\n2. [in_progress] c\n3. [pending] d\n") + `}`, two},
		"an array in a string":  {`{"todos":` + quote(`[{"content":"a \"b\"","status":"completed"},{"content":"c","status":"in_progress"},{"content":"d","status":"pending"}]`) + `}`, two},
		"an empty one":          {`{"todos":[]}`, []activity.Todo{}},
		"no list":               {`{"todos":"nothing to do"}`, nil},
		"strings in strings":    {quote(quote(quote(quote("- [ ] a")))), nil},
	} {
		v := viewOf(t, calling(WritesTodos), `{"in":`+test.input+`}`)
		if len(v.Todos) != len(test.want) || len(test.want) > 0 && !reflect.DeepEqual(v.Todos, test.want) {
			t.Errorf("%s: %+v", name, v.Todos)
		}
	}
}

func TestInputInAString(t *testing.T) {
	v := viewOf(t, calling(NothingSpecial), `{"in":`+quote(`{"cmd":"cat docs/plans/a.md","content":"docs/plans/b.md"}`)+`}`)
	if len(v.Calls) != 1 || v.Calls[0].Input != "cat docs/plans/a.md" || len(v.Plans) != 1 || v.Plans[0].Name != "docs/plans/a.md" {
		t.Errorf("%+v, %+v", v.Calls, v.Plans)
	}
}

// A part that is no slice of its line has no place in the log.
func TestPartsOfNoLineHaveNoPlace(t *testing.T) {
	f := Format{Name: "made up", Parse: func(e *Entry) bool {
		e.What, e.Words = Prompted, []byte("made up")
		e.Parts = append(e.Parts, Part{Kind: Text, Text: []byte("made up, too")})
		return true
	}}
	v := viewOf(t, f, `{"a":"b"}`)
	errorIf(t, v.Text != "" || v.PromptText != "" || v.Turns != 1, "%+v", v)
}

func TestTeam(t *testing.T) {
	type tale = func(*session) *session
	tell := func(tales ...tale) *session {
		s := (&session{}).asks("Hang the signs.")
		for _, next := range tales {
			s = next(s)
		}
		return s
	}
	spawned := func(name string) tale {
		return func(s *session) *session {
			return s.calls("Agent", `{"description":"x","prompt":"…","name":"`+name+`","team_name":"barn"}`).
				returns("Spawned successfully.", `{"status":"teammate_spawned","name":"`+name+`","teammate_id":"`+name+`@barn"}`)
		}
	}
	const tag, newer = `<teammate-message teammate_id="`, "Another Claude session sent a message:\n"
	mail := func(name, words string) string {
		return tag + name + `" color="blue">` + "\n" + words + "\n</teammate-message>"
	}
	asks := func(words string) tale { return func(s *session) *session { return s.asks(words) } }
	says := func(name, words string) tale { return asks(mail(name, words)) }
	idle := func(name string) tale {
		return says(name, `{"type":"idle_notification","from":"`+name+`","idleReason":"available"}`)
	}
	runs := func(name, input string) tale { return func(s *session) *session { return s.runs(name, input) } }
	fails := func(name, input string) tale {
		return func(s *session) *session { return s.calls(name, input).fails("no") }
	}
	lines := func(members string) tale {
		return func(s *session) *session {
			return s.add("assistant", members+`,"message":{"content":[{"type":"text","text":"Hm."}]}`)
		}
	}
	long, many := strings.Repeat("n", 10*MaxName), []tale{runs("TeamCreate", `{"team_name":"barn"}`)}
	for i := range 40 {
		many = append(many, says(fmt.Sprintf("mate-%d", i), "I have begun."))
	}
	var newest []string
	for i := 24; i < 40; i++ {
		newest = append(newest, fmt.Sprintf("mate-%d", i))
	}
	team := func(role string, atWork ...string) activity.Team { return activity.Team{Role: role, AtWork: atWork} }
	both := tell(spawned("moe"), spawned("barney"))
	resting := func() *session { return tell(spawned("moe"), idle("moe")) }
	idles := activity.Team{Role: "lead", Idle: []string{"moe"}}
	for name, test := range map[string]struct {
		session *session
		want    activity.Team
	}{
		"alone":                   {tell(), activity.Team{}},
		"two of them":             {both, team("lead", "moe", "barney")},
		"one writes":              {tell(says("moe", "I have begun.")), team("", "moe")},
		"one writes, newer":       {tell(asks(newer + mail("moe", "I have begun."))), team("", "moe")},
		"two in one message":      {tell(asks(mail("a", "x") + mail("b", "y"))), team("", "a", "b")},
		"not spawned":             {tell(fails("Agent", `{"name":"moe","team_name":"barn"}`)), activity.Team{}},
		"no word of its spawning": {tell(runs("Task", `{"name":"moe","team_name":"barn"}`)), team("lead", "moe")},
		"an agent without a team": {tell(runs("Task", `{"name":"moe"}`)), activity.Team{}},
		"a team without members":  {tell(runs("TeamCreate", `{"team_name":"barn"}`)), team("lead")},

		"one is idle": {tell(spawned("moe"), spawned("barney"), idle("barney")), activity.Team{Role: "lead",
			AtWork: []string{"moe"}, Idle: []string{"barney"}}},
		"idle, newer": {tell(spawned("moe"), asks(newer+mail("moe",
			`{"type":"idle_notification"}`)+"\n\nThis came from another Claude session.")), idles},
		"idle in a queue": {tell(spawned("moe")).attaches(`{"type":"queued_command","commandMode":"prompt","prompt":` +
			quote(mail("moe", `{"type":"idle_notification"}`)) + `}`), idles},
		"idle is a word": {tell(spawned("moe"), says("moe", `I am no {"type":"idle_notification"}.`)), team("lead",
			"moe")},
		"woken": {runs("SendMessage", `{"to":"moe","message":"Hang the next one."}`)(resting()),
			team("lead", "moe")},
		"woken by another name": {runs("SendMessage",
			`{"type":"message","recipient":"moe@barn","content":"x"}`)(resting()), team("lead", "moe")},
		"woken with all":   {runs("SendMessage", `{"type":"broadcast","content":"x"}`)(resting()), team("lead", "moe")},
		"woken by a task":  {runs("TaskUpdate", `{"taskId":"1","owner":"moe"}`)(resting()), team("lead", "moe")},
		"its task is done": {runs("TaskUpdate", `{"taskId":"1","owner":"moe","status":"completed"}`)(resting()), idles},
		"no message":       {fails("SendMessage", `{"to":"moe","message":"x"}`)(resting()), idles},
		"a stranger to a lead": {tell(runs("TeamCreate", `{}`), runs("SendMessage", `{"to":"moe","message":"x"}`)),
			team("lead", "moe")},
		"a stranger":       {tell(runs("SendMessage", `{"to":"a123","message":"x"}`)), activity.Team{}},
		"no word for long": {tell(spawned("moe"), asks("And?"), asks("And now?"), asks("Go on.")), idles},

		"one is shut down": {tell(spawned("moe"), spawned("barney"), says("moe",
			`{"type":"shutdown_approved","requestId":"1","from":"moe"}`)), team("lead", "barney")},
		"one has gone": {tell(spawned("moe"), says("system",
			`{"type":"teammate_terminated","message":"moe has shut down."}`)), team("lead")},
		"the team is deleted":     {tell(spawned("moe"), spawned("barney"), runs("TeamDelete", `{}`)), team("lead")},
		"the team is not deleted": {tell(spawned("moe"), fails("TeamDelete", `{}`)), team("lead", "moe")},

		"a lead's lines":     {tell(lines(`"teamName":"barn"`)), team("lead")},
		"a lead with a name": {tell(lines(`"teamName":"barn","agentName":"team-lead"`)), team("lead")},
		"a teammate's lines": {tell(lines(`"agentName":"moe","teamName":"barn"`)), team("teammate")},
		"a name alone":       {tell(lines(`"agentName":"moe"`)), activity.Team{}},
		"told by the lead":   {tell(says("team-lead", `{"type":"task_assignment","taskId":"1"}`)), team("teammate")},
		"tells the lead": {tell(lines(`"agentName":"moe","teamName":"barn"`), runs("SendMessage",
			`{"to":"team-lead","message":"x"}`)), team("teammate")},

		"a torn message":       {tell(asks(tag)), activity.Team{}},
		"a person's own words": {tell(asks(`What does ` + tag + `a"> mean?`)), activity.Team{}},
		"a tool's words": {tell().calls("Read", `{}`).returns(mail("moe", "x"), quote(mail("moe", "x"))),
			activity.Team{}},
		"a crowd":       {tell(many...), team("lead", newest...)},
		"a long name":   {tell(says(long, "x"), spawned("é")), team("lead", "#30rtzith3ws2t", "#5w103ard8t1d")},
		"a longer name": {tell(says(long[:40], "x")), team("", long[:40])},
		"told by main":  {tell(says("main", "Hang the signs.")), team("teammate")},
	} {
		t.Run(name, func(t *testing.T) {
			check(t, test.session.bytes(), func(v View) any { return v.Team }, test.want)
		})
	}
}

// The words of others leave todos as old as they were, and the end of a prompt counts, however long it is.
func TestOthersPromptNothing(t *testing.T) {
	s := (&session{}).asks("Hang the signs.").creates("1", "hang the sign").
		asks("Another Claude session sent a message:\n<teammate-message teammate_id=\"moe\">\nHm.\n</teammate-message>")
	check(t, s.bytes(), func(v View) any { return v.TodosTurns }, 0)
	for _, words := range []string{"Why?", strings.Repeat("é\n", 5000) + "Why?"} {
		end := func(v View) any { return strings.HasSuffix(v.PromptEnd, "Why?") }
		check(t, (&session{}).asks(words).says("Hm.").bytes(), end, true)
	}
}

func TestIsBlank(t *testing.T) {
	for raw, want := range map[string]bool{
		``: true, `  `: true, `\n \t\r`: true,
		`\\`: false, ` \\n`: false, `\\\n`: false, `x`: false, `n`: false, `\b`: false, `\u0020`: false, `\`: false,
	} {
		scratch.Equal(t, IsBlankJSON([]byte(raw)), want, raw)
	}
}
