package doctor

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/layout"
)

// The overview is one screen, whatever there is to say, and its lines fit.
func TestOverviewFits(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	long := strings.Repeat("quite a long explanation of what is wrong ", 3)
	full := Overview{
		On: []Switch{
			{ID: "ned-flanders@hooks", Strategy: "ned-flanders", Scope: "user", Decides: true},
			{ID: "todo-continuation@hooks", Strategy: "todo-continuation", Scope: "project"},
		},
		Last: &Decision{
			ID: "3f2a-17", At: now.Add(-12 * time.Minute), Plugin: "ned-flanders", Decision: "continue", Rule: "progress",
			Evidence: strings.Repeat("Moving to Task 2. ", 20), Project: "/home/ned/src/evergreen-terrace",
		},
		Loops: []string{long, long, long, long}, Notes: []string{long, long, long, long}, Next: "springfield doctor",
	}
	for n := range 5 {
		full.Problems = append(full.Problems, check.Finding{Check: fmt.Sprint(n), State: check.Failure, Says: long, Fix: "springfield update --all"})
	}
	for name, o := range map[string]Overview{
		"everything": full,
		"nothing on": {Reasons: []string{long, long, long, long}, Next: "springfield enable ned-flanders"},
	} {
		var text strings.Builder
		o.WriteText(layout.Printer{W: &text, Width: 80, Home: "/home/ned"}, now)
		lines := strings.Split(strings.TrimRight(text.String(), "\n"), "\n")
		if len(lines) > 24 {
			t.Errorf("%s: %d lines\n%s", name, len(lines), &text)
		}
		for _, line := range lines {
			if layout.TextWidth(line) > 80 {
				t.Errorf("%s: %s", name, line)
			}
		}
	}
}
