package generator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/scratch"
	hookruntime "github.com/cameronsjo/springfield/runtime"
	"github.com/cameronsjo/springfield/runtime/registry"

	"github.com/cameronsjo/springfield/internal/journal"
)

func specOf(targets ...Target) Spec {
	return Spec{
		Marketplace: "evergreen-terrace",
		Owner:       Owner{Name: `Ned "Stupid Sexy" Flanders & Sons`, Email: "ned@example.org"},
		Targets:     targets,
		Plugins: []Plugin{{
			Name: "ned-flanders", Strategy: "ned-flanders", Version: FirstVersion, Settings: map[string]string{"rules": "default"},
		}},
	}
}

// compiled returns a build of the hook alone, without a compiler.
func compiled(targets ...Target) Build { return compiledFor(Spec{Targets: targets}) }

// compiledFor returns a build of all programs of a suite, without a compiler.
func compiledFor(spec Spec) Build {
	b := Build{Source: "5005", Go: "go1.26", SHA256: map[string]string{}}
	for _, u := range Unbuilt(spec.Targets, spec.Programs()).Binaries {
		b.addBinary(u.Program, u.Target, []byte(u.Program.ShortName()+" for "+u.Target.String()+"\n"))
	}
	return b
}

// suiteOf returns a spec with a plugin for each strategy.
func suiteOf(t *testing.T, strategies []string, targets ...Target) Spec {
	t.Helper()
	spec := specOf(targets...)
	spec.Plugins = nil
	for _, name := range strategies {
		p, err := NewPlugin(name, name, nil)
		must(t, err)
		spec.Plugins = append(spec.Plugins, p)
	}
	return spec
}

var must = scratch.Must

func rendered(t *testing.T, spec Spec, b Build) []File {
	t.Helper()
	files, err := RenderSuite(spec, b)
	must(t, err)
	return files
}

// TestGolden compares generated suites, modes included. After a change: go test ./generator -update
func TestGolden(t *testing.T) {
	linux, mac, windows := Target{"linux", "amd64"}, Target{"darwin", "arm64"}, Target{"windows", "amd64"}
	named := specOf(linux)
	named.Plugins[0].Name = "left-handed"
	named.Owner.Email = ""
	suites := map[string]Spec{
		"all":     suiteOf(t, registry.StrategyNames(), linux, mac, windows),
		"windows": suiteOf(t, []string{"ned-flanders"}, windows),
		"named":   named,
	}
	for _, name := range registry.StrategyNames() {
		suites[name] = suiteOf(t, []string{name}, linux)
	}
	for name, spec := range suites {
		t.Run(name, func(t *testing.T) {
			must(t, spec.Validate())
			files := rendered(t, spec, compiledFor(spec))
			again, err := RenderSuite(spec, compiledFor(spec))
			if err != nil || !slices.EqualFunc(files, again, func(a, b File) bool {
				return a.Path == b.Path && a.Mode == b.Mode && a.Compiled == b.Compiled && bytes.Equal(a.Data, b.Data)
			}) {
				t.Errorf("the same answers give other files the second time, %v", err)
			}
			dir := filepath.Join(t.TempDir(), "suite")
			if p, err := Write(dir, files); err != nil || !p.Fresh {
				t.Fatalf("%v, %v", p.Outcomes, err)
			}
			// The record only repeats the files.
			must(t, os.RemoveAll(filepath.Join(dir, filepath.Dir(filepath.FromSlash(RecordFile)))))
			scratch.Golden(t, filepath.Join("testdata", name+".txtar"), []byte(tree(t, dir)))
		})
	}
	if trees, err := filepath.Glob(filepath.Join("testdata", "*.txtar")); err != nil || len(trees) != len(suites) {
		t.Errorf("testdata has trees that nothing makes: %v, %v", trees, err)
	}
}

// tree is a directory as txtar, modes in the names.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var a txtar.Archive
	for _, path := range scratch.ListFiles(t, dir) {
		info, err := os.Stat(path)
		must(t, err)
		data := scratch.ReadFile(t, path)
		if filepath.Ext(path) == ".png" {
			data = fmt.Appendf(nil, "sha256 %s\n", journal.HashBytes(data))
		}
		name, err := filepath.Rel(dir, path)
		must(t, err)
		a.Files = append(a.Files, txtar.File{Name: fmt.Sprintf("%s %o", filepath.ToSlash(name), info.Mode().Perm()), Data: data})
	}
	return string(txtar.Format(&a))
}

