package console

import (
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/secret"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// Aftermath describes how a session went on after a decision, until the plugin's next one.
type Aftermath struct {
	Failure string // API error after the decision, if no words of the agent follow
	Dropped bool   // the turn ended although the decision is to continue
	at      int64  // of the failure or that end
	settled bool   // it is known whether the continue reached the agent
	// blocks counts the continues of other hooks since the prompt, in both forms that clients record.
	blocks  [2]int
	blocker string // command and words of the last such hook
}

// FindAftermath returns the session's failure or dropped continue between r and the plugin's next decision, plus other
// hooks' continues since the prompt. It reads up to 4 MiB from the log's end. An unreadable log gives the zero
// Aftermath.
func (d *Console) FindAftermath(r ledger.Record) (a Aftermath) {
	until := int64(0)
	for later := range ledger.Backwards(d.dirAndAlso(), ledger.Scope{Session: ledgerIDOf(r.Session)}) {
		if later.Plugin == r.Plugin && later.ID == r.ID {
			break
		} else if later.Plugin == r.Plugin {
			until = later.At
		}
	}
	visit := func(e *transcript.Entry) bool {
		at := e.LineTime()
		if until > 0 && at >= until {
			return false
		}
		a.takeEntry(e, at)
		if at < r.At {
			a.Failure = ""
		} else if r.Decision == "continue" && !a.settled {
			a.followContinue(e.What, at)
		}
		return true
	}
	if h, known := registry.HostNamed(r.Host); known {
		h.Log.EachEntryInTail(d.findLog(r.Session), 4<<20, visit)
	}
	return a
}

// takeEntry notes the session's failures and other hooks' continues. For an entry before the decision, clear a.Failure
// afterwards.
func (a *Aftermath) takeEntry(e *transcript.Entry, atMillis int64) {
	switch e.What {
	case transcript.Failed:
		a.Failure, a.at = shortWords(e.AgentWords()), atMillis
	case transcript.Spoke, transcript.Called:
		a.Failure = ""
	case transcript.Prompted:
		a.blocks = [2]int{}
	}
	for _, p := range e.Parts {
		switch said := codec.ValidText(p.Name); {
		case p.Ours:
		case p.Kind == transcript.HookBlock:
			a.blocks[0]++
			a.blocker = shortWords("[" + said + "]: " + e.WordsToAgent())
		case p.Kind == transcript.HookWords && strings.HasPrefix(said, ":\n[") && strings.Contains(said, "]: "):
			a.blocks[1]++
			a.blocker = shortWords(said[2:])
		}
	}
}

// followContinue notes whether a continue reached the agent. Call it for each entry since the decision until a.settled.
func (a *Aftermath) followContinue(what transcript.Happening, atMillis int64) {
	switch what {
	case transcript.Rested:
		a.Dropped, a.at = true, atMillis
	case transcript.Pushed, transcript.Spoke, transcript.Called, transcript.Failed:
		a.Dropped, a.settled = false, true
	case transcript.Prompted:
		a.settled = true
	}
}

// FailureIfAny returns how the session went against a decision, or "". agent is from registry.AgentName.
func (a Aftermath) FailureIfAny(agent string) string {
	switch {
	case a.Failure != "":
		return "the session failed: " + a.Failure
	case a.Dropped && agent == registry.AgentName(""): // only Claude Code has mods
		return "the continue did not reach " + agent + ", so it stopped; springfield doctor names mods that can drop it"
	case a.Dropped:
		return "the continue did not reach " + agent + ", so it stopped"
	}
	return ""
}

func shortWords(s string) string { return strings.TrimSpace(display.OneLine(clipTo99(secret.Mask(s)))) }
