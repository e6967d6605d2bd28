// What a shell offers after Tab. cobra makes the scripts for bash, zsh, fish
// and PowerShell (springfield completion SHELL) and knows the verbs and flags;
// the values come from here, and are as they are at that moment: the plugins
// of suites, marketplaces and settings, the newest decisions, the sessions.
//
// Tab is pressed in any state of things. So whatever cannot be read offers
// nothing, and nothing is said about it.

package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/inspection"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/publish"
	"github.com/cameronsjo/springfield/replay"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/registry"
)

func newCompletion(a *app) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the script that completes springfield's words in your shell",
		Long: `Completes commands, flags and their values: plugins, settings, scopes, targets,
decisions, sessions. Load the script where your shell starts:

  bash         in ~/.bashrc, with the package bash-completion:
               source <(springfield completion bash)
  zsh          in ~/.zshrc, after compinit:
               source <(springfield completion zsh)
  fish         in ~/.config/fish/config.fish:
               springfield completion fish | source
  powershell   in $PROFILE:
               springfield completion powershell | Out-String |
               Invoke-Expression`,
		Example: `  source <(springfield completion bash)
  springfield completion fish >~/.config/fish/completions/springfield.fish`,
		ValidArgs: shells,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(shells, args[0]) {
				return &usageError{errors.New("springfield completion takes the name of a shell"), "one of " + strings.Join(shells, ", ")}
			}
			return nil
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

// completeValues tells every verb and flag what to offer. A verb or a flag
// that is not named here offers nothing, which is right for names and numbers
// that only the user knows.
func (a *app) completeValues(root *cobra.Command) {
	loops := ordered(a.offer((*inspection.Inspection).Loops))
	values := map[string]cobra.CompletionFunc{
		"enable": first(a.offer((*inspection.Inspection).ToEnable)), "disable": first(a.offer((*inspection.Inspection).ToDisable)), "why": first(ordered(a.offer((*inspection.Inspection).Decisions))),
		"set": a.keys(true), "get": a.keys(false), "set --scope": fixed("user\tall your sessions", "suite\tthe plugin's own file", "project\tsessions in this directory"), "set --unset": a.keys(false),
		"hold":    first(fixed("30m\thalf an hour", "2h\ttwo hours", "1d\ta day")),
		"explain": first(a.explainable), "replay": files("jsonl"), "replay --strategy": fixed(replay.Names()...), "replay --list": fixed(replay.Lists()...), "replay --project": dirs, "--since": fixed("30d\tthe last month", "90d\tthe last three months", "365d\tthe last year"),
		"loop set": loopKeys, "loop history show": first(loops), "loop history rerun": first(loops),
		"init": dirs, "build": dirs, "update": dirs, "validate": dirs, "publish": dirs,

		"--scope": fixed(scopes()...), "enable --scope": fixed(append(scopes(), "managed\twhat an administrator would deploy")...),
		"--target": fixed(targets()...), "--strategy": offers(strategies), "--from": offers(strategies), "--set": offers(settings),
		"--rules":       fixed(registry.RuleSets()...),
		"--builder":     fixed("auto\tcarried hooks if they fit, else go", "go\tcompile", "prebuilt\tcarried hooks"),
		"--host":        ordered(offers(a.hostNames)),
		"--conflicts":   fixed("off\tswitch them off", "keep\tleave them on"),
		"--marketplace": none, "enable --marketplace": a.offer((*inspection.Inspection).Marketplaces),
		"--session": ordered(a.offer((*inspection.Inspection).Sessions)), "--template": ordered(offers(func([]string) []string { return a.loopTemplates() })), "--dir": dirs, "--project": dirs,
		"loop start --timeout": fixed("30m", "2h"), "loop start --iteration-timeout": fixed("10m"),
		"publish --to": dirs, "publish --bump": fixed(publish.Bumps()...), "publish --plugin": offers(a.pluginsHere),
		"--suite": dirs, "--memory": files("md"),
	}
	for _, cmd := range root.Commands() {
		complete(cmd, cmd.Name(), values)
	}
}

