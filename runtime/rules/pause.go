package rules

import (
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/lastprompt"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// Pausing is a loop that can pause for the user, whom it notifies once. It continues at the first stop after
// the user's next instruction.
type Pausing struct {
	Key   string // of the loop's memory
	Title string // prefix of messages to the user
	End   string // command that ends the loop
}

// AtLastWord returns a verdict to pause the loop if the user's last word forbids work or asks a question. Words with a
// known time count only if later than sinceMillis (Unix milliseconds). ok is false with Protocol exit2.
func (p Pausing) AtLastWord(s strategy.Situation, sinceMillis int64) (v strategy.Verdict, ok bool) {
	said := quotation.QuoteEvidence(strings.Trim(s.Turn.Word.Evidence, "“”"))
	switch kind := s.Turn.Word.Kind; {
	case s.Turn.WordAt > 0 && s.Turn.WordAt <= sinceMillis:
	case kind == lastprompt.Forbids:
		return p.pauseBy(s, "forbids", "you said "+said)
	case kind == lastprompt.Asks:
		return p.pauseBy(s, "answers", "you asked "+said)
	}
	return v, false
}

// AtNeed returns a verdict that pauses the loop if the agent asks or needs the user. ok is false if the user is away or
// not at the terminal, the message is an earlier turn's, or Protocol is exit2.
func (p Pausing) AtNeed(s strategy.Situation) (v strategy.Verdict, ok bool) {
	if !s.Turn.Attended || s.Turn.Away || s.Message.Earlier {
		return v, false
	}
	switch need, found := FindNeed(s); {
	case found && need.Question:
		return p.pauseBy(s, need.Rule, s.Session.AgentName()+" asks you: "+need.Evidence)
	case found && (need.Rule == "blocked" || need.Rule == "hands"):
		return p.pauseBy(s, need.Rule, s.Session.AgentName()+" needs you: "+need.Evidence)
	}
	return v, false
}

func (p Pausing) pauseBy(s strategy.Situation, rule, evidence string) (v strategy.Verdict, stops bool) {
	if s.Session.Protocol == "exit2" { // the original never pauses
		return v, false
	}
	v = strategy.StopBy(rule, evidence)
	name := quotation.HashText(rule + evidence + strconv.FormatInt(s.Turn.WordAt, 10))
	if m, _ := s.Memory(p.Key); m.Paused != name {
		v.Told = p.Title + ": paused, " + evidence + "; the loop goes on with your next instruction; to end it: " + p.End
		v.Remember, v.Remember.Paused = m, name
	}
	return v, true
}
