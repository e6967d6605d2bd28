package pluginsettings

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/registry"
)

// stack writes the three files of a plugin, none for "", and reads them.
func stack(t *testing.T, strategy, suite, user, project string) Stack {
	t.Helper()
	dir := t.TempDir()
	places := client.Places{Config: filepath.Join(dir, "home", ".claude"), Work: filepath.Join(dir, "work")}
	known, ok := registry.StrategyNamed(strategy)
	if !ok {
		t.Fatalf("there is no strategy %s", strategy)
	}
	p := hook.Plugin{Name: strategy, Strategy: known, Root: filepath.Join(dir, "suite", strategy)}
	for path, text := range map[string]string{
		filepath.Join(p.Root, "strategy.json"): suite, places.StatePath(strategy + ".json"): user,
		filepath.Join(places.Work, ".claude", "springfield", strategy+".json"): project,
	} {
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if text != "" {
			must(t, os.WriteFile(path, []byte(text), 0o644))
		}
	}
	return ReadStack(places, p)
}

var must = scratch.Must

func (s Stack) value(t *testing.T, name string) Value {
	t.Helper()
	k, err := s.FindKey(name)
	must(t, err)
	return s.ValueOf(k)
}

const deploys = `{"id":"deploys","says":["deploy"],"then":"stop"}`

