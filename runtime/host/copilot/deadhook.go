package copilot

import (
	"bytes"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// deadHook reads a line about hooks that have failed. Copilot names the file that they come
// from and not their commands, so ours is known by its name in what the shell says of it.
func deadHook(line []byte) (f transcript.DeadHook, ok bool) {
	if !isOf(line, "hook.end") || !bytes.Contains(line, []byte(`springfield-hook`)) {
		return f, false
	}
	data := codec.Member(line, "data")
	switch string(codec.Member(data, "hookType")) {
	case `"agentStop"`:
		f.Event = "Stop"
	case `"userPromptSubmitted"`:
		f.Event = "UserPromptSubmit"
	}
	f.Ended = milli(codec.Member(line, "timestamp"))
	f.Began = f.Ended
	if f.Event == "" || f.Ended == 0 || string(codec.Member(data, "success")) != "false" {
		return f, false
	}
	const most = 500
	f.Says = strings.TrimSpace(codec.Text(codec.Inside(codec.Member(codec.Member(data, "error"), "message"))))
	if _, stderr, found := strings.Cut(f.Says, "\nStderr: "); found {
		f.Says = stderr
	}
	if len(f.Says) > most {
		f.Says = strings.ToValidUTF8(f.Says[:most], "") + "…"
	}
	return f, true
}
