// The hosts: one for each folder of runtime/host. Their list is made from the folders by
// `make generate`.

package registry

import (
	"bufio"
	"io"
	"slices"
	"sync"

	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/host"
)

// AllHosts lists the hosts in alphabetical order. They are made once, when they are needed,
// and must not be changed.
func AllHosts() []*host.Host { return made() }

var made = sync.OnceValue(func() (all []*host.Host) {
	for _, known := range hostConstructors() {
		h := known()
		all = append(all, &h)
	}
	return all
})

// HostNamed is the host with this name; "" is Claude Code, which old records do not name.
func HostNamed(name string) (*host.Host, bool) {
	if name == "" {
		name = claudeCode
	}
	for _, h := range AllHosts() {
		if h.Name == name {
			return h, true
		}
	}
	return nil, false
}

// claudeCode is the host that everything belongs to which says no other.
const claudeCode = "claude"

// ClaudeCode is the host that everything belongs to which says no other.
func ClaudeCode() *host.Host {
	h, _ := HostNamed(claudeCode)
	return h
}

// HostOfEvent is whose event this is: the host's that claims it, else Claude Code's.
func HostOfEvent(event []byte) *host.Host {
	for _, h := range AllHosts() {
		if h.Is != nil && h.Is(event) {
			return h
		}
	}
	return ClaudeCode()
}

// ownLines is how many lines of a log are looked at to tell whose it is, of maxOwn bytes
// together.
const (
	ownLines = 20
	maxOwn   = 1 << 20
)

// HostOfLog is whose log lies at a path: the host's that knows one of its first lines, else
// Claude Code's.
func HostOfLog(path string) *host.Host {
	f, _, err := file.OpenRegular(path, 0)
	if err != nil {
		return ClaudeCode()
	}
	defer f.Close()
	// Claude Code is asked last: a host that was made after its example writes lines like its.
	claude := ClaudeCode()
	all := slices.DeleteFunc(slices.Clone(AllHosts()), func(h *host.Host) bool { return h == claude })
	lines := bufio.NewScanner(io.LimitReader(f, maxOwn))
	lines.Buffer(nil, maxOwn)
	for n := 0; n < ownLines && lines.Scan(); n++ {
		for _, h := range all {
			if h.Log.Owns != nil && h.Log.Owns(lines.Bytes()) {
				return h
			}
		}
		if claude.Log.Owns(lines.Bytes()) {
			break
		}
	}
	return claude
}

// CallingHost is whose agent has started a program with these environment variables, and its
// session, "" if they do not say; nil: a person has. Of several, one in another's shell,
// they do not say which is the inner one.
func CallingHost(getenv func(string) string) (h *host.Host, session string) {
	for _, h := range AllHosts() {
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
	return nil, getenv(ClaudeCode().SessionVariable)
}

// AgentName is who goes on and stops where a record names this host.
func AgentName(name string) string {
	if h, ok := HostNamed(name); ok {
		return h.Agent
	}
	return "the agent"
}
