package specs_test

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/specs"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/strategy/speckit"
	"github.com/cameronsjo/springfield/runtime/strategy/specum"
)

var errorIf = scratch.ErrorIf

// space is a workspace in memory: files by their clean names.
type space map[string]strategy.File

func spaceOf(texts map[string]string) space {
	s := space{}
	for name, text := range texts {
		s[name] = strategy.File{Found: true, Data: []byte(text), Age: 10_000}
	}
	return s
}

// read answers a want as the hook does.
func (s space) read(w strategy.WantedFile) strategy.File {
	name := path.Clean(w.Name)
	if !strings.HasSuffix(w.Name, "/") {
		return s[name]
	}
	dir := strategy.File{}
	for file := range s {
		if rest, ok := strings.CutPrefix(file, strings.TrimPrefix(name+"/", "./")); ok {
			entry, _, _ := strings.Cut(rest, "/")
			dir.Found = true
			if !slices.Contains(dir.Names, entry) {
				dir.Names = append(dir.Names, entry)
			}
		}
	}
	slices.Sort(dir.Names)
	return dir
}

// chosen are the settings, 0 for the default.
type chosen struct {
	ceiling int
	checks  []string
}

// decideIn reads the wanted files and decides.
func decideIn(t *testing.T, st strategy.Strategy, o chosen, s strategy.Situation, in space) strategy.Verdict {
	t.Helper()
	if s.Workspace.Dir == "" {
		s.Workspace.Dir = "/w"
	}
	if s.Session.ID == "" {
		s.Session.ID = "test-session"
	}
	s.Session.Plugin = st.Name
	options := st.New().(*specs.Options)
	options.Checks = o.checks
	if o.ceiling > 0 {
		options.Ceiling.Value = o.ceiling
	}
	s.Workspace.Files = map[string]strategy.File{}
	asks := 0
	for news := true; news; asks++ {
		news = false
		for _, w := range options.Needs().Files(s) {
			if _, ok := s.Workspace.Files[w.Name]; !ok {
				s.Workspace.Files[w.Name] = in.read(w)
				news = true
			}
		}
	}
	errorIf(t, asks > 8 || len(s.Workspace.Files) > 64, "%d asks for %d files", asks, len(s.Workspace.Files))
	v := options.Decide(s)
	checkVerdict(t, v)
	return v
}

// checkVerdict checks the invariants of every verdict.
func checkVerdict(t *testing.T, v strategy.Verdict) {
	t.Helper()
	if v.Decision != strategy.Stop && v.Decision != strategy.Continue || (v.Decision == strategy.Continue) != (v.Reason != "") || v.Rule == "" || v.Evidence == "" {
		t.Errorf("verdict %+v", v)
	}
	if v.Decision == strategy.Continue && (v.Told == "" || v.Remember.Key == "" && v.Remember.At == 0 && v.Remember.Mark == "" && v.Remember.Told == nil) {
		t.Errorf("a continue without words to the user or a memory: %+v", v)
	}
	for _, change := range v.Changes {
		if change.Data != nil || !change.Optional || !strings.HasPrefix(path.Base(change.Name), ".progress-task-") || strings.Contains(change.Name, "..") {
			t.Errorf("change %+v", change)
		}
	}
	errorIf(t, strings.Contains(v.Reason, "%!") || strings.Contains(v.Told, "\n"), "words: %q, %q", v.Reason, v.Told)
}

// kind is one of the two strategies, with its file names.
type kind struct {
	strategy.Strategy
	state, tasks, title, local string
	files                      map[string]string // that lead to the spec
}

func specumKind() kind {
	return kind{
		specum.Strategy, "specs/demo/.ralph-state.json", "specs/demo/tasks.md", "Continue spec: demo", ".claude/ralph-specum.local.md",
		map[string]string{"specs/.current-spec": "demo\n"},
	}
}

func speckitKind() kind {
	return kind{
		speckit.Strategy, ".specify/specs/demo/.speckit-state.json", ".specify/specs/demo/tasks.md", "Continue feature: demo", ".claude/ralph-speckit.local.md",
		map[string]string{".specify/.current-feature": "demo\n"},
	}
}

// with is a workspace with a state file and more.
func (k kind) with(state string, more map[string]string) space {
	files := maps.Clone(k.files)
	files[k.state] = state
	maps.Copy(files, more)
	return spaceOf(files)
}

// state is a state file.
func state(phase string, index, total int, more string) string {
	return fmt.Sprintf(`{"phase": %q, "taskIndex": %d, "totalTasks": %d%s}`, phase, index, total, more)
}

const fiveTasks = `# Tasks

## Phase 1: make it work

- [x] 1.1 Read the file
  - **Do**: open it
- [x] 1.2 Parse it
- [ ] 1.3 Print it
  - **Do**: print it
    with care

  - **Verify**: go test ./...

- [ ] 1.4 Document it
  - **Do**: write

## Phase 2: make it good

- [ ] 2.1 Tidy up
`

