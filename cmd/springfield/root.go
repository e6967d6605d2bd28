package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/runtime/timestamp"
)

func newRoot(a *app) *cobra.Command {
	var asJSON bool
	root := &cobra.Command{
		Use:   "springfield",
		Short: "Keep coding agents going while work remains",
		Long: `Makes and enables plugins for coding agents. Their Stop hook decides at each stop
whether work remains or the agent needs you. Without a command, springfield shows the current state
or the next step.`,
		Example: `  springfield                         show the current state, or the next step
  springfield enable ned-flanders     enable a plugin, from your next session on
  springfield why                     explain why the agent continued or stopped
  springfield hold 30m                let every agent stop, now
  springfield disable ned-flanders    restore your settings, byte for byte`,
		Version:       a.built.String(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          a.rejectUnknown,
		RunE:          func(cmd *cobra.Command, args []string) error { return runBare(cmd, a, asJSON) },
		PreRunE:       a.needPlaces,
	}
	root.SetHelpCommand(newHelp(a))
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if words := cmd.Flags().Args(); cmd.HasSubCommands() && len(words) > 0 {
			return cmd.Args(cmd, words) // an unknown command
		}
		hint := cmd.CommandPath() + " --help lists the flags"
		var invalid *pflag.InvalidValueError
		if errors.As(err, &invalid) { // pflag names the Go function that failed
			name := "--" + invalid.GetFlag().Name
			if invalid.GetFlag().Value.Type() == "int" {
				hint = "write a whole number, like " + name + " 20"
			}
			err = fmt.Errorf("%s cannot be %q", name, invalid.GetValue())
		}
		var unknown *pflag.NotExistError
		if errors.As(err, &unknown) {
			var names []string
			cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
			hint = check.HintAtNames(unknown.GetSpecifiedName(), "--", names, hint)
			if _, isSpan := timestamp.ParseSpan(unknown.GetSpecifiedShortnames()); isSpan && strings.Contains(cmd.Use, "DURATION") {
				hint = "did you mean " + cmd.CommandPath() + " " + unknown.GetSpecifiedShortnames() + "?"
			}
		}
		return check.Misuse(err, hint)
	})
	root.PersistentPreRun = func(cmd *cobra.Command, args []string) {
		a.terminal = a.terminal && !a.plain
		if asJSON := cmd.Flag("json"); asJSON != nil && asJSON.Value.String() == "true" {
			a.colours = false
		}
	}
	root.PersistentFlags().BoolVar(&a.plain, "plain", a.plain,
		"ask nothing and print line by line, for screen readers and simple terminals")
	root.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	root.SetVersionTemplate("springfield {{.Version}}\n")
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { a.printHelp(cmd) })
	root.InitDefaultHelpFlag() // else -h takes the next word as its value
	root.InitDefaultVersionFlag()
	cobra.EnableCommandSorting = false // addVerbs orders them by use
	addVerbs(root, a)
	a.completeNames(root)
	return root
}

func addVerbs(root *cobra.Command, a *app) {
	for _, group := range []struct {
		title string
		verbs []*cobra.Command
	}{
		{"Set up", []*cobra.Command{
			newInit(a), newNew(a), newBuild(a), newUpdate(a), newValidate(a),
			newEnable(a), newDisable(a), newSet(a), newDoctor(a), newUndo(a),
		}},
		{"Every day", []*cobra.Command{
			newStatus(a), newWhy(a), newLog(a), newHold(a), newResume(a), newAway(a), newBack(a), newWatch(a),
			newList(a),
		}},
		{"Loops", []*cobra.Command{newLoop(a)}},
		{"Measure", []*cobra.Command{newReplay(a), newExplain(a), newTry(a)}},
		{"Publish", []*cobra.Command{newPublish(a)}},
		{"Other", []*cobra.Command{newCompletion(a), newVersion(a), newPrebuild(a)}},
	} {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title + ":"})
		for _, verb := range group.verbs {
			verb.GroupID = group.title
			root.AddCommand(verb)
		}
	}
	root.SetHelpCommandGroupID("Other")
}

// rejectUnknown returns an error for unknown commands, nil if args is empty.
func (a *app) rejectUnknown(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	typed := args[0]
	call := strings.TrimSpace(strings.Replace(a.typedCommand()+" ", " "+check.QuoteArgument(typed)+" ", " NAME ", 1))
	var names []string
	meant := typed
	for _, below := range cmd.Commands() {
		if slices.Contains(below.SuggestFor, typed) {
			meant = below.Name()
		}
		if below.IsAvailableCommand() || below.Name() == "help" {
			names = append(names, below.Name())
		}
	}
	otherwise := ""
	if len(names) > 8 {
		otherwise = cmd.CommandPath() + " --help lists them"
	}
	return check.Misusef(check.HintAtNames(meant, call, names, otherwise), "there is no command %q", typed)
}

func (a *app) typedCommand() string {
	return "springfield " + strings.Join(check.NamesOf(a.args, check.QuoteArgument), " ")
}

// arguments checks for low to high arguments. takes completes the error "COMMAND takes …".
func arguments(low, high int, takes string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < low || len(args) > high {
			return check.Misuse(fmt.Errorf("%s takes %s", cmd.CommandPath(), takes),
				cmd.CommandPath()+" --help shows how")
		}
		return nil
	}
}
