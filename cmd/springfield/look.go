package main

import (
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
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/console"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/registry"
)

// The verbs about decisions and holds. The hook binary answers the same words,
// so all that is said lies in runtime/console.

func newWhy(a *app) *cobra.Command {
	var asked console.Asked
	cmd := &cobra.Command{
		Use:   "why [ID|last]",
		Short: "Tell why the agent went on or stopped",
		Long: `Explains one decision, with the rule, the evidence and the budget: the one with this
ID, which springfield log shows, or the last one of the project in the current
directory. In a session of an agent it is the last one of that session. With --prompts
it is what a plugin like todo-continuation said before a prompt, or why it said nothing.`,
		Example: `  springfield why
  springfield why last --prompts
  springfield why --all`,
		Args: arguments(0, 1, "at most one decision"),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := a.askState(cmd.Context(), a.work, func(d console.Console) error { return d.ExplainDecision(onlyOne(args), asked) })
			if err == nil && !asked.JSON {
				a.noteHooks()
			}
			return err
		},
	}
	f := cmd.Flags()
	viewFlags(cmd, &asked)
	f.BoolVar(&asked.Prompts, "prompts", false, "the last prompt, not the last stop")
	f.BoolVar(&asked.JSON, "json", false, "print the decision as JSON")
	return cmd
}

func newLog(a *app) *cobra.Command {
	var asked console.Asked
	var n int
	var follow bool
	cmd := &cobra.Command{
		Use:   "log",
		Short: "List past decisions",
		Long: `Lists the decisions of the project in the current directory, the newest last: every
stop, and the prompts before which something was said. In a session of an agent it lists
those of that session. With --prompts, lists only prompts, and also those before which
nothing was said. Decisions are kept for 90 days, or as long as keep_days in
springfield/settings.json says, in Claude Code's configuration directory.`,
		Example: `  springfield log -n 50
  springfield log --follow
  springfield log --all --host codex`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if n < 1 {
				return check.Misuse(errors.New("-n must be at least 1"), "leave it out for the newest 20")
			}
			return a.askState(cmd.Context(), a.work, func(d console.Console) error {
				if follow {
					if !cmd.Flags().Changed("number") {
						n = 5
					}
					return d.FollowLog(n, asked, func() bool { return cmd.Context().Err() != nil })
				}
				return d.ListDecisions(n, asked)
			})
		},
	}
	f := cmd.Flags()
	viewFlags(cmd, &asked)
	f.BoolVar(&asked.Prompts, "prompts", false, "what was said before prompts, or why nothing")
	f.IntVarP(&n, "number", "n", 20, "how many, the newest; with --follow 5 if not set")
	f.BoolVarP(&follow, "follow", "f", false, "print decisions as they are made, until Ctrl-C")
	f.BoolVar(&asked.JSON, "json", false, "one JSON object a line")
	return cmd
}

func viewFlags(cmd *cobra.Command, asked *console.Asked) {
	f := cmd.Flags()
	f.StringVar(&asked.Session, "session", "", "of this session; the beginning of its id is enough")
	f.StringVar(&asked.Project, "project", "", "of the project in this directory")
	f.BoolVar(&asked.All, "all", false, "of every project")
	requireOneOf(cmd, "session", "project", "all")
	onlyHost(cmd, &asked.Host)
}

// onlyHost is the flag --host of a verb about what has been: the sessions of one host.
func onlyHost(cmd *cobra.Command, name *string) {
	cmd.Flags().StringVar(name, "host", "", "only the sessions of this host: "+strings.Join(hostNames(), ", "))
	before := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if before != nil {
			if err := before(cmd, args); err != nil {
				return err
			}
		}
		if !cmd.Flags().Changed("host") || slices.Contains(hostNames(), *name) {
			return nil
		}
		return check.Misuse(fmt.Errorf("--host %q: there is no such host", *name),
			"choose from "+strings.Join(hostNames(), ", "))
	}
}

func hostNames() (names []string) {
	for _, h := range registry.Hosts {
		names = append(names, h.Name)
	}
	return names
}

// requireOneOf refuses several of some flags, and an empty value of one: an empty variable of
// a shell does not mean all.
func requireOneOf(cmd *cobra.Command, names ...string) {
	cmd.PreRunE = func(*cobra.Command, []string) error {
		given := ""
		for _, name := range names {
			switch f := cmd.Flags().Lookup(name); {
			case !f.Changed:
			case f.Value.String() == "":
				return check.Misuse(errors.New("--"+name+" is empty"), "name a "+name+", or leave --"+name+" out")
			case given != "":
				return check.Misuse(errors.New("--"+given+" and --"+name+" do not go together"),
					"leave one of them out")
			default:
				given = name
			}
		}
		return nil
	}
}

