//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/cameronsjo/springfield/internal/absence"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/process"
)

// The user's command gets a line of text that no shell reads, and JSON, one session after the other.
func TestTellRunsTheCommand(t *testing.T) {
	dir := t.TempDir()
	const hostile = "-x `touch pwned` $(touch pwned); touch pwned"
	script := filepath.Join(dir, "it's tell")
	must(t, os.WriteFile(script, []byte("#!/bin/sh\n[ ! -e \"$0.lock\" ] || echo two at once >> \"$0.told\"\n: > \"$0.lock\"\n"+
		"printf '%s\\n' \"$#\" \"$2\" >> \"$0.told\"; cat >> \"$0.told\"; rm \"$0.lock\"\n[ -e \"$0.ok\" ]\n"), 0o700))
	tell := teller{given: true, env: []string{"PATH=/usr/bin:/bin"}, find: func(program string) string { return rooted.FindProgram(program, "") }}
	must(t, tell.setCommandIfGiven(`"`+script+`" 'a word'`, false))
	v := absence.View{Now: 1000}
	for _, id := range []string{"a", "b"} {
		v.Sessions = append(v.Sessions, absence.Sight{Session: id, State: absence.Working, Project: "/p/" + hostile})
	}
	advance := func(at int64, is absence.State) (failures []string) {
		v.Now = at
		for i := range v.Sessions {
			v.Sessions[i].State, v.Sessions[i].Text = is, hostile
		}
		for {
			if err := tell.startIfIdle(v); err != nil {
				failures = append(failures, err.Error())
			}
			if tell.ended == nil {
				return failures
			}
			err := <-tell.ended
			tell.ended = make(chan error, 1)
			tell.ended <- err
		}
	}
	advance(1000, absence.Working)
	advance(2000, absence.Waiting)
	failures := advance(7000, absence.Waiting)
	if len(failures) != 2 || tell.failure == nil || !strings.Contains(failures[0], "it failed: exit status 1") {
		t.Errorf("failures: %q", failures)
	}
	text := scratch.ReadOrNone(t, script+".told")
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) != 6 || lines[0] != "2" || lines[1] != "waits for you: a "+filepath.Base("/p/"+hostile)+": "+hostile {
		t.Errorf("told:\n%s", text)
	}
	var change absence.Change
	if err := json.Unmarshal([]byte(lines[2]), &change); err != nil || change.Session != "a" || change.State != absence.Waiting {
		t.Errorf("%v: %s", err, lines[2])
	}
	must(t, os.WriteFile(script+".ok", nil, 0o600))
	advance(8000, absence.Finished)
	if failures := advance(13_000, absence.Finished); len(failures) != 0 || tell.failure != nil {
		t.Errorf("a success clears the failure: %q", failures)
	}
	if all, _ := filepath.Glob(filepath.Join(dir, "*pwned*")); len(all) > 0 {
		t.Errorf("a shell has read the text: %q", all)
	}
}

// It tells of many sessions that change at once, and a command that hangs ends with it.
func TestTellOfManySessions(t *testing.T) {
	hang := filepath.Join(t.TempDir(), "hang")
	must(t, os.WriteFile(hang, []byte("#!/bin/sh\nexec 3> \"$0.fifo\"; exec sleep 1000\n"), 0o700))
	must(t, syscall.Mkfifo(hang+".fifo", 0o600))
	tell := teller{given: true, env: []string{"PATH=/usr/bin:/bin"}, find: func(program string) string { return rooted.FindProgram(program, "") }}
	must(t, tell.setCommandIfGiven(hang, false))
	for at, is := range []absence.State{absence.Working, absence.Failed, absence.Failed} {
		v := absence.View{Now: 1000 + int64(at)*5000}
		for i := range 30 {
			v.Sessions = append(v.Sessions, absence.Sight{Session: strconv.Itoa(i), State: is})
		}
		must(t, tell.startIfIdle(v))
	}
	scratch.Equal(t, len(tell.queue), 29, "sessions in the queue")
	opened, err := os.Open(hang + ".fifo") // by then it runs
	must(t, err)
	defer opened.Close()
	begun := time.Now()
	tell.killRunning()
	_, _ = io.ReadAll(opened) // until it has ended
	if time.Since(begun) > process.Patience/2 {
		t.Error("the command outlives the watch")
	}
}

// Ctrl-C ends it with status 0, as a stream and on a terminal, which is left as it was.
func TestWatchEnds(t *testing.T) {
	command := desks(t)["springfield"]
	cmd := command(t, "watch", "--json")
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, `{"at":`) {
		t.Errorf("%v: %s", err, line)
	}
	must(t, cmd.Process.Signal(os.Interrupt))
	scratch.Must(t, cmd.Wait(), "Ctrl-C")

	cmd = command(t, "watch")
	cmd.Env = append(cmd.Env, "TERM=xterm", "NO_COLOR=1")
	screen, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 10, Cols: 60})
	must(t, err)
	defer screen.Close()
	var shown strings.Builder
	readUntil := func(frames int) {
		for buf := make([]byte, 4096); strings.Count(shown.String(), "\x1b[?2026l") < frames; {
			n, err := screen.Read(buf)
			must(t, err)
			shown.Write(buf[:n])
		}
	}
	readUntil(1)
	must(t, pty.Setsize(screen, &pty.Winsize{Rows: 10, Cols: 200}))
	readUntil(2)
	_, err = screen.WriteString(ctrlC)
	must(t, err)
	rest, _ := io.ReadAll(screen) // on Linux an error ends it
	shown.Write(rest)
	scratch.Must(t, cmd.Wait(), "Ctrl-C at a terminal")
	const frame = "\x1b[?2026h\x1b[Hno session is at work; new sessions will appear here\x1b[K\r\n\x1b[J\x1b[?2026l"
	want := "\x1b[?1049h\x1b[?25l" + frame + frame + "^C\x1b[?25h\x1b[?1049l"
	scratch.Equal(t, shown.String(), want)
}
