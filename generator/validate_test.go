package generator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// goodSuite makes a suite with two plugins for three targets, whose hooks are heads of programs.
func goodSuite(t *testing.T) string {
	t.Helper()
	targets := []Target{{"linux", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}}
	if !slices.Contains(targets, HostTarget()) && HostTarget() != (Target{"windows", "arm64"}) {
		targets = append(targets, HostTarget())
	}
	spec := specOf(targets...)
	second := spec.Plugins[0]
	second.Name = "todd-flanders"
	spec.Plugins = append(spec.Plugins[:1:1], second)
	built := Build{Source: sourceHash(t), Go: "go1.26.8", SHA256: map[string]string{}}
	for _, target := range targets {
		built.addBinary(Hook, target, program(target))
	}
	must(t, spec.Validate())
	return suiteWith(t, rendered(t, spec, built))
}

// validate returns the findings of a suite that are not fine.
func validate(t *testing.T, dir string) []check.Finding {
	t.Helper()
	found, err := Validate(t.Context(), dir, "hooks")
	must(t, err)
	return slices.DeleteFunc(found, func(f check.Finding) bool { return f.State == check.Fine })
}

// A plugin with a judge has two programs, and enough time for the second.
func TestValidateJudge(t *testing.T) {
	spec := suiteOf(t, []string{"lisa-simpson", "ned-flanders"}, HostTarget())
	built := Build{Source: sourceHash(t), Go: "go1.26.8", SHA256: map[string]string{}}
	for _, b := range Unbuilt(spec.Targets, spec.Programs()).Binaries {
		built.addBinary(b.Program, b.Target, append(program(b.Target), b.Program...))
	}
	name := Judge.placeIn(HostTarget(), false)
	const hooks, rules = "lisa-simpson/hooks/hooks.json", "lisa-simpson/strategy.json"
	for what, test := range map[string]struct {
		changes []mutation
		says    string
	}{
		"as it is made":             {nil, ""},
		"no judge":                  {[]mutation{remove("lisa-simpson/" + name)}, "the judge for " + HostTarget().String() + " is missing"},
		"another judge":             {[]mutation{lay("lisa-simpson/"+name, append(program(HostTarget()), "other"...), 0o755)}, "its checksum differs from the one in"},
		"a judge that is not asked": {[]mutation{lay("ned-flanders/"+name, program(HostTarget()), 0o755)}, "a judge, but this plugin does not ask a model"},
		"a judge of another target": {
			[]mutation{lay("lisa-simpson/hooks/linux-arm64/"+string(Judge), program(Target{"linux", "arm64"}), 0o755)},
			"compiled for a machine that is not a target",
		},
		"a judge that is not recorded": {
			[]mutation{replace(SuiteFile, "  judge:\n    "+HostTarget().String()+": "+built.Judge[HostTarget().String()]+"\n", "")},
			"no checksum is recorded for the judge for " + HostTarget().String(),
		},
		"the client's own time": {[]mutation{replace(hooks, ",\n            \"timeout\": 30", "")}, ""},
		"too little time":       {[]mutation{replace(rules, `"within": 20`, `"within": 21`)}, "its timeout is 30 s, but lisa-simpson/strategy.json gives the judge 21 s"},
		"time enough": {
			[]mutation{replace(rules, `"within": 20`, `"within": 5`), replace(hooks, `"timeout": 30`, `"timeout": 15`)}, "",
		},
	} {
		t.Run(what, func(t *testing.T) {
			dir := suiteWith(t, rendered(t, spec, built))
			for _, change := range test.changes {
				change(t, dir)
			}
			faults := validate(t, dir)
			if test.says == "" && len(faults) > 0 || test.says != "" && !slices.ContainsFunc(faults, func(f check.Finding) bool { return strings.Contains(f.Says, test.says) }) {
				t.Errorf("%+v", faults)
			}
		})
	}
}

// mutation changes a file of a suite, and names it.
type mutation func(t *testing.T, dir string) (file string)

func replace(file, old, new string) mutation {
	return func(t *testing.T, dir string) string {
		edit(t, dir, [3]string{file, old, new})
		return file
	}
}

