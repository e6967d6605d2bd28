package inspection

import (
	"testing"
	"time"
)

func TestAgo(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.Local)
	for ago, want := range map[time.Duration]string{
		59 * time.Second:            "just now",
		time.Minute:                 "1 min ago",
		59*time.Minute + 59e9:       "1 h ago",
		2*time.Hour + 5*time.Minute: "2 h 5 min ago",
		24 * time.Hour:              "on 2026-11-20 12:00",
		-time.Minute:                "on 2026-11-21 12:01",
	} {
		if got := Ago(now, now.Add(-ago)); got != want {
			t.Errorf("%v: %q, want %q", ago, got, want)
		}
	}
}

// What project settings may set is looked up by its name in any case, the first
// pattern that fits counts, and what moves nothing has no sentence.
func TestEffect(t *testing.T) {
	for name, moves := range map[string]bool{"SPRINGFIELD": true, "springfield_judge": true, "LD_PRELOAD": true, "HTTPS_PROXY": true, "GOFLAGS": true, "EDITOR": false, "CLAUDE_CODE_ENABLE_TODO_TOOLS": false, "": false} {
		if got := effect(name); (got != "") != moves {
			t.Errorf("%s: %q", name, got)
		}
	}
}
