package hosts

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// oracle is one host's settings, on which edits are made as enable, disable and undo make
// them, with a command of the host that writes the file anew each time.
type oracle struct {
	t      *testing.T
	host   Host
	at     Place
	places client.Places
	was    []map[string]string // before each edit in the journal
}

func newOracle(t *testing.T, host Host, settings string) *oracle {
	home := t.TempDir()
	u := User{Home: home, Work: filepath.Join(home, "work"), Root: filepath.Join(home, "work"), Look: func(string) string { return "" }}
	o := &oracle{t: t, host: host, at: host.PlaceFor(u), places: client.Places{Config: filepath.Join(home, ".claude"), Home: home, Work: u.Work, Root: u.Root}}
	if settings != "(none)" {
		o.write(o.file(), settings)
	}
	return o
}

func (o *oracle) file() string { return o.at.SettingsFile() }

func (o *oracle) write(path, text string) {
	o.t.Helper()
	must(o.t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o640)))
}

// files are all files of the host.
func (o *oracle) files() map[string]string {
	all := map[string]string{}
	for _, path := range scratch.ListFiles(o.t, o.at.Dir) {
		all[path] = scratch.LookAt(o.t, path)
	}
	return all
}

func (o *oracle) request(name string) (Request, settings.Foreign) {
	r := Request{At: o.at, Plugin: client.Plugin{Name: name, Marketplace: "hooks", Suite: filepath.Join(o.at.Home, "my hooks")}}
	r.ID = o.host.NameOf(r.Plugin)
	of := settings.Foreign{Host: o.host.Name, Path: o.file(), Parse: o.host.Settings.Parse}
	if o.host.Settings.Record != nil {
		of.Path = o.host.Settings.Record(o.at, r.ID)
	}
	return r, of
}

// enable and disable plan what activation plans.
func (o *oracle) enable(name string) (c journal.Change, err error) {
	r, of := o.request(name)
	entries, err := o.host.Settings.Entries(context.Background(), r)
	if err == nil {
		err = settings.ReadSettings(o.places).SetForPlugin(&c, of, r.ID, entries)
	}
	return c, err
}

func (o *oracle) disable(name string) (c journal.Change, err error) {
	r, of := o.request(name)
	_, err = settings.ReadSettings(o.places).ReleaseFor(&c, of, r.ID)
	return c, err
}

// do makes an edit, in which the host's command writes its settings anew.
func (o *oracle) do(plan func() (journal.Change, error)) error {
	was := o.files()
	c, err := plan()
	if err == nil {
		for _, e := range c.Edits {
			if !e.Own && e.Changes() {
				path := e.Path
				c.Run = func() error { return os.WriteFile(path, []byte("written anew"), 0o600) }
				c.Explains = func([]journal.Call, string, []byte, []byte) bool { return true }
				if os.MkdirAll(filepath.Dir(path), 0o755) != nil {
					c.Run = nil
				}
			}
		}
		if c.IsEmpty() {
			return nil
		}
		err = settings.Journal(o.places).ApplyChange(c)
	}
	if err != nil {
		if is := o.files(); !maps.Equal(was, is) {
			o.t.Fatalf("%s: refused (%v), and yet %q became %q", o.host.Name, err, was, is)
		}
		return err
	}
	o.was = append(o.was, was)
	return nil
}

func (o *oracle) undo() {
	o.t.Helper()
	if len(o.was) == 0 {
		return
	}
	u, err := settings.Journal(o.places).PlanUndo()
	must(o.t, err)
	must(o.t, settings.Journal(o.places).ApplyChange(u.Change))
	want := o.was[len(o.was)-1]
	if is := o.files(); !maps.Equal(is, want) {
		o.t.Fatalf("%s: undo gives %q, not %q", o.host.Name, is, want)
	}
	o.was = o.was[:len(o.was)-1]
}

// parse is the host's settings as it reads them.
func (o *oracle) parse(data string) (settings.Document, error) {
	if o.host.Settings.Parse != nil {
		return o.host.Settings.Parse([]byte(data))
	}
	return document.ParseDocument([]byte(data))
}

// checkHistory does what each letter of ops stands for: A and B enable a plugin, a and b
// disable it, u undoes. In the end all are disabled, and every byte is as it was.
func (o *oracle) checkHistory(ops string) {
	o.t.Helper()
	before := o.files()
	_, broken := o.parse(before[o.file()])
	for _, op := range ops + "ab" {
		var err error
		switch op {
		case 'A', 'B':
			err = o.do(func() (journal.Change, error) { return o.enable("plugin-" + strings.ToLower(string(op))) })
		case 'a', 'b':
			err = o.do(func() (journal.Change, error) { return o.disable("plugin-" + string(op)) })
		case 'u':
			o.undo()
		}
		if err != nil && (op == 'a' || op == 'b') && broken == nil {
			o.t.Fatalf("%s: %s: what enable has taken, disable refuses: %v: %q", o.host.Name, ops, err, o.files())
		}
		if err != nil {
			return // refused, as do has checked
		}
		for path, data := range o.files() {
			if _, err := o.parse(data); err != nil && broken == nil && path == o.file() {
				o.t.Fatalf("%s: after %q it is damaged: %v: %q", o.host.Name, ops, err, data)
			}
		}
	}
	if after := o.files(); !maps.Equal(before, after) {
		o.t.Fatalf("%s: %s and all disabled gives %q, not %q", o.host.Name, ops, after, before)
	}
	for len(o.was) > 0 {
		o.undo()
	}
}

