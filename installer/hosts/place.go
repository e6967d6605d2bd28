package hosts

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/rooted"
)

// User is the user's environment.
type User struct {
	Home   string // "" if unknown
	Work   string
	Root   string // the repository around Work, or Work itself
	Env    []string
	Getenv func(name string) string
	Look   func(program string) string // finds a program on PATH, or returns ""
}

// Place locates a host for a user.
type Place struct {
	User
	Host Host
	Dir  string // absolute, or "" if there is no home
}

func (h Host) PlaceFor(u User) Place {
	p := Place{User: u, Host: h}
	switch named := u.Getenv(h.Variable); {
	case named != "":
		p.Dir = rooted.PathFrom(u.Work, named)
		if h.Above {
			p.Dir = filepath.Join(p.Dir, h.Dir)
		}
	case u.Home != "":
		p.Dir = filepath.Join(u.Home, h.Dir)
	}
	return p
}

// IsFound reports whether the host's program is on PATH, or its directory shows use.
func (p Place) IsFound() bool {
	hasTrace := func(name string) bool { return rooted.IsTaken(filepath.Join(p.Dir, name)) }
	return p.Look(p.Host.Name) != "" || p.Dir != "" && slices.ContainsFunc(p.Host.Traces, hasTrace)
}

func HostsFound(u User) []Host {
	return slices.DeleteFunc(AllHosts(), func(h Host) bool { return !h.PlaceFor(u).IsFound() })
}

// SettingsFile returns the host's settings' path. For Claude Code use client.Places.Settings.
func (p Place) SettingsFile() string { return filepath.Join(p.Dir, p.Host.SettingsFile) }

// FindSilencer returns a finding if a user setting disables all the host's hooks. It returns nil for unreadable
// settings, Claude Code and Copilot.
func (p Place) FindSilencer() *check.Finding {
	name, off, known := strings.Cut(p.Host.HooksOff, "=")
	if !known {
		return nil
	}
	settings, err := readDocOrEmpty("", p.SettingsFile(), func(data []byte) (c config, err error) {
		if filepath.Ext(p.Host.SettingsFile) == ".toml" {
			return parseTOML(data)
		}
		doc, err := document.ParseCommented(data)
		if err == nil {
			err = doc.Decode(&c)
		}
		return c, err
	})
	path := strings.Split(name, ".")
	last := len(path) - 1
	if value, is := settings.table(path[:last]...)[path[last]].(bool); err != nil || !is || strconv.FormatBool(value) != off {
		return nil
	}
	says := "hooks are disabled in " + p.Host.Title + ", so no plugin decides: " + name + " is " + off
	return &check.Finding{State: check.Failure, File: p.SettingsFile(), Says: says, Fix: "remove " + name}
}

func checkDisabled(_ context.Context, at Place, on []Installed) (findings []check.Finding) {
	if len(on) == 0 {
		return nil
	}
	fail := func(says, fix string) {
		findings = append(findings, check.Finding{State: check.Failure, File: at.SettingsFile(), Says: says, Fix: fix})
	}
	settings, err := readJSONSettings(at)
	var syntax *document.SyntaxError
	if errors.As(err, &syntax) {
		fail("the settings of "+at.Host.Title+" cannot be read: "+syntax.Error(), "correct that line")
	}
	if err != nil {
		return findings
	}
	var names []string
	raw, _, _ := settings.Get("hooksConfig", "disabled")
	_ = json.Unmarshal(raw, &names) // ignores other types
	for _, i := range on {
		if slices.Contains(names, i.Name) {
			fail("the hook of "+i.Name+" is disabled in "+at.Host.Title+": hooksConfig.disabled lists it",
				"enable it with /hooks in "+at.Host.Title)
		}
	}
	return findings
}
