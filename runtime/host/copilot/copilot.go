// Package copilot is GitHub Copilot CLI as a host.
package copilot

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/timestamp"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// Name is the host's.
const Name = "copilot"

// Host is GitHub Copilot CLI.
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
// Qwen Code and Gemini CLI send a time with the transcript of every event. An event that a
// hook file names in camelCase has its members so.
func isEvent(event []byte) bool {
	var time, reason, log, camel bool
	w := codec.EnterValue(event, '{')
	for w.Next() {
		switch string(w.Key) {
		case "timestamp":
			time = true
		case "stop_reason":
			reason = true
		case "transcript_path":
			log = true
		case "sessionId":
			camel = true
		}
	}
	return time && (camel || reason || !log)
}

// wire is an event as Copilot writes it. Events that are named as Claude Code names them
// have members like that; those with names of Copilot's own have camelCase.
type wire struct {
	name, session, log, cwd, prompt, reason, parent, said string
	time                                                  []byte
	active                                                bool
}

func (w *wire) Members(m *codec.Members) {
	m.Text("hook_event_name", &w.name)
	for _, name := range [...]string{"session_id", "sessionId"} {
		m.Text(name, &w.session)
	}
	for _, name := range [...]string{"transcript_path", "transcriptPath"} {
		m.Text(name, &w.log)
	}
	for _, name := range [...]string{"stop_reason", "stopReason"} {
		m.Text(name, &w.reason)
	}
	for _, name := range [...]string{"parent_agent_id", "parentAgentId", "agent_id", "agentId"} {
		m.Text(name, &w.parent)
	}
	m.Text("last_assistant_message", &w.said) // of subagents, as yet
	m.Text("cwd", &w.cwd)
	m.Text("prompt", &w.prompt)
	m.Raw("timestamp", &w.time)
	m.Bool("stop_hook_active", &w.active)
}

// planning is how Copilot begins a prompt of plan mode.
const planning = "[[PLAN]] "

func readEvent(event []byte, e *host.Event) error {
	var w wire
	if err := codec.ReadObject(event, &w); err != nil {
		return err
	}
	e.SessionID, e.TranscriptPath, e.Cwd, e.Active, e.At = w.session, w.log, w.cwd, w.active, parseMillis(w.time)
	e.LastMessage, e.MessageID = w.said, strconv.FormatInt(e.At, 10) // every hook is told the same time
	switch {
	case w.name != "":
		e.Name = w.name
	case w.reason != "":
		e.Name = "Stop"
	case w.prompt != "":
		e.Name = "UserPromptSubmit"
	}
	if w.parent != "" {
		e.Name = "Subagent" + e.Name // Copilot tells its Stop hooks of subagents, too: no word of theirs is to the user
	}
	var plans bool
	if e.Prompt, plans = strings.CutPrefix(w.prompt, planning); plans {
		e.PermissionMode = "plan"
	}
	return nil
}

// parseMillis is a time in Unix milliseconds: a number is one, a string is written out.
func parseMillis(raw []byte) int64 {
	if s := codec.InsideQuotes(raw); s != nil {
		ms, _ := timestamp.ParseTime(string(s))
		return ms
	}
	var n int64
	for _, c := range raw {
		if c < '0' || c > '9' || n > 1<<52 {
			return 0
		}
		n = 10*n + int64(c-'0')
	}
	return n
}

// fromUser tells whether a prompt is the user's own: what ends in the background and
// Copilot's own words in autopilot mode are prompts, too.
func fromUser(e host.Event) bool {
	for _, begin := range [...]string{"<system_notification>", "You have not yet marked the task as complete using the task_complete tool.", transcript.Mark} {
		if strings.HasPrefix(e.Prompt, begin) {
			return false
		}
	}
	return true
}

// arrived looks for the entry that Copilot writes about this stop's hooks before it starts
// them, which reaches the log behind them. All that was said is before it.
func arrived(e host.Event, end []byte) bool {
	for len(end) > 0 {
		i := bytes.LastIndexByte(end, '\n')
		if line := end[i+1:]; bytes.HasPrefix(line, []byte(`{"type":"hook.start"`)) && startsAt(line, e) {
			return true
		}
		end = end[:max(i, 0)]
	}
	return false
}

func startsAt(line []byte, e host.Event) bool {
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
}
