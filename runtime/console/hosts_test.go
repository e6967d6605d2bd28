package console

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/runtime/ledger"
)

// Decisions of every host are told together, those of another than Claude Code with its
// name, wherever CLAUDE_CONFIG_DIR has Claude Code's own.
func TestAnswersAreAboutEveryHost(t *testing.T) {
	d, out := console(t)
	d.Also = filepath.Join(d.Home, "also")
	at := func(dir string, second int64) Console {
		other := d
		other.Dir, other.Now = dir, func() time.Time { return d.Now().Add(time.Duration(second) * time.Second) }
		return other
	}
	decided(t, at(d.Dir, -3), ledger.Record{Session: "of-claude", Cwd: d.Work, Decision: "continue", Rule: "progress", Evidence: "first"})
	decided(t, at(d.Also, -2), ledger.Record{Session: "of-another", Host: "another", Cwd: d.Work, Decision: "stop", Rule: "asks", Evidence: "second"})
	decided(t, at(d.Dir, -1), ledger.Record{Session: "of-claude", Cwd: d.Work, Decision: "continue", Rule: "progress", Evidence: "third"})
	for _, test := range []struct {
		asked     Asked
		list, why string
	}{
		{Asked{}, "first second third", "made Claude go on"},
		{Asked{Host: "claude"}, "first third", "made Claude go on"},
		{Asked{Host: "another"}, "second", "let the agent stop"}, // this springfield does not know it
		{Asked{Session: "of-an"}, "second", "host     another"},
		{Asked{Session: "of-an", Host: "claude"}, "", "no decision is recorded for session of-another in Claude Code yet"},
	} {
		out.Reset()
		if err := d.ExplainDecision("last", test.asked); err != nil || !strings.Contains(out.String(), test.why) {
			t.Errorf("why %+v: %v\n%s", test.asked, err, out)
		}
		out.Reset()
		err := d.ListDecisions(9, test.asked)
		var said []string
		for _, word := range strings.Fields(out.String()) {
			if strings.Contains(" first second third ", " "+word+" ") {
				said = append(said, word)
			}
		}
		if got := strings.Join(said, " "); err != nil || got != test.list {
			t.Errorf("log %+v: %q, %v\n%s", test.asked, got, err, out)
		}
	}
	newest, _ := ledger.Newest([]string{d.Also}, ledger.Scope{}, 1, func(ledger.Record) bool { return true })
	id := newest[0].ID
	out.Reset()
	if err := d.ExplainDecision(id, Asked{}); err != nil || !strings.Contains(out.String(), "second") {
		t.Errorf("%s: %v\n%s", id, err, out)
	}
}

// A hold stops the sessions of all hosts: it stands in every state directory, and counts
// as one.
func TestHoldStopsEveryHost(t *testing.T) {
	d, out := console(t)
	d.Also = filepath.Join(d.Home, "also")
	held := func(want ...time.Duration) {
		t.Helper()
		for i, dir := range d.stateDirs() {
			h, ok := ledger.HoldInForce(dir, "session:any", d.Now())
			if got := time.Duration(h.Until-d.Now().UnixMilli()) * time.Millisecond; !ok || got != want[i] {
				t.Errorf("%s: held %v for %v, want %v", dir, ok, got, want[i])
			}
		}
	}
	shows := func(want string) {
		t.Helper()
		out.Reset()
		if err := d.ListHolds(); err != nil || strings.TrimSpace(out.String()) != want {
			t.Errorf("%v\n%s\nwant\n%s", err, out, want)
		}
	}
	shows("no hold is in force")
	if err := d.HoldSessions("", 30*time.Minute); err != nil || !strings.Contains(out.String(), "for 30 min: every agent may stop") {
		t.Fatal(err, out)
	}
	held(30*time.Minute, 30*time.Minute)
	shows("all sessions: held for 30 min, set just now; lift it with springfield resume")
	if events := d.holdEvents(); len(events) != 1 {
		t.Errorf("%d events, want one: %v", len(events), events)
	}
	// A slash command of another host has held its own directory for longer.
	other := d
	other.Dir, other.Also = d.Also, ""
	must(t, other.HoldSessions("", 2*time.Hour))
	shows("all sessions: held for 2 h, set just now; lift it with springfield resume")
	must(t, d.HoldSessions("", time.Hour))
	held(time.Hour, 2*time.Hour)
	if err := d.HoldSessions("", time.Minute); err == nil {
		t.Error("a hold was shortened without a person")
	}
	held(time.Hour, 2*time.Hour)
}
