package publish

// Releases: the version of a plugin, and whether the files differ from the published ones. Claude Code copies
// a version only once, so changed files under the same version reach no user.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/runtime/display"
)

type release struct {
	plugin   string
	old, new string   // old is "" if never published
	around   checkout // of the suite
	place    string   // in its repository
	entry    item     // present entry in another marketplace
	source   any      // for clients: a path, or fetched
	digest   string   // of its files
}

func VersionParts() []string { return []string{"patch", "minor", "major"} }

func parseVersion(version string) (*semver.Version, error) {
	v, err := semver.StrictNewVersion(version)
	if err != nil {
		err = fmt.Errorf("version %q: %w", version, err)
	}
	return v, err
}

// raiseVersion returns version with a part raised, which is one of VersionParts.
func raiseVersion(version, part string) (string, error) {
	v, err := parseVersion(version)
	if err != nil {
		return "", err
	}
	return map[string]func() semver.Version{"major": v.IncMajor, "minor": v.IncMinor, "patch": v.IncPatch}[part]().String(), nil
}

func whyNotNewer(from, to string) error {
	next, err := parseVersion(to)
	before, unknown := parseVersion(from)
	if err = cmp.Or(err, unknown); err == nil && !next.GreaterThan(before) {
		err = fmt.Errorf("version %s is not higher than %s", to, from)
	}
	return err
}

