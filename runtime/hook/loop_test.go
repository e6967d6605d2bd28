package hook

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/strategy/wiggum"
)

const (
	wiggumOne = `{"plugin": "ralph-wiggum", "strategy": "ralph-wiggum"}`
	wiggumTwo = `{"plugin": "ralph-wiggum", "strategy": "ralph-wiggum", "protocol": "exit2"}`
	loopFile  = "work/" + wiggum.File
	loopText  = "---\niteration_count: 1\nmax_iterations: 10\ncompletion_promise: \"All tests passing\"\nactive: true\nmood: sunny # mine\n---\n\nFix the tests.\n"
)

// inLoop is a world with a goal loop in its workspace.
func inLoop(t *testing.T, config, text string) *world {
	t.Helper()
	w := newWorld(t, config)
	w.write(loopFile, text)
	w.host.Project = w.path("work")
	return w
}

// stop is one stop of a session in that workspace, a minute after the last one: a file that is fresher is waited for.
func (w *world) stop(session, text string) (output, string) {
	w.t.Helper()
	if info, err := os.Lstat(w.path(loopFile)); err == nil && info.Mode().IsRegular() {
		w.old(loopFile)
	}
	w.host.Now = w.host.Now.Add(time.Minute)
	return w.run(w.event(map[string]any{"session_id": session, "cwd": w.path("work"), "last_assistant_message": text}))
}

// words are others for each i.
func words(i int) string { return "Working" + strings.Repeat(", working", i) }

// read returns the content of a file, "" if it does not exist.
func (w *world) read(name string) string {
	w.t.Helper()
	data, err := os.ReadFile(w.path(name))
	if err != nil && !os.IsNotExist(err) {
		w.t.Fatal(err)
	}
	return string(data)
}

// happened are the events in the history.
func (w *world) happened() string {
	w.t.Helper()
	all, err := ledger.LoopEvents(w.path(".claude/springfield"))
	must(w.t, err)
	var out []string
	for _, e := range all {
		out = append(out, fmt.Sprint(e.Event, e.Count))
	}
	return strings.Join(out, " ")
}

// From the file's first stop to its last: eight continues, whatever the budget would say, the user's text and
// fields as they are, a history, and silence afterwards. The next file is another loop.
func TestLoopRunsToItsLimit(t *testing.T) {
	w := inLoop(t, wiggumOne, loopText)
	for i := 2; i <= 9; i++ {
		out, _ := w.stop("s1", words(i))
		if !strings.HasPrefix(out.Reason, fmt.Sprintf("[ralph-wiggum: %d of 10 turns done] ", i)+wiggum.Reminder+"\n") || !strings.HasSuffix(out.Reason, "Fix the tests.") {
			t.Fatalf("stop %d: %+v", i, out)
		}
		if want := "ralph-wiggum: 2 of 10 turns done, until Claude says “All tests passing” (/ralph-wiggum:hold to stop)"; i == 2 && out.SystemMessage != want || i == 3 && out.SystemMessage != "" {
			t.Errorf("stop %d: the user is told %q", i, out.SystemMessage)
		}
		got := w.read(loopFile)
		if !strings.Contains(got, fmt.Sprintf("iteration_count: %d\n", i)) || !strings.Contains(got, "mood: sunny # mine\nsession_id: \"s1\"\n") || !strings.HasSuffix(got, "\n---\n\nFix the tests.\n") {
			t.Fatalf("the file became\n%s", got)
		}
	}
	out, _ := w.stop("s1", "Working still.")
	if out.Decision != "" || !strings.Contains(out.SystemMessage, "the loop is over: 10 of 10 turns done") || w.read(loopFile) != "" {
		t.Errorf("at the limit: %+v", out)
	}
	w.keepsSilent("afterwards")(w.stop("s1", "Hello."))
	if got, want := w.happened(), "start1 iteration2 iteration3 iteration4 iteration5 iteration6 iteration7 iteration8 last9 limit10"; got != want {
		t.Errorf("history %s\nwant    %s", got, want)
	}
	w.write(loopFile, strings.Replace(loopText, "All tests passing", "Documentation complete", 1))
	w.toldToGoOn("the next loop", "[ralph-wiggum: 2 of 10 turns done] ")(w.stop("s1", "Which of them?"))
	if out, _ := w.stop("s1", "documentation COMPLETE"); out.Decision != "" || !strings.Contains(out.SystemMessage, "Claude said “Documentation complete”") || w.read(loopFile) != "" {
		t.Errorf("its promise: %+v", out)
	}
	if r, _ := w.newest("session:s1"); r.Rule != "promise" || r.Decision != "stop" {
		t.Errorf("the ledger has %+v", r)
	}
}

