package main

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// newRoot lists every verb by hand.
func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "springfield",
		Short: "Continuation plugins for Claude Code: go on while work remains, stop when a person is needed",
		Long: `springfield makes Claude Code plugins whose Stop hook decides, each time Claude is
about to hand the turn back, whether work obviously remains or a person is needed.

  springfield init                    make a suite of plugins, hooks compiled into it
  springfield enable ned-flanders     switch one on; live in the next session
  springfield disable ned-flanders    put the settings back, byte for byte
  springfield status                  what is in effect, and how it combines
  springfield why                     why Claude went on or stopped
  springfield replay                  what each would have done on your own past sessions
  springfield hold 30m                let Claude stop, now
  springfield loop start GOAL         keep Claude at a goal until it is reached`,
		Version:                    version(),
		SilenceUsage:               true,
		SilenceErrors:              true,
		SuggestionsMinimumDistance: 2,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				hint := "springfield --help lists them"
				if like := cmd.SuggestionsFor(args[0]); len(like) > 0 {
					hint = "did you mean springfield " + strings.Join(like, " or springfield ") + "?"
				}
				return &usageError{fmt.Errorf("there is no command %q", args[0]), hint}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &usageError{err, cmd.CommandPath() + " --help shows the flags"}
	})
	root.PersistentFlags().BoolVar(&a.plain, "plain", a.plain, "ask line by line, for screen readers and simple terminals")
	root.SetVersionTemplate("springfield {{.Version}}\n")
	root.AddCommand(
		newInit(a, runInit), newNew(a, runNew),
		newBuild(a, runBuild), newUpdate(a, runUpdate), newPublish(a, runPublish), newValidate(a), newPrebuild(a),
		newEnable(a, runEnable),
		newDisable(a, runDisable),
		newSet(a, runSet), newGet(a),
		newUndo(a, runUndo), newDoctor(a),
		newStatus(a), newList(a),
		newWhy(a), newLog(a), newExplain(a),
		newHold(a), newResume(a),
		newLoop(a), newState(a), newJudge(a),
		newReplay(a, runReplay), newTune(a, runTune),
		newVersion(a), newCompletion(a),
	)
	a.completeValues(root)
	return root
}

// arguments demands a number of arguments and says so in our own words.
func arguments(low, high int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < low || len(args) > high {
			return &usageError{fmt.Errorf("%s takes %s", cmd.CommandPath(), what), cmd.CommandPath() + " --help shows how"}
		}
		return nil
	}
}

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of springfield and of the Go it was built with",
		Args:  arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.say("springfield %s", version())
			return nil
		},
	}
}

// version comes from the build: a link-time variable would be one more thing
// that can be wrong.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return info.Main.Version + " " + info.GoVersion
}
