// What judges have cost today, in all sessions, and how they have failed. One small
// file for all, changed under a lock.
//
// What a question may cost is taken out before it is asked and corrected when
// the answer is there, so that many sessions at once do not spend more than the
// limit, and a hook that is killed while it asks has counted.

package ledger

import (
	"cmp"
	"errors"
	"path/filepath"
	"time"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/timestamp"
)

// Spend is what is known of the judges of a state directory.
type Spend struct {
	Day       string // like 2026-11-21, UTC
	Micros    int64  // spent on that day, in millionths of a dollar
	Questions int
	// Failures counts questions without an answer since the last one that had one;
	// Failure is why the newest had none, and FailedAt when, in Unix milliseconds.
	Failures int
	Failure  string
	Detail   string
	FailedAt int64
	// Until is when a judge may be asked again, in Unix milliseconds.
	Until int64
	// Clock is the time that counts. Behind is what it was when the machine's was first found far behind it, or 0.
	Clock  Clock
	Behind int64
}

func (s *Spend) Members(m *codec.Members) {
	m.KeepEmpty().Text("day", &s.Day)
	codec.Number(m.KeepEmpty(), "micros", &s.Micros)
	codec.Number(m.KeepEmpty(), "questions", &s.Questions)
	codec.Number(m, "failures", &s.Failures)
	m.Text("failure", &s.Failure)
	m.Quoted("detail", &s.Detail)
	codec.Number(m, "failed_at", &s.FailedAt)
	codec.Number(m, "until", &s.Until)
	codec.Number(m, "clock", &s.Clock.At)
	codec.Number(m, "up", &s.Clock.Up)
	codec.Number(m, "behind", &s.Behind)
}

const (
	// spendWait is how long a stop waits for others that count: next to
	// a question it is little, and an answer that is not settled has cost the most
	// that it could.
	spendWait = time.Second
	// tolerated is how many failures in a row cost nothing but their time.
	tolerated = 3
	// After them no judge is asked for rest, which doubles with each more, up to
	// longRest.
	rest     = 5 * time.Minute
	longRest = time.Hour
	// A clock that is set back further is not believed until the machine has run for as long, in milliseconds.
	behindAtMost = 3_600_000
)

func spendFile(dir string) string { return filepath.Join(dir, "judge.json") }

// ErrSpent and ErrResting say why no judge is asked.
var (
	ErrSpent   = errors.New("today's limit is reached")
	ErrResting = errors.New("the model did not answer several times, so it is not asked for a while")
)

// ReadSpend reads what is known on a day; without a file that is nothing. A clock that has been put
// back opens no day: either it is wrong, or the one before was, and it is believed only after an hour.
func ReadSpend(dir string, now time.Time) (old Spend, err error) {
	there, err := readSmall(spendFile(dir), &old)
	if there && err != nil {
		return Spend{}, errors.New("read " + spendFile(dir) + ": it is damaged; delete it to start a new one")
	}
	up := RunningTime()
	if old.Clock.At-now.UnixMilli() <= behindAtMost {
		old.Clock.Up = up // another machine with the same home may have asked last
	}
	old.Clock = old.Clock.Tell(now, up)
	switch at := old.Clock.At; {
	case at-now.UnixMilli() <= behindAtMost:
		old.Behind = 0
	case old.Behind == 0 || old.Behind > at:
		old.Behind = at
	case at-old.Behind >= behindAtMost:
		old.Clock.At, old.Behind = now.UnixMilli(), 0
	}
	if day := dayOf(old.Clock.Time()); day != old.Day {
		old.Day, old.Micros, old.Questions = day, 0, 0
	}
	if old.Until > now.Add(longRest).UnixMilli() {
		old.Until = 0 // the clock has been put back
	}
	old.Micros = max(0, old.Micros)
	return old, nil
}

// TakeFromDay counts what a question may cost, unless that is more than
// the day's limit leaves, or the judge is to be left alone.
func TakeFromDay(dir string, now time.Time, micros, limit int64) error {
	return changeSpend(dir, now, func(p *Spend) error {
		switch {
		case p.Until > now.UnixMilli():
			return ErrResting
		case limit <= 0 || p.Micros+micros > limit: // nothing to spend: not even for a question that costs nothing
			return ErrSpent
		}
		p.Micros += micros
		p.Questions++
		return nil
	})
}

// TakeFromSession counts it in the session's own state, unless that is more than the session's
// limit leaves: two stops of one session may ask at once. The record has the session's place.
func TakeFromSession(dir, id string, r Record, micros, limit int64) (spent int64, err error) {
	s, err := OpenSession(dir, id)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	if err := s.LockSession(); err != nil {
		return 0, err
	}
	if limit <= 0 || s.State.Spent+micros > limit {
		return s.State.Spent, ErrSpent
	}
	r.Decision, r.State = Asking, s.State
	r.State.Spent += micros
	_, err = s.AppendRecord(r)
	return r.State.Spent, err
}

// giveBack takes back what was counted so long ago, if that was on this day.
func (p *Spend) giveBack(ago time.Duration, micros int64) {
	if p.Day == dayOf(p.Clock.Time().Add(-ago)) {
		p.Micros = max(0, p.Micros-micros)
	}
}

func dayOf(at time.Time) string { return timestamp.FormatTime(at.UnixMilli())[:10] }

// Outcome is how a question ended: Failure is "" for an answer.
type Outcome struct {
	Micros          int64 // what it has cost
	Failure, Detail string
	Unasked         bool // it was not asked after all, which says nothing of judges: other projects go on asking them
}

// SettleSpending takes back what was counted at a time, counts what the question has cost, and
// notes how it ended. due tells that the user should
// hear of it: judges have failed three times in a row, now.
func SettleSpending(dir string, at, now time.Time, taken int64, o Outcome) (due bool, err error) {
	err = changeSpend(dir, now, func(p *Spend) error {
		p.giveBack(now.Sub(at), taken)
		if o.Unasked {
			p.Questions = max(0, p.Questions-1)
			return nil
		}
		p.Micros += max(0, o.Micros)
		if o.Failure == "" {
			p.Failures, p.Failure, p.Detail, p.FailedAt, p.Until = 0, "", "", 0, 0
			return nil
		}
		p.Failures++
		p.Failure, p.Detail, p.FailedAt = o.Failure, o.Detail, now.UnixMilli()
		due = p.Failures == tolerated
		if over := p.Failures - tolerated; over >= 0 {
			p.Until = now.Add(min(rest<<min(over, 10), longRest)).UnixMilli()
		}
		return nil
	})
	return due, err
}

func changeSpend(dir string, now time.Time, change func(*Spend) error) error {
	lock, err := TakeLock(dir, "judge", spendWait)
	if err == ErrBusy {
		err = errors.New("other hooks have locked the cost file")
	}
	if err != nil {
		return err
	}
	defer lock.Close()
	p, err := ReadSpend(dir, now)
	if err != nil {
		return err
	}
	refused := change(&p)
	return cmp.Or(refused, replaceFile(spendFile(dir), &p)) // the clock goes on either way
}