// An edit by hand, a hold and a pause count from the next stop on, and lose nothing.
func TestLoopObeysItsUser(t *testing.T) {
	w := inLoop(t, wiggumOne, loopText)
	edit := func(old, new string) {
		t.Helper()
		text := w.read(loopFile)
		if !strings.Contains(text, old) {
			t.Fatalf("no %q in\n%s", old, text)
		}
		w.write(loopFile, strings.Replace(text, old, new, 1))
	}
	w.stop("s1", "a")
	edit("max_iterations: 10", "max_iterations: 20")
	w.toldToGoOn("more iterations", "[ralph-wiggum: 3 of 20 turns done] ")(w.stop("s1", "b"))
	dir, before := w.path(".claude/springfield"), w.read(loopFile)
	_, err := ledger.SetHold(dir, "", w.host.Now, 0, ledger.Means{})
	must(t, err)
	w.keepsSilent("held")(w.stop("s1", "c"))
	scratch.Equal(t, w.read(loopFile), before, "held")
	must(t, ledger.LiftHoldIfAny(dir, "", w.host.Now, ledger.Means{}))
	w.toldToGoOn("after the hold", "[ralph-wiggum: 4 of 20 turns done] ")(w.stop("s1", "d"))
	edit("active: true", "active: false")
	before = w.read(loopFile)
	if out, _ := w.stop("s1", "e"); out.Decision != "" || w.read(loopFile) != before {
		t.Errorf("inactive: %+v", out)
	}
	edit("active: false", "active: true")
	w.toldToGoOn("active again", "[ralph-wiggum: 5 of 20 turns done] ")(w.stop("s1", "f"))
	must(t, os.Remove(w.path(loopFile)))
	w.ends("deleted", "its file is gone")(w.stop("s1", "g"))
	if got := w.happened(); !strings.HasSuffix(got, "cancel4 iteration5 cancel5") {
		t.Errorf("history %s", got)
	}
}

// A file is one session's: the first that stops there, or the one that it names.
func TestLoopBelongsToOneSession(t *testing.T) {
	w := inLoop(t, wiggumOne, loopText)
	w.stop("s1", "a")
	mine := w.read(loopFile)
	w.keepsSilent("another session")(w.stop("s2", "All tests passing"))
	scratch.Equal(t, w.read(loopFile), mine, "another session")
	w.goesOn("its own")(w.stop("s1", "b"))
	for range 4 {
		w := inLoop(t, wiggumOne, loopText)
		var all sync.WaitGroup
		var blocks [8]bool
		for i := range blocks {
			all.Go(func() {
				event := map[string]any{"session_id": fmt.Sprint("s", i), "cwd": w.path("work"), "last_assistant_message": "x"}
				_, stdout, _ := w.raw(w.event(event))
				blocks[i] = strings.Contains(stdout, `"decision":"block"`)
			})
		}
		all.Wait()
		winner, n := "", 0
		for i, blocked := range blocks {
			if blocked {
				winner, n = fmt.Sprint("s", i), n+1
			}
		}
		goal, err := wiggum.ReadLoop([]byte(w.read(loopFile)))
		if n != 1 || err != nil || goal.Session != winner || goal.Count != 2 {
			t.Fatalf("%d of eight sessions went on; the file is that of %q at %d: %v", n, goal.Session, goal.Count, err)
		}
	}
}

