package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// FuzzSettings edits any bytes in any order, as springfield and as a client that rewrites the file. A refusal has a
// reason and changes nothing, other members keep bytes and order, undo restores the bytes, and disabling all plugins
// restores the meaning.
func FuzzSettings(f *testing.F) {
	f.Add([]byte(`{"a": 1}`), "071575")
	f.Add([]byte(`{"a": 1}`), "07157545")
	f.Add([]byte(`{"a": 1}`), "0;0<12;97<8:444")
	for _, ops := range []string{"=", "=0", "0=2", "0=>2", "=02>", "6=3", "=63>", "7=8>", "=52>", "0=5>2", "=4", "0=2444", "6=3;", "=1=2>3"} {
		f.Add([]byte(`{"enabledPlugins": {"double-shot-latte@a": true}, "a": 1}`), ops)
	}
	for _, ops := range []string{"?0", "0?2", "@6", "6@3", "0@?24", "@5?", "?@444"} {
		f.Add([]byte(`{"env": {"A": "1"}, "enabledPlugins": {"x@y": true}}`), ops)
	}
	for i, ops := range []string{"0", "02", "04", "0123", "0132", "044", "052", "0525", "1053", "60", "6254", "07", "0714", "7244", "51423", "0612444", "53", "0055", "7157", "7989:8", "9716:82", "97444", "0<2", "0;23", "1<64"} {
		for j := range 2 {
			c := contents[(5*i+13*j)%len(contents)]
			f.Add([]byte(styles[(7*i+11*j)%len(styles)].lay(strings.ReplaceAll(c.text, suiteMark, `"/moved/away"`))), ops)
		}
	}
	for _, data := range []string{
		"", "\n", "\ufeff", "{}", "{ }\r\n", "// no\n{}", "[]", `{"enabledPlugins": []}`, `{"enabledPlugins": {}, "enabledPlugins": {}}`, `{"env": null}`,
		`{"extraKnownMarketplaces": {"hooks": {"source": {"source": "github", "repo": "a/b"}}}}`, `{"extraKnownMarketplaces": {"hooks": 1}}`, `{"a": tru`,
		`{"enabledPlugins": {"double-shot-latte@a": true, "double-shot-latte@a": false}}`, `{"env": {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": 7}}`,
	} {
		f.Add([]byte(data), "67")
		f.Add([]byte(data), "0523")
	}
	f.Fuzz(func(t *testing.T, data []byte, ops string) {
		if len(data) > 1<<16 || len(ops) > 16 {
			return // more of the same
		}
		checkHistory(t, newPlaces(t), string(data), ops)
	})
}

