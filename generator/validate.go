// Validating a suite: what lies on disk against what springfield.yaml says it
// is, and every file against its schema. Nothing is changed. What the client
// itself would say, and what the hook says to its rules, is for whoever can
// start them.

package generator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/folder"
	"github.com/cameronsjo/springfield/runtime/judge"
)

// Severity says what a fault costs.
type Severity string

const (
	Failed  Severity = "failure" // it does not work, or not as recorded
	Warned  Severity = "warning" // it works, but not as one would think
	Noticed Severity = "note"    // worth knowing
)

// Fault is something wrong in a suite.
type Fault struct {
	Area     string // suite, marketplace, manifest, hooks, rules, binaries or files
	Severity Severity
	File     string // relative to the suite, with slashes
	Position        // zero where the fault is not at a place in a text
	Says     string
	Fix      string // what a person would do; may be empty
}

// The areas that Validate looks at, in its order.
func Areas() []string {
	return []string{"suite", "marketplace", "manifest", "hooks", "rules", "binaries", "files"}
}

// maxText bounds a text that is validated, in bytes.
const maxText = 256 << 10

// inspection is one validation in progress.
type inspection struct {
	dir     string
	files   folder.Folder // of dir
	schemas schemaSet
	record  document // springfield.yaml
	suite   Suite
	faults  []Fault
}

