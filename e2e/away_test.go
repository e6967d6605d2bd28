//go:build e2e

package e2e

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hinshun/vt10x"

	"github.com/cameronsjo/springfield/runtime/ledger"
)

func (w *World) order(check string, most int) {
	w.t.Helper()
	now := time.Now()
	must(w.t, ledger.SetOrders(filepath.Join(w.Home, ".claude", "springfield"), func([]ledger.AwayOrder) []ledger.AwayOrder {
		return []ledger.AwayOrder{{ID: ledger.NewOrderID(now), At: now.Add(-time.Minute).UnixMilli(), Until: now.Add(8 * time.Hour).UnixMilli(),
			Project: w.Project, Most: most, Check: check, From: "/dev/pts/3"}}
	}))
}

func (w *World) Away(args ...string) {
	w.t.Helper()
	if out := w.atTerminal(springfield(w.t), w.env([]string{w.bin(), filepath.Dir(w.client())}), append([]string{"away"}, args...)...); out.Code != 0 {
		w.t.Fatalf("springfield away %v: exit %d\n%s%s", args, out.Code, out.Stdout, out.Stderr)
	}
}

type item struct{ Text, Word string }

type night struct {
	Order              struct{ Used, Most int }
	Questions, Prompts []item
	Sessions           []struct {
		Asked, Check             string
		Woken                    int
		Decided, Refused, Failed []item
	}
	Changed []struct{ Path string }
	Return  string
}

func (w *World) back() (n night) {
	w.t.Helper()
	must(w.t, json.Unmarshal([]byte(w.Springfield("back", "--json").Stdout), &n))
	return n
}

func (w *World) brought() (did []string) {
	w.t.Helper()
	all, err := ledger.AwayEvents(filepath.Join(w.Home, ".claude", "springfield"), "")
	must(w.t, err)
	for _, e := range all {
		did = append(did, e.Did)
	}
	return did
}

// interactive starts the client at a terminal, with what it asks a person at its first start answered, and types
// each key when the words before it are on the screen.
func (w *World) interactive(model *StandIn, mode string, rows int, steps ...[2]string) vt10x.Terminal {
	w.t.Helper()
	screen, _ := w.interactiveKeys(model, mode, rows, steps...)
	return screen
}

// interactiveKeys is interactive and returns the keyboard, too.
func (w *World) interactiveKeys(model *StandIn, mode string, rows int, steps ...[2]string) (vt10x.Terminal, io.Writer) {
	w.t.Helper()
	trusted := map[string]any{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}
	known, err := json.Marshal(map[string]any{
		"hasCompletedOnboarding": true, "theme": "dark", "numStartups": 5, "hasSeenAutoDefaultNotice": true,
		"lastOnboardingVersion": w.Version, "lastReleaseNotesSeen": w.Version,
		"customApiKeyResponses": map[string]any{"approved": []string{"sk-ant-stand-in"}, "rejected": []string{}},
		"projects":              map[string]any{w.Home: trusted, w.Project: trusted}, // in all projects at home, as a client writes its own back
	})
	must(w.t, err)
	must(w.t, os.WriteFile(filepath.Join(w.Home, ".claude.json"), known, 0o600))
	screen, keys, _ := w.at(rows, w.clientEnv(model.URL), w.client(), "--permission-mode", mode)
	for _, step := range steps {
		for end := time.Now().Add(limit); !strings.Contains(screen.String(), step[0]); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(end) {
				w.t.Fatalf("%q is not on the screen after %v:\n%s", step[0], limit, screen)
			}
		}
		io.WriteString(keys, step[1])
	}
	return screen, keys
}

// A night: two questions, one that names a deletion, a dialog, a permission prompt, a check that fails and then passes,
// and two plugins on, of which one answers each.
func TestNight(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, _ := with(t, version, "ned-flanders", "marge-simpson")
		write(t, w.path("Makefile"), "test:\n\t@test -e done || { echo FAIL: not done; exit 1; }\n")
		write(t, w.path(".claude/settings.local.json"), `{"permissions": {"allow": ["Bash(make test)"]}}`)
		w.Away("8h", "--check", "make test")
		dialog := map[string]any{"questions": []any{map[string]any{"question": "Tabs or blanks?", "header": "Style", "multiSelect": false,
			"options": []any{map[string]any{"label": "Tabs", "description": "one"}, map[string]any{"label": "Blanks", "description": "four"}}}}}
		test := calls("I run the check.", "Bash", map[string]any{"command": "make test", "description": "Run the tests"})
		model := newStandIn(t, []Turn{
			says("The parser is there. Shall the cache live in memory or on disk?")[0],
			calls("On disk, as it can be undone.", "AskUserQuestion", dialog),
			calls("Blanks.", "Bash", map[string]any{"command": "curl http://127.0.0.1:9/x", "description": "Fetch"}),
			says("Without it, then. Everything is done.")[0],
			test,
			says("The check fails, but everything is done.")[0],
			calls("I mend it.", "Write", map[string]any{"file_path": w.path("done"), "content": "yes\n"}),
			test,
			says("All is done, and the check passes.")[0],
			says("Shall I delete the old branch now?")[0],
		}, nil)
		screen := w.interactive(model, "acceptEdits", 50, [2]string{"away: ", ""}, [2]string{"accept edits on", "carry out the plan"}, [2]string{"carry out the plan", "\r"},
			[2]string{"and the check passes.", ""})
		want := []string{ledger.AwayShown, ledger.AwayAnswered, ledger.AwayDialog, ledger.AwayDenied, ledger.AwayChecked, ledger.AwayChecked, ledger.AwayPassed}
		eventually(t, "the check to be read", func() bool { return len(w.brought()) >= len(want) })
		if did := w.brought(); !slices.Equal(did, want) {
			t.Errorf("brought %v, want %v\n%s", did, want, screen)
		}
		n := w.back()
		if len(n.Sessions) != 1 || n.Order.Used != 3 || n.Order.Most != 50 || len(n.Questions) != 0 || n.Return == "" {
			t.Fatalf("the report: %+v", n)
		}
		s := n.Sessions[0]
		if len(s.Decided) != 2 || !strings.Contains(s.Decided[0].Text, "memory or on disk") || !strings.Contains(s.Decided[1].Text, "Tabs or blanks?") ||
			len(s.Refused) != 1 || !strings.Contains(s.Refused[0].Text, "curl") || s.Check != "passed" || s.Asked != "carry out the plan" {
			t.Errorf("the session: %+v", s)
		}
		if !slices.ContainsFunc(n.Changed, func(c struct{ Path string }) bool { return c.Path == "done" }) {
			t.Errorf("changed: %+v", n.Changed)
		}
	})
}
