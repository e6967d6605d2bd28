package hosts

import (
	"bytes"
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

// oracle makes the edits of enable, disable and undo in one host's settings.
type oracle struct {
	t      *testing.T
	host   Host
	at     Place
	places client.Places
	was    []map[string]string // before each edit in the journal
}

func newOracle(t *testing.T, host Host, settings string) *oracle {
	home := t.TempDir()
	u := User{Home: home, Work: filepath.Join(home, "work"), Root: filepath.Join(home, "work"), Getenv: none, Look: none}
	o := &oracle{t: t, host: host, at: host.PlaceFor(u), places: client.Places{Config: filepath.Join(home, ".claude"), Home: home, Work: u.Work, Root: u.Root}}
	for _, name := range []string{"plugin-a", "plugin-b"} {
		o.write(filepath.Join(home, "my hooks", name, "hooks", "shell.json"), `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": 10}]}]}}`)
	}
	if settings != "(none)" {
		o.write(o.file(), settings)
	}
	return o
}

// file is the one that is edited; of a host with a record for each plugin, its settings, which are not.
func (o *oracle) file() string {
	if hasRecords(o.host) {
		return o.at.SettingsFile()
	}
	path, _ := hookPath(o.at)
	return path
}

// hasRecords reports whether the host has a record for each plugin.
func hasRecords(host Host) bool { return host.Name == "qwen" || host.Name == "gemini" }

func (o *oracle) write(path, text string) {
	o.t.Helper()
	must(o.t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o640)))
}

// files are all files of the host.
func (o *oracle) files() map[string]string {
	all := map[string]string{}
	for _, path := range scratch.ListFiles(o.t, o.at.Dir) {
		all[path] = scratch.ReadOrNone(o.t, path)
	}
	return all
}

func (o *oracle) request(name string) (Request, settings.HostFile) {
	r := Request{At: o.at, Enabling: settings.Enabling{Plugin: client.Plugin{Name: name, Marketplace: "hooks", Suite: filepath.Join(o.at.Home, "my hooks")}}}
	r.ID = name
	return r, r.EntryFile()
}

// enable and disable plan what activation plans.
func (o *oracle) enable(name string) (c journal.Change, err error) {
	r, of := o.request(name)
	entries, err := o.host.Entries(r)
	if err == nil {
		err = settings.NewSettings(o.places).SetForPlugin(&c, of, r.ID, entries)
	}
	return c, err
}

func (o *oracle) disable(name string) (c journal.Change, err error) {
	r, of := o.request(name)
	err = settings.NewSettings(o.places).ReleaseFor(&c, of, r.ID)
	return c, err
}

// do makes an edit.
func (o *oracle) do(plan func() (journal.Change, error)) error {
	was := o.files()
	c, err := plan()
	if err == nil {
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

// checkHistory enables (A, B), disables (a, b) and undoes (u), then disables all and compares every byte.
func (o *oracle) checkHistory(ops string) {
	o.t.Helper()
	before := o.files()
	_, broken := document.ParseCommented([]byte(before[o.file()]))
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
			if _, err := document.ParseCommented([]byte(data)); err != nil && broken == nil && path == o.file() {
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

// edited returns the hosts whose files springfield edits.
func edited() []Host {
	return slices.DeleteFunc(AllHosts(), func(h Host) bool { return h.Entries == nil })
}

// settingsOfHosts returns settings files as users have them.
func settingsOfHosts(host Host) []string {
	hooks := func(format string) string { // where the host has its events
		if _, above := host.EntryIn(Place{Host: host, Dir: "/none"}, ""); above == nil && !hasRecords(host) {
			return format
		}
		return `{"hooks":` + format + `}`
	}
	return []string{
		"(none)", "", "\n", "{}", "{ }\r\n", "{\n}\n", "\ufeff{\"a\": 1}", "// mine\n{\"a\": 1}", "{\r\n\t\"a\": \"\\u00e9 && <b>\"\r\n}\r\n",
		hooks(`{}`), hooks(`{"Stop": []}`), hooks(`{"Stop" : [ ] , "PreToolUse":[{"matcher":"x","hooks":[]}]}`),
		hooks("{\r\n\t\"Stop\": [\r\n\t\t{\"hooks\": [{\"type\": \"command\",   \"command\": \"mine\"}]}\r\n\t]\r\n}"),
		hooks("{\n  // mine\n  \"Stop\": [ // one\n    {\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}, {\"command\": \"mine, too\"}]}, // two\n    {\"hooks\": [{\"command\": \"third\"}]} /* the end */\n  ]\n}"),
		hooks(`{"Stop": [{"hooks": [{"command": "same"}]}, {"hooks": [{"command": "same"}]}, 7, {"hooks": 3}]}`),
		hooks(`{"Stop": [{"hooks": [{"type": "command", "command": "'/elsewhere/plugin-a/hooks/springfield-hook'", "timeout": 7}]}]}`),
		hooks(`{"Stop": [{"hooks": [{"command": "mine"}, {"type": "command", "command": "/elsewhere/plugin-a/hooks/springfield-hook"}]}]}`),
		hooks(`{"Stop": {}}`), `{"hooks": [], "Stop": 7}`, hooks(`{"Stop": [], "Stop": []}`),
	}
}

var historiesOfHosts = []string{"A", "Aa", "AB", "ABab", "ABba", "AAu", "ABuu", "AuA", "AaA", "ABaBu", "BAbuA"}

// Every byte of a host's file is restored.
func TestSettingsOfHosts(t *testing.T) {
	for _, host := range edited() {
		for n, settings := range settingsOfHosts(host) {
			for i := range 2 {
				newOracle(t, host, settings).checkHistory(historiesOfHosts[(5*n+4*i)%len(historiesOfHosts)])
			}
			if hasRecords(host) && n == 3 {
				break // settings that are not edited
			}
		}
	}
}

// disable removes only springfield's entries from a file that was edited since.
func TestSettingsOfHostsEditedSince(t *testing.T) {
	for _, host := range edited() {
		if hasRecords(host) {
			continue // a file of springfield's own
		}
		for _, settings := range settingsOfHosts(host)[3:] {
			theirs := func(text string) string {
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

// Any settings file, with edits in any order.
func FuzzSettingsOfHosts(f *testing.F) {
	for i, host := range edited() {
		for n, settings := range settingsOfHosts(host) {
			f.Add(byte(i), []byte(settings), historiesOfHosts[n%len(historiesOfHosts)])
		}
		for _, settings := range []string{`{"hooks": {}, "hooks": {}}`, "// no\n{}", "[]", `{"hooks": {"Stop": [[], {"hooks": [{"command": ""}]}]}}`} {
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
