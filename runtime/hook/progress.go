package hook

import (
	"time"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/process"
)

// ProgressCommand is a command that receives a line of JSON on standard input when a loop starts, at every n-th and
// the last iteration, and when the loop ends.
type ProgressCommand struct {
	Command []string `json:"command"` // the first is an absolute path
	Every   int      `json:"every,omitempty"`
}

func (p *ProgressCommand) Members(m *codec.Coder) {
	m.Texts("command", &p.Command)
	codec.Number(m, "every", &p.Every)
}

func (p ProgressCommand) IsDueFor(e activity.LoopEvent) bool {
	return e.Event != activity.LoopGoesOn || e.Count%max(p.Every, 1) == 0
}

// recordAndReport adds the events to the loops' history, and runs the user's command for them until the first error. No
// lock may be held.
func (s *start) recordAndReport(events []activity.LoopEvent, command *ProgressCommand) {
	for _, e := range events {
		if err := RecordLoopEvent(s.state, command, e, s.Getenv, time.Until(s.finish)); err != nil {
			s.noteForDebug(err.Error())
			command = nil
		}
	}
}

// RecordLoopEvent adds an event to the history of loops, and runs the user's command if it wants the event. command can
// be nil. A cancel of a loop that is over is ignored.
func RecordLoopEvent(state string, command *ProgressCommand, e activity.LoopEvent, getenv func(string) string, runLimit time.Duration) error {
	if e.Event == activity.LoopCancelled && ledger.PastOfLoop(state, e.Loop, e.Dir).Over {
		return nil
	}
	err := ledger.AppendLoop(state, e)
	if command == nil || !command.IsDueFor(e) {
		return err
	}
	e.File = ""
	line := append(codec.Append(nil, &e), '\n')
	if ran := (process.Child{Argv: command.Command, Stdin: line, Getenv: getenv, Within: runLimit}).Run(); ran != nil {
		err = newFailure("run "+command.Command[0], ran)
	}
	return err
}
