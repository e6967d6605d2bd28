// The purse: what judges have cost today, in all sessions, and how they have
// failed. One small file for all, changed under a lock.
//
// What a question may cost is taken out before it is asked and corrected when
// the answer is there, so that many sessions at once do not spend more than the
// limit, and a hook that is killed while it asks has counted.

package ledger

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Purse is what is known of the judges of a state directory.
type Purse struct {
	Day       string `json:"day"`    // like 2026-11-21, UTC
	Micros    int64  `json:"micros"` // spent on that day, in millionths of a dollar
	Questions int    `json:"questions"`
	// Failures counts questions without an answer since the last one that had one;
	// Failure is why the newest had none, and FailedAt when, in Unix milliseconds.
	Failures int    `json:"failures,omitempty"`
	Failure  string `json:"failure,omitempty"`
	Detail   string `json:"detail,omitempty"`
	FailedAt int64  `json:"failed_at,omitempty"`
	// Until is when somebody may be asked again, in Unix milliseconds.
	Until int64 `json:"until,omitempty"`
}

const (
	// purseWait is how long a stop waits for other ones' looks into the purse: next to
	// a question it is little, and an answer that is not settled has cost the most
	// that it could.
	purseWait = time.Second
	// tolerated is how many failures in a row cost nothing but their time.
	tolerated = 3
	// After them nobody is asked for rest, which doubles with each more, up to
	// longRest.
	rest     = 5 * time.Minute
	longRest = time.Hour
	// maxPurse bounds the file, in bytes.
	maxPurse = 16 << 10
)

func purseFile(dir string) string { return filepath.Join(dir, "judge.json") }

// ErrSpent and its kin say why nobody is asked.
var (
	ErrSpent   = errors.New("today's limit is reached")
	ErrResting = errors.New("the judge has not answered, and is left alone for a while")
)

// ReadPurse reads the purse as it is on a day; one that is not there is empty.
func ReadPurse(dir string, now time.Time) (Purse, error) {
	p := Purse{Day: day(now)}
	f, err := openToRead(purseFile(dir))
	if os.IsNotExist(err) {
		return p, nil
	}
	if err != nil {
		return p, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxPurse))
	if err != nil {
		return p, err
	}
	var old Purse
	if err := json.Unmarshal(data, &old); err != nil {
		return p, errors.New("read " + purseFile(dir) + ": it is damaged; delete it to begin a new one")
	}
	if old.Day != p.Day {
		old.Day, old.Micros, old.Questions = p.Day, 0, 0
	}
	if old.Until > now.Add(longRest).UnixMilli() {
		old.Until = 0 // the clock has been put back
	}
	old.Micros = max(0, old.Micros)
	return old, nil
}

// Take takes what a question may cost out of the purse, unless that is more than
// the day's limit leaves, or the judge is to be left alone.
func Take(dir string, now time.Time, micros, limit int64) error {
	return changePurse(dir, now, func(p *Purse) error {
		switch {
		case p.Until > now.UnixMilli():
			return ErrResting
		case p.Micros+micros > limit:
			return ErrSpent
		}
		p.Micros += micros
		p.Questions++
		return nil
	})
}

// Settle puts back what was taken, takes out what the question has cost, and
// notes how it ended: failure is "" for an answer. due tells that the user should
// hear of it: judges have failed three times in a row, now.
func Settle(dir string, now time.Time, taken, micros int64, failure, detail string) (due bool, err error) {
	err = changePurse(dir, now, func(p *Purse) error {
		p.Micros = max(0, p.Micros-taken) + max(0, micros)
		if failure == "" {
			p.Failures, p.Failure, p.Detail, p.FailedAt, p.Until = 0, "", "", 0, 0
			return nil
		}
		p.Failures++
		p.Failure, p.Detail, p.FailedAt = failure, detail, now.UnixMilli()
		due = p.Failures == tolerated
		if over := p.Failures - tolerated; over >= 0 {
			p.Until = now.Add(min(rest<<min(over, 10), longRest)).UnixMilli()
		}
		return nil
	})
	return due, err
}

// PutBack puts back what was taken for a question that nobody was asked. That says
// nothing of judges: other projects go on asking them.
func PutBack(dir string, now time.Time, taken int64) error {
	return changePurse(dir, now, func(p *Purse) error {
		p.Micros, p.Questions = max(0, p.Micros-taken), max(0, p.Questions-1)
		return nil
	})
}

// Pay takes out what a question by hand has cost. An answer shows that a judge can
// be asked again; a failure says nothing about those of the hook.
func Pay(dir string, now time.Time, micros int64, answered bool) error {
	return changePurse(dir, now, func(p *Purse) error {
		p.Questions++
		p.Micros += max(0, micros)
		if answered {
			p.Failures, p.Failure, p.Detail, p.FailedAt, p.Until = 0, "", "", 0, 0
		}
		return nil
	})
}

func changePurse(dir string, now time.Time, change func(*Purse) error) error {
	lock, err := Lock(dir, "judge", purseWait)
	if err == ErrBusy {
		err = errors.New("other hooks hold what judges have cost")
	}
	if err != nil {
		return err
	}
	defer lock.Close()
	p, err := ReadPurse(dir, now)
	if err != nil {
		return err
	}
	if err := change(&p); err != nil {
		return err
	}
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return replace(purseFile(dir), append(data, '\n'))
}

// day is a date in UTC, without the names of package time's formats, which the
// hook has no use for otherwise.
func day(now time.Time) string {
	y, m, d := now.UTC().Date()
	two := func(n int) string { return strconv.Itoa(n/10) + strconv.Itoa(n%10) }
	return strconv.Itoa(y) + "-" + two(int(m)) + "-" + two(d)
}