// edited are the hosts whose files springfield edits.
func edited() []Host {
	return slices.DeleteFunc(AllHosts(), func(h Host) bool { return h.Settings.Entries == nil })
}

// settingsOfHosts are files as users have them: for JSON and for TOML.
func settingsOfHosts(host Host) []string {
	if host.Name == "codex" {
		return []string{
			"(none)", "", "\n", "# mine\n", "a = 1", "a = 1\r\n[b]\r\nc = 2\r\n", "# mine\nmodel = \"x\"   # odd   spacing\n\n[tui]\n  theme = 'dark'\n",
			"[marketplaces.other]\nsource = \"/x\"\n\n[plugins.\"x@other\"]\nenabled = true # on\n", "[plugins.\"plugin-a@hooks\"]\nenabled = false\n", "[[hooks.Stop]]\nmatcher = \"\"\n",
			"a = \"\"\"\n[marketplaces.hooks]\n\"\"\"\n",
		}
	}
	return []string{
		"(none)", "", "\n", "{}", "{\n  // mine\n  \"a\": 1, // one\n  \"enabledPlugins\": {\n    \"x@other\": true /* on */\n  }\n}\n", "// mine\n{\"a\": 1}", "{ }\r\n", "{\n}\n", "\ufeff{\"a\": 1}", "{\"theme\" : \"dark\",\n     \"nested\": {\"a\":1,   \"b\": [1.0,2e0]}}", "{\r\n\t\"a\": \"\\u00e9 && <b>\"\r\n}\r\n",
		`{"enabledPlugins": {}, "extraKnownMarketplaces": {}}`, `{"enabledPlugins": {"x@other": true}, "extraKnownMarketplaces": {"other": {"source": {"source": "directory", "path": "/x"}}}}`,
		"{\n    \"extraKnownMarketplaces\": {\n        \"hooks\": {\"source\": {\"source\": \"github\", \"repo\": \"a/b\"}}\n    },\n    \"enabledPlugins\": {\n        \"plugin-a@hooks\": false,\n        \"plugin-b@my hooks\": true\n    }\n}\n",
	}
}

var historiesOfHosts = []string{"A", "Aa", "AB", "ABab", "ABba", "AAu", "ABuu", "AuA", "AaA", "ABaBu", "BAbuA"}

// Every byte of a host's settings comes back, whatever the host's own command makes of the
// file in between.
func TestSettingsOfHosts(t *testing.T) {
	for _, host := range edited() {
		for n, settings := range settingsOfHosts(host) {
			for i := range 3 {
				newOracle(t, host, settings).checkHistory(historiesOfHosts[(5*n+4*i)%len(historiesOfHosts)])
			}
			if host.Settings.Record != nil && n == 3 {
				break // settings that are not edited
			}
		}
	}
}

// What the user or the host has written since stays: disable takes out only what
// springfield has set.
func TestSettingsOfHostsEditedSince(t *testing.T) {
	for _, host := range edited() {
		if host.Settings.Record != nil {
			continue // a file of springfield's own
		}
		for _, settings := range settingsOfHosts(host)[3:] {
			theirs := func(text string) string {
				if host.Name == "codex" {
					return "zzz = 1\n" + text
				}
				return strings.Replace(text, "{", `{"zzz": 1, `, 1)
			}
			if settings == "{}" || settings == "{ }\r\n" || settings == "{\n}\n" {
				continue // a comma too many
			}
			o := newOracle(t, host, settings)
			err := o.do(func() (journal.Change, error) { return o.enable("plugin-a") })
			if err != nil {
				continue
			}
			is, _ := os.ReadFile(o.file())
			o.write(o.file(), theirs(string(is)))
			must(t, o.do(func() (journal.Change, error) { return o.disable("plugin-a") }))
			is, _ = os.ReadFile(o.file())
			scratch.Equal(t, string(is), theirs(settings), host.Name+" after an edit of others")
		}
	}
}

