package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// A kill, a full disk and a broken disk at every step of writing:
//   - Every settings file has the bytes from before or after.
//   - After an error all files are as before, unless only a memory or the journal's entry failed.
//   - Only a kill leaves temporary files.
//   - Undo restores the original bytes; so do the same command and undo, and enable and disable.

// order is the task of another process of this test binary.
type order struct {
	Places  client.Places
	Do      string // enable, disable, undo, or one of parts
	Plugin  string
	Scope   client.Scope
	Declare bool
	Keep    bool
	Times   int
}

const orderVariable = "SPRINGFIELD_TEST_ORDER"

// TestOrder is the entry point of such a process.
func TestOrder(t *testing.T) {
	text := os.Getenv(orderVariable)
	if text == "" {
		return
	}
	var o order
	must(t, json.Unmarshal([]byte(text), &o))
	if play, ok := parts[o.Do]; ok {
		play(t, o)
		return
	}
	if _, err := o.carryOut(); err != nil {
		t.Fatal(err)
	}
}

func (o order) plan() (journal.Change, error) {
	plugin := pluginOf(o.Places, o.Plugin)
	switch o.Do {
	case "enable":
		return NewSettings(o.Places).PlanEnable(Enabling{Plugin: plugin, Scope: o.Scope, Declare: o.Declare, Keep: o.Keep})
	case "disable":
		return NewSettings(o.Places).PlanDisable(plugin, o.Scope)
	case "undo":
		plan, _, err := planUndo(o.Places)
		return plan, err
	}
	return journal.Change{}, fmt.Errorf("there is no order %q", o.Do)
}

// command returns a process of a test binary that carries out the order.
func (o order) command(t *testing.T, program string, env ...string) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(o)
	must(t, err)
	cmd := exec.Command(program, "-test.run=^TestOrder$")
	cmd.Env = append(append(os.Environ(), orderVariable+"="+string(text)), env...)
	return cmd
}

// build compiles a test binary of this package.
func build(t *testing.T, flags ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "installer.test.exe")
	cmd := exec.Command("go", append(append([]string{"test", "-c", "-ldflags=-s -w", "-o", program}, flags...), ".")...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go test -c: %v\n%s", err, out)
	}
	return program
}

// staged is the number of files that an order writes at most: two settings files and their memories.
const staged = 4

const twoSpaces = "{\n  \"model\": \"opus\",\n  \"enabledPlugins\": {\n    \"double-shot-latte@superpowers-marketplace\": true\n  }\n}\n"

func TestFaultsAtEveryStep(t *testing.T) {
	program := build(t, "-tags", "faults")
	for _, files := range []struct {
		name     string
		scope    client.Scope
		declare  bool
		settings map[client.Scope]string // what is there at first
	}{
		{"one new file", client.User, true, nil},
		{"two files", client.Project, true, map[client.Scope]string{client.User: twoSpaces, client.Project: "{}\r\n"}},
		{"two new files", client.Project, true, nil},
	} {
		for _, do := range []string{"enable", "disable", "undo", "undo disable"} {
			t.Run(do+"/"+files.name, func(t *testing.T) {
				t.Parallel()
				verb, _, _ := strings.Cut(do, " ")
				w := world{program: program, order: order{Places: newPlaces(t), Do: verb, Plugin: "ned-flanders", Scope: files.scope, Declare: files.declare}}
				for scope, data := range files.settings {
					put(t, w.order.Places.Settings(scope), data)
				}
				w.original = w.settings(t)
				if do != "enable" {
					enable(t, w.order.Places, pluginOf(w.order.Places, "ned-flanders"), files.scope, files.declare)
				}
				if do == "undo disable" {
					disable(t, w.order.Places, pluginOf(w.order.Places, "ned-flanders"), files.scope)
				}
				w.torture(t)
			})
		}
	}
}

// world is one user's files, on which an order is repeated.
type world struct {
	program  string
	order    order
	original []string          // the settings files before any edit
	old, new []string          // before and after the order
	start    map[string]string // every file before the order
	steps    []string
	mended   []map[string]string // what faults have left so far
}

// settings returns the contents of every scope's file.
func (w *world) settings(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, s := range client.AllScopes() {
		all = append(all, look(t, w.order.Places.Settings(s)))
	}
	return all
}

// reset restores every file.
func (w *world) reset(t *testing.T, files map[string]string) {
	t.Helper()
	must(t, os.RemoveAll(filepath.Dir(w.order.Places.Home)))
	must(t, os.MkdirAll(w.order.Places.Work, 0o755))
	for path, data := range files {
		put(t, path, data)
	}
}