// Validate looks at the suite in dir. The error is about looking, not about the
// suite: ErrNoSuite, or something that cannot be read. A suite whose
// springfield.yaml cannot be understood has only that fault.
func Validate(dir string) ([]Fault, error) {
	set, err := readSchemas()
	if err != nil {
		return nil, err
	}
	files, err := folder.Open(dir)
	if err == nil {
		defer func() { _ = files.Close() }()
		_, err = files.Lstat(SuiteFile)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", dir, ErrNoSuite)
	}
	if err != nil {
		return nil, err
	}
	in := &inspection{dir: dir, files: files, schemas: set}
	if ok, err := in.readRecord(); err != nil || !ok {
		return in.faults, err
	}
	expected, err := Render(in.suite.Spec, Build{})
	if err != nil {
		return nil, err
	}
	for _, look := range []func() error{
		in.lookAtMarketplace,
		func() error { return in.lookAtPlugins(expected) },
		in.lookAtBinaries,
		func() error { return in.lookAtFiles(expected) },
	} {
		if err := look(); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(in.faults, func(a, b Fault) int {
		return slices.Index(Areas(), a.Area) - slices.Index(Areas(), b.Area)
	})
	return in.faults, nil
}

func (in *inspection) add(f Fault) { in.faults = append(in.faults, f) }

func (in *inspection) path(file string) string {
	return filepath.Join(in.dir, filepath.FromSlash(file))
}

// read reads a text and compares it with a schema; not ok if there is nothing
// to look at further.
func (in *inspection) read(area, file, schema string) (d document, ok bool, err error) {
	data, err := in.readText(file)
	if err != nil {
		f := Fault{Area: area, Severity: Failed, File: file, Says: "it cannot be read: " + reason(err)}
		if errors.Is(err, fs.ErrNotExist) {
			f.Says, f.Fix = "it is not there", "springfield init adds it"
		}
		in.add(f)
		return d, false, nil
	}
	parse := parseJSON
	if path.Ext(file) == ".yaml" {
		parse = parseYAML
	}
	d, err = parse(data)
	var bad *flaw
	if errors.As(err, &bad) {
		in.add(Fault{Area: area, Severity: Failed, File: file, Position: bad.Position, Says: bad.says})
		return d, false, nil
	}
	if err != nil {
		return d, false, err
	}
	flaws, err := in.schemas.judge(d, schema)
	for _, f := range flaws {
		severity := Failed
		if f.unknown && schema != "strategy" { // the hook takes no file with a member it does not know
			severity = Warned
		}
		in.add(Fault{Area: area, Severity: severity, File: file, Position: f.Position, Says: f.says})
	}
	return d, err == nil, err
}

func (in *inspection) readText(file string) ([]byte, error) {
	data, _, err := in.files.ReadFile(file, maxText)
	return data, err
}

// isLinked says that a file, or a directory on the way to it, is a link. Nothing
// is read through one.
func (in *inspection) isLinked(area, file string) bool {
	err := in.files.Check(file)
	if err != nil {
		in.add(Fault{Area: area, Severity: Failed, File: file, Says: err.Error() + "; springfield follows none in a suite", Fix: "put what it leads to in its place"})
	}
	return err != nil
}

// reason is an error without the path, which is said beside it.
func reason(err error) string { return cause(err).Error() }

func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

func (in *inspection) readRecord() (ok bool, err error) {
	d, ok, err := in.read("suite", SuiteFile, "springfield")
	if err != nil || !ok {
		return false, err
	}
	in.record = d
	if slices.ContainsFunc(in.faults, func(f Fault) bool { return f.Severity == Failed }) {
		return false, nil
	}
	in.suite, err = ReadSuite(in.dir)
	var spec *SpecError
	switch {
	case errors.As(err, &spec):
		in.add(Fault{Area: "suite", Severity: Failed, File: SuiteFile, Position: in.specPosition(spec), Says: spec.Error(), Fix: spec.Hint})
		return false, nil
	case err != nil:
		in.add(Fault{Area: "suite", Severity: Failed, File: SuiteFile, Position: Position{1, 1}, Says: reason(err)})
		return false, nil
	}
	return true, in.lookAtRecord()
}

// specPosition finds what a SpecError is about: the value that it quotes, else
// the part of the file that its field names.
func (in *inspection) specPosition(e *SpecError) Position {
	for _, text := range append(quotes(e.Problem), strings.Fields(e.Field)...) {
		paths := in.pathsOf(text)
		i := slices.IndexFunc(paths, func(path []string) bool { return e.Field != "plugin" || path[len(path)-1] == "name" })
		if i >= 0 {
			return in.record.at(paths[i]...)
		}
	}
	for word, at := range map[string][]string{"target": {"targets"}, "owner": {"owner"}, "marketplace": {"marketplace"}} {
		if strings.HasPrefix(e.Field, word) {
			return in.record.at(at...)
		}
	}
	return in.record.at("plugins")
}

// pathsOf are the places of springfield.yaml that hold a text or are called so,
// the last first: of two that are the same, that is the one too many.
func (in *inspection) pathsOf(text string) [][]string {
	var found [][]string
	var look func(v any, path []string)
	look = func(v any, path []string) {
		switch v := v.(type) {
		case map[string]any:
			for name, value := range v {
				next := append(slices.Clone(path), name)
				if name == text && len(path) > 2 {
					found = append(found, next)
				}
				look(value, next)
			}
		case []any:
			for i, value := range v {
				look(value, append(slices.Clone(path), strconv.Itoa(i)))
			}
		default:
			if fmt.Sprint(v) == text {
				found = append(found, path)
			}
		}
	}
	look(in.record.value, nil)
	slices.SortFunc(found, func(a, b []string) int { return in.record.at(b...).Line - in.record.at(a...).Line })
	return found
}

// quotes are the quoted parts of a sentence.
func quotes(text string) []string {
	var all []string
	for i, part := range strings.Split(text, `"`) {
		if i%2 == 1 {
			all = append(all, part)
		}
	}
	return all
}

func (in *inspection) lookAtRecord() error {
	for i, t := range in.suite.Targets {
		for _, program := range in.suite.Programs() {
			if in.suite.Build.Recorded(program, t) == "" {
				in.add(Fault{Area: "suite", Severity: Failed, File: SuiteFile, Position: in.record.at("targets", strconv.Itoa(i)),
					Says: "no checksum is recorded for the " + program.Short() + " for " + t.String(), Fix: "springfield build"})
			}
		}
	}
	for _, b := range unbuilt(AllTargets(), []Program{Hook, Judge}) {
		says := ""
		switch {
		case in.suite.Build.Recorded(b.Program, b.Target) == "":
		case !slices.Contains(in.suite.Targets, b.Target):
			says = fmt.Sprintf("a checksum is recorded for %s, which is not among its targets", b.Target)
		case !slices.Contains(in.suite.Programs(), b.Program):
			says = fmt.Sprintf("a checksum is recorded for the %s for %s, and no plugin of it has one", b.Program.Short(), b.Target)
		}
		if says != "" {
			in.add(Fault{Area: "suite", Severity: Warned, File: SuiteFile, Position: in.record.keyAt("build", b.Program.member(), b.Target.String()), Says: says, Fix: "springfield build"})
		}
	}
	hash, err := SourceHash()
	if err == nil && in.suite.Build.Source != hash {
		in.add(Fault{Area: "suite", Severity: Noticed, File: SuiteFile, Position: in.record.at("build", "source"),
			Says: "its hooks come from other sources than this springfield carries", Fix: "springfield build takes these"})
	}
	return err
}

// same reports a text that is not what springfield.yaml says at a path.
func (in *inspection) same(area, file string, d document, at []string, what, want string, recorded ...string) {
	if got := d.text(at...); got != want {
		in.add(Fault{Area: area, Severity: Failed, File: file, Position: d.at(at...),
			Says: fmt.Sprintf("%s is %q, line %d of %s says %q", what, got, in.record.at(recorded...).Line, SuiteFile, want), Fix: "make them the same"})
	}
}

func (in *inspection) lookAtMarketplace() error {
	const file = ".claude-plugin/marketplace.json"
	d, ok, err := in.read("marketplace", file, "marketplace")
	if err != nil || !ok {
		return err
	}
	in.same("marketplace", file, d, []string{"name"}, "its name", in.suite.Marketplace, "marketplace")
	in.same("marketplace", file, d, []string{"owner", "name"}, "its owner", in.suite.Owner.Name, "owner", "name")
	offers := map[string]bool{}
	for i := range d.list("plugins") {
		entry := []string{"plugins", strconv.Itoa(i)}
		name := d.text(append(entry, "name")...)
		n := slices.IndexFunc(in.suite.Plugins, func(p Plugin) bool { return p.Name == name })
		switch {
		case offers[name]:
			in.add(Fault{Area: "marketplace", Severity: Failed, File: file, Position: d.at(append(entry, "name")...), Says: fmt.Sprintf("it offers %q twice", name)})
			continue
		case n < 0:
			in.add(Fault{Area: "marketplace", Severity: Failed, File: file, Position: d.at(append(entry, "name")...),
				Says: fmt.Sprintf("it offers %q, which is not in %s", name, SuiteFile), Fix: "springfield new makes a plugin"})
			continue
		}
		offers[name] = true
		in.same("marketplace", file, d, append(entry, "version"), "version of "+name, in.suite.Plugins[n].Version, "plugins", strconv.Itoa(n), "version")
		if source := d.text(append(entry, "source")...); path.Clean(source) != name {
			in.add(Fault{Area: "marketplace", Severity: Failed, File: file, Position: d.at(append(entry, "source")...),
				Says: fmt.Sprintf("source of %s is %q", name, source), Fix: fmt.Sprintf("make it %q", "./"+name)})
		}
	}
	for _, p := range in.suite.Plugins {
		if !offers[p.Name] {
			in.add(Fault{Area: "marketplace", Severity: Failed, File: file, Position: d.at("plugins"), Says: fmt.Sprintf("it does not offer %q", p.Name), Fix: "add an entry for it"})
		}
	}
	return nil
}

// lookAtPlugins looks at what each plugin says of itself; expected is what it
// would be generated with.
func (in *inspection) lookAtPlugins(expected []File) error {
	for i, p := range in.suite.Plugins {
		if in.isLinked("files", p.Name) {
			continue
		}
		if info, err := in.files.Lstat(p.Name); err != nil || !info.IsDir() {
			in.add(Fault{Area: "files", Severity: Failed, File: p.Name, Says: "the plugin's directory is not there", Fix: "springfield init adds it"})
			continue
		}
		at := []string{"plugins", strconv.Itoa(i)}
		file := p.Name + "/.claude-plugin/plugin.json"
		d, ok, err := in.read("manifest", file, "plugin")
		if err != nil {
			return err
		}
		if ok {
			in.same("manifest", file, d, []string{"name"}, "its name", p.Name, append(at, "name")...)
			in.same("manifest", file, d, []string{"version"}, "its version", p.Version, append(at, "version")...)
			if strings.Contains(fmt.Sprint(d.get("hooks")), "hooks/hooks.json") {
				in.add(Fault{Area: "manifest", Severity: Failed, File: file, Position: d.keyAt("hooks"),
					Says: "Claude Code reads hooks/hooks.json by itself and calls it a duplicate here", Fix: "take this member out"})
			}
		}
		if err := in.lookAtHooks(p, expected); err != nil {
			return err
		}
		file = p.Name + "/strategy.json"
		if d, ok, err = in.read("rules", file, "strategy"); err != nil {
			return err
		}
		if ok {
			in.same("rules", file, d, []string{"strategy"}, "its strategy", p.Strategy, append(at, "strategy")...)
			if d.get("plugin") != nil || p.Name != p.Strategy {
				in.same("rules", file, d, []string{"plugin"}, "its plugin", p.Name, append(at, "name")...)
			}
		}
	}
	return nil
}

const hookCommand = "${CLAUDE_PLUGIN_ROOT}/hooks/springfield-hook"

func (in *inspection) lookAtHooks(p Plugin, expected []File) error {
	file := p.Name + "/hooks/hooks.json"
	d, ok, err := in.read("hooks", file, "hooks")
	if err != nil || !ok {
		return err
	}
	calls := map[string]bool{} // events at which our hook is started
	events, _ := d.get("hooks").(map[string]any)
	for event := range events {
		for i := range d.list("hooks", event) {
			for j := range d.list("hooks", event, strconv.Itoa(i), "hooks") {
				at := []string{"hooks", event, strconv.Itoa(i), "hooks", strconv.Itoa(j)}
				command := d.text(append(at, "command")...)
				if command == hookCommand {
					calls[event] = true
					in.lookAtTimeout(p, file, d, at)
				} else if rest, ours := strings.CutPrefix(command, "${CLAUDE_PLUGIN_ROOT}/"); ours && !exists(in.path(path.Join(p.Name, rest))) {
					in.add(Fault{Area: "hooks", Severity: Failed, File: file, Position: d.at(append(at, "command")...), Says: fmt.Sprintf("%s is not there", path.Join(p.Name, rest))})
				}
				if d.get(append(at, "if")...) != nil && !strings.Contains(event, "Tool") && !strings.Contains(event, "Permission") {
					in.add(Fault{Area: "hooks", Severity: Failed, File: file, Position: d.keyAt(append(at, "if")...), Says: "a hook with \"if\" never runs at " + event, Fix: "take it out"})
				}
				if d.get(append(at, "async")...) == true && command == hookCommand {
					in.add(Fault{Area: "hooks", Severity: Failed, File: file, Position: d.keyAt(append(at, "async")...), Says: "Claude Code does not wait for it, so it decides nothing", Fix: "take it out"})
				}
			}
		}
	}
	i := slices.IndexFunc(expected, func(f File) bool { return f.Path == file })
	if i < 0 {
		return nil
	}
	made, err := parseJSON(expected[i].Data)
	if err != nil {
		return err
	}
	needed, _ := made.get("hooks").(map[string]any)
	for event := range needed {
		if !calls[event] {
			in.add(Fault{Area: "hooks", Severity: Failed, File: file, Position: d.at("hooks", event),
				Says: fmt.Sprintf("%s is not started at %s, so it decides nothing", hookCommand, event), Fix: "springfield init in an empty directory shows what belongs here"})
		}
	}
	return nil
}

// lookAtTimeout compares how long Claude Code waits for the hook with how long the
// hook may wait for its judge: Claude Code forgets the answer of one that it has
// to end.
func (in *inspection) lookAtTimeout(p Plugin, file string, d document, at []string) {
	if !slices.Contains(p.Programs(), Judge) {
		return
	}
	var rules struct{ Judge struct{ Within int } }
	data, err := in.readText(p.Name + "/strategy.json")
	if err != nil || json.Unmarshal(data, &rules) != nil {
		return // said where it is read
	}
	within := judge.Within
	if rules.Judge.Within != 0 {
		within = rules.Judge.Within
	}
	timeout, given := d.get(append(at, "timeout")...).(json.Number)
	if seconds, err := timeout.Float64(); given && err == nil && seconds < float64(within+judge.Spare) {
		in.add(Fault{Area: "hooks", Severity: Failed, File: file, Position: d.at(append(at, "timeout")...),
			Says: fmt.Sprintf("its timeout is %s s, and %s/strategy.json gives the judge %d s: the hook needs %d s more", timeout, p.Name, within, judge.Spare),
			Fix:  fmt.Sprintf("\"timeout\": %d, or a shorter judge.within", within+judge.Spare)})
	}
}

// lookAtBinaries looks at the hooks themselves. They are the same in every
// plugin because each is what springfield.yaml records.
func (in *inspection) lookAtBinaries() error {
	binaries := Unbuilt(in.suite.Spec).Binaries
	launcher, err := render("shared/launcher/springfield-hook.tmpl", nil)
	if err != nil {
		return err
	}
	for _, p := range in.suite.Plugins {
		if !exists(in.path(p.Name)) {
			continue // said already
		}
		for _, f := range p.hookFiles(binaries, launcher) {
			file := path.Join(p.Name, f.Path)
			if f.target == (Target{}) {
				in.lookAtLauncher(file, launcher)
				continue
			}
			in.lookAtBinary(file, f.program, f.target)
		}
	}
	if !slices.Contains(in.suite.Targets, Host()) && (Host() != Target{"windows", "arm64"} || !slices.Contains(in.suite.Targets, Target{"windows", "amd64"})) {
		in.add(Fault{Area: "binaries", Severity: Noticed, File: SuiteFile, Position: in.record.at("targets"),
			Says: "it has no hook for this machine, " + Host().String(), Fix: "springfield build --target " + Host().String() + ", with those it has"})
	}
	return nil
}

// lookAtStart looks at what keeps a file from being started, whatever is in it.
func (in *inspection) lookAtStart(file string, target string) bool {
	bad := func(severity Severity, says, fix string) {
		in.add(Fault{Area: "binaries", Severity: severity, File: file, Says: says, Fix: fix})
	}
	if in.isLinked("binaries", file) {
		return false
	}
	info, err := in.files.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		bad(Failed, "there is no "+target, "springfield build")
		return false
	case err != nil:
		bad(Failed, "it cannot be read: "+reason(err), "")
		return false
	case !info.Mode().IsRegular():
		bad(Failed, "it is not a file", "springfield build after removing it")
		return false
	case info.Mode()&0o111 == 0 && runtime.GOOS != "windows" && path.Ext(file) != ".exe":
		bad(Failed, "it is not executable", "springfield build; where git lost the bit: git update-index --chmod=+x")
	}
	return true
}

