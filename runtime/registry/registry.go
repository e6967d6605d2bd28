// Package registry knows all strategies: one for each folder of runtime/strategy. Its
// list is made from the folders by `make generate`.
package registry

import (
	"bufio"
	"io"

	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// StrategyNamed returns the strategy with this name.
func StrategyNamed(name string) (strategy.Strategy, bool) {
	for _, s := range Strategies {
		if s.Name == name {
			return *s, true
		}
	}
	return strategy.Strategy{}, false
}

// StrategyNames lists the names of all strategies.
func StrategyNames() (names []string) {
	for _, s := range Strategies {
		names = append(names, s.Name)
	}
	return names
}

// Default names the strategy that is meant where none is named.
func Default() string {
	for _, s := range Strategies {
		if s.Default {
			return s.Name
		}
	}
	return ""
}

// RuleSets names the rule sets of all strategies that have a choice of them.
func RuleSets() (names []string) {
	for _, s := range Strategies {
		names = append(names, rules.RuleSetsOf(*s)...)
	}
	return names
}

// The hosts: one for each folder of runtime/host. Their list is made from the folders by
// `make generate`.

// HostNamed is the host with this name; "" is the default host, which records do not name.
func HostNamed(name string) (*host.Host, bool) {
	for _, h := range Hosts {
		if h.Name == name || name == "" && h.Default {
			return h, true
		}
	}
	return nil, false
}

// DefaultHost is the host that everything belongs to which names no other: Claude Code.
func DefaultHost() *host.Host {
	h, _ := HostNamed("")
	return h
}

// HostOfEvent is whose event this is: the host's that claims it, else the default host's.
func HostOfEvent(event []byte) *host.Host {
	for _, h := range Hosts {
		if h.Is != nil && h.Is(event) {
			return h
		}
	}
	return DefaultHost()
}

// ownLines is how many lines of a log are looked at to tell whose it is, of maxOwn bytes
// together.
const (
	ownLines = 20
	maxOwn   = 1 << 20
)

// HostOfLog is whose log lies at a path: the host's that knows one of its first lines, else
// the default host's.
func HostOfLog(path string) *host.Host {
	f, _, err := file.OpenRegular(path, 0)
	if err != nil {
		return DefaultHost()
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, maxOwn))
	lines.Buffer(nil, maxOwn)
	for n := 0; n < ownLines && lines.Scan(); n++ {
		for _, h := range Hosts {
			if !h.Default && h.Log.Owns != nil && h.Log.Owns(lines.Bytes()) {
				return h
			}
		}
		// It is asked last: a host that was made after its example writes lines like its.
		if DefaultHost().Log.Owns(lines.Bytes()) {
			break
		}
	}
	return DefaultHost()
}

// CallingHost is whose agent has started a program with these environment variables, and its
// session, "" if they do not say; nil: a person has. Of several, one in another's shell,
// they do not say which is the inner one.
func CallingHost(getenv func(string) string) (h *host.Host, session string) {
	for _, h := range Hosts {
		session := ""
		if h.SessionVariable != "" {
			session = getenv(h.SessionVariable)
		}
		for _, name := range h.Inside {
			if getenv(name) != "" {
				return h, session
			}
		}
	}
	return nil, getenv(DefaultHost().SessionVariable)
}

// AgentName is who goes on and stops where a record names this host.
func AgentName(name string) string {
	if h, ok := HostNamed(name); ok {
		return h.Agent
	}
	return "the agent"
}

// TitleOf is what the host with a name is called in sentences.
func TitleOf(name string) string {
	if h, ok := HostNamed(name); ok {
		return h.Title
	}
	return name
}
