package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/doctor"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/absence"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/away"
	"github.com/cameronsjo/springfield/runtime/console"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/process"
	"github.com/cameronsjo/springfield/runtime/secret"
	"github.com/cameronsjo/springfield/runtime/terminal"
	"github.com/cameronsjo/springfield/runtime/timestamp"
	"github.com/cameronsjo/springfield/runtime/workspace"
)

type awayOptions struct {
	typed          string // how long: 8h, 06:10; "" for no order
	until          time.Time
	all, yes, json bool
	most           int
	mostGiven      bool
	check          string
	checkGiven     bool
}

func newAway(a *app) *cobra.Command {
	var o awayOptions
	cmd := &cobra.Command{
		Use:   "away [DURATION | HH:MM]",
		Short: "Keep agents at work while you are away",
		Long: `Orders every springfield hook of this project to keep its agent at work while you are
away: for a time like 8h, or until one like 06:10, at most 24 h. Questions that can be undone
are answered ("decide yourself"), dialogs and permissions are denied with a reason, and with
--check "done" means that the command passes. Nothing is ever allowed, and what is yours
alone to decide waits.

It shows first what is at work and what will not work, then asks at your terminal, so no
agent can set it. A shorter time than the order in force needs no terminal. Without a
duration it lists the orders in force, and what hinders them. springfield back ends it and
says what happened.`,
		Example: `  springfield away 8h --check 'make test'
  springfield away 06:10 --max 20
  springfield away`,
		Args: arguments(0, 4, "at most one duration"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.typed = strings.Join(args, " ")
			o.mostGiven, o.checkGiven = cmd.Flags().Changed("max"), cmd.Flags().Changed("check")
			if err := o.checkOptions(); err != nil {
				return err
			}
			return a.askState(cmd.Context(), a.work, func(d console.Console) error {
				places, err := a.absencePlaces(&d)
				if err == nil && o.typed == "" {
					return a.listOrders(places, o)
				}
				if err != nil {
					return err
				}
				l := leaving{app: a, Context: cmd.Context(), awayOptions: o, Places: places}
				return l.setOrder()
			})
		},
		PreRunE: a.needPlaces,
	}
	f := cmd.Flags()
	f.BoolVar(&o.all, "all", false, "in every project, not only in this one")
	f.IntVar(&o.most, "max", 50, "how many continues at most, over all sessions; at most 500")
	f.StringVar(&o.check, "check", "", "the command that tells whether the work is done; the agent runs it")
	f.BoolVar(&o.yes, "yes", false, "take what is offered besides; the order itself is always asked about")
	f.BoolVar(&o.json, "json", false, "print the orders in force as JSON")
	return cmd
}

// readEnd reads when an order is to end that is set now: after a time, or at one by the clock.
func readEnd(typed string, now time.Time) (end time.Time, err error) {
	if ms, ok := timestamp.ParseSpan(typed); ok {
		end = now.Add(time.Duration(ms) * time.Millisecond)
	} else if clock, err := time.Parse("15:04", typed); err == nil {
		end = time.Date(now.Year(), now.Month(), now.Day(), clock.Hour(), clock.Minute(), 0, 0, now.Location())
		if !end.After(now) {
			end = end.AddDate(0, 0, 1)
		}
	}
	if lasts := end.Sub(now); typed != "" && (lasts < time.Minute || lasts > ledger.MostAway) {
		return end, check.Misusef("write it like 8h, 90m or \"2 hours\", or 06:10 for until then",
			"%q is no time to be away: from 1 min to 24 h", typed)
	}
	return end, nil
}

