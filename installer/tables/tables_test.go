package tables_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/installer/tables"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// settings are what Codex's users have: comments, order, other quotes, odd blanks.
const settings = `# my settings
model   = "gpt"   # fast

[tui]
theme = 'dark'
notifications=true

# trusted
[projects."/p/x"]
trust_level = "trusted"
`

func parsed(t testing.TB, text string) *tables.Document {
	t.Helper()
	d, err := tables.ParseDocument([]byte(text))
	scratch.Must(t, err)
	return d
}

func set(value string, path ...string) document.Edit {
	return document.Edit{Path: path, Value: json.RawMessage(value)}
}

func drop(path ...string) document.Edit { return document.Edit{Path: path} }

func TestApply(t *testing.T) {
	const on = "\n[plugins.\"ned@suite\"]\nenabled = true\n"
	for _, tt := range []struct {
		name, before string
		edits        []document.Edit
		after        string
	}{
		{"a table behind the others", settings, []document.Edit{set(`{"source":"/s","source_type":"local"}`, "marketplaces", "suite"), set(`{"enabled":true}`, "plugins", "ned@suite")},
			settings + "\n[marketplaces.suite]\nsource = \"/s\"\nsource_type = \"local\"\n" + on},
		{"to no text", "", []document.Edit{set(`{"enabled":true}`, "plugins", "ned@suite")}, on[1:]},
		{"no line end", "a = 1", []document.Edit{set(`{"enabled":true}`, "plugins", "ned@suite")}, "a = 1\n" + strings.TrimSuffix(on, "\n")},
		{"other line ends", "a = 1\r\n", []document.Edit{set(`{"b":"x"}`, "c")}, "a = 1\r\n\r\n[c]\r\nb = \"x\"\r\n"},
		{"as it is", settings + on, []document.Edit{set(`{"enabled":true}`, "plugins", "ned@suite")}, settings + on},
		{"one value", "[plugins.'ned@suite']\nenabled = false # for now\nx = 1\n", []document.Edit{set("true", "plugins", "ned@suite", "enabled")}, "[plugins.'ned@suite']\nenabled = true # for now\nx = 1\n"},
		{"a table with another member", "[p]\n# why\nx = 1\ny = 2 # two\n\n[q]\n", []document.Edit{set(`{"y":3,"z":"new"}`, "p")}, "[p]\n# why\ny = 3 # two\nz = \"new\"\n\n[q]\n"},
		{"tables in a table", settings, []document.Edit{set(`{"trusted_hash":"A"}`, "hooks", "state", "k:stop:0:0")}, settings + "\n[hooks.state.\"k:stop:0:0\"]\ntrusted_hash = \"A\"\n"},
		{"beside a header of its parent", "[hooks.state]\n\n[z]\na = 1\n", []document.Edit{set(`{"h":"A"}`, "hooks", "state", "k")}, "[hooks.state]\n\n[z]\na = 1\n\n[hooks.state.k]\nh = \"A\"\n"},
		{"removed", settings + on + "\n[z]\na = 1\n", []document.Edit{drop("plugins", "ned@suite")}, settings + "\n[z]\na = 1\n"},
		{"removed, with what is below", "[a]\nx = 1\n\n[a.b]\n# stays\ny = 2\n\n[c]\n", []document.Edit{drop("a")}, "# stays\n\n[c]\n"},
		{"a member removed", "[a]\nx = 1 # gone, too\ny = 2\n", []document.Edit{drop("a", "x")}, "[a]\ny = 2\n"},
		{"nothing to remove", settings, []document.Edit{drop("plugins", "ned@suite")}, settings},
		{"dotted", "plugins.\"ned@suite\".enabled = false\n", []document.Edit{set("true", "plugins", "ned@suite", "enabled")}, "plugins.\"ned@suite\".enabled = true\n"},
		{"texts that look like tables", "a = '''\n[plugins.x]\n'''\n", []document.Edit{set(`{"enabled":true}`, "plugins", "x")}, "a = '''\n[plugins.x]\n'''\n\n[plugins.x]\nenabled = true\n"},
		{"odd names", "", []document.Edit{set(`{"a b":"\"\\\n\u0001é\u007f"}`, "", `"x"\`)}, "[\"\".\"\\\"x\\\"\\\\\"]\n\"a b\" = \"\\\"\\\\\\n\\u0001é\\u007F\"\n"},
	} {
		got, err := parsed(t, tt.before).ApplyEdits(tt.edits...)
		if err != nil || string(got) != tt.after {
			t.Errorf("%s: %v\ngot  %q\nwant %q", tt.name, err, got, tt.after)
		}
	}
}

// What it does not know how to edit it refuses, and says what that is.
func TestRefused(t *testing.T) {
	for before, e := range map[string]document.Edit{
		"plugins = {x = {enabled = false}}\n":       set("true", "plugins", "x", "enabled"),
		"plugins = {}\n":                            set(`{"enabled":true}`, "plugins", "x"),
		"[[plugins.x]]\nenabled = false\n":          set("true", "plugins", "x", "enabled"),
		"[plugins.x]\nenabled = [1]\n":              set("true", "plugins", "x", "enabled"),
		"plugins = {x = {enabled = true}}\ny = 1\n": drop("plugins", "x"),
		"plugins = 1\n":                             set(`{"enabled":true}`, "plugins", "x"),
		"# null\n":                                  set(`{"enabled":null}`, "plugins", "x"),
	} {
		got, err := parsed(t, before).ApplyEdits(e)
		var refused *tables.RefusedError
		if !errors.As(err, &refused) || !strings.HasPrefix(err.Error(), tables.MemberName(e.Path)+" cannot be edited in the form that it has there: ") ||
			!strings.HasPrefix(refused.Hint(), "edit the file yourself") {
			t.Errorf("%s became %q, %v", before, got, err)
		}
	}
}

// A file on which an edit would work for minutes is refused.
func TestTooMuchIsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"a name of many parts":   "a" + strings.Repeat(".a", 100_000) + " = 1\n",
		"a header of many parts": "[a" + strings.Repeat(".a", 100_000) + "]\n",
		"many tables":            strings.Repeat("[[a]]\n", 50_000),
		"many members":           strings.Repeat("a = 1\n", 50_000),
	} {
		_, err := tables.ParseDocument([]byte(text))
		if large := (*document.SyntaxError)(nil); !errors.As(err, &large) || !strings.Contains(err.Error(), "more than") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParseErrorsHavePlaces(t *testing.T) {
	for text, want := range map[string][2]int{"a = 1\nb = \n": {2, 5}, "[a]\nx = 1\nx = 2\n": {3, 1}} {
		_, err := tables.ParseDocument([]byte(text))
		var syntax *document.SyntaxError
		if !errors.As(err, &syntax) || syntax.Line != want[0] || syntax.Column != want[1] {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := tables.ParseDocument(make([]byte, document.MaxSize+1)); err == nil {
		t.Error("a document of any size is read")
	}
}

func TestGet(t *testing.T) {
	d := parsed(t, settings+"[x]\nd = 1979-05-27\n")
	for want, path := range map[string][]string{
		`"trusted"`:                 {"projects", "/p/x", "trust_level"},
		`{"trust_level":"trusted"}`: {"projects", "/p/x"},
		`true`:                      {"tui", "notifications"},
		`"1979-05-27"`:              {"x", "d"},
		``:                          {"tui", "theme", "x"},
	} {
		got, found, err := d.Get(path...)
		if string(got) != want || found != (want != "") || err != nil {
			t.Errorf("%q: %s, %t, %v", path, got, found, err)
		}
	}
}

// Whatever the document, an edit is refused, or every line that was there still is, in its
// order, and taking it back gives the same bytes.
func FuzzApply(f *testing.F) {
	for _, text := range []string{settings, "", "a = 1", "[plugins.x]\nenabled = false\n", "plugins.x.enabled = true\n", "plugins = {x = {enabled = false}}", "[[plugins]]\n", "a = \"\"\"\n[plugins.x]\"\"\"\r\n\r\n", "[plugins]\n[plugins.y] # z\n"} {
		f.Add([]byte(text), "x")
	}
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		d, err := tables.ParseDocument(data)
		if err != nil {
			return
		}
		path := []string{"plugins", name}
		raw, err := document.EncodeValue(name)
		scratch.Must(t, err)
		value := `{"enabled":true,"name":` + string(raw) + `}`
		_, there, _ := d.Get(path...)
		after, err := d.ApplyEdits(set(value, path...))
		if err != nil {
			return
		}
		now := parsed(t, string(after))
		got, _, err := now.Get(path...)
		var is, want any
		if err != nil || json.Unmarshal(got, &is) != nil || json.Unmarshal([]byte(value), &want) != nil {
			t.Fatalf("%q became %q: %v", data, after, err)
		}
		if there {
			return
		}
		lines := strings.SplitAfter(string(after), "\n")
		for _, line := range strings.SplitAfter(string(data), "\n") {
			for len(lines) > 0 && lines[0] != line && strings.TrimRight(lines[0], "\r\n") != line {
				lines = lines[1:]
			}
			if len(lines) == 0 {
				t.Fatalf("%q became %q", data, after)
			}
			lines = lines[1:]
		}
		back, err := now.ApplyEdits(drop(path...))
		if err != nil || string(back) != string(data) {
			t.Fatalf("%q became %q, and then %q: %v", data, after, back, err)
		}
	})
}

// The lines to type are those that the edit would have written.
func TestHint(t *testing.T) {
	_, err := parsed(t, "plugins = {}\n").ApplyEdits(set(`{"enabled":true}`, "plugins", "ned@suite"))
	var refused *tables.RefusedError
	if !errors.As(err, &refused) || !strings.HasSuffix(refused.Hint(), `: [plugins."ned@suite"] and enabled = true`) {
		t.Errorf("%v, %q", err, refused.Hint())
	}
}