func (in *inspection) lookAtLauncher(file string, launcher []byte) {
	if !in.lookAtStart(file, "launcher") {
		return
	}
	data, err := in.readText(file)
	switch {
	case err != nil:
		in.add(Fault{Area: "binaries", Severity: Failed, File: file, Says: "it cannot be read: " + reason(err)})
	case !bytes.HasPrefix(data, []byte("#!/bin/sh\n")):
		in.add(Fault{Area: "binaries", Severity: Failed, File: file, Position: Position{1, 1}, Says: "it is not the launcher that several targets need", Fix: "springfield build"})
	case !bytes.Equal(data, launcher):
		in.add(Fault{Area: "binaries", Severity: Warned, File: file, Position: firstDifference(data, launcher), Says: "it is another launcher than this springfield's", Fix: "springfield build"})
	}
}

func firstDifference(a, b []byte) Position {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return positionOf(a, i)
}

func (in *inspection) lookAtBinary(file string, program Program, target Target) {
	if !in.lookAtStart(file, program.Short()+" for "+target.String()) {
		return
	}
	found, err := TargetOf(in.path(file))
	if err != nil {
		in.add(Fault{Area: "binaries", Severity: Failed, File: file, Says: "it is not a program", Fix: "springfield build; if it is a pointer of Git LFS, git lfs pull"})
		return
	}
	if found != target {
		in.add(Fault{Area: "binaries", Severity: Failed, File: file, Says: fmt.Sprintf("it is compiled for %s, not for %s", found, target), Fix: "springfield build"})
		return
	}
	if err := checkRuntime(in.path(file)); err != nil {
		in.add(Fault{Area: "binaries", Severity: Failed, File: file, Says: reason(err), Fix: "springfield build"})
	}
	want := in.suite.Build.Recorded(program, target)
	if got, err := sumFile(in.path(file)); err != nil || got != want && want != "" {
		in.add(Fault{Area: "binaries", Severity: Failed, File: file,
			Says: fmt.Sprintf("its checksum is not the one that line %d of %s records", in.record.at("build", program.member(), target.String()).Line, SuiteFile), Fix: "springfield build"})
	}
}

