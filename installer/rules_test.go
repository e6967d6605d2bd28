package installer

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
)

func appendTo(list, value string) document.Edit {
	return document.Edit{Path: []string{list, document.Appended}, Value: json.RawMessage(value)}
}

func TestAppendedElements(t *testing.T) {
	for _, tt := range []struct {
		name, before string
		changes      []document.Edit
		after        string
	}{
		{"behind the others", "{\n  \"add\": [\n    {\"id\": \"a\"}\n  ]\n}\n", []document.Edit{appendTo("add", `{"id":"b"}`)}, "{\n  \"add\": [\n    {\"id\": \"a\"},\n    {\"id\": \"b\"}\n  ]\n}\n"},
		{"to none", "{\"add\": []}", []document.Edit{appendTo("add", `1`)}, "{\"add\": [1]}"},
		{"no array yet", "{\n\t\"off\": [\"x\"]\n}\n", []document.Edit{appendTo("add", `{"id":"b"}`)}, "{\n\t\"off\": [\"x\"],\n\t\"add\": [{\"id\": \"b\"}]\n}\n"},
		{"two, and to two lists", `{"off":["x"],"add":[{"id":"a"},{"id":"z"}]}`, []document.Edit{appendTo("add", `{"id":"b"}`), appendTo("off", `"y"`), appendTo("add", `{"id":"b"}`)},
			`{"off":["x", "y"],"add":[{"id":"a"},{"id":"z"},{"id":"b"},{"id":"b"}]}`},
		{"beside one with its name", `{"add":[{"name":"\u0000"},{"name":"a"}]}`, []document.Edit{appendTo("add", `{"name":"a"}`)}, `{"add":[{"name":"\u0000"},{"name":"a"},{"name":"a"}]}`},
		{"to no text", "", []document.Edit{appendTo("off", `"x"`)}, "{\n  \"off\": [\n    \"x\"\n  ]\n}\n"},
	} {
		got, err := mustParse(t, []byte(tt.before)).Apply(tt.changes...)
		if err != nil || string(got) != tt.after {
			t.Errorf("%s: got %q, %v; want %q", tt.name, got, err, tt.after)
		}
	}
	for before, want := range map[string]string{
		`{"add":{}}`:            `line 1, column 8: "add" is an object, not an array`,
		"{\"a\":1,\n\"add\":3}": `line 2, column 7: "add" is a number, not an array`,
		`{"add":[],"add":[]}`:   `line 1, column 11: duplicate key "add"`,
	} {
		d, err := document.Parse([]byte(before))
		if err != nil {
			t.Fatal(err)
		}
		var syntax *document.SyntaxError
		if _, err = d.Apply(appendTo("add", "1")); !errors.As(err, &syntax) || err.Error() != want {
			t.Errorf("%s: %v, want %s", before, err, want)
		}
	}
}

// Rules are added, undone to the byte, and not written where the caller refuses.
func TestAddRules(t *testing.T) {
	for _, before := range []string{"", "{ \"off\": [\"x\"],\r\n  \"add\" : [ {\"id\":\"a\"} ] }"} {
		places := client.Places{Config: filepath.Join(t.TempDir(), ".claude")}
		path := places.RulesFile("ned")
		if before != "" {
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		more := []Addition{{"add", json.RawMessage(`{"id":"b"}`)}, {"off", json.RawMessage(`"y"`)}}
		refusal := errors.New("no")
		if _, err := AddRules(places, "ned", more, func([]byte) error { return refusal }); !errors.Is(err, refusal) {
			t.Fatalf("%q: %v", before, err)
		}
		var seen []byte
		plan, err := AddRules(places, "ned", more, func(after []byte) error { seen = after; return nil })
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(plan.Diff(), `"b"`) {
			t.Errorf("the diff lacks the rule: %s", plan.Diff())
		}
		if err := Journal(places).Apply(plan); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != string(seen) || !strings.Contains(string(got), `"b"`) {
			t.Fatalf("%q became %q, %v; checked was %q", before, got, err, seen)
		}
		undo, entry, err := planUndo(places)
		if err != nil || entry.Did != "tune ned" {
			t.Fatalf("%+v, %v", entry, err)
		}
		if err := Journal(places).Apply(undo); err != nil {
			t.Fatal(err)
		}
		got, err = os.ReadFile(path)
		if before == "" && !os.IsNotExist(err) || before != "" && string(got) != before {
			t.Errorf("undone: %q, %v; was %q", got, err, before)
		}
	}
}

func TestAddRulesRefused(t *testing.T) {
	places := client.Places{Config: t.TempDir()}
	path := places.RulesFile("ned")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("{\n  \"off\": [],\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := AddRules(places, "ned", nil, func([]byte) error { return nil })
	var syntax *document.SyntaxError
	if !errors.As(err, &syntax) || syntax.Line != 2 || !strings.Contains(err.Error(), path) {
		t.Errorf("%v", err)
	}
}

// Whatever the document, adding an element is refused, or adds it last and leaves
// the others their bytes.
func FuzzAppendedElement(f *testing.F) {
	f.Add([]byte(`{"add":[{"id":"a"},{"name":"b"}]}`), "c")
	f.Add([]byte("{\r\n\t\"add\" : [\r\n\t\t1, {\"name\": \"\\u0000\"}\r\n\t]\r\n}"), "\x00")
	f.Add([]byte(`{"add":[ ] }`), "")
	f.Add([]byte(`{"off":null}`), "x")
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		d, err := document.Parse(data)
		if err != nil {
			return
		}
		value, err := document.Encode(map[string]string{"name": name})
		if err != nil {
			return
		}
		after, err := d.Apply(document.Edit{Path: []string{"add", document.Appended}, Value: value})
		if err != nil {
			return
		}
		var was, is struct{ Add []json.RawMessage }
		if err := json.Unmarshal(after, &is); err != nil {
			return // keys in other letters: "ADD" is another member
		}
		if err := d.Decode(&was); err != nil || len(was.Add) > len(is.Add) {
			return
		}
		raw, found, err := mustParse(t, after).Get("add")
		if err != nil || !found {
			t.Fatalf("%q became %q: %v", data, after, err)
		}
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil || len(list) == 0 {
			t.Fatalf("%q: %v", raw, err)
		}
		if !document.Same(list[len(list)-1], value) {
			t.Fatalf("the last of %q is not %q", raw, value)
		}
		before, had, err := d.Get("add")
		if err != nil {
			t.Fatal(err)
		}
		var old []json.RawMessage
		if had && json.Unmarshal(before, &old) == nil {
			for i := range old {
				if string(old[i]) != string(list[i]) {
					t.Fatalf("element %d of %q became %q", i, before, list[i])
				}
			}
		}
	})
}

func mustParse(t *testing.T, data []byte) *document.Document {
	t.Helper()
	d, err := document.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
