// All counts start again at the user's last prompt. The agent can write to the log. If the host sends prompt
// IDs, counts therefore start only at an ID from an event, and the ID's origin is decided only once.

package hook

import (
	"slices"
	"strconv"

	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/lastmessage"
	"github.com/cameronsjo/springfield/runtime/lastprompt"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// maxNamed bounds the prompt IDs that are remembered.
const maxNamed = 8

func (s *Snapshot) hasPromptLineID() bool { return s.Event.Host.Opens && s.Event.PromptID != "" }

// meetPrompt returns state with the user's words applied, and counts reset for a new prompt. A stop after a wake-up
// counts with the user's last prompt.
func (s *Snapshot) meetPrompt(state ledger.State) ledger.State {
	name, own, said, o := state.Prompt, state.Own, state.Said.Of, &s.View.Opening
	heard, id := s.View.Heard, shortenText(s.Event.PromptID, 100)
	hash := quotation.Hash64([]byte(id))
	switch {
	case !s.hasPromptLineID():
		if of := s.nameOfPrompt(); of != "" {
			name = of
		}
		if s.Event.Host.Prompts {
			own = id
		}
		if of := "log:" + quotation.HashText(o.ID+strconv.FormatInt(o.At, 10)+o.Words.Begin); o.Found && of != said && !s.clientNested() {
			said = of
		}
	case id == own || slices.Contains(state.Named, hash):
	case o.Found:
		state.Named = append(slices.Clone(state.Named), hash)
		state.Named = state.Named[max(0, len(state.Named)-maxNamed):]
		if o.Own && !s.View.Rewritten && !s.clientNested() {
			name, own, said = "id:"+id, id, id
			break
		}
		if o.Own {
			heard = append(slices.Clone(heard), o.Words)
		}
		fallthrough
	default:
		if name == "" {
			name = "id:" + id
		}
	}
	state = guard.MeetPrompt(state, name, own)
	if said != state.Said.Of {
		state = takeWord(state, said, s.readWords(o.Words), o.At)
	}
	for _, words := range heard {
		state = takeStopOfAnyone(state, s.readWords(words))
	}
	if s.View.Escaped {
		state = takeStopOfAnyone(state, lastprompt.Word{Kind: lastprompt.Forbids, Evidence: guard.Escaped})
	}
	return state
}

// nameOfPrompt returns an identifier of the last prompt, or "". It uses the event's prompt ID if only the user's
// prompts change it, otherwise preferably the log's.
func (s *Snapshot) nameOfPrompt() string {
	switch {
	case s.Event.PromptID != "" && s.Event.Host.Prompts:
		return "id:" + shortenText(s.Event.PromptID, 100)
	case s.View.PromptID != "":
		return "id:" + shortenText(s.View.PromptID, 100)
	case s.View.Prompt != "":
		return "uuid:" + shortenText(s.View.Prompt, 100)
	case s.Event.PromptID != "": // there is no transcript yet
		return "id:" + shortenText(s.Event.PromptID, 100)
	}
	return ""
}

func (s *Snapshot) clientNested() bool { return s.Hangs != nil && s.Hangs() }

func (s *Snapshot) readWords(words transcript.Words) lastprompt.Word {
	for _, r := range s.read {
		if r.words == words {
			return r.word
		}
	}
	s.read = append(s.read, reading{words, lastprompt.Read(lastprompt.Prompt(words))})
	return s.read[len(s.read)-1].word
}

type reading struct {
	words transcript.Words
	word  lastprompt.Word
}

// takeWord stores the meaning of the user's new prompt. If the agent asked whether to go on, a yes also answers the
// next such question, a standing order all until a prompt other than yes.
func takeWord(state ledger.State, promptID string, word lastprompt.Word, atMillis int64) ledger.State {
	if word.Kind == lastprompt.Yes && !state.AsksLeave { // a bare "continue" takes nothing back
		word.Held = state.Said.Held
	}
	switch {
	case word.Kind == lastprompt.Standing:
		state.Leave, state.Once = "you said "+word.Evidence, false
	case word.Kind == lastprompt.Yes && state.Leave != "" && !state.Once:
	case word.Kind == lastprompt.Yes && state.AsksLeave:
		state.Leave, state.Once = "you said yes to the last such question", true
	default:
		state.Leave, state.Once = "", false
	}
	state.Said = ledger.Said{Of: promptID, Kind: string(word.Kind), Evidence: word.Evidence, Held: word.Held, At: atMillis}
	return state
}

// takeStopOfAnyone applies a prompt that might not be the user's, only if it forbids work, or asks something while work
// is not forbidden.
func takeStopOfAnyone(state ledger.State, word lastprompt.Word) ledger.State {
	if word.Kind == lastprompt.Forbids || word.Kind == lastprompt.Asks && state.Said.Kind != string(lastprompt.Forbids) {
		state.Said.Kind, state.Said.Evidence = string(word.Kind), word.Evidence
		state.Leave, state.Once = "", false
	}
	return state
}

// whyMayGoOn returns why the agent may go on without asking, or "". Callers set s.met first.
func (s *Snapshot) whyMayGoOn() string {
	choice := rules.AfterYes
	if ruled, ok := s.Settings.Options.(rules.Ruled); ok && ruled.Chosen().Leave != "" {
		choice = ruled.Chosen().Leave
	}
	if choice == rules.Never {
		return ""
	}
	if choice == rules.Always {
		return "your setting leave is always"
	}
	return s.met.Leave
}

// updateNextState updates out's next state. A continue by the rule leave uses up a single yes. A headless continue
// records that the agent was told to wait. A stop notes if the agent asks to go on or waits for the user.
func (s *Snapshot) updateNextState(out *Settled) {
	if s.Settings.Strategy.Event != "Stop" {
		return
	}
	next := &out.Next
	next.AsksLeave = false
	switch {
	case out.Decision != strategy.Continue:
		_, next.AsksLeave = lastmessage.ReadMessage(s.Situation.Message.Text).FindAct(lastmessage.Leave, false)
		if s.Event.Name != stopFailure && !slices.Contains([]string{"background", "team", "scheduled"}, out.Rule) {
			next.Stood = s.View.Turns + s.View.Feedback.All
		}
	case out.Rule == headless:
		next.Waits = toldWaitKey(*next)
	case out.Rule == "leave" && next.Once:
		next.Leave, next.Once = "", false
	}
}
