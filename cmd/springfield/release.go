// A release: everything that publish would do, worked out in a copy of the suite
// before anything of it happens.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/folder"
	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/git"
	"github.com/cameronsjo/springfield/installer"
	"github.com/cameronsjo/springfield/installer/document"
)

// release is what publish has worked out.
type release struct {
	dir         string // the suite
	suite       generator.Suite
	repo        *git.Repository            // of the suite, nil if it is in none
	noRepo      *git.ForeignError          // why git does not look at the one there is
	repos       map[string]*git.Repository // of plugins that are one by themselves, like submodules
	market      installer.Catalog
	own         bool   // the marketplace is the suite itself
	marketRepo  string // what people add the marketplace by, "" if that is not known
	marketInGit bool
	absent      string // the marketplace that the suite names, if a check does without it
	stage       string // the suite as it will be
	rows        []releaseRow

	differences []generator.Difference // between the suite and the stage
	changes     []document.Edit        // of another marketplace's catalog
	waits       []string               // what has to happen before the next run, for people
	locks       []func()               // give back what is reserved
}

// releaseRow is one plugin of a release.
type releaseRow struct {
	Plugin string `json:"plugin"`
	Old    string `json:"old,omitempty"` // "" was never published
	New    string `json:"new"`
	Source string `json:"source"`
	SHA    string `json:"sha,omitempty"` // the commit that it is pinned to
	Size   int64  `json:"size"`          // bytes of all its files

	// Files is the digest of what is published.
	Files string `json:"files"`
	// Fresh tells that this version was not published before.
	Fresh bool `json:"fresh"`
}

// prepare works a release out. Call done when done with it: until then no other
// springfield publishes the suite, or anything in the same marketplace.
func (a *app) prepare(ctx context.Context, places installer.Places, o publishOptions) (r *release, done func(), err error) {
	r, temporary := &release{}, ""
	done = func() {
		if temporary != "" {
			_ = os.RemoveAll(temporary)
		}
		for _, unlock := range slices.Backward(r.locks) {
			unlock()
		}
	}
	dir, err := a.suiteDir(o.dir)
	if err != nil {
		return r, done, err
	}
	if err := r.reserve(places, o, dir); err != nil {
		return r, done, err
	}
	if r.dir, r.suite, err = a.suiteIn(dir); err != nil {
		return r, done, err
	}
	if r.dir, err = beyondLink(r.dir); err != nil {
		return r, done, err
	}
	if r.repo, err = a.git().Repository(ctx, r.dir); errors.As(err, &r.noRepo) { // which does not matter unless clients fetch from there
	} else if err != nil {
		return r, done, err
	}
	if err := a.readRepos(ctx, r); err != nil {
		return r, done, err
	}
	if err := a.readMarket(ctx, places, r, o); err != nil {
		return r, done, err
	}
	if err := r.version(ctx, o); err != nil {
		return r, done, err
	}
	if temporary, err = os.MkdirTemp("", "springfield-publish-"); err != nil {
		return r, done, err
	}
	// Under its own name, which is that of the marketplace where nobody gave one.
	r.stage = filepath.Join(temporary, filepath.Base(r.dir))
	for _, step := range []func() error{
		func() error { return generator.Stage(r.dir, r.stage) },
		func() error { return a.render(ctx, r, o) },
		func() error { return r.fill(ctx, o) },
		r.lookBeside,
		r.record,
		func() error { return r.offer(ctx, o) },
	} {
		if err := step(); err != nil {
			return r, done, err
		}
	}
	r.differences, err = generator.Differences(r.dir, r.stage)
	return r, done, err
}

// reserve keeps other springfields from publishing in a directory, unless this one
// only looks.
func (r *release) reserve(places installer.Places, o publishOptions, dir string) error {
	if o.check || o.dryRun {
		return nil
	}
	unlock, err := installer.LockDir(places, dir)
	if errors.Is(err, installer.ErrLocked) {
		return &hinted{fmt.Errorf("publish in %s: %w", dir, installer.ErrLocked), "nothing was changed; call it again when the other one is done"}
	}
	if err != nil {
		return err
	}
	r.locks = append(r.locks, unlock)
	return nil
}