// write makes a suite or fails the test.
func write(t *testing.T, dir string) (Spec, []File) {
	t.Helper()
	spec := specOf(HostTarget())
	files := rendered(t, spec, compiled(HostTarget()))
	_, err := Write(dir, files)
	must(t, err)
	return spec, files
}

// The guides give the figures that plugins print, and lisa-simpson's rules are ned-flanders'.
func TestFiguresAgree(t *testing.T) {
	ned, err := ReadAbout("ned-flanders")
	must(t, err)
	lisa, err := ReadAbout("lisa-simpson")
	must(t, err)
	scratch.Equal(t, lisa.AccuracyInWords(), ned.AccuracyInWords(), "lisa-simpson")
	m := *ned.Measured
	for name, want := range map[string]string{
		"README.md":            fmt.Sprintf("continued %d times: %d wanted, %d after messages that may be incomplete", m.Continues, m.Wanted, m.Continues-m.Wanted),
		"docs/ned-flanders.md": fmt.Sprintf("| %d of %d (", m.Wanted, m.Continues),
	} {
		text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(name)))
		must(t, err)
		scratch.Holds(t, name, string(text), want)
	}
}

func TestWriteTwiceChangesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "suite")
	_, files := write(t, dir)
	before := tree(t, dir)
	if p, err := Write(dir, files); err != nil || !p.IsEmpty() {
		t.Errorf("%v, %v", p.Outcomes, err)
	}
	scratch.Equal(t, tree(t, dir), before, "the suite")
	suite, err := ReadSuite(dir)
	must(t, err)
	read, err := suite.encodeYAML()
	must(t, err)
	scratch.Equal(t, string(read), string(files[len(files)-1].Data), SuiteFile)
	// The owner's comments stay while the answers are the same.
	file := filepath.Join(dir, SuiteFile)
	commented := "# mine\n" + before[strings.Index(before, "marketplace: "):]
	must(t, os.WriteFile(file, []byte(commented), 0o644))
	if p, err := Write(dir, files); err != nil || !p.IsEmpty() || len(p.Outcomes) > 0 {
		t.Errorf("%v, %v", p.Outcomes, err)
	}
}

// checkNoStray checks that no temporary file is left in a directory.
func checkNoStray(t *testing.T, dir string) {
	t.Helper()
	scratch.Lacks(t, "left behind", strings.Join(names(t, dir), " "), ".springfield-")
}

