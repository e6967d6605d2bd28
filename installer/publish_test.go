package installer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/installer/document"

	"github.com/cameronsjo/springfield/folder"
)

// large is a catalog of the shape that the largest public one has: 286 entries of
// every kind of source, over many lines, with escapes.
func large() string {
	var b strings.Builder
	b.WriteString("{\n  \"$schema\": \"https://example.invalid/marketplace.schema.json\",\n  \"name\": \"large\",\n  \"owner\": {\n    \"name\": \"Somebody\",\n    \"email\": \"a@example.invalid\"\n  },\n  \"plugins\": [\n")
	for i := range 286 {
		source := []string{
			`"./plugins/p%d"`,
			"{\n        \"source\": \"url\",\n        \"url\": \"https://example.invalid/p%d.git\",\n        \"sha\": \"0123456789abcdef0123456789abcdef01234567\"\n      }",
			"{\n        \"source\": \"git-subdir\",\n        \"url\": \"o/r%d\",\n        \"path\": \"plugins/x\",\n        \"ref\": \"main\"\n      }",
			`{"source": "github", "repo": "o/p%d"}`,
		}[i%4]
		fmt.Fprintf(&b, "    {\n      \"name\": \"p%d\",\n      \"description\": \"caf\\u00e9 && <b> \\\"%d\\\"\",\n      \"source\": "+source+",\n      \"category\": \"development\"", i, i, i)
		if i%7 == 0 {
			b.WriteString(",\n      \"tags\": [\"a\", \"b\"],\n      \"strict\": false")
		}
		b.WriteString("\n    }")
		if i < 285 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("  ],\n  \"renames\": {\n    \"old\": null\n  }\n}\n")
	return b.String()
}

func catalogOf(t *testing.T, text string) Catalog {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".claude-plugin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".claude-plugin", "marketplace.json"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := ReadCatalog(dir)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func entryMember(name, value string) Member { return Member{Name: name, Value: json.RawMessage(value)} }

// Into a large catalog: the entry, and nothing else.
func TestUpsertIntoALargeCatalog(t *testing.T) {
	text := large()
	c := catalogOf(t, text)
	changes, err := c.Upsert([]Member{entryMember("name", `"ned-flanders"`), entryMember("source", `{"source":"git-subdir","url":"https://example.invalid/s.git","path":"ned-flanders"}`), entryMember("version", `"0.1.0"`)})
	if err != nil {
		t.Fatal(err)
	}
	after, err := c.After(changes)
	if err != nil {
		t.Fatal(err)
	}
	const entry = ",\n    {\n      \"name\": \"ned-flanders\",\n      \"source\": {\n        \"source\": \"git-subdir\",\n        \"url\": \"https://example.invalid/s.git\",\n        \"path\": \"ned-flanders\"\n      },\n      \"version\": \"0.1.0\"\n    }"
	if want := strings.Replace(text, "\n    }\n  ],", "\n    }"+entry+"\n  ],", 1); string(after) != want {
		t.Errorf("the catalog ends\n%s", after[len(after)-600:])
	}
	for i := range 286 {
		name := fmt.Sprintf("p%d", i)
		changes, err := c.Upsert([]Member{entryMember("name", `"`+name+`"`), entryMember("version", `"9.9.9"`), {Name: "category", Value: json.RawMessage(`"other"`), Keep: true}})
		if err != nil {
			t.Fatal(err)
		}
		after, err := c.After(changes)
		if err != nil {
			t.Fatal(err)
		}
		if without := bytes.Replace(after, []byte(",\n      \"version\": \"9.9.9\""), nil, 1); string(without) != text || len(without) == len(after) {
			t.Fatalf("%s: more than its version has changed", name)
		}
	}
}

func TestUpsertChangesWhatItMust(t *testing.T) {
	c := catalogOf(t, `{"name":"m","plugins":[{"name":"a","source":"./a","version":"0.1.0","description":"mine","homepage":"h"}]}`)
	changes, err := c.Upsert([]Member{entryMember("name", `"a"`), entryMember("source", `"./b"`), entryMember("version", `"0.2.0"`),
		{Name: "description", Value: json.RawMessage(`"theirs"`), Keep: true}, {Name: "license", Value: json.RawMessage(`"MIT"`), Keep: true}})
	if err != nil {
		t.Fatal(err)
	}
	after, err := c.After(changes)
	if want := `{"name":"m","plugins":[{"name":"a","source":"./b","version":"0.2.0","description":"mine","homepage":"h","license":"MIT"}]}`; err != nil || string(after) != want {
		t.Errorf("got %s, %v", after, err)
	}
	for _, members := range [][]Member{nil, {entryMember("source", `"./a"`)}, {entryMember("name", `""`)}, {entryMember("name", `7`)}} {
		if _, err := c.Upsert(members); err == nil {
			t.Errorf("%v was taken for an entry", members)
		}
	}
}

func TestReadCatalogRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "line 1, column 1: it has no name",
		"{}":                        "line 1, column 1: it has no name",
		"[]":                        "the document is an array",
		`{"name":"m","plugins":{}}`: `line 1, column 23: "plugins" cannot be of the kind object`,
		`{"name":"m",}`:             "line 1, column 12: trailing comma",
		`{"name":"m","plugins":[{"name":"a"},{"name":"b"},{"name":"a"}]}`: `a second element named "a"`,
		"{\"name\":\"m\",\n\"plugins\":[{\"name\":7}]}":                   `line 2, column 20: "plugins.name" cannot be of the kind number`,
	} {
		dir := t.TempDir()
		os.Mkdir(filepath.Join(dir, ".claude-plugin"), 0o755)
		os.WriteFile(filepath.Join(dir, ".claude-plugin", "marketplace.json"), []byte(text), 0o644)
		if _, err := ReadCatalog(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// Where relative sources lead.
func TestPlace(t *testing.T) {
	for _, test := range []struct{ metadata, source, want string }{
		{`{}`, `"./a/b"`, "a/b"}, {`{}`, `"./"`, "."}, {`{}`, `"a"`, "a"}, {`{"pluginRoot":"./plugins"}`, `"a"`, "plugins/a"},
		{`{"pluginRoot":"./plugins"}`, `"./a"`, "a"}, {`{}`, `"../a"`, "../a"}, {`{}`, `{"source":"github","repo":"o/r"}`, ""}, {`{}`, `7`, ""},
	} {
		c := catalogOf(t, `{"name":"m","metadata":`+test.metadata+`,"plugins":[]}`)
		if got, ok := c.Place(json.RawMessage(test.source)); got != test.want || ok != (test.want != "") {
			t.Errorf("%s, %s: %q, %v", test.metadata, test.source, got, ok)
		}
	}
}

// A checkout does not choose which other file of the user's is edited.
func TestCatalogThatIsALink(t *testing.T) {
	const text = `{"name":"m","plugins":[]}`
	dir := t.TempDir()
	put(t, filepath.Join(dir, "elsewhere", "marketplace.json"), text)
	for link, target := range map[string]string{
		".claude-plugin":                  "../elsewhere",
		".claude-plugin/marketplace.json": "../../elsewhere/marketplace.json", // out of it
	} {
		market := filepath.Join(dir, "market")
		if err := errors.Join(os.RemoveAll(market), os.MkdirAll(filepath.Dir(filepath.Join(market, link)), 0o755), os.Symlink(target, filepath.Join(market, link))); err != nil {
			t.Fatal(err)
		}
		var refused *folder.LinkError
		if _, err := ReadCatalog(market); !errors.As(err, &refused) || refused.Target != target {
			t.Errorf("%s: %v", link, err)
		}
	}
	market := filepath.Join(dir, "plain")
	put(t, filepath.Join(market, ".claude-plugin", "marketplace.json"), text)
	link := filepath.Join(dir, "link")
	if err := os.Symlink(market, link); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{market, link} {
		if c, err := ReadCatalog(dir); err != nil || c.Name != "m" {
			t.Errorf("%s: %q, %v", dir, c.Name, err)
		}
	}
}

// A release is one edit: catalog, texts that change, come and go; undo gives back
// every byte.
func TestPublishAndUndo(t *testing.T) {
	p := Places{Config: filepath.Join(t.TempDir(), ".claude"), Work: t.TempDir(), Root: t.TempDir()}
	const text = `{"name":"m","plugins":[]}`
	c := catalogOf(t, text)
	dir := t.TempDir()
	for name, data := range map[string]string{"changed": "before", "gone": "old"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	changes, err := c.Upsert([]Member{entryMember("name", `"a"`), entryMember("source", `"./a"`)})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := PlanPublish(p, "publish a 0.1.0 in m", c, changes, dir, []Text{
		{Path: filepath.Join(dir, "changed"), Data: []byte("after"), Mode: 0o644}, {Path: filepath.Join(dir, "new"), Data: []byte("n"), Mode: 0o644},
		{Path: filepath.Join(dir, "gone"), Gone: true}, {Path: filepath.Join(dir, "never was"), Gone: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Apply(p); err != nil {
		t.Fatal(err)
	}
	state := func() string {
		var b strings.Builder
		for _, name := range []string{"changed", "new", "gone"} {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				data = []byte("-")
			}
			b.WriteString(string(data) + " ")
		}
		data, _ := os.ReadFile(c.Path)
		return b.String() + string(data)
	}
	if got := state(); got != `after n - {"name":"m","plugins":[{"name":"a","source":"./a"}]}` {
		t.Errorf("published: %s", got)
	}
	undo, _, err := PlanUndo(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := undo.Apply(p); err != nil {
		t.Fatal(err)
	}
	if got := state(); got != "before - old "+text {
		t.Errorf("undone: %s", got)
	}
	if info, err := os.Stat(filepath.Join(dir, "changed")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info, err)
	}
	// Somebody else was faster: nothing is written.
	if c, err = ReadCatalog(c.Root); err != nil {
		t.Fatal(err)
	}
	plan, err = PlanPublish(p, "publish", c, changes, dir, []Text{{Path: filepath.Join(dir, "changed"), Data: []byte("after")}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.Path, []byte(`{"name":"m","plugins":[{"name":"z"}]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := plan.Apply(p); err == nil || !strings.HasPrefix(state(), "before ") {
		t.Errorf("%v, %s", err, state())
	}
}

// Names that a person takes for one another.
func TestAlike(t *testing.T) {
	c := catalogOf(t, `{"name":"m","plugins":[{"name":"ned-flanders"},{"name":"Bart_Simpson"},{"name":"lisa"}]}`)
	for name, want := range map[string]string{
		"nedflanders": "ned-flanders", "ned.flanders": "ned-flanders", "bart-simpson": "Bart_Simpson", "LISA": "lisa",
		"ned-flanders": "", "ned": "", "lisa-simpson": "", "": "",
	} {
		if got, ok := c.Alike(name); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", name, got, ok)
		}
	}
}

// What goes before the edits happens only if they can, and nothing happens if it
// fails.
func TestFirst(t *testing.T) {
	p := Places{Config: filepath.Join(t.TempDir(), ".claude"), Work: t.TempDir(), Root: t.TempDir()}
	const text = `{"name":"m","plugins":[]}`
	c := catalogOf(t, text)
	changes, err := c.Upsert([]Member{entryMember("name", `"a"`), entryMember("source", `"./a"`)})
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	back := 0
	first := func(fails error) func() (func() error, error) {
		return func() (func() error, error) {
			if data, _ := os.ReadFile(c.Path); string(data) != text {
				t.Errorf("the catalog came before it: %s", data)
			}
			ran++
			return func() error { back++; return nil }, fails
		}
	}
	broken := errors.New("no room")
	plan, err := PlanPublish(p, "publish", c, changes, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	plan.First = first(broken)
	if err := plan.Apply(p); !errors.Is(err, broken) || ran != 1 {
		t.Errorf("%v, ran %d times", err, ran)
	}
	if data, _ := os.ReadFile(c.Path); string(data) != text {
		t.Errorf("it failed, and the catalog is %s", data)
	}
	if all, err := Journal(p); err != nil || len(all) != 0 {
		t.Errorf("the journal has %v, %v", all, err)
	}
	plan.First = first(nil)
	if err := plan.Apply(p); err != nil || ran != 2 {
		t.Errorf("%v, ran %d times", err, ran)
	}
	if err := os.WriteFile(c.Path, []byte(text), 0o644); err != nil { // by somebody else
		t.Fatal(err)
	}
	if err := plan.Apply(p); !errors.Is(err, ErrChanged) || ran != 2 {
		t.Errorf("the catalog is another one by now: %v, ran %d times", err, ran)
	}
	// Without an edit there is nothing for undo, and it happens all the same.
	if c, err = ReadCatalog(c.Root); err != nil {
		t.Fatal(err)
	}
	if plan, err = PlanPublish(p, "publish", c, nil, "", nil); err != nil {
		t.Fatal(err)
	}
	plan.First = func() (func() error, error) { ran++; return nil, nil }
	if err := plan.Apply(p); err != nil || ran != 3 || back != 0 {
		t.Errorf("%v, ran %d times, and back %d", err, ran, back)
	}
	if all, err := Journal(p); err != nil || len(all) != 1 {
		t.Errorf("the journal has %v, %v", all, err)
	}
	// Edits that fail take it back: here somebody changes the catalog meanwhile.
	changes = []document.Edit{{Path: []string{"name"}, Value: json.RawMessage(`"n"`)}}
	if plan, err = PlanPublish(p, "publish", c, changes, "", nil); err != nil {
		t.Fatal(err)
	}
	plan.First = func() (func() error, error) {
		return func() error { back++; return broken }, os.WriteFile(c.Path, []byte(text+"\n"), 0o644)
	}
	if err := plan.Apply(p); !errors.Is(err, ErrChanged) || !errors.Is(err, broken) || back != 1 {
		t.Errorf("%v, and back %d times", err, back)
	}
}
