// What loops have in common: what happens to one is told to the history, and to
// the user's own command where there is one.

package strategy

import (
	"hash/fnv"
	"strconv"
	"strings"
)

// LoopEvent is one thing that happened to a loop.
type LoopEvent struct {
	Loop  string `json:"loop"` // its ID
	At    int64  `json:"at"`   // Unix milliseconds
	Event string `json:"event"`
	// Count and Max are the iteration and the last one.
	Count   int    `json:"iteration"`
	Max     int    `json:"max"`
	Session string `json:"session,omitempty"`
	Dir     string `json:"directory,omitempty"`
	Text    string `json:"text,omitempty"` // how Claude's last message ends
	File    string `json:"file,omitempty"` // at the start: the loop's file
}

// What happens to a loop. All but the first three end it.
const (
	LoopStarted   = "start"
	LoopGoesOn    = "iteration"
	LoopLastRound = "last"
	LoopPromised  = "promise"
	LoopLimited   = "limit"
	LoopTimedOut  = "timeout"
	LoopStalled   = "stagnation"
	LoopCancelled = "cancel"
)

// Ends tells that the loop is over with this, or rests.
func (e LoopEvent) Ends() bool {
	switch e.Event {
	case LoopStarted, LoopGoesOn, LoopLastRound:
		return false
	}
	return true
}

// LoopFile is how much of a loop's file the history keeps.
func LoopFile(data []byte) string { return beginning(string(data), goalFile) }

// NewLoopID names a loop.
func NewLoopID(dir, session string, now int64) string {
	h := fnv.New64a()
	h.Write([]byte(dir + "\x00" + session + "\x00" + strconv.FormatInt(now, 10)))
	id := strconv.FormatUint(h.Sum64(), 36)
	return id[max(0, len(id)-6):]
}

// IsLoopID tells whether a text can be a loop's ID. A file may bring one along.
func IsLoopID(id string) bool {
	return id != "" && len(id) <= 16 && !strings.ContainsFunc(id, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'z') })
}

// hashOf tells texts apart.
func hashOf(text string) string {
	h := fnv.New64a()
	h.Write([]byte(text))
	return strconv.FormatUint(h.Sum64(), 36)
}

// first is the beginning of a text, at most n characters.
func first(text string, n int) string {
	for i := range text {
		if n == 0 {
			return strings.TrimSpace(text[:i]) + "…"
		}
		n--
	}
	return text
}

// beginning is the beginning of a text, at most n bytes.
func beginning(text string, n int) string {
	if len(text) > n {
		text = strings.ToValidUTF8(text[:n], "") + "…"
	}
	return text
}

// final is the end of a text, at most n bytes.
func final(text string, n int) string {
	if len(text) > n {
		text = "…" + strings.ToValidUTF8(text[len(text)-n:], "")
	}
	return text
}
