// Hooks of ours that did not come to decide, as Claude Code has them in a session's
// log.

package claude

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/moment"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// hookLine is the line that Claude Code leaves about a hook.
type hookLine struct {
	Type       string
	Timestamp  string
	Attachment ending
}

// ending is how the hook ended.
type ending struct {
	Type       string
	HookEvent  string
	Command    string
	Stderr     string
	DurationMs int64
	TimedOut   bool
	TimeoutMs  int64
}

func (l *hookLine) Members(m *codec.Members) {
	m.Text("type", &l.Type)
	m.Text("timestamp", &l.Timestamp)
	m.Object("attachment", &l.Attachment)
}

func (e *ending) Members(m *codec.Members) {
	m.Text("type", &e.Type)
	m.Text("hookEvent", &e.HookEvent)
	m.Text("command", &e.Command)
	m.Text("stderr", &e.Stderr)
	codec.Number(m, "durationMs", &e.DurationMs)
	m.Bool("timedOut", &e.TimedOut)
	codec.Number(m, "timeoutMs", &e.TimeoutMs)
}

func deadHook(line []byte) (f transcript.DeadHook, ok bool) {
	if !bytes.Contains(line, []byte(`"hook_non_blocking_error"`)) && !bytes.Contains(line, []byte(`"hook_cancelled"`)) {
		return f, false
	}
	var l hookLine
	if codec.Read(line, &l) != nil || l.Type != "attachment" {
		return f, false
	}
	a := l.Attachment
	at, dated := moment.Read(l.Timestamp)
	if !dated || !ours(a.Command) || a.HookEvent != "Stop" && a.HookEvent != "UserPromptSubmit" {
		return f, false
	}
	took := a.DurationMs
	if a.TimedOut && a.TimeoutMs > 0 {
		took = a.TimeoutMs // what it was given: it takes a while to end
	}
	after := " after " + strconv.FormatFloat(float64(took)/1000, 'f', 1, 64) + " s"
	f = transcript.DeadHook{Ended: at, Began: at - min(max(a.DurationMs, 0), longestHook), Event: a.HookEvent}
	switch {
	case a.Type == "hook_non_blocking_error":
		f.Says = said(a.Stderr)
	case a.Type == "hook_cancelled" && a.TimedOut:
		f.Says = "timed out" + after
	case a.Type == "hook_cancelled":
		f.Says = "cancelled" + after
	default:
		return f, false
	}
	return f, true
}

// longestHook is longer than Claude Code waits for a hook, in milliseconds.
const longestHook = 60 * 60_000

// ours tells whether a hook's command is springfield's.
func ours(command string) bool {
	return strings.HasSuffix(strings.TrimSuffix(command, ".exe"), "/hooks/springfield-hook")
}

// said is what Claude Code says of a hook's end, without what it says each time.
func said(stderr string) string {
	const most = 500
	text := strings.TrimSpace(stderr)
	for _, prefix := range []string{"Failed with non-blocking status code: ", "Error occurred while executing hook command: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	if text == "No stderr output" || text == "" {
		text = "it failed without an error message (perhaps it was killed)"
	}
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
