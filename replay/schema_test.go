package replay

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const schemas = "../docs/schemas/"

// conforms checks whether a report fits its published schema.
func conforms(t *testing.T, r Report) error {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schema, err := c.Compile(schemas + "replay.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(v)
}

// A report fits its published schema: a full one, and one of nothing.
func TestSchema(t *testing.T) {
	check := func(r Report) error { return conforms(t, r) }
	full := alone(t, working("s", 1<<20, 3), Names()...)
	if len(full.Rows) == 0 || len(full.Scores) != len(Names()) {
		t.Fatalf("%d rows, %d scores", len(full.Rows), len(full.Scores))
	}
	if err := check(full); err != nil {
		t.Error(err)
	}
	if err := check(replayed(t, t.TempDir())); err != nil {
		t.Errorf("without a session: %v", err)
	}
	full.Rows[0].Label = "new"
	if check(full) == nil {
		t.Error("the schema takes any label")
	}
}

// The schema knows each member and no other, and which of them are always there.
func TestSchemaKnowsEveryMember(t *testing.T) {
	labels := knowsEveryMember(t, "replay.schema.json", reflect.TypeFor[Report](), 10)["label"].(map[string]any)["enum"].([]any)
	if len(labels) != len(Labels()) {
		t.Errorf("the schema has the labels %v", labels)
	}
	knowsEveryMember(t, "explain.schema.json", reflect.TypeFor[Explanation](), 7)
}

// knowsEveryMember compares a schema with the type that is printed, which has so
// many objects at least, and returns its definitions.
func knowsEveryMember(t *testing.T, file string, printed reflect.Type, objects int) map[string]any {
	t.Helper()
	data, err := os.ReadFile(schemas + file)
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(data, &root); err != nil {
		t.Fatal(err)
	}
	seen := 0
	var compare func(at string, of reflect.Type, schema map[string]any)
	compare = func(at string, of reflect.Type, schema map[string]any) {
		if ref, ok := schema["$ref"].(string); ok {
			schema = root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
		}
		switch {
		case of.Kind() == reflect.Slice:
			compare(at+"[]", of.Elem(), schema["items"].(map[string]any))
		case of.Kind() == reflect.Struct && of != reflect.TypeFor[time.Time]():
			var names, always []string
			members := schema["properties"].(map[string]any)
			for i := range of.NumField() {
				name, options, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
				if name == "-" {
					continue
				}
				names = append(names, name)
				if options == "" {
					always = append(always, name)
				}
				if member, ok := members[name].(map[string]any); ok {
					compare(at+"."+name, of.Field(i).Type, member)
				}
			}
			var known, required []string
			for name := range members {
				known = append(known, name)
			}
			for _, name := range schema["required"].([]any) {
				required = append(required, name.(string))
			}
			for _, list := range [][]string{names, always, known, required} {
				slices.Sort(list)
			}
			if !slices.Equal(names, known) || !slices.Equal(always, required) {
				t.Errorf("%s: members %q, the schema has %q; always %q, the schema has %q", at, names, known, always, required)
			}
			seen++
		}
	}
	compare(file, printed, root)
	if seen < objects {
		t.Errorf("%s: %d objects compared", file, seen)
	}
	definitions, _ := root["$defs"].(map[string]any)
	return definitions
}