// checkOptions tells whether an order can be like this, and finds its end.
func (o *awayOptions) checkOptions() (err error) {
	const example, script = "springfield away 8h --check 'make test'", "put the commands into a script, and name that"
	switch o.until, err = readEnd(o.typed, time.Now()); {
	case err != nil:
		return err
	case o.typed == "" && (o.mostGiven || o.checkGiven || o.yes):
		return check.Misuse(errors.New("an away order needs a duration"), example)
	case o.typed != "" && o.json:
		return check.Misuse(errors.New("--json lists the orders in force"), "springfield back --json tells of one")
	case o.most < 1 || o.most > ledger.MostContinues:
		return check.Misuse(fmt.Errorf("--max must be from 1 to %d", ledger.MostContinues), "springfield away 8h --max 50")
	case o.checkGiven && strings.TrimSpace(o.check) == "":
		return check.Misuse(errors.New("--check is empty"), example)
	case len(o.check) > ledger.MaxCheck:
		return check.Misuse(fmt.Errorf("--check is longer than %d bytes", ledger.MaxCheck), script)
	case strings.Join(strings.Fields(o.check), " ") != o.check || secret.Mask(o.check) != o.check:
		return check.Misuse(errors.New("--check must be one plain line without two blanks in a row or a secret"), script)
	}
	return nil
}

// absencePlaces are where away orders and what they have brought lie.
func (a *app) absencePlaces(d *console.Console) (absence.Places, error) {
	dir := ledger.StateDir("", a.home)
	if dir == "" {
		return absence.Places{}, check.Advise(errors.New("there is no home directory to keep away orders in"), "set HOME")
	}
	states := slices.Compact([]string{d.Dir, dir})
	return absence.Places{Orders: dir, States: states, Config: a.places.Config, Now: time.Now(), FindLog: d.FindLog}, nil
}

