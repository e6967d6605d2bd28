//go:build unix

package house

import (
	"os/exec"
	"strings"
	"testing"
)

// A strategy is one folder in runtime/strategy and one in templates, and a host is one in
// runtime/host: with these three, and nothing else touched, a ninth strategy is built, made,
// enabled, asked and validated, and answers another host.
func TestANinthStrategyIsTwoFoldersAndAHostIsOne(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("sh", "e2e/maggie.sh", ".", t.TempDir()).CombinedOutput()
	if err != nil || !strings.HasSuffix(string(out), "maggie is a strategy, milhouse is a host\n") {
		t.Errorf("%v\n%s", err, out)
	}
}
