//go:build unix

package springfield_test

import (
	"os/exec"
	"strings"
	"testing"
)

// A strategy is one folder in runtime/strategy and one in templates: with these two, and
// nothing else touched, a ninth is built, made, enabled, asked and validated.
func TestANinthStrategyIsTwoFolders(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("sh", "e2e/maggie.sh", ".", t.TempDir()).CombinedOutput()
	if err != nil || !strings.HasSuffix(string(out), "maggie is a strategy\n") {
		t.Errorf("%v\n%s", err, out)
	}
}