// Write completes a suite, in no journal.
func Write(dir string, files []File) (Plan, error) {
	p, err := MakePlan(dir, Completing, files)
	if err == nil {
		err = p.WriteUnjournaled()
	}
	return p, err
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// A fault in springfield.yaml has its place and a fix there, not a flag of init.
func TestReadSuiteSaysWhatIsWrong(t *testing.T) {
	const head = "marketplace: hooks\nowner: {name: Ned}\ntargets: [linux/amd64]\n"
	const ned = "{name: ned-flanders, strategy: ned-flanders}"
	dir := t.TempDir()
	for text, want := range map[string]string{
		"":                            "it names no marketplace; add a line such as marketplace: continuation-hooks",
		"marketplace: x\nowner: [1\n": "line 2, column 8: sequence end token ']' not found; run springfield validate " + dir + " to see the errors in it",
		"marketplace: x\nowner: {}\n": "it names no owner; add a line such as owner: {name: Marge Bouvier}",
		"marketplace: x\nowner: {name: Ned}\ntargets: []\n": "it names no target; add a line such as targets: [" + HostTarget().String() + "]",
		head:                    "it names no plugin; add a line such as plugins: [{name: ned-flanders, strategy: ned-flanders}]",
		head + "plugins: []\n":  "it names no plugin; add a line such as plugins: [{name: ned-flanders, strategy: ned-flanders}]",
		head + "plugins: ned\n": "line 4, column 10: string was used where sequence is expected; run springfield validate " + dir + " to see the errors in it",
		head + "plugins: [{name: homer, strategy: homer}]\n":                                      `there is no strategy "homer"; choose from ` + strings.Join(registry.StrategyNames(), ", "),
		head + "plugins: [{name: ../x, strategy: ned-flanders}]\n":                                `"../x" is not a valid plugin name; use lower-case letters, digits and single dashes`,
		head + "plugins:\n- {name: ned-flanders, strategy: ned-flanders, settings: {rules: x}}\n": `ned-flanders.rules cannot be "x"; choose default or seed`,
		head + "plugins: [{name: ned-flanders, strategy: shared}]\n":                              `there is no strategy "shared"; choose from ` + strings.Join(registry.StrategyNames(), ", "),
		"marketplace: my-official-claude-things\n" + head[19:] + "plugins: [" + ned + "]\n":       `the marketplace name "my-official-claude-things" is reserved; choose a name of your own, like continuation-hooks`,
		"targets: [linux/amd64, plan9/amd64]\n":                                                   `springfield does not compile for "plan9/amd64"; choose from ` + strings.Join(check.NamesOf(AllTargets(), Target.String), ", "),
		"marketplace: 'Not A Name'\n" + head[19:] + "plugins: [" + ned + "]":                      `"Not A Name" is not a valid marketplace name; use lower-case letters, digits and single dashes, like continuation-hooks`,
	} {
		must(t, os.WriteFile(filepath.Join(dir, SuiteFile), []byte(text), 0o600))
		_, err := ReadSuite(dir)
		var fault *FileError
		if !errors.As(err, &fault) || err.Error()+"; "+fault.Hint() != "read "+filepath.Join(dir, SuiteFile)+": "+want {
			t.Errorf("%q:\n got %v, %+v\nwant %s", text, err, fault, want)
		}
	}
	if _, err := ReadSuite(t.TempDir()); !errors.Is(err, ErrNoSuite) {
		t.Errorf("%v", err)
	}
}

// toolchain returns this machine's Go with a scratch home and a cache of its own.
func toolchain(t *testing.T) Toolchain {
	t.Helper()
	_, cache := scratch.FindGo(t)
	return Toolchain{Go: goCommand(t), Path: os.Getenv("PATH"), Home: t.TempDir(), GoCache: cache}
}

// The same sources give the same bytes in any home, cache, environment and directory, and in this tree.
func TestBuildIsReproducible(t *testing.T) {
	ctx := context.Background()
	first, err := toolchain(t).BuildPrograms(ctx, []Target{HostTarget()}, Hook, Judge)
	must(t, err)
	other := toolchain(t)
	other.Home = filepath.Join(t.TempDir(), "another home")
	config := filepath.Join(other.Home, ".config", "go", "env")
	put(t, config, []byte("GOFLAGS=-tags=foo\nGOAMD64=v3\nGOEXPERIMENT=jsonv2\n"), 0o600)
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "another temp"))
	must(t, os.Mkdir(os.Getenv("TMPDIR"), 0o755))
	t.Setenv("GOFLAGS", "-mod=vendor")
	t.Setenv("GOAMD64", "v3")
	second, err := other.BuildPrograms(ctx, []Target{HostTarget()}, Hook, Judge)
	must(t, err)
	if !maps.Equal(first.SHA256, second.SHA256) || !maps.Equal(first.Judge, second.Judge) || first.Source != second.Source {
		t.Errorf("%+v, %+v\n%+v, %+v", first.SHA256, first.Judge, second.SHA256, second.Judge)
	}
	// Go's counters would belong to root after sudo (ronivay/XenOrchestraInstallerUpdater#244).
	scratch.Equal(t, fmt.Sprint(names(t, filepath.Dir(config))), "[env]", "go's own files")
	if left := names(t, os.Getenv("TMPDIR")); len(left) > 0 {
		t.Errorf("left in the temp directory: %v", left)
	}

	goroot, _ := scratch.FindGo(t)
	overlay, _, err := writeOverlay(t.TempDir(), goroot, goVersion(t))
	must(t, err)
	for _, b := range first.Binaries {
		out := filepath.Join(t.TempDir(), b.Program.ShortName())
		cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-gcflags="+hookruntime.Module+"/...=-l", "-gcflags=regexp/...=-l", "-gcflags=time=-l", "-gcflags=strings=-l", "-gcflags=syscall=-l", "-ldflags=-s -w", "-overlay="+overlay, "-o", out, "../runtime/"+string(b.Program))
		// A downloaded Go is in the module cache, where an overlay may replace nothing.
		cmd.Env = append(os.Environ(), "GOFLAGS=", "GOAMD64=", "CGO_ENABLED=0", "GOMODCACHE="+t.TempDir())
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		tree, err := os.ReadFile(out)
		if err != nil || !bytes.Equal(tree, b.Data) {
			t.Errorf("%s: a build in the tree has other bytes (%v)", b.Program, err)
		}
	}

	// Who asks no judge compiles none, and gets the same hook. The build reports what it compiles and when it is done.
	tools, talk, over := toolchain(t), "", false
	tools.Working = func() (func(string), func()) {
		return func(does string) { talk += does + "\n" }, func() { over = true }
	}
	alone, err := tools.BuildPrograms(ctx, []Target{HostTarget()}, Hook)
	says := "compiling the hook for " + HostTarget().String()
	scratch.ErrorIf(t, !over || talk != says+", up to a minute the first time\n", "%s", talk)
	if err != nil || len(alone.Binaries) != 1 || alone.Judge != nil || !maps.Equal(alone.SHA256, first.SHA256) {
		t.Errorf("%+v, %+v, %v", alone.SHA256, alone.Judge, err)
	}
}

