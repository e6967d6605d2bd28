// Claude Code's log. Most lines are irrelevant, and parsing stops as soon as this is known.

package claude

import (
	"bytes"
	"strings"
	"unicode/utf16"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

type line struct {
	kind, subtype           []byte
	meta, compact, apiError bool
	picture                 bool   // image or document
	origin, source          []byte // of a user line
	skill                   []byte // attribution of an assistant line
	model                   []byte
	outcome                 []byte // toolUseResult
	denial                  []byte // toolDenialKind, if not allowed
	attachment              []byte // a message of Claude Code to the model
	operation, content      []byte // of the queue of typed words
	team, agent             []byte // of the session
}

// LogDirName returns a project's log directory name. UTF-16 units in dir become dashes if not ASCII letters or digits.
func LogDirName(dir string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(dir)) {
		if unit >= 'a' && unit <= 'z' || unit >= 'A' && unit <= 'Z' || unit >= '0' && unit <= '9' {
			b.WriteByte(byte(unit))
		} else {
			b.WriteByte('-')
		}
	}
	return b.String()
}

func ownsLog(line []byte) bool {
	return codec.FindMember(line, "sessionId") != nil && codec.FindMember(line, "type") != nil &&
		codec.FindMember(line, "message", "attachment", "permissionMode", "operation", "snapshot", "subtype", "summary",
			"leafUuid", "version", "uuid") != nil
}

func parseLine(e *transcript.Entry) bool {
	var l line
	var fork, meta, compact, hidden, apiError, origin []byte
	members := []transcript.Member{
		{Name: "uuid", Text: &e.ID}, {Name: "timestamp", Text: &e.Time},
		{Name: "promptId", Raw: &e.PromptID}, {Name: "version", Text: &e.Version}, {Name: "sessionId", Text: &e.Session},
		{Name: "cwd", Text: &e.Cwd}, {Name: "permissionMode", Text: &e.Mode}, {Name: "forkedFrom", Raw: &fork},
		{Name: "teamName", Text: &l.team}, {Name: "agentName", Text: &l.agent},
		{Name: "todos", Raw: &e.Todos}, // older clients write the list into user lines
		{Name: "isMeta", Raw: &meta}, {Name: "isCompactSummary", Raw: &compact}, {Name: "isVisibleInTranscriptOnly", Raw: &hidden},
		{Name: "isApiErrorMessage", Raw: &apiError}, {Name: "error", Text: &e.Failure}, {Name: "subtype", Raw: &l.subtype},
		{Name: "promptSource", Text: &l.source}, {Name: "origin", Raw: &origin}, {Name: "attributionSkill", Text: &l.skill},
		{Name: "toolUseResult", Raw: &l.outcome}, {Name: "toolDenialKind", Text: &l.denial},
		{Name: "operation", Raw: &l.operation}, {Name: "content", Text: &l.content},
	}
	w := codec.EnterValue(e.Line, '{')
	for w.Next() {
		switch string(w.Key) {
		case "type":
			l.kind = w.TakeValue()
			switch string(l.kind) {
			case `"user"`, `"assistant"`, `"attachment"`, `"system"`, `"permission-mode"`, `"queue-operation"`:
			default:
				return false
			}
		case "isSidechain":
			if string(w.TakeValue()) == "true" {
				return false // a subagent's
			}
		case "attachment":
			if !isAttachmentOfInterest(w) {
				return false
			}
			l.attachment = w.TakeValue()
		case "message":
			if w.BeginsWith('{') {
				l.readMessage(e, &w)
			}
		default:
			transcript.StoreMember(&w, members)
		}
	}
	if !w.IsAlone() || l.kind == nil {
		return false
	}
	e.Fork, l.origin = fork != nil, codec.InsideQuotes(codec.FindMember(origin, "kind"))
	l.meta, l.apiError = string(meta) == "true", string(apiError) == "true"
	l.compact = string(compact) == "true" || string(hidden) == "true"
	l.readByKind(e)
	return true
}

