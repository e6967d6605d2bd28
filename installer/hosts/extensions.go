package hosts

// Gemini CLI and its fork Qwen Code use extensions: directories in extensions/, or links, which are a record
// with the path of a directory. springfield writes the record, because the agent's command would ask
// questions and trust the working directory.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/rooted"
)

const (
	maxExtensions = 500
	maxRecord     = 1 << 20 // bytes
)

// extensionHost returns a host with extensions. The caller sets Variable, Traces, HooksOff, perhaps Above.
func extensionHost(name, title, agent string) Host {
	return Host{
		Name: name, Title: title, Agent: agent, Dir: "." + name, SettingsFile: "settings.json",
		Scopes: []client.Scope{client.User}, Switching: entries{}, Entries: linkRecordEdits,
		Removals: func(Request) ([]document.Edit, error) {
			return []document.Edit{{Path: []string{"source"}}, {Path: []string{"type"}}}, nil
		},
		EntryIn:   func(at Place, id string) (string, []string) { return linkRecordPath(at, id), nil },
		Needs:     []string{name + "/" + name + "-extension.json", name + "/hooks/hooks.json"},
		Installed: extensionsInstalled, Remove: "extensions uninstall %s", ByHand: stepsToEnableIfRuledOff, Check: checkDisabled,
	}
}

func linkRecordPath(at Place, id string) string {
	return filepath.Join(at.Dir, "extensions", id, "."+at.Host.Name+"-extension-install.json")
}

func extensionManifest(extensionDir string, h Host) string {
	return filepath.Join(extensionDir, h.Name+"-extension.json")
}

type record struct{ Source, Type string }

func linkRecordEdits(r Request) ([]document.Edit, error) {
	var was record
	path := linkRecordPath(r.At, r.ID)
	err := readRecord(path, &was)
	none := errors.Is(err, fs.ErrNotExist)
	if err != nil && !none {
		return nil, err
	}
	if none && rooted.IsTaken(extensionManifest(filepath.Dir(path), r.At.Host)) || !none && was.Type != "link" {
		return nil, check.Advisef(r.At.Host.RemoveCommand(r.ID), "%s already has a copy of %s", r.At.Host.Title, r.ID)
	}
	source, err := document.EncodeValue(filepath.Join(r.Plugin.Suite, r.Plugin.Name, r.At.Host.Name))
	return []document.Edit{
		{Path: []string{"source"}, Value: source},
		{Path: []string{"type"}, Value: json.RawMessage(`"link"`)},
	}, err
}

func extensionsInstalled(at Place) (all []Installed, err error) {
	above := filepath.Join(at.Dir, "extensions")
	entries, err := os.ReadDir(above)
	if errors.Is(err, fs.ErrPermission) {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, nil
	}
	rules, err := readEnablement(at)
	for _, e := range entries[:min(len(entries), maxExtensions)] {
		var is record
		i := Installed{ID: e.Name(), Name: e.Name(), Dir: filepath.Join(above, e.Name()), Scope: client.User}
		if err := readRecord(linkRecordPath(at, i.ID), &is); err != nil {
			continue // the host does not run it either
		}
		root := i.Dir
		if i.Suite = is.Source; is.Type == "link" {
			root, i.Dir, i.Suite = is.Source, is.Source, filepath.Dir(is.Source)
			if filepath.Base(root) == at.Host.Name {
				i.Dir, i.Suite = filepath.Dir(root), filepath.Dir(filepath.Dir(root))
			}
		} else if i.HostRemoves = true; rooted.IsTaken(filepath.Join(i.Dir, i.Name, "strategy.json")) {
			i.Dir = filepath.Join(i.Dir, i.Name) // a branch of a marketplace
		}
		var manifest struct{ Version string }
		if readRecord(extensionManifest(root, at.Host), &manifest) == nil {
			i.Version, i.On = manifest.Version, isOnUnlessOff(rules[e.Name()].Overrides, at.Work)
		}
		all = append(all, i)
	}
	return all, err
}

// readEnablement reads the rules by directory. A missing file has none.
func readEnablement(at Place) (rules map[string]struct{ Overrides []string }, err error) {
	err = readRecord(filepath.Join(at.Dir, "extensions", "extension-enablement.json"), &rules)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return rules, err
}

// isOnUnlessOff reports whether an extension is enabled in dir, by the last matching rule or by default. A rule is a
// path. The prefix ! disables; the suffix * includes subdirectories.
func isOnUnlessOff(rules []string, dir string) bool {
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

func stepsToEnableIfRuledOff(r Request) []string {
	rules, err := readEnablement(r.At)
	if err != nil || isOnUnlessOff(rules[r.ID].Overrides, r.At.Work) {
		return nil
	}
	return []string{fmt.Sprintf("%s disables it by a rule of its own; to enable it, run: %s extensions enable %s", r.At.Host.Title, r.At.Host.Name, r.ID)}
}
