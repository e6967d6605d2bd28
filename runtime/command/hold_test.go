package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/runtime/ledger"
)

// What a session's decision has to do with holds is asked of that session alone: each
// further session costs nothing.
func TestWhyReadsOneSession(t *testing.T) {
	d, _, _ := console(t)
	decide := func(session string, times int) {
		t.Helper()
		s, err := ledger.Open(d.Dir, "session:"+session)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for range times {
			if _, err := s.Append(ledger.Record{At: d.Now().UnixMilli(), Session: session, Plugin: "ned", Decision: "stop", Rule: "done"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	cost := func() float64 {
		return testing.AllocsPerRun(3, func() {
			if err := d.Why("last", Asked{Session: "s"}); err != nil {
				t.Fatal(err)
			}
		})
	}
	decide("s", 2)
	alone := cost()
	for i := range 40 {
		decide(fmt.Sprint("other", i), 5)
	}
	if beside := cost(); beside > 1.5*alone {
		t.Errorf("%v allocations beside 40 other sessions, %v alone", beside, alone)
	}
	if files, _ := filepath.Glob(filepath.Join(d.Dir, "sessions", "*.jsonl")); len(files) != 41 {
		t.Errorf("%d ledgers, want 41", len(files))
	}
}

// A stop order works in every state of the home, or says what does.
func TestHoldInEveryHome(t *testing.T) {
	for name, test := range map[string]struct {
		prepare func(t *testing.T, home string)
		problem string
	}{
		"empty":                    {func(*testing.T, string) {}, ""},
		"no home":                  {func(t *testing.T, home string) { os.Remove(home) }, ""},
		"no state":                 {func(t *testing.T, home string) { os.Mkdir(filepath.Join(home, ".claude"), 0o700) }, ""},
		"a state without sessions": {func(t *testing.T, home string) { os.MkdirAll(filepath.Join(home, ".claude", "springfield"), 0o700) }, ""},
		"a file as sessions": {func(t *testing.T, home string) {
			put(t, filepath.Join(home, ".claude", "springfield", "sessions"), "x")
		}, ""},
		"a directory as history": {func(t *testing.T, home string) {
			os.MkdirAll(filepath.Join(home, ".claude", "springfield", "holds.jsonl"), 0o700)
		}, ""},
		"a file as the state":         {func(t *testing.T, home string) { put(t, filepath.Join(home, ".claude", "springfield"), "x") }, "springfield is a file, not a directory"},
		"a file as the configuration": {func(t *testing.T, home string) { put(t, filepath.Join(home, ".claude"), "x") }, ".claude is a file, not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			home := filepath.Join(t.TempDir(), "home")
			if err := os.Mkdir(home, 0o700); err != nil {
				t.Fatal(err)
			}
			test.prepare(t, home)
			d, out, _ := console(t)
			d.Dir, d.Err = filepath.Join(home, ".claude", "springfield"), out
			err := d.Hold("", 90*time.Minute)
			if test.problem != "" {
				if err == nil || !strings.HasSuffix(err.Error(), test.problem) || !strings.Contains(Advice(err), "SPRINGFIELD=off") {
					t.Errorf("%v, hint: %s", err, Advice(err))
				}
				return
			}
			if _, held := ledger.Held(d.Dir, "session:s", d.Now()); err != nil || !held || !strings.HasPrefix(out.String(), "holding all sessions for 1 h 30 min: ") {
				t.Errorf("held: %t, %v, %q", held, err, out)
			}
		})
	}
}