// complete tells a verb, called by a path, and those below it what to offer.
func complete(cmd *cobra.Command, path string, values map[string]cobra.CompletionFunc) {
	if len(cmd.ValidArgs) == 0 {
		cmd.ValidArgsFunction = choose(values, path)
	}
	for _, flags := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
		flags.VisitAll(func(f *pflag.Flag) {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, choose(values, path+" --"+f.Name, "--"+f.Name))
		})
	}
	for _, below := range cmd.Commands() {
		complete(below, path+" "+below.Name(), values)
	}
}

func choose(values map[string]cobra.CompletionFunc, keys ...string) cobra.CompletionFunc {
	for _, key := range keys {
		if f, ok := values[key]; ok {
			return f
		}
	}
	return none
}

func none(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

func dirs(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

func files(endings ...string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return endings, cobra.ShellCompDirectiveFilterFileExt
	}
}

// fixed offers what does not change. After a tab comes what a word means.
func fixed(all ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(all, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveKeepOrder)
}

// offer offers what an inspection knows.
func (a *app) offer(of func(*inspection.Inspection) []inspection.Offer) cobra.CompletionFunc {
	return offers(func([]string) (all []string) {
		if in, err := a.inspect(); err == nil {
			for _, o := range of(in) {
				all = append(all, o.Value+"\t"+a.notes().Path(display.Line(o.Meaning)))
			}
		}
		return all
	})
}

// offers offers what is there at that moment.
func offers(now func(args []string) []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return now(args), cobra.ShellCompDirectiveNoFileComp
	}
}

// ordered keeps the order of what is offered.
func ordered(offer cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		all, directive := offer(cmd, args, typed)
		return all, directive | cobra.ShellCompDirectiveKeepOrder
	}
}

// first offers for the first argument only.
func first(offer cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return none(cmd, args, typed)
		}
		return offer(cmd, args, typed)
	}
}

// explainable offers decisions and sessions, and logs for what looks like a path.
func (a *app) explainable(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if strings.ContainsAny(typed, "/.~") {
		return files("jsonl")(cmd, args, typed)
	}
	decisions, directive := ordered(a.offer((*inspection.Inspection).Decisions))(cmd, args, typed)
	sessions, _ := a.offer((*inspection.Inspection).Sessions)(cmd, args, typed)
	return append(decisions, sessions...), directive
}

// keys offers a plugin, then its settings.
func (a *app) keys(set bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return a.offer((*inspection.Inspection).ToEnable)(cmd, args, typed)
		}
		if !set && cmd.Name() == "get" && len(args) > 1 {
			return none(cmd, args, typed)
		}
		all := a.settingKeys(set)(args, typed)
		directive := cobra.ShellCompDirectiveNoFileComp
		if set && !strings.Contains(typed, "=") {
			directive |= cobra.ShellCompDirectiveNoSpace
		}
		return all, directive
	}
}

func scopes() []string {
	var all []string
	for _, s := range client.Scopes() {
		means := map[client.Scope]string{client.User: "all your sessions", client.Project: "everyone's sessions here", client.Local: "your sessions in this repository"}
		all = append(all, string(s)+"\t"+means[s])
	}
	return all
}

func targets() []string {
	var all []string
	for _, t := range generator.AllTargets() {
		all = append(all, t.String())
	}
	return all
}

func strategies([]string) (all []string) {
	for _, name := range registry.Names() {
		if about, err := generator.ReadAbout(name); err == nil {
			all = append(all, name+"\t"+about.Cost+", "+about.Summary)
		}
	}
	return all
}

// settings are plugin.key=value, for plugins that bear their strategy's name.
func settings([]string) (all []string) {
	for _, name := range registry.Names() {
		about, _ := generator.ReadAbout(name)
		for _, q := range about.Questions {
			for _, c := range q.Choices {
				all = append(all, name+"."+q.Key+"="+c.Value+"\t"+c.Help)
			}
		}
	}
	return all
}

// pluginsHere are the plugins of the suite that is named, or around.
func (a *app) pluginsHere(args []string) []string {
	dir := ""
	if len(args) > 0 {
		dir = args[0]
	}
	_, suite, _ := a.suiteIn(dir)
	return names(suite.Plugins)
}
