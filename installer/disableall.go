package installer

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/runtime/ledger"
)

type DisableAllRequest struct {
	Purge        bool   // make Claude Code forget the plugins, and remove springfield's own state
	DefaultSuite string // removed with Purge if untouched
	DryRun       bool
	Now          time.Time
}

type DisabledAll struct {
	journal.Change
	IDs     []string // plugins that were enabled
	States  []string // directories with state, removed if Purge is set
	Removed []string
	Stays   []settings.Left
	Suites  []string // that a purge leaves
}

// DisableAll disables all springfield plugins for every host and Claude Code account, unless r.DryRun is set. r.Purge
// also removes springfield's state, including the original settings, and the default suite if unedited, but changes
// nothing if a hold is in force or a file cannot be edited. Each call needs new m.Settings.
func DisableAll(ctx context.Context, m Means, r DisableAllRequest) (done DisabledAll, err error) {
	if plan, now := r, m; r.Purge && !r.DryRun {
		plan.DryRun, now.Settings = true, settings.NewSettings(m.Settings.Places) // planning modifies the settings in memory
		if _, err := DisableAll(ctx, now, plan); err != nil {
			return done, err
		}
	}
	var all []Means
	var suites []string
	for _, a := range settings.OtherAccounts(m.Settings.Places) {
		if other := m; len(a.On) > 0 || rooted.TargetExists(a.StatePath()) {
			other.Settings, other.undo = settings.NewSettings(a.Places), "to revert the part in "+a.Config+", run: "+a.SpringfieldCommand("undo")
			all = append(all, other)
		}
	}
	all = append(all, m)
	for _, account := range all {
		if suites = append(suites, account.allSuites()...); r.Purge && err == nil {
			err = account.checkNoHold(r.Now)
		}
	}
	for i, account := range all {
		chosen := hosts.AllHosts()
		if i < len(all)-1 {
			chosen = []hosts.Host{hosts.ClaudeHost()}
		}
		if err == nil {
			err = account.disableOn(ctx, chosen, r, &done)
		}
	}
	done.IDs = slices.Compact(slices.Sorted(slices.Values(done.IDs)))
	if err != nil || !r.Purge {
		return done, err
	}
	if i := slices.IndexFunc(done.Stays, func(l settings.Left) bool { return l.Failed }); i >= 0 {
		return done, check.Advisef("fix that file, or remove springfield's entries by hand; then run springfield disable --all --purge again",
			"nothing was removed, because a file cannot be changed: %s", done.Stays[i].What)
	}
	for _, dir := range slices.Compact(slices.Sorted(slices.Values(suites))) {
		if err == nil && rooted.SameFile(dir, r.DefaultSuite) && generator.IsAsRecorded(dir) {
			done.Notes = append(done.Notes, "your default suite, "+dir+", is removed too")
			if !r.DryRun {
				err = os.RemoveAll(dir)
				_ = os.Remove(filepath.Dir(dir)) // created for the suite
			}
			continue
		}
		done.Suites = append(done.Suites, dir)
	}
	return done, err
}

// disableOn disables all plugins on the chosen hosts, or with r.DryRun only plans that. r.Purge then removes the
// account's state: one call must name all hosts that share it.
func (m Means) disableOn(ctx context.Context, chosen []hosts.Host, r DisableAllRequest, done *DisabledAll) (err error) {
	var here DisabledAll
	plan := func(now *settings.Settings) (c journal.Change, err error) {
		here = DisabledAll{}
		for _, host := range chosen {
			ids, left, err := host.PlanAllOff(now, host.PlaceFor(m.User), r.Purge, &c)
			if here.IDs, here.Stays = append(here.IDs, ids...), append(here.Stays, left...); err != nil {
				return c, err
			}
		}
		return c, nil
	}
	here.Change, err = plan(m.Settings)
	if err == nil && !r.DryRun {
		here.Change, err = settings.PlanAndApply(m.Settings.Places, plan)
	}
	if m.undo != "" && !r.Purge && !r.DryRun && !here.Change.IsEmpty() {
		here.Notes = append(here.Notes, m.undo)
	}
	switch {
	case err != nil || !r.Purge:
	case r.DryRun:
		var users []settings.Left
		_, users, err = settings.StateFiles(m.Settings.Places)
		here.Stays = append(here.Stays, users...)
	default:
		err = m.purgeClaudeToo(ctx, &here)
	}
	done.Edits, done.Notes = append(done.Edits, here.Edits...), append(done.Notes, here.Notes...)
	done.IDs, done.Stays = append(done.IDs, here.IDs...), append(done.Stays, here.Stays...)
	done.Removed, done.States = append(done.Removed, here.Removed...), append(done.States, m.Settings.StatePath())
	return err
}

// allSuites returns readable suites in springfield's own list and Claude Code's marketplaces.
func (m Means) allSuites() []string {
	dirs, _, _ := settings.KnownSuites(m.Settings.Places)
	markets, _ := m.Settings.AllMarkets()
	for _, market := range markets {
		dirs = append(dirs, market.SuiteDir())
	}
	return slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(dirs))), func(dir string) bool {
		_, err := generator.ReadSuite(dir)
		return dir == "" || err != nil
	})
}

// purgeClaudeToo makes Claude Code forget springfield's plugins, including done.IDs, then removes springfield's state.
func (m Means) purgeClaudeToo(ctx context.Context, done *DisabledAll) error {
	notes, left, err := settings.NewSettings(m.Settings.Places).PurgeInClaude(ctx, m.Claude, done.IDs)
	done.Notes, done.Stays = append(done.Notes, notes...), append(done.Stays, left...)
	if err != nil {
		return check.Advisef("run springfield disable --all --purge again to do the rest",
			"the plugins are disabled, but Claude Code still knows them: %w", err)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	removed, left, err := settings.RemoveState(m.Settings.Places)
	done.Removed, done.Stays = removed, append(done.Stays, left...)
	return err
}

// checkNoHold returns an error if a hold is in force.
func (m Means) checkNoHold(now time.Time) error {
	held, err := ledger.HoldsInForce([]string{m.Settings.StatePath()}, now)
	if err != nil {
		return err
	}
	if len(held) > 0 {
		line := "springfield resume"
		if session := strings.TrimPrefix(held[0].Of, "session:"); session != "" {
			line += " --session " + check.QuoteArgument(session)
		}
		return check.Advisef("run "+line+" to lift it, then run this command again; without --purge, the hold stays", "a hold is in force, and --purge would remove it")
	}
	return nil
}
