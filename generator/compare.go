// Comparison of the plugins that agents run with the plugins that this springfield makes. Programs are compared by
// SHA-256 with carried or compiled ones, files that can start a program or speak to a model with rendered ones.
// springfield.yaml can explain a difference but never excuse it, because an attacker can change both.
//
// A plugin can come from a stranger: the files are only read, through folder and within limits.

package generator

import (
	"bytes"
	"cmp"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/internal/rooted"
	hookruntime "github.com/cameronsjo/springfield/runtime"
)

const (
	maxProgram = 32 << 20 // in bytes, several times ours
	maxCatalog = 4 << 20  // limits a marketplace's catalog, in bytes
	maxEntries = 10_000   // files in a plugin
	maxTold    = 20       // limits the findings about a plugin
)

type Running struct {
	ID  string // of the agent
	Dir string
	// Catalog is the directory of the marketplace, "" if unknown. CatalogFile is the catalog there, with slashes.
	Catalog, CatalogFile string
}

type comparison struct {
	Running
	suite     string // around it, "" for a copy
	buildInfo Build  // of the suite
	programs  []foundProgram
	same      int             // files as rendered
	texts     []check.Finding // for files that might be from a different springfield
	found     []check.Finding
}

// Compare compares running plugins with those this springfield makes. A difference is a failure, but a warning if the
// file starts no program or can come from a different version. Matching plugins get a finding of state Fine.
func (t Toolchain) Compare(ctx context.Context, running []Running) (found []check.Finding, err error) {
	var all []*comparison
	for _, r := range running {
		if ctx.Err() != nil {
			return nil, ctx.Err() // there can be very many
		}
		c := &comparison{Running: r}
		if file, err := c.comparePlugin(); err != nil {
			noteFinding(&c.found, check.Failure, filepath.Join(r.Dir, file), notRead(err), "")
		}
		all = append(all, c)
	}
	made, err := t.tryOwnBuilds(ctx, all)
	for _, c := range all {
		found = append(found, c.compareWithOwnBuilds(made)...)
	}
	return found, err
}

// comparePlugin compares the plugin's files and examines its programs. err concerns badFile ("" for the whole plugin).
func (c *comparison) comparePlugin() (badFile string, err error) {
	if name, err := filepath.Rel(c.Catalog, c.Dir); err == nil && rooted.HoldsPath(c.Catalog, c.Dir) {
		market, err := rooted.OpenFolder(c.Catalog)
		if err == nil {
			err = market.RefuseLinks(name) // a link there came with the marketplace
			_ = market.Close()
		}
		if err != nil {
			return "", err
		}
	}
	in, err := rooted.OpenFolder(c.Dir)
	if err != nil {
		return "", err
	}
	defer func() { _ = in.Close() }()
	var says struct{ Strategy, Name string }
	for _, file := range []string{".claude-plugin/plugin.json", "strategy.json"} {
		data, _, err := in.ReadFile(file, maxText)
		if err == nil {
			err = json.Unmarshal(data, &says)
		}
		if err != nil {
			return file, err
		}
	}
	plugin, err := NewPlugin(says.Name, says.Strategy, nil)
	if err != nil {
		return "strategy.json", err
	}
	spec := Spec{Marketplace: "springfield", Owner: Owner{Name: "springfield"}, Targets: AllTargets()}
	spec.Plugins = []Plugin{plugin}
	files, err := RenderSuite(spec, Unbuilt(spec.Targets, spec.Programs()))
	if err != nil {
		return "", err
	}
	made := filesBelow(plugin.Name+"/", files)
	above, base := filepath.Split(filepath.Clean(c.Dir))
	suite, err := ReadSuite(above)
	if err == nil && slices.ContainsFunc(suite.Plugins, func(p Plugin) bool { return p.Name == base }) {
		c.suite, c.buildInfo = filepath.Clean(above), suite.Build
	} else {
		c.compareIfGemini(above, base, made)
	}
	c.collectPrograms(in, made)
	c.comparePresentFiles(in, made, "")
	c.checkEntryExtras(plugin.Name)
	return "", nil
}

