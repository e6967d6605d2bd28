// What Claude Code knows of marketplaces.
package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/rooted"
)

// NameTakenError says that a marketplace name already means something else. The
// client would take the name away from it without a word.
type NameTakenError struct{ Name, Known, Wanted string }

func (e *NameTakenError) Error() string {
	return fmt.Sprintf("Claude Code knows marketplace %q as %s, not as %s", e.Name, e.Known, e.Wanted)
}

// HowToRename says how a suite in a directory gets another name.
func HowToRename(dir string) string {
	return "give this suite another marketplace name in " + filepath.Join(dir, "springfield.yaml") + ", then springfield update " + check.QuoteArgument(dir)
}

// Source is where a marketplace comes from.
type Source struct {
	Source string `json:"source"`
	Path   string `json:"path,omitempty"`
	Repo   string `json:"repo,omitempty"`
	URL    string `json:"url,omitempty"`
}

func (s Source) String() string {
	for _, place := range []string{s.Path, s.Repo, s.URL} {
		if place != "" {
			return s.Source + " " + place
		}
	}
	return "another source"
}

func (s Source) isIn(dir string) bool {
	return s.Source == "directory" && (filepath.Clean(s.Path) == filepath.Clean(dir) || rooted.IsSame(s.Path, dir))
}

// IsMissing tells whether the source is a directory that is no longer there: a
// suite that was moved. Its name can be given away without harm.
func (s Source) IsMissing() bool {
	return s.Source == "directory" && rooted.IsMissing(s.Path)
}

// Market is a marketplace that Claude Code knows.
type Market struct {
	Name     string
	Location string          // the directory with its catalog
	Source                   // where it comes from; empty if that is of a kind we do not know
	Said     json.RawMessage // the source as it is said, which may have more members; nil for none
}

func marketOf(name, location string, said json.RawMessage) Market {
	return Market{name, location, as[Source](said), said}
}

// Directory is the marketplace that lies in a directory, whether it is known or not.
func Directory(name, dir string) Market {
	from, _ := document.EncodeValue(Source{Source: "directory", Path: dir}) // strings
	return marketOf(name, dir, from)
}

// Catalog is where its catalog lies: a directory, and the path in it, with slashes.
func (m Market) Catalog() (root, file string) {
	switch from := m.Source; {
	case from.Source == "file": // the catalog itself is what is known
		dir := filepath.Dir(m.Location)
		return filepath.Dir(dir), filepath.Base(dir) + "/" + filepath.Base(m.Location)
	case from.Source != "directory" && from.Path != "":
		return m.Location, from.Path
	}
	return m.Location, ".claude-plugin/marketplace.json"
}

// Declaration is what settings say to declare the marketplace.
func (m Market) Declaration() json.RawMessage {
	text, _ := document.EncodeValue(object{"source": m.Said}) // it was JSON
	return text
}

// SuiteDir is the marketplace's directory if it runs in place, else "".
func (m Market) SuiteDir() string {
	if m.Source.Source == "directory" {
		return m.Path
	}
	return ""
}

// Markets are the marketplaces on Claude Code's record, by name. An entry of a
// shape we do not know is a Market that comes from "another source".
func (s *Snapshot) Markets() (map[string]Market, error) {
	file, err := s.OpenFile(filepath.Join(s.Plugins, "known_marketplaces.json"))
	if err != nil {
		return nil, fmt.Errorf("read known marketplaces: %w", err)
	}
	var all object
	if err := json.Unmarshal(file.Before.Bytes(), &all); err != nil && file.Before != nil {
		return nil, fmt.Errorf("read known marketplaces: %s: %w", file.Path, err)
	}
	markets := map[string]Market{}
	for name, raw := range all {
		var entry struct {
			Source          json.RawMessage `json:"source"`
			InstallLocation string          `json:"installLocation"`
		}
		_ = json.Unmarshal(raw, &entry) // what does not fit stays empty
		markets[name] = marketOf(name, entry.InstallLocation, entry.Source)
	}
	return markets, nil
}

// GoneMarkets are the marketplaces on record that were directories, which are not there any more.
func (s *Snapshot) GoneMarkets() (all []Market) {
	markets, _ := s.Markets() // what cannot be read is said elsewhere
	for _, name := range slices.Sorted(maps.Keys(markets)) {
		if markets[name].IsMissing() {
			all = append(all, markets[name])
		}
	}
	return all
}

func (m Market) HowToForget() string {
	return "claude plugin marketplace remove " + check.QuoteArgument(m.Name)
}

// AllMarkets are the marketplaces on record, and the directories that user
// settings declare.
func (s *Snapshot) AllMarkets() (map[string]Market, error) {
	all, err := s.Markets()
	if err != nil {
		return nil, err
	}
	for name := range as[object](s.userLayer().fields["extraKnownMarketplaces"]) {
		if m, err := s.FindMarket(name); err == nil {
			all[name] = m
		}
	}
	return all, nil
}

// FindMarket finds a marketplace by name: one that the client has on record, else
// one that settings declare as a directory, which it will have at its next start.
func (s *Snapshot) FindMarket(name string) (Market, error) {
	known, err := s.Markets()
	if err != nil {
		return Market{}, err
	}
	if m, ok := known[name]; ok {
		if !filepath.IsAbs(m.Location) {
			return Market{}, fmt.Errorf("where Claude Code keeps marketplace %s is not recorded", name)
		}
		return m, nil
	}
	for _, l := range s.AllLayers() {
		if l.Name != Managed && l.Name != string(User) {
			continue
		}
		for _, key := range []string{"extraKnownMarketplaces", "additionalMarketplaces"} {
			entry := as[object](as[object](l.fields[key])[name])
			m := marketOf(name, "", entry["source"])
			if m.Location = m.SuiteDir(); filepath.IsAbs(m.Location) {
				return m, nil
			}
		}
	}
	return Market{}, fmt.Errorf("marketplace %s is not known", name)
}

