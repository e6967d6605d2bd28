// Package hook is the wire between Claude Code and a strategy: one event in,
// at most one verdict out, and whatever goes wrong, Claude may stop.
package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

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
	SessionID      string `json:"session_id"`
	TranscriptPath string `json:"transcript_path"`
	Cwd            string `json:"cwd"`
	Name           string `json:"hook_event_name"`
	PromptID       string `json:"prompt_id"`
	PermissionMode string `json:"permission_mode"`
	// LastMessage is Claude's last text. The transcript may lag behind the
	// event by 100 ms, so this is the text that counts.
	LastMessage string `json:"last_assistant_message"`
	Background  []struct {
		ID          string `json:"id"`
		Type        string `json:"type"`
		Description string `json:"description"`
		Command     string `json:"command"`
	} `json:"background_tasks"`
	Crons []json.RawMessage `json:"session_crons"`
	// Prompt is what a UserPromptSubmit is about.
	Prompt string `json:"prompt"`
	// Active is Claude Code's sticky bit: a Stop hook has continued this turn.
	Active flag `json:"stop_hook_active"`
	// Older writers of events call the last message by other names, and give it in
	// other shapes.
	Response json.RawMessage `json:"response"`
	Content  json.RawMessage `json:"content"`
	Message  json.RawMessage `json:"message"`
	// blockCap is how many continues in a row without a tool call Claude Code
	// honours, 0 for all. It comes from the environment, not from the event.
	blockCap int
}

// readCap reads CLAUDE_CODE_STOP_HOOK_BLOCK_CAP as Claude Code does.
func readCap(value string) int {
	n, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil {
		return 8
	}
	return max(n, 0)
}

// flag is true only where the event says true: other types are no reason to
// refuse the event.
type flag bool

func (f *flag) UnmarshalJSON(data []byte) error {
	*f = string(data) == "true"
	return nil
}

// fromPerson tells whether a prompt is a person's own words. Claude Code also
// asks about what wakes Claude, a task that has ended for instance, and about
// slash commands, which say themselves what is to do: /home/x/log is none.
func (e Event) fromPerson() bool {
	if command, ok := strings.CutPrefix(strings.TrimSpace(e.Prompt), "/"); ok {
		name := strings.FieldsFunc(command, func(r rune) bool { return r <= ' ' })
		return len(name) == 0 || command[0] <= ' ' || strings.Contains(name[0], "/")
	}
	return !transcript.IsOutput(e.Prompt)
}

// said is the last message under its older names.
func (e Event) said() string {
	for _, raw := range []json.RawMessage{e.Response, e.Content, e.Message} {
		if len(raw) > 0 && string(raw) != "null" {
			return plainText(raw, 4) // {"content": [{"text": …}]}
		}
	}
	return ""
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
func readEvent(r io.Reader) (Event, error) {
	var e Event
	limited := &io.LimitedReader{R: r, N: maxEvent}
	if err := json.NewDecoder(limited).Decode(&e); err != nil {
		if limited.N == 0 {
			err = errors.New("larger than 4 MiB")
		}
		return Event{}, fmt.Errorf("read event: %w", err)
	}
	if e.LastMessage == "" {
		e.LastMessage = e.said()
	}
	return e, nil
}

// moment is the part of the event that the guards look at.
func (e Event) moment() guard.Moment {
	m := guard.Moment{PermissionMode: e.PermissionMode, Crons: len(e.Crons)}
	for _, t := range e.Background {
		m.Tasks = append(m.Tasks, guard.Background{ID: t.ID, Type: t.Type, Description: t.Description, Command: t.Command})
	}
	return m
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
