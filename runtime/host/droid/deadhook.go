package droid

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// deadHook reads a line about hooks one of which was ours and has failed. Droid keeps what
// it said, and when they ran.
func deadHook(line []byte) (f transcript.DeadHook, ok bool) {
	if !bytes.Contains(line, []byte(`springfield-hook`)) || !bytes.Contains(line, []byte(`"hookResults"`)) {
		return f, false
	}
	m := codec.Member(line, "message")
	f.Event = codec.Text(codec.Inside(codec.Member(m, "hookEventName")))
	f.Began, f.Ended = number(codec.Member(m, "hookStartTime")), number(codec.Member(m, "hookEndTime"))
	if f.Event != "Stop" && f.Event != "UserPromptSubmit" || f.Ended == 0 {
		return f, false
	}
	var commands []string
	codec.Elements(codec.Member(m, "hookCommands"), func(command []byte) {
		commands = append(commands, codec.Text(codec.Inside(codec.Member(command, "command"))))
	})
	i := 0
	codec.Elements(codec.Member(m, "hookResults"), func(result []byte) {
		code := string(codec.Member(result, "exitCode"))
		if i < len(commands) && strings.HasSuffix(strings.TrimSuffix(strings.Trim(commands[i], `"`), ".exe"), "/hooks/springfield-hook") && code != "0" && code != "2" {
			f.Says, ok = said(codec.Member(result, "stderr")), true
		}
		i++
	})
	return f, ok
}

func number(raw []byte) int64 {
	n, _ := strconv.ParseInt(string(raw), 10, 64)
	return max(n, 0)
}

// said is how a hook ended, in its own words.
func said(stderr []byte) string {
	const most = 500
	text := strings.TrimSpace(codec.Text(codec.Inside(stderr)))
	if text == "" {
		return "it failed without an error message (perhaps it was killed)"
	}
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
