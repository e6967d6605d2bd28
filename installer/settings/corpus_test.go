package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// Settings files as people and programs write them. Each is edited and restored to the byte, or refused with the
// place. The tests of document have more layouts, in which an edit keeps all other bytes.

// settingsKind is one kind of settings file.
type settingsKind struct {
	name string
	data string // "(none)": no file; suiteMark stands for the suite's directory

	refused      bool
	line, column int // where the refusal points; 0, 0: nowhere
	userOnly     bool
}

// suiteMark stands for the directory of the suite, as a JSON string.
const suiteMark = `"SUITE-DIRECTORY"`

// contents is what settings say, written tight.
var contents = []struct{ name, text string }{
	{"nothing of ours", `{"model":"opus","permissions":{"allow":["Bash(ls:*)","Read"],"deny":[]}}`},
	{"one member", `{"model":"opus"}`},
	{"one object", `{"permissions":{"allow":["Read"]}}`},
	{"plugins empty", `{"enabledPlugins":{},"model":"opus"}`},
	{"plugins blank", `{"model":"opus","enabledPlugins":{ }}`},
	{"plugins on two lines", "{\"model\":\"opus\",\"enabledPlugins\":{\n}}"},
	{"other plugins", `{"enabledPlugins":{"x@y":true,"a.b@c":false,"v@w":["1.0","^2"]},"model":"opus"}`},
	{"one other plugin", `{"model":"opus","enabledPlugins":{"x@y":true}}`},
	{"latte on", `{"enabledPlugins":{"double-shot-latte@superpowers-marketplace":true,"x@y":true},"model":"opus"}`},
	{"latte off", `{"enabledPlugins":{"x@y":true,"double-shot-latte@superpowers-marketplace":false}}`},
	{"latte by version", `{"enabledPlugins":{"double-shot-latte@superpowers-marketplace":["1.2.0","^2"]}}`},
	{"several lattes", `{"enabledPlugins":{"double-shot-latte@here":true,"double-shot-latte@there":false,"x@y":true,"double-shot-latte@else.where":["1"]}}`},
	{"plugin on", `{"model":"opus","enabledPlugins":{"ned-flanders@hooks":true,"x@y":true}}`},
	{"plugin on, latte off", `{"enabledPlugins":{"ned-flanders@hooks":true,"double-shot-latte@superpowers-marketplace":false}}`},
	{"plugin off, latte on", `{"enabledPlugins":{"ned-flanders@hooks":false,"double-shot-latte@superpowers-marketplace":true}}`},
	{"plugin off, other one on", `{"enabledPlugins":{"ned-flanders@hooks":false,"lisa-simpson@hooks":true}}`},
	{"plugin by version", `{"enabledPlugins":{"ned-flanders@hooks":["1.0.0","^2"]},"model":"opus"}`},
	{"plugin from elsewhere", `{"enabledPlugins":{"ned-flanders@elsewhere":true}}`},
	{"env", `{"env":{"A":"1","B":"a && b"},"model":"opus"}`},
	{"env empty", `{"env":{},"enabledPlugins":{}}`},
	{"cap low", `{"env":{"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP":"5","Z":"z"}}`},
	{"cap high", `{"env":{"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP":"100"}}`},
	{"cap off", `{"env":{"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP":"0"},"model":"opus"}`},
	{"cap no number", `{"env":{"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP":"many"}}`},
	{"marketplaces empty", `{"extraKnownMarketplaces":{},"model":"opus"}`},
	{"other marketplaces", `{"extraKnownMarketplaces":{"m":{"source":{"source":"github","repo":"a/b"}}},"model":"opus"}`},
	{"declared", `{"extraKnownMarketplaces":{"hooks":{"source":{"source":"directory","path":` + suiteMark + `}}}}`},
	{"declared and gone", `{"extraKnownMarketplaces":{"hooks":{"source":{"source":"directory","path":"/moved/away"},"autoUpdate":true},"m":{"source":{"source":"github","repo":"a/b"}}}}`},
	{"escapes", `{"caf\u00e9":"\u0041\/\ud83d\ude00\b\f\n\r\t\"\\","enabledPlugins":{"x\u0040y":true},"<&>":"\u003c&\u003e"}`},
	{"our keys escaped", `{"\u0065nabledPlugins":{"ned-flanders\u0040hooks":false,"double\u002dshot-latte@superpowers-marketplace":true},"e\u006ev":{"A":"1"},"\u0065xtraKnownMarketplaces":{"m":{}}}`},
	{"numbers", `{"a":1.0,"b":1e400,"c":12345678901234567890123,"d":-0,"e":1E+2,"f":0.10,"enabledPlugins":{"x@y":true},"g":-1.5e-9}`},
	{"odd keys", `{"":1,"a.b@c":{"":{}},"__proto__":{"x":1},"constructor":null,"a b":[],"*":"?","enabledPlugins":{"":true,".":true,"@":false,"__proto__":true}}`},
	{"unicode", `{"ключ":"значение","🦄":"é","\u2028":" ","enabledPlugins":{"плагин@рынок":true}}`},
	{"lone surrogates", `{"a":"\ud800","\udc00":1,"enabledPlugins":{"\ud800":true,"x\udfff@y":false}}`},
	{"duplicates elsewhere", `{"x":1,"x":2,"permissions":{"allow":[],"allow":["Read"]},"enabledPlugins":{"x@y":true,"x@y":false}}`},
	{"lookalikes", `{"ENABLEDPLUGINS":[],"enabledplugins":"x","hooks":{"enabledPlugins":7},"text":"{\"enabledPlugins\": {}}","env ":1}`},
	{"hooks", `{"hooks":{"Stop":[{"matcher":"","hooks":[{"type":"command","command":"a && b < c > d","timeout":30}]}]},"x":[[],[[]],{},[{}]]}`},
}