// The acceptance criteria of seeds 003 and 004.
func TestSpecsCriteria(t *testing.T) {
	type want struct {
		decision strategy.Decision
		rule     string
		reason   []string // in the reason
		told     string   // the whole of it
		notes    []string // in the notes
		quiet    bool     // nothing to the user, nothing on standard error
	}
	type test struct {
		s     strategy.Situation
		state string
		more  map[string]string
		want  want
	}
	said := func(text string) strategy.Situation {
		return strategy.Situation{Turn: strategy.Turn{Known: true}, Window: activity.Window{Said: []string{text}}}
	}
	for _, k := range []kind{specumKind(), speckitKind()} {
		upper := strings.ToUpper(k.Name[:1]) + k.Name[1:]
		for name, test := range map[string]test{
			"AC-1.1 FR-1 tasks remain": {state: state("execution", 2, 5, `, "globalIteration": 3`),
				want: want{decision: strategy.Continue, rule: "task"}},
			"AC-1.2 FR-2 the reason": {state: state("execution", 2, 5, `, "globalIteration": 3, "taskIteration": 2, "maxTaskIterations": 4, "recoveryMode": true`), more: map[string]string{k.tasks: fiveTasks},
				want: want{decision: strategy.Continue, rule: "task", reason: []string{
					k.title + " (Task 3/5, Iter 3)\n", path.Base(k.state), "tasks.md", "spec-executor", specs.AllDone, "Index: 2", "Iteration: 2/4", "Recovery: true",
					"- [ ] 1.3 Print it\n  - **Do**: print it\n    with care\n\n  - **Verify**: go test ./...\n\n## Resume\n", "/" + k.Name + ":implement", "\n## Critical\n- ",
				}}},
			"AC-1.3 FR-3 the message to the user": {state: state("execution", 1, 5, `, "globalIteration": 3`),
				want: want{decision: strategy.Continue, rule: "task", told: upper + " iteration 3 | Task 2/5"}},
			"AC-1.5 AC-2.3 taskIndex = totalTasks": {state: state("execution", 5, 5, ""),
				want: want{decision: strategy.Stop, rule: "done"}},
			"AC-2.4 the signal": {s: said("Everything is in place.\n\n" + specs.AllDone), state: state("execution", 2, 5, ""),
				want: want{decision: strategy.Stop, rule: "signal", notes: []string{specs.AllDone + " detected"}}},
			"AC-3.1 AC-3.2 FR-7 another program drives": {s: strategy.Situation{Turn: strategy.Turn{Active: true, Known: true}}, state: state("execution", 0, 5, ""),
				want: want{decision: strategy.Stop, rule: "another", notes: []string{"stop_hook_active=true"}}},
			"AC-3.2 not in a spec that waits": {s: strategy.Situation{Turn: strategy.Turn{Active: true}}, state: state("design", 0, 5, ""),
				want: want{decision: strategy.Stop, rule: "phase", quiet: true}},
			"AC-4.1 AC-4.3 FR-5 a corrupt file": {state: "{ invalid json here",
				want: want{decision: strategy.Continue, rule: "corrupt", reason: []string{
					"ERROR: Corrupt state file at ", k.state, "line 1, column 3", "Recovery options", "/" + k.Name + ":implement", "/" + k.Name + ":cancel",
				}, told: upper + ": corrupt state file "}},
			"AC-4.1 with stop_hook_active": {s: strategy.Situation{Turn: strategy.Turn{Active: true}}, state: "{ invalid json here",
				want: want{decision: strategy.Continue, rule: "corrupt"}},
			"the signal beats a corrupt file": {s: said(specs.AllDone), state: "{",
				want: want{decision: strategy.Stop, rule: "signal"}},
			"waiting for approval": {state: state("execution", 2, 5, `, "awaitingApproval": true`),
				want: want{decision: strategy.Stop, rule: "approval", notes: []string{"awaitingApproval=true"}}},
			"done, and waiting for approval": {state: state("execution", 5, 5, `, "awaitingApproval": true`),
				want: want{decision: strategy.Stop, rule: "done"}},
			"what goes on standard error": {state: state("execution", 2, 5, `, "taskIteration": 3`),
				want: want{decision: strategy.Continue, rule: "task", notes: []string{"demo | Task: 3/5 | Attempt: 3"}}},
		} {
			t.Run(k.Name+"/"+name, func(t *testing.T) {
				v := decideIn(t, k.Strategy, chosen{}, test.s, k.with(test.state, test.more))
				if v.Decision != test.want.decision || v.Rule != test.want.rule {
					t.Fatalf("%s by %s (%s), want %s by %s", v.Decision, v.Rule, v.Evidence, test.want.decision, test.want.rule)
				}
				for _, part := range test.want.reason {
					errorIf(t, !strings.Contains(v.Reason, part), "the reason lacks %q:\n%s", part, v.Reason)
				}
				if !strings.HasPrefix(v.Told, test.want.told) || test.want.decision == strategy.Stop && v.Told != "" {
					t.Errorf("the user is told %q", v.Told)
				}
				notes := strings.Join(v.Notes, "\n")
				for _, part := range test.want.notes {
					errorIf(t, !strings.Contains(notes, part), "the notes lack %q: %s", part, notes)
				}
				errorIf(t, test.want.quiet && notes != "", "notes %q", notes)
			})
		}
	}
}

