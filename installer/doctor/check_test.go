package doctor

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// disable cannot switch off what an administrator or a directory switches on.
func TestDoctorAdvisesWhatCanBeTyped(t *testing.T) {
	home := t.TempDir()
	in := &Inspection{Request: Request{Places: client.Places{Config: filepath.Join(home, ".claude"), Plugins: filepath.Join(home, "plugins"), Work: home, Root: home}}}
	in.settings = settings.NewSettings(in.Places)
	for decides, want := range map[string]string{
		"user":    "springfield disable ned-flanders@hooks --scope user",
		"project": "springfield disable ned-flanders@hooks --scope project",
		"managed": "ask an administrator to disable it",
	} {
		s := client.Switched{Installed: client.Installed{ID: "ned-flanders@hooks", Name: "ned-flanders", Marketplace: "hooks", Problem: "gone"}, On: true, Decides: decides}
		scratch.Equal(t, in.notRunning(s).Fix, want, decides+" decides")
	}
}

var must = scratch.Must

// The overview fits on one screen.
func TestOverviewFits(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	long := strings.Repeat("quite a long explanation of what is wrong ", 3)
	full := Overview{
		On: []Switch{
			{ID: "ned-flanders@hooks", Strategy: "ned-flanders", Scope: "user", Decides: true},
			{ID: "todo-continuation@hooks", Strategy: "todo-continuation", Scope: "project"},
		},
		Last: &Decision{
			ID: "3f2a-17", At: now.Add(-12 * time.Minute).UnixMilli(), Plugin: "ned-flanders", Decision: "continue", Rule: "progress",
			Evidence: strings.Repeat("Moving to Task 2. ", 20), Project: "/home/ned/src/evergreen-terrace",
		},
		Loops: []string{long, long, long, long}, Notes: []string{long, long, long, long}, Next: "springfield doctor",
	}
	for n := range 5 {
		full.Problems = append(full.Problems, check.Finding{Check: fmt.Sprint(n), State: check.Failure, Says: long, Fix: "springfield disable ned-flanders@marketplace-with-a-long-name --scope " + strings.Repeat("x", 60)})
	}
	for name, o := range map[string]Overview{
		"everything": full,
		"nothing on": {Reasons: []string{long, long, long, long}, Next: "springfield enable ned-flanders"},
	} {
		var text strings.Builder
		o.WriteText(layout.Printer{W: &text, Width: 80, Home: "/home/ned"}, now)
		scratch.ErrorIf(t, strings.Count(text.String(), "(") != strings.Count(text.String(), ")"), "a bracket stays open:\n%s", &text)
		lines := strings.Split(strings.TrimRight(text.String(), "\n"), "\n")
		scratch.ErrorIf(t, len(lines) > 24, "%s: %d lines\n%s", name, len(lines), &text)
		for _, line := range lines {
			scratch.ErrorIf(t, layout.TextWidth(line) > 80 != strings.Contains(line, "→"), "%s: %s", name, line) // a fix is there to be copied
		}
	}
}

// Managed settings, which no script can place.
func TestStatusWithManagedSettings(t *testing.T) {
	home := t.TempDir()
	places := client.Places{
		Config: filepath.Join(home, ".claude"), Plugins: filepath.Join(home, ".claude", "plugins"),
		Managed: filepath.Join(home, "managed"), Work: home, Root: home,
	}
	hook := `"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "WHAT"}]}]}`
	for name, text := range map[string]string{
		"managed/managed-settings.json": `{"allowManagedHooksOnly": true, ` + strings.ReplaceAll(hook, "WHAT", "audit") + `}`,
		".claude/settings.json":         `{` + strings.ReplaceAll(hook, "WHAT", "bell") + `}`,
	} {
		scratch.PutFile(t, filepath.Join(home, name), text)
	}
	var out strings.Builder
	Inspect(Request{Places: places}).SumUpStatus().WriteText(layout.Printer{W: &out, Width: 80})
	want := `no springfield plugin decides when Claude stops
  allowManagedHooksOnly in managed settings keeps hooks from running
  none is enabled

hooks in effect
  Stop  managed settings  timeout 600 s
        audit

hooks that never run
  Stop  user settings  timeout 600 s
        bell
        allowManagedHooksOnly in managed settings
`
	scratch.Equal(t, out.String(), want, "status")
}

// Names of variables match in any case, and those without an effect have no sentence.
func TestEffect(t *testing.T) {
	for name, moves := range map[string]bool{"SPRINGFIELD": true, "springfield_judge": true, "LD_PRELOAD": true, "HTTPS_PROXY": true, "GOFLAGS": true, "EDITOR": false, "CLAUDE_CODE_ENABLE_TODO_TOOLS": false, "": false} {
		scratch.Equal(t, effectOfVariable(name) != "", moves, name)
	}
}
