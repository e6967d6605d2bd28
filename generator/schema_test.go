package generator

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/lastmessage"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/rules"
)

const schemaFile = "../docs/schemas/strategy.schema.json"

// schemaText returns the schema of strategy.json, with the members of each strategy.
func schemaText(t *testing.T) []byte {
	t.Helper()
	read := func(path string, into any) {
		t.Helper()
		data, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(data, into)
		}
		must(t, err, path)
	}
	var schema map[string]any
	read("../runtime/strategy/schema.json", &schema)
	properties := schema["properties"].(map[string]any)
	properties["strategy"].(map[string]any)["enum"] = registry.StrategyNames()
	fragments, err := filepath.Glob("../runtime/strategy/*/schema.json")
	must(t, err)
	for _, path := range fragments {
		var members map[string]any
		read(path, &members)
		maps.Copy(properties, members)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	must(t, e.Encode(schema))
	return b.Bytes()
}

// The published schema is made from the folders of the strategies: make generate.
func TestStrategySchemaIsCurrent(t *testing.T) {
	want := schemaText(t)
	scratch.Golden(t, schemaFile, want)
}

// fits returns an error if a document does not fit its schema.
func fits(t *testing.T, schema *jsonschema.Schema, data []byte) error {
	t.Helper()
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	must(t, err, data)
	return schema.Validate(instance)
}

// Generated files fit the published schema, and the schema has the members of the runtime.
func TestStrategySchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	must(t, err)
	seen := 0
	for _, f := range rendered(t, specOf(HostTarget()), compiled(HostTarget())) {
		if path.Base(f.Path) == "strategy.json" {
			seen++
			scratch.Equal(t, fits(t, schema, f.Data), nil, f.Path)
			scratch.Holds(t, f.Path, string(f.Data), path.Base(schemaFile))
		}
	}
	scratch.ErrorIf(t, seen == 0, "no strategy.json is generated")
	for _, bad := range []string{
		`{"strategy": "homer"}`, `{"strategy": "ned-flanders", "add": [{"id": "a", "then": "stop"}]}`,
		`{"strategy": "ned-flanders", "add": [{"id": "a", "says": ["x"], "then": "block"}]}`, `{"strategy": "ned-flanders", "ad": []}`,
	} {
		scratch.ErrorIf(t, fits(t, schema, []byte(bad)) == nil, "the schema accepts %s", bad)
	}

	var text struct {
		Properties map[string]struct{ Enum []string }
		Defs       map[string]struct {
			Properties map[string]struct{ Enum []string }
		} `json:"$defs"`
	}
	data := scratch.ReadFile(t, schemaFile)
	must(t, json.Unmarshal(data, &text))
	members := map[string]bool{"$schema": true, "plugin": true, "strategy": true, "protocol": true, "after-error": true, "progress": true, "budget": true}
	for _, known := range registry.Strategies {
		for _, name := range codec.MemberNames(known.New()) {
			members[name] = true
		}
	}
	same := func(what string, schema, runtime []string) {
		t.Helper()
		scratch.Equal(t, strings.Join(schema, " "), strings.Join(runtime, " "), what)
	}
	same("members", slices.Sorted(maps.Keys(text.Properties)), slices.Sorted(maps.Keys(members)))
	full, written := rules.Rule{}, map[string]any{}
	for i, r := 0, reflect.ValueOf(&full).Elem(); i < r.NumField(); i++ {
		switch v := r.Field(i); v.Kind() {
		case reflect.String:
			v.SetString("a")
		case reflect.Int:
			v.SetInt(1)
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Slice:
			v.Set(reflect.ValueOf([]string{"a"}))
		}
	}
	must(t, json.Unmarshal(codec.Append(nil, &full), &written))
	same("a rule", slices.Sorted(maps.Keys(text.Defs["rule"].Properties)), slices.Sorted(maps.Keys(written)))
	same("strategies", text.Properties["strategy"].Enum, registry.StrategyNames())
	var acts []string
	for _, act := range lastmessage.AllActs() {
		acts = append(acts, string(act))
	}
	same("acts", text.Defs["rule"].Properties["act"].Enum, acts)
	var sets []string
	for _, one := range registry.Strategies {
		sets = append(sets, rules.RuleSetsOf(*one)...)
	}
	same("rule sets", text.Properties["rules"].Enum, sets)
}

