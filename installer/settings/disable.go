package settings

// Switching a plugin off: what enabling has changed is put back. Where nothing
// is remembered, the plugin's own entry says false and nothing else changes.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
)

// Disable plans to put back what enabling a plugin in a scope has changed. While
// another plugin that springfield enabled there stays on, what both need stays:
// all but the plugin's own entry beside one that decides at Stop, the marketplace
// beside one that does not.
func (s *Settings) Disable(plugin client.Plugin, scope client.Scope) (journal.Change, error) {
	id := plugin.ID()
	c := journal.Change{Did: fmt.Sprintf("disable %s in %s settings", id, scope)}
	f, err := s.openScope(scope)
	if link := (*rooted.LinkError)(nil); errors.As(err, &link) {
		f, err = s.openBehindLink(scope, id, err)
	}
	if err != nil {
		return c, err
	}
	if _, _, err := f.doc.Get("enabledPlugins", id); err != nil {
		return c, f.namedError(err)
	}
	m, err := s.recallFile(f.At)
	if err != nil {
		return c, err
	}
	v, err := s.viewFrom(scope, f)
	if err != nil {
		return c, err
	}
	if err := s.takeBack(&c, m, v, f, id); err != nil {
		return c, err
	}
	if len(m.pluginsEnabledByUs()) == 0 { // an edit that was killed between two files, or a file removed by hand, can have left something
		if err := s.takeBackDeclared(&c, f); err != nil {
			return c, err
		}
	}
	if !slices.Contains(v.pluginIDs(), id) && c.IsEmpty() {
		c.Notes = append(c.Notes, "no settings here name it; springfield status shows what is on")
	}
	v.noteWhatIsLeft(&c, f, id)
	return c, nil
}

// takeBack takes back what enabling has set, or says false.
func (s *Settings) takeBack(c *journal.Change, m *memory, v view, f file, id string) error {
	on, says := v.own.SaysOf(id)
	switch {
	case m.switchedOn(id):
		return s.giveBack(c, m, v, f, id)
	case on:
		only := "springfield did not enable it here, so it is only switched off"
		if !strings.HasPrefix(id, doubleShotLatte) {
			only += "; double-shot-latte stays as it is"
		}
		c.Notes = append(c.Notes, only)
	case !says && v.scopeBelow(id) != "":
		c.Notes = append(c.Notes, fmt.Sprintf("%s settings switch it on; %s settings now say no, and they win",
			v.scopeBelow(id), v.scope))
	default:
		return nil
	}
	return s.setMembers(c, f, []document.Edit{switchTo(id, "false")}, "")
}

// openBehindLink opens a project's settings behind a link if springfield has switched the
// plugin on in them, else it gives the refusal. The user's own settings have a scope.
func (s *Settings) openBehindLink(scope client.Scope, id string, refusal error) (file, error) {
	path := s.Settings(scope)
	target, err := journal.Resolve(path)
	own, errOwn := journal.Resolve(s.Settings(client.User))
	if err != nil || errOwn != nil || target == own {
		return file{}, refusal
	}
	if m, err := s.recallFile(target); err != nil || !m.switchedOn(id) {
		return file{}, refusal
	}
	return s.openFile("", path)
}

// giveBack releases what was set in the file, and in user settings on its
// behalf.
func (s *Settings) giveBack(c *journal.Change, m *memory, v view, f file, id string) error {
	others := slices.DeleteFunc(v.own.IDsOn(), func(other string) bool { return other == id || !m.switchedOn(other) })
	only := allMembers
	switch {
	case slices.ContainsFunc(others, func(other string) bool { return s.drivesStop(s.Snapshot, v, other) }):
		only = func(r remembered) bool { return r.isSwitch(id) }
	case len(others) > 0:
		only = func(r remembered) bool {
			return r.Path[0] != "extraKnownMarketplaces" && !slices.ContainsFunc(others, r.isSwitch)
		}
	}
	if err := s.planRelease(c, f, f.At, only); err != nil || len(others) > 0 {
		return err
	}
	return s.takeBackDeclared(c, f)
}

// takeBackDeclared releases what was set in user settings on behalf of another
// file.
func (s *Settings) takeBackDeclared(c *journal.Change, f file) error {
	target, err := journal.Resolve(s.Settings(client.User))
	if err != nil || target == f.At {
		return err
	}
	if m, err := s.recallFile(target); err != nil || m == nil {
		return err
	}
	user, err := s.openScope(client.User)
	if err != nil {
		return err
	}
	return s.planRelease(c, user, f.At, allMembers)
}

// noteWhatIsLeft says where the plugin stays on: in the file itself, because it
// was on before springfield came, and in other scopes.
func (v view) noteWhatIsLeft(c *journal.Change, f file, id string) {
	planned := f.Before
	for _, e := range c.Edits {
		if e.At == f.At && !e.State {
			planned = e.After
		}
	}
	after, err := document.ParseDocument(planned.Bytes()) // no bytes are an empty document
	if err == nil {
		v.own = client.LayerOf(string(v.scope), f.Edit, after)
	}
	on, says := v.own.SaysOf(id)
	switch {
	case on:
		c.Notes = append(c.Notes, "it was on before springfield enabled it, and is again; disable it once more to switch it off")
	case !says && v.scopeBelow(id) != "":
		c.Notes = append(c.Notes, fmt.Sprintf("it stays on: %s settings switch it on; disable it once more to say no in %s settings, "+
			"which win", v.scopeBelow(id), v.scope))
	}
	v.noteOverruled(c, id, false)
}

// IDsOn lists the plugins that a scope's settings switch on.
func (s *Settings) IDsOn(scope client.Scope) ([]string, error) {
	f, err := s.openFile("", s.Settings(scope))
	if err != nil {
		return nil, err
	}
	if _, _, err := f.doc.Get("enabledPlugins"); err != nil {
		return nil, f.namedError(err)
	}
	return client.LayerOf(string(scope), f.Edit, f.doc).IDsOn(), nil
}

// whyInUse says what needs a plugin, "" if nothing does.
func (s *Settings) whyInUse(id string) (string, error) {
	for _, l := range s.AllLayers() {
		if on, _ := l.SaysOf(id); on {
			return l.Name + " settings switch it on", nil
		}
	}
	memories, _ := s.memoriesOf("") // what cannot be read is not known to need it
	for _, m := range memories {
		if m.switchedOn(id) && rooted.PathExists(m.File) {
			return "springfield has enabled it in " + m.File + ", too", nil
		}
	}
	project, err := s.InstalledElsewhere(id)
	if project != "" {
		return "Claude Code has installed it for " + project + ", too", nil
	}
	return "", err
}

// PurgePlugin has the client forget a plugin, and its marketplace if nothing else of
// it is in use. It says what it did and what it left, a sentence each.
func (s *Settings) PurgePlugin(ctx context.Context, claude client.Command, plugin client.Plugin) (notes []string, err error) {
	id := plugin.ID()
	if why, err := s.whyInUse(id); err != nil {
		return nil, err
	} else if why != "" {
		return []string{id + " stays installed: " + why}, nil
	}
	others, err := s.UsesOf(plugin)
	if err != nil {
		return nil, err
	}
	if len(others) == 0 {
		// Removing the last source of a plugin uninstalls it too.
		note, err := claude.ForgetMarketplace(ctx, s.Snapshot, plugin.Marketplace)
		return []string{note}, err
	}
	notes, err = s.uninstall(ctx, claude, []string{id})
	return append(notes, fmt.Sprintf("marketplace %s stays registered: %s comes from it too", plugin.Marketplace, others[0])), err
}