func (c *comparison) collectPrograms(in rooted.Folder, expected map[string]File) {
	for _, p := range []Program{Hook, Judge} {
		for _, place := range slices.Compact([]string{p.placeIn(HostTarget(), true), p.placeIn(HostTarget(), false)}) {
			d := folder{Folder: in, limit: maxProgram}.compareFile(File{Path: place})
			switch {
			case d.Kind == Missing:
			case d.err != nil:
				noteFinding(&c.found, check.Failure, in.PathOf(place), notRead(d.err), c.buildCommand())
			case p == Hook && bytes.HasPrefix(d.data, []byte("#!")):
				if !bytes.Equal(d.data, expected[place].Data) {
					noteFinding(&c.texts, check.Failure, in.PathOf(place), "not the launcher that this version of springfield makes", c.buildCommand())
				}
			default:
				c.programs = append(c.programs, identifyProgram(in.PathOf(place), p, d.data))
			}
		}
	}
}

type foundProgram struct {
	file    string
	program Program // by its place
	target  Target  // zero for another file
	sum     string
	with    string // Go version, "" if not a program
}

func identifyProgram(file string, program Program, data []byte) foundProgram {
	s := foundProgram{file: file, program: program, sum: journal.HashBytes(data)}
	s.target, _ = targetIn(bytes.NewReader(data))
	info, err := buildinfo.Read(bytes.NewReader(data))
	if err == nil && info.Path == hookruntime.Module+"/runtime/"+string(program) && len(info.GoVersion) < 64 {
		s.with = info.GoVersion
	}
	return s
}

// compareIfGemini compares the files in above with ofPlugin if they are a Gemini CLI extension, with the plugin in the
// subdirectory base.
func (c *comparison) compareIfGemini(above, base string, ofPlugin map[string]File) {
	in, err := rooted.OpenFolder(above)
	if err != nil {
		return
	}
	defer func() { _ = in.Close() }()
	if _, err := in.Lstat("gemini-extension.json"); err != nil {
		return
	}
	around := filesBelow("gemini/", slices.Collect(maps.Values(ofPlugin)))
	for file, f := range around {
		f.Data = bytes.ReplaceAll(f.Data, []byte("/../hooks/"), []byte("/"+base+"/hooks/"))
		around[file] = f
	}
	c.comparePresentFiles(in, around, base)
}

// comparePresentFiles compares the folder's files that can start a program or that a model reads with made, except
// programs, .git and the directory except. It ignores missing files and describingMembers.
func (c *comparison) comparePresentFiles(in rooted.Folder, made map[string]File, except string) {
	n := 0
	for dirs := []string{"."}; len(dirs) > 0; dirs = dirs[1:] {
		f, err := in.Open(dirs[0])
		if err != nil {
			continue // an unreadable file is not started either
		}
		entries, _ := f.ReadDir(maxEntries)
		_ = f.Close()
		for _, e := range entries {
			name := path.Join(dirs[0], e.Name())
			if n++; n > maxEntries {
				noteFinding(&c.texts, check.Failure, in.PathOf("."), "it has too many files to check", "")
				return
			}
			switch {
			case name == ".git" || name == except || slices.Contains(ProgramPaths(Hook, Judge), name):
			case e.IsDir():
				dirs = append(dirs, name)
			default:
				mode := e.Type()
				if info, err := e.Info(); err == nil {
					mode = info.Mode()
				}
				if starts, speaks := roleOfFile(name, mode); starts || speaks {
					f := made[name]
					f.Path = name
					c.noteDifference(in.PathOf(name), folder{Folder: in, limit: maxText}.compareFile(f), starts)
				}
			}
		}
	}
}

func (c *comparison) noteDifference(file string, d Difference, mayRun bool) {
	state, says, fix := check.Warning, "not as this version of springfield makes it", ""
	if mayRun {
		state = check.Failure
	}
	switch {
	case d.Kind == Missing: // deleted after it was listed
		return
	case d.err != nil:
		state, says = check.Failure, notRead(d.err)
	case d.Kind == Foreign:
		says, fix = "springfield does not make it", "remove it if you did not put it there"
	case d.Kind == Same || d.onlyDescribes():
		c.same++
		return
	case c.suite != "":
		says = "edited: it is not as this version of springfield makes it"
		fix = "if that was not you, remove the file, then run springfield init " + check.QuoteArgument(c.suite) + " to make it again"
	}
	noteFinding(&c.texts, state, file, says, fix)
}

