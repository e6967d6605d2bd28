// Validation of a suite against springfield.yaml, the schemas, and the hook's own parser.

package generator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/rules"
)

// maxText limits a text, in bytes.
const maxText = 256 << 10

type inspection struct {
	called     string // dir in commands, so that these work in every directory
	files      folder
	schemas    *jsonschema.Compiler
	suite      Suite
	readable   bool            // springfield.yaml is valid
	expected   map[string]File // generated files by path
	sameSource bool            // the programs are built from the sources of this springfield
	recorded   fileSums        // nil without a usable one
	found      []check.Finding // of the current check
	err        error           // of looking
}

type subject struct {
	in       *inspection
	file     string // with slashes
	document        // empty if unread
	data     []byte
}

func (t subject) reportFinding(state check.State, says, fix string) {
	t.in.found = append(t.in.found, check.Finding{State: state, File: t.file, Says: says, Fix: fix})
}

func (t subject) reportFailure(says, fix string) { t.reportFinding(check.Failure, says, fix) }

// suiteChecks returns the checks. The first reads springfield.yaml for the rest.
func suiteChecks() (checks []check.Check[*inspection]) {
	for _, c := range []struct {
		name string
		look func(*inspection)
		fine string // text without findings; P and T are counts
	}{
		{"suite", (*inspection).loadSuiteFile, SuiteFile + ": P, T"},
		{"marketplace", (*inspection).lookAtMarketplace, "marketplace.json lists these plugins"},
		{"manifest", forPlugins((*inspection).lookAtManifests),
			"manifests of P: names and versions match " + SuiteFile},
		{"hooks", forPlugins((*inspection).lookAtHooks), "hooks of P: every host accepts its file"},
		{"rules", (*inspection).lookAtRules, "strategy.json of P: no faults"},
		{"binaries", (*inspection).lookAtBinaries, "hooks of P, for T: present, executable, as recorded"},
		{"files", (*inspection).checkFiles, "none is missing, and none is unknown"},
	} {
		look := func(_ context.Context, in *inspection) ([]check.Finding, error) {
			in.found = nil
			c.look(in)
			return in.found, in.err
		}
		fine := func(in *inspection) string {
			plugins := layout.CountOf(len(in.suite.Plugins), "plugin")
			return strings.NewReplacer("P", plugins, "T", layout.CountOf(len(in.suite.Targets), "target")).Replace(c.fine)
		}
		checks = append(checks, check.Check[*inspection]{Name: c.name, Look: look, Fine: fine})
	}
	return checks
}

// forPlugins returns a check that calls look for each plugin that has a directory.
func forPlugins(look func(*inspection, Plugin)) func(*inspection) {
	return func(in *inspection) {
		for _, p := range in.suite.Plugins {
			if info, err := in.files.Lstat(p.Name); err == nil && info.IsDir() {
				look(in, p)
			}
		}
	}
}

// Validate checks the suite in dir, called shownDir in suggested commands. If springfield.yaml is invalid, further
// checks, including others, are skipped. Built-in checks that find nothing add a Fine finding. It returns ErrNoSuite,
// or errors about unreadable files.
func Validate(ctx context.Context, dir, shownDir string, others ...check.Check[Suite]) ([]check.Finding, error) {
	files, err := rooted.OpenFolder(dir)
	if err == nil {
		defer func() { _ = files.Close() }()
		_, err = files.Lstat(SuiteFile)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noSuiteError(dir)
	}
	if err != nil {
		return nil, err
	}
	in := &inspection{called: check.QuoteArgument(shownDir), files: folder{Folder: files, limit: maxProgram}, schemas: jsonschema.NewCompiler()}
	in.recorded, _ = readRecordIfAny(dir)
	in.schemas.AssertFormat()
	in.schemas.UseLoader(published{})
	checks := suiteChecks()
	ofSuite, err := check.RunAll(ctx, in, checks[0])
	if err != nil || !in.readable {
		return ofSuite, err
	}
	inside, err := check.RunAll(ctx, in, checks[1:]...)
	if err != nil {
		return nil, err
	}
	said, err := check.RunAll(ctx, in.suite, others...)
	return slices.Concat(ofSuite, inside, said), err
}

