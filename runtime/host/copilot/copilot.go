// Package copilot is GitHub Copilot CLI as a host.
package copilot

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/timestamp"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

const Name = "copilot"

var Host = host.Host{
	Name: Name, Title: "GitHub Copilot CLI", Agent: "Copilot",
	Is: isEvent, Read: readEvent,
	Stop: "Stop", Prompt: "UserPromptSubmit", FromUser: fromUser,
	Marked:  true,
	Log:     transcript.Format{Name: Name, Whole: true, Parse: parseLine, Owns: ownsLog, Outcome: outcome, Dull: isDullLine},
	Arrived: arrived, Logged: true,
	Cap: 8,
	Dir: "~/.copilot", DirVariable: "COPILOT_HOME", Sessions: "session-state/*/events.jsonl", Program: "copilot",
	Package: "@github/copilot",
	Inside:  []string{"COPILOT_AGENT_SESSION_ID"}, SessionVariable: "COPILOT_AGENT_SESSION_ID",
}

// isEvent knows an event by a time that it has beside either a reason to stop or no transcript:
// Qwen Code and Gemini CLI send a time with the transcript of every event.
func isEvent(event []byte) bool {
	return codec.FindMember(event, "timestamp") != nil &&
		(codec.FindMember(event, "stop_reason") != nil || codec.FindMember(event, "transcript_path") == nil)
}

// input is an event as Copilot writes it for hooks whose events are named as Claude Code names
// them, as ours are.
type input struct {
	*host.Event
	parent string
	time   []byte
}

func (in *input) Members(m *codec.Members) {
	in.Common(m)
	m.Text("agent_id", &in.parent)
	m.Text("parent_agent_id", &in.parent)
	m.Raw("timestamp", &in.time)
}

// planning is how Copilot begins a prompt of plan mode.
const planning = "[[PLAN]] "

func readEvent(event []byte, e *host.Event) error {
	in := input{Event: e}
	if err := codec.ReadObject(event, &in); err != nil {
		return err
	}
	e.At = parseMillis(in.time)
	e.MessageID = strconv.FormatInt(e.At, 10) // every hook is told the same time
	if in.parent != "" {
		e.Name = "Subagent" + e.Name // Copilot tells its Stop hooks of subagents, too: no word of theirs is to the user
	}
	if words, plans := strings.CutPrefix(e.Prompt, planning); plans {
		e.Prompt, e.PermissionMode = words, "plan"
	}
	return nil
}

// parseMillis is a time in Unix milliseconds: a number is one, a string is written out.
func parseMillis(raw []byte) int64 {
	if s := codec.InsideQuotes(raw); s != nil {
		ms, _ := timestamp.ParseTime(string(s))
		return ms
	}
	ms, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		return 0
	}
	return ms
}

// fromUser tells whether a prompt is the user's own: what ends in the background and
// Copilot's own words in autopilot mode are prompts, too.
func fromUser(e host.Event) bool {
	others := []string{"<system_notification>", "You have not yet marked the task as complete using the task_complete tool.", transcript.Mark}
	return !slices.ContainsFunc(others, func(begin string) bool { return strings.HasPrefix(e.Prompt, begin) })
}

// arrived looks for the entry that Copilot writes about this stop's hooks before it starts
// them, which reaches the log behind them. All that was said is before it.
func arrived(e host.Event, end []byte) bool {
	return host.HasLine(end, `{"type":"hook.start"`, func(line []byte) bool {
		w := codec.EnterValue(line, '{')
		var data []byte
		for w.Next() {
			if string(w.Key) == "data" {
				data = w.Value()
			}
		}
		input := codec.FindMember(data, "input")
		return w.IsAlone() && e.At != 0 && string(codec.FindMember(data, "hookType")) == `"agentStop"` &&
			parseMillis(codec.FindMember(input, "timestamp")) == e.At && codec.ValidText(codec.InsideQuotes(codec.FindMember(input, "sessionId"))) == e.SessionID
	})
}

// Copilot's log: one event a line, with its type first. What subagents do stands in the
// log of the session, with their id.

func ownsLog(line []byte) bool {
	return isOfType(line, "session.start") && codec.FindMember(codec.FindMember(line, "data"), "copilotVersion") != nil
}

func isOfType(line []byte, kind string) bool {
	return bytes.HasPrefix(line, []byte(`{"type":"`+kind+`"`))
}

