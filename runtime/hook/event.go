// Package hook is the wire between Claude Code and a strategy: one event in,
// at most one verdict out, and whatever goes wrong, Claude may stop.
package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/cameronsjo/springfield/runtime/guard"
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
