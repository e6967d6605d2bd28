// The history of goal loops: what happened to each, a line per event, in one file
// for all. The first line of a loop holds its whole file, so that it can be run
// again.

package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"strconv"

	"github.com/cameronsjo/springfield/runtime/strategy"
)

const (
	// maxLoopsFile is where the history is rotated, in bytes: some ten thousand
	// iterations. One file before it is kept.
	maxLoopsFile = 4 << 20
	// maxLoopLine bounds a line, in bytes: 16 KiB of a loop's file can be six times
	// as long in JSON.
	maxLoopLine = 128 << 10
)

func loopsFile(dir string) string { return filepath.Join(dir, "loops.jsonl") }

// AppendLoop writes one event down.
func AppendLoop(dir string, e strategy.LoopEvent) error {
	if !strategy.IsLoopID(e.Loop) {
		return errors.New("write loop history: " + strconv.Quote(e.Loop) + " is no loop's id")
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(e); err != nil {
		return err
	}
	if b.Len() > maxLoopLine {
		return errors.New("write loop history: the event is longer than 128 KiB")
	}
	return appendLine(dir, loopsFile(dir), b.Bytes(), maxLoopsFile)
}

// LoopIsOver tells whether the newest that the history has of a loop is its end.
func LoopIsOver(dir, id string) bool {
	all, err := LoopEvents(dir)
	if err != nil {
		return false
	}
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Loop == id {
			return all[i].Ends()
		}
	}
	return false
}

// LoopEvents are all events on file, oldest first.
func LoopEvents(dir string) ([]strategy.LoopEvent, error) {
	var all []strategy.LoopEvent
	err := eachLine(loopsFile(dir), maxLoopsFile, maxLoopLine, func(line []byte) {
		var e strategy.LoopEvent
		if json.Unmarshal(line, &e) == nil && strategy.IsLoopID(e.Loop) && e.Event != "" {
			all = append(all, e)
		}
	})
	return all, err
}
