package installer

// What Claude Code would load for a plugin that settings name.
//
// The rules:
//   - a plugin of a marketplace that is a directory runs where it lies; any
//     other runs from a copy in the cache, which is as old as its last update;
//   - whatever is read here was written by whoever offers the plugin: every read
//     is bounded, and no path in it leads out of the marketplace or the plugin;
//   - what cannot be found out is said as the reason why nothing would run.

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/installer/document"

	"github.com/Masterminds/semver/v3"
)

// Installed is what Claude Code would load for a plugin's ID.
type Installed struct {
	ID, Name, Marketplace string

	Dir      string   // where it runs from, "" if there is nothing
	InPlace  bool     // runs where it lies; else from a copy in the cache
	Version  string   // of what would run, "" if unknown
	Offered  string   // what the marketplace has now, "" if unknown
	Source   string   // where the marketplace comes from, for people: "directory /x", "github a/b"
	Strategy string   // what its strategy.json names, "unknown" if that cannot be read, "" without one
	Hooks    []Hook   // on the events of Events
	Faults   []string // parts that Claude Code passes over, and why
	Problem  string   // why nothing of it would run, "" if it would

	optional bool // it is off unless settings say otherwise
}

// Ours tells whether it is a plugin that springfield made.
func (i Installed) Ours() bool {
	return i.Strategy != "" && slices.ContainsFunc(i.Hooks, Hook.isOurs)
}

// Drives tells whether it is one of ours that decides at Stop.
func (i Installed) Drives() bool {
	return i.Strategy != "" && slices.ContainsFunc(i.Hooks, func(h Hook) bool { return h.isOurs() && h.Event == "Stop" })
}

// skillsDir is the marketplace name of plugins that lie in the configuration
// directory's skills.
const skillsDir = "skills-dir"

var isID = regexp.MustCompile(`^[A-Za-z0-9][-A-Za-z0-9._]*@[A-Za-z0-9][-A-Za-z0-9._]*$`)

// Installed finds out what Claude Code would load for a key of enabledPlugins.
func (p Places) Installed(id string) Installed { return p.installed(id, stocks{}) }

// InstalledAll does so for many: a catalog is read once, and can be large.
func (p Places) InstalledAll(ids []string) []Installed {
	var all []Installed
	read := stocks{}
	for _, id := range ids {
		all = append(all, p.installed(id, read))
	}
	return all
}

func (p Places) installed(id string, read stocks) Installed {
	i := Installed{ID: id}
	if !isID.MatchString(id) {
		i.Problem = "not NAME@MARKETPLACE"
		return i
	}
	i.Name, i.Marketplace, _ = strings.Cut(id, "@")
	item, err := p.locate(&i, read)
	if err == nil {
		err = i.load(item)
	}
	if err != nil {
		i.Problem = err.Error()
	}
	return i
}

// locate finds the plugin's directory and its entry in the catalog.
func (p Places) locate(i *Installed, read stocks) (item, error) {
	switch i.Marketplace {
	case skillsDir:
		i.Source, i.InPlace = "skills directory", true
		dirs, err := p.skills()
		if err != nil {
			return item{}, err
		}
		dir, ok := dirs[i.ID]
		if !ok {
			return item{}, fmt.Errorf("no plugin in %s has that name", filepath.Join(p.Config, "skills"))
		}
		i.Dir = dir
		return item{}, nil
	case "inline", "builtin", "synced":
		return item{}, errors.New("it comes with Claude Code itself and cannot be seen from here")
	}
	stock, known := read[i.Marketplace]
	if !known {
		stock = p.stock(i.Marketplace)
		read[i.Marketplace] = stock
	}
	i.Source = stock.source
	if stock.err != nil {
		return item{}, stock.err
	}
	entry, ok := stock.items[i.Name]
	if !ok {
		return item{}, fmt.Errorf("marketplace %s has no plugin %s", i.Marketplace, i.Name)
	}
	i.Offered = entry.version
	if entry.path != "" {
		dir, err := below(stock.root, entry.path)
		if err != nil {
			return item{}, fmt.Errorf("its source in the marketplace: %w", err)
		}
		if manifest, err := readManifest(dir); err == nil && manifest.version != "" {
			i.Offered = manifest.version
		}
		if stock.inPlace {
			if !isDir(dir) {
				return item{}, fmt.Errorf("its directory is gone: %s", dir)
			}
			i.Dir, i.InPlace = dir, true
			return entry, nil
		}
	}
	var err error
	i.Dir, i.Version, err = p.copied(*i)
	return entry, err
}

