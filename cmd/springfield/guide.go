// springfield without a verb: with nothing set up a guided path, one step after the
// other, else an overview. Every step is what its verb does, and says which.

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/check"
	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/inspection"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/interview"
	"github.com/cameronsjo/springfield/replay"
	"github.com/cameronsjo/springfield/runtime/registry"
)

// runBare is springfield without a verb. Only at a terminal it asks.
func runBare(cmd *cobra.Command, a *app, asJSON bool) error {
	places, err := a.places()
	if err != nil && !asJSON {
		return cmd.Help() // there is no home to say anything of
	}
	if err != nil {
		return err
	}
	in, err := inspection.Inspect(a.inspection(places))
	if err != nil {
		return &hinted{err, "springfield doctor tells about each of your settings; springfield --help lists the commands"}
	}
	asks := a.terminal && a.caller == nil && !asJSON
	switch {
	case asJSON:
		return a.encode(in.Overview())
	case asks && !in.Begun():
		g := guide{a: a, places: places, in: in, ask: a.asker(cmd.Context()), agents: a.guided()}
		return g.run(cmd.Context())
	case !in.Known():
		return cmd.Help()
	}
	in.Overview().WriteText(a.lines(), time.Now())
	if a.terminal {
		a.talk("springfield --help lists all commands")
	}
	return nil
}

// guide leads from nothing to a plugin that is on. What was done is not written down
// anywhere: the next call sees it.
type guide struct {
	a      *app
	places client.Places
	in     *inspection.Inspection
	ask    interview.Asker
	agents guided
}

// guided are the agents that the guide is about: those that are found, else Claude Code.
type guided struct {
	found                 []hosts.Place
	title, agent, program string
}

func (a *app) guided() guided {
	claude, _ := hosts.Named(hosts.Claude)
	g := guided{hosts.Found(a.owner()), claude.Title, claude.Agent, claude.Program}
	if len(g.found) == 0 {
		return g
	}
	var titles []string
	for _, at := range g.found {
		titles = append(titles, at.Host.Title)
	}
	g.title, g.agent, g.program = allOf(titles), "the agent", g.found[0].Host.Program
	if len(g.found) == 1 {
		g.agent = g.found[0].Host.Agent
	}
	return g
}

// errLeft is a no without which the next step cannot be taken.
var errLeft = errors.New("left")

func (g *guide) run(ctx context.Context) error {
	g.greet()
	err := g.lead(ctx)
	switch {
	case errors.Is(err, errLeft):
		err = nil
	case err == nil:
		return nil
	case exitCode(err) != cancelled:
		return err
	}
	g.a.notes().Say("\nThat is fine: run springfield, and it continues from here.")
	return err
}

func (g *guide) lead(ctx context.Context) error {
	if g.in.Suggestion() == "" {
		strategy, err := g.past(ctx)
		if err == nil {
			err = g.make(ctx, strategy)
		}
		if err != nil {
			return err
		}
		if g.in, err = inspection.Inspect(g.a.inspection(g.places)); err != nil {
			return err
		}
	}
	if err := g.enable(ctx); err != nil {
		return err
	}
	g.try()
	return nil
}

// greet says what springfield is and what comes.
func (g *guide) greet() {
	p := g.a.notes()
	whom, it := g.agents.title, "it"
	if len(g.agents.found) > 1 {
		whom, it = "your coding agents", "them"
	}
	p.Fold("", "%s keeps %s going while work obviously remains, and lets %s stop when a person is needed.", p.Strong("springfield"), whom, it)
	p.Say("")
	if g.in.Suggestion() != "" {
		p.Fold("", "You have made %s; it is not switched on yet. To leave, answer no or press Ctrl-C.", p.Strong(g.in.Suggestion()))
		return
	}
	p.Say("Nothing is set up yet. Here is the way, in five steps:\n")
	p.Table("  ", [][]string{
		{"1", "look at your past sessions", "springfield replay"},
		{"2", "make a plugin", "springfield init"},
		{"3", "switch it on", "springfield enable"},
		{"4", "try it", g.agents.program},
		{"5", "see why " + g.agents.agent + " went on, or stopped", "springfield why"},
	})
	p.Say("")
	p.Fold("", "Ctrl-C leaves at any time, and springfield goes on from there. springfield undo takes back every change.")
}

// step begins one, with the verb that does the same.
func (g *guide) step(n int, command, format string, args ...any) {
	p := g.a.notes()
	p.Say("")
	p.Fold(p.Strong(fmt.Sprintf("%d  ", n)), format, args...)
	p.Say("   %s", p.Faint("= "+command))
}

// past looks at past sessions, and finds the strategy that suits them.
func (g *guide) past(ctx context.Context) (string, error) {
	usual := registry.Default()
	options, err := g.a.replayed(replayOptions{})
	if err != nil {
		return "", err
	}
	files, bytes, whole := replay.Size(options.Paths, 300*time.Millisecond)
	if files == 0 {
		g.step(1, "springfield replay", "There are no past sessions of %s here yet, so there is nothing to look at. %s is a good start for everyone.", g.agents.title, usual)
		return usual, nil
	}
	more := ""
	if !whole {
		more = "more than "
	}
	g.step(1, "springfield replay", "You have %s%s of past sessions (%d MB). They are only read; no model is asked, and nothing leaves this machine.", more, count(files, "log"), max(1, bytes>>20))
	yes, err := g.ask.Confirm("Look at them?")
	if err != nil || !yes {
		return usual, err
	}
	var done func()
	options.Progress, done = g.a.watch("reading")
	report, err := replay.Run(ctx, options)
	done()
	if err == nil && report.Partial {
		err = errCancelled
	}
	if err != nil {
		return "", err
	}
	suits := report.Suits()
	g.tell(report, suits)
	return suits.Name, nil
}

