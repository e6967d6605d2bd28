// The maximum cost of a question is reserved before it is asked, and corrected after the answer. Concurrent
// sessions therefore do not exceed the limit, and the cost counts even if the hook is killed in between.

package ledger

import (
	"errors"
	"path/filepath"
	"time"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/timestamp"
)

// Spend is the day's cost of judges and their failures.
type Spend struct {
	Day       string // like 2026-11-21, UTC
	Micros    int64  // millionths of a dollar
	Questions int
	// Failures counts failed questions in a row. The last one failed by Failure, at FailedAt in Unix milliseconds.
	Failures int
	Failure  string
	Detail   string
	FailedAt int64
	// Until is when a judge may be asked again, in Unix milliseconds.
	Until int64
}

func (s *Spend) Members(m *codec.Coder) {
	m.EvenEmpty().Text("day", &s.Day)
	codec.Number(m.EvenEmpty(), "micros", &s.Micros)
	codec.Number(m.EvenEmpty(), "questions", &s.Questions)
	codec.Number(m, "failures", &s.Failures)
	m.Text("failure", &s.Failure)
	m.Masked("detail", &s.Detail)
	codec.Number(m, "failed_at", &s.FailedAt)
	codec.Number(m, "until", &s.Until)
}

const (
	// spendWait bounds the wait for other hooks. It is short compared with a question.
	spendWait = time.Second
	tolerated = 3 // in a row before a rest
	// Each further failure doubles rest, up to longRest.
	rest     = 5 * time.Minute
	longRest = time.Hour
)

func spendFile(stateDir string) string { return filepath.Join(stateDir, "judge.json") }

var (
	ErrSpent   = errors.New("today's limit is reached")
	ErrResting = errors.New("the model did not answer several times, so it is not asked for a while")
)

// ReadSpend returns the day's costs (zero without a file). stateDir is the home directory's, if any. A damaged file is
// an error. Setting the clock back begins no new day.
func ReadSpend(stateDir string, now time.Time) (today Spend, err error) {
	if there, err := readSmall(spendFile(stateDir), &today); there && err != nil {
		return Spend{}, errors.New("read " + spendFile(stateDir) + ": it is damaged; delete it to start a new one")
	}
	if day := dayOf(now); day > today.Day {
		today.Day, today.Micros, today.Questions = day, 0, 0
	}
	if today.Until > now.Add(longRest).UnixMilli() {
		today.Until = 0 // the clock was set back
	}
	today.Micros = max(0, today.Micros)
	return today, nil
}

// TakeFromDay reserves a question's cost in ReadSpend's file. It returns ErrSpent at the day's limit, and ErrResting
// after too many failures. limitMicros 0 forbids all questions.
func TakeFromDay(stateDir string, now time.Time, micros, limitMicros int64) error {
	return changeSpend(stateDir, now, func(p *Spend) error {
		if p.Until > now.UnixMilli() {
			return ErrResting
		}
		if limitMicros <= 0 || p.Micros+micros > limitMicros { // a limit of 0 forbids even free questions
			return ErrSpent
		}
		p.Micros += micros
		p.Questions++
		return nil
	})
}

// TakeFromSession reserves the cost in the session's state and returns the session's costs, also with ErrSpent at the
// limit. It locks the session and writes r as Asking. limitMicros 0 forbids all questions. Callers do not hold the
// lock.
func TakeFromSession(stateDir, ledgerID string, r Record, micros, limitMicros int64) (spent int64, err error) {
	s, err := OpenUnlocked(stateDir, ledgerID)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	if err := s.LockAndRead(); err != nil {
		return 0, err
	}
	if limitMicros <= 0 || s.State.Spent+micros > limitMicros {
		return s.State.Spent, ErrSpent
	}
	r.Decision, r.State = Asking, s.State
	r.State.Spent += micros
	_, err = s.AppendRecord(r)
	return r.State.Spent, err
}

func dayOf(at time.Time) string { return timestamp.FormatTime(at.UnixMilli())[:10] }

// Outcome is the result of a question. For an answer, Failure is empty.
type Outcome struct {
	Micros          int64
	Failure, Detail string
	Unasked         bool // the project barred the question, so it is no failure of the judge
}

// SettleSpending replaces taken, the amount reserved at takenAt, with the actual cost. The caller corrects the
// session's costs. After three failures in a row it pauses questions. thirdFailure reports whether this is the third.
func SettleSpending(stateDir string, takenAt, now time.Time, taken int64, o Outcome) (thirdFailure bool, err error) {
	err = changeSpend(stateDir, now, func(p *Spend) error {
		if p.Day == dayOf(takenAt) { // else a new day has begun since
			p.Micros = max(0, p.Micros-taken)
		}
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
		thirdFailure = p.Failures == tolerated
		if over := p.Failures - tolerated; over >= 0 {
			p.Until = now.Add(min(rest<<min(over, 10), longRest)).UnixMilli()
		}
		return nil
	})
	return thirdFailure, err
}

func changeSpend(stateDir string, now time.Time, change func(*Spend) error) error {
	lock, err := TakeLock(stateDir, "judge", spendWait)
	if err == ErrBusy {
		err = errors.New("other hooks have locked the cost file")
	}
	if err != nil {
		return err
	}
	defer lock.Close()
	p, err := ReadSpend(stateDir, now)
	if err != nil {
		return err
	}
	if err := change(&p); err != nil {
		return err
	}
	return replaceFile(spendFile(stateDir), &p)
}
