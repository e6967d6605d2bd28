package installer

// disable --all on other hosts than Claude Code.

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/journal"
)

// leaving is a change that has every plugin off on every host.
type leaving struct {
	*Left
	now   *settings.Settings
	purge bool
}

// leaveHosts adds to a change what has all plugins of springfield's off on the other hosts.
func (m Means) leaveHosts(ctx context.Context, l leaving) error {
	for _, host := range hosts.AllHosts() {
		if host.Default {
			continue
		}
		if err := m.leaveHost(l, host); err != nil {
			return err
		}
	}
	slices.Sort(l.IDs)
	l.IDs = slices.Compact(l.IDs)
	if err := m.byCommand(ctx, &l.Change); err != nil || l.Run == nil {
		return err
	}
	// One host's command that fails is no reason to leave the others on.
	calls := l.Calls
	l.Run = func() error {
		for _, call := range calls {
			if err := m.makeCall(ctx, call); err != nil {
				l.Stays = append(l.Stays, m.notRemoved(call, err.Error()))
			}
		}
		return ctx.Err()
	}
	return nil
}

func (m Means) leaveHost(l leaving, host hosts.Host) error {
	byUs, err := l.now.EnabledOn(host.Name)
	if err != nil {
		return err
	}
	for _, r := range byUs {
		l.IDs = append(l.IDs, r.ID)
		if _, err := l.now.ReleaseFor(&l.Change, settings.Foreign{Host: host.Name, Path: r.File, Parse: host.Settings.Parse}, r.ID); err != nil {
			l.Stays = append(l.Stays, settings.Left{What: err.Error(), Remove: "fix that file, then take out what names " + r.ID})
		}
	}
	s := &switching{Means: m, Request: hosts.Request{At: host.PlaceFor(m.User)}, purge: l.purge}
	if err := s.readRecords(); err != nil {
		l.Stays = append(l.Stays, settings.Left{What: err.Error(), Remove: "springfield disable --all again, once the cause is gone"})
		return nil
	}
	for _, i := range s.knows {
		if !l.now.InstalledIn(i.Dir).IsOurs() {
			continue
		}
		l.IDs = append(l.IDs, i.ID)
		s.Plugin, s.ID = pluginOf(i), i.ID
		if i.Scope != client.User {
			l.Stays = append(l.Stays, settings.Left{What: fmt.Sprintf("%s settings of %s name %s", i.Scope, host.Title, i.ID), Remove: "take out by hand what names " + i.ID})
			continue
		}
		released := slices.ContainsFunc(byUs, func(r settings.Remembered) bool { return r.ID == i.ID })
		if err := s.planLeaving(l, released); err != nil {
			l.Stays = append(l.Stays, settings.Left{What: err.Error(), Remove: "take out by hand what names " + i.ID})
		}
	}
	return nil
}

// planLeaving adds what has one plugin off; released tells that its entries are taken back.
func (s *switching) planLeaving(l leaving, released bool) error {
	if !released {
		if err := s.planOffInSettings(l.now, &l.Change); err != nil {
			return err
		}
	}
	call, ok := s.removalCall()
	if ok && s.At.Program == "" {
		l.Stays = append(l.Stays, s.notRemoved(call, "there is no "+s.At.Host.Program+" command"))
		return nil
	}
	if ok {
		l.Calls = append(l.Calls, call)
	}
	return nil
}

// notRemoved says that a host still has a plugin.
func (m Means) notRemoved(call journal.Call, why string) settings.Left {
	r, err := m.requestOfCall(call)
	if err != nil {
		return settings.Left{What: err.Error(), Remove: "take it out by hand"}
	}
	return settings.Left{
		What:   fmt.Sprintf("%s still has %s installed: %s", r.At.Host.Title, call.ID, why),
		Remove: strings.Join(r.At.Host.CommandLines(commandsOfCall(r, call)), "; "),
	}
}
