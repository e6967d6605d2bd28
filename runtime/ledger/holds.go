// A hold lets agents stop, in a session or in all sessions. Anyone can set it, even the agent, but only the user can
// lift it, at a terminal. No budget, rule or model overrules it. The history shows if its file was deleted.

package ledger

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"time"

	"github.com/cameronsjo/springfield/runtime/codec"
)

type Hold struct {
	Since int64 // Unix milliseconds
	Until int64 // Unix milliseconds, 0: until it is lifted
}

func (h *Hold) Members(m *codec.Coder) {
	codec.Number(m.EvenEmpty(), "since", &h.Since)
	codec.Number(m, "until", &h.Until)
}

func (h Hold) isOver(now time.Time) bool { return h.Until != 0 && now.UnixMilli() >= h.Until }

// HoldEnded and HoldRemoved, by a different program, are noticed when holds are next read.
const (
	HoldSet     = "set"
	HoldLifted  = "lifted"
	HoldEnded   = "ended"
	HoldRemoved = "removed"
)

// HoldEvent is a change of a hold.
type HoldEvent struct {
	At  int64 // Unix milliseconds; for HoldRemoved, when it was noticed
	Did string
	Of  string // the session's key, "" for all
	Hold
	Means
}

func (e *HoldEvent) Members(m *codec.Coder) {
	codec.Number(m.EvenEmpty(), "at", &e.At)
	m.EvenEmpty().Text("did", &e.Did)
	m.Text("of", &e.Of)
	e.Hold.Members(m)
	m.Text("program", &e.Program)
	m.Text("from", &e.From)
}

func (e HoldEvent) BeginsHold() bool { return e.Did == HoldSet }

// Means is the origin of a hold's change.
type Means struct {
	Program string // springfield, or the plugin of the hook
	From    string // the host of the agent, the name of the terminal, or ""
}

var (
	ErrShorter = errors.New("a longer hold is in force")
	// ErrUnnoted means that a change took effect but is not in the history.
	ErrUnnoted = errors.New("it could not be recorded")
	errNoDir   = errors.New("the state directory is unknown")
)

const holdWait = 2 * time.Second

// holdFile returns the path of the hold on a session, or on all if ledgerID is "".
func holdFile(dir, ledgerID string) string {
	if ledgerID == "" {
		return filepath.Join(dir, "hold")
	}
	return filepath.Join(dir, "sessions", SessionKey(ledgerID)+".hold")
}

func holdLines(dir string) lineFile {
	return lineFile{dir, filepath.Join(dir, "holds.jsonl"), 128 << 10, 4 << 10}
}

// HoldInForce returns the hold in force on all sessions, else the session's own. ledgerID has a prefix, usually
// "session:".
func HoldInForce(stateDir, ledgerID string, now time.Time) (Hold, bool) {
	if h, ok := ExactHoldOf(stateDir, "", now); ok {
		return h, true
	}
	return ExactHoldOf(stateDir, ledgerID, now)
}

// ExactHoldOf returns the hold in force on a session, or on all if ledgerID is "". ledgerID has a prefix, usually
// "session:". If the file is unreadable, the hold lasts until lifted. A relative stateDir has no holds.
func ExactHoldOf(stateDir, ledgerID string, now time.Time) (h Hold, held bool) {
	if !filepath.IsAbs(stateDir) {
		return Hold{}, false
	}
	there, err := readSmall(holdFile(stateDir, ledgerID), &h)
	if there && err != nil {
		return Hold{}, true
	}
	return h, there && !h.isOver(now)
}

// SetHold stores a hold on a session, or on all if ledgerID is "", and notes it in the history. If d is 0, the hold
// lasts until lifted. SetHold returns a longer hold in force with ErrShorter. With ErrUnnoted the hold is in force, but
// not in the history. ledgerID has a prefix, usually "session:".
func SetHold(stateDir, ledgerID string, now time.Time, d time.Duration, by Means) (inForce Hold, err error) {
	if !filepath.IsAbs(stateDir) {
		return Hold{}, errNoDir
	}
	makeAll(filepath.Dir(stateDir))
	makeStateDirs(stateDir)
	// A missing lock must not keep the agent from stopping.
	if lock, err := TakeLock(stateDir, "holds", holdWait); err == nil {
		defer lock.Close()
	}
	h := Hold{Since: now.UnixMilli()}
	if d > 0 {
		h.Until = now.Add(d).UnixMilli()
	}
	if old, ok := ExactHoldOf(stateDir, ledgerID, now); ok && h.Until != 0 && (old.Until == 0 || h.Until < old.Until) {
		return old, ErrShorter
	}
	err = replaceFile(holdFile(stateDir, ledgerID), &h)
	if os.IsNotExist(err) {
		err = cmp.Or(makeAll(stateDir), err) // the reason why the directory is missing
	}
	if err != nil {
		return Hold{}, err
	}
	return h, noteHold(stateDir, HoldEvent{now.UnixMilli(), HoldSet, ledgerID, h, by})
}