// load reads the plugin in its directory. Without a plugin.json its catalog's
// entry takes the place of what it has, event by event with one.
func (i *Installed) load(entry item) error {
	i.Strategy = strategyIn(i.Dir)
	manifest, err := readManifest(i.Dir)
	if err != nil {
		return err
	}
	i.Version = cmp.Or(manifest.version, i.Version, entry.version)
	i.optional = manifest.optional
	if manifest.exists && entry.alone {
		return errors.New("its marketplace says strict: false and what the plugin has, and it has a plugin.json too")
	}
	seen := map[string]bool{}
	if err := i.addFile("hooks/hooks.json", seen); err != nil && !errors.Is(err, fs.ErrNotExist) {
		i.Faults = append(i.Faults, err.Error())
	}
	for _, declared := range listOf(manifest.hooks) {
		name := stringIn(declared)
		if name != "" {
			err = i.addFile(name, seen)
		} else {
			var hooks []Hook
			hooks, err = hooksIn(declared, i.ID, manifest.file)
			i.Hooks = append(i.Hooks, hooks...)
		}
		if err != nil {
			i.Faults = append(i.Faults, "plugin.json: "+err.Error())
		}
	}
	if entry.hooks != nil {
		hooks, err := hooksIn(entry.hooks, i.ID, entry.file)
		if err != nil {
			i.Faults = append(i.Faults, "marketplace.json: "+err.Error())
		}
		i.Hooks = slices.DeleteFunc(i.Hooks, func(h Hook) bool {
			return !manifest.exists || slices.ContainsFunc(hooks, func(other Hook) bool { return other.Event == h.Event })
		})
		i.Hooks = append(i.Hooks, hooks...)
	}
	i.findPrograms()
	if len(i.Hooks) == 0 && len(i.Faults) > 0 {
		return errors.New(i.Faults[0])
	}
	return nil
}

// listOf makes one value an array of one.
func listOf(raw json.RawMessage) []json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	if all, ok := elements(raw); ok {
		return all
	}
	return []json.RawMessage{raw}
}

// addFile reads a file of hooks in the plugin's directory, whole or not at all;
// the same file twice counts once.
func (i *Installed) addFile(name string, seen map[string]bool) error {
	fields, path, err := readObject(i.Dir, name)
	if err != nil {
		return err
	}
	real, err := resolve(path)
	if err != nil || seen[real] {
		return err
	}
	seen[real] = true
	hooks, err := hooksIn(fields["hooks"], i.ID, path)
	if err != nil {
		return fmt.Errorf("%s: %w", printable(name), err)
	}
	i.Hooks = append(i.Hooks, hooks...)
	return nil
}

// pluginRoot stands for the plugin's directory in what a hook runs.
const pluginRoot = "${CLAUDE_PLUGIN_ROOT}/"

// findPrograms marks the hooks whose program is not in the plugin's directory.
func (i *Installed) findPrograms() {
	for n := range i.Hooks {
		h := &i.Hooks[n]
		name, ok := strings.CutPrefix(h.command, pluginRoot)
		if !ok || strings.ContainsAny(name, `$"'`+"`") || h.Never != "" {
			continue
		}
		program := filepath.Join(i.Dir, filepath.FromSlash(name))
		if !exists(program) && !exists(program+".exe") {
			h.Never = "its program is not there: " + printable(name)
		}
	}
}

// strategyIn is the strategy that a directory's strategy.json names.
func strategyIn(dir string) string {
	fields, _, err := readObject(dir, "strategy.json")
	switch name := printable(stringIn(fields["strategy"])); {
	case errors.Is(err, fs.ErrNotExist):
		return ""
	case name != "":
		return name
	}
	return "unknown"
}

// manifest is what a plugin.json says that matters here.
type manifest struct {
	file     string
	exists   bool
	version  string
	optional bool
	hooks    json.RawMessage
}

// readManifest reads a plugin's plugin.json, which it need not have.
func readManifest(dir string) (manifest, error) {
	fields, path, err := readObject(dir, ".claude-plugin/plugin.json")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return manifest{}, err
	}
	return manifest{path, err == nil, printable(stringIn(fields["version"])), string(fields["defaultEnabled"]) == "false", fields["hooks"]}, nil
}

// stocks are the marketplaces read so far, by name.
type stocks map[string]stock

