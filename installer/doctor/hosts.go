package doctor

// What is in effect on other hosts than Claude Code: by their own records, and by what
// springfield remembers of its edits there.

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/layout"
)

// OnHost is what is in effect on one host, as status prints it; docs/files.md describes it.
type OnHost struct {
	Host    string       `json:"host"`
	Title   string       `json:"title"`
	Found   bool         `json:"found"`
	Program string       `json:"program,omitempty"`
	Dir     string       `json:"dir"`
	Plugins []HostPlugin `json:"plugins"` // of springfield's
	Problem string       `json:"problem,omitempty"`
	place   hosts.Place
}

// HostPlugin is a plugin of springfield's that a host knows.
type HostPlugin struct {
	hosts.Installed
	Strategy string `json:"strategy,omitempty"`
	Decides  bool   `json:"decides"` // at a stop
	Problem  string `json:"problem,omitempty"`
	old      bool   // as an older springfield has switched it on
}

// InspectHosts inspects hosts: those that are named, else all that are there. Claude Code is among these, too, where
// something is on in its settings, or there is no other.
func InspectHosts(r Request, named []hosts.Host) *Inspection {
	in := Inspect(r)
	all := named
	if in.asked = len(named) > 0; !in.asked {
		all = hosts.HostsFound(r.User)
	}
	in.Others = in.lookAtOthers(all)
	in.Claude = slices.ContainsFunc(all, func(h hosts.Host) bool { return h.Default }) || !in.asked && (len(in.Others) == 0 || len(in.ours) > 0)
	return in
}

// lookAtOthers looks at hosts; Claude Code, of which Status tells, is left out.
func (in *Inspection) lookAtOthers(all []hosts.Host) []OnHost {
	looked := []OnHost{}
	for _, h := range all {
		if h.Installed != nil {
			looked = append(looked, in.lookAtHost(h))
		}
	}
	return looked
}

func (in *Inspection) lookAtHost(h hosts.Host) OnHost {
	at := h.PlaceFor(in.User)
	o := OnHost{Host: h.Name, Title: h.Title, Found: at.IsFound(), Program: at.Program, Dir: at.Dir, Plugins: []HostPlugin{}, place: at}
	if !o.Found {
		return o
	}
	all, err := h.Installed(at)
	if err != nil {
		o.Problem = err.Error()
	}
	byUs, err := in.settings.EnabledOn(h.Name)
	if err != nil && o.Problem == "" {
		o.Problem = err.Error()
	}
	for _, i := range all {
		is := in.settings.InstalledIn(i.Dir)
		mine := slices.ContainsFunc(byUs, func(r settings.EnabledPlugin) bool { return r.ID == i.ID })
		if is.IsOurs() || mine {
			p := HostPlugin{Installed: i, Strategy: is.Strategy, old: mine && i.Theirs}
			if err := generator.CheckPrograms(i.Dir, generator.HostTarget(), generator.Hook); err != nil {
				p.Problem = err.Error()
			}
			p.Decides = p.On && is.DrivesStop() && p.Problem == ""
			o.Plugins = append(o.Plugins, p)
		}
	}
	return o
}

// Checks are the checks of the hosts that are inspected. Of another than Claude Code that was not asked for and on which
// nothing is on, nothing is said.
func (in *Inspection) Checks() []check.Check[*Inspection] {
	checks := SharedChecks()
	if in.Claude {
		checks = AllChecks()
	}
	for _, o := range in.Others {
		checks = append(checks, check.Check[*Inspection]{Name: o.Host,
			Look: func(ctx context.Context, in *Inspection) ([]check.Finding, error) {
				found, h := o.checkPlugins(in.asked), o.place.Host
				if on := o.pluginsOn(); h.Check != nil && o.Found && (in.asked || len(on) > 0) {
					found = append(found, h.Check(ctx, o.place, on)...)
				}
				return found, nil
			}})
	}
	return checks
}

func (o OnHost) pluginsOn() (on []hosts.Installed) {
	for _, p := range o.Plugins {
		if p.On {
			on = append(on, p.Installed)
		}
	}
	return on
}

func (o OnHost) checkPlugins(asked bool) (all []check.Finding) {
	h, on := o.place.Host, o.pluginsOn()
	if !o.Found {
		return []check.Finding{check.Warned(fmt.Sprintf("%s was not found: no %s on PATH, and %s has not been used", o.Title, h.Name, o.Dir), "install "+o.Title)}
	}
	if o.Problem != "" {
		all = append(all, check.Failed("what "+o.Title+" has installed cannot be read: "+o.Problem, "fix or remove that file"))
	}
	for _, p := range o.Plugins {
		if p.On {
			all = append(all, p.checkPlugin(o))
		}
	}
	if len(on) == 0 && asked && o.Problem == "" {
		all = append(all, check.Noted("no springfield plugin is on in "+o.Title, "springfield enable PLUGIN --host "+o.Host))
	}
	return all
}

func (in *Inspection) foundHosts() []OnHost { return in.lookAtOthers(hosts.HostsFound(in.User)) }

func (p HostPlugin) checkPlugin(o OnHost) check.Finding {
	again := fmt.Sprintf("springfield enable %s --host %s", p.Name, o.Host)
	if p.Suite != "" {
		again += " --suite " + check.QuoteArgument(p.Suite)
	}
	switch says := fmt.Sprintf("%s is on in %s, but %s", p.ID, o.Title, p.Problem); {
	case p.Problem != "" && p.Theirs && !p.old:
		return check.Failed(says, o.place.Host.RemoveCommand(p.ID)+", then "+again)
	case p.Problem != "" && p.Suite != "":
		return check.Failed(says, "springfield build "+check.QuoteArgument(p.Suite)+", then "+again)
	case p.Problem != "":
		return check.Failed(says, again)
	case p.old:
		return check.Warned(fmt.Sprintf("%s is on in %s as an older springfield did it, which may be an old build", p.ID, o.Title), again)
	case !p.Decides:
		return check.Passed(fmt.Sprintf("%s is on in %s, and decides nothing at a stop", p.ID, o.Title))
	}
	return check.Passed(fmt.Sprintf("%s is on in %s and decides when %s stops", p.ID, o.Title, o.place.Host.Agent))
}

func (o OnHost) WriteText(out layout.Printer) {
	agent := o.place.Host.Agent
	var deciding []string
	for _, p := range o.Plugins {
		if p.Decides {
			deciding = append(deciding, p.ID)
		}
	}
	switch {
	case !o.Found:
		out.InYellow().PrintText("%s: not found on this machine", o.Title)
		return
	case o.Problem != "":
		out.InRed().PrintText("%s: %s", o.Title, o.Problem)
	case len(deciding) == 0:
		out.InYellow().PrintText("%s: no springfield plugin decides when %s stops", o.Title, agent)
	default:
		verb := " decides"
		if len(deciding) > 1 {
			verb = " decide"
		}
		out.InGreen().PrintText("%s: %s%s when %s stops", o.Title, strings.Join(deciding, " and "), verb, agent)
	}
	for _, p := range o.Plugins {
		state := "off"
		if p.On {
			state = "on"
		}
		says := []string{p.ID + " " + p.Version, state + " in " + string(p.Scope) + " settings", "runs from " + p.Dir}
		if p.Problem != "" {
			says = append(says, p.Problem)
		}
		out.PrintItem("  ", strings.Join(says, ", "))
	}
}
