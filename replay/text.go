// A report as text, for a terminal.

package replay

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/registry"
)

// text prints a report.
type text struct {
	layout.Printer
	*Report
}

// WriteText writes the scores and the advice.
func (r *Report) WriteText(out layout.Printer) {
	t := text{out, r}
	stops, work := 0, 0
	for _, l := range r.Labels {
		if l.Label == MidWork {
			work = l.N
		} else {
			stops += l.N
		}
	}
	read := ""
	if r.Bytes >= 1e6 {
		read = fmt.Sprintf(" (%.1f MB, %.1f s)", float64(r.Bytes)/1e6, r.Seconds)
	}
	t.Fold("", "%s in %s, and %s in mid-work%s", layout.Count(stops, "stop"), layout.Count(r.Sessions, "session"), layout.Count(work, "point"), read)
	if len(r.Rows) > 0 {
		t.Strong().Say("\n%s", "what came next")
		for _, l := range r.Labels {
			if l.N > 0 {
				t.Fold(fmt.Sprintf("  %-12s %6d  ", l.Label, l.N), "%s", l.meaning())
			}
		}
		if len(r.Scores) > 0 {
			t.scores()
		}
		t.nudges()
		t.hosts()
		t.months()
	}
	t.Say("")
	t.Fold("", "%s", r.Advice)
}

// WriteNotes writes what has to be known of the figures.
func (r *Report) WriteNotes(out layout.Printer) {
	for _, s := range r.Scores {
		if s.Note != "" && len(r.Rows) > 0 {
			out.Fold("note: ", "%s: %s", s.Name, s.Note)
		}
	}
}

// MostWrong is the strategy that wrongly continues most often, "" if none does.
func (r *Report) MostWrong() string {
	name, most := "", 0
	for _, s := range r.Scores {
		if s.Wrong.N > most {
			name, most = s.Name, s.Wrong.N
		}
	}
	return name
}

func (l LabelCount) meaning() string {
	switch {
	case l.Label == MidWork:
		return "no stop: what the agent says between two steps of its work"
	case l.Means == WantContinue:
		return "the stop was wrong"
	case l.Means == WantStop:
		return "the stop was right"
	}
	return "not counted"
}

// unknown is what is said of a strategy whose decisions are a model's.
const unknown = "not measurable"

// scores prints a line and two bars for each strategy, or a few lines each where that
// is too wide.
func (t text) scores() {
	name := 0
	for _, s := range t.Scores {
		name = min(max(name, layout.Width(s.Name)), 24)
	}
	named := func(s Score) string { return layout.Pad(layout.Clip(s.Name, name), name) }
	if t.Width < name+57 {
		t.cards()
		return
	}
	t.Say("\n  %-*s  %-16s  %-17s  %6s  %8s", name, "", "caught", "wrongly continued", "asked", "cost")
	for _, s := range t.Scores {
		did := fmt.Sprintf("%-16s  %-17s", s.Caught.interval(), s.Wrong.interval())
		if s.OnlyAsks {
			did = unknown
		}
		t.Say("  %s  %s  %6d  %8s", named(s), layout.Pad(did, 35), s.Asked.N, s.price())
	}
	t.of()
	for _, bars := range []struct {
		title, fill string
		of          func(Score) Rate
	}{{"caught", "█", func(s Score) Rate { return s.Caught }}, {"wrongly continued", "▒", func(s Score) Rate { return s.Wrong }}} {
		t.Strong().Say("\n%s", bars.title)
		for _, s := range t.Scores {
			if !s.OnlyAsks {
				rate := bars.of(s)
				t.Say("  %s  %s %s", named(s), rate.bar(bars.fill, t.Width-name-14), rate.text())
			}
		}
	}
}

// cards is scores for little space.
func (t text) cards() {
	for _, s := range t.Scores {
		t.Strong().Say("\n%s", layout.Clip(s.Name, t.Width))
		if s.OnlyAsks {
			t.Say("  decides  %s", unknown)
		} else {
			bar := min(t.Width-29, 40)
			t.Say("  caught   %-16s  %s", s.Caught.interval(), s.Caught.bar("█", bar))
			t.Say("  wrong    %-16s  %s", s.Wrong.interval(), s.Wrong.bar("▒", bar))
		}
		t.Say("  asked    %d, %s", s.Asked.N, s.price())
	}
	t.Say("")
	t.of()
}