// AC-4.2 and FR-6 for one, seed 004's error table for the other; AC-3.3.
func TestSpecsLimit(t *testing.T) {
	for name, test := range map[string]struct {
		state   string
		ceiling int
		s       strategy.Situation
		limit   string // that is reached, "" if none is
	}{
		"AC-4.2 AC-4.3 FR-6 reached":   {state: state("execution", 2, 5, `, "globalIteration": 100, "maxGlobalIterations": 100`), limit: "(100)"},
		"AC-3.3 with the default":      {state: state("execution", 2, 5, `, "globalIteration": 100`), limit: "(100)"},
		"AC-4.2 in another phase":      {state: state("design", 0, 0, `, "globalIteration": 7, "maxGlobalIterations": 7`), limit: "(7)"},
		"AC-4.2 errors beat the guard": {state: state("execution", 2, 5, `, "globalIteration": 100`), s: strategy.Situation{Turn: strategy.Turn{Active: true, Known: true}}, limit: "(100)"},
		"none at all":                  {state: state("execution", 0, 5, `, "maxGlobalIterations": 0`), limit: "(0)"},
		"the ceiling":                  {state: state("execution", 2, 5, `, "globalIteration": 100, "maxGlobalIterations": 100000`), limit: "(100)"},
		"a ceiling of the user's":      {state: state("execution", 2, 5, `, "globalIteration": 100, "maxGlobalIterations": 100000`), ceiling: 300},
		"a lower ceiling":              {state: state("execution", 2, 5, `, "globalIteration": 5, "maxGlobalIterations": 10`), ceiling: 5, limit: "(5)"},
	} {
		for _, k := range []kind{specumKind(), speckitKind()} {
			t.Run(k.Name+"/"+name, func(t *testing.T) {
				in := k.with(test.state, nil)
				v := decideIn(t, k.Strategy, chosen{ceiling: test.ceiling}, test.s, in)
				if test.limit == "" {
					errorIf(t, v.Rule != "task", "%s by %s, %s", v.Decision, v.Rule, v.Evidence)
					return
				}
				notes := strings.Join(v.Notes, "\n")
				if v.Rule != "limit" || !strings.Contains(notes, "ERROR: Maximum global iterations "+test.limit+" reached") {
					t.Fatalf("rule %s, notes %q", v.Rule, notes)
				}
				if k.Name == "ralph-speckit" {
					if v.Decision != strategy.Stop || !strings.Contains(v.Told, "Maximum global iterations "+test.limit+" reached") {
						t.Errorf("verdict %+v", v)
					}
					test.s.Memories = []activity.Memory{v.Remember}
					if v := decideIn(t, k.Strategy, chosen{ceiling: test.ceiling}, test.s, in); v.Decision != strategy.Stop || v.Told != "" {
						t.Errorf("again: %+v", v)
					}
					return
				}
				if v.Decision != strategy.Continue || !strings.HasPrefix(v.Reason, "ERROR: Maximum global iterations "+test.limit+" reached") || !strings.Contains(v.Reason, "Recovery options") ||
					strings.Contains(v.Reason, "Continue spec") || !strings.Contains(v.Told, "Maximum global iterations "+test.limit+" reached") {
					t.Errorf("verdict %+v", v)
				}
				capped := strings.Contains(test.state, "100000") || test.ceiling == 5
				for _, words := range []string{v.Reason, notes} {
					if strings.Contains(words, "the ceiling is") != capped || strings.Contains(words, "~/.claude/springfield/ralph-specum.json") != capped {
						t.Errorf("about the ceiling: %q", words)
					}
				}
				// The second time only the user is notified, also with another driver.
				test.s.Turn.Active, test.s.Memories = true, []activity.Memory{v.Remember}
				if v := decideIn(t, k.Strategy, chosen{ceiling: test.ceiling}, test.s, in); v.Decision != strategy.Stop || v.Told == "" || v.Rule != "limit" {
					t.Errorf("again: %+v", v)
				}
			})
		}
	}
}

// An error blocks once per session, state file and content.
func TestSpecsErrorsBlockOnce(t *testing.T) {
	for _, k := range []kind{specumKind(), speckitKind()} {
		t.Run(k.Name, func(t *testing.T) {
			var memories []activity.Memory
			stop := func(state string) strategy.Verdict {
				t.Helper()
				v := decideIn(t, k.Strategy, chosen{}, strategy.Situation{Turn: strategy.Turn{Active: memories != nil}, Memories: memories}, k.with(state, nil))
				if v.Remember.Key != "" {
					memories = []activity.Memory{v.Remember}
				}
				return v
			}
			if v := stop("{"); v.Decision != strategy.Continue || v.Rule != "corrupt" {
				t.Fatalf("first: %+v", v)
			}
			for range 3 {
				if v := stop("{"); v.Decision != strategy.Stop || v.Told == "" {
					t.Errorf("the same again: %+v", v)
				}
			}
			if v := stop("{{"); v.Decision != strategy.Continue {
				t.Errorf("another content: %+v", v)
			}
			if v := stop("{"); v.Decision != strategy.Stop {
				t.Errorf("the first content once more: %+v", v)
			}
			// After a repair it goes on: the block was ours.
			if v := stop(state("execution", 0, 5, "")); v.Decision != strategy.Continue || v.Rule != "task" {
				t.Errorf("repaired: %+v", v)
			}
			// A file that is broken in ever new ways does not go on for ever.
			blocks := 0
			for i := range 50 {
				if v := stop(strings.Repeat("{", i+3)); v.Decision == strategy.Continue {
					blocks++
				}
			}
			errorIf(t, blocks > specs.MaxErrors, "%d blocks by errors", blocks)
		})
	}
}

// walk runs a session with the given state file before each stop.
func walk(t *testing.T, k kind, o chosen, s strategy.Situation, states []string) (rules []string, last strategy.Verdict) {
	t.Helper()
	for _, state := range states {
		in := space{}
		if state != "" {
			in = k.with(state, nil)
		}
		last = decideIn(t, k.Strategy, o, s, in)
		rules = append(rules, last.Rule)
		if last.Remember.Key != "" {
			s.Memories = []activity.Memory{last.Remember}
		}
		s.Turn.Active = s.Turn.Active || last.Decision == strategy.Continue
	}
	return rules, last
}