// roleOfFile reports whether a file can start or name a program, and whether a model reads it.
func roleOfFile(file string, mode fs.FileMode) (starts, instructs bool) {
	top, _, inside := strings.Cut(file, "/")
	ext := strings.ToLower(path.Ext(file))
	switch {
	case !mode.IsRegular() || top == "bin" && inside:
		return true, false
	case ext == ".md":
		return false, inside || strings.EqualFold(file, "SKILL.md")
	case file == "strategy.json" || top == "schemas" || strings.HasPrefix(file, ".github/workflows/"),
		!inside && strings.HasSuffix(file, "-extension-install.json"): // where the agent installed it from
		return false, false
	}
	return mode&0o111 != 0 || slices.Contains([]string{
		".json", ".jsonc", ".toml", ".yaml", ".yml", ".sh", ".bash", ".zsh", ".js", ".mjs", ".cjs", ".ts", ".py", ".rb",
		".pl", ".ps1", ".cmd", ".bat", ".com", ".exe", ".dll", ".so", ".dylib", ".jar",
	}, ext), false
}

func describingMembers() []string {
	return []string{
		"$schema", "name", "source", "displayName", "description", "version", "author", "homepage", "repository", "license",
		"icon", "keywords", "category", "tags", "strict", "relevance", "defaultEnabled",
	}
}

// onlyDescribes reports whether a JSON file differs only in describingMembers.
func (d Difference) onlyDescribes() bool {
	var both [2]map[string]any
	for i, data := range [][]byte{d.data, d.Data} {
		json, err := parseJSON(data)
		if err != nil || path.Ext(d.Path) != ".json" {
			return false
		}
		both[i], _ = json.value.(map[string]any)
		maps.DeleteFunc(both[i], func(name string, _ any) bool { return slices.Contains(describingMembers(), name) })
	}
	return reflect.DeepEqual(both[0], both[1])
}

// checkEntryExtras adds a failure if the plugin's catalog entry, by name or c.ID, does more than describe, or cannot be
// read. A missing catalog is ignored.
func (c *comparison) checkEntryExtras(name string) {
	file := filepath.FromSlash(cmp.Or(c.CatalogFile, ".claude-plugin/marketplace.json"))
	data, err := rooted.ReadFile(c.Catalog, file, maxCatalog)
	if c.Catalog == "" || errors.Is(err, fs.ErrNotExist) {
		return
	}
	var added []string
	if id, _, _ := strings.Cut(c.ID, "@"); err == nil {
		added, err = entryExtras(data, name, id)
	}
	switch {
	case err != nil:
		noteFinding(&c.found, check.Failure, filepath.Join(c.Catalog, file), notRead(err), "")
	case len(added) > 0:
		noteFinding(&c.found, check.Failure, filepath.Join(c.Catalog, file),
			"its marketplace entry adds to "+name+": "+listSomeNames(added),
			"remove that from the entry, or remove this marketplace")
	}
}

// entryExtras returns the non-descriptive members of the plugins' catalog entries.
func entryExtras(catalogData []byte, plugins ...string) (memberNames []string, err error) {
	var catalog map[string]json.RawMessage
	var entries []any
	if err := json.Unmarshal(bytes.TrimPrefix(catalogData, []byte("\ufeff")), &catalog); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(catalog["plugins"], &entries); err != nil {
		return nil, err
	}
	for _, one := range entries {
		entry, _ := one.(map[string]any)
		if name, _ := entry["name"].(string); !slices.Contains(plugins, name) {
			continue
		}
		for _, member := range slices.Sorted(maps.Keys(entry)) {
			if !slices.Contains(describingMembers(), member) {
				memberNames = append(memberNames, member)
			}
		}
	}
	return memberNames, nil
}

type ownBuilds struct {
	source string
	builds []Build
	why    string // reason for a missing build
}

func (r ownBuilds) ownSumOf(s foundProgram) string {
	for _, b := range r.builds {
		if b.Go == s.with {
			return b.ChecksumOf(s.program, s.target)
		}
	}
	return ""
}

// tryOwnBuilds returns this springfield's builds, carried and compiled. comparePlugin has run. If a build fails, the
// reason is in r.why, not err.
func (t Toolchain) tryOwnBuilds(ctx context.Context, all []*comparison) (r ownBuilds, err error) {
	if r.source, err = SourceHash(); err != nil {
		return r, err
	}
	carried, err := ReadManifestIfAny(t.Prebuilt)
	if err != nil {
		r.why = err.Error()
	} else if carried != nil && carried.Source == r.source {
		r.builds = append(r.builds, *carried)
	}
	var target Target // two only on Windows on ARM, where a plugin has one of them
	programs := []Program{Hook}
	for _, c := range all {
		for _, s := range c.programs {
			if s.with != "" && r.ownSumOf(s) == "" && s.target.StartsOn(HostTarget()) {
				target, programs = s.target, append(programs, s.program)
			}
		}
	}
	if target == (Target{}) {
		return r, nil
	}
	slices.Sort(programs)
	t.Builder = WithGo
	built, err := t.BuildPrograms(ctx, []Target{target}, slices.Compact(programs)...)
	if err == nil {
		r.builds = append(r.builds, built)
	} else {
		r.why = err.Error()
	}
	return r, ctx.Err()
}

