package console

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/judge"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/registry"
)

// ListDecisions prints the last n decisions selected by a, oldest first. n is positive. Unless printing JSON, it also
// prints hold events and session failures, and records unrecorded hold ends.
func (d *Console) ListDecisions(n int, a Asked) error {
	v, err := d.scopeOf(a)
	if err != nil {
		return err
	}
	all, looked := ledger.Newest(d.dirAndAlso(), v.Scope, n, a.JSON, a.wantsRecord)
	if a.JSON {
		for _, r := range all {
			if err := d.printJSON(&r); err != nil {
				return err
			}
		}
		return nil
	}
	if len(all) == 0 {
		d.sayNothingDecided(v, a, "log", looked > 0 && !a.Prompts)
	}
	l := list{Console: d, view: v}
	rows := l.withHolds(all, n)
	for _, r := range rows {
		for i, text := range r.columns() {
			l.wide[i] = max(l.wide[i], utf8.RuneCountInString(text))
		}
	}
	for _, r := range rows {
		l.printRow(r)
	}
	if len(all) > 0 {
		d.printImplied(v, "log")
	}
	return nil
}

type row struct {
	id, when, did, who, rule string
	text                     string
	place                    string // project and session
	style                    display.Style
}

type list struct {
	*Console
	view  view
	wide  [5]int // widths of the columns
	place string
}

func (r row) columns() [5]string { return [5]string{r.id, r.when, r.did, r.who, r.rule} }

// printRow prints a row in columns, after its place if changed. Callers set l.wide.
func (l *list) printRow(r row) {
	if r.place != "" && r.place != l.place {
		l.printLead(display.Strong, r.place, "", 2)
		l.place = r.place
	}
	front := ""
	for i, text := range r.columns() {
		front += text + strings.Repeat(" ", max(0, l.wide[i]-utf8.RuneCountInString(text))+2)
	}
	wide := utf8.RuneCountInString(front)
	least := 28 // columns of the text
	for _, word := range strings.Fields(r.text) {
		least = max(least, utf8.RuneCountInString(word))
	}
	cells := strings.TrimRight(front, " ")
	if l.Width > 0 && l.Width-wide < least {
		l.printLead(r.style, cells, "", 2)
		l.printLead(0, "", "    "+r.text, 4)
		return
	}
	l.printLead(r.style, cells, strings.TrimRight(front[len(cells):]+r.text, " "), wide)
}

// withHolds returns the decisions' rows, oldest first, with up to n hold events and the sessions' failures between. It
// records unrecorded hold ends.
func (l *list) withHolds(all []ledger.Record, n int) (rows []row) {
	var events []ledger.HoldEvent
	past := l.noteAndListHolds()
	for i, e := range past {
		listed := e.Of == "" || l.view.Scope == (ledger.Scope{}) || e.Of == l.view.Scope.Session ||
			slices.ContainsFunc(all, func(r ledger.Record) bool { return ledgerIDOf(r.Session) == e.Of })
		over := !e.BeginsHold() || slices.ContainsFunc(past[i+1:], func(next ledger.HoldEvent) bool {
			return next.Of == e.Of && len(all) > 0 && next.At < all[0].At
		})
		// Before the first decision of a project or session, only a hold that was then in force matters.
		if listed && (len(all) == 0 || e.At >= all[0].At || len(all) < n && (!over || l.view.Scope == (ledger.Scope{}))) {
			events = append(events, e)
		}
	}
	events = events[max(0, len(events)-n):]
	for i, r := range all { // sorted by id, since hooks for the same stop might end in a different order
		for ; len(events) > 0 && events[0].At < r.At; events = events[1:] {
			rows = append(rows, l.rowOfHold(events[0]))
		}
		rows = append(rows, l.rowOfDecision(r))
		if slices.ContainsFunc(all[i+1:], func(later ledger.Record) bool { return later.Session == r.Session }) {
			continue
		}
		after := row{who: registry.AgentName(r.Host), place: l.placeOf(r), style: display.Bad}
		switch a := l.FindAftermath(r); {
		case a.Failure != "":
			after.when, after.did, after.rule, after.text = l.agoOf(a.at), "failed", "error", a.Failure
		case a.Dropped:
			after.when, after.did, after.text = l.agoOf(a.at), "dropped", "the continue did not reach "+after.who
		default:
			continue
		}
		rows = append(rows, after)
	}
	for _, e := range events {
		rows = append(rows, l.rowOfHold(e))
	}
	return rows
}

func (l *list) rowOfDecision(r ledger.Record) row {
	text, style := display.OneLine(r.Evidence), display.Style(0)
	switch {
	case r.Decision == "continue", r.Decision == "remind":
		style = display.Good
	case r.Decision == ledger.None:
		style = display.Bad
	case r.Told != "": // such as a stop at a limit
		style = display.Warn
	}
	if a := r.Asked; a != nil && a.Micros > 0 {
		text = judge.Dollars(a.Micros) + " " + text
	}
	return row{id: display.OneLine(r.ID), when: l.agoOf(r.At), did: display.OneLine(r.Decision), who: display.OneLine(r.Plugin), rule: display.OneLine(r.Rule), text: text, place: l.placeOf(r), style: style}
}

func (l *list) placeOf(r ledger.Record) (toTellApart string) {
	if l.view.sessionID() != "" {
		return ""
	}
	session := "session " + display.OneLine(r.Session)
	if r.Host != "" {
		session += " in " + registry.TitleOf(r.Host)
	}
	if l.view.Project != "" && r.ProjectOrCwd() == l.view.Project {
		return session
	}
	return display.OneLine(r.ProjectOrCwd()) + ", " + session
}

func (l *list) rowOfHold(e ledger.HoldEvent) row {
	return row{when: l.agoOf(e.At), did: display.OneLine(clipTo99(e.Did)), who: display.OneLine(clipTo99(e.Program)), rule: "hold", text: holdScopeInWords(e) + forHowLong(e) + originOf(e)}
}