// style is a layout of settings.
type style struct{ name, mark, newline, unit string }

var styles = []style{
	{name: "tight"},
	{name: "two spaces", newline: "\n", unit: "  "},
	{name: "tab", newline: "\n", unit: "\t"},
	{name: "no indent", newline: "\n"},
	{name: "CRLF", newline: "\r\n", unit: "  "},
	{name: "BOM, CRLF", newline: "\r\n", unit: "    ", mark: "\ufeff"},
}

func (s style) lay(text string) string {
	if s.newline == "" {
		return text
	}
	var lines bytes.Buffer
	if err := json.Indent(&lines, []byte(text), "", s.unit); err != nil {
		panic(err)
	}
	return s.mark + strings.ReplaceAll(lines.String()+"\n", "\n", s.newline)
}

// acceptedKinds are to be edited.
func acceptedKinds() []settingsKind {
	var kinds []settingsKind
	for _, s := range styles {
		for _, c := range contents {
			kinds = append(kinds, settingsKind{name: c.name + ", " + s.name, data: s.lay(c.text)})
		}
	}
	pairs := len(kinds)
	for name, data := range map[string]string{
		"no file": "(none)", "no bytes": "", "a newline": "\n", "blanks": " \t\r\n\n ", "a BOM": "\ufeff", "a BOM and a line": "\ufeff\r\n",
		"empty object": "{}", "empty object, newline": "{}\n", "empty object, CRLF": "{}\r\n", "blank object": "{ }\n", "object on two lines": "{\n}\n",
		"object on two lines, CRLF": "{\r\n}\r\n", "object with a blank line": "{\n\n}", "empty object after blanks": "\n\n  {}", "empty object, BOM": "\ufeff{}",
		"comma at line end with blanks": "{\n  \"a\": 1 ,  \n  \"b\": 2  \n}\n",
		"two on a line":                 "{\n  \"a\": 1, \"b\": 2,\n  \"c\": 3, \"d\": 4\n}\n",
		"brace behind the last":         "{\"a\": 1,\n \"b\": 2}\n",
		"brace before the first":        "{ \"a\": 1,\n  \"b\": 2\n}\n",
		"mixed line ends":               "{\r\n  \"a\": 1,\n  \"b\": {\r\n    \"c\": 2\n  }\r\n}\n",
		"mixed indents":                 "{\n\t\"a\": {\n  \"b\": 1},\n      \"enabledPlugins\": {\n \"x@y\": true }}",
		"staircase":                     "{\"a\":\n {\"b\":\n  {\"c\":\n   1}}}",
		"plugins filled oddly":          "{\n  \"enabledPlugins\": { \"x@y\": true,\n    \"z@y\":false}, \"model\"\n:\n\"opus\" }",
		"escaped quote at the end":      "{\"a\": \"\\\\\\\"\"}",
		"braces in strings":             "{\n  \"}{\": \"]},{\\\"\",\n  \"//\": \"/* # */\"\n}\n",
		"99 levels":                     `{"a":` + strings.Repeat("[", 98) + strings.Repeat("]", 98) + `}`,
		"100 levels":                    `{"a":` + strings.Repeat(`{"a":`, 98) + "[]" + strings.Repeat("}", 98) + "}\n",
		"a long line":                   `{"a": "` + strings.Repeat("0123456789", 20_000) + `"}`,
		"a large file":                  bigSettings(1<<20, "\n  },\n  \"allow\": [1", ",\n    \"Bash(command-%d:*)\"", "]\n"),
	} {
		kinds = append(kinds, settingsKind{name: name, data: data})
	}
	slices.SortStableFunc(kinds[pairs:], func(a, b settingsKind) int { return strings.Compare(a.name, b.name) })
	return kinds
}

