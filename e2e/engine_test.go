//go:build e2e

// Why a plugin lets Claude stop in sessions of the real client: `log` and `why` give the rule. The client writes its
// transcript up to 100 ms late; the stand-in waits where a decision needs it.

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
)

func endless(n int) []string {
	var texts []string
	for i := range n {
		texts = append(texts, fmt.Sprintf("Task %d complete. Moving to Task %d.", i+1, i+2))
	}
	return texts
}

type decision struct{ Session, Plugin, Decision, Rule string }

// decisions are those of a session, oldest first, each as "decision rule".
func (w *World) decisions(session string) []string {
	w.t.Helper()
	var all []string
	for line := range strings.Lines(w.Springfield("log", "--session", session, "--json").Stdout) {
		var d decision
		if err := json.Unmarshal([]byte(line), &d); err != nil || d.Session != session || d.Plugin != "ned-flanders" {
			w.t.Errorf("log --session %s printed %q (%v)", session, line, err)
		}
		all = append(all, d.Decision+" "+d.Rule)
	}
	return all
}

func (w *World) decided(session string, want ...string) {
	w.t.Helper()
	if got := w.decisions(session); len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		w.t.Errorf("the decisions of the session are %q, want %q first", got, want)
	}
}

// last is what `why` says of the newest decision.
func (w *World) last() (d decision) {
	w.t.Helper()
	out := w.Springfield("why", "--json").Stdout
	scratch.Equal(w.t, json.Unmarshal([]byte(out), &d), nil, "why --json printed", out)
	return d
}

// hook is what a user has who has the plugin and no CLI.
func hook(suite string) string {
	return filepath.Join(suite, "ned-flanders", "hooks", "springfield-hook")
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !holds(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Errorf("waited %v in vain for %s", limit, what)
			return
		}
	}
}

// written waits until the transcripts of this world have a text so many times.
func (w *World) written(text string, times int) {
	eventually(w.t, "the transcript to have "+text, func() bool {
		found := 0
		paths, _ := filepath.Glob(filepath.Join(w.Home, ".claude", "projects", "*", "*.jsonl"))
		for _, path := range paths {
			data, _ := os.ReadFile(path)
			found += strings.Count(string(data), text)
		}
		return found >= times
	})
}

// background is a call of a shell command that the client puts into the background.
func background(command string) Turn {
	return calls("Starting it now.", "Bash", map[string]any{
		"command": command, "description": "Start it", "run_in_background": true,
	})
}

func told(t *testing.T, r Result, want ...string) {
	t.Helper()
	if len(r.Asked) == 0 {
		t.Fatalf("the model was asked nothing; the client said %q", r.Text)
	}
	saw(t, r.Asked[0], want...)
}

func saw(t *testing.T, r Request, want ...string) {
	t.Helper()
	var texts []string
	for _, m := range r.Messages {
		texts = append(texts, m.Text)
	}
	scratch.Holds(t, "the model was told", strings.Join(texts, "\n"), want...)
}

// A hold stops a running loop at its next stop and every session after it, until a person lifts it.
func TestHold(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, suite := enabled(t, version)
		talk, script := w.Talk(Session{}), says(endless(6)...)
		script[1].Before = func() { // in another terminal, while Claude works
			if out := w.TrySpringfield("hold"); out.Code != 0 {
				t.Errorf("hold: exit %d\n%s%s", out.Code, out.Stdout, out.Stderr)
			}
		}
		ends(t, talk.Say("execute the plan", script...), script[1].Blocks[0].Text, 2)
		if d := w.last(); d.Decision != "stop" || d.Rule != "hold" {
			t.Errorf("why says %+v, want a stop by hold", d)
		}

		// Claude itself cannot lift it.
		lift := Turn{Blocks: []Block{{Tool: "Bash", Input: map[string]any{
			"command": fmt.Sprintf("hide='env -u CLAUDECODE -u CLAUDE_CODE_ENTRYPOINT'; for c in '%s' '%s'; do "+
				"\"$c\" resume; eval $hide '\"$c\"' resume; eval setsid -w $hide '\"$c\"' resume; done; "+
				"(exec </dev/tty) || echo none", springfield(t), hook(suite)), "description": "Lift the hold",
		}}}}
		held := talk.Say("lift the hold", append([]Turn{lift}, says(plan...)...)...)
		ends(t, held, plan[0], 2)
		for _, name := range []string{"springfield", "springfield-hook"} {
			saw(t, held.Asked[1], name+": error: only a person can lift a hold", name+": error: only a person at a terminal can lift a hold", "none")
		}
		w.decided(held.ID, "continue progress", "stop hold", "stop hold")

		w.Resume()
		ends(t, talk.Say("execute the plan", says(plan...)...), plan[2], 3)
	})
}

