// Work that a turn has put into the background: shell commands, agents,
// monitors. The id is in the result of the call that started it; the end is
// told by a notification, or by the result of the call that stopped it or asked
// for its output.

package transcript

import (
	"bytes"

	"github.com/cameronsjo/springfield/runtime/codec"
)

const maxStarted = 16

// job is work in the background.
type job struct {
	ID    string
	Input place // of the call that started it
}

// start takes the result of a call that can go on in the background: its
// structured form, else its text. Where neither names a job, the work is done.
func (l *Log) start(outcome, said []byte, input place) {
	id := identifier(codec.Member(outcome, "backgroundTaskId", "taskId", "task_id"), maxID)
	if id == nil && (string(codec.Member(outcome, "isAsync")) == "true" || string(codec.Member(outcome, "status")) == `"async_launched"`) {
		id = identifier(codec.Member(outcome, "agentId"), maxID)
	}
	if len(outcome) == 0 || outcome[0] != '{' { // no structured result
		for _, before := range [...]string{"running in background with ID: ", "nagentId: ", "Monitor started (task "} {
			if i := bytes.Index(said, []byte(before)); i >= 0 {
				id = word(said[i+len(before):])
			}
		}
	}
	if id != nil {
		l.ended(id)
		l.Started = push(l.Started, job{ID: string(id), Input: input}, maxStarted)
	}
}

// word is the name that a text begins with, nil if it begins with none.
func word(text []byte) []byte {
	n := 0
	for n < len(text) && (text[n] == '-' || text[n] == '_' || '0' <= text[n] && text[n] <= '9' || 'a' <= text[n]|0x20 && text[n]|0x20 <= 'z') {
		n++
	}
	return identifier(text[:n], maxID)
}

func (l *Log) ended(id []byte) {
	for i := range l.Started {
		if l.Started[i].ID == string(id) {
			l.Started = append(l.Started[:i], l.Started[i+1:]...)
			return
		}
	}
}

// isNotification tells whether a text comes from work in the background.
func isNotification(origin, text []byte) bool {
	return string(origin) == "task-notification" || origin == nil && begins(text, "<task-notification>")
}

// notified takes notifications. One without a status is news, not an end.
func (l *Log) notified(text []byte) {
	for {
		i := bytes.Index(text, []byte("<task-id>"))
		if i < 0 {
			return
		}
		text = text[i+len("<task-id>"):]
		one := text
		if i := bytes.Index(one, []byte("<task-id>")); i >= 0 {
			one = one[:i]
		}
		if bytes.Contains(one, []byte("<status>")) && !bytes.Contains(one, []byte("<status>running<")) {
			l.ended(word(one))
		}
	}
}

// jobName is the job that a call to stop it or to read from it names.
func jobName(input []byte) string {
	return string(identifier(codec.Member(input, "task_id", "taskId", "shell_id", "bash_id", "agentId"), maxID))
}

// stopped takes the result of such a call: the job is over unless the result
// says that it still runs.
func (l *Log) stopped(outcome, said []byte, id string) {
	status := codec.Member(outcome, "status")
	if task := codec.Member(outcome, "task"); task != nil {
		status = codec.Member(task, "status")
	}
	switch string(status) {
	case `"running"`, `"pending"`:
		return
	}
	if !bytes.Contains(said, []byte("<status>running<")) {
		l.ended([]byte(id))
	}
}
