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
	enable, disable := set("true", "plugins", "ned@suite", "enabled"), drop("plugins", "ned@suite", "enabled")
	for _, tt := range []struct {
		name, before string
		edits        []document.Edit
		after        string
	}{
		{"tables behind the others", settings, []document.Edit{set(`"/s"`, "marketplaces", "suite", "source"), set(`"local"`, "marketplaces", "suite", "source_type"), enable},
			settings + "\n[marketplaces.suite]\nsource = \"/s\"\nsource_type = \"local\"\n" + on},
		{"to no text", "", []document.Edit{enable}, on[1:]},
		{"no line end", "a = 1", []document.Edit{enable}, "a = 1\n" + strings.TrimSuffix(on, "\n")},
		{"other line ends", "a = 1\r\n", []document.Edit{set(`"x"`, "c", "b")}, "a = 1\r\n\r\n[c]\r\nb = \"x\"\r\n"},
		{"as it is", settings + on, []document.Edit{enable, set(`{"enabled":true}`, "plugins", "ned@suite")}, settings + on},
		{"one value", "[plugins.'ned@suite']\nenabled = false # for now\nx = 1\n", []document.Edit{enable}, "[plugins.'ned@suite']\nenabled = true # for now\nx = 1\n"},
		{"a member more", "[p]\n# why\nx = 1\ny = 2 # two\n\n[q]\n", []document.Edit{set(`"new"`, "p", "z")}, "[p]\n# why\nx = 1\ny = 2 # two\nz = \"new\"\n\n[q]\n"},
		{"beside a header of its parent", "[hooks.state]\n\n[z]\na = 1\n", []document.Edit{set(`"A"`, "hooks", "state", "k:stop:0:0", "h")}, "[hooks.state]\n\n[z]\na = 1\n\n[hooks.state.\"k:stop:0:0\"]\nh = \"A\"\n"},
		{"below a table without one", "[plugins.\"ned@suite\".x]\na = 1\n", []document.Edit{enable}, "[plugins.\"ned@suite\".x]\na = 1\n" + on},
		{"removed", settings + on + "\n[z]\na = 1\n", []document.Edit{drop("plugins", "ned@suite")}, settings + "\n[z]\na = 1\n"},
		{"nothing to remove", settings, []document.Edit{drop("plugins", "ned@suite")}, settings},
		{"dotted", "plugins.\"ned@suite\".enabled = false\n", []document.Edit{enable}, "plugins.\"ned@suite\".enabled = true\n"},
		{"dotted, another member", "plugins.\"ned@suite\".x = 1 # one\ny = 2\n", []document.Edit{enable}, "plugins.\"ned@suite\".x = 1 # one\nplugins.\"ned@suite\".enabled = true\ny = 2\n"},
		{"dotted below a header", "[plugins]\n'ned@suite'.x = 1\ny = 2\n", []document.Edit{enable}, "[plugins]\n'ned@suite'.x = 1\n\"ned@suite\".enabled = true\ny = 2\n"},
		{"inline", "plugins = {'ned@suite' = { x = 1 }} # p\n", []document.Edit{enable}, "plugins = {'ned@suite' = { x = 1, enabled = true }} # p\n"},
		{"inline below a header", "[plugins]\n'ned@suite' = {}\n", []document.Edit{enable}, "[plugins]\n'ned@suite' = {enabled = true}\n"},
		{"inline, without the table", "plugins = {y = {}}\n", []document.Edit{enable}, "plugins = {y = {}, \"ned@suite\".enabled = true}\n"},
		{"inline, removed", "plugins = {'ned@suite' = {enabled = true, x = 1}, y = 2}\n", []document.Edit{disable}, "plugins = {'ned@suite' = {x = 1}, y = 2}\n"},
		{"inline, the table removed", "plugins = {'ned@suite' = {enabled = true, x = 1}}\n", []document.Edit{drop("plugins", "ned@suite")}, "plugins = {}\n"},
		{"texts that look like tables", "a = '''\n[plugins.x]\n'''\n", []document.Edit{set(`true`, "plugins", "x", "enabled")}, "a = '''\n[plugins.x]\n'''\n\n[plugins.x]\nenabled = true\n"},
		{"beside what JSON has not", "[plugins.\"ned@suite\"]\nx = [inf]\nenabled = nan\n", []document.Edit{enable}, "[plugins.\"ned@suite\"]\nx = [inf]\nenabled = true\n"},
		{"removed with it", "a = -inf\n\n[plugins.\"ned@suite\"]\nx = inf\nenabled = true\n", []document.Edit{drop("plugins", "ned@suite")}, "a = -inf\n"},
		{"odd names", "", []document.Edit{set(`"\"\\\n\u0001é\u007f"`, "", `"x"\`, "a b")}, "[\"\".\"\\\"x\\\"\\\\\"]\n\"a b\" = \"\\\"\\\\\\n\\u0001é\\u007F\"\n"},

		// A comment stays, and is never a neighbour's.
		{"a comment beside", "[a]\nx = 1 # mine\ny = 2\n", []document.Edit{drop("a", "x")}, "[a]\n# mine\n\ny = 2\n"},
		{"above", "[a]\n# mine\nx = 1\ny = 2\n", []document.Edit{drop("a", "x")}, "[a]\n# mine\n\ny = 2\n"},
		{"above and beside the last", "[a]\ny = 2 # y's\n# mine\nx = \"#\" # too\n", []document.Edit{drop("a", "x")}, "[a]\ny = 2 # y's\n# mine\n# too\n"},
		{"of the one above", "[a]\ny = 2 # y's\nx = 1\nz = 3\n", []document.Edit{drop("a", "x")}, "[a]\ny = 2 # y's\nz = 3\n"},
		{"of the one below", "[a]\nx = 1\n# z's\nz = 3\n", []document.Edit{drop("a", "x")}, "[a]\n# z's\nz = 3\n"},
		{"other line ends", "[a]\r\nx = 1 # mine\r\ny = 2\r\n", []document.Edit{drop("a", "x")}, "[a]\r\n# mine\r\n\r\ny = 2\r\n"},
		{"no line end", "[a]\ny = 2\nx = 1 # mine", []document.Edit{drop("a", "x")}, "[a]\ny = 2\n# mine"},
		{"of a table", "b = 1\n\n# above\n[a] # beside\n# below\nx = 1 # one\n[z]\n", []document.Edit{drop("a")}, "b = 1\n\n# above\n# beside\n\n# below\n# one\n\n[z]\n"},
		{"of the table above", "# b's end\n\n[a]\nx = 1\n[z]\n", []document.Edit{drop("a")}, "# b's end\n\n[z]\n"},
		{"in an array of several lines", "[a]\nx = [ # why\n  \"# not\", 'it', # in\n]\n\n[z]\n", []document.Edit{drop("a")}, "# why\n# in\n\n[z]\n"},
		{"in no text", "[a]\nx = \"\"\"\n\\\" # \"\"\"\ny = '''\n # '''\n", []document.Edit{drop("a")}, ""},
		{"of a table below", "[a]\nx = 1\n\n[a.b]\n# stays\ny = 2\n\n[c]\n", []document.Edit{drop("a")}, "# stays\n\n[c]\n"},
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
		"[[plugins.x]]\nenabled = false\n":              set("true", "plugins", "x", "enabled"),
		"[plugins.x]\nenabled = [1]\n":                  set("true", "plugins", "x", "enabled"),
		"plugins = {x = {\nenabled = true, # why\n}}\n": drop("plugins", "x", "enabled"),
		"plugins = {y = 1, x = [\n1, # why\n]}\n":       drop("plugins", "x"),
		"plugins = 1\n":                                 set(`true`, "plugins", "x", "enabled"),
		"# null\n":                                      set(`null`, "plugins", "x", "enabled"),
		"# a table\n":                                   set(`{"enabled":true}`, "plugins", "x"),
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
		"many in one line":       "a = {" + strings.Repeat("a = {}, ", 50_000) + "b = 1}\n",
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
	for _, text := range []string{settings, "", "a = 1", "[plugins.x]\nenabled = false\n", "plugins.x.enabled = true\n", "plugins = {x = {enabled = false}}", "[[plugins]]\n", "a = \"\"\"\n[plugins.x]\"\"\"\r\n\r\n", "[plugins]\n[plugins.y] # z\n",
		"plugins = { }\n", "[plugins]\nx = {a = 1,\n b = 2 # c\n}\n", "plugins.x.y = 1 # c\n", "[plugins.x] # c\n# d\n\n[z]"} {
		f.Add([]byte(text), "x")
	}
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		d, err := tables.ParseDocument(data)
		if err != nil {
			return
		}
		path := []string{"plugins", name, "enabled"}
		_, there, _ := d.Get(path...)
		_, hasTable, _ := d.Get(path[:2]...)
		after, err := d.ApplyEdits(set("true", path...))
		if err != nil {
			return
		}
		now := parsed(t, string(after))
		if got, _, err := now.Get(path...); err != nil || string(got) != "true" {
			t.Fatalf("%q became %q: %v", data, after, err)
		}
		if there {
			return
		}
		edits := []document.Edit{drop(path...)}
		if !hasTable {
			edits = append(edits, drop(path[:2]...))
		}
		back, err := now.ApplyEdits(edits...)
		if err != nil || string(back) != string(data) {
			t.Fatalf("%q became %q, and then %q: %v", data, after, back, err)
		}
	})
}

// The lines to type are those that the edit would have written.
func TestHint(t *testing.T) {
	_, err := parsed(t, "[[plugins.\"ned@suite\"]]\n").ApplyEdits(set(`true`, "plugins", "ned@suite", "enabled"))
	var refused *tables.RefusedError
	if !errors.As(err, &refused) || !strings.HasSuffix(refused.Hint(), `: [plugins."ned@suite"] and enabled = true`) {
		t.Errorf("%v, %q", err, refused.Hint())
	}
}