func remove(file string) mutation {
	return func(t *testing.T, dir string) string {
		must(t, os.RemoveAll(filepath.Join(dir, filepath.FromSlash(file))))
		return file
	}
}

func lay(file string, data []byte, mode os.FileMode) mutation {
	return func(t *testing.T, dir string) string {
		remove(file)(t, dir)
		put(t, filepath.Join(dir, filepath.FromSlash(file)), data, mode)
		return file
	}
}

// A generated suite is valid, and validate changes nothing.
func TestValidateAcceptsWhatIsGenerated(t *testing.T) {
	dir := goodSuite(t)
	before := tree(t, dir)
	if faults := validate(t, dir); len(faults) > 0 || tree(t, dir) != before {
		t.Errorf("%+v", faults)
	}
}

// validate accepts every owner that init accepts.
func TestValidateTakesEveryOwner(t *testing.T) {
	for _, owner := range []Owner{{"Ned", "ned@localhost"}, {"Lisa", "müller@example.org"}, {"日本 \"x\" & Sons", "a@x_y.example"}, {`C:\ <x>`, ""}, {"#: -", ""}, {"null", ""}, {"1", ""}} {
		spec := specOf(HostTarget())
		spec.Owner = owner
		must(t, spec.Validate())
		built := Build{Source: sourceHash(t), Go: "go1.26", Binaries: []Binary{{Hook, HostTarget(), program(HostTarget())}}}
		built.SHA256 = map[string]string{HostTarget().String(): journal.HashBytes(program(HostTarget()))}
		if faults := validate(t, suiteWith(t, rendered(t, spec, built))); len(faults) > 0 {
			t.Errorf("%s: %+v", owner, faults)
		}
	}
}