// A strategy's description is complete and fits into the cells of a table.
func TestAbout(t *testing.T) {
	for _, name := range registry.StrategyNames() {
		a, err := ReadAbout(name)
		must(t, err)
		for _, text := range []string{a.Title, a.Summary, a.Description, a.Reads, a.When, a.Cost, a.Changes, a.Complexity, a.Needs} {
			scratch.ErrorIf(t, text == "" || strings.ContainsAny(text, "\n|"), "%s says %q", name, text)
		}
		// A new plugin has its first version, in an older suite, too.
		made, err := NewPlugin("mine", name, nil)
		if err != nil {
			t.Fatal(err) // a version that is none, among others
		}
		older, err := decodeSuite([]byte("marketplace: hooks\nowner: {name: Ned}\ntargets: [linux/amd64]\n" +
			"plugins: [{name: mine, strategy: " + name + "}]\n"))
		must(t, err)
		if made.Version != a.Version || older.Plugins[0].Version != a.Version {
			t.Errorf("%s begins with %s, in an older suite with %s, want %s", name, made.Version,
				older.Plugins[0].Version, a.Version)
		}
	}
}

// JSON is accepted except for duplicates and deep nesting; a fault has its place.
func FuzzDocument(f *testing.F) {
	for _, text := range []string{
		`{"a": [1, {"b": null}], "a": 2}`, "{\"a\":\xff}", `[`, ``, `{"a" 1}`, "a: [1\n", "a: &x 1\nb: *x\n", "- !!str 1\n-\n", "? a\n: b\n", "\ufeff{}", "a: |\n  x\n---\nb: 1\n", strings.Repeat("[", 200),
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 4096 {
			return
		}
		lines := strings.Count(string(data), "\n") + 1
		inside := func(p check.Position) bool { return p.Line >= 1 && p.Line <= lines && p.Column >= 1 }
		_, err := parseJSON(data)
		var bad *FileError
		switch {
		case err == nil:
			scratch.ErrorIf(t, !json.Valid(data) || !utf8.Valid(data), "taken: %q", data)
		case !errors.As(err, &bad) || !inside(bad.Position):
			t.Errorf("%v has no place in %q", err, data)
		case json.Valid(data) && utf8.Valid(data) && !strings.Contains(bad.Problem, "twice") && !strings.Contains(bad.Problem, "deep"):
			t.Errorf("%v, but it is JSON: %q", err, data)
		}
		if err = decodeAnyYAML(data, new(any)); err != nil && (!errors.As(err, &bad) || bad.Line < 1) {
			t.Errorf("%v has no place in %q", err, data)
		}
	})
}

// Deep YAML is refused before the parser allocates gigabytes for it.
func TestDeepYAML(t *testing.T) {
	for _, data := range []string{strings.Repeat("[", 100_000), strings.Repeat("{a: ", 100_000), "plugins: " + strings.Repeat("[{", 50_000)} {
		if _, err := decodeSuite([]byte(data)); err == nil || !strings.Contains(err.Error(), "line 1, column ") || !strings.HasSuffix(err.Error(), "nested too deep") {
			t.Errorf("%.20s: %v", data, err)
		}
		if err := decodeAnyYAML([]byte(data), new(any)); err == nil || !strings.HasSuffix(err.Error(), "nested too deep") {
			t.Errorf("%.20s: %v", data, err)
		}
	}
	scratch.Must(t, decodeAnyYAML([]byte("a: "+strings.Repeat("[", 90)+strings.Repeat("]", 90)), new(any)))
}