// US-1 and US-3: on as long as the task or an iteration moves.
func TestSpecsMovement(t *testing.T) {
	at := func(index, attempt, global int) string {
		return state("execution", index, 5, fmt.Sprintf(`, "taskIteration": %d, "globalIteration": %d`, attempt, global))
	}
	repeat := func(s string, n int) []string { return slices.Repeat([]string{s}, n) }
	for name, test := range map[string]struct {
		known  bool
		states []string
		rules  string // of the last stops
	}{
		"US-1 five tasks":                 {true, []string{at(0, 1, 1), at(1, 1, 2), at(2, 1, 3), at(3, 1, 4), at(4, 1, 5), ""}, "task task task task task no-spec"},
		"US-1 one task, many attempts":    {true, []string{at(0, 1, 1), at(0, 2, 1), at(0, 3, 1), at(0, 4, 1)}, "task task task task"},
		"US-1 the global iteration alone": {true, []string{at(0, 1, 1), at(0, 1, 2), at(0, 1, 3), at(0, 1, 4)}, "task task task task"},
		"US-3 nothing moves":              {true, repeat(at(1, 1, 1), 4), "task task stagnation stagnation"},
		"US-3 after stagnation it moves":  {true, append(repeat(at(1, 1, 1), 3), at(2, 1, 1)), "task task stagnation task"},
		"US-3 unknown is not no progress": {false, repeat(at(1, 1, 1), 30), "task task task task"},
		"US-3 unknown is bounded":         {false, repeat(at(1, 1, 1), 130), "limit limit limit"},
		"US-3 movement is bounded, too":   {true, slices.Concat(slices.Repeat([]string{at(1, 1, 1), at(2, 1, 1)}, 60)), "limit limit limit"},
	} {
		for _, k := range []kind{specumKind(), speckitKind()} {
			rules, _ := walk(t, k, chosen{}, strategy.Situation{Turn: strategy.Turn{Known: test.known, PromptID: "id:p1"}}, test.states)
			got := strings.ReplaceAll(strings.Join(rules, " "), "no-feature", "no-spec")
			errorIf(t, !strings.HasSuffix(got, test.rules), "%s: rules %s", k.Name+"/"+name, got)
			if n := strings.Count(got, "task"); n > 99 {
				t.Errorf("%s: %d continues", k.Name+"/"+name, n)
			}
		}
	}
}

func TestSpecsStagnationIsSaidOnce(t *testing.T) {
	for _, k := range []kind{specumKind(), speckitKind()} {
		s := strategy.Situation{Turn: strategy.Turn{Known: true}}
		stuck := state("execution", 1, 5, "")
		_, v := walk(t, k, chosen{}, s, []string{stuck, stuck, stuck})
		if v.Decision != strategy.Stop || !strings.Contains(v.Told, "stopped at task 2/5 of demo") || !strings.Contains(strings.Join(v.Notes, "\n"), "Stagnation at task 2/5") {
			t.Errorf("%s: %+v", k.Name, v)
		}
		if _, v := walk(t, k, chosen{}, s, []string{stuck, stuck, stuck, stuck}); v.Decision != strategy.Stop || v.Told != "" {
			t.Errorf("%s, again: %+v", k.Name, v)
		}
		// A new turn resets the count.
		_, v = walk(t, k, chosen{}, s, []string{stuck, stuck, stuck})
		if v := decideIn(t, k.Strategy, chosen{}, strategy.Situation{Turn: strategy.Turn{Known: true}, Memories: []activity.Memory{v.Remember}}, k.with(stuck, nil)); v.Decision != strategy.Continue || v.Remember.Stalls != 0 {
			t.Errorf("%s, a new turn: %+v", k.Name, v)
		}
	}
}

// The table of reference cases for the word that ends a spec.
func TestSpecsSignal(t *testing.T) {
	for text, done := range map[string]bool{
		specs.AllDone:                                          true,
		specs.AllDone + "\r\nGoodbye.":                         true,
		"**" + specs.AllDone + "**":                            true,
		"### ✅ **" + specs.AllDone + "**":                      true,
		"`" + specs.AllDone + "`":                              true,
		"🎉 " + specs.AllDone + "!":                             true,
		"All done: " + specs.AllDone:                           true,
		"All 5 tasks are finished — **" + specs.AllDone + "**": true,

		"":                                       false,
		"Do not print " + specs.AllDone + " yet": false,
		"Do not print:\n> " + specs.AllDone:      false,
		"I print it when all is done: " + specs.AllDone:                         false,
		"Not done yet: " + specs.AllDone:                                        false,
		"It isn't complete: " + specs.AllDone:                                   false,
		"All done: " + specs.AllDone + " comes next.":                           false,
		"When everything is finished I will output " + specs.AllDone:            false,
		"NOT_" + specs.AllDone:                                                  false,
		specs.AllDone + "?":                                                     false,
		"\"" + specs.AllDone + "\"":                                             false,
		"- " + specs.AllDone + ": printed at the end":                           false,
		"In the end:\n~~~~text\n```\n" + specs.AllDone + "\n~~~~":               false,
		"```\nx\n```\n" + specs.AllDone:                                         true,
		"```go\nx\n```\n\nThe word:\n```\n" + specs.AllDone + "\n```\nNot yet.": false,
		"Use ```" + specs.AllDone + "``` in the end":                            false,
		"> " + specs.AllDone:                                                    false,
	} {
		got := specs.SaysDone(text, true)
		errorIf(t, got != done, "%q: %v", text, got)
	}
}

