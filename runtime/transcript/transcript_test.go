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
		"nothing":             {nil, activity.Window{}},
		"todos":               {[]string{tool("TodoWrite", todos)}, activity.Window{LastTool: "TodoWrite", Todos: []activity.Todo{{Content: "a", Status: "completed"}, {Content: "b", Status: "pending"}}}},
		"background":          {[]string{prompt("go"), tool("Bash", `{"command":"make","run_in_background":true}`), result, text("It runs.")}, activity.Window{Text: "It runs.", LastTool: "Bash", Background: true}},
		"background, earlier": {[]string{tool("Bash", `{"run_in_background":true}`), result, prompt("and now?"), text("Now this.")}, activity.Window{Text: "Now this.", LastTool: "Bash"}},
		"torn last line":      {[]string{text("one"), text("two")[:90]}, activity.Window{Text: "one"}},
		"NUL and junk":        {[]string{text("one"), "\x00\x00\x00", "\xff\xfe{", `{"type":"assistant","message":`}, activity.Window{Text: "one"}},
		"a huge line":         {[]string{text("one"), huge}, activity.Window{Text: "one"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Tail(write(t, test.lines...), 50)
			must(t, err)
			got.Said, got.Raw = nil, nil // TestSaid's
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestTailRefusesWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	for name, path := range map[string]string{"missing": filepath.Join(dir, "none"), "directory": dir, "no name": ""} {
		if _, err := Tail(path, 50); err == nil {
			t.Errorf("%s: no error", name)
		}
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

// What was said since a person spoke, and what is no JSON at all.
func TestSaid(t *testing.T) {
	for name, test := range map[string]struct {
		lines     []string
		said, raw []string
	}{
		"no prompt":      {[]string{text("one"), text("two")}, []string{"one", "two"}, nil},
		"since a prompt": {[]string{text("one"), prompt("and?"), text("two"), tool("Bash", `{}`), result, text("three")}, []string{"two", "three"}, nil},
		"our own words":  {[]string{prompt("go"), text("one"), `{"type":"user","isMeta":true,"message":{"content":"Stop hook feedback:\ngo on"}}`, text("two")}, []string{"one", "two"}, nil},
		"plain text":     {[]string{"Working.", "DONE"}, nil, []string{"Working.", "DONE"}},
	} {
		t.Run(name, func(t *testing.T) {
			w, err := Tail(write(t, append(test.lines, "")...), 50)
			if err != nil || !reflect.DeepEqual(w.Said, test.said) || !reflect.DeepEqual(w.Raw, test.raw) {
				t.Errorf("said %q, raw %q, %v; want %q and %q", w.Said, w.Raw, err, test.said, test.raw)
			}
		})
	}
}

func FuzzWindow(f *testing.F) {
	f.Add([]byte(text("one") + "\n" + tool("TodoWrite", `{"todos":[{"content":"a","status":"pending"}]}`)))
	f.Add([]byte(prompt("x") + "\n" + result + "\n{"))
	f.Fuzz(func(t *testing.T, log []byte) {
		path := filepath.Join(t.TempDir(), "s")
		must(t, os.WriteFile(path, log, 0o600))
		if _, err := Tail(path, 50); err != nil {
			t.Fatal(err)
		}
	})
}

// Looking for a word finds what is said with it since the newest prompt, and the
// same plain lines.
func TestAbout(t *testing.T) {
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
		"nobody":             {[]string{prompt, said("a"), dull, said("b")}, nil, nil},
		"the assistant":      {[]string{prompt, said("a"), said("WORD"), dull, said("b")}, []string{"WORD"}, nil},
		"before a prompt":    {[]string{prompt, said("WORD"), other, said("b")}, nil, nil},
		"after a prompt":     {[]string{other, said("a"), prompt, said("b"), said("my WORD")}, []string{"my WORD"}, nil},
		"a tool":             {[]string{other, result, said("b")}, nil, nil},
		"with blanks":        {[]string{other, spaced}, []string{"a WORD"}, nil},
		"across results":     {[]string{other, said("WORD"), dull, result}, []string{"WORD"}, nil},
		"plain text":         {[]string{"a", "WORD"}, nil, []string{"a", "WORD"}},
		"a prompt about ids": {[]string{said("WORD"), strings.Replace(other, "go", `\"tool_use_id\" and \"type\":\"assistant\"`, 1)}, nil, nil},
	} {
		w, err := About(write(t, test.lines...), 50, "WORD")
		w.Said = slices.DeleteFunc(w.Said, func(s string) bool { return !strings.Contains(s, "WORD") })
		if err != nil || !slices.Equal(w.Said, test.said) || !slices.Equal(w.Raw, test.raw) {
			t.Errorf("%s: said %q, raw %q, %v", name, w.Said, w.Raw, err)
		}
	}
}

// The logs of these tests are Claude Code's.
var format = claude.Host.Log

func Read(path string, prior Log) (Log, View, error)   { return readSince(path, prior, false) }
func Glance(path string, prior Log) (Log, View, error) { return readSince(path, prior, true) }

func readSince(path string, prior Log, brief bool) (Log, View, error) {
	data, view, err := format.ReadNew(path, codec.Append(nil, &prior), brief)
	if err != nil {
		return prior, view, err
	}
	var log Log
	err = codec.ReadObject(data, &log)
	return log, view, err
}

func Tail(path string, n int) (activity.Window, error) { return format.LinesAbout(path, n, "") }
func About(path string, n int, word string) (activity.Window, error) {
	return format.LinesAbout(path, n, word)
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
	_, v, err := f.ReadNew(path, nil, false)
	must(t, err)
	return v
}

// A todo list in each of the shapes that hosts write.
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

// The input of a call that is inside of a string is read like any other.
func TestInputInAString(t *testing.T) {
	v := viewOf(t, calling(NothingSpecial), `{"in":`+quote(`{"cmd":"cat docs/plans/a.md","content":"docs/plans/b.md"}`)+`}`)
	if len(v.Calls) != 1 || v.Calls[0].Input != "cat docs/plans/a.md" || len(v.Plans) != 1 || v.Plans[0].Name != "docs/plans/a.md" {
		t.Errorf("%+v, %+v", v.Calls, v.Plans)
	}
}

// A part that is not one of its line has no place in the log, and nothing is read for it.
func TestForeignPartsHaveNoPlace(t *testing.T) {
	f := Format{Name: "foreign", Parse: func(e *Entry) bool {
		e.What, e.Words = Prompted, []byte("made up")
		e.Parts = append(e.Parts, Part{Kind: Text, Text: []byte("made up, too")})
		return true
	}}
	if v := viewOf(t, f, `{"a":"b"}`); v.Text != "" || v.PromptText != "" || v.Turns != 1 {
		t.Errorf("%+v", v)
	}
}

// A teammate is there from its spawning, or its first message, until it is shut down.
func TestTeam(t *testing.T) {
	spawned := func(s *session, name string) *session {
		return s.calls("Agent", `{"description":"x","prompt":"…","name":"`+name+`","team_name":"barn"}`).
			returns("Spawned successfully.", `{"status":"teammate_spawned","name":"`+name+`","teammate_id":"`+name+`@barn"}`)
	}
	says := func(s *session, name, words string) *session {
		return s.asks(`<teammate-message teammate_id="` + name + `" color="blue">` + "\n" + words + "\n</teammate-message>")
	}
	begun := func() *session { return (&session{}).asks("Lead a team.") }
	for name, test := range map[string]struct {
		session *session
		want    int
	}{
		"alone":                {begun().says("Hm."), 0},
		"two of them":          {spawned(spawned(begun(), "moe"), "barney"), 2},
		"one writes":           {says(begun(), "moe", "I have begun."), 1},
		"one is shut down":     {says(spawned(spawned(begun(), "moe"), "barney"), "moe", `{"type":"shutdown_approved","requestId":"1","from":"moe"}`), 1},
		"one has gone":         {says(spawned(begun(), "moe"), "system", `{"type":"teammate_terminated","message":"moe has shut down."}`), 0},
		"the team is deleted":  {spawned(spawned(begun(), "moe"), "barney").runs("TeamDelete", `{}`), 0},
		"two in one message":   {begun().asks(`<teammate-message teammate_id="a">x</teammate-message><teammate-message teammate_id="b">y</teammate-message>`), 2},
		"not spawned":          {begun().calls("Agent", `{"name":"moe"}`).fails("no such agent"), 0},
		"a torn message":       {begun().asks(`<teammate-message teammate_id="`), 0},
		"a person's own words": {begun().asks(`What does <teammate-message teammate_id="a"> mean?`), 0},
	} {
		t.Run(name, func(t *testing.T) {
			check(t, test.session.bytes(), func(v View) any { return v.Team }, test.want)
		})
	}
}