// lookAtFiles looks for what is missing beside all that, and for what should
// not be there.
func (in *inspection) lookAtFiles(expected []File) error {
	known := map[string]bool{}
	for _, f := range expected {
		known[f.Path] = true
		base := path.Base(f.Path)
		switch {
		case base == SuiteFile || base == "marketplace.json" || base == "plugin.json" || base == "hooks.json" || base == "strategy.json":
		case !exists(in.path(f.Path)) && exists(in.path(strings.SplitN(f.Path, "/", 2)[0])) || !strings.Contains(f.Path, "/") && !exists(in.path(f.Path)):
			in.add(Fault{Area: "files", Severity: Warned, File: f.Path, Says: "it is not there", Fix: "springfield init adds it"})
		case path.Ext(base) == ".md":
			in.lookForConflicts(f.Path)
		}
	}
	binaries := Unbuilt(in.suite.Spec).Binaries
	for _, p := range in.suite.Plugins {
		for _, f := range p.hookFiles(binaries, nil) {
			known[path.Join(p.Name, f.Path)] = true
		}
	}
	return filepath.WalkDir(in.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(in.dir, name)
		if err != nil {
			return err
		}
		file := filepath.ToSlash(relative)
		switch name := d.Name(); {
		case d.IsDir() && name == ".git":
			return filepath.SkipDir
		case d.IsDir() && name == "node_modules":
			in.stray(file, "a plugin needs no packages")
			return filepath.SkipDir
		case d.IsDir() && (strings.HasPrefix(name, ".springfield-new-") || strings.HasPrefix(name, ".springfield-old-")):
			in.stray(file, "left by a springfield that was ended in the middle")
			return filepath.SkipDir
		case !known[file]:
			in.lookAtStray(file, d)
		}
		return nil
	})
}

