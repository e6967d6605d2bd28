//go:build unix

package hook

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// inProject is a world whose project contains repositories and a worktree, with another worktree outside.
func inProject(t *testing.T, plugin string) *world {
	t.Helper()
	w := newWorld(t, `{"plugin": "`+plugin+`", "strategy": "`+plugin+`"}`)
	for _, name := range []string{
		"work/.git/HEAD", "work/nested/.git/HEAD", "work/nested/deep/x", "work/module/.git", "work/module/deep/x",
		"work/.claude/worktrees/a/.git", "beside/.git",
	} {
		w.write(name, "")
	}
	w.host.Project = w.path("work")
	return w
}

// A session's files are found from every directory in its project, whatever repository that is, but not from a worktree
// outside.
func TestProjectIsFoundFromWithin(t *testing.T) {
	for plugin, files := range map[string]map[string]string{
		"ralph-wiggum":  {"work/.stravinsky/continuation-loop.md": loopText},
		"ralph-specum":  {"work/specs/.current-spec": "demo\n", "work/specs/demo/.ralph-state.json": specState(1, "")},
		"ralph-speckit": {"work/.specify/.current-feature": "demo\n", "work/.specify/specs/demo/.speckit-state.json": specState(1, "")},
		"marge-simpson": {
			"work/docs/plans/a.md":        "- [x] a\n- [ ] b\n",
			".claude/projects/-w/s.jsonl": `{"type":"user","uuid":"u1","message":{"content":"Carry out docs/plans/a.md"}}` + "\n",
		},
	} {
		t.Run(plugin, func(t *testing.T) {
			t.Parallel()
			w := inProject(t, plugin)
			for name, text := range files {
				w.write(name, text)
			}
			for _, dir := range []string{"work", "work/nested", "work/nested/deep", "work/module/deep", "work/.claude/worktrees/a", "beside"} {
				old := time.Now().Add(-time.Hour)
				for name := range files {
					must(t, os.Chtimes(w.path(name), old, old))
				}
				w.host.Now = w.host.Now.Add(10 * time.Minute)
				out, notes := w.run(w.event(map[string]any{"cwd": w.path(dir), "last_assistant_message": "Now in " + filepath.Base(dir) + "."}))
				scratch.ErrorIf(t, (out.Decision == "block") != (dir != "beside"), "in %s: %+v, %s", dir, out, notes)
				if dir == "beside" && strings.HasPrefix(plugin, "ralph-spec") {
					scratch.ErrorIf(t, !strings.Contains(out.SystemMessage, " is left: "), "lost: %q", out.SystemMessage)
				}
			}
		})
	}
}