// fewKinds returns a part of the kinds, for tests with many steps.
func fewKinds() (few []settingsKind) {
	for i, k := range acceptedKinds() {
		chosen := i%19 == 0 || strings.HasPrefix(k.name, "no ")
		if chosen && !on(k.data, "ned-flanders@hooks") && !strings.Contains(k.data, suiteMark) { // what is on already stays on
			few = append(few, k)
		}
	}
	return few
}

// placeMark precedes the character that a refusal names.
const placeMark = "▶"

// refusedKinds must be left alone, with the marked place in the error. TestParseRefuses of document has more.
func refusedKinds() []settingsKind {
	var kinds []settingsKind
	add := func(name, marked string) {
		k := settingsKind{name: name, refused: true}
		before, after, ok := strings.Cut(marked, placeMark)
		if !ok {
			panic(name + " has no mark")
		}
		k.data = before + after
		before = strings.TrimPrefix(before, "\ufeff")
		k.line = 1 + strings.Count(before, "\n")
		k.column = 1 + len([]rune(before[strings.LastIndexByte(before, '\n')+1:]))
		kinds = append(kinds, k)
	}
	for name, marked := range map[string]string{
		"line comment":           "{\n  ▶// ours\n  \"model\": \"opus\"\n}\n",
		"array":                  "▶[]",
		"plugins an array":       "{\n  \"enabledPlugins\": ▶[\"ned-flanders@hooks\"]\n}\n",
		"plugins null":           "{\"enabledPlugins\": ▶null}",
		"plugins twice":          "{\n  \"enabledPlugins\": {},\n  ▶\"enabledPlugins\": {}\n}\n",
		"plugins twice, escaped": "{\n  \"enabledPlugins\": {},\n  \"model\": \"opus\", ▶\"\\u0065nabledPlugins\": {}\n}\n",
		"plugin twice":           "{\"enabledPlugins\": {\"ned-flanders@hooks\": true, ▶\"ned-flanders@hooks\": false}}",
		"plugin twice, escaped":  "{\"enabledPlugins\": {\"ned-flanders@hooks\": true, ▶\"ned-flanders\\u0040hooks\": true}}",
		"latte twice":            "{\"enabledPlugins\": {\n  \"double-shot-latte@superpowers-marketplace\": true,\n  ▶\"double-shot-latte@superpowers-marketplace\": true}}",
		"env an array":           "{\"env\": ▶[]}",
		"env twice":              "{\"env\": {},\n▶\"env\": {\"A\": \"1\"}}",
		"cap twice":              "{\"env\": {\"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP\": \"1\", ▶\"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP\": \"2\"}}",
	} {
		add(name, marked)
	}
	marketplaces := len(kinds)
	for name, marked := range map[string]string{
		"marketplaces an array": "{\"extraKnownMarketplaces\": ▶[]}",
		"marketplaces twice":    "{\"extraKnownMarketplaces\": {}, ▶\"extraKnownMarketplaces\": {}}",
		"marketplace twice":     "{\"extraKnownMarketplaces\": {\"hooks\": {}, ▶\"hooks\": {}}}",
	} {
		add(name, marked)
	}
	for i := range kinds[marketplaces:] {
		kinds[marketplaces+i].userOnly = true // no other scope has them edited
	}
	kinds = append(kinds,
		settingsKind{name: "larger than 8 MiB", data: "{}" + strings.Repeat(" ", document.MaxSize-1), refused: true},
		settingsKind{name: "8 MiB, and more with ours", data: "{}" + strings.Repeat("\n", document.MaxSize-2), refused: true},
	)
	slices.SortStableFunc(kinds, func(a, b settingsKind) int { return strings.Compare(a.name, b.name) })
	return kinds
}

