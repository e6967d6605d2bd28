package generator

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/lastmessage"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/rules"
)

const schemaFile = "../docs/schemas/strategy.schema.json"

// schemaText is the schema of strategy.json: what all strategies have, and what each
// adds in its folder.
func schemaText(t *testing.T) []byte {
	t.Helper()
	read := func(path string, into any) {
		t.Helper()
		data, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(data, into)
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
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
	if *update {
		must(t, os.WriteFile(schemaFile, want, 0o644))
	}
	if got, err := os.ReadFile(schemaFile); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the strategies say: make generate (%v)", schemaFile, err)
	}
}

// What is generated fits the published schema, and the schema knows what the
// runtime knows.
func TestStrategySchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	must(t, err)
	check := func(data []byte) error {
		t.Helper()
		instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		return schema.Validate(instance)
	}
	files := rendered(t, specOf(host()), compiled(host()))
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

	// What the schema says of members is what the runtime has.
	var text struct {
		Properties map[string]struct{ Enum []string }
		Defs       map[string]struct {
			Properties map[string]struct{ Enum []string }
		} `json:"$defs"`
	}
	data, err := os.ReadFile(schemaFile)
	must(t, err)
	must(t, json.Unmarshal(data, &text))
	members := map[string]bool{"$schema": true, "plugin": true, "strategy": true, "protocol": true, "progress": true, "budget": true}
	for _, known := range registry.AllStrategies() {
		for _, m := range known.New().Members() {
			members[m.Name] = true
		}
	}
	if got, want := slices.Sorted(maps.Keys(text.Properties)), slices.Sorted(maps.Keys(members)); !slices.Equal(got, want) {
		t.Errorf("the schema has %v, the runtime %v", got, want)
	}
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
	rule := slices.Sorted(maps.Keys(written))
	if got := slices.Sorted(maps.Keys(text.Defs["rule"].Properties)); !slices.Equal(got, rule) {
		t.Errorf("the schema's rule has %v, the runtime's %v", got, rule)
	}
	if got := text.Properties["strategy"].Enum; !slices.Equal(got, registry.StrategyNames()) {
		t.Errorf("the schema knows strategies %v, the runtime %v", got, registry.StrategyNames())
	}
	var acts []string
	for _, act := range lastmessage.AllActs() {
		acts = append(acts, string(act))
	}
	if got := text.Defs["rule"].Properties["act"].Enum; !slices.Equal(got, acts) {
		t.Errorf("the schema knows acts %v, the runtime %v", got, acts)
	}
	if got := text.Properties["rules"].Enum; !slices.Equal(got, registry.RuleSets()) {
		t.Errorf("the schema knows rule sets %v, the runtime %v", got, registry.RuleSets())
	}
}
