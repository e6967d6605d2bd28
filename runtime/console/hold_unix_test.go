//go:build unix

package console

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// Where nothing can be written an order says so, and what works all the same.
func TestHoldWithoutRights(t *testing.T) {
	scratch.WithoutRights(t, func(t *testing.T, dir string) {
		for _, state := range []string{".claude", filepath.Join(".claude", "springfield")} {
			home := filepath.Join(dir, strings.ReplaceAll(state, "/", "-"))
			must(t, os.MkdirAll(filepath.Join(home, state), 0o700))
			must(t, os.Chmod(filepath.Join(home, state), 0o500))
			d := Console{Out: &bytes.Buffer{}, Dir: filepath.Join(home, ".claude", "springfield"), Now: time.Now, Self: "springfield"}
			err := d.HoldSessions("", 0)
			if err == nil || !strings.Contains(err.Error(), filepath.Join(home, state)) || !strings.Contains(err.Error(), "permission denied") || !strings.Contains(AdviceOn(err), "SPRINGFIELD=off") {
				t.Errorf("%s: %v, hint: %s", state, err, AdviceOn(err))
			}
			must(t, os.Chmod(filepath.Join(home, state), 0o700))
		}
	})
}
