package client

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/runtime/secret"
)

// NameTakenError is returned for a marketplace name with a different source, which the client would replace silently.
type NameTakenError struct{ Name, Known, Wanted string }

func (e *NameTakenError) Error() string {
	return fmt.Sprintf("Claude Code knows marketplace %q as %s, not as %s", e.Name, e.Known, e.Wanted)
}

// HowToRenameMarket returns advice as a clause.
func HowToRenameMarket(suiteDir string) string {
	return "give this suite another marketplace name in " + filepath.Join(suiteDir, "springfield.yaml") + ", then run springfield update " + check.QuoteArgument(suiteDir)
}

type Source struct {
	Source string `json:"source"`
	Path   string `json:"path,omitempty"`
	Repo   string `json:"repo,omitempty"`
	URL    string `json:"url,omitempty"`
}

// String returns the source for display, with a URL's password masked.
func (s Source) String() string {
	switch place := cmp.Or(s.Path, s.Repo); {
	case place != "":
		return s.Source + " " + place
	case s.URL != "":
		return s.Source + " " + secret.Mask(s.URL)
	}
	return "another source"
}

func (s Source) isAt(dir string) bool {
	return s.Source == "directory" && (filepath.Clean(s.Path) == filepath.Clean(dir) || rooted.SameFile(s.Path, dir))
}

func (s Source) IsMissing() bool {
	return s.Source == "directory" && rooted.IsSurelyMissing(s.Path)
}

type Market struct {
	Name     string
	Location string          // the directory with its catalog
	Source                   // empty if its kind is unknown
	Said     json.RawMessage // the source with all of its members, or nil
}

// Directory returns a marketplace for a directory, even if unknown to Claude Code.
func Directory(name, dir string) Market {
	from := Source{Source: "directory", Path: dir}
	said, _ := document.EncodeValue(from)
	return Market{name, dir, from, said}
}

// CatalogPath returns the catalog's path: a directory and a slash-separated path below it.
func (m Market) CatalogPath() (dir, below string) {
	switch from := m.Source; {
	case from.Source == "file": // Location is the catalog
		dir := filepath.Dir(m.Location)
		return filepath.Dir(dir), filepath.Base(dir) + "/" + filepath.Base(m.Location)
	case from.Source != "directory" && from.Path != "":
		return m.Location, from.Path
	}
	return m.Location, ".claude-plugin/marketplace.json"
}

// Declaration returns the value that declares the marketplace in settings.
func (m Market) Declaration() json.RawMessage {
	text, _ := document.EncodeValue(object{"source": m.Said})
	return text
}

// SuiteDir returns the source directory ("" for different sources). There may be no suite inside.
func (m Market) SuiteDir() string {
	if m.Source.Source == "directory" {
		return m.Path
	}
	return ""
}

// Markets returns Claude Code's recorded marketplaces by name. An invalid source is empty.
func (s *Snapshot) Markets() (map[string]Market, error) {
	file, err := s.ReadOrEmpty(filepath.Join(s.Plugins, "known_marketplaces.json"))
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
		_ = json.Unmarshal(raw, &entry) // invalid members stay empty
		markets[name] = Market{name, entry.InstallLocation, as[Source](entry.Source), entry.Source}
	}
	return markets, nil
}

// GoneMarkets returns recorded marketplaces with missing directories.
func (s *Snapshot) GoneMarkets() (all []Market) {
	markets, _ := s.Markets() // other checks report the error
	for _, name := range slices.Sorted(maps.Keys(markets)) {
		if markets[name].IsMissing() {
			all = append(all, markets[name])
		}
	}
	return all
}

// HowToForget returns the claude command that removes the marketplace.
func (m Market) HowToForget() string {
	return "claude plugin marketplace remove " + check.QuoteArgument(m.Name)
}

