package ledger

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
)

var (
	claude = Means{Program: "springfield", From: "claude"}
	person = Means{Program: "ned-flanders", From: "/dev/pts/3"}
)

func TestHold(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".claude", "springfield")
	now := time.UnixMilli(1_800_000_000_000)
	held := func(id string, later time.Duration) bool {
		_, ok := HoldInForce(dir, id, now.Add(later))
		return ok
	}
	if held("a", 0) {
		t.Fatal("held at first")
	}
	_, err := SetHold(dir, "a", now, 30*time.Minute, claude)
	must(t, err)
	if !held("a", 29*time.Minute) || held("a", 31*time.Minute) || held("b", 0) {
		t.Error("a hold of one session is not in force for it alone, for its time")
	}
	// Only longer.
	if _, err := SetHold(dir, "a", now, time.Minute, claude); !errors.Is(err, ErrShorter) {
		t.Errorf("shortened: %v", err)
	}
	long, err := SetHold(dir, "a", now, 0, claude)
	scratch.ErrorIf(t, err != nil || !held("a", 1000*time.Hour), "for good: %v", err)
	if old, err := SetHold(dir, "a", now, time.Hour, claude); !errors.Is(err, ErrShorter) || old != long {
		t.Errorf("shortened from for good: %v", err)
	}
	if err := LiftHoldIfAny(dir, "a", now, person); err != nil || held("a", 0) {
		t.Errorf("lifted: %v", err)
	}
	_, err = SetHold(dir, "a", now, time.Minute, person)
	scratch.ErrorIf(t, err != nil || held("a", 2*time.Minute), "a shorter one after it: %v", err)
	must(t, LiftHoldIfAny(dir, "a", now, person))
	must(t, LiftHoldIfAny(dir, "a", now, person), "lifted twice")
	_, err = SetHold(dir, "", now, 0, claude)
	scratch.ErrorIf(t, err != nil || !held("a", 0) || !held("b", 0), "a hold for all: %v", err)
	must(t, LiftHoldIfAny(dir, "", now, person))
}

// A project's file called hold is no hold, even if the home directory is unknown.
func TestHoldInTheProject(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, os.Mkdir("hold", 0o700))
	for _, dir := range []string{"", "."} {
		if h, held := HoldInForce(dir, "", time.Now()); held {
			t.Errorf("%q: %+v", dir, h)
		}
	}
}

// The events of a hold are reported in order with their author, also a change that no springfield made.
func TestHoldEvents(t *testing.T) {
	now := time.UnixMilli(1_800_000_000_000)
	later := now.Add(time.Minute)
	for name, test := range map[string]struct {
		do   func(dir string, h Hold) error
		of   time.Duration
		want []string
	}{
		"in force": {nil, 0, nil},
		"lifted":   {func(dir string, h Hold) error { return LiftHoldIfAny(dir, "", later, person) }, 0, []string{"lifted /dev/pts/3"}},
		"ran out":  {nil, time.Second, []string{"ended "}},
		"deleted":  {func(dir string, _ Hold) error { return os.Remove(holdFile(dir, "")) }, time.Hour, []string{"removed "}},
		"rewritten": {func(dir string, _ Hold) error {
			return os.WriteFile(holdFile(dir, ""), []byte(`{"since":1,"until":2}`), 0o600)
		}, 0, []string{"removed "}},
		"made longer": {func(dir string, _ Hold) error {
			return os.WriteFile(holdFile(dir, ""), []byte(`{"since":1}`), 0o600)
		}, time.Second, nil},
	} {
		dir := filepath.Join(t.TempDir(), "springfield")
		h, err := SetHold(dir, "", now, test.of, claude)
		must(t, err)
		if test.do != nil {
			must(t, test.do(dir, h))
		}
		want := append([]string{"set claude"}, test.want...)
		for range 2 { // what was found is written down, once
			all, err := NoteAndReadHolds([]string{dir}, later.Add(time.Second))
			var got []string
			for _, e := range all {
				got = append(got, e.Did+" "+e.From)
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: %q, %v, want %q", name, got, err, want)
			}
		}
	}
}

