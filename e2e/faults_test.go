//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A hook that cannot say so itself: the client lets Claude stop, and what it leaves in the session's
// log is what `why` tells of, not the decision before it.
func TestWhyTellsOfAHookThatDidNotDecide(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, suite := owning(t, version)
		program, hooks := hook(suite), filepath.Join(suite, "ned-flanders", "hooks", "hooks.json")
		whole, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		put := func(path, data string) {
			t.Helper()
			os.Remove(path)
			if err := os.WriteFile(path, []byte(data), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		// The decision before the first fault; before each of the others there is one that the hook did not make.
		ends(t, w.Run(Session{Script: says(plan...)}), plan[2], 3)
		if d := w.last(); d.Decision != "stop" {
			t.Errorf("before: why says %+v", d)
		}
		for name, test := range map[string]struct {
			put  func()
			says string
		}{
			"missing":        {func() { os.Remove(program) }, "ENOENT"},
			"not executable": {func() { os.Chmod(program, 0o644) }, "EACCES"},
			"no program":     {func() { put(program, "\x00\x01\x02") }, "ENOEXEC"},
			"killed":         {func() { put(program, "#!/bin/sh\nkill -9 $$\n") }, "perhaps it was killed"},
			"too slow": {func() {
				put(program, "#!/bin/sh\nexec sleep 60\n")
				data, err := os.ReadFile(hooks)
				if err != nil {
					t.Fatal(err)
				}
				put(hooks, strings.Replace(string(data), `"timeout": 10`, `"timeout": 1`, -1))
			}, "timed out after 1.0 s"},
		} {
			data, err := os.ReadFile(hooks)
			if err != nil {
				t.Fatal(err)
			}
			put(program, string(whole))
			test.put()
			r := w.Run(Session{Script: says(plan...)})
			ends(t, r, plan[0], 1)
			if d := w.last(); d.Decision != "none" || d.Rule != "fault:client" || d.Session != r.ID {
				t.Errorf("%s: why says %+v of session %s", name, d, r.ID)
			}
			if out := fmt.Sprint(w.Springfield("why")); !strings.Contains(out, "a springfield hook did not decide, and Claude stopped") || !strings.Contains(out, test.says) {
				t.Errorf("%s: why says %s", name, out)
			}
			put(hooks, string(data))
		}
	})
}
