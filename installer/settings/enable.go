package settings

// Switching a plugin on.
//
// The rules:
//   - all of it is one edit of one scope's file; only a directory marketplace
//     that has to be declared goes elsewhere, into user settings;
//   - double-shot-latte goes off, and so does every other springfield plugin of the
//     same kind: one decides, one drives a loop to a goal, one through a spec. While
//     a loop runs, the hooks of the others stand aside, so kinds do not exclude each
//     other. A plugin that decides nothing at Stop switches no other off;
//   - what another scope decides is not touched but named.

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/journal"
)

// doubleShotLatte is the plugin that springfield replaces.
const (
	doubleShotLatte       = "double-shot-latte@"
	doubleShotLatteOrigin = doubleShotLatte + "superpowers-marketplace"
)

// ConflictAnswer says what is to happen to plugins that drive the same loop.
type ConflictAnswer string

// Answers about conflicts; none is asked for with a *ConflictError.
const (
	ConflictsOff  ConflictAnswer = "off"
	ConflictsKeep ConflictAnswer = "keep"
)

// Switch is a plugin that PlanEnable is to switch on, and how.
type Switch struct {
	Plugin client.Plugin
	Scope  client.Scope
	// Declare has user settings declare the suite's directory as a marketplace,
	// for when there is no client to register it.
	Declare bool
	Keep    bool // other springfield plugins stay on
	// SameKind are the strategies of the plugin's kind, of which one is on; nil: all that
	// decide at Stop.
	SameKind []string
	// DecidesNothing is set for a plugin that decides nothing at Stop, so that all others
	// stay as they are.
	DecidesNothing bool
	// Loops is set for a plugin that drives a loop of its own through a spec,
	// which others drive too.
	Loops     bool
	Conflicts ConflictAnswer
	// MaxContinues is how often in a row the plugin may let Claude go on without a
	// tool call in between.
	MaxContinues int
}

// ConflictError says that other plugins drive the same loop, and that the user has to
// decide about them.
type ConflictError struct {
	Plugin string
	IDs    []string
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("%s would not be alone: %s would drive the same loop", e.Plugin, strings.Join(e.IDs, ", "))
}

func (s *Settings) PlanEnable(e Switch) (journal.Change, error) {
	c := journal.Change{Did: fmt.Sprintf("enable %s in %s settings", e.Plugin.ID(), e.Scope)}
	f, err := s.openScope(e.Scope)
	if err != nil {
		return c, err
	}
	var user file
	var market client.Market
	if e.Plugin.Suite != "" { // else it is known by its name alone
		market = client.Directory(e.Plugin.Marketplace, e.Plugin.Suite)
		if user, err = s.openScope(client.User); err != nil {
			return c, err
		}
		if err := market.CheckDeclared(user.doc); err != nil {
			return c, user.namedError(err)
		}
	}
	edits, err := s.switchEdits(&c, f, e)
	if err != nil {
		return c, err
	}
	if e.Declare {
		declare := declareMarketplace(market)
		if user.At == f.At { // user scope, or a project whose settings are the user's
			edits = append([]document.Edit{declare}, edits...)
		} else if err := s.setMembers(&c, user, []document.Edit{declare}, f.At); err != nil {
			// An absolute path is of no use to others: never in a project's file.
			return c, err
		}
	}
	return c, s.setMembers(&c, f, edits, f.At)
}

func declareMarketplace(m client.Market) document.Edit {
	return document.Edit{Path: []string{"extraKnownMarketplaces", m.Name}, Value: m.Declaration()}
}

func switchTo(id, value string) document.Edit {
	return document.Edit{Path: []string{"enabledPlugins", id}, Value: json.RawMessage(value)}
}

// switchEdits are the members to set in the scope's file.
func (s *Settings) switchEdits(c *journal.Change, f file, e Switch) ([]document.Edit, error) {
	id := e.Plugin.ID()
	if _, _, err := f.doc.Get("enabledPlugins", id); err != nil {
		return nil, f.namedError(err) // before the user is asked anything
	}
	v, err := s.viewFrom(e.Scope, f)
	if err != nil {
		return nil, err
	}
	if e.DecidesNothing {
		v.noteOverruled(c, id, true)
		return []document.Edit{switchTo(id, "true")}, nil
	}
	edits := append(v.raiseCap(c, e), switchTo(doubleShotLatteOrigin, "false"))
	if _, says := v.own.SaysOf(doubleShotLatteOrigin); !says && !v.isOn(doubleShotLatteOrigin) {
		c.Notes = append(c.Notes, doubleShotLatteOrigin+" is set to false, installed or not, so that one plugin decides at a stop")
	}
	others, conflicts, err := s.switchOffOthers(c, v, f, e)
	if err != nil {
		return nil, err
	}
	if len(conflicts) > 0 && e.Conflicts == "" {
		return nil, &ConflictError{id, conflicts}
	}
	edits = append(edits, others...)
	for _, conflict := range conflicts {
		if e.Conflicts == ConflictsKeep {
			c.Notes = append(c.Notes, conflict+" stays on too: both drive a loop, and either can make Claude go on")
			continue
		}
		edits = append(edits, v.removeConflict(c, conflict)...)
		v.noteOverruled(c, conflict, false)
	}
	v.noteOverruled(c, id, true)
	return append(edits, switchTo(id, "true")), nil
}

