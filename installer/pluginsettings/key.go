package pluginsettings

import (
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/docs/schemas"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// Key is a setting in the published schema.
type Key struct {
	Name        string          `json:"key"` // with dots: budget.burst
	Description string          `json:"description"`
	Default     json.RawMessage `json:"default"` // or null
	Type        string          `json:"type"`    // string, integer, number, boolean, array or object
	Choices     []string        `json:"choices,omitempty"`
	Minimum     *float64        `json:"minimum,omitempty"`
	Maximum     *float64        `json:"maximum,omitempty"`

	whole  bool     // invalid if set alone
	ids    []string // of built-in rules, which are valid besides other words
	most   int      // maximum for a list, or 0
	single bool     // a list used as a single value: a command
	names  bool     // a list of words, which can be written with commas
}

type property struct {
	Key
	Enum       []string
	Items      *property
	Properties map[string]property
	MinItems   int
	MaxItems   int
	Required   []string
}

// KeysOf returns the settings of a strategy's plugins, sorted by name.
func KeysOf(s strategy.Strategy) []Key {
	var schema property
	data, _ := schemas.Files.ReadFile("strategy.schema.json")
	_ = json.Unmarshal(data, &schema)
	known := topKeys(s)
	maps.DeleteFunc(schema.Properties, func(name string, _ property) bool { return !slices.Contains(known, name) })
	var ids []string
	if ruled, ok := s.New().(rules.Ruled); ok {
		ids = check.NamesOf(ruled.Rules(), func(r rules.Rule) string { return r.ID })
		ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	}
	keys := schema.leafKeys("")
	for i := range keys {
		switch k := &keys[i]; k.Name {
		case "ceiling": // its default depends on the strategy
			n := reflect.ValueOf(s.New()).Elem().FieldByName("Ceiling").Interface().(strategy.Number)
			k.Default = json.RawMessage(strconv.Itoa(n.Value))
		case "protocol":
			k.Default = json.RawMessage(map[bool]string{true: `"block"`, false: `"context"`}[s.Blocks])
		case "off", "order":
			k.ids = ids
		}
	}
	return keys
}

func topKeys(s strategy.Strategy) (names []string) {
	names = codec.MemberNames(s.New())
	if len(rules.RuleSetsOf(s)) < 2 {
		names = slices.DeleteFunc(names, func(name string) bool { return name == "rules" })
	}
	switch s.KindOf() {
	case strategy.Daily:
		names = append(names, "protocol", "after-error", "budget")
	case strategy.GoalLoop:
		names = append(names, "protocol", "after-error", "progress")
	case strategy.SpecLoop:
		names = append(names, "protocol", "after-error")
	}
	return names
}

// leafKeys returns the settings below p, with prefix before each name. prefix is "" or ends with a dot.
func (p property) leafKeys(prefix string) (keys []Key) {
	for _, name := range slices.Sorted(maps.Keys(p.Properties)) {
		at := p.Properties[name]
		if len(at.Properties) > 0 {
			keys = append(keys, at.leafKeys(prefix+name+".")...)
			continue
		}
		k := at.Key
		k.Name, k.Choices, k.most, k.whole, k.single = prefix+name, at.Enum, at.MaxItems, len(p.Required) > 0, at.MinItems > 0
		if k.Default == nil {
			k.Default = json.RawMessage("null")
		}
		if k.Type == "" && len(k.Choices) > 0 {
			k.Type = "string"
		}
		if at.Items != nil && (at.Items.Type == "string" || len(at.Items.Enum) > 0) {
			k.names, k.Choices = true, at.Items.Enum
		}
		keys = append(keys, k)
	}
	return keys
}

func (k Key) pathInFile() []string { return strings.Split(k.Name, ".") }

// Accepts returns a description of the valid values, for messages.
func (k Key) Accepts() string {
	switch {
	case k.names && len(k.Choices) > 0:
		return "any of " + strings.Join(k.Choices, ", ")
	case len(k.ids) > 0:
		return "rules: " + strings.Join(k.ids, ", ")
	case k.names:
		return "words, separated by commas"
	case len(k.Choices) > 0:
		return strings.Join(k.Choices, ", ")
	case k.Type == "boolean":
		return "true, false"
	case k.Minimum != nil && k.Maximum != nil:
		return formatNumber(*k.Minimum) + " to " + formatNumber(*k.Maximum)
	case k.Name == "judge.client":
		return "an absolute path"
	case k.Type == "string":
		return "text"
	}
	return "JSON"
}

func formatNumber(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// ParseValue converts text to JSON. It refuses values the key does not accept. Only PlanSet checks rule IDs and JSON
// contents.
func (k Key) ParseValue(text string) (json.RawMessage, error) {
	known := func(word string) bool { return len(k.Choices) == 0 || slices.Contains(k.Choices, word) }
	var value any = text
	ok := true
	switch {
	case k.names && !strings.HasPrefix(strings.TrimSpace(text), "["):
		words := []string{}
		for word := range strings.SplitSeq(text, ",") {
			if word = strings.TrimSpace(word); word == "" {
				continue
			}
			if !known(word) {
				return nil, k.invalidValueError(word)
			}
			words = append(words, word)
		}
		value = words
	case k.Type == "string":
		ok = known(text)
	case k.Type == "boolean":
		value, ok = text == "true", text == "true" || text == "false"
	case k.Type == "integer" || k.Type == "number":
		f, err := strconv.ParseFloat(text, 64)
		value = f + 0 // -0 is 0
		ok = err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) && (k.Type == "number" || f == math.Trunc(f)) &&
			(k.Minimum == nil || f >= *k.Minimum) && (k.Maximum == nil || f <= *k.Maximum)
	case json.Valid([]byte(text)):
		return json.RawMessage(text), nil
	default:
		ok = false
	}
	if !ok {
		return nil, k.invalidValueError(text)
	}
	return document.EncodeValue(value)
}

func (k Key) invalidValueError(text string) error {
	return check.Misusef(check.HintAtNames(text, "", k.Choices, k.Name+" can be: "+k.Accepts()+"; use --unset "+k.Name+" to remove it from the file"), "%s cannot be %q", k.Name, text)
}