func TestCorpusIsEdited(t *testing.T) {
	for i, k := range acceptedKinds() {
		// Each content and each style meets all scopes and ways; all combinations take minutes.
		scope, way := client.AllScopes()[i%3], i%4
		t.Run(fmt.Sprintf("%s/%s/%d", k.name, scope, way), func(t *testing.T) {
			t.Parallel()
			e := Enabling{Scope: scope, Declare: way != 0, Keep: way%2 == 1}
			if way >= 2 {
				e.MaxContinues = 30
			}
			checkEdited(t, k, e)
		})
	}
}

func checkEdited(t *testing.T, k settingsKind, e Enabling) {
	p := newPlaces(t)
	path, user := p.Settings(e.Scope), p.Settings(client.User)
	suite, err := json.Marshal(pluginOf(p, "").Suite)
	must(t, err)
	before := strings.ReplaceAll(k.data, suiteMark, string(suite))
	if before != "(none)" {
		put(t, path, before)
	}
	userBefore := look(t, user)
	ask := func(name string) journal.Change {
		t.Helper()
		e := e
		e.Plugin = pluginOf(p, name)
		plan, err := NewSettings(p).PlanEnable(e)
		must(t, err)
		must(t, Journal(p).ApplyChange(plan))
		return plan
	}
	want := func(what, wanted string) {
		t.Helper()
		if got := look(t, path); got != wanted {
			t.Fatalf("%s:\n%q, want\n%q", what, clip(got), clip(wanted))
		}
	}
	original := func(what string) {
		t.Helper()
		want(what, before)
		if got := look(t, user); got != userBefore {
			t.Fatalf("%s: user settings are %q, want %q", what, clip(got), clip(userBefore))
		}
	}
	entries := func(n int) {
		t.Helper()
		if all, err := Journal(p).ReadEntries(); err != nil || len(all) != n {
			t.Fatalf("%d entries in the journal, %v, want %d", len(all), err, n)
		}
	}
	e.Plugin = pluginOf(p, "ned-flanders")
	changes := plannedFor(before, e)

	first := ask("ned-flanders")
	enabled := look(t, path)
	checkMeaning(t, before, enabled, changes)
	if len(changes) == 0 && (!e.Declare || e.Scope == client.User) {
		if !first.IsEmpty() {
			t.Fatalf("there is nothing to do, and yet:\n%s", first.Diff())
		}
		entries(0)
		// springfield did not enable it, so disable restores nothing.
		disable(t, p, e.Plugin, e.Scope)
		checkMeaning(t, before, look(t, path), []plannedChange{{[]string{"enabledPlugins", e.Plugin.ID()}, false}})
		undo(t, p)
		original("disabled and undone")
		return
	}
	entries(1)
	if again := ask("ned-flanders"); !again.IsEmpty() {
		t.Fatalf("enabling twice changes:\n%s", again.Diff())
	}
	want("enabled twice", enabled)
	entries(1)

	undo(t, p)
	original("enabled and undone")
	entries(0)
	noMemory(t, p)

	ask("ned-flanders")
	want("enabled again", enabled)
	if len(changes) == 0 {
		return // only the marketplace is declared: the plugin is on for another reason
	}
	userEnabled := look(t, user)
	if e.Declare {
		scratch.Holds(t, "user settings declare the marketplace", userEnabled, e.Plugin.Suite)
	}
	disable(t, p, e.Plugin, e.Scope)
	original("enabled and disabled")
	noMemory(t, p)
	undo(t, p)
	want("the disabling undone", enabled)
	if got := look(t, user); got != userEnabled {
		t.Fatalf("the disabling undone: user settings are %q, want %q", clip(got), clip(userEnabled))
	}
	disable(t, p, e.Plugin, e.Scope)
	original("disabled once more")

	if e.Keep && on(before, "lisa-simpson@hooks") {
		return // enabling it changes nothing, so disabling it has nothing to give back
	}
	ask("ned-flanders")
	ask("lisa-simpson")
	disable(t, p, pluginOf(p, "lisa-simpson"), e.Scope)
	if e.Keep {
		want("two enabled, the second disabled, the first kept", enabled)
		disable(t, p, e.Plugin, e.Scope)
	}
	original("two enabled, the second disabled")
	noMemory(t, p)
}

