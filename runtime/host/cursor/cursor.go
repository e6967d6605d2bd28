// Package cursor is Cursor as a host, by its documentation and by what others write about
// its logs. It was not tested with the program.
package cursor

import (
	"bytes"
	"hash/fnv"
	"strconv"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// Name is the host's.
const Name = "cursor"

// Host is Cursor.
func Host() host.Host {
	return host.Host{
		Name: Name, Title: "Cursor", Agent: "Cursor",
		Is: is, Read: read, Stop: "stop",
		Always: host.FollowUp, Marked: true,
		Log: transcript.Format{Name: Name, Parse: parse, Owns: owns},
		Cap: 5, // loop_limit where its hook file says none
		Dir: "~/.cursor", Sessions: "projects/*/agent-transcripts/*/*.jsonl", Program: "cursor-agent",
	}
}

// is knows an event by names that only Cursor's have.
func is(event []byte) bool {
	return codec.Member(event, "cursor_version") != nil || codec.Member(event, "conversation_id") != nil && codec.Member(event, "generation_id") != nil
}

// read takes the members of an event. A turn that the user has ended, or an error has, is
// not one to go on with.
func read(event []byte, e *host.Event) error {
	var in wire
	if err := codec.Read(event, &in); err != nil {
		return err
	}
	e.Name, e.SessionID, e.TranscriptPath = in.name, in.session, in.log
	if in.status != "completed" {
		e.Name += " " + in.status
	}
	e.Active = len(in.loops) > 0 && string(in.loops) != "0"
	codec.Elements(in.roots, func(root []byte) {
		if e.Cwd == "" {
			e.Cwd = codec.Text(codec.Inside(root))
		}
	})
	return nil
}

// wire is an event as Cursor writes it.
type wire struct {
	name, session, log, status string
	roots, loops               []byte
}

// Members are those of the event stop.
func (w *wire) Members(m *codec.Members) {
	m.Text("hook_event_name", &w.name)
	m.Text("conversation_id", &w.session)
	m.Text("transcript_path", &w.log)
	m.Text("status", &w.status)
	m.Raw("workspace_roots", &w.roots)
	m.Raw("loop_count", &w.loops)
}

// owns knows a line of a conversation, which has a role and no type.
func owns(line []byte) bool {
	return codec.Member(line, "role") != nil && codec.Member(line, "message") != nil && codec.Member(line, "type", "uuid") == nil
}

// parse reads lines of texts and calls. Results are not in the log, nor are times.
func parse(e *transcript.Entry) bool {
	var role, content []byte
	w := codec.Enter(e.Line, '{')
	for w.Next() {
		switch string(w.Key) {
		case "role":
			role = w.Value()
		case "message":
			content = codec.Member(w.Value(), "content")
		}
	}
	if !w.Alone() {
		return false
	}
	switch string(role) {
	case `"user"`:
		codec.Elements(content, func(part []byte) {
			if words := asked(codec.Inside(codec.Member(part, "text"))); len(e.Words) == 0 {
				e.Words = words
			}
		})
		return heard(e)
	case `"assistant"`:
		codec.Elements(content, func(part []byte) { said(e, part) })
		return len(e.Parts) > 0
	}
	return false
}

// asked is what a person has written: Cursor puts it between tags, behind its own words.
func asked(text []byte) []byte {
	const begin, end = "<user_query>", "</user_query>"
	if _, inside, ok := bytes.Cut(text, []byte(begin)); ok {
		text, _, _ = bytes.Cut(inside, []byte(end))
	}
	for bytes.HasPrefix(text, []byte(`\n`)) {
		text = text[len(`\n`):]
	}
	return bytes.TrimSuffix(text, []byte(`\n`))
}

// heard makes out a user's line. Prompts have no ids: a hash of the words stands in for one.
func heard(e *transcript.Entry) bool {
	if transcript.Blank(e.Words) {
		return false
	}
	if bytes.HasPrefix(e.Words, []byte(transcript.Mark)) {
		e.What = transcript.Pushed
		e.Parts = append(e.Parts, transcript.Part{Kind: transcript.HookBlock, Ours: true})
		return true
	}
	h := fnv.New64a()
	h.Write(e.Words)
	e.What, e.PromptID = transcript.Prompted, strconv.AppendUint(nil, h.Sum64(), 36)
	return true
}

// said takes a text or a call of the agent's.
func said(e *transcript.Entry, part []byte) {
	if len(e.Parts) == transcript.MaxParts {
		return
	}
	switch string(codec.Member(part, "type")) {
	case `"text"`:
		e.Parts = append(e.Parts, transcript.Part{Kind: transcript.Text, Text: codec.Inside(codec.Member(part, "text"))})
	case `"tool_use"`:
		p := transcript.Part{Kind: transcript.Call, ID: codec.Inside(codec.Member(part, "id")), Name: codec.Inside(codec.Member(part, "name")), Input: codec.Member(part, "input")}
		switch string(p.Name) {
		case "TodoWrite":
			p.Does = transcript.WritesTodos
		case "AskQuestion":
			p.Does = transcript.AsksPerson
		case "Write", "StrReplace":
			p.Does = transcript.WritesFile
		}
		e.Parts = append(e.Parts, p)
	}
}
