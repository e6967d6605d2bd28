package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/installer/doctor"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/console"
	"github.com/cameronsjo/springfield/runtime/ledger"
)

// viewFlags adds --session and --all to cmd. It replaces cmd.PreRunE, which then rejects both together.
func viewFlags(cmd *cobra.Command, asked *console.Asked) {
	f := cmd.Flags()
	f.StringVar(&asked.Session, "session", "", "only this session; the start of its ID is enough")
	f.BoolVar(&asked.All, "all", false, "all projects")
	allowOneOf(cmd, "session", "all")
}

// allowOneOf makes cmd reject empty values and more than one named flag. It replaces cmd.PreRunE. cmd has all the flags
// when it runs.
func allowOneOf(cmd *cobra.Command, flags ...string) {
	cmd.PreRunE = func(*cobra.Command, []string) error {
		given := ""
		for _, name := range flags {
			switch f := cmd.Flags().Lookup(name); {
			case !f.Changed:
			case f.Value.String() == "":
				return check.Misuse(errors.New("--"+name+" is empty"), "name a "+name+", or omit --"+name)
			case given != "":
				return check.Misuse(errors.New("--"+given+" and --"+name+" cannot be used together"),
					"use one of them")
			default:
				given = name
			}
		}
		return nil
	}
}

// useAndSweep sets a.places, calls act with a console for workDir (absolute), and then deletes some expired session
// records.
func (a *app) useAndSweep(ctx context.Context, workDir string, act func(console.Console) error) error {
	d, err := a.newConsole(ctx, workDir)
	if err != nil {
		return err
	}
	err = act(d)
	ledger.SweepSomeSessions(d.Dir, time.Now())
	return err
}

// newConsole sets a.places, and returns a console for sessions in work (absolute).
func (a *app) newConsole(ctx context.Context, work string) (console.Console, error) {
	if err := a.findPlaces(); err != nil {
		return console.Console{}, err
	}
	lines, width := a.resultPrinter(), 0
	if lines.Wraps {
		width = lines.Width
	}
	return console.Console{
		Out: a.out, Err: a.err, Dir: a.places.StatePath(), Also: ledger.StateDir("", a.home),
		Now: time.Now, Self: "springfield", Caller: a.caller,
		Work: work, Home: a.home, Session: a.session, Interrupt: ctx.Done(), Off: a.off, Getenv: a.getenv,
		Paint: lines.Paint, Path: lines.ShortPath, Width: width,
		Wrap:    func(line string, indent int) []string { return layout.BreakLine(line, indent, width) },
		SayNext: a.printNextStep,
		Driver: func(project string) console.LoopDriver {
			r := a.inspectionRequest()
			r.Places = a.placesFrom(work)
			return doctor.Inspect(r).GoalDriver(project)
		},
		SwitchOn: func(d console.LoopDriver) error { return a.offerLoopPlugin(ctx, d) },
	}, nil
}

// printNextStep prints the next command for the working directory. findPlaces has set a.places.
func (a *app) printNextStep() {
	a.resultPrinter().PrintNext("%s", doctor.Inspect(a.inspectionRequest()).Overview().Next)
}

// setUpShow adds --host and --json to cmd, lets it take no arguments, and returns it. cmd calls show with an inspection
// of the chosen hosts, by default of those found.
func (a *app) setUpShow(cmd *cobra.Command, show func(in *doctor.Inspection, asJSON bool) error) *cobra.Command {
	var asJSON bool
	var chosen []string
	cmd.Args, cmd.PreRunE = arguments(0, 0, "no arguments"), a.needPlaces
	cmd.RunE = func(*cobra.Command, []string) error {
		named, err := hostsNamed(a.hostOwner(), chosen)
		if err != nil {
			return err
		}
		return show(doctor.InspectHosts(a.inspectionRequest(), named), asJSON)
	}
	hostFlag(cmd, &chosen)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
