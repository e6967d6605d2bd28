// Package hosts is what the CLI knows of each host, the agents that run springfield's
// plugins: how it is found, where its files and sessions are, and which entry of which file
// has a plugin on. What the hook knows of a host is in runtime/host, under the same name.
//
// A host is a value in a file of its own; no other file knows it by name. Claude Code is the first.
package hosts

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
)

// Host is one of the programs that run plugins.
type Host struct {
	Name  string // in flags, records and JSON, and its command on PATH: "codex"
	Title string // the program, in sentences: "GitHub Copilot CLI"
	Agent string // who goes on and stops, in sentences: "Copilot"
	// Default is set for the host that is meant where none is named: Claude Code.
	Default bool
	// Markets is set where plugins come from marketplaces, which the host's own command adds.
	Markets bool

	Dir      string   // its directory, in the user's home: ".codex"
	Variable string   // of the environment, that names another place; "" for none
	Above    bool     // Variable names what Dir lies in, not Dir itself
	Traces   []string // files in its directory; any of them says that it has been used

	Scopes []client.Scope // in which plugins are switched
	Switching

	// The rest is for hosts that have a plugin on by an entry, or a link, in a file. All other bytes of it stay.

	SettingsFile string // in its directory
	HooksOff     string // the member of it, and its value, that switches all hooks off; "" for none
	// EntryIn is the file that has a plugin on, and the member of it that has the entries.
	EntryIn func(at Place, id string) (path string, above []string)
	// Entries are the edits that have a plugin on, Removals those that have one off that springfield has not enabled.
	Entries, Removals func(r Request) ([]document.Edit, error)
	// Needs are the files of a plugin that are read. A plugin that an older springfield made has
	// none but those of Claude Code, and its hook knows no other host.
	Needs []string
	// Installed are all plugins that it knows of, on or off, with the directory that it runs
	// each from. It reads the host's own records, bounded, and starts nothing.
	Installed func(at Place) ([]Installed, error)
	// Remove are the words of its own command that removes a plugin, %s its ID. Only the user calls it.
	Remove string
	// ByHand is what the user still has to do, a sentence each.
	ByHand func(r Request) []string
	// Check are the findings of doctor on it, beside those for every host: its version, and
	// whether plugins that are on can run. The check's name need not be set.
	Check func(ctx context.Context, at Place, on []Installed) []check.Finding
}

// Switching plans how plugins of a host are enabled and disabled. Each plan is made from settings as they are read.
type Switching interface {
	// On are the plugins that are on in a scope, or that springfield has an entry of.
	On(now *settings.Settings, at Place, scope client.Scope) ([]Installed, error)
	// ByUs are those that springfield remembers to have enabled.
	ByUs(now *settings.Settings, at Place) ([]settings.EnabledPlugin, error)
	PlanOn(now *settings.Settings, r Request) (journal.Change, error)
	PlanOff(now *settings.Settings, r Request) (journal.Change, error)
	// PlanAllOff adds to a change what has all plugins of springfield's off. ids are those that were on.
	PlanAllOff(now *settings.Settings, at Place, purge bool, c *journal.Change) (ids []string, left []settings.Left, err error)
}

// Request is what is asked of a host.
type Request struct {
	At              Place
	settings.Switch        // its plugin has its suite's directory, but for what is removed
	ID              string // what the host calls the plugin
	Stage           string // has the plugin until its suite is written, "" after that
}

// Check refuses a host that is not there, a scope that it has not, and records of it that cannot be read.
func (r Request) Check() error {
	h := r.At.Host
	switch {
	case !h.Default && !r.At.IsFound():
		return check.Advisef(fmt.Sprintf("install %s first; it is looked for as %s on PATH and in %s", h.Title, h.Name, r.At.Dir),
			"%s is not on this machine", h.Title)
	case !slices.Contains(h.Scopes, r.Scope):
		return check.Misusef("use --scope user", "%s has no %s scope for plugins", h.Title, r.Scope)
	}
	_, err := r.At.Installed()
	return err
}

// Installed are the plugins that the host of a place knows.
func (p Place) Installed() (all []Installed, err error) {
	if p.Host.Installed == nil {
		return nil, nil
	}
	if all, err = p.Host.Installed(p); err != nil {
		err = fmt.Errorf("read what %s has installed: %w", p.Host.Title, err)
	}
	return all, err
}

// FilesDir is where its files can be read.
func (r Request) FilesDir() string {
	return filepath.Join(cmp.Or(r.Stage, r.Plugin.Suite), r.Plugin.Name)
}

// CheckFiles says which file the host reads that the plugin has not.
func (r Request) CheckFiles() error {
	for _, name := range r.At.Host.Needs {
		path := filepath.Join(r.FilesDir(), filepath.FromSlash(name))
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			return fmt.Errorf("there is no file %s", path)
		}
	}
	return nil
}

// Installed is a plugin that a host knows; status --json prints it.
type Installed struct {
	ID      string       `json:"id"` // as the host calls it
	Name    string       `json:"-"`
	Suite   string       `json:"suite,omitempty"` // the directory that it came from, "" if that is not known
	Dir     string       `json:"dir,omitempty"`   // that it runs from
	Version string       `json:"version,omitempty"`
	On      bool         `json:"on"`
	Scope   client.Scope `json:"scope"`
	Theirs  bool         `json:"-"` // by the host's own command, which alone removes it
}

// PassedOverError is returned where one host has nothing to do. With all hosts chosen the others go on.
type PassedOverError struct{ Err error }

func (e *PassedOverError) Error() string { return e.Err.Error() }
func (e *PassedOverError) Unwrap() error { return e.Err }

// SettingsInWords names the settings of a scope.
func (h Host) SettingsInWords(scope client.Scope) string {
	if h.Default {
		return string(scope) + " settings"
	}
	return string(scope) + " settings of " + h.Title
}

// RemoveCommand is the command by which the user removes a plugin that the host itself has installed.
func (h Host) RemoveCommand(id string) string {
	return h.Name + " " + fmt.Sprintf(h.Remove, check.QuoteArgument(id))
}

// Foreign is a file of the host's, to be edited.
func (h Host) Foreign(path string) settings.Foreign {
	return settings.Foreign{Host: h.Name, Path: path, Parse: func(data []byte) (settings.Document, error) {
		if filepath.Ext(path) == ".toml" {
			return parseConfig(data)
		}
		return document.ParseCommented(data)
	}}
}

// AllHosts lists the hosts, Claude Code first.
func AllHosts() []Host {
	return []Host{DefaultHost(), codexHost(), copilotHost(), qwenHost(), droidHost(), geminiHost()}
}

func HostNamed(name string) (Host, bool) {
	for _, h := range AllHosts() {
		if h.Name == name {
			return h, true
		}
	}
	return Host{}, false
}

func HostNames() []string {
	return check.NamesOf(AllHosts(), func(h Host) string { return h.Name })
}

// readDocument reads a file as it is parsed; one that is not there is empty. in is a directory
// that may be anyone's and is not left.
func readDocument[D any](in, path string, parse func(data []byte) (D, error)) (doc D, err error) {
	file, err := journal.OpenEdit(in, path)
	if err != nil {
		return doc, err
	}
	if doc, err = parse(file.Before.Bytes()); err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return doc, err
}