// readRepos finds plugins that are repositories by themselves.
func (a *app) readRepos(ctx context.Context, r *release) error {
	r.repos = map[string]*git.Repository{}
	for _, p := range r.suite.Plugins {
		dir := filepath.Join(r.dir, p.Name)
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err != nil {
			continue
		}
		repo, err := a.git().Repository(ctx, dir)
		if err != nil {
			return err
		}
		if repo != nil && folder.Same(repo.Root, dir) {
			r.repos[p.Name] = repo
		}
	}
	return nil
}

// repoDir is the directory to commit for a plugin.
func (r *release) repoDir(plugin string) string {
	if r.repos[plugin] != nil {
		return filepath.Join(r.dir, plugin)
	}
	return r.dir
}

// repoOf is the repository that a plugin is in, and its place there; nil if there
// is none.
func (r *release) repoOf(plugin string) (repo *git.Repository, place string, err error) {
	if repo = r.repos[plugin]; repo == nil {
		repo = r.repo
	}
	if repo != nil {
		place, err = repo.Path(filepath.Join(r.dir, plugin))
	}
	return repo, place, err
}

// readMarket finds the marketplace to publish to: the one that is named, else
// the one that the suite names, else the suite.
func (a *app) readMarket(ctx context.Context, places installer.Places, r *release, o publishOptions) (err error) {
	to := r.dir
	switch {
	case o.to != "":
		to = o.to
	case r.suite.Publish != nil && r.suite.Publish.To != "":
		if to = filepath.FromSlash(r.suite.Publish.To); !filepath.IsAbs(to) {
			to = filepath.Join(r.dir, to)
		}
		if o.check && !isDir(to) { // CI has the suite alone
			to, r.absent = r.dir, to
		}
	}
	if to, _, err = a.typed(to); err != nil {
		return err
	}
	if r.own = folder.Same(to, r.dir); !r.own {
		if err := r.reserve(places, o, to); err != nil {
			return err
		}
	}
	r.market, err = installer.ReadCatalog(to)
	var syntax *document.SyntaxError
	switch {
	case errors.Is(err, fs.ErrNotExist), err != nil && !isDir(to):
		return &hinted{err, "--to names the local checkout of a marketplace: the directory that has .claude-plugin/marketplace.json"}
	case errors.As(err, &syntax):
		return &hinted{err, "mend it first: Claude Code takes plain JSON in which every plugin has a name of its own"}
	case err != nil:
		return err
	}
	repo, err := a.git().Repository(ctx, to)
	if foreign := (*git.ForeignError)(nil); errors.As(err, &foreign) {
		return nil // so nobody knows where others find it
	}
	r.marketInGit = repo != nil
	if err != nil || repo == nil || !folder.Same(repo.Root, to) {
		return err
	}
	r.marketRepo = toAdd(repo.Remote(ctx))
	return nil
}

// toAdd is what people type to add the marketplace that a remote is of, "" if
// they cannot. Claude Code takes an address without .git for that of a catalog,
// and none that begins with ssh.
func toAdd(remote string) string {
	where, ok := git.PublicURL(remote)
	if !ok {
		return ""
	}
	if short, ok := strings.CutPrefix(where, "https://github.com/"); ok {
		return strings.TrimSuffix(strings.Trim(short, "/"), ".git")
	}
	u, err := url.Parse(where)
	if err != nil || u.Scheme == "" || u.Host == "" {
		return where // git@HOST:PATH
	}
	if u.Scheme == "ssh" {
		if u.Port() != "" {
			return ""
		}
		return firstOf(u.User.Username(), "git") + "@" + u.Host + ":" + strings.TrimPrefix(u.Path, "/")
	}
	return strings.TrimSuffix(strings.TrimSuffix(where, "/"), ".git") + ".git"
}

