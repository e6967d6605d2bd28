// Package hosts describes the agents that can run springfield's plugins: how to find them, where their files
// are, and which entry in which file enables a plugin. For the hook, see runtime/host.
//
// Each host is in a separate file.
package hosts

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
)

type Host struct {
	Name  string // in flags, records, JSON and on PATH: "codex"
	Title string // the program, in sentences: "GitHub Copilot CLI"
	Agent string // the agent, in sentences: "Copilot"
	// Markets is set for Claude Code, which adds the marketplaces of plugins with its own command.
	Markets bool

	Dir      string   // below the home directory: ".codex"
	Variable string   // environment variable that overrides Dir
	Above    bool     // Variable names the parent of Dir
	Traces   []string // files in Dir that show that the host has been used

	Scopes []client.Scope // in which it can enable plugins
	Switching

	// The rest is for hosts that enable a plugin by an entry, or a link, in a file.

	SettingsFile string // in Dir
	HooksOff     string // NAME=VALUE of the setting that switches all hooks off
	AfterRemoval string // note on the entries below a removed one
	// EntryIn returns the file that enables a plugin, and the path of the member with the entries.
	EntryIn func(at Place, id string) (path string, above []string)
	// Entries returns the edits to enable a plugin. Removals returns the edits to disable a plugin that
	// springfield did not enable.
	Entries, Removals func(r Request) ([]document.Edit, error)
	// Needs lists the files of a plugin that the host reads. Plugins of an older springfield lack them.
	Needs []string
	// Installed reads the host's records. No program is started.
	Installed func(at Place) ([]Installed, error)
	// Remove is the subcommand with which the user removes a plugin, with %s for the ID.
	Remove string
	// ByHand returns sentences about the steps that the user has to take.
	ByHand func(r Request) []string
	// Check returns findings of doctor that are specific to this host.
	Check func(ctx context.Context, at Place, on []Installed) []check.Finding
}

// Switching plans how to enable and disable a host's plugins, from the current settings.
type Switching interface {
	// PluginsIn returns the plugins enabled in a scope or listed there by springfield.
	PluginsIn(now *settings.Settings, at Place, scope client.Scope) ([]Installed, error)
	// ByUs returns the plugins that springfield's memory lists as enabled.
	ByUs(now *settings.Settings, at Place) ([]settings.EnabledPlugin, error)
	PlanOn(now *settings.Settings, r Request) (journal.Change, error)
	PlanOff(now *settings.Settings, r Request) (journal.Change, error)
	// PlanAllOff adds edits to c that disable all plugins. ids are the plugins that were enabled or listed.
	PlanAllOff(now *settings.Settings, at Place, purge bool, c *journal.Change) (ids []string, left []settings.Left, err error)
}

// Request asks a host to enable or disable a plugin.
type Request struct {
	At                Place
	settings.Enabling        // Plugin.Suite is required to enable
	ID                string // the host's name for the plugin
	Stage             string // copy of a suite to be written, or ""
}

// CheckHost returns an error if the host is missing, lacks the scope or has unreadable records. For Claude Code, it
// checks only the scope.
func (r Request) CheckHost() error {
	h := r.At.Host
	switch {
	case !h.Markets && !r.At.IsFound():
		return check.Advisef(fmt.Sprintf("install %s first; springfield looks for %s on PATH and for %s", h.Title, h.Name, r.At.Dir),
			"%s was not found on this machine", h.Title)
	case !slices.Contains(h.Scopes, r.Scope):
		return check.Misusef("use --scope user", "%s has no %s scope for plugins", h.Title, r.Scope)
	case h.Markets: // package client reads its records
		return nil
	}
	_, err := r.At.Installed()
	return err
}

// Installed returns the plugins that the host knows. It panics for Claude Code.
func (p Place) Installed() (all []Installed, err error) {
	if all, err = p.Host.Installed(p); err != nil {
		err = fmt.Errorf("read the plugins installed in %s: %w", p.Host.Title, err)
	}
	return all, err
}

// DirInSuite returns the plugin's directory in r.Stage, or if "", in r.Plugin.Suite. Set either.
func (r Request) DirInSuite() string {
	return filepath.Join(cmp.Or(r.Stage, r.Plugin.Suite), r.Plugin.Name)
}

func (r Request) CheckHasFiles() error {
	for _, name := range r.At.Host.Needs {
		path := filepath.Join(r.DirInSuite(), filepath.FromSlash(name))
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			return fmt.Errorf("it has no file %s", path)
		}
	}
	return nil
}

// Installed is a plugin that a host knows.
type Installed struct {
	ID          string       `json:"id"` // the host's name
	Name        string       `json:"-"`
	Suite       string       `json:"suite,omitempty"` // its source, "" if unknown
	Dir         string       `json:"dir,omitempty"`   // where it runs
	Version     string       `json:"version,omitempty"`
	On          bool         `json:"on"`
	Scope       client.Scope `json:"scope"`
	HostRemoves bool         `json:"-"` // can only be removed by the host
}

// PassedOverError is an error on one host that does not stop a command for all hosts.
type PassedOverError struct{ Err error }

func (e *PassedOverError) Error() string { return e.Err.Error() }
func (e *PassedOverError) Unwrap() error { return e.Err }

// SettingsInWords returns words like "user settings of Codex".
func (h Host) SettingsInWords(scope client.Scope) string {
	if h.Markets {
		return string(scope) + " settings"
	}
	return string(scope) + " settings of " + h.Title
}

// RemoveCommand returns the host's own command. It is invalid for Claude Code.
func (h Host) RemoveCommand(id string) string {
	return h.Name + " " + fmt.Sprintf(h.Remove, check.QuoteArgument(id))
}

// AllHosts returns all hosts, Claude Code first.
func AllHosts() []Host {
	return []Host{ClaudeHost(), codexHost(), copilotHost(), qwenHost(), droidHost(), geminiHost()}
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

// readDocOrEmpty parses a file. A missing file is empty. Unless root is "", a file outside it is an error.
func readDocOrEmpty[D any](root, path string, parse func(data []byte) (D, error)) (doc D, err error) {
	file, err := journal.OpenEdit(root, path)
	if err != nil {
		return doc, err
	}
	if doc, err = parse(file.Before.Bytes()); err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return doc, err
}

// readJSONSettings reads the host's settings. A missing file is empty. Codex has TOML instead.
func readJSONSettings(at Place) (*document.Document, error) {
	return readDocOrEmpty("", at.SettingsFile(), document.ParseCommented)
}

// readRecord decodes JSON. A missing file is an error.
func readRecord(path string, into any) error {
	data, _, err := rooted.ReadFollowing(path, maxRecord)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return nil
}
