package ledger

import (
	"bytes"
	"errors"
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
	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
)

// TestMain lets the test binary play other hooks of the same session.
func TestMain(m *testing.M) {
	if dir := os.Getenv("LEDGER_TEST_DIR"); dir != "" {
		for range 25 {
			if err := bump(dir, "shared"); err != nil && !errors.Is(err, ErrBusy) {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var must = scratch.Must

// bump counts one up, as a hook spends one continue.
func bump(dir, id string) error {
	s, err := OpenUnlocked(dir, id)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.LockAndRead(); err != nil {
		return err
	}
	state := s.State
	state.InPrompt++
	_, err = s.AppendRecord(Record{Plugin: "p", Decision: "continue", Rule: "r", State: state})
	return err
}

func inPrompt(t *testing.T, dir, id string) int {
	t.Helper()
	s, err := OpenUnlocked(dir, id)
	must(t, err)
	defer s.Close()
	return s.State.InPrompt
}

func TestDir(t *testing.T) {
	config := filepath.Join(t.TempDir(), "any where")
	home := t.TempDir()
	fallback := filepath.Join(home, ".claude", "springfield")
	for name, test := range map[string]struct{ transcript, home, want string }{
		"beside projects":    {filepath.Join(config, "projects", "-w", "s.jsonl"), home, filepath.Join(config, "springfield")},
		"no projects":        {filepath.Join(config, "s.jsonl"), home, fallback},
		"no home":            {"", "", ""},
		"dots do not escape": {filepath.Join(config, "projects", "x", "s.jsonl") + "/../../../../y", home, fallback},
	} {
		scratch.Equal(t, StateDir(test.transcript, test.home), test.want, name)
	}
}

func TestSessionFileNeverFollowsTheID(t *testing.T) {
	dir := t.TempDir()
	seen := map[string]string{}
	for _, id := range []string{"", "a", "../../../etc/passwd", "a/b", "..", "x\x00y", "line\nbreak", "-rf", strings.Repeat("é", 5000), "A"} {
		path := SessionFile(dir, id)
		if filepath.Dir(path) != filepath.Join(dir, "sessions") || len(filepath.Base(path)) != 32+len(".jsonl") {
			t.Errorf("%q: %s", id, path)
		}
		if other, ok := seen[path]; ok {
			t.Errorf("%q and %q share a file", id, other)
		}
		seen[path] = id
	}
}

func TestStateOutlivesTheHook(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".claude", "springfield") // two levels to make
	for want := range 5 {
		scratch.Equal(t, inPrompt(t, dir, "a"), want, "state")
		must(t, bump(dir, "a"))
	}
	scratch.Equal(t, inPrompt(t, dir, "b"), 0, "another session starts at")
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, "sessions"): 0o700, SessionFile(dir, "a"): 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want %o", path, info.Mode(), err, want)
		}
	}
}

// The last complete record counts, whatever a killed hook left after it, and the next one is readable.
func TestTornAndForeignLines(t *testing.T) {
	whole := append(codec.Append(nil, &Record{Plugin: "p", Decision: "continue", Rule: "r", State: State{InPrompt: 8}}), '\n')
	tails := map[string]string{
		"nothing": "", "a line end": "\n", "junk": "\x00\x00\xff", "junk line": "junk\n", "empty object": "{}\n",
		"other object": `{"decision":""}` + "\n", "long junk": strings.Repeat("x", maxRecord-1) + "\n",
	}
	for cut := 1; cut < len(whole)-1; cut += 7 { // all but the line end: complete
		tails[fmt.Sprint("cut at ", cut)] = string(whole[:cut])
	}
	for name, tail := range tails {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for range 3 {
				must(t, bump(dir, "a"))
			}
			f, err := os.OpenFile(SessionFile(dir, "a"), os.O_APPEND|os.O_WRONLY, 0)
			must(t, err)
			_, err = f.WriteString(tail)
			must(t, err)
			f.Close()
			scratch.Equal(t, inPrompt(t, dir, "a"), 3, "state")
			must(t, bump(dir, "a"))
			scratch.Equal(t, inPrompt(t, dir, "a"), 4, "state after the next one")
		})
	}
}

