package client

// A plugin of a marketplace that is a directory runs in place, any other from a cached copy, which can be
// stale. The files are untrusted: reads are bounded, and no path leaves the marketplace or the plugin.

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
)

// Installed is a plugin as Claude Code would load it.
type Installed struct {
	ID          string `json:"id"`
	Name        string `json:"-"`
	Marketplace string `json:"-"`

	Dir      string   `json:"dir,omitempty"`      // from which it runs, "" if it cannot
	InPlace  bool     `json:"-"`                  // not from the cache
	Version  string   `json:"version,omitempty"`  // "" if unknown
	Offered  string   `json:"offered,omitempty"`  // current version in the marketplace, "" if unknown
	Source   string   `json:"source,omitempty"`   // of its marketplace: "directory /x", "github a/b"
	Strategy string   `json:"strategy,omitempty"` // of its strategy.json; "unknown" if unreadable, "" without one
	Hooks    []Hook   `json:"-"`                  // on Stop, SubagentStop and UserPromptSubmit
	Mods     []Mod    `json:"mods,omitempty"`
	Faults   []string `json:"faults"`            // parts that Claude Code ignores, and why
	Problem  string   `json:"problem,omitempty"` // why it would not run, "" if it would
}

// Mod is a plugin's JavaScript that Claude Code runs in its own process.
type Mod struct {
	File  string   `json:"file"`  // in the plugin
	Wraps []string `json:"wraps"` // events of a stop or a prompt that the file names
}

// IsOurs reports whether springfield made the plugin (false if its hooks could not be read).
func (i Installed) IsOurs() bool {
	return i.Strategy != "" && slices.ContainsFunc(i.Hooks, func(h Hook) bool { return h.ours })
}

func (i Installed) IsOursAtStop() bool {
	return i.Strategy != "" && slices.ContainsFunc(i.Hooks, func(h Hook) bool { return h.ours && h.Event == "Stop" })
}

var isID = regexp.MustCompile(`^[A-Za-z0-9][-A-Za-z0-9._]*@[A-Za-z0-9][-A-Za-z0-9._]*$`)

type Plugin struct {
	Name        string
	Marketplace string
	Suite       string // absolute path of the marketplace; "" for a repository
}

// ID returns the key in enabledPlugins, or the name if the marketplace is unknown.
func (p Plugin) ID() string { return strings.TrimSuffix(p.Name+"@"+p.Marketplace, "@") }

// NameOf returns NAME from NAME or NAME@MARKETPLACE.
func NameOf(id string) string {
	name, _, _ := strings.Cut(id, "@")
	return name
}

// ReadPluginIn reads the plugin in dir, even one unknown to Claude Code. Errors are in Problem. ID and Marketplace are
// empty.
func (s *Snapshot) ReadPluginIn(dir string) Installed {
	i := Installed{Name: filepath.Base(dir), Dir: dir, InPlace: true}
	if err := s.loadPlugin(&i); err != nil {
		i.Problem = err.Error()
	}
	return i
}

// DirInClone returns a plugin's directory in the marketplace's clone ("" if missing).
func (s *Snapshot) DirInClone(plugin Plugin) string {
	c := s.readCatalogOnce(plugin.Marketplace)
	dir, err := placeBelow(c.root, c.items[plugin.Name].path) // refuses ""
	if err != nil || !rooted.TargetIsDir(dir) {
		return ""
	}
	return dir
}

// Installed returns the plugin that Claude Code would load. If it cannot run, Problem is the reason.
func (s *Snapshot) Installed(id string) Installed {
	i := Installed{ID: id, Faults: []string{}}
	if !isID.MatchString(id) {
		i.Problem = "not NAME@MARKETPLACE"
		return i
	}
	i.Name, i.Marketplace, _ = strings.Cut(id, "@")
	err := s.locatePlugin(&i)
	if err == nil {
		err = s.loadPlugin(&i)
	}
	if err != nil {
		i.Problem = err.Error()
	}
	return i
}

