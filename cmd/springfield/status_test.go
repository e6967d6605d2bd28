package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/installer"
)

// What an administrator deploys lies where no script can put it.
func TestStatusWithManagedSettings(t *testing.T) {
	home := t.TempDir()
	places := installer.Places{
		Config: filepath.Join(home, ".claude"), Plugins: filepath.Join(home, ".claude", "plugins"),
		Managed: filepath.Join(home, "managed"), Work: home, Root: home,
	}
	hook := `"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "WHAT"}]}]}`
	for name, text := range map[string]string{
		"managed/managed-settings.json":                  `{"allowManagedHooksOnly": true, ` + strings.ReplaceAll(hook, "WHAT", "audit") + `}`,
		".claude/settings.json":                          `{` + strings.ReplaceAll(hook, "WHAT", "bell") + `}`,
		".claude/skills/mine/.claude-plugin/plugin.json": `{"name": "mine", "version": "1.0.0"}`,
		".claude/skills/mine/strategy.json":              `{"strategy": "ned-flanders"}`,
		".claude/skills/mine/hooks/hooks.json":           `{` + strings.ReplaceAll(hook, "WHAT", "${CLAUDE_PLUGIN_ROOT}/hooks/springfield-hook") + `}`,
		".claude/skills/mine/hooks/springfield-hook":     "",
	} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	inventory, err := places.Inventory()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	(&app{out: &out}).sayStatus(status{Inventory: inventory})
	want := `no springfield plugin decides when Claude stops
  allowManagedHooksOnly in managed settings keeps hooks from running

hooks in effect
  Stop  managed settings  timeout 600 s
        audit

hooks that never run
  Stop  user settings    timeout 600 s
        bell
        allowManagedHooksOnly in managed settings
  Stop  mine@skills-dir  timeout 600 s
        ${CLAUDE_PLUGIN_ROOT}/hooks/springfield-hook
        allowManagedHooksOnly in managed settings
`
	if out.String() != want {
		t.Errorf("%s", out.String())
	}
}

func TestItem(t *testing.T) {
	for text, want := range map[string]string{
		"short":                     "  - short\n",
		"a \x1b[31mred\nb":          "  - a [31mred b\n",
		strings.Repeat("word ", 20): "  - " + strings.TrimSpace(strings.Repeat("word ", 15)) + "\n    word word word word word\n",
		strings.Repeat("x", 100):    "  - " + strings.Repeat("x", 100) + "\n",
	} {
		var out strings.Builder
		(&app{out: &out}).item("- ", text)
		if out.String() != want {
			t.Errorf("%q: %q", text, out.String())
		}
	}
}

// Advice that can be followed: what an administrator or a directory switches on
// is in no scope that disable knows.
func TestDoctorAdvisesWhatCanBeTyped(t *testing.T) {
	home := t.TempDir()
	d := &diagnosis{a: &app{}, places: installer.Places{Config: filepath.Join(home, ".claude"), Plugins: filepath.Join(home, "plugins"), Work: home, Root: home}}
	for decides, want := range map[string]string{
		"user":    "springfield disable ned-flanders@hooks --scope user",
		"project": "springfield disable ned-flanders@hooks --scope project",
		"managed": "only an administrator can switch it off",
		"":        "springfield disable ned-flanders@hooks --scope user",
	} {
		s := installer.Switched{Installed: installer.Installed{ID: "ned-flanders@hooks", Name: "ned-flanders", Marketplace: "hooks", Problem: "gone"}, On: true, Decides: decides}
		if got := d.notRunning(s).Fix; got != want {
			t.Errorf("%q decides: %q, want %q", decides, got, want)
		}
	}
}

// Between doctor's look and its repair another springfield may have made an
// edit, which is whole: it is not taken back for the one that was cut off.
func TestDoctorTakesBackOnlyWhatWasCutOff(t *testing.T) {
	home := t.TempDir()
	places := installer.Places{Config: filepath.Join(home, ".claude"), Plugins: filepath.Join(home, "plugins"), Work: filepath.Join(home, "work"), Root: filepath.Join(home, "work")}
	apply := func(plan installer.Plan, err error) {
		t.Helper()
		if err == nil {
			err = plan.Apply(places)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	suite := filepath.Join(home, "hooks")
	apply(installer.PlanEnable(places, installer.Enabling{Plugin: installer.Plugin{Name: "ned-flanders", Marketplace: "hooks", Suite: suite}, Scope: installer.Project, Declare: true}))
	// As a kill between the two files leaves it.
	entry := filepath.Join(places.Config, "springfield", "journal", "00000001")
	if err := os.Rename(entry+".json", entry+".open"); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(places.Work, ".claude")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(places.Work, ".claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	found := checkSettings(&diagnosis{a: &app{}, places: places})
	if len(found) != 1 || found[0].mend == nil {
		t.Fatalf("%+v", found)
	}
	apply(installer.PlanEnv(places, installer.Local, "A", "1"))
	if err := found[0].mend(); err == nil {
		t.Error("another edit was taken back")
	}
	if data, err := os.ReadFile(filepath.Join(places.Work, ".claude", "settings.local.json")); err != nil || !strings.Contains(string(data), `"A"`) {
		t.Errorf("%s, %v", data, err)
	}
}
