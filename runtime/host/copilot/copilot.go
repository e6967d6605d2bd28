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
	// Qwen Code and Gemini CLI also send a timestamp, but with a transcript_path and no stop_reason.
	Is: func(event []byte) bool {
		return codec.FindMember(event, "timestamp") != nil &&
			(codec.FindMember(event, "stop_reason") != nil || codec.FindMember(event, "transcript_path") == nil)
	},
	Read: readEvent,
	Stop: "Stop", Prompt: "UserPromptSubmit", FromUser: fromUser,
	Marked:  true,
	Log:     transcript.Format{Name: Name, Whole: true, Parse: parseLine, Owns: ownsLog, EffectOf: effectOf},
	Arrived: hookLogged, Logged: true,
	Dir: "~/.copilot", DirVariable: "COPILOT_HOME", Sessions: "session-state/*/events.jsonl", Program: "copilot",
	Package: "@github/copilot",
	Inside:  []string{"COPILOT_AGENT_SESSION_ID"}, SessionVariable: "COPILOT_AGENT_SESSION_ID",
}

type input struct {
	*host.Event
	parent string
	time   []byte
}

func (in *input) Members(m *codec.Coder) {
	in.Common(m)
	m.Text("agent_id", &in.parent)
	m.Text("parent_agent_id", &in.parent)
	m.Raw("timestamp", &in.time)
}

const planning = "[[PLAN]] " // begins a prompt in plan mode

func readEvent(event []byte, e *host.Event) error {
	in := input{Event: e}
	if err := codec.ReadObject(event, &in); err != nil {
		return err
	}
	e.At = parseMillis(in.time)
	e.MessageID = strconv.FormatInt(e.At, 10) // all hooks get the same time
	if in.parent != "" {
		e.Name = "Subagent" + e.Name // not the user's session
	}
	if words, plans := strings.CutPrefix(e.Prompt, planning); plans {
		e.Prompt, e.PermissionMode = words, "plan"
	}
	return nil
}

func parseMillis(raw []byte) int64 {
	if ms, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return ms
	}
	ms, _ := timestamp.ParseTime(string(codec.InsideQuotes(raw)))
	return ms
}

func fromUser(e host.Event) bool {
	others := []string{
		"<system_notification>", "You have not yet marked the task as complete using the task_complete tool.",
		transcript.Mark,
	}
	return !slices.ContainsFunc(others, func(begin string) bool { return strings.HasPrefix(e.Prompt, begin) })
}

// hookLogged reports whether the log's end contains the entry about this stop's hooks.
func hookLogged(e host.Event, end []byte) bool {
	return host.HasLine(end, `{"type":"hook.start"`, func(line []byte) bool {
		data := codec.FindMember(line, "data")
		input := codec.FindMember(data, "input")
		session := codec.ValidText(codec.InsideQuotes(codec.FindMember(input, "sessionId")))
		return e.At != 0 && string(codec.FindMember(data, "hookType")) == `"agentStop"` &&
			parseMillis(codec.FindMember(input, "timestamp")) == e.At && session == e.SessionID
	})
}

func ownsLog(first []byte) bool {
	return bytes.HasPrefix(first, []byte(`{"type":"session.start"`)) && codec.FindMember(codec.FindMember(first, "data"), "copilotVersion") != nil
}

