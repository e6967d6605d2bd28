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
	out.Fold("", "%s, %s: %d times the rules of %s let Claude stop in mid-work or before a bare \"continue\", %d times they continued where you had something else to say",
		layout.Count(sessions, "session"), layout.Count(p.Learned.Continue+p.Learned.Stop+p.Held.Continue+p.Held.Stop, "place")+" that count", missed, plugin, wrong)
	if len(p.Proposed) == 0 {
		out.Fold("", "nothing to propose: no phrase that both halves of these sessions speak for, beyond chance")
		if stops := p.Held.Stop; stops < enough {
			out.Fold("", "%d of the stops in the held-out half count, which is few: with more history there may be something to find", stops)
		}
		return
	}
	for _, c := range p.Proposed {
		out.Say("")
		out.Fold("", "%s", c.text())
		out.Fold("  learned on ", "%s", c.evidence(c.Learned))
		out.Fold("  held out   ", "%s", c.evidence(c.Held))
		for _, e := range c.Excerpts {
			out.Say("    %s:%d  %s", e.File, e.Line, layout.End(display.Line(e.Text), 161))
		}
	}
	if p.Before != nil && p.After != nil {
		out.Say("")
		out.Say("decided anew on the held-out half, %s", layout.Count(p.Held.Sessions, "session"))
		out.Say("  caught            %s, then %s", part(p.Before.Caught), part(p.After.Caught))
		out.Fold("  wrongly continued ", "%s, then %s; at 95 %% confidence no more than %.1f %%", part(p.Before.Wrong), part(p.After.Wrong), 100*p.After.Wrong.High)
	}
}

// text is a proposal in one line.
func (c Proposed) text() string {
	if c.Rule == nil {
		return fmt.Sprintf("switch off the rule %s", c.Off)
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
	answered := fmt.Sprintf("%s where you had something else to say", layout.Count(e.Answered, "stop"))
	if c.Rule != nil && c.Rule.Then == strategy.Continue {
		return fmt.Sprintf("%s, of %s; against it %s", work, layout.Count(e.Sessions, "session"), answered)
	}
	return fmt.Sprintf("%s, of %s; against it %s", answered, layout.Count(e.Sessions, "session"), work)
}

// enough is how many stops where a person answered make it likely that what there
// is to find is found.
const enough = 50

func part(r replay.Rate) string { return fmt.Sprintf("%d of %d", r.N, r.Of) }
