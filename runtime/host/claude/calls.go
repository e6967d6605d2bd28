package claude

import (
	"bytes"
	"slices"

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
	p.Classify(tools)
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

// isDenied reports whether a failed call was denied, from the kind of denial and the result's text, both still escaped.
// denial is nil if the log has none.
func isDenied(denial, text []byte) bool {
	if denial != nil && string(denial) != "automode-unavailable" {
		return true
	}
	has := func(words string) bool { return bytes.Contains(text[:min(len(text), 400)], []byte(words)) }
	return !bytes.HasPrefix(text, []byte("Exit code ")) && slices.ContainsFunc(denials, has)
}

func effectOf(of transcript.Does, r *transcript.Part) (effect transcript.Effect) {
	if of == transcript.NothingSpecial {
		if bytes.Contains(r.RawResult, []byte(`"backgroundTaskId":"`)) {
			effect.Job = backgroundJobOf(r.RawResult, nil)
		}
		return effect
	}
	effect.Refused = string(codec.FindMember(r.RawResult, "success")) == "false"
	switch of {
	case transcript.MakesTask, transcript.ReadsTask:
		effect.Task = codec.FindMember(r.RawResult, "task")
	case transcript.ListsTasks:
		effect.Tasks = codec.FindMember(r.RawResult, "tasks")
	case transcript.MayGoOn:
		if string(codec.FindMember(r.RawResult, "status")) == `"teammate_spawned"` {
			effect.Mate = codec.InsideQuotes(codec.FindMember(r.RawResult, "name"))
		}
		effect.Job = backgroundJobOf(r.RawResult, r.Text)
	case transcript.MayEndJob:
		effect.Running = stillRuns(r.RawResult, r.Text)
	}
	return effect
}

// backgroundJobOf returns the background work ID from a result, or nil: a raw value or plain name. text is searched
// only if rawResult is not an object.
func backgroundJobOf(rawResult, text []byte) []byte {
	if len(rawResult) == 0 || rawResult[0] != '{' { // no structured result
		for _, before := range [...]string{"Monitor started (task ", "nagentId: ", "running in background with ID: "} {
			if _, id, found := bytes.Cut(text, []byte(before)); found {
				return transcript.LeadingName(id)
			}
		}
		return nil
	}
	id := codec.FindMember(rawResult, "backgroundTaskId", "taskId", "task_id")
	if len(id) > 0 && id[0] != '{' && id[0] != '[' && string(id) != `""` && string(id) != "null" {
		return id
	}
	launched := string(codec.FindMember(rawResult, "status")) == `"async_launched"`
	if launched || string(codec.FindMember(rawResult, "isAsync")) == "true" {
		return codec.FindMember(rawResult, "agentId")
	}
	return nil
}

func stillRuns(rawResult, text []byte) bool {
	status := codec.FindMember(rawResult, "status")
	if task := codec.FindMember(rawResult, "task"); task != nil {
		status = codec.FindMember(task, "status")
	}
	return string(status) == `"running"` || string(status) == `"pending"` ||
		bytes.Contains(text, []byte("<status>running<"))
}