// of tells what the shares are of.
func (t text) of() {
	s := t.Scores[0]
	t.Fold("  ", "caught: of %s where work should go on (%s, %d in mid-work)", layout.Count(s.Caught.Of, "point"), layout.Count(s.Nudges.Of, "nudge"), s.Caught.Of-s.Nudges.Of)
	t.Fold("  ", "wrongly continued: of %s where you had something else to say", layout.Count(s.Wrong.Of, "stop"))
	if s.Caught.Of < few || s.Wrong.Of < few {
		t.Fold("  ", "that is not many: trust the 95 %% intervals in brackets more than the shares")
	}
}

// nudges tells of the stops that were wrong for certain.
func (t text) nudges() {
	if len(t.Scores) == 0 || t.Scores[0].Nudges.Of == 0 {
		return
	}
	t.Strong().Say("\n%s", "nudges")
	t.Fold("  ", "%s where all you typed was “continue” or the like; waiting counts an hour each at most", layout.Count(t.Scores[0].Nudges.Of, "stop"))
	none := true
	for _, s := range t.Scores {
		if s.Nudges.N == 0 {
			continue
		}
		none = false
		idle := ""
		if s.Saved >= 60 {
			idle = fmt.Sprintf(", and %s of waiting", roughly(s.Saved))
		}
		t.Fold("  "+layout.Clip(s.Name, 24)+"  ", "saves you %d, %s%s", s.Nudges.N, s.Nudges.interval(), idle)
	}
	if none {
		t.Fold("  ", "none of these strategies would have saved you any of them")
	}
}

// months shows how the strategy that caught most did over time.
func (t text) months() {
	var best Score
	for _, s := range t.Scores {
		if best.Name == "" || cmp.Or(s.Caught.N-best.Caught.N, best.Wrong.N-s.Wrong.N, best.Asked.N-s.Asked.N) > 0 {
			best = s
		}
	}
	months := best.Months
	if len(months) < 2 {
		return
	}
	t.Say("")
	t.Strong().Say("%s by month", layout.Clip(best.Name, t.Width-10))
	if len(months) > 12 {
		t.Say("  %s before", layout.Count(len(months)-12, "month"))
		months = months[len(months)-12:]
	}
	t.Say("  %-8s %15s  %s", "", "caught", "wrongly continued")
	for _, m := range months {
		t.Say("  %-8s %5d of %-6d %7d of %d", cmp.Or(m.Name, "no date"), m.Caught.N, m.Caught.Of, m.Wrong.N, m.Wrong.Of)
	}
}

// bar draws a share. What is not nothing is seen.
func (r Rate) bar(fill string, width int) string {
	filled := int(r.Share()*float64(width) + 0.5)
	if r.N > 0 {
		filled = max(filled, 1)
	}
	return strings.Repeat(fill, filled) + strings.Repeat("·", width-filled)
}

// interval is a share like "88 % (84–91)".
func (r Rate) interval() string {
	if r.Of == 0 {
		return "none"
	}
	return fmt.Sprintf("%s (%s–%s)", r.text(), places(100*r.Low), places(100*r.High))
}

func (r Rate) text() string {
	if r.Of == 0 {
		return "–"
	}
	return places(100*r.Share()) + " %"
}

// places gives small figures a decimal place.
func places(p float64) string {
	if p > 0 && p < 9.95 {
		return fmt.Sprintf("%.1f", p)
	}
	return fmt.Sprintf("%.0f", p)
}

// price is what its questions would have cost.
func (s Score) price() string {
	if s.Asked.N == 0 {
		return "$0"
	}
	if s.Dollars < 0.005 {
		return "<$0.01"
	}
	return fmt.Sprintf("$%.2f", s.Dollars)
}

func roughly(seconds float64) string {
	switch d := time.Duration(seconds) * time.Second; {
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	default:
		return fmt.Sprintf("%.0f days", d.Hours()/24)
	}
}

