// Validating a suite: what lies on disk against what springfield.yaml says it
// is, every file against its schema, and rules as the hook reads them. Nothing is
// changed. What Claude Code says of a suite is for its own client to tell.

package generator

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/rules"
)

// checkedAreas are what Validate looks at, in the order in which it is told.
func checkedAreas() []string {
	return []string{"suite", "marketplace", "manifest", "hooks", "rules", "binaries", "files"}
}

// maxText bounds a text that is validated, in bytes.
const maxText = 256 << 10

// Validation is what was found in a suite.
type Validation struct {
	Suite    Suite
	Readable bool            // springfield.yaml can be understood; without it there is only what is wrong with it
	Found    []check.Finding // by area; one without a fault says so
}

// inspection is one validation in progress.
type inspection struct {
	dir      string
	called   string        // dir, as commands name it
	files    rooted.Folder // of dir
	schemas  schemaSet
	suite    Suite
	expected []File // what it would be generated with
	found    []check.Finding
}

// subject is a file that is looked at, for one area.
type subject struct {
	in         *inspection
	area, file string // the file is relative to the suite, with slashes
	document          // empty if the file is not read
}

func (in *inspection) subject(area, file string) subject {
	return subject{in: in, area: area, file: file}
}

func (t subject) reportFinding(state check.State, says, fix string) {
	t.in.found = append(t.in.found, check.Finding{Check: t.area, State: state, File: t.file, Says: says, Fix: fix})
}

// commandFor is a springfield command about this suite, as it can be typed anywhere.
func (in *inspection) commandFor(verb string) string {
	return "springfield " + verb + " " + in.called
}

func (t subject) reportFailure(says, fix string) { t.reportFinding(check.Failure, says, fix) }

// Validate looks at the suite in dir, which commands find as called. The error is about
// looking, not about the suite: ErrNoSuite, or something that cannot be read.
func Validate(dir, called string) (Validation, error) {
	set, err := readSchemas()
	if err != nil {
		return Validation{}, err
	}
	files, err := rooted.OpenFolder(dir)
	if err == nil {
		defer func() { _ = files.Close() }()
		_, err = files.Lstat(SuiteFile)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return Validation{}, &noSuiteError{dir}
	}
	if err != nil {
		return Validation{}, err
	}
	in := &inspection{dir: dir, called: check.QuoteArgument(called), files: files, schemas: set}
	readable, err := in.readRecord()
	if err == nil && readable {
		err = in.lookInside()
	}
	if err != nil {
		return Validation{}, err
	}
	return Validation{in.suite, readable, in.findingsByArea(readable)}, nil
}

// lookInside looks at all but springfield.yaml.
func (in *inspection) lookInside() (err error) {
	if in.expected, err = RenderSuite(in.suite.Spec, Build{}); err != nil {
		return err
	}
	for _, look := range []func() error{in.lookAtMarketplace, in.lookAtPlugins, in.lookAtRules, in.lookAtBinaries, in.lookAtFiles} {
		if err := look(); err != nil {
			return err
		}
	}
	return nil
}

// findingsByArea is what was found in the order of areas, and that nothing was.
func (in *inspection) findingsByArea(readable bool) (all []check.Finding) {
	for _, area := range checkedAreas() {
		n := len(all)
		for _, f := range in.found {
			if f.Check == area {
				all = append(all, f)
			}
		}
		if len(all) == n && (readable || area == "suite") {
			all = append(all, check.Finding{Check: area, State: check.Fine, Says: fineWords(area, in.suite)})
		}
	}
	return all
}

// fineWords say what an area without a fault is about.
func fineWords(area string, s Suite) string {
	plugins, targets := layout.CountOf(len(s.Plugins), "plugin"), layout.CountOf(len(s.Targets), "target")
	switch area {
	case "suite":
		return fmt.Sprintf("%s: %s, %s", SuiteFile, plugins, targets)
	case "marketplace":
		return "marketplace.json lists these plugins"
	case "manifest":
		return "manifests of " + plugins + ": names and versions are those of " + SuiteFile
	case "hooks":
		return "hooks of " + plugins + ": every host accepts its file"
	case "rules":
		return "strategy.json of " + plugins + ": no faults"
	case "binaries":
		return fmt.Sprintf("hooks of %s, for %s: present, executable, as recorded", plugins, targets)
	}
	return "none is missing, and none is unknown"
}

