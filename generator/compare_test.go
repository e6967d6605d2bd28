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
)

// A plugin is compared as an agent runs it: a copy, beside which nothing says what was built.
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
	without := Toolchain{Path: t.TempDir()}
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
		"a changed byte":           {hook, add("x"), false, Toolchain{}, check.Warning, "cannot tell: it is not what this springfield makes"},
		"a changed byte, recorded": {hook, add("x"), true, Toolchain{}, check.Failure, ErrChanged.Error()},
		"another program":          {hook, text("\x7fELF"), false, Toolchain{}, check.Failure, "not the hook of a springfield"},
		"a launcher":               {hook, text("#!/bin/sh\ncurl example.org\n"), false, Toolchain{}, check.Warning, "not as this springfield makes them: "},
		"a program too large":      {hook, add(strings.Repeat("x", maxProgram)), false, Toolchain{}, check.Failure, "larger than"},
		"another program's hook":   {"hooks/hooks.json", replace("${CLAUDE_PLUGIN_ROOT}/hooks/springfield-hook", "/bin/sh"), false, Toolchain{}, check.Failure, "not as this springfield makes it"},
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
			tools := test.tools
			if tools.Path == "" {
				tools = Toolchain{Path: t.TempDir(), Prebuilt: os.DirFS(carried)}
			}
			found, err := tools.Compare(ctx, []Running{{ID: "x", Dir: filepath.Join(dir, "ned-flanders")}})
			if err != nil || len(found) == 0 || found[0].State != test.state || !strings.Contains(found[0].Says, test.says) {
				t.Errorf("%+v, %v; want %s: %s", found, err, test.state, test.says)
			}
		})
	}
}

// What a catalog adds is found however it is written.
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
		added, err := addedIn([]byte(catalog), "ned")
		got := strings.Join(added, " ")
		if err != nil {
			got = "cannot read"
		}
		if got != want {
			t.Errorf("%.100s adds %q, want %q", catalog, got, want)
		}
	}
}

// A plugin of very many files is not looked at for ever, what is told of it is bounded, and what
// starts a program is told before what starts nothing.
func TestCompareIsBounded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plugin")
	put(t, filepath.Join(dir, "strategy.json"), []byte(`{"strategy": "ned-flanders"}`), 0o644)
	put(t, filepath.Join(dir, ".claude-plugin", "plugin.json"), []byte(`{"name": "ned-flanders"}`), 0o644)
	put(t, filepath.Join(dir, Hook.placeIn(HostTarget(), false)), []byte("MZ"), 0o755)
	for i := range maxEntries {
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprint(i)+".sh"), nil, 0o644))
	}
	tools, plugin := Toolchain{Path: t.TempDir()}, []Running{{ID: "x", Dir: dir}}
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
