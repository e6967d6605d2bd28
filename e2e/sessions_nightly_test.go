//go:build e2e && nightly

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// Where springfield finds no client it can only declare the marketplace. A newer client takes that up in
// the session that reads it, an older one while that session runs, for the next.
func TestEnableWithoutClient(t *testing.T) {
	liveIn := map[string]int{newest: 1, oldest: 2}
	aClient(t, func(t *testing.T, version string) {
		w := newWorld(t, version)
		w.NoClient = true
		suite := newSuite(w)
		w.Springfield("enable", "ned-flanders", "--suite", suite, "--scope", "user")
		for range liveIn[version] - 1 {
			w.Run(Session{Script: says(plan...)})
		}
		ends(t, w.Run(Session{Script: says(plan...)}), plan[2], 3)
	})
}

// Beside hooks of others: one that approves changes nothing, one that blocks has its say too, one that ends the
// session ends it. A subagent's end is not the plugin's affair.
func TestContinueBesideOthers(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, _ := enabled(t, version)
		answers := filepath.Join(w.dir, "answers")
		write(t, filepath.Join(w.Project, ".claude", "settings.json"), `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "cd '`+answers+`' && cat next; mv -f then next || rm -f next"}]}]}}`)
		talk := w.Talk(Session{})
		write(t, filepath.Join(answers, "next"), `{"continue": false, "stopReason": "enough"}`)
		ends(t, talk.Say("execute the plan", says(plan...)...), plan[0], 1)
		write(t, filepath.Join(answers, "next"), `{"decision": "approve"}`)
		write(t, filepath.Join(answers, "then"), `{"decision": "block", "reason": "And mind the gap."}`)
		script := append([]Turn{calls("Asking another agent.", "Agent", map[string]any{
			"description": "Look", "prompt": "Look at it.", "subagent_type": "general-purpose", "run_in_background": false,
		})}, says(append([]string{"Step 1 is done. Moving to Step 2."}, plan...)...)...)
		r := talk.Say("execute the plan", script...)
		ends(t, r, plan[2], 5)
		last := r.Asked[len(r.Asked)-1].Messages
		var told string
		for _, m := range last[len(last)-2:] {
			told += m.Text
		}
		if !strings.Contains(told, "You said what comes next") || !strings.Contains(told, "And mind the gap.") {
			t.Errorf("Claude is told %q, want the words of both hooks", told)
		}
	})
}
