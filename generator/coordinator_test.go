package generator

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// coordinators are the two plugins that carry out tasks.md, and what the texts of
// each are about.
func coordinators() []struct{ strategy, schema string } {
	return []struct{ strategy, schema string }{
		{"ralph-specum", "spec-state.schema.json"},
		{"ralph-speckit", "speckit-state.schema.json"},
	}
}

// texts are a plugin's files by their paths in it.
func texts(t *testing.T, name, strategy string) map[string][]byte {
	t.Helper()
	p, err := NewPlugin(name, strategy, nil)
	must(t, err)
	spec := specOf(HostTarget())
	spec.Plugins = []Plugin{p}
	files := rendered(t, spec, compiled(HostTarget()))
	found := map[string][]byte{}
	for _, f := range files {
		if inside, ok := strings.CutPrefix(f.Path, name+"/"); ok {
			found[inside] = f.Data
		}
	}
	return found
}

// exampleState is the state file that the implement command shows.
func exampleState(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	_, rest, _ := bytes.Cut(files["commands/implement.md"], []byte("```json\n"))
	state, _, ok := bytes.Cut(rest, []byte("```"))
	if !ok {
		t.Fatal("implement shows no state file")
	}
	return state
}

// The state that the coordinator is told to write fits the schema that lies
// beside it, and so do files of others, with members that are unknown here.
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
			check := func(text string) error {
				t.Helper()
				instance, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
				if err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
				return schema.Validate(instance)
			}
			example := string(exampleState(t, files))
			for _, good := range []string{
				example,
				`{"phase":"execution","taskIndex":0,"totalTasks":5}`,
				`{"phase":"tasks","taskIndex":0,"totalTasks":0,"epicName":"e","parallelGroup":{"startIndex":1}}`,
				`{"phase":"execution","taskIndex":1,"totalTasks":5,"recoveryMode":true,"fixTaskMap":{"1.3":{"attempts":1,"fixTaskIds":["1.3.1"],"lastError":"x"}}}`,
			} {
				if err := check(good); err != nil {
					t.Errorf("%s: %v", good, err)
				}
			}
			for _, bad := range []string{
				`{}`, `[]`, `{"phase":"execution","taskIndex":0}`, `{"phase":"done","taskIndex":0,"totalTasks":5}`, `{"phase":"execution","taskIndex":-1,"totalTasks":5}`,
				`{"phase":"execution","taskIndex":0,"totalTasks":5,"recoveryMode":"yes"}`, `{"phase":"execution","taskIndex":0,"totalTasks":5,"maxFixTasksPerOriginal":0}`,
				`{"phase":"execution","taskIndex":0,"totalTasks":5,"fixTaskMap":[]}`, `{"phase":"execution","taskIndex":"1","totalTasks":5}`,
			} {
				if check(bad) == nil {
					t.Errorf("the schema takes %s", bad)
				}
			}

			var text struct {
				AdditionalProperties bool `json:"additionalProperties"`
				Properties           map[string]struct{ Default any }
			}
			must(t, json.Unmarshal(files["schemas/"+c.schema], &text))
			if !text.AdditionalProperties {
				t.Error("members of later versions are refused")
			}
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

// Claude Code reads these between the lines of ---; under a name of one's own
// the plugin's commands and its agent have that name.
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
					if err := yaml.Unmarshal([]byte(head), &matter); err != nil {
						t.Fatalf("%s: %v", file, err)
					}
					return matter, body
				}
				agent, body := front("agents/spec-executor.md")
				if agent["name"] != "spec-executor" || agent["description"] == "" || agent["model"] != "inherit" {
					t.Errorf("the agent is %v", agent)
				}
				if strings.Contains(body, "ALL_TASKS_COMPLETE") {
					t.Error("the executor knows the word that ends the loop")
				}
				implement, body := front("commands/implement.md")
				if !strings.Contains(body, "`"+name+":spec-executor`") {
					t.Error("the coordinator is not told its agent's name")
				}
				if n := strings.Count("\n"+body, "\nALL_TASKS_COMPLETE\n"); n != 1 {
					t.Errorf("the signal stands %d times on a line of its own", n)
				}
				cancel, _ := front("commands/cancel.md")
				for file, matter := range map[string]map[string]any{"implement": implement, "cancel": cancel} {
					if matter["description"] == "" || matter["disable-model-invocation"] != true {
						t.Errorf("%s: %v", file, matter)
					}
					// Nothing is allowed that could run anything.
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