// exit2 runs one stop under the other protocol.
func (w *world) exit2(text string) (code int, stdout, stderr string) {
	return w.raw(w.event(map[string]any{"hook_event_name": "", "cwd": w.path("work"), "last_assistant_message": text}))
}

// says checks the words of a stop that lets Claude stop under exit2.
func (w *world) says(when, words string) func(code int, stdout, stderr string) {
	return func(code int, stdout, stderr string) {
		w.t.Helper()
		if code != 0 || stdout != "" || stderr != words {
			w.t.Errorf("%s: %d, %q, %q", when, code, stdout, stderr)
		}
	}
}

// Exit code 2 and words on standard error, and nothing else there.
func TestLoopWithExitCodeTwo(t *testing.T) {
	w := inLoop(t, wiggumTwo, strings.Replace(loopText, "_iterations: 10", "_iterations: 4", 1))
	w.write(".claude/springfield/ralph-wiggum.json", `{"no such": 1}`)
	for i := 2; i <= 3; i++ {
		code, stdout, stderr := w.exit2(fmt.Sprint("Working, ", i))
		if code != 2 || stdout != "" || !strings.HasPrefix(stderr, "\n\n"+wiggum.Reminder+"\n") || !strings.HasSuffix(stderr, "\n\nFix the tests.\n") {
			t.Errorf("stop %d: %d, %q, %q", i, code, stdout, stderr)
		}
	}
	w.says("at the limit", "[CONTINUATION LOOP] Max iterations (4) reached. Loop stopped.\n")(w.exit2("Working still."))
	w.says("without a file", "")(w.exit2("Working still."))
	w.write(loopFile, loopText)
	if code, stdout, stderr := w.exit2("all tests passing!"); code != 0 || stdout != "" || stderr != "[CONTINUATION LOOP] Completion promise detected. Loop stopped successfully.\n" || w.read(loopFile) != "" {
		t.Errorf("the promise: %d, %q, %q", code, stdout, stderr)
	}
	// These words alone on standard error are a shell's, to Claude Code.
	for _, words := range []string{"No such file or directory", "CAN'T OPEN it"} {
		w.write(loopFile, loopText+words+"\n")
		if code, stdout, stderr := w.exit2("x"); code != 2 || stdout != "{}\n" || !strings.HasSuffix(stderr, words+"\n") {
			t.Errorf("%s: %d, %q, %q", words, code, stdout, stderr)
		}
	}
	w.write(loopFile, strings.Replace(loopText, "true", "false", 1))
	if code, stdout, stderr := w.exit2("x"); code != 0 || stdout != "" || stderr != "" || w.read(loopFile) == "" {
		t.Errorf("inactive: %d, %q, %q", code, stdout, stderr)
	}
}

// Claude Code's directory follows every cd, the loop does not: it is the nearest upwards, in the same repository.
func TestLoopFromASubdirectory(t *testing.T) {
	w := inLoop(t, wiggumOne, loopText)
	w.host.Project = ""
	w.write("work/packages/api/x", "")
	below := func(text string) (output, string) {
		return w.run(w.event(map[string]any{"cwd": w.path("work/packages/api"), "last_assistant_message": text}))
	}
	w.keepsSilent("without a repository")(below("a"))
	scratch.Equal(t, w.read(loopFile), loopText, "without a repository")
	w.write("work/.git/HEAD", "")
	if out, _ := below("b"); !strings.HasPrefix(out.SystemMessage, "ralph-wiggum: 2 of 10 turns done") {
		t.Errorf("below: %+v", out)
	}
	w.toldToGoOn("at the top", "[ralph-wiggum: 3 of 10 turns done] ")(w.stop("s1", "c"))
	w.write("work/packages/api/"+wiggum.File, strings.Replace(loopText, "Fix the tests", "Write the page", 1))
	if out, _ := below("d"); !strings.HasPrefix(out.Reason, "[ralph-wiggum: 2 of 10 turns done] ") || !strings.HasSuffix(out.Reason, "Write the page.") {
		t.Errorf("a nearer one: %+v", out)
	}
	if out, _ := below("all tests passing"); out.Decision != "" || w.read(loopFile) == "" || w.read("work/packages/api/"+wiggum.File) != "" {
		t.Errorf("its promise: %+v", out)
	}
}

