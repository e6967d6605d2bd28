package settings

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// Concurrent processes: springfields, and a client that rewrites the file without a lock, as Claude Code does.
//   - A reader never sees half a file.
//   - No springfield loses the edit of another.
//   - The client's write is lost only between the last comparison and the rename.

// parts are the roles of the processes.
var parts = map[string]func(*testing.T, order){"write": playWriter, "read": playReader}

// report is the result of a process.
type report struct {
	Done    int // orders carried out, or reads
	Refused int // orders that gave up
	Anew    int // plans made again because another program came first
}

func (o order) reportFile() string {
	return filepath.Join(o.Places.Home, o.Do+" "+o.Plugin+".report")
}

// stopFile is the file whose presence ends the readers.
func (o order) stopFile() string { return filepath.Join(o.Places.Home, "stop") }

func (o order) tell(t *testing.T, r report) {
	t.Helper()
	text, err := json.Marshal(r)
	must(t, err)
	must(t, os.WriteFile(o.reportFile(), text, 0o600))
}

// carryOut plans and writes as the commands do, again if another program came first.
func (o order) carryOut() (anew int, err error) {
	const tries = 5
	for {
		plan, err := o.plan()
		if err == nil {
			err = Journal(o.Places).ApplyChange(plan)
		}
		if anew++; err == nil || anew == tries || !errors.Is(err, journal.ErrChanged) {
			return anew - 1, err
		}
	}
}

// playWriter enables, undoes and disables its plugin in turn, once standard input ends.
func playWriter(t *testing.T, o order) {
	_, _ = io.Copy(io.Discard, os.Stdin)
	var r report
	orders := []string{"enable", "undo", "enable", "disable", "enable"}
	for i := range o.Times {
		now := o
		now.Do = orders[i%len(orders)]
		anew, err := now.carryOut()
		r.Anew += anew
		var changed *journal.ChangedSinceError
		switch {
		case err == nil:
			r.Done++
		case errors.Is(err, journal.ErrChanged), errors.Is(err, journal.ErrLocked), errors.Is(err, journal.ErrNothingToUndo), errors.As(err, &changed):
			r.Refused++
		default:
			t.Fatalf("%s: %v", now.Do, err)
		}
	}
	o.tell(t, r)
}

// playReader reads the settings until stopFile exists.
func playReader(t *testing.T, o order) {
	path := o.Places.Settings(o.Scope)
	var r report
	for !rooted.TargetExists(o.stopFile()) {
		data := scratch.ReadFile(t, path)
		if !json.Valid(data) || !bytes.HasSuffix(data, []byte("}\n")) || !bytes.Contains(data, []byte(`"model": "opus"`)) {
			t.Fatalf("not a whole version: %q", data)
		}
		r.Done++
	}
	o.tell(t, r)
}

func rewriteAsClient(t *testing.T, path string, count int) {
	t.Helper()
	var all map[string]any
	must(t, json.Unmarshal([]byte(look(t, path)), &all))
	all["numStartups"] = count
	text, err := json.MarshalIndent(all, "", "  ")
	must(t, err)
	temp := path + ".client"
	must(t, errors.Join(os.WriteFile(temp, append(text, '\n'), 0o600), os.Rename(temp, path)))
}

// crowd runs twelve writers and three readers at once.
func crowd(t *testing.T, p client.Places) {
	t.Helper()
	const writers = 12
	self, err := os.Executable()
	must(t, err)
	must(t, os.MkdirAll(p.Home, 0o755))
	type player struct {
		order
		cmd   *exec.Cmd
		out   *bytes.Buffer
		ready io.Closer
	}
	var busy, readers []player
	start := func(o order) player {
		pl := player{order: o, cmd: o.command(t, self), out: new(bytes.Buffer)}
		pl.cmd.Stdout, pl.cmd.Stderr = pl.out, pl.out
		var err error
		if pl.ready, err = pl.cmd.StdinPipe(); err != nil {
			t.Fatal(err)
		}
		must(t, pl.cmd.Start())
		return pl
	}
	for i := range 3 {
		readers = append(readers, start(order{Places: p, Do: "read", Plugin: fmt.Sprint(i), Scope: client.User}))
	}
	for i := range writers {
		busy = append(busy, start(order{Places: p, Do: "write", Plugin: fmt.Sprintf("p%d", i), Scope: client.User, Keep: true, Times: 50 / writers}))
	}
	for _, pl := range busy {
		must(t, pl.ready.Close())
	}
	finish := func(pl player) (r report) {
		if err := pl.cmd.Wait(); err != nil {
			t.Errorf("%s %s: %v\n%s", pl.Do, pl.Plugin, err, pl.out)
			return r
		}
		scratch.Equal(t, json.Unmarshal([]byte(look(t, pl.reportFile())), &r), nil, pl.Do, pl.Plugin)
		return r
	}
	var sum report
	for _, pl := range busy {
		r := finish(pl)
		sum.Done += r.Done
		sum.Refused += r.Refused
		sum.Anew += r.Anew
	}
	must(t, os.WriteFile(busy[0].stopFile(), nil, 0o600))
	looks := 0
	for _, pl := range readers {
		looks += finish(pl).Done
	}
	if t.Failed() {
		t.FailNow()
	}
	t.Logf("%d orders carried out, %d refused, %d plans made anew; %d looks", sum.Done, sum.Refused, sum.Anew, looks)
}