func (in inputs) chosenReleases(q Request) (all []release, err error) {
	chosen := slices.Compact(slices.Sorted(slices.Values(q.Plugins)))
	for _, p := range in.suite.Plugins {
		// A check ignores unpublished plugins.
		if len(q.Plugins) == 0 && (!q.Check || in.published[p.Name].Version != "") {
			chosen = append(chosen, p.Name)
		}
	}
	for _, name := range chosen {
		r, err := in.newRelease(q, name)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

func (in inputs) newRelease(q Request, name string) (release, error) {
	names := check.NamesOf(in.suite.Plugins, func(p generator.Plugin) string { return p.Name })
	i := slices.Index(names, name)
	if i < 0 {
		return release{}, check.Misusef(check.HintAtNames(name, "", names, ""), "there is no plugin %q in %s", name, in.dir)
	}
	if at := filepath.Join(in.dir, name); !rooted.IsTaken(at) { // links are refused later
		return release{}, check.Advisef("run springfield init "+check.QuoteArgument(in.dir)+" to add the missing files; "+
			"or remove the plugin from "+generator.SuiteFile, "%s does not exist", at)
	}
	r := release{plugin: name, old: in.published[name].Version, new: in.suite.Plugins[i].Version}
	r.around, r.place, r.source = in.around, path.Join(in.around.place, name), "./"+name
	var err error
	if !in.market.Own { // checked first: the versions could belong to a namesake
		r.entry = in.market.items[name]
		if r.source, err = in.unpinnedSource(q, r); err != nil {
			return r, err
		}
	}
	switch {
	case q.Version != "":
		if err := whyNotNewer(r.new, q.Version); err != nil && (r.old != "" || q.Version != r.new) {
			return r, check.Misusef("use a higher version with three numbers, because clients fetch each version only once", "%s: %w", name, err)
		}
		r.new = q.Version
	case q.Bump != "":
		if r.new, err = raiseVersion(r.new, q.Bump); err != nil {
			return r, err
		}
	}
	if err := r.checkNotLower(r.old, "published"); err != nil {
		return r, err
	}
	return r, r.checkNotLower(r.entry.Version, "in "+in.market.Path)
}

// checkNotLower returns an error if r.new is lower than before, or if before is not three numbers (nil for ""). where
// completes "which is", e.g. "published".
func (r release) checkNotLower(before, where string) error {
	if before == "" || before == r.new {
		return nil
	}
	if _, err := parseVersion(before); err != nil {
		return check.Advisef("correct the version there", "%s: version %q %s is not one of three numbers", r.plugin, before, where)
	}
	if err := whyNotNewer(before, r.new); err != nil {
		return check.Advisef("raise the version with --bump patch or --version", "%s: %w, which is %s", r.plugin, err, where)
	}
	return nil
}

// buildSuite returns the release's files and sets digestInto's digests. Programs are compiled unless q.Check is set.
// Checks keep the present files. It returns an error if a plugin's files changed but not the version.
func (in inputs) buildSuite(ctx context.Context, tools generator.Toolchain, q Request, digestInto []release) (t plannedTree, err error) {
	if t, err = listTree(in.files); err != nil {
		return t, err
	}
	suite := in.suite
	suite.Plugins = slices.Clone(suite.Plugins)
	for _, r := range digestInto {
		i := slices.IndexFunc(suite.Plugins, func(p generator.Plugin) bool { return p.Name == r.plugin })
		suite.Plugins[i].Version = r.new
	}
	if !q.Check {
		// With the old versions, and before anything is compiled.
		unbuilt := generator.Unbuilt(in.suite.Targets, in.suite.Programs())
		_, kept, err := t.updated(generator.Suite{Spec: in.suite.Spec, Build: unbuilt})
		if err != nil {
			return t, err
		}
		if len(kept) > 0 {
			return t, check.Advisef("run springfield update "+check.QuoteArgument(in.dir)+" to write the new versions beside yours; "+
				"copy the parts you want, then publish again",
				"springfield has new versions of files that you have edited: %s", strings.Join(kept, ", "))
		}
		suite.Targets = in.chooseTargets(q)
		if err := suite.Validate(); err != nil {
			return t, err
		}
		if suite.Build, err = tools.BuildPrograms(ctx, suite.Targets, suite.Programs()...); err != nil {
			return t, err
		}
		if t, _, err = t.updated(suite); err != nil {
			return t, err
		}
	}
	for i := range digestInto {
		r := &digestInto[i]
		if r.digest, err = t.digestOf(r.plugin); err != nil {
			return t, err
		}
		if r.old == r.new && in.published[r.plugin].Files != r.digest {
			return t, check.Advisef("raise the version: run "+q.publishCall("--bump patch"),
				"%s: its files have changed since %s was published, but clients fetch each version only once", r.plugin, r.old)
		}
		if r.old != r.new && len(q.Notes) > 0 {
			if t, err = t.withChangelog(*r, q); err != nil {
				return t, err
			}
		}
	}
	return in.recordReleases(t, suite, digestInto)
}

// updated returns the tree with rendered files. byUser lists files changed by the user, where it only updates versions.
func (t plannedTree) updated(suite generator.Suite) (after plannedTree, byUser []string, err error) {
	files, err := generator.RenderSuite(suite.Spec, suite.Build)
	if err != nil {
		return t, nil, err
	}
	update, err := generator.MakePlan(t.in.Name(), generator.Releasing, files)
	if err != nil {
		return t, nil, err
	}
	byUser = update.Paths(generator.Kept)
	after = t.withEdits(slices.DeleteFunc(update.Edits, func(e journal.Edit) bool {
		return slices.ContainsFunc(byUser, func(name string) bool {
			return e.Path == t.in.PathOf(name+generator.BesideSuffix)
		})
	})...)
	for _, name := range byUser {
		i := slices.IndexFunc(files, func(f generator.File) bool { return f.Path == name })
		if after, err = after.withVersions(name, files[i].Data); err != nil {
			return t, nil, err
		}
	}
	return after, byUser, nil
}

// withVersions sets a JSON file's versions to those in newer. It leaves other files unchanged.
func (t plannedTree) withVersions(file string, newer []byte) (plannedTree, error) {
	var wanted struct {
		Version string
		Plugins []struct{ Name, Version string }
	}
	if path.Ext(file) != ".json" || json.Unmarshal(newer, &wanted) != nil {
		return t, nil
	}
	data, err := t.readFile(file)
	if err != nil {
		return t, err
	}
	doc, err := document.ParseDocument(data)
	if err != nil {
		return t, nil // reported by validate
	}
	var edits []document.Edit
	set := func(version string, at ...string) {
		if _, has, err := doc.Get(at...); err == nil && has && version != "" {
			edits = append(edits, document.Edit{Path: at, Value: json.RawMessage(document.EncodeKey(version))})
		}
	}
	set(wanted.Version, "version")
	for _, p := range wanted.Plugins {
		set(p.Version, "plugins", document.Element(p.Name), "version")
	}
	if data, err = doc.ApplyEdits(edits...); err != nil || len(edits) == 0 {
		return t, err
	}
	return t.withFileData(file, data)
}

const changelogFile = "CHANGELOG.md"

// withChangelog adds q.Notes at the top of the plugin's changelog. Callers check that there are notes.
func (t plannedTree) withChangelog(r release, q Request) (plannedTree, error) {
	name := r.plugin + "/" + changelogFile
	had, err := t.readFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return t, err
	}
	text := "## " + r.new + " (" + q.Date.Format(time.DateOnly) + ")\n\n"
	for _, note := range q.Notes {
		text += "- " + display.OneLine(note) + "\n"
	}
	if len(had) > 0 {
		text += "\n" + string(had)
	}
	return t.withFileData(name, []byte(text))
}

func (in inputs) recordReleases(t plannedTree, suite generator.Suite, releases []release) (after plannedTree, err error) {
	if len(releases) == 0 {
		return t, nil
	}
	publish := generator.Publish{Plugins: map[string]generator.Published{}}
	if in.suite.Publish != nil {
		publish.To = in.suite.Publish.To
		maps.Copy(publish.Plugins, in.suite.Publish.Plugins)
	}
	for _, r := range releases {
		publish.Plugins[r.plugin] = generator.Published{Version: r.new, Files: r.digest}
	}
	suite.Publish = &publish
	old, err := t.readFile(generator.SuiteFile)
	if err != nil {
		return t, err
	}
	data, err := suite.UpdatedYAML(old)
	if err != nil {
		return t, err
	}
	return t.withFileData(generator.SuiteFile, data)
}
