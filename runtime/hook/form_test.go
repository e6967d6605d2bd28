package hook

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// A continue by additionalContext is for a Claude Code that certainly knows it. The
// events are as each client sends them; see the versions.
func TestForm(t *testing.T) {
	const (
		uuid    = "c29b967d-faa5-4fbe-86fe-8bb0a9899178"
		newer   = `"session_id":"s1","transcript_path":%q,"cwd":"/p","prompt_id":"` + uuid + `","permission_mode":"default","effort":{"level":"high"},"hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"Moving to Task 2.","background_tasks":[],"session_crons":[]`
		older   = `"session_id":"s1","transcript_path":%q,"cwd":"/p","permission_mode":"default","effort":{"level":"high"},"hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"Moving to Task 2.","background_tasks":[],"session_crons":[]`
		version = `{"type":"user","uuid":"u","promptId":"p","message":{"content":"go"},"version":"2.1.%s"}` + "\n"
		specum  = `{"strategy": "ned-flanders", "protocol": "block"}`
	)
	for name, test := range map[string]struct {
		config, user, project, event, version string
		context                               bool
	}{
		"Claude Code 2.1.197, 2.1.330":  {event: newer, version: "330", context: true},
		"without a log":                 {event: newer, context: true},
		"before 2.1.196":                {event: older, version: "195"},
		"before there were crons":       {event: strings.Replace(newer, `,"session_crons":[]`, "", 1), version: "330"},
		"Codex 0.169.0":                 {event: `"session_id":"s1","turn_id":"01a200","transcript_path":%q,"cwd":"/p","hook_event_name":"Stop","model":"stub","permission_mode":"bypassPermissions","stop_hook_active":true,"last_assistant_message":"Moving to Task 2."`, version: "330"},
		"Qwen 0.24.4":                   {event: `"session_id":"s1","transcript_path":%q,"cwd":"/p","hook_event_name":"Stop","timestamp":"2026-11-22T00:23:20.336Z","permission_mode":"yolo","prompt_id":"43457e########0","stop_hook_active":false,"last_assistant_message":"Moving to Task 2.","background_tasks":[],"crons":[],"context_usage":0.00005`, version: "330"},
		"a Qwen that copies the rest":   {event: strings.Replace(newer, uuid, uuid+"########0", 1), version: "330"},
		"the plugin chooses block":      {config: specum, event: newer},
		"you choose block":              {user: `{"protocol": "block"}`, event: newer},
		"context, but another agent":    {user: `{"protocol": "context"}`, event: strings.Replace(newer, "session_crons", "crons", 1)},
		"a project cannot":              {project: `{"protocol": "block"}`, event: newer, context: true},
		"a project cannot have context": {config: specum, project: `{"protocol": "context"}`, event: newer},
	} {
		t.Run(name, func(t *testing.T) {
			if test.config == "" {
				test.config = ned
			}
			w := newWorld(t, test.config)
			if w.layers("ned-flanders", test.user, test.project); test.project != "" {
				w.host.Project = w.path("project")
			}
			log := ".claude/projects/-w/s.jsonl"
			if test.version != "" {
				w.write(log, fmt.Sprintf(version, test.version))
			}
			code, stdout, stderr := w.raw("{" + fmt.Sprintf(test.event, w.path(log)) + "}")
			r, _ := w.newest("session:s1")
			e, _ := readEvent(strings.NewReader("{" + fmt.Sprintf(test.event, "t") + "}"))
			h, mark := e.Host, ""
			if h.Marked {
				mark = transcript.Mark
			}
			user := `"systemMessage":"ned-flanders kept ` + h.Agent + ` going (` + h.CommandToType("ned-flanders", "hold") + ` to stop)"`
			want := `{"decision":"block","reason":"` + mark + r.Reason + `",` + user + "}\n"
			if test.context {
				want = `{` + user + `,"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"` + r.Reason + `"}}` + "\n"
			}
			if !strings.HasPrefix(r.Reason, "[ned-flanders, 1 of 3 in 5 min: “Moving to Task 2.”] ") || code != 0 || stdout != want {
				t.Errorf("exit code %d, %s, want %s, notes %s", code, stdout, want, stderr)
			}
		})
	}
}

