//go:build unix

package hook

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/judge"
	"github.com/cameronsjo/springfield/runtime/ledger"
)

// unsure is a message of which no rule is sure, after some work.
const unsure = "Line 58 has bytes, which should be a slice of them."

const yes = `{"continue":true,"why":"a next step is named","model":"claude-haiku-x","usage":{"input":900,"output":40},"micros":700,"took":5}`

// withJudge adds a springfield-judge that records its questions and prints an answer.
func withJudge(t *testing.T, config, body string) *world {
	t.Helper()
	w := newWorld(t, config)
	w.judge(body)
	w.write(".claude/projects/-w/s.jsonl", `{"type":"user","uuid":"u1","message":{"content":"fix the types"}}
{"type":"assistant","uuid":"a1","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"npm test"}}]}}
{"type":"user","uuid":"u2","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"Exit code 0"}]}}
`)
	return w
}

func (w *world) judge(body string) {
	w.t.Helper()
	script := "#!/bin/sh\ncat >>" + strconv.Quote(w.path("questions")) + "\n" + body + "\n"
	w.write("plugin/hooks/springfield-judge", script)
	must(w.t, os.Chmod(w.path("plugin/hooks/springfield-judge"), 0o755))
}

// questions returns the questions so far.
func (w *world) questions() (all []judge.Question) {
	w.t.Helper()
	data, err := os.ReadFile(w.path("questions"))
	if err != nil && !os.IsNotExist(err) {
		w.t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		if line == "" {
			continue
		}
		var q judge.Question
		must(w.t, codec.ReadObject([]byte(line), &q))
		all = append(all, q)
	}
	return all
}

// asked checks how many those are.
func (w *world) asked(when string, want int) {
	w.t.Helper()
	scratch.Equal(w.t, len(w.questions()), want, when, "questions")
}

// last is the last decision of the session.
func (w *world) last() ledger.Record {
	w.t.Helper()
	r, ok := w.newest("session:s1")
	if !ok {
		w.t.Fatal("nothing is recorded")
	}
	return r
}

func (w *world) spend() ledger.Spend {
	w.t.Helper()
	p, err := ledger.ReadSpend(w.path(".claude/springfield"), w.host.Now)
	must(w.t, err)
	return p
}

func (w *world) say(message string) (output, string) {
	return w.run(w.event(map[string]any{"last_assistant_message": message}))
}

func printed(reply string) string { return "echo '" + reply + "'" }

func TestJudgeIsAskedWhereNoRuleIsSure(t *testing.T) {
	w := withJudge(t, lisa, printed(yes))
	for _, sure := range []string{progress, "All done.", "Shall I go on?", "Pushed.", ""} {
		w.say(sure)
		if r := w.last(); r.Asked != nil || r.Rule == "judge" {
			t.Errorf("%q: %+v", sure, r)
		}
	}
	w.asked("where a rule was sure", 0)
	out, _ := w.say(unsure)
	if out.Decision != "block" || strings.Contains(out.Reason, "next step is named") || !strings.Contains(w.last().Evidence, "next step is named") {
		t.Errorf("%+v", out)
	}
	all := w.questions()
	if len(all) != 1 {
		t.Fatalf("%d questions", len(all))
	}
	q := all[0]
	if q.Backend != "claude" || q.Model != "haiku" || q.WithinMs != 20_000 || q.System != judge.SystemPrompt("Claude") || q.Project != w.home ||
		!strings.Contains(q.Page, "  Last tools: [Bash(npm test → exit 0)]\n") || !strings.Contains(q.Page, unsure) || !strings.Contains(q.Page, `Latest request: "fix the types"`) {
		t.Errorf("%+v", q)
	}
	r := w.last()
	if r.Decision != "continue" || r.Rule != "judge" || r.Asked == nil || r.Asked.Micros != 700 || r.Asked.Input != 900 || r.Asked.Model != "claude-haiku-x" || r.State.Spent != 700 {
		t.Errorf("%+v", r)
	}
	if p := w.spend(); p.Micros != 700 || p.Questions != 1 {
		t.Errorf("%+v", p)
	}
}

// A host may give variables of more files to hooks than Claude Code: the judge hears which.
func TestJudgeHearsOfVariables(t *testing.T) {
	for member, want := range map[string]string{"session_crons": "", "crons": ".env .qwen/.env .qwen/settings.json"} {
		w := withJudge(t, lisa, printed(yes))
		w.run(w.event(map[string]any{"last_assistant_message": unsure, "transcript_path": "", member: []any{}}))
		if all := w.questions(); len(all) != 1 || strings.Join(all[0].Variables, " ") != want {
			t.Errorf("%s: %+v", member, all)
		}
	}
}

