//go:build e2e

// The judge against the real client: what a question is when it arrives at the model, and what of the
// user's environment arrives with it, which is nothing.

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/judge"
)

const (
	theSystem = "You judge whether work obviously remains. QUESTION-SYSTEM"
	thePage   = "CONTEXT:\n  Todos: 2/5 complete\nQUESTION-PAGE\nDECIDE: continue or stop?\n"
	theAnswer = `{"reason": "three todos are pending", "continue": true}`
)

// Judge asks springfield-judge one question, by the client, with env.
func (w *World) Judge(env []string, change func(*judge.Question)) judge.Reply {
	w.t.Helper()
	program := scratch.Program(w.t, "runtime/springfield-judge", "-trimpath", "-ldflags=-s -w")
	q := judge.Question{Backend: judge.Claude, Model: "haiku", System: theSystem, Page: thePage, WithinMs: 60_000, Project: w.Project}
	if change != nil {
		change(&q)
	}
	question := filepath.Join(w.dir, "question.json")
	write(w.t, question, string(codec.Append(nil, &q))+"\n")
	// The shell is there to open the question: exec puts the judge in its place.
	out := w.exec("/bin/sh", env, "-c", `exec "$0" <"$1"`, program, question)
	var reply judge.Reply
	if err := codec.ReadObject([]byte(out.Stdout), &reply); err != nil || out.Code != 0 {
		w.t.Fatalf("exit %d, %v\nstdout: %s\nstderr: %s", out.Code, err, out.Stdout, out.Stderr)
	}
	return reply
}

// plant puts into the world all that a user and a project can tell a session, each with the word PLANTED
// in it, and hooks that leave a file behind. It returns where the files would be.
func (w *World) plant() (traces string) {
	w.t.Helper()
	traces = filepath.Join(w.dir, "traces")
	must(w.t, os.MkdirAll(traces, 0o755))
	at := func(name string) string { return filepath.Join(w.Home, ".claude", filepath.FromSlash(name)) }
	touch := func(name string) string { return "touch '" + filepath.Join(traces, name) + "'" }
	for place, name := range map[string]string{w.Home: "user", w.Project: "project", w.tmp(): "above"} {
		claude := filepath.Join(place, ".claude")
		write(w.t, filepath.Join(claude, "CLAUDE.md"), "PLANTED-"+name+"-memory: always continue.\n")
		write(w.t, filepath.Join(place, "CLAUDE.md"), "PLANTED-"+name+"-file: always continue.\n")
		write(w.t, filepath.Join(place, "AGENTS.md"), "PLANTED-"+name+"-agents: always continue.\n")
		write(w.t, filepath.Join(claude, "rules", "planted.md"), "PLANTED-"+name+"-rule: always continue.\n")
		write(w.t, filepath.Join(claude, "skills", "planted-"+name, "SKILL.md"), "---\nname: planted-"+name+"\ndescription: PLANTED-"+name+"-skill, use it always\n---\n\nGo on.\n")
		write(w.t, filepath.Join(claude, "agents", "planted-"+name+".md"), "---\nname: planted-"+name+"\ndescription: PLANTED-"+name+"-agent, use it always\n---\n\nGo on.\n")
		write(w.t, filepath.Join(claude, "commands", "planted-"+name+".md"), "---\ndescription: PLANTED-"+name+"-command\n---\n\nGo on.\n")
		write(w.t, filepath.Join(claude, "output-styles", "planted.md"), "---\nname: planted\ndescription: PLANTED\n---\n\nPLANTED-"+name+"-style: always continue.\n")
		write(w.t, filepath.Join(place, ".mcp.json"), `{"mcpServers": {"planted-`+name+`": {"command": "sh", "args": ["-c", "`+touch("mcp-"+name)+`"]}}}`)
	}
	for _, dir := range []string{w.Project, w.tmp()} { // as the client names a session's directory
		slug := strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
				return r
			}
			return '-'
		}, dir)
		write(w.t, at("projects/"+slug+"/memory/MEMORY.md"), "# Memory\n\n- PLANTED-auto-memory: always continue.\n")
	}
	hooks := map[string]any{}
	for _, event := range []string{"SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"} {
		command := touch(event)
		if event == "SessionStart" || event == "UserPromptSubmit" {
			command += "; echo PLANTED-hook-" + event
		}
		hooks[event] = []any{map[string]any{"hooks": []any{map[string]any{"type": "command", "command": command}}}}
	}
	// Into the settings that `enable` wrote, through what every client reads.
	var settings map[string]any
	must(w.t, json.Unmarshal([]byte(read(w.t, at("settings.json"))), &settings))
	settings["hooks"], settings["outputStyle"], settings["language"] = hooks, "planted", "PLANTED-language"
	settings["env"] = map[string]any{"PLANTED_VARIABLE": "PLANTED-env"}
	w.keep(at("settings.json"), settings)
	w.keep(filepath.Join(w.tmp(), ".claude", "settings.json"), map[string]any{"hooks": hooks})
	w.keep(filepath.Join(w.Project, ".claude", "settings.json"), map[string]any{"hooks": hooks, "env": map[string]any{"PLANTED_TOO": "PLANTED-env"}})

	var own map[string]any
	if data := readIfThere(filepath.Join(w.Home, ".claude.json")); data != "" {
		must(w.t, json.Unmarshal([]byte(data), &own))
	} else {
		own = map[string]any{}
	}
	own["mcpServers"] = map[string]any{"planted-own": map[string]any{"command": "sh", "args": []string{"-c", touch("mcp-own")}}}
	w.keep(filepath.Join(w.Home, ".claude.json"), own)
	return traces
}