func (in *inspection) pathOf(file string) string {
	return filepath.Join(in.dir, filepath.FromSlash(file))
}

// readSubject reads a text and compares it with a schema; not ok if there is nothing
// to look at further.
func (in *inspection) readSubject(area, file, schema string) (t subject, ok bool, err error) {
	t = in.subject(area, file)
	data, err := in.readText(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t.reportFailure("not found", in.commandFor("init")+" adds it")
		return t, false, nil
	case err != nil:
		t.reportFailure("not readable: "+causeOf(err).Error(), "")
		return t, false, nil
	}
	parse := parseJSON
	if path.Ext(file) == ".yaml" {
		parse = parseYAML
	}
	t.document, err = parse(data)
	var bad *FileError
	if errors.As(err, &bad) {
		t.reportBroken(bad)
		return t, false, nil
	}
	if err != nil {
		return t, false, err
	}
	flaws, err := in.schemas.judgeDocument(t.document, schema)
	for _, f := range flaws {
		state := check.Failure
		if f.unknown && schema != "strategy" { // the hook takes no file with a member it does not know
			state = check.Warning
		}
		fix := ""
		if f.unknown && schema == "shell" { // Codex says nothing of it
			state, fix = check.Failure, "remove it: Codex ignores the whole file"
		}
		t.reportFinding(state, f.says, fix)
	}
	return t, err == nil, err
}

func (in *inspection) readText(file string) ([]byte, error) {
	data, _, err := in.files.ReadFile(file, maxText)
	return data, err
}

// isLinked says that the file, or a directory on the way to it, is a link. Nothing
// is read through one.
func (t subject) isLinked() bool {
	err := t.in.files.CheckLinks(t.file)
	if err != nil {
		t.reportFailure(err.Error()+"; springfield follows no link in a suite", "replace it with what it points to")
	}
	return err != nil
}

