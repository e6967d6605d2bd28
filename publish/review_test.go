package publish

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/runtime/registry"
)

// suiteOf is a suite on the disk, without hooks: plugins of these names, each made
// from a strategy.
func suiteOf(t *testing.T, plugins map[string]string) tree {
	t.Helper()
	spec := generator.Spec{Marketplace: "hooks", Owner: generator.Owner{Name: "Ned"}, Targets: []generator.Target{generator.HostTarget()}}
	for name, strategy := range plugins {
		p, err := generator.NewPlugin(name, strategy, nil)
		must(t, err)
		spec.Plugins = append(spec.Plugins, p)
	}
	files, err := generator.RenderSuite(spec, generator.Build{})
	must(t, err)
	dir := t.TempDir()
	for _, f := range files {
		put(t, filepath.Join(dir, filepath.FromSlash(f.Path)), string(f.Data))
	}
	all, err := readTree(dir)
	must(t, err)
	return all
}

// What no marketplace wants to hand out, and a name that looks like another owner's.
func TestReviewRefuses(t *testing.T) {
	suite := suiteOf(t, map[string]string{"anthropic-ned": "ned-flanders"})
	litter := []string{".DS_Store", ".env", ".env.local", "key.pem", "README.md.orig", "notes~", "skills/x/.netrc"}
	for _, file := range append(litter, "environment.md", "skills/x/env") {
		put(t, filepath.Join(suite.dir, "anthropic-ned", filepath.FromSlash(file)), "")
	}
	suite, err := readTree(suite.dir)
	must(t, err)
	found, err := release{plugin: "anthropic-ned"}.reviewPlugin(t.Context(), suite)
	must(t, err)
	var got []string
	for _, f := range found {
		if f.State != check.Failure {
			t.Errorf("%s: %s is no failure", f.File, f.Says)
		}
		got = append(got, f.File)
	}
	want := []string{"anthropic-ned/.claude-plugin/plugin.json"} // its name
	for _, file := range litter {
		want = append(want, "anthropic-ned/"+file)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestIsDevice(t *testing.T) {
	for name, want := range map[string]bool{"con": true, "nul": true, "com1": true, "lpt9": true, "comx": false, "com": false, "com10": false, "icon": false, "ned-flanders": false, "": false} {
		if isDevice(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

// Every strategy's description is one that a marketplace takes.
func TestReviewOfWhatIsMade(t *testing.T) {
	plugins := map[string]string{}
	for _, name := range registry.StrategyNames() {
		plugins[name] = name
	}
	suite := suiteOf(t, plugins)
	for _, name := range registry.StrategyNames() {
		r := release{plugin: name, strategy: name}
		found, err := r.reviewPlugin(t.Context(), suite)
		must(t, err)
		hooks, err := r.hooks(suite)
		must(t, err)
		for _, f := range found {
			t.Errorf("%s: %s", f.File, f.Says)
		}
		if len(hooks) == 0 {
			t.Errorf("%s has no hook", name)
		}
		for _, h := range hooks {
			if h.Event == "" || h.Gate == "" || !strings.HasSuffix(h.Command, "/hooks/springfield-hook") {
				t.Errorf("%+v", h)
			}
			// A strategy that asks a model says where it is; nothing of the others leaves the machine.
			if known, _ := registry.StrategyNamed(h.Plugin); known.Judges != (len(h.Hosts) > 0) {
				t.Errorf("%s: its judge is %v, it talks to %v", h.Plugin, known.Judges, h.Hosts)
			}
		}
	}
}