// AllMarkets returns recorded marketplaces and directories that user settings declare.
func (s *Snapshot) AllMarkets() (recordedOrDeclared map[string]Market, err error) {
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

// FindMarket returns a marketplace recorded, or declared as a directory in user or managed settings.
func (s *Snapshot) FindMarket(name string) (m Market, err error) {
	known, err := s.Markets()
	if err != nil {
		return Market{}, err
	}
	if m, ok := known[name]; ok {
		if !filepath.IsAbs(m.Location) {
			return Market{}, fmt.Errorf("Claude Code has no record of the location of marketplace %s", name)
		}
		return m, nil
	}
	for _, l := range s.AllLayers() {
		if l.Name != Managed && l.Name != string(User) {
			continue
		}
		for _, key := range []string{"extraKnownMarketplaces", "additionalMarketplaces"} {
			entry := as[object](as[object](l.fields[key])[name])
			m := Market{name, "", as[Source](entry["source"]), entry["source"]}
			if m.Location = m.SuiteDir(); filepath.IsAbs(m.Location) {
				return m, nil
			}
		}
	}
	return Market{}, fmt.Errorf("marketplace %s is unknown", name)
}

// MarketFromIfAny returns the recorded name for a source, OWNER/REPO or URL ("" if unknown). address must match
// exactly. "" matches any directory; do not pass it.
func (s *Snapshot) MarketFromIfAny(address string) (string, error) {
	all, err := s.Markets()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if m := all[name]; address == m.Repo || address == m.URL {
			return name, nil
		}
	}
	return "", err
}

// IsRegistered reports whether Claude Code has market from dir. If the name has a different source that still exists,
// the error is a *NameTakenError.
func (s *Snapshot) IsRegistered(market, dir string) (ok bool, err error) {
	all, err := s.Markets()
	m, known := all[market]
	if err != nil || !known || m.isAt(dir) || m.IsMissing() {
		return known && m.isAt(dir), err
	}
	return false, &NameTakenError{market, m.String(), dir}
}

// CheckFree returns a *NameTakenError if the name has a source other than dir. It ignores unreadable records.
func (s *Snapshot) CheckFree(name, dir string) error {
	var taken *NameTakenError
	if _, err := s.IsRegistered(name, dir); errors.As(err, &taken) {
		return err
	}
	if raw, declared := as[object](s.userLayer().fields["extraKnownMarketplaces"])[name]; declared {
		return checkNotTaken(raw, name, dir)
	}
	return nil
}

// CheckFreeIn returns a *NameTakenError if a settings file declares the name with a source other than m.Location,
// unless that source is a missing directory. m is from Directory.
func (m Market) CheckFreeIn(in *document.Document) error {
	raw, found, err := in.Get("extraKnownMarketplaces", m.Name)
	if err != nil || !found {
		return err
	}
	return checkNotTaken(raw, m.Name, m.Location)
}

// checkNotTaken returns a *NameTakenError if declaration, which is not nil, names another source than dir.
func checkNotTaken(declaration json.RawMessage, name, dir string) error {
	if from := as[Source](as[object](declaration)["source"]); !from.isAt(dir) && !from.IsMissing() {
		return &NameTakenError{name, from.String(), dir}
	}
	return nil
}

// PluginsOffered returns the plugin names in a marketplace's catalog (nil without a catalog).
func (s *Snapshot) PluginsOffered(m Market) ([]string, error) {
	if root, file := m.CatalogPath(); rooted.IsSurelyMissing(filepath.Join(root, file)) {
		return nil, nil
	}
	c := s.readCatalog(m)
	return slices.Sorted(maps.Keys(c.items)), c.err
}

type catalog struct {
	source  string // of the marketplace, for messages
	inPlace bool
	root    string // of relative paths
	items   map[string]item
	err     error
}

type item struct {
	version string
	path    string // in the marketplace, "" if it is not there
}

// WithMarket returns a copy of the snapshot in which Installed and DirInClone, but not Markets, FindMarket and
// IsRegistered, treat m as registered.
func (s *Snapshot) WithMarket(m Market) *Snapshot {
	next := *s
	next.catalogs = maps.Clone(s.catalogs)
	next.catalogs[m.Name] = s.readCatalog(m)
	return &next
}

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
	root, name := m.CatalogPath()
	c.root = root
	fields, _, err := s.needObject(root, name)
	switch {
	case rooted.IsSurelyMissing(m.Location):
		c.err = fmt.Errorf("the directory of its marketplace does not exist: %s", m.Location)
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

// OursInCatalog returns the marketplace's plugins that contain a strategy.json.
func (s *Snapshot) OursInCatalog(m Market) []string {
	c := s.readCatalog(m)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(c.items)), func(name string) bool {
		dir, err := placeBelow(c.root, c.items[name].path)
		return err != nil || s.strategyIn(dir) == ""
	})
}
