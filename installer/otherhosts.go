package installer

// How plugins go on and off on other hosts than Claude Code: by their own plugin
// commands, and by the entries that their settings need. The edit, the commands and the
// undo are one change.

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
)

// switching is a plugin on its way on or off on one host.
type switching struct {
	Means
	hosts.Request
	knows []hosts.Installed // what the host knows
	purge bool              // the host is to forget the marketplace, too
	found *enableRun        // how a plugin that is to go on was found
}

func (m Means) switchingOn(host hosts.Host, scope client.Scope) (*switching, error) {
	s := &switching{Means: m, Request: hosts.Request{At: host.PlaceFor(m.User)}}
	if !s.At.IsFound() {
		return nil, check.Advisef(fmt.Sprintf("install %s first; it is looked for as %s on PATH and in %s", host.Title, host.Name, s.At.Dir),
			"%s is not on this machine", host.Title)
	}
	if scope != client.User {
		return nil, check.Misusef("use --scope user", "%s has no %s scope for plugins", host.Title, scope)
	}
	return s, s.readRecords()
}

func (s *switching) readRecords() (err error) {
	if s.knows, err = s.At.Host.Plugins.Installed(s.At); err != nil {
		err = fmt.Errorf("read what %s has installed: %w", s.At.Host.Title, err)
	}
	return err
}

// findInDirectory finds the plugin, which has to lie in a directory.
func (s *switching) findInDirectory(ctx context.Context, r EnableRequest) error {
	if strings.ContainsAny(r.Marketplace, "/:") && !filepath.IsAbs(r.Marketplace) && !strings.HasPrefix(r.Marketplace, ".") {
		return check.Advisef("clone the repository and name it: --suite DIR", "%s takes a plugin from a directory",
			s.At.Host.Title)
	}
	r.NoClaude = true
	e := newEnableRun(s.Means, r)
	if err := e.findPlugin(ctx); err != nil {
		return err
	}
	s.Plugin = e.wanted.Plugin
	if s.Plugin.Suite == "" {
		return check.Advisef("clone its repository and name it: --suite DIR",
			"%s takes a plugin from a directory, and %s has none", s.At.Host.Title, s.Plugin.ID())
	}
	s.ID = s.At.Host.NameOf(s.Plugin)
	if s.found = e; e.own == nil || r.Unmade {
		return nil
	}
	err := e.own.makeFiles(ctx, s.Means, !r.DryRun)
	s.Stage = e.own.stage
	return err
}

// examinePluginFiles looks at the plugin's own files. One that could not run is refused. sameKind are the
// strategies of which one is on; none for a plugin that does not decide at a stop.
func (s *switching) examinePluginFiles() (sameKind []string, err error) {
	found, err := s.examinePlugin(s.Plugin, s.FilesDir(), s.At.Host)
	if err != nil {
		return nil, err
	}
	if err := s.CheckFiles(); err != nil {
		return nil, &PassedOverError{check.Advise(fmt.Errorf("%s is not made for %s: %w", s.Plugin.ID(), s.At.Host.Title, err),
			"springfield update "+check.QuoteArgument(s.Plugin.Suite)+" adds it")}
	}
	if found.DrivesStop() {
		_, sameKind = strategiesLike(found.Strategy)
	}
	return sameKind, nil
}

// settingsFile is the file that has the plugin on.
func (s *switching) settingsFile() settings.Foreign {
	f := settings.Foreign{Host: s.At.Host.Name, Path: s.At.SettingsFile(), Parse: s.At.Host.Settings.Parse}
	if s.At.Host.Settings.Record != nil {
		f.Path = s.At.Host.Settings.Record(s.At, s.ID)
	}
	return f
}

func (s *switching) planSwitchOn(ctx context.Context, now *settings.Settings, r EnableRequest, sameKind []string) (c journal.Change, err error) {
	c.Did = fmt.Sprintf("enable %s in user settings of %s", s.Plugin.ID(), s.At.Host.Title)
	entries, err := s.At.Host.Settings.Entries(ctx, s.Request)
	if err != nil {
		return c, err
	}
	if err := now.SetForPlugin(&c, s.settingsFile(), s.ID, entries); err != nil {
		return c, err
	}
	if !r.Keep {
		if err := s.othersOff(now, &c, sameKind); err != nil {
			return c, err
		}
	}
	if s.At.Host.Plugins.Install != nil && (s.Trust || !s.isCurrent()) { // trust is in all files of the copy
		c.Calls = append(c.Calls, journal.Call{Host: s.At.Host.Name, Verb: journal.Installs, ID: s.ID, Plugin: s.Plugin.ID(), Suite: s.Plugin.Suite})
	}
	return c, s.byCommand(ctx, &c)
}

