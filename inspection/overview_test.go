package inspection

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/check"
	"github.com/cameronsjo/springfield/internal/layout"
)

// The overview is one screen, whatever there is to say, and its lines fit.
func TestOverviewFits(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	long := strings.Repeat("quite a long explanation of what is wrong ", 3)
	full := Overview{
		On:    []Switch{{ID: "ned-flanders@hooks", Strategy: "ned-flanders", Scope: "user", Decides: true}, {ID: "todo-continuation@hooks", Strategy: "todo-continuation", Scope: "project"}},
		Last:  &Decision{ID: "3f2a-17", At: now.Add(-12 * time.Minute), Plugin: "ned-flanders", Decision: "continue", Rule: "progress", Evidence: strings.Repeat("Moving to Task 2. ", 20), Project: "/home/ned/src/evergreen-terrace"},
		Today: Today{Continues: 14, Stops: 9, Sessions: 3, Questions: 2, spent: "$0.002"},
		Notes: []string{long, long, long, long}, Next: "springfield doctor",
	}
	for n := range 5 {
		full.Problems = append(full.Problems, check.Finding{Check: fmt.Sprint(n), State: check.Failure, Says: long, Fix: "springfield update --all"})
	}
	for name, o := range map[string]Overview{
		"everything":  full,
		"nothing on":  {Reasons: []string{long, long, long, long}, Next: "springfield enable ned-flanders"},
		"no decision": {On: full.On[:1], Next: "claude", Try: Try},
	} {
		var text strings.Builder
		o.WriteText(layout.Printer{W: &text, Width: 80, Home: "/home/ned"}, now)
		lines := strings.Split(strings.TrimRight(text.String(), "\n"), "\n")
		if len(lines) > 22 { // and below it a word on help, and the shell's prompt
			t.Errorf("%s: %d lines\n%s", name, len(lines), &text)
		}
		for _, line := range lines {
			if layout.Width(line) > 80 {
				t.Errorf("%s: %s", name, line)
			}
		}
		for _, want := range map[string][]string{
			"everything": {"ned-flanders@hooks, for you in every project", "todo-continuation@hooks, for everyone in this project, beside", "kept Claude going in ~/src/evergreen-terrace, 12 min ago (progress:",
				"14 continues and 9 stops in 3 sessions", "2 questions today, $0.002", "and 3 more: springfield doctor", "next: springfield doctor"},
			"nothing on":  {"no plugin decides here", "next: springfield enable ned-flanders"},
			"no decision": {"no decision yet", "try it    start claude and say: Count to three", "then      springfield why --all"},
		}[name] {
			if !strings.Contains(strings.Join(strings.Fields(text.String()), " "), strings.Join(strings.Fields(want), " ")) {
				t.Errorf("%s: no %q in\n%s", name, want, &text)
			}
		}
	}
}