// isDullLine knows lines without words.
func isDullLine(line []byte) bool {
	return bytes.HasPrefix(line, []byte(`{"type":`)) && !isOfType(line, "user.message") && !isOfType(line, "assistant.message")
}

func readerOf(kind []byte) func(*transcript.Entry, []byte) {
	switch string(kind) {
	case `"user.message"`:
		return takeUserLine
	case `"assistant.message"`:
		return takeAssistantLine
	case `"tool.execution_complete"`:
		return takeCallResult
	case `"system.notification"`:
		return takeNotification
	case `"hook.end"`:
		return takeHookAnswer
	case `"session.start"`, `"session.mode_changed"`, `"session.context_changed"`:
		return takeSessionLine
	case `"session.resume"`: // the beginning of another process: a mode ends with its own
		return func(e *transcript.Entry, data []byte) {
			e.Mode = []byte("interactive")
			takeSessionLine(e, data)
		}
	case `"skill.invoked"`:
		return func(e *transcript.Entry, data []byte) { e.Skill = codec.InsideQuotes(codec.FindMember(data, "name")) }
	case `"abort"`:
		return func(e *transcript.Entry, _ []byte) { e.What = transcript.Interrupted }
	case `"session.error"`:
		return func(e *transcript.Entry, _ []byte) { e.What = transcript.Failed }
	}
	return nil
}

func parseLine(e *transcript.Entry) bool {
	var read func(*transcript.Entry, []byte)
	var data []byte
	w := codec.EnterValue(e.Line, '{')
	for w.Next() {
		switch string(w.Key) {
		case "type":
			if read = readerOf(w.Value()); read == nil {
				return false
			}
		case "data":
			data = w.Value()
		case "id":
			e.ID = codec.InsideQuotes(w.Value())
		case "timestamp":
			e.Time = codec.InsideQuotes(w.Value())
		case "agentId":
			return false // a subagent's
		}
	}
	if !w.IsAlone() || read == nil || len(data) == 0 || data[0] != '{' {
		return false
	}
	read(e, data)
	return true
}

func takeSessionLine(e *transcript.Entry, data []byte) {
	w := codec.EnterValue(data, '{')
	for w.Next() {
		switch string(w.Key) {
		case "sessionId":
			e.Session = codec.InsideQuotes(w.Value())
		case "copilotVersion":
			e.Version = codec.InsideQuotes(w.Value())
		case "newMode":
			e.Mode = codec.InsideQuotes(w.Value())
		case "cwd": // of context_changed
			e.Cwd = codec.InsideQuotes(w.Value())
		case "context":
			e.Cwd = codec.InsideQuotes(codec.FindMember(w.Value(), "cwd"))
		}
	}
}

// takeUserLine takes what the model is told in the user's place. A source says that it is not the
// user's, unless it is a slash command's. What another's Stop hook says has none, is queued,
// and lacks the mode that the user's own queued words have.
func takeUserLine(e *transcript.Entry, data []byte) {
	var words, source, id []byte
	queued := false
	w := codec.EnterValue(data, '{')
	for w.Next() {
		switch string(w.Key) {
		case "content":
			words = codec.InsideQuotes(w.Value())
		case "source":
			source = codec.InsideQuotes(w.Value())
		case "messageId":
			id = w.Value()
		case "agentMode":
			e.Mode = codec.InsideQuotes(w.Value())
		case "delivery":
			queued = string(w.Value()) == `"queued"`
		}
	}
	e.Words = words
	switch {
	case string(source) == "autopilot", bytes.HasPrefix(words, []byte(transcript.Mark)), queued && source == nil && e.Mode == nil:
		e.What = transcript.Pushed
	case bytes.HasPrefix(source, []byte("skill-")):
		e.Words = nil
		e.Parts = append(e.Parts, transcript.Part{Kind: transcript.SkillText, Name: source[len("skill-"):]})
	case source != nil && !bytes.HasPrefix(source, []byte("command-")):
		e.What = transcript.Woken
	default:
		e.What, e.PromptID = transcript.Prompted, id
	}
}

func takeAssistantLine(e *transcript.Entry, data []byte) {
	w := codec.EnterValue(data, '{')
	for w.Next() {
		switch string(w.Key) {
		case "content":
			if text := codec.InsideQuotes(w.Value()); len(text) > 0 {
				e.Parts = append(e.Parts, transcript.Part{Kind: transcript.Text, Text: text})
			}
		case "toolRequests":
			codec.Elements(w.Value(), func(call []byte) { takeCall(e, call) })
		}
	}
}

