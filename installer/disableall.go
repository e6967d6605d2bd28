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
	DryRun       bool   // change nothing
	Now          time.Time
}

type DisabledAll struct {
	journal.Change
	IDs     []string // the plugins that were on
	Removed []string // springfield's own files
	Stays   []settings.Left
}

// DisableAll disables every springfield plugin on every host.
func DisableAll(ctx context.Context, m Means, r DisableAllRequest) (done DisabledAll, err error) {
	if r.Purge {
		if err := m.checkHolds(r.Now); err != nil {
			return done, err
		}
	}
	suites := m.allSuites()
	plan := func(now *settings.Settings) (c journal.Change, err error) {
		done.IDs, done.Stays = nil, nil
		for _, host := range hosts.AllHosts() {
			ids, left, err := host.PlanAllOff(now, host.PlaceFor(m.User), r.Purge, &c)
			if done.IDs, done.Stays = append(done.IDs, ids...), append(done.Stays, left...); err != nil {
				return c, err
			}
		}
		done.IDs = slices.Compact(slices.Sorted(slices.Values(done.IDs)))
		return c, nil
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
	failed := slices.ContainsFunc(done.Stays, func(l settings.Left) bool { return l.Failed }) // some hooks are still on
	for _, dir := range suites {
		if err == nil && !failed && rooted.IsSame(dir, r.DefaultSuite) && generator.IsUntouched(dir) {
			done.Notes = append(done.Notes, "your own suite, "+dir+", goes, too")
			if !r.DryRun {
				err = os.RemoveAll(dir)
				_ = os.Remove(filepath.Dir(dir)) // created for the suite
			}
			continue
		}
		done.Stays = append(done.Stays, settings.Left{
			What: dir + " is a suite of yours", Remove: "rm -r " + check.QuoteArgument(dir),
		})
	}
	return done, err
}

// allSuites returns the suites in the list and those that are marketplaces.
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

func (m Means) forgetAll(ctx context.Context, done *DisabledAll) error {
	notes, left, err := settings.ReadSettings(m.Settings.Places).PurgeAll(ctx, m.Claude, done.IDs)
	done.Notes, done.Stays = append(done.Notes, notes...), append(done.Stays, left...)
	if err != nil {
		return check.Advisef("springfield disable --all --purge again does the rest",
			"the plugins are disabled, but Claude Code still knows them: %w", err)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	removed, left, err := settings.ForgetAll(m.Settings.Places)
	done.Removed, done.Stays = removed, append(done.Stays, left...)
	return err
}

// checkHolds refuses to remove a hold in force, which only a person at a terminal may lift.
func (m Means) checkHolds(now time.Time) error {
	held, err := ledger.HoldsInForce([]string{m.Settings.StatePath()}, now)
	if err != nil {
		return err
	}
	if len(held) > 0 {
		line := "springfield resume"
		if session := strings.TrimPrefix(held[0].Of, "session:"); session != "" {
			line += " --session " + check.QuoteArgument(session)
		}
		return check.Advisef(line+" lifts it, then run this again; springfield disable --all keeps it", "a hold is in force, and --purge would remove it")
	}
	return nil
}