// Every edit starts from the result of the one before, so none is lost, and all can be undone.
func TestManySpringfields(t *testing.T) {
	p := newPlaces(t)
	path := p.Settings(client.User)
	put(t, path, twoSpaces)
	crowd(t, p)

	all, err := Journal(p).ReadEntries() // the newest first
	must(t, err)
	is := journal.HashBytes([]byte(twoSpaces))
	for _, e := range slices.Backward(all) {
		for _, f := range e.Edits {
			if f.State {
				continue
			}
			if f.Path != path || f.Before.SHA256 != is {
				t.Fatalf("entry %d (%s) began at %+v, not at %s", e.ID, e.Did, f.Before, is)
			}
			is = f.After.SHA256
		}
	}
	if got := look(t, path); journal.HashBytes([]byte(got)) != is {
		t.Fatalf("the file is %q; the last edit left another", got)
	}
	w := world{order: order{Places: p}}
	must(t, w.undoAll())
	scratch.Equal(t, look(t, path), twoSpaces, "all undone")
	noMemory(t, p)
}

// stepping is a fault point that prints its step and waits for a byte.
const stepping = `package journal

import (
	"fmt"
	"os"
)

func atStep(step string) error {
	fmt.Println("step", step)
	_, err := os.Stdin.Read(make([]byte, 1))
	return err
}
`

// A client that writes before one step of an order loses its write only before the rename.
func TestClientWritesBeforeEveryStep(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "fault.go"), stepping)
	here, err := filepath.Abs("../../internal/journal")
	must(t, err)
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(here, "fault.go"): filepath.Join(dir, "fault.go")}})
	must(t, err)
	put(t, filepath.Join(dir, "overlay.json"), string(overlay))
	program := build(t, "-overlay", filepath.Join(dir, "overlay.json"))

	for _, do := range []string{"enable", "disable", "undo"} {
		t.Run(do, func(t *testing.T) {
			t.Parallel()
			steps, err := stepThrough(t, program, do, 0, false)
			must(t, err)
			last := 0 // the rename of the settings file
			for i, name := range steps {
				if name == "rename" {
					last = i + 1
				}
			}
			for k := 1; k <= len(steps); k++ {
				if k != last && scratch.Skipped(18) {
					continue
				}
				if _, err := stepThrough(t, program, do, k, k == last); err != nil {
					t.Errorf("before step %d of %d (%s): %v", k, len(steps), steps[k-1], err)
				}
			}
			t.Logf("%d steps: the client loses its write before step %d, %s, only", len(steps), last, steps[last-1])
		})
	}
}

// stepThrough carries out an order while the client writes before step k, if not 0, and checks what is lost.
func stepThrough(t *testing.T, program, do string, k int, lost bool) (steps []string, err error) {
	t.Helper()
	p := newPlaces(t)
	path := p.Settings(client.User)
	put(t, path, strings.Replace(twoSpaces, "{", "{\n  \"numStartups\": 0,", 1))
	ned := pluginOf(p, "ned-flanders")
	if do != "enable" {
		enable(t, p, ned, client.User, false)
	}
	cmd := order{Places: p, Do: do, Plugin: ned.Name, Scope: client.User}.command(t, program)
	answer, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var said strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		step, ok := strings.CutPrefix(lines.Text(), "step ")
		if !ok {
			fmt.Fprintln(&said, lines.Text())
			continue
		}
		if steps = append(steps, step); len(steps) == k {
			rewriteAsClient(t, path, 1)
		}
		if _, err := io.WriteString(answer, "\n"); err != nil {
			return nil, err
		}
	}
	failed := cmd.Wait()
	is := look(t, path)
	var all struct{ NumStartups int }
	must(t, json.Unmarshal([]byte(is), &all))
	isOn, counted := on(is, ned.ID()), all.NumStartups == 1
	switch {
	case k == 0:
		return steps, failed
	case counted == lost:
		return steps, fmt.Errorf("the client's write is there: %v\n%s", counted, is)
	case do == "undo" && failed != nil: // it would have taken the client's write away
		if !strings.Contains(said.String(), "has changed since springfield's edit") || !isOn {
			return steps, fmt.Errorf("%v: %s\n%s", failed, said.String(), is)
		}
	case failed != nil:
		return steps, fmt.Errorf("%v: %s", failed, said.String())
	case isOn != (do == "enable"), on(is, "double-shot-latte@superpowers-marketplace") == isOn:
		return steps, fmt.Errorf("on: %v\n%s", isOn, is)
	}
	return steps, nil
}
