package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/layout"
)

func (s Status) WriteText(out layout.Printer) {
	if s.writeProblems(out) {
		out.PrintText("")
	}
	s.writeDeciders(out)
	for _, n := range s.Notes {
		out.PrintItem("note: ", n)
	}
	if s.Judge.Questions > 0 {
		out.PrintText("judge today: %s", s.Judge.spent)
	}

	if len(s.Hooks) > 0 {
		out.InBold().PrintText("\n%s", "hooks in effect")
		writeHooks(out, s.Hooks)
	} else {
		out.PrintText("\nno hook runs at Stop, SubagentStop or UserPromptSubmit")
	}
	if len(s.Idle) > 0 {
		out.InBold().PrintText("\n%s", "hooks that never run")
		writeHooks(out, s.Idle)
	}
	atStop := slices.DeleteFunc(slices.Clone(s.Hooks), func(h client.Hook) bool { return h.Event != "Stop" || h.Async })
	if len(atStop) > 1 {
		out.PrintText("")
		out.PrintItem("", "The hooks at Stop start together. If one blocks, Claude goes on and gets every reason; "+
			`if one answers "continue": false, the turn ends.`)
	}
}

// writeProblems writes plugins that cannot run and settings that Claude Code skips. It reports whether there are any.
func (s Status) writeProblems(out layout.Printer) bool {
	broken := slices.DeleteFunc(slices.Clone(s.Plugins), func(p client.Switched) bool { return !p.On || p.Problem == "" })
	skipped := slices.DeleteFunc(slices.Clone(s.Settings), func(l client.Layer) bool { return l.Problem == "" })
	for i, p := range broken {
		if i == 0 {
			out.InRed().PrintText("enabled, but cannot run")
		}
		out.PrintItem(p.ID+": ", p.Problem)
	}
	for i, l := range skipped {
		if i == 0 {
			out.InYellow().PrintText("settings that Claude Code skips")
		}
		out.PrintText("  %s", l.File)
		out.PrintItem("  ", l.Problem)
	}
	return len(broken)+len(skipped) > 0
}

func (s Status) writeDeciders(out layout.Printer) {
	deciding := slices.DeleteFunc(slices.Clone(s.Plugins), func(p client.Switched) bool { return !slices.Contains(s.Deciding, p.ID) })
	switch {
	case len(deciding) == 0:
		out.InYellow().PrintText("no springfield plugin decides when Claude stops")
	case len(findSameKind(deciding)) > 0:
		out.PrintText("%d springfield plugins decide when Claude stops", len(deciding))
	default:
		out.InGreen().PrintText("%s", whoDecides(deciding))
	}
	for _, r := range s.Reasons {
		out.PrintItem("", r)
	}
	for _, p := range deciding {
		writePlugin(out, p, len(deciding) > 1)
	}
	for _, p := range s.Plugins {
		if slices.Contains(s.OutsideStop, p.ID) {
			out.PrintText("%s also runs, but makes no decisions at a stop", p.ID)
			writePlugin(out, p, false)
		}
	}
}

func writePlugin(out layout.Printer, p client.Switched, withID bool) {
	indent := "  "
	if withID {
		out.PrintText("  %s", p.ID)
		indent = "    "
	}
	place := "runs in place"
	if p.Place != "marketplace" {
		place = "a copy from " + p.Source
	}
	out.PrintTable(indent, [][]string{
		{"strategy", p.Strategy},
		{"version", cmp.Or(p.Version, "unknown") + ", " + place},
		{"in", p.Dir},
		{"on by", enabledBy(p) + overriddenInWords(p)},
	})
}

func enabledBy(p client.Switched) string {
	if p.Decides == string(client.Local) { // a linked worktree has those of the main one
		return p.Decides + " settings, " + p.Says[0].File
	}
	return p.Decides + " settings"
}

func writeHooks(out layout.Printer, hooks []client.Hook) {
	hooks = slices.SortedStableFunc(slices.Values(hooks), func(a, b client.Hook) int { return strings.Compare(a.Event, b.Event) })
	var rows [][]string
	indent := 0
	for _, h := range hooks {
		rows = append(rows, []string{h.Event, h.Source, fmt.Sprintf("timeout %g s", h.Timeout)})
		indent = max(indent, len(h.Event)+4)
	}
	for i, line := range layout.LayOutTable(rows) {
		out.PrintText("  %s", line)
		h := hooks[i]
		does := h.Does
		if h.Type != "command" {
			does = h.Type + ": " + does
		}
		below := []string{layout.ClipText(does, out.Width-indent)}
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
			out.PrintText("%s%s", strings.Repeat(" ", indent), line)
		}
	}
}

func (l List) WriteText(out layout.Printer) {
	out.PrintTable("", strategyTable(l.Strategies))
	out.PrintText("")
	out.PrintTable("  ", [][]string{
		{"wanted", "continues at real stops that the user answered with “continue” or a yes"},
		{"", "(the others followed messages that may be incomplete in the record)"},
		{"wrong", "complete messages that the user answered with something else, but it continued"},
	})
	out.PrintFolded("  ", "the rules were developed on these stops, so the figures may overstate accuracy; run springfield replay to measure on your own sessions")
	out.PrintText("")
	for _, s := range l.Strategies {
		out.PrintItem(s.Name+": ", s.Summary)
	}
	if len(l.Plugins) > 0 {
		out.InBold().PrintText("\n%s", "plugins")
	}
	for _, p := range l.Plugins {
		out.PrintItem(p.ID+": ", p.StateInWords())
	}
	if l.Next != "" {
		out.PrintText("\nno springfield plugin is enabled; next: %s", l.Next)
	}
}

func strategyTable(all []Strategy) [][]string {
	rows := [][]string{{"strategy", "cost", "wanted", "wrong", "needs"}}
	for _, s := range all {
		wanted, wrong := "-", "-"
		if m := s.Measured; m != nil {
			wanted, wrong = fmt.Sprintf("%d of %d", m.Wanted, m.Continues), fmt.Sprintf("%d of %d", m.Wrong, m.Stops)
		}
		rows = append(rows, []string{s.Name, s.Cost, wanted, wrong, s.Needs})
	}
	return rows
}
