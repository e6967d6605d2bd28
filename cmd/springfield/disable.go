package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/git"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/host/claude"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/strategy/wiggum"
)

type disableOptions struct {
	switching
	installer.DisableRequest
}

func newDisable(a *app) *cobra.Command {
	o := disableOptions{switching: switching{app: a}}
	var all bool
	cmd := &cobra.Command{
		Use: "disable {PLUGIN[@MARKETPLACE] | --all}", SuggestFor: []string{"uninstall", "remove"},
		Short: "Disable a plugin and restore settings.json",
		Long: `If settings.json has not changed since enable, it gets its old bytes back,
but a springfield plugin that enable replaced stays disabled. Otherwise each entry that still has
springfield's value gets its old value; later changes stay and are listed.

--all covers all settings files, including those of other accounts (~/.claude*, and each
CLAUDE_CONFIG_DIR that springfield has edited). --all --purge also removes Claude Code's records,
springfield's decisions, holds and journal, and the suite that enable made; undo cannot revert this.
Your own suites and rules, and that suite if you changed it, stay and are listed.`,
		Example: `  springfield disable ned-flanders
  springfield disable ned-flanders --purge
  springfield disable --all
  springfield disable --all --purge --dry-run`,
		Args: func(cmd *cobra.Command, args []string) error {
			if all && len(args) > 0 || all && (cmd.Flag("scope").Changed || cmd.Flag("suite").Changed || cmd.Flag("host").Changed) {
				return check.Misuse(errors.New("--all disables every plugin, in every scope of every agent"), "omit PLUGIN, --scope, --suite and --host, or omit --all")
			}
			if all {
				return nil
			}
			return arguments(1, 1, "one plugin, or --all")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Plugin = cmp.Or(args...)
			return runDisable(cmd.Context(), o)
		},
		PreRunE: a.needPlaces,
	}
	settingsFlags(cmd, &o.Scope, &o.Suite, &o.DryRun, &o.json)
	hostFlag(cmd, &o.hosts)
	cmd.Flags().BoolVar(&all, "all", false, "disable every springfield plugin, in every scope and agent")
	cmd.Flags().BoolVar(&o.Purge, "purge", false, "also make Claude Code forget the plugin and its marketplace")
	return cmd
}

// runDisable disables o.Plugin on the chosen hosts, or for "" every plugin in every scope of every host.
func runDisable(ctx context.Context, o disableOptions) error {
	if err := checkScope(o.Scope, client.AllScopes()...); err != nil {
		return err
	}
	if o.Plugin == "" {
		return o.disableAll(ctx)
	}
	chosen, err := hostsOrDefault(o.means().User, o.hosts)
	if err != nil {
		return err
	}
	return o.switchHosts("disable", chosen, o.DryRun, func(host hosts.Host) (installer.Done, error) {
		return installer.DisablePlugin(ctx, o.means(), host, o.DisableRequest)
	})
}

func (o disableOptions) disableAll(ctx context.Context) error {
	means := o.means()
	var elsewhere []settings.Left
	running := false
	for _, account := range append(settings.OtherAccounts(means.Settings.Places), settings.ClaudeAccount{Places: means.Settings.Places}) {
		elsewhere = slices.Concat(elsewhere, o.leftUnreverted(account.Places), o.filesLeftInProjects(ctx, account.StatePath()))
		running = running || len(claude.RunningProcesses(account.Config)) > 0
	}
	done, err := installer.DisableAll(ctx, means,
		installer.DisableAllRequest{Purge: o.Purge, DryRun: o.DryRun, DefaultSuite: o.defaultSuiteDir(), Now: time.Now()})
	if err != nil {
		return o.hintChange(err, "disable --all")
	}
	if o.Purge {
		for _, dir := range done.Suites {
			done.Stays = append(done.Stays, settings.Left{Remove: "rm -r " + check.QuoteArgument(dir),
				What: dir + " is a suite of yours: git status -sb there shows whether it is saved elsewhere"})
		}
		done.Stays = append(done.Stays, elsewhere...)
		if program, err := os.Executable(); err == nil {
			done.Stays = append(done.Stays, settings.Left{What: program + " is this program",
				Remove: "remove it as you installed it: " + generator.Page})
		}
	}
	switch {
	case o.DryRun && o.json:
		return o.printJSON(struct {
			previewShape
			Left []settings.Left `json:"left"`
		}{previewOf(done.Change, ""), nonNil(done.Stays)})
	case o.DryRun:
		if err := o.showPreview(false, done.Change, ""); err != nil {
			return err
		}
		if o.Purge {
			o.talk("--purge would also make the agents forget these plugins, and would remove %s; undo cannot revert it", strings.Join(done.States, ", "))
			o.printLeft(done.Stays)
		}
		return nil
	}
	return o.reportDisableAll(done, running)
}

