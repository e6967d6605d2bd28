// Reviewing a release: what those who keep a marketplace ask before taking a
// plugin in, beyond its being valid.

package generator

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/check"
)

// maxPublished bounds a file, in bytes: git hosts refuse larger ones.
const maxPublished = 100 << 20

// HookLine is one hook that a plugin brings, for its reviewers.
type HookLine struct {
	Plugin  string   `json:"plugin"`
	Event   string   `json:"event"`
	Command string   `json:"command"`
	Gate    string   `json:"gate"`  // what holds it back
	Hosts   []string `json:"hosts"` // that it talks to; none: nothing leaves the machine
}

// Review looks at some plugins of a suite. The error is about looking.
func Review(dir string, suite Suite, plugins []string) (hooks []HookLine, faults []check.Finding, err error) {
	for _, p := range suite.Plugins {
		if !slices.Contains(plugins, p.Name) {
			continue
		}
		more, found, err := reviewPlugin(dir, p)
		if err != nil {
			return nil, nil, err
		}
		hooks, faults = append(hooks, more...), append(faults, found...)
	}
	if strings.TrimSpace(suite.Owner.Name) == "" {
		faults = append(faults, check.Finding{Check: "review", State: check.Failure, File: SuiteFile, Says: "the marketplace has no owner", Fix: "owner: in " + SuiteFile})
	}
	return hooks, faults, nil
}

func reviewPlugin(dir string, p Plugin) (hooks []HookLine, faults []check.Finding, err error) {
	file := path.Join(p.Name, ".claude-plugin", "plugin.json")
	add := func(file, says, fix string) {
		faults = append(faults, check.Finding{Check: "review", State: check.Failure, File: file, Says: says, Fix: fix})
	}
	var manifest struct {
		Description, License string
		Author               struct{ Name string }
		Network              struct{ Hosts []string }
	}
	if err := readJSON(filepath.Join(dir, file), &manifest); err != nil {
		return nil, nil, err
	}
	var declared struct {
		Hooks map[string][]struct {
			Hooks []struct{ Command string }
		}
	}
	if err := readJSON(filepath.Join(dir, p.Name, "hooks", "hooks.json"), &declared); err != nil {
		return nil, nil, err
	}
	says := strings.ToLower(manifest.Description)
	switch {
	case strings.TrimSpace(says) == "":
		add(file, "no description", "say which hook it is, what it reads, and what leaves the machine")
	case !strings.Contains(says, "hook"):
		add(file, "its description does not say that it is a hook", "name the hook and what it reads: whoever installs it lets it run")
	case !slices.ContainsFunc(append([]string{"leaves the machine", "leaves your machine", "network"}, manifest.Network.Hosts...), func(word string) bool { return strings.Contains(says, strings.ToLower(word)) }):
		add(file, "its description does not say what leaves the machine", "say so, or that nothing leaves the machine")
	}
	if looksOfficial.MatchString(p.Name) || strings.HasPrefix(p.Name, "anthropic-") {
		add(file, fmt.Sprintf("its name, %s, looks as if it came from Claude's maker", p.Name), "springfield new makes a plugin under another name")
	}
	if isDevice(p.Name) {
		add(file, fmt.Sprintf("its name, %s, is a device on Windows, where no directory can have that name", p.Name), "springfield new makes a plugin under another name")
	}
	if manifest.License == "" {
		add(file, "no license", `"license": "MIT", or whichever it is under`)
	}
	if manifest.Author.Name == "" {
		add(file, "no author", `"author": {"name": …}`)
	}
	if !exists(filepath.Join(dir, p.Name, ".claude-plugin", "icon.png")) {
		add(path.Join(p.Name, ".claude-plugin", "icon.png"), "no icon", "springfield init adds it")
	}
	about, err := ReadAbout(p.Strategy)
	if err != nil {
		return nil, nil, err
	}
	// The manifest's own list is for those who publish: Claude Code 2.1.197 takes no
	// such member when it is strict.
	hosts := slices.Compact(slices.Sorted(slices.Values(slices.Concat(about.Hosts, manifest.Network.Hosts))))
	for event, groups := range declared.Hooks {
		for _, group := range groups {
			for _, hook := range group.Hooks {
				hooks = append(hooks, HookLine{p.Name, event, hook.Command, about.Gated(), hosts})
			}
		}
	}
	slices.SortFunc(hooks, func(a, b HookLine) int { return strings.Compare(a.Event+a.Command, b.Event+b.Command) })
	err = filepath.WalkDir(filepath.Join(dir, p.Name), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		relative, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		if isLitter(d.Name()) {
			add(filepath.ToSlash(relative), "it does not belong into a plugin, and everybody would get it", "remove it")
		}
		info, err := d.Info()
		if err == nil && info.Size() > maxPublished {
			add(filepath.ToSlash(relative), fmt.Sprintf("larger than %d MB, which git hosts refuse", maxPublished>>20), "take it out")
		}
		return err
	})
	return hooks, faults, err
}

// isDevice tells names that Windows keeps for itself.
func isDevice(name string) bool {
	if len(name) == 4 && (strings.HasPrefix(name, "com") || strings.HasPrefix(name, "lpt")) {
		return name[3] >= '0' && name[3] <= '9'
	}
	return slices.Contains([]string{"con", "prn", "aux", "nul"}, name)
}

// isLitter tells files that systems, editors and merges leave behind, and those
// that hold secrets.
func isLitter(base string) bool {
	switch path.Ext(base) {
	case ".orig", ".rej", ".swp", ".swo", ".tmp", ".pem":
		return true
	}
	switch base {
	case ".DS_Store", "Thumbs.db", "desktop.ini", ".env", ".npmrc", ".netrc":
		return true
	}
	return strings.HasSuffix(base, "~") || strings.HasPrefix(base, ".env.")
}

func readJSON(file string, into any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	return nil
}
