package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/moment"
)

// dead is the line that Claude Code leaves of a hook that ended at a moment.
func dead(kind, event, command, stderr string, ended time.Time, took int) string {
	b, _ := json.Marshal(map[string]any{"type": "attachment", "timestamp": ended.UTC().Format(time.RFC3339Nano), "attachment": map[string]any{
		"type": kind, "hookEvent": event, "hookName": event, "command": command, "stderr": stderr, "durationMs": took, "timedOut": kind == "hook_cancelled", "exitCode": 1,
	}})
	return string(b) + "\n"
}

// A hook that cannot say so itself: Claude Code's own log is asked, and an older
// decision is not taken for the answer.
func TestWhyAsksTheSecondWitness(t *testing.T) {
	const (
		hook    = "${CLAUDE_PLUGIN_ROOT}/hooks/springfield-hook"
		missing = "Failed with non-blocking status code: Error occurred while executing hook command: ENOENT: no such file or directory, posix_spawn '/x/springfield-hook'"
		failed  = "hook_non_blocking_error"
	)
	d, out := console(t)
	now := d.Now()
	at := func(seconds int) time.Time { return now.Add(time.Duration(seconds) * time.Second) }
	for name, test := range map[string]struct {
		log       string
		prompts   bool
		undecided bool // it is what why tells of first
		says      string
	}{
		"nothing":                   {"", false, false, ""},
		"missing, later":            {dead(failed, "Stop", hook, missing, at(-60), 12), false, true, "ENOENT: no such file or directory, posix_spawn"},
		"timed out, later":          {dead("hook_cancelled", "Stop", hook, "", at(-60), 3021), false, true, "timed out after 3.0 s"},
		"killed, later":             {dead(failed, "Stop", hook, "Failed with non-blocking status code: No stderr output", at(-60), 8), false, true, "failed without an error message"},
		"on Windows":                {dead(failed, "Stop", hook+".exe", missing, at(-60), 8), false, true, "ENOENT"},
		"at the same stop":          {dead("hook_cancelled", "Stop", hook, "", at(-97), 3000), false, false, "timed out after 3.0 s"},
		"before that decision":      {dead(failed, "Stop", hook, missing, at(-101), 12), false, false, ""},
		"another plugin's":          {dead(failed, "Stop", "${CLAUDE_PLUGIN_ROOT}/hooks/other", missing, at(-60), 12), false, false, ""},
		"of a prompt":               {dead(failed, "UserPromptSubmit", hook, missing, at(-60), 12), false, false, ""},
		"of a prompt, asked for":    {dead(failed, "UserPromptSubmit", hook, missing, at(-60), 12), true, true, "ENOENT"},
		"in words of Claude's":      {`{"type":"assistant","timestamp":"2099-01-01T00:00:00Z","message":{"content":"hook_cancelled"},"attachment":{"type":"hook_cancelled","hookEvent":"Stop","command":"` + hook + `"}}` + "\n", false, false, ""},
		"no JSON":                   {`"hook_cancelled" springfield-hook` + "\n", false, false, ""},
		"a length out of reason":    {dead("hook_cancelled", "Stop", hook, "", at(-60), 1<<60), false, false, "timed out"},
		"no moment":                 {strings.Replace(dead(failed, "Stop", hook, missing, at(-60), 12), "20", "x", 1), false, false, ""},
		"drawing on the terminal":   {dead(failed, "Stop", hook, "\x1b[2J\u202e\u009b boo", at(-60), 12), false, true, "boo"},
		"the newest of several":     {dead(failed, "Stop", hook, missing, at(-60), 12) + dead("hook_cancelled", "Stop", hook, "", at(-30), 1000), false, true, "timed out after 1.0 s"},
		"endless words of a hook’s": {dead(failed, "Stop", hook, strings.Repeat("x", 1<<20), at(-60), 12), false, true, "xxx…"},
	} {
		t.Run(name, func(t *testing.T) {
			d, out := d, out
			d.Dir = filepath.Join(t.TempDir(), "springfield")
			s, err := ledger.Open(d.Dir, "session:s")
			if err != nil {
				t.Fatal(err)
			}
			for _, decision := range []string{"pass", "continue"} {
				if _, err := s.Append(ledger.Record{At: at(-100).UnixMilli(), Session: "s", Cwd: d.Work, Plugin: "ned", Decision: decision, Rule: "progress"}); err != nil {
					t.Fatal(err)
				}
			}
			s.Close()
			put(t, filepath.Join(filepath.Dir(d.Dir), "projects", "p", "s.jsonl"), test.log)
			for _, session := range []string{"", "s"} {
				out.Reset()
				if err := d.Why("last", Asked{Session: session, Prompts: test.prompts}); err != nil {
					t.Fatal(err)
				}
				if got := strings.HasPrefix(out.String(), "a springfield hook did not decide"); got != test.undecided || !strings.Contains(out.String(), test.says) {
					t.Errorf("session %q:\n%s", session, out)
				}
				if !strings.Contains(out.String(), "ned ") || len(out.String()) > 2000 || strings.ContainsAny(out.String(), "\x1b\u202e\u009b") {
					t.Errorf("session %q:\n%q", session, out)
				}
				if says := strings.Contains(out.String(), "Claude Code says"); says != (test.says != "") {
					t.Errorf("Claude Code's words %t:\n%s", says, out)
				}
				out.Reset()
				if err := d.Why("last", Asked{Session: session, Prompts: test.prompts, JSON: true}); err != nil {
					t.Fatal(err)
				}
				var r ledger.Record
				if err := json.Unmarshal(out.Bytes(), &r); err != nil || (r.Decision == ledger.None) != test.undecided || bytes.Count(out.Bytes(), []byte("\n")) != 1 {
					t.Errorf("as JSON: %s, %v", out, err)
				}
			}
		})
	}
	if ms, ok := moment.Read(at(-60).UTC().Format(time.RFC3339Nano)); !ok || ms != at(-60).UnixMilli() {
		t.Errorf("the lines of this test have no moment: %d", ms)
	}
}

