// One stop that reaches two copies of a plugin: a host that reads another's settings as
// well as its own, a plugin enabled in two marketplaces. The copy that decides first does;
// the other says nothing and records nothing, so that a stop is one continue of the budget,
// and the agent is told once.

package hook

import (
	"hash/fnv"
	"io"
	"strconv"
	"time"

	"github.com/cameronsjo/springfield/runtime/ledger"
)

// apart is how long after another copy's decision a copy may start for the same stop: hosts
// start hooks side by side, or one after the other.
const apart = 2 * time.Second

// present is what the ledger keeps of this decision, for other copies: a plugin of the same
// name with another strategy is none.
func (s *start) present(settings Settings) ledger.Present {
	e := s.event
	p := ledger.Present{Plugin: settings.Plugin, Strategy: settings.Strategy.Name, At: s.Now.UnixMilli()}
	p.Copy, p.Stop = hashTexts(s.root), hashTexts(p.Strategy, e.SessionID, e.Name, e.PromptID, strconv.FormatBool(e.Active), e.Prompt, e.LastMessage, e.MessageID)
	p.Sent, p.Ended = e.At, time.Now().UnixMicro()
	return p
}

// isDecided tells whether another copy has decided this very stop. The same copy, which can
// be named twice in settings, has if its decision came after this start, or if the host says
// by the event's time that it is one event: an agent can stop twice with the same words.
func (s *start) isDecided(before ledger.State, settings Settings) bool {
	own := s.present(settings)
	for _, p := range before.Plugins {
		if p.Plugin != own.Plugin || p.Stop != own.Stop {
			continue
		}
		if p.Copy == own.Copy {
			return p.Ended > s.begun.UnixMicro() || p.Sent != 0 && p.Sent == own.Sent
		}
		return p.Ended > s.begun.Add(-apart).UnixMicro()
	}
	return false
}

// hashTexts is a short name for texts.
func hashTexts(texts ...string) string {
	h := fnv.New64a()
	for _, text := range texts {
		io.WriteString(h, text+"\x00")
	}
	return strconv.FormatUint(h.Sum64(), 36)
}
