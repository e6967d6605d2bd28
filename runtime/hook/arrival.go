// Some hosts start the hook before their log has the stop's own entry, and send no last
// message. The hook waits for the entry, and decides nothing if it does not come.

package hook

import (
	"io"
	"time"

	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/guard"
)

const (
	// arrivalWait is how long the hook waits for an entry, which takes 50 to 150 ms.
	arrivalWait = 1500 * time.Millisecond
	// arrivalPoll is how long it rests between two looks.
	arrivalPoll = 5 * time.Millisecond
	// maxEnd is how much of the log's end is looked at, in bytes.
	maxEnd = 256 << 10
)

// arrival waits until the log has this stop's own entry, if its host is one that writes
// late. The veto says that it did not come.
func (s *start) arrival() guard.Veto {
	h := hostOfEvent(s.event)
	if h.Arrived == nil || s.answers != "Stop" || s.event.LastMessage != "" {
		return guard.Veto{}
	}
	until := time.Now().Add(arrivalWait)
	for {
		if end := endOfLog(s.event.TranscriptPath); end != nil && h.Arrived(s.event, end) {
			return guard.Veto{}
		}
		if !time.Now().Before(until) {
			return guard.Veto{Rule: "log-lags", Evidence: "the session log of " + h.Title + " did not have this stop within " + arrivalWait.String()}
		}
		time.Sleep(arrivalPoll)
	}
}

// endOfLog is the end of a log, nil if there is none.
func endOfLog(path string) []byte {
	f, size, err := file.OpenRegular(path, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	end := make([]byte, min(size, maxEnd))
	n, err := f.ReadAt(end, size-int64(len(end)))
	if err != nil && err != io.EOF {
		return nil
	}
	return end[:n]
}
