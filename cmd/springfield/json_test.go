package main

import (
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

const pastSession = `{"type":"user","uuid":"1","sessionId":"s1","cwd":"/w","timestamp":"2026-01-01T10:00:00.000Z","message":{"role":"user","content":"Rename both."}}
{"type":"assistant","uuid":"2","sessionId":"s1","cwd":"/w","timestamp":"2026-01-01T10:00:01.000Z","message":{"role":"assistant","content":[{"type":"text","text":"The first is renamed. Now I'll rename the second."}]}}
{"type":"user","uuid":"3","sessionId":"s1","cwd":"/w","timestamp":"2026-01-01T10:00:02.000Z","message":{"role":"user","content":"continue"}}
{"type":"assistant","uuid":"4","sessionId":"s1","cwd":"/w","timestamp":"2026-01-01T10:00:03.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Both are renamed. Shall I commit them?"}]}}
`

// aCall is a line of arguments, and whether it succeeds.
type aCall struct {
	good bool
	line string
}

// calls are calls of every verb, in this order, in one world: a verb finds what those before it have left.
func calls() []aCall {
	return []aCall{
		{false, "update"}, {false, "validate"}, {false, "publish"}, {false, "build"}, {false, "new mine --from ned-flanders"},
		{false, "undo"}, {false, "why"}, {false, "why nonsense"},
		{true, "status"}, {false, "log --nope"}, {true, "log"}, {true, "list"}, {true, "version"}, {true, "undo --list"}, {true, "loop"}, {true, "loop status"}, {true, "loop history"},
		{false, "init hooks"}, {true, "init hooks --dry-run --yes"}, {true, "init hooks --yes --owner Ned --strategy ned-flanders --strategy ralph-wiggum --strategy todo-continuation"},
		{true, "init hooks"}, {false, "init hooks --all --strategy ned-flanders"}, {false, "init broken --yes"},
		{true, "build hooks"}, {false, "build hooks --builder none"}, {false, "build hooks hooks"},
		{true, "update hooks"}, {true, "update hooks --dry-run"}, {false, "update broken"}, {true, "new mine --from ned-flanders --suite hooks"}, {false, "new mine --from ned-flanders --suite hooks"},
		{true, "validate hooks"}, {false, "validate broken"}, {false, "validate spoilt"}, {false, "validate --nope"},
		{true, "publish hooks --target linux/amd64"}, {false, "publish hooks --check --plugin maggie"}, {false, "publish hooks --bump tiny"}, {true, "publish hooks --check"}, {true, "publish hooks --dry-run --target linux/amd64"},
		{true, "enable ned-flanders --dry-run"}, {true, "enable ned-flanders"}, {false, "enable nelson"}, {false, "enable ned-flanders --scope galaxy"},
		{true, "why"}, {true, "log"},
		{true, "set ned-flanders budget.burst=4"}, {false, "set ned-flanders nope=4"}, {true, "set ned-flanders"}, {true, "set ned-flanders budget.burst"}, {false, "set nelson"},
		{true, "status"}, {false, "status now"}, {false, "list all"}, {true, "doctor"}, {false, "doctor --nope"},
		{true, "disable ned-flanders --dry-run"}, {true, "disable ned-flanders"}, {false, "disable nelson"},
		{true, "undo --dry-run"}, {true, "undo --forget"}, {true, "undo"}, {false, "undo --list --forget"},
		{true, "explain ../home/.claude/projects/-w/s1.jsonl"}, {false, "explain none.jsonl"}, {true, "try plan next"}, {false, "try plan"},
		{true, "replay"}, {false, "replay none"}, {false, "log -n 0"},
		{true, "hold 30m"}, {true, "hold"}, {false, "hold forever"}, {false, "resume"}, {false, "resume now"}, {true, "resume --session s1"},
		{true, "away"}, {false, "away 8h"}, {true, "back"}, {false, "back now"}, {true, "watch --once"}, {false, "watch now"},
		{false, "loop start goal --dir ."}, {true, "enable ralph-wiggum"}, {true, "loop start goal --dir ."}, {false, "loop start"}, {true, "loop status"}, {true, "loop set max 7"}, {false, "loop set max lots"}, {false, "loop set"}, {false, "loop status now"},
		{true, "loop stop"}, {false, "loop stop now"}, {true, "loop history"}, {false, "loop history -n 0"}, {true, "loop history show LOOP"}, {false, "loop history show none"},
		{true, "loop history rerun LOOP --replace"}, {false, "loop history rerun none"}, {false, "loop nope"},
		{false, "version now"}, {false, "nope"}, {false, "completion"},
	}
}

// With --json every verb prints JSON: its result, or an object with error and hint.
func TestEveryVerbSpeaksJSON(t *testing.T) {
	w := newWorld(t)
	w.write(t, "home/.claude/projects/-w/s1.jsonl", pastSession)
	w.write(t, "work/page.txt", "a page")
	w.write(t, "work/broken/springfield.yaml", "plugins: [")
	w.write(t, "work/spoilt/springfield.yaml", "marketplace: spoilt\n")
	tried := map[string][2]bool{} // verb: called with success, with failure
	loop := ""
	for _, c := range calls() {
		if c.line == "why" && c.good {
			w.stop(t, filepath.Join(w.work(), "hooks", "ned-flanders"), "s1", filepath.Join(w.home(), ".claude", "projects", "-w", "s1.jsonl"))
		}
		args := append(strings.Fields(strings.ReplaceAll(c.line, "LOOP", loop)), "--json")
		got := w.call(t, args...)
		if (got.code == 0) != c.good {
			t.Errorf("%s: exit code %d\n%s%s", c.line, got.code, got.out, got.err)
			continue
		}
		values := decoded(t, c.line, got.out)
		if !c.good && len(values) != 1 {
			t.Errorf("%s: %d values", c.line, len(values))
		}
		if failure, ok := asObject(values); !c.good && ok && failure["checks"] == nil {
			if _, hinted := failure["hint"].(string); failure["error"] == nil || !hinted || len(failure) != 2 {
				t.Errorf("%s: %s", c.line, got.out)
			}
			if strings.Contains(got.err, "error:") {
				t.Errorf("%s: the error is told twice: %s", c.line, got.err)
			}
		}
		if object, ok := asObject(values); ok && c.line == "loop history" && loop == "" {
			loop, _ = object["id"].(string)
		}
		words := strings.Fields(c.line) // may begin with a verb of several: loop, loop history, …
		for n := 1; n <= min(3, len(words)); n++ {
			verb := strings.Join(words[:n], " ")
			is := tried[verb]
			is[0], is[1] = is[0] || c.good, is[1] || !c.good
			tried[verb] = is
		}
	}
	w.must(t, "init", "spoiled", "--yes", "--owner", "Ned")
	w.write(t, "work/spoiled/ned-flanders/strategy.json", `{"strategy": "ned-flanders", "budget": -1}`)
	for _, line := range []string{"publish spoiled --check --json", "publish spoiled --target linux/amd64 --json"} {
		got := w.call(t, strings.Fields(line)...)
		if result, ok := asObject(decoded(t, line, got.out)); got.code != 1 || !ok || result["published"] != false || !strings.Contains(got.out, `"failure"`) {
			t.Errorf("%s: exit code %d\n%s%s", line, got.code, got.out, got.err)
		}
	}
	each(newRoot(&app{}), func(cmd *cobra.Command) {
		verb := strings.TrimPrefix(cmd.CommandPath(), "springfield ")
		switch is := tried[verb]; {
		case cmd.HasSubCommands() && verb != "loop", !cmd.Runnable() || cmd.Hidden || slices.Contains([]string{"springfield", "help", "completion"}, verb): // print text
		case cmd.Flag("json") == nil:
			t.Errorf("%s has no --json", verb)
		case !is[0] || !is[1]:
			t.Errorf("%s: called with success %v, with failure %v", verb, is[0], is[1])
		}
	})
}

// A call that is cancelled says so in JSON; what was printed before stays the result.
func TestCancelledJSON(t *testing.T) {
	var out, said strings.Builder
	s := &streams{out: &out, err: &said}
	if code := s.reportError(context.Canceled, true); code != 130 || out.String() != `{"error":"cancelled","hint":""}`+"\n" || said.Len() > 0 {
		t.Errorf("%d, %q, %q", code, out.String(), said.String())
	}
}

// absent are the places where null means that there is no such value; none is a list.
var absent = []string{".state", ".values[].default", ".values[].value"}

// decoded are the JSON values of a text, in which no list is null.
func decoded(t *testing.T, what, text string) (all []any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	for {
		var v any
		switch err := d.Decode(&v); err {
		case nil:
			if path := null(v, ""); path != "" && !slices.Contains(absent, path) {
				t.Errorf("%s: %s is null", what, path)
			}
			all = append(all, v)
		case io.EOF:
			return all
		default:
			t.Errorf("%s: %v\n%s", what, err, text)
			return all
		}
	}
}

// null is where a value has null, "" where it has none.
func null(v any, path string) string {
	switch v := v.(type) {
	case nil:
		return path
	case []any:
		for _, item := range v {
			if at := null(item, path+"[]"); at != "" {
				return at
			}
		}
	case map[string]any:
		for key, item := range v {
			if at := null(item, path+"."+key); at != "" {
				return at
			}
		}
	}
	return ""
}

func asObject(values []any) (map[string]any, bool) {
	if len(values) == 0 {
		return nil, false
	}
	object, ok := values[0].(map[string]any)
	return object, ok
}

// each calls a function with every command.
func each(cmd *cobra.Command, f func(*cobra.Command)) {
	f(cmd)
	for _, below := range cmd.Commands() {
		each(below, f)
	}
}
