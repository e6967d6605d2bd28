package installer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/runtime/registry"
)

type DisableRequest struct {
	Plugin string // NAME or NAME@MARKETPLACE
	Suite  string // its directory, "" to search
	Scope  client.Scope
	Purge  bool // also make Claude Code forget the plugin
	DryRun bool
}

// DisablePlugin disables a plugin in a host's settings, or with r.DryRun only plans that. For Claude Code, r.Purge also
// makes it forget the plugin if unused, but without the claude command nothing changes and it is an error. A strategy
// with no enabled plugin is a no-op.
func DisablePlugin(ctx context.Context, m Means, host hosts.Host, r DisableRequest) (done Done, err error) {
	defer func() {
		done.Host, done.Scope, done.State = host, r.Scope, "disabled"
		done.Change.Notes = append(done.Change.Notes, m.notesOnAccounts(host, client.NameOf(r.Plugin))...)
	}()
	q, purge := hosts.Request{At: host.PlaceFor(m.User), Enabling: settings.Enabling{Scope: r.Scope}}, r.Purge && host.Markets
	if err := q.CheckHost(); err != nil {
		return done, err
	}
	q.Plugin, q.ID, err = m.findToDisable(q.At, r)
	_, known := registry.StrategyNamed(r.Plugin)
	if errors.Is(err, ErrAmbiguous) && !r.Purge || errors.Is(err, errUnknown) && known { // it is enabled nowhere
		return Done{Plugin: r.Plugin}, nil
	}
	if err == nil && purge && m.Claude.Path == "" {
		err = check.Advisef("nothing was changed; run springfield disable "+q.Plugin.ID()+" to disable it only in your settings",
			"only the claude command can make Claude Code forget a plugin, and there is none on PATH")
	}
	if err != nil {
		return done, err
	}
	done.Plugin = q.Plugin.ID()
	plan := func(now *settings.Settings) (journal.Change, error) { return host.PlanOff(now, q) }
	if done.Change, err = plan(m.Settings); err == nil && !r.DryRun {
		done.Change, err = settings.PlanAndApply(m.Settings.Places, plan)
	}
	switch {
	case err != nil || !purge:
	case r.DryRun:
		done.Todo = "make Claude Code forget " + done.Plugin + ", unless something else needs it; your settings would not change"
	default:
		err = m.uninstallIdle(ctx, &done, q.Plugin, r.Scope)
	}
	return done, err
}

// notesOnAccounts returns notes about the user's other Claude Code accounts that enable this plugin (nil for other
// hosts). bareName has no @MARKETPLACE.
func (m Means) notesOnAccounts(host hosts.Host, bareName string) (notes []string) {
	if !host.Markets {
		return nil
	}
	for _, a := range settings.OtherAccounts(m.Settings.Places) {
		a.On = slices.DeleteFunc(a.On, func(id string) bool { return client.NameOf(id) != bareName })
		for _, id := range a.On {
			notes = append(notes, a.EnabledClause()+": "+a.SpringfieldCommand("disable "+id))
		}
	}
	return notes
}

// uninstallIdle makes Claude Code forget a plugin no longer in use, and adds notes to done. offIn is for messages. The
// claude command exists.
func (m Means) uninstallIdle(ctx context.Context, done *Done, plugin client.Plugin, offIn client.Scope) error {
	notes, err := settings.NewSettings(m.Settings.Places).PurgeIfUnused(ctx, m.Claude, plugin)
	if err != nil && ctx.Err() != nil {
		m.Tell("%s is disabled in %s settings; Claude Code may still know it", plugin.ID(), offIn)
		return ctx.Err()
	}
	if err != nil {
		return check.Advisef("run the command again, or use /plugin in Claude Code", "%s is disabled in %s settings, but: %w",
			plugin.ID(), offIn, err)
	}
	done.Change.Notes = append(done.Change.Notes, notes...)
	return nil
}

// findToDisable finds the plugin to disable, and the ID in the host's settings, if any. It searches r.Scope first.
func (m Means) findToDisable(at hosts.Place, r DisableRequest) (p client.Plugin, id string, err error) {
	host := at.Host
	bare, marketplace, full := strings.Cut(r.Plugin, "@")
	if host.Markets && full {
		return client.Plugin{Name: bare, Marketplace: marketplace}, "", nil
	}
	if host.Markets && r.Suite != "" {
		p, err = m.FindPlugin(r.Plugin, r.Suite)
		return p, "", err
	}
	for _, scope := range append([]client.Scope{r.Scope}, host.Scopes...) {
		found, err := host.PluginsIn(m.Settings, at, scope)
		if err != nil && scope == r.Scope {
			return p, "", err
		}
		found = slices.DeleteFunc(found, func(i hosts.Installed) bool {
			return i.ID != r.Plugin && (full || i.Name != bare) && (!full || pluginOf(i).ID() != r.Plugin)
		})
		if len(found) > 1 { // prefer plugins that springfield can disable
			found = slices.DeleteFunc(found, func(i hosts.Installed) bool { return i.HostRemoves && i.ID != r.Plugin })
		}
		if len(found) == 1 {
			return pluginOf(found[0]), found[0].ID, nil
		}
		if len(found) > 1 {
			twice, flag := "enabled twice", ""
			if !host.Markets {
				twice, flag = "enabled twice in "+host.Title, " --host "+host.Name
			}
			return p, "", check.Misusef("choose one: springfield disable "+found[0].ID+flag, "%s is %s: %s and %s", r.Plugin, twice, found[0].ID, found[1].ID)
		}
	}
	byUs, err := host.ByUs(m.Settings, at)
	if err != nil {
		return p, "", err
	}
	for _, e := range byUs { // something else removed the entry
		if name, marketplace, _ := strings.Cut(e.ID, "@"); e.ID == r.Plugin || name == bare && !full {
			return client.Plugin{Name: name, Marketplace: marketplace}, e.ID, nil
		}
	}
	if !host.Markets {
		return p, "", &hosts.PassedOverError{Err: check.Advise(fmt.Errorf("%s has no plugin %q in user settings", host.Title, r.Plugin), "run springfield status --host "+host.Name+" to see its plugins")}
	}
	p, err = m.FindPlugin(r.Plugin, "")
	if advised := (*check.Advised)(nil); errors.Is(err, errUnknown) && errors.As(err, &advised) && !strings.HasPrefix(advised.Advice, "did you mean") {
		err = check.Advise(err, "run springfield status to see which plugins are enabled")
	}
	return p, "", err
}

func pluginOf(i hosts.Installed) client.Plugin {
	_, marketplace, _ := strings.Cut(i.ID, "@")
	if suite, err := generator.ReadSuite(i.Suite); i.Suite != "" && err == nil {
		marketplace = suite.Marketplace
	}
	return client.Plugin{Name: i.Name, Marketplace: marketplace, Suite: i.Suite}
}
