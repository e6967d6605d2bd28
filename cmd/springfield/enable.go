package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/installer"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/interview"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/runtime/registry"
)

type enableOptions struct {
	installer.EnableRequest
	hosts []string
	json  bool
	begun bool // it is for a loop that a person starts
}

func newEnable(a *app) *cobra.Command {
	var o enableOptions
	cmd := &cobra.Command{
		Use:   "enable PLUGIN[@MARKETPLACE]",
		Short: "Switch a plugin on",
		Long: `PLUGIN is looked up in --suite, else in the suites that you have made or named so
before, and in the marketplaces that Claude Code knows. Where none has it, it is made
in a suite in your data directory: ~/.local/share on Linux.
One edit of settings.json switches it on, and switches off double-shot-latte and any
other springfield plugin of the same kind. Not one other byte changes, and springfield
disable puts it all back.

There are three kinds: plugins that decide at every stop (ned-flanders, lisa-simpson,
bart-simpson, marge-simpson), the goal loop (ralph-wiggum), and the spec loops
(ralph-specum, ralph-speckit). While a loop runs, only its plugin decides, so a loop
plugin and a daily one can be on together.

If the claude command is installed, it registers the suite as a marketplace, or
fetches the plugin. If not, or if the suite is made now, your user settings get a third
entry, which declares the suite. Your next session has the hook.

--host switches it on for other agents: codex, copilot, qwen, droid, gemini, or all
that are found here. It adds one entry to the file in which the agent has your own hooks
(Qwen Code and Gemini CLI get a link), which starts the plugin where it lies. Codex asks
once whether you trust it. Without --host it is Claude Code, or the only agent that is
found.`,
		Example: `  springfield enable ned-flanders
  springfield enable ned-flanders --host codex,copilot --dry-run
  springfield enable ned-flanders --scope project --dry-run
  springfield enable ned-flanders --marketplace homer/continuation-hooks`,
		Args: arguments(1, 1, "one plugin"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Plugin = args[0]
			return runEnable(cmd.Context(), a, o)
		},
		PreRunE: a.needPlaces,
	}
	f := cmd.Flags()
	a.settingsFlags(cmd, &o.Scope, &o.Suite, &o.DryRun, &o.json)
	cmd.Flag("scope").Usage = "which settings: user, project, local; managed prints what an administrator would deploy"
	f.StringVar(&o.Marketplace, "marketplace", "", "the marketplace that has the plugin: its name, OWNER/REPO, or the URL of a git repository")
	f.BoolVar(&o.Keep, "keep", false, "leave other plugins of the same kind on")
	f.StringVar((*string)(&o.Conflicts), "conflicts", "", "what to do about other plugins that drive the same loop: off or keep")
	hostFlag(cmd, &o.hosts, "for which agents: claude, codex, copilot, qwen, droid, gemini, or all that are found")
	f.BoolVar(&o.NoClaude, "no-activate", false, "do not call the claude command; declare the marketplace in user settings instead")
	return cmd
}

// settingsFlags are those that every verb about settings has.
func (a *app) settingsFlags(cmd *cobra.Command, scope *client.Scope, suite *string, dryRun, asJSON *bool) {
	f := cmd.Flags()
	f.StringVar((*string)(scope), "scope", string(client.User), "which settings: user, project or local")
	f.StringVar(suite, "suite", "", "directory of the suite that has the plugin")
	f.BoolVar(dryRun, "dry-run", false, "show the change as a diff, change nothing")
	f.BoolVar(asJSON, "json", false, "print the result as JSON")
}