// Claude Code writes the log late: only the log's own copy of the message proves that there was no work.
func TestLogThatLags(t *testing.T) {
	const prompt = `{"type":"user","uuid":"u1","message":{"content":"fix the types"}}` + "\n"
	said := `{"type":"assistant","uuid":"a1","message":{"content":[{"type":"text","text":"` + unsure + `"}]}}` + "\n"
	for name, test := range map[string]struct{ log, rule string }{
		"not even the call is there":        {prompt, "judge"},
		"an older message is there":         {strings.ReplaceAll(said, "Line 58", "Line 57") + prompt, "judge"},
		"the message is, so there was none": {prompt + said, "talk"},
	} {
		w := withJudge(t, lisa, printed(yes))
		w.write(".claude/projects/-w/s.jsonl", test.log)
		w.say(unsure)
		scratch.Equal(t, w.last().Rule, test.rule, name)
	}
}

// The same page is asked once per session.
func TestJudgeIsAskedOncePerPage(t *testing.T) {
	w := withJudge(t, lisa, printed(yes))
	for range 2 {
		w.goesOn("")(w.say(unsure))
	}
	if r := w.last(); r.Asked == nil || !r.Asked.Cached || r.Asked.Micros != 0 || r.State.Spent != 700 {
		t.Errorf("%+v", r)
	}
	w.asked("for one page", 1)
	w.run(w.event(map[string]any{"last_assistant_message": unsure, "session_id": "s2"}))
	w.asked("with another session", 2)
}

func TestJudgeEveryTime(t *testing.T) {
	w := withJudge(t, `{"plugin": "lisa-simpson", "strategy": "lisa-simpson", "cascade": false}`, printed(`{"continue":false,"why":"it is an answer"}`))
	w.keepsSilent("")(w.say(progress))
	if r := w.last(); r.Decision != "stop" || r.Rule != "judge" || !strings.Contains(r.Evidence, "it is an answer") {
		t.Errorf("%+v", r)
	}
	w.run(w.event(map[string]any{"last_assistant_message": progress, "permission_mode": "plan"}))
	w.asked(", the guards let one stop through", 1)
}

// A question without an answer lets Claude stop, and the ledger has the reason. After three failures in a row the
// user is notified once, and the judge pauses.
func TestJudgeDoesNotAnswer(t *testing.T) {
	for name, test := range map[string]struct{ body, failed string }{
		"nothing":        {"true", "junk"},
		"more behind it": {printed(yes) + `; printf '\v\n'`, "junk"},
		"its own word":   {printed(`{"failed":"logged-out","detail":"run claude /login","continue":true}`), "logged-out"},
		"no known word":  {printed(`{"failed":"homer","detail":"mmm","continue":true}`), "junk"},
		"exit code":      {printed(yes) + "; exit 3", "crashed"},
		"huge":           {"head -c 200000 /dev/zero", "crashed"},
		"a held output":  {"sleep 5 & " + printed(yes), "crashed"},
	} {
		t.Run(name, func(t *testing.T) {
			w := withJudge(t, lisa, test.body)
			told := 0
			for i := range 4 {
				out, _ := w.say(unsure + strings.Repeat("!", i))
				scratch.Equal(t, out.Decision, "", out)
				r := w.last()
				want := "unanswered"
				if i == 3 {
					want = "unasked"
				} else if r.Asked == nil || r.Asked.Failed != test.failed {
					t.Errorf("stop %d: %+v", i, r.Asked)
				}
				scratch.Equal(t, r.Rule, want, i, "stop, rule")
				if out.SystemMessage != "" {
					told++
				}
			}
			if told != 1 || len(w.questions()) != 3 {
				t.Errorf("the user was told %d times, %d questions", told, len(w.questions()))
			}
			w.judge(printed(yes))
			w.host.Now = w.host.Now.Add(6 * time.Minute)
			w.goesOn("after a rest")(w.say(unsure))
			if p := w.spend(); p.Failures != 0 || p.Until != 0 {
				t.Errorf("%+v", p)
			}
		})
	}
}