// An event that names no directory: the process's counts.
func TestLoopInTheProcessesDirectory(t *testing.T) {
	w := inLoop(t, wiggumOne, loopText)
	t.Chdir(w.path("work"))
	out, _ := w.run(`{"last_assistant_message": "Still working"}`)
	if out.Decision != "block" || !strings.Contains(w.read(loopFile), "iteration_count: 2\n") || strings.Contains(w.read(loopFile), "session_id") {
		t.Errorf("%+v\n%s", out, w.read(loopFile))
	}
	out, _ = w.run(`{"last_assistant_message": "All tests passing"}`)
	if out.Decision != "" || w.read(loopFile) != "" {
		t.Errorf("the promise: %+v\n%s", out, w.read(loopFile))
	}
}

// Hostile files in the loop's place let Claude stop, and nothing is written, neither there nor at the target of a link.
func TestHostileLoopFiles(t *testing.T) {
	link := func(to string) func(w *world) error {
		return func(w *world) error { return os.Symlink(w.path(to), w.path(loopFile)) }
	}
	text := func(s string) func(w *world) error {
		return func(w *world) error { w.write(loopFile, s); return nil }
	}
	for name, test := range map[string]struct {
		make func(w *world) error
		told string
	}{
		"empty":                 {text(""), "line 1"},
		"without its end":       {text("---\nactive: true\n"), "no line \"---\" ends the fields"},
		"gigantic":              {text("---\n---\n" + strings.Repeat("x", 300<<10)), "larger than 256 KiB"},
		"a link out":            {link("outside.md"), ""},
		"a link within":         {func(w *world) error { return os.Symlink("../other.md", w.path(loopFile)) }, "it is a link"},
		"a link to nowhere":     {link("work/nowhere.md"), ""},
		"a directory":           {func(w *world) error { return os.MkdirAll(w.path(loopFile), 0o755) }, "not a regular file"},
		"its directory is out":  {func(w *world) error { return os.Symlink(w.path("elsewhere"), w.path("work/.stravinsky")) }, ""},
		"its directory, a file": {func(w *world) error { w.write("work/.stravinsky", "x"); return nil }, ""},
		"of another session":    {text(strings.Replace(loopText, "mood: sunny", "session_id: \"../../s9\"", 1)), ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, wiggumOne)
			w.write("outside.md", loopText)
			w.write("elsewhere/continuation-loop.md", loopText)
			w.write("work/other.md", loopText)
			if !strings.HasPrefix(name, "its directory") {
				must(t, os.MkdirAll(w.path("work/.stravinsky"), 0o755))
			}
			must(t, test.make(w))
			before := w.workspace()
			for i := range 3 {
				out, _ := w.stop("s1", words(i))
				if out.Decision != "" || i == 0 && !strings.Contains(out.SystemMessage, test.told) {
					t.Errorf("stop %d: %+v, want %q", i, out, test.told)
				}
				if name != "a link within" && i > 0 && out.SystemMessage != "" {
					t.Errorf("stop %d: told again: %q", i, out.SystemMessage)
				}
			}
			scratch.Equal(t, w.workspace(), before)
		})
	}
}

// workspace is everything outside of the state directory and the plugin.
func (w *world) workspace() map[string]string {
	w.t.Helper()
	all := scratch.ReadTree(w.t, w.home)
	maps.DeleteFunc(all, func(name, _ string) bool {
		return strings.HasPrefix(name, ".claude/") || strings.HasPrefix(name, "plugin/")
	})
	return all
}

