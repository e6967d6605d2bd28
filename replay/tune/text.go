// What is proposed, as text.

package tune

import (
	"fmt"

	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/replay"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// WriteText writes what was found about a plugin's rules.
func (p Proposal) WriteText(out layout.Printer, plugin string, sessions int) {
	missed, wrong := p.Learned.Missed+p.Held.Missed, p.Learned.Wrong+p.Held.Wrong
	out.Fold("", "%s, %s that count: the rules of %s stopped too early %s and wrongly continued %s",
		layout.Count(sessions, "session"), layout.Count(p.Learned.Continue+p.Learned.Stop+p.Held.Continue+p.Held.Stop, "place"), plugin, layout.Count(missed, "time"), layout.Count(wrong, "time"))
	if len(p.Proposed) == 0 {
		out.Fold("", "nothing to propose: no change of the rules holds in both halves of these sessions, beyond chance")
		if stops := p.Held.Stop; stops < enough {
			out.Fold("", "only %s of the second half count: with more sessions there may be something to find", layout.Count(stops, "stop"))
		}
		return
	}
	for _, c := range p.Proposed {
		out.Say("")
		out.Fold("", "%s", c.text())
		out.Fold("  first half   ", "%s", c.evidence(c.Learned))
		out.Fold("  second half  ", "%s", c.evidence(c.Held))
		for _, e := range c.Excerpts {
			out.Say("    %s:%d  %s", e.File, e.Line, layout.End(display.Line(e.Text), 161))
		}
	}
	if p.Before != nil && p.After != nil {
		out.Say("")
		out.Strong().Say("the second half, decided again with these changes")
		out.Say("  caught             %s before, %s now", part(p.Before.Caught), part(p.After.Caught))
		out.Fold("  wrongly continued  ", "%s before, %s now; at most %.1f %% (95 %% sure)", part(p.Before.Wrong), part(p.After.Wrong), 100*p.After.Wrong.High)
	}
}

// text is a proposal in one line.
func (c Proposed) text() string {
	if c.Rule == nil {
		return "switch off the rule " + c.Off
	}
	where := map[string]string{
		"opens": "the last sentence begins with %q", "says": "the last paragraph says %q", "closes": "the message ends with %q",
	}[c.Where]
	return fmt.Sprintf("%s where "+where, c.Rule.Then, c.Phrase)
}

// evidence are counts in one line: what the change would mend, and what it would
// spoil.
func (c Proposed) evidence(e Evidence) string {
	work := fmt.Sprintf("%s and %s in mid-work", layout.Count(e.Nudges, "nudge"), layout.Count(e.MidWork, "point"))
	answered := layout.Count(e.Answered, "stop") + " that you answered"
	pro, against := answered, work
	if c.Rule != nil && c.Rule.Then == strategy.Continue {
		pro, against = work, answered
	}
	return fmt.Sprintf("for it: %s, in %s; against it: %s", pro, layout.Count(e.Sessions, "session"), against)
}

// enough is how many stops where a person answered make it likely that what there
// is to find is found.
const enough = 50

func part(r replay.Rate) string { return fmt.Sprintf("%d of %d", r.N, r.Of) }