func (s *switching) othersOff(now *settings.Settings, c *journal.Change, sameKind []string) error {
	for _, other := range s.knows {
		is := now.InstalledIn(other.Dir)
		if other.ID == s.ID || !other.On || other.Scope != client.User || !is.DrivesStop() || !slices.Contains(sameKind, is.Strategy) {
			continue
		}
		off := *s
		off.Plugin, off.ID = pluginOf(other), other.ID
		if err := off.planOff(now, c); err != nil {
			return err
		}
		c.Notes = append(c.Notes, other.ID+" is switched off")
	}
	return nil
}

// pluginOf is a plugin that a host knows, as Claude Code would name it.
func pluginOf(i hosts.Installed) client.Plugin {
	_, marketplace, _ := strings.Cut(i.ID, "@")
	if suite, err := generator.ReadSuite(i.Suite); i.Suite != "" && err == nil {
		marketplace = suite.Marketplace
	}
	return client.Plugin{Name: i.Name, Marketplace: marketplace, Suite: i.Suite}
}

// planOff adds to a change what has a plugin off.
func (s *switching) planOff(now *settings.Settings, c *journal.Change) error {
	if err := s.planOffInSettings(now, c); err != nil {
		return err
	}
	if call, ok := s.removalCall(); ok {
		c.Calls = append(c.Calls, call)
	}
	return nil
}

// planOffInSettings adds to a change what has a plugin off in the host's settings.
func (s *switching) planOffInSettings(now *settings.Settings, c *journal.Change) error {
	known, err := now.ReleaseFor(c, s.settingsFile(), s.ID)
	if err != nil {
		return err
	}
	if known {
		return nil
	}
	edits, err := s.At.Host.Settings.Off(s.Request)
	if err != nil {
		return err
	}
	return now.SetForPlugin(c, s.settingsFile(), "", edits)
}

// removalCall is the call that removes the plugin, if the host knows it and has a command for
// that.
func (s *switching) removalCall() (call journal.Call, ok bool) {
	ok = s.At.Host.Plugins.Remove != nil && slices.ContainsFunc(s.knows, func(i hosts.Installed) bool { return i.ID == s.ID })
	return journal.Call{
		Host: s.At.Host.Name, Verb: journal.Removes, ID: s.ID, Plugin: s.Plugin.ID(), Suite: s.Plugin.Suite,
		Forget: s.purge && s.isLastOfMarketplace(),
	}, ok
}

// isCurrent tells whether the host has the plugin on, as it is in its suite.
func (s *switching) isCurrent() bool {
	return slices.ContainsFunc(s.knows, func(i hosts.Installed) bool {
		return i.ID == s.ID && i.On && i.Scope == client.User && i.IsAsIn(s.Plugin.Suite, generator.HookFiles())
	})
}

// findKnown finds a plugin among those that the host knows, and those that springfield has
// enabled there.
func (s *switching) findKnown(name string) error {
	bare, _, full := strings.Cut(name, "@")
	var found []hosts.Installed
	for _, i := range s.knows {
		if i.Scope == client.User && (i.Name == bare && !full || i.ID == name || full && pluginOf(i).ID() == name) {
			found = append(found, i)
		}
	}
	switch {
	case len(found) == 1:
		s.Plugin, s.ID = pluginOf(found[0]), found[0].ID
		return nil
	case len(found) > 1:
		return check.Misusef("say which: springfield disable "+found[0].ID+" --host "+s.At.Host.Name, "%s is on twice in %s: %s and %s", name, s.At.Host.Title, found[0].ID, found[1].ID)
	}
	byUs, err := s.Settings.EnabledOn(s.At.Host.Name)
	if err != nil {
		return err
	}
	for _, r := range byUs {
		if known, market, _ := strings.Cut(r.ID, "@"); r.ID == name || known == bare && !full {
			s.Plugin, s.ID = client.Plugin{Name: known, Marketplace: market}, r.ID
			return nil
		}
	}
	return &PassedOverError{check.Advise(fmt.Errorf("%s has no plugin %q in user settings", s.At.Host.Title, name), "springfield status --host "+s.At.Host.Name+" shows what it knows")}
}

// isLastOfMarketplace tells whether the host knows no other plugin of the marketplace.
func (s *switching) isLastOfMarketplace() bool {
	return !slices.ContainsFunc(s.knows, func(i hosts.Installed) bool { return i.ID != s.ID && pluginOf(i).Marketplace == s.Plugin.Marketplace })
}