// The agent's text has the plugin, the count and the evidence. The user gets a message only at a prompt's first
// continue. The evidence of an away order or a judge is not for the agent.
func TestOneBlockPerContinue(t *testing.T) {
	for name, test := range map[string]struct {
		config, says, count, told string
		away                      bool
	}{
		"context":              {ned, progress, "[ned-flanders, %d of 3 in 5 min: “Moving to Task 2.”] You said", "ned-flanders kept Claude going (/ned-flanders:hold to stop)", false},
		"block":                {`{"strategy": "ned-flanders", "protocol": "block"}`, progress, "[ned-flanders, %d of 3 in 5 min: “Moving to Task 2.”] You said", "ned-flanders kept Claude going (/ned-flanders:hold to stop)", false},
		"away, with work left": {ned, progress, "[ned-flanders, away %d of 50: “Moving to Task 2.”] You said", "ned-flanders kept Claude going (/ned-flanders:hold to stop)", true},
		"away, with a question": {ned, question, "[ned-flanders, away %d of 50] The user is away",
			"ned-flanders kept Claude going: you are away, and it asks: “Shall the cache live in memory or on disk?” (/ned-flanders:hold to stop)", true},
	} {
		w := newWorld(t, test.config)
		if test.away {
			w.away(nil)
		}
		for i, stop := range [][2]string{{"p1", test.says}, {"p1", strings.Replace(test.says, "cache", "index", 1)}, {"p2", progress}} {
			if i != 1 {
				w.typed(stop[0], "go on")
			}
			out, _ := w.run(w.inProject(map[string]any{"prompt_id": stop[0], "last_assistant_message": stop[1]}))
			if want := fmt.Sprintf(test.count, i+1); i < 2 && !strings.HasPrefix(out.Reason, want) {
				t.Errorf("%s, %d: the agent is told %q, want %q", name, i, out.Reason, want)
			}
			if want := []string{test.told, "", "ned-flanders kept Claude going (/ned-flanders:hold to stop)"}[i]; out.SystemMessage != want {
				t.Errorf("%s, %d: the user is told %q, want %q", name, i, out.SystemMessage, want)
			}
		}
	}
}

// Text between tags cannot close them.
func TestEnclosed(t *testing.T) {
	for text, want := range map[string]string{
		"a < b, <b>":                         "a < b, <b>",
		"x</system-reminder>y":               "x‹/system-reminder>y",
		"x< / SYSTEM-reminder >y <system a>": "x‹ / SYSTEM-reminder >y ‹system a>",
		"<!-- el-barto:stop -->":             "<!-- el-barto:stop -->",
	} {
		scratch.Equal(t, defuseSystemTags(text), want, text, "became")
	}
}

// Of a text that is too long Claude Code would put only the beginning before the model.
func TestLongReasonIsABlock(t *testing.T) {
	for size, want := range map[int]string{maxContext: `{"hookSpecificOutput"`, maxContext + 1: `{"decision":"block"`} {
		var out bytes.Buffer
		s := start{Process: Process{Stdout: &out, Stderr: io.Discard}, eventName: "Stop", event: Event{Host: registry.DefaultHost()}}
		a := answer{context: true, Settled: Settled{Verdict: strategy.Verdict{Decision: strategy.Continue, Reason: strings.Repeat("x", size)}}}
		if s.answerHost(a, Settings{}); !strings.HasPrefix(out.String(), want) {
			t.Errorf("%d bytes: %.40s", size, out.String())
		}
	}
}

// behind is a transcript that ends before the last message.
type behind struct{ prompt string }

func (b behind) ReadNew(_ []byte, prompt string) ([]byte, transcript.View, error) {
	return nil, transcript.View{Text: "Earlier.", Spoken: true, PromptID: b.prompt, Opening: transcript.Opening{ID: prompt, Found: prompt == b.prompt, Own: true}}, nil
}

func (behind) LastLines(int) (activity.Window, error) { return activity.Window{}, nil }

// A stop is looked at again where the transcript lacks the event's prompt: it may be the
// user's “continue”, or one of our slash commands, whose answer is no work to go on with.
func TestALatePromptIsAwaited(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	spent := ledger.State{Own: "p1", InOwn: 3, Continues: []int64{now.UnixMilli(), now.UnixMilli(), now.UnixMilli()}}
	settings, err := ReadSettings(newWorld(t, ned).path("plugin"), "", "")
	must(t, err)
	for name, test := range map[string]struct {
		before ledger.State
		id     string
		text   string
		want   bool
	}{
		"a new prompt":      {spent, "p2", progress, true},
		"the same prompt":   {spent, "p1", progress, false},
		"budget is left":    {ledger.State{}, "p2", progress, true},
		"a stop all alone":  {spent, "p2", "All done.", true},
		"an unnamed prompt": {spent, "", progress, false},
		"an answer as last": {spent, "p2", "Earlier.", true},
	} {
		s := Stop{Event: Event{PromptID: test.id, LastMessage: test.text, TranscriptPath: "s.jsonl"}, Settings: settings, Before: test.before, Reading: behind{"p1"}, Now: now}.Examine()
		scratch.Equal(t, s.lagMatters(), test.want, name)
	}
}

// Qwen Code's log does not witness continues: without the ledger a session that was kept going may stop.
func TestLedgerGone(t *testing.T) {
	const event = `{"session_id":"s1","cwd":"/p","hook_event_name":"Stop","prompt_id":"43457e########0","stop_hook_active":%v,"last_assistant_message":"Moving to Task 2.","background_tasks":[],"crons":[]}`
	for _, active := range []bool{false, true} {
		w := newWorld(t, ned)
		if out, _ := w.run(fmt.Sprintf(event, active)); (out.Decision == "block") == active {
			t.Errorf("active %v: %+v", active, out)
		}
	}
}
