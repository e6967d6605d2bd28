package installer

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// FuzzSettings takes any bytes for a settings file and has it edited in any
// order, by springfield and by a client that writes the whole file anew.
//
// What must hold whatever happens: a refusal has a reason and changes nothing;
// what is not springfield's stays, byte for byte and in its order; undo gives
// the bytes back that were there before the edit; and when all is disabled,
// the settings mean what they meant at first.
func FuzzSettings(f *testing.F) {
	f.Add([]byte(`{"a": 1}`), "071575")
	f.Add([]byte(`{"a": 1}`), "07157545")
	for i, ops := range []string{"0", "02", "04", "0123", "0132", "044", "052", "0525", "1053", "60", "6254", "07", "0714", "7244", "51423", "0612444", "53", "0055", "7157"} {
		for j := range 3 {
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
		if len(data) > 1<<16 || len(ops) > 12 {
			return // more of the same
		}
		checkHistory(t, newPlaces(t), string(data), ops)
	})
}

// foreignEdit is the step at which the client writes.
const foreignEdit = 5

// checkHistory does what each character of ops stands for.
func checkHistory(t *testing.T, p Places, original, ops string) {
	path := settingsOf(t, p, User)
	put(t, path, original)
	ned, lisa := p.plugin("ned-flanders"), p.plugin("lisa-simpson")
	plans := []func() (Plan, error){
		func() (Plan, error) { return PlanEnable(p, Enabling{Plugin: ned, Scope: User}) },
		func() (Plan, error) { return PlanEnable(p, Enabling{Plugin: lisa, Scope: User, Keep: true}) },
		func() (Plan, error) { return PlanDisable(p, ned, User) },
		func() (Plan, error) { return PlanDisable(p, lisa, User) },
		func() (Plan, error) { plan, _, err := PlanUndo(p); return plan, err },
		foreignEdit: nil,
		6: func() (Plan, error) {
			return PlanEnable(p, Enabling{Plugin: lisa, Scope: User, Declare: true, Rounds: 30})
		},
		7: func() (Plan, error) {
			return PlanEnable(p, Enabling{Plugin: ned, Scope: Project, Declare: true, Rounds: 9})
		},
	}
	project := settingsOf(t, p, Project)
	var before []map[string]string // what undo has to give back, by file, the newest last
	foreign, undone := false, false
	do := func(op int) error {
		was, wasProject := look(t, path), look(t, project)
		plan, err := plans[op]()
		changes := map[string]string{}
		for _, e := range plan.edits {
			changes[e.file.Asked] = map[string]string{path: was, project: wasProject}[e.file.Asked]
		}
		if err == nil {
			err = plan.Apply(p)
		}
		is, isProject := look(t, path), look(t, project)
		if err != nil {
			checkRefused(t, original, ops, err)
			if is != was || isProject != wasProject {
				t.Fatalf("%q, %q: refused (%v), and yet %q became %q, and %q %q", original, ops, err, was, is, wasProject, isProject)
			}
			return err
		}
		if !bytes.Equal(theirs(was), theirs(is)) {
			t.Fatalf("%q, %q: what is not ours has changed: %q became %q", original, ops, was, is)
		}
		switch {
		case op == 4:
			wanted := map[string]string{path: was, project: wasProject}
			maps.Copy(wanted, before[len(before)-1])
			if is != wanted[path] || isProject != wanted[project] {
				t.Fatalf("%q, %q: undo gives %q and %q, not %q", original, ops, is, isProject, wanted)
			}
			before, undone = before[:len(before)-1], true
		case plan.Changes():
			before = append(before, changes)
		}
		return nil
	}

	for _, c := range ops {
		op := int(c) % len(plans)
		if op != foreignEdit {
			_ = do(op) // a refusal has been looked at
			continue
		}
		if text, ok := reserialised(look(t, path)); ok {
			foreign = true
			put(t, path, text)
		}
	}
	if !foreign {
		for do(4) == nil {
		}
		if got, gotProject := look(t, path), look(t, project); got != original || gotProject != "(none)" {
			t.Fatalf("%q, %q: all undone, but it is %q, and the project's %q", original, ops, got, gotProject)
		}
		return
	}
	if undone || on(validOr(original), ned.ID()) || on(validOr(original), lisa.ID()) {
		return // undoing and switching off by hand leave other things behind
	}
	if disableEverywhere(p, ned) != nil || do(3) != nil || do(2) != nil {
		return // a refusal has been looked at
	}
	if got := look(t, path); !reflect.DeepEqual(settled(got), settled(original)) {
		t.Fatalf("%q, %q: all disabled, but it is %q", original, ops, got)
	}
}