func (w *world) torture(t *testing.T) {
	w.old, w.start = w.settings(t), everything(t, w.order.Places)
	w.reset(t, w.start) // without empty directories, as before every fault
	if _, err := w.run(t, ""); err != nil {
		t.Fatal(err)
	}
	w.new = w.settings(t)
	if len(w.steps) == 0 || slices.Equal(w.old, w.new) {
		t.Fatalf("%d steps, and nothing has changed", len(w.steps))
	}
	every, first := scratch.EveryStep(24)
	for k := first; k < len(w.steps); k += every {
		for _, fault := range []string{"kill", "ENOSPC", "EIO"} {
			w.reset(t, w.start)
			w.check(t, k+1, fault)
		}
	}
	t.Logf("%d steps, 3 faults at every %d. from %d on, which leave %d different worlds to mend", len(w.steps), every, first, len(w.mended))
}

// run carries out the order in a process of its own.
func (w *world) run(t *testing.T, fault string) (said string, err error) {
	t.Helper()
	list := filepath.Join(t.TempDir(), "steps")
	out, err := w.order.command(t, w.program, "SPRINGFIELD_STEPS="+list, "SPRINGFIELD_FAULT="+fault).CombinedOutput()
	w.steps = nil
	for _, line := range strings.Split(strings.TrimSpace(look(t, list)), "\n") {
		n, name, _ := strings.Cut(line, " ")
		if n != strconv.Itoa(len(w.steps)+1) {
			t.Fatalf("step %q after %q", line, w.steps)
		}
		w.steps = append(w.steps, name)
	}
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, out)
	}
	return string(out), err
}

func (w *world) check(t *testing.T, k int, fault string) {
	what := fmt.Sprintf("%s before step %d of %d (%s)", fault, k, len(w.steps), w.steps[k-1])
	all := w.steps
	defer func() { w.steps = all }()
	out, failed := w.run(t, fmt.Sprintf("%d:%s", k, fault))
	if len(w.steps) < k || !slices.Equal(w.steps[:k], all[:k]) {
		t.Fatalf("%s: not reached: %q", what, w.steps)
	}
	if cause, ok := map[string]error{"ENOSPC": syscall.ENOSPC, "EIO": syscall.EIO}[fault]; ok && failed != nil && !strings.Contains(out, cause.Error()) {
		t.Errorf("%s: it does not say so:\n%s", what, out)
	}

	is := w.settings(t)
	for i := range is {
		if is[i] != w.old[i] && is[i] != w.new[i] {
			t.Fatalf("%s: %s settings are neither as before nor as after: %q", what, client.AllScopes()[i], is[i])
		}
	}
	after := everything(t, w.order.Places)
	left := slices.DeleteFunc(slices.Collect(maps.Keys(after)), func(path string) bool { return !strings.HasSuffix(path, ".tmp") })
	if fault == "kill" {
		scratch.ErrorIf(t, len(left) > staged, "%s: left behind: %v", what, left)
	} else {
		scratch.ErrorIf(t, len(left) > 0, "%s: left behind: %v", what, left)
		want := w.old
		if failed == nil || all[k-1] == "forget entry" {
			want = w.new // the journal is all that lags
		}
		scratch.Equal(t, is, want, what, "all or nothing")
	}

	if w.knows(after) {
		return
	}
	for _, mend := range []struct {
		name string
		do   func() error
	}{
		{"undo", w.undoAll},
		{"the command again, undo", func() error { return errors.Join(w.again(w.order), w.undoAll()) }},
		{"enable, disable", func() error {
			enable, disable := w.order, w.order
			enable.Do, disable.Do = "enable", "disable"
			return errors.Join(w.again(enable), w.again(disable))
		}},
		{"disable", func() error {
			disable := w.order
			disable.Do = "disable"
			return w.again(disable)
		}},
	} {
		w.reset(t, after)
		scratch.Equal(t, mend.do(), nil, what, "then", mend.name)
		scratch.Equal(t, w.settings(t), w.original, what, "then", mend.name)
		noMemory(t, w.order.Places)
	}
}

// knows reports whether the same files, except temporary ones and times, were mended before.
func (w *world) knows(files map[string]string) bool {
	same := map[string]string{}
	for path, data := range files {
		if before, after, ok := strings.Cut(data, `"at":"`); ok {
			_, after, _ = strings.Cut(after, `"`)
			data = before + after
		}
		if !strings.HasSuffix(path, ".tmp") {
			same[path] = data
		}
	}
	for _, other := range w.mended {
		if maps.Equal(same, other) {
			return true
		}
	}
	w.mended = append(w.mended, same)
	return false
}

func (w *world) again(o order) error {
	if _, err := o.carryOut(); !errors.Is(err, journal.ErrNothingToUndo) {
		return err
	}
	return nil
}

func (w *world) undoAll() error {
	for {
		_, err := order{Places: w.order.Places, Do: "undo"}.carryOut()
		if errors.Is(err, journal.ErrNothingToUndo) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