func runEnable(ctx context.Context, a *app, o enableOptions) error {
	if err := checkScope(o.Scope, append(client.AllScopes(), client.Managed)...); err != nil {
		return err
	}
	if all := []string{string(settings.ConflictsOff), string(settings.ConflictsKeep)}; o.Conflicts != "" && !slices.Contains(all, string(o.Conflicts)) {
		return check.Misusef(check.HintAtNames(string(o.Conflicts), "--conflicts ", all, ""), "--conflicts cannot be %q", o.Conflicts)
	}
	o.Ask = func(conflict *settings.ConflictError) (settings.ConflictAnswer, error) {
		if !a.terminal {
			return "", check.Misuse(conflict, "--conflicts off switches off what this edit can, and names the command for the rest; --conflicts keep leaves them on")
		}
		answer, err := a.newAsker(ctx).One(strings.Join(conflict.IDs, ", ")+" would drive the same loop. What about it?", []interview.Option{
			{Value: string(settings.ConflictsOff), Label: "switch it off with this edit, or be told the command where another scope decides; disable and undo bring it back"},
			{Value: string(settings.ConflictsKeep), Label: "leave it on: either can make Claude go on"},
		}, string(settings.ConflictsOff))
		return settings.ConflictAnswer(answer), err
	}
	chosen, err := a.toSwitch(o.hosts)
	if err != nil {
		return err
	}
	if o.Scope != client.Managed {
		o.DefaultSuite = a.defaultSuite(ctx)
		defer o.DefaultSuite.Close()
	}
	if o.Scope == client.Managed {
		if len(chosen) > 1 || !chosen[0].Markets {
			return check.Misuse(errors.New("--scope managed is for Claude Code"),
				"leave --host out, or use --host claude")
		}
		settings, plugin, err := installer.Managed(ctx, a.activationMeans(), o.EnableRequest)
		if err != nil {
			return hintSettings(err, "enable")
		}
		return a.printManaged(o.json, settings, plugin)
	}
	if chosen, err = a.tryOnHosts(ctx, o, chosen); err != nil {
		return err
	}
	enable := func(host hosts.Host) (installer.Done, error) {
		return installer.EnablePlugin(ctx, a.activationMeans(), host, o.EnableRequest)
	}
	if err := a.switchHosts(chosen, switchOptions{"enable", o.hosts, o.DryRun, o.json}, enable); err != nil || o.json || o.DryRun {
		return err
	}
	leave := "springfield disable " + o.Plugin + hostWords(o.hosts)
	if o.Scope != client.User {
		leave += " --scope " + string(o.Scope)
	}
	var first [][]string
	name, _, _ := strings.Cut(o.Plugin, "@")
	switch known, _ := registry.StrategyNamed(name); {
	case known.Judges:
		first = [][]string{{"asks", "a model where its rules are not sure, with at most 3 KB of the session; springfield set " + name + " shows its limits"}}
	case known.EventName() == "UserPromptSubmit":
		first = [][]string{{"needs", "a todo list, which Opus 4.8, Sonnet 5 and later do not have; springfield doctor says what brings it back"}}
	case known.Loop != nil && !known.Loop.Spec && !o.begun:
		first = [][]string{{"begin", `springfield loop start "Fix the failing tests"`}}
	}
	a.resultPrinter().PrintTable("", append(first, [][]string{
		{"check", "springfield why, springfield status"},
		{"pause", "springfield hold 30m"},
		{"leave", leave + ", or springfield undo"},
	}...))
	return nil
}

// offerEnable asks a person whether to enable, once nothing is found that would stop it.
func (a *app) offerEnable(ctx context.Context, o enableOptions, question string) (yes bool, err error) {
	o.Unmade, o.DefaultSuite = true, a.defaultSuite(ctx)
	chosen, err := a.toSwitch(o.hosts)
	for _, host := range chosen {
		_, err := a.planOn(ctx, host, o)
		if over := (*hosts.PassedOverError)(nil); err != nil && !errors.As(err, &over) {
			return false, hintSettings(err, "enable")
		}
	}
	if err != nil {
		return false, err
	}
	return a.newAsker(ctx).Confirm(question)
}

