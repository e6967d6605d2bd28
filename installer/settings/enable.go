package settings

// To enable a plugin:
//   - edit one scope's file; only a marketplace declaration goes into user settings;
//   - disable double-shot-latte, and other springfield plugins of the same kind: daily, goal loop or spec loop. Kinds do
//     not conflict, because the other hooks let a running loop decide;
//   - report plugins that another scope decides about.

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

const (
	doubleShotLatte       = "double-shot-latte@" // the plugin that springfield replaces
	doubleShotLatteOrigin = doubleShotLatte + "superpowers-marketplace"
)

// ConflictAnswer is the decision about plugins that drive the same loop. If it is "", PlanEnable returns a
// *ConflictError.
type ConflictAnswer string

const (
	ConflictsOff  ConflictAnswer = "off"
	ConflictsKeep ConflictAnswer = "keep"
)

// Enabling describes how to enable a plugin.
type Enabling struct {
	Plugin         client.Plugin
	Scope          client.Scope
	Declare        bool     // declare the suite as a marketplace in user settings, without a client to register it
	Keep           bool     // leave other springfield plugins enabled
	SameKind       []string // strategies of the plugin's kind; nil: all that decide at Stop
	DecidesNothing bool     // at Stop
	Loops          bool     // drives a spec loop, which plugins of others drive, too
	Conflicts      ConflictAnswer
	MaxContinues   int // in a row, without a tool call
}

// ConflictError asks the user to decide about other plugins that drive the same loop.
type ConflictError struct {
	Plugin string
	IDs    []string
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("%s would drive the same loop as %s", e.Plugin, strings.Join(e.IDs, ", "))
}

// PlanEnable plans to enable a plugin in a Claude Code scope. If e.Conflicts is "" and others' plugins drive the same
// loop, it returns a *ConflictError. The caller then asks, and sets e.Conflicts.
func (s *Settings) PlanEnable(e Enabling) (journal.Change, error) {
	c := journal.Change{Did: fmt.Sprintf("enable %s in %s settings", e.Plugin.ID(), e.Scope)}
	f, err := s.openScope(e.Scope)
	if err != nil {
		return c, err
	}
	var user file
	var declare []document.Edit
	if e.Plugin.Suite != "" {
		market := client.Directory(e.Plugin.Marketplace, e.Plugin.Suite)
		if user, err = s.openScope(client.User); err != nil {
			return c, err
		}
		if err := market.CheckFreeIn(user.doc); err != nil {
			return c, user.namedError(err)
		}
		declare = []document.Edit{{Path: []string{"extraKnownMarketplaces", market.Name}, Value: market.Declaration()}}
	}
	edits, err := s.enableEdits(&c, f, e)
	if err != nil {
		return c, err
	}
	if account, err := planAddConfigDir(s.Places); err == nil && account.Changes() { // else no other account's calls find it
		c.Edits = append(c.Edits, account)
	}
	all, instead := append(declare, edits...), "springfield enable "+e.Plugin.Name+" --scope local"
	if e.Declare || e.Scope == client.Local {
		instead = "" // it needs user settings, too
	}
	// An absolute path is useless to other people, so it never goes into a project's file.
	if e.Declare && user.At == f.At { // user scope, or a project in the home
		edits = all
	} else if e.Declare {
		if err := s.setMembers(&c, user, declare, f.At); err != nil {
			return c, hintDenied(err, "", declare)
		}
	}
	return c, hintDenied(s.setMembers(&c, f, edits, f.At), instead, all)
}

func switchTo(id, trueOrFalse string) document.Edit {
	return document.Edit{Path: []string{"enabledPlugins", id}, Value: json.RawMessage(trueOrFalse)}
}

func (s *Settings) enableEdits(c *journal.Change, f file, e Enabling) ([]document.Edit, error) {
	id := e.Plugin.ID()
	if _, _, err := f.doc.Get("enabledPlugins", id); err != nil {
		return nil, f.namedError(err) // before any question
	}
	v, err := s.layersAround(e.Scope, f)
	if err != nil {
		return nil, err
	}
	if e.DecidesNothing {
		c.Notes = append(c.Notes, v.overruledNotes(id, true)...)
		return []document.Edit{switchTo(id, "true")}, nil
	}
	edits := v.raiseCap(c, e)
	if e.Scope == client.User || v.isOnUpToHere(doubleShotLatteOrigin) { // else it would be only noise in a team's file
		edits = append(edits, switchTo(doubleShotLatteOrigin, "false"))
	}
	if _, says := v.edited.SwitchOf(doubleShotLatteOrigin); e.Scope == client.User && !says && !v.isOnUpToHere(doubleShotLatteOrigin) {
		c.Notes = append(c.Notes, doubleShotLatteOrigin+" is set to false, whether installed or not, so that only one plugin decides at a stop")
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
			c.Notes = append(c.Notes, conflict+" also stays enabled: both drive a loop, and either can make Claude go on")
			continue
		}
		edits = append(edits, v.removeConflict(c, conflict)...)
		c.Notes = append(c.Notes, v.overruledNotes(conflict, false)...)
	}
	c.Notes = append(c.Notes, v.overruledNotes(id, true)...)
	return append(edits, switchTo(id, "true")), nil
}