// readSubject reads and validates a file, and reports faults as findings. ok is false if it cannot be read or parsed.
func (in *inspection) readSubject(file, schemaName string) (t subject, ok bool) {
	t = subject{in: in, file: file}
	var err error
	t.data, _, err = in.files.ReadFile(file, maxText)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		state := check.Failure
		if slices.Contains([]string{"host", "shell", "qwen", "gemini"}, schemaName) { // the other hosts do without
			state = check.Warning
		}
		t.reportMissing(state)
		return t, false
	case err != nil:
		t.reportFailure("not readable: "+check.DropPath(err).Error(), "")
		return t, false
	}
	if path.Ext(file) == ".yaml" {
		err = decodeAnyYAML(t.data, &t.document.value)
	} else {
		t.document, err = parseJSON(t.data)
	}
	var bad *FileError
	if errors.As(err, &bad) {
		t.reportBroken(bad)
		return t, false
	}
	var flaws []check.Finding
	if err == nil {
		flaws, err = checkSchema(in.schemas, t.document, schemaName)
	}
	for _, f := range flaws {
		switch f.File = file; {
		case f.State == check.Warning && schemaName == "strategy": // the hook refuses a file with an unknown member
			f.State = check.Failure
		case f.State == check.Warning && schemaName == "shell": // and Codex ignores it silently
			f.State, f.Fix = check.Failure, "remove it: Codex ignores the whole file"
		}
		in.found = append(in.found, f)
	}
	in.err = cmp.Or(in.err, err)
	return t, err == nil
}

// reportMissing reports a missing file, but no warning if an update has accepted its deletion.
func (t subject) reportMissing(state check.State) {
	switch fix := "springfield init " + t.in.called + " adds it"; {
	case state != check.Warning || t.in.recorded[t.file] == "":
		t.reportFinding(state, "not found", fix)
	case t.in.recorded[t.file] != acceptedSum:
		t.reportFinding(state, "not found", fix+"; springfield update "+t.in.called+" accepts that you deleted it")
	}
}

func (t subject) reportLink(notNil error) {
	t.reportFailure(notNil.Error()+"; springfield does not follow links in a suite", "replace the link with its target")
}

func (in *inspection) loadSuiteFile() {
	t, ok := in.readSubject(SuiteFile, "springfield")
	if !ok {
		return
	}
	var err error
	var fault *FileError
	if in.suite, err = decodeSuite(t.data); errors.As(err, &fault) {
		// The fault is more precise than the schema's.
		in.found = slices.DeleteFunc(in.found, func(f check.Finding) bool { return f.State == check.Failure })
		t.reportBroken(fault)
		return
	}
	if in.readable = check.CountState(in.found, check.Failure) == 0; in.readable {
		files, err := RenderSuite(in.suite.Spec, Unbuilt(in.suite.Targets, in.suite.Programs()))
		in.expected, in.err = filesBelow("", files), cmp.Or(in.err, err)
	}
	for _, target := range in.suite.Targets {
		for _, program := range in.suite.Programs() {
			if in.suite.Build.ChecksumOf(program, target) == "" {
				t.reportFailure("no checksum is recorded for the "+program.ShortName()+" for "+target.String(),
					"springfield build "+in.called)
			}
		}
	}
	hash, err := SourceHash()
	if in.sameSource = in.suite.Build.Source == hash; err == nil && !in.sameSource {
		t.reportFinding(check.Note, "its hooks were built from a different version of springfield",
			"run springfield build "+in.called+" to build them again")
	}
	in.err = cmp.Or(in.err, err)
}

func (t subject) reportBroken(fault *FileError) {
	t.reportFailure(fault.Problem, fault.Advice)
	t.in.found[len(t.in.found)-1].Position = fault.Position
}

// requireText reports a failure if the text for keys is not want. label starts the sentence.
func (t subject) requireText(label, want string, keys ...string) {
	if got := t.textAt(keys...); got != want {
		t.reportFailure(fmt.Sprintf("%s is %q, but %s has %q", label, got, SuiteFile, want), "make them the same")
	}
}