// A project that redirects questions disables the judge there only. The user is notified once in a session, and
// nothing is counted as a failure.
func TestProjectBarsTheJudge(t *testing.T) {
	w := withJudge(t, lisa, printed(`{"failed":"redirected","detail":"the project sets env.ANTHROPIC_BASE_URL"}`))
	for i := range 5 {
		out, _ := w.say(unsure + strings.Repeat("!", i))
		if out.Decision != "" || (i == 0) != strings.Contains(out.SystemMessage, "env.ANTHROPIC_BASE_URL") || i > 0 && out.SystemMessage != "" {
			t.Errorf("stop %d: %+v", i, out)
		}
		if r := w.last(); r.Rule != "unanswered" || r.Asked == nil || r.Asked.Failed != "redirected" {
			t.Errorf("stop %d: %+v", i, r)
		}
	}
	if p := w.spend(); p.Failures != 0 || p.Until != 0 || p.Questions != 0 || p.Micros != 0 {
		t.Errorf("%+v", p)
	}
	w.judge(printed(yes))
	w.goesOn("elsewhere")(w.run(w.event(map[string]any{"last_assistant_message": unsure, "session_id": "elsewhere"})))
	w.say(unsure)
	w.judge(printed(`{"failed":"redirected","detail":"again"}`))
	if out, _ := w.say(unsure + "!!"); !strings.Contains(out.SystemMessage, "again") {
		t.Errorf("barred anew: %+v", out)
	}
}

func TestJudgeIsNotThere(t *testing.T) {
	for what, spoil := range map[string]func(path string) error{
		"there is none":        os.Remove,
		"it is no program":     func(path string) error { return os.WriteFile(path, []byte("D'oh!"), 0o755) },
		"it cannot be started": func(path string) error { return os.Chmod(path, 0o600) },
	} {
		w := withJudge(t, lisa, "true")
		must(t, spoil(w.path("plugin/hooks/springfield-judge")))
		w.keepsSilent(what)(w.say(unsure))
		if r := w.last(); r.Asked == nil || r.Asked.Failed != "no-binary" || r.Decision != "stop" || r.Asked.Micros+r.State.Spent+w.spend().Micros != 0 {
			t.Errorf("%s: %+v, %+v", what, r.Asked, w.spend())
		}
	}
}

// A hold that is set during a question overrides a yes. The question is paid for and its answer remembered.
func TestHoldWhileTheJudgeIsAsked(t *testing.T) {
	w := withJudge(t, lisa, "")
	hold := w.path(".claude/springfield/hold")
	w.judge("echo '{}' >" + strconv.Quote(hold) + "; " + printed(yes))
	w.keepsSilent("")(w.say(unsure))
	if r := w.last(); r.Decision != "stop" || r.Rule != "hold" || r.Asked == nil || r.State.Spent != 700 || len(r.State.Judged) != 1 || len(r.State.Continues) != 0 {
		t.Errorf("%+v", r)
	}
	must(t, os.Remove(hold))
	w.goesOn("after it")(w.say(unsure))
	w.asked("after it", 1)
}

// No model is asked when a yes would change nothing.
func TestJudgeIsNotAskedBeyondTheBudget(t *testing.T) {
	w := withJudge(t, `{"plugin": "lisa-simpson", "strategy": "lisa-simpson", "budget": {"burst": 0}}`, printed(yes))
	w.say(unsure)
	if r := w.last(); r.Rule != "unasked" || r.Asked != nil || len(w.questions()) != 0 {
		t.Errorf("%+v", r)
	}
}

// Money is counted before it is spent.
func TestJudgeCeilings(t *testing.T) {
	dear := `{"continue":true,"why":"go","micros":200000}` // $0.20
	w := withJudge(t, lisa, printed(dear))
	for i := range 3 {
		w.say(unsure + strings.Repeat("!", i))
	}
	w.asked("of 20 cents in a session that has 25", 2)
	if r := w.last(); r.Rule != "unasked" || !strings.Contains(r.Evidence, "spending limit") {
		t.Errorf("%+v", r)
	}
	for i := range 5 {
		w.run(w.event(map[string]any{"last_assistant_message": unsure, "session_id": "other" + strconv.Itoa(i)}))
	}
	w.asked("of 20 cents in a day that has a dollar", 5)
	w.host.Now = w.host.Now.Add(24 * time.Hour)
	w.run(w.event(map[string]any{"last_assistant_message": unsure, "session_id": "tomorrow"}))
	w.asked("on the next day", 6)
}

