// Loops of other plugins. Stop hooks run side by side and any that blocks wins, so
// while a loop drives this session, the others stand aside and say nothing. Which
// loop does is told by its state file and by the session's ledger, which all
// springfield plugins write. A state file may have come with the project: without a plugin
// of the user's that drives its loop it does nothing.

package hook

import (
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/workspace"
)

// How sure it is that a plugin drives a loop here.
const (
	noLoop   = iota
	ownLoop  // the plugin runs in this session, and its loop is armed
	liveLoop // it has driven the loop in this session
)

// anotherLoop tells whether another plugin's loop drives this session. Of two loops
// the surer one does, else a goal's, which the user has started for this session.
func (s *Snapshot) anotherLoop() guard.Veto {
	var marks []string
	for _, known := range registry.Strategies {
		if known.Loop != nil {
			marks = append(marks, known.Marks...)
		}
	}
	// Mostly no loop has files here, and a look at the names costs less than opening the
	// workspace of each.
	if s.Home == "" || len(s.Before.Loops) == 0 && !workspace.HasMark(s.Event.Cwd, s.Project, marks, s.Home) {
		return guard.Veto{}
	}
	best, driver, evidence := noLoop, "", ""
	for _, known := range registry.Strategies {
		if known.Loop == nil {
			continue
		}
		armed := s.armedState(known)
		sure := 2 * s.certaintyOf(known.Name, armed)
		if sure > 0 && !known.Loop.Spec {
			sure++
		}
		if sure > best {
			best, driver, evidence = sure, known.Name, armed.Evidence
		}
	}
	if driver == "" || driver == s.Settings.Strategy.Name {
		return guard.Veto{}
	}
	return guard.Veto{Rule: "another-loop", Evidence: driver + " drives this session: " + evidence}
}

// armedState tells how a strategy's loop stands here.
func (s *Snapshot) armedState(known *strategy.Strategy) strategy.Armed {
	space, err := workspace.OpenSpace(workspace.Nearest(s.Event.Cwd, s.Project, known.Marks, s.Home))
	if err != nil {
		return strategy.Armed{} // its own hook could not read it either
	}
	defer space.Close()
	situation := s.Situation
	situation.Memories = s.Before.Loops
	s.readWorkspace(space, known.Loop.Files, &situation)
	return known.Loop.Armed(situation)
}

// certaintyOf tells how sure it is that a plugin drives a loop. One that has not decided since
// our own last stop, nor met the session since, is not on, or not any more.
func (s *Snapshot) certaintyOf(name string, armed strategy.Armed) int {
	last := s.Before.LastDecision(func(p ledger.Present) bool { return p.Plugin == s.Settings.Plugin })
	theirs := s.Before.LastDecision(func(p ledger.Present) bool {
		return p.Strategy == name || p.Strategy == "" && p.Plugin == name
	})
	switch on := name == s.Settings.Strategy.Name || theirs > 0 && theirs+maxTime.Milliseconds() >= last; {
	case armed.Evidence == "" || !on:
		return noLoop
	case armed.Running:
		return liveLoop
	}
	return ownLoop
}

// One stop can reach two copies of a plugin: by a host that reads another's settings as
// well as its own, or a plugin enabled in two marketplaces. The copy that decides first
// does; the other says nothing and records nothing, so that a stop is one continue of the
// budget, and the agent is told once.

// apart is how long after another copy's decision a copy may start for the same stop: hosts
// start hooks side by side, or one after the other.
const apart = 2 * time.Second

// presentDecision is what the ledger keeps of this decision, for other copies: a plugin of the same
// name with another strategy is none.
func (s *start) presentDecision(settings Settings, clock ledger.Clock) ledger.Present {
	e := s.event
	p := ledger.Present{Plugin: settings.Plugin, Strategy: settings.Strategy.Name, At: clock.At}
	p.Copy, p.Stop = quotation.HashText(s.root+"\x00"), quotation.HashText(strings.Join([]string{
		p.Strategy, e.SessionID, e.Name, e.PromptID, strconv.FormatBool(e.Active), e.Prompt, e.LastMessage, e.MessageID, "",
	}, "\x00"))
	p.Sent, p.Ended = e.At, time.Now().UnixMicro()
	return p
}

// isDecided tells whether another copy has decided this very stop. The same copy, which can
// be named twice in settings, has if its decision came after this start, or if the host says
// by the event's time that it is one event: an agent can stop twice with the same words.
func (s *start) isDecided(before ledger.State, settings Settings) bool {
	own := s.presentDecision(settings, before.Clock)
	for _, p := range before.Plugins {
		if p.Plugin != own.Plugin || p.Stop != own.Stop || p.Ended > own.Ended { // the clock was set back since
			continue
		}
		if p.Copy == own.Copy {
			return p.Ended > s.begun.UnixMicro() || p.Sent != 0 && p.Sent == own.Sent
		}
		return p.Ended > s.begun.Add(-apart).UnixMicro()
	}
	return false
}
