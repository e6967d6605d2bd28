// Holds: a person's order to let Claude stop, for one session or for all. It
// can be set from anywhere, even by Claude; only a person lifts it. No budget,
// rule or model stands above it.

package ledger

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Hold is a stop order.
type Hold struct {
	Since int64 `json:"since"`           // Unix milliseconds
	Until int64 `json:"until,omitempty"` // Unix milliseconds; 0: until it is lifted
}

// over tells whether it has run out.
func (h Hold) over(now time.Time) bool { return h.Until != 0 && now.UnixMilli() >= h.Until }

// ErrShorter says that a hold that is in force would end earlier.
var ErrShorter = errors.New("a longer hold is in force")

// ErrNoHold says that there is nothing to lift or to shorten.
var ErrNoHold = errors.New("no hold is in force")

// ErrOtherHold says that the hold in force is not the one that was asked about.
var ErrOtherHold = errors.New("another hold has been set meanwhile")

// holdWait is how long a change of holds waits for another one.
const holdWait = 2 * time.Second

// holdFile is where the hold of a session lies; an empty id means all.
func holdFile(dir, id string) string {
	if id == "" {
		return filepath.Join(dir, "hold")
	}
	return filepath.Join(dir, "sessions", Key(id)+".hold")
}

// Held returns the hold that is in force for a session, its own or the one for
// all. A hold that cannot be read is in force: somebody wanted Claude to stop.
func Held(dir, id string, now time.Time) (Hold, bool) {
	for _, id := range []string{"", id} {
		if h, ok := HoldOf(dir, id, now); ok {
			return h, true
		}
	}
	return Hold{}, false
}

// HoldOf returns the hold that is in force on a session alone, or with an empty
// id the one on all.
func HoldOf(dir, id string, now time.Time) (Hold, bool) {
	h, there := readHold(dir, id)
	return h, there && !h.over(now)
}

// readHold reads a hold. One that cannot be read, a link or a pipe among them, is
// zero: in force until it is lifted.
func readHold(dir, id string) (h Hold, there bool) {
	f, err := openToRead(holdFile(dir, id))
	if os.IsNotExist(err) {
		return Hold{}, false
	}
	if err != nil {
		return Hold{}, true
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, 4096))
	if err != nil || json.Unmarshal(data, &h) != nil {
		return Hold{}, true
	}
	return h, true
}

// SetHold orders sessions to stop: one, or all with an empty id. A zero
// duration lasts until it is lifted. It never shortens a hold that is in force:
// ErrShorter, with that one.
func SetHold(dir, id string, now time.Time, d time.Duration, by Means) (Hold, error) {
	makeAll(filepath.Dir(dir))
	// A lock that cannot be had is no reason not to stop Claude.
	if lock, err := Lock(dir, "holds", holdWait); err == nil {
		defer lock.Close()
	}
	h := newHold(now, d)
	if old, ok := HoldOf(dir, id, now); ok && h.Until != 0 && (old.Until == 0 || h.Until < old.Until) {
		return old, ErrShorter
	}
	return h, writeHold(dir, id, h, by.event(HoldSet, id, h, now))
}

// Shorten has a hold end earlier, the one that a person was asked about.
func Shorten(dir, id string, old Hold, now time.Time, d time.Duration, by Means) (Hold, error) {
	lock, err := sameHold(dir, id, old, now)
	if err != nil {
		return Hold{}, err
	}
	defer lock.Close()
	h := newHold(now, d)
	return h, writeHold(dir, id, h, by.event(HoldShortened, id, h, now))
}

// Lift takes a hold back, the one that a person was asked about: of one session,
// or with an empty id the one on all. That a person asks for it is for the caller
// to know.
func Lift(dir, id string, old Hold, now time.Time, by Means) error {
	lock, err := sameHold(dir, id, old, now)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := os.Remove(holdFile(dir, id)); err != nil {
		return err
	}
	return noted(appendHold(dir, by.event(HoldLifted, id, old, now)))
}

// sameHold locks the holds if the one in force is still that one.
func sameHold(dir, id string, old Hold, now time.Time) (lock *os.File, err error) {
	lock, err = Lock(dir, "holds", holdWait)
	if err == ErrBusy {
		err = errors.New("another program changes holds just now")
	}
	if err != nil {
		return nil, err
	}
	h, ok := HoldOf(dir, id, now)
	switch {
	case !ok:
		err = ErrNoHold
	case h != old:
		err = ErrOtherHold
	default:
		return lock, nil
	}
	lock.Close()
	return nil, err
}

func newHold(now time.Time, d time.Duration) Hold {
	h := Hold{Since: now.UnixMilli()}
	if d > 0 {
		h.Until = now.Add(d).UnixMilli()
	}
	return h
}

// writeHold puts an order in force, whole: a hook must never read half of one.
func writeHold(dir, id string, h Hold, e HoldEvent) error {
	data, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if err := replace(holdFile(dir, id), append(data, '\n')); err != nil {
		return err
	}
	return noted(appendHold(dir, e))
}

// makeAll makes a directory with all above it, for the user alone. Not
// os.MkdirAll, which looks at what is there and brings in 120 KB with that look.
func makeAll(dir string) {
	if above := filepath.Dir(dir); os.IsNotExist(os.Mkdir(dir, 0o700)) && above != dir {
		makeAll(above)
		os.Mkdir(dir, 0o700)
	}
}