// Another process has truncated the file and is about to write it: the half is not taken for the whole.
func TestHalfWrittenLoopFile(t *testing.T) {
	w := inLoop(t, wiggumOne, loopText[:40])
	done := make(chan error)
	go func() {
		time.Sleep(100 * time.Millisecond)
		done <- os.WriteFile(w.path(loopFile), []byte(loopText), 0o600)
	}()
	out, _ := w.at("s1", "Working.")
	must(t, <-done)
	if out.Decision != "block" || !strings.HasSuffix(w.read(loopFile), "Fix the tests.\n") {
		t.Errorf("%+v\n%s", out, w.read(loopFile))
	}
}

// A loop whose count cannot be written ends, and the user is notified.
func TestLoopFileThatCannotBeWritten(t *testing.T) {
	w := inLoop(t, wiggumOne, loopText)
	must(t, os.Chmod(w.path(loopFile), 0o444))
	for range 2 {
		out, _ := w.stop("s1", "Working.")
		if out.Decision != "" || !strings.Contains(out.SystemMessage, "write .stravinsky/continuation-loop.md: it is read-only") || w.read(loopFile) != loopText {
			t.Errorf("%+v\n%s", out, w.read(loopFile))
		}
	}
	if r, ok := w.newest("session:s1"); !ok || r.Rule != "unwritten" || r.Decision != "stop" {
		t.Errorf("the ledger has %+v", r)
	}
	must(t, os.Chmod(w.path(loopFile), 0o640))
	w.goesOn("writable")(w.stop("s1", "Working."))
	scratch.Equal(t, scratch.ModeOf(t, w.path(loopFile)), 0o640, "its mode")
}

// The file may come with a repository that was cloned: only the user raises the ceiling over it.
func TestLoopCeiling(t *testing.T) {
	at := func(count int) string {
		return fmt.Sprintf("---\niteration_count: %d\nmax_iterations: 500\n---\n", count)
	}
	for name, test := range map[string]struct {
		plugin, user, project string
		most                  int
	}{
		"by itself":               {"", "", "", 25},
		"the user raises it":      {"", `{"ceiling": 40}`, "", 40},
		"the user lowers it":      {"", `{"ceiling": 5}`, "", 5},
		"the plugin cannot raise": {`, "ceiling": 70`, "", "", 25},
		"the project lowers it":   {"", "", `{"ceiling": 6}`, 6},
		"nor above the user":      {"", `{"ceiling": 5}`, `{"ceiling": 20}`, 5},
		"no driver is boundless":  {"", `{"ceiling": 100000}`, "", 25},
	} {
		t.Run(name, func(t *testing.T) {
			w := inLoop(t, strings.TrimSuffix(wiggumOne, "}")+test.plugin+"}", at(test.most-2))
			w.layers("ralph-wiggum", test.user, "")
			if test.project != "" {
				w.write("work/.claude/springfield/ralph-wiggum.json", test.project)
			}
			says := fmt.Sprintf("of %d turns done (the file asks for 500; your ceiling is %d)", test.most, test.most)
			if out, _ := w.stop("s1", "a"); out.Decision != "block" || !strings.Contains(out.SystemMessage, says) {
				t.Errorf("below it: %+v", out)
			}
			w.ends("at it", says)(w.stop("s1", "b"))
		})
	}
}