// compareWithOwnBuilds compares the plugin's programs with r and returns up to maxTold findings plus a count. Call it
// once, after comparePlugin.
func (c *comparison) compareWithOwnBuilds(r ownBuilds) []check.Finding {
	same, right, sums := c.buildInfo.Source == r.source, []string{}, map[string]string{}
	for _, s := range c.programs {
		made := func(b Build) bool { return b.ChecksumOf(s.program, s.target) == s.sum }
		if s.target.StartsOn(HostTarget()) && slices.ContainsFunc(r.builds, made) {
			same, right, sums[s.file] = true, append(right, "the "+s.program.ShortName()), s.sum
			continue
		}
		state, says := r.explainMismatch(s, c.buildInfo)
		noteFinding(&c.found, state, s.file, says, c.buildCommand())
		c.found[len(c.found)-1].SHA256 = map[string]string{s.file: s.sum}
	}
	if same {
		c.found = append(c.found, c.texts...)
	} else if len(c.texts) > 0 {
		files := check.NamesOf(c.texts, func(f check.Finding) string { return f.File })
		noteFinding(&c.found, check.Warning, c.Dir, "not as this version of springfield makes them: "+listSomeNames(files), "")
	}
	if len(c.found) == 0 && len(right) > 0 {
		what := strings.Join(right, ", ") + " and " + layout.CountOf(c.same, "file")
		noteFinding(&c.found, check.Fine, "", c.ID+": "+what+" match this version of springfield", "")
		c.found[0].SHA256 = sums
		return c.found
	}
	slices.SortStableFunc(c.found, func(a, b check.Finding) int { return cmp.Compare(a.State, b.State) }) // failures first
	if more := len(c.found) - maxTold; more > 0 {
		c.found = c.found[:maxTold]
		noteFinding(&c.found, check.Warning, c.Dir, fmt.Sprintf("and %d more", more), "")
	}
	return c.found
}

// explainMismatch returns state and text for s, which matches no build in r for this machine. record is from the
// program's suite (can be empty).
func (r ownBuilds) explainMismatch(s foundProgram, record Build) (state check.State, says string) {
	recorded := record.ChecksumOf(s.program, s.target)
	switch {
	case recorded != "" && recorded != s.sum:
		return check.Failure, ErrChanged.Error()
	case s.with == "":
		return check.Failure, "not the " + s.program.ShortName() + " of any springfield"
	case record.Source != "" && record.Source != r.source:
		return check.Warning, "cannot tell: it was built from a different version of springfield"
	case r.ownSumOf(s) == "":
		says = "cannot tell: it was compiled with " + s.with + ", but this springfield has no " + s.program.ShortName() + " compiled with that Go"
		if r.why != "" {
			says += ": " + r.why
		}
		return check.Warning, says
	case record.Source != "":
		return check.Failure, fmt.Sprintf("not the build of these sources with %s that %s records", s.with, SuiteFile)
	}
	return check.Warning, "cannot tell: it differs from this springfield's build with " + s.with + ", and may be from another version"
}

func (c *comparison) buildCommand() string {
	if c.suite == "" {
		return ""
	}
	return "springfield build " + check.QuoteArgument(c.suite)
}

// noteFinding adds a finding about a file. If fix is "" and state is not Fine, it advises updating or reinstalling.
func noteFinding(found *[]check.Finding, state check.State, file, says, fix string) {
	if fix == "" && state != check.Fine {
		fix = "update the plugin at its source, or install it again from a source that you trust"
	}
	*found = append(*found, check.Finding{State: state, File: file, Says: says, Fix: fix})
}

// notRead returns a clause about an unreadable file, without the path.
func notRead(err error) string {
	var link *rooted.LinkError
	if errors.As(err, &link) {
		return "a link, which springfield does not follow in a plugin"
	}
	return "cannot be compared: " + check.DropPath(err).Error()
}

func listSomeNames(names []string) string {
	if more := len(names) - maxTold; more > 0 {
		names = append(slices.Clone(names[:maxTold]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
