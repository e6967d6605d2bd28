package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
)

const (
	marge = `{"plugin": "marge-simpson", "strategy": "marge-simpson"}`
	lisa  = `{"plugin": "lisa-simpson", "strategy": "lisa-simpson"}`
	bart  = `{"plugin": "bart-simpson", "strategy": "bart-simpson"}`
)

// workflow is a state that was written some minutes before the stop, which is at 2027-01-15T08:00:00Z.
func workflow(done, minutes int) string {
	at := time.Unix(1_800_000_000, 0).Add(-time.Duration(minutes) * time.Minute).UTC().Format(time.RFC3339)
	return fmt.Sprintf(`{"tasks_total": 3, "tasks_completed": %d, "waiting_for_user": false, "updated_at": %q}`, done, at)
}

// in is an event in a directory of this world.
func (w *world) in(dir, message string) string {
	return w.event(map[string]any{"cwd": w.path(dir), "last_assistant_message": message})
}

func (w *world) rule() string {
	w.t.Helper()
	r, _ := w.newest("session:s1")
	return r.Rule
}

// The ledger is followed to its end, and no further.
func TestMargeFollowsALedger(t *testing.T) {
	w := newWorld(t, `{"plugin": "marge-simpson", "strategy": "marge-simpson", "budget": {"burst": 10}}`)
	const ledger = "p/.superpowers/sdd/auth/progress.md"
	w.write("p/docs/superpowers/plans/auth.md", "### Task 1: The table\n- [ ] **Step 1**\n### Task 2: The cookie\n- [ ] **Step 1**\n### Task 3: The button\n- [ ] **Step 1**\n")
	head := "# SDD ledger — plan: docs/superpowers/plans/auth.md\n"
	for done, want := range []string{"task 1, “The table” (docs/superpowers/plans/auth.md, line 1)", "task 2, “The cookie”", "task 3, “The button”", ""} {
		text := head
		for n := 1; n <= done; n++ {
			text += fmt.Sprintf("Task %d: complete (commits 1..2, review clean)\n", n)
		}
		w.write(ledger, text)
		out, notes := w.run(w.in("p", fmt.Sprintf("Round %d.", done)))
		if (out.Decision == "block") != (want != "") || !strings.Contains(out.Reason, want) {
			t.Errorf("after %d tasks: %+v, notes %s", done, out, notes)
		}
	}
	scratch.Equal(t, w.rule(), "sdd-done", "it ends by")
}

// Named in the session: by a prompt, a call, or the last message, which the transcript does not have yet.
func TestMargeReadsThePlanInUse(t *testing.T) {
	const named = `{"type":"user","uuid":"u1","message":{"content":"Carry out docs/plans/a.md"}}` + "\n"
	const called = `{"type":"user","uuid":"u1","message":{"content":"go"}}
{"type":"assistant","uuid":"a1","message":{"content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"docs/plans/a.md","old_string":"- [ ]","new_string":"- [x]"}}]}}
`
	const asked = `{"type":"user","uuid":"u1","message":{"content":"What is left in docs/plans/a.md?"}}` + "\n"
	for name, test := range map[string]struct {
		log, message string
		blocks       bool
	}{
		"a prompt":         {named, "The table is there.", true},
		"a call":           {called, "The table is there.", true},
		"the last message": {"", "The table of docs/plans/a.md is there.", true},
		"nobody":           {"", "The table is there.", false},
		"a question":       {asked, "The cookie.", false},
		"a slash command":  {`{"type":"user","uuid":"u1","message":{"content":"<command-message>marge-simpson:why</command-message>\n<command-name>/marge-simpson:why</command-name>\n<command-args>docs/plans/a.md</command-args>"}}` + "\n", "It went on by rule plan.", false},
		"in the past":      {named + `{"type":"user","uuid":"u2","message":{"content":"Fix the typo."}}` + "\n", "Fixed.", false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, marge)
			w.write("p/docs/plans/a.md", "- [x] the table\n- [ ] the cookie\n")
			w.write(".claude/projects/-w/s.jsonl", test.log)
			out, notes := w.run(w.in("p", test.message))
			if (out.Decision == "block") != test.blocks || test.blocks && !strings.Contains(out.Reason, "“the cookie” (docs/plans/a.md, line 2)") {
				t.Errorf("%+v, rule %s, notes %s", out, w.rule(), notes)
			}
		})
	}
}

