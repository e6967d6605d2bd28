package ledger

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A start leaves one mark, which it writes over; only one that ended without a
// decision is left.
func TestMarks(t *testing.T) {
	dir, now := filepath.Join(t.TempDir(), "springfield"), time.UnixMilli(1_800_000_000_000)
	begin := func(plugin string) *Mark {
		return Begin(dir, "a", Start{At: now.UnixMilli(), Plugin: plugin, Event: "Stop", Session: "s"}, now)
	}
	unfiled := func(id string) (rules []string) {
		t.Helper()
		for _, r := range Unfiled(dir, Scope{Session: id}, now) {
			rules = append(rules, r.Plugin+" "+r.Rule+" "+r.Evidence)
		}
		return rules
	}
	size := func() int64 {
		t.Helper()
		info, err := os.Stat(startsFile(dir, "a"))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	for range 3 {
		m := begin("ned")
		if got := unfiled("a"); got != nil {
			t.Errorf("at work: %q", got)
		}
		m.End()
	}
	if size() != markSize {
		t.Errorf("three starts left %d bytes, want one mark", size())
	}

	begin("ned").Fail("fault:busy", "the ledger\tis\nlocked")
	const want = "ned fault:busy the ledger is locked"
	for _, id := range []string{"a", ""} {
		if got := unfiled(id); len(got) != 1 || got[0] != want {
			t.Errorf("session %q: %q, want %q", id, got, want)
		}
	}
	if got := unfiled("b"); got != nil {
		t.Errorf("another session: %q", got)
	}
	m := begin("marge")
	left := m.Left()
	if len(left) != 1 || left[0].Evidence != "the ledger is locked" || left[0].Session != "s" {
		t.Fatalf("left %+v", left)
	}
	m.Filed(left[0])
	m.End()
	if got := unfiled("a"); got != nil {
		t.Errorf("filed: %q", got)
	}

	m = begin("ned")
	now = now.Add(longestStart + time.Second) // no process is at work for so long
	if got := unfiled("a"); len(got) != 1 || !strings.HasPrefix(got[0], "ned "+Killed) {
		t.Errorf("too old: %q", got)
	}
	m.End()
	if size() != 2*markSize {
		t.Errorf("%d bytes, want a mark per plugin", size())
	}
}

// Marks that are too many are not ours, and begin anew.
func TestTooManyMarks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "springfield")
	makeDirs(dir)
	if err := os.WriteFile(startsFile(dir, "a"), bytes.Repeat([]byte("begun\n"), maxMarks), 0o600); err != nil {
		t.Fatal(err)
	}
	Begin(dir, "a", Start{Plugin: "ned"}, time.Now()).End()
	if data, err := os.ReadFile(startsFile(dir, "a")); err != nil || len(data) != markSize {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}

// A fault that was not heard is told again, one that was is not.
func TestTell(t *testing.T) {
	var s State
	if !s.Tell("ned", "fault:busy", 1) || s.Tell("ned", "fault:busy", 2) || !s.Tell("marge", "fault:busy", 2) {
		t.Errorf("told %+v", s.Faults)
	}
	s.Unsaid(1)
	if !s.Tell("ned", "fault:busy", 3) || s.Tell("marge", "fault:busy", 3) {
		t.Errorf("told %+v", s.Faults)
	}
	for i := range 10 * maxFaults {
		s.Tell("ned", strings.Repeat("x", i+1), 4)
	}
	if len(s.Faults) != maxFaults {
		t.Errorf("%d are remembered", len(s.Faults))
	}
}

// Whatever lies in the file of marks is read in bounds, and what is written there is
// read as it was.
func FuzzMarks(f *testing.F) {
	f.Add([]byte("begun\t1\t2\tStop\tned\ts\t\t\n"), "ned", "s", "fault:busy", "locked")
	f.Add(Start{state: fault, At: 1, Plugin: "ned", Rule: "x", Evidence: "y"}.line(), "a\tb", "é\n", strings.Repeat("é", 400), "\xff")
	f.Fuzz(func(t *testing.T, data []byte, plugin, session, rule, evidence string) {
		for _, s := range parseMarks(data) {
			if s.at < 0 || s.at+markSize > int64(len(data)) || s.state == fault && s.Rule == "" {
				t.Errorf("%+v in %d bytes", s, len(data))
			}
		}
		in := Start{state: fault, At: 7, pid: 8, Event: "Stop", Plugin: plugin, Session: session, Rule: "r" + rule, Evidence: evidence}
		line := in.line()
		got := parseMarks(append(append([]byte{}, line...), line...))
		if len(line) != markSize || len(got) != 2 || got[1].at != markSize || got[0].pid != 8 || got[0].At != 7 || !bytes.Equal(got[0].line(), line) {
			t.Errorf("%q is read as %+v", line, got)
		}
	})
}

// Of all sessions the marks of those that began last are read, also of one that never
// came to a decision.
func TestUnfiledIsBounded(t *testing.T) {
	dir, now := filepath.Join(t.TempDir(), "springfield"), time.UnixMilli(1_800_000_000_000)
	fail := func(n int) {
		id := "session:" + strconv.Itoa(n)
		Begin(dir, id, Start{At: now.UnixMilli() + int64(n), Plugin: "ned", Event: "Stop", Session: id}, now).Fail("fault:busy", "x")
	}
	const extra = 5
	for n := range maxUnfiled + extra {
		fail(n)
	}
	all := Unfiled(dir, Scope{}, now)
	if len(all) != maxUnfiled || all[0].Session != "session:"+strconv.Itoa(extra) {
		t.Fatalf("%d starts", len(all))
	}
	if all := Unfiled(dir, Scope{Session: "session:0"}, now); len(all) != 1 {
		t.Errorf("by its session: %v", all)
	}
	// A second plugin, and the first decision, do not make a session count twice.
	Begin(dir, "session:7", Start{At: now.UnixMilli(), Plugin: "marge", Event: "Stop", Session: "session:7"}, now).End()
	s, err := Open(dir, "session:7")
	if err == nil {
		_, err = s.Append(Record{At: now.UnixMilli(), Session: "session:7", Plugin: "ned", Decision: "stop"})
		s.Close()
	}
	if all := Unfiled(dir, Scope{}, now); err != nil || len(all) != maxUnfiled {
		t.Errorf("%d starts, %v", len(all), err)
	}
}
