package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/layout"
)

// What an administrator deploys lies where no script can put it.
func TestStatusWithManagedSettings(t *testing.T) {
	home := t.TempDir()
	places := client.Places{
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
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
	in, err := Inspect(Request{Places: places})
	must(t, err)
	var out strings.Builder
	in.SumUpStatus().WriteText(layout.Printer{W: &out, Width: 80})
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
