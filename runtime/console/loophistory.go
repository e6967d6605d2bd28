package console

import (
	"cmp"
	"sort"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/strategy/wiggum"
)

type pastLoop struct {
	ID, Directory string
	Began         int64 // Unix milliseconds
	At            int64 // of the last event
	Event         string
	Count, Max    int
	Goal          string // first line
	Events        []activity.LoopEvent

	file  string // its last recorded text
	typed int    // last maximum that the user typed, or 0
}

func (p *pastLoop) Members(m *codec.Coder) {
	m.EvenEmpty().Text("id", &p.ID)
	m.EvenEmpty().Text("directory", &p.Directory)
	codec.Number(m.EvenEmpty(), "began", &p.Began)
	codec.Number(m.EvenEmpty(), "at", &p.At)
	m.EvenEmpty().Text("event", &p.Event)
	codec.Number(m.EvenEmpty(), "iteration", &p.Count)
	codec.Number(m.EvenEmpty(), "max", &p.Max)
	m.Text("goal", &p.Goal)
	codec.ListOf(m, "events", &p.Events)
}

// recordedLoops returns all workspaces' recorded loops, sorted by last event, newest last.
func (d *Console) recordedLoops() ([]pastLoop, error) {
	events, err := ledger.LoopEvents(d.Dir)
	if err != nil {
		return nil, err
	}
	var all []pastLoop
	index := map[string]int{}
	for _, e := range events {
		i, ok := index[e.Loop]
		if !ok {
			i = len(all)
			index[e.Loop] = i
			all = append(all, pastLoop{ID: e.Loop, Began: e.At})
		}
		p := &all[i]
		p.Events = append(p.Events, e)
		p.At, p.Event, p.Count, p.Max, p.Directory, p.typed = e.At, e.Event, e.Count, e.Max, e.Dir, cmp.Or(e.Typed, p.typed)
		if e.File != "" {
			p.file, p.Goal = e.File, ""
			if g, err := wiggum.ReadLoop([]byte(e.File)); err == nil {
				p.Goal = shortGoalOf(g.Body)
			}
		}
	}
	// The events of two workspaces are not in order.
	sort.SliceStable(all, func(i, j int) bool { return all[i].At < all[j].At })
	return all, nil
}

func shortGoalOf(body string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(body), "\n")
	line = display.OneLine(strings.TrimPrefix(line, "Goal: "))
	return strings.TrimSpace(quotation.ClipRunes(line, 79))
}

// LoopHistory prints the workspace's (every workspace's if everyDir) last n loops, oldest first. n is positive. JSON
// has an object per loop, without events.
func (d *Console) LoopHistory(n int, everyDir, asJSON bool) error {
	l, err := d.openLoopSpace(false)
	if err != nil {
		return err
	}
	defer l.space.Close()
	every, err := l.recordedLoops()
	if err != nil {
		return err
	}
	var past []pastLoop
	for _, p := range every {
		if everyDir || p.Directory == l.space.Dir {
			past = append(past, p)
		}
	}
	if len(past) == 0 && !asJSON {
		if l.printLine(map[bool]string{false: "there are no past loops in " + l.space.Dir, true: "there are no past loops"}[everyDir]); !everyDir {
			l.printLine("for other directories, run " + l.commandTo("loop history --all"))
		}
		return nil
	}
	for _, p := range past[max(0, len(past)-n):] {
		if asJSON {
			p.Events = nil
			if err := l.printJSON(&p); err != nil {
				return err
			}
			continue
		}
		line := padRight(p.ID, 8) + padRight(l.agoOf(p.At), 12) + padRight(p.Event,
			11) + padRight(strconv.Itoa(p.Count)+"/"+strconv.Itoa(p.Max), 8)
		if everyDir {
			line += p.Directory + "  "
		}
		l.printLine(line + p.Goal)
	}
	return nil
}

// findLoop returns the recorded loop with an ID, for "last" the one with the newest event in any workspace. None is an
// error.
func (d *Console) findLoop(idOrLast string) (pastLoop, error) {
	all, err := d.recordedLoops()
	if err != nil {
		return pastLoop{}, err
	}
	if idOrLast == "last" && len(all) > 0 {
		return all[len(all)-1], nil
	}
	for _, p := range all {
		if p.ID == idOrLast {
			return p, nil
		}
	}
	return pastLoop{}, &adviceError{"there is no loop " + strconv.Quote(idOrLast), d.commandTo("loop history --all") + " lists them with their IDs"}
}

func (d *Console) ShowPastLoop(idOrLast string, asJSON bool) error {
	p, err := d.findLoop(idOrLast)
	if err != nil {
		return err
	}
	if asJSON {
		return d.printJSON(&p)
	}
	d.printLine("loop " + p.ID + " in " + p.Directory + ", started " + d.agoOf(p.Began))
	d.printIfSet("  goal     ", p.Goal)
	if g, err := wiggum.ReadLoop([]byte(p.file)); err == nil && len(g.Promises) > 0 {
		d.printLine("  promise  " + joinByOr(g.Promises))
		d.printIfSet("  check    ", g.Check)
	}
	for _, e := range p.Events {
		d.printLine("  " + padRight(strconv.Itoa(e.Count)+"/"+strconv.Itoa(e.Max), 8) + padRight(d.agoOf(e.At), 12) + padRight(e.Event, 11) + quotation.ClipToTail(quotation.OneLine(e.Text), 119))
	}
	d.printLine(loopEndInWords(p))
	d.printLine("to run it again: " + d.commandTo("loop history rerun "+p.ID))
	return nil
}

// loopEndInWords returns a sentence like "it was stopped with 3 of 25 turns done" (no full stop).
func loopEndInWords(p pastLoop) string {
	at := wiggum.TurnsInWords(p.Count, p.Max)
	ends := map[string]string{
		activity.LoopPromised:  "it ended with " + at + ": Claude wrote the promise",
		activity.LoopLimited:   "it ended at its limit: " + at,
		activity.LoopTimedOut:  "it ended with " + at + " because of a timeout",
		activity.LoopStalled:   "it was paused with " + at + ": several continues in a row led to the same words and no tool call",
		activity.LoopCancelled: "it was stopped with " + at,
	}
	return cmp.Or(ends[p.Event], "it has not ended: "+at)
}

// RerunLoop starts a loop of the history again, in the current workspace. Limits, check and promises in o override the
// loop's. o's goal, template and FromTodos are ignored.
func (d *Console) RerunLoop(idOrLast string, o LoopStart) error {
	p, err := d.findLoop(idOrLast)
	if err != nil {
		return err
	}
	if _, err := wiggum.ReadLoop([]byte(p.file)); err != nil {
		return &adviceError{"loop " + idOrLast + " cannot run again: its record is not a valid loop: " + err.Error(), "start a new one with " + d.commandTo(`loop start "…"`)}
	}
	l, err := d.openLoopSpace(o.Named)
	if err != nil {
		return err
	}
	defer l.space.Close()
	if len(p.file) > 16<<10 {
		l.printNoteToErr("its text is cut off, because the history keeps only the first 16 KiB")
	}
	o.Max = cmp.Or(o.Max, min(p.typed, p.Max))
	draft, err := applyChoices([]byte(p.file), o)
	if err != nil {
		return err
	}
	return l.beginLoop(draft, o)
}