// A program with this runtime uses one processor and UTC, whatever the environment asks for.
func TestOneProcessorInUTC(t *testing.T) {
	goroot, cache := scratch.FindGo(t)
	dir := t.TempDir()
	overlay, known, err := writeOverlay(dir, goroot, goVersion(t))
	scratch.ErrorIf(t, !known || err != nil, "%t, %v", known, err)
	program := filepath.Join(dir, "main.go")
	put(t, program, []byte("package main\n\nimport (\n\"runtime\"\n\"time\"\n)\n\nfunc main() { print(runtime.GOMAXPROCS(0), time.Unix(0, 0).Hour()) }\n"), 0o600)
	cmd := exec.Command("go", "run", "-trimpath", "-overlay="+overlay, program) // cached
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOMAXPROCS=3", "TZ=Asia/Tokyo", "GOCACHE="+cache, "GOMODCACHE="+t.TempDir())
	out, err := cmd.CombinedOutput()
	scratch.ErrorIf(t, string(out) != "10" || err != nil, "%s, %v", out, err)
}

// A Go with another runtime compiles hooks, with a warning about the variables that they obey.
func TestBuildWithAnUnknownGo(t *testing.T) {
	real := goCommand(t)
	goroot, _ := scratch.FindGo(t)
	parent, elsewhere := t.TempDir(), ""
	for name, edit := range map[string]struct{ file, from, to string }{
		"another name for what reads them": {"runtime/env_posix.go", "func gogetenv(", "func getenv("},
		"another result":                   {"runtime/proc.go", "func getGodebugEarly()", "func getGodebugEarly() error //"},
		"another way to exit":              {"runtime/panic.go", "exit(2)", "exitBadly()"},
	} {
		t.Run(name, func(t *testing.T) {
			elsewhere = filepath.Join(parent, name)
			sources := filepath.Join(elsewhere, "src")
			files, _ := goSourcePatches()
			for _, file := range files {
				text := scratch.ReadFile(t, filepath.Join(goroot, "src", file))
				if file == edit.file {
					text = bytes.ReplaceAll(text, []byte(edit.from), []byte(edit.to))
				}
				put(t, filepath.Join(sources, file), text, 0o644)
			}
			if _, known, err := writeOverlay(t.TempDir(), elsewhere, goVersion(t)); known || err != nil {
				t.Errorf("it is known: %t, %v", known, err)
			}
		})
	}
	tools := toolchain(t)
	tools.Go = fakeGo(t, goVersion(t), elsewhere, "exec "+real+" \"$@\"\n")
	warned := ""
	tools.Warn = func(text string) { warned += text }
	built, err := tools.BuildPrograms(context.Background(), []Target{HostTarget()}, Hook)
	if err != nil || bytes.Contains(built.Binaries[0].Data, []byte(goMark)) || !strings.Contains(warned, "GODEBUG") {
		t.Errorf("it warns %q; %v", warned, err)
	}
}

