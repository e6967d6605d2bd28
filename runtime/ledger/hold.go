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

// ErrShorter says that a hold that is in force would end earlier.
var ErrShorter = errors.New("a longer hold is in force")

// ErrNoHold says that there is nothing to lift.
var ErrNoHold = errors.New("no hold is in force")

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
	for _, path := range []string{holdFile(dir, ""), holdFile(dir, id)} {
		if h, ok := readHold(path, now); ok {
			return h, true
		}
	}
	return Hold{}, false
}

func readHold(path string, now time.Time) (Hold, bool) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if os.IsNotExist(err) {
		return Hold{}, false
	}
	if err != nil {
		return Hold{}, true
	}
	defer f.Close()
	if _, err := f.Seek(0, io.SeekCurrent); err != nil {
		return Hold{}, true // a pipe, which would hold Claude up
	}
	data, err := io.ReadAll(io.LimitReader(f, 4096))
	var h Hold
	if err != nil || json.Unmarshal(data, &h) != nil {
		return Hold{}, true
	}
	return h, h.Until == 0 || now.UnixMilli() < h.Until
}

// SetHold orders sessions to stop: one, or all with an empty id. A zero
// duration lasts until it is lifted. It never shortens a hold that is in force
// unless shorten is set, which only a person may do: ErrShorter.
func SetHold(dir, id string, now time.Time, d time.Duration, shorten bool) (Hold, error) {
	h := Hold{Since: now.UnixMilli()}
	if d > 0 {
		h.Until = now.Add(d).UnixMilli()
	}
	path := holdFile(dir, id)
	if old, ok := readHold(path, now); ok && !shorten && h.Until != 0 && (old.Until == 0 || h.Until < old.Until) {
		return old, ErrShorter
	}
	data, err := json.Marshal(h)
	if err != nil {
		return Hold{}, err
	}
	makeDirs(dir)
	// By rename: a hook must never read half an order.
	temp := path + ".new"
	if err := os.WriteFile(temp, append(data, '\n'), 0o600); err != nil {
		return Hold{}, err
	}
	return h, rename(temp, path)
}

// Lift takes a hold back: of one session, or with an empty id the one for all.
// Whether a person asks for it is for the caller to know.
func Lift(dir, id string, now time.Time) error {
	path := holdFile(dir, id)
	_, ok := readHold(path, now)
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return err
	}
	if !ok {
		return ErrNoHold
	}
	return nil
}
