package main

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/inspection"
	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/replay"
	"github.com/cameronsjo/springfield/runtime/command"
)

// The verbs about decisions and holds. The hook binary answers the same words,
// so all that is said lies in runtime/command.

func newWhy(a *app) *cobra.Command {
	var asked command.Asked
	cmd := &cobra.Command{
		Use:   "why [ID|last]",
		Short: "Tell why Claude went on or stopped",
		Long: `Explains one decision, with the rule, the evidence and the budget: the last one, or
the one with this ID, which springfield log shows. With --prompts it is what a plugin
like todo-continuation said before a prompt, or why it said nothing.`,
		Example: `  springfield why
  springfield why last --prompts`,
		Args: arguments(0, 1, "at most one decision"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id := "last"
			if len(args) == 1 {
				id = args[0]
			}
			if err := a.ask(cmd.Context(), func(d command.Console) error { return d.Why(id, asked) }); err != nil || asked.JSON {
				return err
			}
			a.noteHooks()
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&asked.Session, "session", "", "the last decision of this session")
	f.BoolVar(&asked.Prompts, "prompts", false, "the last prompt, not the last stop")
	f.BoolVar(&asked.JSON, "json", false, "print the decision as JSON")
	return cmd
}

func newLog(a *app) *cobra.Command {
	var asked command.Asked
	var n int
	var follow bool
	cmd := &cobra.Command{
		Use:   "log",
		Short: "List past decisions",
		Long: `Lists every stop, and the prompts before which something was said, the newest last.
With --prompts, lists only prompts, and also those before which nothing was said.`,
		Example: `  springfield log -n 50
  springfield log --follow`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if n < 1 {
				return &usageError{errors.New("-n must be at least 1"), "leave it out for the newest 20"}
			}
			return a.ask(cmd.Context(), func(d command.Console) error {
				if follow {
					return d.Follow(asked, func() bool { return cmd.Context().Err() != nil })
				}
				return d.Log(n, asked)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&asked.Session, "session", "", "only this session")
	f.BoolVar(&asked.Prompts, "prompts", false, "what was said before prompts, or why nothing")
	f.IntVarP(&n, "number", "n", 20, "how many, the newest")
	f.BoolVarP(&follow, "follow", "f", false, "print decisions as they are made, until Ctrl-C")
	f.BoolVar(&asked.JSON, "json", false, "one JSON object a line")
	return cmd
}

func newHold(a *app) *cobra.Command {
	var session string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "hold [DURATION]",
		Short: "Let Claude stop, whatever is left to do",
		Long: `Orders every springfield hook to let Claude stop, at once, in all sessions or in one:
for a time like 30m, 2h or 1d, or until springfield resume. No rule, budget or model
overrules it. A hold can be set from anywhere, but only you can shorten or lift it,
at your own terminal.`,
		Example: `  springfield hold
  springfield hold 30m`,
		Args: arguments(0, 1, "at most one length of time"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var duration time.Duration
			if len(args) == 1 {
				var err error
				if duration, err = command.ParseDuration(args[0]); err != nil {
					return &usageError{err, command.Advice(err)}
				}
			}
			return a.ask(cmd.Context(), func(d command.Console) error {
				d.JSON = asJSON
				return d.Hold(session, duration)
			})
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "only this session")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}

func newResume(a *app) *cobra.Command {
	var session string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "resume",
		Short: "Lift a hold",
		Long: `Lifts a hold at a terminal, which shows a few letters that you type. Claude has no
terminal, so it is refused. A program with your rights can still delete the file of a
hold, or open a terminal of its own and read the letters there; why, log and status
tell how a hold ended.`,
		Example: `  springfield resume
  springfield resume --session 4c1f`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.ask(cmd.Context(), func(d command.Console) error {
				d.JSON = asJSON
				return d.Resume(session)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	cmd.Flags().StringVar(&session, "session", "", "the hold of this session, not the one for all")
	return cmd
}

// ask asks about springfield's own state, and about the project in the working
// directory.
func (a *app) ask(ctx context.Context, question func(command.Console) error) error {
	return a.askIn(ctx, a.work, question)
}

// askIn asks about the project in another directory.
func (a *app) askIn(ctx context.Context, dir string, question func(command.Console) error) error {
	places, err := a.placesFrom(dir)
	if err != nil {
		return err
	}
	lines := a.lines()
	err = question(command.Console{
		Out: a.out, Err: a.err, Dir: filepath.Join(places.Config, "springfield"), Now: time.Now, Self: "springfield", InClaude: a.inClaude,
		Work: dir, Home: a.home, Session: a.session, Interrupt: ctx.Done(), Off: a.off, Getenv: a.getenv,
		Style: lines.Colours.Style, Path: lines.Path, Clock: func(t time.Time) string { return t.Local().Format("15:04:05") },
		Wrap: func(line string, indent int) []string {
			if !lines.Wraps {
				return []string{line}
			}
			return layout.Break(line, indent, lines.Width)
		},
		Logs: func(since int64) []string {
			return replay.Recent(replay.Projects(places.Config), time.UnixMilli(since))
		},
		Driver: func(dir string) command.Driver { return inspection.LoopDriver(a.inspection(places), dir) },
	})
	if errors.Is(err, command.ErrCancelled) {
		return errCancelled
	}
	return err
}

// noteHooks names the hooks that are on and cannot decide: none of them can say so
// itself.
func (a *app) noteHooks() {
	in, err := a.inspect()
	if err != nil {
		return // status tells
	}
	for _, says := range in.Broken() {
		a.talk("springfield: note: %s; springfield doctor tells what to do", says)
	}
}
