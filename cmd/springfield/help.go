package main

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cameronsjo/springfield/internal/layout"
)

func (s *streams) printHelp(cmd *cobra.Command) {
	width := min(s.resultPrinter().Width, columns)
	if cmd.HasParent() {
		s.say("%s.\n", cmd.Short)
	} else {
		s.say("%s\n", fillLines(cmd.Long, width))
	}
	if cmd.Example != "" {
		s.say("Examples:\n%s\n", fillLines(cmd.Example, width))
	}
	s.say("Usage:\n  %s", strings.TrimSuffix(cmd.UseLine(), " [flags]"))
	if cmd.HasAvailableSubCommands() {
		s.say("  %s COMMAND", cmd.CommandPath())
	}
	if cmd.HasParent() && cmd.Long != "" {
		s.say("\n%s", fillLines(cmd.Long, width))
	}
	for _, group := range cmd.Groups() {
		s.sayCommands(cmd, group.Title, group.ID)
	}
	if len(cmd.Groups()) == 0 && cmd.HasAvailableSubCommands() {
		s.sayCommands(cmd, "Commands:", "")
	}
	s.sayFlags(cmd, width)
	if cmd.HasAvailableSubCommands() {
		s.say("\n%s COMMAND --help shows examples and flags of a command.", cmd.CommandPath())
	}
}

func (s *streams) sayCommands(cmd *cobra.Command, title, groupID string) {
	var rows [][]string
	for _, below := range cmd.Commands() {
		if below.IsAvailableCommand() && below.GroupID == groupID {
			rows = append(rows, []string{below.Name(), below.Short})
		}
	}
	s.say("\n%s", title)
	s.resultPrinter().PrintTable("  ", rows)
}

// sayFlags prints a command's flags that are not hidden, --help and --plain only for springfield --help.
func (s *streams) sayFlags(cmd *cobra.Command, width int) {
	cmd.InitDefaultHelpFlag() // also merges persistent flags
	var rows [][2]string      // flag, usage
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
			head += " " + valuePlaceholder(f)
			if f.DefValue != "" && f.DefValue != "0" && f.DefValue != "[]" {
				usage += " (default: " + f.DefValue + ")"
			}
		}
		rows, widest = append(rows, [2]string{head, usage}), max(widest, len(head))
	})
	if len(rows) > 0 {
		s.say("\nFlags:")
	}
	for _, row := range rows {
		lines := layout.HangText(layout.PadText(row[0], widest+2), strings.Repeat(" ", widest+2), row[1], width)
		s.say("%s", strings.Join(lines, "\n"))
	}
}

// valuePlaceholder returns the word for a flag's value in help.
func valuePlaceholder(f *pflag.Flag) string {
	names := map[string]string{
		"suite": "DIR", "to": "DIR", "project": "DIR", "memory": "FILE", "html": "FILE",
		"marketplace": "NAME", "strategy": "NAME", "plugin": "NAME", "template": "NAME", "from": "NAME",
		"unset": "KEY", "set": "KEY=VALUE", "target": "OS/ARCH", "session": "ID", "since": "WHEN",
		"number": "N", "line": "N", "max": "N", "timeout": "TIME", "iteration-timeout": "TIME",
		"note": "TEXT", "promise": "TEXT", "owner": "TEXT", "check": "COMMAND", "tell": "COMMAND", "bump": "PART", "conflicts": "ANSWER",
	}
	return cmp.Or(names[f.Name], strings.ToUpper(f.Name))
}

// lastColumn matches the columns before the last one of a row.
var lastColumn = regexp.MustCompile(`^.*\S {2,}`)

// fillLines wraps text to width.
func fillLines(text string, width int) string {
	var lines []string
	for block := range strings.SplitSeq(text, "\n\n") {
		if !strings.HasPrefix(block, " ") {
			lines = append(append(lines, layout.HangText("", "", block, width)...), "")
			continue
		}
		for row := range strings.SplitSeq(block, "\n") {
			if before := lastColumn.FindString(row); before != "" {
				lines = append(lines, layout.BreakLine(row, len(before), width)...)
			} else {
				lines = append(lines, row)
			}
		}
		lines = append(lines, "")
	}
	return strings.Join(lines[:len(lines)-1], "\n")
}

// newHelp returns a help command that rejects unknown commands.
func newHelp(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show the help of a command",
		Example: `  springfield help enable
  springfield help loop start`,
		ValidArgsFunction: completeHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err == nil {
				err = a.rejectUnknown(about, rest)
			}
			if err != nil {
				return err
			}
			return about.Help()
		},
	}
}

func completeHelp(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
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