// Without a home and a writable cache, go gets temporary ones. The go here checks them, then uses the real cache.
func TestBuildWithoutAHome(t *testing.T) {
	real := toolchain(t)
	bin, log := t.TempDir(), filepath.Join(t.TempDir(), "log")
	put(t, filepath.Join(bin, "go"), fmt.Appendf(nil, "#!/bin/sh\n[ -d \"$HOME\" ] && mkdir -p \"$GOCACHE\" && [ -w \"$GOCACHE\" ] && echo \"$HOME $GOCACHE\" >>'%s' && GOCACHE='%s' exec '%s' \"$@\"\n", log, real.GoCache, real.Go), 0o755)
	bare := Toolchain{Go: filepath.Join(bin, "go"), Path: "/usr/bin:/bin", GoCache: "/dev/null/none"}
	if _, err := bare.BuildPrograms(context.Background(), []Target{HostTarget()}, Hook); err != nil {
		t.Error(err)
	}
	said := scratch.ReadFile(t, log)
	for line := range strings.Lines(string(said)) {
		home, cache, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !strings.HasPrefix(home, os.TempDir()) || cache != filepath.Join(home, "gocache") {
			t.Errorf("go has the home %s and the cache %s", home, cache)
		}
	}
}

func goVersion(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOVERSION").Output()
	must(t, err)
	return strings.TrimSpace(string(out))
}

func goCommand(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("go")
	must(t, err)
	return path
}

// fakeGo returns a go command that has this version and goroot, and else runs the script.
func fakeGo(t *testing.T, version, goroot, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "go")
	script = "#!/bin/sh\n[ \"$1\" = env ] && { echo " + version + "; echo '" + goroot + "'; exit; }\n" + script
	put(t, path, []byte(script), 0o755)
	return path
}

func TestBuildFailures(t *testing.T) {
	ctx := context.Background()
	if _, err := (Toolchain{}).BuildPrograms(ctx, []Target{HostTarget()}, Hook); !errors.Is(err, ErrNoGo) {
		t.Errorf("without go: %v", err)
	}
	goroot, _ := scratch.FindGo(t)
	// An old go is named; the message of a failing one is passed on.
	with := func(version string) error {
		fake := fakeGo(t, version, goroot, "echo 'no space left on device' >&2\nexit 1\n")
		_, err := (Toolchain{Go: fake}).BuildPrograms(ctx, []Target{HostTarget()}, Hook)
		return err
	}
	for _, old := range []string{"go1.9", "go1.21.3", "go1.25rc1"} {
		if err := with(old); !errors.Is(err, ErrOldGo) || !strings.Contains(err.Error(), "go is "+old+", but the hook needs go1.25") {
			t.Errorf("with %s: %v", old, err)
		}
	}
	var failed *CompileError
	for _, other := range []string{"go1.25.0", "go1.99", "'devel go1.27-0123456'", "''"} {
		if err := with(other); !errors.As(err, &failed) || !strings.Contains(err.Error(), "no space left on device") {
			t.Errorf("with %s: %v", other, err)
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := toolchain(t).BuildPrograms(cancelled, []Target{HostTarget()}, Hook); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// program returns the head of a compiled program with the mark of our runtime.
func program(t Target) []byte { return append(head(t), goMark...) }

// head returns it without the mark.
func head(t Target) []byte { return scratch.ProgramHead(t.OS, t.Arch) }

func put(t *testing.T, path string, data []byte, mode os.FileMode) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, data, mode))
}

