package installer

// How plugins go on and off on other hosts than Claude Code: by an entry in a file that the
// host reads.

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
	"github.com/cameronsjo/springfield/internal/rooted"
)

// switching is a plugin on its way on or off on one host.
type switching struct {
	Means
	hosts.Request
	knows []hosts.Installed // what the host knows
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
	s.ID = s.Plugin.Name
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

// entryFile is the file that has the plugin on.
func (s *switching) entryFile() settings.Foreign {
	path, _ := s.At.Host.Settings.Entry(s.At, s.ID)
	return s.At.Host.Foreign(path)
}

func (s *switching) planSwitchOn(now *settings.Settings, r EnableRequest, sameKind []string) (c journal.Change, err error) {
	c.Did = fmt.Sprintf("enable %s in user settings of %s", s.Plugin.ID(), s.At.Host.Title)
	moved, err := s.release(now, &c, func(e settings.EnabledPlugin) bool {
		name, _, _ := strings.Cut(e.ID, "@")
		return name == s.Plugin.Name && (e.ID != s.ID || !rooted.IsSame(e.File, s.entryFile().Path))
	})
	if err != nil {
		return c, err
	}
	for _, other := range s.knows {
		is := now.InstalledIn(other.Dir)
		switch {
		case slices.Contains(moved, other.ID):
		case other.Name == s.Plugin.Name && other.Theirs && other.On && other.Scope == client.User:
			return c, &PassedOverError{s.refuseTheirs(other)}
		case other.Name == s.Plugin.Name || r.Keep || !other.On || other.Scope != client.User || !is.DrivesStop() || !slices.Contains(sameKind, is.Strategy):
		default:
			off := *s
			off.Plugin, off.ID = pluginOf(other), other.ID
			if err := off.planOff(now, &c); err != nil {
				return c, err
			}
			c.Notes = append(c.Notes, other.ID+" is switched off")
		}
	}
	entries, err := s.At.Host.Settings.Entries(s.Request)
	if err != nil {
		return c, err
	}
	return c, now.SetForPlugin(&c, s.entryFile(), s.ID, entries)
}

// refuseTheirs says how to remove a plugin that the host has installed itself.
func (s *switching) refuseTheirs(i hosts.Installed) error {
	return check.Advisef(s.At.Host.RemoveCommand(i.ID), "%s has installed %s by its own command, and only that removes it", s.At.Host.Title, i.ID)
}

// release gives back what springfield has set for plugins on the host, in whatever file. IDs are those of the
// plugins.
func (s *switching) release(now *settings.Settings, c *journal.Change, of func(settings.EnabledPlugin) bool) (ids []string, err error) {
	byUs, err := now.EnabledOn(s.At.Host.Name)
	for _, e := range byUs {
		if err == nil && of(e) {
			_, err = now.ReleaseFor(c, s.At.Host.Foreign(e.File), e.ID)
			ids = append(ids, e.ID)
		}
	}
	return ids, err
}

// planOff adds to a change what has a plugin off.
func (s *switching) planOff(now *settings.Settings, c *journal.Change) error {
	released, err := s.release(now, c, func(e settings.EnabledPlugin) bool { return e.ID == s.ID })
	if err != nil || len(released) > 0 {
		return err
	}
	for _, i := range s.knows {
		if i.ID == s.ID && i.Theirs {
			return s.refuseTheirs(i)
		}
	}
	edits, err := s.At.Host.Settings.Off(s.Request)
	if err != nil {
		return err
	}
	return now.SetForPlugin(c, s.entryFile(), "", edits)
}

// pluginOf is a plugin that a host knows, as Claude Code would name it.
func pluginOf(i hosts.Installed) client.Plugin {
	_, marketplace, _ := strings.Cut(i.ID, "@")
	if suite, err := generator.ReadSuite(i.Suite); i.Suite != "" && err == nil {
		marketplace = suite.Marketplace
	}
	return client.Plugin{Name: i.Name, Marketplace: marketplace, Suite: i.Suite}
}

// findKnown finds a plugin among those that the host knows, and those that springfield has
// enabled there.
func (s *switching) findKnown(name string) error {
	bare, _, full := strings.Cut(name, "@")
	var found []hosts.Installed
	for _, i := range s.knows {
		if i.Scope == client.User && (i.On || !i.Theirs) && (i.Name == bare && !full || i.ID == name || full && pluginOf(i).ID() == name) {
			found = append(found, i)
		}
	}
	if len(found) > 1 { // what springfield can switch off comes first
		found = slices.DeleteFunc(found, func(i hosts.Installed) bool { return i.Theirs && i.ID != name })
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
