package command

import (
	"fmt"
	"path/filepath"
	"testing"

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
