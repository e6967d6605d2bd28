// The history of goal loops: what happened to each, a line per event, in one file
// for all. The first line of a loop holds its whole file, so that it can be run
// again.

package ledger

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"github.com/cameronsjo/springfield/runtime/strategy"
)

const (
	// maxLoopsFile is where the history is rotated, in bytes: some ten thousand
	// iterations. One file before it is kept.
	maxLoopsFile = 4 << 20
	// maxLoopLine is longer than any line: 8,000 characters of a file, each of
	// which JSON may write as six bytes, and the texts beside it.
	maxLoopLine = 128 << 10
)

func loopsFile(dir string) string { return filepath.Join(dir, "loops.jsonl") }

// AppendLoop writes one event down.
func AppendLoop(dir string, e strategy.LoopEvent) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(e); err != nil {
		return err
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
	_, err = f.Write(b.Bytes())
	return err
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
		lines := bufio.NewScanner(io.LimitReader(f, 2*maxLoopsFile))
		lines.Buffer(nil, maxLoopLine)
		for lines.Scan() {
			var e strategy.LoopEvent
			if json.Unmarshal(lines.Bytes(), &e) == nil && e.Loop != "" && e.Event != "" {
				all = append(all, e)
			}
		}
		f.Close()
	}
	return all, nil
}