// A key has the value and the origin that it has for the hook.
func TestValues(t *testing.T) {
	ask := map[bool]string{true: `C:\\bin\\ask`, false: "/bin/ask"}[runtime.GOOS == "windows"] // in JSON
	for name, test := range map[string]struct {
		strategy, suite, user, project string
		key, value, from, why          string
	}{
		"the user's above":                 {"ned-flanders", `{"rules":"seed"}`, `{"rules":"default"}`, "", "rules", `"default"`, "user", ""},
		"a project lowers":                 {"ned-flanders", "", `{"budget":{"burst":5}}`, `{"budget":{"burst":2}}`, "budget.burst", "2", "project", ""},
		"a project raises":                 {"ned-flanders", "", `{"budget":{"burst":5}}`, `{"budget":{"burst":7}}`, "budget.burst", "5", "user", "only lower"},
		"a project chooses rules":          {"ned-flanders", "", "", `{"rules":"seed"}`, "rules", `"default"`, "default", "cannot set it"},
		"a project chooses a protocol":     {"ned-flanders", "", "", `{"protocol":"exit2"}`, "protocol", `"context"`, "default", "cannot set it"},
		"a project chooses checks":         {"ralph-specum", "", "", `{"checks":["quick-mode"]}`, "checks", "null", "default", "cannot set it"},
		"a project asks more often":        {"lisa-simpson", "", "", `{"cascade":false}`, "cascade", "true", "default", "asked every time"},
		"a suite names a model":            {"lisa-simpson", `{"judge":{"model":"opus"}}`, "", "", "judge.model", `"opus"`, "suite", ""},
		"a suite names a client":           {"lisa-simpson", `{"judge":{"client":"/bin/claude"}}`, "", "", "judge.client", "null", "default", "only your own file"},
		"a project names a client":         {"lisa-simpson", "", "", `{"judge":{"client":"/bin/claude"}}`, "judge.client", "null", "default", "only your own file"},
		"a project names a command":        {"lisa-simpson", "", "", `{"judge":{"command":["/bin/ask","-x"]}}`, "judge.command", "null", "default", "only your own file"},
		"a suite names a command":          {"lisa-simpson", `{"judge":{"command":["/bin/ask"]}}`, "", "", "judge.command", "null", "default", "only your own file"},
		"a project names a cost":           {"lisa-simpson", "", "", `{"judge":{"cost":0}}`, "judge.cost", "null", "default", "only your own file"},
		"a project names a variable":       {"lisa-simpson", "", "", `{"judge":{"variables":["HOME"]}}`, "judge.variables", "null", "default", "only your own file"},
		"the user names a command":         {"lisa-simpson", "", `{"judge":{"command":["` + ask + `","-x"]}}`, "", "judge.command", `["` + ask + `","-x"]`, "user", ""},
		"a command that is none":           {"lisa-simpson", "", `{"judge":{"command":["ask","-x"]}}`, "", "judge.command", "null", "default", "absolute path"},
		"a project names a backend":        {"lisa-simpson", "", "", `{"judge":{"backend":"command"}}`, "judge.backend", `"claude"`, "default", "only your own file"},
		"a project names a model":          {"lisa-simpson", "", "", `{"judge":{"model":"opus"}}`, "judge.model", `"haiku"`, "default", "only your own file"},
		"a project waits less for it":      {"lisa-simpson", "", "", `{"judge":{"within":10}}`, "judge.within", "10", "project", ""},
		"a project spends less":            {"lisa-simpson", "", "", `{"judge":{"session":0}}`, "judge.session", "0", "project", ""},
		"the user spends more":             {"lisa-simpson", "", `{"judge":{"session":20}}`, "", "judge.session", "20", "user", ""},
		"a suite raises a price":           {"lisa-simpson", `{"judge":{"daily":5}}`, "", "", "judge.daily", "1", "default", "only your own file"},
		"a list in two files":              {"ned-flanders", `{"off":["progress","todos"]}`, `{"off":["todos","intent"]}`, "", "off", `["todos","intent","progress"]`, "user", ""},
		"a project waits longer":           {"marge-simpson", "", `{"stale":20}`, `{"stale":40}`, "stale", "20", "user", "only lower"},
		"a project waits less":             {"marge-simpson", "", `{"stale":20}`, `{"stale":10}`, "stale", "10", "project", ""},
		"a project raises a ceiling":       {"ralph-specum", "", "", `{"ceiling":400}`, "ceiling", "100", "default", "only your own file"},
		"the user raises it":               {"ralph-specum", "", `{"ceiling":400}`, "", "ceiling", "400", "user", ""},
		"a project takes leave":            {"ned-flanders", "", `{"leave":"always"}`, `{"leave":"never"}`, "leave", `"never"`, "project", ""},
		"a project gives leave":            {"ned-flanders", "", "", `{"leave":"always"}`, "leave", `"after-yes"`, "default", "can only choose never"},
		"a project gives some leave":       {"ned-flanders", "", `{"leave":"never"}`, `{"leave":"after-yes"}`, "leave", `"never"`, "user", "can only choose never"},
		"a suite gives leave":              {"ned-flanders", `{"leave":"always"}`, "", "", "leave", `"after-yes"`, "default", "only your own file"},
		"the user gives leave":             {"bart-simpson", "", `{"leave":"always"}`, "", "leave", `"always"`, "user", ""},
		"leave that there is not":          {"ned-flanders", "", `{"leave":"often"}`, "", "leave", `"after-yes"`, "default", "choose always"},
		"too large":                        {"ned-flanders", "", `{"budget":{"burst":700}}`, "", "budget.burst", "3", "default", "from 0 to 100"},
		"a file that is misspelt":          {"ned-flanders", "", `{"budget":{"burst":4},"of":[]}`, "", "budget.burst", "4", "user", ""},
		"an object that is misspelt":       {"ned-flanders", "", `{"budget":{"burst":4,"brst":5}}`, "", "budget.burst", "4", "user", ""},
		"a number that is none":            {"ned-flanders", "", `{"budget":{"burst":"4"}}`, "", "budget.burst", "3", "default", "budget.burst cannot be a string"},
		"a name among others":              {"ned-flanders", "", `{"off":["colom","progress",7]}`, "", "off", `["progress"]`, "user", `there is no rule "colom"; off cannot be a number`},
		"no name at all":                   {"ned-flanders", "", `{"off":["colom"]}`, "", "off", "null", "default", `there is no rule "colom"`},
		"a rule among others":              {"ned-flanders", "", `{"add":[` + deploys + `,{"id":"x","say":["a"],"then":"stop"},{"id":"bad"}]}`, "", "add", "[" + deploys + "]", "user", `unknown member "say"; hooks ignore add[1]; rule "bad": then must`},
		"the name of one's own rule":       {"ned-flanders", "", `{"off":["deploys"],"order":["deploys","x"],"add":[` + deploys + `]}`, "", "order", `["deploys"]`, "user", `there is no rule "x"`},
		"one that the suite does not know": {"ned-flanders", `{"off":["colom"]}`, `{"off":["progress"]}`, "", "off", `["progress"]`, "user", `there is no rule "colom"`},
		"a project's among others":         {"ned-flanders", "", "", `{"off":["asks","progress"]}`, "off", `["progress"]`, "project", "cannot set it"},
		"checks among others":              {"ralph-specum", "", `{"checks":["quick-mode","nope"]}`, "", "checks", `["quick-mode"]`, "user", `none called "nope"`},
		"more rules than there may be":     {"ned-flanders", "", `{"order":[` + strings.Repeat(`"asks",`, 400) + `"progress"]}`, "", "order", "[" + strings.Repeat(`"asks",`, 399) + `"asks"]`, "user", "more than 400"},
		"a file that is no JSON":           {"ned-flanders", "", `{"budget"`, "", "budget.burst", "3", "default", ""},
	} {
		t.Run(name, func(t *testing.T) {
			v := stack(t, test.strategy, test.suite, test.user, test.project).value(t, test.key)
			if string(v.Value) != test.value || v.From != test.from {
				t.Errorf("%s from %s, want %s from %s", v.Value, v.From, test.value, test.from)
			}
			why := ""
			for _, said := range v.Said {
				scratch.ErrorIf(t, !said.InForce && said.Why == "", "%+v", said)
				why += said.Why
			}
			if (why != "") != (test.why != "") || !strings.Contains(why, test.why) {
				t.Errorf("why %q, want %q", why, test.why)
			}
		})
	}
}

