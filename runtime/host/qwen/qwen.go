// Package qwen is Qwen Code as a host.
package qwen

import (
	"bytes"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

const Name = "qwen"

var Host = host.Host{
	Name: Name, Title: "Qwen Code", Agent: "Qwen",
	Is: func(event []byte) bool {
		return codec.FindMember(event, "crons") != nil ||
			bytes.Contains(codec.FindMember(event, "prompt_id"), []byte("########"))
	},
	Read: readEvent,
	Stop: "Stop", Prompt: "UserPromptSubmit",
	FromUser: func(e host.Event) bool { return e.Prompt != "" },
	Reminds:  true, Marked: true, NoWitness: true,
	Log:    transcript.Format{Name: Name, Whole: true, Parse: parseLine, Owns: ownsLog, EffectOf: effectOf},
	Logged: true, // the only source of background commands
	Dir:    "~/.qwen", DirVariable: "QWEN_HOME", Sessions: "projects/*/chats/*.jsonl", Program: "qwen",
	Package:   "@qwen-code/qwen-code",
	Variables: []string{".env", ".qwen/.env", ".qwen/settings.json"},
	Inside:    []string{"QWEN_CODE_SESSION_ID"}, SessionVariable: "QWEN_CODE_SESSION_ID",
}

type input struct {
	*host.Event
	submitted string
	tasks     []task
}

type task struct{ id, status, description string }

func (t *task) Members(m *codec.Coder) {
	m.Text("id", &t.id)
	m.Text("status", &t.status)
	m.Text("description", &t.description)
}

func (in *input) Members(m *codec.Coder) {
	in.Common(m)
	m.Text("prompt_id", &in.PromptID)
	m.Text("submitted_prompt", &in.submitted)
	codec.ListOf(m, "background_tasks", &in.tasks)
	in.CountSchedules(m, "crons")
}

// readEvent parses a hook event into e, with the tasks that still run. The prompt is submitted_prompt, only from the
// user.
func readEvent(event []byte, e *host.Event) error {
	in := input{Event: e}
	if err := codec.ReadObject(event, &in); err != nil {
		return err
	}
	e.Prompt = in.submitted
	for _, t := range in.tasks {
		switch t.status {
		case "completed", "failed", "cancelled":
		default:
			e.Tasks = append(e.Tasks, guard.Background{ID: t.id, Type: "subagent", Description: t.description})
		}
	}
	return nil
}

// Stop hooks are not logged, so a continue appears as two messages in a row from the agent.
type line struct {
	kind, provenance, subtype []byte
	message, payload          []byte
}

func parseLine(e *transcript.Entry) (matters bool) {
	var l line
	members := []transcript.Member{
		{Name: "provenance", Text: &l.provenance}, {Name: "subtype", Text: &l.subtype},
		{Name: "uuid", Text: &e.ID}, {Name: "timestamp", Text: &e.Time}, {Name: "version", Text: &e.Version},
		{Name: "sessionId", Text: &e.Session}, {Name: "cwd", Text: &e.Cwd},
		{Name: "message", Raw: &l.message}, {Name: "systemPayload", Raw: &l.payload},
	}
	w := codec.EnterValue(e.Line, '{')
	for w.Next() {
		if string(w.Key) != "type" {
			transcript.StoreMember(&w, members)
			continue
		}
		switch l.kind = codec.InsideQuotes(w.TakeValue()); string(l.kind) {
		case "user", "assistant", "tool_result":
		default:
			return false
		}
	}
	if !w.IsAlone() || l.message == nil {
		return false
	}
	if string(l.kind) == "user" {
		return l.takeUserLine(e)
	}
	eachPart(l.message, func(p []byte) { takePart(e, p) })
	return len(e.Parts) > 0
}

func (l *line) takeUserLine(e *transcript.Entry) (matters bool) {
	subtype, provenance := string(l.subtype), string(l.provenance)
	switch {
	case subtype == "notification", subtype == "cron":
		e.What = transcript.Woken
		eachPart(l.message, func(p []byte) {
			e.Words = codec.InsideQuotes(codec.FindMember(p, "text"))
			e.TakeNotifications(e.Words)
		})
		return true
	case subtype != "" && subtype != "mid_turn_user_message", provenance != "" && provenance != "real_user":
		return false
	}
	shown := false
	eachPart(l.message, func(p []byte) {
		text := codec.InsideQuotes(codec.FindMember(p, "text"))
		switch {
		case text == nil:
			shown = shown || codec.FindMember(p, "inlineData", "fileData") != nil
		case bytes.HasPrefix(text, []byte("<qwen:")), bytes.HasPrefix(text, []byte("<system-reminder>")):
		case e.Words == nil:
			e.Words = text
		}
	})
	// displayText is the person's text if the model gets more than this.
	if typed := codec.InsideQuotes(codec.FindMember(l.payload, "displayText")); len(typed) > 0 {
		e.Words = typed
	}
	switch {
	case bytes.HasPrefix(e.Words, []byte(transcript.Mark)):
		e.What = transcript.Pushed
		e.Parts = append(e.Parts, transcript.Part{Kind: transcript.HookBlock, Ours: true})
	case len(e.Words) == 0 && !shown:
		return false
	case subtype == "":
		e.What = transcript.Prompted
	default:
		e.What = transcript.Joined
	}
	return true
}

func eachPart(message []byte, yield func(part []byte)) {
	n := 0
	codec.Elements(codec.FindMember(message, "parts"), func(part []byte) {
		if n++; n <= transcript.MaxParts {
			yield(part)
		}
	})
}

func takePart(e *transcript.Entry, part []byte) {
	var text, thought, call, result []byte
	transcript.ReadMembers(part,
		transcript.Member{Name: "text", Text: &text}, transcript.Member{Name: "thought", Raw: &thought},
		transcript.Member{Name: "functionCall", Raw: &call}, transcript.Member{Name: "functionResponse", Raw: &result})
	switch {
	case string(thought) == "true":
	case call != nil:
		e.Parts = append(e.Parts, parseCall(call))
	case result != nil:
		e.Parts = append(e.Parts, transcript.GeminiResult(result))
	case text != nil:
		e.Parts = append(e.Parts, transcript.Part{Kind: transcript.Text, Text: text})
	}
}

var tools = []transcript.Tool{
	{Does: transcript.WritesTodos, Names: []string{"todo_write"}},
	{Does: transcript.UsesSkill, Text: "skill", Names: []string{"skill"}},
	{Does: transcript.MayGoOn, Names: []string{"agent", "monitor", "workflow"}},
	{Does: transcript.MayEndJob, Text: "task_id", Names: []string{"task_stop"}},
	{Does: transcript.AsksPerson, Names: []string{"ask_user_question"}},
	{Does: transcript.WritesFile, Names: []string{"write_file", "edit"}},
	{Does: transcript.BeginsPlan, Names: []string{"enter_plan_mode"}},
	{Does: transcript.EndsPlan, Names: []string{"exit_plan_mode"}},
}

func parseCall(call []byte) transcript.Part {
	p := transcript.CallIn(call, "id", "name", "args")
	if name := codec.InsideQuotes(codec.FindMember(p.Input, "name")); name != nil && string(p.Name) == "tool_call" {
		p.Name, p.Input = name, codec.FindMember(p.Input, "arguments")
	}
	p.Classify(tools)
	if string(p.Name) == "run_shell_command" && string(codec.FindMember(p.Input, "is_background")) == "true" {
		p.Does = transcript.MayGoOn
	}
	return p
}

func effectOf(of transcript.Does, res *transcript.Part) (job transcript.Effect) {
	if of == transcript.MayGoOn {
		for _, before := range [...]string{
			`Background shell started.\nid: `, `Background agent launched successfully.\ntask_id: `,
			`Monitor started.\nid: `, `Workflow started in background.\nRun ID: `,
		} {
			if rest, ok := bytes.CutPrefix(res.Text, []byte(before)); ok {
				job.Job = transcript.LeadingName(rest)
			}
		}
	}
	return job
}

func ownsLog(line []byte) bool {
	message := codec.FindMember(line, "message")
	return codec.FindMember(line, "provenance") != nil || codec.FindMember(message, "parts") != nil
}
