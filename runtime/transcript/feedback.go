// Stop hooks that kept Claude going. Each block leaves an attachment, which
// names the hook's command, and a user line with the words to the model, which
// names no hook. Ours is known by its command. The user lines serve where there
// are no attachments: what is more than the attachments explain is others'.
//
// These lines are the second witness of our own continues, should the ledger go
// missing.

package transcript

import (
	"bytes"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/moment"
)

// maxOurs is more than the budget counts.
const maxOurs = 24

type feedback struct {
	Ours   []int64 // Unix milliseconds of our blocks, oldest first
	Mine   int     // our blocks since the newest prompt
	Theirs int     // and others'
	Lines  int     // and the user lines about either
}

// blocked takes the attachment that a block leaves.
func (l *Log) blocked(e *entry) {
	if event := codec.Member(e.attachment, "hookEvent"); event != nil && string(event) != `"Stop"` {
		return
	}
	if !bytes.Contains(codec.Member(codec.Member(e.attachment, "blockingError"), "command"), []byte("springfield-hook")) {
		l.Feedback.Theirs++
		return
	}
	l.Feedback.Mine++
	l.Feedback.Ours = push(l.Feedback.Ours, milli(e.timestamp), maxOurs)
}

// milli is a line's timestamp in Unix milliseconds, 0 if it has none.
func milli(timestamp []byte) int64 {
	ms, _ := moment.Read(string(timestamp))
	return ms
}
