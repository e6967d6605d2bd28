//go:build unix

// Starts of the hook that come to no decision: each is recorded with the reason, why
// tells of it and not of an older decision, and the user hears of it once a session.

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/ledger"
)

// ward is a scratch home with plugins, all with the same hook, and one session.
type ward struct {
	t     *testing.T
	home  string
	log   string // of the session
	state string
}

// kinds are a plugin that answers stops and one that answers prompts.
func kinds() map[string]string {
	return map[string]string{"ned-flanders": "Stop", "todo-continuation": "UserPromptSubmit"}
}

func newWard(t *testing.T, hook string) *ward {
	t.Helper()
	home := t.TempDir()
	w := &ward{t: t, home: home, log: filepath.Join(home, ".claude", "projects", "p", "s.jsonl"), state: filepath.Join(home, ".claude", "springfield")}
	for name := range kinds() {
		scratch.PlaceProgram(t, hook, filepath.Join(home, name, "hooks", "springfield-hook"))
		w.put(w.settings(name), fmt.Sprintf(`{"plugin": %q, "strategy": %q}`, name, name))
	}
	w.put(w.log, `{"type":"assistant","uuid":"a1","message":{"content":[{"type":"tool_use","id":"t1","name":"TodoWrite","input":{"todos":[{"content":"x","status":"pending"}]}}]}}`+"\n")
	return w
}

func (w *ward) settings(plugin string) string { return filepath.Join(w.home, plugin, "strategy.json") }

func (w *ward) put(path, data string) {
	w.t.Helper()
	must(w.t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(w.t, os.WriteFile(path, []byte(data), 0o755))
}

// event has new words each time, so that no budget applies.
func (w *ward) event(plugin string) string {
	return fmt.Sprintf(`{"hook_event_name":%q,"session_id":"s","transcript_path":%q,"cwd":%q,"prompt":"go on","last_assistant_message":"Moving to Task %d."}`, kinds()[plugin], w.log, w.home, rand.Int())
}

func (w *ward) command(plugin string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(w.home, plugin, "hooks", "springfield-hook"), args...)
	cmd.Dir, cmd.Env = w.home, []string{"HOME=" + w.home}
	return cmd
}

// run answers an event and checks the invariants of every answer.
func (w *ward) run(cmd *exec.Cmd, event string) (told string) {
	w.t.Helper()
	var out bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &out
	}
	cmd.Stdin = strings.NewReader(event)
	err := cmd.Run()
	errorIf(w.t, err != nil, "%v", err)
	var answer struct{ SystemMessage string }
	if out.Len() > 0 && json.Unmarshal(out.Bytes(), &answer) != nil {
		w.t.Errorf("standard output is not one answer: %q", out.String())
	}
	return answer.SystemMessage
}

// why is the output of the word why.
func (w *ward) why(plugin string) string {
	w.t.Helper()
	args := []string{"why"}
	if kinds()[plugin] == "UserPromptSubmit" {
		args = append(args, "--prompts")
	}
	// Any hook can be asked; the faulty plugin's own is as good.
	out, err := w.command(plugin, args...).CombinedOutput()
	errorIf(w.t, err != nil, "why: %v, %s", err, out)
	return string(out)
}

// rules are the rules on file, oldest first.
func (w *ward) rules() (all []string) {
	w.t.Helper()
	for r := range ledger.Backwards([]string{w.state}, ledger.Scope{}) {
		all = append(all, r.Rule)
	}
	slices.Reverse(all)
	return all
}

func (w *ward) count(rule string) (n int) {
	for _, r := range w.rules() {
		if r == rule {
			n++
		}
	}
	return n
}

// lock holds the session's ledger.
func (w *ward) lock() (unlock func()) {
	w.t.Helper()
	f, err := os.OpenFile(ledger.SessionFile(w.state, "session:s"), os.O_RDWR, 0)
	must(w.t, err)
	must(w.t, syscall.Flock(int(f.Fd()), syscall.LOCK_EX))
	return func() { f.Close() }
}

