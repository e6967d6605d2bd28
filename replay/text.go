package replay

import (
	"fmt"
	"strings"

	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/registry"
)

func (r *Report) WriteText(out layout.Printer) {
	out.PrintFolded("", "%s", r.SummarizeStops())
	if len(r.Rows) > 0 {
		out.InBold().PrintText("\n%s", "after the stops")
		for _, l := range r.Labels {
			if l.N > 0 {
				out.PrintFolded(fmt.Sprintf("  %-12s %6d  ", l.Label, l.N), "%s", l.meaning())
			}
		}
		out.InBold().PrintText("\n%s", "verdict")
		out.PrintTable("  ", r.VerdictRows())
	}
	out.PrintText("")
	out.PrintFolded("", "%s", r.Advice)
}

func (r *Report) WriteNotes(out layout.Printer) {
	for _, s := range r.Scores {
		if s.Note != "" && len(r.Rows) > 0 {
			out.PrintFolded("note: ", "%s: %s", s.Name, s.Note)
		}
	}
}

// MostInWay returns the strategy with the most unwanted continues ("" without any).
func (r *Report) MostInWay() (strategyName string) {
	name, most := "", 0
	for _, s := range r.Scores {
		if s.InTheWay.N > most {
			name, most = s.Name, s.InTheWay.N
		}
	}
	return name
}

func (l LabelCount) meaning() string {
	switch {
	case l.Label == MidWork:
		return "not a stop: words of the agent between two steps of its work"
	case l.Means == WantContinue:
		return "the stop was wrong"
	case l.Means == WantStop:
		return "the stop was right"
	}
	return "not counted"
}

// ListKinds returns the names of the lists that WriteList accepts.
func ListKinds() []string { return []string{"wrong", "missed", "caught", "asked", "nudges", "all"} }

// isOnList reports whether a row is on a list of ListKinds, by the first strategy's choice. Any row with choices is on
// an unknown list.
func (r *Row) isOnList(list string) bool {
	if len(r.Choices) == 0 {
		return false
	}
	c := r.Choices[0]
	goesOn := c.Decision == "continue"
	switch list {
	case "wrong":
		return goesOn && r.Means == WantStop
	case "missed":
		return !goesOn && r.Means == WantContinue
	case "caught":
		return goesOn && r.Means == WantContinue
	case "asked":
		return c.Asks && r.Label.HadStopHooks()
	case "nudges":
		return r.Label == Nudge
	}
	return true
}

// WriteList prints the first most rows (0 for all) from a ListKinds list, by the first strategy, and returns its name.
// If the list is empty, it prints a sentence and returns "". Without strategies it prints nothing. out.Width is not 0.
func (r *Report) WriteList(out layout.Printer, list string, most int) string {
	if len(r.Scores) == 0 {
		return ""
	}
	var rows []*Row
	for i := range r.Rows {
		if r.Rows[i].isOnList(list) {
			rows = append(rows, &r.Rows[i])
		}
	}
	name := r.Scores[0].Name
	switch {
	case len(r.Rows) == 0:
		out.PrintFolded("", "%s", r.Advice)
		return ""
	case len(rows) == 0 && list == "nudges":
		out.PrintText("you never had to say “continue” here")
		return ""
	case len(rows) == 0:
		out.PrintFolded("", "%s; use --strategy to list another", fmt.Sprintf(map[string]string{
			"wrong": "%s never wrongly continued here", "missed": "%s missed no work here", "caught": "%s never continued where work should go on",
			"asked": "%s would never ask a model here", "all": "%s made no decision here",
		}[list], name))
		return ""
	}
	all := len(rows)
	if most > 0 && all > most {
		rows = rows[:most]
	}
	for _, row := range rows {
		r.writeRow(out, row)
	}
	if len(rows) < all {
		out.PrintText("%d of %d; use -n 0 to list all", len(rows), all)
	} else {
		out.PrintText("%s", layout.CountOf(all, "row"))
	}
	return name
}

func (r *Report) writeRow(out layout.Printer, row *Row) {
	out.PrintText("%s:%d", display.OneLine(row.File), row.Line)
	facts := []string{string(row.Label)}
	if row.Host != "" {
		facts = append(facts, registry.TitleOf(row.Host))
	}
	if !row.At.IsZero() {
		facts = append(facts, row.At.Local().Format("2006-01-02 15:04"))
	}
	for _, fact := range [][2]string{{"todos ", row.Todos}, {"skill ", row.Skill}, {"last tool ", row.LastTool}} {
		if fact[1] != "" {
			facts = append(facts, fact[0]+display.OneLine(fact[1]))
		}
	}
	out.PrintFolded("  ", "%s", strings.Join(facts, ", "))
	agent := registry.AgentName(row.Host)
	writeExcerpt(out, "  "+layout.PadText(agent+": ", 8), row.Text, layout.EndThatFits)
	writeExcerpt(out, "  next:   ", row.Next, layout.ClipText)
	for i, c := range row.Choices {
		out.PrintFolded("  "+r.Scores[i].Name+": ", "%s", c.decisionWithWhy())
	}
	out.PrintText("")
}

func (c Choice) decisionWithWhy() string {
	says := byOrNoRule(c.Rule)
	if c.Evidence != "" && c.Rule != otherwise {
		says += ", " + c.Evidence
	}
	if c.Guard != "" {
		says += fmt.Sprintf(" (alone: %s; changed by %s)", c.Alone, c.Guard)
	}
	if c.Away != "" {
		says += " (away: " + c.Away + ")"
	}
	if c.Asks {
		says += fmt.Sprintf(" (would ask a model, %d bytes)", c.Bytes)
	}
	return c.Decision + display.OneLine(says)
}

const otherwise = "otherwise"

func byOrNoRule(rule string) (suffix string) {
	if rule == otherwise {
		return ": no rule matched"
	}
	return " by " + rule
}

// writeExcerpt prints said after label, cut to about three lines, unless it is blank. cut shortens a text to a width.
// out.Width is not 0.
func writeExcerpt(out layout.Printer, label, said string, cut func(string, int) string) {
	if said = display.OneLine(strings.Join(strings.Fields(said), " ")); said != "" {
		out.PrintFolded(label, "%s", cut(said, 3*(out.Width-len(label))))
	}
}