// checkHistory does what each character of ops stands for.
func checkHistory(t *testing.T, p client.Places, original, ops string) {
	path := p.Settings(client.User)
	put(t, path, original)
	ned, lisa, todo := pluginOf(p, "ned-flanders"), pluginOf(p, "lisa-simpson"), pluginOf(p, "todo-continuation")
	putBeside(t, todo)
	enabling := func(e Enabling) func() (journal.Change, error) {
		return func() (journal.Change, error) { return NewSettings(p).PlanEnable(e) }
	}
	disabling := func(plugin client.Plugin, scope client.Scope) func() (journal.Change, error) {
		return func() (journal.Change, error) { return NewSettings(p).PlanDisable(plugin, scope) }
	}
	undoing := func() (journal.Change, error) { plan, _, err := planUndo(p); return plan, err }
	plans := []func() (journal.Change, error){
		enabling(Enabling{Plugin: ned, Scope: client.User}),
		enabling(Enabling{Plugin: lisa, Scope: client.User, Keep: true}),
		disabling(ned, client.User),
		disabling(lisa, client.User),
		undoOp:    undoing,
		clientOp:  nil,
		6:         enabling(Enabling{Plugin: lisa, Scope: client.User, Declare: true, MaxContinues: 30}),
		7:         enabling(Enabling{Plugin: ned, Scope: client.Project, Declare: true, MaxContinues: 9}),
		8:         disabling(ned, client.Project),
		9:         enabling(Enabling{Plugin: lisa, Scope: client.Local, Declare: true, Keep: true}),
		10:        disabling(lisa, client.Local),
		deleteOp:  nil,
		withoutOp: nil,
		13:        enabling(Enabling{Plugin: todo, Scope: client.User, Declare: true, DecidesNothing: true}),
		14:        disabling(todo, client.User),
	}
	var before []map[string]string // what undo has to give back, by file, the newest last
	do := func(op int) error {
		was := settingsFiles(t, p)
		plan, err := plans[op]()
		if err == nil {
			err = Journal(p).ApplyChange(plan)
		}
		is := settingsFiles(t, p)
		if err != nil {
			checkRefused(t, original, ops, err)
			if !maps.Equal(was, is) {
				t.Fatalf("%q, %q: refused (%v), and yet %q became %q", original, ops, err, was, is)
			}
			return err
		}
		for file := range is {
			if !slices.Equal(theirs(was[file]), theirs(is[file])) {
				t.Fatalf("%q, %q: what is not ours has changed: %q became %q", original, ops, was, is)
			}
		}
		changes := map[string]string{}
		for _, e := range plan.Edits {
			if !e.State && e.Changes() {
				changes[e.Path] = was[e.Path]
			}
		}
		switch {
		case op == undoOp:
			maps.Copy(was, before[len(before)-1])
			if !maps.Equal(was, is) {
				t.Fatalf("%q, %q: undo gives %q, not %q", original, ops, is, was)
			}
			before = before[:len(before)-1]
		case !plan.IsEmpty():
			before = append(before, changes)
		}
		return nil
	}

	did := map[int]bool{}
	for _, c := range ops {
		op := int(c-'0') % len(plans)
		if c < '0' {
			op = 0
		}
		did[op] = true
		is := look(t, path)
		text, readable := reserialised(is, op == withoutOp)
		switch {
		case op == deleteOp && is != "(none)":
			must(t, os.Remove(path))
		case op == deleteOp:
		case op == clientOp || op == withoutOp:
			if readable {
				put(t, path, text)
			}
		default:
			_ = do(op) // a refusal has been looked at
		}
	}
	if !did[clientOp] && !did[deleteOp] && !did[withoutOp] {
		for do(undoOp) == nil {
		}
		is := settingsFiles(t, p)
		if is[path] != original || is[p.Settings(client.Project)] != "(none)" || is[p.Settings(client.Local)] != "(none)" {
			t.Fatalf("%q, %q: all undone, but it is %q", original, ops, is)
		}
		return
	}
	if did[undoOp] || did[deleteOp] || did[withoutOp] || on(original, ned.ID()) || on(original, lisa.ID()) || on(original, todo.ID()) {
		return // then other things may be left behind
	}
	for _, op := range []int{8, 10, 3, 2, 14} {
		if do(op) != nil {
			return // a refusal has been looked at
		}
	}
	if got := look(t, path); !reflect.DeepEqual(settled(got), settled(original)) {
		t.Fatalf("%q, %q: all disabled, but it is %q", original, ops, got)
	}
}

// putBeside adds a plugin to its suite that decides nothing at Stop.
func putBeside(t *testing.T, plugin client.Plugin) {
	t.Helper()
	for name, text := range map[string]string{
		".claude-plugin/marketplace.json":           `{"name": "hooks", "plugins": [{"name": "` + plugin.Name + `", "source": "./` + plugin.Name + `"}]}`,
		plugin.Name + "/.claude-plugin/plugin.json": `{"name": "` + plugin.Name + `"}`,
		plugin.Name + "/strategy.json":              `{"strategy": "todo-continuation"}`,
		plugin.Name + "/hooks/springfield-hook":     "",
		plugin.Name + "/hooks/hooks.json":           `{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/hooks/springfield-hook", "args": []}]}]}}`,
	} {
		put(t, filepath.Join(plugin.Suite, filepath.FromSlash(name)), text)
	}
}

// Disabling a plugin that decides restores its changes while one that decides nothing stays on.
func TestBesideStaysOn(t *testing.T) {
	p := newPlaces(t)
	path := p.Settings(client.User)
	const original = "{\n  \"enabledPlugins\": {\n    \"double-shot-latte@a\": true\n  }\n}\n"
	put(t, path, original)
	ned, todo := pluginOf(p, "ned-flanders"), pluginOf(p, "todo-continuation")
	putBeside(t, todo)
	do := func(plan journal.Change, err error) {
		t.Helper()
		must(t, err)
		must(t, Journal(p).ApplyChange(plan))
	}
	says := func(want map[string]bool, declared bool) {
		t.Helper()
		var is struct {
			EnabledPlugins         map[string]bool
			ExtraKnownMarketplaces map[string]any
			Env                    map[string]string
		}
		if err := json.Unmarshal([]byte(look(t, path)), &is); err != nil || !maps.Equal(is.EnabledPlugins, want) || (is.ExtraKnownMarketplaces != nil) != declared {
			t.Fatalf("%v\n%s", err, look(t, path))
		}
		scratch.Equal(t, is.Env != nil, want[ned.ID()], "env", is.Env)
	}
	do(NewSettings(p).PlanEnable(Enabling{Plugin: todo, Scope: client.User, Declare: true, DecidesNothing: true}))
	says(map[string]bool{"double-shot-latte@a": true, todo.ID(): true}, true)
	do(NewSettings(p).PlanEnable(Enabling{Plugin: ned, Scope: client.User, Declare: true, MaxContinues: 30}))
	says(map[string]bool{"double-shot-latte@a": false, doubleShotLatteOrigin: false, todo.ID(): true, ned.ID(): true}, true)
	do(NewSettings(p).PlanDisable(ned, client.User))
	says(map[string]bool{"double-shot-latte@a": true, todo.ID(): true}, true)
	do(NewSettings(p).PlanDisable(todo, client.User))
	scratch.Equal(t, look(t, path), original)
}

