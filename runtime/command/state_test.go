package command

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/strategy/marge"
)

// console is one in a scratch directory.
func console(t *testing.T) (d Console, out *bytes.Buffer, file string) {
	t.Helper()
	dir := t.TempDir()
	out = &bytes.Buffer{}
	d = Console{
		Out: out, Dir: filepath.Join(dir, "state"), Self: "springfield", Work: filepath.Join(dir, "project"), Home: dir,
		Now: func() time.Time { return time.Unix(1_770_413_400, 0) }, // 2026-02-06T21:30:00Z
	}
	if err := os.Mkdir(d.Work, 0o755); err != nil {
		t.Fatal(err)
	}
	return d, out, filepath.Join(d.Work, ".claude", "workflow-state.json")
}

func put(t *testing.T, file, data string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(data), 0o640); err != nil {
		t.Fatal(err)
	}
	// A file that has just changed is waited for: its writer may be at work.
	if err := os.Chtimes(file, time.Time{}, time.Now().Add(-time.Minute)); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A new file has the fields of the first design, in its order.
func TestStateSet(t *testing.T) {
	d, out, file := console(t)
	if err := d.Call([]string{"state", "set", "tasks_total=5", "phase=batch_execution", "skill=executing-plans"}); err != nil {
		t.Fatal(err)
	}
	want := `{
  "skill": "executing-plans",
  "phase": "batch_execution",
  "tasks_total": 5,
  "tasks_completed": 0,
  "waiting_for_user": false,
  "updated_at": "2026-02-06T21:30:00Z"
}
`
	if got := content(t, file); got != want {
		t.Errorf("%s", got)
	}
	for _, part := range []string{file, "executing-plans", "0 of 5 done", "continue, rule state"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("no %q in\n%s", part, out)
		}
	}
	if entries, err := os.ReadDir(filepath.Dir(file)); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// What other programs keep in the file stays, in its place.
func TestStateSetKeeps(t *testing.T) {
	d, _, file := console(t)
	put(t, file, "\xef\xbb\xbf{\"mine\": {\"b\": [1,2], \"a\": \"<&>\"}, \"tasks_total\": 3,\r\n \"skill\": \"x\", \"updated_at\": \"\", \"big\": 12345678901234567890, \"waiting_for_user\": true}")
	before, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.StateSet([]string{"tasks_completed=1", "waiting_for_user=no", `next=write "the" <docs>` + "\n\x1b[31m"}, false); err != nil {
		t.Fatal(err)
	}
	want := `{
  "mine": {
    "b": [
      1,
      2
    ],
    "a": "<&>"
  },
  "tasks_total": 3,
  "skill": "x",
  "updated_at": "2026-02-06T21:30:00Z",
  "big": 12345678901234567890,
  "waiting_for_user": false,
  "tasks_completed": 1,
  "next": "write \"the\" <docs> [31m"
}
`
	if got := content(t, file); got != want {
		t.Errorf("%s", got)
	}
	if after, err := os.Stat(file); err != nil || after.Mode() != before.Mode() {
		t.Errorf("mode %v, was %v, %v", after.Mode(), before.Mode(), err)
	}
}

// Claude's word is about its session, a person's about any.
func TestStateSession(t *testing.T) {
	d, _, file := console(t)
	d.Session = "s1"
	for _, test := range []struct {
		inClaude bool
		want     string
	}{{true, "s1"}, {false, ""}, {true, "s1"}} {
		d.Caller = nil
		if test.inClaude {
			d.Caller = registry.ClaudeCode()
		}
		if err := d.StateSet([]string{"tasks_total=2"}, false); err != nil {
			t.Fatal(err)
		}
		w, err := marge.ParseWorkflow([]byte(content(t, file)))
		if err != nil || w.Session != test.want {
			t.Errorf("%q, want %q, %v", w.Session, test.want, err)
		}
	}
}

