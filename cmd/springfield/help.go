// The help of a command: what it does in a line, examples, then the rest.

package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cameronsjo/springfield/internal/layout"
)

func (s *streams) printHelp(cmd *cobra.Command) {
	if cmd.HasParent() {
		s.say("%s.\n", cmd.Short)
	} else {
		s.say("%s\n", fillLines(cmd.Long))
	}
	s.say("Examples:\n%s\n\nUsage:\n  %s", cmd.Example, cmd.UseLine())
	if cmd.HasAvailableSubCommands() {
		s.say("  %s COMMAND", cmd.CommandPath())
	}
	if cmd.HasParent() && cmd.Long != "" {
		s.say("\n%s", fillLines(cmd.Long))
	}
	for _, group := range cmd.Groups() {
		s.sayCommands(cmd, group.Title, group.ID)
	}
	if len(cmd.Groups()) == 0 && cmd.HasAvailableSubCommands() {
		s.sayCommands(cmd, "Commands:", "")
	}
	s.sayFlags(cmd)
	if cmd.HasAvailableSubCommands() {
		s.say("\n%s COMMAND --help shows examples and flags of a command.", cmd.CommandPath())
	}
}

// sayCommands lists the commands of a group below another command.
func (s *streams) sayCommands(cmd *cobra.Command, title, group string) {
	var rows [][]string
	for _, below := range cmd.Commands() {
		if below.IsAvailableCommand() && below.GroupID == group {
			rows = append(rows, []string{below.Name(), below.Short})
		}
	}
	s.say("\n%s", title)
	s.resultPrinter().PrintTable("  ", rows)
}

// sayFlags lists the flags of a command. --help is everywhere, and --plain is said once.
func (s *streams) sayFlags(cmd *cobra.Command) {
	cmd.InitDefaultHelpFlag() // takes the flags of the commands above, too
	var heads, says []string
	widest := 0
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || cmd.HasParent() && (f.Name == "help" || f.Name == "plain") {
			return
		}
		head := "      --" + f.Name
		if f.Shorthand != "" {
			head = "  -" + f.Shorthand + ", --" + f.Name
		}
		usage := f.Usage
		if f.Value.Type() != "bool" {
			head += " " + placeholder(f)
			if f.DefValue != "" && f.DefValue != "0" && f.DefValue != "[]" {
				usage += " (default: " + f.DefValue + ")"
			}
		}
		heads, says, widest = append(heads, head), append(says, usage), max(widest, len(head))
	})
	if len(heads) > 0 {
		s.say("\nFlags:")
	}
	for i, head := range heads {
		for _, line := range layout.HangText(layout.PadText(head, widest+2), strings.Repeat(" ", widest+2), says[i], columns) {
			s.say("%s", line)
		}
	}
}

// placeholder names the value of a flag.
func placeholder(f *pflag.Flag) string {
	names := map[string][]string{
		"DIR": {"dir", "suite", "to", "project"}, "FILE": {"memory", "html"}, "NAME": {"marketplace", "strategy", "plugin", "template", "from"},
		"KEY": {"unset"}, "KEY=VALUE": {"set"}, "OS/ARCH": {"target"}, "ID": {"session"}, "WHEN": {"since"}, "N": {"number", "line", "max"},
		"TIME": {"timeout", "iteration-timeout"}, "TEXT": {"note", "promise", "owner"}, "VERSION": {"version"},
	}
	for name, flags := range names {
		if slices.Contains(flags, f.Name) {
			return name
		}
	}
	return strings.ToUpper(f.Name) // --scope SCOPE
}

// fillLines breaks paragraphs at blanks. Indented lines stay as they are.
func fillLines(text string) string {
	var blocks []string
	for block := range strings.SplitSeq(text, "\n\n") {
		if !strings.HasPrefix(block, " ") {
			block = strings.Join(layout.HangText("", "", strings.Join(strings.Fields(block), " "), columns), "\n")
		}
		blocks = append(blocks, block)
	}
	return strings.Join(blocks, "\n\n")
}

// newHelp answers springfield help VERB. Cobra's own accepts words that are no verb.
func newHelp(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show the help of a command",
		Example: `  springfield help enable
  springfield help loop start`,
		ValidArgsFunction: verbsBelow,
		RunE: func(cmd *cobra.Command, args []string) error {
			about := cmd.Root()
			for _, word := range args {
				below, _, err := about.Find([]string{word})
				if err != nil || below == about {
					return a.noCommand(about, word)
				}
				about = below
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

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