// A fault that found the session locked is recorded without a state.
func TestStatelessRecords(t *testing.T) {
	dir := t.TempDir()
	must(t, bump(dir, "a"))
	for range 500 { // more than what is read at first
		s, err := OpenUnlocked(dir, "a")
		must(t, err)
		busy := Record{Session: "a", Decision: None, Rule: "fault:busy", Evidence: strings.Repeat("x", 500)}
		_, err = s.AppendRecord(busy)
		must(t, err)
		s.Close()
	}
	scratch.Equal(t, inPrompt(t, dir, "a"), 1, "state")
	if all := history(dir, Scope{Session: "a"}, 1000); len(all) != 501 || all[500].ID != "" || all[500].Rule != "fault:busy" {
		t.Errorf("%d records, the last %+v", len(all), all[len(all)-1])
	}
}

// A fault is reported once, and the list of reported faults is bounded.
func TestTell(t *testing.T) {
	var s State
	if !s.NoteTold("ned", "fault:busy") || s.NoteTold("ned", "fault:busy") || !s.NoteTold("marge", "fault:busy") {
		t.Errorf("told %q", s.Faults)
	}
	for i := range 10 * maxFaults {
		s.NoteTold("ned", strings.Repeat("x", i+1))
	}
	scratch.Equal(t, len(s.Faults), maxFaults, "are remembered")
}

func TestStateIsBounded(t *testing.T) {
	var s State
	for i := range 20 {
		m := activity.Memory{Key: strconv.Itoa(i)}
		for e := range 20 {
			m.Told = append(m.Told, strconv.Itoa(e))
		}
		s.Remember(m)
		s.NoteJudgement(Judged{Page: strconv.Itoa(i)})
	}
	if len(s.Loops) != 8 || s.Loops[7].Key != "19" || len(s.Loops[7].Told) != 8 || s.Loops[7].Told[7] != "19" {
		t.Errorf("%+v", s.Loops)
	}
	scratch.ErrorIf(t, len(s.Judged) != maxJudged || s.Judged[maxJudged-1].Page != "19", "%+v", s.Judged)
}

func TestAppendRefusesWhatWouldNotBeFound(t *testing.T) {
	s, err := OpenUnlocked(t.TempDir(), "a")
	must(t, err)
	defer s.Close()
	if _, err := s.AppendRecord(Record{Decision: "stop", Evidence: strings.Repeat("x", maxRecord)}); err == nil {
		t.Error("a record longer than the limit was written")
	}
}

func TestLockGivesUpOnABusyLedger(t *testing.T) {
	dir := t.TempDir()
	first, err := OpenUnlocked(dir, "a")
	must(t, err)
	must(t, first.LockAndRead())
	second, err := OpenUnlocked(dir, "a")
	must(t, err)
	scratch.ErrorIs(t, second.LockAndRead(), ErrBusy, "second hook")
	_, err = first.AppendRecord(Record{Plugin: "p", Decision: "stop", Rule: "r", State: State{InPrompt: 7}})
	must(t, err)
	first.Close()
	scratch.Equal(t, second.LockAndRead(), nil, "after the first has ended")
	scratch.Equal(t, second.State.InPrompt, 7, "state, it was not read again")
	second.Close()
}