// Without a decision on file Claude Code's log is all there is, and the session that
// asks is looked at.
func TestWhyWithoutADecision(t *testing.T) {
	d, out := console(t)
	d.Dir, d.Session = filepath.Join(t.TempDir(), "springfield"), "s"
	put(t, filepath.Join(filepath.Dir(d.Dir), "projects", "p", "s.jsonl"), dead("hook_cancelled", "UserPromptSubmit", "x/hooks/springfield-hook", "", d.Now(), 10_000))
	if err := d.Why("", Asked{}); err != nil || !strings.HasPrefix(out.String(), "a springfield hook did not decide before a prompt, ") || strings.Contains(out.String(), "no decision is recorded") {
		t.Errorf("%v\n%s", err, out)
	}
	d.Session = "../" + d.Session
	out.Reset()
	if err := d.Why("", Asked{}); err != nil || !strings.HasPrefix(out.String(), "no decision is recorded") {
		t.Errorf("%v\n%s", err, out)
	}
}

// A ledger of before there were such records, and one with them.
func TestListsTellOfStartsWithoutADecision(t *testing.T) {
	d, out := console(t)
	now := d.Now()
	s, err := ledger.Open(d.Dir, "session:s")
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range []ledger.Record{
		{Decision: "stop", Rule: "finished"}, {Decision: ledger.None, Rule: "fault:settings", Evidence: "broken"},
		{Decision: "pass", Rule: "none"}, {Decision: ledger.None, Rule: ledger.Killed, Event: "UserPromptSubmit"},
	} {
		r.Cwd, r.At, r.Session, r.Plugin = d.Work, now.Add(time.Duration(i)*time.Second-time.Minute).UnixMilli(), "s", fmt.Sprint("p", i)
		if _, err := s.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	ledger.Begin(d.Dir, "session:s", ledger.Start{At: now.UnixMilli(), Plugin: "p4", Event: "Stop", Session: "s", Project: d.Work}, now).Fail("fault:busy", "locked")
	for _, test := range []struct {
		asked Asked
		log   string // plugins
		why   string
	}{
		{Asked{}, "p0 p1 p3 p4", "p4 did not decide, and Claude stopped"},
		{Asked{Session: "s"}, "p0 p1 p3 p4", "p4 did not decide"},
		{Asked{Prompts: true}, "p2 p3", "p3 did not decide before a prompt"},
	} {
		out.Reset()
		if err := d.Why("", test.asked); err != nil || !strings.HasPrefix(out.String(), test.why) {
			t.Errorf("%+v: %v\n%s", test.asked, err, out)
		}
		out.Reset()
		test.asked.JSON = true
		if err := d.Log(20, test.asked); err != nil {
			t.Fatal(err)
		}
		var plugins []string
		for dec := json.NewDecoder(out); dec.More(); {
			var r ledger.Record
			if err := dec.Decode(&r); err != nil {
				t.Fatal(err)
			}
			plugins = append(plugins, r.Plugin)
		}
		if got := strings.Join(plugins, " "); got != test.log {
			t.Errorf("%+v: log has %q, want %q", test.asked, got, test.log)
		}
	}
}
