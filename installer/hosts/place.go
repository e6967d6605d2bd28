package hosts

import (
	"path/filepath"
	"slices"

	"github.com/cameronsjo/springfield/internal/rooted"
)

// User is whose hosts they are.
type User struct {
	Home string // "" if unknown
	Work string // where sessions start
	Root string // the repository around Work, or Work itself
	Env  []string
	// Getenv is a variable of it, "" if it is not set.
	Getenv func(name string) string
	// Look finds a program on PATH, "" where there is none.
	Look func(program string) string
}

// Place is where one host is for one user.
type Place struct {
	User
	Host    Host
	Dir     string // its directory, absolute; "" if there is no home
	Program string // absolute; "" where there is none
}

// PlaceFor is where a host is for a user.
func (h Host) PlaceFor(u User) Place {
	p := Place{User: u, Host: h, Program: u.Look(h.Name)}
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

// IsFound reports whether the host is there: its program is on PATH, or a session has left something in its directory.
// Springfield's own state in it does not count.
func (p Place) IsFound() bool {
	return p.Program != "" || p.Dir != "" && slices.ContainsFunc(p.Host.Traces, func(name string) bool { return rooted.IsTaken(filepath.Join(p.Dir, name)) })
}

// HostsFound lists the hosts that are there, in their order.
func HostsFound(u User) []Host {
	return slices.DeleteFunc(AllHosts(), func(h Host) bool { return !h.PlaceFor(u).IsFound() })
}

func (p Place) SettingsFile() string { return filepath.Join(p.Dir, p.Host.SettingsFile) }