// switchOffOthers are the members that switch off the other plugins that decide at Stop, and
// the conflicts in a loop.
func (s *Settings) switchOffOthers(c *journal.Change, v view, f file, e Switch) (off []document.Edit, conflicts []string, err error) {
	known := s.Snapshot
	if e.Plugin.Suite != "" { // known or not: with this edit it will be
		known = known.Assuming(client.Directory(e.Plugin.Marketplace, e.Plugin.Suite))
	}
	for _, id := range v.pluginIDs() {
		isLatte := strings.HasPrefix(id, doubleShotLatte)
		if _, _, err := f.doc.Get("enabledPlugins", id); isLatte && err != nil {
			return nil, nil, f.namedError(err)
		}
		_, above, overruled := lastWord(v.above, id)
		switch {
		case id == e.Plugin.ID():
		case !isLatte && s.isOtherKind(known, e, id):
			if v.isOn(id) {
				c.Notes = append(c.Notes, id+" stays on too: while a loop runs, only the plugin that drives it decides")
			}
		case isLatte || s.drivesStop(known, v, id):
			if !isLatte && e.Keep {
				if v.isOn(id) {
					c.Notes = append(c.Notes, id+" stays on too: both decide at every stop, either can make Claude go on, and they share one budget")
				}
				continue
			}
			if v.isOn(id) && id != doubleShotLatteOrigin {
				off = append(off, switchTo(id, "false"))
			}
			if v.isOn(id) && !above {
				c.Notes = append(c.Notes, id+" is switched off")
			}
			v.noteOverruled(c, id, false)
		case e.Loops && isConflict(id) && (v.isOn(id) || overruled && above):
			conflicts = append(conflicts, id)
		}
	}
	return off, conflicts, nil
}

// isOtherKind tells whether a plugin is one of ours that decides at Stop and is of
// another kind.
func (s *Settings) isOtherKind(known *client.Snapshot, e Switch, id string) bool {
	i := known.Installed(id)
	return e.SameKind != nil && i.Dir != "" && i.DrivesStop() && !slices.Contains(e.SameKind, i.Strategy)
}

// drivesStop tells whether a plugin is one of ours that decides at Stop. Of one that
// is not there any more only our memory can tell.
func (s *Settings) drivesStop(known *client.Snapshot, v view, id string) bool {
	if i := known.Installed(id); i.Dir != "" {
		return i.DrivesStop()
	}
	return slices.ContainsFunc(v.layers, func(l client.Layer) bool {
		m, _ := s.recallFile(l.At) // one that cannot be read says nothing
		return m.switchedOn(id)
	})
}

// isConflict tells whether a plugin is known to drive a loop through a spec or a
// promise, and is not ours.
func isConflict(id string) bool {
	name, _, _ := strings.Cut(id, "@")
	return name == "ralph-wiggum" || name == "ralph-loop" || id == "ralph-specum@smart-ralph"
}

// removeConflict takes a conflict's entry out, and says false where a lower scope
// would switch it on again.
func (v view) removeConflict(c *journal.Change, id string) []document.Edit {
	_, says := v.own.SaysOf(id)
	switch {
	case v.scopeBelow(id) != "":
		c.Notes = append(c.Notes, id+" is switched off")
		return []document.Edit{switchTo(id, "false")}
	case says:
		c.Notes = append(c.Notes, id+" is taken out")
		return []document.Edit{{Path: []string{"enabledPlugins", id}}}
	}
	return nil
}

// raiseCap has Claude Code honour as many blocks in a row as the plugin may need.
func (v view) raiseCap(c *journal.Change, e Switch) []document.Edit {
	if value, from, found := client.VariableIn(v.above, client.BlockCap); found {
		if client.Honoured(v.above) < e.MaxContinues {
			c.Notes = append(c.Notes, fmt.Sprintf("%s is %s in %s settings, which win: Claude Code ends the turn after so many continues in a row, where %s may need %d",
				client.BlockCap, value, from, e.Plugin.ID(), e.MaxContinues))
		}
		return nil
	}
	honoured := client.Honoured(v.layers)
	if honoured >= e.MaxContinues {
		return nil
	}
	c.Notes = append(c.Notes, fmt.Sprintf("%s is set to %d: Claude Code would end the turn after %d continues in a row",
		client.BlockCap, e.MaxContinues, honoured))
	return []document.Edit{{Path: []string{"env", client.BlockCap}, Value: json.RawMessage(strconv.Quote(strconv.Itoa(e.MaxContinues)))}}
}

// Managed is the file that an administrator would deploy to have a plugin on for
// all users of a machine.
func (e Switch) Managed(market client.Market) ([]byte, error) {
	if market.Said == nil {
		return nil, fmt.Errorf("marketplace %s: where it comes from is not known", market.Name)
	}
	settings := struct {
		Env          map[string]string          `json:"env,omitempty"`
		Marketplaces map[string]json.RawMessage `json:"extraKnownMarketplaces"`
		Plugins      map[string]bool            `json:"enabledPlugins"`
	}{
		Marketplaces: map[string]json.RawMessage{market.Name: market.Declaration()},
		Plugins:      map[string]bool{e.Plugin.ID(): true},
	}
	if !e.DecidesNothing {
		settings.Plugins[doubleShotLatteOrigin] = false
	}
	if e.MaxContinues > client.BlockCapDefault {
		settings.Env = map[string]string{client.BlockCap: strconv.Itoa(e.MaxContinues)}
	}
	return encodeIndented(settings)
}