func (l *line) readByKind(e *transcript.Entry) {
	if l.team != nil {
		if e.Role = activity.Lead; l.agent != nil && !activity.IsLeadName(string(l.agent)) {
			e.Role = activity.Teammate
		}
	}
	switch string(l.kind) {
	case `"user"`:
		l.readUserLine(e)
	case `"assistant"`:
		synthetic := string(l.model) == "<synthetic>"
		e.Filled = synthetic && !l.apiError
		if !synthetic {
			e.Skill = l.skill
		}
		if l.apiError {
			e.What = transcript.Failed
		}
	case `"attachment"`:
		l.readAttachment(e)
	case `"system"`:
		if s := string(l.subtype); s == `"stop_hook_summary"` || s == `"turn_duration"` {
			e.What = transcript.Rested
		}
	case `"queue-operation"`:
		switch string(l.operation) {
		case `"enqueue"`:
			e.Queued = l.content
		case `"popAll"`:
			e.Unqueued = true // to be edited
		}
	}
}

func (l *line) readMessage(e *transcript.Entry, w *codec.Walk) {
	e.Parts, l.picture = e.Parts[:0], false
	m := w.Enter('{')
	for m.Next() {
		switch string(m.Key) {
		case "model":
			l.model = codec.InsideQuotes(m.TakeValue())
		case "content":
			switch {
			case m.BeginsWith('"'):
				e.Parts = append(e.Parts, transcript.Part{Kind: transcript.Text, Text: codec.InsideQuotes(m.TakeValue())})
			case m.BeginsWith('['):
				l.picture = e.TakeBlocks(&m, classifyCall)
			}
		}
	}
	w.Leave(&m)
}

func isAttachmentOfInterest(w codec.Walk) bool {
	a := w.Enter('{')
	if !a.Next() || string(a.Key) != "type" {
		return true // maybe
	}
	switch string(a.TakeValue()) {
	case `"hook_blocking_error"`, `"queued_command"`, `"task_reminder"`, `"todo_reminder"`:
		return true
	case `"hook_success"`, `"hook_additional_context"`:
		for a.Next() {
			if string(a.Key) == "hookEvent" {
				return string(a.TakeValue()) == `"Stop"`
			}
		}
	}
	return false
}

func (l *line) readAttachment(e *transcript.Entry) {
	a := l.attachment
	switch string(codec.FindMember(a, "type")) {
	case `"hook_blocking_error"`:
		if event := codec.FindMember(a, "hookEvent"); event != nil && string(event) != `"Stop"` {
			return
		}
		block := codec.FindMember(a, "blockingError")
		e.What, e.Words = transcript.Pushed, codec.InsideQuotes(codec.FindMember(block, "blockingError"))
		command := codec.FindMember(block, "command")
		e.Parts = append(e.Parts, transcript.Part{Kind: transcript.HookBlock, Ours: isOurHook(command), Name: codec.InsideQuotes(command)})
	case `"hook_success"`:
		printed := codec.FindMember(a, "stdout")
		if !bytes.Contains(printed, []byte("additionalContext")) || !isOurHook(codec.FindMember(a, "command")) {
			return
		}
		answer := codec.FindMember([]byte(codec.ValidText(codec.InsideQuotes(printed))), "hookSpecificOutput")
		if string(codec.FindMember(answer, "hookEventName")) == `"Stop"` {
			e.Parts = append(e.Parts, transcript.Part{Kind: transcript.HookContext, Ours: true})
		}
	case `"hook_additional_context"`: // of a Stop, see isAttachmentOfInterest
		e.What = transcript.Pushed
	case `"queued_command"`: // arrived while Claude worked
		origin := codec.InsideQuotes(codec.FindMember(codec.FindMember(a, "origin"), "kind"))
		mode, text := string(codec.FindMember(a, "commandMode")), transcript.FirstText(codec.FindMember(a, "prompt"))
		e.Words = text
		switch {
		case isNotification(origin, text) || mode == `"task-notification"`:
			e.What = transcript.Woken
			e.TakeNotifications(text)
		case beginsWithAny(withoutMailHeading(text), mailTags):
			e.What = transcript.Woken
			takeTeammateMail(e, text)
		case mode == `"prompt"` && isPerson(origin, nil) && !isInjected(text):
			e.What, e.Command = transcript.Joined, isOurSlashCommand(text)
		}
	case `"task_reminder"`:
		e.Tasks = codec.FindMember(a, "content")
	case `"todo_reminder"`:
		e.Todos = codec.FindMember(a, "content")
	}
}

func isOurHook(command []byte) bool { return bytes.Contains(command, []byte("springfield-hook")) }
