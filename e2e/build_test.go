//go:build e2e

package e2e

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A suite that Claude Code knows as a directory runs in place: built for other
// machines too, its hook starts through the launcher at the next stop, without
// a new version.
func TestRebuiltForSeveralTargets(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, suite := owning(t, version)
		here := runtime.GOOS + "/" + runtime.GOARCH
		other := "linux/arm64"
		if here == other {
			other = "linux/amd64"
		}
		out := w.Springfield("build", suite, "--target", here, "--target", other)
		if said := out.Stdout + out.Stderr; !strings.Contains(said, other) || !strings.Contains(said, "the hooks changed, the version did not: ned-flanders 0.1.0") {
			t.Errorf("build says\n%s", said)
		}
		ends(t, w.Run(Session{Script: says(plan...)}), plan[2], 3)
		w.Springfield("build", suite, "--target", here)
		ends(t, w.Run(Session{Script: says(plan...)}), plan[2], 3)
	})
}

// validate asks the client, away from the user's settings, and counts what it
// says but for the one warning that is expected.
func TestValidateAsksTheClient(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w := newWorld(t, version)
		suite := newSuite(w)
		out := w.Springfield("validate", suite, "--strict")
		for _, want := range []string{"Claude Code " + version + ": claude plugin validate --strict accepts it", "that is expected"} {
			if !strings.Contains(out.Stdout, want) {
				t.Errorf("%q is not in\n%s", want, out.Stdout)
			}
		}
		write(t, filepath.Join(suite, "ned-flanders", "commands", "why.md"), "---\ndescription: \"x\n---\n")
		if out := w.TrySpringfield("validate", suite, "--strict"); out.Code == 0 || !strings.Contains(out.Stdout, "failure  client       ned-flanders/commands/why.md: frontmatter: ") {
			t.Errorf("exit %d\n%s%s", out.Code, out.Stdout, out.Stderr)
		}
	})
}