// A new file in the place of the last one, at every stop, does not keep Claude going for ever: loops of one prompt have
// four times the ceiling together. Nor do loops that take turns until each is forgotten, whatever prompts the log has.
func TestLoopsWithoutEnd(t *testing.T) {
	asks := func(w *world, prompt string) {
		w.typed(prompt, "go")
	}
	for name, places := range map[string]int{"one place": 1, "many places": 11} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // each stop waits for a log that is behind the event
			w := newWorld(t, wiggumOne)
			w.write(".claude/springfield/ralph-wiggum.json", `{"ceiling": 12}`)
			prompt := "p1"
			stop := func(i int) output {
				work := fmt.Sprint("work", i%places)
				w.write(work+"/"+wiggum.File, loopText)
				w.old(work + "/" + wiggum.File)
				w.host.Now = w.host.Now.Add(time.Minute)
				out, _ := w.run(w.event(map[string]any{"cwd": w.path(work), "prompt_id": prompt, "last_assistant_message": fmt.Sprint("Working, ", i)}))
				return out
			}
			continues, told := 0, ""
			for i := range 60 {
				if asks(w, "p1"); i > 0 {
					asks(w, fmt.Sprint("forged", i))
				}
				if out := stop(i); out.Decision == "block" {
					continues++
				} else {
					told = out.SystemMessage
				}
			}
			scratch.ErrorIf(t, continues > 48 || continues < 12, "%d continues, %q", continues, told)
			if _, err := os.Stat(w.path("work0/" + wiggum.File)); err != nil {
				t.Error(err) // a goal is not lost by that
			}
			asks(w, "p2")
			prompt = "p2"
			if out := stop(0); out.Decision != "block" {
				t.Errorf("for another prompt: %+v", out)
			}
		})
	}
}

// A loop has its iterations and no more, whatever the log, its file and other sessions do. Only a number that the
// user types raises them.
func TestLoopHasItsIterations(t *testing.T) {
	text := strings.Replace(loopText, "mood", "loop_id: abc\nstarted_at: 2027-01-15T07:00:00Z\nmood", 1)
	for name, test := range map[string]struct{ most, typed, want int }{
		"its own maximum":     {10, 0, 8},
		"the ceiling":         {400, 0, 23},
		"typed":               {400, 60, 58},
		"the file wants less": {30, 60, 28},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // each stop waits for a log that is behind the event
			w := inLoop(t, wiggumOne, text)
			if test.typed > 0 {
				must(t, ledger.AppendLoop(w.path(".claude/springfield"), activity.LoopEvent{Loop: "abc", Event: activity.LoopRaised, Dir: w.path("work"), Typed: test.typed}))
			}
			continues, last := 0, output{}
			w.host.Self = func() string { return `"/springfield-hook"` } // there is no springfield on PATH
			for i := range 70 {
				w.write(loopFile, strings.Replace(text, "max_iterations: 10", fmt.Sprint("max_iterations: ", test.most), 1))
				w.write(".claude/projects/-w/s.jsonl", fmt.Sprintf(`{"type":"user","uuid":"%d","promptId":"%d","message":{"role":"user","content":"go"}}`+"\n", i, i))
				out, _ := w.stop(fmt.Sprint("s", i/10), "Working"+strings.Repeat(" on", i))
				if out.Decision == "block" {
					continues++
				} else if last.SystemMessage == "" {
					last = out
				}
			}
			scratch.Equal(t, continues, test.want, "however often its file comes back", last.SystemMessage)
			if !strings.Contains(last.SystemMessage, `: "/springfield-hook" loop history rerun abc --max `) {
				t.Error(last.SystemMessage)
			}
		})
	}
}

// Who removes the ledger and begins a loop at every stop gets no more continues in an hour than the log leaves.
func TestLogHoldsTheHourOfLoops(t *testing.T) {
	w := newWorld(t, wiggumOne)
	w.host.Project = w.path("work")
	log, now := "", w.host.Now
	stops := func(n int) (continues int) {
		for range n {
			must(t, os.RemoveAll(w.path(".claude/springfield")))
			w.write(loopFile, loopText)
			w.old(loopFile)
			now = now.Add(time.Second)
			log += fmt.Sprintf(`{"type":"user","uuid":"%d","timestamp":%q,"message":{"role":"user","content":"continue"}}`+"\n", now.Unix(), now.UTC().Format(time.RFC3339))
			w.write(".claude/projects/-w/s.jsonl", log)
			w.host.Now = now
			if out, _ := w.run(w.event(map[string]any{"cwd": w.path("work"), "last_assistant_message": fmt.Sprint(now)})); out.Decision == "block" {
				continues++
				log += fmt.Sprintf(`{"type":"attachment","uuid":"b%d","timestamp":%q,"attachment":{"type":"hook_blocking_error","hookEvent":"Stop","blockingError":{"command":"springfield-hook"}}}`+"\n",
					now.Unix(), now.UTC().Format(time.RFC3339))
			}
		}
		return continues
	}
	scratch.Equal(t, stops(260), 240, "in the first hour")
	now = now.Add(time.Hour)
	scratch.Equal(t, stops(20), 20, "after it")
}

