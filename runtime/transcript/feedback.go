// Stop hooks that kept the agent going. What a hook leaves in the log depends on the host,
// and on how it says a continue: a line that names the hook, a line with the words to the
// model, which may name none, or both. What is more of the second than the first explain is
// others'.
//
// These lines are the second witness of our own continues, should the ledger go
// missing.

package transcript

import "github.com/cameronsjo/springfield/runtime/moment"

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

// take takes what a hook has left in a line.
func (f *feedback) take(e *Entry, p *Part) {
	switch {
	case p.Kind == HookWords:
		f.Lines++
	case p.Ours:
		if p.Kind == HookBlock {
			f.Blocks++
		}
		f.continued(e)
	case p.Kind == HookBlock:
		f.Theirs++
	default:
		f.Contexts++
	}
}

// continued counts a continue of ours.
func (f *feedback) continued(e *Entry) {
	f.All++
	f.Own++
	f.Mine++
	f.Ours = push(f.Ours, milli(e.Time), maxOurs)
}

// milli is a line's timestamp in Unix milliseconds, 0 if it has none.
func milli(timestamp []byte) int64 {
	ms, _ := moment.Read(string(timestamp))
	return ms
}
