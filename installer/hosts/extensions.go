package hosts

// Extensions, as Gemini CLI and Qwen Code, which was made from it, have them. A directory
// below extensions/ is one. It may have nothing but a record that names another directory:
// a link, which is run where it lies. Such a record is all that springfield writes. The
// programs' own command would ask, and trust the directory that it is called in.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/rooted"
)

// maxExtensions is how many extensions are looked at, and maxRecord how large a file about
// them may be.
const (
	maxExtensions = 500
	maxRecord     = 1 << 20
)

// extensionHost is what the two have in common.
func extensionHost(name, title, agent string) Host {
	return Host{
		Name: name, Title: title, Agent: agent, Dir: "." + name, SettingsFile: "settings.json",
		Scopes: []client.Scope{client.User}, Switching: entries{}, Entries: editsToLink, Removals: editsToUnlink,
		EntryIn:   func(at Place, id string) (string, []string) { return linkRecordPath(at, id), nil },
		Needs:     []string{name + "/" + name + "-extension.json", name + "/hooks/hooks.json"},
		Installed: extensionsInstalled, Remove: "extensions uninstall %s", ByHand: stepsByHand, Check: checkSwitches,
	}
}

// linkRecordPath is where the record of an extension lies.
func linkRecordPath(at Place, id string) string {
	return filepath.Join(at.Dir, "extensions", id, "."+at.Host.Name+"-extension-install.json")
}

// manifestIn is the manifest of an extension in its directory.
func manifestIn(dir string, h Host) string { return filepath.Join(dir, h.Name+"-extension.json") }

// record is what a host has written about an extension.
type record struct{ Source, Type string }

// editsToLink are what links the plugin.
func editsToLink(r Request) ([]document.Edit, error) {
	var was record
	path := linkRecordPath(r.At, r.ID)
	err := readRecord(path, &was)
	none := errors.Is(err, fs.ErrNotExist)
	if err != nil && !none {
		return nil, err
	}
	if none && rooted.IsTaken(manifestIn(filepath.Dir(path), r.At.Host)) || !none && was.Type != "link" {
		return nil, check.Advisef(r.At.Host.RemoveCommand(r.ID), "%s has a copy of %s already", r.At.Host.Title, r.ID)
	}
	source, err := document.EncodeValue(filepath.Join(r.Plugin.Suite, r.Plugin.Name, r.At.Host.Name))
	return []document.Edit{
		{Path: []string{"source"}, Value: source},
		{Path: []string{"type"}, Value: json.RawMessage(`"link"`)},
	}, err
}

// editsToUnlink take a link away.
func editsToUnlink(Request) ([]document.Edit, error) {
	return []document.Edit{{Path: []string{"source"}}, {Path: []string{"type"}}}, nil
}

// extensionsInstalled reads the records of all extensions.
func extensionsInstalled(at Place) (all []Installed, err error) {
	above := filepath.Join(at.Dir, "extensions")
	dir, err := os.Open(above)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	entries, err := dir.ReadDir(maxExtensions)
	if err != nil && len(entries) == 0 { // io.EOF: it is empty
		return nil, nil
	}
	rules, err := readRules(at)
	for _, e := range entries {
		var is record
		i := Installed{ID: e.Name(), Name: e.Name(), Dir: filepath.Join(above, e.Name()), Scope: client.User}
		if err := readRecord(linkRecordPath(at, i.ID), &is); err != nil {
			continue // not an extension, or damaged: the host does not run it either
		}
		root := i.Dir
		if i.Suite = is.Source; is.Type == "link" {
			root, i.Dir, i.Suite = is.Source, is.Source, filepath.Dir(is.Source)
			if filepath.Base(root) == at.Host.Name {
				i.Dir, i.Suite = filepath.Dir(root), filepath.Dir(filepath.Dir(root))
			}
		} else if i.Theirs = true; rooted.IsTaken(filepath.Join(i.Dir, i.Name, "strategy.json")) {
			i.Dir = filepath.Join(i.Dir, i.Name) // a branch of a marketplace, which has the plugin in a directory
		}
		var manifest struct{ Version string }
		if readRecord(manifestIn(root, at.Host), &manifest) == nil {
			i.Version, i.On = manifest.Version, isSwitchedOn(rules[e.Name()].Overrides, at.Work)
		}
		all = append(all, i)
	}
	return all, err
}

// readRules reads when extensions are on.
func readRules(at Place) (rules map[string]struct{ Overrides []string }, err error) {
	err = readRecord(filepath.Join(at.Dir, "extensions", "extension-enablement.json"), &rules)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return rules, err
}

// isSwitchedOn goes by the last rule that is about a directory. A rule is a path, with ! before it
// where the extension is off there, and with * behind it where it is about all below.
func isSwitchedOn(rules []string, dir string) bool {
	on := true
	for _, rule := range rules {
		path, off := strings.CutPrefix(rule, "!")
		above, below := strings.CutSuffix(path, "*")
		above = strings.TrimSuffix(above, "/") + "/"
		if here := strings.TrimSuffix(filepath.ToSlash(dir), "/") + "/"; here == above || below && strings.HasPrefix(here, above) {
			on = !off
		}
	}
	return on
}

// stepsByHand says how to have an extension on that the user has switched off.
func stepsByHand(r Request) []string {
	rules, err := readRules(r.At)
	if err != nil || isSwitchedOn(rules[r.ID].Overrides, r.At.Work) {
		return nil
	}
	return []string{fmt.Sprintf("%s has it switched off by a rule of its own: %s extensions enable %s", r.At.Host.Title, r.At.Host.Name, r.ID)}
}

// checkSwitches tells of hooks that are switched off: all by a member of the settings, or one by its
// name, which is its plugin's.
func checkSwitches(_ context.Context, at Place, on []Installed) (findings []check.Finding) {
	if len(on) == 0 {
		return nil
	}
	fail := func(says, fix string) {
		finding := check.Failed(says, fix)
		finding.File = at.SettingsFile()
		findings = append(findings, finding)
	}
	settings, err := readSettings(at)
	var syntax *document.SyntaxError
	if errors.As(err, &syntax) {
		fail("the settings of "+at.Host.Title+" cannot be read: "+syntax.Error(), "correct them")
	}
	if err != nil {
		return findings
	}
	name, off, _ := strings.Cut(at.Host.HooksOff, "=")
	if value, _, _ := settings.Get(strings.Split(name, ".")...); string(value) == off {
		fail("hooks are switched off in "+at.Host.Title+", so no plugin decides: "+name+" is "+off, "remove "+name)
	}
	var names []string
	raw, _, _ := settings.Get("hooksConfig", "disabled")
	_ = json.Unmarshal(raw, &names) // another type names none
	for _, i := range on {
		if slices.Contains(names, i.Name) {
			fail("the hook of "+i.Name+" is switched off in "+at.Host.Title+": hooksConfig.disabled names it",
				"in "+at.Host.Title+": /hooks")
		}
	}
	return findings
}

// readRecord reads a file of JSON that a host has written.
func readRecord(path string, into any) error {
	data, _, err := rooted.ReadPath(path, maxRecord)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return nil
}
