package main

import (
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
	"github.com/cameronsjo/springfield/runtime/console"
	"github.com/cameronsjo/springfield/runtime/display"
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
				if err != nil {
					return err
				}
				l := leaving{app: a, Context: cmd.Context(), awayOptions: o, Places: places, duration: duration}
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

// checkOptions tells whether an order can be like this.
func (o *awayOptions) checkOptions(duration time.Duration) error {
	const example, script = "springfield away 8h --check 'make test'", "put the commands into a script, and name that"
	switch {
	case duration == 0 && (o.mostGiven || o.checkGiven || o.yes):
		return check.Misuse(errors.New("an away order needs a duration"), example)
	case duration > 0 && o.json:
		return check.Misuse(errors.New("--json lists the orders in force"), "springfield back --json tells of one")
	case duration > ledger.MostAway:
		return check.Misuse(errors.New("an away order lasts 24 h at most"), "springfield away 24h")
	case o.most < 1 || o.most > ledger.MostContinues:
		return check.Misuse(fmt.Errorf("--max must be from 1 to %d", ledger.MostContinues), "springfield away 8h --max 50")
	case o.checkGiven && strings.TrimSpace(o.check) == "":
		return check.Misuse(errors.New("--check is empty"), example)
	case len(o.check) > ledger.MaxCheck:
		return check.Misuse(fmt.Errorf("--check is longer than %d bytes", ledger.MaxCheck), script)
	case strings.Join(strings.Fields(o.check), " ") != o.check || absence.Mask(o.check) != o.check:
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

// leaving is an order that the user is about to set.
type leaving struct {
	*app
	context.Context
	awayOptions
	absence.Places
	duration time.Duration
	order    ledger.AwayOrder
	terminal *terminal.Terminal
}

// setOrder sets the order, after a look at what is at work and a yes at the user's terminal.
func (l *leaving) setOrder() error {
	l.order = ledger.AwayOrder{Most: l.most, Check: l.check}
	l.setTime()
	if !l.all {
		l.order.Project = l.awayProject()
	}
	shorter, done, err := l.Shorten(l.order, !l.mostGiven, !l.checkGiven)
	if err != nil {
		return fmt.Errorf("write away order: %w", err)
	}
	if done {
		l.say("%s", l.Summary(shorter).Describe(l.Now.UnixMilli()))
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
	if err := l.terminal.Confirm(l.question(), l.Done()); err != nil {
		return err
	}
	if err := l.offer(before.Version); l.Err() != nil {
		return errCancelled
	} else if err != nil {
		l.talk("springfield: note: what was offered was not done: %v", err)
	}
	l.setTime()
	l.order.ID, l.order.From = ledger.NewOrderID(l.Now), l.terminal.Name
	kept := l.keepTree()
	if err := l.SetOrder(l.order); err != nil {
		return fmt.Errorf("write away order: %w", err)
	}
	l.say("%s\n%s", l.Summary(l.order).Describe(l.Now.UnixMilli()), kept)
	l.talk("springfield back ends it, and says what happened")
	return nil
}

// setTime has the order begin now.
func (l *leaving) setTime() {
	l.Now = time.Now()
	l.order.At, l.order.Until = l.Now.UnixMilli(), l.Now.Add(l.duration).UnixMilli()
}

// callAgain is the call as the user types it.
func (l *leaving) callAgain() string {
	again := "springfield away " + strings.ReplaceAll(timestamp.LengthInWords(l.duration.Milliseconds()), " ", "")
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
	text := "Keep agents at work in " + where + " for " + timestamp.LengthInWords(l.duration.Milliseconds()) +
		", until " + until + ", with at most " + countOf(l.most, "continue") + "?"
	if l.check != "" {
		text += " Done means that " + l.check + " passes."
	}
	out := l.notePrinter()
	if text = display.OneLine(text); !out.Wraps {
		return text
	}
	return strings.Join(layout.BreakLine(text, 2, out.Width), "\n")
}

// look looks at what is at work. Where no plugin decides at a stop, no order does anything.
func (l *leaving) look() (absence.Preflight, error) {
	in, others, _, err := l.inspectHosts(l.inspectionRequest(), nil)
	if err != nil {
		return absence.Preflight{}, err
	}
	status := in.SumUpStatus()
	decides := len(status.Deciding) > 0
	for _, o := range others {
		decides = decides || slices.ContainsFunc(o.Plugins, func(p doctor.HostPlugin) bool { return p.Decides })
	}
	if !decides {
		why, _, _ := strings.Cut(strings.Join(status.Reasons, "; "), "; next: ")
		return absence.Preflight{}, check.Advisef(in.HowToBegin(),
			"no plugin decides here when an agent stops, so an away order would do nothing: %s", why)
	}
	asleep := ""
	if runtime.GOOS == "darwin" {
		ask := process.Program{Argv: []string{"/usr/bin/pmset", "-g"}, Dir: "/", Within: 2 * time.Second}
		said, _ := ask.AskOutput(16 << 10) // "" if it does not say
		asleep = string(said)
	}
	return l.Look(l.order, strings.Join(status.Deciding, ", "), asleep), nil
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
	return "the files as they are now are kept; springfield back says how to return to them"
}

// offer offers what helps through the night: to go on after a usage limit, and the rule that allows
// the check.
func (l *leaving) offer(version string) error {
	if command := l.claudeCommand(); version == "" && command.Path != "" {
		version, _ = command.Version(l)
	}
	if absence.WaitsAfterLimit(version) {
		const name = "autoContinueAtUsageLimit"
		m := settings.Member{Scope: client.User, Path: []string{name}, Did: "set " + name + " in user settings"}
		m.Change = func(was json.RawMessage) (json.RawMessage, error) {
			if was != nil {
				return nil, nil // the user has decided about it
			}
			return json.RawMessage("true"), nil
		}
		err := l.offerMember("Have Claude Code wait for a usage limit to end, and go on ("+name+" in your settings)?", m)
		if err != nil {
			return err
		}
	}
	rule := absence.RuleFor(l.check)
	if l.check != "" && (rule == "" || l.all) {
		l.talk("springfield: note: without a rule in permissions.allow for it, the check may be refused: %s", l.check)
	}
	if rule == "" || l.all {
		return nil
	}
	m := settings.Member{Scope: client.Local, Path: []string{"permissions", "allow"}, Did: "allow " + rule + " in local settings"}
	m.Change = func(was json.RawMessage) (json.RawMessage, error) { return addRule(was, rule) }
	return l.offerMember("Allow "+rule+" in this project (permissions.allow in .claude/settings.local.json)?", m)
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

// offerMember changes a member of settings after a yes, if there is anything to change.
func (l *leaving) offerMember(question string, m settings.Member) error {
	plan := func() (journal.Change, error) { return settings.ReadSettings(l.places).PlanMember(m) }
	c, err := plan()
	if err != nil || c.IsEmpty() {
		return err
	}
	if !l.yes && l.terminal.Confirm(question, l.Done()) != nil {
		return nil // a no is an answer
	}
	if c, err = settings.Journal(l.places).PlanAndApply(plan); err != nil {
		return hintChange(err, "away")
	}
	l.resultPrinter().PrintDiff(c.Diff())
	l.talk("%s: done; springfield undo takes it back", m.Did)
	return nil
}
