package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/doctor"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/absence"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/console"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/secret"
	"github.com/cameronsjo/springfield/runtime/terminal"
	"github.com/cameronsjo/springfield/runtime/timestamp"
	"github.com/cameronsjo/springfield/runtime/workspace"
)

type awayOptions struct {
	*app
	absence.Places

	typed          string // 8h or 06:10, "" to list orders
	until          time.Time
	all, yes, json bool
	most           int
	mostGiven      bool
	check          string
	checkGiven     bool
	note           string
	noteGiven      bool
}

func newAway(a *app) *cobra.Command {
	o := awayOptions{app: a}
	cmd := &cobra.Command{
		Use:   "away [DURATION | HH:MM]",
		Short: "Keep agents at work while you are away",
		Long: `Keeps the agents of this project at work for a time such as 8h, or until a
time of day such as 06:10, for at most 24 hours. The order answers questions about acts that can be
undone ("decide yourself"), and denies dialogs and permissions with a reason. With --check, work is
done only when the command passes. The order grants no permission, and decisions that only you can
make wait for you.

away lists the sessions at work and any obstacles, then asks at your terminal, so no agent can set
an order. Without a duration, it lists the orders in force and their obstacles. springfield back
ends them and prints a report.`,
		Example: `  springfield away 8h --check 'make test'
  springfield away 06:10 --max 20
  springfield away`,
		Args: arguments(0, 4, "at most one duration"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.typed = strings.Join(args, " ")
			o.mostGiven, o.checkGiven, o.noteGiven = cmd.Flags().Changed("max"), cmd.Flags().Changed("check"), cmd.Flags().Changed("note")
			if err := o.parseOptions(); err != nil {
				return err
			}
			return a.useAndSweep(cmd.Context(), a.work, func(d console.Console) error {
				var err error
				if o.Places, err = a.absencePlaces(&d); err != nil {
					return err
				}
				if o.typed == "" {
					return o.listInForce()
				}
				return o.askToSetOrder(cmd.Context())
			})
		},
		PreRunE: a.needPlaces,
	}
	f := cmd.Flags()
	f.BoolVar(&o.all, "all", false, "all projects")
	f.IntVar(&o.most, "max", 50, "limit on continues across all sessions, up to 500")
	f.StringVar(&o.check, "check", "", "command that passes when the work is done; the agent runs it")
	f.StringVar(&o.note, "note", "", "instructions to repeat in each answer")
	f.BoolVar(&o.yes, "yes", false, "accept every offer except the order itself")
	f.BoolVar(&o.json, "json", false, "list the orders in force as JSON")
	return cmd
}

// endIfSet parses a duration or a time of day, 1 minute to 24 hours ahead. It returns the zero time for "".
func endIfSet(typed string, now time.Time) (end time.Time, err error) {
	if ms, ok := timestamp.ParseSpan(typed); ok {
		end = now.Add(time.Duration(ms) * time.Millisecond)
	} else if clock, err := time.Parse("15:04", typed); err == nil {
		end = time.Date(now.Year(), now.Month(), now.Day(), clock.Hour(), clock.Minute(), 0, 0, now.Location())
		if !end.After(now) {
			end = end.AddDate(0, 0, 1)
		}
	}
	if lasts := end.Sub(now); typed != "" && (lasts < time.Minute || lasts > ledger.MostAway) {
		return end, check.Misusef("write a duration like 8h, 90m or \"2 hours\", or a time of day like 06:10",
			"%q is neither a time of day nor a duration from 1 minute to 24 hours", typed)
	}
	return end, nil
}

// parseOptions checks the flags and sets o.until. The caller has set o.typed, and which flags were given.
func (o *awayOptions) parseOptions() (err error) {
	const example, script = "springfield away 8h --check 'make test'", "put the commands into a script, and pass the script"
	switch o.until, err = endIfSet(o.typed, time.Now()); {
	case err != nil:
		return err
	case o.typed == "" && (o.mostGiven || o.checkGiven || o.noteGiven || o.yes):
		return check.Misuse(errors.New("an away order needs a duration"), example)
	case o.typed != "" && o.json:
		return check.Misuse(errors.New("--json lists the orders in force"), "run springfield back --json for the report on an order")
	case o.most < 1 || o.most > ledger.MostContinues:
		return check.Misuse(fmt.Errorf("--max must be from 1 to %d", ledger.MostContinues), "springfield away 8h --max 50")
	case o.checkGiven && strings.TrimSpace(o.check) == "":
		return check.Misuse(errors.New("--check is empty"), example)
	case len(o.check) > activity.MaxCheck:
		return check.Misuse(fmt.Errorf("--check is longer than %d bytes", activity.MaxCheck), script)
	case strings.Join(strings.Fields(o.check), " ") != o.check || !isShownAsIs(o.check):
		return check.Misuse(errors.New("--check must be one plain line without consecutive spaces or a secret"), script)
	}
	return o.checkNote()
}

