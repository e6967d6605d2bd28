package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/registry"
)

// What every strategy is explained as fits the published schema, whatever the
// session has.
func TestExplanationFitsItsSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(schemas + "explain.schema.json")
	must(t, err)
	full := newMade("s").asks("go on with docs/plans/a.md").call("TodoWrite", `{"todos":[{"content":"a","status":"completed"},{"content":"b","status":"pending"}]}`).returns("ok").
		call("Bash", `{"command":"make"}`).add("user", `"message":{"role":"user","content":[{"tool_use_id":"toolu_2","type":"tool_result","content":"no","is_error":true}]}`).
		says("Let me go on with the next part.")
	for name, session := range map[string]*made{"short": newMade("s").says("Done."), "full": full} {
		log := filepath.Join(t.TempDir(), "s.jsonl")
		must(t, os.WriteFile(log, []byte(strings.Join(session.lines, "\n")), 0o600))
		for _, known := range registry.AllStrategies() {
			c := Candidate{Settings: hook.Settings{Plugin: known.Name, Strategy: known, Options: known.New()}}
			e, err := Explain(Place{Log: log, Work: t.TempDir(), Now: time.Now()}, c)
			if err != nil {
				t.Fatalf("%s, %s: %v", name, known.Name, err)
			}
			data, err := json.Marshal(e)
			must(t, err)
			v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
			must(t, err)
			if err := schema.Validate(v); err != nil {
				t.Errorf("%s, %s: %v\n%s", name, known.Name, err, data)
			}
			if s := e.Situation; name == "full" && (len(s.Todos) != 2 || len(s.Calls) != 2 || !s.Calls[1].Error || s.Prompt == "" || s.Message == "") {
				t.Errorf("%s: %s", known.Name, data)
			}
		}
	}
}

func TestExplainSaysWhichLinesThereAre(t *testing.T) {
	log := filepath.Join(t.TempDir(), "s.jsonl")
	must(t, os.WriteFile(log, []byte(`{"type":"user"}`+"\n{}\n"), 0o600))
	var line *LineError
	if _, err := Explain(Place{Log: log, Line: 3, Work: t.TempDir()}, Candidate{}); !errors.As(err, &line) || line.Lines != 2 || err.Error() != log+" has 2 lines, not 3" {
		t.Error(err)
	}
	for _, text := range []string{"", "root:x:0:0:root:/root:/bin/sh\n", "{}\n[]\n{\"type\":\"summary\"}\n", "\x00\xff\n"} {
		must(t, os.WriteFile(log, []byte(text), 0o600))
		var empty *EmptyError
		if _, err := Explain(Place{Log: log, Work: t.TempDir()}, Candidate{}); !errors.As(err, &empty) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := Explain(Place{Log: filepath.Dir(log)}, Candidate{}); err == nil || !strings.Contains(err.Error(), "is not a file") {
		t.Error(err)
	}
}
