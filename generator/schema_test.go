package generator

import (
	"bytes"
	"encoding/json"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/cameronsjo/springfield/runtime/closing"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

const schemaFile = "../docs/schemas/strategy.schema.json"

// What is generated fits the published schema, and the schema knows what the
// runtime knows.
func TestStrategySchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	check := func(data []byte) error {
		t.Helper()
		instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		return schema.Validate(instance)
	}
	files, err := Render(specOf(host()), compiled(host()))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, f := range files {
		if path.Base(f.Path) == "strategy.json" {
			seen++
			if err := check(f.Data); err != nil {
				t.Errorf("%s: %v", f.Path, err)
			}
			if !strings.Contains(string(f.Data), path.Base(schemaFile)) {
				t.Errorf("%s does not name its schema", f.Path)
			}
		}
	}
	if seen == 0 {
		t.Error("no strategy.json is generated")
	}
	for _, bad := range []string{
		`{"strategy": "homer"}`, `{"strategy": "ned-flanders", "add": [{"id": "a", "then": "stop"}]}`,
		`{"strategy": "ned-flanders", "add": [{"id": "a", "says": ["x"], "then": "block"}]}`, `{"strategy": "ned-flanders", "ad": []}`,
	} {
		if check([]byte(bad)) == nil {
			t.Errorf("the schema accepts %s", bad)
		}
	}

	// Every member of Config and Rule is in the schema and the other way round.
	some := []string{"x"}
	yes, dollars := true, 0.5
	full, err := json.Marshal(strategy.Config{Strategy: "ned-flanders", Cascade: &yes, Judge: &strategy.Judge{Backend: "api", Model: "haiku", Within: 20, Client: "/c", Daily: &dollars, Session: &dollars}, Rules: "seed", Protocol: "exit2", Ceiling: 5, Progress: &strategy.Progress{Command: some, Every: 1}, Off: some, Order: some, Checks: []string{"quick-mode", "unchecked-boxes"}, Stale: 30, Add: []strategy.Rule{{
		Act: closing.Asks, Near: true, Used: true, Lang: []string{"de"},
		ID: "a", Asked: true, Tool: "Bash", Todo: "pending", Skill: some, Within: 1, Closes: "?", Lists: "?", Opens: some, Begins: some, Last: some,
		Says: some, Unless: some, Ending: "x", Text: "x", Late: true, Then: strategy.Stop, Sure: 50, Reason: "x",
	}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := check(full); err != nil {
		t.Error(err)
	}
	var text struct {
		Properties map[string]struct{ Enum []string }
		Defs       map[string]struct {
			Properties map[string]struct{ Enum []string }
		} `json:"$defs"`
	}
	data, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &text); err != nil {
		t.Fatal(err)
	}
	var config map[string]json.RawMessage
	json.Unmarshal(full, &config)
	var rules []map[string]json.RawMessage
	json.Unmarshal(config["add"], &rules)
	for member := range config {
		if _, ok := text.Properties[member]; !ok {
			t.Errorf("the runtime has %q, the schema has not", member)
		}
	}
	for member := range rules[0] {
		if _, ok := text.Defs["rule"].Properties[member]; !ok {
			t.Errorf("the runtime's rule has %q, the schema's has not", member)
		}
	}
	for member := range text.Properties {
		if _, ok := config[member]; !ok && member != "$schema" && member != "plugin" && member != "budget" {
			t.Errorf("the schema has %q, the runtime has not", member)
		}
	}
	for member := range text.Defs["rule"].Properties {
		if _, ok := rules[0][member]; !ok {
			t.Errorf("the schema's rule has %q, the runtime's has not", member)
		}
	}
	if got := text.Properties["strategy"].Enum; !slices.Equal(got, strategy.Names()) {
		t.Errorf("the schema knows strategies %v, the runtime %v", got, strategy.Names())
	}
	var acts []string
	for _, act := range closing.Acts() {
		acts = append(acts, string(act))
	}
	if got := text.Defs["rule"].Properties["act"].Enum; !slices.Equal(got, acts) {
		t.Errorf("the schema knows acts %v, the runtime %v", got, acts)
	}
	if got := text.Properties["rules"].Enum; !slices.Equal(got, strategy.NedRuleSets()) {
		t.Errorf("the schema knows rule sets %v, the runtime %v", got, strategy.NedRuleSets())
	}
}
