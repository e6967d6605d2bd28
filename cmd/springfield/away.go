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
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/absence"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/runtime/console"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/process"
	"github.com/cameronsjo/springfield/runtime/terminal"
	"github.com/cameronsjo/springfield/runtime/timestamp"
	"github.com/cameronsjo/springfield/runtime/workspace"
)

type awayOptions struct {
	all, yes, json bool
	most           int
	mostGiven      bool
	check          string
	checkGiven     bool
}

func newAway(a *app) *cobra.Command {
	var o awayOptions
	cmd := &cobra.Command{
		Use:   "away [DURATION]",
		Short: "Keep agents at work while you are away",
		Long: `Orders every springfield hook of this project to keep its agent at work while you are
away: for a time like 8h, at most 24 h. Questions that can be undone are answered ("decide
yourself"), dialogs and permissions are denied with a reason, and with --check "done" means
that the command passes. Nothing is ever allowed, and what is yours alone to decide waits.

It shows first what is at work and what will not work, then asks at your terminal, so no
agent can set it. A shorter time than the order in force needs no terminal. Without a
duration it lists the orders in force. springfield back ends it and says what happened.`,
		Example: `  springfield away 8h --check 'make test'
  springfield away 90m --max 20
  springfield away`,
		Args: arguments(0, 4, "at most one duration"),
		RunE: func(cmd *cobra.Command, args []string) error {
			duration, err := console.ParseDuration(strings.Join(args, " "))
			if err != nil {
				return check.Misuse(err, "springfield away 8h, or 90m, or \"2 hours\"")
			}
			o.mostGiven, o.checkGiven = cmd.Flags().Changed("max"), cmd.Flags().Changed("check")
			if err := o.checkOptions(duration); err != nil {
				return err
			}
			return a.askState(cmd.Context(), a.work, func(d console.Console) error {
				places, err := a.absencePlaces(&d)
				if err == nil && duration == 0 {
					return a.listOrders(places, o)
				}
				if err == nil {
					err = a.setAway(cmd.Context(), &d, places, o, duration)
				}
				return err
			})
		},
		PreRunE: a.needPlaces,
	}
	f := cmd.Flags()
	f.BoolVar(&o.all, "all", false, "in every project, not only in this one")
	f.IntVar(&o.most, "max", 50, "how many continues at most, over all sessions; at most 500")
	f.StringVar(&o.check, "check", "", "the command that tells whether the work is done, run by the agent with its own tools")
	f.BoolVar(&o.yes, "yes", false, "take what is offered besides; the order itself is always asked about")
	f.BoolVar(&o.json, "json", false, "print the orders in force as JSON")
	return cmd
}

// checkOptions tells whether an order can be like this.
func (o *awayOptions) checkOptions(duration time.Duration) error {
	const example = "springfield away 8h --check 'make test'"
	switch {
	case duration == 0 && (o.mostGiven || o.checkGiven || o.yes):
		return check.Misuse(errors.New("an away order needs a duration"), example)
	case duration > 0 && o.json:
		return check.Misuse(errors.New("--json lists the orders in force: it takes no duration"), "springfield back --json tells of one")
	case duration > ledger.MostAway:
		return check.Misuse(errors.New("an away order lasts 24 h at most"), "springfield away 24h")
	case o.most < 1 || o.most > ledger.MostContinues:
		return check.Misuse(fmt.Errorf("--max must be from 1 to %d", ledger.MostContinues), "springfield away 8h --max 50")
	case o.checkGiven && strings.TrimSpace(o.check) == "":
		return check.Misuse(errors.New("--check is empty"), example)
	case len(o.check) > ledger.MaxCheck:
		return check.Misuse(fmt.Errorf("--check is longer than %d bytes", ledger.MaxCheck), "put the commands into a script, and name that")
	case strings.Join(strings.Fields(o.check), " ") != o.check || absence.Mask(o.check) != o.check:
		return check.Misuse(errors.New("--check must be one plain line, without two blanks in a row or a secret"), "put the commands into a script, and name that")
	}
	return nil
}

// absencePlaces are where away orders and what they have brought lie.
func (a *app) absencePlaces(d *console.Console) (absence.Places, error) {
	dir := ledger.StateDir("", a.home)
	if dir == "" {
		return absence.Places{}, check.Advise(errors.New("there is no home directory to keep away orders in"), "set HOME")
	}
	states := []string{d.Dir}
	if dir != d.Dir {
		states = append(states, dir)
	}
	return absence.Places{Orders: dir, States: states, Config: a.places.Config, Now: time.Now(), FindLog: d.FindLog}, nil
}

