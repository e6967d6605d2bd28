// What is remembered of a log between two stops, and how one line changes it.
//
// A line changes the Log by itself and nothing else does, so a log read in
// pieces and a log read at once end in the same Log. It has no bounds to be
// trimmed to afterwards: every list in it is bounded as it grows.

package transcript

import (
	"slices"

	"github.com/cameronsjo/springfield/runtime/codec"
)

const (
	// form is the version of Log. A Log of another form is not continued: the
	// log is read anew.
	form = 4
	// maxSeen is how many lines back a duplicate is noticed. Claude Code writes
	// duplicates when a session is resumed or forked, one right after the other.
	maxSeen = 32
	maxName = 64 // bytes of a name: a tool, a skill
	maxID   = 40 // bytes of an id: a prompt, a background task
)

// Log is what a session log has said so far, small enough to lie in a ledger
// record: at most 12 KiB of JSON, usually two. Only Offset means anything
// outside this package.
type Log struct {
	Form   int
	Offset int64  // how far the log has been read: behind a line end
	Mark   string // FNV-128a of the bytes before Offset, at most 256

	Seen  []uint64 // hashes of the newest lines' uuids
	Turns int

	Prompt   string // uuid
	PromptID string
	Asks     place // the prompt's words
	// Own is Claude Code's id of the newest prompt that is not one of our slash commands,
	// and Version the client that wrote the newest prompt.
	Own, Version string

	Text place

	Calls  int     // of tools, so far
	Before int     // of them before the newest prompt
	Recent []past  // the newest calls, oldest first
	Said   bool    // Claude has spoken since the newest call's result
	Claims []claim // calls that wait for their result

	Todos    todos
	Skill    skill
	Team     []uint32 // hashes of the names of teammates
	Started  []job
	Earlier  []string // ids of what earlier turns started
	Feedback feedback
	Plans    []named // that were named, the newest last
}

// take lets one line change the log. False: it has just been there.
func (l *Log) take(e *entry) bool {
	if l.again(e.uuid) {
		return false
	}
	switch string(e.kind) {
	case `"user"`:
		l.heard(e)
	case `"assistant"`:
		l.spoke(e)
	case `"attachment"`:
		l.told(e)
	}
	return true
}

// again tells whether a line with this uuid has just been there.
func (l *Log) again(uuid []byte) bool {
	if len(uuid) == 0 {
		return false
	}
	h := fnv1a(uuid)
	if slices.Contains(l.Seen, h) {
		return true
	}
	l.Seen = push(l.Seen, h, maxSeen)
	return false
}

// push appends to a list that keeps its newest limit items.
func push[T any](list []T, item T, limit int) []T {
	if over := len(list) + 1 - limit; over > 0 {
		list = list[:copy(list, list[over:])]
	}
	return append(list, item)
}

// heard takes a user line: a person's prompt, the results of calls, or what
// Claude Code puts into a user's mouth.
func (l *Log) heard(e *entry) {
	if isPrompt(e) {
		l.prompt(e)
	}
	l.correctList(e, e.todos)
	for i := range e.blocks {
		switch b := &e.blocks[i]; b.kind {
		case answers:
			l.result(e, b)
		case says:
			l.injected(e, b)
		}
	}
}

// injected takes a text in a user line that no person wrote.
func (l *Log) injected(e *entry, b *block) {
	switch {
	case isNotification(e.origin, b.text):
		l.notified(b.text)
	case begins(b.text, "<teammate-message"):
		l.mail(b.text)
	case begins(b.text, feedbackText):
		l.Feedback.Lines++
	case e.meta:
		l.skillBody(b.text)
	}
}

// spoke takes an assistant line.
func (l *Log) spoke(e *entry) {
	synthetic := string(e.model) == "<synthetic>"
	if synthetic && !e.apiError {
		return // Claude Code fills a gap in the conversation; it has said nothing
	}
	if !synthetic && e.skill != nil {
		l.useSkill(e.skill, byAttribution)
	}
	for i := range e.blocks {
		switch b := &e.blocks[i]; b.kind {
		case says:
			if !blank(b.text) {
				l.Text = e.place(b.text)
				l.names(e, b.text, false)
				l.answered()
				l.announced(b.text)
			}
		case calls:
			l.call(e, b)
		}
	}
}

// told takes an attachment.
func (l *Log) told(e *entry) {
	a := e.attachment
	switch string(codec.Member(a, "type")) {
	case `"hook_blocking_error"`:
		l.blocked(e)
	case `"hook_success"`:
		l.succeeded(e)
	case `"hook_additional_context"`:
		l.Feedback.Contexts++
	case `"queued_command"`: // typed, or arrived, while Claude was working
		origin, mode, text := codec.Inside(codec.Member(codec.Member(a, "origin"), "kind")), string(codec.Member(a, "commandMode")), firstText(codec.Member(a, "prompt"))
		if isNotification(origin, text) || mode == `"task-notification"` {
			l.notified(text)
		} else if begins(text, "<teammate-message") {
			l.mail(text)
		} else if mode == `"prompt"` && isPerson(origin, nil) && !isOutput(text) {
			l.turn(e, text)
		}
	case `"task_reminder"`:
		l.correctTasks(e, codec.Member(a, "content"))
	case `"todo_reminder"`:
		l.correctList(e, codec.Member(a, "content"))
	}
}

// blank tells whether the inside of a string says nothing.
func blank(raw []byte) bool {
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case ' ', 'n', 't', 'r':
			if raw[i] != ' ' && (i == 0 || raw[i-1] != '\\') {
				return false
			}
		case '\\':
		default:
			return false
		}
	}
	return true
}

// unshare gives l lists of its own, so that what it was copied from stays as it
// is.
func (l *Log) unshare() {
	l.Seen = slices.Clone(l.Seen)
	l.Recent = slices.Clone(l.Recent)
	l.Claims = slices.Clone(l.Claims)
	l.Todos.Tasks = slices.Clone(l.Todos.Tasks)
	l.Team = slices.Clone(l.Team)
	l.Started = slices.Clone(l.Started)
	l.Earlier = slices.Clone(l.Earlier)
	l.Feedback.Ours = slices.Clone(l.Feedback.Ours)
	l.Plans = slices.Clone(l.Plans)
}