// readerOf returns the function that reads the raw data of a line of this kind into an entry, or nil if the kind does
// not matter.
func readerOf(rawKind []byte) func(*transcript.Entry, []byte) {
	switch string(rawKind) {
	case `"user.message"`:
		return takeUserRole
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
	case `"session.resume"`: // a new process, which resets the mode
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

// parseLine reads a log line into e, and reports whether it matters.
func parseLine(e *transcript.Entry) (matters bool) {
	var read func(*transcript.Entry, []byte)
	var data []byte
	members := []transcript.Member{
		{Name: "data", Raw: &data}, {Name: "id", Text: &e.ID}, {Name: "timestamp", Text: &e.Time},
	}
	w := codec.EnterValue(e.Line, '{')
	for w.Next() {
		switch string(w.Key) {
		case "type":
			if read = readerOf(w.TakeValue()); read == nil {
				return false
			}
		case "agentId":
			return false
		default:
			transcript.StoreMember(&w, members)
		}
	}
	if !w.IsAlone() || read == nil || len(data) == 0 || data[0] != '{' {
		return false
	}
	read(e, data)
	return true
}

func takeSessionLine(e *transcript.Entry, data []byte) {
	var context []byte
	transcript.ReadMembers(data,
		transcript.Member{Name: "sessionId", Text: &e.Session},
		transcript.Member{Name: "copilotVersion", Text: &e.Version},
		transcript.Member{Name: "newMode", Text: &e.Mode}, transcript.Member{Name: "context", Raw: &context},
		transcript.Member{Name: "cwd", Text: &e.Cwd}) // of session.context_changed
	if context != nil {
		e.Cwd = codec.InsideQuotes(codec.FindMember(context, "cwd"))
	}
}

// takeUserRole reads text in the user's role into e and sets the origin. Text with a source is the user's only for
// slash commands. Another plugin's queued text has no source and no agentMode.
func takeUserRole(e *transcript.Entry, data []byte) {
	var words, source, id, delivery []byte
	transcript.ReadMembers(data,
		transcript.Member{Name: "content", Text: &words}, transcript.Member{Name: "source", Text: &source},
		transcript.Member{Name: "messageId", Raw: &id}, transcript.Member{Name: "agentMode", Text: &e.Mode},
		transcript.Member{Name: "delivery", Raw: &delivery})
	hooked := string(delivery) == `"queued"` && source == nil && e.Mode == nil
	e.Words = words
	switch {
	case hooked, string(source) == "autopilot", bytes.HasPrefix(words, []byte(transcript.Mark)):
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
			if text := codec.InsideQuotes(w.TakeValue()); len(text) > 0 {
				e.Parts = append(e.Parts, transcript.Part{Kind: transcript.Text, Text: text})
			}
		case "toolRequests":
			codec.Elements(w.TakeValue(), func(call []byte) { takeCall(e, call) })
		}
	}
}

func takeCall(e *transcript.Entry, call []byte) {
	if len(e.Parts) >= transcript.MaxParts {
		return
	}
	p := transcript.CallIn(call, "toolCallId", "name", "arguments")
	p.Classify(tools)
	e.Parts = append(e.Parts, p)
	if string(p.Name) == "task_complete" { // ends autopilot mode, with a summary for the user
		summary := codec.InsideQuotes(codec.FindMember(p.Input, "summary"))
		e.Parts = append(e.Parts, transcript.Part{Kind: transcript.Text, Text: summary})
	}
}

// tools are Copilot's tools. Todos are in a database that calls change by SQL.
var tools = []transcript.Tool{
	{Does: transcript.MayGoOn, Names: []string{"bash", "powershell", "task"}},
	{Does: transcript.MayEndJob, Text: "shellId", Names: []string{
		"read_bash", "stop_bash", "read_powershell", "stop_powershell",
	}},
	{Does: transcript.MayEndJob, Text: "agent_id", Names: []string{"read_agent"}},
	{Does: transcript.UsesSkill, Text: "skill", Names: []string{"skill"}},
	{Does: transcript.AsksPerson, Names: []string{"ask_user"}},
	{Does: transcript.EndsPlan, Names: []string{"exit_plan_mode"}},
	{Does: transcript.WritesFile, Names: []string{"create", "edit"}},
}

func takeCallResult(e *transcript.Entry, data []byte) {
	p := transcript.Part{Kind: transcript.Result}
	var success, shell, result, fault []byte
	transcript.ReadMembers(data,
		transcript.Member{Name: "toolCallId", Text: &p.ID}, transcript.Member{Name: "success", Raw: &success},
		transcript.Member{Name: "shellExecution", Raw: &shell}, transcript.Member{Name: "result", Raw: &result},
		transcript.Member{Name: "error", Raw: &fault})
	code := codec.FindMember(shell, "exitCode")
	p.Failed = string(success) == "false" || code != nil && string(code) != "0"
	p.Text = codec.InsideQuotes(codec.FindMember(result, "content"))
	if fault != nil {
		p.Text = codec.InsideQuotes(codec.FindMember(fault, "message"))
	}
	e.Parts = append(e.Parts, p)
}

func effectOf(of transcript.Does, res *transcript.Part) (job transcript.Effect) {
	has := func(words string) bool { return bytes.Contains(res.Text, []byte(words)) }
	switch of {
	case transcript.MayGoOn:
		if has("started in background") || has("is still running") || has("moved to background") {
			if job.Job = transcript.NameAfter(res.Text, "shellId: "); job.Job == nil {
				job.Job = transcript.NameAfter(res.Text, "agent_id: ")
			}
		}
	case transcript.MayEndJob:
		job.Running = has("status: running") || has("is still running")
	}
	return job
}

func takeNotification(e *transcript.Entry, data []byte) {
	e.What, e.Words = transcript.Woken, codec.InsideQuotes(codec.FindMember(data, "content"))
	kind := codec.FindMember(data, "kind")
	switch string(codec.FindMember(kind, "type")) {
	case `"shell_completed"`, `"shell_detached_completed"`, `"agent_completed"`, `"agent_idle"`:
		id := codec.InsideQuotes(codec.FindMember(kind, "shellId", "agentId"))
		e.Parts = append(e.Parts, transcript.Part{Kind: transcript.Ended, ID: id})
	}
}

// takeHookAnswer reads the hooks' combined answer to a stop into e. Only the mark identifies our hook's answer.
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
