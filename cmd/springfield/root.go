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
	root.SetHelpCommand(newHelp())
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if words := cmd.Flags().Args(); cmd.HasSubCommands() && len(words) > 0 {
			return cmd.Args(cmd, words) // the flag belongs to a command that does not exist
		}
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

// newHelp answers springfield help VERB. Cobra's own accepts words that are no verb.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:               "help [COMMAND]",
		Short:             "Show the help of a command",
		ValidArgsFunction: verbsBelow,
		RunE: func(cmd *cobra.Command, args []string) error {
			about := cmd.Root()
			for _, word := range args {
				below, _, err := about.Find([]string{word})
				if err != nil || below == about {
					return about.Args(about, []string{word})
				}
				about = below
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// verbsBelow offers the commands below those that are typed.
func verbsBelow(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	var all []string
	about, _, err := cmd.Root().Find(args)
	if err == nil {
		for _, below := range about.Commands() {
			if below.IsAvailableCommand() && strings.HasPrefix(below.Name(), typed) {
				all = append(all, below.Name()+"\t"+below.Short)
			}
		}
	}
	return all, cobra.ShellCompDirectiveNoFileComp
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
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of springfield and of the Go it was built with",
		Args:  arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if asJSON {
				return a.encode(build())
			}
			a.say("springfield %s", version())
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}

// buildInfo is what this program was built from.
type buildInfo struct {
	Version string `json:"version"`
	Go      string `json:"go"`
}

// build comes from the compiler: a link-time variable would be one more thing
// that can be wrong.
func build() buildInfo {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return buildInfo{Version: "unknown"}
	}
	return buildInfo{info.Main.Version, info.GoVersion}
}

func version() string { return strings.TrimSpace(build().Version + " " + build().Go) }
