package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/registry"
)

// enoughLeave is the number of questions below which a share means nothing.
const enoughLeave = 5

func (l Consent) say() (andAdvice string) {
	if l.Yes.Of == 0 {
		return "you answered no question for permission to go on"
	}
	said := fmt.Sprintf("you answered a plain yes to %d of %s for permission to go on", l.Yes.N, layout.CountOf(l.Yes.Of, "question"))
	if l.AfterYes.Of > 0 {
		said += fmt.Sprintf(", %d of %d right after such a yes", l.AfterYes.N, l.AfterYes.Of)
	}
	mostly := func(r Rate) bool { return r.Of > 0 && 4*r.N >= 3*r.Of }
	switch set := ": springfield set ned-flanders leave="; {
	case l.Yes.Of < enoughLeave:
		return said + ", too few to recommend a setting"
	case mostly(l.Yes):
		return said + set + "always"
	case mostly(l.AfterYes):
		return said + set + "after-yes"
	default:
		return said + set + "never"
	}
}

// VerdictRows returns a name and a sentence for each strategy, away orders, the leave setting and mid-work points.
func (r *Report) VerdictRows() (lines [][]string) {
	if len(r.Rows) == 0 || len(r.Scores) == 0 {
		return nil
	}
	midWork := []string{}
	for _, s := range r.Scores {
		lines = append(lines, []string{s.Name, s.say()})
		midWork = append(midWork, fmt.Sprintf("%s at %d", s.Name, s.MidWork.N))
	}
	asked := r.Scores[r.best()].Away
	away := "would have answered " + layout.CountOf(asked.N, "question")
	if left := asked.Of - asked.N; left > 0 {
		away += fmt.Sprintf(" and left %d to you", left)
	}
	lines = append(lines, []string{"away", away}, []string{"leave", r.Leave.say()})
	if points := r.Scores[0].MidWork.Of; points > 0 {
		lines = append(lines, []string{"mid-work", fmt.Sprintf("not stops: at %s the agent went on by itself; if it had stopped there, these would continue: %s",
			layout.CountOf(points, "point"), strings.Join(midWork, ", "))})
	}
	return lines
}

func (s Score) say() string {
	said := "would have saved you no prompt here"
	if s.Saved.N > 0 {
		said = fmt.Sprintf("would have saved you %d of %s", s.Saved.N, layout.CountOf(s.Saved.Of, "prompt"))
	}
	if s.Wanted.Of > 0 {
		said += fmt.Sprintf(", and been in the way at %d of %s (%s); %d of %s were wanted (%s)",
			s.InTheWay.N, layout.CountOf(s.InTheWay.Of, "other answer"), s.InTheWay.shareAndRange(),
			s.Wanted.N, layout.CountOf(s.Wanted.Of, "continue"), s.Wanted.shareAndRange())
	}
	if s.Asked.N > 0 {
		price := fmt.Sprintf("$%.2f", s.Dollars)
		if s.Dollars < 0.005 {
			price = "<$0.01"
		}
		said += fmt.Sprintf("; would have asked a model %s, %s", layout.CountOf(s.Asked.N, "time"), price)
	}
	return said
}

func (s Score) gain() int { return s.Saved.N - s.InTheWay.N }

// best returns the index of the strategy with the greatest gain, then the most saved prompts, then the default strategy
// (0 without strategies).
func (r *Report) best() (index int) {
	for i, s := range r.Scores {
		b := r.Scores[index]
		better := cmp.Or(cmp.Compare(s.gain(), b.gain()), cmp.Compare(s.Saved.N, b.Saved.N))
		if better > 0 || better == 0 && s.Name == registry.Default() {
			index = i
		}
	}
	return index
}

// adviceInWords returns the advice that ends the verdict.
func (r *Report) adviceInWords() string {
	switch {
	case len(r.Rows) == 0:
		return r.sayWhyEmpty()
	case len(r.Scores) == 0:
		return "No strategy was chosen."
	}
	best := r.Scores[r.best()]
	switch {
	case best.gain() > 0:
		said := best.Name + " would have saved you " + layout.CountOf(best.Saved.N, "prompt")
		if _, plugin := registry.StrategyNamed(best.Name); plugin {
			said += ": run springfield enable " + best.Name
		}
		return said
	case slices.ContainsFunc(r.Scores, func(s Score) bool { return s.Saved.N > 0 }):
		return "Your answers favor no plugin here: each would have been in the way at least as often as it saved you a prompt."
	}
	said, n := "None of these would have saved you a prompt here", r.Stops.Pushed
	if len(r.Scores) == 1 {
		said = best.Name + " would have saved you no prompt here"
	}
	if n > 0 {
		said += fmt.Sprintf("; at %s a hook continued already, which is not counted", layout.CountOf(n, "stop"))
	}
	return said + "."
}

// sayWhyEmpty returns why the report has no rows.
func (r *Report) sayWhyEmpty() string {
	switch {
	case r.Partial:
		return "Nothing was found before the interruption."
	case r.TooOld > 0:
		return fmt.Sprintf("No stop is left: --since %s is later than all stops (%d).", r.Since.Format(time.DateOnly), r.TooOld)
	case r.Elsewhere > 0:
		return fmt.Sprintf("No stop is left: --project excludes all session logs (%d).", r.Elsewhere)
	case r.Files == 0:
		return "No session log was found: Claude Code writes one for each session, so use it for a while and replay again."
	}
	return fmt.Sprintf("No stop was found in %s: use Claude Code for a while and replay again.", layout.CountOf(r.Files, "session log"))
}