// A marker counts once: repeating the same words without any work is stagnation.
func TestBartCountsOnce(t *testing.T) {
	const (
		marked = "The parser works.\n\n<!-- el-barto:continue -->"
		call   = `{"type":"assistant","uuid":"%s","message":{"content":[{"type":"tool_use","id":"%s","name":"Bash","input":{"command":"ls"}}]}}` + "\n"
		prompt = `{"type":"user","uuid":"u%[1]d","promptId":"p%[1]d","message":{"content":"go"}}` + "\n"
	)
	for name, test := range map[string]struct {
		first, then       string
		logFirst, logThen string
		blocks            bool
		rule              string
	}{
		"the same":                  {marked, marked, "", "", false, "stagnation"},
		"another message":           {marked, "The printer works, too.\n\n<!-- el-barto:continue -->", "", "", true, "marker"},
		"the same, after a call":    {marked, marked, fmt.Sprintf(prompt, 1), fmt.Sprintf(prompt, 1) + fmt.Sprintf(call, "a1", "t1"), true, "marker"},
		"the same, same transcript": {marked, marked, fmt.Sprintf(prompt, 1) + fmt.Sprintf(call, "a1", "t1"), fmt.Sprintf(prompt, 1) + fmt.Sprintf(call, "a1", "t1"), false, "stagnation"},
		"the same, a new prompt":    {marked, marked, fmt.Sprintf(prompt, 1), fmt.Sprintf(prompt, 1) + fmt.Sprintf(prompt, 2), true, "marker"},
		"a marker of last turn's":   {marked, "", fmt.Sprintf(prompt, 1), fmt.Sprintf(prompt, 1) + `{"type":"assistant","uuid":"a9","message":{"content":[{"type":"text","text":"On. <!-- el-barto:continue -->"}]}}` + "\n" + fmt.Sprintf(prompt, 2), false, "otherwise"},
		"a marker of this turn's":   {marked, "", fmt.Sprintf(prompt, 1), fmt.Sprintf(prompt, 1) + `{"type":"assistant","uuid":"a9","message":{"content":[{"type":"text","text":"On. <!-- el-barto:continue -->"}]}}` + "\n", true, "marker"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, bart)
			w.write(".claude/projects/-w/s.jsonl", test.logFirst)
			if out, notes := w.run(w.event(map[string]any{"last_assistant_message": test.first})); out.Decision != "block" {
				t.Fatalf("at first %+v, %s", out, notes)
			}
			w.write(".claude/projects/-w/s.jsonl", test.logThen)
			w.host.Now = w.host.Now.Add(time.Minute)
			id := "p1"
			if strings.Contains(test.logThen, `"p2"`) {
				id = "p2"
			}
			out, notes := w.run(w.event(map[string]any{"prompt_id": id, "last_assistant_message": test.then, "stop_hook_active": true}))
			if (out.Decision == "block") != test.blocks || w.rule() != test.rule {
				t.Errorf("%+v, rule %s, notes %s", out, w.rule(), notes)
			}
			if test.rule == "stagnation" && !strings.Contains(out.SystemMessage, "kept going once without progress") {
				t.Errorf("told %q", out.SystemMessage)
			}
		})
	}
}

// A question to a plugin ends with the answer; before the next prompt it is no question any more.
func TestAnswerIsAboutStops(t *testing.T) {
	log := `{"type":"assistant","uuid":"a1","message":{"content":[{"type":"tool_use","id":"t1","name":"TodoWrite","input":{"todos":[{"content":"write the docs","status":"pending"}]}}]}}
{"type":"user","uuid":"u1","message":{"content":"<command-message>PLUGIN:why</command-message>\n<command-name>/PLUGIN:why</command-name>"}}
`
	for plugin, test := range map[string]struct {
		event map[string]any
		goes  bool
	}{
		"ned-flanders":      {map[string]any{"last_assistant_message": "It stopped by rule asks. Let me look."}, false},
		"todo-continuation": {map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": "go on"}, true},
	} {
		w := newWorld(t, `{"plugin": "`+plugin+`", "strategy": "`+plugin+`"}`)
		w.write(".claude/projects/-w/s.jsonl", strings.ReplaceAll(log, "PLUGIN", plugin))
		out, notes := w.run(w.event(test.event))
		if goes := out != (output{}); goes != test.goes || !goes && w.rule() != "answer" {
			t.Errorf("%s: %+v, rule %s, %s", plugin, out, w.rule(), notes)
		}
	}
}

// Hostile files in the ledgers' places let Claude stop, and nothing is written.
func TestMargeInHostileWorkspaces(t *testing.T) {
	outside := t.TempDir()
	must(t, os.WriteFile(filepath.Join(outside, "a.md"), []byte("- [x] a\n- [ ] b\n"), 0o600))
	huge := strings.Repeat("x", 300<<10)
	for name, lay := range map[string]func(w *world){
		"a gigantic state":  func(w *world) { w.write("p/.claude/workflow-state.json", workflow(1, 1)+huge) },
		"a gigantic ledger": func(w *world) { w.write("p/.superpowers/sdd/a/progress.md", huge) },
		"ledgers without end": func(w *world) {
			for i := range 300 {
				w.write(fmt.Sprintf("p/.superpowers/sdd/%03d/x", i), "")
			}
		},
		"a ledger of elsewhere": func(w *world) {
			w.write("p/.superpowers/sdd/a/progress.md", "# SDD ledger — plan: "+filepath.Join(outside, "a.md")+"\n")
		},
		"a ledger upwards": func(w *world) {
			w.write("a.md", "### Task 1\n### Task 2\n")
			w.write("p/.superpowers/sdd/x/progress.md", "# SDD ledger — plan: ../a.md\nTask 1: complete\n")
		},
		"a plan upwards": func(w *world) {
			w.write("plans/a.md", "- [x] a\n- [ ] b\n")
			w.write(".claude/projects/-w/s.jsonl", `{"type":"user","uuid":"u1","message":{"content":"Carry out ../plans/a.md and docs/../../plans/a.md"}}`+"\n")
		},
		"a plan with NUL": func(w *world) {
			w.write("p/docs/plans/a.md", "- [x] a\n- [x] \x00\n")
			w.write(".claude/projects/-w/s.jsonl", `{"type":"user","uuid":"u1","message":{"content":"Carry out docs/plans/a\u0000.md, docs/plans/a.md"}}`+"\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, marge)
			w.write("p/x", "")
			lay(w)
			before := w.tree("p")
			out, notes := w.run(w.in("p", "Hm."))
			if out.Decision != "" || strings.Contains(notes, "panic") || w.rule() == "" {
				t.Errorf("%+v, rule %q, notes %s", out, w.rule(), notes)
			}
			scratch.Equal(t, w.tree("p"), before, "left behind")
		})
	}
}
