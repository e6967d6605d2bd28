package client

import "path/filepath"

// Scope is one of a user's settings files.
type Scope string

const (
	User    Scope = "user"    // every session of the user
	Project Scope = "project" // all sessions in this directory, of all its users
	Local   Scope = "local"   // the user's own sessions in this repository
)

// AllScopes returns the scopes from widest to narrowest.
func AllScopes() []Scope { return []Scope{User, Project, Local} }

// Places contains Claude Code's directories, as absolute paths.
type Places struct {
	Config  string // configuration, and springfield's state
	Plugins string // plugins and records of marketplaces
	Home    string // the user's home, "" if unknown
	Managed string // of managed-settings.json
	Work    string // in which sessions start
	Root    string // the main worktree of the repository around Work, or Work itself
}

func (p Places) Settings(s Scope) string {
	switch s {
	case User:
		return filepath.Join(p.Config, "settings.json")
	case Project:
		return filepath.Join(p.Work, ".claude", "settings.json")
	}
	return filepath.Join(p.Root, ".claude", "settings.local.json")
}

// ManagedDirs has the directories of managed-settings.json by GOOS. "" is for all other systems.
var ManagedDirs = map[string]string{
	"": "/etc/claude-code", "darwin": "/Library/Application Support/ClaudeCode",
	"windows": `C:\Program Files\ClaudeCode`,
}

// StatePath returns a path in springfield's state directory below p.Config.
func (p Places) StatePath(name ...string) string {
	return filepath.Join(append([]string{p.Config, "springfield"}, name...)...)
}