// The user can set every key; the hook accepts the file, and removing the key leaves no file.
func TestEveryKeyCanBeSet(t *testing.T) {
	samples := map[string]string{
		"add": `[{"id":"deploys","says":["deploy"],"then":"stop"}]`, "judge.client": "/opt/claude", "judge.command": "/bin/true", "judge.cost": "0.01", "judge.variables": "A,B", "judge.model": "opus", "judge.within": "5", "progress.command": "/bin/true", "progress.every": "2",
	}
	for _, known := range registry.Strategies {
		keys := KeysOf(*known)
		if len(keys) == 0 {
			t.Fatalf("%s has no keys", known.Name)
		}
		for _, k := range keys {
			text, ok := samples[k.Name]
			if !ok {
				switch {
				case k.Type == "boolean":
					text = "false"
				case len(k.Choices) > 0:
					text = k.Choices[len(k.Choices)-1]
				case len(k.ids) > 0:
					text = k.ids[0]
				default:
					text = strings.Trim(string(k.Default), `"`)
				}
			}
			t.Run(known.Name+" "+k.Name, func(t *testing.T) {
				before := "{}"
				if k.Name == "progress.every" {
					before = `{"progress":{"command":["/bin/true"]}}`
				}
				s := stack(t, known.Name, "{}", before, "")
				value, err := k.ParseValue(text)
				must(t, err)
				c, err := s.PlanSet(User, []Assignment{{k, value}})
				must(t, err, k.Name, text)
				after := string(c.Edits[0].After.Data)
				defaults, _ := hook.Defaults(*known, "")
				if _, faults, err := defaults.Overlay([]byte(after), 1); len(faults) > 0 || err != nil {
					t.Errorf("%s: %v, %v", after, faults, err)
				}
				changed := stack(t, known.Name, "{}", after, "")
				if v := changed.value(t, k.Name); v.From != "user" {
					t.Errorf("%s: %s is from %s: %+v", after, k.Name, v.From, v.Said)
				}
				c, err = changed.PlanSet(User, []Assignment{{Key: k}})
				if err != nil || c.Edits[0].After != nil && before == "{}" {
					t.Errorf("taken out of %s: %+v, %v", after, c, err)
				}
			})
		}
	}
}

// Faults are reported with their place, and a file with unknown members can still be edited.
func TestFaultsOfAFile(t *testing.T) {
	for text, want := range map[string]struct{ fault, faults, after string }{
		`{"off":["colom"],"nonsense":1}`: {"", `[line 1, column 18: unknown member "nonsense" off: there is no rule "colom"]`, `{"off":["colom"],"nonsense":1,"budget":{"burst":2}}`},
		`{"off":["skill"]`:               {"line 1, column 16: the document ends unexpectedly", "[]", ""},
		`{"off":["skill"]} x`:            {"line 1, column 19: unexpected 'x' where the document should end", "[]", ""},
		`["skill"]`:                      {"line 1, column 1: the file cannot be an array", "[]", ""},
	} {
		s := stack(t, "ned-flanders", "{}", text, "{}")
		f := s.Files[1]
		scratch.Equal(t, f.Fault, want.fault, text)
		scratch.Equal(t, fmt.Sprint(f.Faults), want.faults, text)
		scratch.Equal(t, len(s.Files[2].Faults), 0, text)
		k, err := s.FindKey("budget.burst")
		must(t, err)
		c, err := s.PlanSet(User, []Assignment{{k, json.RawMessage("2")}})
		switch {
		case want.after == "":
			scratch.ErrorIf(t, !errors.Is(err, ErrInvalid), "%s: %v", text, err)
		case err != nil || string(c.Edits[0].After.Data) != want.after:
			t.Errorf("%s: %v, %+v", text, err, c)
		}
	}
}

