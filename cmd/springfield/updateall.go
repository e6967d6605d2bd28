// update --all: every suite that init has made, in one change.

package main

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/change"
	"github.com/cameronsjo/springfield/folder"
	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer"
)

// updateAll brings all suites up to date that can be, as one edit of the journal.
func (a *app) updateAll(ctx context.Context, o updateOptions, tools generator.Toolchain) error {
	places, err := a.places()
	if err != nil {
		return err
	}
	dirs, gone, err := installer.AllSuites(places)
	if err != nil {
		return hintChange(err, "update --all")
	}
	all, files, err := a.toUpdate(ctx, tools, dirs)
	if err != nil {
		return err
	}
	err = carryOutAll(installer.Journal(places), o, all, func() change.Change { return planAll(all, files) })
	if err != nil {
		return hintUpdate(err)
	}
	for _, dir := range gone {
		all = append(all, updated{dir: dir, gone: true})
	}
	return a.reportAll(o, all)
}

// toUpdate reads the suites in directories, and makes the files of those that it can read:
// one list for each.
func (a *app) toUpdate(ctx context.Context, tools generator.Toolchain, dirs []string) (all []updated, files [][]generator.File, err error) {
	var specs []generator.Spec
	var readable []int
	for _, dir := range dirs {
		if slices.ContainsFunc(all, func(u updated) bool { return folder.Same(u.dir, dir) }) {
			continue // by another name
		}
		suite, err := generator.ReadSuite(dir)
		u := updated{dir: dir, err: err, gone: errors.Is(err, generator.ErrNoSuite)}
		if err == nil {
			specs, readable = append(specs, suite.Spec), append(readable, len(all))
			u.dirty = a.uncommitted(ctx, dir)
		}
		all = append(all, u)
	}
	if len(specs) == 0 {
		return all, make([][]generator.File, len(all)), nil
	}
	made, err := tools.MakeAll(ctx, specs)
	files = make([][]generator.File, len(all))
	for i, at := range readable {
		files[at] = made[i]
	}
	return all, files, err
}

// planAll works out one change for all suites. A suite that cannot be updated has no part
// in it.
func planAll(all []updated, files [][]generator.File) (c change.Change) {
	c.Kind = "suite"
	var changed []string
	for i := range all {
		u := &all[i]
		if u.err == nil {
			u.plan, u.err = generator.PlanUpdate(u.dir, files[i])
			u.err = hintUpdate(u.err)
		}
		if u.err != nil || u.plan.Empty() {
			continue
		}
		c.Edits, changed = append(c.Edits, u.plan.Edits...), append(changed, u.dir)
	}
	if c.Did = "update suite "; len(changed) > 1 {
		c.Did = "update suites "
	}
	c.Did += strings.Join(changed, ", ")
	return c
}

// carryOutAll writes the change. A suite that cannot be written is left out, and the others
// are written without it.
func carryOutAll(journal change.Journal, o updateOptions, all []updated, plan func() change.Change) error {
	for {
		c := plan()
		if o.dryRun || c.Empty() {
			return nil
		}
		_, err := journal.Do(func() (change.Change, error) { return plan(), nil })
		if err == nil {
			return nil
		}
		i := slices.IndexFunc(all, func(u updated) bool { return u.err == nil && keepsFrom(err, u.dir) })
		if i < 0 {
			return err
		}
		all[i].err, all[i].plan = hintUpdate(err), generator.Plan{}
	}
}

// keepsFrom tells whether a change failed because of something in a directory, and has left
// nothing behind.
func keepsFrom(err error, dir string) bool {
	var failed *change.WriteError
	var at *fs.PathError
	if !errors.As(err, &failed) || failed.Done || len(failed.Left) > 0 || !errors.As(err, &at) || !errors.Is(err, fs.ErrPermission) {
		return false
	}
	resolved, unresolved := change.Resolve(dir)
	return folder.Holds(dir, at.Path) || unresolved == nil && folder.Holds(resolved, at.Path)
}

func (a *app) reportAll(o updateOptions, all []updated) error {
	then := a.copies(o, all)
	if o.json {
		shapes := []updatedShape{}
		for _, u := range all {
			shapes = append(shapes, u.shape(o))
		}
		if err := a.encode(struct {
			Suites []updatedShape `json:"suites"`
			Then   []string       `json:"then"`
		}{shapes, list(then)}); err != nil {
			return err
		}
	} else {
		a.listAll(o, all, then)
	}
	var failed, open []string
	for _, u := range all {
		if u.err != nil && !u.gone {
			failed = append(failed, u.dir)
		}
		if len(u.open()) > 0 && !o.dryRun {
			open = append(open, u.dir)
		}
	}
	var wrong, advice []string
	if len(failed) > 0 {
		wrong, advice = append(wrong, count(len(failed), "suite")+" could not be updated: "+strings.Join(failed, ", ")), append(advice, "the reason is beside each")
	}
	if len(open) > 0 {
		wrong, advice = append(wrong, "conflicts in "+strings.Join(open, ", ")), append(advice, howToSettle)
	}
	if len(wrong) > 0 {
		return &hinted{errors.New(strings.Join(wrong, "; ")), strings.Join(advice, "; ")}
	}
	return nil
}

// listAll tells of each suite what became of it.
func (a *app) listAll(o updateOptions, all []updated, then []string) {
	var same []generator.Plugin
	for _, u := range all {
		switch u.outcome(o) {
		case "gone":
			a.talk("springfield: note: there is no suite in %s any more", u.dir)
		case "failed":
			a.notes().Bad().Lead("springfield: not updated: ", "%s: %v", u.dir, u.err)
			if advice := hint(u.err); advice != "" {
				a.notes().Strong().Lead("springfield: hint: ", "%s", advice)
			}
		default:
			a.listUpdate(o, u)
			same = append(same, u.plan.SameVersion...)
		}
	}
	if len(all) == 0 {
		a.say("nothing to do: no suite has been made on this machine")
	}
	a.noteSameVersion("files", same)
	a.sayThen(then)
}