func (in *inspection) stray(file, says string) {
	in.add(Fault{Area: "files", Severity: Noticed, File: file, Says: says, Fix: "remove it if you do not need it"})
}

func (in *inspection) lookAtStray(file string, d fs.DirEntry) {
	top, below, inside := strings.Cut(file, "/")
	inside = inside && slices.ContainsFunc(in.suite.Plugins, func(p Plugin) bool { return p.Name == top })
	switch base := path.Base(file); {
	case d.IsDir() && inside && below == "bin":
		in.stray(file, "Claude Code puts this directory on the PATH of its Bash tool")
	case d.IsDir():
	case inside && slices.Contains(hookPlaces(Judge), below) && !in.asks(top):
		in.add(Fault{Area: "files", Severity: Noticed, File: file, Says: "a judge, and this plugin asks none", Fix: "springfield build takes it away"})
	case inside && slices.Contains(hookPlaces(Hook, Judge), below):
		in.add(Fault{Area: "files", Severity: Noticed, File: file, Says: "compiled for a target that the suite does not have", Fix: "springfield build takes it away"})
	case inside && (base == "package.json" || strings.HasPrefix(base, "package-lock.")):
		in.stray(file, "Claude Code would install packages for it")
	case isLitter(base):
		in.stray(file, "it should not be there")
	case base == "plugin.json" && !inside && strings.HasSuffix(file, "/.claude-plugin/plugin.json"):
		in.add(Fault{Area: "files", Severity: Noticed, File: file, Position: Position{1, 1}, Says: "this plugin is not in " + SuiteFile, Fix: "springfield new makes one that is"})
	case !d.Type().IsRegular():
		in.stray(file, "neither a file nor a directory, and a suite that is published holds nothing else")
	default:
		if _, err := TargetOf(in.path(file)); err == nil {
			in.stray(file, "a program that nothing here starts")
		}
	}
}

// asks tells whether a plugin asks a judge.
func (in *inspection) asks(plugin string) bool {
	return slices.ContainsFunc(in.suite.Plugins, func(p Plugin) bool { return p.Name == plugin && slices.Contains(p.Programs(), Judge) })
}

// lookForConflicts finds what an update has marked and nobody has settled.
func (in *inspection) lookForConflicts(file string) {
	data, err := in.readText(file)
	if err != nil {
		in.add(Fault{Area: "files", Severity: Failed, File: file, Says: "it cannot be read: " + reason(err)})
		return
	}
	for i, line := range strings.Split(string(data), "\n") {
		if strings.HasPrefix(line, "<<<<<<< ") {
			in.add(Fault{Area: "files", Severity: Failed, File: file, Position: Position{i + 1, 1}, Says: "a conflict that nobody has settled", Fix: "choose, and take the marks out"})
			return
		}
	}
}
