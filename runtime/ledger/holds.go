// Holds: the user's order to let Claude stop, for one session or for all. It can be set
// from anywhere, even by Claude; only the user at a terminal lifts it. No budget, rule
// or model stands above it.
//
// What happened to each hold is a line in one file for all. A program with the user's
// rights can delete a hold's file; the history is where that shows.

package ledger

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"time"

	"github.com/cameronsjo/springfield/runtime/codec"
)

// Hold is a stop order.
type Hold struct {
	Since int64 // Unix milliseconds
	Until int64 // Unix milliseconds; 0: until it is lifted
}

func (h *Hold) Members(m *codec.Members) {
	codec.Number(m.KeepEmpty(), "since", &h.Since)
	codec.Number(m, "until", &h.Until)
}

func (h Hold) isOver(now time.Time) bool { return h.Until != 0 && now.UnixMilli() >= h.Until }

// What happens to a hold. A hold that ran out is found when holds are asked about, and so
// is one whose file was removed or rewritten by something else than springfield.
const (
	HoldSet     = "set"
	HoldLifted  = "lifted"
	HoldEnded   = "ended"
	HoldRemoved = "removed"
)

// HoldEvent is something that happened to a hold.
type HoldEvent struct {
	At  int64 // Unix milliseconds; of a removed one, when that was found
	Did string
	Of  string // the session's key, "" for all
	Hold
	Means
}

func (e *HoldEvent) Members(m *codec.Members) {
	codec.Number(m.KeepEmpty(), "at", &e.At)
	m.KeepEmpty().Text("did", &e.Did)
	m.Text("of", &e.Of)
	e.Hold.Members(m)
	m.Text("program", &e.Program)
	m.Text("from", &e.From)
}

// BeginsHold tells that the hold is in force after an event.
func (e HoldEvent) BeginsHold() bool { return e.Did == HoldSet }

// Means is how a hold was set or lifted.
type Means struct {
	Program string // springfield, or the plugin whose hook it was
	From    string // the host whose agent gave the order, or a terminal's name; "" for neither
}

var (
	// ErrShorter says that a hold that is in force would end earlier.
	ErrShorter = errors.New("a longer hold is in force")
	// ErrNoHold says that there is nothing to lift.
	ErrNoHold = errors.New("no hold is in force")
	// ErrOtherHold says that the hold in force is not the one that was asked about.
	ErrOtherHold = errors.New("another hold has been set meanwhile")
	// ErrUnnoted says that an order is in force or lifted, and that this is not in the
	// history.
	ErrUnnoted = errors.New("it could not be recorded")
)

// holdWait is how long a change of holds waits for another one.
const holdWait = 2 * time.Second

// holdFile is where the hold of a session lies; an empty id means all.
func holdFile(dir, id string) string {
	if id == "" {
		return filepath.Join(dir, "hold")
	}
	return filepath.Join(dir, "sessions", SessionKey(id)+".hold")
}

// holdLines is the history: halved at some thousand events.
func holdLines(dir string) lines {
	return lines{dir, filepath.Join(dir, "holds.jsonl"), 128 << 10, 4 << 10}
}

// HoldInForce returns the hold that is in force for a session, its own or the one for
// all.
func HoldInForce(dir, id string, now time.Time) (Hold, bool) {
	if h, ok := HoldOfSession(dir, "", now); ok {
		return h, true
	}
	return HoldOfSession(dir, id, now)
}

// HoldOfSession returns the hold that is in force on a session alone, or with an empty
// id the one on all. One that cannot be read, a link or a pipe among them, is in force
// until it is lifted: Claude was to stop.
func HoldOfSession(dir, id string, now time.Time) (h Hold, held bool) {
	there, err := readSmall(holdFile(dir, id), &h)
	if there && err != nil {
		return Hold{}, true
	}
	return h, there && !h.isOver(now)
}

// SetHold orders sessions to stop: one, or all with an empty id. A zero
// duration lasts until it is lifted. It never shortens a hold that is in force:
// ErrShorter, with that one.
func SetHold(dir, id string, now time.Time, d time.Duration, by Means) (Hold, error) {
	makeAll(filepath.Dir(dir))
	// A lock that cannot be had is no reason not to stop Claude.
	if lock, err := TakeLock(dir, "holds", holdWait); err == nil {
		defer lock.Close()
	}
	h := Hold{Since: now.UnixMilli()}
	if d > 0 {
		h.Until = now.Add(d).UnixMilli()
	}
	if old, ok := HoldOfSession(dir, id, now); ok && h.Until != 0 && (old.Until == 0 || h.Until < old.Until) {
		return old, ErrShorter
	}
	err := replaceFile(holdFile(dir, id), &h) // whole: a hook must never read half of one
	if os.IsNotExist(err) {
		makeDirs(dir)
		if err = replaceFile(holdFile(dir, id), &h); os.IsNotExist(err) {
			err = os.Mkdir(dir, 0o700) // which says why it is not there
		}
	}
	if err != nil {
		return h, err
	}
	return h, noteHold(dir, HoldEvent{now.UnixMilli(), HoldSet, id, h, by})
}