// Every fault is found in its file, a syntax error with its line.
func TestValidateCatchesEveryMutation(t *testing.T) {
	good := goodSuite(t)
	const (
		manifest    = "ned-flanders/.claude-plugin/plugin.json"
		marketplace = ".claude-plugin/marketplace.json"
		hooks       = "ned-flanders/hooks/hooks.json"
		shell       = "ned-flanders/hooks/shell.json"
		qwen        = "ned-flanders/qwen/hooks/hooks.json"
		gemini      = "ned-flanders/gemini/hooks/hooks.json"
		extension   = "ned-flanders/gemini/gemini-extension.json"
		codex       = "ned-flanders/.codex-plugin/plugin.json"
		copilot     = "ned-flanders/.github/plugin/plugin.json"
		rules       = "ned-flanders/strategy.json"
		launcher    = "ned-flanders/hooks/springfield-hook"
		linux       = "ned-flanders/hooks/linux-amd64/springfield-hook"
		mac         = "todd-flanders/hooks/darwin-arm64/springfield-hook"
		windows     = "todd-flanders/hooks/springfield-hook.exe"
	)
	link := func(file, to string) mutation {
		return func(t *testing.T, dir string) string {
			remove(file)(t, dir)
			must(t, os.Symlink(to, filepath.Join(dir, filepath.FromSlash(file))))
			return file
		}
	}
	sha := func(target Target) string { return journal.HashBytes(program(target)) }
	mutations := []struct {
		name     string
		change   mutation
		severity check.State
		says     string
	}{
		{"not YAML", replace(SuiteFile, "targets:", "targets: ["), check.Failure, "must be specified"},
		{"another marketplace", replace(SuiteFile, "evergreen-terrace", "evergreen"), check.Failure, `"evergreen"`},
		{"a target twice", replace(SuiteFile, "- darwin/arm64", "- linux/amd64"), check.Failure, "listed twice"},
		{"windows/arm64 among others", replace(SuiteFile, "- windows/amd64", "- windows/arm64"), check.Failure, "cannot be combined"},
		{"a target too many", replace(SuiteFile, "- darwin/arm64\n", "- darwin/arm64\n- linux/arm64\n"), check.Failure, "no checksum is recorded for the hook for linux/arm64"},
		{"a plugin twice", replace(SuiteFile, "name: todd-flanders", "name: ned-flanders"), check.Failure, "already has"},
		{"half a version", replace(SuiteFile, "version: 0.1.0", "version: 0.1"), check.Failure, "version \"0.1\" of ned-flanders"},
		{"a short checksum", replace(SuiteFile, sha(Target{"linux", "amd64"}), "abc"), check.Failure, "build.sha256.linux/amd64"},
		{"a checksum of something else", replace(SuiteFile, "source: ", "source: 0"), check.Failure, "build.source"},
		{"an unknown member", replace(SuiteFile, "owner:", "colour: pink\nowner:"), check.Warning, `unknown member "colour"`},
		{"other sources", replace(SuiteFile, "source: "+sourceHash(t)[:4], "source: 0000"), check.Note, "different version"},
		{"marketplace.json: gone", remove(marketplace), check.Failure, "not found"},
		{"marketplace.json: a comma", replace(marketplace, `"plugins": [`, `"plugins": [,`), check.Failure, "not JSON"},
		{"marketplace.json: another name", replace(marketplace, `"evergreen-terrace"`, `"elm-street"`), check.Failure, `"elm-street"`},
		{"marketplace.json: no description", replace(marketplace, `"description"`, `"describe"`), check.Failure, "missing property 'description'"},
		{"marketplace.json: another owner", replace(marketplace, `"name": "Ned`, `"name": "Todd`), check.Failure, "its owner"},
		{"marketplace.json: another version", replace(marketplace, `"version": "0.1.0"`, `"version": "0.2.0"`), check.Failure, `"0.2.0"`},
		{"marketplace.json: another source", replace(marketplace, `"./ned-flanders"`, `"./todd-flanders"`), check.Failure, "source of ned-flanders"},
		{"marketplace.json: a source outside", replace(marketplace, `"./ned-flanders"`, `"../ned-flanders"`), check.Failure, "plugins[0].source"},
		{"marketplace.json: another plugin", replace(marketplace, `"name": "ned-flanders"`, `"name": "rod-flanders"`), check.Failure, "rod-flanders"},
		{"marketplace.json: a plugin twice", replace(marketplace, `"name": "todd-flanders"`, `"name": "ned-flanders"`), check.Failure, "twice"},
		{"marketplace.json: a misspelt member", replace(marketplace, `"keywords"`, `"keyword"`), check.Warning, `unknown member "keyword"`},
		{"plugin.json: a list", lay(manifest, []byte("\n[]\n"), 0o644), check.Failure, "want object"},
		{"plugin.json: another name", replace(manifest, `"name": "ned-flanders"`, `"name": "ned"`), check.Failure, `"ned"`},
		{"plugin.json: another version", replace(manifest, `"0.1.0"`, `"0.1.1"`), check.Failure, `"0.1.1"`},
		{"plugin.json: the author is a name", replace(manifest, `"author": {`, `"author": "Ned", "metadata": {`), check.Failure, "author: got string, want object"},
		{"plugin.json: a name twice", replace(manifest, `"license"`, `"name"`), check.Failure, "defined twice"},
		{"plugin.json: hooks twice", replace(manifest, `"license"`, `"hooks": "./hooks/hooks.json", "license"`), check.Failure, "duplicate"},
		{"plugin.json: a bad byte", replace(manifest, `"MIT"`, "\"M\xffT\""), check.Failure, "not UTF-8"},
		{"hooks.json: an unknown event", replace(hooks, `"Stop"`, `"Halt"`), check.Failure, `"Halt"`},
		{"hooks.json: a newer event", replace(hooks, `"Stop"`, `"DirectoryAdded": [], "Stop"`), check.Failure, `"DirectoryAdded"`},
		{"hooks.json: another event", replace(hooks, `"Stop"`, `"SessionEnd"`), check.Failure, "not called at Stop"},
		{"hooks.json: no wrapper", replace(hooks, `"hooks": {`, `"hook": {`), check.Warning, `unknown member "hook"`},
		{"hooks.json: through a shell", replace(hooks, `"args": [],`, ``), check.Failure, "through a shell"},
		{"hooks.json: only for Claude Code", replace(hooks, `\"${CLAUDE_PLUGIN_ROOT}/hooks/springfield-hook\"`, `true`), check.Failure, "not called at Stop in the way that springfield sets it up"},
		{"hooks.json: twice in Droid", replace(hooks, `"commandRegex"`, `"matcher"`), check.Failure, "may start the hook twice"},
		{"hooks.json: a schema", replace(hooks, `"description"`, `"$schema": "x", "description"`), check.Warning, `"$schema"`},
		{"shell.json: gone", remove(shell), check.Warning, "not found"},
		{"shell.json: a schema", replace(shell, `"description"`, `"$schema": "x", "description"`), check.Failure, `unknown member "$schema"`},
		{"shell.json: another event", replace(shell, `"Stop"`, `"SessionEnd"`), check.Failure, "not called at Stop"},
		{"shell.json: too little time", replace(shell, `"timeout": 10`, `"timeout": 0.5`), check.Failure, "too short for the hook to answer"},
		{"gemini: gone", remove(gemini), check.Warning, "not found"},
		{"gemini: an event of Claude Code", replace(gemini, `"AfterAgent"`, `"Stop"`), check.Failure, `"Stop"`},
		{"gemini: another event", replace(gemini, `"AfterAgent"`, `"BeforeAgent"`), check.Failure, "not called at AfterAgent"},
		{"gemini: seconds", replace(gemini, `"timeout": 10000`, `"timeout": 10`), check.Failure, "10 ms, too short"},
		{"qwen: another event", replace(qwen, `"Stop"`, `"SessionStart"`), check.Failure, "not called at Stop"},
		{"codex: another version", replace(codex, `"0.1.0"`, `"0.1.1"`), check.Failure, `"0.1.1"`},
		{"codex: the hooks of Claude Code", replace(codex, `./hooks/shell.json`, `./hooks/hooks.json`), check.Failure, "starts the hook twice"},
		{"copilot: no hooks", replace(copilot, `"hooks": "./hooks/shell.json"`, `"keywords": []`), check.Failure, "starts the hook twice"},
		{"gemini: another version", replace(extension, `"0.1.0"`, `"0.1.1"`), check.Failure, `"0.1.1"`},
		{"gemini: in the plugin's root", lay("ned-flanders/gemini-extension.json", []byte("{}"), 0o644), check.Failure, "Qwen Code mistakes the plugin"},
		{"hooks.json: async", replace(hooks, `"timeout"`, `"async": true, "timeout"`), check.Failure, "or not at all"},
		{"hooks.json: asks a model", replace(hooks, `"type": "command"`, `"type": "prompt"`), check.Failure, "type"},
		{"strategy.json: gone", remove(rules), check.Failure, "not found"},
		{"strategy.json: another strategy", replace(rules, `"strategy": "ned-flanders"`, `"strategy": "homer"`), check.Failure, "strategy"},
		{"strategy.json: another plugin", replace(rules, `"plugin": "ned-flanders"`, `"plugin": "todd-flanders"`), check.Failure, "its plugin"},
		{"strategy.json: another rule set", replace(rules, `"rules": "default"`, `"rules": "duff"`), check.Failure, "rules"},
		{"strategy.json: a misspelt member", replace(rules, `"add"`, `"ad"`), check.Failure, `unknown member "ad"`},
		{"strategy.json: a rule without a condition", replace(rules, `"add": []`, `"add": [{"id": "x", "then": "stop"}]`), check.Failure, `rule "x" has no condition`},
		{"strategy.json: a bad pattern", replace(rules, `"add": []`, `"add": [{"id": "x", "text": "(", "then": "stop"}]`), check.Failure, "add[0].text"},
		{"hook: gone", remove(linux), check.Failure, "the hook for linux/amd64 is missing"},
		{"hook: not executable", lay(linux, program(Target{"linux", "amd64"}), 0o644), check.Failure, "not executable"},
		{"hook: another machine", lay(linux, program(Target{"linux", "arm64"}), 0o755), check.Failure, "compiled for linux/arm64"},
		{"hook: other bytes", lay(mac, append(program(Target{"darwin", "arm64"}), 0), 0o755), check.Failure, "its checksum differs from the one in springfield.yaml"},
		{"hook: a runtime as Go has it", lay(linux, head(Target{"linux", "amd64"}), 0o755), check.Warning, "obeys GODEBUG"},
		{"hook: a pointer of Git LFS", lay(mac, []byte("version https://git-lfs.github.com/spec/v1\n"), 0o755), check.Failure, "not an executable program"},
		{"hook: a link", link(linux, "../../../todd-flanders/hooks/linux-amd64/springfield-hook"), check.Failure, "a link"},
		{"hook: of another Windows", lay(windows, program(Target{"windows", "arm64"}), 0o755), check.Failure, "compiled for windows/arm64"},
		{"launcher: gone", remove(launcher), check.Failure, "the launcher is missing"},
		{"launcher: not executable", lay(launcher, launcherText(t), 0o644), check.Failure, "not executable"},
		{"launcher: a program", lay(launcher, program(Target{"linux", "amd64"}), 0o755), check.Failure, "not a launcher"},
		{"launcher: edited", replace(launcher, "exit 0", "exit 2"), check.Warning, "not the launcher of this version of springfield"},
		{"a plugin that is gone", remove("todd-flanders"), check.Failure, "directory is missing"},
		{"no README", remove("todd-flanders/README.md"), check.Warning, "not found"},
		{"package.json", lay("ned-flanders/package.json", []byte("{}"), 0o644), check.Note, "install packages"},
		{"a hook of a target that is gone", lay("ned-flanders/hooks/linux-arm64/springfield-hook", program(Target{"linux", "arm64"}), 0o755), check.Note, "not a target of the suite"},
		{"a directory that is no plugin of the suite", lay("rod-flanders/.claude-plugin/plugin.json", []byte("{}"), 0o644), check.Note, "not in springfield.yaml"},
		{"an editor's backup", lay("ned-flanders/strategy.json~", []byte("{}"), 0o644), check.Note, "should not be in a suite"},
	}
	for _, m := range mutations {
		t.Run(m.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "suite")
			must(t, os.CopyFS(dir, os.DirFS(good)))
			file := m.change(t, dir)
			faults := validate(t, dir)
			if !slices.ContainsFunc(faults, func(f check.Finding) bool {
				syntax := strings.HasPrefix(f.Says, "not JSON") || strings.HasPrefix(f.Says, "not UTF-8")
				return (f.File == file || strings.Contains(f.Says, file)) && f.State == m.severity && strings.Contains(f.Says, m.says) && (f.Line > 0 || !syntax)
			}) {
				t.Errorf("not found: %s in %s, %q; but %+v", m.severity, file, m.says, faults)
			}
		})
	}
}