// Steps that checkHistory looks at.
const (
	undoOp    = 4
	clientOp  = 5  // the client writes the file anew
	deleteOp  = 11 // another program deletes it
	withoutOp = 12 // the client writes it without any plugins
)

// settingsFiles returns the contents of every scope's file by path.
func settingsFiles(t *testing.T, p client.Places) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, s := range client.AllScopes() {
		path := p.Settings(s)
		all[path] = look(t, path)
	}
	return all
}

func checkRefused(t *testing.T, original, ops string, err error) {
	var syntax *document.SyntaxError
	var changed *journal.ChangedSinceError
	var conflict *client.NameTakenError
	switch {
	case errors.As(err, &syntax):
		if syntax.Line < 1 || syntax.Column < 1 {
			t.Fatalf("%q, %q: %v has no place", original, ops, err)
		}
	case errors.Is(err, journal.ErrNothingToUndo), errors.As(err, &changed), errors.As(err, &conflict):
	case strings.Contains(err.Error(), " stays enabled "):
	case strings.Contains(err.Error(), doubleShotLatte) && strings.Contains(err.Error(), "is not UTF-8"):
		// Two such plugins could be confused.
	default:
		t.Fatalf("%q, %q: %v", original, ops, err)
	}
}

// reserialised returns the file as the client rewrites it: keys sorted, no BOM, a member of its own.
func reserialised(data string, without bool) (string, bool) {
	d := json.NewDecoder(strings.NewReader(strings.TrimPrefix(data, "\ufeff")))
	d.UseNumber()
	var all map[string]any
	if d.Decode(&all) != nil || all == nil || d.More() {
		return "", false
	}
	all["numStartups"] = len(data)
	if without {
		delete(all, "enabledPlugins")
	}
	text, err := json.MarshalIndent(all, "", "  ")
	return string(text) + "\n", err == nil
}

// shared are the objects with members of springfield's and of others.
var shared = []string{"enabledPlugins", "env", "extraKnownMarketplaces"}

// isOurs reports whether springfield may set a member.
func isOurs(object, key string) bool {
	switch object {
	case "enabledPlugins":
		return strings.HasPrefix(key, "double-shot-latte@") || key == "ned-flanders@hooks" || key == "lisa-simpson@hooks" || key == "todo-continuation@hooks"
	case "env":
		return key == "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"
	case "extraKnownMarketplaces":
		return key == "hooks"
	}
	return false
}

// theirs returns every member that springfield may not set, as it is written, in order.
func theirs(data string) (all []string) {
	for _, m := range membersOf(data) {
		inside := membersOf(m.value)
		if !slices.Contains(shared, m.key) || inside == nil {
			all = append(all, m.key+m.value)
		}
		for _, inner := range inside {
			if slices.Contains(shared, m.key) && !isOurs(m.key, inner.key) {
				all = append(all, m.key+inner.key+inner.value)
			}
		}
	}
	return all
}

type member struct{ key, value string }

// membersOf reads the members of an object. It returns nil for another value.
func membersOf(text string) []member {
	d := json.NewDecoder(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	if open, _ := d.Token(); open != json.Delim('{') {
		return nil
	}
	all := []member{}
	for d.More() {
		key, _ := d.Token()
		var value json.RawMessage
		if d.Decode(&value) != nil {
			break // a file that is refused
		}
		all = append(all, member{fmt.Sprint(key), string(value)})
	}
	return all
}

// settled returns the meaning of settings without the client's member and empty objects.
func settled(data string) map[string]any {
	all := meaning(data)
	delete(all, "numStartups")
	for _, name := range shared {
		if object, ok := all[name].(map[string]any); ok && len(object) == 0 {
			delete(all, name)
		}
	}
	return all
}