func TestFaultsAreOnFile(t *testing.T) {
	hook := install(t)
	for name, fault := range map[string]struct {
		rule, evidence string
		make           func(w *ward, plugin string) (told string)
		told           int
	}{
		"broken settings": {rule: "fault:settings", evidence: "line 1, column", told: 1, make: func(w *ward, plugin string) string {
			w.put(w.settings(plugin), `{"strategy": `)
			return w.run(w.command(plugin), w.event(plugin))
		}},
		"a directory for settings": {rule: "fault:settings", evidence: "is a directory", told: 1, make: func(w *ward, plugin string) string {
			os.Remove(w.settings(plugin))
			if err := os.Mkdir(w.settings(plugin), 0o755); err != nil && !os.IsExist(err) {
				w.t.Fatal(err)
			}
			return w.run(w.command(plugin), w.event(plugin))
		}},
		"no plugin": {rule: "fault:plugin", evidence: "the hook is not in a plugin", told: 1, make: func(w *ward, plugin string) string {
			cmd := w.command(plugin)
			stray := filepath.Join(w.home, "stray")
			scratch.PlaceProgram(w.t, cmd.Path, stray)
			cmd.Path = stray
			return w.run(cmd, w.event(plugin))
		}},
		"half an event": {rule: "fault:event", evidence: "unexpected EOF", make: func(w *ward, plugin string) string {
			return w.run(w.command(plugin), w.event(plugin)[:50])
		}},
		"a busy ledger": {rule: "fault:busy", evidence: "locked by another hook", told: 3, make: func(w *ward, plugin string) string {
			defer w.lock()()
			return w.run(w.command(plugin), w.event(plugin))
		}},
		"an answer that nothing reads": {rule: "fault:answer", evidence: "broken pipe", make: func(w *ward, plugin string) string {
			cmd := w.command(plugin)
			cmd.Stdout = noReader(w.t)
			return w.run(cmd, w.event(plugin))
		}},
		"an answer to a full disk": {rule: "fault:answer", evidence: "no space left", make: func(w *ward, plugin string) string {
			disk, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			must(w.t, err)
			defer disk.Close()
			cmd := w.command(plugin)
			cmd.Stdout = disk
			return w.run(cmd, w.event(plugin))
		}},
	} {
		if _, err := os.Stat("/dev/full"); err != nil && fault.evidence == "no space left" {
			continue // only Linux has it
		}
		for plugin := range kinds() {
			t.Run(name+", "+plugin, func(t *testing.T) {
				w := newWard(t, hook)
				if told := w.run(w.command(plugin), w.event(plugin)); strings.Contains(told, "decision") {
					t.Fatalf("before the fault: %q", told)
				}
				decided := w.rules()
				var messages []string
				say := func(told string) {
					for _, line := range strings.Split(told, "\n") {
						if strings.Contains(line, "without a decision") || strings.Contains(line, "nothing before a prompt") {
							messages = append(messages, line)
						}
					}
				}
				for i := range 3 {
					say(fault.make(w, plugin))
					if said := w.why(plugin); !strings.Contains(said, "did not decide") || !strings.Contains(said, fault.rule) || !strings.Contains(said, fault.evidence) {
						t.Errorf("why, time %d:\n%s", i, said)
					}
				}
				scratch.Equal(t, len(messages), fault.told, "the user was told", "times", messages)
				scratch.Equal(t, w.count(fault.rule), 3, "on file", "times, want 3", w.rules(), "after", decided)
			})
		}
	}
}

// Hooks that are killed at any moment, two plugins at once: whatever they leave, the
// ledger reads, and the next start decides.
func TestKilledAtAnyMoment(t *testing.T) {
	w := newWard(t, install(t))
	var wg sync.WaitGroup
	for plugin := range kinds() {
		wg.Go(func() {
			for i := range 40 {
				cmd := w.command(plugin)
				cmd.Stdin = strings.NewReader(w.event(plugin))
				if err := cmd.Start(); err != nil {
					t.Error(err)
					return
				}
				time.Sleep(time.Duration(i*125) * time.Microsecond)
				cmd.Process.Kill()
				cmd.Wait()
			}
		})
	}
	wg.Wait()
	for plugin := range kinds() {
		before := len(w.rules())
		w.run(w.command(plugin), w.event(plugin))
		errorIf(t, len(w.rules()) == before, "%s: nothing was decided: %v", plugin, w.rules())
	}
}

// noReader is a pipe that has lost its reader.
func noReader(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	must(t, err)
	r.Close()
	t.Cleanup(func() { w.Close() })
	return w
}

// Without a reader the exit code is 0, and the decision is recorded.
func TestReaderIsGone(t *testing.T) {
	hook := install(t)
	for name, test := range map[string]struct {
		stdout, stderr bool // without a reader
		args           []string
		want           string // on the stream that is read
	}{
		"a decision, no stdout":           {stdout: true, want: "continue by rule progress"},
		"a decision, no stderr":           {stderr: true, want: `"decision":"block"`},
		"a decision, neither":             {stdout: true, stderr: true},
		"log as JSON, neither":            {stdout: true, stderr: true, args: []string{"log", "--json"}},
		"hold, no stdout":                 {stdout: true, args: []string{"hold", "1h"}},
		"loop status, no stdout":          {stdout: true, args: []string{"loop", "status"}},
		"what is no word, nobody told so": {stdout: true, stderr: true, args: []string{"D'oh!"}},
	} {
		home := t.TempDir()
		run := func(cmd *exec.Cmd) (string, int) {
			cmd.Dir, cmd.Env = t.TempDir(), []string{"HOME=" + home}
			cmd.Stdin = strings.NewReader(progress)
			var out bytes.Buffer
			if cmd.Stdout = &out; test.stdout {
				cmd.Stdout = noReader(t)
			}
			if cmd.Stderr = &out; test.stderr {
				cmd.Stderr = noReader(t)
			}
			cmd.Run()
			return out.String(), cmd.ProcessState.ExitCode()
		}
		if out, code := run(exec.Command(hook)); code != 0 {
			t.Errorf("%s: a decision: exit code %d, %q", name, code, out)
		} else if len(test.args) == 0 && !strings.Contains(out, test.want) {
			t.Errorf("%s: said %q, want %q", name, out, test.want)
		}
		records, _ := ledger.Newest([]string{home + "/.claude/springfield"}, ledger.Scope{Session: "session:s"}, 10, true, func(ledger.Record) bool { return true })
		errorIf(t, len(records) == 0 || records[0].Decision != "continue", "%s: on file: %+v", name, records)
		if len(test.args) == 0 {
			continue
		}
		// A word may fail; it is not killed.
		if out, code := run(exec.Command(hook, test.args...)); code != 0 && code != 1 {
			t.Errorf("%s: %v: exit code %d, %q", name, test.args, code, out)
		}
	}
}
