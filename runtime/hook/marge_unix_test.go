//go:build unix

package hook

import (
	"os"
	"path/filepath"
	"testing"
)

// A link leads nowhere: what lies outside of the project is not read.
func TestMargeFollowsNoLinks(t *testing.T) {
	outside := t.TempDir()
	for name, data := range map[string]string{
		"workflow-state.json": workflow(1, 1), "a.md": "- [x] a\n- [ ] b\n", "sdd/a/progress.md": "- [x] a\n- [ ] b\n",
	} {
		path := filepath.Join(outside, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := func(w *world, to, name string) {
		if err := os.MkdirAll(filepath.Dir(w.path(name)), 0o755); err != nil {
			w.t.Fatal(err)
		}
		if err := os.Symlink(to, w.path(name)); err != nil {
			w.t.Fatal(err)
		}
	}
	for name, lay := range map[string]func(w *world){
		"a link out, the file": func(w *world) {
			link(w, filepath.Join(outside, "workflow-state.json"), "p/.claude/workflow-state.json")
		},
		"a link out, above": func(w *world) {
			link(w, outside, "p/.claude")
		},
		"a link to itself": func(w *world) {
			link(w, "workflow-state.json", "p/.claude/workflow-state.json")
		},
		"a linked ledger": func(w *world) {
			link(w, outside, "p/.superpowers")
		},
		"a linked plan": func(w *world) {
			link(w, filepath.Join(outside, "a.md"), "p/docs/plans/a.md")
			w.write(".claude/projects/-w/s.jsonl", `{"type":"user","uuid":"u1","message":{"content":"Carry out docs/plans/a.md"}}`+"\n")
		},
	} {
		t.Run(name, func(t *testing.T) { letsClaudeStop(t, lay) })
	}
}