func TestRecordIsNotTrusted(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, filepath.FromSlash(RecordFile))
	if got, err := readRecordIfAny(dir); err != nil || len(got) > 0 {
		t.Errorf("without a record: %v, %v", got, err)
	}
	must(t, os.Mkdir(filepath.Dir(file), 0o755))
	zero := strings.Repeat("0", 64) + "  "
	for name, text := range map[string]string{
		"up and out":      zero + "../x\n",
		"absolute":        zero + "/etc/passwd\n",
		"roundabout":      zero + "a/../../x\n",
		"not clean":       zero + "a//x\n",
		"git's":           zero + ".git/config\n",
		"git's, on a Mac": zero + ".GIT/config\n",
		"the answers":     zero + "springfield.yaml\n",
		"itself":          zero + RecordFile + "\n",
		"twice":           zero + "a\n" + zero + "a\n",
		"no checksum":     "0  a\n",
		"git's conflict":  zero + "a\n<<<<<<< HEAD\n",
		"no text":         zero + "a\n\x00\n",
	} {
		must(t, os.WriteFile(file, []byte(text), 0o600))
		_, err := readRecordIfAny(dir)
		var bad *check.Advised
		if !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), "read "+file+": ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A record survives encoding and decoding, with CRLF, too.
func FuzzRecord(f *testing.F) {
	f.Add("# head\n" + strings.Repeat("0a", 32) + "  a\r\n")
	f.Add(strings.Repeat("0A", 32) + "  a b\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := decodeRecord([]byte(text))
		if err != nil {
			return
		}
		for _, data := range [][]byte{r.encodeSums(), bytes.ReplaceAll(r.encodeSums(), []byte("\n"), []byte("\r\n"))} {
			if again, err := decodeRecord(data); err != nil || !maps.Equal(again, r) {
				t.Fatalf("%q: %v\n%+v\n%+v", text, err, r, again)
			}
		}
	})
}

// coordinators are the two plugins that carry out tasks.md, with their schemas.
func coordinators() []struct{ strategy, schema string } {
	return []struct{ strategy, schema string }{
		{"ralph-specum", "spec-state.schema.json"},
		{"ralph-speckit", "speckit-state.schema.json"},
	}
}

// texts returns a plugin's files by their paths in it.
func texts(t *testing.T, name, strategy string) map[string][]byte {
	t.Helper()
	p, err := NewPlugin(name, strategy, nil)
	must(t, err)
	spec := specOf(HostTarget())
	spec.Plugins = []Plugin{p}
	found := map[string][]byte{}
	for _, f := range rendered(t, spec, compiled(HostTarget())) {
		if inside, ok := strings.CutPrefix(f.Path, name+"/"); ok {
			found[inside] = f.Data
		}
	}
	return found
}

// exampleState returns the state file in the implement command.
func exampleState(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	_, rest, _ := bytes.Cut(files["commands/implement.md"], []byte("```json\n"))
	state, _, ok := bytes.Cut(rest, []byte("```"))
	if !ok {
		t.Fatal("implement shows no state file")
	}
	return state
}