// planOn plans to enable a plugin on a host. What a person decides about conflicts is asked later.
func (a *app) planOn(ctx context.Context, host hosts.Host, o enableOptions) (installer.Done, error) {
	if o.DryRun = true; a.terminal {
		o.Ask = func(*settings.ConflictError) (settings.ConflictAnswer, error) { return settings.ConflictsKeep, nil }
	}
	return installer.EnablePlugin(ctx, a.activationMeans(), host, o.EnableRequest)
}

// switchOptions are those that enable and disable have in common.
type switchOptions struct {
	verb         string
	hosts        []string
	dryRun, json bool
}

// switchHosts does what is asked for on one host after the other, whatever fails on one, and reports it. Of all that are
// there, one that has nothing to do is passed over. What was done is one step for undo.
func (a *app) switchHosts(chosen []hosts.Host, o switchOptions, do func(hosts.Host) (installer.Done, error)) (err error) {
	var results []installer.Done
	var did, broken, fine []string
	var over *hosts.PassedOverError
	for _, host := range chosen {
		done, failure := do(host)
		switch {
		case errors.As(failure, &over) && slices.Contains(o.hosts, allHosts):
			continue
		case failure != nil && (len(chosen) == 1 || len(results) == 0 && exitCode(failure) != failed):
			return hintSettings(failure, o.verb)
		case failure != nil:
			broken, done.Host, done.Err = append(broken, host.Title), host, hintSettings(failure, o.verb)
		case done.Change.IsEmpty() || o.dryRun:
			fine = append(fine, host.Title)
		default:
			did, fine = append(did, done.Change.Did), append(fine, host.Title)
		}
		if !o.json {
			a.tellResult(done, o.dryRun)
		}
		results = append(results, done)
		if done.Err != nil && exitCode(done.Err) == cancelled {
			err = done.Err
			break
		}
	}
	if len(results) == 0 {
		return over
	}
	advice := "what to do is beside each"
	if len(did) > 0 {
		advice += "; springfield undo takes back what was done"
	}
	if len(did) > 1 && settings.Journal(a.places).JoinNewest(did) != nil {
		advice += ", one agent at a time"
	}
	if err == nil && len(fine) > 0 && len(broken) > 0 {
		err = check.Advisef(advice, "%s failed in %s, not in %s", o.verb, strings.Join(broken, ", "), strings.Join(fine, ", "))
	} else if err == nil && len(broken) > 0 {
		err = check.Advisef(advice, "%s failed in %s", o.verb, strings.Join(broken, ", "))
	}
	if o.json {
		err = cmp.Or(a.encodeResults(results, o), err)
	}
	return err
}

// tryOnHosts plans for several hosts before anything is changed for one. Of all that are there, those that cannot
// have the plugin are passed over, and one that fails hinders no other.
func (a *app) tryOnHosts(ctx context.Context, o enableOptions, chosen []hosts.Host) (able []hosts.Host, err error) {
	if len(chosen) < 2 {
		return chosen, nil
	}
	var last error
	for _, host := range chosen {
		if !host.Markets || o.Marketplace == "" { // one that the claude command has to fetch has no plan yet
			_, err = a.planOn(ctx, host, o)
		}
		over := (*hosts.PassedOverError)(nil)
		switch all := slices.Contains(o.hosts, allHosts); {
		case errors.As(err, &over) && all:
			a.talk("skipped: %v", err)
			last = err
		case err != nil && !all:
			if !strings.Contains(err.Error(), host.Title) {
				err = fmt.Errorf("%s: %w", host.Title, err)
			}
			return nil, hintSettings(err, "enable")
		default:
			able = append(able, host)
		}
		err = nil
	}
	if len(able) == 0 {
		return nil, last
	}
	return able, nil
}