// stock is what a marketplace has.
type stock struct {
	source  string // where it comes from, for people
	inPlace bool   // what lies in it runs where it lies
	root    string // the directory that its relative paths start from
	items   map[string]item
	err     error
}

// item is a plugin's entry in a catalog.
type item struct {
	file    string // the catalog
	version string
	path    string // where it lies in the marketplace, "" if elsewhere
	alone   bool   // it says what the plugin has, and no plugin.json may
	hooks   json.RawMessage
}

// stock reads a marketplace's catalog.
func (p Places) stock(name string) (s stock) {
	m, err := p.market(name)
	if err != nil {
		return stock{err: err}
	}
	return m.stock()
}

// Ours names the plugins of the marketplace that look like springfield's: they
// lie in its directory and have a strategy.json. What cannot be read has none.
func (m Market) Ours() []string {
	var names []string
	s := m.stock()
	for name, entry := range s.items {
		if entry.path == "" {
			continue
		}
		if dir, err := below(s.root, entry.path); err == nil && strategyIn(dir) != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (m Market) stock() (s stock) {
	s.source = printable(m.String())
	s.inPlace = slices.Contains([]string{"directory", "file"}, m.from().Source)
	s.root = m.Location
	catalog := ".claude-plugin/marketplace.json"
	from := m.from()
	switch info, err := os.Stat(m.Location); {
	case errors.Is(err, fs.ErrNotExist):
		s.err = fmt.Errorf("its marketplace's directory is gone: %s", m.Location)
		return s
	case err == nil && !info.IsDir(): // the catalog itself
		from.Path = m.Location
		s.root = filepath.Dir(filepath.Dir(m.Location))
		fallthrough
	case from.Source == "file":
		if catalog, err = filepath.Rel(s.root, from.Path); err != nil {
			s.err = fmt.Errorf("its catalog %s is not in %s", from.Path, s.root)
			return s
		}
	}
	fields, file, err := readObject(s.root, catalog)
	if err != nil {
		s.err = fmt.Errorf("marketplace %s: %w", m.Name, err)
		return s
	}
	metadata, _ := members(fields["metadata"])
	s.items = map[string]item{}
	plugins, _ := elements(fields["plugins"])
	for _, raw := range plugins {
		entry, _ := members(raw)
		plugin := stringIn(entry["name"])
		if _, twice := s.items[plugin]; twice {
			continue
		}
		path := stringIn(entry["source"])
		if path != "" && !strings.ContainsAny(path[:1], `./\`) { // a bare name
			path = stringIn(metadata["pluginRoot"]) + "/" + path
		}
		_, commands := entry["commands"]
		_, agents := entry["agents"]
		_, skills := entry["skills"]
		alone := string(entry["strict"]) == "false" && (commands || agents || skills || entry["hooks"] != nil)
		s.items[plugin] = item{file, printable(stringIn(entry["version"])), path, alone, entry["hooks"]}
	}
	return s
}

// market finds a marketplace by name: one that the client has on record, else
// one that settings declare as a directory, which it will have at its next start.
func (p Places) market(name string) (Market, error) {
	known, err := Markets(p)
	if err != nil {
		return Market{}, err
	}
	if m, ok := known[name]; ok {
		if !filepath.IsAbs(m.Location) {
			return Market{}, fmt.Errorf("where Claude Code keeps marketplace %s is not on record", name)
		}
		return m, nil
	}
	user, _ := p.Settings(User)
	for _, path := range append(slices.Clone(p.managedFiles()), user) {
		_, doc, err := openSettings(path)
		if err != nil {
			continue // Claude Code passes it over as well
		}
		for _, key := range []string{"extraKnownMarketplaces", "additionalMarketplaces"} {
			raw, _, err := doc.Get(key, name, "source")
			m := Market{Name: name, source: raw}
			if s := m.from(); err == nil && s.Source == "directory" && filepath.IsAbs(s.Path) {
				m.Location = s.Path
				return m, nil
			}
		}
	}
	return Market{}, fmt.Errorf("marketplace %s is not known", name)
}

// record is one line of the client's own list of what is installed.
type record struct {
	Scope       string `json:"scope"`
	ProjectPath string `json:"projectPath"`
	InstallPath string `json:"installPath"`
	Version     string `json:"version"`
}

// copied finds the copy in the cache that would run: the first on record for
// sessions here; where that has gone, the one of the version on offer, else the
// newest. Without a record for here the client installs in one session and runs
// in the next (seen on 2.1.197 and 2.1.329).
func (p Places) copied(i Installed) (dir, version string, err error) {
	records, err := p.records(i.ID)
	if err != nil {
		return "", "", err
	}
	gone := ""
	for _, r := range records {
		switch {
		case !p.fits(r):
		case filepath.IsAbs(r.InstallPath) && isDir(r.InstallPath):
			return r.InstallPath, printable(r.Version), nil
		default:
			gone = r.InstallPath
		}
	}
	switch {
	case gone == "" && len(records) > 0:
		return "", "", errors.New("installed for another project only")
	case gone == "":
		return "", "", errors.New("not installed") // a copy that is still there is a leftover
	}
	around := filepath.Join(p.Plugins, "cache", cacheName(i.Marketplace, ""), cacheName(i.Name, ""))
	if dir := filepath.Join(around, cacheName(i.Offered, ".")); i.Offered != "" && isDir(dir) && !exists(filepath.Join(dir, ".orphaned_at")) {
		return dir, i.Offered, nil
	}
	if version := newest(around); version != "" {
		return filepath.Join(around, version), version, nil
	}
	return "", "", fmt.Errorf("its directory is gone: %s", gone)
}

// fits tells whether a record is for sessions that start here: the user's, or of
// a project in the same repository.
func (p Places) fits(r record) bool {
	if r.Scope == "user" || r.Scope == "managed" || r.ProjectPath == p.Work {
		return true
	}
	inside, err := filepath.Rel(p.Root, r.ProjectPath)
	return r.ProjectPath != "" && err == nil && filepath.IsLocal(inside)
}

// records lists where the client has installed a plugin.
func (p Places) records(id string) ([]record, error) {
	fields, path, err := readObject(p.Plugins, "installed_plugins.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	plugins, _ := members(fields["plugins"])
	var all []record
	if raw := plugins[id]; raw != nil && json.Unmarshal(raw, &all) != nil {
		return nil, fmt.Errorf("%s: what it says of %s cannot be read", path, id)
	}
	return all, nil
}

// cacheName is a name as the client writes it in its cache.
func cacheName(name, allowed string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-', strings.ContainsRune(allowed, r):
			return r
		}
		return '-'
	}, name)
}

// newest is the highest version among a plugin's copies, or without versions
// the youngest; one that the client has put aside does not count.
func newest(dir string) string {
	entries, _ := os.ReadDir(dir)
	var best fs.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !e.IsDir() || exists(filepath.Join(dir, e.Name(), ".orphaned_at")) {
			continue
		}
		if best == nil || newer(info, best) {
			best = info
		}
	}
	if best == nil {
		return ""
	}
	return best.Name()
}

func newer(a, b fs.FileInfo) bool {
	one, errOne := semver.StrictNewVersion(a.Name())
	other, errOther := semver.StrictNewVersion(b.Name())
	if errOne == nil && errOther == nil {
		return one.GreaterThan(other)
	}
	return a.ModTime().After(b.ModTime())
}

// readObject reads a JSON object from a file in a directory, and says which file
// that is. The error about one that does not exist wraps fs.ErrNotExist.
func readObject(dir, name string) (fields map[string]json.RawMessage, path string, err error) {
	path, err = below(dir, name)
	if err != nil {
		return nil, path, err
	}
	file, err := Open(path)
	if err != nil {
		return nil, path, err
	}
	if !file.Exists {
		return nil, path, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	fields, ok := members(bytes.TrimPrefix(file.Data, []byte(document.ByteOrderMark)))
	if !ok {
		_, err = document.Parse(file.Data) // knows where
	}
	if err != nil {
		return nil, path, fmt.Errorf("%s: %w", name, err)
	}
	return fields, path, nil
}

// below is the place of a relative path in a directory. One that leads out of
// it, by its name or through a symbolic link, is refused.
func below(dir, name string) (string, error) {
	local := filepath.FromSlash(strings.TrimSuffix(name, "/"))
	out := fmt.Errorf("%q leads out of its directory", printable(name))
	if !filepath.IsLocal(local) {
		return "", out
	}
	path := filepath.Join(dir, local)
	root, err := resolve(dir)
	if err != nil {
		return "", failed("open", dir, err)
	}
	real, err := resolve(path)
	if err != nil {
		return "", failed("open", path, err)
	}
	if inside, err := filepath.Rel(root, real); err != nil || !filepath.IsLocal(inside) {
		return "", out
	}
	return path, nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
