// Stop hooks that kept Claude going. What a hook leaves in the log depends on how it
// says a continue.
//
// A block leaves the attachment hook_blocking_error, which names the hook's command, and
// a user line with the words to the model, which names no hook. The user lines serve
// where there are no attachments: what is more than the attachments explain is others'.
//
// additionalContext leaves hook_success, with the command and what the hook printed, and
// hook_additional_context, which names no hook: what is more than ours is others'.
//
// These lines are the second witness of our own continues, should the ledger go
// missing.

package transcript

import (
	"bytes"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/moment"
)

// maxOurs is more than the budget counts unless settings raise it.
const maxOurs = 64

type feedback struct {
	Ours     []int64 // Unix milliseconds of our continues, oldest first
	All      int     // our continues in the whole log
	Own      int     // and since the user's own last prompt
	Mine     int     // and since the newest prompt
	Theirs   int     // blocks of others
	Lines    int     // user lines about blocks, ours or not
	Blocks   int     // our blocks
	Contexts int     // contexts of Stop hooks, ours or not
}

// others counts the continues by other hooks since the newest prompt.
func (f *feedback) others() int {
	return max(f.Theirs, f.Lines-f.Blocks) + max(0, f.Contexts-(f.Mine-f.Blocks))
}

// blocked takes the attachment that a block leaves.
func (l *Log) blocked(e *entry) {
	if event := codec.Member(e.attachment, "hookEvent"); event != nil && string(event) != `"Stop"` {
		return
	}
	if !isOurs(codec.Member(codec.Member(e.attachment, "blockingError"), "command")) {
		l.Feedback.Theirs++
		return
	}
	l.Feedback.Blocks++
	l.continued(e)
}

// succeeded takes the attachment that a hook leaves which has printed something at a
// stop: a continue of ours, if it is one.
func (l *Log) succeeded(e *entry) {
	if printed := codec.Member(e.attachment, "stdout"); bytes.Contains(printed, []byte("additionalContext")) && isOurs(codec.Member(e.attachment, "command")) &&
		string(codec.Member(codec.Member([]byte(codec.Text(codec.Inside(printed))), "hookSpecificOutput"), "hookEventName")) == `"Stop"` {
		l.continued(e)
	}
}

// continued counts a continue of ours.
func (l *Log) continued(e *entry) {
	f := &l.Feedback
	f.All++
	f.Own++
	f.Mine++
	f.Ours = push(f.Ours, milli(e.timestamp), maxOurs)
}

// isOurs knows our hook by its command.
func isOurs(command []byte) bool { return bytes.Contains(command, []byte("springfield-hook")) }

// milli is a line's timestamp in Unix milliseconds, 0 if it has none.
func milli(timestamp []byte) int64 {
	ms, _ := moment.Read(string(timestamp))
	return ms
}
