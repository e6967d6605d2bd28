// Package hosts is what the CLI knows of each host, the agents that run springfield's
// plugins: how it is found, where its files and sessions are, by which of its own plugin
// commands a plugin comes and goes, and what these commands do to the user's files. What
// the hook knows of a host is in runtime/host, under the same name.
//
// A host is a value in a file of its own; no other file knows it by name. Claude Code is
// the first: its value says where it is, and its plugins are switched by packages
// settings and client.
package hosts

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

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
	// Default is set for Claude Code, whose plugins packages settings and client switch.
	Default bool

	Dir      string   // its directory, in the user's home: ".codex"
	Variable string   // of the environment, that names another place; "" for none
	Above    bool     // Variable names what Dir lies in, not Dir itself
	Traces   []string // files in its directory; any of them says that it has been used

	// Settings are its settings as springfield edits them; the zero value for Claude Code.
	Settings Settings
	// Plugins are its own plugin commands; the zero value for Claude Code.
	Plugins Plugins
	// Check are the findings of doctor on it, beside those for every host: its version, and
	// whether plugins that are on can run. The check's name need not be set.
	Check func(ctx context.Context, at Place, on []Installed) []check.Finding
}

// Settings are the settings of a host.
type Settings struct {
	// File is the settings file in its directory. Its bytes stay the user's, whatever the
	// host's commands make of them: all that changes is what Entries says.
	File string
	// HooksOff is the member, and its value, that switches all hooks off; "" for none.
	HooksOff string
	// Record is the file of its own that a host has for a plugin, for Entries to be the
	// members of; nil: they are members of File.
	Record func(at Place, id string) string
	// Parse reads the file; nil: it is JSON.
	Parse func(data []byte) (settings.Document, error)
	// Entries are the members that have a plugin on. They may be worked out by running the
	// host in a directory of its own (Place.TrialPlace).
	Entries func(ctx context.Context, r Request) ([]document.Edit, error)
	// Off are the members that have a plugin off that springfield has not enabled; an error says
	// that only the host can do it.
	Off func(r Request) ([]document.Edit, error)
}

// Plugins are a host's own plugin commands, as arguments of its program. They run with the
// user's own directory, after the journal has the old bytes of all files of Settings.
type Plugins struct {
	ID      func(p client.Plugin) string
	Install func(r Request) [][]string // nil: the entries are all
	Remove  func(r Request) [][]string // goes by r.ID: the suite need not be there any more
	Forget  func(r Request) [][]string // has it forget the marketplace, for --purge
	// Writes are the members of the settings, each by its table, that the commands write for a plugin.
	Writes func(r Request) map[string]string
	// Needs are the files of a plugin that it reads. A plugin that an older springfield made has
	// none but those of Claude Code, and its hook knows no other host.
	Needs []string
	// Installed are all plugins that it knows of, on or off, with the directory that it runs
	// each from. It reads the host's own records, bounded, and starts nothing.
	Installed func(at Place) ([]Installed, error)
	// Trusts tells that it runs a hook only when the user trusts it, as --trust has it do.
	Trusts bool
	// ByHand is what the user still has to do, a sentence each.
	ByHand func(ctx context.Context, r Request) []string
}

// Request is what is asked of a host.
type Request struct {
	At     Place
	Plugin client.Plugin // with its suite's directory, but for what is removed
	ID     string        // what the host calls the plugin
	Trust  bool          // --trust: the host is to trust the plugin's hook without asking
	Stage  string        // where the suite lies until it is written, "" if it is there
}

// FilesDir is where its files can be read.
func (r Request) FilesDir() string {
	return filepath.Join(cmp.Or(r.Stage, r.Plugin.Suite), r.Plugin.Name)
}

// CheckFiles says which file the host reads that the plugin has not.
func (r Request) CheckFiles() error {
	for _, name := range r.At.Host.Plugins.Needs {
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
}

// IsAsIn tells whether what a host runs is what lies in a suite, by the plugin's settings
// and its compiled files.
func (i Installed) IsAsIn(suite string, compiled []string) bool {
	dir := filepath.Join(suite, i.Name)
	if filepath.Clean(i.Dir) == dir {
		return true
	}
	for _, name := range append([]string{"strategy.json"}, compiled...) {
		was, errWas := journal.OpenEdit("", filepath.Join(i.Dir, name))
		is, errIs := journal.OpenEdit("", filepath.Join(dir, name))
		if errWas != nil || errIs != nil || (was.Before == nil) != (is.Before == nil) || is.Before != nil && !bytes.Equal(was.Before.Data, is.Before.Data) {
			return false
		}
	}
	return true
}

// AllHosts lists the hosts, Claude Code first.
func AllHosts() []Host {
	return []Host{DefaultHost(), codexHost(), copilotHost(), qwenHost(), droidHost(), geminiHost()}
}

// HostNamed is the host with a name.
func HostNamed(name string) (Host, bool) {
	for _, h := range AllHosts() {
		if h.Name == name {
			return h, true
		}
	}
	return Host{}, false
}

// HostNames lists the names of hosts.
func HostNames() []string {
	return check.NamesOf(AllHosts(), func(h Host) string { return h.Name })
}

// NameOf is what a plugin is called there.
func (h Host) NameOf(p client.Plugin) string {
	if h.Plugins.ID == nil {
		return p.ID()
	}
	return h.Plugins.ID(p)
}

// parseCommented reads JSON that may have comments.
func parseCommented(data []byte) (settings.Document, error) { return document.ParseCommented(data) }

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

// CommandLines are commands as a user would type them.
func (h Host) CommandLines(commands [][]string) []string {
	return check.NamesOf(commands, func(args []string) string {
		return h.Name + " " + strings.Join(check.NamesOf(args, check.QuoteArgument), " ")
	})
}