// ownEntries are entries of the user's own for plugin-a and its marketplace, in every form: %s has the marketplace.
func ownEntries(host Host) (entries []string) {
	if host.Name != "codex" {
		for _, market := range []string{`{}`, `{"autoUpdate": true}`, `{ "autoUpdate": true, // why%n  "source": {"source": "directory", "path": "/gone"} /* x */ }`} {
			for _, plugin := range []string{"", `"plugin-a@%s": false, // off%n  `, `// mine%n  "plugin-a@%s": null,`, `/* on */ "plugin-a@%s": true, `} {
				entries = append(entries, `{%n  "extraKnownMarketplaces": {"%s": `+market+`}, // markets%n  "enabledPlugins": {`+plugin+`"x@y": true} // the end%n}%n`)
			}
		}
		return entries
	}
	for _, plugin := range []string{
		"[plugins.P]%n", "[plugins.P] # mine%n# too%n%n[z]%n", "[plugins.P]%nx = 1 # one%n", "[plugins.P]%nenabled = true%nx = {a = [1]}%n", "# above%n[plugins.P.x]%na = 1%n",
		"plugins.P.x = 1 # one%ny = 2%n", "plugins.P.enabled = false%n", "plugins = {}%n", "plugins = {P = {}}%n", "plugins = { P = { x = 1 } } # p%n", "plugins = {P.x = 1, y = {}}%n",
		"[plugins]%nP = {enabled = false, x = 1}%n", "[plugins]%n# none%n", "[plugins]%nP.x = 1%ny.enabled = true%n",
	} {
		for _, market := range []string{"", "[marketplaces.hooks]%nlast_updated = 2026-01-01T00:00:00Z # then%nsub = {a = 1}%nsource = '/x'%n", "[marketplaces]%nhooks = {ref = 'main'}%n"} {
			entries = append(entries, strings.ReplaceAll(plugin, "P", `"plugin-a@hooks"`)+"%n"+market)
		}
	}
	return entries
}

// What the user has there for a plugin of ours makes neither disable nor undo refuse, and every byte comes back; with what
// the user has written beside our members, above them and in our tables since, all of it stays.
func TestOwnEntriesOfUsers(t *testing.T) {
	for _, host := range edited() {
		if host.Settings.Record != nil {
			continue // a file of springfield's own
		}
		for n, entry := range ownEntries(host) {
			for i, end := range []string{"\n", "\r\n"} {
				name, beside := "hooks", "#"
				if host.Name == "droid" {
					name = "my hooks"
				}
				if host.Name != "codex" {
					beside = "//"
				}
				before := strings.NewReplacer("%n", end, "%s", name).Replace(entry)
				if n%3 == 2 {
					before = strings.TrimSuffix(before, end)
				}
				newOracle(t, host, before).checkHistory(historiesOfHosts[(n+5*i)%len(historiesOfHosts)])
				o := newOracle(t, host, before)
				must(t, o.do(func() (journal.Change, error) { return o.enable("plugin-a") }), before)
				had := map[string]bool{}
				for line := range strings.Lines(before) {
					had[strings.TrimRight(line, "\r\n")] = true
				}
				var since []string
				for line := range strings.Lines(scratch.LookAt(t, o.file())) {
					if line = strings.TrimRight(line, "\r\n"); !had[line] && strings.Trim(line, " {}") != "" {
						since = append(since, beside+" above "+line, line+" "+beside+" beside "+line)
					} else {
						since = append(since, line)
					}
				}
				text := strings.Join(since, end)
				o.write(o.file(), text)
				must(t, o.do(func() (journal.Change, error) { return o.disable("plugin-a") }), text)
				is := scratch.LookAt(t, o.file())
				if now, err := o.parse(is); err != nil {
					t.Errorf("%s: %q became %v %q", host.Name, text, err, is)
				} else if was, _ := o.parse(before); !meanSame(t, was, now) {
					t.Errorf("%s: before %q, with more %q, and then %q", host.Name, before, text, is)
				}
				for _, word := range []string{beside + " above ", beside + " beside "} {
					scratch.Equal(t, strings.Count(is, word), strings.Count(text, word), host.Name+word+text+is)
				}
				o.undo()
				scratch.Equal(t, scratch.LookAt(t, o.file()), text, host.Name)
			}
		}
	}
}

// meanSame tells whether two settings say the same of plugins and marketplaces.
func meanSame(t *testing.T, was, is settings.Document) bool {
	for _, top := range []string{"plugins", "marketplaces", "enabledPlugins", "extraKnownMarketplaces", "z"} {
		a, hadIt, err := was.Get(top)
		b, hasIt, err2 := is.Get(top)
		must(t, errors.Join(err, err2))
		if hadIt != hasIt || hadIt && !document.MeanSame(a, b) {
			return false
		}
	}
	return true
}

// Any bytes for a settings file, edited in any order.
func FuzzSettingsOfHosts(f *testing.F) {
	for i, host := range edited() {
		for n, settings := range settingsOfHosts(host) {
			f.Add(byte(i), []byte(settings), historiesOfHosts[n%len(historiesOfHosts)])
		}
		for _, settings := range []string{`{"enabledPlugins": []}`, `{"enabledPlugins": {}, "enabledPlugins": {}}`, "// no\n{}", "[]", "[plugins]\nx = 1\n", "plugins = {}\n", "plugins.\"plugin-a@hooks\".enabled = true\n"} {
			f.Add(byte(i), []byte(settings), "ABa")
		}
	}
	f.Fuzz(func(t *testing.T, i byte, settings []byte, ops string) {
		if len(settings) > 1<<14 || len(ops) > 8 || bytes.Equal(settings, []byte("(none)")) {
			return
		}
		newOracle(t, edited()[int(i)%len(edited())], string(settings)).checkHistory(ops)
	})
}