func (s *Snapshot) locatePlugin(i *Installed) (whyNot error) {
	if slices.Contains([]string{"inline", "builtin", "synced", "skills-dir"}, i.Marketplace) {
		return errors.New("it is not from a marketplace, so springfield cannot inspect it")
	}
	c := s.readCatalogOnce(i.Marketplace)
	i.Source = c.source
	if c.err != nil {
		return c.err
	}
	entry, ok := c.items[i.Name]
	if !ok {
		return fmt.Errorf("marketplace %s has no plugin %s", i.Marketplace, i.Name)
	}
	i.Offered = entry.version
	if entry.path != "" {
		dir, err := placeBelow(c.root, entry.path)
		if err != nil {
			return fmt.Errorf("its source in the marketplace: %w", err)
		}
		if manifest, _, err := s.needObject(dir, manifestFile); err == nil {
			i.Offered = cmp.Or(printable(as[string](manifest["version"])), i.Offered)
		}
		if c.inPlace {
			if !rooted.TargetIsDir(dir) {
				return fmt.Errorf("its directory does not exist: %s", dir)
			}
			i.Dir, i.InPlace, i.Version = dir, true, entry.version
			return nil
		}
	}
	i.Dir, i.Version, whyNot = s.findCached(*i)
	i.Version = cmp.Or(i.Version, entry.version)
	return whyNot
}

const manifestFile = ".claude-plugin/plugin.json" // optional

