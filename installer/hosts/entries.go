package hosts

import (
	"fmt"
	"slices"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
)

// entries enables plugins by an entry in a file that the host reads.
type entries struct{}

func (entries) PluginsIn(_ *settings.Settings, at Place, scope client.Scope) ([]Installed, error) {
	all, err := at.Installed()
	return slices.DeleteFunc(all, func(i Installed) bool { return i.Scope != scope || i.HostRemoves && !i.On }), err
}

func (entries) ByUs(now *settings.Settings, at Place) ([]settings.EnabledPlugin, error) {
	return now.EnabledByUsOn(at.Host.Name)
}

func (entries) PlanOn(now *settings.Settings, r Request) (c journal.Change, err error) {
	c.Did = fmt.Sprintf("enable %s in %s", r.Plugin.ID(), r.At.Host.SettingsInWords(r.Scope))
	knows, err := r.At.Installed()
	if err != nil {
		return c, err
	}
	moved, err := r.planReleases(now, &c, func(e settings.EnabledPlugin) bool {
		return client.NameOf(e.ID) == r.Plugin.Name && !r.ownsRecord(e)
	})
	if err != nil {
		return c, err
	}
	for _, other := range knows {
		is := now.ReadPluginIn(other.Dir)
		switch {
		case slices.ContainsFunc(moved, func(e settings.EnabledPlugin) bool { return e.ID == other.ID }):
		case other.Name == r.Plugin.Name && other.HostRemoves && other.On && other.Scope == client.User:
			return c, &PassedOverError{r.At.hostRemovesError(other)}
		case other.Name == r.Plugin.Name || r.Keep || r.DecidesNothing || !other.On || other.Scope != client.User:
		case !is.IsOursAtStop() || !slices.Contains(r.SameKind, is.Strategy):
		default:
			if err := r.At.removalOf(other).planOff(now, &c); err != nil {
				return c, err
			}
			c.Notes = append(c.Notes, other.ID+" is disabled")
		}
	}
	edits, err := r.At.Host.Entries(r)
	if err != nil {
		return c, err
	}
	return c, now.SetForPlugin(&c, r.EntryFile(), r.ID, edits)
}

func (entries) PlanOff(now *settings.Settings, r Request) (c journal.Change, err error) {
	c.Did = fmt.Sprintf("disable %s in %s", r.Plugin.ID(), r.At.Host.SettingsInWords(r.Scope))
	return c, r.planOff(now, &c)
}

func (entries) PlanAllOff(now *settings.Settings, at Place, _ bool, c *journal.Change) (ids []string, left []settings.Left, err error) {
	byUs, err := now.EnabledByUsOn(at.Host.Name)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range byUs {
		ids = append(ids, r.ID)
		at.addRemovedNote(c)
		if err := now.ReleaseFor(c, settings.HostFile{Host: at.Host.Name, Path: r.File}, r.ID); err != nil {
			left = append(left, settings.Left{What: err.Error(), Remove: "fix that file, then remove the entries for " + r.ID, Failed: true})
		}
	}
	knows, err := at.Installed()
	if err != nil {
		return ids, append(left, settings.Left{What: err.Error(), Remove: "fix the cause, then run springfield disable --all again"}), nil
	}
	for _, i := range knows {
		if i.HostRemoves && !i.On || !i.MadeByUs(now) || slices.ContainsFunc(byUs, at.removalOf(i).ownsRecord) {
			continue
		}
		ids = append(ids, i.ID)
		stays := settings.Left{What: fmt.Sprintf("the %s settings of %s still name %s", i.Scope, at.Host.Title, i.ID), Remove: "remove by hand the entries for " + i.ID}
		if i.HostRemoves && i.Scope == client.User {
			stays = settings.Left{What: at.hostRemovesError(i).Error(), Remove: at.Host.RemoveCommand(i.ID)}
		} else if i.Scope == client.User {
			err := at.removalOf(i).planOff(now, c)
			if err == nil {
				continue
			}
			stays.What, stays.Failed = err.Error(), true
		}
		left = append(left, stays)
	}
	return ids, left, nil
}

// EntryFile returns the host's file with the plugin's entry. It panics for Claude Code.
func (r Request) EntryFile() settings.HostFile {
	path, _ := r.At.Host.EntryIn(r.At, r.ID)
	return settings.HostFile{Host: r.At.Host.Name, Path: path}
}

func (r Request) ownsRecord(e settings.EnabledPlugin) bool {
	return e.ID == r.ID && rooted.SameFile(e.File, r.EntryFile().Path)
}

// MadeByUs reports whether springfield made the plugin, or, if it is gone, a hooks file has our form of command.
func (i Installed) MadeByUs(now *settings.Settings) (oursOrGone bool) {
	return now.ReadPluginIn(i.Dir).IsOurs() || !i.HostRemoves && i.On && rooted.IsSurelyMissing(i.Dir)
}

func (p Place) hostRemovesError(i Installed) error {
	return check.Advisef(p.Host.RemoveCommand(i.ID), "%s installed %s with its own command, so only its own command can remove it", p.Host.Title, i.ID)
}

func (p Place) removalOf(i Installed) Request {
	r := Request{At: p, ID: i.ID}
	r.Plugin.Name = i.Name
	return r
}

// planReleases plans to undo springfield's edits for the selected plugins.
func (r Request) planReleases(now *settings.Settings, c *journal.Change, selects func(settings.EnabledPlugin) bool) (released []settings.EnabledPlugin, err error) {
	byUs, err := now.EnabledByUsOn(r.At.Host.Name)
	for _, e := range byUs {
		if err == nil && selects(e) {
			err = now.ReleaseFor(c, settings.HostFile{Host: r.At.Host.Name, Path: e.File}, e.ID)
			r.At.addRemovedNote(c)
			released = append(released, e)
		}
	}
	return released, err
}

func (p Place) addRemovedNote(c *journal.Change) {
	if note := p.Host.AfterRemoval; note != "" && !slices.Contains(c.Notes, note) {
		c.Notes = append(c.Notes, note)
	}
}

func (r Request) planOff(now *settings.Settings, c *journal.Change) error {
	released, err := r.planReleases(now, c, func(e settings.EnabledPlugin) bool { return e.ID == r.ID })
	if err != nil || slices.ContainsFunc(released, r.ownsRecord) {
		return err
	}
	knows, err := r.At.Installed()
	if err != nil {
		return err
	}
	for _, i := range knows {
		if i.ID == r.ID && i.HostRemoves {
			return r.At.hostRemovesError(i)
		}
	}
	edits, err := r.At.Host.Removals(r)
	if err != nil {
		return err
	}
	if len(edits) > 0 {
		r.At.addRemovedNote(c)
	}
	return now.SetForPlugin(c, r.EntryFile(), "", edits)
}
