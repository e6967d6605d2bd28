package installer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/runtime/registry"
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

func (o *DefaultSuite) addToSpec(m Means, name string) (p client.Plugin, err error) {
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
	plugin, err := generator.NewPlugin(name, name, nil)
	isThere := slices.ContainsFunc(o.spec.Plugins, func(p generator.Plugin) bool { return p.Name == name })
	if err == nil && !isThere { // otherwise the suite has had it since before
		o.spec.Plugins = append(slices.Clone(o.spec.Plugins), plugin)
	}
	o.name, p = name, client.Plugin{Name: name, Marketplace: o.spec.Marketplace, Suite: o.Dir}
	return p, o.spec.Validate()
}

// makeFiles makes the suite's files, and stages those of the plugin in a temporary directory, unless the spec is
// unchanged. If write is set, it first locks the suite and reads its spec again.
func (o *DefaultSuite) makeFiles(ctx context.Context, m Means, write bool) (err error) {
	if write && o.unlock == nil {
		for told := false; o.unlock == nil; told = true { // another springfield that makes the suite may have to compile
			o.unlock, err = settings.Journal(m.Settings.Places).LockDir(o.Dir)
			if err != nil && (!errors.Is(err, journal.ErrLocked) || ctx.Err() != nil) {
				return cmp.Or(ctx.Err(), err)
			}
			if err != nil && !told {
				m.Tell("waiting: %v, on the same suite; Ctrl-C ends the wait", err)
			}
		}
		if _, err = o.addToSpec(m, o.name); err != nil {
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

// addTo adds to a plan the files of a plugin made in the user's own suite, an edit that records the suite, and a note.
// It returns an error if the user has edited the catalog.
func (o *DefaultSuite) addTo(c journal.Change, now *settings.Settings) (journal.Change, error) {
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

// FreeMarketplace returns a free marketplace name for the suite in dir: wish, or wish followed by a number.
// taken is why wish is not free.
func (m Means) FreeMarketplace(wish, dir string) (name string, taken error) {
	all := m.pluginsAtHand("")
	isFree := func(name string) error {
		if i := slices.IndexFunc(all, func(p client.Plugin) bool { return p.Marketplace == name && p.Suite != dir }); i >= 0 {
			return fmt.Errorf("marketplace %q already belongs to the suite %s", name, all[i].Suite)
		}
		return m.Settings.CheckFree(name, dir)
	}
	name, taken = wish, isFree(wish)
	for n := 2; n < 100 && isFree(name) != nil; n++ {
		name = wish + "-" + strconv.Itoa(n)
	}
	return name, taken
}

func (e *enableRun) stageDefault(ctx context.Context) error {
	known, _ := registry.StrategyNamed(e.wanted.Plugin.Name)
	e.setKind(known.Name, known.Event == "Stop")
	if err := e.checkSettings(); err != nil || e.Unmade {
		return err
	}
	if err := e.adds.makeFiles(ctx, e.Means, !e.DryRun); err != nil {
		return err
	}
	e.wanted.Stage = e.adds.stage
	return e.examinePluginDir(e.wanted.FilesDir())
}

// checkSettings returns an error if Claude Code's settings cannot be edited, or if managed settings disable hooks. It
// runs before the plugin is staged. For another agent, it checks the settings only if nothing will be staged.
func (e *enableRun) checkSettings() error {
	markets := e.wanted.At.Host.Markets
	switch {
	case !markets && e.Unmade:
		return e.Settings.CheckForeign(e.wanted.EntryFile())
	case !markets: // the entry needs the staged files
		return nil
	}
	if why := e.Settings.Inventory().Silenced; strings.HasSuffix(why, "managed settings") {
		return check.Advisef("only an administrator can change that", "%s keeps hooks from running", why)
	}
	_, err := e.planEdit(e.Settings)
	return err
}
