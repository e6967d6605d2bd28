// Sweeping: ledgers of sessions in which nothing was decided for 90 days are removed. A
// session that begins sweeps after its answer, and so does the CLI. A hold in force
// stays, and so does the ledger of a session with an open loop.

package ledger

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/file"
)

const (
	// KeepDays is for how many days after its last decision a session's ledger is kept,
	// unless the user says otherwise, and mostDays the longest time that can be said.
	KeepDays = 90
	mostDays = 36_500
	// swept is how many files one sweep looks at, from a place on that chance chooses: it
	// takes little time, and in the end comes to all.
	swept = 200
)

// keeping is the user's word on it.
type keeping struct {
	Days int // 0: for ever
}

func (k *keeping) Members(m *codec.Members) { codec.Number(m.KeepEmpty(), "keep_days", &k.Days) }

// KeepFile is where the user says how long ledgers are kept: {"keep_days": 30}.
func KeepFile(dir string) string { return filepath.Join(dir, "settings.json") }

// DaysKept is for how many days ledgers are kept, 0 for ever. While the user's word on it
// cannot be read nothing is removed.
func DaysKept(dir string) (days int, err error) {
	k := keeping{KeepDays}
	switch there, err := readSmall(KeepFile(dir), &k); {
	case there && err != nil:
		return 0, errors.New("read " + KeepFile(dir) + ": " + err.Error())
	case k.Days < 0 || k.Days > mostDays:
		return 0, errors.New("read " + KeepFile(dir) + ": keep_days must be between 0 (for ever) and " + strconv.Itoa(mostDays))
	}
	return k.Days, nil
}

// SweepOldSessions removes files of sessions that are no longer kept.
func SweepOldSessions(dir string, now time.Time) {
	keep, err := DaysKept(dir)
	if err != nil || keep == 0 {
		return
	}
	d, err := os.Open(filepath.Join(dir, "sessions"))
	if err != nil {
		return
	}
	names, _ := d.Readdirnames(-1)
	d.Close()
	if len(names) == 0 {
		return
	}
	first, before := rand.IntN(len(names)), now.AddDate(0, 0, -keep)
	for i := range min(len(names), swept) {
		path := filepath.Join(dir, "sessions", names[(first+i)%len(names)])
		if !isOlderThan(path, before) {
			continue
		}
		switch {
		case strings.HasSuffix(path, ".jsonl"):
			removeLedger(path, before)
		case strings.HasSuffix(path, ".hold"):
			var h Hold
			if there, err := readSmall(path, &h); there && err == nil && h.isOver(now) {
				os.Remove(path)
			}
		}
	}
}

func isOlderThan(path string, before time.Time) bool {
	info, err := os.Lstat(path)
	return err == nil && info.ModTime().Before(before)
}

// removeLedger removes an old ledger, unless its session is at work again or has a loop.
func removeLedger(path string, before time.Time) {
	f, err := os.OpenFile(path, os.O_RDWR|file.Nonblock|file.Nofollow, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if got, err := tryLock(f); err != nil || !got || !isOlderThan(path, before) {
		return
	}
	t := tail{path: path, at: -1}
	t.stepBack()
	for _, loop := range t.head.State.Loops {
		if filepath.IsAbs(loop.Key) && file.IsReadable(loop.Key) {
			return
		}
	}
	if os.Remove(path) != nil { // Windows removes no open file
		f.Close()
		os.Remove(path)
	}
}
