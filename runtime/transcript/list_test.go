package transcript_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
	. "github.com/cameronsjo/springfield/runtime/transcript"
)

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
	_, v, err := f.ReadNew(path, Log{}, false)
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
