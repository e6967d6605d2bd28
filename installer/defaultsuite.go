package installer

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
)

// DefaultSuite is the suite to which enable adds a plugin that is in no known suite or marketplace. The suite
// and the settings change together. It serves all hosts of a request.
type DefaultSuite struct {
	Dir   string                // "" if there is no data directory
	Fresh func() generator.Spec // returns the spec of a new suite, without name and plugins
	Tools func() generator.Toolchain

	name   string // of the plugin to add
	spec   generator.Spec
	stage  string         // temporary copy of the plugin, until the suite is written
	staged generator.Spec // the spec that stage was made from
	files  []generator.File
	unlock func()
}

// addUnsaved adds a plugin, named like its strategy, to the spec in memory. It writes nothing, but returns an error if
// the suite is not writable.
func (o *DefaultSuite) addUnsaved(m Means, strategy string) (p client.Plugin, err error) {
	suite, err := generator.ReadSuiteIfAny(o.Dir)
	if err == nil {
		err = journal.Edit{At: filepath.Join(o.Dir, generator.SuiteFile)}.CheckAccess()
	}
	if err != nil {
		return p, err
	}
	if suite != nil {
		o.spec = suite.Spec
	} else {
		o.spec = o.Fresh()
		o.spec.Marketplace, _ = m.FreeMarketplace("my-springfield", o.Dir)
	}
	plugin, err := generator.NewPlugin(strategy, strategy, nil)
	isThere := slices.ContainsFunc(o.spec.Plugins, func(p generator.Plugin) bool { return p.Name == strategy })
	if err == nil && !isThere { // otherwise the suite has had it since before
		o.spec.Plugins = append(slices.Clone(o.spec.Plugins), plugin)
	}
	o.name, p = strategy, client.Plugin{Name: strategy, Marketplace: o.spec.Marketplace, Suite: o.Dir}
	return p, o.spec.Validate()
}

// stageFiles makes the suite's files and stages the plugin's in a temporary directory, unless the spec is unchanged.
// addUnsaved is called before. With doLock, it first waits for the suite's lock, keeps it, and reads the spec again.
// Callers call Close.
func (o *DefaultSuite) stageFiles(ctx context.Context, m Means, doLock bool) (err error) {
	if doLock && o.unlock == nil {
		for told := false; o.unlock == nil; told = true { // another springfield that makes the suite may have to compile
			o.unlock, err = settings.Journal(m.Settings.Places).LockDir(o.Dir)
			if err != nil && (!errors.Is(err, journal.ErrLocked) || ctx.Err() != nil) {
				return cmp.Or(ctx.Err(), err)
			}
			if err != nil && !told {
				m.Tell("waiting: %v, on the same suite; Ctrl-C ends the wait", err)
			}
		}
		if _, err = o.addUnsaved(m, o.name); err != nil {
			return err
		}
	}
	if o.stage != "" && reflect.DeepEqual(o.staged, o.spec) {
		return nil
	}
	_ = os.RemoveAll(o.stage) // from before the lock
	if o.files, _, err = o.Tools().MakeSuite(ctx, o.spec); err != nil {
		return err
	}
	if o.stage, err = os.MkdirTemp("", "springfield-stage-"); err != nil {
		return err
	}
	o.staged = o.spec
	plugin := slices.DeleteFunc(slices.Clone(o.files), func(f generator.File) bool {
		return !strings.HasPrefix(f.Path, o.name+"/")
	})
	plan, err := generator.MakePlan(o.stage, generator.Completing, plugin)
	if err == nil {
		err = plan.WriteUnjournaled()
	}
	return err
}

// Close removes the temporary copy of the plugin and releases the lock.
func (o *DefaultSuite) Close() {
	if o.unlock != nil {
		o.unlock()
	}
	os.RemoveAll(o.stage)
}

// addFilesTo adds the files to a plan for a plugin in the user's own suite. The plan is unchanged if stageFiles made no
// files. It returns an error if the user has edited the catalog.
func (o *DefaultSuite) addFilesTo(c journal.Change, now *settings.Settings) (journal.Change, error) {
	if len(o.files) == 0 {
		return c, nil
	}
	plan, err := generator.MakePlan(o.Dir, generator.Completing, o.files)
	if err != nil {
		return c, err
	}
	if catalog := ".claude-plugin/marketplace.json"; slices.Contains(plan.Paths(generator.Kept), catalog) {
		return c, check.Advisef("run springfield init --strategy "+o.name+" to make it in another suite",
			"you have edited %s, so %s cannot be added to it", filepath.Join(o.Dir, catalog), o.name)
	}
	list, err := settings.PlanAddSuite(now.Places, o.Dir)
	c.Edits = append(append(plan.Edits, list), c.Edits...)
	c.Notes = append(c.Notes, o.name+" is made in your own suite, "+o.Dir)
	return c, err
}
