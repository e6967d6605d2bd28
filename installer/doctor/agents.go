package doctor

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/internal/rooted"
)

// Agent is the state of an agent other than Claude Code, by the agent's records; see docs/files.md.
type Agent struct {
	Host    string        `json:"host"`
	Title   string        `json:"title"`
	Found   bool          `json:"found"`
	Program string        `json:"program,omitempty"`
	Dir     string        `json:"dir"`
	Plugins []AgentPlugin `json:"plugins"` // springfield's only
	Problem string        `json:"problem,omitempty"`
	place   hosts.Place
	silent  *check.Finding // why it runs no hooks, or nil
}

type AgentPlugin struct {
	hosts.Installed
	Strategy string `json:"strategy,omitempty"`
	Decides  bool   `json:"decides"` // at a stop
	Problem  string `json:"problem,omitempty"`
}

// InspectHosts inspects the named agents. By default, these are those on this machine, plus Claude Code if none is
// found or it has springfield plugins.
func InspectHosts(r Request, named []hosts.Host) *Inspection {
	in := Inspect(r)
	all := named
	if in.asked = len(named) > 0; !in.asked {
		all = hosts.HostsFound(r.User)
	}
	in.Others = in.inspectOthers(all)
	in.Claude = len(in.Others) < len(all) || !in.asked && (len(all) == 0 || len(in.ours) > 0)
	return in
}

func (in *Inspection) inspectOthers(evenNotFound []hosts.Host) []Agent {
	agents := []Agent{}
	for _, h := range evenNotFound {
		if h.Installed != nil {
			agents = append(agents, in.inspectAgent(h.PlaceFor(in.User)))
		}
	}
	return agents
}

func (in *Inspection) inspectAgent(at hosts.Place) Agent {
	h := at.Host
	a := Agent{
		Host: h.Name, Title: h.Title, Found: at.IsFound(), Program: at.Look(h.Name), Dir: at.Dir,
		Plugins: []AgentPlugin{}, place: at,
	}
	if !a.Found {
		return a
	}
	a.silent = at.FindSilencer()
	all, err := h.Installed(at)
	byUs, unread := in.settings.EnabledByUsOn(h.Name)
	if err = cmp.Or(err, unread); err != nil {
		a.Problem = err.Error()
	}
	for _, i := range all {
		found := in.settings.ReadPluginIn(i.Dir)
		mine := slices.ContainsFunc(byUs, func(r settings.EnabledPlugin) bool { return r.ID == i.ID })
		if !i.MadeByUs(in.settings) && !mine {
			continue
		}
		p := AgentPlugin{Installed: i, Strategy: found.Strategy}
		if err := generator.CheckCanStart(i.Dir, generator.HostTarget(), generator.Hook); err != nil {
			p.Problem = err.Error()
		}
		p.Decides = p.On && found.IsOursAtStop() && p.Problem == "" && a.silent == nil
		a.Plugins = append(a.Plugins, p)
	}
	return a
}

// Checks returns the checks for agents inspected by InspectHosts, without unnamed agents with no plugins. Callers set
// in.Version for Claude Code's checks.
func (in *Inspection) Checks() []check.Check[*Inspection] {
	checks := AnyHostChecks()
	if in.Claude {
		checks = ClaudeChecks()
	}
	for _, a := range in.Others {
		checks = append(checks, check.Check[*Inspection]{Name: a.Host,
			Look: func(ctx context.Context, in *Inspection) ([]check.Finding, error) {
				found := a.checkPlugins(in.asked)
				var on []hosts.Installed
				for _, p := range a.pluginsOn() {
					on = append(on, p.Installed)
				}
				if a.place.Host.Check != nil && a.silent == nil && a.Found && (in.asked || len(on) > 0) {
					found = append(found, a.place.Host.Check(ctx, a.place, on)...)
				}
				return found, nil
			}})
	}
	return checks
}

func (a Agent) pluginsOn() []AgentPlugin {
	return slices.DeleteFunc(slices.Clone(a.Plugins), func(p AgentPlugin) bool { return !p.On })
}

func (a Agent) checkPlugins(userNamed bool) (all []check.Finding) {
	if !a.Found {
		says := fmt.Sprintf("%s was not found: there is no %s on PATH and no sign of use in %s", a.Title, a.Host, a.Dir)
		return []check.Finding{check.Warned(says, "install "+a.Title)}
	}
	if a.Problem != "" {
		all = append(all, check.Failed("the plugins installed in "+a.Title+" cannot be read: "+a.Problem,
			"fix or remove that file"))
	}
	on := a.pluginsOn()
	for _, p := range on {
		all = append(all, a.checkPlugin(p))
	}
	if a.silent != nil && len(on) > 0 {
		all = append(all, *a.silent)
	}
	if len(all) == 0 && userNamed {
		all = append(all, check.Noted("no springfield plugin is enabled in "+a.Title,
			"springfield enable PLUGIN --host "+a.Host))
	}
	return all
}

func (a Agent) checkPlugin(enabled AgentPlugin) check.Finding {
	again := fmt.Sprintf("springfield enable %s --host %s", enabled.Name, a.Host)
	gone := rooted.IsSurelyMissing(filepath.Join(enabled.Suite, generator.SuiteFile))
	if !gone {
		again += " --suite " + check.QuoteArgument(enabled.Suite)
	}
	switch says := fmt.Sprintf("%s is enabled in %s, but %s", enabled.ID, a.Title, enabled.Problem); {
	case enabled.Problem != "" && enabled.HostRemoves:
		return check.Failed(says, a.place.Host.RemoveCommand(enabled.ID)+", then "+again)
	case enabled.Problem != "" && gone:
		return check.Failed(says, fmt.Sprintf("%s, or springfield disable %s --host %s", again, enabled.ID, a.Host))
	case enabled.Problem != "":
		return check.Failed(says, "springfield build "+check.QuoteArgument(enabled.Suite)+", then "+again)
	case !enabled.Decides:
		return check.Passed(fmt.Sprintf("%s is enabled in %s, but makes no decisions at a stop", enabled.ID, a.Title))
	}
	return check.Passed(fmt.Sprintf("%s is enabled in %s and decides when %s stops", enabled.ID, a.Title, a.place.Host.Agent))
}

func (a Agent) WriteText(out layout.Printer) {
	agent := a.place.Host.Agent
	decides := slices.DeleteFunc(slices.Clone(a.Plugins), func(p AgentPlugin) bool { return !p.Decides })
	deciding := check.NamesOf(decides, func(p AgentPlugin) string { return p.ID })
	switch {
	case !a.Found:
		out.InYellow().PrintText("%s: not found on this machine", a.Title)
		return
	case a.Problem != "":
		out.InRed().PrintText("%s: %s", a.Title, a.Problem)
	case len(deciding) == 0:
		out.InYellow().PrintText("%s: no springfield plugin decides when %s stops", a.Title, agent)
	default:
		verb := map[bool]string{true: " decides", false: " decide"}[len(deciding) == 1]
		out.InGreen().PrintText("%s: %s%s when %s stops", a.Title, strings.Join(deciding, " and "), verb, agent)
	}
	if a.silent != nil && len(a.Plugins) > 0 {
		out.PrintItem("  ", a.silent.Text())
	}
	for _, p := range a.Plugins {
		state := map[bool]string{true: "on in ", false: "off in "}[p.On]
		says := []string{strings.TrimSpace(p.ID + " " + p.Version), state + string(p.Scope) + " settings", "runs from " + p.Dir}
		if p.Problem != "" {
			says = append(says, p.Problem)
		}
		out.PrintItem("  ", strings.Join(says, ", "))
	}
}
