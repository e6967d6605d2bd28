package console

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/registry"
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

// A hold works in every state of the home, or the error has a hint.
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

// A hold without an end that is not set at a terminal ends after 12 hours, or with a later away order. It reports that,
// and shortens no other hold.
func TestHoldWithoutTerminalEnds(t *testing.T) {
	hours := func(n int) int64 { return int64(n) * time.Hour.Milliseconds() }
	for name, test := range map[string]struct {
		order  ledger.AwayOrder // relative to now
		before time.Duration    // of a hold in force, -1 for one without end
		want   int64            // 0: it has no end
		says   string
	}{
		"alone":                   {ledger.AwayOrder{}, 0, hours(12), "it then ends by itself, because it was not set at your own terminal"},
		"an order for longer":     {ledger.AwayOrder{Until: hours(20)}, 0, hours(20), "it then ends with your away order, because"},
		"an order for less":       {ledger.AwayOrder{Until: hours(3)}, 0, hours(12), "it then ends by itself"},
		"an order that is none":   {ledger.AwayOrder{Until: hours(9000)}, 0, hours(12), "it then ends by itself"},
		"an order that was ended": {ledger.AwayOrder{Until: hours(20), Ended: -1}, 0, hours(12), "it then ends by itself"},
		"a hold for less":         {ledger.AwayOrder{}, time.Hour, hours(12), "it then ends by itself"},
		"a hold for longer":       {ledger.AwayOrder{}, 48 * time.Hour, hours(48), "it was already in force"},
		"a hold without end":      {ledger.AwayOrder{}, -1, 0, "it was already in force"},
	} {
		d, out := console(t)
		now := d.Now().UnixMilli()
		d.Caller, _ = registry.HostNamed("claude")
		if o := test.order; o.Until != 0 {
			o.ID, o.At, o.Until, o.Most = "o", now, now+o.Until, 50
			if o.Ended != 0 {
				o.Ended += now
			}
			must(t, ledger.SetOrders(d.Dir, func([]ledger.AwayOrder) []ledger.AwayOrder { return []ledger.AwayOrder{o} }))
		}
		if test.before != 0 {
			_, err := ledger.SetHold(d.Dir, "", d.Now(), max(test.before, 0), ledger.Means{})
			must(t, err)
		}
		err := d.HoldSessions("", 0)
		h, held := ledger.HoldInForce(d.Dir, "", d.Now())
		if want := now + test.want; err != nil || !held || h.Until != want && (h.Until != 0 || test.want != 0) || !strings.Contains(out.String(), "\n"+test.says) {
			t.Errorf("%s: %v, held %t until %d h, want %d h:\n%s", name, err, held, (h.Until-now)/hours(1), test.want/hours(1), out)
		}
	}
}

// That a hold ran out is news for five minutes.
func TestEndedHoldIsNewsForMinutes(t *testing.T) {
	d, _ := console(t)
	now := d.Now()
	_, err := ledger.SetHold(d.Dir, "", now, time.Hour, ledger.Means{Program: "springfield"})
	must(t, err)
	for age, want := range map[time.Duration]int{4 * time.Minute: 1, 6 * time.Minute: 0} {
		if _, news := HoldNews([]string{d.Dir}, now.Add(time.Hour+age)); len(news) != want {
			t.Errorf("after %v: %q", age, news)
		}
	}
}

// The log of a project begins with a hold that was in force at its first decision, not with those that were over.
func TestLogListsHoldsSinceTheFirstDecision(t *testing.T) {
	d, out := console(t)
	for _, ago := range []time.Duration{3 * time.Hour, 10 * time.Minute} {
		_, unnoted := ledger.NoteAndReadHolds([]string{d.Dir}, d.Now().Add(-ago)) // it notes the end of the first
		_, err := ledger.SetHold(d.Dir, "", d.Now().Add(-ago), time.Hour, ledger.Means{Program: "springfield"})
		must(t, cmp.Or(unnoted, err))
	}
	decided(t, d, ledger.Record{Session: "s", Cwd: d.Work, Decision: "stop", Rule: "hold"})
	for asked, want := range map[Asked]int{{}: 2, {All: true}: 4} {
		out.Reset()
		must(t, d.ListDecisions(20, asked))
		got := strings.Count(out.String(), "  hold")
		errorIf(t, got != want, "%+v: %d rows, want %d:\n%s", asked, got, want, out)
	}
}
