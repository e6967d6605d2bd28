// Package hook is the wire between Claude Code and a strategy: one event in,
// at most one verdict out, and whatever goes wrong, Claude may stop.
package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// maxEvent bounds what is read of an event, in bytes. A last message is at most
// a few hundred kilobytes.
const maxEvent = 4 << 20

// Event is what Claude Code says when it is about to hand the turn back. Every
// field may be missing; unknown ones are passed over, because each release of
// the client brings new ones.
type Event struct {
	SessionID      string
	TranscriptPath string
	Cwd            string
	Name           string
	PromptID       string
	// LastMessage is Claude's last text. The transcript may lag behind the
	// event by 100 ms, so this is the text that counts.
	LastMessage string
	// Prompt is what a UserPromptSubmit is about.
	Prompt string
	// Active is Claude Code's sticky bit: a Stop hook has continued this turn.
	Active bool
	guard.Moment
	// crons tells that the event has a list of scheduled prompts, which only Claude Code
	// sends, from 2.1.145 on.
	crons bool
	// blockCap is how many continues in a row without a tool call Claude Code
	// honours, 0 for all. It comes from the environment, not from the event.
	blockCap int
}

// Members are an event as Claude Code writes it, and as older writers of events do,
// who call the last message by other names and give it in other shapes.
func (e *Event) Members(m *codec.Members) {
	m.Text("session_id", &e.SessionID)
	m.Text("transcript_path", &e.TranscriptPath)
	m.Text("cwd", &e.Cwd)
	m.Text("hook_event_name", &e.Name)
	m.Text("prompt_id", &e.PromptID)
	m.Text("permission_mode", &e.PermissionMode)
	m.Text("last_assistant_message", &e.LastMessage)
	m.Text("prompt", &e.Prompt)
	codec.List(m, "background_tasks", &e.Tasks)
	var crons, active []byte
	m.Raw("session_crons", &crons)
	if codec.Elements(crons, func([]byte) { e.Crons++ }) {
		e.crons = true
	}
	// Other types than true are no reason to refuse the event.
	if m.Raw("stop_hook_active", &active); active != nil {
		e.Active = string(active) == "true"
	}
}

// takesContext tells whether the event certainly comes from a Claude Code that lets a
// Stop hook go on by additionalContext: 2.1.163 or newer. Older ones and some other
// agents drop the whole answer for it. From 2.1.196 on the event names the prompt by a
// UUID, between the two only the transcript names the client's version. Nothing that a
// project can set has a say.
func (e Event) takesContext(version string) bool {
	if !e.crons {
		return false
	}
	if e.PromptID != "" {
		return isUUID(e.PromptID)
	}
	return atLeast(version, [3]int{2, 1, 163})
}

// isUUID tells whether an id has the form of one.
func isUUID(id string) bool {
	if len(id) != 36 {
		return false
	}
	for i, c := range []byte(id) {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (c == '-') || !dash && !strings.ContainsRune("0123456789abcdefABCDEF", rune(c)) {
			return false
		}
	}
	return true
}

// atLeast compares a version like 2.1.163 with another.
func atLeast(version string, other [3]int) bool {
	parts := strings.Split(version, ".")
	if len(parts) != len(other) {
		return false
	}
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n < other[i] {
			return false
		}
		if n > other[i] {
			return true
		}
	}
	return true
}

// readCap reads CLAUDE_CODE_STOP_HOOK_BLOCK_CAP as Claude Code does.
func readCap(value string) int {
	n, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil {
		return 8
	}
	return max(n, 0)
}

// fromUser tells whether a prompt is the user's own words. Claude Code also
// asks about what wakes Claude, a task that has ended for instance, and about
// slash commands, which say themselves what is to do: /home/x/log is none.
func (e Event) fromUser() bool {
	if command, ok := strings.CutPrefix(strings.TrimSpace(e.Prompt), "/"); ok {
		name := strings.FieldsFunc(command, func(r rune) bool { return r <= ' ' })
		return len(name) == 0 || command[0] <= ' ' || strings.Contains(name[0], "/")
	}
	return !transcript.IsOutput(e.Prompt)
}

// plainText is the text of a string, of an object's text or content, or of all
// items of a list.
func plainText(raw json.RawMessage, depth int) string {
	var text string
	if depth == 0 || json.Unmarshal(raw, &text) == nil {
		return text
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		var parts []string
		for _, item := range list {
			parts = append(parts, plainText(item, depth-1))
		}
		return strings.Join(parts, " ")
	}
	var object struct{ Text, Content json.RawMessage }
	if json.Unmarshal(raw, &object) == nil {
		for _, member := range []json.RawMessage{object.Text, object.Content} {
			if len(member) > 0 {
				return plainText(member, depth-1)
			}
		}
	}
	return ""
}

// readEvent reads one JSON object and does not wait for the end of input: on
// some hosts it never comes.
func readEvent(r io.Reader) (e Event, err error) {
	data, err := readObject(r)
	if err == nil {
		err = codec.Read(data, &e)
	}
	if err != nil {
		return Event{}, fmt.Errorf("read event: %w", err)
	}
	if e.LastMessage == "" {
		for _, name := range []string{"response", "content", "message"} {
			if raw := codec.Member(data, name); raw != nil && string(raw) != "null" {
				e.LastMessage = plainText(raw, 4) // {"content": [{"text": …}]}
				break
			}
		}
	}
	return e, nil
}

// readObject reads until an object is complete.
func readObject(r io.Reader) (data []byte, err error) {
	data = make([]byte, 0, 8<<10)
	for err == nil {
		if len(data) == cap(data) {
			data = append(make([]byte, 0, 4*cap(data)), data...)
		}
		var n int
		n, err = r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		text := bytes.TrimSpace(data)
		switch {
		case len(data) > maxEvent:
			return nil, errors.New("larger than 4 MiB")
		case len(text) > 0 && text[0] != '{':
			return nil, errors.New("it is not a JSON object")
		case err == nil && !bytes.HasSuffix(text, []byte{'}'}): // it goes on
		case err == io.EOF && len(text) == 0:
			return nil, err
		default:
			w := codec.Enter(text, '{')
			for w.Next() {
			}
			if object := w.Passed(); object != nil {
				return object, nil
			}
		}
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return nil, err
}

// key names the session in the ledger. Without a session id the place stands
// in for it.
func (e Event) key() string {
	switch {
	case e.SessionID != "":
		return "session:" + e.SessionID
	case e.TranscriptPath != "":
		return "transcript:" + e.TranscriptPath
	}
	return "directory:" + e.Cwd
}
