// Any Stop hook that blocks wins, so a plugin yields while a different plugin's loop drives the session. Both
// the state file and the ledger must show that loop, because a state file can come with the project.

package hook

import (
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/workspace"
)

// findDrivingStrategy returns the strategy whose loop drives this session, or "". Loops that have driven it come before
// armed ones. If equal, the last by name wins.
func (s *Snapshot) findDrivingStrategy() (strategyName, evidence string) {
	if s.Home == "" {
		return "", ""
	}
	var marks []string
	for _, known := range registry.Strategies {
		if known.Loop != nil {
			marks = append(marks, known.Marks...)
		}
	}
	// Looking for the files of all loops costs less than opening the workspace of each.
	if _, marked := workspace.Nearest(s.Event.Cwd, s.Project, marks, s.Home); !marked && len(s.Before.Loops) == 0 {
		return "", ""
	}
	running := false
	for _, known := range registry.Strategies {
		if known.Loop == nil || !s.stillDecides(known.Name) {
			continue
		}
		if armed := s.armedState(known); armed.Evidence != "" && (armed.Running || !running) {
			strategyName, evidence, running = known.Name, armed.Evidence, armed.Running
		}
	}
	return strategyName, evidence
}

// armedState returns the state of known's loop, from its workspace files. known.Loop is not nil.
func (s *Snapshot) armedState(known *strategy.Strategy) strategy.Armed {
	dir, _ := workspace.Nearest(s.Event.Cwd, s.Project, known.Marks, s.Home)
	space, err := workspace.OpenSpace(dir)
	if err != nil {
		return strategy.Armed{} // the other hook cannot read it either
	}
	defer space.Close()
	situation := s.Situation
	situation.Memories = s.Before.Loops
	s.readWorkspace(space, known.Loop.Files, &situation)
	return known.Loop.Armed(situation)
}

// stillDecides reports whether the strategy is ours, or its plugin decided since our last decision or up to maxTime
// before.
func (s *Snapshot) stillDecides(strategyName string) bool {
	last := s.Before.LastDecidedAt(func(p ledger.SeenPlugin) bool { return p.Plugin == s.Settings.Plugin })
	theirs := s.Before.LastDecidedAt(func(p ledger.SeenPlugin) bool {
		return p.Strategy == strategyName || p.Strategy == "" && p.Plugin == strategyName
	})
	return strategyName == s.Settings.Strategy.Name || theirs > 0 && theirs+maxTime.Milliseconds() >= last
}

// The same stop can reach two copies of a plugin, if a host also reads other hosts' settings, or the plugin
// is enabled from two marketplaces. The first copy decides. The second is silent.

// apart bounds the time between the starts of two copies for the same stop.
const apart = 2 * time.Second

// asSeenPlugin returns the entry by which other copies of the plugin recognise this stop. To record it, use a clock
// from Advance.
func (s *start) asSeenPlugin(settings Settings, clock ledger.Clock) ledger.SeenPlugin {
	e := s.event
	p := ledger.SeenPlugin{Plugin: settings.Plugin, Strategy: settings.Strategy.Name, At: clock.At}
	p.Copy, p.Stop = quotation.HashText(s.root+"\x00"), quotation.HashText(strings.Join([]string{
		p.Strategy, e.SessionID, e.Name, e.PromptID, strconv.FormatBool(e.Active), e.Prompt, e.LastMessage, e.MessageID, "",
	}, "\x00"))
	p.Sent, p.Ended = e.At, time.Now().UnixMicro()
	return p
}

// hasCopyDecided reports whether the plugin already decided this stop, in another copy or run. A second run counts only
// if it ended after this start, or both events have the same time.
func (s *start) hasCopyDecided(before ledger.State, settings Settings) bool {
	own := s.asSeenPlugin(settings, before.Clock)
	for _, p := range before.Plugins {
		if p.Plugin != own.Plugin || p.Stop != own.Stop || p.Ended > own.Ended { // later: the clock was set back
			continue
		}
		if p.Copy == own.Copy {
			return p.Ended > s.begun.UnixMicro() || p.Sent != 0 && p.Sent == own.Sent
		}
		return p.Ended > s.begun.Add(-apart).UnixMicro()
	}
	return false
}

// notePluginIsOn records that the plugin is enabled. From the first stop on, other plugins then yield to its loop, and
// loops' plugins leave away orders to it.
func (s *start) notePluginIsOn(settings Settings) {
	session, err := ledger.OpenUnlocked(s.state, ledgerIDOf(s.event))
	if err == nil {
		defer session.Close()
		err = session.LockAndRead()
	}
	if err == nil {
		next := Settled{Next: session.State}
		next.Next.MeetPlugin(s.asSeenPlugin(settings, next.Next.Clock.Advance(s.Now, s.Up)))
		_, err = session.AppendRecord(s.recordOf(next, settings.Plugin))
	}
	if err != nil {
		s.noteForDebug("write ledger: " + err.Error())
	}
}

func decidedByOtherCopy(settings Settings) answer {
	return answer{Settled: Settled{Verdict: strategy.Verdict{Decision: settings.Strategy.NoEffect(), Rule: "decided", Evidence: "another copy of " + settings.Plugin + " has decided this stop"}}}
}