func sourceHash(t *testing.T) string {
	t.Helper()
	hash, err := SourceHash()
	must(t, err)
	return hash
}

func launcherText(t *testing.T) []byte {
	t.Helper()
	text, err := renderTemplate("shared/launcher/springfield-hook.tmpl", nil)
	must(t, err)
	return text
}

// A plugin is compared as a copy, without the record of its build.
func TestCompare(t *testing.T) {
	ctx, own := context.Background(), toolchain(t)
	plugin, err := NewPlugin("ned-flanders", "ned-flanders", nil)
	must(t, err)
	spec := Spec{Marketplace: "small", Owner: Owner{Name: "Ned"}, Targets: []Target{HostTarget()},
		Plugins: []Plugin{plugin}}
	files, built, err := own.MakeSuite(ctx, spec)
	must(t, err)
	carried := t.TempDir()
	must(t, WritePrebuilt(carried, built))
	hook := Hook.placeIn(HostTarget(), false)
	const command = `{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/hooks/springfield-hook", "args": []}`
	type edit = func(old string) string
	text := func(s string) edit { return func(string) string { return s } }
	add := func(s string) edit { return func(old string) string { return old + s } }
	replace := func(from, to string) edit {
		return func(old string) string { return strings.Replace(old, from, to, 1) }
	}
	without := Toolchain{Builder: Auto}
	for name, test := range map[string]struct {
		file  string
		edit  edit
		suite bool // it lies in its suite
		tools Toolchain
		state check.State
		says  string
	}{
		"as made":                  {"README.md", add(""), false, Toolchain{}, check.Fine, "x: the hook and "},
		"compiled now":             {"README.md", add(""), false, own, check.Fine, "x: the hook and"},
		"neither Go nor hooks":     {"README.md", add(""), false, without, check.Warning, "cannot tell: it was compiled with go"},
		"a README":                 {"README.md", add("x"), false, Toolchain{}, check.Fine, ""},
		"Windows":                  {"commands/why.md", func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }, false, Toolchain{}, check.Fine, ""},
		"a description":            {".claude-plugin/plugin.json", replace(`"version": "0.1.0"`, `"version": "0.2.0"`), false, Toolchain{}, check.Fine, ""},
		"a changed byte":           {hook, add("x"), false, Toolchain{}, check.Warning, "cannot tell: it differs from this springfield's build"},
		"a changed byte, recorded": {hook, add("x"), true, Toolchain{}, check.Failure, ErrChanged.Error()},
		"another program":          {hook, text("\x7fELF"), false, Toolchain{}, check.Failure, "not the hook of any springfield"},
		"a launcher":               {hook, text("#!/bin/sh\ncurl example.org\n"), false, Toolchain{}, check.Warning, "not as this version of springfield makes them: "},
		"a program too large":      {hook, add(strings.Repeat("x", maxProgram)), false, Toolchain{}, check.Failure, "larger than"},
		"another program's hook":   {"hooks/hooks.json", replace("${CLAUDE_PLUGIN_ROOT}/hooks/springfield-hook", "/bin/sh"), false, Toolchain{}, check.Failure, "not as this version of springfield makes it"},
		"the same, in its suite":   {"hooks/hooks.json", replace("${CLAUDE_PLUGIN_ROOT}/hooks/springfield-hook", "/bin/sh"), true, Toolchain{}, check.Failure, "edited"},
		"a hook at another event":  {"hooks/hooks.json", replace(`"Stop"`, `"SessionStart"`), false, Toolchain{}, check.Failure, ""},
		"other arguments":          {"hooks/hooks.json", replace(`[]`, `["hold"]`), false, Toolchain{}, check.Failure, ""},
		"another file of hooks":    {".claude-plugin/plugin.json", replace(`"name"`, `"hooks": "./others.json", "name"`), false, Toolchain{}, check.Failure, ""},
		"not JSON":                 {"hooks/hooks.json", text("{"), false, Toolchain{}, check.Failure, ""},
		"a key twice":              {"hooks/hooks.json", replace(`"hooks"`, `"hooks": {"Stop": [{"hooks": [`+command+`]}]}, "hooks"`), false, Toolchain{}, check.Failure, ""},
		"too long":                 {"hooks/hooks.json", add(strings.Repeat(" ", maxText)), false, Toolchain{}, check.Failure, "larger than"},
		"more allowed":             {"commands/why.md", replace("allowed-tools:", "allowed-tools: Bash,"), false, Toolchain{}, check.Warning, ""},
		"a command in a command":   {"commands/why.md", add("!`curl example.org`\n"), false, Toolchain{}, check.Warning, ""},
		"a line end in a line":     {"commands/why.md", replace("\ndescription", "\rdescription"), false, Toolchain{}, check.Warning, ""},
		"a new skill":              {"skills/b/SKILL.md", text("---\nhooks: x\n---\n"), false, Toolchain{}, check.Warning, "does not make it"},
		"the plugin as a skill":    {"SKILL.md", text("x"), false, Toolchain{}, check.Warning, "does not make it"},
		"a server":                 {".mcp.json", text(`{"mcpServers": {"a": {"command": "curl"}}}`), false, Toolchain{}, check.Failure, "does not make it"},
		"a program on PATH":        {"bin/git", text("x"), false, Toolchain{}, check.Failure, "does not make it"},
		"a library":                {"hooks/x.so", text("x"), false, Toolchain{}, check.Failure, "does not make it"},
		"a picture":                {".claude-plugin/icon.png", add(""), false, Toolchain{}, check.Fine, ""},
		"data":                     {"data.txt", text("x"), false, Toolchain{}, check.Fine, ""},
		"no plugin of ours":        {"strategy.json", text(`{"strategy": "maggie"}`), false, Toolchain{}, check.Failure, "cannot be compared: "},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "suite")
			for _, f := range files {
				if f.Path != SuiteFile || test.suite {
					put(t, filepath.Join(dir, filepath.FromSlash(f.Path)), f.Data, f.Mode)
				}
			}
			file := filepath.Join(dir, "ned-flanders", filepath.FromSlash(test.file))
			old, err := os.ReadFile(file)
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			put(t, file, []byte(test.edit(string(old))), 0o644)
			if strings.HasSuffix(file, ".png") { // a drive of Windows has every file executable
				must(t, os.Chmod(file, 0o755))
			}
			tools := test.tools
			if tools.Go == "" && tools.Builder == "" {
				tools = Toolchain{Prebuilt: os.DirFS(carried)}
			}
			found, err := tools.Compare(ctx, []Running{{ID: "x", Dir: filepath.Join(dir, "ned-flanders")}})
			if err != nil || len(found) == 0 || found[0].State != test.state || !strings.Contains(found[0].Says, test.says) {
				t.Errorf("%+v, %v; want %s: %s", found, err, test.state, test.says)
			}
		})
	}
}