// A command that runs in the background wakes Claude when it is done, so a stop before that is no end.
func TestBackgroundWorkIsWaitedFor(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, _ := enabled(t, version)
		// It runs until the stop has been decided, or two minutes.
		script := append([]Turn{background(
			`for i in $(seq 1200); do grep -qs '"decision":"stop"' "$HOME"/.claude/springfield/sessions/*.jsonl && exit; sleep 0.1; done`,
		)}, says(plan...)...)
		script[1].Before = func() { w.written("running in background with ID", 1) }
		r := w.Run(Session{Script: script})
		ends(t, r, plan[2], 4)
		saw(t, r.Asked[2], "<task-notification>") // nothing else has woken it
		w.decided(r.ID, "stop background", "continue progress", "stop finished")
	})
}

func readIfThere(path string) string {
	data, _ := os.ReadFile(path)
	return string(data)
}

// A user who has the plugin and no CLI asks it by slash commands. The commands bring the permission they need.
func TestSlashCommands(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, suite := enabled(t, version)
		for _, variable := range w.clientEnv(noModel) {
			path, _ := strings.CutPrefix(variable, "PATH=")
			for _, dir := range filepath.SplitList(path) {
				if _, err := os.Stat(filepath.Join(dir, "springfield")); err == nil {
					t.Fatalf("springfield is on the PATH, in %s", dir)
				}
			}
		}
		talk := w.Talk(Session{Mode: "default"})
		ask := func(talk *Talk, prompt string, want ...string) {
			t.Helper()
			r := talk.Say(prompt, says("That is all there is.")...)
			if scratch.Holds(t, prompt, r.Text, want...); r.IsError || len(r.Asked) > 0 {
				t.Errorf("%s: %d requests, error: %v", prompt, len(r.Asked), r.IsError)
			}
		}
		ask(talk, "/ned-flanders:why", "no decision is recorded for this session yet")
		worked := talk.Say("execute the plan", says(plan[0], plan[2])...)
		ends(t, worked, plan[2], 2)
		finished := []string{"ned-flanders let Claude stop", "rule     finished", worked.ID}
		ask(talk, "/ned-flanders:why", finished...)
		ask(talk, "/ned-flanders:log", "continue  ned-flanders  progress", "stop      ned-flanders  finished")
		another := w.Talk(Session{})
		ask(another, "/ned-flanders:why --session "+worked.ID, finished...)
		ask(talk, "/ned-flanders:hold 30m", "holding all sessions for 30 min", "lift it from a terminal of your own", hook(suite))
		ends(t, another.Say("execute the plan", says(plan...)...), plan[0], 1)

		// By the way it said.
		if out := w.atTerminal(hook(suite), w.env(nil), "resume"); out.Code != 0 || !strings.Contains(out.Stdout, "lifted the hold on all sessions") {
			t.Errorf("resume: exit %d\n%s%s", out.Code, out.Stdout, out.Stderr)
		}
		ask(another, "/ned-flanders:hold", "holding all sessions for 12 h", "it then ends by itself")
		ends(t, talk.Say("execute the plan", says(plan...)...), plan[0], 1)
	})
}

// In a terminal the answer is on the screen, line by line, and nothing is sent. A client may keep the prompt in its input
// for a moment: Ctrl-U clears it.
func TestSlashCommandsAtATerminal(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, _ := with(t, version, "ned-flanders", "ralph-wiggum")
		model := newStandIn(t, says(plan...), nil)
		screen := w.interactive(model, "acceptEdits", 60, [2]string{"accept edits on", "execute the plan"}, [2]string{"execute the plan", "\r"}, [2]string{plan[2], "/ned-flanders:why  "},
			[2]string{"/ned-flanders:why ", "\r"}, [2]string{"Original prompt: /ned-flanders:why", "\x15/ralph-wiggum:loop status"}, [2]string{"/ralph-wiggum:loop status", "\r"},
			[2]string{"Original prompt: /ralph-wiggum:loop", ""})
		asked := slices.DeleteFunc(model.Requests(), func(r Request) bool { return !r.Main }) // else a title
		if len(asked) != 3 {
			t.Errorf("%d requests, want 3\n%s", len(asked), screen)
		}
		scratch.Holds(t, "the screen", screen.String(), "rule     ", "because  ", "there is no loop in ")
	})
}
