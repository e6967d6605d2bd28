package generator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/check"
	"github.com/cameronsjo/springfield/folder"
)

// What is said of a program follows from its bytes; what lies beside it only explains.
func TestJudgeProgram(t *testing.T) {
	linux, mac := Target{"linux", "amd64"}, Target{"darwin", "arm64"}
	made := reference{source: "ours", builds: []Build{{Source: "ours", Go: "go1.26.8", SHA256: map[string]string{"linux/amd64": "made", "darwin/arm64": "for mac"}, Judge: map[string]string{"linux/amd64": "judge"}}}}
	hook := specimen{program: Hook, target: linux, sum: "made", of: Hook, with: "go1.26.8", compiled: "linux/amd64"}
	but := func(change func(*specimen)) specimen {
		s := hook
		s.sum = "other"
		change(&s)
		return s
	}
	same := func(*specimen) {}
	beside := func(source, with, sum string) *Suite {
		return &Suite{Build: Build{Source: source, Go: with, SHA256: map[string]string{"linux/amd64": sum}}}
	}
	for name, test := range map[string]struct {
		s     specimen
		suite *Suite
		state check.State
		says  string
	}{
		"made here":                  {hook, nil, check.Fine, ""},
		"made here, recorded wrong":  {hook, beside("theirs", "go1.20.1", "no"), check.Fine, ""},
		"not read":                   {but(func(s *specimen) { s.fault = "a link" }), nil, check.Failure, "a link"},
		"of another machine":         {but(func(s *specimen) { s.sum = "for mac" }), beside("ours", "go1.26.8", "for mac"), check.Failure, "the hook for darwin/arm64, in the place of the hook for linux/amd64"},
		"the judge":                  {but(func(s *specimen) { s.sum = "judge" }), nil, check.Failure, "the judge for linux/amd64, in the place of"},
		"changed":                    {but(same), beside("ours", "go1.26.8", "made"), check.Failure, "changed since it was built"},
		"changed, of older sources":  {but(same), beside("theirs", "go1.26.8", "old"), check.Failure, "changed since it was built"},
		"no program of ours":         {but(func(s *specimen) { s.of = "" }), beside("theirs", "go1.26.8", "other"), check.Failure, "not a program of springfield's"},
		"says to be the judge":       {but(func(s *specimen) { s.of = Judge }), nil, check.Failure, "the judge for linux/amd64, in the place of"},
		"says another machine":       {but(func(s *specimen) { s.compiled = mac.String() }), nil, check.Failure, "the hook for darwin/arm64, in the place of"},
		"springfield.yaml follows":   {but(same), beside("ours", "go1.26.8", "other"), check.Failure, "and that makes another program"},
		"the program says other Go":  {but(func(s *specimen) { s.with = "go1.20.1" }), beside("ours", "go1.26.8", "other"), check.Failure, "compiled with go1.26.8, and the program says go1.20.1"},
		"older sources":              {but(same), beside("theirs", "go1.26.8", "other"), check.Warning, "compiled from other sources (theirs) than this springfield carries (ours)"},
		"of an older release":        {but(same), &Suite{Build: Build{Source: "theirs", Springfield: "v0.1.0"}}, check.Warning, "carries (ours), by springfield v0.1.0"},
		"another Go":                 {but(func(s *specimen) { s.with = "go1.25.3" }), beside("ours", "go1.25.3", "other"), check.Warning, "compiled with go1.25.3, and each Go makes other bytes: this springfield has made it with go1.26.8"},
		"nothing beside":             {but(same), nil, check.Warning, "nothing beside it says of which springfield it is"},
		"nothing beside, another Go": {but(func(s *specimen) { s.with = "go1.25.3" }), nil, check.Warning, "each Go makes other bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			if state, says := made.judgeProgram(test.s, test.suite); state != test.state || !strings.Contains(says, test.says) || (says == "") != (test.says == "") {
				t.Errorf("%s: %q, want %s: %q", state, says, test.state, test.says)
			}
		})
	}
}