func (in *inspection) lookAtMarketplace() {
	t, ok := in.readSubject(".claude-plugin/marketplace.json", "marketplace")
	if !ok {
		return
	}
	t.requireText("its name", in.suite.Marketplace, "name")
	t.requireText("its owner", in.suite.Owner.Name, "owner", "name")
	offers := map[string]bool{}
	entries, _ := t.valueAt("plugins").([]any)
	for _, entry := range entries {
		t.document.value = entry
		name := t.textAt("name")
		n := slices.IndexFunc(in.suite.Plugins, func(p Plugin) bool { return p.Name == name })
		switch {
		case offers[name]:
			t.reportFailure(fmt.Sprintf("it lists %q twice", name), "")
		case n < 0:
			t.reportFailure(fmt.Sprintf("it lists %q, which is not in %s", name, SuiteFile),
				"remove this entry, or run springfield new NAME --from STRATEGY --suite "+in.called+" to add the plugin")
		default:
			offers[name] = true
			t.requireText("version of "+name, in.suite.Plugins[n].Version, "version")
			if source := t.textAt("source"); path.Clean(source) != name {
				t.reportFailure(fmt.Sprintf("source of %s is %q", name, source), fmt.Sprintf("make it %q", "./"+name))
			}
		}
	}
	for _, p := range in.suite.Plugins {
		if !offers[p.Name] {
			t.reportFailure(fmt.Sprintf("it does not list %q", p.Name), "add an entry for it")
		}
	}
}

func (in *inspection) lookAtManifests(p Plugin) {
	for _, m := range []struct{ file, schema string }{
		{".claude-plugin/plugin.json", "plugin"},
		{".codex-plugin/plugin.json", "host"}, {".github/plugin/plugin.json", "host"},
		{"qwen/qwen-extension.json", "host"}, {"gemini/gemini-extension.json", "host"},
	} {
		t, ok := in.readSubject(p.Name+"/"+m.file, m.schema)
		if !ok {
			continue
		}
		t.requireText("its name", p.Name, "name")
		t.requireText("its version", p.Version, "version")
		hooks := fmt.Sprint(t.valueAt("hooks"))
		switch {
		case m.schema == "plugin" && strings.Contains(hooks, "hooks/hooks.json"):
			t.reportFailure("hooks: Claude Code loads hooks/hooks.json automatically and reports it as a duplicate here",
				"remove this member")
		case m.schema == "host" && path.Base(m.file) == "plugin.json" && hooks != "./hooks/shell.json":
			t.reportFailure("without \"hooks\": \"./hooks/shell.json\" this agent loads Claude Code's hooks, "+
				"and starts the hook twice", `make it "./hooks/shell.json"`)
		}
	}
	if file := p.Name + "/gemini-extension.json"; rooted.IsTaken(in.files.PathOf(file)) {
		subject{in: in, file: file}.reportFailure("because of it, Qwen Code mistakes the plugin for an extension of Gemini CLI",
			"remove it; Gemini CLI uses the one in "+p.Name+"/gemini")
	}
}

// lookAtRules validates each strategy.json against its schema. If all are valid, it reports faults found by the hook's
// parser.
func (in *inspection) lookAtRules() {
	if forPlugins((*inspection).lookAtStrategy)(in); len(in.found) > 0 {
		return
	}
	for _, p := range in.suite.Plugins {
		t := subject{in: in, file: p.Name + "/strategy.json"}
		if in.files.RefuseLinks(t.file) != nil {
			continue // reported already
		}
		settings, err := hook.ReadSettings(in.files.PathOf(p.Name), "", "")
		faults := settings.Faults
		if err != nil {
			faults = []string{err.Error()}
		}
		faults = append(faults, check.NamesOf(rules.CheckPatterns(settings.Options), error.Error)...)
		for _, says := range faults {
			says = strings.TrimPrefix(strings.TrimPrefix(says, "read "), in.files.PathOf(t.file)+": ")
			t.reportFailure(says, "correct it; until then, the hook ignores it and uses the rest")
		}
	}
}

func (in *inspection) lookAtStrategy(p Plugin) {
	t, ok := in.readSubject(p.Name+"/strategy.json", "strategy")
	if !ok {
		return
	}
	t.requireText("its strategy", p.Strategy, "strategy")
	if t.valueAt("plugin") != nil || p.Name != p.Strategy {
		t.requireText("its plugin", p.Name, "plugin")
	}
	defaults, err := NewPlugin(p.Name, p.Strategy, nil)
	in.err = cmp.Or(in.err, err)
	for key, want := range p.Settings {
		set := cmp.Or(t.valueAt(key), t.valueAt("judge", key), any(defaults.Settings[key]))
		if got := fmt.Sprint(set); got != want { // a setting can be a number
			t.reportFailure(fmt.Sprintf("%s is %q, but %s has %q, and README.md names that", key, got, SuiteFile, want),
				fmt.Sprintf("set %s: %s there, then run springfield update %s", key, got, in.called))
		}
	}
}
