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
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer"
	"github.com/cameronsjo/springfield/replay"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

func newCompletion(a *app) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the script that lets bash, zsh, fish or powershell complete springfield's words",
		Long: `Print the script that lets a shell complete verbs, flags and their values: plugins, scopes, targets,
decisions, sessions. Load it where your shell starts:

  bash: in ~/.bashrc (with the package bash-completion)
      source <(springfield completion bash)
  zsh: in ~/.zshrc, after compinit
      source <(springfield completion zsh)
  fish: in ~/.config/fish/config.fish
      springfield completion fish | source
  powershell: in $PROFILE
      springfield completion powershell | Out-String | Invoke-Expression`,
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
	values := map[string]cobra.CompletionFunc{
		"enable": first(a.toEnable), "disable": first(a.toDisable), "why": first(a.decisions),
		"hold":    first(fixed("30m\thalf an hour", "2h\ttwo hours", "1d\ta day")),
		"explain": files("jsonl"), "tune": files("jsonl"), "replay": files("jsonl"), "replay --strategy": fixed(replay.Names()...), "replay --list": fixed(rowKinds()...), "replay --project": dirs, "tune --plugin": fixed(ruled()...), "--since": fixed("30d\tthe last month", "90d\tthe last three months", "365d\tthe last year"),
		"loop set": loopKeys, "loop history show": first(a.pastLoops), "loop history rerun": first(a.pastLoops),
		"init": dirs, "build": dirs, "update": dirs, "validate": dirs, "publish": dirs,

		"--scope": fixed(scopes()...), "enable --scope": fixed(append(scopes(), "managed\twhat an administrator would deploy")...),
		"--target": fixed(targets()...), "--strategy": strategies, "--from": strategies, "--set": settings,
		"--rules":       fixed(strategy.NedRuleSets()...),
		"--builder":     fixed("auto\tcarried hooks if they fit, else go", "go\tcompile", "prebuilt\tcarried hooks"),
		"--conflicts":   fixed("off\tswitch them off", "keep\tleave them on"),
		"--marketplace": none, "enable --marketplace": a.markets,
		"--session": a.sessions, "--template": a.templates, "--dir": dirs,
		"loop start --timeout": fixed("30m", "2h"), "loop start --iteration-timeout": fixed("10m"),
		"publish --to": dirs, "publish --bump": fixed(generator.Bumps()...), "publish --plugin": a.pluginsHere,
		"publish --source": fixed(bySituation+"\tby situation", byPath+"\tin the marketplace's own checkout", bySubdir+"\ta directory of the suite's repository", byURL+"\ta whole repository", byGitHub+"\ta whole repository on GitHub"),
		"--suite":          dirs, "--answers": files("yaml", "yml", "json"), "--memory": files("md"),
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

// first offers for the first argument only.
func first(offer cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return none(cmd, args, typed)
		}
		return offer(cmd, args, typed)
	}
}

func scopes() []string {
	means := map[installer.Scope]string{installer.User: "all your sessions", installer.Project: "everybody's sessions here", installer.Local: "your sessions in this repository"}
	var all []string
	for _, s := range installer.Scopes() {
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

func strategies(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var all []string
	for _, name := range strategy.Names() {
		if about, err := generator.ReadAbout(name); err == nil {
			all = append(all, name+"\t"+about.Cost+", "+about.Summary)
		}
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

// pluginsHere offers the plugins of the suite that is named, or around.
func (a *app) pluginsHere(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	dir := ""
	if len(args) > 0 {
		dir = args[0]
	}
	_, suite, _ := a.suiteIn(dir)
	return names(suite.Plugins), cobra.ShellCompDirectiveNoFileComp
}

// settings offers plugin.key=value, for plugins that bear their strategy's name.
func settings(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var all []string
	for _, name := range strategy.Names() {
		about, _ := generator.ReadAbout(name)
		for _, q := range about.Questions {
			for _, c := range q.Choices {
				all = append(all, name+"."+q.Key+"="+c.Value+"\t"+c.Help)
			}
		}
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

// toEnable offers every plugin of springfield's that can be found from here.
func (a *app) toEnable(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	where := map[string]string{} // ID: what to say of it
	places, err := a.places()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	markets, _ := installer.Markets(places)
	for name, m := range markets {
		for _, plugin := range m.Ours() {
			where[plugin+"@"+name] = "from " + m.String()
		}
	}
	suites, _ := installer.Suites(places)
	if around, err := generator.FindSuite(a.work); err == nil {
		suites = append(suites, around)
	}
	for _, dir := range suites {
		if s, err := generator.ReadSuite(dir); err == nil {
			for _, p := range s.Plugins {
				where[p.Name+"@"+s.Marketplace] = "from " + dir
			}
		}
	}
	return named(where), cobra.ShellCompDirectiveNoFileComp
}

// toDisable offers springfield's plugins that some settings switch on.
func (a *app) toDisable(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	where := map[string]string{}
	places, err := a.places()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	inventory, _ := places.Inventory()
	for _, p := range inventory.Plugins {
		for _, said := range p.Says {
			if said.On && p.Ours() {
				where[p.ID] = "on in " + said.Layer + " settings"
			}
		}
	}
	return named(where), cobra.ShellCompDirectiveNoFileComp
}

// named offers plugins by name where that is enough, else by ID.
func named(where map[string]string) []string {
	count := map[string]int{}
	for id := range where {
		name, _, _ := strings.Cut(id, "@")
		count[name]++
	}
	var all []string
	for _, id := range slices.Sorted(maps.Keys(where)) {
		name, _, _ := strings.Cut(id, "@")
		if count[name] > 1 {
			name = id
		}
		all = append(all, name+"\t"+display.Line(where[id]))
	}
	return all
}

// markets offers the marketplaces that Claude Code knows and that have a plugin
// of springfield's.
func (a *app) markets(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var all []string
	if places, err := a.places(); err == nil {
		markets, _ := installer.Markets(places)
		for _, name := range slices.Sorted(maps.Keys(markets)) {
			if len(markets[name].Ours()) > 0 {
				all = append(all, name+"\t"+display.Line(markets[name].String()))
			}
		}
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

// offered is how many decisions and sessions are offered, the newest first.
const offered = 20

func (a *app) decisions(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	all := []string{"last\tthe newest decision"}
	for _, r := range a.newest(offered) {
		all = append(all, fmt.Sprintf("%s\t%s: %s, %s, %s", r.ID, r.Plugin, r.Decision, display.Line(r.Rule), ago(time.UnixMilli(r.At))))
	}
	return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

func (a *app) sessions(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var all, seen []string
	for _, r := range a.newest(50 * offered) {
		if r.Session != "" && !slices.Contains(seen, r.Session) && len(seen) < offered {
			seen = append(seen, r.Session)
			all = append(all, display.Line(r.Session)+"\t"+display.Line(r.Cwd)+", "+ago(time.UnixMilli(r.At)))
		}
	}
	return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// newest are the newest decisions on file, the newest first.
func (a *app) newest(n int) []ledger.Record {
	places, err := a.places()
	if err != nil {
		return nil
	}
	records, _ := ledger.History(filepath.Join(places.Config, "springfield"), "", n)
	slices.Reverse(records)
	return records
}
