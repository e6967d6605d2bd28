package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/doctor"
	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/runtime/console"
	"github.com/cameronsjo/springfield/runtime/registry"
)

func runBare(cmd *cobra.Command, a *app, asJSON bool) error {
	in := doctor.Inspect(a.inspectionRequest())
	o := in.Overview()
	switch {
	case asJSON:
		return a.printJSON(o)
	case !o.Begun && check.CountState(o.Problems, check.Failure) == 0:
		return a.introduceAndOffer(cmd, in)
	}
	if err := a.showUnseenReport(cmd.Context()); err != nil {
		return err
	}
	o.WriteText(a.resultPrinter(), time.Now())
	if a.terminal {
		a.talk("run springfield --help to list all commands")
	}
	return nil
}

// showUnseenReport prints the report on the project's latest away order if that has ended and is unseen. It marks the
// report as seen, unless an agent runs this.
func (a *app) showUnseenReport(ctx context.Context) error {
	return a.useAndSweep(ctx, a.work, func(d console.Console) error {
		p, err := a.absencePlaces(&d)
		if err != nil {
			return nil // no order
		}
		if order, unseen := p.Unseen(a.projectHere()); unseen {
			a.reportOf(ctx, p, order).WriteText(a.resultPrinter())
			a.markLooked(p, order)
			a.say("")
		}
		return nil
	})
}

// introduceAndOffer prints an introduction, asks whether to enable a plugin, and does so on yes. It saves a no to a
// file. For agents, without a terminal or after a no, it prints the command instead.
func (a *app) introduceAndOffer(cmd *cobra.Command, in *doctor.Inspection) error {
	out := a.resultPrinter()
	out.PrintFolded("", "springfield keeps coding agents going while work obviously remains, and lets them stop when a person is needed.")
	plugin, suite := in.ChooseInSuites(generator.Suite.FirstToEnable)
	command := in.NextIfNoneOn()
	if plugin.Name == "" {
		plugin.Name, plugin.Strategy = registry.Default(), registry.Default()
		out.PrintText("Nothing is set up yet. You can revert the next step with springfield undo.")
	} else {
		out.PrintText("You have made %s; it is not enabled yet.", plugin.Name)
	}
	o := enableOptions{switching: switching{app: a}}
	o.Plugin, o.Suite, o.Scope = plugin.Name, suite.Dir, client.User
	if found := hosts.HostsFound(a.hostOwner()); len(found) > 1 {
		o.hosts = []string{allHosts}
		command += " --host " + allHosts
	}
	declined := a.places.StatePath("declined") // after a no
	if !a.terminal || a.caller != nil || rooted.TargetExists(declined) {
		out.PrintNext("%s", command)
		return nil
	}
	if about, err := generator.ReadAbout(plugin.Strategy); err == nil {
		out.PrintText("%s %s.", plugin.Name, about.GoesOn)
	}
	yes, err := o.askToEnable(cmd.Context(), "")
	if err != nil || yes {
		return err
	}
	if err := cmp.Or(journal.MakeDirs(filepath.Dir(declined)), os.WriteFile(declined, nil, 0o600)); err != nil {
		return fmt.Errorf("remember the answer: %w", err)
	}
	out.PrintText("springfield does not ask again. To enable it later:")
	out.PrintUnbroken("  " + command)
	a.talk("run springfield list to compare the plugins, or springfield --help to list all commands")
	return nil
}
