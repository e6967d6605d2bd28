// The hosts: one for each folder of runtime/host. Their list is made from the folders by
// `make generate`.

package registry

import "github.com/cameronsjo/springfield/runtime/host"

// Hosts lists the hosts in alphabetical order.
func Hosts() (all []*host.Host) {
	for _, known := range hosts() {
		h := known()
		all = append(all, &h)
	}
	return all
}

// HostNamed is the host with this name; "" is Claude Code, which old records do not name.
func HostNamed(name string) (*host.Host, bool) {
	if name == "" {
		name = claudeCode
	}
	for _, h := range Hosts() {
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

// HostOf is whose event this is: the host's that claims it, else Claude Code's.
func HostOf(event []byte) *host.Host {
	for _, h := range Hosts() {
		if h.Is != nil && h.Is(event) {
			return h
		}
	}
	return ClaudeCode()
}
