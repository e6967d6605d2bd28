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
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// Installed is what Claude Code would load for a plugin's ID.
type Installed struct {
	ID, Name, Marketplace string

	Dir      string // where it runs from, "" if there is nothing
	InPlace  bool   // runs where it lies; else from a copy in the cache
	Version  string // of what would run, "" if unknown
	Offered  string // what the marketplace has now, "" if unknown
	Source   string // where the marketplace comes from, for people: "directory /x", "github a/b"
	Strategy string // what its strategy.json names, "unknown" if that cannot be read, "" without one
	Hooks    []Hook // on the events of Events
	Problem  string // why nothing of it would run, "" if it would

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
		dir := filepath.Join(p.Config, "skills", i.Name)
		if !isDir(dir) {
			return item{}, fmt.Errorf("its directory is gone: %s", dir)
		}
		i.Dir = dir
		return item{}, nil
	case "inline", "builtin", "synced":
		return item{}, errors.New("Claude Code brings it itself; it cannot be seen from here")
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

// load reads the plugin in its directory.
func (i *Installed) load(entry item) error {
	i.Strategy = strategyIn(i.Dir)
	manifest, err := readManifest(i.Dir)
	if err != nil {
		return err
	}
	switch {
	case manifest.version != "":
		i.Version = manifest.version
	case i.Version == "":
		i.Version = entry.version
	}
	i.optional = manifest.optional
	if entry.alone && manifest.hooks != nil {
		return errors.New("its marketplace says strict: false, and its plugin.json declares hooks of its own")
	}
	const standard = "hooks/hooks.json"
	hooks, err := i.hooksFile(standard)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	more := []json.RawMessage{manifest.hooks, entry.hooks}
	for n, file := range []string{manifest.file, entry.file} {
		for _, declared := range listOf(more[n]) {
			found, err := i.hooksDeclared(declared, file)
			if err != nil {
				return err
			}
			hooks = append(hooks, found...)
		}
	}
	i.Hooks = hooks
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

// hooksDeclared reads what "hooks" of a plugin.json or a catalog's entry holds:
// a path to a file, or the hooks themselves.
func (i *Installed) hooksDeclared(raw json.RawMessage, file string) ([]Hook, error) {
	if name := stringIn(raw); name != "" {
		return i.hooksFile(name)
	}
	if fields, ok := members(raw); ok && fields["hooks"] != nil {
		raw = fields["hooks"]
	}
	hooks, err := hooksIn(raw, i.ID, file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
	}
	return i.checked(hooks), nil
}

// hooksFile reads a file of hooks in the plugin's directory.
func (i *Installed) hooksFile(name string) ([]Hook, error) {
	fields, path, err := readObject(i.Dir, name)
	if err != nil {
		return nil, err
	}
	hooks, err := hooksIn(fields["hooks"], i.ID, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return i.checked(hooks), nil
}

// pluginRoot stands for the plugin's directory in what a hook runs.
const pluginRoot = "${CLAUDE_PLUGIN_ROOT}/"

// checked marks the hooks whose program is not in the plugin's directory.
func (i *Installed) checked(hooks []Hook) []Hook {
	for n := range hooks {
		name, ok := strings.CutPrefix(hooks[n].command, pluginRoot)
		if !ok || strings.ContainsAny(name, `$"'`+"`") || hooks[n].Never != "" {
			continue
		}
		program := filepath.Join(i.Dir, filepath.FromSlash(name))
		if !exists(program) && !exists(program+".exe") {
			hooks[n].Never = "its program is not there: " + printable(name)
		}
	}
	return hooks
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
	return manifest{path, printable(stringIn(fields["version"])), string(fields["defaultEnabled"]) == "false", fields["hooks"]}, nil
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
	alone   bool   // the entry is all there is; what the plugin declares itself is refused
	hooks   json.RawMessage
}

// stock reads a marketplace's catalog.
func (p Places) stock(name string) (s stock) {
	m, err := p.market(name)
	if err != nil {
		return stock{err: err}
	}
	s.source = printable(m.String())
	s.inPlace = slices.Contains([]string{"directory", "file"}, m.from().Source)
	s.root = m.Location
	catalog := ".claude-plugin/marketplace.json"
	switch info, err := os.Stat(m.Location); {
	case errors.Is(err, fs.ErrNotExist):
		s.err = fmt.Errorf("its marketplace's directory is gone: %s", m.Location)
		return s
	case err == nil && !info.IsDir(): // the catalog itself
		s.root, catalog = filepath.Split(m.Location)
		s.root = filepath.Clean(s.root)
		if filepath.Base(s.root) == ".claude-plugin" {
			s.root, catalog = filepath.Dir(s.root), ".claude-plugin/"+catalog
		}
	}
	fields, file, err := readObject(s.root, catalog)
	if err != nil {
		s.err = fmt.Errorf("marketplace %s: %w", name, err)
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
		s.items[plugin] = item{file, printable(stringIn(entry["version"])), path, string(entry["strict"]) == "false", entry["hooks"]}
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

// copied finds the copy in the cache that would run: the one on record for
// sessions here, else the one of the version on offer, else the newest.
func (p Places) copied(i Installed) (dir, version string, err error) {
	records, err := p.records(i.ID)
	if err != nil {
		return "", "", err
	}
	fits := func(r record) int { // how well, best first
		switch {
		case r.ProjectPath == "":
			return 1
		case r.ProjectPath == p.Work || r.ProjectPath == p.Root:
			return 0
		}
		return 2
	}
	slices.SortStableFunc(records, func(a, b record) int { return fits(a) - fits(b) })
	for _, r := range records {
		if filepath.IsAbs(r.InstallPath) && isDir(r.InstallPath) {
			return r.InstallPath, printable(r.Version), nil
		}
	}
	around := filepath.Join(p.Plugins, "cache", cacheName(i.Marketplace, ""), cacheName(i.Name, ""))
	if dir := filepath.Join(around, cacheName(i.Offered, ".")); i.Offered != "" && isDir(dir) {
		return dir, i.Offered, nil
	}
	if version := newest(around); version != "" {
		return filepath.Join(around, version), version, nil
	}
	if len(records) > 0 {
		return "", "", fmt.Errorf("its directory is gone: %s", printable(records[0].InstallPath))
	}
	return "", "", errors.New("not installed")
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
	fields, ok := members(bytes.TrimPrefix(file.Data, []byte(byteOrderMark)))
	if !ok {
		_, err = Parse(file.Data) // knows where
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
