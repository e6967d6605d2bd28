package installer

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/runtime/ledger"
)

// Leaving is what disable --all is asked for.
type Leaving struct {
	Purge  bool // Claude Code is to forget the plugins, and springfield's own state goes
	DryRun bool // nothing changes
	Now    time.Time
}

// Left is what became of it.
type Left struct {
	journal.Change
	IDs     []string        // the plugins that were on
	Removed []string        // of springfield's own state
	Stays   []settings.Left // what is left, and what removes it
}

// LeaveEverywhere switches every plugin of springfield's off, wherever it was enabled.
func LeaveEverywhere(ctx context.Context, m Means, r Leaving) (done Left, err error) {
	if r.Purge {
		if err := m.checkHolds(r.Now); err != nil {
			return done, err
		}
	}
	suites := m.ownSuites()
	plan := func(now *settings.Settings) (c journal.Change, err error) {
		if done.Change, done.IDs, done.Stays, err = now.DisableAll(r.Purge); err == nil {
			err = m.leaveHosts(ctx, leaving{&done, now, r.Purge})
		}
		return done.Change, err
	}
	if done.Change, err = plan(m.Settings); err == nil && !r.DryRun {
		done.Change, err = m.Settings.PlanAndApply(done.Change, plan)
	}
	if err != nil || !r.Purge {
		return done, err
	}
	if r.DryRun {
		_, users, unread := settings.SpringfieldFiles(m.Settings.Places)
		done.Stays, err = append(done.Stays, users...), unread
	} else {
		err = m.forgetAll(ctx, &done)
	}
	for _, dir := range suites {
		done.Stays = append(done.Stays, settings.Left{What: dir + " is a suite of yours", Remove: "rm -r " + check.QuoteArgument(dir)})
	}
	return done, err
}

// ownSuites are the user's own suites: those that init has made, and those that are known as
// marketplaces.
func (m Means) ownSuites() []string {
	dirs, _, _ := settings.KnownSuites(m.Settings.Places) // a list that cannot be read goes with the rest
	markets, _ := m.Settings.AllMarkets()
	for _, market := range markets {
		dirs = append(dirs, market.SuiteDir())
	}
	slices.Sort(dirs)
	return slices.DeleteFunc(slices.Compact(dirs), func(dir string) bool {
		_, err := generator.ReadSuite(dir)
		return dir == "" || err != nil
	})
}

// forgetAll has Claude Code forget the plugins, and removes springfield's own state.
func (m Means) forgetAll(ctx context.Context, done *Left) error {
	now := settings.ReadSettings(m.Settings.Places)
	notes, left, err := now.PurgeAll(ctx, m.Claude, done.IDs)
	done.Notes, done.Stays = append(done.Notes, notes...), append(done.Stays, left...)
	if err != nil {
		return failWith("springfield disable --all --purge again does the rest",
			"the plugins are disabled, but Claude Code still knows them: %w", err)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	removed, left, err := settings.ForgetAll(m.Settings.Places)
	done.Removed, done.Stays = removed, append(done.Stays, left...)
	return err
}

// checkHolds refuses to remove a hold that is in force: only a person at a terminal lifts
// one.
func (m Means) checkHolds(now time.Time) error {
	dir := m.Settings.StatePath()
	held, err := ledger.HoldsInForce([]string{dir}, now)
	if err != nil {
		return err
	}
	if len(held) > 0 {
		line := "springfield resume"
		if session := strings.TrimPrefix(held[0].Of, "session:"); session != "" {
			line += " --session " + check.QuoteArgument(session)
		}
		return failWith(line+" lifts it, then run this again; springfield disable --all keeps it", "%w", errHeld)
	}
	return nil
}

var errHeld = errors.New("a hold is in force, and --purge would remove it")
