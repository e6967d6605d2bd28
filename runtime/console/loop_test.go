package console

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/strategy/wiggum"
)

// loopDesk is a console in a workspace of its own, and the plugin that stops there.
func loopDesk(t *testing.T) (d Console, stop func(text string) (continues bool)) {
	t.Helper()
	root := t.TempDir()
	home, work, plugin := filepath.Join(root, "home"), filepath.Join(root, "work"), filepath.Join(root, "ralph-wiggum")
	for _, dir := range []string{home, work, filepath.Join(plugin, "hooks")} {
		must(t, os.MkdirAll(dir, 0o755))
	}
	must(t, os.WriteFile(filepath.Join(plugin, "strategy.json"), []byte(`{"strategy": "ralph-wiggum"}`), 0o644))
	executable := filepath.Join(plugin, "hooks", "springfield-hook")
	d = Console{
		Out: &bytes.Buffer{}, Err: &bytes.Buffer{}, Dir: filepath.Join(home, ".claude", "springfield"), Now: time.Now, Self: "loop", Work: work,
	}
	d.Driver = func(dir string) LoopDriver { return DriverOfHook(executable, d.Dir, dir) }
	return d, func(text string) bool {
		var out, notes bytes.Buffer
		hook.Process{
			Stdin:  strings.NewReader(fmt.Sprintf(`{"hook_event_name":"Stop","session_id":"s1","cwd":%q,"last_assistant_message":%q}`, work, text)),
			Stdout: &out, Stderr: &notes, Executable: executable, Home: home, Now: time.Now(), Getenv: func(string) string { return "" },
		}.Run()
		return strings.Contains(out.String(), `"decision":"block"`)
	}
}

func (d *Console) goalNow(t *testing.T) wiggum.Goal {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(d.Work, filepath.FromSlash(wiggum.File)))
	must(t, err)
	g, err := wiggum.ReadLoop(data)
	must(t, err)
	return g
}

// Words and the hook can change a loop at the same time.
func TestLoopIsSetWhileItRuns(t *testing.T) {
	d, stop := loopDesk(t)
	must(t, d.StartLoop(LoopStart{Goal: "Never done", Max: 25, Promises: []string{"pigs fly"}}))
	const stops, changes = 15, 30
	var continues int
	var both sync.WaitGroup
	both.Add(2)
	go func() {
		defer both.Done()
		for i := range stops {
			if stop(fmt.Sprintf("Step %d.", i)) {
				continues++
			}
		}
	}()
	var failed error
	go func() {
		defer both.Done()
		quiet := d
		quiet.Out, quiet.Err = &bytes.Buffer{}, &bytes.Buffer{}
		for i := range changes {
			if err := quiet.SetLoop("timeout", []string{fmt.Sprintf("%dm", i+100)}); err != nil {
				failed = err
			}
		}
	}()
	both.Wait()
	errorIf(t, failed != nil, "%v", failed)
	g := d.goalNow(t)
	if continues != stops || g.Count != stops || g.Timeout != (changes+99)*60_000 || g.Session != "s1" || !strings.Contains(g.Body, "Never done") {
		t.Errorf("%d continues of %d, and the loop is %+v", continues, stops, g)
	}
	events, err := ledger.LoopEvents(d.Dir)
	errorIf(t, err != nil || len(events) != 1+stops, "%d events: %v", len(events), err)
}

// The hint about a ceiling is a command that works without springfield on PATH.
func TestCeilingIsRaisedBySelf(t *testing.T) {
	d, _ := loopDesk(t)
	d.Self, d.Caller = `"/plugins/hook"`, registry.DefaultHost()
	must(t, d.StartLoop(LoopStart{Goal: "Never done", Max: 90}))
	said := d.Err.(*bytes.Buffer).String()
	errorIf(t, !strings.HasSuffix(said, d.Self+" loop set max 90\n"), "%s", said)
}

// The end of a loop is recorded once.
func TestLoopStopsOnce(t *testing.T) {
	for name, end := range map[string]func(d Console) error{
		"stop --delete":  func(d Console) error { return d.StopLoopIfAny(true) },
		"set active":     func(d Console) error { return d.SetLoop("active", []string{"false"}) },
		"stop, delete":   func(d Console) error { return cmp.Or(d.StopLoopIfAny(false), d.StopLoopIfAny(true)) },
		"start, replace": func(d Console) error { return d.StartLoop(LoopStart{Goal: "Another", Replace: true}) },
	} {
		t.Run(name, func(t *testing.T) {
			d, stop := loopDesk(t)
			must(t, d.StartLoop(LoopStart{Goal: "One"}))
			id := d.goalNow(t).ID
			if !stop("Working.") {
				t.Fatal("the loop does not go on")
			}
			must(t, end(d))
			stop("Still working.")
			events, err := ledger.LoopEvents(d.Dir)
			must(t, err)
			var said []string
			for _, e := range events {
				if e.Loop == id {
					said = append(said, e.Event)
				}
			}
			got := strings.Join(said, " ")
			errorIf(t, got != "start iteration cancel", "the history says %s", got)
		})
	}
}

// Whatever the file contains, the words answer, write nothing outside, and replace no loop unasked.
func FuzzLoopWords(f *testing.F) {
	for _, text := range []string{"", "---\n---\n", "---\nactive: false\n---\n", "---\nloop_id: ../../x\nsession_id: ../s\nmax_iterations: 0\n---\n\x1b[31m", "---\r\ncompletion_promise: [a, \"b|c\"]\r\n---\r\nx"} {
		f.Add([]byte(text), "max", "3")
		f.Add([]byte(text), "promise", "x\ny")
	}
	f.Fuzz(func(t *testing.T, data []byte, key, value string) {
		d, _ := loopDesk(t)
		file := filepath.Join(d.Work, filepath.FromSlash(wiggum.File))
		put(t, file, string(data))
		was, fault := wiggum.ReadLoop(data)
		must(t, d.LoopStatus(false))
		must(t, d.LoopStatus(true))
		out := d.Out.(*bytes.Buffer).String()
		errorIf(t, strings.ContainsAny(strings.ReplaceAll(out, "\n", ""), "\x1b\r\x00\u202e"), "it prints %q", out)
		if err := d.SetLoop(key, []string{value}); err == nil {
			if now, err := os.ReadFile(file); err != nil || fault != nil {
				t.Errorf("set %q %q worked on %q: %q, %v", key, value, data, now, err)
			} else if _, err := wiggum.ReadLoop(now); err != nil {
				t.Errorf("set %q %q made %q: %v", key, value, now, err)
			}
		} else if now, _ := os.ReadFile(file); !bytes.Equal(now, data) {
			t.Errorf("set failed with %v and made %q", err, now)
		}
		errorIf(t, (d.StartLoop(LoopStart{Goal: value}) == nil) && (fault != nil || was.Active && key != "active"),
			"a loop began over %q", data)
		must(t, d.StopLoopIfAny(true))
		entries, err := os.ReadDir(d.Work)
		errorIf(t, err != nil || len(entries) != 1, "%v is there: %v", entries, err)
	})
}