func TestRead(t *testing.T) {
	const ned, lisa, specum = "ned-flanders", "lisa-simpson", "ralph-specum"
	for _, test := range []struct {
		strategy, key, text, value string
	}{
		{ned, "budget.burst", "0", "0"}, {ned, "budget.burst", "100", "100"}, {ned, "budget.burst", "101", ""}, {ned, "budget.burst", "-1", ""},
		{ned, "budget.burst", "1.5", ""}, {ned, "budget.burst", "", ""}, {ned, "budget.burst", "NaN", ""}, {ned, "budget.burst", "1e1", "10"},
		{ned, "off", "a, b,", `["a","b"]`}, {ned, "off", "", `[]`}, {ned, "off", `["a,b"]`, `["a,b"]`}, {ned, "off", `[a`, ""},
		{ned, "add", `[]`, `[]`}, {ned, "add", `x`, ""}, {ned, "rules", "seed", `"seed"`}, {ned, "rules", "bart", ""},
		{lisa, "cascade", "true", "true"}, {lisa, "cascade", "yes", ""}, {lisa, "judge.daily", "0.5", "0.5"}, {lisa, "judge.daily", "Inf", ""},
		{lisa, "judge.model", "a b", `"a b"`}, {specum, "checks", "quick-mode", `["quick-mode"]`}, {specum, "checks", "quick", ""},
	} {
		var s Stack
		known, _ := registry.StrategyNamed(test.strategy)
		s.Keys = KeysOf(known)
		k, err := s.FindKey(test.key)
		must(t, err)
		got, err := k.ParseValue(test.text)
		var wrong *check.Advised
		if string(got) != test.value || (test.value == "") != errors.As(err, &wrong) {
			t.Errorf("%s=%s: %s, %v; want %q", test.key, test.text, got, err, test.value)
		}
	}
}

// A project's link is followed neither to read nor to write.
func TestNoLinkOfAProjectIsFollowed(t *testing.T) {
	s := stack(t, "ned-flanders", "{}", "", "")
	i := slices.IndexFunc(s.Files, func(f File) bool { return f.Scope == Project })
	path := s.Files[i].Path
	secret := filepath.Join(t.TempDir(), "secret.json")
	must(t, os.WriteFile(secret, []byte(`{"budget":{"burst":1}}`), 0o600))
	must(t, os.Symlink(secret, path))
	s = ReadStack(client.Places{Config: t.TempDir(), Work: filepath.Dir(filepath.Dir(filepath.Dir(path)))}, s.Plugin)
	if s.Files[i].Fault == "" || s.Files[i].doc != nil {
		t.Errorf("%+v", s.Files[i])
	}
	k, _ := s.FindKey("budget.burst")
	if c, err := s.PlanSet(Project, []Assignment{{k, json.RawMessage("2")}}); !errors.Is(err, ErrInvalid) || !c.IsEmpty() {
		t.Errorf("%v, %v", c, err)
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"1", "a,b", `["x"]`, "true", "{", "\u2028", `\ud800`} {
		f.Add("off", seed)
		f.Add("budget.burst", seed)
		f.Add("add", seed)
	}
	var s Stack
	ned, _ := registry.StrategyNamed("ned-flanders")
	s.Keys = KeysOf(ned)
	f.Fuzz(func(t *testing.T, key, text string) {
		k, err := s.FindKey(key)
		if err != nil {
			return
		}
		if value, err := k.ParseValue(text); err == nil && !json.Valid(value) {
			t.Errorf("%s=%q: %q is no JSON", key, text, value)
		}
	})
}
