package wiggum

import (
	"reflect"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/lastprompt"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

const minute = 60_000

// The user's last word, and a question to an attending user, let the agent stop. The loop is unchanged, notifies the
// user once, and goes on with the next order.
func TestGoalLoopPauses(t *testing.T) {
	forbids := lastprompt.Word{Kind: lastprompt.Forbids, Evidence: "wait"}
	asks := lastprompt.Word{Kind: lastprompt.Asks, Evidence: "what is left?"}
	for name, test := range map[string]struct {
		change func(s *strategy.Situation)
		rule   string // "loop" for one that goes on
		told   string
	}{
		"forbids":                     {func(s *strategy.Situation) { s.Turn.Word = forbids }, "forbids", "ralph-wiggum: paused, you said “wait”; the loop goes on with your next instruction; to end it: /ralph-wiggum:loop stop"},
		"asks":                        {func(s *strategy.Situation) { s.Turn.Word = asks }, "answers", "you asked “what is left?”"},
		"asks, and something changed": {func(s *strategy.Situation) { s.Turn.Word, s.Turn.Changed = asks, true }, "answers", "you asked"},
		"a promise beside a word":     {func(s *strategy.Situation) { s.Turn.Word, s.Message.Text = forbids, "tests passing" }, "forbids", "you said"},
		"newer than the start":        {func(s *strategy.Situation) { s.Turn.Word, s.Turn.WordAt = forbids, s.Session.Now }, "forbids", "you said"},
		"older than the start":        {func(s *strategy.Situation) { s.Turn.Word, s.Turn.WordAt = forbids, s.Session.Now-10*minute }, "loop", ""},
		"a start that is forged": {func(s *strategy.Situation) {
			s.Turn.Word, s.Turn.WordAt = forbids, s.Session.Now
			data, _ := SetFields(s.Workspace.Files[File].Data, [2]string{"started_at", "2037-01-15T07:00:00Z"})
			s.Workspace.Files[File] = strategy.File{Found: true, Data: data}
		}, "forbids", "you said"},
		"unknown":      {func(s *strategy.Situation) { s.Turn.Word = lastprompt.Word{} }, "loop", ""},
		"the original": {func(s *strategy.Situation) { s.Turn.Word, s.Session.Protocol = forbids, "exit2" }, "loop", ""},
		"a question":   {func(s *strategy.Situation) { s.Turn.Attended = true; s.Message.Text = "Which of the two shall I take?" }, "asks", "Claude asks you: “Which of the two shall I take?”"},
		"a dialog":     {func(s *strategy.Situation) { s.Turn.Attended = true; s.Turn.Asked = "AskUserQuestion" }, "asked", "Claude asks you: "},
		"blocked": {func(s *strategy.Situation) {
			s.Turn.Attended = true
			s.Message.Text = "I am blocked by the missing licence server."
		}, "blocked", "Claude needs you: "},
		"nobody there": {func(s *strategy.Situation) { s.Message.Text = "Which of the two shall I take?" }, "loop", ""},
		"away": {func(s *strategy.Situation) {
			s.Turn.Attended, s.Turn.Away, s.Message.Text = true, true, "Which of the two shall I take?"
		}, "loop", ""},
		"a question, the original": {func(s *strategy.Situation) {
			s.Turn.Attended, s.Session.Protocol, s.Message.Text = true, "exit2", "Which of the two shall I take?"
		}, "loop", ""},
		"work, attended":                    {func(s *strategy.Situation) { s.Turn.Attended = true }, "loop", ""},
		"the promise comes before an offer": {func(s *strategy.Situation) { s.Turn.Attended = true; s.Message.Text = "Tests passing. Anything else?" }, activity.LoopPromised, "the loop is over"},
	} {
		t.Run(name, func(t *testing.T) {
			s := loopAt(goalOf("completion_promise: tests passing", "started_at: 2027-01-15T07:55:00Z", "loop_id: abc"), "Working.")
			s.Session.Hold = "/ralph-wiggum:hold"
			step(&s, decide(s))
			s.Session.Now += minute
			s.Message.Text = "Still at it."
			order := s
			test.change(&s)
			before := s.Memories[0]
			v := decide(s)
			scratch.Equal(t, v.Rule, test.rule)
			if v.Decision == strategy.Continue || test.rule == activity.LoopPromised {
				return
			}
			before.Paused = v.Remember.Paused
			if !strings.Contains(v.Told, test.told) || v.Changes != nil || v.Events != nil || !reflect.DeepEqual(v.Remember, before) {
				t.Errorf("%+v", v)
			}
			step(&s, v)
			if v := decide(s); v.Decision != strategy.Stop || v.Told != "" || v.Remember.Key != "" || v.Changes != nil {
				t.Errorf("again: %+v", v)
			}
			order.Memories, order.Turn.PromptID = s.Memories, "next"
			if v := decide(order); v.Evidence != "3 of 10 turns done" || v.Remember.Paused != "" {
				t.Errorf("the next order: %+v", v)
			}
		})
	}
}

// A loop that has not gone on yet pauses, too. Each word is reported once.
func TestGoalLoopPausesAtItsFirstStop(t *testing.T) {
	s := loopAt(goalOf(), "Hm.")
	var told []string
	for _, at := range []int64{1, 1, 2} {
		s.Turn.Word, s.Turn.WordAt = lastprompt.Word{Kind: lastprompt.Forbids, Evidence: "stop"}, s.Session.Now+at
		v := decide(s)
		step(&s, v)
		errorIf(t, v.Decision != strategy.Stop || v.Changes != nil, "%+v", v)
		told = append(told, v.Told)
	}
	errorIf(t, told[0] == "" || told[1] != "" || told[2] == "", "%q", told)
}

// A session that loses its loop notifies the user once.
func TestGoalLoopIsLost(t *testing.T) {
	for name, test := range map[string]struct {
		change func(s *strategy.Situation)
		told   string
	}{
		"its file is gone": {func(s *strategy.Situation) { s.Workspace.Files = nil }, "the loop is over: its file is gone"},
		"another session's": {func(s *strategy.Situation) {
			s.Workspace.Files[File] = strategy.File{Found: true, Data: []byte(goalOf("session_id: s2"))}
		}, "its file is another session's now"},
		"switched off by hand": {func(s *strategy.Situation) {
			data, _ := SetFields(s.Workspace.Files[File].Data, [2]string{"active", "false"})
			s.Workspace.Files[File] = strategy.File{Found: true, Data: data}
		}, "the loop is paused: active is false"},
		"broken": {func(s *strategy.Situation) {
			s.Workspace.Files[File] = strategy.File{Found: true, Data: []byte("---\nactive: perhaps\n---\n")}
		}, "not a loop: "},
	} {
		s := loopAt(goalOf(), "Working.")
		step(&s, decide(s))
		test.change(&s)
		for i := range 3 {
			v := decide(s)
			if v.Decision != strategy.Stop || v.Changes != nil || (i == 0) != (v.Told != "") || i == 0 && !strings.Contains(v.Told, test.told) {
				t.Errorf("%s, stop %d: %s by %s, %q", name, i, v.Decision, v.Rule, v.Told)
			}
			if v.Remember.Key != "" {
				s.Memories = []activity.Memory{v.Remember}
			}
		}
	}
	// Back in its directory it goes on where it was.
	s := loopAt(goalOf(), "Working.")
	step(&s, decide(s))
	home := s.Workspace
	s.Workspace = strategy.Workspace{Dir: "/elsewhere"}
	step(&s, decide(s))
	s.Workspace, s.Message.Text = home, "Back."
	scratch.Equal(t, decide(s).Evidence, "3 of 10 turns done")
}