func newHold(a *app) *cobra.Command {
	var session string
	var asJSON, listed bool
	cmd := &cobra.Command{
		Use:   "hold [DURATION]",
		Short: "Let every agent stop, whatever is left to do",
		Long: `Orders every springfield hook to let its agent stop, at once, in all sessions of all
hosts or in one: for a time like 30m, 1h30m or "2 hours", or until springfield resume.
No rule, budget or model overrules it. A hold can be set from anywhere, but only you can
lift it, at your own terminal.`,
		Example: `  springfield hold
  springfield hold 30m
  springfield hold --list`,
		Args: arguments(0, 4, "at most one duration"),
		RunE: func(cmd *cobra.Command, args []string) error {
			duration, err := console.ParseDuration(strings.Join(args, " "))
			switch {
			case err != nil:
				return check.Misuse(err, console.AdviceOn(err))
			case listed && len(args) > 0:
				return check.Misuse(errors.New("--list takes no duration"),
					"springfield hold --list shows the holds in force")
			}
			return a.askState(cmd.Context(), a.work, func(d console.Console) error {
				d.JSON = asJSON
				if listed {
					return d.ListHolds()
				}
				return d.HoldSessions(session, duration)
			})
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "only this session; the beginning of its id is enough")
	cmd.Flags().BoolVar(&listed, "list", false, "show the holds in force")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	requireOneOf(cmd, "session", "list")
	return cmd
}

func newResume(a *app) *cobra.Command {
	var session string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "resume",
		Short: "Lift a hold",
		Long: `Lifts a hold, after a question that you answer at your terminal. An agent has no
terminal, so it is refused. A program with your rights can still delete the file of a
hold, or open a terminal of its own; why, log and status tell how a hold ended.`,
		Example: `  springfield resume
  springfield resume --session 4c1f`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.askState(cmd.Context(), a.work, func(d console.Console) error {
				d.JSON = asJSON
				return d.LiftHold(session)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	cmd.Flags().StringVar(&session, "session", "", "the hold of this session, not the one for all; the beginning of its id is enough")
	requireOneOf(cmd, "session")
	return cmd
}

// askState asks about springfield's own state, and about the project in a directory.
func (a *app) askState(ctx context.Context, dir string, question func(console.Console) error) error {
	places, err := a.placesFrom(dir)
	if err != nil {
		return err
	}
	lines, width, state := a.resultPrinter(), 0, filepath.Join(places.Config, "springfield")
	if lines.Wraps {
		width = lines.Width
	}
	err = question(console.Console{
		Out: a.out, Err: a.err, Dir: state, Also: ledger.StateDir("",
			a.home), Now: time.Now, Self: "springfield", Caller: a.caller,
		Work: dir, Home: a.home, Session: a.session, Interrupt: ctx.Done(), Off: a.off, Getenv: a.getenv,
		Paint: lines.Paint, Path: lines.ShortPath, Clock: clockTime, Width: width,
		Wrap: func(line string, indent int) []string {
			if !lines.Wraps {
				return []string{line}
			}
			return layout.BreakLine(line, indent, lines.Width)
		},
		Driver: func(project string) console.Driver {
			r := a.inspectionRequest()
			r.Places = places // as seen from dir
			return doctor.LoopDriver(r, project)
		},
	})
	ledger.SweepOldSessions(state, time.Now())
	if errors.Is(err, console.ErrCancelled) {
		return errCancelled
	}
	return err
}

// clockTime is when something was, with the day if that was not today.
func clockTime(t time.Time) string {
	if t = t.Local(); t.Format(time.DateOnly) != time.Now().Format(time.DateOnly) {
		return t.Format("2006-01-02 15:04")
	}
	return t.Format(time.TimeOnly)
}

// noteHooks names the hooks that are on and cannot decide: none of them can say so
// itself.
func (a *app) noteHooks() {
	if a.findPlaces() != nil {
		return // status tells
	}
	for _, says := range doctor.Broken(client.NewSnapshot(a.places).AllPlugins()) {
		a.talk("springfield: note: %s; springfield doctor tells what to do", says)
	}
}