// FR-4: how the settings file is read, as the originals do.
func TestSpecsSwitch(t *testing.T) {
	for text, disabled := range map[string]bool{
		"---\nenabled: false\n---\n":                            true,
		"---\nenabled: \"FALSE\"\n---\n":                        true,
		"---\nenabled:   f a l s e\n---\n":                      true,
		"---\r\nenabled: false\r\n---\r\n":                      true,
		"# Mine\n\n---\nenabled: false\n---\n":                  true,
		"---\na: b\nenabled: false\n":                           true,
		"---\nenabled: false # for now\n---\n":                  false,
		"---\nenabled: true\nenabled: false\n---\n":             false,
		"---\n enabled: false\n---\n":                           false,
		"---\na: b\n---\nenabled: false\n":                      false,
		"--- \nenabled: false\n---\n":                           false,
		"---\nspecs_dirs: [\"./specs\"]\n---\n\nenabled: false": false,
	} {
		for _, k := range []kind{specumKind(), speckitKind()} {
			v := decideIn(t, k.Strategy, chosen{}, strategy.Situation{}, k.with(state("execution", 1, 5, ""), map[string]string{k.local: text}))
			errorIf(t, (v.Rule == "disabled") != disabled, "%s, %q: %s", k.Name, text, v.Rule)
		}
	}
	// It may say so, where it cannot be read.
	k := specumKind()
	in := k.with(state("execution", 1, 5, ""), nil)
	in[k.local] = strategy.File{Found: true, Problem: "permission denied"}
	if v := decideIn(t, k.Strategy, chosen{}, strategy.Situation{}, in); v.Decision != strategy.Stop || !strings.Contains(strings.Join(v.Notes, ""), "permission denied") {
		t.Errorf("unreadable: %+v", v)
	}
}

// The spec is resolved as upstream's path resolver does; "" is not found.
func TestSpecumResolves(t *testing.T) {
	const dirs = "---\nspecs_dirs: [\"./a/specs/\", ./b]\n---\n"
	for name, test := range map[string]struct {
		local, at, current string
		state              string // where the state file lies
		found              string // how the place is shown
	}{
		"a bare name":                        {"", "specs", "demo", "specs/demo", "./specs/demo"},
		"a path":                             {"", "specs", "./packages/api/specs/demo", "packages/api/specs/demo", "./packages/api/specs/demo"},
		"a name with a slash":                {"", "specs", "group/demo", "specs/group/demo", "./specs/group/demo"},
		"a path without ./":                  {"", "specs", "specs/demo", "specs/demo", "specs/demo"},
		"an absolute path inside":            {"", "specs", "/w/specs/demo", "specs/demo", "./specs/demo"},
		"a path from the workspace":          {"", "specs", "/specs/demo", "specs/demo", "./specs/demo"},
		"outside, absolute":                  {"", "specs", "/etc/demo", "specs/demo", ""},
		"outside, as a path":                 {"", "specs", "./../demo", "demo", ""},
		"beside":                             {"", "specs", "../demo", "demo", "./specs/../demo"},
		"nothing in it":                      {"", "specs", "\n", "specs", ""},
		"a byte order mark":                  {"", "specs", "\ufeffdemo\n", "specs/demo", "./specs/demo"},
		"specs_dirs, the first":              {dirs, "a/specs", "demo", "a/specs/demo", "./a/specs/demo"},
		"specs_dirs, the first is not there": {dirs, "b", "demo", "b/demo", "./b/demo"},
		"specs_dirs, none is there":          {dirs, "specs", "demo", "specs/demo", "./specs/demo"},
		"specs_dirs, outside":                {"---\nspecs_dirs: [../x, /etc]\n---\n", "specs", "demo", "specs/demo", "./specs/demo"},
		"specs_dirs, not in front matter":    {"specs_dirs: [\"./b\"]\n", "b", "demo", "b/demo", ""},
		"specs_dirs, the workspace":          {"---\nspecs_dirs: [\"./\"]\n---\n", ".", "demo", "demo", "./demo"},
		"a path, with specs_dirs":            {dirs, "a/specs", "./b/demo", "b/demo", "./b/demo"},
	} {
		files := map[string]string{path.Clean(test.at + "/.current-spec"): test.current, test.state + "/.ralph-state.json": state("execution", 0, 5, "")}
		if test.local != "" {
			files[".claude/ralph-specum.local.md"] = test.local
		}
		v := decideIn(t, specum.Strategy, chosen{}, strategy.Situation{}, spaceOf(files))
		if test.found == "" {
			errorIf(t, v.Decision != strategy.Stop || v.Told != "", "%s: verdict %+v", name, v)
			continue
		}
		if v.Rule != "task" || !strings.Contains(v.Reason, "Path: "+test.found+" |") || v.Remember.Key != "/w/"+test.state+"/.ralph-state.json" {
			t.Errorf("%s: %s, key %s:\n%s", name, v.Rule, v.Remember.Key, v.Reason)
		}
	}
	// The directory that comes first is the one whose .current-spec counts.
	files := map[string]string{
		".claude/ralph-specum.local.md": dirs, "a/specs/other/x": "", "b/.current-spec": "demo", "b/demo/.ralph-state.json": state("execution", 0, 5, ""),
	}
	if v := decideIn(t, specum.Strategy, chosen{}, strategy.Situation{}, spaceOf(files)); v.Rule != "no-spec" {
		t.Errorf("the second directory counts: %+v", v)
	}
}