// What a text starts is found wherever it stands; what only describes is nothing.
func TestWhatTextsStart(t *testing.T) {
	const hook = `{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/hooks/springfield-hook", "args": []}`
	made := `{"description": "d", "hooks": {"Stop": [{"hooks": [` + hook + `]}]}}`
	for name, test := range map[string]struct {
		file, made, has string
		starts          []string // in what is told; none: nothing but what springfield makes
	}{
		"as made":                    {"hooks/hooks.json", made, made, nil},
		"other words and times":      {"hooks/hooks.json", made, strings.Replace(strings.Replace(made, `"d"`, `"e"`, 1), `"args"`, `"timeout": 3, "name": "n", "args"`, 1), nil},
		"nothing":                    {"hooks/hooks.json", made, `{}`, nil},
		"twice":                      {"hooks/hooks.json", made, strings.Replace(made, hook, hook+","+hook, 1), []string{"springfield-hook"}},
		"at another event":           {"hooks/hooks.json", made, strings.Replace(made, "Stop", "SessionStart", 1), []string{"SessionStart", "springfield-hook"}},
		"other arguments":            {"hooks/hooks.json", made, strings.Replace(made, "[]}", `["hold"]}`, 1), []string{`["hold"]`}},
		"a variable":                 {"hooks/hooks.json", made, strings.Replace(made, `"args"`, `"env": {"A": "b"}, "args"`, 1), []string{`"env":{"A":"b"}`}},
		"a server named as a word":   {".claude-plugin/plugin.json", `{"name": "n"}`, `{"name": "n", "mcpServers": {"version": {"command": "curl"}}}`, []string{"mcpServers.version", "curl"}},
		"a description of an object": {".claude-plugin/plugin.json", `{"name": "n"}`, `{"name": "n", "description": {"command": "curl"}}`, []string{"description", "curl"}},
		"another file of hooks":      {".claude-plugin/plugin.json", `{"name": "n"}`, `{"name": "m", "version": "2.0.0", "hooks": "./others.json"}`, []string{"hooks = ./others.json"}},
		"by HTTP":                    {"hooks/hooks.json", made, strings.Replace(made, hook, hook+`,{"type": "http", "url": "http://example.org"}`, 1), []string{"hooks.Stop.hooks.url = http://example.org"}},
		"not JSON":                   {"hooks/hooks.json", made, made[:20], []string{"cannot read it"}},
		"a key twice":                {"hooks/hooks.json", made, strings.Replace(made, `"hooks"`, `"hooks": {}, "hooks"`, 1), []string{"cannot read it"}},
		"Windows":                    {"commands/why.md", "---\na: b\n---\n!`x`\n", "---\r\na: b\r\n---\r\n!`x`\r\n", nil},
		"other text":                 {"commands/why.md", "---\ndescription: a\nallowed-tools: A\n---\n!`x`\n", "---\ndescription: b\nallowed-tools: A\n---\nSo\n!`x`\nit is\n", nil},
		"more allowed":               {"commands/why.md", "---\nallowed-tools: A\n---\n", "---\nallowed-tools: Bash\n---\n", []string{"allowed-tools: Bash"}},
		"a line that goes on":        {"commands/why.md", "---\ndescription: a\n---\n", "---\ndescription: |\n  a\n hooks: b\n---\n", []string{"hooks: b"}},
		"a command":                  {"skills/a/SKILL.md", "x", "x\n  !`curl example.org`", []string{"curl example.org"}},
		"a new skill":                {"skills/b/SKILL.md", "", "---\nhooks: x\n---\n", []string{"does not make it", "hooks: x"}},
		"a server":                   {".mcp.json", "", `{"mcpServers": {"a": {"command": "curl"}}}`, []string{"curl"}},
		"a program on PATH":          {"bin/git", "", "x", []string{"on the PATH"}},
		"a library":                  {"hooks/x.so", "", "x", []string{"a program"}},
		"a script without a name":    {"hooks/x", "", "#!/bin/sh", []string{"a program"}},
		"a line end in a line":       {"commands/why.md", "---\ndescription: a\n---\n", "---\ndescription: a\rhooks: b\n---\n", []string{"not plain text"}},
		"a line end of Unicode":      {"commands/why.md", "---\ndescription: a\n---\n", "---\ndescription: a\u2028hooks: b\n---\n", []string{"hooks: b"}},
		"a head with another end":    {"commands/why.md", "---\ndescription: a\n---\n", "---\ndescription: a\n...\nhooks: b\n---\n", []string{"hooks: b"}},
		"a head that begins oddly":   {"commands/why.md", "---\ndescription: a\n---\n", "---\ufeff\nhooks: b\n---\n", []string{"hooks: b"}},
		"a command for Qwen Code":    {"commands/why.md", "x", "x\n!{curl example.org}", []string{"curl example.org"}},
		"the plugin as a skill":      {"SKILL.md", "", "---\nhooks: x\n---\n", []string{"hooks: x"}},
		"a skill of an odd name":     {"skills/node_modules/SKILL.md", "", "---\nhooks: x\n---\n", []string{"hooks: x"}},
		"data":                       {"data.txt", "", "x", nil},
		"too long":                   {"hooks/hooks.json", made, made + strings.Repeat(" ", maxStarting), []string{"larger than"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "plugin")
			put(t, filepath.Join(dir, filepath.FromSlash(test.file)), []byte(test.has), 0o644)
			v := verification{Subject: Subject{Name: "plugin", Dir: dir}, plugin: Plugin{Name: "plugin"}}
			var files []File
			if test.made != "" {
				files = []File{{Path: "plugin/" + test.file, Data: []byte(test.made)}}
			}
			v.open(t)
			v.lookAtTexts(files)
			told := ""
			for _, f := range v.texts {
				if f.State == check.Failure {
					told += f.Says
				}
			}
			if (told == "") != (len(test.starts) == 0) {
				t.Errorf("told: %q", told)
			}
			for _, part := range test.starts {
				if !strings.Contains(told, part) {
					t.Errorf("%q has no %q", told, part)
				}
			}
		})
	}
}

