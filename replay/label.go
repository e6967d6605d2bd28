// A session log does not record stops, so labels are derived from the event after a message of Claude:
//
//	a tool call                mid-work: not a stop
//	feedback of a Stop hook    pushed: a stop, and a hook continued
//	a prompt                   answered, or by its words: nudge, affirmed, command;
//	                           queued if it was typed before
//	more work                  pushed, if a message without a call ends the turn
//	news of background work    background
//	an interruption            interrupted: no Stop hook ran
//	the end of the file, /exit end
//
// Text that follows is part of the same message. All other lines are ignored. After an API error no Stop hook runs.

package replay

import (
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/lastprompt"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

type spot struct {
	line  int
	text  string
	at    int64 // Unix milliseconds, 0: unknown
	rests bool  // Stop hooks have run since then
}

// follower finds the event after each message.
type follower struct {
	open bool // nothing has followed the last message yet
	last spot
	// whole is set if a message without a call ends the agent's turn.
	whole bool
	// blocked is set if a Stop hook continued, so that the next prompt is the hook's feedback.
	blocked bool
	// typed has the line numbers of prompts that are waiting to be sent.
	typed map[string]int
}

const maxTyped = 100

// followed is the event after a message. label is empty if not yet known.
type followed struct {
	label Label
	next  string
	at    int64
}

// takeLine reads a line. If it is the event after the last message, end describes it, otherwise end.label is "". The
// caller then sets open and last, and clears blocked.
func (f *follower) takeLine(c *transcript.Cursor) (end followed, isMessage bool) {
	what := c.What
	switch {
	case what == transcript.Nothing && f.noteQueued(c):
		return
	case what == transcript.Spoke:
		if f.open && (f.last.rests || f.blocked || f.whole) { // the cause left no trace
			end = followed{label: Pushed, at: c.LineTime()}
		}
		f.open = false // else part of a longer message
		return end, true
	case !f.open:
		return
	}
	end.at = c.LineTime()
	switch what {
	case transcript.Called:
		end.label = MidWork
		if f.last.rests {
			end.label = Pushed
		}
	case transcript.Prompted:
		end.next = c.WordsToAgent()
		if end.label = Pushed; !f.blocked {
			end.label = f.takeLabel(end.next)
		}
	case transcript.Joined:
		end.next, end.label = c.WordsToAgent(), Queued
	case transcript.Woken:
		end.next, end.label = c.WordsToAgent(), Background
	case transcript.Pushed:
		end.next, end.label = c.WordsToAgent(), Pushed
	case transcript.Interrupted:
		if !f.last.rests { // else it interrupted something later
			end.label = Interrupted
		}
	case transcript.Failed:
		f.open = false
	case transcript.Rested:
		f.last.rests = true
	default:
		f.blocked = f.blocked || c.AtHookBlock()
	}
	f.open = f.open && end.label == ""
	return end, false
}

// noteQueued records a prompt typed during work unless it is long, and forgets all if the user took them back. It
// returns false if the line is about anything else.
func (f *follower) noteQueued(c *transcript.Cursor) bool {
	words, back := codec.ValidText(c.Entry.Queued), c.Entry.Unqueued
	switch {
	case back:
		f.typed = nil
	case words == "":
		return false
	case len(words) < 4<<10:
		if f.typed == nil || len(f.typed) >= maxTyped {
			f.typed = map[string]int{}
		}
		if _, ok := f.typed[words]; !ok {
			f.typed[words] = c.Number
		}
	}
	return true
}

// maxYes is the maximum length of a bare yes or "continue", in bytes.
const maxYes = 120

// takeLabel labels a prompt following f.last: Queued if typed before that, otherwise by the words used. It removes the
// prompt from f.typed.
func (f *follower) takeLabel(prompt string) Label {
	typed, waited := f.typed[prompt]
	delete(f.typed, prompt)
	if waited && typed < f.last.line {
		return Queued
	}
	begin := quotation.Head(prompt, 200)
	if strings.Contains(begin, "<command-name>/exit<") || strings.Contains(begin, "<command-name>/quit<") {
		return Ended // neither judges the stop
	}
	if strings.HasPrefix(begin, "<command-name>") || strings.HasPrefix(begin, "<command-message>") || strings.HasPrefix(begin, "<bash-input>") {
		return Commanded
	}
	if len(prompt) <= maxYes && lastprompt.Read(lastprompt.Prompt{Begin: prompt, End: prompt}).Kind == lastprompt.Yes {
		if strings.ContainsAny(quotation.Tail(f.last.text, 300), "?？؟") {
			return Affirmed
		}
		return Nudge
	}
	return Answered
}

func AllLabels() []Label {
	return []Label{Nudge, Affirmed, Answered, Commanded, Background, Queued, Interrupted, Pushed, Ended, MidWork}
}

// MeaningOf returns WantStop if the event shows the stop was right, WantContinue for a nudge, and Unknown for a bare
// yes to a question, a hook, an interruption, the file's end, and mid-work.
func (l Label) MeaningOf() Expect {
	switch l {
	case Answered, Commanded, Background, Queued:
		return WantStop
	case Nudge:
		return WantContinue
	}
	return Unknown
}

func (l Label) HadStopHooks() bool { return l != MidWork && l != Interrupted }
