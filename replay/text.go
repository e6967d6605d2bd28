// A report as text, for a terminal.

package replay

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/display"
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
	t.Fold("", "%s in %s, and %s in mid-work (%.1f MB read in %.1f s)", layout.Count(stops, "stop"), layout.Count(r.Sessions, "session"), layout.Count(work, "point"), float64(r.Bytes)/1e6, r.Seconds)
	if len(r.Rows) > 0 {
		t.Say("\nwhat came next")
		for _, l := range r.Labels {
			if l.N > 0 {
				t.Fold(fmt.Sprintf("  %-12s %6d  ", l.Label, l.N), "%s", l.meaning())
			}
		}
		if len(r.Scores) > 0 {
			t.scores()
		}
		t.nudges()
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

// MostWrong is the strategy that runs over most stops, "" if none does.
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
		return "no stop: what Claude says when work goes on"
	case l.Means == WantContinue:
		return "the stop was one too many"
	case l.Means == WantStop:
		return "the stop was right"
	}
	return "does not count"
}

// unknown is what is said of a strategy whose decisions are a model's.
const unknown = "not known"

// scores prints a line and two bars for each strategy, or a few lines each where that
// is too wide.
func (t text) scores() {
	name := 0
	for _, s := range t.Scores {
		name = min(max(name, layout.Width(s.Name)), 24)
	}
	named := func(s Score) string { return layout.Pad(layout.Clip(s.Name, name), name) }
	if t.Width < name+56 {
		t.cards()
		return
	}
	t.Say("\n  %-*s  %-16s  %-16s  %6s  %8s", name, "", "caught", "run over", "asked", "cost")
	for _, s := range t.Scores {
		did := fmt.Sprintf("%-16s  %-16s", s.Caught.interval(), s.Wrong.interval())
		if s.OnlyAsks {
			did = unknown
		}
		t.Say("  %s  %-34s  %6d  %8s", named(s), did, s.Asked.N, s.price())
	}
	t.of()
	for _, bars := range []struct {
		title, fill string
		of          func(Score) Rate
	}{{"caught", "█", func(s Score) Rate { return s.Caught }}, {"run over", "▒", func(s Score) Rate { return s.Wrong }}} {
		t.Say("\n%s", bars.title)
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
		t.Say("\n%s", layout.Clip(s.Name, t.Width))
		if s.OnlyAsks {
			t.Say("  decides   %s", unknown)
		} else {
			t.Say("  caught    %-16s  %s", s.Caught.interval(), s.Caught.bar("█", min(t.Width-30, 40)))
			t.Say("  run over  %-16s  %s", s.Wrong.interval(), s.Wrong.bar("▒", min(t.Width-30, 40)))
		}
		t.Say("  asked     %d, %s", s.Asked.N, s.price())
	}
	t.Say("")
	t.of()
}

// of tells what the shares are of.
func (t text) of() {
	s := t.Scores[0]
	t.Fold("  ", "caught: of %s where work should go on (%s, %d in mid-work)", layout.Count(s.Caught.Of, "point"), layout.Count(s.Nudges.Of, "nudge"), s.Caught.Of-s.Nudges.Of)
	t.Fold("  ", "run over: of %s where you had more to say", layout.Count(s.Wrong.Of, "stop"))
	if s.Caught.Of < few || s.Wrong.Of < few {
		t.Fold("  ", "few: the intervals in brackets (95 %%) say how little that tells")
	}
}

// nudges tells of the stops that were one too many for certain.
func (t text) nudges() {
	for i, s := range t.Scores {
		if i == 0 && s.Nudges.Of > 0 {
			t.Say("")
			t.Fold("", "of %s, where all you said was to go on (idle: an hour each at most)", layout.Count(s.Nudges.Of, "nudge"))
		}
		if s.Nudges.N == 0 {
			continue
		}
		idle := ""
		if s.Saved >= 60 {
			idle = fmt.Sprintf("; %s idle before", roughly(s.Saved))
		}
		t.Fold("  "+layout.Clip(s.Name, 24)+"  ", "%d made needless, %s%s", s.Nudges.N, s.Nudges.interval(), idle)
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
	t.Fold("", "%s by month: caught of mid-work and nudges, run over of stops", best.Name)
	if len(months) > 12 {
		t.Say("  %s before", layout.Count(len(months)-12, "month"))
		months = months[len(months)-12:]
	}
	for _, m := range months {
		t.Say("  %-8s %5d of %-6d %4d of %d", cmp.Or(m.Name, "no date"), m.Caught.N, m.Caught.Of, m.Wrong.N, m.Wrong.Of)
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
		return "none there"
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

// WriteList writes the rows behind a figure, at most so many, 0 for all. It says whose
// decisions can be explained at them, "" for none.
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
		t.Say("no stop was followed by a nudge")
		return ""
	case len(rows) == 0:
		t.Say("no stop of %s is to be listed as %s; --strategy names another", name, list)
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
	if !row.At.IsZero() {
		facts = append(facts, row.At.Local().Format("2006-01-02 15:04"))
	}
	for _, fact := range [][2]string{{"todos ", row.Todos}, {"skill ", row.Skill}, {"last tool ", row.LastTool}} {
		if fact[1] != "" {
			facts = append(facts, fact[0]+display.Line(fact[1]))
		}
	}
	t.Fold("  ", "%s", strings.Join(facts, ", "))
	t.excerpt("  Claude: ", row.Text, layout.End)
	t.excerpt("  next:   ", row.Next, layout.Clip)
	for i, c := range row.Choices {
		if i > 0 && len(t.Scores) > 4 && c.Decision == row.Choices[0].Decision {
			continue
		}
		says := fmt.Sprintf("%s by %s", c.Decision, c.Rule)
		if c.Evidence != "" {
			says += ", " + c.Evidence
		}
		if c.Guard != "" {
			says += fmt.Sprintf(" (alone: %s; changed by %s)", c.Alone, c.Guard)
		}
		if c.Asks {
			says += fmt.Sprintf(" (asks a model about %d bytes)", c.Bytes)
		}
		t.Fold("  "+t.Scores[i].Name+": ", "%s", display.Line(strings.Join(strings.Fields(says), " ")))
	}
	t.Say("")
}

// excerpt prints about three lines of a text: its end, or its beginning.
func (t text) excerpt(title, said string, cut func(string, int) string) {
	if said = display.Line(strings.Join(strings.Fields(said), " ")); said != "" {
		t.Fold(title, "%s", cut(said, 3*(t.Width-len(title))))
	}
}