// Lists are the kinds of rows that WriteList writes, by what the first strategy did.
func Lists() []string { return []string{"wrong", "missed", "caught", "asked", "nudges", "all"} }

// isIn tells whether the first strategy puts a row on a list.
func (r *Row) isIn(list string) bool {
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
		return c.Asks && r.Label.Hooked()
	case "nudges":
		return r.Label == Nudge
	}
	return true
}

// WriteList writes the rows behind a figure, at most so many, 0 for all. It returns the
// strategy that explain can explain there, "" for none.
func (r *Report) WriteList(out layout.Printer, list string, most int) (explained string) {
	if len(r.Scores) == 0 {
		return ""
	}
	t := text{out, r}
	var rows []*Row
	for i := range r.Rows {
		if r.Rows[i].isIn(list) {
			rows = append(rows, &r.Rows[i])
		}
	}
	name := r.Scores[0].Name
	switch {
	case len(r.Rows) == 0:
		t.Fold("", "%s", r.Advice)
		return ""
	case len(rows) == 0 && list == "nudges":
		t.Say("you never had to say “continue” here")
		return ""
	case len(rows) == 0:
		t.Fold("", "%s; --strategy compares another", fmt.Sprintf(map[string]string{
			"wrong": "%s never wrongly continued here", "missed": "%s missed no work here", "caught": "%s continued nowhere that work should go on",
			"asked": "%s would never ask a model here", "all": "%s decides nothing here",
		}[list], name))
		return ""
	}
	all := len(rows)
	if most > 0 && all > most {
		rows = rows[:most]
	}
	for _, row := range rows {
		t.row(row)
	}
	if len(rows) < all {
		t.Say("%d of %d; -n 0 lists all", len(rows), all)
	} else {
		t.Say("%s", layout.Count(all, "row"))
	}
	if r.Redacted || r.Scores[0].OnlyAsks {
		return ""
	}
	return name
}

func (t text) row(row *Row) {
	t.Say("%s:%d", display.Line(row.File), row.Line)
	facts := []string{string(row.Label)}
	if row.Host != "" {
		facts = append(facts, titleOf(row.Host))
	}
	if !row.At.IsZero() {
		facts = append(facts, row.At.Local().Format("2006-01-02 15:04"))
	}
	for _, fact := range [][2]string{{"todos ", row.Todos}, {"skill ", row.Skill}, {"last tool ", row.LastTool}} {
		if fact[1] != "" {
			facts = append(facts, fact[0]+display.Line(fact[1]))
		}
	}
	t.Fold("  ", "%s", strings.Join(facts, ", "))
	agent := registry.Agent(row.Host)
	t.excerpt("  "+layout.Pad(agent+": ", 8), row.Text, layout.End)
	t.excerpt("  next:   ", row.Next, layout.Clip)
	for i, c := range row.Choices {
		if i > 0 && len(t.Scores) > 4 && c.Decision == row.Choices[0].Decision {
			continue
		}
		t.Fold("  "+t.Scores[i].Name+": ", "%s", t.says(c))
	}
	t.Say("")
}

// says is what a strategy does at a row, and why.
func (t text) says(c Choice) string {
	says := by(c.Rule)
	if c.Evidence != "" && c.Rule != otherwise {
		says += ", " + c.Evidence
	}
	if c.Guard != "" {
		says += fmt.Sprintf(" (alone: %s; changed by %s)", c.Alone, c.Guard)
	}
	if c.Asks {
		says += fmt.Sprintf(" (would ask a model, %d bytes)", c.Bytes)
	}
	return string(c.Decision) + display.Line(says)
}

// otherwise is the rule of a decision that no rule has made.
const otherwise = "otherwise"

// by says which rule decided, behind the decision.
func by(rule string) string {
	if rule == otherwise {
		return ": no rule matched"
	}
	return " by " + rule
}

// excerpt prints about three lines of a text: its end, or its beginning.
func (t text) excerpt(title, said string, cut func(string, int) string) {
	if said = display.Line(strings.Join(strings.Fields(said), " ")); said != "" {
		t.Fold(title, "%s", cut(said, 3*(t.Width-len(title))))
	}
}
