// The history of holds: what happened to each, a line per event, in one file for
// all. A program with the user's rights can delete a hold's file; then this is
// where that shows.

package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"sort"
	"time"
)

// What happens to a hold. A hold that ran out is found when people look, and so
// is one whose file was removed or rewritten by something else than springfield.
const (
	HoldSet       = "set"
	HoldShortened = "shortened"
	HoldLifted    = "lifted"
	HoldEnded     = "ended"
	HoldRemoved   = "removed"
)

// HoldEvent is something that happened to a hold.
type HoldEvent struct {
	At  int64  `json:"at"` // Unix milliseconds; of a removed one, when that was found
	Did string `json:"did"`
	Of  string `json:"of,omitempty"` // the session's key, "" for all
	Hold
	Means
}

// Means is how a hold was set or lifted.
type Means struct {
	Program string `json:"program,omitempty"` // springfield, or the plugin whose hook it was
	From    string `json:"from,omitempty"`    // ByClaude, or a terminal's name; "" for neither
}

// ByClaude is where orders come from that Claude gives.
const ByClaude = "claude"

func (m Means) event(did, id string, h Hold, now time.Time) HoldEvent {
	return HoldEvent{now.UnixMilli(), did, id, h, m}
}

// open tells whether the hold is in force after an event.
func (e HoldEvent) open() bool { return e.Did == HoldSet || e.Did == HoldShortened }

const (
	// maxHolds is where the history is rotated, in bytes: some five hundred events.
	// One file before it is kept.
	maxHolds = 64 << 10
	// maxHoldLine bounds a line, in bytes.
	maxHoldLine = 4 << 10
)

// ErrUnnoted says that an order is in force or lifted, and that this is not in the
// history.
var ErrUnnoted = errors.New("it could not be written down")

func noted(err error) error {
	if err != nil {
		return ErrUnnoted
	}
	return nil
}

func holdsFile(dir string) string { return filepath.Join(dir, "holds.jsonl") }

func appendHold(dir string, e HoldEvent) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(e); err != nil {
		return err
	}
	if b.Len() > maxHoldLine {
		return errors.New("the event is longer than 4 KiB")
	}
	return appendLine(dir, holdsFile(dir), b.Bytes(), maxHolds)
}

// HoldEvents are all events on file, oldest first, and what has happened since
// without a springfield at work, which is written down with that.
func HoldEvents(dir string, now time.Time) ([]HoldEvent, error) {
	all, err := readHolds(dir)
	if err == nil && len(unseen(dir, all, now)) > 0 {
		all, err = notice(dir, now)
	}
	sort.Stable(holdsByTime(all)) // the end of one that ran out is found later
	return all, err
}

// notice writes down what it finds, and returns all.
func notice(dir string, now time.Time) ([]HoldEvent, error) {
	// Under the lock, because between a hold and its line there is a moment.
	lock, err := Lock(dir, "holds", holdWait)
	if err == nil {
		defer lock.Close()
	}
	all, err := readHolds(dir)
	for _, e := range unseen(dir, all, now) {
		all = append(all, e)
		if lock != nil {
			appendHold(dir, e) // else the next one who looks finds it again
		}
	}
	return all, err
}

// holdsByTime sorts events.
type holdsByTime []HoldEvent

func (h holdsByTime) Len() int           { return len(h) }
func (h holdsByTime) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h holdsByTime) Less(i, j int) bool { return h[i].At < h[j].At }

func readHolds(dir string) (all []HoldEvent, err error) {
	err = eachLine(holdsFile(dir), maxHolds, maxHoldLine, func(line []byte) {
		var e HoldEvent
		if json.Unmarshal(line, &e) == nil && e.Did != "" {
			all = append(all, e)
		}
	})
	return all, err
}

// unseen compares the newest event of each hold with its file.
func unseen(dir string, all []HoldEvent, now time.Time) (found []HoldEvent) {
	seen := map[string]bool{}
	for i := len(all) - 1; i >= 0; i-- {
		e := all[i]
		if seen[e.Of] {
			continue
		}
		seen[e.Of] = true
		if !e.open() {
			continue
		}
		switch _, held := HoldOf(dir, e.Of, now); {
		case held:
		case e.over(now):
			found = append(found, HoldEvent{At: e.Until, Did: HoldEnded, Of: e.Of, Hold: e.Hold})
		default:
			found = append(found, HoldEvent{At: now.UnixMilli(), Did: HoldRemoved, Of: e.Of, Hold: e.Hold})
		}
	}
	return found
}