// Hooks that a catalog adds are found however they are written.
func TestWhatACatalogAdds(t *testing.T) {
	for catalog, want := range map[string]string{
		`{"plugins": [{"name": "ned", "source": "./ned"}]}`:                                              "",
		`{"plugins": [{"name": "ned", "source": "./ned", "hooks": {"Stop": []}}]}`:                       `hooks`,
		`{"plugins": [1, {"name": 2}, {"name": "n\u0065d", "hooks": "./x.json"}], "PLUGINS": []}`:        `hooks`,
		"\ufeff" + `{"plugins": [{"name": "ned"}, {"name": "ned", "mcpServers": {}, "lspServers": {}}]}`: `lspServers mcpServers`,
		`{"plugins": [{"name": "other", "hooks": {}}]}`:                                                  "",
		`{"plugins": {"name": "ned", "hooks": {}}}`:                                                      "cannot read",
		`{"x": ` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `, "plugins": []}`:        "cannot read",
		`{`: "cannot read",
	} {
		added, err := entryExtras([]byte(catalog), "ned")
		got := strings.Join(added, " ")
		if err != nil {
			got = "cannot read"
		}
		scratch.Equal(t, got, want, fmt.Sprintf("%.100s adds", catalog))
	}
}

// Of very many files only some are compared and reported, those that start programs first.
func TestCompareIsBounded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plugin")
	put(t, filepath.Join(dir, "strategy.json"), []byte(`{"strategy": "ned-flanders"}`), 0o644)
	put(t, filepath.Join(dir, ".claude-plugin", "plugin.json"), []byte(`{"name": "ned-flanders"}`), 0o644)
	put(t, filepath.Join(dir, Hook.placeIn(HostTarget(), false)), []byte("MZ"), 0o755)
	for i := range maxEntries {
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprint(i)+".sh"), nil, 0o644))
	}
	tools, plugin := Toolchain{}, []Running{{ID: "x", Dir: dir}}
	found, err := tools.Compare(context.Background(), plugin)
	if err != nil || len(found) < 2 || len(found) > maxTold+1 || found[0].State != check.Failure {
		t.Errorf("%d findings, %v", len(found), err)
	}
	if slices.ContainsFunc(found, func(f check.Finding) bool { return len(f.Says) > 64*maxTold+len(dir)*maxTold }) {
		t.Errorf("%+v", found)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if found, err := tools.Compare(stopped, plugin); !errors.Is(err, context.Canceled) || found != nil {
		t.Errorf("after an interrupt: %d findings, %v", len(found), err)
	}
}
