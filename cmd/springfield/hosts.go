// The flag --host.

package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/internal/check"
)

// allHosts is the value of --host for every host that is found.
const allHosts = "all"

func hostFlag(cmd *cobra.Command, chosen *[]string, usage string) {
	cmd.Flags().StringSliceVar(chosen, "host", nil, usage)
}

// hostsToSwitch returns the named hosts, else Claude Code if it is found, else the only one found.
func hostsToSwitch(user hosts.User, names []string) ([]hosts.Host, error) {
	if len(names) > 0 {
		return hostsNamed(user, names)
	}
	claude := hosts.DefaultHost()
	if claude.PlaceFor(user).IsFound() {
		return []hosts.Host{claude}, nil
	}
	found := hosts.HostsFound(user)
	switch len(found) {
	case 0:
		return []hosts.Host{claude}, nil
	case 1:
		return found, nil
	}
	there := check.NamesOf(found, func(h hosts.Host) string { return h.Title })
	flags := check.NamesOf(found, func(h hosts.Host) string { return "--host " + h.Name })
	return nil, check.Misuse(fmt.Errorf("there is no Claude Code here, but %s", strings.Join(there, " and ")),
		"say which: "+strings.Join(flags, ", ")+" or --host all")
}

// hostsNamed returns the hosts with these names, each once.
func hostsNamed(user hosts.User, names []string) (chosen []hosts.Host, err error) {
	for _, name := range names {
		host, known := hosts.HostNamed(name)
		found := []hosts.Host{host}
		if name == allHosts {
			found = hosts.HostsFound(user)
		} else if !known {
			return nil, noHost(name, allHosts)
		}
		if len(found)+len(chosen) == 0 {
			return nil, check.Advise(errors.New("no agent was found on this machine"),
				"name one: --host "+strings.Join(hosts.HostNames(), ", --host "))
		}
		for _, host := range found {
			if !slices.ContainsFunc(chosen, func(h hosts.Host) bool { return h.Name == host.Name }) {
				chosen = append(chosen, host)
			}
		}
	}
	return chosen, nil
}

// noHost is the error for an unknown host. Others are further values of --host.
func noHost(name string, others ...string) error {
	return check.Misusef(check.HintAtNames(name, "--host ", append(hosts.HostNames(), others...), ""), "there is no host %q", name)
}

// offerHosts completes --host.
func offerHosts(user hosts.User) (all []string) {
	for _, h := range hosts.AllHosts() {
		meaning := h.Title
		if h.PlaceFor(user).IsFound() {
			meaning += ", found here"
		}
		all = append(all, h.Name+"\t"+meaning)
	}
	return append(all, "all\tall that are found")
}
