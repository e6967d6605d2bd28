package inspection

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/layout"
)

// WriteText prints a status for people.
func (s Status) WriteText(out layout.Printer) {
	if s.writeProblems(out) {
		out.Say("")
	}
	s.writeDecision(out)
	if s.Judge.Questions > 0 {
		out.Say("judges, today: %s", s.Judge.Spent)
	}

	if len(s.Hooks) > 0 {
		out.Strong().Say("\n%s", "hooks in effect")
		writeHooks(out, s.Hooks)
	} else {
		out.Say("\nno hook runs at Stop, SubagentStop or UserPromptSubmit")
	}
	if len(s.Idle) > 0 {
		out.Strong().Say("\n%s", "hooks that never run")
		writeHooks(out, s.Idle)
	}
	if title, rules := s.Combination(); title != "" {
		out.Strong().Say("\n%s", title)
		for _, r := range rules {
			out.Item("- ", r)
		}
	}
}

// writeProblems prints what the user may want to do something about, the worst first. It
// tells whether there is any.
func (s Status) writeProblems(out layout.Printer) bool {
	broken, skipped := s.broken(), s.passedOver()
	for i, p := range broken {
		if i == 0 {
			out.Bad().Say("switched on, but cannot run")
		}
		out.Item(p.ID+": ", p.Problem)
	}
	for i, l := range skipped {
		if i == 0 {
			out.Warn().Say("settings that Claude Code skips")
		}
		out.Say("  %s", l.File)
		out.Item("  ", l.Problem)
	}
	for _, n := range s.Notes {
		out.Item("note: ", n)
	}
	return len(broken)+len(skipped)+len(s.Notes) > 0
}

func (s Status) broken() []Plugin {
	return slices.DeleteFunc(slices.Clone(s.Plugins), func(p Plugin) bool { return !p.On || p.Problem == "" })
}

func (s Status) passedOver() []client.Layer {
	return slices.DeleteFunc(slices.Clone(s.Settings), func(l client.Layer) bool { return l.Problem == "" })
}

// writeDecision tells which plugin decides, or why none does.
func (s Status) writeDecision(out layout.Printer) {
	deciding := slices.DeleteFunc(slices.Clone(s.Plugins), func(p Plugin) bool { return !slices.Contains(s.Deciding, p.ID) })
	switch {
	case len(deciding) == 0:
		out.Warn().Say("no springfield plugin decides when Claude stops")
	case len(doubled(deciding, func(p Plugin) string { return p.Strategy })) > 0:
		out.Say("%d springfield plugins decide when Claude stops", len(deciding))
	default:
		out.Good().Say("%s", whoDecides(deciding))
	}
	for _, r := range s.Reasons {
		out.Item("", r)
	}
	for _, p := range deciding {
		p.writeText(out, len(deciding) > 1)
	}
	for _, p := range s.Plugins {
		if slices.Contains(s.Beside, p.ID) {
			out.Say("%s runs too, and decides nothing at a stop", p.ID)
			p.writeText(out, false)
		}
	}
}

func (p Plugin) writeText(out layout.Printer, named bool) {
	indent := "  "
	if named {
		out.Say("  %s", p.ID)
		indent = "    "
	}
	place := "runs in place"
	if p.Place != "marketplace" {
		place = "a copy from " + p.Source
	}
	by := p.Decides + " settings" + p.Over()
	if p.Decides == "" {
		by = "itself, like every plugin there"
	}
	out.Table(indent, [][]string{
		{"strategy", p.Strategy},
		{"version", cmp.Or(p.Version, "unknown") + ", " + place},
		{"in", p.Dir},
		{"on by", by},
	})
}

// writeHooks prints two lines or three for each hook, as commands are long.
func writeHooks(out layout.Printer, hooks []client.Hook) {
	hooks = slices.SortedStableFunc(slices.Values(hooks), func(a, b client.Hook) int { return strings.Compare(a.Event, b.Event) })
	var rows [][]string
	indent := 0
	for _, h := range hooks {
		rows = append(rows, []string{h.Event, h.Source, fmt.Sprintf("timeout %s s", strconv.FormatFloat(h.Timeout, 'g', -1, 64))})
		indent = max(indent, len(h.Event)+4)
	}
	for i, line := range layout.Table(rows) {
		out.Say("  %s", line)
		h := hooks[i]
		does := h.Does
		if h.Type != "command" {
			does = h.Type + ": " + does
		}
		below := []string{layout.Clip(does, out.Width-indent)}
		if h.Matcher != "" {
			below = append(below, "for subagents "+h.Matcher)
		}
		if h.Async {
			below = append(below, "in the background: its answer is ignored")
		}
		if h.Never != "" {
			below = append(below, h.Never)
		}
		for _, line := range below {
			out.Say("%s%s", strings.Repeat(" ", indent), line)
		}
	}
}

// WriteText prints a list for people.
func (l List) WriteText(out layout.Printer) {
	out.Table("", compared(l.Strategies))
	out.Say("")
	out.Table("  ", [][]string{
		{"wrong", "of the last messages that need a person, or report that all is done: wrongly continued"},
		{"caught", "of the last messages in the middle of work: continued"},
	})
	out.Fold("  ", "measured on English messages by authors who had not seen the rules, 40 %% of them hard on purpose")
	out.Say("")
	for _, s := range l.Strategies {
		out.Item(s.Name+": ", s.Summary)
	}
	if len(l.Plugins) > 0 {
		out.Strong().Say("\n%s", "plugins")
	}
	for _, p := range l.Plugins {
		out.Item(p.ID+": ", p.State())
	}
	if l.Next != "" {
		out.Say("\nno springfield plugin is switched on; next: %s", l.Next)
	}
}

// compared is a row for each strategy, below a head. No line of it is wider than
// columns as long as names and words keep within what about.yaml says of them.
func compared(all []Strategy) [][]string {
	rows := [][]string{{"strategy", "cost", "skill mods", "wrong", "caught", "complexity", "needs"}}
	for _, s := range all {
		wrong, caught := "-", "-"
		if m := s.Measured; m != nil {
			wrong, caught = m.English.RunOver(), fmt.Sprintf("%d %%", m.English.Share())
		}
		rows = append(rows, []string{s.Name, s.Cost, s.SkillMods, wrong, caught, s.Complexity, s.Needs})
	}
	return rows
}
