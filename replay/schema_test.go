package replay

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const schemas = "../docs/schemas/"

// conforms checks whether a report fits its published schema.
func conforms(t *testing.T, r Report) error {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schema, err := c.Compile(schemas + "replay.schema.json")
	must(t, err)
	data, err := json.Marshal(r)
	must(t, err)
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	must(t, err)
	return schema.Validate(v)
}

// A report fits its published schema: a full one, and one of nothing.
func TestSchema(t *testing.T) {
	check := func(r Report) error { return conforms(t, r) }
	full := alone(t, working("s", 1<<20, 3), CandidateNames()...)
	if len(full.Rows) == 0 || len(full.Scores) != len(CandidateNames()) {
		t.Fatalf("%d rows, %d scores", len(full.Rows), len(full.Scores))
	}
	if err := check(full); err != nil {
		t.Error(err)
	}
	if err := check(replayed(t, t.TempDir())); err != nil {
		t.Errorf("without a session: %v", err)
	}
	full.Since, full.Partial, full.TooOld, full.Elsewhere, full.Skipped = full.Made, true, 1, 1, []Skipped{{"a", "b"}}
	if err := check(full); err != nil {
		t.Errorf("with all that can be left out: %v", err)
	}
	full.Rows[0].Label = "new"
	if check(full) == nil {
		t.Error("the schema takes any label")
	}
}
