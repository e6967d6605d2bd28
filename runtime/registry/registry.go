// Package registry knows all strategies: one for each folder of runtime/strategy. Its
// list is made from the folders by `make generate`.
package registry

import (
	"bufio"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

func StrategyNamed(name string) (strategy.Strategy, bool) {
	for _, s := range Strategies {
		if s.Name == name {
			return *s, true
		}
	}
	return strategy.Strategy{}, false
}

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

// scriptRunners run the programs of hosts that are scripts.
var scriptRunners = []string{"node", "bun", "deno"}

// HostOfProgram is whose program a process runs; nil: it is no host's. It knows it by the
// path of its file, by its name, and by its arguments, the first of which is its name, too.
func HostOfProgram(program, name string, args []string) *host.Host {
	names := []string{name, program}
	for i, arg := range args {
		if i == 0 {
			names = append(names, arg)
		}
		runs := slices.ContainsFunc(names, func(name string) bool { return slices.Contains(scriptRunners, baseOf(name)) })
		if i > 0 && runs && !strings.HasPrefix(arg, "-") { // the script
			names = append(names, arg)
			break
		}
	}
	for _, h := range Hosts {
		for _, name := range names {
			name = strings.ReplaceAll(name, `\`, "/")
			installed, version := path.Split(name) // as claude install does: …/claude/versions/2.1.330
			versions := version != "" && strings.HasSuffix(installed, "/"+h.Program+"/versions/")
			packaged := h.Package != "" && strings.Contains(name, "/"+h.Package)
			if baseOf(name) == h.Program || versions || packaged {
				return h
			}
		}
	}
	return nil
}

// baseOf is the name of a program without its directory.
func baseOf(program string) string {
	base := path.Base(strings.ReplaceAll(program, `\`, "/"))
	if end := len(base) - len(".exe"); end > 0 && strings.EqualFold(base[end:], ".exe") {
		return strings.ToLower(base[:end])
	}
	return base
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