// MarketFrom is the name of the marketplace that comes from OWNER/REPO or from a
// URL, "" if Claude Code knows none.
func (s *Snapshot) MarketFrom(from string) (string, error) {
	all, err := s.Markets()
	if err != nil {
		return "", err
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if m := all[name]; from == m.Repo || from == m.URL {
			return name, nil
		}
	}
	return "", nil
}

// IsRegistered tells whether Claude Code knows a marketplace as this directory,
// and refuses a name that it knows as something else.
func (s *Snapshot) IsRegistered(name, dir string) (bool, error) {
	all, err := s.Markets()
	m, known := all[name]
	if err != nil || !known || m.isIn(dir) || m.IsMissing() {
		return known && m.isIn(dir), err
	}
	return false, &NameTakenError{name, m.String(), dir}
}

// CheckFree refuses a name that Claude Code knows, or user settings declare, as something else than this directory.
// A record that cannot be read is for enable and doctor to name.
func (s *Snapshot) CheckFree(name, dir string) error {
	var taken *NameTakenError
	if _, err := s.IsRegistered(name, dir); errors.As(err, &taken) {
		return err
	}
	if raw, declared := as[object](s.userLayer().fields["extraKnownMarketplaces"])[name]; declared {
		return checkDeclaration(raw, name, dir)
	}
	return nil
}

// CheckDeclared refuses a name that a settings file declares as something else than
// this directory.
func (m Market) CheckDeclared(in *document.Document) error {
	raw, found, err := in.Get("extraKnownMarketplaces", m.Name)
	if err != nil || !found {
		return err
	}
	return checkDeclaration(raw, m.Name, m.Location)
}

func checkDeclaration(raw json.RawMessage, name, dir string) error {
	if from := as[Source](as[object](raw)["source"]); !from.isIn(dir) && !from.IsMissing() {
		return &NameTakenError{name, from.String(), dir}
	}
	return nil
}

// PluginsOffered lists the plugins of a marketplace's catalog, none where there is none.
func (s *Snapshot) PluginsOffered(m Market) ([]string, error) {
	if root, file := m.Catalog(); rooted.IsMissing(filepath.Join(root, file)) {
		return nil, nil
	}
	c := s.readCatalog(m)
	return slices.Sorted(maps.Keys(c.items)), c.err
}

// catalog is what a marketplace has.
type catalog struct {
	source  string // where it comes from, for people
	inPlace bool   // what lies in it runs in place
	root    string // the directory that its relative paths start from
	items   map[string]item
	err     error
}

// item is a plugin's entry in a catalog.
type item struct {
	version string
	path    string // where it lies in the marketplace, "" if elsewhere
}

// Assuming is the snapshot as it will be once a marketplace is known.
func (s *Snapshot) Assuming(m Market) *Snapshot {
	next := *s
	next.catalogs = maps.Clone(s.catalogs)
	next.catalogs[m.Name] = s.readCatalog(m)
	return &next
}

// readCatalogOnce reads a marketplace's catalog, which can be large, once.
func (s *Snapshot) readCatalogOnce(name string) catalog {
	c, known := s.catalogs[name]
	if !known {
		if m, err := s.FindMarket(name); err != nil {
			c.err = err
		} else {
			c = s.readCatalog(m)
		}
		s.catalogs[name] = c
	}
	return c
}

func (s *Snapshot) readCatalog(m Market) (c catalog) {
	c.source = printable(m.String())
	c.inPlace = m.Source.Source == "directory" || m.Source.Source == "file"
	root, name := m.Catalog()
	c.root = root
	fields, _, err := s.readObject(root, name)
	switch {
	case rooted.IsMissing(m.Location):
		c.err = fmt.Errorf("its marketplace's directory is gone: %s", m.Location)
		return c
	case err != nil:
		c.err = fmt.Errorf("marketplace %s: %w", m.Name, err)
		return c
	}
	c.items = map[string]item{}
	metadata := as[object](fields["metadata"])
	for _, raw := range as[array](fields["plugins"]) {
		entry := as[object](raw)
		plugin := as[string](entry["name"])
		if _, twice := c.items[plugin]; twice {
			continue
		}
		path := as[string](entry["source"])
		if path != "" && !strings.ContainsAny(path[:1], `./\`) { // a bare name
			path = as[string](metadata["pluginRoot"]) + "/" + path
		}
		c.items[plugin] = item{printable(as[string](entry["version"])), path}
	}
	return c
}

// OwnPlugins names the plugins of a marketplace that look like springfield's: they
// lie in its directory and have a strategy.json. What cannot be read has none.
func (s *Snapshot) OwnPlugins(m Market) []string {
	c := s.readCatalog(m)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(c.items)), func(name string) bool {
		dir, err := placeBelow(c.root, c.items[name].path)
		return err != nil || s.strategyIn(dir) == ""
	})
}

// IsOlder tells whether a version is older than another; known, whether that can be
// told.
func IsOlder(is, than string) (older, known bool) {
	v, err := semver.StrictNewVersion(is)
	return err == nil && v.LessThan(semver.MustParse(than)), err == nil
}