func (s *Settings) switchOffOthers(c *journal.Change, v view, f file, e Enabling) (off []document.Edit, foreignLoops []string, err error) {
	known := s.Snapshot
	if e.Plugin.Suite != "" { // this edit registers it
		known = known.WithMarket(client.Directory(e.Plugin.Marketplace, e.Plugin.Suite))
	}
	for _, id := range v.pluginIDs() {
		isLatte := strings.HasPrefix(id, doubleShotLatte)
		if _, _, err := f.doc.Get("enabledPlugins", id); isLatte && err != nil {
			return nil, nil, f.namedError(err)
		}
		_, above, overruled := highest(v.above, id)
		switch {
		case id == e.Plugin.ID():
		case !isLatte && s.isOtherKindAtStop(known, e, id):
			if v.isOnUpToHere(id) {
				c.Notes = append(c.Notes, id+" also stays enabled: while a loop runs, only the plugin that drives it decides")
			}
		case isLatte || s.isOursAtStop(known, v, id):
			if !isLatte && e.Keep {
				if v.isOnUpToHere(id) {
					c.Notes = append(c.Notes, id+" also stays enabled: both decide at every stop, either can make Claude go on, and they share their limits")
				}
				continue
			}
			if v.isOnUpToHere(id) && id != doubleShotLatteOrigin {
				off = append(off, switchTo(id, "false"))
			}
			if v.isOnUpToHere(id) && !above {
				c.Notes = append(c.Notes, id+" is disabled")
			}
			c.Notes = append(c.Notes, v.overruledNotes(id, false)...)
		case e.Loops && isForeignLoop(id) && (v.isOnUpToHere(id) || overruled && above):
			foreignLoops = append(foreignLoops, id)
		}
	}
	return off, foreignLoops, nil
}

func (s *Settings) isOtherKindAtStop(known *client.Snapshot, e Enabling, id string) bool {
	i := known.Installed(id)
	return e.SameKind != nil && i.Dir != "" && i.IsOursAtStop() && !slices.Contains(e.SameKind, i.Strategy)
}

// isOursAtStop reports whether id is a springfield plugin deciding at Stop, or, if its files are missing, springfield
// enabled it.
func (s *Settings) isOursAtStop(known *client.Snapshot, v view, id string) bool {
	if i := known.Installed(id); i.Dir != "" {
		return i.IsOursAtStop()
	}
	return slices.ContainsFunc(v.layers, func(l client.Layer) bool {
		m, _ := s.recallFile(l.At) // unreadable: nothing
		return m.switchedOn(id)
	})
}

func isForeignLoop(id string) bool {
	return slices.Contains([]string{"ralph-wiggum", "ralph-loop"}, client.NameOf(id)) || id == "ralph-specum@smart-ralph"
}

func (v view) removeConflict(c *journal.Change, id string) []document.Edit {
	_, says := v.edited.SwitchOf(id)
	switch {
	case v.enablerBelow(id) != "":
		c.Notes = append(c.Notes, id+" is disabled")
		return []document.Edit{switchTo(id, "false")}
	case says:
		c.Notes = append(c.Notes, id+" is removed")
		return []document.Edit{{Path: []string{"enabledPlugins", id}}}
	}
	return nil
}

// raiseCap returns the edit that raises Claude Code's block cap to e.MaxContinues, or nil if the cap is high enough or
// a higher layer sets it. It notes in c the edit, or a higher layer's lower limit.
func (v view) raiseCap(c *journal.Change, e Enabling) []document.Edit {
	if value, from, found := client.VariableIn(v.above, client.BlockCap); found {
		if client.BlockLimit(v.above) < e.MaxContinues {
			c.Notes = append(c.Notes, fmt.Sprintf("%s is %s in %s settings, which take precedence: Claude Code ends the turn after that many continues in a row, but %s may need %d",
				client.BlockCap, value, from, e.Plugin.ID(), e.MaxContinues))
		}
		return nil
	}
	honoured := client.BlockLimit(v.layers)
	if honoured >= e.MaxContinues {
		return nil
	}
	c.Notes = append(c.Notes, fmt.Sprintf("%s is set to %d, because Claude Code would otherwise end the turn after %d continues in a row",
		client.BlockCap, e.MaxContinues, honoured))
	return []document.Edit{{Path: []string{"env", client.BlockCap}, Value: json.RawMessage(strconv.Quote(strconv.Itoa(e.MaxContinues)))}}
}
