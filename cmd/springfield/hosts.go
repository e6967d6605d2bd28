package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/installer"
	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
)

// allHosts is the value of --host for all hosts found.
const allHosts = "all"

func hostFlag(cmd *cobra.Command, chosen *[]string) {
	cmd.Flags().StringSliceVar(chosen, "host", nil, strings.Join(hosts.HostNames(), ", ")+", or all")
}

// hostsOrDefault returns the named hosts. Without names it returns Claude Code, or the only host found if that is
// another. Several hosts without Claude Code are an error.
func hostsOrDefault(user hosts.User, names []string) ([]hosts.Host, error) {
	if len(names) > 0 {
		return hostsNamed(user, names)
	}
	claude := hosts.ClaudeHost()
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
	return nil, check.Misuse(fmt.Errorf("Claude Code was not found, but %s", strings.Join(there, " and ")),
		"choose one: "+strings.Join(flags, ", ")+" or --host all")
}

// hostsNamed returns each named host once ("all" for every host found). It returns nil if names is empty. Unknown names
// and other empty results are errors.
func hostsNamed(user hosts.User, names []string) (chosen []hosts.Host, err error) {
	for _, name := range names {
		host, known := hosts.HostNamed(name)
		found := []hosts.Host{host}
		if name == allHosts {
			found = hosts.HostsFound(user)
		} else if !known {
			return nil, unknownHostError(name, allHosts)
		}
		if len(found)+len(chosen) == 0 {
			return nil, check.Advise(errors.New("no agent was found on this machine"),
				"choose one: --host "+strings.Join(hosts.HostNames(), ", --host "))
		}
		for _, host := range found {
			if !slices.ContainsFunc(chosen, func(h hosts.Host) bool { return h.Name == host.Name }) {
				chosen = append(chosen, host)
			}
		}
	}
	return chosen, nil
}

func unknownHostError(name string, others ...string) error {
	return check.Misusef(check.HintAtNames(name, "--host ", append(hosts.HostNames(), others...), ""), "there is no host %q", name)
}

func completeHosts(user hosts.User) (everyHost []string) {
	all := check.NamesOf(hosts.AllHosts(), func(h hosts.Host) string {
		if h.PlaceFor(user).IsFound() {
			return h.Name + "\t" + h.Title + ", found here"
		}
		return h.Name + "\t" + h.Title
	})
	return append(all, "all\tall agents that are found")
}

type switching struct {
	*app
	hosts []string
	json  bool
}

// switchHosts enables or disables a plugin with do on all chosen hosts (at least one), and prints the results. verb is
// enable or disable. dryRun only affects the output: do must change nothing then. If a host fails, it continues, unless
// the user cancels or the first host reports misuse.
func (o switching) switchHosts(verb string, chosen []hosts.Host, dryRun bool, do func(hosts.Host) (installer.Done, error)) (err error) {
	var results []installer.Done
	var did, broken, fine []string
	var over *hosts.PassedOverError
	for _, host := range chosen {
		done, failure := do(host)
		switch {
		case errors.As(failure, &over) && slices.Contains(o.hosts, allHosts):
			if verb == "enable" {
				o.talk("skipped: %v", failure)
			}
			continue
		case failure != nil && (len(chosen) == 1 || len(results) == 0 && failureCode(failure) != failed):
			return o.hintChange(failure, verb)
		case failure != nil:
			broken, done.Host, done.Err = append(broken, host.Title), host, o.hintChange(failure, verb)
		case done.Change.IsEmpty() || dryRun:
			fine = append(fine, host.Title)
		default:
			did, fine = append(did, done.Change.Did), append(fine, host.Title)
		}
		if !o.json {
			o.tellResult(done, dryRun)
		}
		results = append(results, done)
		if done.Err != nil && failureCode(done.Err) == cancelled {
			err = done.Err
			break
		}
	}
	if len(results) == 0 {
		return over
	}
	advice := "see the advice for each above"
	if len(did) > 0 {
		advice += "; run springfield undo to revert the rest"
	}
	if len(did) > 1 && settings.Journal(o.means().Settings.Places).MergeNewest(did) != nil {
		advice += ", one agent at a time"
	}
	if err == nil && len(fine) > 0 && len(broken) > 0 {
		err = check.Advisef(advice, "%s failed in %s, but succeeded in %s", verb, strings.Join(broken, ", "), strings.Join(fine, ", "))
	} else if err == nil && len(broken) > 0 {
		err = check.Advisef(advice, "%s failed in %s", verb, strings.Join(broken, ", "))
	}
	if o.json {
		err = cmp.Or(o.encodeResults(results, dryRun), err)
	}
	return err
}

func hintOfHost(err error, host hosts.Host) string {
	return strings.Replace(hintOf(err), "your settings are unchanged", "the settings of "+host.Title+" are unchanged", 1)
}

func (o switching) tellResult(r installer.Done, dryRun bool) {
	if r.Err != nil {
		o.say("%s: failed: %v", r.Host.Title, r.Err)
		if hint := hintOfHost(r.Err, r.Host); hint != "" {
			o.say("  %s", hint)
		}
		return
	}
	if dryRun {
		_ = o.showPreview(false, r.Change, r.Todo)
		return
	}
	if r.Change.IsEmpty() {
		r.State, r.Live = map[string]string{"enabled": "enabled already", "disabled": "not enabled"}[r.State], ""
	}
	o.say("%s is %s in %s", r.Plugin, r.State, r.Host.SettingsInWords(r.Scope))
	o.tellChange(r.Change, wasAbsent)
	if r.From != "" {
		o.say("  from %s", strings.TrimSuffix(r.From+"; "+r.Live, "; "))
	}
}

// encodeResults prints the results (at least one) as JSON: an array for --host all or several hosts, otherwise an
// object.
func (o switching) encodeResults(results []installer.Done, dryRun bool) error {
	var all []any
	for _, r := range results {
		name := r.Host.Name
		if r.Host.Markets {
			name = ""
		}
		written, removed := r.Change.Files()
		switch {
		case r.Err != nil:
			all = append(all, struct {
				Host  string `json:"host,omitempty"`
				State string `json:"state"`
				Error string `json:"error"`
				Hint  string `json:"hint"`
			}{name, "failed", r.Err.Error(), hintOfHost(r.Err, r.Host)})
		case dryRun:
			all = append(all, struct {
				Host string `json:"host,omitempty"`
				previewShape
			}{name, previewOf(r.Change, r.Todo)})
		default:
			all = append(all, struct {
				Host string `json:"host,omitempty"`
				installer.Done
				Changed []string `json:"changed"` // files that were written
				Removed []string `json:"removed"` // files that did not exist before enable
				Notes   []string `json:"notes"`
			}{name, r, nonNil(written), nonNil(removed), nonNil(r.Change.Notes)})
		}
	}
	if len(o.hosts) > 1 || slices.Contains(o.hosts, allHosts) {
		return o.printJSON(all)
	}
	return o.printJSON(all[0])
}