// on reports whether settings switch a plugin on.
func on(data, id string) bool {
	is, found := lookUp(meaning(data), "enabledPlugins", id)
	return found && is != false
}

func noMemory(t *testing.T, p client.Places) {
	t.Helper()
	left, err := filepath.Glob(p.StatePath("edits", "*.json")) // a kill may leave a .tmp
	if err != nil || len(left) > 0 {
		t.Fatalf("still remembered: %v, %v", left, err)
	}
}

func clip(text string) string {
	if len(text) > 2000 {
		return text[:1000] + " … " + text[len(text)-1000:]
	}
	return text
}

func TestCorpusIsRefused(t *testing.T) {
	for _, k := range refusedKinds() {
		for _, scope := range client.AllScopes() {
			if k.userOnly && scope != client.User {
				continue
			}
			t.Run(k.name+"/"+string(scope), func(t *testing.T) {
				p := newPlaces(t)
				path := p.Settings(scope)
				put(t, path, k.data)
				before := everything(t, p)
				_, err := NewSettings(p).PlanEnable(Enabling{Plugin: pluginOf(p, "ned-flanders"), Scope: scope, Declare: true, MaxContinues: 30})
				if err == nil {
					t.Fatal("it was not refused")
				}
				scratch.Holds(t, "the error", err.Error(), path)
				var syntax *document.SyntaxError
				scratch.Equal(t, errors.As(err, &syntax), k.line > 0, err, "a place", k.line > 0)
				if syntax != nil && (syntax.Line != k.line || syntax.Column != k.column) {
					t.Errorf("%v, want line %d, column %d", err, k.line, k.column)
				}
				if k.line > 0 && !strings.Contains(err.Error(), fmt.Sprintf("line %d, column %d: ", k.line, k.column)) {
					t.Errorf("%v does not say line %d, column %d", err, k.line, k.column)
				}
				if plan, err := NewSettings(p).PlanDisable(pluginOf(p, "ned-flanders"), scope); err == nil && !plan.IsEmpty() {
					t.Errorf("disabling would change:\n%s", clip(plan.Diff()))
				}
				if after := everything(t, p); !reflect.DeepEqual(before, after) {
					t.Errorf("%d files before, %d after, or other bytes", len(before), len(after))
				}
			})
		}
	}
}

// everything returns every file below these places.
func everything(t *testing.T, p client.Places) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, path := range scratch.ListFiles(t, filepath.Dir(p.Home)) {
		all[path] = look(t, path)
	}
	return all
}

// plannedChange is one member that an edit sets.
type plannedChange struct {
	path  []string
	value any
}

// plannedFor returns the members that enabling changes in the scope's own file.
func plannedFor(before string, e Enabling) []plannedChange {
	var changes []plannedChange
	settings := meaning(before)
	set := func(value any, path ...string) {
		if is, found := lookUp(settings, path...); !found || !reflect.DeepEqual(is, value) {
			changes = append(changes, plannedChange{path, value})
		}
	}
	set(true, "enabledPlugins", e.Plugin.ID())
	plugins, _ := settings["enabledPlugins"].(map[string]any)
	if is, found := plugins[doubleShotLatteOrigin]; e.Scope == client.User || found && is != false {
		set(false, "enabledPlugins", doubleShotLatteOrigin)
	}
	for id := range plugins {
		if strings.HasPrefix(id, "double-shot-latte@") && id != doubleShotLatteOrigin {
			set(false, "enabledPlugins", id)
		}
	}
	if e.MaxContinues > 0 {
		honours := 8
		is, _ := lookUp(settings, "env", "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP")
		if n, err := strconv.Atoi(fmt.Sprint(is)); err == nil {
			honours = n
		}
		if 0 < honours && honours < e.MaxContinues {
			set(strconv.Itoa(e.MaxContinues), "env", "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP")
		}
	}
	if e.Declare && e.Scope == client.User {
		set(map[string]any{"source": map[string]any{"source": "directory", "path": e.Plugin.Suite}}, "extraKnownMarketplaces", "hooks")
	}
	return changes
}

