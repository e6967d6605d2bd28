//go:build e2e && nightly

package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/ledger"
)

// In -p there is no dialog and no prompt: questions are answered, one that names a deletion is left, a hold stops it, and
// the order's number ends it.
func TestNightInHeadlessSessions(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, _ := enabled(t, version)
		w.order("", 2)
		r := w.Run(Session{Script: says("Shall the cache live in memory or on disk?", "On disk. Should I delete the old branch?")})
		ends(t, r, "On disk. Should I delete the old branch?", 2)
		saw(t, r.Asked[1], "Decided while you were away")
		w.Springfield("hold", "30m")
		r = w.Run(Session{Script: says("Tabs or blanks?")})
		ends(t, r, "Tabs or blanks?", 1)
		w.Resume()
		r = w.Run(Session{Script: says("Tabs or blanks?", "Blanks. Moving to Task 2.")})
		ends(t, r, "Blanks. Moving to Task 2.", 2)
		if did := w.brought(); !slices.Equal(slices.DeleteFunc(did, func(d string) bool { return d == ledger.AwayShown }),
			[]string{ledger.AwayAnswered, ledger.AwayLeft, ledger.AwayAnswered, ledger.AwaySpent}) {
			t.Errorf("brought %v", did)
		}
		w.decided(r.ID, "continue away", "stop away")
		if n := w.back(); len(n.Questions) != 1 || n.Questions[0].Word == "" || len(n.Sessions) != 3 || n.Order.Used != 2 {
			t.Errorf("the report: %+v", n)
		}
	})
}

// A check that the client denies did not run: the agent is told once to run it, and may stop.
func TestCheckThatIsDenied(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, _ := enabled(t, version)
		w.order("make test", 50)
		write(t, w.path(".claude/settings.local.json"), `{"permissions": {"deny": ["Bash(make test)"]}}`)
		r := w.Run(Session{Script: []Turn{says("All is done.")[0], calls("I run the check.", "Bash", map[string]any{"command": "make test"}), says("All is done but the check.")[0]}})
		ends(t, r, "All is done but the check.", 3)
		w.decided(r.ID, "continue away", "stop away")
		if n := w.back(); len(n.Sessions) != 1 || n.Sessions[0].Check != ledger.AwayDenied || len(n.Sessions[0].Refused) != 1 || n.Order.Used != 1 {
			t.Errorf("the report: %+v", n)
		}
	})
}

// A plan waits for the user: its dialog stands, and nothing is denied.
func TestPlanWaitsForTheUser(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, _ := enabled(t, version)
		w.order("", 50)
		model := newStandIn(t, []Turn{calls("Here is the plan.", "ExitPlanMode", map[string]any{"plan": "1. Read TOML\n2. Write TOML"})}, nil)
		w.interactive(model, "plan", 50, [2]string{"plan mode on", "make a plan"}, [2]string{"make a plan", "\r"}, [2]string{"1. Yes", ""})
		if did := w.brought(); !slices.Equal(did, []string{ledger.AwayShown}) {
			t.Errorf("brought %v", did)
		}
	})
}

// What the API refuses is in the report, with its time; the session ends there.
func TestNightWithAFailure(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, _ := enabled(t, version)
		w.order("", 50)
		write(t, w.path(".claude/settings.local.json"), `{"env": {"CLAUDE_CODE_MAX_RETRIES": "1"}}`)
		script := append(says("Shall the cache live in memory or on disk?"), Turn{Fails: "529"})
		w.Run(Session{Script: script})
		n := w.back()
		if len(n.Sessions) != 1 || len(n.Sessions[0].Failed) == 0 || !strings.Contains(n.Sessions[0].Failed[0].Text, "529") {
			t.Errorf("the report: %+v", n)
		}
	})
}
