//go:build e2e && nightly

package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

const (
	oneSession     = "0e2e0000-0000-4000-8000-000000000001"
	anotherSession = "0e2e0000-0000-4000-8000-000000000002"
)

// A development server runs until the user stops it: nothing to wait for.
func TestServerIsNotWaitedFor(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, _ := enabled(t, version)
		file := filepath.Join(w.Project, "server.pid")
		running := func() bool {
			pid, err := strconv.Atoi(strings.TrimSpace(readIfThere(file)))
			return err == nil && syscall.Kill(pid, 0) == nil
		}
		kill := func() {
			if pid, err := strconv.Atoi(strings.TrimSpace(readIfThere(file))); err == nil && pid > 1 {
				syscall.Kill(pid, syscall.SIGTERM)
			}
		}
		t.Cleanup(func() {
			kill()
			eventually(t, "the server to be gone", func() bool { return !running() })
		})

		script := append([]Turn{background(`echo $$ > server.pid; exec sleep 60 # npm run dev`)}, says(plan...)...)
		script[1].Before = func() {
			w.written("running in background with ID", 1)
			eventually(t, "the server to run", running)
		}
		script[2].Before = func() {
			errorIf(t, !running(), "the server was not left running")
		}
		script[3].Before = kill // a client waits for it at the end, however long, and then wakes Claude
		r := w.Run(Session{Script: script})
		if r.IsError || r.Text != plan[2] {
			t.Errorf("the session ended with %q (error: %v), want %q", r.Text, r.IsError, plan[2])
		}
		w.decided(r.ID, "continue progress", "continue progress", "stop finished")
	})
}

// ralph-loop's state file arms its own Stop hook: for the session it names, or for any.
func TestRalphLoop(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, _ := enabled(t, version)
		arm := func(owner string) {
			write(t, filepath.Join(w.Project, ".claude", "ralph-loop.local.md"),
				"---\nactive: true\niteration: 1\n"+owner+"max_iterations: 0\ncompletion_promise: null\nstarted_at: \"2026-11-20T10:00:00Z\"\n---\n\nexecute the plan\n")
		}

		talk := w.Talk(Session{Args: []string{"--session-id", oneSession}})
		arm("session_id: " + oneSession + "\n")
		ends(t, talk.Say("execute the plan", says(plan...)...), plan[0], 1)
		arm("session_id: " + anotherSession + "\n")
		ends(t, talk.Say("execute the plan", says(plan...)...), plan[2], 3)
		arm("")
		ends(t, talk.Say("execute the plan", says(plan...)...), plan[0], 1)
		w.decided(oneSession,
			"stop ralph-loop", "continue progress", "continue progress", "stop finished", "stop ralph-loop")
	})
}

// Without the event, and where an answer needs more, the model gets the words of the command's file, with what the hook says.
func TestSlashCommandsWithoutTheEvent(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, suite := owning(t, version)
		hooks := filepath.Join(suite, "ned-flanders", "hooks", "hooks.json")
		write(t, hooks, strings.Replace(read(t, hooks), "UserPromptExpansion", "PostCompact", 1))
		talk := w.Talk(Session{Mode: "default"})
		ends(t, talk.Say("execute the plan", says(plan[0], plan[2])...), plan[2], 2)
		for _, c := range []struct{ prompt, want string }{
			{"/ned-flanders:why", "rule     finished"}, {"/ned-flanders:log", "continue  ned-flanders  progress"},
			{"/ned-flanders:hold 30m", "holding all sessions for 30 min"}, // last, because why tells of the newest decision
		} {
			r := talk.Say(c.prompt, says("That is all there is.")...)
			ends(t, r, "That is all there is.", 1)
			told(t, r, c.want)
		}
		if d := w.last(); d.Rule != "hold" {
			t.Errorf("the last decision is %+v, want a stop by the hold", d)
		}
	})
}

// A plugin with skills of the shape that superpowers has.
func TestSkillsOfAnotherPlugin(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, _ := enabled(t, version)
		dir := filepath.Join(w.dir, "plugins of others", "powers")
		write(t, filepath.Join(dir, ".claude-plugin", "plugin.json"), `{"name": "powers", "description": "Ways to work", "version": "1.0.0"}`)
		for name, body := range map[string]string{
			"executing-plans": "Announce that you use this skill. Carry out the plan task by task and check each one. Do not stop between tasks.",
			"brainstorming":   "Announce that you use this skill. Propose two or three ways and let the person choose. Build nothing before that.",
		} {
			write(t, filepath.Join(dir, "skills", name, "SKILL.md"),
				"---\nname: "+name+"\ndescription: Use when "+name+" is what the work needs\n---\n\n# "+name+"\n\n"+body+"\n")
		}
		talk := w.Talk(Session{Args: []string{"--plugin-dir", dir}})
		with := func(skill string, texts ...string) Result {
			t.Helper()
			use := Turn{Blocks: []Block{{Tool: "Skill", Input: map[string]any{"skill": "powers:" + skill}}}}
			r := talk.Say("begin", append([]Turn{use}, says(texts...)...)...)
			saw(t, r.Asked[1], "Base directory for this skill: "+filepath.Join(dir, "skills", skill))
			return r
		}

		announced := "I'm using the executing-plans skill to implement this plan."
		r := with("executing-plans", announced, plan[0], plan[2])
		ends(t, r, plan[2], 4)
		w.decided(r.ID, "continue skill", "continue progress", "stop finished")

		announced = "Using executing-plans to implement the plan."
		ends(t, with("executing-plans", announced, plan[2]), plan[2], 3)

		for _, waits := range []string{
			"Using brainstorming to explore the idea.",
			"Here are two approaches: a table, or a list.\n\nWhich one fits better?",
			"I'm using the brainstorming skill to explore the idea. Which of these matters most?\n\n1. Speed\n2. Size",
		} {
			ends(t, with("brainstorming", waits, plan[2]), waits, 2)
			if d := w.last(); d.Rule == "budget" {
				t.Errorf("%q is not what ended the turn: %+v", waits, d)
			}
		}
	})
}

// With the ledger gone, the transcript is witness of how often Claude was made to go on.
func TestBudgetWithoutLedger(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, _ := enabled(t, version)
		script := says(endless(12)...)
		for i := range script {
			script[i].Before = func() {
				w.written(`"type":"hook_additional_context"`, i)
				scratch.Equal(t, os.RemoveAll(filepath.Join(w.Home, ".claude", "springfield", "sessions")), nil)
			}
		}
		r := w.Run(Session{Script: script})
		ends(t, r, script[3].Blocks[0].Text, 4)
		scratch.Equal(t, w.decisions(r.ID), []string{"stop budget"},
			"the ledger", "what came after it was last deleted: a stop by budget")
	})
}
