package installer

// What Claude Code knows of marketplaces.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/cameronsjo/springfield/folder"
	"github.com/cameronsjo/springfield/installer/document"
)

// ConflictError says that a marketplace name already means something else. The
// client would take the name away from it without a word.
type ConflictError struct{ Name, Known, Wanted string }

func (e *ConflictError) Error() string {
	return fmt.Sprintf("Claude Code knows marketplace %q as %s, not as %s", e.Name, e.Known, e.Wanted)
}

// source is where a marketplace comes from.
type source struct {
	Source string `json:"source"`
	Path   string `json:"path,omitempty"`
	Repo   string `json:"repo,omitempty"`
	URL    string `json:"url,omitempty"`
}

func (s source) String() string {
	for _, place := range []string{s.Path, s.Repo, s.URL} {
		if place != "" {
			return s.Source + " " + place
		}
	}
	return "another source"
}

// isDirectory tells whether the source is this directory.
func (s source) isDirectory(dir string) bool {
	if s.Source != "directory" {
		return false
	}
	return filepath.Clean(s.Path) == filepath.Clean(dir) || folder.Same(s.Path, dir)
}

// isGone tells whether the source is a directory that is no longer there: a
// suite that was moved. Its name can be given away without harm.
func (s source) isGone() bool {
	if s.Source != "directory" {
		return false
	}
	_, err := os.Stat(s.Path)
	return errors.Is(err, fs.ErrNotExist)
}

// Market is a marketplace that Claude Code knows.
type Market struct {
	Name     string
	Location string // the directory with its catalog
	source   json.RawMessage
}

// from is where the marketplace comes from; the zero source if that is of a
// kind we do not know.
func (m Market) from() (s source) {
	if json.Unmarshal(m.source, &s) != nil {
		return source{}
	}
	return s
}

// Suite is the marketplace's directory if it runs where it lies, else "".
func (m Market) Suite() string {
	if s := m.from(); s.Source == "directory" {
		return s.Path
	}
	return ""
}

// Repository is what a marketplace that is a repository is added by: OWNER/REPO
// or a URL; "" if it is none.
func (m Market) Repository() string {
	s := m.from()
	if s.Repo != "" {
		return s.Repo
	}
	return s.URL
}

// IsGone tells whether it was a directory that is no longer there.
func (m Market) IsGone() bool { return m.from().isGone() }

// String says where it comes from.
func (m Market) String() string { return m.from().String() }

// knownFile is the client's own record of marketplaces.
func (p Places) knownFile() string { return filepath.Join(p.Plugins, "known_marketplaces.json") }

// Markets reads the client's own record, marketplace by name. An entry of a
// shape we do not know is a Market that comes from "another source".
func Markets(p Places) (map[string]Market, error) {
	file, err := Open(p.knownFile())
	if err != nil {
		return nil, fmt.Errorf("read known marketplaces: %w", err)
	}
	if !file.Exists {
		return nil, nil
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(file.Data, &all); err != nil {
		return nil, fmt.Errorf("read known marketplaces: %s: %w", file.Asked, err)
	}
	markets := map[string]Market{}
	for name, raw := range all {
		var entry struct {
			Source          json.RawMessage `json:"source"`
			InstallLocation string          `json:"installLocation"`
		}
		_ = json.Unmarshal(raw, &entry) // what does not fit stays empty
		markets[name] = Market{name, entry.InstallLocation, entry.Source}
	}
	return markets, nil
}

// AllMarkets are the marketplaces that the client has on record, and the
// directories that user settings declare to it.
func AllMarkets(p Places) (map[string]Market, error) {
	all, err := Markets(p)
	if err != nil {
		return nil, err
	}
	if all == nil {
		all = map[string]Market{}
	}
	user, err := p.Settings(User)
	if err != nil {
		return nil, err
	}
	declared, _ := members(readLayer(string(User), user).fields["extraKnownMarketplaces"])
	for name := range declared {
		if _, known := all[name]; known {
			continue
		}
		if m, err := p.market(name); err == nil {
			all[name] = m
		}
	}
	return all, nil
}

// catalog is what a marketplace says it offers.
type catalog struct {
	Plugins []offer `json:"plugins"`
}

type offer struct {
	Name string `json:"name"`
}

// Offers tells whether a marketplace has a plugin of a name.
func (m Market) Offers(name string) (bool, error) {
	names, err := m.Names()
	return slices.Contains(names, name), err
}

// Names lists the plugins of a marketplace.
func (m Market) Names() ([]string, error) {
	file, err := Open(filepath.Join(m.Location, ".claude-plugin", "marketplace.json"))
	if err != nil {
		return nil, fmt.Errorf("read marketplace %s: %w", m.Name, err)
	}
	var c catalog
	if file.Exists {
		if err := json.Unmarshal(file.Data, &c); err != nil {
			return nil, fmt.Errorf("read marketplace %s: %s: %w", m.Name, file.Asked, err)
		}
	}
	var names []string
	for _, o := range c.Plugins {
		names = append(names, o.Name)
	}
	return names, nil
}

// MarketFrom is the name of the marketplace that comes from OWNER/REPO or from a
// URL, "" if Claude Code knows none.
func MarketFrom(p Places, from string) (string, error) {
	all, err := Markets(p)
	if err != nil {
		return "", err
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if s := all[name].from(); from == s.Repo || from == s.URL {
			return name, nil
		}
	}
	return "", nil
}

// MarketOf is a plugin's marketplace, whether Claude Code knows it yet or not.
func MarketOf(p Places, plugin Plugin) (Market, error) {
	if plugin.Suite != "" {
		from, err := document.Encode(source{Source: "directory", Path: plugin.Suite})
		return Market{plugin.Marketplace, plugin.Suite, from}, err
	}
	all, err := Markets(p)
	return all[plugin.Marketplace], err
}

// IsRegistered tells whether the client knows a marketplace as this directory,
// and refuses a name that it knows as something else.
func IsRegistered(p Places, name, dir string) (bool, error) {
	all, err := Markets(p)
	if err != nil {
		return false, err
	}
	m, ok := all[name]
	if !ok {
		return false, nil
	}
	switch s := m.from(); {
	case s.isDirectory(dir):
		return true, nil
	case s.isGone():
		return false, nil
	default:
		return false, &ConflictError{name, s.String(), dir}
	}
}