// awayProject is the project that an order is about.
func (a *app) awayProject() string {
	dir := workspace.Nearest(a.work, "", []string{".git"}, a.home)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

func (a *app) listOrders(p absence.Places, o awayOptions) error {
	inForce, summaries := p.OrdersInForce("", true), []absence.Order{}
	for _, one := range inForce {
		summaries = append(summaries, p.Summary(one))
	}
	switch {
	case o.json:
		return a.printJSON(summaries)
	case len(inForce) == 0:
		a.say("no away order is in force; springfield away 8h sets one")
	}
	a.sayOrders(a.resultPrinter(), p, inForce...)
	return nil
}

// sayOrders says what orders are, and what hinders them.
func (a *app) sayOrders(out layout.Printer, p absence.Places, orders ...ledger.AwayOrder) {
	for _, o := range orders {
		out.PrintText("%s", p.Summary(o).Describe(p.Now.UnixMilli()))
		if o.Check != "" {
			out.PrintField("done is  ", secret.Mask(o.Check))
		}
		notes := a.hindrances(o)
		if lacks := a.lackedRule(o); lacks != "" {
			notes = append(notes, lacks)
		}
		for _, note := range notes {
			out.InYellow().PrintFolded("note: ", "%s", note)
		}
	}
}

// hindrances are what keeps agents from heeding an order: that no plugin decides there, holds.
func (a *app) hindrances(o ledger.AwayOrder) []string {
	r := a.inspectionRequest()
	places, err := a.placesFrom(cmp.Or(o.Project, a.work))
	if r.Places = places; err != nil {
		return nil
	}
	in := doctor.Inspect(r)
	held := in.PausedInWords()
	if why, next := in.Overview().WhyNoneDecides(); why != "" {
		held = append(held, "no plugin decides there when an agent stops, so no new session heeds this order: "+
			why+"; next: "+next)
	}
	return held
}

// lackedRule says that no rule allows an order's check, "" where one does.
func (a *app) lackedRule(o ledger.AwayOrder) string {
	places, err := a.placesFrom(cmp.Or(o.Project, a.work))
	if err != nil {
		return ""
	}
	return secret.Mask(absence.LackedRule(o.Check, client.AllowRules(settings.ReadSettings(places).AllLayers())))
}

// noteHindered notes which orders are in force and hindered, after plugins were switched off.
func (a *app) noteHindered(*cobra.Command, []string) {
	p := absence.Places{Orders: ledger.StateDir("", a.home), Now: time.Now()}
	if p.Orders == "" {
		return
	}
	for _, o := range p.OrdersInForce("", true) {
		if len(a.hindrances(o)) > 0 {
			a.sayOrders(a.notePrinter(), p, o)
		}
	}
}

// leaving is an order that the user is about to set.
type leaving struct {
	*app
	context.Context
	awayOptions
	absence.Places
	order    ledger.AwayOrder
	terminal *terminal.Terminal
}

// setOrder sets the order, after a look at what is at work and a yes at the user's terminal.
func (l *leaving) setOrder() error {
	l.order = ledger.AwayOrder{At: l.Now.UnixMilli(), Until: l.until.UnixMilli(), Most: l.most, Check: l.check}
	if !l.all {
		l.order.Project = l.awayProject()
	}
	shorter, done, err := l.Shorten(l.order, !l.mostGiven, !l.checkGiven)
	if err != nil {
		return fmt.Errorf("write away order: %w", err)
	}
	if done {
		l.sayOrders(l.resultPrinter(), l.Places, shorter)
		return nil
	}
	again := l.callAgain()
	if l.caller != nil {
		return check.Advise(errors.New("only a person sets an away order, not "+l.caller.Agent),
			"open a terminal outside "+l.caller.Title+" and run: "+again)
	}
	if l.terminal, err = terminal.OwnTerminal(); err != nil {
		return check.Advise(fmt.Errorf("only a person at a terminal sets an away order: %w", err),
			"open a terminal that no agent and no program of yours has opened, and run: "+again)
	}
	defer l.terminal.Close()
	before, err := l.look()
	if err != nil {
		return err
	}
	before.WriteText(l.notePrinter())
	if err := l.confirm(l.question()); err != nil {
		return err
	}
	l.Now = time.Now()
	l.order.At, l.order.ID, l.order.From = l.Now.UnixMilli(), ledger.NewOrderID(l.Now), l.terminal.Name
	kept := l.keepTree()
	if l.Err() != nil {
		return errCancelled
	}
	if err := l.SetOrder(l.order); err != nil {
		return fmt.Errorf("write away order: %w", err)
	}
	l.say("%s\n%s", l.Summary(l.order).Describe(l.Now.UnixMilli()), kept)
	l.talk("springfield back ends it, and says what happened")
	l.offer(before.Version) // last: who leaves after the yes waits for no other question
	return nil
}

// callAgain is the call as the user types it.
func (l *leaving) callAgain() string {
	again := "springfield away " + l.typed
	if l.all {
		again += " --all"
	}
	if l.mostGiven {
		again += fmt.Sprintf(" --max %d", l.most)
	}
	if l.checkGiven {
		again += " --check " + check.QuoteArgument(l.check)
	}
	return again
}

// question is what the user says yes to.
func (l *leaving) question() string {
	where := "every project"
	if l.order.Project != "" {
		where = l.notePrinter().ShortPath(l.order.Project)
	}
	until := absence.UntilInWords(time.UnixMilli(l.order.Until), l.Now)
	text := fmt.Sprintf("Keep agents at work in %s for %s, until %s, with at most %s?", where,
		timestamp.LengthInWords(l.order.Until-l.order.At), until, countOf(l.most, "continue"))
	if l.check != "" {
		text += " Done means that " + l.check + " passes."
	}
	return text
}

// confirm asks on the terminal, in lines that are not broken there.
func (l *leaving) confirm(question string) error {
	if l.Err() != nil {
		return errCancelled
	}
	width := l.shown.printer(l.err, l.terminal.Screen, "").Width - len(" [y/N] ")
	lines := layout.BreakLine(display.OneLine(question), 2, width)
	return l.terminal.Confirm(strings.Join(lines, "\n"), l.Done())
}

// look looks at what is at work. Where no plugin decides at a stop, no order does anything.
func (l *leaving) look() (absence.Preflight, error) {
	in := doctor.Inspect(l.inspectionRequest())
	if why, next := in.Overview().WhyNoneDecides(); why != "" {
		return absence.Preflight{}, check.Advisef(next,
			"no plugin decides here when an agent stops, so an away order would do nothing: %s", why)
	}
	if home, err := filepath.EvalSymlinks(l.home); err == nil && file.LiesWithin(home, l.order.Project) {
		return absence.Preflight{}, check.Advise(errors.New("sessions in your home directory or above it heed no away order: a project could bring one along there"),
			"cd into the directory of the project, and run it there")
	}
	asleep := ""
	if runtime.GOOS == "darwin" {
		ask := process.Program{Argv: []string{"/usr/bin/pmset", "-g"}, Dir: "/", Within: 2 * time.Second}
		said, _ := ask.AskOutput(16 << 10) // "" if it does not say
		asleep = string(said)
	}
	before := l.Look(l.order, strings.Join(in.SumUpStatus().Deciding, ", "), asleep)
	before.Notes = append(before.Notes, in.PausedInWords()...)
	return before, nil
}

// keepTree keeps HEAD and the files as they are, and says what came of it.
func (l *leaving) keepTree() string {
	const none = "no snapshot of files: "
	if l.all {
		return none + "the order is for every project"
	}
	defer l.showWorking("keeping the files as they are")()
	repository, err := l.gitOfProcess().Repository(l, l.order.Project)
	if err == nil && repository == nil {
		return none + l.order.Project + " is in no git repository"
	}
	if err == nil {
		l.order.Head, l.order.Kept, err = repository.KeepTree(l, l.order.ID)
	}
	if err != nil {
		l.order.Kept = ""
		return none + err.Error()
	}
	nested := ""
	if n, err := repository.CountNested(l); err == nil && n > 0 {
		nested = ", but not in " + countOf(n, "submodule or nested checkout")
	}
	return "the files as they are now are kept" + nested + "; springfield back says how to return to them"
}

// offer asks about what helps through the night: to go on after a usage limit, and the rule that
// allows the check.
func (l *leaving) offer(version string) {
	if command := l.claudeCommand(); version == "" && command.Path != "" {
		version = command.Version(l)
	}
	offer := func(question string, m settings.Member) {
		c, err := settings.ReadSettings(l.places).PlanMember(m)
		if (err != nil || !c.IsEmpty()) && (l.yes || l.confirm(question) == nil) { // a no is an answer
			l.changeSettings(m)
		}
	}
	if absence.NewerVersion(version, "2.1.233") { // which did not know this setting
		const name = "autoContinueAtUsageLimit"
		m := settings.Member{Scope: client.User, Path: []string{name}, Did: "set " + name + " in user settings"}
		m.Change = func(was json.RawMessage) (json.RawMessage, error) {
			if was != nil {
				return nil, nil // the user has decided about it
			}
			return json.RawMessage("true"), nil
		}
		offer("Have Claude Code wait for a usage limit to end, and go on ("+name+" in your settings)?", m)
	}
	if rule := away.RuleFor(l.check); rule != "" && !l.all && l.lackedRule(l.order) != "" {
		m := settings.Member{Scope: client.Local, Path: []string{"permissions", "allow"}, Did: didAllow(rule)}
		m.Change = func(was json.RawMessage) (json.RawMessage, error) { return addRule(was, rule) }
		offer("Allow "+rule+" in this project (permissions.allow in .claude/settings.local.json)?", m)
	}
	if lacks := l.lackedRule(l.order); lacks != "" {
		l.notePrinter().InYellow().PrintFolded("note: ", "%s", lacks)
	}
}

// didAllow is what the journal says of a rule that the user has agreed to.
func didAllow(rule string) string { return "allow " + rule + " in local settings" }

// changeSettings changes a member of settings that the user has agreed to.
func (l *leaving) changeSettings(m settings.Member) {
	c, err := settings.Journal(l.places).PlanAndApply(func() (journal.Change, error) {
		return settings.ReadSettings(l.places).PlanMember(m)
	})
	if err != nil {
		l.talk("springfield: note: springfield could not %s: %v", m.Did, err)
		return
	}
	l.resultPrinter().PrintDiff(c.Diff())
	l.talk("%s: done; springfield undo takes it back", m.Did)
}

// addRule adds a rule to a list of them, nil if it is there.
func addRule(was json.RawMessage, rule string) (json.RawMessage, error) {
	rules := []any{}
	if was != nil && json.Unmarshal(was, &rules) != nil {
		return nil, errors.New("permissions.allow is no list")
	}
	if slices.Contains(rules, any(rule)) {
		return nil, nil
	}
	return document.EncodeValue(append(rules, rule))
}
