//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/ledger"
)

// noReader is a pipe that has lost its reader.
func noReader(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	must(t, err)
	r.Close()
	t.Cleanup(func() { w.Close() })
	return w
}

// A reader that has gone away ends neither a decision nor a word: exit code 0,
// and what was decided is recorded.
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
		t.Run(name, func(t *testing.T) {
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
				t.Errorf("a decision: exit code %d, %q", code, out)
			} else if len(test.args) == 0 && !strings.Contains(out, test.want) {
				t.Errorf("said %q, want %q", out, test.want)
			}
			records, _ := ledger.Newest([]string{home + "/.claude/springfield"}, ledger.Scope{Session: "session:s"}, 10, func(ledger.Record) bool { return true })
			if len(records) == 0 || records[0].Decision != "continue" {
				t.Errorf("on file: %+v", records)
			}
			if len(test.args) == 0 {
				return
			}
			// A word may fail; it is not killed.
			if out, code := run(exec.Command(hook, test.args...)); code != 0 && code != 1 {
				t.Errorf("%v: exit code %d, %q", test.args, code, out)
			}
		})
	}
}