// disableEverywhere is what leaves nothing of a project behind in user settings.
func disableEverywhere(p Places, plugin Plugin) error {
	plan, err := PlanDisable(p, plugin, Project)
	if err == nil {
		err = plan.Apply(p)
	}
	return err
}

func checkRefused(t *testing.T, original, ops string, err error) {
	var syntax *SyntaxError
	var changed *ChangedSinceError
	var conflict *ConflictError
	switch {
	case errors.As(err, &syntax):
		if syntax.Line < 1 || syntax.Column < 1 {
			t.Fatalf("%q, %q: %v has no place", original, ops, err)
		}
	case errors.Is(err, ErrNothingToUndo), errors.As(err, &changed), errors.As(err, &conflict):
	case strings.Contains(err.Error(), latte) && strings.Contains(err.Error(), "is not UTF-8"):
		// Of two such plugins one could be taken for the other.
	default:
		t.Fatalf("%q, %q: %v", original, ops, err)
	}
}

// validOr is the text, or an empty object where there is nothing to read.
func validOr(data string) string {
	if json.Valid([]byte(strings.TrimPrefix(data, "\ufeff"))) {
		return data
	}
	return "{}"
}

// reserialised is what the client makes of a file: keys in another order, two
// spaces, no BOM, and a member of its own.
func reserialised(data string) (string, bool) {
	d := json.NewDecoder(strings.NewReader(strings.TrimPrefix(data, "\ufeff")))
	d.UseNumber()
	var all map[string]any
	if d.Decode(&all) != nil || all == nil || d.More() {
		return "", false
	}
	all["numStartups"] = len(data)
	text, err := json.MarshalIndent(all, "", "  ")
	return string(text) + "\n", err == nil
}

// shared are the objects that hold what is springfield's beside what is not.
var shared = []string{"enabledPlugins", "env", "extraKnownMarketplaces"}

// isOurs tells whether springfield may set a member.
func isOurs(object, key string) bool {
	switch object {
	case "enabledPlugins":
		return strings.HasPrefix(key, "double-shot-latte@") || key == "ned-flanders@hooks" || key == "lisa-simpson@hooks"
	case "env":
		return key == "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"
	case "extraKnownMarketplaces":
		return key == "hooks"
	}
	return false
}

// theirs is the text of every member that springfield may not set, in order.
func theirs(data string) []byte {
	var b bytes.Buffer
	for _, m := range root(validOr(data)).members {
		if !m.object() || !slices.Contains(shared, m.key) {
			b.WriteString(m.rawKey + m.text() + "\n")
			continue
		}
		for _, inner := range m.members {
			if !isOurs(m.key, inner.key) {
				b.WriteString(m.rawKey + inner.rawKey + inner.text() + "\n")
			}
		}
	}
	return b.Bytes()
}

// settled is what settings mean apart from what the client has added and from
// objects that say nothing.
func settled(data string) map[string]any {
	all := map[string]any{}
	if data == "(none)" {
		return all
	}
	d := json.NewDecoder(strings.NewReader(strings.TrimPrefix(data, "\ufeff")))
	d.UseNumber()
	_ = d.Decode(&all) // without content nothing is meant
	delete(all, "numStartups")
	for _, name := range shared {
		if object, ok := all[name].(map[string]any); ok && len(object) == 0 {
			delete(all, name)
		}
	}
	return all
}
