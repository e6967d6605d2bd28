package installer

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/runtime/registry"
)

// DisableRequest is what disable is asked for.
type DisableRequest struct {
	Plugin string // NAME or NAME@MARKETPLACE
	Suite  string // the directory that has it, "" if it is to be found
	Scope  client.Scope
	Purge  bool // Claude Code is to forget it, too
	DryRun bool // nothing changes
}

// DisablePlugin switches a plugin off for a host, and has Claude Code forget it where that is
// asked for.
func DisablePlugin(ctx context.Context, m Means, host hosts.Host, r DisableRequest) (done Done, err error) {
	defer func() { done.Host, done.Scope, done.State = host, r.Scope, "disabled" }()
	if host.Default {
		return disableDefault(ctx, m, r)
	}
	s, err := m.switchingOn(host, r.Scope)
	if err != nil {
		return done, err
	}
	if err := s.findKnown(r.Plugin); err != nil {
		return done, err
	}
	done.Plugin = s.Plugin.ID()
	plan := func(now *settings.Settings) (c journal.Change, err error) {
		c.Did = fmt.Sprintf("disable %s in user settings of %s", s.Plugin.ID(), host.Title)
		if err := s.readRecords(); err != nil {
			return c, err
		}
		return c, s.planOff(now, &c)
	}
	if done.Change, err = plan(m.Settings); err != nil || r.DryRun {
		return done, err
	}
	done.Change, err = m.Settings.PlanAndApply(done.Change, plan)
	return done, err
}

// disableDefault puts settings back, and has the claude command forget the plugin where that
// is asked for.
func disableDefault(ctx context.Context, m Means, r DisableRequest) (done Done, err error) {
	plugin, err := m.findEnabled(r)
	_, known := registry.StrategyNamed(r.Plugin)
	if several := (*SeveralError)(nil); errors.As(err, &several) && !r.Purge || errors.Is(err, errUnknown) && known { // it is off, in each of them
		return Done{Plugin: r.Plugin}, nil
	}
	if err != nil {
		return done, err
	}
	if r.Purge && m.Claude.Path == "" {
		return done, check.Advisef("nothing was changed; springfield disable "+plugin.ID()+" puts the settings back",
			"there is no claude command, and only that command can make Claude Code forget a plugin")
	}
	done.Plugin = plugin.ID()
	if done.Change, err = m.Settings.Disable(plugin, r.Scope); err != nil {
		return done, err
	}
	if r.DryRun {
		if r.Purge {
			done.Todo = "make the claude command forget " + plugin.ID() +
				", away from your settings, unless something else needs it"
		}
		return done, err
	}
	done.Change, err = m.Settings.PlanAndApply(done.Change, func(now *settings.Settings) (journal.Change, error) { return now.Disable(plugin, r.Scope) })
	if err == nil && r.Purge {
		err = m.purgePlugin(ctx, &done, plugin, r.Scope)
	}
	return done, err
}

// purgePlugin has the claude command forget a plugin that is disabled.
func (m Means) purgePlugin(ctx context.Context, done *Done, plugin client.Plugin, scope client.Scope) error {
	notes, err := settings.ReadSettings(m.Settings.Places).PurgePlugin(ctx, m.Claude, plugin)
	if err != nil && ctx.Err() != nil {
		m.Tell("%s is disabled in %s settings; Claude Code may still know it", plugin.ID(), scope)
		return ctx.Err()
	}
	if err != nil {
		return check.Advisef("run it again, or in Claude Code: /plugin", "%s is disabled in %s settings, but: %w",
			plugin.ID(), scope, err)
	}
	done.Change.Notes = append(done.Change.Notes, notes...)
	return nil
}

// findEnabled turns a name into a plugin. What settings switch on, those of the
// scope first, needs no suite: it may have moved away, or be another user's.
func (m Means) findEnabled(r DisableRequest) (client.Plugin, error) {
	if name, marketplace, ok := strings.Cut(r.Plugin, "@"); ok {
		return client.Plugin{Name: name, Marketplace: marketplace}, nil
	}
	if r.Suite != "" {
		return m.FindPlugin(r.Plugin, r.Suite)
	}
	for _, s := range append([]client.Scope{r.Scope}, client.AllScopes()...) {
		on, err := m.Settings.EnabledAs(r.Plugin, s)
		switch {
		case err != nil && s == r.Scope:
			return client.Plugin{}, err
		case len(on) == 1:
			return on[0], nil
		case len(on) > 1:
			return client.Plugin{}, check.Misusef("say which: springfield disable "+on[0].ID(),
				"%s is enabled twice: %s and %s", r.Plugin, on[0].ID(), on[1].ID())
		}
	}
	for _, known := range m.Settings.EnabledByUs() { // its entry has gone by other means
		if name, marketplace, _ := strings.Cut(known.ID, "@"); name == r.Plugin {
			return client.Plugin{Name: name, Marketplace: marketplace}, nil
		}
	}
	p, err := m.FindPlugin(r.Plugin, r.Suite)
	if advised := (*check.Advised)(nil); errors.Is(err, errUnknown) && errors.As(err, &advised) && !strings.HasPrefix(advised.Advice, "did you mean") {
		err = check.Advise(err, "springfield status shows what is on") // how to make it is of no use here
	}
	return p, err
}