// causeOf is an error without the path, which is said beside it.
func causeOf(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

func (in *inspection) readRecord() (ok bool, err error) {
	t, ok, err := in.readSubject("suite", SuiteFile, "springfield")
	if err != nil || !ok {
		return false, err
	}
	data, err := readSuiteFile(in.dir)
	if err == nil {
		in.suite, err = decodeSuite(data)
	}
	var fault *FileError
	switch {
	case errors.As(err, &fault):
		// What the schema says of it says less.
		in.found = slices.DeleteFunc(in.found, func(f check.Finding) bool { return f.State == check.Failure })
		t.reportBroken(fault)
		return false, nil
	case err != nil:
		t.reportFailure(causeOf(err).Error(), "")
		return false, nil
	}
	return check.CountState(in.found, check.Failure) == 0, in.lookAtRecord()
}

func (in *inspection) lookAtRecord() error {
	record := in.subject("suite", SuiteFile)
	for _, t := range in.suite.Machines() {
		for _, program := range in.suite.Programs() {
			if in.suite.Build.Recorded(program, t) == "" {
				record.reportFailure("no checksum is recorded for the "+program.ShortName()+" for "+t.String(),
					in.commandFor("build"))
			}
		}
	}
	for _, b := range unbuiltBinaries(AllTargets(), []Program{Hook, Judge}) {
		says := ""
		switch {
		case in.suite.Build.Recorded(b.Program, b.Target) == "":
			continue
		case !slices.Contains(in.suite.Machines(), b.Target):
			says = fmt.Sprintf("a checksum is recorded for %s, which is not a target of this suite", b.Target)
		case !slices.Contains(in.suite.Programs(), b.Program):
			says = fmt.Sprintf("a checksum is recorded for the %s for %s, but no plugin has one",
				b.Program.ShortName(), b.Target)
		default:
			continue
		}
		record.reportFinding(check.Warning, says, in.commandFor("build"))
	}
	hash, err := SourceHash()
	if err == nil && in.suite.Build.Source != hash {
		record.reportFinding(check.Note, "its hooks were compiled from other sources than this springfield carries",
			in.commandFor("build")+" compiles these")
	}
	return err
}

func (t subject) reportBroken(fault *FileError) {
	t.reportFailure(fault.Problem, fault.Hint)
	t.in.found[len(t.in.found)-1].Position = fault.Position
}

// requireText reports a text at a path that is not what springfield.yaml says.
func (t subject) requireText(what, want string, at ...string) {
	if got := t.textAt(at...); got != want {
		t.reportFailure(fmt.Sprintf("%s is %q, and %s says %q", what, got, SuiteFile, want), "make them the same")
	}
}

func (in *inspection) lookAtMarketplace() error {
	t, ok, err := in.readSubject("marketplace", ".claude-plugin/marketplace.json", "marketplace")
	if err != nil || !ok {
		return err
	}
	t.requireText("its name", in.suite.Marketplace, "name")
	t.requireText("its owner", in.suite.Owner.Name, "owner", "name")
	offers := map[string]bool{}
	for i := range t.listAt("plugins") {
		in.lookAtOffer(t, []string{"plugins", strconv.Itoa(i)}, offers)
	}
	for _, p := range in.suite.Plugins {
		if !offers[p.Name] {
			t.reportFailure(fmt.Sprintf("it does not list %q", p.Name), "add an entry for it")
		}
	}
	return nil
}

// lookAtOffer looks at an entry of marketplace.json, and adds it to the offers.
func (in *inspection) lookAtOffer(t subject, entry []string, offers map[string]bool) {
	at := func(member string) []string { return append(slices.Clone(entry), member) }
	name := t.textAt(at("name")...)
	n := slices.IndexFunc(in.suite.Plugins, func(p Plugin) bool { return p.Name == name })
	switch {
	case offers[name]:
		t.reportFailure(fmt.Sprintf("it lists %q twice", name), "")
		return
	case n < 0:
		t.reportFailure(fmt.Sprintf("it lists %q, which is not in %s", name, SuiteFile), "springfield new NAME --from STRATEGY --suite "+in.called+" adds a plugin; or remove this entry")
		return
	}
	offers[name] = true
	t.requireText("version of "+name, in.suite.Plugins[n].Version, at("version")...)
	if source := t.textAt(at("source")...); path.Clean(source) != name {
		t.reportFailure(fmt.Sprintf("source of %s is %q", name, source), fmt.Sprintf("make it %q", "./"+name))
	}
}

func (in *inspection) lookAtPlugins() error {
	for _, p := range in.suite.Plugins {
		dir := in.subject("files", p.Name)
		if dir.isLinked() {
			continue
		}
		if info, err := in.files.Lstat(p.Name); err != nil || !info.IsDir() {
			dir.reportFailure("the plugin's directory is missing", in.commandFor("init")+" adds it")
			continue
		}
		t, ok, err := in.readSubject("manifest", p.Name+"/.claude-plugin/plugin.json", "plugin")
		if err != nil {
			return err
		}
		if ok {
			t.requireText("its name", p.Name, "name")
			t.requireText("its version", p.Version, "version")
			if strings.Contains(fmt.Sprint(t.valueAt("hooks")), "hooks/hooks.json") {
				t.reportFailure("hooks: Claude Code reads hooks/hooks.json by itself and calls it a duplicate here", "remove this member")
			}
		}
		if err := in.lookAtSharedHooks(p); err != nil {
			return err
		}
		if err := in.lookAtHosts(p); err != nil {
			return err
		}
		if t, ok, err = in.readSubject("rules", p.Name+"/strategy.json", "strategy"); err != nil {
			return err
		}
		if ok {
			t.requireText("its strategy", p.Strategy, "strategy")
			if t.valueAt("plugin") != nil || p.Name != p.Strategy {
				t.requireText("its plugin", p.Name, "plugin")
			}
		}
	}
	return nil
}

// lookAtRules has the hook's own reader look at each strategy.json, if the schema
// has nothing against any.
func (in *inspection) lookAtRules() error {
	if slices.ContainsFunc(in.found, func(f check.Finding) bool { return f.Check == "rules" }) {
		return nil
	}
	for _, p := range in.suite.Plugins {
		t := in.subject("rules", p.Name+"/strategy.json")
		if in.files.CheckLinks(t.file) != nil {
			continue // said already
		}
		settings, err := hook.ReadSettings(in.pathOf(p.Name), "", "")
		faults := settings.Faults
		if err != nil {
			faults = []string{err.Error()}
		}
		for _, err := range rules.CheckPatterns(settings.Options) {
			faults = append(faults, err.Error())
		}
		for _, says := range faults {
			says = strings.TrimPrefix(strings.TrimPrefix(says, "read "), in.pathOf(t.file)+": ")
			t.reportFailure(says, "until then the hook uses the rest")
		}
	}
	return nil
}
