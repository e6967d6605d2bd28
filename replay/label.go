// Where a turn ended, and what came next. A session log does not say that Claude
// stopped; it says what happened after Claude said something:
//
//	a tool is called         mid-work: it was no stop
//	a Stop hook's feedback   pushed: it was one, and a hook kept Claude going
//	a person's prompt        answered, or by its words: nudge, affirmed, command;
//	                         queued if it had been typed before
//	work goes on anyway      pushed, where a message without a call ends the turn
//	background work reports  background
//	a person breaks in       interrupted: no Stop hook ran
//	the file ends, /exit     end
//
// Text that nothing of this follows, because Claude goes on to speak, is part of a
// longer message. Whatever else stands in between (thinking, results, reminders,
// output of commands, compaction) changes nothing. An error of the API ends a turn
// without a Stop hook, so there is no row.

package replay

import (
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/lastword"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// spot is something that Claude said, which may turn out to be a stop.
type spot struct {
	line  int
	text  string
	at    int64 // Unix milliseconds, 0 if it is not known
	rests bool  // Stop hooks have run since
}

// follower tells what comes after places.
type follower struct {
	open bool // there is a place that nothing has followed yet
	last spot
	// whole tells that a message of the agent without a call ends the turn.
	whole bool
	// blocked tells that a Stop hook has had the agent go on there: what stands next in a
	// person's place are its words.
	blocked bool
	// typed are prompts that wait to be sent, with the line at which they were typed.
	typed map[string]int
}

// maxTyped is how many prompts can wait.
const maxTyped = 100

// followed is what came after a place, with the words of a person.
type followed struct {
	label Label
	next  string
	at    int64
}

// takeLine looks at a line. It returns what it makes of the open place, if the line
// decides that; spoke tells that the line opens another one.
func (f *follower) takeLine(c *transcript.Cursor) (end followed, ended, spoke bool) {
	what := c.What
	switch {
	case what == transcript.Nothing && f.noteTyped(c):
		return
	case what == transcript.Spoke:
		if f.open && (f.last.rests || f.blocked || f.whole) { // something that left no trace
			end, ended = followed{label: Pushed, at: c.LineTime()}, true
		}
		f.open = false // else: part of a longer message
		return end, ended, true
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
		end.next = c.PersonWords()
		if end.label = Pushed; !f.blocked {
			end.label = f.labelFor(end.next)
		}
	case transcript.Joined:
		end.next, end.label = c.PersonWords(), Queued
	case transcript.Woken:
		end.next, end.label = c.PersonWords(), Background
	case transcript.Pushed:
		end.next, end.label = c.PersonWords(), Pushed
	case transcript.Interrupted:
		if f.last.rests {
			return followed{}, false, false // what it broke into came later, and said nothing
		}
		end.label = Interrupted
	case transcript.Failed:
		f.open = false
		return followed{}, false, false
	case transcript.Rested:
		f.last.rests = true
		return followed{}, false, false
	default:
		f.blocked = f.blocked || c.Blocked()
		return followed{}, false, false
	}
	f.open = false
	return end, true, false
}

// noteTyped takes what was typed while the agent was working. False: the line is not about it.
func (f *follower) noteTyped(c *transcript.Cursor) bool {
	words, back := codec.ValidText(c.Entry.Queued), c.Entry.Unqueued
	switch {
	case back:
		f.typed = nil // to be edited
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

// maxYes bounds a bare yes or "continue", in bytes.
const maxYes = 120

// labelFor labels what a person typed. A bare yes or "continue" is an answer where something was asked.
func (f *follower) labelFor(prompt string) Label {
	typed, waited := f.typed[prompt]
	delete(f.typed, prompt)
	if waited && typed < f.last.line {
		return Queued
	}
	for _, name := range []string{"/exit", "/quit"} { // which says nothing of the stop
		if strings.Contains(quotation.Head(prompt, 200), "<command-name>"+name+"</command-name>") {
			return Ended
		}
	}
	for _, tag := range []string{"<command-name>", "<command-message>", "<bash-input>"} {
		if strings.HasPrefix(prompt, tag) {
			return Commanded
		}
	}
	if len(prompt) <= maxYes && lastword.Read(lastword.Prompt{Begin: prompt, End: prompt}).Kind == lastword.Yes {
		if strings.ContainsAny(quotation.Tail(f.last.text, 300), "?？؟") {
			return Affirmed
		}
		return Nudge
	}
	return Answered
}

// AllLabels lists the labels in the order in which they are shown.
func AllLabels() []Label {
	return []Label{Nudge, Affirmed, Answered, Commanded, Background, Queued, Interrupted, Pushed, Ended, MidWork}
}

// MeaningOf is what a label says of the stop. A bare yes is an answer that Claude may have
// needed or not. It is unknown what would have been right where a hook kept Claude
// going, where the user interrupted, and where the file ends.
func (l Label) MeaningOf() Expect {
	switch l {
	case Answered, Commanded, Background, Queued:
		return WantStop
	case Nudge, MidWork:
		return WantContinue
	}
	return Unknown
}
