package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/runtime/console"
)

// Goal loops are in runtime/console, which the hook binary also uses. Only the CLI enables their plugin.

func newLoop(a *app) *cobra.Command {
	status := newLoopStatus(a)
	cmd := &cobra.Command{
		Use:   "loop",
		Short: "Start, show, change or stop a goal loop",
		Long: `A goal loop makes Claude continue until its message contains the promise (words
that you choose) or its turns run out. It is the file .stravinsky/continuation-loop.md in a project, and
needs a plugin with the strategy ralph-wiggum. Without a command, shows the loop of this directory.`,
		Example: `  springfield loop start "Fix the failing tests" --template tests
  springfield loop status
  springfield loop stop`,
		Args: a.rejectUnknown,
		RunE: status.RunE,
	}
	cmd.PersistentFlags().Bool("json", false, "print JSON")
	cmd.PersistentFlags().String("dir", "", "project directory (default: this project)")
	cmd.AddCommand(newLoopStart(a), status, newLoopSet(a), newLoopStop(a), newLoopHistory(a))
	return cmd
}

func newLoopStart(a *app) *cobra.Command {
	var o console.LoopStart
	cmd := &cobra.Command{
		Use:   "start [GOAL]",
		Short: "Start a goal loop in this directory",
		Long: `Writes .stravinsky/continuation-loop.md at the root of the repository, in a
directory below it that already has one, or in --dir. The loop starts at Claude's next stop in this directory,
and then belongs to that session. If no loop plugin is enabled, springfield offers to enable one, or
writes nothing.

Choose a promise that is true only at the end ("All tests passing"), not a word like "done", which
Claude also uses in passing. Put everything that Claude needs at every turn into the goal, in at most
2,000 characters. --max 3 is three turns: the current one and two continues. At a terminal you can type up
to 500; elsewhere your ceiling is the limit: 25, or as set with springfield set ralph-wiggum
ceiling=40.

  template  turns  promise
  tests     15     ✅ All tests passing
  feature   20     Feature complete and tested
  debug     12     Root cause identified and fixed
  quick      8     Goal achieved (also without a template, with 10)
  docs      10     Documentation complete

Your own templates are ~/.claude/springfield/loops/templates/NAME.md; the goal replaces {goal}.`,
		Example: `  springfield loop start "Fix the failing tests" --template tests
  springfield loop start "Write the guide" --promise "The guide is complete"
  springfield loop start --from-todos`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Goal, o.Named = strings.Join(args, " "), cmd.Flag("dir").Value.String() != ""
			return a.changeLoop(cmd, func(d console.Console) error {
				names := console.AllTemplateNames(d.Dir)
				if near := check.HintAtNames(o.Template, "--template ", names, "none"); o.Template != "" && !slices.Contains(names, o.Template) && near != "none" {
					return check.Misusef(near, "there is no template %q", o.Template)
				}
				return d.StartLoop(o)
			})
		},
	}
	addLoopFlags(cmd, &o, "omit it to use the template's number")
	f := cmd.Flags()
	f.StringVar(&o.Template, "template", "", "tests, feature, debug, quick, docs or your own")
	f.BoolVar(&o.FromTodos, "from-todos", false, "add the open todos of the latest session in this directory to the goal")
	return cmd
}

// offerLoopPlugin asks to enable the plugin from d.Next, and does so on yes. It returns errCancelled on no. For agents,
// without a terminal or for another command, it returns nil.
func (a *app) offerLoopPlugin(ctx context.Context, d console.LoopDriver) error {
	call, ok := strings.CutPrefix(d.Next, "springfield enable ")
	if !ok || !a.terminal || a.caller != nil {
		return nil
	}
	plugin, scope, _ := strings.Cut(call, " --scope ")
	o := enableOptions{switching: switching{app: a}}
	o.Plugin, o.Scope, o.forLoop = plugin, cmp.Or(client.Scope(scope), client.User), true
	yes, err := o.askToEnable(ctx, "No enabled plugin drives loops. ")
	if err == nil && !yes {
		err = errCancelled
	}
	return err
}

// addLoopFlags adds the flags that describe a loop to cmd. It replaces cmd.PreRunE. hintIfLow is for a too low --max.
func addLoopFlags(cmd *cobra.Command, o *console.LoopStart, hintIfLow string) {
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if cmd.Flags().Changed("max") && o.Max < 2 {
			return check.Misuse(errors.New("--max must be at least 2: this turn and one continue"), hintIfLow)
		}
		if cmd.Flags().Changed("check") && o.Check == "" {
			return check.Misuse(errors.New("--check is empty"), "springfield loop start --check 'make test' \"Fix the failing tests\"")
		}
		return nil
	}
	f := cmd.Flags()
	f.IntVar(&o.Max, "max", 0, "number of turns: this one and N-1 continues (default: the template's, or 10)")
	f.StringArrayVar(&o.Promises, "promise", nil, "words that end the loop (repeatable; any one is enough); \"\" for none")
	f.StringVar(&o.Check, "check", "", "command that proves the promise")
	f.StringVar(&o.Timeout, "timeout", "", "time limit of the loop, such as 2h")
	f.StringVar(&o.IterationTimeout, "iteration-timeout", "", "time limit of an iteration, such as 10m")
	f.BoolVar(&o.Replace, "replace", false, "replace the loop if one is running")
}

