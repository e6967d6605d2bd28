// Sweeping: the ledgers of sessions in which nothing was decided for 90 days are
// removed, a few at a time. A session that begins sweeps some of the oldest, after its
// answer, and so does the CLI. A hold in force stays, and so does the ledger of a
// session with an open loop.

package ledger

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/file"
)

// KeepDays is for how many days after its last decision a session's ledger is kept,
// unless the user says otherwise, and mostDays the longest time that can be said.
const (
	KeepDays = 90
	mostDays = 36_500
)

// keeping is the user's word on it.
type keeping struct {
	Days int // 0: for ever
}

func (k *keeping) Members(m *codec.Members) { codec.Number(m.Keep(), "keep_days", &k.Days) }

// KeepFile is where the user says how long ledgers are kept: {"keep_days": 30}.
func KeepFile(dir string) string { return filepath.Join(dir, "settings.json") }

// Kept is for how many days ledgers are kept, 0 for ever. While the user's word on it
// cannot be read nothing is removed.
func Kept(dir string) (days int, err error) {
	k := keeping{KeepDays}
	switch there, err := readSmall(KeepFile(dir), &k); {
	case there && err != nil:
		return 0, errors.New("read " + KeepFile(dir) + ": " + err.Error())
	case k.Days < 0 || k.Days > mostDays:
		return 0, errors.New("read " + KeepFile(dir) + ": keep_days must be between 0 (for ever) and " + strconv.Itoa(mostDays))
	}
	return k.Days, nil
}

// Sweep removes what is no longer kept of at most so many sessions. Hooks at work do
// not wait for it, nor it for them.
func Sweep(dir string, now time.Time, most int) {
	keep, err := Kept(dir)
	if err != nil {
		return
	}
	s := sweeper{dir, now, keep}
	most -= s.page(oldIndex(dir), most)
	if keep == 0 {
		return
	}
	all := days(dir)
	last := day(now.AddDate(0, 0, -keep))
	for i := len(all) - 1; i >= 0 && most > 0 && all[i] < last; i-- {
		most -= s.page(filepath.Join(calendarDir(dir), all[i]), most)
	}
}

type sweeper struct {
	dir  string
	now  time.Time
	keep int
}

// page sweeps the sessions at the end of a day's file, and cuts them off. The file
// goes with its last one. Two that sweep at once do not meet.
func (s sweeper) page(path string, most int) (swept int) {
	f, err := os.OpenFile(path, os.O_RDWR|file.Nonblock|file.Nofollow, 0)
	if err != nil {
		return 0
	}
	defer f.Close()
	if got, err := tryLock(f); err != nil || !got {
		return most // another one is at it
	}
	for ; swept < most; swept++ {
		size, err := f.Seek(0, io.SeekEnd)
		if err != nil {
			return most
		}
		if size == 0 {
			removeOpen(f, path)
			return swept
		}
		data := make([]byte, min(size, maxNote))
		if _, err := f.ReadAt(data, size-int64(len(data))); err != nil && err != io.EOF {
			return most
		}
		start := bytes.LastIndexByte(bytes.TrimSuffix(data, []byte{'\n'}), '\n') + 1
		if a, ok := parseNote(bytes.TrimSuffix(data[start:], []byte{'\n'})); ok && !s.session(a) {
			return swept
		}
		if end, err := f.Seek(0, io.SeekEnd); err != nil || end != size || f.Truncate(size-int64(len(data)-start)) != nil {
			return most
		}
	}
	return swept
}

// session removes a session's files if it is no longer kept. One of the old index that
// is kept gets a note on the day of its last decision; false: a hook from before there
// were days may still be at work in it.
func (s sweeper) session(a Active) bool {
	at, last := newestAt(s.dir, a.Key)
	if a.At == 0 && within(at, s.now, 2) {
		return false
	}
	if s.keep == 0 || within(at, s.now, s.keep) {
		if a.At == 0 {
			enter(s.dir, Active{at, a.Key, last.Session, last.Place()})
		}
		return true
	}
	for _, loop := range last.State.Loops {
		if filepath.IsAbs(loop.Key) && file.Exists(loop.Key) {
			enter(s.dir, Active{s.now.UnixMilli(), a.Key, last.Session, last.Place()}) // it comes up again
			return true
		}
	}
	s.remove(filepath.Join(s.dir, "sessions", a.Key))
	return true
}

// remove removes a session's files, but no hold in force.
func (s sweeper) remove(base string) {
	f, err := os.OpenFile(base+".jsonl", os.O_RDWR|file.Nonblock|file.Nofollow, 0)
	switch {
	case err != nil && !os.IsNotExist(err):
		return // nothing says when it was at work last
	case err == nil:
		defer f.Close()
		if got, err := tryLock(f); err != nil || !got {
			return // it is at work again, and noted today
		}
		removeOpen(f, base+".jsonl")
	}
	os.Remove(base + ".jsonl.1")
	os.Remove(base + ".starts")
	var h Hold
	if there, err := readSmall(base+".hold", &h); there && err == nil && h.over(s.now) {
		os.Remove(base + ".hold")
	}
}

// removeOpen removes a file that is open, which Windows does not do.
func removeOpen(f *os.File, path string) {
	if os.Remove(path) != nil {
		f.Close()
		os.Remove(path)
	}
}