func takeCall(e *transcript.Entry, call []byte) {
	if len(e.Parts) >= transcript.MaxParts {
		return
	}
	p := transcript.CallIn(call, "toolCallId", "name", "arguments")
	p.Describe(tools)
	e.Parts = append(e.Parts, p)
	if string(p.Name) == "task_complete" { // by which autopilot mode ends: its summary is the last word to the user
		summary := codec.InsideQuotes(codec.FindMember(p.Input, "summary"))
		e.Parts = append(e.Parts, transcript.Part{Kind: transcript.Text, Text: summary})
	}
}

// tools are Copilot's. The todo list is none of theirs: it lies in a database beside the log, which calls
// change by SQL.
var tools = []transcript.Tool{
	{Does: transcript.MayGoOn, Names: []string{"bash", "powershell", "task"}},
	{Does: transcript.EndsBackground, Text: "shellId", Names: []string{
		"read_bash", "stop_bash", "read_powershell", "stop_powershell",
	}},
	{Does: transcript.EndsBackground, Text: "agent_id", Names: []string{"read_agent"}},
	{Does: transcript.UsesSkill, Text: "skill", Names: []string{"skill"}},
	{Does: transcript.AsksPerson, Names: []string{"ask_user"}},
	{Does: transcript.EndsPlan, Names: []string{"exit_plan_mode"}},
	{Does: transcript.WritesFile, Names: []string{"create", "edit"}},
}

func takeCallResult(e *transcript.Entry, data []byte) {
	p := transcript.Part{Kind: transcript.Result}
	w := codec.EnterValue(data, '{')
	for w.Next() {
		switch string(w.Key) {
		case "toolCallId":
			p.ID = codec.InsideQuotes(w.Value())
		case "success":
			p.Failed = p.Failed || string(w.Value()) == "false"
		case "shellExecution":
			code := codec.FindMember(w.Value(), "exitCode")
			p.Failed = p.Failed || code != nil && string(code) != "0"
		case "result":
			p.Text = codec.InsideQuotes(codec.FindMember(w.Value(), "content"))
		case "error":
			p.Text = codec.InsideQuotes(codec.FindMember(w.Value(), "message"))
		}
	}
	e.Parts = append(e.Parts, p)
}

// outcome reads in the text of a result whether work goes on in the background.
func outcome(of transcript.Does, r *transcript.Part) (o transcript.Outcome) {
	has := func(words string) bool { return bytes.Contains(r.Text, []byte(words)) }
	switch of {
	case transcript.MayGoOn:
		if has("started in background") || has("is still running") || has("moved to background") {
			if o.Job = transcript.NameAfter(r.Text, "shellId: "); o.Job == nil {
				o.Job = transcript.NameAfter(r.Text, "agent_id: ")
			}
		}
	case transcript.EndsBackground:
		o.Running = has("status: running") || has("is still running")
	}
	return o
}

// takeNotification takes news of work in the background.
func takeNotification(e *transcript.Entry, data []byte) {
	e.What, e.Words = transcript.Woken, codec.InsideQuotes(codec.FindMember(data, "content"))
	kind := codec.FindMember(data, "kind")
	switch string(codec.FindMember(kind, "type")) {
	case `"shell_completed"`, `"shell_detached_completed"`, `"agent_completed"`, `"agent_idle"`:
		e.Parts = append(e.Parts, transcript.Part{Kind: transcript.Ended, ID: codec.InsideQuotes(codec.FindMember(kind, "shellId", "agentId"))})
	}
}

// takeHookAnswer takes what the Stop hooks of a stop have answered together. The mark tells that
// the words are ours: no hook is named.
func takeHookAnswer(e *transcript.Entry, data []byte) {
	if string(codec.FindMember(data, "hookType")) != `"agentStop"` {
		return
	}
	output := codec.FindMember(data, "output")
	if string(codec.FindMember(output, "decision")) != `"block"` {
		e.What = transcript.Rested
		return
	}
	ours := bytes.HasPrefix(codec.InsideQuotes(codec.FindMember(output, "reason")), []byte(transcript.Mark))
	e.Parts = append(e.Parts, transcript.Part{Kind: transcript.HookBlock, Ours: ours})
}
