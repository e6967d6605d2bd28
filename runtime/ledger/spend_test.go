package ledger

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestSpend(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".claude", "springfield")
	now := time.Date(2026, 11, 21, 23, 50, 0, 0, time.FixedZone("", 3600))
	read := func(now time.Time) Spend {
		t.Helper()
		p, err := ReadSpend(dir, now)
		must(t, err)
		return p
	}
	if p := read(now); p != (Spend{Day: "2026-11-21"}) {
		t.Errorf("an empty one: %+v", p)
	}
	must(t, TakeFromDay(dir, now, 600, 1000))
	if err := TakeFromDay(dir, now, 600, 1000); err != ErrSpent {
		t.Errorf("two questions at once that may cost more than there is: %v", err)
	}
	if due, err := SettleSpending(dir, now, 600, Outcome{100, "", ""}); due || err != nil {
		t.Error(due, err)
	}
	if p := read(now); p.Micros != 100 || p.Questions != 1 {
		t.Errorf("%+v", p)
	}
	for i := range 6 {
		if err := TakeFromDay(dir, now, 600, 1000); err != nil {
			t.Fatal(i, err)
		}
		due, err := SettleSpending(dir, now, 600, Outcome{10, "timeout", "late"})
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
			if err := TakeFromDay(dir, now, 1, 1000); err != ErrResting {
				t.Errorf("asked while it rests: %v", err)
			}
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

// Many sessions at once do not spend more than there is.
func TestSpendOfMany(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	var wait sync.WaitGroup
	var mu sync.Mutex
	got := 0
	for range 40 {
		wait.Go(func() {
			for {
				err := TakeFromDay(dir, now, 100, 1000)
				if err == ErrBusy {
					continue
				}
				if err == nil {
					mu.Lock()
					got++
					mu.Unlock()
				} else if err != ErrSpent {
					t.Error(err)
				}
				return
			}
		})
	}
	wait.Wait()
	if got != 10 {
		t.Errorf("%d of 40 got a tenth of it", got)
	}
}

func TestJudgedIsBounded(t *testing.T) {
	var s State
	for i := range 20 {
		s.NoteJudgement(Judged{Page: string(rune('a' + i))})
	}
	if len(s.Judged) != maxJudged || s.Judged[maxJudged-1].Page != "t" {
		t.Errorf("%+v", s.Judged)
	}
}

// Sessions that end at once wait for each other's look into the spend: else what was
// taken for a question would stay taken.
func TestSpendWaits(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "springfield")
	now := time.Unix(1_800_000_000, 0)
	must(t, TakeFromDay(dir, now, 600, 1000))
	lock, err := TakeLock(dir, "judge", 0)
	must(t, err)
	time.AfterFunc(200*time.Millisecond, func() { lock.Close() })
	if _, err := SettleSpending(dir, now, 600, Outcome{10, "", ""}); err != nil {
		t.Error(err)
	}
	if p, err := ReadSpend(dir, now); err != nil || p.Micros != 10 {
		t.Errorf("%+v, %v", p, err)
	}
}
