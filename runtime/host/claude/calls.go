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
	{Does: transcript.MayEndJob, Names: []string{
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
	case transcript.MayEndJob:
		p.Text = member("task_id", "taskId", "shell_id", "bash_id", "agentId")
	case transcript.NothingSpecial:
		if string(member("run_in_background")) == "true" {
			p.Does = transcript.MayGoOn
		}
	}
}

// denials are texts for a call that was not allowed. Clients before 2.1.198 write no toolDenialKind.
var denials = []string{
	"The user doesn't want to ", "The user is away ", "Permission to use ", "Permission for this action was denied",
	"PreToolUse:", "you haven't granted it yet", "require approval", "requires approval",
}

// isDenied reports whether a failed call was denied, judging by the kind of denial and the result's text. A text that
// begins with an exit code is from a command that was run.
func isDenied(kind, text []byte) bool {
	if kind != nil && string(kind) != "automode-unavailable" {
		return true
	}
	has := func(words string) bool { return bytes.Contains(text[:min(len(text), 400)], []byte(words)) }
	return !bytes.HasPrefix(text, []byte("Exit code ")) && slices.ContainsFunc(denials, has)
}

func outcome(of transcript.Does, r *transcript.Part) (o transcript.Effect) {
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
	case transcript.ListsTasks:
		o.Tasks = codec.FindMember(r.Outcome, "tasks")
	case transcript.MayGoOn:
		if string(codec.FindMember(r.Outcome, "status")) == `"teammate_spawned"` {
			o.Mate = codec.InsideQuotes(codec.FindMember(r.Outcome, "name"))
		}
		o.Job = backgroundJobOf(r.Outcome, r.Text)
	case transcript.MayEndJob:
		o.Running = stillRuns(r.Outcome, r.Text)
	}
	return o
}

func backgroundJobOf(outcome, text []byte) []byte {
	if len(outcome) == 0 || outcome[0] != '{' { // no structured result
		for _, before := range [...]string{"Monitor started (task ", "nagentId: ", "running in background with ID: "} {
			if _, id, found := bytes.Cut(text, []byte(before)); found {
				return transcript.LeadingName(id)
			}
		}
		return nil
	}
	id := codec.FindMember(outcome, "backgroundTaskId", "taskId", "task_id")
	if len(id) > 0 && id[0] != '{' && id[0] != '[' && string(id) != `""` && string(id) != "null" {
		return id
	}
	launched := string(codec.FindMember(outcome, "status")) == `"async_launched"`
	if launched || string(codec.FindMember(outcome, "isAsync")) == "true" {
		return codec.FindMember(outcome, "agentId")
	}
	return nil
}

func isNotification(origin, text []byte) bool {
	return string(origin) == "task-notification" ||
		origin == nil && bytes.HasPrefix(text, []byte("<task-notification>"))
}

func stillRuns(outcome, text []byte) bool {
	status := codec.FindMember(outcome, "status")
	if task := codec.FindMember(outcome, "task"); task != nil {
		status = codec.FindMember(task, "status")
	}
	return string(status) == `"running"` || string(status) == `"pending"` ||
		bytes.Contains(text, []byte("<status>running<"))
}

func skillBody(e *transcript.Entry, text []byte) {
	const before = "Base directory for this skill: "
	if !bytes.HasPrefix(text, []byte(before)) {
		return
	}
	path, _, _ := bytes.Cut(codec.Unescape(nil, text[len(before):min(len(text), 2048)]), []byte("\n"))
	path = bytes.TrimSpace(path)
	name := path[max(bytes.LastIndexByte(path, '/'), bytes.LastIndexByte(path, '\\'))+1:]
	e.Parts = append(e.Parts, transcript.Part{Kind: transcript.SkillText, Name: name})
}

func takeTeammateMail(e *transcript.Entry, text []byte) {
	const begin, end = `<teammate-message teammate_id=\"`, `</teammate-message>`
	const maxObject = 4 << 10 // bytes; its type comes first
	if !bytes.HasPrefix(withoutHeading(text), []byte("<teammate-message")) {
		return
	}
	for {
		_, text, _ = bytes.Cut(text, []byte(begin))
		one, _, _ := bytes.Cut(text, []byte(end))
		name, _, found := bytes.Cut(one, []byte(`\`))
		if !found {
			return
		}
		p := transcript.Part{Kind: transcript.Mate, Name: name}
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