// What starts a program is told before what starts nothing, however much there is of that.
func TestNotesHideNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plugin")
	for i := range 2 * maxFindings {
		put(t, filepath.Join(dir, "a", fmt.Sprint(i)+".md"), []byte("x"), 0o644)
	}
	put(t, filepath.Join(dir, "hooks", "hooks.json"), []byte(`{"hooks": {"Stop": [{"hooks": [{"command": "curl"}]}]}}`), 0o644)
	v := verification{Subject: Subject{Name: "plugin", Dir: dir}, plugin: Plugin{Name: "plugin"}}
	v.open(t)
	v.lookAtTexts(nil)
	if len(v.texts) != maxFindings+1 || v.texts[0].State != check.Failure || !strings.Contains(v.texts[0].Says, "curl") || v.texts[maxFindings].State != check.Warning {
		t.Errorf("%d findings, at first %v, in the end %v", len(v.texts), v.texts[0], v.texts[len(v.texts)-1])
	}
}

// What is noted of a text is bounded, however long the names in it are.
func TestNamesAreBounded(t *testing.T) {
	long := `{"` + strings.Repeat("x", maxStarting/2) + `": [` + strings.Repeat("1,", maxStarting/4-100) + `1]}`
	all, err := namedIn([]byte(long))
	bytes := 0
	for _, one := range all {
		bytes += len(one)
	}
	if err != nil || len(all) < maxStarting/5 || bytes > 32<<20 {
		t.Errorf("%d values, %d bytes, %v", len(all), bytes, err)
	}
}

func (v *verification) open(t *testing.T) {
	t.Helper()
	in, err := folder.Open(v.Dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close() })
	v.in = in
}

// What a catalog adds is found however it is written.
func TestWhatACatalogAdds(t *testing.T) {
	for catalog, want := range map[string]string{
		`{"plugins": [{"name": "ned", "source": "./ned"}]}`:                                              "",
		`{"plugins": [{"name": "ned", "source": "./ned/"}, {"name": "other", "source": "./other"}]}`:     "",
		`{"plugins": [{"name": "ned", "source": "./ned", "hooks": {"Stop": []}}]}`:                       `hooks = {"Stop": []}`,
		`{"plugins": [1, {"name": 2}, {"name": "n\u0065d", "hooks": "./x.json"}], "PLUGINS": []}`:        `hooks = "./x.json"`,
		"\ufeff" + `{"plugins": [{"name": "ned"}, {"name": "ned", "mcpServers": {}, "lspServers": {}}]}`: `lspServers = {} mcpServers = {}`,
		`{"plugins": [{"name": "other", "hooks": {}}]}`:                                                  "",
		`{"plugins": [{"name": "other", "source": "ned", "hooks": {}}]}`:                                 `hooks = {}`,
		`{"plugins": [{"name": "ned", "source": "./evil"}]}`:                                             `source = "./evil"`,
		`{"plugins": [{"name": "ned", "source": {"source": "npm", "package": "x"}}]}`:                    `source = {"source": "npm", "package": "x"}`,
		`{"metadata": {"pluginRoot": "./x"}, "renames": {"ned": "x"}, "plugins": []}`:                    `metadata.pluginRoot = "./x" renames = {"ned": "x"}`,
		`{"metadata": {"version": "1.0.0"}, "renames": {}, "plugins": []}`:                               "",
		`{"plugins": {"name": "ned", "hooks": {}}}`:                                                      "cannot read",
		`{"x": ` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `, "plugins": []}`:        "cannot read",
		`{`: "cannot read",
	} {
		says, err := addedIn([]byte(catalog), "./ned", "ned")
		got := strings.Join(says, " ")
		if err != nil {
			got = "cannot read"
		}
		if got != want {
			t.Errorf("%.100s adds %q, want %q", catalog, got, want)
		}
	}
}

// A plugin of very many files is not looked at for ever, and what is told of it is bounded.
func TestVerifyIsBounded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plugin")
	put(t, filepath.Join(dir, "strategy.json"), []byte(`{"strategy": "ned-flanders"}`), 0o644)
	put(t, filepath.Join(dir, ".claude-plugin", "plugin.json"), []byte(`{"name": "ned-flanders"}`), 0o644)
	for i := range maxEntries {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)+".sh"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	verified, err := Verifier{Toolchain: Toolchain{Path: t.TempDir()}}.Verify(context.Background(), []Subject{{Name: "plugin", Dir: dir}})
	if err != nil || len(verified) != 1 {
		t.Fatal(verified, err)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if verified, err := (Verifier{}).Verify(stopped, []Subject{{Name: "plugin", Dir: dir}}); !errors.Is(err, context.Canceled) || verified != nil {
		t.Errorf("after an interrupt: %d plugins, %v", len(verified), err)
	}
	if n := len(verified[0].Found); n < maxFindings || n > maxFindings+3 {
		t.Errorf("%d findings", n)
	}
}
