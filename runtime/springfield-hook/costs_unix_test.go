//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/ledger"
)

// askers are hooks of lisa-simpson with a stand-in for springfield-judge, which keeps a line for each question.
type askers struct {
	t               *testing.T
	hook, home, log string
}

func newAskers(t *testing.T, limits, answer string) askers {
	a := askers{t, install(t), t.TempDir(), filepath.Join(t.TempDir(), "asked")}
	root := filepath.Dir(filepath.Dir(a.hook))
	must(t, os.WriteFile(filepath.Join(root, "strategy.json"), []byte(`{"plugin": "lisa-simpson", "strategy": "lisa-simpson", "judge": {`+limits+`}}`), 0o600))
	must(t, os.WriteFile(filepath.Join(root, "hooks", "springfield-judge"), []byte("#!/bin/sh\ncat >/dev/null\necho asked >>"+strconv.Quote(a.log)+"\n"+answer+"\n"), 0o755))
	return a
}

func (a askers) asked() int {
	data, _ := os.ReadFile(a.log) // not there: the judge was not asked
	return strings.Count(string(data), "asked")
}

// all lets many stop at once, and waits for each.
func (a askers) all(n int, stop func(i int) (config, session string)) {
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() {
			config, session := stop(i)
			if err := a.command(config, session, i).Run(); err != nil {
				a.t.Error(err)
			}
		})
	}
	wait.Wait()
}

// command starts the hook of an agent that has its configuration in a directory.
func (a askers) command(config, session string, n int) *exec.Cmd {
	cmd := hookCommand(a.t, a.hook)
	cmd.Env = []string{"HOME=" + a.home, "PATH=" + os.Getenv("PATH")}
	cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"hook_event_name":"Stop","session_id":%q,"transcript_path":%q,"cwd":%q,"prompt_id":"p1","last_assistant_message":"Line %d has bytes, which should be a slice of them."}`+"\n",
		session, filepath.Join(a.home, config, "projects", "w", session+".jsonl"), a.home, n))
	return cmd
}

func (a askers) spend() ledger.Spend {
	p, err := ledger.ReadSpend(filepath.Join(a.home, ".claude", "springfield"), time.Now())
	must(a.t, err)
	return p
}

const answer = `sleep 0.3; echo '{"continue":false,"why":"x","usage":{"input":1,"output":1},"micros":10000}'`

// Fifty sessions that stop at once, of agents with two configuration directories, stay within the day's limit, and the
// unused part of each reservation is returned.
func TestManySessionsHoldTheDay(t *testing.T) {
	a := newAskers(t, `"daily": 0.2`, answer)
	must(t, os.Mkdir(filepath.Join(a.home, ".other"), 0o700)) // as its agent has made it
	a.all(50, func(i int) (string, string) { return []string{".claude", ".other"}[i%2], fmt.Sprint("s", i) })
	p, n := a.spend(), a.asked()
	if n == 0 || n > 20 || p.Micros != int64(n)*10_000 || p.Questions != n {
		t.Errorf("%d asked: %+v", n, p)
	}
}

// Nor do many stops of one session spend more than the session's.
func TestManyStopsHoldTheSession(t *testing.T) {
	a := newAskers(t, `"session": 0.05`, answer)
	a.all(20, func(int) (string, string) { return ".claude", "s" })
	if p, n := a.spend(), a.asked(); n == 0 || n > 5 || p.Micros != int64(n)*10_000 {
		t.Errorf("%d asked: %+v", n, p)
	}
}

// A killed hook has spent the maximum cost of its question, of the day and of the session.
func TestKilledHookHasSpent(t *testing.T) {
	a := newAskers(t, `"session": 0.05`, "exec sleep 3")
	cmd := a.command(".claude", "s", 1)
	must(t, cmd.Start())
	for a.asked() == 0 {
		time.Sleep(5 * time.Millisecond)
	}
	must(t, cmd.Process.Kill())
	cmd.Wait()
	s, err := ledger.OpenUnlocked(filepath.Join(a.home, ".claude", "springfield"), "session:s")
	must(t, err)
	defer s.Close()
	if p := a.spend(); p.Micros < 10_000 || s.State.Spent != p.Micros {
		t.Errorf("%+v, %d in the session", p, s.State.Spent)
	}
	scratch.Equal(t, s.State.Number, 0, "decisions")
}
