//go:build unix

package house

import (
	"os/exec"
	"strings"
	"testing"
)

// A new strategy needs only two folders and a new host one: both are built, enabled and asked.
func TestANinthStrategyIsTwoFoldersAndAHostIsOne(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("sh", "e2e/maggie.sh", ".", t.TempDir()).CombinedOutput()
	if err != nil || !strings.HasSuffix(string(out), "maggie is a strategy, milhouse is a host\n") {
		t.Errorf("%v\n%s", err, out)
	}
}