func TestSpeckitResolves(t *testing.T) {
	for current, name := range map[string]string{
		"001-demo\n": "001-demo", " 001 demo ": "001demo", "a/b": "a/b", "a/../b": "a/../b", "": "", "..": "", "../specs2/x": "", "../../x": "", "/etc": "/etc", ".": "", "-x": "-x",
	} {
		files := map[string]string{".specify/.current-feature": current, path.Clean(".specify/specs/"+strings.TrimSpace(name)) + "/.speckit-state.json": state("execution", 0, 5, "")}
		files["x/.speckit-state.json"] = state("execution", 0, 5, "")
		files[".specify/specs2/x/.speckit-state.json"] = state("execution", 0, 5, "")
		v := decideIn(t, speckit.Strategy, chosen{}, strategy.Situation{}, spaceOf(files))
		if (v.Rule == "task") != (name != "") || name != "" && !strings.HasPrefix(v.Reason, "Continue feature: "+name+" (Task 1/5") {
			t.Errorf("%q: %s\n%s", current, v.Rule, v.Reason)
		}
	}
}

// Rule "corrupt" names the faulty member.
func TestSpecsState(t *testing.T) {
	const go5 = `"phase": "execution", "totalTasks": 5`
	for text, want := range map[string]string{ // the rule, and what is said of the task
		`{"phase": "execution", "taskIndex": 1, "totalTasks": 5}`: "task Task 2/5, Iter 1",
		`{` + go5 + `}`: "task Task 1/5, Iter 1",
		`{` + go5 + `, "taskIndex": null, "globalIteration": false}`:                          "task Task 1/5, Iter 1",
		`{` + go5 + `, "taskIndex": "2"}`:                                                     "task Task 3/5, Iter 1",
		`{` + go5 + `, "taskIndex": 1, "taskIndex": 3}`:                                       "task Task 4/5, Iter 1",
		`{` + go5 + `, "taskindex": 3}`:                                                       "task Task 1/5, Iter 1",
		`{` + go5 + `, "taskIndex": 9999999999}`:                                              "done",
		`{"phase": "execution", "totalTasks": 9999999999}`:                                    "task Task 1/1000000000, Iter 1",
		`{` + go5 + `, "globalIteration": 9999999999}`:                                        "limit",
		`{` + go5 + `, "taskIndex": 1e9}`:                                                     "corrupt taskIndex is 1e9, ",
		`{` + go5 + `, "taskIteration": "often", "maxTaskIterations": [], "recoveryMode": 7}`: "task Task 1/5, Iter 1",
		`{` + go5 + `, "recoveryMode": "true", "awaitingApproval": "true"}`:                   "approval",
		`{` + go5 + `, "unknown": {"deep": [1, 2, {"x": null}]}}`:                             "task Task 1/5, Iter 1",
		"\ufeff{" + go5 + "}":                                                                 "task Task 1/5, Iter 1",
		`{}`:                                                                                  "phase",
		`{"phase": ["execution"]}`:                                                            "phase",
		`{"phase": "execution"}`:                                                              "done",
		`{` + go5 + `, "taskIndex": -1}`:                                                      "corrupt taskIndex is -1, not a whole number from 0",
		`{` + go5 + `, "taskIndex": 1.5}`:                                                     "corrupt taskIndex is 1.5, ",
		`{` + go5 + `, "taskIndex": "two"}`:                                                   `corrupt taskIndex is "two", `,
		`{` + go5 + `, "taskIndex": "-1"}`:                                                    `corrupt taskIndex is "-1", `,
		`{` + go5 + `, "taskIndex": [1]}`:                                                     "corrupt taskIndex is [1], ",
		`{"maxGlobalIterations": -5}`:                                                         "corrupt maxGlobalIterations is -5, ",
		``:                                                                                    "corrupt it is empty",
		`[]`:                                                                                  "corrupt it is not a JSON object",
		`null`:                                                                                "corrupt it is not a JSON object",
		"{" + go5 + "}\n{}":                                                                   "corrupt line 2, column 1: unexpected '{' where the document should end",
		"{\n  " + go5 + ",\n}":                                                                "corrupt line 3, column 1: unexpected '}'",
		strings.Repeat(`{"a":`, 20_000):                                                       "corrupt line 1, column ",
		strings.Repeat("[", 100_000):                                                          "corrupt line 1, column ",
		"{\"phase\": \"\xff\xfe\"}":                                                           "phase",
	} {
		for _, k := range []kind{specumKind(), speckitKind()} {
			v := decideIn(t, k.Strategy, chosen{}, strategy.Situation{}, k.with(text, nil))
			rule, words, _ := strings.Cut(want, " ")
			if v.Rule != rule || !strings.Contains(v.Reason, words) {
				t.Errorf("%s, %.80q: %s, %.300q", k.Name, text, v.Rule, v.Reason)
			}
		}
	}
}

// A state file that cannot be read is a stop, of which the user is notified once.
func TestSpecsUnreadableState(t *testing.T) {
	for _, k := range []kind{specumKind(), speckitKind()} {
		in := k.with("", nil)
		in[k.state] = strategy.File{Found: true, Problem: "larger than 256 KiB"}
		v := decideIn(t, k.Strategy, chosen{}, strategy.Situation{}, in)
		errorIf(t, v.Decision != strategy.Stop || !strings.Contains(v.Told, "larger than 256 KiB"), "%s: %+v", k.Name, v)
		if v := decideIn(t, k.Strategy, chosen{}, strategy.Situation{Memories: []activity.Memory{v.Remember}}, in); v.Decision != strategy.Stop || v.Told != "" {
			t.Errorf("%s, again: %+v", k.Name, v)
		}
		// That was no block of ours: another program keeps Claude going.
		if v := decideIn(t, k.Strategy, chosen{}, strategy.Situation{Turn: strategy.Turn{Active: true}, Memories: []activity.Memory{v.Remember}}, k.with(state("execution", 1, 5, ""), nil)); v.Rule != "another" {
			t.Errorf("%s, another program drives: %+v", k.Name, v)
		}
	}
}