func (o *awayOptions) checkNote() error {
	const example = "springfield away 8h --note 'prefer TOML; never touch migrations'"
	switch {
	case !o.noteGiven:
		return nil
	case o.all:
		return check.Misuse(errors.New("--note is for one project, not for --all"), "cd into the project, and omit --all")
	case strings.TrimSpace(o.note) == "":
		return check.Misuse(errors.New("--note is empty"), example)
	case len(o.note) > ledger.MaxNote:
		return check.Misuse(fmt.Errorf("--note is longer than %d bytes", ledger.MaxNote), "put the rest into a file, and name that file in the note")
	case !isShownAsIs(o.note):
		return check.Misuse(errors.New("--note must be one plain line without a secret"), example)
	}
	return nil
}

func isShownAsIs(text string) bool { return display.OneLine(text) == text && secret.Mask(text) == text }

// absencePlaces returns the away orders' places. newConsole has created d and set e.places.
func (e *environment) absencePlaces(d *console.Console) (absence.Places, error) {
	dir := ledger.StateDir("", e.home)
	if dir == "" {
		return absence.Places{}, check.Advise(errors.New("away orders need a home directory, and there is none"), "set HOME")
	}
	states := slices.Compact([]string{d.Dir, dir})
	return absence.Places{Orders: dir, States: states, Config: e.places.Config, Now: time.Now(), FindLog: d.FindLog}, nil
}

