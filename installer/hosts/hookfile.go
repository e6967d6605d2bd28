package hosts

// A plugin is enabled by an entry in the host's hooks file, as a user would write it, that starts the hook in place.

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/check"
)

type hookGroup struct {
	Hooks []hookCommand `json:"hooks"`
}

type hookCommand struct {
	Type    string      `json:"type"`
	Command string      `json:"command"`
	Timeout json.Number `json:"timeout,omitempty"` // in seconds
}

type hookEntry struct {
	path  []string
	dir   string // of the plugin
	alone bool   // no other command in the element
}

// hookHost completes a host with a hooks file. theirs returns plugins the host installed.
func hookHost(theirs func(at Place) ([]Installed, error), h Host) Host {
	h.Scopes, h.Switching, h.Removals, h.Installed = []client.Scope{client.User}, entries{}, pluginHookRemovals, withHookEntries(theirs)
	h.Needs = []string{"hooks/shell.json"} // even for Droid: it proves that the hook knows Droid
	if h.Entries == nil {
		h.Entries = pluginHookAdditions
	}
	return h
}

// hookPath returns the hooks file, and its events' path.
func hookPath(at Place) (path string, memberPath []string) { return at.Host.EntryIn(at, "") }

// pluginDirOfCommand returns the directory of the command's plugin, or "".
func pluginDirOfCommand(command string) string {
	path := strings.ReplaceAll(strings.Trim(command, `"'`), `'\''`, "'")
	if hooks := filepath.Dir(path); filepath.IsAbs(path) && strings.TrimSuffix(filepath.Base(path), ".exe") == "springfield-hook" && filepath.Base(hooks) == "hooks" {
		return filepath.Dir(hooks)
	}
	return ""
}

func readOurEntries(at Place) (all []hookEntry, err error) {
	path, above := hookPath(at)
	doc, err := readDocOrEmpty("", path, document.ParseCommented)
	if err != nil {
		return nil, err
	}
	raw, _, err := doc.Get(above...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var events map[string]json.RawMessage
	_ = json.Unmarshal(raw, &events) // other forms have no entry of springfield's
	for _, event := range slices.Sorted(maps.Keys(events)) {
		var groups []hookGroup
		_ = json.Unmarshal(events[event], &groups)
		for _, group := range groups {
			for _, hook := range group.Hooks {
				if dir := pluginDirOfCommand(hook.Command); dir != "" {
					all = append(all, hookEntry{append(slices.Clone(above), event, document.Element(hook.Command)), dir, len(group.Hooks) == 1})
				}
			}
		}
	}
	return all, nil
}

// pluginHookAdditions returns the edits that enable a plugin. They replace its entries in other directories.
func pluginHookAdditions(r Request) (edits []document.Edit, err error) {
	var made struct{ Hooks map[string][]hookGroup }
	if err := readRecord(filepath.Join(r.DirInSuite(), "hooks", "shell.json"), &made); err != nil {
		return nil, err
	}
	program := filepath.Join(r.Plugin.Suite, r.Plugin.Name, "hooks", "springfield-hook")
	command := check.QuoteArgument(program)
	if filepath.Separator == '\\' {
		command = `"` + program + `"`
	}
	old, err := pluginHookRemovals(r)
	if err != nil {
		return nil, err
	}
	edits = slices.DeleteFunc(old, func(e document.Edit) bool {
		return e.Path[len(e.Path)-1] == document.Element(command)
	})
	_, above := hookPath(r.At)
	for _, event := range slices.Sorted(maps.Keys(made.Hooks)) {
		for _, group := range made.Hooks[event] {
			for _, hook := range group.Hooks {
				hook.Command = command
				value, _ := document.EncodeValue(hookGroup{[]hookCommand{hook}})
				edits = append(edits, document.Edit{Path: append(slices.Clone(above), event, document.Element(command)), Value: value})
			}
		}
	}
	return edits, nil
}

func pluginHookRemovals(r Request) (edits []document.Edit, err error) {
	all, err := readOurEntries(r.At)
	for _, e := range all {
		if filepath.Base(e.dir) != r.Plugin.Name {
			continue
		}
		if !e.alone {
			path, _ := hookPath(r.At)
			return nil, check.Advisef("remove it from that file by hand", "an entry in %s starts the hook of %s together with other commands", path, r.Plugin.Name)
		}
		edits = append(edits, document.Edit{Path: e.path})
	}
	return edits, err
}

func withHookEntries(theirs func(at Place) ([]Installed, error)) func(at Place) ([]Installed, error) {
	return func(at Place) (all []Installed, err error) {
		if all, err = theirs(at); err != nil {
			return all, err
		}
		for n := range all {
			all[n].HostRemoves = true
		}
		entries, err := readOurEntries(at)
		for _, e := range entries {
			name, version := filepath.Base(e.dir), pluginVersion(e.dir, ".claude-plugin")
			i := Installed{
				ID: name, Name: name, Suite: filepath.Dir(e.dir), Dir: e.dir, Version: version,
				On: true, Scope: client.User,
			}
			if !slices.Contains(all, i) {
				all = append(all, i)
			}
		}
		return all, err
	}
}

func isPathPart(name string) bool {
	return filepath.IsLocal(name) && name != "." && !strings.ContainsAny(name, `/\`)
}

// pluginVersion returns plugin.json's version, or "". manifestDir is relative to dir.
func pluginVersion(dir, manifestDir string) string {
	var manifest struct{ Version string }
	if readRecord(filepath.Join(dir, manifestDir, "plugin.json"), &manifest) != nil {
		return ""
	}
	return manifest.Version
}
