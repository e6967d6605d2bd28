//go:build unix

package hook

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// git runs git in a directory of this world, which has no configuration of its own.
func (w *world) git(dir string, args ...string) {
	w.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always", "-c", "user.name=t", "-c", "user.email=t@example.com", "-C", w.path(dir)}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+w.path("."), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null")
	out, err := cmd.CombinedOutput()
	must(w.t, err, string(out))
}

// inProject is a world whose project contains repositories and a worktree, with another worktree outside.
func inProject(t *testing.T, plugin string) *world {
	t.Helper()
	w := newWorld(t, `{"plugin": "`+plugin+`", "strategy": "`+plugin+`"}`)
	for _, dir := range []string{"library", "work", "work/nested"} {
		w.write(dir+"/README", "x")
		w.git(dir, "init", "-q")
		w.git(dir, "add", "README")
		w.git(dir, "commit", "-qm", "one")
	}
	w.git("work", "submodule", "--quiet", "add", w.path("library"), "module")
	w.git("work", "worktree", "add", "-q", "--detach", ".claude/worktrees/a")
	w.git("work", "worktree", "add", "-q", "--detach", "../beside")
	w.write("work/nested/deep/x", "")
	w.write("work/module/deep/x", "")
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
				scratch.FailIf(t, (out.Decision == "block") != (dir != "beside"), "in %s: %+v, %s", dir, out, notes)
				if dir == "beside" && plugin != "marge-simpson" {
					scratch.FailIf(t, !strings.Contains(out.SystemMessage, w.path("beside")), "lost: %q", out.SystemMessage)
				}
			}
		})
	}
}

// Other plugins stand aside for a loop of the project in every directory of it.
func TestOthersStandAsideForAProjectsLoop(t *testing.T) {
	w := inProject(t, "ned-flanders")
	w.write("other/strategy.json", wiggumOne)
	w.write(loopFile, loopText)
	for i, dir := range []string{"work", "work/nested", "work/module/deep"} {
		w.old(loopFile)
		w.host.Now = w.host.Now.Add(time.Minute)
		event := w.event(map[string]any{"cwd": w.path(dir), "last_assistant_message": strings.Repeat("Well. ", i) + moving})
		var ned, other output
		w.as(false, func() { ned, _ = w.run(event) }, func() { other, _ = w.run(event) })
		w.driven(dir, "second")(ned, other)
	}
}