// checkMeaning checks that after is before with only these changes.
func checkMeaning(t *testing.T, before, after string, changes []plannedChange) {
	t.Helper()
	if len(changes) == 0 && before != after {
		t.Fatalf("nothing was to change, but %q became %q", clip(before), clip(after))
	}
	want := meaning(before)
	for _, c := range changes {
		object := want
		for _, key := range c.path[:len(c.path)-1] {
			if object[key] == nil {
				object[key] = map[string]any{}
			}
			object = object[key].(map[string]any)
		}
		object[c.path[len(c.path)-1]] = c.value
	}
	if !reflect.DeepEqual(meaning(after), want) {
		t.Fatalf("%q became %q, want the meaning of %v", clip(before), clip(after), want)
	}
}

// meaning decodes settings. Without an object nothing is meant.
func meaning(data string) map[string]any {
	all := map[string]any{}
	d := json.NewDecoder(strings.NewReader(strings.TrimPrefix(data, "\ufeff")))
	d.UseNumber()
	if d.Decode(&all) != nil || all == nil {
		return map[string]any{}
	}
	return all
}

func lookUp(settings map[string]any, path ...string) (value any, found bool) {
	for i, key := range path {
		if value, found = settings[key]; i < len(path)-1 {
			settings, _ = value.(map[string]any)
		}
	}
	return value, found
}

// bigSettings returns settings of about a size.
func bigSettings(size int, head, each, tail string) string {
	var b strings.Builder
	b.WriteString("{\n  \"enabledPlugins\": {\n    \"double-shot-latte@superpowers-marketplace\": true" + head)
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, each, i)
	}
	return b.String() + tail + "}\n"
}

// Eight times the file allocates about eight times the memory: the work is linear.
func TestWorkGrowsWithTheFile(t *testing.T) {
	for _, test := range []struct{ name, head, each, tail string }{
		{"plugins", "", ",\n    \"plugin-%07d@market\": true", "\n  }\n"},
		{"members", "\n  }", ",\n  \"member-%07d\": {\"a\": [1, 2.5, \"x\"]}", "\n"},
		{"one line", "}", ",\"member-%07d\":{\"a\":[1,2.5,\"x\"]}", ""},
		{"permissions", "\n  },\n  \"permissions\": {\"allow\": [\"x\"", ", \"Bash(command-%07d)\"", "]}\n"},
		{"marketplaces", "\n  },\n  \"extraKnownMarketplaces\": {\"x\": {}", ", \"m-%07d\": {\"source\": {\"source\": \"github\", \"repo\": \"o/r\"}}", "}\n"},
		{"variables", "\n  },\n  \"env\": {\"x\": \"\"", ", \"X%07d\": \"\\u00e9\"", "}\n"},
		{"a text", "\n  },\n  \"x\": \"", "abcdefgh%07d", "\"\n"},
	} {
		if scratch.Skipped(8) {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			work := func(size int) (bytes, objects float64) {
				p := newPlaces(t)
				put(t, p.Settings(client.User), bigSettings(size, test.head, test.each, test.tail))
				put(t, p.Settings(client.Project), bigSettings(size, test.head, test.each, test.tail))
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				enable(t, p, pluginOf(p, "ned-flanders"), client.Project, true)
				disable(t, p, pluginOf(p, "ned-flanders"), client.Project)
				runtime.ReadMemStats(&after)
				return float64(after.TotalAlloc - before.TotalAlloc), float64(after.Mallocs - before.Mallocs)
			}
			const small, times = 64 << 10, 8
			bytes, objects := work(small)
			moreBytes, moreObjects := work(times * small)
			t.Logf("%.1f times the bytes, %.1f times the objects", moreBytes/bytes, moreObjects/objects)
			if moreBytes > 1.5*times*bytes || moreObjects > 1.5*times*objects {
				t.Errorf("%d times the file takes %.1f times the bytes and %.1f times the objects", times, moreBytes/bytes, moreObjects/objects)
			}
		})
	}
}

func pluginOf(p client.Places, name string) client.Plugin {
	return client.Plugin{Name: name, Marketplace: "hooks", Suite: filepath.Join(p.Work, "hooks")}
}

func planUndo(p client.Places) (journal.Change, journal.Entry, error) {
	u, err := Journal(p).PlanUndo()
	return u.Change, u.Entry, err
}

var must, put, look, link = scratch.Must, scratch.PutFile, scratch.ReadOrNone, scratch.MustLink