func (o disableOptions) reportDisableAll(done installer.DisabledAll, sessionsRunning bool) error {
	written, removed := done.Files()
	failed := len(slices.DeleteFunc(slices.Clone(done.Stays), func(l settings.Left) bool { return !l.Failed }))
	var err error
	outcome := "disabled"
	if failed > 0 {
		outcome = "failed"
		err = check.Advise(fmt.Errorf("%s could not be edited, so plugins stay enabled there", countOf(failed, "settings file")), "follow the advice for each file under left")
	}
	if o.json {
		return cmp.Or(o.printJSON(struct {
			Plugins []string        `json:"plugins"` // that were on
			State   string          `json:"state"`
			Changed []string        `json:"changed"`
			Removed []string        `json:"removed"`
			Notes   []string        `json:"notes"`
			Left    []settings.Left `json:"left"`
		}{nonNil(done.IDs), outcome, nonNil(written), append(nonNil(removed), done.Removed...), nonNil(done.Notes), nonNil(done.Stays)}), err)
	}
	switch {
	case len(done.IDs) > 0 && failed == 0:
		o.say("disabled everywhere: %s", strings.Join(done.IDs, ", "))
	case len(done.IDs) > 0:
		o.say("disabled: %s", strings.Join(done.IDs, ", "))
	case failed == 0 && done.IsEmpty():
		o.say("no springfield plugin was enabled; run springfield status to see every hook")
	case failed == 0:
		o.say("no springfield plugin was enabled; springfield's other entries were removed")
	}
	o.tellChange(done.Change, wasAbsent)
	if len(done.Removed) > 0 {
		o.say("  removed springfield's own state in %s (decisions, holds, loop history, journal) and compiled hooks", strings.Join(done.States, ", "))
	}
	if o.Purge && sessionsRunning {
		o.say("running sessions keep their hook and record decisions until they end: end them, then run this command again")
	} else if !o.Purge && len(written)+len(removed) > 0 {
		o.say("run springfield undo to revert this, or springfield disable --all --purge to remove springfield's files, too")
	}
	o.printLeft(done.Stays)
	return err
}

func (s *streams) printLeft(all []settings.Left) {
	for i, left := range all {
		if i == 0 {
			s.say("\nleft")
		}
		s.resultPrinter().PrintItem("", left.What)
		s.say("    %s", left.Remove) // on a line of its own, to be copied
	}
}

// leftUnreverted lists changes that disable does not revert. Call it before a purge.
func (o disableOptions) leftUnreverted(places client.Places) (left []settings.Left) {
	entries, _ := settings.Journal(places).ReadEntries() // the latest first
	seen := map[string]bool{}
	for _, e := range entries {
		did := strings.TrimSuffix(strings.TrimSuffix(e.Did, " in user settings"), " in local settings")
		did, reverted := strings.CutPrefix(did, revert)
		agreed := strings.HasPrefix(did, "allow ") || strings.HasPrefix(did, "set autoContinue")
		for _, file := range e.Files() {
			dir := filepath.Dir(file)
			isMemory := slices.Contains([]string{"CLAUDE.md", "AGENTS.md", "CLAUDE.local.md"}, filepath.Base(file))
			isSuite := func(dir string) bool { return rooted.TargetExists(filepath.Join(dir, generator.SuiteFile)) }
			switch {
			case agreed && !seen[did+file] && !reverted && rooted.TargetExists(file):
				remove := "remove it there"
				if o.DryRun && dir == places.Config { // later, the orders are gone
					remove = "springfield back --clean --all"
				} else if o.DryRun {
					remove = "cd " + check.QuoteArgument(filepath.Dir(dir)) + " && springfield back --clean"
				}
				left = append(left, settings.Left{What: file + " may still have a change that you agreed to for springfield away: " + did, Remove: remove})
			case agreed:
			case seen[file] || !rooted.TargetExists(file):
			case isMemory && !isSuite(dir) && !isSuite(filepath.Dir(dir)):
				left = append(left, settings.Left{What: file + " may have a paragraph about your suite", Remove: "remove it there"})
			case dir != places.StatePath() && strings.HasSuffix(filepath.ToSlash(dir), "/.claude/springfield"):
				left = append(left, settings.Left{What: file + " has a project's settings for a plugin", Remove: "rm " + check.QuoteArgument(file)})
			}
			seen[file], seen[did+file] = true, true
		}
	}
	return left
}

// filesLeftInProjects lists leftover loops, empty loop directories, spec states and snapshots in known projects. Call
// it before a purge.
func (a *app) filesLeftInProjects(ctx context.Context, stateDir string) (left []settings.Left) {
	events, _ := ledger.LoopEvents(stateDir)
	files := check.NamesOf(events, func(e activity.LoopEvent) string {
		return filepath.Join(e.Dir, filepath.FromSlash(wiggum.File))
	})
	for _, file := range slices.Compact(slices.Sorted(slices.Values(files))) {
		dir := filepath.Dir(file)
		if names, err := os.ReadDir(dir); rooted.TargetExists(file) {
			left = append(left, settings.Left{What: file + " is a goal loop", Remove: "rm " + check.QuoteArgument(file)})
		} else if err == nil && len(names) == 0 {
			left = append(left, settings.Left{What: dir + " is empty", Remove: "rmdir " + check.QuoteArgument(dir)})
		}
	}
	seen := map[string]bool{}
	for r := range ledger.Backwards([]string{stateDir}, ledger.Scope{}) {
		project := r.ProjectOrCwd()
		if seen[project] || !filepath.IsAbs(project) {
			continue
		}
		seen[project] = true
		for _, pattern := range []string{"specs/*/.ralph-state.json", ".specify/specs/*/.speckit-state.json"} {
			files, _ := fs.Glob(os.DirFS(project), pattern)
			for _, file := range files {
				file = filepath.Join(project, file)
				left = append(left, settings.Left{What: file + " is the state of a spec", Remove: "rm " + check.QuoteArgument(file)})
			}
		}
	}
	seen = map[string]bool{}
	for _, o := range ledger.AwayOrders(stateDir) {
		if seen[o.Project] {
			continue
		}
		if repository, _ := a.findSnapshot(ctx, o); repository != nil {
			seen[o.Project] = true
			in := "git -C " + check.QuoteArgument(o.Project)
			left = append(left, settings.Left{What: o.Project + " has snapshots that springfield away made",
				Remove: in + " for-each-ref --format='delete %(refname)' " + git.Snapshots + " | " + in + " update-ref --stdin"})
		}
	}
	return left
}