// The history is bounded and private, and lines that are not events are skipped.
func TestHoldHistoryIsBounded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "springfield")
	now := time.Now()
	if _, err := SetHold(dir, strings.Repeat("x", 1<<20), now, 0, claude); err != ErrUnnoted {
		t.Errorf("a session's name of a megabyte: %v", err)
	}
	for i := range 2000 {
		must(t, noteHold(dir, HoldEvent{now.UnixMilli(), HoldSet, strings.Repeat("x", 100), Hold{Since: int64(i)}, claude}))
	}
	history := holdLines(dir)
	info, err := os.Stat(history.path)
	if err != nil || info.Size() > history.most+int64(history.longest) || info.Mode().Perm()&0o077 != 0 && filepath.Separator == '/' {
		t.Errorf("%v, %v", info, err)
	}
	must(t, os.WriteFile(history.path, []byte("{\x00\n[]\n{\"did\":1}\n"+strings.Repeat("x", 2*history.longest)+"\n{\"at\":1,\"did\":\"set\",\"of\":\"last\"}"), 0o600))
	if all, err := NoteAndReadHolds([]string{dir}, now); err != nil || len(all) != 2 || all[0].Of != "last" || all[1].Did != HoldRemoved {
		t.Errorf("%+v, %v", all, err)
	}
}

// Any content of an order file is in force unless it is an order that has expired.
func FuzzHeld(f *testing.F) {
	for _, order := range []string{`{"since":1,"until":2}`, `{"since":1}`, "\x00{}", "", "{", "[]", `{"since":1,"until":18446744073709551615}`} {
		f.Add([]byte(order))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		must(t, os.WriteFile(holdFile(dir, ""), data, 0o600))
		var h Hold
		over := codec.ReadObject(data, &h) == nil && h.Until != 0 && h.Until <= 1000
		if _, held := HoldInForce(dir, "a", time.UnixMilli(1000)); held == over {
			t.Errorf("%q: held %v", data, held)
		}
	})
}

