package settings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
)

// Left is something that remains, and the command or step that removes it.
type Left struct {
	What   string `json:"what"`
	Remove string `json:"remove"`
	Failed bool   `json:"failed,omitempty"`
}

// PlanDisableAll plans to undo springfield's edits in all Claude Code settings files, and disable springfield's plugins
// enabled otherwise. With purge, their entries are removed. ids lists all these plugins, including some that can stay
// enabled. left lists the places for the user to change.
func (s *Settings) PlanDisableAll(purge bool) (c journal.Change, ids []string, left []Left, err error) {
	c = journal.Change{Did: "disable all plugins"}
	memories, err := s.memoriesOf("")
	if err != nil {
		return c, nil, nil, err
	}
	seen := map[string]bool{}
	for _, m := range memories {
		seen[m.File] = true
		if err := s.releaseAll(&c, m.File, purge); err != nil {
			entries := check.NamesOf(m.Members, func(r remembered) string { return strings.Join(r.Path, ".") })
			left = append(left, Left{err.Error(), "fix that file, then run springfield disable --all again; or remove by hand: " + strings.Join(entries, ", "), true})
			continue
		}
		ids = append(ids, m.pluginsEnabledByUs()...)
	}
	theirs := func(id string) bool { return !s.Installed(id).IsOurs() }
	for _, l := range s.AllLayers() {
		ours := slices.DeleteFunc(l.IDsOnOrOff(), theirs)
		ids = append(ids, slices.DeleteFunc(l.IDsOn(), theirs)...)
		switch {
		case seen[l.At] || len(ours) == 0 && !(purge && l.Name == string(client.User) && l.Problem == ""): // that declares marketplaces
		case l.Name == client.Managed:
			left = append(left, Left{l.File + " mentions " + strings.Join(ours, ", "), "ask an administrator to change it", false})
		case l.Name == string(client.Project):
			left = append(left, Left{l.File + " mentions " + strings.Join(ours, ", ") + ", for everyone who works on the project", "springfield disable " + ours[0] + " --scope project", false})
		default:
			if err := s.releaseAll(&c, l.At, purge); err != nil {
				return c, nil, nil, err
			}
		}
	}
	return c, slices.Compact(slices.Sorted(slices.Values(ids))), left, nil
}

// releaseAll plans to undo all springfield edits to a file, and disable springfield's plugins there. purgeOurs also
// removes their entries. A path with a link is an error.
func (s *Settings) releaseAll(c *journal.Change, resolved string, purgeOurs bool) error {
	f, err := s.openFile("", resolved)
	if err != nil {
		return err
	}
	if f.At != resolved { // a link has replaced the file
		return fmt.Errorf("%s is no longer the file that springfield edited, but a link to %s", resolved, f.At)
	}
	m, err := s.recallFile(resolved)
	if err != nil {
		return err
	}
	back := released{data: f.Before.Bytes()}
	if m != nil {
		back, err = m.planReleased(f, everyone, allMembers)
	}
	if err == nil {
		back.data, err = s.withOursOff(back.data, purgeOurs)
	}
	if err != nil {
		return f.namedError(err)
	}
	return s.addRelease(c, f, back)
}

// withOursOff sets springfield's plugins to false. With purge, it removes them, marketplaces declared only for them,
// and empty objects.
func (s *Settings) withOursOff(data []byte, purge bool) ([]byte, error) {
	if data == nil {
		return nil, nil
	}
	doc, err := document.ParseDocument(data)
	if err != nil {
		return nil, err
	}
	var edits []document.Edit
	for _, m := range doc.Members("enabledPlugins") {
		switch on := string(m.Value) != "false"; {
		case !s.Installed(m.Key).IsOurs():
		case purge:
			edits = append(edits, document.Edit{Path: []string{"enabledPlugins", m.Key}})
		case on:
			edits = append(edits, switchTo(m.Key, "false"))
		}
	}
	for _, d := range doc.Members("extraKnownMarketplaces") {
		m, err := s.FindMarket(d.Key)
		if ours := s.ownPluginsIn(m, nil); purge && err == nil && len(ours) > 0 && s.offersOthers(m, ours) == "" {
			edits = append(edits, document.Edit{Path: []string{"extraKnownMarketplaces", d.Key}})
		}
	}
	data, err = doc.ApplyEdits(edits...)
	for _, e := range edits {
		if err == nil {
			data, _, err = restoreEmptyObjects(data, []filled{{Path: e.Path[:1]}})
		}
	}
	return data, err
}
