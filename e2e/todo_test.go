//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"
)

const todoTag = "[SYSTEM REMINDER - TODO CONTINUATION]"

// Open todos come up before the next prompt, beside a goal loop that goes its own way, and are not spoken of
// when there are none: in both of the shapes that the list has had.
func TestTodosBesideTheLoop(t *testing.T) {
	t.Parallel()
	task := func(subject string) Turn {
		return calls("", "TaskCreate", map[string]any{"subject": subject, "description": subject})
	}
	list := func(first, second string) Turn {
		return calls("", "TodoWrite", map[string]any{"todos": []map[string]string{
			{"content": "Write the tests", "status": first, "activeForm": "Writing the tests"},
			{"content": "Update the docs", "status": second, "activeForm": "Updating the docs"},
		}})
	}
	update := func(id int, status string) Turn {
		return calls("", "TaskUpdate", map[string]any{"taskId": fmt.Sprint(id), "status": status})
	}
	for name, tools := range map[string]struct {
		env         []string // newer models have neither without it
		made, ended []Turn
	}{
		"tasks": {[]string{"CLAUDE_CODE_ENABLE_TODO_TOOLS=1"},
			[]Turn{task("Write the tests"), task("Update the docs"), update(1, "in_progress")}, []Turn{update(1, "completed"), update(2, "completed")}},
		"list": {[]string{"CLAUDE_CODE_ENABLE_TODO_TOOLS=1", "CLAUDE_CODE_ENABLE_TASKS=0"},
			[]Turn{list("in_progress", "pending")}, []Turn{list("completed", "completed")}},
	} {
		t.Run(name, func(t *testing.T) {
			aClient(t, func(t *testing.T, version string) {
				w, _ := with(t, version, "todo-continuation", "ralph-wiggum")
				w.With = tools.env
				reminded := func(r Result) (n int) {
					for _, m := range r.Asked[0].Messages {
						n += strings.Count(m.Text, todoTag+"\n") // why shows one, in one line
					}
					return n
				}

				r := w.Run(Session{Script: append(tools.made, says("I have made a list of two.")...), Args: []string{"--session-id", oneSession}})
				ends(t, r, "I have made a list of two.", len(tools.made)+1)
				if n := reminded(r); n != 0 {
					t.Errorf("reminded %d times before there was a list", n)
				}

				again := []string{"--resume", oneSession}
				write(t, w.path(goalFile), "---\niteration_count: 1\ncompletion_promise: \"All tests passing\"\n---\n\nMake the tests pass\n")
				r = w.Run(Session{Script: says("Not yet.", "Nearly.", "All tests passing"), Prompt: "go on", Args: again})
				ends(t, r, "All tests passing", 3)
				saw(t, r.Asked[0], todoTag, "IN PROGRESS (1 items):\n  - Write the tests\nPENDING (1 items):\n  - Update the docs\n", "go on")
				saw(t, r.Asked[2], "[SYSTEM REMINDER - CONTINUATION LOOP ACTIVE]")
				if n := reminded(Result{Asked: r.Asked[2:]}); n != 1 {
					t.Errorf("reminded %d times at one prompt", n)
				}
				if w.exists(goalFile) {
					t.Error("the loop's file is there after the promise")
				}

				if name == "tasks" { // whatever the list's shape
					r = w.Run(Session{Script: says("Hold on."), Prompt: "/todo-continuation:why", Args: again})
					if n := reminded(r); n != 1 { // the one from before
						t.Errorf("a slash command brings the reminders to %d", n)
					}
				}

				ends(t, w.Run(Session{Script: append(tools.ended, says("Both are done.")...), Prompt: "finish it", Args: again}), "Both are done.", len(tools.ended)+1)
				r = w.Run(Session{Script: says("Nothing."), Prompt: "anything else?", Args: again})
				if n := reminded(r); n != 2 { // at "go on" and at "finish it"
					t.Errorf("with nothing open the session has %d reminders, not the two from before", n)
				}
			})
		})
	}
}
