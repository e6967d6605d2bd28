// Package qwen is Qwen Code as a host.
package qwen

import (
	"bytes"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// Name is the host's.
const Name = "qwen"

// Host is Qwen Code.
var Host = host.Host{
	Name: Name, Title: "Qwen Code", Agent: "Qwen",
	Is: isEvent, Read: readEvent,
	Stop: "Stop", Prompt: "UserPromptSubmit",
	FromUser: func(e host.Event) bool { return e.Prompt != "" },
	Reminds:  true, Marked: true, NoWitness: true,
	Log:    transcript.Format{Name: Name, Whole: true, Parse: parseLine, Owns: ownsLog, Outcome: outcome},
	Logged: true, // commands in the background are in the log only
	// The eighth block in a row is overridden.
	Cap: 7, CapVariable: "QWEN_CODE_STOP_HOOK_BLOCK_CAP",
	Dir: "~/.qwen", DirVariable: "QWEN_HOME", Sessions: "projects/*/chats/*.jsonl", Program: "qwen",
	Package:   "@qwen-code/qwen-code",
	Variables: []string{".env", ".qwen/.env", ".qwen/settings.json"},
	Inside:    []string{"QWEN_CODE_SESSION_ID"}, SessionVariable: "QWEN_CODE_SESSION_ID",
}

// isEvent knows the event by the list of schedules, which Claude Code calls session_crons, or
// by the form of a prompt's id.
func isEvent(event []byte) bool {
	prompt := codec.FindMember(event, "prompt_id")
	return codec.FindMember(event, "crons") != nil || bytes.Contains(prompt, []byte("########"))
}

// input is an event as Qwen Code writes it.
type input struct {
	*host.Event
	submitted string
	tasks     []task
}

// task is one of its background agents.
type task struct{ id, status, description string }

func (t *task) Members(m *codec.Members) {
	m.Text("id", &t.id)
	m.Text("status", &t.status)
	m.Text("description", &t.description)
}

func (in *input) Members(m *codec.Members) {
	in.Common(m)
	m.Text("prompt_id", &in.PromptID)
	m.Text("submitted_prompt", &in.submitted)
	codec.ListOf(m, "background_tasks", &in.tasks)
	in.CountSchedules(m, "crons")
}

// readEvent reads an event. The list of agents keeps those that have ended, and has no shell
// commands. Results of tools and continues are submitted like prompts: what the user has
// sent is in submitted_prompt only.
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