// printManaged prints what an administrator would deploy.
func (a *app) printManaged(asJSON bool, settings []byte, plugin client.Plugin) error {
	file := filepath.Join(a.places.Managed, "managed-settings.d", "springfield.json")
	if asJSON {
		return a.printJSON(struct {
			Settings string `json:"settings"`
			Path     string `json:"path"`
		}{string(settings), file})
	}
	fmt.Fprint(a.out, string(settings))
	a.talk("an administrator puts this into %s; nothing was changed here", file)
	if plugin.Suite != "" {
		said := a.notePrinter()
		said.Home = "" // ~ is another directory there
		said.PrintText("the suite must be at %s on every machine; publish it as a repository to do without",
			plugin.Suite)
	}
	return nil
}

// hintOfHost is what to do about an error, where other hosts' settings may have changed.
func hintOfHost(err error, host hosts.Host) string {
	return strings.Replace(hintOf(err), "your settings are unchanged", "the settings of "+host.Title+" are unchanged", 1)
}

// hostWords are the flags that name hosts, to be typed again.
func hostWords(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return " --host " + strings.Join(names, ",")
}

// tellResult tells a person what was done for one host, or would be.
func (a *app) tellResult(r installer.Done, dryRun bool) {
	if r.Err != nil {
		a.say("%s: failed: %v", r.Host.Title, r.Err)
		if hint := hintOfHost(r.Err, r.Host); hint != "" {
			a.say("  %s", hint)
		}
		return
	}
	if dryRun {
		_ = a.showPreview(false, r.Change, r.Todo)
		return
	}
	already := ""
	if r.Change.IsEmpty() {
		already, r.Live = " already", ""
	}
	a.say("%s is %s%s in %s", r.Plugin, r.State, already, r.Host.SettingsInWords(r.Scope))
	a.tellChange(r.Change)
	if r.From != "" {
		a.say("  from %s", strings.TrimSuffix(r.From+"; "+r.Live, "; "))
	}
}

// tellChange tells which files of settings were changed, and what it means.
func (a *app) tellChange(c journal.Change) {
	written, removed := c.Files()
	for _, file := range written {
		a.say("  changed %s", file)
	}
	for _, file := range removed {
		a.say("  removed %s, which was not there before", file)
	}
	for _, note := range c.Notes {
		a.say("  %s", note)
	}
}

// encodeResults prints the result for one host as an object, and as a list where --host
// asks for all or for several, however many were found.
func (a *app) encodeResults(results []installer.Done, o switchOptions) error {
	var all []any
	for _, r := range results {
		name := r.Host.Name
		if r.Host.Markets {
			name = ""
		}
		if r.Err != nil {
			all = append(all, struct {
				Host  string `json:"host,omitempty"`
				State string `json:"state"`
				Error string `json:"error"`
				Hint  string `json:"hint"`
			}{name, "failed", r.Err.Error(), hintOfHost(r.Err, r.Host)})
			continue
		}
		if o.dryRun {
			all = append(all, struct {
				Host string `json:"host,omitempty"`
				previewShape
			}{name, previewOf(r.Change, r.Todo)})
			continue
		}
		written, removed := r.Change.Files()
		all = append(all, struct {
			Host string `json:"host,omitempty"`
			installer.Done
			Changed []string `json:"changed"` // files that were written
			Removed []string `json:"removed"` // files that were not there before enable
			Notes   []string `json:"notes"`
		}{name, r, nonNil(written), nonNil(removed), nonNil(r.Change.Notes)})
	}
	if len(o.hosts) > 1 || slices.Contains(o.hosts, allHosts) {
		return a.printJSON(all)
	}
	return a.printJSON(all[0])
}

// nonNil is never null in JSON.
func nonNil[T any](s []T) []T { return append([]T{}, s...) }

// checkScope refuses a scope that is none of all.
func checkScope[T ~string](scope T, all ...T) error {
	names := check.NamesOf(all, func(one T) string { return string(one) })
	if slices.Contains(all, scope) {
		return nil
	}
	return check.Misusef(check.HintAtNames(string(scope), "--scope ", names, ""), "there is no scope %q", scope)
}