// A typed number and an end apply at the next stop, whatever the file contains.
func TestLoopHearsWhatIsTyped(t *testing.T) {
	text := strings.Replace(loopText, "mood", "loop_id: abc\nstarted_at: 2027-01-15T07:00:00Z\nmood", 1)
	text = strings.Replace(text, "max_iterations: 10", "max_iterations: 500", 1)
	w := inLoop(t, wiggumOne, text)
	tell := func(e activity.LoopEvent) {
		e.Loop, e.Dir = "abc", w.path("work")
		must(t, ledger.AppendLoop(w.path(".claude/springfield"), e))
	}
	tell(activity.LoopEvent{Event: activity.LoopStarted, Typed: 500})
	w.toldToGoOn("typed", "[ralph-wiggum: 2 of 500 turns done] ")(w.stop("s1", "a"))
	tell(activity.LoopEvent{Event: activity.LoopRaised, Typed: 20})
	w.toldToGoOn("less", "[ralph-wiggum: 3 of 20 turns done (the file asks for 500; you typed 20)] ")(w.stop("s1", "b"))
	tell(activity.LoopEvent{Event: activity.LoopCancelled, Typed: 20})
	w.toldToGoOn("ended, and put back", "[ralph-wiggum: 4 of 25 turns done (the file asks for 500; your ceiling is 25)] ")(w.stop("s1", "c"))
}

// FuzzLoopFile checks that no file causes a crash, an uncounted continue or a change of the user's text.
func FuzzLoopFile(f *testing.F) {
	f.Add([]byte(loopText), "Working.")
	f.Add([]byte("---\r\nmax_iterations: 30\r\nsession_id: s1\r\n---\r\nx"), "")
	f.Add([]byte("---\nloop_id: over\nstarted_at: 2020-01-01T00:00:00Z\ntimeout: 1h\n---"), "x")
	f.Fuzz(func(t *testing.T, file []byte, text string) {
		w := inLoop(t, wiggumOne, string(file))
		for range 4 {
			before := w.read(loopFile)
			out, _ := w.stop("s1", text)
			if out.Decision != "block" {
				continue
			}
			was, err := wiggum.ReadLoop([]byte(before))
			must(t, err, before, "went on")
			if is, err := wiggum.ReadLoop([]byte(w.read(loopFile))); err != nil || is.Count != was.Count+1 || is.Count >= is.Max || is.Count >= 25 || is.Body != was.Body || is.Session != "s1" {
				t.Fatalf("%q became %q: %v", before, w.read(loopFile), err)
			}
		}
	})
}

// A loop's names are data: they steer nothing outside of its file.
func TestHostileLoopFields(t *testing.T) {
	w := newWorld(t, wiggumOne)
	dir := "-rf\n../x"
	w.write(dir+"/"+wiggum.File, strings.Replace(loopText, "mood: sunny", "session_id: \"a/../../b\"\nloop_id: \"../../../x\"\nstarted_at: \"\\u001b[31m\"", 1))
	event := map[string]any{"session_id": "a/../../b", "cwd": w.path(dir), "last_assistant_message": "x"}
	w.goesOn("")(w.run(w.event(event)))
	all, err := ledger.LoopEvents(w.path(".claude/springfield"))
	scratch.ErrorIf(t, err != nil || len(all) != 2 || !activity.IsShortLowerID(all[0].Loop), "%+v, %v", all, err)
	names, err := os.ReadDir(w.path(".claude/springfield"))
	must(t, err)
	for _, n := range names {
		if !slices.Contains([]string{"sessions", "index", "loops.jsonl"}, n.Name()) {
			t.Errorf("%s is in the state directory", n.Name())
		}
	}
}
