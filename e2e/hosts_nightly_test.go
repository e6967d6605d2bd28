//go:build e2e && nightly

// Each strategy in each host, by the rules of hosts_sessions_test.go.
//
// make nightly runs the files with this tag, which take twice as long as the others: variants of a session that make e2e
// has, and what few changes touch.

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func init() { nightly = true }

// TestHostStrategies goes through the plugins one after the other, each alone.
func TestHostStrategies(t *testing.T) {
	eachHost(t, func(t *testing.T, h *host) {
		w := hosted(t, h)
		suite := w.sharedSuite("bart-simpson", "lisa-simpson", "marge-simpson", "ralph-wiggum", "ralph-specum", "ralph-speckit")
		for plugin, session := range map[string]func(w *World) (script []Turn, text string){
			"bart-simpson": func(w *World) ([]Turn, string) {
				if h.name == "gemini" { // its log has no HTML comments
					return says("I'm using executing-plans. Task 2/3.", "I'm using executing-plans. Task 3/3.", "Too far."), "Task 3/3."
				}
				end := "That was the last of it. <!-- el-barto:stop -->"
				return says("Half of it is there. <!-- el-barto:continue -->", end, "Too far."), end
			},
			"ralph-wiggum": func(w *World) ([]Turn, string) {
				w.Springfield("loop", "start", "Make the tests pass", "--max", "10", "--promise", "All tests passing")
				return says("One of them fails.", "Another one fails.", "All tests passing", "Too far."), "All tests passing"
			},
			"marge-simpson": func(w *World) ([]Turn, string) {
				const plan, ledger = "docs/superpowers/plans/2026-11-01-loop.md", ".superpowers/sdd/2026-11-01-loop/progress.md"
				write(w.t, w.path(plan), "# Loop\n\n### Task 1: Parser\n\n- [ ] Write the test\n\n### Task 2: Printer\n\n- [ ] Write the test\n")
				write(w.t, w.path(ledger), "# SDD ledger — plan: "+plan+"\n")
				done := func(n int) Turn {
					return Turn{Blocks: []Block{h.shell(fmt.Sprintf("echo 'Task %d: complete (commits 1a2b3c4..5d6e7f8, review clean)' >> %s", n, ledger))}}
				}
				return []Turn{done(1), says("The first part is in.")[0], done(2), says("That was the last part.")[0], says("Too far.")[0]}, "That was the last part."
			},
			"lisa-simpson": func(w *World) ([]Turn, string) {
				ask := filepath.Join(w.Home, "ask")
				write(w.t, ask, "#!/bin/sh\ngrep -c DECIDE: >>\"$HOME/asked\"\n"+`echo '{"reason": "a fault is named and not mended", "continue": true}'`+"\n")
				must(w.t, os.Chmod(ask, 0o755))
				write(w.t, filepath.Join(w.Home, ".claude", "springfield", "lisa-simpson.json"), `{"judge": {"backend": "command", "command": ["`+ask+`"], "cost": 0}}`)
				w.t.Cleanup(func() {
					if asked := readIfThere(filepath.Join(w.Home, "asked")); asked != "1\n" {
						w.t.Errorf("the judge was asked: %q", asked)
					}
				})
				return []Turn{h.looks(), says("Line 58 has bytes, which should be a slice of them.")[0], says("All of it is done.")[0], says("Too far.")[0]}, "All of it is done."
			},
			"ralph-specum":  func(w *World) ([]Turn, string) { return w.specScript(h, 0) },
			"ralph-speckit": func(w *World) ([]Turn, string) { return w.specScript(h, 1) },
		} {
			t.Run(plugin, func(t *testing.T) {
				here := *w
				here.t = t
				w := &here
				w.on(h, plugin, suite)
				script, text := session(w)
				w.In(h, Session{Script: script}, text, len(script)-1)
				w.Springfield("disable", plugin, "--host", h.name)
			})
		}
	})
}

// specScript is a model that carries out a spec of two tasks.
func (w *World) specScript(h *host, i int) (script []Turn, text string) {
	state := specs[i].begin(w, 2)
	for n := range 2 {
		command := "printf '%s' '" + at(n, 2, n+1) + "' > " + state
		script = append(script, Turn{Blocks: []Block{h.shell(command)}}, says(fmt.Sprintf("The coordinator is at task %d.", n+1))[0])
	}
	end := "Both are done.\n\nALL_TASKS_COMPLETE"
	return append(script, Turn{Blocks: []Block{h.shell("rm " + state)}}, says(end)[0], says("Too far.")[0]), end
}
