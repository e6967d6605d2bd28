//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// session is a past one: Claude stopped with work left, and a person said to go on.
const session = `{"type":"user","uuid":"u1","sessionId":"s","cwd":"/p","promptId":"p1","timestamp":"2026-01-02T10:00:00Z","message":{"role":"user","content":"execute the plan"}}
{"type":"assistant","uuid":"a1","parentUuid":"u1","sessionId":"s","cwd":"/p","timestamp":"2026-01-02T10:01:00Z","message":{"role":"assistant","id":"m1","content":[{"type":"text","text":"Task 1 complete. Moving to Task 2."}]}}
{"type":"user","uuid":"u2","parentUuid":"a1","sessionId":"s","cwd":"/p","promptId":"p2","timestamp":"2026-01-02T10:02:00Z","message":{"role":"user","content":"continue"}}
`

// springfield alone leads from nothing to a plugin that is on. Every step can be left,
// and the next call goes on from there.
func TestGuide(t *testing.T) {
	const made, on = "home/continuation-hooks/springfield.yaml", "home/.claude/settings.json"
	is := func(dir, file string, want bool) {
		t.Helper()
		if _, err := os.Stat(filepath.Join(dir, file)); (err == nil) != want {
			t.Errorf("%s is there: %t", file, err == nil)
		}
	}
	x, dir := start(t, 80)
	x.waitFor("no past sessions of Claude Code here yet")
	x.waitFor("Make it?")
	if !strings.Contains(x.vt.String(), "compilation") {
		t.Errorf("nothing says that it takes a while to compile:\n%s", x.vt.String())
	}
	x.send(ctrlC)
	checkCancelled(t, x, dir, "Ctrl-C at the second step")
	if !strings.Contains(x.vt.String(), "it continues from here") {
		t.Errorf("nothing says that this is fine:\n%s", x.vt.String())
	}

	log := filepath.Join(dir, "home/.claude/projects/-p/s.jsonl")
	if err := os.MkdirAll(filepath.Dir(log), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(log, []byte(session), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PREBUILT", carriedHeads(t))
	x = startAgain(t, dir, 80, "xterm")
	t.Setenv("PREBUILT", "")
	x.waitFor("You have 1 log of past sessions")
	for _, part := range []string{"springfield replay", "springfield init", "springfield enable", "springfield why"} {
		if !strings.Contains(x.vt.String(), part) {
			t.Errorf("the first screen has no %s:\n%s", part, x.vt.String())
		}
	}
	x.send(enter)
	x.waitFor("ned-flanders would have gone on by itself at 1 of 1")
	x.waitFor("= springfield init ~/continuation-hooks --yes --strategy ned-flanders")
	if x.waitFor("Make it?"); strings.Contains(x.vt.String(), "compilation") {
		t.Errorf("it speaks of compiling hooks that it carries:\n%s", x.vt.String())
	}
	x.send("n" + enter)
	if code := x.exitCode(); code != 0 {
		t.Errorf("a no ends with %d:\n%s", code, x.vt.String())
	}
	is(dir, made, false)

	x = startAgain(t, dir, 60, "xterm", "--plain")
	x.waitForLine("Look at them?")
	x.send("no" + enter)
	x.waitForLine("Make it?")
	x.send(enter)
	x.waitForLine("Switch it on?")
	x.send("no" + enter)
	if code := x.exitCode(); code != 0 {
		t.Errorf("exit code %d:\n%s", code, x.vt.String())
	}
	is(dir, made, true)
	is(dir, on, false)

	x = startAgain(t, dir, 80, "xterm")
	x.waitFor("You have made ned-flanders; it is not switched on yet")
	x.send(enter)
	if code := x.exitCode(); code != 0 {
		t.Errorf("exit code %d:\n%s", code, x.vt.String())
	}
	is(dir, on, true)
	for _, part := range []string{"springfield enable ned-flanders", "start claude", "Moving on to the next number.", "springfield why"} {
		if !strings.Contains(x.vt.String(), part) {
			t.Errorf("the last steps have no %s:\n%s", part, x.vt.String())
		}
	}

	// Now there is something to show.
	x = startAgain(t, dir, 80, "xterm")
	if code := x.exitCode(); code != 0 || !strings.Contains(x.vt.String(), "ned-flanders@continuation-hooks, for you in every project") {
		t.Errorf("exit code %d:\n%s", code, x.vt.String())
	}
}

// The guide names the agent that is there, whatever else there might be.
func TestGuideNamesTheAgent(t *testing.T) {
	x, dir := start(t, 80)
	x.waitFor("Make it?")
	x.send(ctrlC)
	x.exitCode()
	if err := os.MkdirAll(filepath.Join(dir, "home/.codex/sessions"), 0o700); err != nil {
		t.Fatal(err)
	}
	x = startAgain(t, dir, 80, "xterm")
	x.waitFor("Make it?")
	screen := x.vt.String()
	for _, part := range []string{"springfield keeps Codex going", "4  try it                             codex", "see why Codex went on, or stopped", "no past sessions of Codex here yet"} {
		if !strings.Contains(screen, part) {
			t.Errorf("no %q in:\n%s", part, screen)
		}
	}
	if strings.Contains(screen, "Claude") {
		t.Errorf("Claude is named where Codex is:\n%s", screen)
	}
	x.send(ctrlC)
	x.exitCode()
}
