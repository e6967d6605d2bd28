package console

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/runtime/ledger"
)

// console is one in a scratch directory.
func console(t *testing.T) (d Console, out *bytes.Buffer) {
	t.Helper()
	dir := t.TempDir()
	out = &bytes.Buffer{}
	d = Console{
		Out: out, Dir: filepath.Join(dir, "state"), Self: "springfield", Work: filepath.Join(dir, "project"), Home: dir,
		Now: func() time.Time { return time.Unix(1_770_413_400, 0) }, // 2026-02-06T21:30:00Z
	}
	must(t, os.Mkdir(d.Work, 0o755))
	return d, out
}

// A stop order works in every state of the home, or says what does.
func TestHoldInEveryHome(t *testing.T) {
	for name, test := range map[string]struct {
		prepare func(t *testing.T, home string)
		problem string
	}{
		"no home":                  {func(t *testing.T, home string) { os.Remove(home) }, ""},
		"a state without sessions": {func(t *testing.T, home string) { os.MkdirAll(filepath.Join(home, ".claude", "springfield"), 0o700) }, ""},
		"a file as sessions": {func(t *testing.T, home string) {
			put(t, filepath.Join(home, ".claude", "springfield", "sessions"), "x")
		}, ""},
		"a directory as history": {func(t *testing.T, home string) {
			os.MkdirAll(filepath.Join(home, ".claude", "springfield", "holds.jsonl"), 0o700)
		}, ""},
		"a file as the state":         {func(t *testing.T, home string) { put(t, filepath.Join(home, ".claude", "springfield"), "x") }, "not a directory"},
		"a file as the configuration": {func(t *testing.T, home string) { put(t, filepath.Join(home, ".claude"), "x") }, "not a directory"},
	} {
		home := filepath.Join(t.TempDir(), "home")
		must(t, os.Mkdir(home, 0o700))
		test.prepare(t, home)
		d, out := console(t)
		d.Dir, d.Err = filepath.Join(home, ".claude", "springfield"), out
		err := d.HoldSessions("", 90*time.Minute)
		if test.problem != "" {
			if err == nil || !strings.HasSuffix(err.Error(), test.problem) || !strings.Contains(AdviceOn(err), "SPRINGFIELD=off") {
				t.Errorf("%s: %v, hint: %s", name, err, AdviceOn(err))
			}
			continue
		}
		if _, held := ledger.HoldInForce(d.Dir, "session:s", d.Now()); err != nil || !held || !strings.HasPrefix(out.String(), "holding all sessions for 1 h 30 min: ") {
			t.Errorf("%s: held: %t, %v, %q", name, held, err, out)
		}
	}
}
