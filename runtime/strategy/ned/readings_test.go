package ned

import (
	"testing"

	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// How messages end that were got wrong once, by class.
func TestNedReadsEndings(t *testing.T) {
	tools := strategy.Situation{Turn: strategy.Turn{Known: true, Count: 3}}
	for want, texts := range map[strategy.Decision][]string{
		strategy.Continue: {
			"✅ Task 1 complete. Now **Task 2: add the endpoint**", "Moving on to **Task 3**", "Phase 1 is finished. On to Phase 2.", "Task 1 complete. Next: Task 2.",
			"Step 1 finished. Step 2 is next.", "Phase 2: integrate the API.", "Next I will update the docs.", "Task 2: Recovery modes", "I'm using executing-plans. Task 3/5.",
			"No stuck jobs. Proceeding to Step 2: fetch completed runs",
			"**Step 5 — Create theme-constants.ts**", "## Task 3: Wire the router", "▶ [8/12] Port the date picker",
			"Fixed the login test. Still need to fix:\n\n- logout\n- reset", "Left for me to convert: the router and the store.", "⏳ README section, not written yet", "3 of 7 components use the new API now.",
			"Now run the tests.", "Now to commit them.", "Same in the other two; fixing those too.", "I'm picking up the third one now.", "Next: the backfill script",
			"Writes still use the old store; that's what I'm converting next.", "The log says \"no route\": I'll add a trace and run it once more.",
		},
		strategy.Stop: {
			"Working tree clean.", "I'll check for this on every future PR.", "I need you to pick one of the two. Then I'll write it.", "I'll monitor progress.",
			"Draft PR created: https://example.invalid/1", "Fixed and pushed.", "Everything is set up. Now run `npm start` and open the page in your browser.",
		},
	} {
		for _, text := range texts {
			s := tools
			s.Message.Text = text
			if v := decide(rules.Options{}, s); v.Decision != want {
				t.Errorf("%q: %s by %s (%s)", text, v.Decision, v.Rule, v.Evidence)
			}
		}
	}
}