// beyondLink is a directory that may be named by a link to it.
func beyondLink(dir string) (string, error) {
	info, err := os.Lstat(dir)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return dir, err
	}
	return filepath.EvalSymlinks(dir)
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// version settles which version each plugin gets.
func (r *release) version(ctx context.Context, o publishOptions) error {
	chosen := o.plugins
	if len(chosen) == 0 {
		chosen = names(r.suite.Plugins)
		if o.check { // what was never published cannot have changed since
			chosen = slices.DeleteFunc(chosen, func(name string) bool { return r.published(name).Version == "" })
		}
	}
	if o.version != "" && len(chosen) > 1 {
		return &usageError{errors.New("--version is for one plugin"), "name it with --plugin, or raise all with --bump"}
	}
	for _, name := range chosen {
		i := slices.IndexFunc(r.suite.Plugins, func(p generator.Plugin) bool { return p.Name == name })
		if i < 0 {
			return &usageError{fmt.Errorf("there is no plugin %q in %s", name, r.dir), "it has " + strings.Join(names(r.suite.Plugins), ", ")}
		}
		if err := refuseLink(r.dir, name); err != nil {
			return err
		}
		if !isDir(filepath.Join(r.dir, name)) {
			return &hinted{fmt.Errorf("%s is not there", filepath.Join(r.dir, name)), "springfield init " + quoted(r.dir) + " adds what is missing; or take the plugin out of " + generator.SuiteFile}
		}
		plugin := &r.suite.Plugins[i]
		row := releaseRow{Plugin: name, Old: r.published(name).Version}
		item, listed, err := r.market.Item(name)
		if err != nil {
			return err
		}
		// Before anything about its version: that would be theirs. For one that is
		// fetched the suite's address has to be known, and source says if it is not.
		_, where := r.address(ctx, o, name)
		if _, isPath := r.market.Place(item.Source); listed && !r.own && (isPath || where != "") {
			if err := r.refuseForeign(ctx, o, name, item); err != nil {
				return err
			}
		}
		switch {
		case o.version != "":
			if err := generator.Grows(plugin.Version, o.version); err != nil && (row.Old != "" || o.version != plugin.Version) {
				return &usageError{fmt.Errorf("%s: %w", name, err), "a client takes a version once; give a higher one, of three numbers"}
			}
			plugin.Version = o.version
		case o.bump != "":
			if plugin.Version, err = generator.Bump(plugin.Version, o.bump); err != nil {
				return err
			}
		}
		for _, before := range []struct{ version, where string }{{row.Old, "published"}, {item.Version, "in " + r.market.Path}} {
			if before.version == "" || before.version == plugin.Version || r.own && before.where != "published" {
				continue // the suite's own catalog follows
			}
			if _, err := generator.Bump(before.version, "patch"); err != nil {
				return &hinted{fmt.Errorf("%s: version %q %s is not one of three numbers", name, before.version, before.where), "mend it there"}
			}
			if err := generator.Grows(before.version, plugin.Version); err != nil {
				return &hinted{fmt.Errorf("%s: %w, which is %s", name, err, before.where), "raise it: --bump patch, or --version"}
			}
		}
		row.New = plugin.Version
		r.rows = append(r.rows, row)
	}
	return nil
}

// refuseForeign is the error if an entry is somebody else's.
func (r *release) refuseForeign(ctx context.Context, o publishOptions, plugin string, item installer.Item) error {
	ours, err := r.isOurs(ctx, o, plugin, item)
	if err != nil || ours || o.replace {
		return err
	}
	return &hinted{fmt.Errorf("%s: %s offers a plugin of that name from elsewhere: %s", plugin, r.market.Path, item.Source),
		"springfield new makes a plugin under a name of its own; --replace takes the entry over"}
}

// compile gets the hooks to publish: for every machine that clients run on,
// unless targets are chosen.
func (a *app) compile(ctx context.Context, r *release, o publishOptions) (generator.Build, error) {
	if len(o.targets) > 0 {
		targets, err := generator.ParseTargets(o.targets)
		if err != nil {
			return generator.Build{}, err
		}
		r.suite.Targets = targets
	} else {
		r.suite.Targets = slices.DeleteFunc(generator.AllTargets(), func(t generator.Target) bool {
			return t == generator.Target{OS: "windows", Arch: "arm64"} // runs what is made for amd64
		})
	}
	if err := r.suite.Validate(); err != nil {
		return generator.Build{}, err
	}
	tools := a.toolchain()
	tools.Builder = o.builder
	return tools.Build(ctx, r.suite.Targets, r.suite.Programs()...)
}

