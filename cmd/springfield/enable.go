package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/folder"
	"github.com/cameronsjo/springfield/git"
	"github.com/cameronsjo/springfield/installer"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/interview"
)

type enableOptions struct {
	plugin      string
	scope       string
	suite       string
	marketplace string
	conflicts   string
	keep        bool
	dryRun      bool
	noActivate  bool
	json        bool
}

func newEnable(a *app, runF func(context.Context, *app, enableOptions) error) *cobra.Command {
	var o enableOptions
	cmd := &cobra.Command{
		Use:   "enable PLUGIN[@MARKETPLACE]",
		Short: "Switch a plugin on in settings.json, and double-shot-latte off",
		Long: `Switch a plugin on. PLUGIN is looked up in the suite around the current directory, in
--suite, in the suites that init has made, and in the marketplaces that Claude Code knows. Its
entry and double-shot-latte's in settings.json change and not one other byte; springfield disable
puts them back. Another springfield plugin that decides at Stop is switched off in the same edit. One that
decides nothing there, like todo-continuation, switches nobody off.

Where the claude command is installed, it gets to know the suite as a marketplace, or fetches the
plugin from its repository, without touching your settings, and the next session has the hook.
Where it is not, user settings get a third entry that declares the suite.`,
		Example: `  springfield enable ned-flanders
  springfield enable ned-flanders --scope project --dry-run
  springfield enable ned-flanders --marketplace homer/continuation-hooks`,
		Args: arguments(1, 1, "one plugin"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.plugin = args[0]
			return runF(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	a.settingsFlags(cmd, &o.scope, &o.suite, &o.dryRun, &o.json)
	cmd.Flag("scope").Usage = "which settings: user, project, local; managed prints what an administrator would deploy"
	f.StringVar(&o.marketplace, "marketplace", "", "the marketplace that has the plugin: its name, OWNER/REPO, or the URL of a git repository")
	f.BoolVar(&o.keep, "keep", false, "leave other springfield plugins on")
	f.StringVar(&o.conflicts, "conflicts", "", "what to do about other plugins that drive the same loop: off or keep")
	f.BoolVar(&o.noActivate, "no-activate", false, "do not call the claude command; declare the marketplace in user settings instead")
	return cmd
}

// settingsFlags are those that every verb about settings has.
func (a *app) settingsFlags(cmd *cobra.Command, scope, suite *string, dryRun, asJSON *bool) {
	f := cmd.Flags()
	f.StringVar(scope, "scope", string(installer.User), "which settings: user, project or local")
	f.StringVar(suite, "suite", "", "directory of the suite that has the plugin")
	f.BoolVar(dryRun, "dry-run", false, "show the change as a diff, change nothing")
	f.BoolVar(asJSON, "json", false, "print the result as JSON")
}

func runEnable(ctx context.Context, a *app, o enableOptions) (err error) {
	if o.scope == managed {
		return a.printManaged(ctx, o)
	}
	scope, err := parseScope(o.scope)
	if err != nil {
		return err
	}
	if o.conflicts != "" && o.conflicts != string(installer.RivalsOff) && o.conflicts != string(installer.RivalsKeep) {
		return &usageError{fmt.Errorf("--conflicts cannot be %q", o.conflicts), "--conflicts is off or keep"}
	}
	places, err := a.places()
	if err != nil {
		return err
	}
	act := a.newActivation(places, o)
	defer func() {
		if err != nil {
			act.takeBack(ctx, o.plugin)
		}
	}()
	plugin, err := act.find(ctx, o)
	if err != nil {
		return hintSettings(err)
	}
	wanted := installer.Enabling{Plugin: plugin, Scope: scope, Keep: o.keep, Rivals: installer.Rivals(o.conflicts)}
	if err := act.look(&wanted); err != nil {
		return err
	}

	// Worked out before anything happens, so that settings nobody can edit
	// leave the client alone too.
	plan, err := a.planEnable(ctx, places, &wanted)
	if err != nil {
		return hintSettings(err)
	}
	if o.dryRun {
		if err := a.preview(o.json, plan); err != nil {
			return err
		}
		if todo := act.todo(); todo != "" {
			a.talk("and would run: %s, away from your settings", todo)
		}
		return nil
	}
	if err := act.run(ctx, &wanted); err != nil {
		return err
	}
	plan, err = apply(places, func() (installer.Plan, error) { return installer.PlanEnable(places, wanted) })
	if err != nil {
		return hintSettings(err)
	}
	live := "live in your next Claude Code session"
	if wanted.Declare {
		live += "; before Claude Code 2.1.285 in the one after it"
	}
	if scope == installer.Local && places.Work != places.Root && act.isOld(ctx, "2.1.211") {
		plan.Notes = append(plan.Notes, "your Claude Code reads local settings only where a session starts: start it in "+places.Root)
	}
	plan.Notes = append(plan.Notes, a.scopeNotes(ctx, places, scope, plugin)...)
	return a.reportEdit(o.json, edited{plugin.ID(), scope, "enabled", plugin.Suite, firstOf(plugin.Suite, act.from), live}, plan)
}

// scopeNotes say what an edit of a project's settings means beside the edit.
func (a *app) scopeNotes(ctx context.Context, places installer.Places, scope installer.Scope, plugin installer.Plugin) []string {
	file, errFile := places.Settings(scope)
	user, errUser := places.Settings(installer.User)
	switch {
	case errFile != nil || errUser != nil || scope == installer.User:
		return nil
	case file == user || folder.Same(file, user):
		return []string{"here these are your user settings: it is on in every session of yours"}
	case scope == installer.Local:
		if a.wouldCommit(ctx, file) {
			return []string{"git does not ignore .claude/settings.local.json here: add it to .gitignore, or it is committed with the rest"}
		}
		return nil
	}
	others := "the marketplace is a directory of this machine: for others it becomes live once they have it as a repository"
	if plugin.Suite == "" {
		others = fmt.Sprintf("others who work on this project call springfield enable %s --scope project too: it fetches what they lack", plugin.ID())
		if m, known := installer.MarketNamed(places, plugin.Marketplace); known {
			if from := m.Repository(); from != "" {
				others = fmt.Sprintf("others who work on this project need the plugin too: in Claude Code, /plugin install %s --marketplace %s", plugin.Name, from)
			}
		}
	}
	return []string{others}
}

// wouldCommit tells whether a file lies in the git repository around the working
// directory, and that does not ignore it.
func (a *app) wouldCommit(ctx context.Context, file string) bool {
	if git.Root(a.work) == "" {
		return false
	}
	repo, err := a.git().Repository(ctx, a.work)
	if err != nil || repo == nil {
		return false
	}
	place, err := repo.Path(file)
	if err != nil || !filepath.IsLocal(place) {
		return false
	}
	ignored, err := repo.Ignored(ctx, []string{place})
	return err == nil && len(ignored) == 0
}

// planEnable plans, and asks about rivals if there are any and somebody can be
// asked.
func (a *app) planEnable(ctx context.Context, places installer.Places, wanted *installer.Enabling) (installer.Plan, error) {
	plan, err := installer.PlanEnable(places, *wanted)
	var rivals *installer.RivalsError
	if !errors.As(err, &rivals) {
		return plan, err
	}
	if !a.terminal {
		return plan, &usageError{err, "--conflicts off switches them off with this edit, --conflicts keep leaves them on"}
	}
	answer, err := a.asker(ctx).One(strings.Join(rivals.IDs, ", ")+" would drive the same loop. What about it?", []interview.Option{
		{Value: string(installer.RivalsOff), Help: "switch it off with this edit; disable and undo bring it back"},
		{Value: string(installer.RivalsKeep), Help: "leave it on: either can make Claude go on"},
	}, string(installer.RivalsOff))
	if err != nil {
		return plan, err
	}
	wanted.Rivals = installer.Rivals(answer)
	return installer.PlanEnable(places, *wanted)
}

// apply makes a plan and writes it, anew when another program came first.
func apply(places installer.Places, plan func() (installer.Plan, error)) (installer.Plan, error) {
	const tries = 5
	for try := 1; ; try++ {
		p, err := plan()
		if err != nil || !p.Changes() {
			return p, err
		}
		err = p.Apply(places)
		if err == nil || try == tries || !errors.Is(err, installer.ErrChanged) {
			return p, err
		}
	}
}

// edited is what enable and disable report.
type edited struct {
	Plugin string          `json:"plugin"`
	Scope  installer.Scope `json:"scope"`
	State  string          `json:"state"`           // enabled or disabled
	Suite  string          `json:"suite,omitempty"` // its directory, if it is one of this machine
	From   string          `json:"from,omitempty"`  // where the plugin comes from, for people
	Live   string          `json:"live,omitempty"`
}

func (a *app) reportEdit(asJSON bool, e edited, plan installer.Plan) error {
	written, removed := plan.Files()
	if asJSON {
		return a.encode(struct {
			edited
			Changed []string `json:"changed"` // files that were written
			Removed []string `json:"removed"` // files that were not there before enable
			Notes   []string `json:"notes"`
		}{e, list(written), list(removed), list(plan.Notes)})
	}
	already := ""
	if !plan.Changes() {
		already = " already"
	}
	a.say("%s is %s%s in %s settings", e.Plugin, e.State, already, e.Scope)
	for _, file := range written {
		a.say("  changed %s", file)
	}
	for _, file := range removed {
		a.say("  removed %s, which was not there before", file)
	}
	for _, note := range plan.Notes {
		a.say("  %s", note)
	}
	if e.Live != "" {
		a.say("  from %s; %s", e.From, e.Live)
	}
	return nil
}

// list is never null in JSON.
func list(s []string) []string { return append([]string{}, s...) }

func (a *app) preview(asJSON bool, plan installer.Plan) error {
	if asJSON {
		return a.encode(struct {
			Diff  string   `json:"diff"` // unified; empty when nothing would change
			Notes []string `json:"notes"`
		}{plan.Diff(), list(plan.Notes)})
	}
	if !plan.Changes() {
		a.talk("nothing would change")
	}
	fmt.Fprint(a.out, plan.Diff())
	for _, note := range plan.Notes {
		a.talk("%s", note)
	}
	return nil
}

func parseScope(name string) (installer.Scope, error) {
	scope := installer.Scope(name)
	if !slices.Contains(installer.Scopes(), scope) {
		return "", &usageError{fmt.Errorf("there is no scope %q", name), "--scope is user, project or local; for enable also managed"}
	}
	return scope, nil
}

func hintConflict(err error) error {
	var conflict *installer.ConflictError
	if errors.As(err, &conflict) {
		return &hinted{err, fmt.Sprintf("springfield disable PLUGIN@%s --purge has Claude Code forget that one; or make a suite with another name: springfield init DIR --marketplace NAME", conflict.Name)}
	}
	return err
}

// hintSettings says what to do about settings that could not be read or written, and
// what they are now.
func hintSettings(err error) error {
	var syntax *document.SyntaxError
	var damaged *installer.DamagedError
	var failed *installer.WriteError
	var known *hinted
	switch {
	case errors.As(err, &known):
		return err
	case errors.As(err, &failed) && (failed.Done || len(failed.Left) > 0):
		return hintLeft(failed, "springfield undo takes that back")
	case errors.As(err, &damaged) && filepath.Base(filepath.Dir(damaged.File)) == "journal":
		return &hinted{err, "remove that file: undo then knows nothing of that edit"}
	case errors.As(err, &damaged):
		return &hinted{err, "remove that file: springfield then no longer knows what it did there, and disable only sets its own entry"}
	case errors.As(err, &syntax):
		return &hinted{err, "your settings are as they were; springfield edits only what Claude Code reads, plain JSON with every key once"}
	case errors.Is(err, installer.ErrChanged):
		return &hinted{err, "your settings were left to the other program; call springfield again"}
	case errors.Is(err, os.ErrPermission):
		return &hinted{err, "your settings are as they were; the file is read-only, or it or its directory belongs to somebody else"}
	case failed != nil:
		return &hinted{err, "your settings are as they were; call springfield again once the cause is gone"}
	}
	return hintConflict(err)
}

// hintLeft is about a plan that failed and left something all the same, and what
// mends that.
func hintLeft(failed *installer.WriteError, mend string) error {
	if failed.Done {
		return &hinted{fmt.Errorf("it is done, but stays in the list of edits: %w", failed), "springfield undo --forget takes it out of the list, once the cause is gone"}
	}
	return &hinted{fmt.Errorf("%w; not all of it could be taken back", failed),
		"changed all the same: " + strings.Join(failed.Left, ", ") + "; " + mend + ", once the cause is gone"}
}