// Of many holds that are set at once the longest is in force. Each is complete, and is recorded or was refused.
func TestHoldsAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "springfield")
	now := time.Now()
	var wg sync.WaitGroup
	var mu sync.Mutex
	set := 0
	for i := range 32 {
		wg.Go(func() {
			_, err := SetHold(dir, "", now, time.Duration(1+i*7%32)*time.Hour, claude)
			mu.Lock()
			defer mu.Unlock()
			switch err {
			case nil:
				set++
			case ErrShorter:
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if h, _ := HoldInForce(dir, "", now); h.Until != now.Add(32*time.Hour).UnixMilli() {
		t.Errorf("in force for %v", time.UnixMilli(h.Until).Sub(now))
	}
	if all, err := NoteAndReadHolds([]string{dir}, now); err != nil || len(all) != set || set == 0 {
		t.Errorf("%d events of %d holds, %v", len(all), set, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.new")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestSpend(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".claude", "springfield")
	now := time.Date(2026, 11, 21, 23, 50, 0, 0, time.FixedZone("", 3600))
	read := func(now time.Time) Spend {
		t.Helper()
		p, err := ReadSpend(dir, now)
		must(t, err)
		return p
	}
	scratch.Equal(t, read(now), Spend{Day: "2026-11-21"}, "an empty one")
	must(t, TakeFromDay(dir, now, 600, 1000))
	scratch.Equal(t, TakeFromDay(dir, now, 600, 1000), ErrSpent, "two at once that may cost more than there is")
	if due, err := SettleSpending(dir, now, now, 600, Outcome{Micros: 100}); due || err != nil {
		t.Error(due, err)
	}
	if p := read(now); p.Micros != 100 || p.Questions != 1 {
		t.Errorf("%+v", p)
	}
	for i := range 6 {
		must(t, TakeFromDay(dir, now, 600, 1000), i)
		due, err := SettleSpending(dir, now, now, 600, Outcome{Micros: 10, Failure: "timeout", Detail: "late"})
		if due != (i == 2) || err != nil {
			t.Error(i, due, err)
		}
		p := read(now)
		rest := time.Duration(p.Until-now.UnixMilli()) * time.Millisecond
		want := []time.Duration{0, 0, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 40 * time.Minute}[i]
		if want == 0 && p.Until != 0 || want > 0 && rest != want {
			t.Errorf("failure %d: rest %v, want %v", i+1, rest, want)
		}
		if want > 0 {
			scratch.Equal(t, TakeFromDay(dir, now, 1, 1000), ErrResting, "asked while it rests")
			now = now.Add(rest)
		}
	}
	// Another day, by UTC: nothing is spent, and the failures are still there.
	if p := read(now.Add(24 * time.Hour)); p.Micros != 0 || p.Questions != 0 || p.Failures != 6 || p.Failure != "timeout" || p.Detail != "late" {
		t.Errorf("%+v", p)
	}
	// A clock that was put back does not silence the judge for long.
	if p := read(now.Add(-48 * time.Hour)); p.Until != 0 {
		t.Errorf("%+v", p)
	}
}

func TestSpendThatIsDamaged(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "judge.json"), []byte(`{"day": "2026`), 0o600))
	if err := TakeFromDay(dir, time.Now(), 1, 10); err == nil || !strings.Contains(err.Error(), "delete it") {
		t.Errorf("nobody knows what has been spent: %v", err)
	}
}

// A question of the day before returns nothing to today's spend, and a clock that is set back starts no new day.
func TestSpendOfAnotherDay(t *testing.T) {
	dir := t.TempDir()
	today := time.Date(2026, 11, 21, 23, 59, 0, 0, time.UTC)
	tomorrow := today.Add(time.Hour)
	take := func(now time.Time, micros int64) { t.Helper(); must(t, TakeFromDay(dir, now, micros, 1000)) }
	take(today, 500)
	take(tomorrow, 900)
	_, err := SettleSpending(dir, today, tomorrow, 500, Outcome{Micros: 50})
	must(t, err)
	spent := func(now time.Time) int64 { p, err := ReadSpend(dir, now); must(t, err); return p.Micros }
	scratch.Equal(t, spent(tomorrow), 950, "on the new day")
	scratch.Equal(t, spent(today), 950, "with the clock put back")
	scratch.Equal(t, TakeFromDay(dir, today, 51, 1000), ErrSpent, "with the clock put back")
}

// The second of two stops that ask at once finds the maximum cost of the first, also after a kill. The history shows
// neither.
func TestTakeFromSession(t *testing.T) {
	dir := t.TempDir()
	r := Record{At: 1, Cwd: "/p", Plugin: "lisa-simpson"}
	spent, err := TakeFromSession(dir, "s", r, 600, 1000)
	must(t, err)
	scratch.Equal(t, spent, 600, "spent")
	spent, err = TakeFromSession(dir, "s", r, 600, 1000)
	if err != ErrSpent || spent != 600 {
		t.Errorf("%d, %v", spent, err)
	}
	s, err := OpenUnlocked(dir, "s")
	must(t, err)
	defer s.Close()
	scratch.Equal(t, s.State.Spent, 600, "after a kill")
	for r := range Backwards([]string{dir}, Scope{}) {
		t.Errorf("%+v", r)
	}
	must(t, s.LockAndRead())
	id, err := s.AppendRecord(Record{At: 2, Decision: "stop", State: s.State})
	if err != nil || !strings.HasSuffix(id, "-1") {
		t.Errorf("the first decision is %s, %v", id, err)
	}
}

// Sessions that end at once wait for the lock of the spend. Otherwise a reservation would never be returned.
func TestSpendWaits(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "springfield")
	now := time.Unix(1_800_000_000, 0)
	must(t, TakeFromDay(dir, now, 600, 1000))
	lock, err := TakeLock(dir, "judge", 0)
	must(t, err)
	time.AfterFunc(200*time.Millisecond, func() { lock.Close() })
	_, err = SettleSpending(dir, now, now, 600, Outcome{Micros: 10})
	must(t, err)
	if p, err := ReadSpend(dir, now); err != nil || p.Micros != 10 {
		t.Errorf("%+v, %v", p, err)
	}
}

// The last number that was typed for a loop is in force until the loop ends.
func TestPastOfLoop(t *testing.T) {
	typed := func(n int) activity.LoopEvent { return activity.LoopEvent{Event: activity.LoopRaised, Typed: n} }
	event := func(what string, n int) activity.LoopEvent { return activity.LoopEvent{Event: what, Typed: n} }
	for name, test := range map[string]struct {
		events []activity.LoopEvent
		want   activity.LoopPast
	}{
		"nothing":       {[]activity.LoopEvent{event(activity.LoopStarted, 0), event(activity.LoopGoesOn, 0)}, activity.LoopPast{Continues: 1}},
		"its count":     {[]activity.LoopEvent{{Event: activity.LoopGoesOn, Count: 4}, {Event: activity.LoopLastRound, Count: 3}, {Event: activity.LoopLimited, Count: 9}}, activity.LoopPast{Continues: 2, Count: 4, Over: true}},
		"at its start":  {[]activity.LoopEvent{event(activity.LoopStarted, 60), event(activity.LoopGoesOn, 0)}, activity.LoopPast{Continues: 1, Typed: 60}},
		"a smaller one": {[]activity.LoopEvent{typed(500), typed(10)}, activity.LoopPast{Typed: 10}},
		"a larger one":  {[]activity.LoopEvent{typed(10), typed(500)}, activity.LoopPast{Typed: 500}},
		"too large":     {[]activity.LoopEvent{typed(9000)}, activity.LoopPast{Typed: activity.MostIterations}},
		"its end":       {[]activity.LoopEvent{typed(500), event(activity.LoopCancelled, 500), event(activity.LoopGoesOn, 0)}, activity.LoopPast{Continues: 1, Before: 500}},
		"two ends":      {[]activity.LoopEvent{typed(500), event(activity.LoopStalled, 0), event(activity.LoopCancelled, 500)}, activity.LoopPast{Before: 500, Over: true}},
		"and a number":  {[]activity.LoopEvent{typed(500), event(activity.LoopLimited, 0), typed(40)}, activity.LoopPast{Typed: 40}},
		"a stranger's":  {[]activity.LoopEvent{typed(30), {Event: activity.LoopRaised, Typed: 500, Dir: "/other"}}, activity.LoopPast{Typed: 30}},
	} {
		dir := t.TempDir()
		for _, e := range test.events {
			e.Loop, e.Dir = "abc", cmp.Or(e.Dir, "/w")
			tell(t, dir, e)
		}
		scratch.Equal(t, PastOfLoop(dir, "abc", "/w"), test.want, name)
	}
}

func tell(t *testing.T, dir string, events ...activity.LoopEvent) {
	t.Helper()
	for _, e := range events {
		must(t, AppendLoop(dir, e))
	}
}

// onFile are the events of the history, like "a1:start a1:iteration".
func onFile(t *testing.T, dir string) string {
	t.Helper()
	all, err := LoopEvents(dir)
	must(t, err)
	var out []string
	for _, e := range all {
		out = append(out, e.Loop+":"+e.Event)
	}
	return strings.Join(out, " ")
}

func TestLoopHistory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".claude", "springfield") // nothing there yet
	scratch.Equal(t, onFile(t, dir), "", "before the first")
	whole := strings.Repeat("\x01", 16<<10) // six bytes each, in JSON
	tell(t, dir,
		activity.LoopEvent{Loop: "a1", Event: activity.LoopStarted, File: whole, Dir: "/w"},
		activity.LoopEvent{Loop: "b2", Event: activity.LoopStarted},
		activity.LoopEvent{Loop: "a1", Event: activity.LoopGoesOn, Count: 2, Max: 9, Text: "<&>"},
		activity.LoopEvent{Loop: "a1", Event: activity.LoopPromised, Count: 3, Max: 9})
	if got, want := onFile(t, dir), "a1:start b2:start a1:iteration a1:promise"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	all, _ := LoopEvents(dir)
	if all[0].File != whole || all[0].Dir != "/w" || all[2].Count != 2 || all[2].Max != 9 || all[2].Text != "<&>" {
		t.Error("an event is not what was written")
	}
	scratch.Equal(t, scratch.ModeOf(t, loopLines(dir).path), 0o600)
}

