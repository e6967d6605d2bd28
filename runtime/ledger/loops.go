// The first event of a loop contains the loop's whole file, so that the loop can run again.

package ledger

import (
	"bytes"
	"errors"
	"path/filepath"
	"strconv"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
)

func loopLines(dir string) lineFile {
	return lineFile{dir, filepath.Join(dir, "loops.jsonl"), 8 << 20, 128 << 10}
}

func AppendLoop(stateDir string, e activity.LoopEvent) error {
	if !activity.IsShortLowerID(e.Loop) {
		return errors.New("write loop history: " + strconv.Quote(e.Loop) + " is not a loop's id")
	}
	if err := loopLines(stateDir).addLine(&e); err != nil {
		return errors.New("write loop history: " + err.Error())
	}
	return nil
}

// PastOfLoop summarises a loop's history in a workspace, which must equal the events' Dir (cut to 1000 bytes by the
// hook). Unreadable history counts as empty.
func PastOfLoop(stateDir, id, workspace string) (p activity.LoopPast) {
	_ = loopLines(stateDir).eachLine(func(line []byte) { // an unreadable history is empty
		if !bytes.Contains(line, []byte(id)) {
			return
		}
		e, ok := loopEvent(line)
		if !ok || e.Loop != id || e.Dir != workspace {
			return
		}
		p.Over = e.StopsLoop()
		if e.Event == activity.LoopGoesOn || e.Event == activity.LoopLastRound {
			p.Continues++
			p.Count = max(p.Count, e.Count)
		} else if p.Over && p.Typed > 0 {
			p.Typed, p.Before = 0, p.Typed
		} else if !p.Over && e.Typed > 0 {
			p.Typed, p.Before = min(e.Typed, activity.MostIterations), 0
		}
	})
	return p
}

// LoopEvents returns the events of all loops, oldest first.
func LoopEvents(stateDir string) (all []activity.LoopEvent, err error) {
	err = loopLines(stateDir).eachLine(func(line []byte) {
		if e, ok := loopEvent(line); ok {
			all = append(all, e)
		}
	})
	return all, err
}

func loopEvent(line []byte) (e activity.LoopEvent, ok bool) {
	err := codec.ReadObject(line, &e)
	return e, err == nil && activity.IsShortLowerID(e.Loop) && e.Event != ""
}