// The state that the coordinator writes fits its schema, and so do files with unknown members.
func TestStateSchemas(t *testing.T) {
	for _, c := range coordinators() {
		t.Run(c.strategy, func(t *testing.T) {
			files := texts(t, c.strategy, c.strategy)
			parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(files["schemas/"+c.schema]))
			must(t, err)
			compiler := jsonschema.NewCompiler()
			must(t, compiler.AddResource("state.json", parsed))
			schema, err := compiler.Compile("state.json")
			must(t, err)
			example := string(exampleState(t, files))
			for _, good := range []string{
				example,
				`{"phase":"execution","taskIndex":0,"totalTasks":5}`,
				`{"phase":"tasks","taskIndex":0,"totalTasks":0,"epicName":"e","parallelGroup":{"startIndex":1}}`,
				`{"phase":"execution","taskIndex":1,"totalTasks":5,"recoveryMode":true,"fixTaskMap":{"1.3":{"attempts":1,"fixTaskIds":["1.3.1"],"lastError":"x"}}}`,
			} {
				scratch.Equal(t, fits(t, schema, []byte(good)), nil, good)
			}
			for _, bad := range []string{
				`{}`, `[]`, `{"phase":"execution","taskIndex":0}`, `{"phase":"done","taskIndex":0,"totalTasks":5}`, `{"phase":"execution","taskIndex":-1,"totalTasks":5}`,
				`{"phase":"execution","taskIndex":0,"totalTasks":5,"recoveryMode":"yes"}`, `{"phase":"execution","taskIndex":0,"totalTasks":5,"maxFixTasksPerOriginal":0}`,
				`{"phase":"execution","taskIndex":0,"totalTasks":5,"fixTaskMap":[]}`, `{"phase":"execution","taskIndex":"1","totalTasks":5}`,
			} {
				scratch.ErrorIf(t, fits(t, schema, []byte(bad)) == nil, "the schema takes %s", bad)
			}

			var text struct {
				AdditionalProperties bool `json:"additionalProperties"`
				Properties           map[string]struct{ Default any }
			}
			must(t, json.Unmarshal(files["schemas/"+c.schema], &text))
			scratch.ErrorIf(t, !text.AdditionalProperties, "members of later versions are refused")
			// The example shows every member, with its default.
			var members map[string]any
			must(t, json.Unmarshal([]byte(example), &members))
			for member, p := range text.Properties {
				got, ok := members[member]
				if !ok || p.Default != nil && member != "totalTasks" && member != "fixTaskMap" && got != p.Default {
					t.Errorf("the example has %s as %v, the schema's default is %v", member, got, p.Default)
				}
			}
		})
	}
}

// Front matter is valid, and a renamed plugin's commands and agent have its name.
func TestCoordinatorTexts(t *testing.T) {
	for _, c := range coordinators() {
		for _, name := range []string{c.strategy, "left-handed"} {
			t.Run(c.strategy+" as "+name, func(t *testing.T) {
				files := texts(t, name, c.strategy)
				front := func(file string) (matter map[string]any, body string) {
					t.Helper()
					rest, ok := strings.CutPrefix(string(files[file]), "---\n")
					head, body, closed := strings.Cut(rest, "\n---\n")
					if !ok || !closed {
						t.Fatalf("%s has no front matter", file)
					}
					must(t, yaml.Unmarshal([]byte(head), &matter), file)
					return matter, body
				}
				agent, body := front("agents/spec-executor.md")
				if agent["name"] != "spec-executor" || agent["description"] == "" || agent["model"] != "inherit" {
					t.Errorf("the agent is %v", agent)
				}
				scratch.Lacks(t, "the executor knows the word that ends the loop", body, "ALL_TASKS_COMPLETE")
				implement, body := front("commands/implement.md")
				scratch.Holds(t, "the coordinator is not told its agent's name", body, "`"+name+":spec-executor`")
				scratch.Equal(t, strings.Count("\n"+body, "\nALL_TASKS_COMPLETE\n"), 1, "lines that are the signal")
				cancel, _ := front("commands/cancel.md")
				for file, matter := range map[string]map[string]any{"implement": implement, "cancel": cancel} {
					if matter["description"] == "" || matter["disable-model-invocation"] != true {
						t.Errorf("%s: %v", file, matter)
					}
					// No allowed tool can run a program.
					tools, _ := matter["allowed-tools"].(string)
					for tool := range strings.SplitSeq(tools, ", ") {
						if strings.HasPrefix(tool, "Bash") && !strings.HasPrefix(tool, "Bash(rm -- ") || tool == "Write" || tool == "Edit" {
							t.Errorf("%s may use %s", file, tool)
						}
					}
				}
				for file, data := range files {
					if path.Ext(file) == ".md" && name != c.strategy && bytes.Contains(data, []byte("/"+c.strategy+":")) {
						t.Errorf("%s speaks of /%s:", file, c.strategy)
					}
				}
			})
		}
	}
}
