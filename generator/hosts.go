// The agents that a suite is for. Every plugin has the files of every host; which hosts are
// named decides what the READMEs tell.

package generator

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/runtime/registry"
)

const claudeCode = "claude"

// AgentHost is a program that runs plugins, as questions and texts name it.
type AgentHost struct{ Name, Title string }

// AgentHosts lists them, Claude Code first.
func AgentHosts() (all []AgentHost) {
	for _, h := range registry.Hosts() {
		all = append(all, AgentHost{h.Name, h.Title})
	}
	return all
}

func hostNames() (names []string) {
	for _, h := range AgentHosts() {
		names = append(names, h.Name)
	}
	return names
}

// CheckHosts says what is wrong with the names of hosts, nil if nothing.
func CheckHosts(names []string) error {
	for i, name := range names {
		if !slices.Contains(hostNames(), name) {
			return &SpecError{fmt.Sprintf("there is no host %q", name), "choose from " + strings.Join(hostNames(), ", ")}
		}
		if slices.Contains(names[:i], name) {
			return &SpecError{fmt.Sprintf("the host %s is listed twice", name), "name it once"}
		}
	}
	return nil
}

// agentHosts are those of a spec, in their order; Claude Code if none is named.
func (s Spec) agentHosts() (chosen []AgentHost) {
	for _, h := range AgentHosts() {
		if slices.Contains(s.Hosts, h.Name) || len(s.Hosts) == 0 && h.Name == claudeCode {
			chosen = append(chosen, h)
		}
	}
	return chosen
}

// recorded are the hosts that springfield.yaml names: none where it is Claude Code alone.
func recorded(names []string) (hosts []string) {
	for _, h := range AgentHosts() {
		if slices.Contains(names, h.Name) {
			hosts = append(hosts, h.Name)
		}
	}
	if slices.Equal(hosts, []string{claudeCode}) {
		return nil
	}
	return hosts
}