// Neither a torn line nor another program's hides the events after it. An event that could not be read is not written.
func TestLoopHistoryIsRobust(t *testing.T) {
	for name, junk := range map[string]string{
		"torn":       `{"loop":"a1","event":"itera`,
		"other JSON": "[]\n{}\nnull\n{\"loop\":7}\n",
		"no id":      `{"loop":"../../x","event":"start"}` + "\n",
		"very long":  `{"loop":"a1","event":"start","file":"` + strings.Repeat("x", 3*(128<<10)) + "\"}\n",
		"just too long": `{"loop":"a1","event":"start","file":"` + strings.Repeat("x", (128<<10)) + "\"}\n" +
			`{"loop":"c3","event":"start"}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			tell(t, dir, activity.LoopEvent{Loop: "a1", Event: activity.LoopStarted})
			f, err := os.OpenFile(loopLines(dir).path, os.O_APPEND|os.O_WRONLY, 0)
			must(t, err)
			_, err = f.WriteString(junk)
			must(t, err)
			f.Close()
			tell(t, dir, activity.LoopEvent{Loop: "a1", Event: activity.LoopLimited})
			want := "a1:start a1:limit"
			if name == "just too long" {
				want = "a1:start c3:start a1:limit"
			}
			scratch.Equal(t, onFile(t, dir), want)
		})
	}
	dir := t.TempDir()
	for _, e := range []activity.LoopEvent{
		{Loop: "", Event: "start"}, {Loop: "../x", Event: "start"}, {Loop: "A", Event: "start"}, {Loop: strings.Repeat("a", 17), Event: "start"},
		{Loop: "a1", Event: "start", File: strings.Repeat("x", (128 << 10))},
	} {
		scratch.ErrorIf(t, AppendLoop(dir, e) == nil, "%.20q was written", e.Loop)
	}
}