// Each fault of the user's file is reported once.
func TestFaultsOfTheJudge(t *testing.T) {
	w := newWorld(t, lisa)
	for _, bad := range []string{
		`{"judge": {"command": ["ask"]}}`, `{"judge": {"command": "/bin/ask"}}`, `{"judge": {"cost": -1}}`, `{"judge": {"variables": ["A=B"]}}`,
		`{"judge": {"backend": "homer"}}`, `{"judge": {"model": "a b"}}`, `{"judge": {"model": "-p"}}`, `{"judge": {"within": 1000}}`, `{"judge": {"within": -1}}`,
		`{"judge": {"daily": -1}}`, `{"judge": {"daily": 1e9}}`, `{"judge": {"client": "claude"}}`, `{"judge": {"url": "http://x"}}`,
	} {
		w.write(".claude/springfield/lisa-simpson.json", bad)
		if s, err := ReadSettings(w.path("plugin"), w.path(".claude/springfield"), w.path("project")); err != nil || len(s.Faults) != 1 {
			t.Errorf("%s: %v, %v", bad, s.Faults, err)
		}
	}
}

// An unknown backend is no other one: no page goes where the user has not sent it.
func TestUnknownBackend(t *testing.T) {
	w := withJudge(t, lisa, printed(yes))
	w.write(".claude/springfield/lisa-simpson.json", `{"judge": {"backend": "homer"}}`)
	w.say(unsure)
	if r := w.last(); r.Rule != "unasked" || !strings.Contains(r.Evidence, "judge.command is not set") || len(w.questions()) != 0 {
		t.Errorf("%+v", r)
	}
}

// A program of the user's own is charged at the user's price, whatever its answer.
func TestCommandOfTheUser(t *testing.T) {
	const command = `"backend": "command", "command": ["/opt/ask", "--key=secret"], "variables": ["MY_KEY"]`
	for name, test := range map[string]struct {
		settings, reply string
		asked           int
		micros          int64
	}{
		"an answer":        {command + `, "cost": 0.002`, `{"continue":true,"why":"a next step is named"}`, 1, 2000},
		"no answer":        {command + `, "cost": 0.002`, `{"failed":"junk","detail":"d"}`, 1, 2000},
		"not there":        {command + `, "cost": 0.002`, `{"failed":"no-client","detail":"d"}`, 1, 0},
		"free":             {command + `, "cost": 0`, `{"continue":true,"why":"a next step is named"}`, 1, 0},
		"free, and no day": {command + `, "cost": 0, "daily": 0`, yes, 0, 0},
		"no session":       {command + `, "cost": 0, "session": 0`, yes, 0, 0},
		"too dear":         {command + `, "cost": 0.3`, yes, 0, 0},
		"no cost":          {command, yes, 0, 0},
		"no command":       {`"backend": "command", "cost": 0`, yes, 0, 0},
	} {
		w := withJudge(t, lisa, printed(test.reply))
		w.host.Getenv = func(name string) string { return map[string]string{"LISA_SIMPSON_MODEL": "opus"}[name] }
		w.write(".claude/springfield/lisa-simpson.json", `{"judge": {`+test.settings+`}}`)
		w.say(unsure)
		w.asked(name, test.asked)
		r := w.last()
		if test.asked == 0 {
			scratch.Equal(t, r.Rule, "unasked", name, r.Evidence)
			continue
		}
		q := w.questions()[0]
		if q.Model != "ask" || strings.Join(q.Command, " ") != "/opt/ask --key=secret" || strings.Join(q.Named, " ") != "MY_KEY" || q.Client != "" {
			t.Errorf("%s: %+v", name, q)
		}
		if r.Asked == nil || r.Asked.Model != "ask" || r.Asked.Backend != "command" || r.Asked.Micros != test.micros || r.State.Spent != test.micros || w.spend().Micros != test.micros {
			t.Errorf("%s: %+v, %+v", name, r.Asked, w.spend())
		}
	}
}

// Neither a project's rules nor those that it disables can have the judge asked.
func TestProjectCannotHaveMoreAsked(t *testing.T) {
	for settings, test := range map[string]struct{ says, rule string }{
		`{"add": [{"id": "all", "text": ".", "then": "stop", "sure": 1}, {"id": "more", "text": ".", "then": "continue", "sure": 1}]}`: {"All done.", "all"},
		`{"off": ["progress", "unsure", "talk"]}`: {progress, "progress"},
	} {
		w := withJudge(t, lisa, printed(yes))
		w.host.Project = w.path("project")
		w.write("project/.claude/springfield/lisa-simpson.json", settings)
		w.keepsSilent(settings)(w.say(test.says))
		if r := w.last(); r.Rule != test.rule || r.Decision != "stop" || r.Asked != nil || len(w.questions()) != 0 {
			t.Errorf("%s: %+v", settings, r)
		}
		if test.says == progress {
			w.say(unsure)
			w.asked("where no rule is sure", 1)
		}
	}
}

