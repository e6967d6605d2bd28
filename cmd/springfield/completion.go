package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/doctor"
	"github.com/cameronsjo/springfield/installer/pluginsettings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/runtime/registry"
)

func newCompletion(a *app) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the completion script for your shell",
		Long: `Completes commands, flags, and the names of plugins, strategies, agents and settings.
Load the script when your shell starts:

  bash         in ~/.bashrc, with the package bash-completion:
               source <(springfield completion bash)
  zsh          in ~/.zshrc, after compinit:
               source <(springfield completion zsh)
  fish         in ~/.config/fish/config.fish:
               springfield completion fish | source
  powershell   in $PROFILE:
               springfield completion powershell |
                 Out-String | Invoke-Expression`,
		Example: `  source <(springfield completion bash)
  springfield completion fish >~/.config/fish/completions/springfield.fish`,
		ValidArgs: shells,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && !slices.Contains(shells, args[0]) {
				return check.Misusef(check.HintAtNames(args[0], "springfield completion ", shells, ""), "there is no completion for %q", args[0])
			}
			return arguments(1, 1, "the name of a shell: "+strings.Join(shells, ", "))(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch root := cmd.Root(); args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.out, true)
			case "zsh":
				return root.GenZshCompletion(a.out)
			case "fish":
				return root.GenFishCompletion(a.out, true)
			default:
				return root.GenPowerShellCompletionWithDesc(a.out)
			}
		},
	}
}

// completeNames sets the completion of arguments and flags. All commands of root have been added.
func (a *app) completeNames(root *cobra.Command) {
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	const directories, anyFile = cobra.ShellCompDirectiveFilterDirs, cobra.ShellCompDirectiveDefault
	paths := map[string]cobra.ShellCompDirective{
		"init": directories, "build": directories, "update": directories, "validate": directories, "publish": directories,
		"--dir": directories, "--suite": directories, "--to": directories, "--project": directories,
		"explain": anyFile, "replay": anyFile, "--memory": anyFile, "--html": anyFile,
	}
	names := map[string]func(args []string) []string{
		"enable": a.completeEnable, "disable": a.completeFirst((*doctor.Inspection).DisableChoices),
		"set": a.completeSet, "--unset": a.completeSet, "--plugin": a.completeFirst((*doctor.Inspection).EnableChoices),
		"--strategy": completeStrategy, "--from": completeStrategy,
		"--host": func([]string) []string { return completeHosts(a.hostOwner()) },
	}
	complete := func(key string) cobra.CompletionFunc {
		if directive, ok := paths[key]; ok {
			return cobra.FixedCompletions(nil, directive)
		}
		offers, ok := names[key]
		if !ok {
			return cobra.NoFileCompletions
		}
		return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			directive := cobra.ShellCompDirectiveNoFileComp
			if key == "set" && len(args) > 0 {
				directive |= cobra.ShellCompDirectiveNoSpace
			}
			return offers(args), directive
		}
	}
	for _, cmd := range root.Commands() {
		if len(cmd.ValidArgs) == 0 && cmd.ValidArgsFunction == nil {
			cmd.ValidArgsFunction = complete(cmd.Name())
		}
		for _, cmd := range append(cmd.Commands(), cmd) {
			cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
				_ = cmd.RegisterFlagCompletionFunc(f.Name, complete("--"+f.Name))
			})
		}
	}
}

func (e *environment) completeFirst(of func(*doctor.Inspection) []string) func(args []string) []string {
	return func(args []string) []string {
		if len(args) > 0 || e.findPlaces() != nil {
			return nil
		}
		return of(doctor.Inspect(e.inspectionRequest()))
	}
}

func (e *environment) completeEnable(args []string) (pluginsOrStrategies []string) {
	if len(args) > 0 {
		return nil
	}
	all := e.completeFirst((*doctor.Inspection).EnableChoices)(nil)
	return append(all, slices.DeleteFunc(completeStrategy(nil), func(strategy string) bool {
		name, _, _ := strings.Cut(strategy, "\t")
		return slices.ContainsFunc(all, func(id string) bool { return id == name || strings.HasPrefix(id, name+"@") })
	})...)
}

// completeSet returns completions for set: plugins, then settings of the plugin.
func (a *app) completeSet(args []string) (pluginsOrKeys []string) {
	if len(args) == 0 {
		return a.completeFirst((*doctor.Inspection).EnableChoices)(nil)
	}
	if a.findPlaces() != nil {
		return nil
	}
	p, err := a.findPluginOrStrategy(args[0])
	if err != nil {
		return nil
	}
	return check.NamesOf(pluginsettings.KeysOf(p.Strategy), func(k pluginsettings.Key) string { return k.Name + "\t" + k.Description })
}

func completeStrategy(_ []string) (namesAndHelp []string) {
	for _, name := range registry.StrategyNames() {
		if about, err := generator.ReadAbout(name); err == nil {
			namesAndHelp = append(namesAndHelp, name+"\t"+about.Cost+", "+about.Summary)
		}
	}
	return namesAndHelp
}