func newLoopStatus(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show the loop",
		Args:  arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.useLoopDir(cmd, func(d console.Console) error { return d.LoopStatus(wantsJSON(cmd)) })
		},
	}
}

func newLoopSet(a *app) *cobra.Command {
	names := check.NamesOf(console.LoopKeys(), func(k [2]string) string { return k[0] })
	var keys []string
	for _, k := range console.LoopKeys() {
		keys = append(keys, layout.PadText("  "+k[0], 21)+k[1])
	}
	return &cobra.Command{
		Use:   "set KEY VALUE...",
		Short: "Change the loop while it runs",
		Long: `A change takes effect at the next stop.

` + strings.Join(keys, "\n"),
		Example: `  springfield loop set max 20
  springfield loop set active false`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return check.Misuse(errors.New("springfield loop set takes a key and a value"),
					"run springfield loop set --help to list the keys")
			} else if !slices.Contains(names, args[0]) {
				return check.Misusef(check.HintAtNames(args[0], "", names, "the keys are "+strings.Join(names, ", ")), "loop set has no key %q", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.changeLoop(cmd, func(d console.Console) error { return d.SetLoop(args[0], args[1:]) })
		},
	}
}

func newLoopStop(a *app) *cobra.Command {
	var remove bool
	cmd := &cobra.Command{
		Use:   "stop",
		Short: "Stop the loop, so that Claude may stop",
		Long: `Works from any terminal, even while a session runs. The file stays, with active: false.
To resume the loop, run springfield loop set active true.`,
		Example: `  springfield loop stop
  springfield loop stop --delete`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.changeLoop(cmd, func(d console.Console) error { return d.StopLoopIfAny(remove) })
		},
	}
	cmd.Flags().BoolVar(&remove, "delete", false, "also delete the file")
	return cmd
}

func newLoopHistory(a *app) *cobra.Command {
	var n int
	var all bool
	cmd := &cobra.Command{
		Use:   "history",
		Short: "List past loops",
		Example: `  springfield loop history
  springfield loop history --all -n 50`,
		Args: a.rejectUnknown,
		RunE: func(cmd *cobra.Command, args []string) error {
			if n < 1 {
				return check.Misuse(errors.New("-n must be at least 1"), "omit it for the latest 20")
			}
			return a.useLoopDir(cmd, func(d console.Console) error { return d.LoopHistory(n, all, wantsJSON(cmd)) })
		},
	}
	f := cmd.Flags()
	f.IntVarP(&n, "number", "n", 20, "number of recent loops to show")
	f.BoolVar(&all, "all", false, "all directories")

	show := &cobra.Command{
		Use:     "show ID",
		Short:   "Show a past loop, turn by turn",
		Example: "  springfield loop history show 7f3a",
		Args:    arguments(1, 1, "the id of a loop"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.useLoopDir(cmd, func(d console.Console) error { return d.ShowPastLoop(args[0], wantsJSON(cmd)) })
		},
	}

	var o console.LoopStart
	rerun := &cobra.Command{
		Use:   "rerun ID",
		Short: "Start a past loop again in this directory",
		Example: `  springfield loop history rerun 7f3a
  springfield loop history rerun 7f3a --max 20`,
		Args: arguments(1, 1, "the id of a loop"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Named = cmd.Flag("dir").Value.String() != ""
			return a.changeLoop(cmd, func(d console.Console) error { return d.RerunLoop(args[0], o) })
		},
	}
	addLoopFlags(rerun, &o, "omit it to keep the maximum of that loop")
	rerun.Flag("max").Usage = "number of turns: this one and N-1 continues (default: that loop's)"
	cmd.AddCommand(show, rerun)
	return cmd
}

// useLoopDir calls act with the console for --dir, which cmd has (default: the working directory).
func (a *app) useLoopDir(cmd *cobra.Command, act func(console.Console) error) error {
	return a.useAndSweep(cmd.Context(), rooted.PathFrom(a.work, cmd.Flag("dir").Value.String()), act)
}

// changeLoop calls change with the console for --dir. With --json it prints only the changed loop and offers no plugin.
func (a *app) changeLoop(cmd *cobra.Command, change func(console.Console) error) error {
	return a.useLoopDir(cmd, func(d console.Console) error {
		if !wantsJSON(cmd) {
			return change(d)
		}
		quiet := d
		quiet.Out, quiet.SwitchOn = io.Discard, nil
		if err := change(quiet); err != nil {
			return err
		}
		return d.LoopStatus(true)
	})
}

func wantsJSON(cmd *cobra.Command) bool {
	asJSON, _ := cmd.Flags().GetBool("json")
	return asJSON
}
