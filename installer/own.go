package installer

// The user's own suite: enable makes it, or adds to it, where nothing that is known has the plugin. The suite and
// the settings are one change.

import (
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

// OwnSuite is where it is, how it is made, and the plugin that is to be added. What was worked out for one host
// holds for the next.
type OwnSuite struct {
	Dir   string                // "": there is no place for one
	Fresh func() generator.Spec // of a new one, without name and plugins
	Tools generator.Toolchain

	name  string
	spec  generator.Spec
	stage string         // has the plugin until the suite is written
	made  generator.Spec // what it was made from
	files []generator.File

	unlock func() // another springfield adds its plugin before or after, not at once
}

// choosePlugin has a strategy's plugin added.
func (o *OwnSuite) choosePlugin(m Means, name string) (p client.Plugin, err error) {
	suite, err := generator.Existing(o.Dir)
	if err == nil {
		err = journal.Edit{At: filepath.Join(o.Dir, generator.SuiteFile)}.Writable()
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
	if err == nil && !isThere { // else an uninstall has left it
		o.spec.Plugins = append(slices.Clone(o.spec.Plugins), plugin)
	}
	o.name, p = name, client.Plugin{Name: name, Marketplace: o.spec.Marketplace, Suite: o.Dir}
	return p, o.spec.Validate()
}

// makeFiles makes the files of the suite, on a stage. Where they are to be written the suite is locked, and read
// again.
func (o *OwnSuite) makeFiles(ctx context.Context, m Means, write bool) (err error) {
	if write && o.unlock == nil {
		if o.unlock, err = settings.Journal(m.Settings.Places).LockDir(o.Dir); errors.Is(err, journal.ErrLocked) {
			return check.Advise(err, "it makes the same suite: call this again when it is done")
		} else if err != nil {
			return err
		}
		if _, err = o.choosePlugin(m, o.name); err != nil {
			return err
		}
	}
	if o.stage != "" && reflect.DeepEqual(o.made, o.spec) {
		return nil
	}
	_ = os.RemoveAll(o.stage) // of what was tried before the lock
	if o.files, _, err = o.Tools.MakeSuite(ctx, o.spec); err != nil {
		return err
	}
	if o.stage, err = os.MkdirTemp("", "springfield-stage-"); err != nil {
		return err
	}
	o.made = o.spec
	plugin := slices.DeleteFunc(slices.Clone(o.files), func(f generator.File) bool {
		return !strings.HasPrefix(f.Path, o.name+"/")
	})
	staged, err := generator.MakePlan(o.stage, generator.Completing, plugin)
	if err == nil {
		err = staged.WriteUnjournaled()
	}
	return err
}

// Close removes the stage, and gives the lock back.
func (o *OwnSuite) Close() {
	if o.unlock != nil {
		o.unlock()
	}
	os.RemoveAll(o.stage)
}

// addTo adds the files to a change that switches the plugin on, and the suite to those that are known.
func (o *OwnSuite) addTo(c journal.Change, now *settings.Settings) (journal.Change, error) {
	if o == nil || len(o.files) == 0 {
		return c, nil
	}
	plan, err := generator.MakePlan(o.Dir, generator.Completing, o.files)
	if err != nil {
		return c, err
	}
	if catalog := ".claude-plugin/marketplace.json"; slices.Contains(plan.Paths(generator.Kept), catalog) {
		return c, check.Advisef("springfield init --strategy "+o.name+" makes it in another suite",
			"%s has edits of yours, so %s cannot be added to it", filepath.Join(o.Dir, catalog), o.name)
	}
	list, err := settings.RememberSuite(now.Places, o.Dir)
	c.Edits = append(append(plan.Edits, list), c.Edits...)
	c.Notes = append(c.Notes, o.name+" is made in your own suite, "+o.Dir)
	return c, err
}

// FreeMarketplace is a name for the marketplace of a suite: the one that is wished for, or that with a number where
// it means something else, which the error then says.
func (m Means) FreeMarketplace(wish, dir string) (name string, taken error) {
	all := m.pluginsAtHand("")
	isFree := func(name string) error {
		if i := slices.IndexFunc(all, func(p client.Plugin) bool { return p.Marketplace == name && p.Suite != dir }); i >= 0 {
			return fmt.Errorf("marketplace %q is the suite %s", name, all[i].Suite)
		}
		return m.Settings.CheckFree(name, dir)
	}
	name, taken = wish, isFree(wish)
	for n := 2; n < 100 && isFree(name) != nil; n++ {
		name = wish + "-" + strconv.Itoa(n)
	}
	return name, taken
}

// examineOwn makes a plugin of the user's own suite, once the settings are known to take it.
func (e *enableRun) examineOwn(ctx context.Context) error {
	known, _ := registry.StrategyNamed(e.wanted.Plugin.Name)
	e.setKind(known.Name, known.EventName() == "Stop")
	if err := e.checkSettings(); err != nil || e.Unmade {
		return err
	}
	if err := e.own.makeFiles(ctx, e.Means, !e.DryRun); err != nil {
		return err
	}
	e.wanted.Stage = e.own.stage
	return e.examinePluginDir(e.wanted.FilesDir())
}

// checkSettings refuses settings that do not take a plugin before it is made.
func (e *enableRun) checkSettings() error {
	if !e.wanted.At.Host.Markets && !e.Unmade { // the entry is worked out from the plugin's files
		return nil
	}
	if !e.wanted.At.Host.Markets {
		return e.Settings.CheckForeign(e.wanted.EntryFile())
	}
	if why := e.Settings.Inventory().Silenced; strings.HasSuffix(why, "managed settings") {
		return check.Advisef("only an administrator can change that", "%s keeps hooks from running", why)
	}
	_, err := e.planEdit()
	return err
}