// A program with Go's own runtime is reported, even an unused judge.
func TestCheckPluginReportsGoVariables(t *testing.T) {
	own, behind := HostTarget(), path.Base(path.Dir(Hook.placeIn(HostTarget(), true)))
	launcher := []byte("#!/bin/sh\n")
	for name, test := range map[string]struct {
		files map[string][]byte
		bad   string
	}{
		"ours":            {map[string][]byte{"springfield-hook": program(own)}, ""},
		"Go's own":        {map[string][]byte{"springfield-hook": head(own)}, "springfield-hook"},
		"behind launcher": {map[string][]byte{"springfield-hook": launcher, behind + "/springfield-hook": head(own)}, behind + "/springfield-hook"},
		"another machine": {map[string][]byte{"springfield-hook": launcher, behind + "/springfield-hook": program(own),
			"springfield-hook.exe": head(Target{"windows", "amd64"})}, ""},
		"the judge": {map[string][]byte{"springfield-hook": program(own), "springfield-judge": head(own)}, "springfield-judge"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for path, data := range test.files {
				put(t, filepath.Join(dir, "hooks", path), data, 0o755)
			}
			found := InspectPrograms("ned", dir, "", false)
			if test.bad == "" {
				scratch.Equal(t, found, nil)
				return
			}
			bad := filepath.Join(dir, "hooks", test.bad)
			scratch.Equal(t, len(found), 1)
			scratch.Equal(t, found[0].State, check.Warning)
			scratch.Equal(t, found[0].Says, "ned: "+bad+": "+ErrReadsGo.Error())
		})
	}
}

// checkError checks that err is one and contains says, or is nil if both are empty.
func checkError(t *testing.T, err, is error, says string) {
	t.Helper()
	isOther := err != nil && (is != nil && !errors.Is(err, is) || !strings.Contains(err.Error(), says))
	if wanted := is != nil || says != ""; wanted != (err != nil) || isOther {
		t.Errorf("%v, want %v with %q", err, is, says)
	}
}

// A hook looks for its judge only in its own directory.
func TestCheckCanStart(t *testing.T) {
	linux, arm, mac, windows := Target{"linux", "amd64"}, Target{"linux", "arm64"}, Target{"darwin", "arm64"}, Target{"windows", "amd64"}
	launcher := []byte("#!/bin/sh\n")
	type files map[string]struct {
		data []byte
		mode os.FileMode
	}
	for name, test := range map[string]struct {
		files   files
		machine Target
		is      error
		says    string
	}{
		"one":                  {files{"springfield-hook": {program(linux), 0o755}}, linux, nil, ""},
		"none":                 {nil, linux, nil, "is missing"},
		"another":              {files{"springfield-hook": {program(arm), 0o755}}, linux, nil, "compiled for linux/arm64, not for linux/amd64"},
		"only windows":         {files{"springfield-hook.exe": {program(windows), 0o755}}, mac, nil, "compiled for windows/amd64, not for darwin/arm64"},
		"no bit":               {files{"springfield-hook": {program(linux), 0o644}}, linux, ErrNotExecutable, "springfield-hook"},
		"no program":           {files{"springfield-hook": {[]byte("version https://git-lfs"), 0o755}}, linux, nil, "not an executable program"},
		"launcher":             {files{"springfield-hook": {launcher, 0o755}, "darwin-arm64/springfield-hook": {program(mac), 0o755}}, mac, nil, ""},
		"launcher alone":       {files{"springfield-hook": {launcher, 0o755}, "darwin-arm64/springfield-hook": {program(mac), 0o755}}, linux, nil, "compiled for darwin/arm64, not for linux/amd64"},
		"launcher, bit":        {files{"springfield-hook": {launcher, 0o644}, "linux-amd64/springfield-hook": {program(linux), 0o755}}, linux, ErrNotExecutable, "springfield-hook"},
		"behind it, bit":       {files{"springfield-hook": {launcher, 0o755}, "linux-amd64/springfield-hook": {program(linux), 0o644}}, linux, ErrNotExecutable, "linux-amd64"},
		"windows":              {files{"springfield-hook.exe": {program(windows), 0o644}}, windows, nil, ""},
		"judge, one":           {files{"springfield-judge": {program(linux), 0o755}}, linux, nil, ""},
		"judge, none":          {nil, linux, nil, "springfield-judge is missing"},
		"judge, no launcher's": {files{"springfield-hook": {launcher, 0o755}, "springfield-judge": {program(linux), 0o755}}, linux, nil, "is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for path, f := range test.files {
				put(t, filepath.Join(dir, "hooks", path), f.data, f.mode)
			}
			program := Hook
			if strings.HasPrefix(name, "judge") {
				program = Judge
			}
			err := CheckCanStart(dir, test.machine, program)
			checkError(t, err, test.is, test.says)
		})
	}
}
