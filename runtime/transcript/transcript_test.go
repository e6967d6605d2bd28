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
