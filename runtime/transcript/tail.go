// The end of a session log, read backwards. A line that is too long to be
// looked at counts as a line.

package transcript

import (
	"bytes"
	"io"

	"github.com/cameronsjo/springfield/runtime/file"
)

// maxTail is the most that is read from the end of a log, in bytes.
const maxTail = 4 << 20

// tail returns the last n lines of a regular file, oldest first, without
// their line ends. Empty lines do not count. A torn last line counts: Claude
// Code may be writing it. Fewer lines come back when maxTail is reached first.
func tail(path string, n int) ([][]byte, error) {
	f, size, err := file.Open(path, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	var buf []byte // the file from start on
	start := size
	floor := max(0, start-maxTail)
	for start > floor && countLines(buf) <= n {
		// As much as so many lines usually take, then twice as much each time, so that
		// a long line is not copied often.
		more := min(max(chunk, int64(n)<<10, int64(len(buf))), start-floor)
		grown := make([]byte, more+int64(len(buf)))
		if _, err := f.ReadAt(grown[:more], start-more); err != nil && err != io.EOF {
			return nil, err
		}
		copy(grown[more:], buf)
		buf, start = grown, start-more
	}

	whole := start == 0
	var lines [][]byte
	for i, line := range bytes.Split(buf, []byte{'\n'}) {
		if i == 0 && !whole {
			continue // its beginning was not read
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-n):], nil
}

// countLines counts line ends, blank lines left out. One more than asked for
// means that the oldest line asked for is complete.
func countLines(b []byte) int {
	return bytes.Count(b, []byte{'\n'}) - bytes.Count(b, []byte("\n\n"))
}

// EndHas tells whether a text stands in the end of a log. It must have no character
// that JSON escapes.
func EndHas(path, text string) bool {
	f, size, err := file.Open(path, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	end, _ := io.ReadAll(io.NewSectionReader(f, max(0, size-maxTail), maxTail))
	return bytes.Contains(end, []byte(text))
}