// projectHere returns the real path of the current repository, else of the working directory.
func (e *environment) projectHere() string {
	dir, _ := workspace.Nearest(e.work, "", []string{".git"}, e.home)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

func (o awayOptions) listInForce() error {
	inForce, summaries := o.OrdersInForce("", true), []absence.Order{}
	for _, one := range inForce {
		summaries = append(summaries, o.MaskOrder(one))
	}
	switch {
	case o.json:
		return o.printJSON(summaries)
	case len(inForce) == 0:
		o.say("no away order is in force; run springfield away 8h to set one")
	}
	o.printOrders(o.resultPrinter(), o.Places, inForce...)
	return nil
}

// printOrders prints orders, with secrets masked, and notes on their obstacles.
func (e *environment) printOrders(out layout.Printer, p absence.Places, orders ...ledger.AwayOrder) {
	for _, o := range orders {
		out.PrintText("%s", p.MaskOrder(o).Describe(p.Now.UnixMilli()))
		if o.Check != "" {
			out.PrintField("check    ", secret.Mask(o.Check))
		}
		if o.Note != "" {
			out.PrintField("note     ", secret.Mask(o.Note))
		}
		notes := e.whyIgnored(o)
		if lacks := e.howToAllow(o); lacks != "" {
			notes = append(notes, lacks)
		}
		for _, note := range notes {
			out.InYellow().PrintFolded("note: ", "%s", note)
		}
	}
}

// whyIgnored lists the reasons for agents to ignore the order.
func (e *environment) whyIgnored(o ledger.AwayOrder) []string {
	r := e.inspectionRequest()
	r.Places = e.placesFrom(cmp.Or(o.Project, e.work))
	in := doctor.Inspect(r)
	held := in.HeldOrOffInWords()
	if why, next := in.Overview().WhyNoneDecides(); why != "" {
		held = append(held, "no plugin decides there when an agent stops, so no new session follows this order: "+
			why+"; next: "+next)
	}
	return held
}

// howToAllow returns advice to allow the order's check, with secrets masked ("" if there is no check or it is allowed).
func (e *environment) howToAllow(o ledger.AwayOrder) (advice string) {
	places := e.placesFrom(cmp.Or(o.Project, e.work))
	return secret.Mask(absence.HowToAllow(o.Check, client.AllowRules(settings.NewSettings(places).AllLayers())))
}

// askToSetOrder asks a person at a terminal to confirm an away order, then sets it, makes the agreed settings changes
// and tries a snapshot. If the order only shortens the one in force, it asks nothing and needs no terminal. Call
// parseOptions and set o.Places first.
func (o awayOptions) askToSetOrder(ctx context.Context) error {
	order := ledger.AwayOrder{At: o.Now.UnixMilli(), Until: o.until.UnixMilli(), Most: o.most, Check: o.check, Note: o.note}
	if !o.all {
		order.Project = o.projectHere()
	}
	shorter, done, err := o.Shorten(order, !o.mostGiven, !o.checkGiven, !o.noteGiven)
	if err != nil {
		return fmt.Errorf("write away order: %w", err)
	}
	if done {
		o.printOrders(o.resultPrinter(), o.Places, shorter)
		return nil
	}
	tty, err := console.OwnTerminal(o.caller, "set an away order", o.typedCommand())
	if err != nil {
		return err
	}
	defer tty.Close()
	before, err := o.preflight(ctx, order)
	if err != nil {
		return err
	}
	before.WriteText(o.notePrinter())
	agreed := o.askSettings(ctx, tty, order, before.Version)
	question := o.question(order)
	if o.yes && len(agreed) > 0 {
		question += " springfield will also " + strings.Join(check.NamesOf(agreed, func(m settings.Member) string { return m.Did }), " and ") + "."
	}
	if err := o.confirmOn(ctx, tty, question); err != nil {
		return err
	}
	o.Now = time.Now()
	order.At, order.ID, order.From = o.Now.UnixMilli(), ledger.NewOrderID(o.Now), tty.Name
	kept := o.takeSnapshot(ctx, &order)
	if ctx.Err() != nil {
		return errCancelled
	}
	if err := o.ReplaceInScope(order); err != nil {
		return fmt.Errorf("write away order: %w", err)
	}
	for _, m := range agreed {
		o.applyMember(m)
	}
	o.say("%s\n%s", o.MaskOrder(order).Describe(o.Now.UnixMilli()), kept)
	o.talk("run springfield back to end it and see the report")
	return nil
}

func (o awayOptions) question(order ledger.AwayOrder) string {
	where := "every project"
	if order.Project != "" {
		where = o.notePrinter().ShortPath(order.Project)
	}
	until := absence.EndClock(time.UnixMilli(order.Until), o.Now)
	text := fmt.Sprintf("Keep agents at work in %s for %s, until %s, with at most %s?", where,
		timestamp.LengthInWords(order.Until-order.At), until, countOf(o.most, "continue"))
	if o.check != "" {
		text += " Done means that " + o.check + " passes."
	}
	return text
}

// confirmOn asks a question on tty, appending [y/N]. It returns nil only for yes.
func (o awayOptions) confirmOn(ctx context.Context, tty *terminal.Terminal, question string) error {
	if ctx.Err() != nil {
		return errCancelled
	}
	width := o.printer(o.err, tty.Screen).Width - len(" [y/N] ")
	lines := layout.BreakLine(display.OneLine(question), 2, width)
	return tty.Confirm(strings.Join(lines, "\n"), ctx.Done())
}

// preflight returns an error if no plugin decides, or if order.Project is the home directory or above it.
func (o awayOptions) preflight(ctx context.Context, order ledger.AwayOrder) (absence.Preflight, error) {
	in := doctor.Inspect(o.inspectionRequest())
	if why, next := in.Overview().WhyNoneDecides(); why != "" {
		return absence.Preflight{}, check.Advisef(next,
			"no plugin decides here when an agent stops, so an away order would do nothing: %s", why)
	}
	if home, err := filepath.EvalSymlinks(o.home); err == nil && file.WithinByName(home, order.Project) {
		return absence.Preflight{}, check.Advise(errors.New("sessions in your home directory or above it ignore away orders, because a project could plant one there"),
			"cd into the directory of the project, and run the command there")
	}
	before := o.Look(order, strings.Join(in.SumUpStatus().Deciding, ", "))
	if before.Version == "" {
		before.Version = o.claudeCommand().Version(ctx)
	}
	before.Notes = slices.Concat(before.Notes, o.notesOnSettings(before), in.HeldOrOffInWords())
	if order.Check != "" && o.howToAllow(order) == "" {
		before.Notes = append(before.Notes, "your rules allow the check")
	}
	before.Notes = append(before.Notes, "Claude Code's sessions are woken up to 30 min after an API error: you may then pay for the whole context again",
		"no agent works while this machine sleeps, so keep it awake; on macOS, run caffeinate -i")
	return before, nil
}