// A ledger that has grown keeps its last half, and a waiting hook reads the current state.
func TestHalving(t *testing.T) {
	dir := t.TempDir()
	waiting, err := OpenUnlocked(dir, "a")
	must(t, err)
	padding := strings.Repeat("x", 20<<10)
	n := 0
	add := func() string {
		t.Helper()
		s, err := OpenUnlocked(dir, "a")
		must(t, err)
		defer s.Close()
		must(t, s.LockAndRead())
		if s.State.InPrompt != n {
			t.Fatalf("state %d, want %d", s.State.InPrompt, n)
		}
		n++
		id, err := s.AppendRecord(Record{At: int64(n), Plugin: "p", Decision: "stop", Rule: "r", Evidence: padding, State: State{InPrompt: n}})
		must(t, err)
		return id
	}
	var last string
	for n < 120 {
		last = add()
	}
	info, err := os.Stat(SessionFile(dir, "a"))
	scratch.ErrorIf(t, err != nil || info.Size() > maxFile+maxRecord, "%d bytes, %v", info.Size(), err)
	if want := SessionKey("a")[inID:] + "-120"; last != want {
		t.Errorf("id %s, want %s", last, want)
	}
	if err := waiting.LockAndRead(); err != nil || waiting.State.InPrompt != 120 {
		t.Errorf("the waiting hook: state %d, %v", waiting.State.InPrompt, err)
	}
	waiting.Close()
	all := history(dir, Scope{Session: "a"}, 1000)
	if len(all) < 25 || len(all) > 60 {
		t.Fatalf("%d decisions", len(all))
	}
	for i := 1; i < len(all); i++ {
		if all[i].State.Number != all[i-1].State.Number+1 {
			t.Fatalf("decision %d follows %d", all[i].State.Number, all[i-1].State.Number)
		}
	}
	if r, ok := DecisionByID([]string{dir}, Scope{}, last); !ok || r.State.InPrompt != 120 {
		t.Errorf("find %s: %v", last, ok)
	}
	if _, ok := DecisionByID([]string{dir}, Scope{}, "none-1"); ok {
		t.Error("found what is not there")
	}
}

func TestOpenWithoutAPlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	for _, dir := range []string{"", filepath.Join(file, "springfield")} {
		if _, err := OpenUnlocked(dir, "a"); err == nil {
			t.Errorf("%q: no error", dir)
		}
	}
}

// Eight processes, some killed while they work: no count is lost, no line torn.
func TestManyHooksAtOnce(t *testing.T) {
	self, err := os.Executable()
	must(t, err)
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 8 {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), "LEDGER_TEST_DIR="+dir)
		var out bytes.Buffer
		cmd.Stderr = &out
		must(t, cmd.Start())
		if i%4 == 3 { // in the middle of its work
			time.AfterFunc(time.Duration(5+5*i)*time.Millisecond, func() { cmd.Process.Kill() })
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := cmd.Wait(); err != nil && i%4 != 3 {
				t.Errorf("hook %d: %v %s", i, err, out.String())
			}
		}()
	}
	wg.Wait()

	data := scratch.ReadFile(t, SessionFile(dir, "shared"))
	count := 0
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		var r Record
		if err := codec.ReadObject([]byte(line), &r); err != nil {
			continue // torn by a kill; the state below shows that nothing hangs on it
		}
		if count++; r.State.InPrompt != count {
			t.Fatalf("record %d says %d: two hooks read the same state", count, r.State.InPrompt)
		}
	}
	if got := inPrompt(t, dir, "shared"); got != count || count == 0 {
		t.Errorf("state %d after %d records", got, count)
	}
}

func FuzzRead(f *testing.F) {
	whole := append(codec.Append(nil, &Record{Plugin: "p", Decision: "stop", Rule: "r", State: State{Continues: []int64{1}}}), '\n')
	f.Add(whole)
	f.Add([]byte("\n\n{\"decision\":\"stop\",\"state\":{\"continues\":[1e300]}}\n"))
	f.Add(bytes.Repeat([]byte("x\n"), 40<<10))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		path := SessionFile(dir, "a")
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, data, 0o600))
		before := inPrompt(t, dir, "a")
		if before == 1<<63-1 {
			return
		}
		must(t, bump(dir, "a"))
		scratch.Equal(t, inPrompt(t, dir, "a"), before+1, before, "state, then")
	})
}