// LiftHoldIfAny removes any hold in force on a session, or on all if ledgerID is "", under a lock, and records this.
// With ErrUnnoted the hold is lifted, but this is not recorded. The caller ensures that the user wants this.
func LiftHoldIfAny(stateDir, ledgerID string, now time.Time, by Means) error {
	lock, err := TakeLock(stateDir, "holds", holdWait)
	if err == ErrBusy {
		err = errors.New("another program changes holds just now")
	}
	if err != nil {
		return err
	}
	defer lock.Close()
	h, held := ExactHoldOf(stateDir, ledgerID, now)
	if !held {
		return nil
	}
	if err := os.Remove(holdFile(stateDir, ledgerID)); err != nil {
		return err
	}
	return noteHold(stateDir, HoldEvent{now.UnixMilli(), HoldLifted, ledgerID, h, by})
}

func noteHold(dir string, e HoldEvent) error {
	if holdLines(dir).addLine(&e) != nil {
		return ErrUnnoted
	}
	return nil
}

// NoteAndReadHolds returns all events, oldest first, without duplicates. It records unnoticed ends and removals.
func NoteAndReadHolds(stateDirs []string, now time.Time) (all []HoldEvent, err error) {
	for i, dir := range stateDirs {
		some, fault := readHoldEvents(dir)
		if fault == nil && len(unrecordedEnds(dir, some, now)) > 0 {
			some, fault = readAndNoteEnds(dir, now)
		}
		if fault != nil {
			err = fault
		}
		for _, e := range some {
			if i == 0 || !slices.Contains(all, e) {
				all = append(all, e)
			}
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].At < all[j].At }) // ends are noticed late
	return all, err
}

func readAndNoteEnds(dir string, now time.Time) (all []HoldEvent, err error) {
	// If we do not get the lock, there might not be a line for the hold yet.
	lock, busy := TakeLock(dir, "holds", holdWait)
	all, err = readHoldEvents(dir)
	for _, e := range unrecordedEnds(dir, all, now) {
		all = append(all, e)
		if busy == nil {
			_ = noteHold(dir, e) // else it is noticed again
		}
	}
	if busy == nil {
		lock.Close()
	}
	return all, err
}

func readHoldEvents(dir string) (all []HoldEvent, err error) {
	err = holdLines(dir).eachLine(func(line []byte) {
		var e HoldEvent
		if codec.ReadObject(line, &e) == nil && e.Did != "" {
			all = append(all, e)
		}
	})
	return all, err
}

func unrecordedEnds(dir string, all []HoldEvent, now time.Time) (found []HoldEvent) {
	for _, e := range LastHoldEvents(all) {
		if _, held := ExactHoldOf(dir, e.Of, now); held || !e.BeginsHold() {
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

// LastHoldEvents returns the last event for each Of, latest first. all is oldest first.
func LastHoldEvents(all []HoldEvent) (perSession []HoldEvent) {
	seen := map[string]bool{}
	for i := len(all) - 1; i >= 0; i-- {
		e := all[i]
		if !seen[e.Of] {
			perSession = append(perSession, e)
		}
		seen[e.Of] = true
	}
	return perSession
}

type InForce struct {
	Of string // the session's key, "" for all
	Hold
}

// HoldsInForce returns the holds in force: first any on all sessions, then those on the histories' sessions. A
// session's Of is "session:" and its ID. HoldsInForce omits the sessions of an unreadable history and returns the
// error.
func HoldsInForce(stateDirs []string, now time.Time) (all []InForce, err error) {
	if h, ok := LongestExact(stateDirs, "", now); ok {
		all = append(all, InForce{"", h})
	}
	seen := map[string]bool{"": true}
	for _, dir := range stateDirs {
		events, fault := readHoldEvents(dir)
		if fault != nil {
			err = fault
		}
		for _, e := range LastHoldEvents(events) {
			if h, ok := LongestExact(stateDirs, e.Of, now); ok && !seen[e.Of] {
				all = append(all, InForce{e.Of, h})
			}
			seen[e.Of] = true
		}
	}
	return all, err
}

// LongestExact returns the hold in force for ledgerID that ends last. The hold on all sessions counts only if ledgerID
// is "".
func LongestExact(stateDirs []string, ledgerID string, now time.Time) (h Hold, held bool) {
	for _, dir := range stateDirs {
		if one, ok := ExactHoldOf(dir, ledgerID, now); ok && (!held || h.Until != 0 && (one.Until == 0 || one.Until > h.Until)) {
			h, held = one, true
		}
	}
	return h, held
}
