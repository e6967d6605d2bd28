package installer

// The plugin commands of other hosts, as parts of a change and of its undo.

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
)

// byCommand has a change run its calls, and keep the files that these write.
func (m Means) byCommand(ctx context.Context, c *journal.Change) error {
	if len(c.Calls) == 0 {
		return nil
	}
	for _, call := range c.Calls {
		r, err := m.requestOfCall(call)
		if err != nil {
			return err
		}
		if r.At.Program == "" {
			return &PassedOverError{check.Advisef(fmt.Sprintf("put the %s command on PATH", r.At.Host.Name), "there is no %s command, and only that can %s a plugin in %s", r.At.Host.Name, call.Verb, r.At.Host.Title)}
		}
		path := r.At.SettingsFile()
		if slices.ContainsFunc(slices.Concat(c.Edits, c.Keep), func(e journal.Edit) bool { return e.Path == path }) {
			continue
		}
		kept, err := journal.OpenEdit("", path)
		if err != nil {
			return fmt.Errorf("read settings: %w", err)
		}
		c.Keep = append(c.Keep, kept)
	}
	c.Explains = m.explains
	plan := *c
	c.Run = func() error { return m.makeCalls(ctx, plan.Calls, plan.CheckRun) }
	return nil
}

// explains tells whether calls can have made of a host's settings what they are: but for the members that are
// theirs, they say the same, and have no new comment.
func (m Means) explains(calls []journal.Call, path string, was, is []byte) bool {
	var parse func(data []byte) (settings.Document, error)
	var theirs []string
	for _, call := range calls {
		if r, err := m.requestOfCall(call); err == nil && r.At.SettingsFile() == path {
			parse = r.At.Host.Settings.Parse
			for table, name := range r.At.Host.Plugins.Writes(r) {
				theirs = append(theirs, document.NameSaid(table, name))
			}
		}
	}
	if parse == nil {
		return false
	}
	before, errBefore := parse(was)
	after, errAfter := parse(is)
	if errBefore != nil || errAfter != nil {
		return false
	}
	said, says := before.Says(), after.Says()
	for _, their := range theirs {
		isTheirs := func(name, _ string) bool { return strings.HasPrefix(name, their) }
		maps.DeleteFunc(said, isTheirs)
		maps.DeleteFunc(says, isTheirs)
	}
	isNew := func(comment string) bool { return !slices.Contains(before.Comments(), comment) }
	return maps.Equal(said, says) && !slices.ContainsFunc(after.Comments(), isNew)
}

// requestOfCall is what a call asks of its host.
func (m Means) requestOfCall(call journal.Call) (hosts.Request, error) {
	host, known := hosts.HostNamed(call.Host)
	if !known || host.Default {
		return hosts.Request{}, fmt.Errorf("there is no host %q", call.Host)
	}
	name, marketplace, _ := strings.Cut(call.Plugin, "@")
	return hosts.Request{
		At: host.PlaceFor(m.User), ID: call.ID,
		Plugin: client.Plugin{Name: name, Marketplace: marketplace, Suite: call.Suite},
	}, nil
}

// commandsOfCall are what a call comes to. A plugin that the host has already is removed first,
// so that its copy is made anew.
func commandsOfCall(r hosts.Request, call journal.Call) (all [][]string) {
	plugins := r.At.Host.Plugins
	if call.Verb == journal.Removes {
		all = plugins.Remove(r)
		if call.Forget {
			all = append(all, plugins.Forget(r)...)
		}
		return all
	}
	if hasPlugin(r.At, call.ID) {
		all = plugins.Remove(r)
	}
	return append(all, plugins.Install(r)...)
}

func hasPlugin(at hosts.Place, id string) bool {
	all, _ := at.Host.Plugins.Installed(at) // records that cannot be read say nothing
	return slices.ContainsFunc(all, func(i hosts.Installed) bool { return i.ID == id })
}

// makeCalls makes calls one after the other. When one fails, or a check of all, those before it are taken back as
// far as that can be done.
func (m Means) makeCalls(ctx context.Context, calls []journal.Call, check func() error) (err error) {
	n := 0
	for n < len(calls) && err == nil {
		if err = m.makeCall(ctx, calls[n]); err == nil {
			n++
		}
	}
	if err == nil {
		err = check()
	}
	if err != nil {
		for _, done := range slices.Backward(calls[:n]) {
			if err := m.makeCall(context.WithoutCancel(ctx), done.Opposite()); err != nil {
				m.Tell("springfield: note: %v", err)
			}
		}
	}
	return err
}

// makeCall makes one call, and believes the host's records only.
func (m Means) makeCall(ctx context.Context, call journal.Call) error {
	r, err := m.requestOfCall(call)
	if err != nil {
		return err
	}
	err = r.At.RunCommands(ctx, commandsOfCall(r, call))
	if err == nil && hasPlugin(r.At, call.ID) != (call.Verb == journal.Installs) {
		err = fmt.Errorf("%s: %s %s: its own records do not say so afterwards", r.At.Host.Title, call.Verb, call.ID)
	}
	return err
}

// Commands says what a change would have hosts do: "run: …", "" for nothing.
func (m Means) Commands(c journal.Change) string {
	var lines []string
	for _, call := range c.Calls {
		if r, err := m.requestOfCall(call); err == nil {
			lines = append(lines, r.At.Host.CommandLines(commandsOfCall(r, call))...)
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return "run: " + strings.Join(lines, "; ")
}

// PlanUndo works out how to take back the newest change. What hosts have done in it, their
// opposite commands take back; of a host that is not there any more it says so.
func PlanUndo(ctx context.Context, m Means) (u journal.Undo, err error) {
	j := settings.Journal(m.Settings.Places)
	j.Explains = m.explains
	if u, err = j.PlanUndo(); err != nil || len(u.Entry.Calls) == 0 {
		return u, err
	}
	for _, call := range slices.Backward(u.Entry.Calls) {
		back := call.Opposite()
		r, err := m.requestOfCall(back)
		switch {
		case err != nil:
			return u, err
		case r.At.Program == "":
			u.Notes = append(u.Notes, fmt.Sprintf("%s is not on this machine any more, so it has not taken back: %s %s", r.At.Host.Title, call.Verb, call.ID))
		case back.Verb == journal.Installs && !filepath.IsAbs(back.Suite):
			u.Notes = append(u.Notes, fmt.Sprintf("where %s came from is not known, so %s has not got it back", call.ID, r.At.Host.Title))
		case back.Verb == journal.Removes && !hasPlugin(r.At, call.ID): // it is gone
		default:
			u.Calls = append(u.Calls, back)
		}
	}
	return u, m.byCommand(ctx, &u.Change)
}