// Quick mode continues in every phase, where the user chooses it.
func TestSpecsQuickMode(t *testing.T) {
	for name, test := range map[string]struct {
		checks []string
		state  string
		active bool
		rule   string
		reason string
	}{
		"off":       {nil, state("design", 0, 0, `, "quickMode": true`), false, "phase", ""},
		"on":        {[]string{"quick-mode"}, state("design", 0, 0, `, "quickMode": true`), false, "quick-mode", "Quick mode active"},
		"not asked": {[]string{"quick-mode"}, state("design", 0, 0, ""), false, "phase", ""},
		"guarded":   {[]string{"quick-mode"}, state("design", 0, 0, `, "quickMode": true`), true, "another", ""},
		"over":      {[]string{"quick-mode"}, state("completed", 0, 0, `, "quickMode": true`), false, "phase", ""},
	} {
		for _, k := range []kind{specumKind(), speckitKind()} {
			v := decideIn(t, k.Strategy, chosen{checks: test.checks}, strategy.Situation{Turn: strategy.Turn{Active: test.active, Known: true}}, k.with(test.state, nil))
			if v.Rule != test.rule || !strings.Contains(v.Reason, test.reason) {
				t.Errorf("%s: %s: %s", k.Name+"/"+name, v.Rule, v.Reason)
			}
		}
	}
}

// The current task, and not those after it; tasks side by side together.
func TestTaskBlock(t *testing.T) {
	const group = "- [ ] 1 a\n- [ ] 2 [P] b\n  - **Do**: b\n\n- [ ] 3 [P] c\n- [ ] 4 d\n"
	for name, test := range map[string]struct {
		tasks  string
		index  int
		groups bool
		want   string
		group  bool
	}{
		"the third":             {fiveTasks, 2, true, "- [ ] 1.3 Print it\n  - **Do**: print it\n    with care\n\n  - **Verify**: go test ./...", false},
		"before a heading":      {fiveTasks, 3, true, "- [ ] 1.4 Document it\n  - **Do**: write", false},
		"the last":              {fiveTasks, 4, true, "- [ ] 2.1 Tidy up", false},
		"there is none":         {fiveTasks, 5, true, "", false},
		"no tasks":              {"", 0, true, "", false},
		"CRLF":                  {"- [ ] a\r\n  b\r\n- [ ] c\r\n", 0, true, "- [ ] a\n  b", false},
		"indented boxes":        {"- [ ] a\n  - [ ] a1\n- [ ] b\n", 1, true, "- [ ] b", false},
		"a group":               {group, 1, true, "- [ ] 2 [P] b\n  - **Do**: b\n\n- [ ] 3 [P] c", true},
		"its second":            {group, 2, true, "- [ ] 3 [P] c", false},
		"groups are not for it": {group, 1, false, "- [ ] 2 [P] b\n  - **Do**: b", false},
		"at most five":          {strings.Repeat("- [ ] [P] x\n", 9), 0, true, strings.TrimSuffix(strings.Repeat("- [ ] [P] x\n", 5), "\n"), true},
		"a huge one":            {"- [ ] " + strings.Repeat("é", 3000), 0, true, "- [ ] " + strings.Repeat("é", 997) + "…", false},
		"no UTF-8":              {"- [ ] \xff", 0, true, "- [ ] ?", false},
	} {
		if got, group := specs.TaskBlock([]byte(test.tasks), test.index, test.groups); got != test.want || group != test.group {
			t.Errorf("%s: %q, group %v", name, got, group)
		}
	}
	for _, k := range []kind{specumKind(), speckitKind()} {
		v := decideIn(t, k.Strategy, chosen{}, strategy.Situation{}, k.with(state("execution", 1, 4, ""), map[string]string{k.tasks: group}))
		together := k.Name == "ralph-specum"
		scratch.Equal(t, strings.Contains(v.Reason, "## Current Task Group (PARALLEL)"), together,
			k.Name, v.Told, v.Reason)
	}
}

// Progress files of parallel tasks are deleted after an hour, on the originals' paths only.
func TestSpecsOrphans(t *testing.T) {
	const hour = 60 * 60 * 1000
	for name, test := range map[string]struct {
		s       strategy.Situation
		state   string
		deletes bool
	}{
		"a continue":                    {strategy.Situation{}, state("execution", 1, 5, ""), true},
		"another's turn, another phase": {strategy.Situation{Turn: strategy.Turn{Active: true}}, state("tasks", 1, 5, ""), true},
		"done":                          {strategy.Situation{}, state("execution", 5, 5, ""), true},
		"another program's":             {strategy.Situation{Turn: strategy.Turn{Active: true}}, state("execution", 1, 5, ""), false},
		"the signal":                    {strategy.Situation{Message: strategy.Message{Text: specs.AllDone, FromEvent: true}}, state("execution", 1, 5, ""), false},
		"a corrupt file":                {strategy.Situation{}, "{", false},
		"waiting":                       {strategy.Situation{}, state("execution", 1, 5, `, "awaitingApproval": true`), false},
	} {
		for _, k := range []kind{specumKind(), speckitKind()} {
			in := k.with(test.state, nil)
			dir := path.Dir(k.state)
			old := strategy.File{Found: true, Data: []byte("x"), Age: hour + 1}
			in[dir+"/.progress-task-1.md"] = old
			in[dir+"/.progress-task-2.md"] = strategy.File{Found: true, Data: []byte("x"), Age: hour}
			in[dir+"/.progress-task-dir.md"] = strategy.File{Found: true, Problem: "not a regular file", Age: hour + 1}
			in[dir+"/.progress.md"], in[dir+"/tasks.md"], in[dir+"/sub/.progress-task-3.md"] = old, old, old
			v := decideIn(t, k.Strategy, chosen{}, test.s, in)
			var names []string
			for _, c := range v.Changes {
				names = append(names, c.Name)
			}
			var want []string
			if test.deletes {
				want = []string{dir + "/.progress-task-1.md"}
			}
			errorIf(t, !slices.Equal(names, want), "%s, %s: %s deletes %q", k.Name, name, v.Rule, names)
		}
	}
}