func TestStateRefuses(t *testing.T) {
	const good = `{"tasks_total": 5, "tasks_completed": 2, "updated_at": "2026-02-06T21:00:00Z"}`
	for name, test := range map[string]struct {
		before string
		fields []string
		says   string
	}{
		"no such field":     {good, []string{"homer=1"}, `has no field "homer"`},
		"the time":          {good, []string{"updated_at=now"}, "updated_at is set automatically"},
		"the session":       {good, []string{"session_id=s9"}, "session_id is set automatically"},
		"no value":          {good, []string{"skill"}, "skill has no value"},
		"negative":          {good, []string{"tasks_total=-1"}, "not a whole number"},
		"too many":          {good, []string{"tasks_total=1000001"}, "more than 1000000"},
		"a fraction":        {good, []string{"tasks_completed=1.5"}, "not a whole number"},
		"perhaps":           {good, []string{"waiting_for_user=perhaps"}, "neither true nor false"},
		"a long text":       {good, []string{"phase=" + strings.Repeat("x", 201)}, "longer than 200 bytes"},
		"more than all":     {good, []string{"tasks_completed=6"}, "more than tasks_total"},
		"nothing to count":  {"", []string{"skill=x"}, "tasks_total is 0 or missing"},
		"one of two is bad": {good, []string{"tasks_completed=3", "homer=1"}, "no field"},
		"broken":            {"{\n  \"tasks_total\": 5,\n}", []string{"tasks_total=5"}, "read state: .claude/workflow-state.json: line 3, column 1: invalid character"},
		"an odd member":     {"{\n \"tasks_total\": \"5\"}", []string{"tasks_total=5"}, ".claude/workflow-state.json: line 2, column 17: tasks_total is not a whole number"},
		"too large":         {`{"x": "` + strings.Repeat("x", 300<<10) + `"}`, []string{"tasks_total=5"}, "larger than 256 KiB"},
		"too large then":    {`{"x": [` + strings.Repeat("1,", 100<<10) + `1]}`, []string{"tasks_total=5"}, "would be larger"},
	} {
		t.Run(name, func(t *testing.T) {
			d, out, file := console(t)
			if test.before != "" {
				put(t, file, test.before)
			}
			err := d.StateSet(test.fields, false)
			if err == nil || !strings.Contains(err.Error(), test.says) || Advice(err) == "" {
				t.Errorf("%v, %q", err, Advice(err))
			}
			after, _ := os.ReadFile(file)
			if string(after) != test.before || out.Len() > 0 {
				t.Errorf("the file is changed, or %q was said", out)
			}
		})
	}
}

func TestStateShow(t *testing.T) {
	d, out, file := console(t)
	show := func(args ...string) string {
		t.Helper()
		out.Reset()
		if err := d.Call(append([]string{"state"}, args...)); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	if got := show(); !strings.Contains(got, "no workflow state") {
		t.Error(got)
	}
	if got := show("show", "--json"); !strings.Contains(got, `"state":null`) || !strings.Contains(got, `"rule":"otherwise"`) {
		t.Error(got)
	}
	put(t, file, `{"tasks_total": 5, "tasks_completed": 2, "waiting_for_user": true, "updated_at": "2026-02-06T21:27:00Z", "session_id": "s\u001b1", "extra": [1]}`)
	got := show("show")
	for _, part := range []string{"2 of 5 done", "waits    for you", "updated  3 min ago", "s1", "extra", "[1]", "stop, rule state-waiting"} {
		if !strings.Contains(got, part) {
			t.Errorf("no %q in\n%s", part, got)
		}
	}
	var answer struct {
		File, Decision, Rule, Evidence string
		State                          map[string]any
	}
	if err := json.Unmarshal([]byte(show("--json")), &answer); err != nil || answer.File != file || answer.State["tasks_total"] != 5.0 || answer.Decision != "stop" || answer.Rule != "state-waiting" {
		t.Errorf("%+v, %v", answer, err)
	}
	for _, args := range [][]string{{"state", "set"}, {"state", "show", "x"}, {"state", "clear"}} {
		if err := d.Call(args); err != ErrUsage {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// From below, the file at the top of the repository is meant.
func TestStateFromBelow(t *testing.T) {
	d, _, file := console(t)
	if err := os.MkdirAll(filepath.Join(d.Work, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	below := d
	below.Work = filepath.Join(d.Work, "a", "b")
	if err := os.MkdirAll(below.Work, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := below.StateSet([]string{"tasks_total=2"}, false); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(content(t, file), `"tasks_total": 2`) {
		t.Error("not at the top")
	}
}

// Whatever is set, the file reads again and says so.
func FuzzStateSet(f *testing.F) {
	f.Add("", "tasks_total=5", "skill=x")
	f.Add(`{"a": {"b": "\ud800"}, "tasks_total": 3}`, "tasks_completed=1", "next=\xff\u2028")
	f.Add("{", "tasks_total=1", "phase=")
	f.Fuzz(func(t *testing.T, before, one, two string) {
		d, _, file := console(t)
		if before != "" {
			put(t, file, before)
		}
		err := d.StateSet([]string{one, two}, true)
		after, readErr := os.ReadFile(file)
		if err != nil {
			if string(after) != before {
				t.Errorf("refused (%v), and changed to %q", err, after)
			}
			return
		}
		w, parseErr := marge.ParseWorkflow(after)
		if readErr != nil || parseErr != nil || w.Updated != 1_770_413_400_000 || !w.Waiting && w.Check() != nil {
			t.Errorf("%q: %v, %v", after, readErr, parseErr)
		}
	})
}
