package absence

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/git"
	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/away"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/secret"
	"github.com/cameronsjo/springfield/runtime/timestamp"
)

func (o Order) Describe(nowMillis int64) string {
	order := ledger.AwayOrder{ID: o.ID, At: o.At, Until: o.Until, Ended: o.Ended, Project: o.Project, From: o.From, Most: o.Most}
	return away.Describe(order, o.Used, nowMillis)
}

// maxText limits each text of a report, in characters.
const maxText = 300

// maskedCut returns text on one line with secrets masked, up to maxText characters.
func maskedCut(text string) string {
	return quotation.ClipRunes(maskedUncut(quotation.Head(text, mostSaid)), maxText)
}

func maskedUncut(text string) string {
	return strings.Join(strings.Fields(secret.Mask(display.OneLine(text))), " ")
}

func clock(millis int64) string { return time.UnixMilli(millis).Local().Format("15:04") }

// The bounds of the page; back --json has the rest.
const (
	shownOpen  = 10
	shownOf    = 3
	shownFiles = 10
)

// WriteText prints the report, the user's needs first.
func (r Report) WriteText(out layout.Printer) {
	out.InBold().PrintText("%s", r.Order.Describe(r.now))
	if r.Held {
		out.InYellow().PrintField("hold     ", "in force: every agent may stop; run springfield resume to lift it")
	}
	if r.Order.Check != "" {
		out.PrintField("check    ", r.Order.Check)
	}
	if r.Order.Note != "" {
		out.PrintField("note     ", r.Order.Note)
	}
	if len(r.Deciding) > 0 {
		out.InYellow().PrintField("         ", "since you left, files that decide the check were changed: "+listFiles(r.Deciding))
	}
	open, quiet := slices.Concat(r.Questions, r.Waiting), 0
	r.writeOpen(out, open)
	for _, s := range r.Sessions {
		waits := slices.ContainsFunc(open, func(o Item) bool { return o.Session == s.ID })
		if !waits && s.Continues+len(s.Decided)+len(s.Refused)+len(s.Failed) == 0 && s.Stands == nil && s.Check == "" {
			quiet++
			continue
		}
		s.writeSection(out, r.Order)
	}
	switch {
	case len(r.Sessions) == 0:
		out.PrintText("no agent was at work")
	case quiet > 0:
		out.PrintText("\n%s without a decision or a failure; run springfield back --json to see them", layout.CountOf(quiet, "session"))
	}
	r.writeFiles(out)
	for _, note := range r.Notes {
		out.PrintFolded("note: ", "%s", note)
	}
}

func (r Report) writeOpen(out layout.Printer, open []Item) {
	if len(open) == 0 {
		out.InGreen().PrintText("nothing waits for you")
		return
	}
	out.InYellow().PrintText("needs you")
	for n, o := range open {
		if n == shownOpen {
			out.PrintItem("- ", strconv.Itoa(len(open)-n)+" more: run springfield back --json")
			break
		}
		if o.Word != "" {
			o.Needs = "yours alone to decide (“" + o.Word + "”)"
		}
		where := ""
		for _, s := range r.Sessions {
			if s.ID == o.Session && s.Project != r.Order.Project && s.Project != "" {
				where = " in " + s.Project
			}
		}
		text := o.Needs + ", session " + short(o.Session) + where + " at " + clock(o.At)
		if o.Text != "" {
			text += ": " + o.Text
		}
		out.PrintItem("- ", text)
	}
}

func (s Session) writeSection(out layout.Printer, under Order) {
	title := "session " + short(s.ID)
	if s.Project != under.Project && s.Project != "" {
		title += " in " + s.Project
	}
	if s.Asked != "" {
		title += ": " + s.Asked
	}
	out.InBold().PrintText("\n%s", title)
	ran := s.Host + ", " + timestamp.LengthInWords(s.Ran) + ", " + layout.CountOf(s.Continues, "continue")
	if s.Woken > 0 {
		ran += " (" + strconv.Itoa(s.Woken) + " after API errors)"
	}
	out.PrintField("  ran      ", ran+", "+layout.CountOf(s.Calls, "tool call"))
	printSome(out, "  decided  ", s.Decided, func(d Item) string {
		return clock(d.At) + " " + d.Text + " → " + cmp.Or(d.Answer, "the agent did not report its choice")
	})
	printSome(out, "  refused  ", s.Refused, func(f Item) string {
		if f.Times == 1 {
			return f.Text
		}
		return f.Text + " (" + strconv.Itoa(f.Times) + " times)"
	})
	printSome(out.InRed(), "  failed   ", s.Failed, func(f Item) string { return clock(f.At) + " " + f.Text })
	if s.Check != "" {
		result := under.Check + map[string]string{
			ledger.AwayPassed: " passed at ", ledger.AwayFailed: " did not pass at ", ledger.AwayDenied: " was denied, and so did not run, at ",
			ledger.AwayChecked: " has not passed; the agent was asked to run it at ", "outdated": " passed, but files may have changed since, at ",
		}[s.Check] + clock(s.CheckAt)
		if s.Check == ledger.AwayDenied {
			result += "; " + activity.AllowHintFor(under.Check)
		}
		out.PrintField("  check    ", result)
	} else if under.Check != "" {
		out.PrintField("  check    ", "no run of "+under.Check+" is recorded")
	}
	if d := s.Stands; d != nil {
		title, did := "  stopped  ", " let it stop "
		if d.Decision == "continue" {
			title, did = "  at stop  ", " kept it going "
		}
		out.PrintField(title, clock(d.At)+" "+d.Plugin+did+"("+d.Rule+": "+d.Evidence+")")
	}
	if s.Words != "" {
		out.PrintField("  said     ", s.Words)
	}
	out.PrintField("  process  ", s.Process)
	if s.Host == registry.TitleOf("") && !strings.HasPrefix(s.Process, "running") {
		where := ""
		if s.Project != "" {
			where = "cd " + check.QuoteArgument(s.Project) + " && "
		}
		out.PrintUnbroken("  go on    " + where + "claude --resume " + check.QuoteArgument(s.ID))
	}
}

func printSome(out layout.Printer, paddedLabel string, items []Item, text func(Item) string) {
	for i, item := range items {
		if i == shownOf {
			out.PrintField(paddedLabel, strconv.Itoa(len(items)-i)+" more: run springfield back --json")
			break
		}
		out.PrintField(paddedLabel, text(item))
	}
}

func (r Report) writeFiles(out layout.Printer) {
	if r.Return == "" {
		return
	}
	if len(r.Changed) == 0 {
		out.PrintText("\nno file has changed since you left")
		return
	}
	added, deleted := 0, 0
	for _, f := range r.Changed {
		added, deleted = added+f.Added, deleted+f.Deleted
	}
	out.InBold().PrintText("\nchanged since you left, until now: %s, +%d -%d", layout.CountOf(len(r.Changed), "file"), added, deleted)
	for i, f := range r.Changed {
		if i == shownFiles {
			out.PrintText("  and %d more", len(r.Changed)-i)
			break
		}
		out.PrintText("  %s", listFiles([]git.Changed{f}))
	}
	out.PrintText("to restore the files as you left them; new files stay unless git tracks them:")
	out.PrintUnbroken("  " + r.Return)
}

func listFiles(files []git.Changed) string {
	return strings.Join(check.NamesOf(files, func(f git.Changed) string {
		size := fmt.Sprintf("+%d -%d", f.Added, f.Deleted)
		if f.Binary {
			size = "(binary)"
		}
		if f.New {
			size += ", new"
		}
		return f.Path + " " + size
	}), ", ")
}