// loadPlugin reads the plugin in i.Dir into i. An unreadable manifest is an error. Other faults are in i.Faults; the
// first is the error if no hook is valid.
func (s *Snapshot) loadPlugin(i *Installed) error {
	i.Strategy = s.strategyIn(i.Dir)
	manifest, file, err := s.needObject(i.Dir, manifestFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	i.Version = cmp.Or(printable(as[string](manifest["version"])), i.Version)
	seen := map[string]bool{}
	if err := s.addHooksIn(i, "hooks/hooks.json", seen); err != nil && !errors.Is(err, fs.ErrNotExist) {
		i.Faults = append(i.Faults, err.Error())
	}
	declarations := as[array](manifest["hooks"])
	if declarations == nil && len(manifest["hooks"]) > 0 {
		declarations = array{manifest["hooks"]}
	}
	for _, declared := range declarations {
		name := as[string](declared)
		if name != "" {
			err = s.addHooksIn(i, name, seen)
		} else {
			var hooks []Hook
			hooks, err = turnEdgeHooks(declared, i.ID, file)
			i.Hooks = append(i.Hooks, hooks...)
		}
		if err != nil {
			i.Faults = append(i.Faults, "plugin.json: "+err.Error())
		}
	}
	// A hook never runs without its program.
	for n := range i.Hooks {
		h := &i.Hooks[n]
		name, ok := strings.CutPrefix(h.command, pluginRoot)
		if !ok || strings.ContainsAny(name, `$"'`+"`") || h.Never != "" {
			continue
		}
		program := filepath.Join(i.Dir, filepath.FromSlash(name))
		if !rooted.TargetExists(program) && !rooted.TargetExists(program+".exe") {
			h.Never = "its program does not exist: " + printable(name)
		}
	}
	if len(i.Hooks) == 0 && len(i.Faults) > 0 {
		return errors.New(i.Faults[0])
	}
	return nil
}

// addHooksIn adds a file's hooks and mods. If any hook is invalid, it adds no hooks and returns an error.
func (s *Snapshot) addHooksIn(i *Installed, name string, seen map[string]bool) error {
	fields, file, err := s.needObject(i.Dir, name)
	if err != nil {
		return err
	}
	real, err := journal.Resolve(file)
	if err != nil || seen[real] {
		return err
	}
	seen[real] = true
	for _, module := range as[[]string](fields["modules"]) {
		module = path.Join(path.Dir(name), module)
		m := Mod{File: printable(module), Wraps: []string{}}
		at, err := placeBelow(i.Dir, module)
		if read, unread := s.ReadOrEmpty(at); err == nil && unread == nil {
			for _, event := range []string{"classic.Stop", "turn.complete", "prompt.submit"} {
				if bytes.Contains(read.Before.Bytes(), []byte(event)) {
					m.Wraps = append(m.Wraps, event)
				}
			}
		}
		i.Mods = append(i.Mods, m)
	}
	if _, found := fields["hooks"]; !found && len(i.Mods) > 0 {
		return nil
	}
	hooks, err := turnEdgeHooks(fields["hooks"], i.ID, file)
	if err != nil {
		return fmt.Errorf("%s: %w", printable(name), err)
	}
	i.Hooks = append(i.Hooks, slices.DeleteFunc(hooks, func(h Hook) bool { return i.Strategy != "" && h.Never != "" && h.whole == elsewhere })...)
	return nil
}

// elsewhere is springfield's command for other hosts, which does nothing in Claude Code.
const elsewhere = `"` + pluginRoot + `hooks/springfield-hook"`

const pluginRoot = "${CLAUDE_PLUGIN_ROOT}/"

// strategyIn returns the strategy in dir/strategy.json ("" if missing, "unknown" if it cannot be read or names none).
func (s *Snapshot) strategyIn(dir string) string {
	fields, _, err := s.needObject(dir, "strategy.json")
	switch name := printable(as[string](fields["strategy"])); {
	case errors.Is(err, fs.ErrNotExist):
		return ""
	case name != "":
		return name
	}
	return "unknown"
}

type record struct {
	Scope       string `json:"scope"`
	ProjectPath string `json:"projectPath"`
	InstallPath string `json:"installPath"`
	Version     string `json:"version"`
}

// findCached returns the cached copy that sessions in s.Work run.
func (s *Snapshot) findCached(i Installed) (dir, version string, whyNot error) {
	all, whyNot := s.allRecords()
	if whyNot != nil {
		return "", "", whyNot
	}
	records, known := all[i.ID]
	if known && records == nil {
		return "", "", fmt.Errorf("%s: its entry for %s cannot be read", filepath.Join(s.Plugins, installedPlugins), i.ID)
	}
	whyNot = errors.New("not installed")
	if len(records) > 0 {
		whyNot = errors.New("installed for another project only")
	}
	for _, r := range records {
		switch {
		case !s.fitsRecord(r):
		case filepath.IsAbs(r.InstallPath) && rooted.TargetIsDir(r.InstallPath):
			return r.InstallPath, printable(r.Version), nil
		default:
			whyNot = fmt.Errorf("its directory does not exist: %s", r.InstallPath)
		}
	}
	return "", "", whyNot
}

// fitsRecord reports whether a record applies to sessions in p.Work.
func (p Places) fitsRecord(r record) bool {
	return r.Scope == "user" || r.Scope == "managed" || r.ProjectPath == p.Work ||
		r.ProjectPath != "" && rooted.HoldsPath(p.Root, r.ProjectPath)
}

const installedPlugins = "installed_plugins.json"

// allRecords returns Claude Code's records by plugin ID, nil for an invalid one.
func (s *Snapshot) allRecords() (map[string][]record, error) {
	fields, _, err := s.needObject(s.Plugins, installedPlugins)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	all := map[string][]record{}
	for id, raw := range as[object](fields["plugins"]) {
		all[id] = as[[]record](raw)
	}
	return all, nil
}

// InstalledElsewhere returns a different project for which the plugin is installed, or "".
func (s *Snapshot) InstalledElsewhere(id string) (string, error) {
	records, err := s.allRecords()
	for _, r := range records[id] {
		if !s.fitsRecord(r) && rooted.TargetIsDir(r.ProjectPath) {
			return r.ProjectPath, nil
		}
	}
	return "", err
}

// SiblingsInUse returns the marketplace's other plugins that are enabled here or installed.
func (s *Snapshot) SiblingsInUse(plugin Plugin) (ids []string, err error) {
	records, err := s.allRecords()
	if err != nil {
		return nil, err
	}
	ids = slices.Collect(maps.Keys(records))
	for _, l := range s.AllLayers() {
		ids = append(ids, l.IDsOn()...)
	}
	return slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(ids))), func(id string) bool {
		_, marketplace, _ := strings.Cut(id, "@")
		return marketplace != plugin.Marketplace || id == plugin.ID()
	}), nil
}
