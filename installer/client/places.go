package client

// Where things lie.
//
// Claude Code reads user settings from its configuration directory, project
// settings from the directory a session starts in, and local settings from the
// root of the repository around it. Our own state lies in the configuration
// directory, the user's alone.

import (
	"path/filepath"
)

// Scope is which of a user's settings files an edit is about.
type Scope string

const (
	User    Scope = "user"    // every session of the user
	Project Scope = "project" // all sessions in this directory, of all its users
	Local   Scope = "local"   // the user's own sessions in this repository
)

// AllScopes lists them, widest first.
func AllScopes() []Scope { return []Scope{User, Project, Local} }

// Places is where one user's settings are, seen from one directory. All paths
// are absolute.
type Places struct {
	Config  string // Claude Code's configuration directory
	Plugins string // where it keeps plugins and what it knows of marketplaces
	Home    string // the user's home, "" if unknown
	Managed string // where an administrator puts managed-settings.json
	Work    string // where sessions start
	Root    string // the repository around Work, or Work itself
}

// Settings is the settings file of a scope.
func (p Places) Settings(s Scope) string {
	switch s {
	case User:
		return filepath.Join(p.Config, "settings.json")
	case Project:
		return filepath.Join(p.Work, ".claude", "settings.json")
	}
	return filepath.Join(p.Root, ".claude", "settings.local.json")
}

// ManagedDir is where an administrator puts managed-settings.json on a system,
// named as in GOOS.
func ManagedDir(system string) string {
	switch system {
	case "darwin":
		return "/Library/Application Support/ClaudeCode"
	case "windows":
		return `C:\Program Files\ClaudeCode`
	}
	return "/etc/claude-code"
}

// StatePath is a file or directory of springfield's own, which lies in Claude Code's
// configuration directory and is the user's alone.
func (p Places) StatePath(name ...string) string {
	return filepath.Join(append([]string{p.Config, "springfield"}, name...)...)
}
