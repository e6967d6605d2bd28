package ned

import (
	"testing"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// What reports have in common with work that goes on, by class: of each, some do go on.
func TestNedTellsReportsFromWork(t *testing.T) {
	for class, texts := range map[string]map[strategy.Decision][]string{
		"a report is no announcement": {
			strategy.Stop: {
				"Both bugs are gone. Fixed pre-existing lint noise in `render.go`.", "Also fixed long-standing warnings in the importer.",
				"Also fixed user-facing strings in `banner.go`.", "Done migrating the seven suites.", "Now the badges line up properly:\n\n- the left column\n- the right column",
				"Now invoices sort correctly:\n\n- paid first\n- open last", "The cursor now stops at the last page, catching overruns at run time.", "Totals now add up at render time.",
				"It is on the branch. Clean diff now.", "Clean build now.", "Noted: I pushed while the checks ran, and I should have looked first.",
				"- `read_test.go`: added six cases covering: reading an empty file, writing twice, and closing early", "Split the module in two: parsing stays in `read.go`, printing in `show.go`.",
				"Orders without a date will sort to the end (zero time).", "Now \"and 12 more\" in both footers.", "The harness wakes me when the upload ends; I'll compare the sums then.",
				"The harness will re-invoke me when the crawl ends; I'll read its log then.", "Renamed the two helpers: removing the prefix from one, adding it to the other.",
			},
			strategy.Continue: {
				"Fixed the typo — re-running the suite.", "Fixed, running the whole suite again.", "Also fixing the two warnings in `render.go`.", "Now the badges:",
				"The parser is in. Cleanup time.", "Clean the fixtures now.", "Updated the mock; now checking the callers.", "The clock makes it red. I should pin it first.",
				"Both gates are green. Deleting the merged branch.", "Two other files changed as well. I'll only stage the two of this task.",
				"None is stuck. Fetching the finished jobs awaiting a retry.", "Not on hold. Checking for stale runs and completed runs.",
				"Now revert the second hunk and run the suite.", "I'll show the badge only when `hasBadge` is set.",
			},
		},
		"a title of a report": {
			strategy.Stop: {
				"All green.\n\n### Lines touched: 14 in 3 files", "The rest reads well.\n\n**Verdict: good to go.** 🎉", "Two nits above.\n\n**Overall: solid, with small gaps (about an hour)**",
				"The suite ran.\n\n**Result: 31 passed, 0 failed**", "The pages are written.\n\n## Building the docs\n\n```sh\nmake docs\n```", "It is in place.\n\n## Starting the server\n\n```sh\nmake serve\n```",
				"All done.\n\n**Part 2 — Settings page reworked**:\n\n- wider\n- calmer", "What changed:\n\n**Sorting order now stable:**\n\n| before | after |\n|---|---|\n| a | b |\n| b | a |",
				"### 1. `store/lock.go` — Added a lock\n\nIt is held while the map is read.\n\n### 2. `store/cache.go:88` — Dropped the second lock",
				"All clean.\n\n### 4. `web/app.ts` — Renamed `load` to `fetchAll`", "I looked at all of it.\n\n**Bottom line: the cache was never the problem.**", "The report is written.\n\n### Coverage: 91 % of lines",
				"Two things to change:\n\n1. Say it in the guide:\n   ```markdown\n   ### Checks\n   ```bash\n   make check\n   ```\n   They need a key.\n   ```\n\n2. Name the pages.\n\nThe guide is sound otherwise.",
			},
			strategy.Continue: {
				"## Task 4: Wire the cache", "Both are in.\n\n**Step 2: Update the index**", "The flag is read.\n\n### 5. Add a `reset` flag to the loader", "One is mended.\n\n**MINOR-03: Rename the stale helper**",
				"The second is done, too.\n\n**Step 3 — Settings page**", "Now I'll build it:\n\n```sh\nmake\n```", "All three are real.\n\n**Fixing the last two in one go.**", "I'll change it like this:\n\n```go\nfunc",
				"The lock is in.\n\n**Issues 4 & 5: Check the key, and answer 403**",
			},
		},
		"a denial, an aside, another time": {
			strategy.Stop: {
				"The plan has been carried out. There's nothing left to port.", "The tree is clean - no more calls of the old client remain.", "Committed all four files. The tree is clean (only two scratch notes remain).",
				"Ran the suite: 11/12 pass (1 pre-existing failure)", "Done. All clips use the new prompt. The `intro.gif` still shows the old one for comparison.", "Before that change, the worker never touched its socket.",
				"This is why lines like `a := 1` don't need to be checked by it.", "**Before:**\n\n- Monday: one row\n- Result: two rows for one user ❌\n\n**After:**\n\n- Result: one row ✅\n\nAll tests pass!",
				"My previous version kept whatever was not yet read.", "The choice of the format is a question that is still open.", "The held release still awaits your signature.",
				"Here's what changed:\n\n- `keys.go`: dropped `F4`, updated the hints of F1/2/3", "Previously the index was never updated.",
				"Both fixed and checked with three inputs (empty, unresolved, and nested); all green.", "That decision is still open.", "9/10 tests pass; the tenth is a pre-existing failure.",
			},
			strategy.Continue: {
				"The writer still uses the old store.", "Two of the five pages are not converted yet.", "3 of 7 readers are converted.", "Still to do: the printer.",
				"The parser is done; the printer (the larger half) is not written yet.", "No tests yet for the writer.", "- [x] parser\n- [ ] printer", "⬜ printer, not written yet\n✅ parser",
			},
		},
		"steps that are advice": {
			strategy.Stop: {
				"1. Measure it\n2. Cache the totals\n3. Drop the join\n\nSteps 1 and 2 are cheap. Step 3 is where most of the gain starts.", "Phase 2 is where it begins to pay.", "Milestone 3 is when the public part starts.",
				"Part 4 is what actually starts the service.", "Phase 1 is the cheap one, and phase 2 is where the pain begins.", "1. Add an index (1 hour)\n2. Cache the totals (1 day)\n\nStep 1 alone gets most of it.",
				"In that order, step 1 goes to staging and step 2 would follow a week later.", "### Options\n\n1. Keep it\n2. Split it\n\nStage 2 would follow in spring.", "What I found, by weight:\n\n1. Lock the map\n2. Consider a retry for the upload",
				"**Estimate: 2–3 days for all five**", "The cheap ones first:\n\n1. Name the flag\n2. Write the page\n\n**Effort: half a day**", "Steps 1–3 need no server. Step 4 is when one starts to matter.",
			},
			strategy.Continue: {
				"Step 4 starts now.", "Phase 2 begins: the importer.", "The index is in. Step 2 is next.", "The plan is in place. Step 1: add the index.", "Step 3 of the plan starts with the printer.", "The list is short. Starting with step 1.",
			},
		},
	} {
		for want, list := range texts {
			for _, text := range list {
				s := strategy.Situation{Message: strategy.Message{Text: text}, Turn: strategy.Turn{Known: true, Count: 3}}
				if v := decide(rules.Options{Off: []string{rules.Opinion}}, s); v.Decision != want {
					t.Errorf("%s: %q: %s by %s (%s)", class, text, v.Decision, v.Rule, v.Evidence)
				}
			}
		}
	}
}

// A todo list that the user has left behind is not taken up, unless the message says so.
func TestNedLeavesOldTodos(t *testing.T) {
	for _, test := range []struct {
		text  string
		turns int
		want  strategy.Decision
	}{
		{"The sign has four letters.", 0, strategy.Continue},
		{"The sign has four letters.", 1, strategy.Stop},
		{"The sign has four letters.", 2, strategy.Stop},
		{"It is a draft:\n\n- two commits for the sign\n- one for the door", 1, strategy.Stop},
		{"The log looks fine, and so does the page.", 1, strategy.Stop},
		{"Both fixes have tests. Task 4 (look into the door) remains pending.", 1, strategy.Stop},
		{"No injection is possible there: all names are fixed.", 2, strategy.Stop},
		{"Pushed.\n\nThe page has both signs.", 1, strategy.Stop},
		{"The page has both signs.", 5, strategy.Stop},
		{"Now I'll paint the door.", 1, strategy.Continue},
		{"The sign is up. Next: the door.", 2, strategy.Continue},
		{"## Task 2: Paint the door", 1, strategy.Continue},
		{"The door needs a second coat; painting it now.", 1, strategy.Continue},
		{"One more hinge in the shed.", 0, strategy.Continue},
	} {
		s := strategy.Situation{Message: strategy.Message{Text: test.text}, Turn: strategy.Turn{Known: true, Count: 3}}
		s.Todos = strategy.Todos{List: []activity.Todo{{Content: "paint the door", Status: "pending"}}, Turns: test.turns}
		if v := decide(rules.Options{Off: []string{rules.Opinion}}, s); v.Decision != test.want {
			t.Errorf("%q, %d turns: %s by %s (%s)", test.text, test.turns, v.Decision, v.Rule, v.Evidence)
		}
	}
}