func TestModelFromTheEnvironment(t *testing.T) {
	for value, want := range map[string]string{
		"": "haiku", "sonnet": "sonnet", "--evil": "haiku", "a b": "haiku", "../../evil": "haiku",
		"arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/x": "haiku", "us.anthropic.claude-haiku-4-5-v1:0": "us.anthropic.claude-haiku-4-5-v1:0",
	} {
		w := withJudge(t, lisa, printed(yes))
		w.host.Getenv = func(name string) string {
			if name == "LISA_SIMPSON_MODEL" {
				return value
			}
			return ""
		}
		w.say(unsure)
		if q := w.questions(); len(q) != 1 || q[0].Model != want {
			t.Errorf("%q: %+v", value, q)
		}
	}
}

// Where the cost is unknown, because of the deadline or an answer without usage, the maximum is charged.
func TestUnknownCostIsTheMaximum(t *testing.T) {
	for failed, test := range map[string]struct{ settings, body string }{
		"timeout": {`, "judge": {"within": 1}`, "sleep 60"},
		"":        {"", printed(`{"continue":true,"why":"a next step is named"}`)},
	} {
		w := withJudge(t, strings.TrimSuffix(lisa, "}")+test.settings+"}", test.body)
		out, _ := w.say(unsure)
		r := w.last()
		scratch.ErrorIf(t, r.Asked == nil || r.Asked.Failed != failed || (out == output{}) != (failed != ""), "%+v, %+v", out, r.Asked)
		if r.Asked.Micros == 0 || r.State.Spent != r.Asked.Micros || w.spend().Micros != r.Asked.Micros {
			t.Errorf("%+v, %+v", r.Asked, w.spend())
		}
	}
}

// deaths are the ways in which Go ends a program on its own. Each exits 2 by
// default, which Claude Code reads as "block".
var deaths = map[string]func(){
	"panic":                func() { panic("D'oh!") },
	"panic in a goroutine": func() { go panic("D'oh!"); select {} },
	"stack overflow":       func() { debug.SetMaxStack(1 << 20); overflow(0) },
	"deadlock":             func() { select {} },
	"unlock of unlocked":   func() { var m sync.Mutex; m.Unlock() },
}

func overflow(n int) int { return overflow(n+1) + 1 }

// TestMain lets the test binary die in the way that the environment names.
func TestMain(m *testing.M) {
	if death, ok := deaths[os.Getenv("HOOK_TEST_DEATH")]; ok {
		if os.Getenv("HOOK_TEST_ARMOUR") != "" {
			AbortOnCrash()
		}
		death()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestArmour(t *testing.T) {
	for name := range deaths {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scratch.Equal(t, die(t, name, ""), 2, "exit code without armour: this test shows nothing")
			// -1: ended by a signal, which shells show as 134.
			scratch.Equal(t, die(t, name, "on"), -1, "exit code, death by SIGABRT")
		})
	}
}

func die(t *testing.T, name, armour string) int {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Dir = t.TempDir() // where a core file would land
	cmd.Env = append(os.Environ(), "HOOK_TEST_DEATH="+name, "HOOK_TEST_ARMOUR="+armour, "GOTRACEBACK=")
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("it lives: %v", err)
	}
	return exit.ExitCode()
}

// A pipe, or a link to a terminal, in the place of a file does not block the hook.
func TestNothingHoldsClaudeUp(t *testing.T) {
	for name, place := range map[string]string{
		"the project's layer": "project/.claude/springfield/ned-flanders.json",
		"the user's layer":    ".claude/springfield/ned-flanders.json",
		"ralph's file":        "project/.claude/ralph-loop.local.md",
		"the hold":            ".claude/springfield/hold",
		"the transcript":      ".claude/projects/-w/pipe.jsonl",
	} {
		for kind, make := range map[string]func(path string) error{
			"pipe":     func(path string) error { return syscall.Mkfifo(path, 0o600) },
			"terminal": func(path string) error { return os.Symlink("/dev/ptmx", path) },
		} {
			t.Run(name+", "+kind, func(t *testing.T) {
				w := newWorld(t, ned)
				must(t, os.MkdirAll(filepath.Dir(w.path(place)), 0o755))
				must(t, make(w.path(place)))
				w.host.Project = w.path("project")
				out, notes := w.run(w.event(map[string]any{
					"last_assistant_message": progress, "cwd": w.path("project"), "transcript_path": w.path(".claude/projects/-w/pipe.jsonl"),
				}))
				// Only a hold means stop: a user wanted that.
				if held := name == "the hold"; (out.Decision == "block") == held {
					t.Errorf("answer %+v, notes %s", out, notes)
				}
			})
		}
	}
}