// awayProject is the project that an order is about.
func (a *app) awayProject() string {
	dir := workspace.Nearest(a.work, []string{".git"}, a.home)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

func (a *app) listOrders(p absence.Places, o awayOptions) error {
	orders := []absence.Order{}
	for _, one := range p.OrdersInForce("", true) {
		orders = append(orders, p.Summary(one))
	}
	if o.json {
		return a.printJSON(orders)
	}
	if len(orders) == 0 {
		a.say("no away order is in force")
	}
	for _, one := range orders {
		a.say("%s", one.Describe(p.Now.UnixMilli()))
	}
	return nil
}

// setAway sets an order, after a look at what is at work and a yes at the user's terminal.
func (a *app) setAway(ctx context.Context, d *console.Console, p absence.Places, o awayOptions, duration time.Duration) error {
	order := ledger.AwayOrder{At: p.Now.UnixMilli(), Until: p.Now.Add(duration).UnixMilli(), Most: o.most, Check: o.check}
	if !o.all {
		order.Project = a.awayProject()
	}
	shorter, done, err := p.Shorten(order, !o.mostGiven, !o.checkGiven)
	if err != nil {
		return fmt.Errorf("write away order: %w", err)
	}
	if done {
		a.say("%s", p.Summary(shorter).Describe(p.Now.UnixMilli()))
		return nil
	}
	again := o.callAgain(duration)
	if a.caller != nil {
		return check.Advise(errors.New("only a person sets an away order, not "+a.caller.Agent),
			"open a terminal outside "+a.caller.Title+" and run: "+again)
	}
	t, err := terminal.OwnTerminal()
	if err != nil {
		return check.Advise(fmt.Errorf("only a person at a terminal sets an away order: %w", err),
			"open a terminal that no agent and no program of yours has opened, and run: "+again)
	}
	defer t.Close()
	before, err := a.lookBeforeAway(p, order)
	if err != nil {
		return err
	}
	before.WriteText(a.notePrinter())
	if err := t.Confirm(a.awayQuestion(order, duration), ctx.Done()); err != nil {
		return err
	}
	if err := a.offerBesides(ctx, t, o, before.Version); ctx.Err() != nil {
		return errCancelled
	} else if err != nil {
		a.talk("springfield: note: what was offered was not done: %v", err)
	}
	p.Now = time.Now()
	order.ID, order.From = ledger.NewOrderID(p.Now), t.Name
	order.At, order.Until = p.Now.UnixMilli(), p.Now.Add(duration).UnixMilli()
	kept := a.keepTree(ctx, &order)
	if err := p.SetOrder(order); err != nil {
		return fmt.Errorf("write away order: %w", err)
	}
	a.say("%s", p.Summary(order).Describe(p.Now.UnixMilli()))
	a.say("%s", kept)
	a.talk("springfield back ends it, and says what happened")
	return nil
}

func (o awayOptions) callAgain(duration time.Duration) string {
	again := "springfield away " + strings.ReplaceAll(timestamp.LengthInWords(duration.Milliseconds()), " ", "")
	if o.all {
		again += " --all"
	}
	if o.mostGiven {
		again += fmt.Sprintf(" --max %d", o.most)
	}
	if o.checkGiven {
		again += " --check " + check.QuoteArgument(o.check)
	}
	return again
}

func (a *app) awayQuestion(order ledger.AwayOrder, duration time.Duration) string {
	out := a.notePrinter()
	where := "every project"
	if order.Project != "" {
		where = out.ShortPath(order.Project)
	}
	until := absence.UntilInWords(time.UnixMilli(order.Until), time.Now())
	text := fmt.Sprintf("Keep agents at work in %s for %s, until %s, with at most %s?", where, timestamp.LengthInWords(duration.Milliseconds()), until, countOf(order.Most, "continue"))
	if order.Check != "" {
		text += " Done means that " + order.Check + " passes."
	}
	return text
}

// lookBeforeAway looks at what is at work. Where no plugin decides at a stop, no order does anything.
func (a *app) lookBeforeAway(p absence.Places, order ledger.AwayOrder) (absence.Preflight, error) {
	in, others, _, err := a.inspectHosts(a.inspectionRequest(), nil)
	if err != nil {
		return absence.Preflight{}, err
	}
	status, plugin, decides := in.SumUpStatus(), "", false
	if len(status.Deciding) > 0 {
		plugin, decides = strings.Join(status.Deciding, ", "), true
	}
	for _, o := range others {
		for _, p := range o.Plugins {
			decides = decides || p.Decides
		}
	}
	if !decides {
		why, _, _ := strings.Cut(strings.Join(status.Reasons, "; "), "; next: ")
		return absence.Preflight{}, check.Advise(errors.New("no plugin decides here when an agent stops, so an away order would do nothing: "+why), in.HowToBegin())
	}
	asleep := []byte{}
	if runtime.GOOS == "darwin" {
		asleep, _ = process.Program{Argv: []string{"/usr/bin/pmset", "-g"}, Dir: "/", Within: 2 * time.Second}.AskOutput(16 << 10) // "" if it does not say
	}
	return p.Look(order, plugin, string(asleep)), nil
}

// keepTree keeps HEAD and the files as they are, and says what came of it.
func (a *app) keepTree(ctx context.Context, order *ledger.AwayOrder) string {
	if order.Project == "" {
		return "no snapshot of files: the order is for every project"
	}
	defer a.showWorking("keeping the files as they are")()
	repository, err := a.gitOfProcess().Repository(ctx, order.Project)
	if err == nil && repository == nil {
		return "no snapshot of files: " + order.Project + " is in no git repository"
	}
	if err == nil {
		order.Head, order.Kept, err = repository.KeepTree(ctx, order.ID)
	}
	if err != nil {
		order.Kept = ""
		return "no snapshot of files: " + err.Error()
	}
	return "the files as they are now are kept; springfield back says how to return to them"
}

// offerBesides offers what helps through the night: going on after a usage limit, and the rule that
// allows the check.
func (a *app) offerBesides(ctx context.Context, t *terminal.Terminal, o awayOptions, version string) error {
	if command := a.claudeCommand(); version == "" && command.Path != "" {
		version, _ = command.Version(ctx)
	}
	if absence.WaitsAfterLimit(version) {
		limit := func() (journal.Change, error) {
			return settings.ReadSettings(a.places).PlanMember(client.User, "set autoContinueAtUsageLimit in user settings",
				func(was json.RawMessage) (json.RawMessage, error) {
					if was != nil { // the user has decided about it
						return nil, nil
					}
					return json.RawMessage("true"), nil
				}, "autoContinueAtUsageLimit")
		}
		if err := a.offerChange(ctx, t, o, "Have Claude Code wait for the reset at a usage limit, and go on (autoContinueAtUsageLimit in your settings)?", limit); err != nil {
			return err
		}
	}
	rule := absence.RuleFor(o.check)
	switch {
	case o.check == "":
		return nil
	case rule == "" || o.all:
		a.talk("springfield: note: in default mode the check is refused unless a rule of yours allows it: add one to permissions.allow for %s", o.check)
		return nil
	}
	allow := func() (journal.Change, error) {
		return settings.ReadSettings(a.places).PlanMember(client.Local, "allow "+rule+" in local settings",
			func(was json.RawMessage) (json.RawMessage, error) { return addRule(was, rule) }, "permissions", "allow")
	}
	return a.offerChange(ctx, t, o, "Allow "+rule+" in this project (permissions.allow in .claude/settings.local.json)?", allow)
}

// addRule adds a rule to a list of them, nil if it is there.
func addRule(was json.RawMessage, rule string) (json.RawMessage, error) {
	var rules []json.RawMessage
	if was != nil {
		if err := json.Unmarshal(was, &rules); err != nil {
			return nil, errors.New("permissions.allow is no list")
		}
	}
	text, err := json.Marshal(rule)
	if err != nil || slices.ContainsFunc(rules, func(r json.RawMessage) bool { return string(r) == string(text) }) {
		return nil, err
	}
	return json.Marshal(append(rules, text))
}

// offerChange makes a change of settings after a yes, if there is anything to change.
func (a *app) offerChange(ctx context.Context, t *terminal.Terminal, o awayOptions, question string, plan func() (journal.Change, error)) error {
	c, err := plan()
	if err != nil || c.IsEmpty() {
		return err
	}
	if !o.yes {
		if err := t.Confirm(question, ctx.Done()); err != nil {
			return ctx.Err() // a no is an answer
		}
	}
	if c, err = settings.Journal(a.places).PlanAndApply(plan); err != nil {
		return hintChange(err, "away")
	}
	a.resultPrinter().PrintDiff(c.Diff())
	a.talk("%s: done; springfield undo takes it back", cmp.Or(c.Did, "settings"))
	return nil
}
