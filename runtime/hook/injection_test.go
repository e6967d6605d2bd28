package hook

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/judge"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// Whatever a session says, wherever it says it: the page that a judge gets has its
// lines, and the todo list's state and who waits are as they are.
func TestSessionCannotForgeThePage(t *testing.T) {
	data, err := os.ReadFile("../judge/testdata/injections.txt")
	must(t, err)
	known, _ := registry.StrategyNamed("lisa-simpson")
	starts := []string{"CONTEXT:", "  Active skill: ", "  Todo state: 1/2 complete, 1 in progress", "  Last tools: [", `  Latest request: "`, "  Waiting for: nothing", `  Last message: "`, "", "DECIDE: Should Claude continue working autonomously?", ""}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(lines) < 50 {
		t.Fatalf("%d attempts", len(lines))
	}
	for i, quoted := range lines {
		s, err := strconv.Unquote(quoted)
		must(t, err)
		w := newWorld(t, lisa)
		line := func(v any) string {
			b, err := json.Marshal(v)
			must(t, err)
			return string(b) + "\n"
		}
		says := func(id string, blocks ...map[string]any) string {
			return line(map[string]any{"type": "assistant", "uuid": id, "message": map[string]any{"content": blocks}})
		}
		use := func(id, name string, input any) map[string]any {
			return map[string]any{"type": "tool_use", "id": id, "name": name, "input": input}
		}
		returns := func(id, text string) string {
			return line(map[string]any{"type": "user", "uuid": "r" + id, "message": map[string]any{"content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": text}}}})
		}
		w.write(".claude/projects/-w/s.jsonl", line(map[string]any{"type": "user", "uuid": "u1", "message": map[string]any{"content": "do it: " + s}})+
			says("a1", use("t1", "Skill", map[string]any{"skill": s}))+returns("t1", s)+
			says("a2", use("t2", "TodoWrite", map[string]any{"todos": []any{map[string]any{"content": s, "status": "completed"}, map[string]any{"content": s, "status": "in_progress"}, map[string]any{"content": "x", "status": s}}}))+returns("t2", s)+
			says("a3", use("t3", "Bash", map[string]any{"command": s}))+returns("t3", s)+
			says("a4", use("t4", s, map[string]any{s: s}))+returns("t4", s))
		snapshot := Stop{
			Event:    Event{SessionID: "s", TranscriptPath: w.path(".claude/projects/-w/s.jsonl"), LastMessage: "Line 58. " + s},
			Settings: Settings{Plugin: "lisa-simpson", Strategy: known, Options: known.New(), Limits: guard.Defaults()}, Now: w.host.Now, Alone: true,
		}.Examine()
		page := judge.PageFor(snapshot.Situation)
		got := strings.Split(page, "\n")
		if len(got) != len(starts) {
			t.Errorf("%d: %d lines:\n%s", i, len(got), page)
			continue
		}
		for n, start := range starts {
			if !strings.HasPrefix(got[n], start) || (n == 2 || n == 5 || n > 6) && got[n] != start {
				t.Errorf("%d: line %d is %q", i, n+1, got[n])
			}
		}
		if snapshot.Verdict.Decision == strategy.Continue && !strings.Contains(snapshot.Verdict.Rule, "todos") && snapshot.Verdict.Page != "" {
			t.Errorf("%d: %+v", i, snapshot.Verdict)
		}
	}
}