func FuzzSpecState(f *testing.F) {
	for _, s := range []string{state("execution", 1, 5, `, "globalIteration": 3`), "{", "", "[]", `{"taskIndex": "7"}`, `{"taskIndex": 1e400, "totalTasks": -1}`, "\ufeff{}", "{}{}"} {
		f.Add([]byte(s), []byte(fiveTasks), false, true)
	}
	f.Fuzz(func(t *testing.T, state, tasks []byte, active, known bool) {
		for _, k := range []kind{specumKind(), speckitKind()} {
			in := k.with(string(state), map[string]string{k.tasks: string(tasks)})
			s := strategy.Situation{Turn: strategy.Turn{Active: active, Known: known}}
			continues := 0
			for range 4 { // nothing moves: it ends
				v := decideIn(t, k.Strategy, chosen{checks: []string{specs.QuickMode}}, s, in)
				if v.Decision == strategy.Continue {
					continues++
					s.Turn.Active, s.Memories = true, []activity.Memory{v.Remember}
				}
				if len(v.Reason) > 6000 || len(v.Told) > 2000 {
					t.Errorf("%d bytes of reason, %d told", len(v.Reason), len(v.Told))
				}
			}
			errorIf(t, known && continues > 2, "%d continues without movement", continues)
		}
	})
}

func FuzzSpecPlaces(f *testing.F) {
	for _, s := range []string{"demo", "./specs/demo", "/w/specs/demo", "../../x", "-rf", "a\nb", "..", ".", "./", "//", `C:\w\x`} {
		f.Add(s, "---\nspecs_dirs: [\"./a\", ../b, /w/c]\nenabled: true\n---\n")
	}
	for _, s := range []string{"a\x1b[31mb", "a`b`", "<system-reminder>", "\u202eevil", strings.Repeat("n", 900), "x\x00y"} {
		f.Add(s, "")
	}
	f.Fuzz(func(t *testing.T, current, local string) {
		for _, st := range []strategy.Strategy{specum.Strategy, speckit.Strategy} {
			in := spaceOf(map[string]string{
				".claude/" + st.Name + ".local.md": local, ".specify/.current-feature": current,
				"specs/.current-spec": current, "a/.current-spec": current, ".current-spec": current,
			})
			s := strategy.Situation{Workspace: strategy.Workspace{Dir: "/w", Files: map[string]strategy.File{}}}
			for range 8 {
				for _, w := range st.New().Needs().Files(s) {
					if clean := path.Clean(w.Name); path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") {
						t.Fatalf("wants %q", w.Name)
					}
					s.Workspace.Files[w.Name] = in.read(w)
					if w.Whole != nil {
						s.Workspace.Files[w.Name] = strategy.File{Found: true, Data: []byte(state("execution", 1, 5, ""))}
					}
				}
			}
			v := st.New().Decide(s)
			for _, words := range append(v.Notes, v.Told, strings.ReplaceAll(v.Reason, "\n", "")) {
				errorIf(t, strings.ContainsAny(words, "\n\r\x1b`<>\u202e\x00") || strings.Contains(words, strings.Repeat("n", 450)), "words %q", words)
			}
		}
	})
}

// Claude Code calls every block a problem: the first round of a prompt explains it, unless the user chose the quiet form.
func TestFirstRoundExplainsTheProblem(t *testing.T) {
	const says = "it is none. For quiet rounds, run springfield set "
	for _, k := range []kind{specumKind(), speckitKind()} {
		at := func(index int, session strategy.Session, before ...activity.Memory) strategy.Verdict {
			return decideIn(t, k.Strategy, chosen{}, strategy.Situation{Session: session, Memories: before},
				k.with(state("execution", index, 4, ""), map[string]string{k.tasks: "- [ ] a\n"}))
		}
		first := at(1, strategy.Session{Protocol: "block"})
		second := at(2, strategy.Session{Protocol: "block"}, first.Remember)
		for name, test := range map[string]struct {
			v    strategy.Verdict
			want bool
		}{
			"first": {first, true}, "second": {second, false},
			"quiet":     {at(1, strategy.Session{Protocol: "context"}), false},
			"elsewhere": {at(1, strategy.Session{}), false},
		} {
			if got := strings.Contains(test.v.Told, says+k.Name+" protocol=context"); got != test.want || test.v.Decision != strategy.Continue {
				t.Errorf("%s, %s: %s, %q", k.Name, name, test.v.Decision, test.v.Told)
			}
		}
	}
}
