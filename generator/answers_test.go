package generator

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/cameronsjo/springfield/runtime/registry"
)

const answersSchema = "../docs/schemas/answers.schema.json"

func TestParseAnswers(t *testing.T) {
	full := Answers{
		Marketplace: "evergreen-terrace", Owner: Owner{"Ned Flanders", "ned@example.org"}, Targets: []Target{{"linux", "amd64"}, {"darwin", "arm64"}},
		Plugins: []Plugin{
			{Name: "ned-flanders", Strategy: "ned-flanders"},
			{Name: "left-handed", Strategy: "ned-flanders", Settings: map[string]string{"rules": "seed"}},
		},
	}
	for name, test := range map[string]struct {
		text string
		want Answers
	}{
		"nothing":       {"", Answers{}},
		"only comments": {"# later\n", Answers{}},
		"an end mark":   {"---\nmarketplace: hooks\n---\n# no more\n", Answers{Marketplace: "hooks"}},
		"YAML": {`# yaml-language-server: $schema=answers.schema.json
marketplace: evergreen-terrace
owner: Ned Flanders <ned@example.org>
targets: [linux/amd64, darwin/arm64]
plugins:
  - ned-flanders
  - name: left-handed
    strategy: ned-flanders
    settings:
      rules: seed
`, full},
		"JSON with tabs": {`{
	"$schema": "https://example.org/answers.schema.json",
	"marketplace": "evergreen-terrace",
	"owner": {"name": "Ned Fl\u0061nders", "email": "ned@example.org"},
	"targets": ["linux/amd64",	"darwin/arm64"],
	"plugins": ["ned-flanders", {"strategy": "ned-flanders", "settings": {"rules": "seed"}, "name": "left-handed"}]
}`, full},
		"from Windows":     {"\ufeffmarketplace: hooks\r\nplugins:\r\n  - strategy: ned-flanders\r\n", Answers{Marketplace: "hooks", Plugins: []Plugin{{Name: "ned-flanders", Strategy: "ned-flanders"}}}},
		"another language": {"owner: {name: 日本 太郎}\n", Answers{Owner: Owner{Name: "日本 太郎"}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ParseAnswers([]byte(test.text))
			if err != nil || !reflect.DeepEqual(got, test.want) {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

func TestParseAnswersSaysWhereAndWhat(t *testing.T) {
	for text, want := range map[string]string{
		"market: x\n":                                       `line 1, column 1: unknown key "market"; the keys here are hosts, marketplace, owner, plugins, targets`,
		"owner:\n  nam: Ned\n":                              `line 2, column 3: unknown key "nam"; the keys here are email, name`,
		"owner:\n  email: ned@example.org\n":                "line 2, column 3: the owner has no name; pass --owner NAME",
		"owner: {name: Ned, email: ned}\n":                  `line 1, column 8: "ned" is not an email address; write it like marge@example.org`,
		"owner: Ned <ned>\n":                                `line 1, column 8: owner "Ned <ned>" is not a name and an address; write it as "Name <name@example.org>"`,
		"marketplace: 5\n":                                  "line 1, column 14: a number instead of text; write text, in quotes if need be",
		"marketplace:\n":                                    "line 1, column 14: nothing instead of text; write text, in quotes if need be",
		"marketplace: My Hooks\n":                           "line 1, column 14: \"My Hooks\" is not a valid marketplace name; use lower-case letters, digits and single dashes, like continuation-hooks",
		"marketplace: claude-plugins-official\n":            `line 1, column 14: the marketplace name "claude-plugins-official" is reserved; choose a name of your own, like continuation-hooks`,
		"targets: linux/amd64\n":                            "line 1, column 10: text instead of a list; write it as a list: [one, two]",
		"targets:\n- linux/amd64\n- plan9/amd64\n":          `line 3, column 3: springfield does not compile for "plan9/amd64"; choose from ` + join(AllTargets()),
		"targets: []\n":                                     "line 1, column 10: no target chosen; pass --target os/arch",
		"targets: [linux/amd64, linux/amd64]\n":             "line 1, column 10: target linux/amd64 is listed twice; name every target once",
		"{\n\t\"targets\": [\n\t\t\"x\"]}":                  `line 3, column 3: springfield does not compile for "x"; choose from ` + join(AllTargets()),
		"plugins: [homer]\n":                                `line 1, column 11: there is no strategy "homer"; choose from ` + strings.Join(registry.Names(), ", "),
		"plugins:\n- name: x\n":                             `line 2, column 3: a plugin needs a strategy; add a line like "strategy: ned-flanders"`,
		"plugins: [{strategy: ned-flanders, name: ../x}]\n": `line 1, column 42: "../x" is not a valid plugin name; use lower-case letters, digits and single dashes`,
		"plugins: [ned-flanders, ned-flanders]\n":           `line 1, column 25: plugin "ned-flanders" is listed twice; give every plugin its own name`,
		"plugins:\n- strategy: ned-flanders\n  settings:\n    rules: none\n": `line 4, column 12: ned-flanders.rules cannot be "none"; choose default or seed`,
		"plugins:\n- strategy: ned-flanders\n  settings: {rules: true}\n":    `line 3, column 21: ned-flanders.rules cannot be "true"; choose default or seed`,
		"plugins:\n- settings: {colour: blue}\n  strategy: ned-flanders\n":   `line 2, column 14: unknown key "colour"; the keys here are rules`,
		"plugins:\n- strategy: ned-flanders\n  version: 1.0.0\n":             `line 3, column 3: unknown key "version"; the keys here are name, settings, strategy`,
		"- x\n":                            "line 1, column 1: a list instead of keys and values; the keys here are hosts, marketplace, owner, plugins, targets",
		"hooks\n":                          "line 1, column 1: text instead of keys and values; the keys here are hosts, marketplace, owner, plugins, targets",
		"marketplace: &m hooks\n":          "line 1, column 14: a reference instead of text; write text, in quotes if need be",
		"marketplace: !!str 5\n":           "line 1, column 14: a tag instead of text; write text, in quotes if need be",
		"<<: {marketplace: x}\n":           `line 1, column 1: "<<" is not a key; the keys here are hosts, marketplace, owner, plugins, targets`,
		"marketplace: a\n---\nowner: b":    "line 3, column 1: a second document; keep all answers in one",
		"marketplace: a\nmarketplace: b\n": `line 2, column 1: mapping key "marketplace" already defined at [1:1]; it has to be YAML or JSON`,
		"owner: [1\n":                      "line 1, column 8: sequence end token ']' not found; it has to be YAML or JSON",
		"marketplace: caf\xe9":             "not text in UTF-8; save it as UTF-8",
		strings.Repeat(" ", maxAnswers+1):  "larger than 16384 bytes; is this a file of answers?",
		strings.Repeat("[", 1<<13):         "",
	} {
		_, err := ParseAnswers([]byte(text))
		var fault *FileError
		if !errors.As(err, &fault) || want != "" && err.Error()+"; "+fault.Hint != want {
			t.Errorf("%.60q\n got %v; %v\nwant %s", text, err, fault, want)
		}
	}
}

func TestAnswersOver(t *testing.T) {
	plugin := func(name, rules string) Plugin {
		p := Plugin{Name: name, Strategy: "ned-flanders"}
		if rules != "" {
			p.Settings = map[string]string{"rules": rules}
		}
		return p
	}
	low := Answers{Marketplace: "low", Owner: Owner{"Low", "low@example.org"}, Targets: []Target{{"linux", "arm64"}}, Plugins: []Plugin{plugin("a", "seed"), plugin("b", "seed")}}
	high := Answers{Marketplace: "high", Owner: Owner{Name: "High"}, Targets: []Target{{"linux", "amd64"}}, Plugins: []Plugin{plugin("b", ""), plugin("c", "default")}}
	want := high
	want.Plugins = []Plugin{plugin("b", "seed"), plugin("c", "default")}
	for name, test := range map[string]struct{ over, under, want Answers }{
		"nothing": {Answers{}, low, low}, "over nothing": {high, Answers{}, high}, "all": {high, low, want},
	} {
		if got := test.over.Over(test.under); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if high.Plugins[0].Settings != nil {
		t.Error("what lay over has changed")
	}
}

// The published schema is what Go reads. After a meant change:
// go test ./generator -update
func TestAnswersSchema(t *testing.T) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(schemaOfAnswers(t)); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(answersSchema, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	published, err := os.ReadFile(answersSchema)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(published, b.Bytes()) {
		t.Errorf("%s is not what Go reads; look at it with -update and git diff", answersSchema)
	}
}

// schemaOfAnswers makes the schema from the tables that Go checks by.
func schemaOfAnswers(t *testing.T) any {
	type object = map[string]any
	plugins := []any{object{"enum": registry.Names(), "description": "A strategy; the plugin has its name."}}
	for _, name := range registry.Names() {
		about, err := ReadAbout(name)
		if err != nil {
			t.Fatal(err)
		}
		settings := object{}
		for _, q := range about.Questions {
			values := []any{}
			for _, v := range q.values() {
				values = append(values, v)
				// Numbers, true and false can be written without quotes.
				var plain any
				if json.Unmarshal([]byte(v), &plain) == nil {
					values = append(values, json.RawMessage(v))
				}
			}
			settings[q.Key] = object{"description": q.Ask, "enum": values, "default": q.Choices[0].Value}
		}
		others := []string{}
		for _, other := range registry.Names() {
			if other != name {
				others = append(others, other)
			}
		}
		own := object{"description": "Its own name; by default the strategy's.", "type": "string", "pattern": kebab.String()}
		if len(others) > 0 {
			own["not"] = object{"enum": others}
		}
		plugins = append(plugins, object{
			"type": "object", "additionalProperties": false, "required": []string{"strategy"},
			"properties": object{
				"strategy": object{"const": name, "description": about.Summary},
				"name":     own,
				"settings": object{"type": "object", "additionalProperties": false, "properties": settings},
			},
		})
	}
	var targets []string
	for _, target := range AllTargets() {
		targets = append(targets, target.String())
	}
	line := func(about string) object {
		return object{"description": about, "type": "string", "pattern": `^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$`}
	}
	return object{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"$id":         "https://raw.githubusercontent.com/cameronsjo/springfield/main/docs/schemas/answers.schema.json",
		"title":       "Answers for springfield init --answers FILE",
		"description": "YAML or JSON. Everything may be left out; flags win over what is here.",
		"type":        []string{"object", "null"}, "additionalProperties": false,
		"properties": object{
			"$schema": object{"type": "string"},
			"marketplace": object{
				"description": "Name of the marketplace; by default the suite directory's.", "type": "string", "pattern": kebab.String(),
				"not": object{"anyOf": []any{object{"enum": reserved()}, object{"pattern": looksOfficial.String()}}},
			},
			"owner": object{"anyOf": []any{
				line("Name, or Name <address>; by default from git config."),
				object{
					"type": "object", "additionalProperties": false, "required": []string{"name"},
					"properties": object{"name": line("Who owns the marketplace."), "email": object{"type": "string", "description": "It is published."}},
				},
			}},
			"targets": object{
				"description": "Machines to compile for; by default this one.", "type": "array", "minItems": 1, "uniqueItems": true,
				"items": object{"enum": targets},
				"if":    object{"minItems": 2}, "then": object{"not": object{"contains": object{"const": "windows/arm64"}}},
			},
			"hosts": object{
				"description": "Agents that it is for; by default those found here.", "type": "array", "uniqueItems": true,
				"items": object{"enum": hostNames()},
			},
			"plugins": object{"description": "What to make.", "type": "array", "items": object{"anyOf": plugins}},
		},
	}
}

// FuzzParseAnswers holds that no bytes upset the reader, that every fault has a
// place inside the text, and that the schema accepts what Go accepts.
func FuzzParseAnswers(f *testing.F) {
	for _, seed := range []string{
		"", "marketplace: hooks\n", "owner: Ned <ned@example.org>\ntargets: [linux/amd64]\nplugins:\n  - ned-flanders\n",
		`{"plugins": [{"strategy": "ned-flanders", "name": "a", "settings": {"rules": "seed"}}]}`, "owner: {name: |\n  x\n}", "? a\n: b", "a: &a [*a, *a]",
		"{\"owner\": {\"name\": \"\\ud83c\\udf69\"}}", "%YAML 1.2\n---\nowner: \"x\\ty\"",
	} {
		f.Add([]byte(seed))
	}
	schema, err := jsonschema.NewCompiler().Compile(answersSchema)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := ParseAnswers(data)
		if err != nil {
			var fault *FileError
			if !errors.As(err, &fault) || fault.Problem == "" {
				t.Fatalf("%v", err)
			}
			if lines := bytes.Count(data, []byte("\n")) + bytes.Count(data, []byte("\r")) + 2; fault.Line > lines || fault.Line < 0 || fault.Line > 0 && fault.Column < 1 {
				t.Fatalf("%v in %d lines", fault, lines)
			}
			return
		}
		if len(a.Plugins) > 0 {
			s := Spec{Marketplace: "x", Owner: Owner{Name: "x"}, Targets: []Target{host()}}
			for _, p := range a.Plugins {
				p, err := NewPlugin(p.Name, p.Strategy, p.Settings)
				if err != nil {
					t.Fatalf("read, but not to be made: %v", err)
				}
				s.Plugins = append(s.Plugins, p)
			}
			if err := s.Validate(); err != nil {
				t.Fatalf("read, but not valid: %v", err)
			}
		}
		instance, ok := instanceOf(data)
		if ok && schema.Validate(instance) != nil {
			t.Fatalf("Go accepts it, the schema does not: %v", schema.Validate(instance))
		}
	})
}

// instanceOf is a document as a validator of JSON sees it.
func instanceOf(data []byte) (any, bool) {
	if trimmed := bytes.TrimSpace(data); bytes.HasPrefix(trimmed, []byte("{")) {
		instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(trimmed))
		return instance, err == nil && utf8.Valid(data)
	}
	text, err := yaml.YAMLToJSON(bytes.TrimPrefix(data, []byte("\ufeff")))
	if err != nil {
		return nil, false
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	return instance, err == nil
}

// What Go refuses, the schema refuses, but for what only Go can know.
func TestSchemaRefusesWhatGoRefuses(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(answersSchema)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{
		`{"market": "x"}`, `{"marketplace": 5}`, `{"marketplace": null}`, `{"marketplace": "My Hooks"}`, `{"marketplace": "builtin"}`, `{"marketplace": "claude-official"}`,
		`{"owner": ""}`, `{"owner": " "}`, `{"owner": "a\nb"}`, `{"owner": {}}`, `{"owner": {"email": "x@y"}}`, `{"owner": {"name": "x", "url": "y"}}`,
		`{"targets": []}`, `{"targets": ["plan9/amd64"]}`, `{"targets": ["linux/amd64", "linux/amd64"]}`, `{"targets": ["windows/arm64", "linux/amd64"]}`, `{"targets": "linux/amd64"}`,
		`{"hosts": ["springfield-elementary"]}`, `{"hosts": ["codex", "codex"]}`, `{"hosts": "codex"}`,
		`{"plugins": ["homer"]}`, `{"plugins": [{"name": "x"}]}`, `{"plugins": [{"strategy": "ned-flanders", "name": "X"}]}`, `{"plugins": "ned-flanders"}`,
		`{"plugins": [{"strategy": "ned-flanders", "settings": {"rules": "none"}}]}`, `{"plugins": [{"strategy": "ned-flanders", "settings": {"colour": "blue"}}]}`,
		`{"plugins": [{"strategy": "ned-flanders", "version": "1.0.0"}]}`, `[]`, `"x"`,
	} {
		if _, err := ParseAnswers([]byte(text)); err == nil {
			t.Errorf("Go accepts %s", text)
		}
		instance, ok := instanceOf([]byte(text))
		if !ok {
			t.Fatal(strconv.Itoa(i), text)
		}
		if schema.Validate(instance) == nil {
			t.Errorf("the schema accepts %s", text)
		}
	}
}