// tell says what the past says of a strategy.
func (g *guide) tell(r replay.Report, suits replay.Score) {
	p := g.a.notes()
	stops := 0
	for _, l := range r.Labels {
		if l.Label != replay.MidWork {
			stops += l.N
		}
	}
	if stops == 0 {
		p.Fold("   ", "There is no stop in them to learn from yet. %s is a good start for everyone.", suits.Name)
		return
	}
	p.Fold("   ", "%s in %s; after %d of them all you typed was “continue” or the like.", count(stops, "stop"), count(r.Sessions, "session"), suits.Nudges.Of)
	if suits.Nudges.Of > 0 {
		p.Fold("   ", "%s would have gone on by itself at %d of %d, and wrongly at %d of the %d stops where you had more to say.", p.Strong(suits.Name), suits.Nudges.N, suits.Nudges.Of, suits.Wrong.N, suits.Wrong.Of)
	} else {
		p.Fold("   ", "%s would have gone on wrongly at %d of the %d stops where you had more to say.", p.Strong(suits.Name), suits.Wrong.N, suits.Wrong.Of)
	}
	p.Fold("   ", "%s", p.Faint("All strategies, and every stop: springfield replay --html replay.html"))
}

// make makes a suite with one plugin in it.
func (g *guide) make(ctx context.Context, strategy string) error {
	about, err := generator.ReadAbout(strategy)
	if err != nil {
		return err
	}
	o := initOptions{dir: g.freeDir(), strategies: []string{strategy}, yes: true, guided: true}
	command := "springfield init " + check.Quote(o.dir) + " --yes --strategy " + strategy
	if usual := generator.Slug(filepath.Base(o.dir)); g.a.checkMarketplace(usual, o.dir) != nil {
		for n := 2; n < 10 && (o.marketplace == "" || g.a.checkMarketplace(o.marketplace, o.dir) != nil); n++ {
			o.marketplace = fmt.Sprintf("%s-%d", usual, n)
		}
		command += " --marketplace " + o.marketplace
	}
	text := fmt.Sprintf("Make %s: it %s, reads %s, and costs %s a stop.", strategy, about.GoesOn, about.Reads, about.Cost)
	if carried, err := generator.ReadCarried(g.a.prebuilt); err != nil || carried == nil {
		text += " A first compilation takes up to half a minute."
	}
	g.step(2, command, "%s", text)
	yes, err := g.ask.Confirm("Make it?")
	if err == nil && !yes {
		g.a.notes().Say("   springfield init asks for everything that can be chosen.")
		err = errLeft
	}
	if err != nil {
		return err
	}
	return runInit(ctx, g.a, o)
}

// freeDir is where the suite goes: a directory of the home that nothing else has taken.
func (g *guide) freeDir() string {
	dir := filepath.Join(g.a.home, defaultSuite)
	if g.a.home == "" {
		dir = filepath.Join(g.a.work, defaultSuite)
	}
	free := dir
	for n := 2; n < 10; n++ {
		if _, err := generator.Existing(free); err == nil {
			break
		}
		free = fmt.Sprintf("%s-%d", dir, n)
	}
	return free
}

// enable switches the plugin on.
func (g *guide) enable(ctx context.Context) error {
	plugin, suite := g.in.Suggested()
	if plugin.Name == "" {
		return &hinted{errors.New("the suite that was made is not remembered"), "springfield enable NAME --suite DIR switches a plugin on"}
	}
	agents, flag, names := "", "", []string(nil)
	switch found := g.agents.found; {
	case len(found) > 1:
		agents, flag, names = " in "+g.agents.title, " --host "+allHosts, []string{allHosts}
	case len(found) == 1 && found[0].Host.Name != hosts.Claude:
		agents, names = " in "+g.agents.title, []string{found[0].Host.Name}
		flag = hostWords(names)
	}
	g.step(3, "springfield enable "+g.in.Suggestion()+flag, "Switch %s on%s: for you, in every project.", plugin.Name, agents)
	yes, err := g.ask.Confirm("Switch it on?")
	if err == nil && !yes {
		err = errLeft
	}
	if err != nil {
		return err
	}
	return runEnable(ctx, g.a, enableOptions{plugin: plugin.Name, suite: suite.Dir, scope: string(client.User), hosts: names})
}

// allOf names several things in a sentence.
func allOf(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// try says what is left to do: in the agent, and then here.
func (g *guide) try() {
	p := g.a.notes()
	program := g.agents.program
	if plugin, _ := g.in.Suggested(); inspection.ShowsItself(plugin.Strategy) {
		g.step(4, program, "Try it: start %s in any project, and say", program)
		p.Say("")
		p.Fold("   ", "%s", p.Strong(inspection.Try))
	} else {
		g.step(4, program, "Try it: start %s in any project, and work as usual.", program)
	}
	g.step(5, "springfield why --all", "When %s has stopped, ask why it went on, or did not.", g.agents.agent)
	p.Say("")
	p.Fold("", "springfield alone shows from now on what is on and what was decided; springfield hold lets every agent stop at once.")
}