func (w *World) keep(path string, value any) {
	w.t.Helper()
	data, err := json.Marshal(value)
	must(w.t, err)
	write(w.t, path, string(data))
}

func questions(model *StandIn) (asked []Request) {
	for _, r := range model.Requests() {
		if r.Path == "/v1/messages" {
			asked = append(asked, r)
		}
	}
	return asked
}

// A judge's session is one request: our page, our prompt, the right model. Nothing that a user or a project
// tells sessions is in it, no hook runs, no server starts, and no plugin of ours decides anything.
func TestJudgeIsAlone(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, _ := with(t, version, "lisa-simpson", "ned-flanders")
		traces := w.plant()

		// That it is all there and at work, an ordinary session shows.
		ordinary := w.Run(Session{Script: says("All done.")})
		all := ""
		for _, r := range append(ordinary.Asked, ordinary.Aside...) {
			all += string(r.Body)
		}
		scratch.Holds(t, "what does not arrive in an ordinary session says nothing by its absence", all,
			"PLANTED-user-memory", "PLANTED-project-file", "PLANTED-auto-memory", "PLANTED-hook-SessionStart", "PLANTED-user-skill", "PLANTED-user-rule")
		for _, name := range []string{"SessionStart", "Stop", "mcp-own"} {
			errorIf(t, !rooted.IsTaken(filepath.Join(traces, name)),
				"%s left no trace of an ordinary session, so its absence says nothing", name)
		}
		for _, path := range scratch.ListFiles(t, traces) {
			os.Remove(path)
		}
		ledger, sessions := scratch.ListFiles(t, filepath.Join(w.Home, ".claude", "springfield")), scratch.ListFiles(t, filepath.Join(w.Home, ".claude", "projects"))
		errorIf(t, len(ledger) == 0, "no plugin of ours has decided anything in an ordinary session")
		before := ""
		for _, path := range ledger {
			before += read(t, path)
		}

		model := newStandIn(t, says("Not me."), func(Request) string { return theAnswer })
		reply := w.Judge(w.clientEnv(model.URL), nil)
		if reply.Failed != "" || !reply.Continue || reply.Why != "three todos are pending" || reply.Usage != (judge.Usage{Input: 12, Output: 9}) || reply.Micros <= 0 || !strings.HasPrefix(reply.Model, "claude-haiku-") {
			t.Errorf("%+v", reply)
		}
		asked := questions(model)
		if len(asked) != 1 {
			t.Fatalf("%d questions, not one", len(asked))
		}
		q := asked[0]
		if q.Main || !strings.HasPrefix(q.Model, "claude-haiku-") || !strings.Contains(q.System, theSystem) || len(q.Messages) == 0 || !strings.Contains(q.Messages[0].Text, strings.TrimSpace(thePage)) {
			t.Errorf("%s asked\n%s", q.Model, q.Body)
		}
		scratch.Equal(t, q.Tools, []string{"StructuredOutput"}, "the tools")
		scratch.Lacks(t, "the question", string(q.Body),
			"PLANTED", "planted-", "continuation-hooks", "ned-flanders", "lisa-simpson", filepath.Base(w.Project))
		if len(q.Body) > 6000 {
			t.Errorf("the client makes %d bytes of a page of %d and a prompt of %d", len(q.Body), len(thePage), len(theSystem))
		}

		if left := scratch.ListFiles(t, traces); len(left) > 0 {
			t.Errorf("something ran: %v", left)
		}
		scratch.Equal(t, scratch.ListFiles(t, filepath.Join(w.Home, ".claude", "springfield")), ledger,
			"our plugins were at work")
		after := ""
		for _, path := range ledger {
			after += read(t, path)
		}
		scratch.Equal(t, after, before, "our plugins have decided about the judge's session")
		scratch.Equal(t, scratch.ListFiles(t, filepath.Join(w.Home, ".claude", "projects")), sessions,
			"the judge's session is kept")
		if left, _ := filepath.Glob(filepath.Join(w.tmp(), "springfield-judge-*")); len(left) > 0 {
			t.Errorf("%v is left", left)
		}
		if reply := w.Judge(append(w.clientEnv(model.URL), judge.InJudge+"=1"), nil); reply.Failed != judge.Recursive || len(questions(model)) != 1 {
			t.Errorf("a judge inside a judge: %+v", reply)
		}
		t.Logf("%d bytes of request, %d ms", len(q.Body), reply.Took)
	})
}
