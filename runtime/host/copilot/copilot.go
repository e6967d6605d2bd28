// Package copilot is GitHub Copilot CLI as a host.
package copilot

import (
	"slices"
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
	return host.HasLine(end, `{"type":"hook.start"`, func(line []byte) bool { return startsAt(line, e) })
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