// render brings the copy to the release's versions, hooks and texts. A check
// leaves it as it is: a newer springfield is no reason to fail somebody's CI.
func (a *app) render(ctx context.Context, r *release, o publishOptions) error {
	if o.check {
		return nil
	}
	built, err := a.compile(ctx, r, o)
	if err != nil {
		return err
	}
	files, err := generator.Render(r.suite.Spec, built)
	if err != nil {
		return err
	}
	update, err := generator.PlanUpdate(r.stage, files)
	if err != nil {
		return hintUpdate(err)
	}
	var open []string
	for _, c := range update.Outcomes {
		if c.State.Conflict() {
			open = append(open, c.Path)
		}
	}
	if len(open) > 0 {
		return &hinted{fmt.Errorf("%s in %s: %s", count(len(open), "conflict"), r.dir, strings.Join(open, ", ")),
			"springfield update shows them; settle them first"}
	}
	r.suite.Build = built
	return update.Write()
}

// fill looks at what each plugin holds now, and puts releases into changelogs.
func (r *release) fill(ctx context.Context, o publishOptions) error {
	for i := range r.rows {
		row := &r.rows[i]
		dir := filepath.Join(r.stage, row.Plugin)
		digest, err := generator.Digest(dir)
		if err != nil {
			return err
		}
		row.Files, row.Fresh = digest, row.Old != row.New
		if published := r.published(row.Plugin); !row.Fresh && published.Files != digest {
			return &hinted{fmt.Errorf("%s: its files have changed since %s was published, and clients fetch a version once", row.Plugin, row.Old),
				"raise it: springfield publish --bump patch"}
		}
		if err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			info, err := d.Info()
			if err == nil {
				row.Size += info.Size()
			}
			return err
		}); err != nil {
			return err
		}
		file := filepath.Join(dir, generator.Changelog)
		had, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		text := generator.AddRelease(string(had), row.Plugin, row.New, time.Now().Format(time.DateOnly), r.notes(ctx, o, *row))
		if text != string(had) {
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// needRepo is the error if a plugin is in no repository.
func (r *release) needRepo(plugin, why, hint string) error {
	switch {
	case r.repos[plugin] != nil:
	case r.noRepo != nil:
		return &hinted{fmt.Errorf("%w; %s", r.noRepo, why), r.noRepo.Hint()}
	case r.repo == nil:
		return &hinted{fmt.Errorf("%s is not in a git repository; %s", r.dir, why), hint}
	}
	return nil
}

// lookBeside notes plugins that are not among the chosen, and that have changed
// since they were published: a newer springfield's hook is in all of them.
func (r *release) lookBeside() error {
	for _, p := range r.suite.Plugins {
		published := r.published(p.Name)
		dir := filepath.Join(r.stage, p.Name)
		if published.Version == "" || !isDir(dir) || slices.ContainsFunc(r.rows, func(row releaseRow) bool { return row.Plugin == p.Name }) {
			continue
		}
		digest, err := generator.Digest(dir)
		if err != nil {
			return err
		}
		if digest != published.Files {
			r.wait("%s has changed, too, since %s was published, and clients fetch a version once: springfield publish --plugin %s --bump patch", p.Name, published.Version, p.Name)
		}
	}
	return nil
}

func (r *release) published(plugin string) generator.Published {
	if r.suite.Publish == nil {
		return generator.Published{}
	}
	return r.suite.Publish.Plugins[plugin]
}

// notes are what a release says about itself: what somebody wrote, else what the
// commits since the one before say.
func (r *release) notes(ctx context.Context, o publishOptions, row releaseRow) []string {
	if len(o.notes) > 0 {
		return o.notes
	}
	switch row.Old {
	case "":
		return []string{"First release."}
	case row.New:
		return []string{"No notes: this entry was missing, and was added later."}
	}
	if repo, place, err := r.repoOf(row.Plugin); err == nil && repo != nil {
		if all := repo.Subjects(ctx, tagOf(row.Plugin, row.Old), place, 20); len(all) > 0 {
			return all
		}
	}
	return []string{"Changes since " + row.Old + "."}
}

// record writes what is published into the staged springfield.yaml.
func (r *release) record() error {
	if len(r.rows) == 0 {
		return nil
	}
	publish := generator.Publish{Plugins: map[string]generator.Published{}}
	if r.suite.Publish != nil {
		publish.To = r.suite.Publish.To
		for name, p := range r.suite.Publish.Plugins {
			publish.Plugins[name] = p
		}
	}
	for _, row := range r.rows {
		publish.Plugins[row.Plugin] = generator.Published{Version: row.New, Files: row.Files}
	}
	r.suite.Publish = &publish
	return r.suite.Record(r.stage)
}

// offer works out the entries of another marketplace. The suite's own catalog is
// rendered like its other files.
func (r *release) offer(ctx context.Context, o publishOptions) error {
	for i := range r.rows {
		row := &r.rows[i]
		if r.own {
			row.Source = "./" + row.Plugin
			continue
		}
		item, listed, err := r.market.Item(row.Plugin)
		if err != nil {
			return err
		}
		if other, ok := r.market.Alike(row.Plugin); ok && !listed {
			return &hinted{fmt.Errorf("%s: %s offers %s, which looks the same", row.Plugin, r.market.Path, other), "springfield new makes a plugin under a name of its own"}
		}
		source, err := r.source(ctx, o, row, item)
		if err != nil {
			return err
		}
		if listed {
			if err := r.refuseForeign(ctx, o, row.Plugin, item); err != nil {
				return err
			}
		}
		members, err := r.members(row, source, item)
		if err != nil {
			return err
		}
		changes, err := r.market.Upsert(members)
		if err != nil {
			return err
		}
		r.changes = append(r.changes, changes...)
	}
	return nil
}

// members are what the entry of a plugin says. What somebody has written into an
// entry that is there stays, but for source, version, and a description that is
// still the one that was published.
func (r *release) members(row *releaseRow, source any, item installer.Item) ([]installer.Member, error) {
	manifest := func(root string) (m map[string]json.RawMessage, err error) {
		data, err := os.ReadFile(filepath.Join(root, row.Plugin, ".claude-plugin", "plugin.json"))
		if err == nil {
			err = json.Unmarshal(data, &m)
		}
		return m, err
	}
	is, err := manifest(r.stage)
	if err != nil {
		return nil, err
	}
	was, _ := manifest(r.dir) // without one nothing was published
	encoded, err := document.Encode(source)
	if err != nil {
		return nil, err
	}
	var description string
	_ = json.Unmarshal(was["description"], &description)
	members := []installer.Member{{Name: "name", Value: is["name"]}, {Name: "source", Value: encoded}, {Name: "version", Value: is["version"]},
		{Name: "description", Value: is["description"], Keep: item.Description != description}}
	for _, name := range []string{"author", "homepage", "license", "keywords"} {
		if value, ok := is[name]; ok {
			members = append(members, installer.Member{Name: name, Value: value, Keep: true})
		}
	}
	return append(members, installer.Member{Name: "category", Value: json.RawMessage(`"productivity"`), Keep: true}), nil
}

// plan is the part of a release that undo takes back: everything but the hooks.
func (r *release) plan(places installer.Places) (installer.Plan, error) {
	var texts []installer.Text
	for _, d := range r.differences {
		if !d.Compiled {
			texts = append(texts, installer.Text{Path: filepath.Join(r.dir, filepath.FromSlash(d.Path)), Data: d.Data, Mode: 0o644, Gone: d.Gone})
		}
	}
	var did []string
	for _, row := range r.rows {
		did = append(did, row.Plugin+" "+row.New)
	}
	plan, err := installer.PlanPublish(places, "publish "+strings.Join(did, ", ")+" in "+r.market.Name, r.market, r.changes, r.dir, texts)
	if len(r.compiledFiles()) > 0 {
		plan.First = func() (func() error, error) {
			takeBack, err := generator.WriteCompiled(r.dir, r.differences)
			return func() error {
				if err := takeBack(); err != nil {
					return fmt.Errorf("the hooks in %s (%w)", r.dir, err)
				}
				return nil
			}, err
		}
	}
	return plan, err
}

// compiledFiles are the hooks that differ.
func (r *release) compiledFiles() []string {
	var files []string
	for _, d := range r.differences {
		if d.Compiled {
			files = append(files, filepath.Join(r.dir, filepath.FromSlash(d.Path)))
		}
	}
	return files
}

// tagOf is the tag of a release, in the form that Claude Code gives it.
func tagOf(plugin, version string) string { return plugin + "--v" + version }
