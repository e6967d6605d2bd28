// The history of goal loops: what happened to each, a line per event, in one file
// for all. The first line of a loop holds its whole file, so that it can be run
// again.

package ledger

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
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
	path := loopsFile(dir)
	f, err := openFile(path)
	if os.IsNotExist(err) {
		makeDirs(dir)
		f, err = openFile(path)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if size, err := f.Seek(0, io.SeekEnd); err == nil && size > maxLoopsFile {
		// Two that rotate at once lose one old file, never a new line.
		if got, err := tryLock(f); err == nil && got && isAt(f, path) && rename(path, path+".1") == nil {
			fresh, err := openFile(path)
			if err != nil {
				return err
			}
			defer fresh.Close()
			f = fresh
		}
	}
	line := b.Bytes()
	var last [1]byte
	if size, err := f.Seek(0, io.SeekEnd); err == nil && size > 0 {
		if _, err := f.ReadAt(last[:], size-1); err == nil && last[0] != '\n' {
			line = append([]byte{'\n'}, line...) // a kill has torn the one before
		}
	}
	_, err = f.Write(line)
	return err
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
	for _, path := range []string{loopsFile(dir) + ".1", loopsFile(dir)} {
		f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		lines := bufio.NewReaderSize(io.LimitReader(f, 2*maxLoopsFile), maxLoopLine+1)
		for err == nil {
			var line []byte
			line, err = lines.ReadSlice('\n')
			var e strategy.LoopEvent
			if json.Unmarshal(line, &e) == nil && strategy.IsLoopID(e.Loop) && e.Event != "" {
				all = append(all, e)
			}
			for err == bufio.ErrBufferFull { // none of ours is so long: pass over it
				_, err = lines.ReadSlice('\n')
			}
		}
		f.Close()
	}
	return all, nil
}
