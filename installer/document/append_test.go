package document

import (
	"encoding/json"
	"errors"
	"testing"
)

func appendTo(list, value string) Edit {
	return Edit{Path: []string{list, Appended}, Value: json.RawMessage(value)}
}

func TestAppendedElements(t *testing.T) {
	for _, tt := range []struct {
		name, before string
		changes      []Edit
		after        string
	}{
		{"behind the others", "{\n  \"add\": [\n    {\"id\": \"a\"}\n  ]\n}\n", []Edit{appendTo("add", `{"id":"b"}`)}, "{\n  \"add\": [\n    {\"id\": \"a\"},\n    {\"id\": \"b\"}\n  ]\n}\n"},
		{"to none", "{\"add\": []}", []Edit{appendTo("add", `1`)}, "{\"add\": [1]}"},
		{"no array yet", "{\n\t\"off\": [\"x\"]\n}\n", []Edit{appendTo("add", `{"id":"b"}`)}, "{\n\t\"off\": [\"x\"],\n\t\"add\": [{\"id\": \"b\"}]\n}\n"},
		{"two, and to two lists", `{"off":["x"],"add":[{"id":"a"},{"id":"z"}]}`, []Edit{appendTo("add", `{"id":"b"}`), appendTo("off", `"y"`), appendTo("add", `{"id":"b"}`)},
			`{"off":["x", "y"],"add":[{"id":"a"},{"id":"z"},{"id":"b"},{"id":"b"}]}`},
		{"beside one with its name", `{"add":[{"name":"\u0000"},{"name":"a"}]}`, []Edit{appendTo("add", `{"name":"a"}`)}, `{"add":[{"name":"\u0000"},{"name":"a"},{"name":"a"}]}`},
		{"to no text", "", []Edit{appendTo("off", `"x"`)}, "{\n  \"off\": [\n    \"x\"\n  ]\n}\n"},
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
		d, err := Parse([]byte(before))
		if err != nil {
			t.Fatal(err)
		}
		var syntax *SyntaxError
		if _, err = d.Apply(appendTo("add", "1")); !errors.As(err, &syntax) || err.Error() != want {
			t.Errorf("%s: %v, want %s", before, err, want)
		}
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
		d, err := Parse(data)
		if err != nil {
			return
		}
		value, err := Encode(map[string]string{"name": name})
		if err != nil {
			return
		}
		after, err := d.Apply(Edit{Path: []string{"add", Appended}, Value: value})
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
		if !Same(list[len(list)-1], value) {
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

func mustParse(t *testing.T, data []byte) *Document {
	t.Helper()
	d, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
