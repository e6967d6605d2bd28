package settings

// To disable a plugin, restore the members that enable changed. If there is no memory, only set the plugin's
// entry to false.

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
)

// PlanDisable plans to undo PlanEnable for a scope. If other plugins springfield enabled remain there, their entries
// and the marketplace are kept, and if one decides at Stop, only the plugin's entry is undone. If springfield did not
// enable it, but the scope or a lower one does, it is set to false. If only higher settings do, that is an error.
func (s *Settings) PlanDisable(plugin client.Plugin, scope client.Scope) (journal.Change, error) {
	id := plugin.ID()
	c := journal.Change{Did: fmt.Sprintf("disable %s in %s settings", id, scope)}
	f, err := s.openScope(scope)
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
	v, err := s.layersAround(scope, f)
	if err != nil {
		return c, err
	}
	if err := s.restoreOrSwitchOff(&c, m, v, f, id); err != nil {
		return c, hintDenied(err, "springfield disable "+id+" --scope local", nil)
	}
	if len(m.pluginsEnabledByUs()) == 0 { // a killed edit, or a removed file, can leave a declaration
		if err := s.planUserRelease(&c, f); err != nil {
			return c, err
		}
	}
	if !slices.Contains(v.pluginIDs(), id) && c.IsEmpty() {
		c.Notes = append(c.Notes, "no settings here mention it; run springfield status to see which plugins are enabled")
	}
	if why := v.overruledNotes(id, false); len(why) > 0 && c.IsEmpty() {
		says, how, _ := strings.Cut(why[0], "; ")
		return c, check.Advise(errors.New(says), how)
	}
	v.noteIfStillOn(&c, f, id)
	return c, nil
}

func (s *Settings) restoreOrSwitchOff(c *journal.Change, ourEdits *memory, v view, f file, id string) error {
	on, says := v.edited.SwitchOf(id)
	switch {
	case ourEdits.switchedOn(id):
		return s.planRestore(c, ourEdits, v, f, id)
	case on:
		only := "springfield did not enable it here, so it is only disabled"
		if !strings.HasPrefix(id, doubleShotLatte) {
			only += "; double-shot-latte was not changed"
		}
		c.Notes = append(c.Notes, only)
	case !says && v.enablerBelow(id) != "":
		c.Notes = append(c.Notes, fmt.Sprintf("%s settings enable it; %s settings now disable it, and they take precedence",
			v.enablerBelow(id), v.scope))
	default:
		return nil
	}
	return s.setMembers(c, f, []document.Edit{switchTo(id, "false")}, "")
}

// planRestore plans to restore the members set in f, and in user settings for f, that no plugin except id needs. The
// caller checks m.switchedOn(id).
func (s *Settings) planRestore(c *journal.Change, m *memory, v view, f file, id string) error {
	others := slices.DeleteFunc(v.edited.IDsOn(), func(other string) bool { return other == id || !m.switchedOn(other) })
	only := allMembers
	switch {
	case slices.ContainsFunc(others, func(other string) bool { return s.isOursAtStop(s.Snapshot, v, other) }):
		only = func(r remembered) bool { return r.isSwitch(id) }
		for _, r := range m.Members {
			name, value := r.Path[len(r.Path)-1], client.ValueText(r.Set)
			stays := (name == client.BlockCap || strings.HasPrefix(name, doubleShotLatte)) && r.Before != string(r.Set)
			if now, _ := client.MemberIn([]client.Layer{v.edited}, r.Path...); stays && now == value {
				c.Notes = append(c.Notes, fmt.Sprintf("%s stays %s for the plugins that are still enabled", name, value))
			}
		}
	case len(others) > 0:
		only = func(r remembered) bool {
			return r.Path[0] != "extraKnownMarketplaces" && !slices.ContainsFunc(others, r.isSwitch)
		}
	}
	v.noteStillOff(c, m, id, only)
	if err := s.planRelease(c, f, f.At, only); err != nil || len(others) > 0 {
		return err
	}
	return s.planUserRelease(c, f)
}

// noteStillOff notes the plugins springfield disabled for id that stay disabled: restored selects members that get
// their old value.
func (v view) noteStillOff(c *journal.Change, m *memory, id string, restored func(remembered) bool) {
	for _, r := range m.Members {
		other := r.Path[len(r.Path)-1]
		replaced := r.isSwitch(other) && r.By == id && string(r.Set) == "false" && (r.Before != "true" || !restored(r))
		if replaced && !v.isOnUpToHere(other) && v.enablerBelow(other) == "" && !strings.HasPrefix(other, doubleShotLatte) {
			c.Notes = append(c.Notes, other+", which it replaced, stays disabled; springfield enable "+other+" enables it again")
		}
	}
}

// planUserRelease plans to restore the user settings' members set only for setFor.
func (s *Settings) planUserRelease(c *journal.Change, setFor file) error {
	target, err := journal.Resolve(s.Settings(client.User))
	if err != nil || target == setFor.At {
		return err
	}
	if m, err := s.recallFile(target); err != nil || m == nil {
		return err
	}
	user, err := s.openScope(client.User)
	if err != nil {
		return err
	}
	return s.planRelease(c, user, setFor.At, allMembers)
}

// noteIfStillOn notes the reasons if c's edits leave the plugin enabled.
func (v view) noteIfStillOn(c *journal.Change, f file, id string) {
	planned := f.Before
	for _, e := range c.Edits {
		if e.At == f.At && !e.State {
			planned = e.After
		}
	}
	after, err := document.ParseDocument(planned.Bytes())
	if err == nil {
		v.edited = client.LayerOf(string(v.scope), f.Edit, after)
	}
	on, says := v.edited.SwitchOf(id)
	switch {
	case on:
		c.Notes = append(c.Notes, "it was enabled before springfield enabled it, so it is enabled again; run the command again to disable it")
	case !says && v.enablerBelow(id) != "":
		c.Notes = append(c.Notes, fmt.Sprintf("it stays enabled, because %s settings enable it; run the command again to disable it in %s settings, "+
			"which take precedence", v.enablerBelow(id), v.scope))
	}
	c.Notes = append(c.Notes, v.overruledNotes(id, false)...)
}

// AllIDsOn returns the plugins that a scope's settings enable.
func (s *Settings) AllIDsOn(scope client.Scope) ([]string, error) {
	f, err := s.openFile("", s.Settings(scope))
	if err != nil {
		return nil, err
	}
	if _, _, err := f.doc.Get("enabledPlugins"); err != nil {
		return nil, f.namedError(err)
	}
	return client.LayerOf(string(scope), f.Edit, f.doc).IDsOn(), nil
}
