// Which hosts a command is about.

package main

import (
	"cmp"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/git"
)

// allHosts is what --host says for all that are there.
const allHosts = "all"

// hostFlag is --host, which can be given several times.
func hostFlag(cmd *cobra.Command, chosen *[]string, usage string) {
	cmd.Flags().StringSliceVar(chosen, "host", nil, usage)
}

func (a *app) hostOwner() hosts.User {
	root := cmp.Or(git.RepositoryRoot(a.work), a.work)
	return hosts.User{Home: a.home, Work: a.work, Root: root, Env: a.env, Getenv: a.getenv, Look: findProgram}
}

// findProgram finds a program on PATH, "" where there is none.
func findProgram(program string) string {
	path, err := exec.LookPath(program)
	if err != nil || !filepath.IsAbs(path) {
		return "" // of a relative PATH entry it would be a file of the project's
	}
	return path
}

// toSwitch are the hosts for which a plugin is switched: those that are named, else Claude
// Code where it is there, else the only one that is.
func (a *app) toSwitch(names []string) ([]hosts.Host, error) {
	if len(names) > 0 {
		return a.hostsNamed(names)
	}
	claude := hosts.DefaultHost()
	if claude.PlaceFor(a.hostOwner()).IsFound() { // the others need not be looked for
		return []hosts.Host{claude}, nil
	}
	found := hosts.HostsFound(a.hostOwner())
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

func (a *app) hostsNamed(names []string) (chosen []hosts.Host, err error) {
	for _, name := range names {
		if name == allHosts {
			chosen = append(chosen, hosts.HostsFound(a.hostOwner())...)
			if len(chosen) == 0 {
				return nil, check.Advise(errors.New("no agent was found on this machine"), "name one: --host "+strings.Join(hosts.HostNames(), ", --host "))
			}
			continue
		}
		h, known := hosts.HostNamed(name)
		if !known {
			return nil, noHost(name, allHosts)
		}
		chosen = append(chosen, h)
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(chosen, func(h hosts.Host) bool {
		was := seen[h.Name]
		seen[h.Name] = true
		return was
	}), nil
}

// noHost says that there is no host of a name; others are words that --host takes, too.
func noHost(name string, others ...string) error {
	return check.Misusef(check.HintAtNames(name, "--host ", append(hosts.HostNames(), others...), ""), "there is no host %q", name)
}

func (a *app) hostNames([]string) (all []string) {
	for _, h := range hosts.AllHosts() {
		meaning := h.Title
		if h.PlaceFor(a.hostOwner()).IsFound() {
			meaning += ", found here"
		}
		all = append(all, h.Name+"\t"+meaning)
	}
	return append(all, "all\tall that are found")
}
