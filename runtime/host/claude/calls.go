// What Claude Code's tools do, and what their results tell: a structured one, else the
// text.

package claude

import (
	"bytes"
	"slices"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

var tools = []transcript.Tool{
	{Does: transcript.WritesTodos, Names: []string{"TodoWrite"}},
	{Does: transcript.MakesTask, Names: []string{"TaskCreate"}},
	{Does: transcript.ReadsTask, Names: []string{"TaskGet"}},
	{Does: transcript.ListsTasks, Names: []string{"TaskList"}},
	{Does: transcript.ChangesTask, Names: []string{"TaskUpdate"}},
	{Does: transcript.UsesSkill, Names: []string{"Skill"}},
	{Does: transcript.MayGoOn, Names: []string{"Agent", "Task", "Monitor", "Workflow"}},
	{Does: transcript.TellsMate, Names: []string{"SendMessage"}},
	{Does: transcript.BeginsTeam, Names: []string{"TeamCreate"}},
	{Does: transcript.EndsTeam, Names: []string{"TeamDelete"}},
	{Does: transcript.EndsBackground, Names: []string{
		"TaskStop", "KillShell", "KillBash", "TaskOutput", "BashOutput", "AgentOutput",
	}},
	{Does: transcript.SchedulesWake, Names: []string{"ScheduleWakeup", "CronCreate"}},
	{Does: transcript.AsksPerson, Names: []string{"AskUserQuestion"}},
	{Does: transcript.BeginsPlan, Names: []string{"EnterPlanMode"}},
	{Does: transcript.EndsPlan, Names: []string{"ExitPlanMode"}},
	{Does: transcript.WritesFile, Names: []string{"Write", "Edit", "MultiEdit"}},
}

func classifyCall(p *transcript.Part) {
	p.Describe(tools)
	member := func(names ...string) []byte { return codec.FindMember(p.Input, names...) }
	switch p.Does {
	case transcript.UsesSkill:
		p.Text = codec.InsideQuotes(member("skill", "command")) // "command" before 2.1
	case transcript.MayGoOn:
		if member("team_name") != nil {
			p.Text = codec.InsideQuotes(member("name"))
		}
	case transcript.TellsMate:
		if p.Text = codec.InsideQuotes(member("to", "recipient")); string(member("type")) == `"broadcast"` {
			p.Text = []byte(transcript.AllMates)
		}
	case transcript.EndsBackground:
		p.Text = member("task_id", "taskId", "shell_id", "bash_id", "agentId")
	case transcript.NothingSpecial:
		if string(member("run_in_background")) == "true" {
			p.Does = transcript.MayGoOn
		}
	}
}

// denials are words of clients before 2.1.198, which write no toolDenialKind, for a call that was not allowed.
var denials = []string{
	"The user doesn't want to ", "The user is away ", "Permission to use ", "Permission for this action was denied", "PreToolUse:",
	"you haven't granted it yet", "require approval", "requires approval",
}

// isDenied tells that a failed call was not allowed: a command that has run begins with its exit code. One that could not
// be judged at that moment is not denied.
func isDenied(kind, text []byte) bool {
	said := func(words string) bool { return bytes.Contains(text[:min(len(text), 400)], []byte(words)) }
	return kind != nil && string(kind) != "automode-unavailable" || !bytes.HasPrefix(text, []byte("Exit code ")) && slices.ContainsFunc(denials, said)
}

// outcome is what a result tells besides its text.
func outcome(of transcript.Does, r *transcript.Part) (o transcript.Outcome) {
	if of == transcript.NothingSpecial {
		if bytes.Contains(r.Outcome, []byte(`"backgroundTaskId":"`)) {
			o.Job = backgroundJobOf(r.Outcome, nil)
		}
		return o
	}
	o.Refused = string(codec.FindMember(r.Outcome, "success")) == "false"
	switch of {
	case transcript.MakesTask, transcript.ReadsTask:
		o.Task = codec.FindMember(r.Outcome, "task")
		const before, between = "Task #", " created successfully: " // "Task #3 created successfully: Write the tests"
		if i := bytes.Index(r.Text, []byte(between)); i >= 0 && bytes.HasPrefix(r.Text, []byte(before)) {
			o.TaskID, o.Subject = r.Text[len(before):i], r.Text[i+len(between):]
		}
	case transcript.ListsTasks:
		o.Tasks = codec.FindMember(r.Outcome, "tasks")
	case transcript.MayGoOn:
		if string(codec.FindMember(r.Outcome, "status")) == `"teammate_spawned"` {
			o.Mate = codec.InsideQuotes(codec.FindMember(r.Outcome, "name"))
		}
		o.Job = backgroundJobOf(r.Outcome, r.Text)
	case transcript.EndsBackground:
		o.Running = stillRuns(r.Outcome, r.Text)
	}
	return o
}

// backgroundJobOf is the id of work that goes on in the background, nil where the work is done.
func backgroundJobOf(outcome, said []byte) []byte {
	id := codec.FindMember(outcome, "backgroundTaskId", "taskId", "task_id")
	if !isValidID(id) {
		id = nil
		if string(codec.FindMember(outcome, "isAsync")) == "true" || string(codec.FindMember(outcome, "status")) == `"async_launched"` {
			id = codec.FindMember(outcome, "agentId")
		}
	}
	if len(outcome) == 0 || outcome[0] != '{' { // no structured result
		for _, before := range [...]string{"running in background with ID: ", "nagentId: ", "Monitor started (task "} {
			if i := bytes.Index(said, []byte(before)); i >= 0 {
				id = transcript.LeadingName(said[i+len(before):])
			}
		}
	}
	return id
}

// isValidID tells whether a raw value can be an id: a string or a number.
func isValidID(raw []byte) bool {
	return len(raw) > 0 && raw[0] != '{' && raw[0] != '[' && string(raw) != `""` && string(raw) != "null"
}

// isNotification tells whether a text comes from work in the background.
func isNotification(origin, text []byte) bool {
	return string(origin) == "task-notification" || origin == nil && bytes.HasPrefix(text, []byte("<task-notification>"))
}

// stillRuns tells whether work still does, by the result of a call that stops it or asks for
// its output.
func stillRuns(outcome, said []byte) bool {
	status := codec.FindMember(outcome, "status")
	if task := codec.FindMember(outcome, "task"); task != nil {
		status = codec.FindMember(task, "status")
	}
	switch string(status) {
	case `"running"`, `"pending"`:
		return true
	}
	return bytes.Contains(said, []byte("<status>running<"))
}

// skillBody takes a meta line, which may be the text of a skill. It begins with
// the directory that the skill lies in, named as the skill.
func skillBody(e *transcript.Entry, text []byte) {
	const before = "Base directory for this skill: "
	if !bytes.HasPrefix(text, []byte(before)) {
		return
	}
	path := codec.Unescape(nil, text[len(before):min(len(text), 2048)])
	if end := bytes.IndexByte(path, '\n'); end >= 0 {
		path = path[:end]
	}
	path = bytes.TrimSpace(path)
	name := path[max(bytes.LastIndexByte(path, '/'), bytes.LastIndexByte(path, '\\'))+1:]
	e.Parts = append(e.Parts, transcript.Part{Kind: transcript.SkillText, Name: name})
}

// takeTeammateMail takes messages of teammates, if the text is one. It is the inside of a JSON
// string, and what the client itself says about a teammate is a JSON object within it.
func takeTeammateMail(e *transcript.Entry, text []byte) {
	const begin, end = `<teammate-message teammate_id=\"`, `</teammate-message>`
	const maxObject = 4 << 10 // bytes; its type comes first
	for {
		i := bytes.Index(text, []byte(begin))
		if i < 0 {
			return
		}
		text = text[i+len(begin):]
		one := text
		if i := bytes.Index(one, []byte(end)); i >= 0 {
			one = one[:i]
		}
		i = bytes.IndexByte(one, '\\')
		if i < 0 {
			return
		}
		p := transcript.Part{Kind: transcript.Mate, Name: one[:i]}
		_, body, _ := bytes.Cut(one, []byte(`\">`))
		object := bytes.TrimSpace(codec.Unescape(nil, body[:min(len(body), maxObject)]))
		switch kind := codec.FindMember(object, "type"); {
		case activity.IsLeadName(string(p.Name)):
			if p.Kind = transcript.Other; e.Role == "" {
				e.Role = activity.Teammate
			}
		case string(kind) == `"idle_notification"`:
			p.Kind = transcript.Idle
		case string(kind) == `"shutdown_approved"`:
			p.Kind = transcript.Gone
		case string(kind) == `"teammate_terminated"`: // "reviewer has shut down."
			p.Kind = transcript.Gone
			p.Name, _, _ = bytes.Cut(codec.InsideQuotes(codec.FindMember(object, "message")), []byte(" "))
		case string(p.Name) == "system":
			p.Kind = transcript.Other
		}
		e.Parts = append(e.Parts, p)
	}
}