// LiftHold takes a hold back, the one that the user was asked about: of one session,
// or with an empty id the one on all. That the user asks for it is for the caller
// to know.
func LiftHold(dir, id string, old Hold, now time.Time, by Means) error {
	lock, err := TakeLock(dir, "holds", holdWait)
	if err == ErrBusy {
		err = errors.New("another program changes holds just now")
	}
	if err != nil {
		return err
	}
	defer lock.Close()
	switch h, ok := HoldOfSession(dir, id, now); {
	case !ok:
		return ErrNoHold
	case h != old:
		return ErrOtherHold
	}
	if err := os.Remove(holdFile(dir, id)); err != nil {
		return err
	}
	return noteHold(dir, HoldEvent{now.UnixMilli(), HoldLifted, id, old, by})
}

func noteHold(dir string, e HoldEvent) error {
	if holdLines(dir).addLine(&e) != nil {
		return ErrUnnoted
	}
	return nil
}

// HoldEvents are all events on file in state directories, oldest first, and what has
// happened since without a springfield at work, which is written down with that. What
// happened in several of them alike is one event.
func HoldEvents(dirs []string, now time.Time) (all []HoldEvent, err error) {
	for i, dir := range dirs {
		some, fault := holdEvents(dir, now)
		if fault != nil {
			err = fault
		}
		for _, e := range some {
			if i == 0 || !slices.Contains(all, e) {
				all = append(all, e)
			}
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].At < all[j].At }) // the end of one that ran out is found later
	return all, err
}

func holdEvents(dir string, now time.Time) ([]HoldEvent, error) {
	all, err := readHolds(dir)
	if err == nil && len(unseenHolds(dir, all, now)) > 0 {
		// Under the lock, because between a hold and its line there is a moment.
		lock, busy := TakeLock(dir, "holds", holdWait)
		all, err = readHolds(dir)
		for _, e := range unseenHolds(dir, all, now) {
			all = append(all, e)
			if busy == nil {
				_ = noteHold(dir, e) // else it is found again
			}
		}
		if busy == nil {
			lock.Close()
		}
	}
	return all, err
}

func readHolds(dir string) (all []HoldEvent, err error) {
	err = holdLines(dir).eachLine(func(line []byte) {
		var e HoldEvent
		if codec.ReadObject(line, &e) == nil && e.Did != "" {
			all = append(all, e)
		}
	})
	return all, err
}

// unseenHolds compares the newest event of each hold with its file.
func unseenHolds(dir string, all []HoldEvent, now time.Time) (found []HoldEvent) {
	seen := map[string]bool{}
	for _, e := range slices.Backward(all) {
		if seen[e.Of] {
			continue
		}
		seen[e.Of] = true
		if _, held := HoldOfSession(dir, e.Of, now); held || !e.BeginsHold() {
			continue
		}
		e.At, e.Did, e.Means = now.UnixMilli(), HoldRemoved, Means{}
		if e.isOver(now) {
			e.At, e.Did = e.Until, HoldEnded
		}
		found = append(found, e)
	}
	return found
}

type InForce struct {
	Of string // the session's key, "" for all
	Hold
}

// HoldsInForce are all holds in force that the history knows of, the one on all first.
func HoldsInForce(dirs []string, now time.Time) (all []InForce, err error) {
	if h, ok := LongestHold(dirs, "", now); ok {
		all = append(all, InForce{"", h})
	}
	seen := map[string]bool{"": true}
	for _, dir := range dirs {
		events, fault := readHolds(dir)
		if fault != nil {
			err = fault
		}
		for _, e := range slices.Backward(events) {
			if seen[e.Of] {
				continue
			}
			seen[e.Of] = true
			if h, ok := LongestHold(dirs, e.Of, now); ok {
				all = append(all, InForce{e.Of, h})
			}
		}
	}
	return all, err
}

// LongestHold is HoldOfSession in several state directories: the one in force that ends last.
func LongestHold(dirs []string, id string, now time.Time) (h Hold, held bool) {
	for _, dir := range dirs {
		if one, ok := HoldOfSession(dir, id, now); ok && (!held || h.Until != 0 && (one.Until == 0 || one.Until > h.Until)) {
			h, held = one, true
		}
	}
	return h, held
}
