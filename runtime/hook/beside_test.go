package hook

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/ledger"
)

const (
	nedOne    = `{"plugin": "ned-flanders", "strategy": "ned-flanders"}`
	specumOne = `{"plugin": "ralph-specum", "strategy": "ralph-specum"}`
	moving    = "Task 1 is done. Moving to Task 2." // ned goes on
)

// beside is a world with ned-flanders and another plugin.
func beside(t *testing.T, other string) *world {
	w := newWorld(t, nedOne)
	w.write("other/strategy.json", other)
	w.write("work/.git/HEAD", "")
	w.host.Project = w.path("work")
	return w
}

// both is one stop of a session as both hooks see it, ned first or last. It returns ned's answer and the other's.
func (w *world) both(nedFirst bool, session, text string) (ned, other output) {
	w.t.Helper()
	w.host.Now = w.host.Now.Add(time.Minute)
	w.as(nedFirst, func() { ned, _ = w.at(session, text) }, func() { other, _ = w.at(session, text) })
	return ned, other
}

// driven checks which of two hooks keeps Claude going, "" for neither; the other is silent.
func (w *world) driven(when, by string) func(first, second output) {
	return func(first, second output) {
		w.t.Helper()
		got := ""
		switch {
		case first.Decision == "block" && second == (output{}):
			got = "first"
		case first == (output{}) && second.Decision == "block":
			got = "second"
		case first != (output{}) || second != (output{}):
			got = "both"
		}
		scratch.Equal(w.t, got, by, when, first, second, "the first, the second")
	}
}

func (w *world) at(session, text string) (output, string) {
	return w.run(w.event(map[string]any{"session_id": session, "cwd": w.path("work"), "last_assistant_message": text}))
}

// as runs ned's hook and the other plugin's, in one order.
func (w *world) as(nedFirst bool, ned, other func()) {
	w.host.Executable = w.path("plugin/hooks/springfield-hook")
	if nedFirst {
		ned()
	}
	w.host.Executable = w.path("other/hooks/springfield-hook")
	other()
	w.host.Executable = w.path("plugin/hooks/springfield-hook")
	if !nedFirst {
		ned()
	}
}

// old makes a file look as if it had not changed for an hour.
func (w *world) old(name string) {
	w.t.Helper()
	at := time.Now().Add(-time.Hour)
	must(w.t, os.Chtimes(w.path(name), at, at))
}

// While a goal loop runs, from its first stop to the one that ends it, the other
// plugin is silent, whichever hook is faster; before and after, it works.
func TestOthersStandAsideForAGoalLoop(t *testing.T) {
	for name, end := range map[string]struct {
		text string
		do   func(w *world) // before the last stop
		told string
	}{
		"the limit":   {text: moving, told: "6 of 6 turns done"},
		"the promise": {text: "All tests passing. " + moving, told: "Claude said"},
		"a deleted file": {text: moving, told: "its file is gone", do: func(w *world) {
			must(w.t, os.Remove(w.path(loopFile)))
		}},
		"active: false": {text: moving, do: func(w *world) {
			w.write(loopFile, strings.Replace(w.read(loopFile), "active: true", "active: false", 1))
		}},
	} {
		for _, first := range []bool{true, false} {
			t.Run(fmt.Sprint(name, ", ned first ", first), func(t *testing.T) {
				w := beside(t, wiggumOne)
				w.driven("before the loop", "first")(w.both(first, "s1", moving))
				w.write(loopFile, strings.Replace(loopText, "max_iterations: 10", "max_iterations: 6", 1))
				for i := 2; i <= 5; i++ {
					w.driven(fmt.Sprint("stop ", i), "second")(w.both(first, "s1", strings.Repeat("Well. ", i)+moving))
					if r, _ := w.newest("session:s1"); !first && (r.Rule != "another-loop" || !strings.Contains(r.Evidence, "ralph-wiggum drives this session")) {
						t.Fatalf("on file: rule %s, %s", r.Rule, r.Evidence)
					}
				}
				if end.do != nil {
					end.do(w)
				}
				ned, other := w.both(first, "s1", end.text)
				if ned != (output{}) || other.Decision != "" || !strings.Contains(other.SystemMessage, end.told) {
					t.Errorf("the last stop: ned %+v, ralph %+v", ned, other)
				}
				w.driven("after the loop", "first")(w.both(first, "s1", "Tests are written. "+moving))
			})
		}
	}
}

// A loop of another session, one that is paused or damaged, and one that no plugin
// drives keep no one from deciding, not even once.
func TestLoopsThatDriveNothing(t *testing.T) {
	for name, text := range map[string]string{
		"of another session": strings.Replace(loopText, "active: true", "active: true\nsession_id: s2", 1),
		"paused":             strings.Replace(loopText, "active: true", "active: false", 1),
		"damaged":            strings.Replace(loopText, "active: true", "active: perhaps", 1),
	} {
		w := beside(t, wiggumOne)
		w.write(loopFile, text)
		w.goesOn(name)(w.at("s1", moving))
	}
	w := beside(t, wiggumOne)
	w.write(loopFile, loopText)
	for i := range 3 {
		w.goesOn("a loop that no plugin has taken up")(w.stop("s1", fmt.Sprint(moving, i)))
	}
	// One whose plugin was there when the session began: it drives from the first stop on.
	w = beside(t, wiggumOne)
	w.write(loopFile, loopText)
	begins := w.event(map[string]any{"hook_event_name": "SessionStart", "cwd": w.path("work"), "source": "startup"})
	w.as(true, func() { w.keepsSilent("ned, at the beginning")(w.run(begins)) }, func() { w.keepsSilent("at the beginning")(w.run(begins)) })
	if r, ok := w.newest("session:s1"); ok && r.Decision != "" {
		t.Errorf("a session that has begun has the decision %+v", r)
	}
	w.driven("the first stop", "second")(w.both(true, "s1", moving))
	// One whose plugin was switched off in the middle.
	w = beside(t, wiggumOne)
	w.write(loopFile, loopText)
	w.both(true, "s1", moving)
	w.keepsSilent("a loop that ran at the last stop")(w.stop("s1", moving))
	w.goesOn("a loop whose plugin is gone")(w.stop("s1", moving))
}

// A spec drives its session from the first task to the end; awaiting approval it waits
// for the user, and no other plugin goes on for them.
func TestOthersStandAsideForASpec(t *testing.T) {
	state := func(phase string, index int, more string) string {
		return fmt.Sprintf(`{"phase": %q, "taskIndex": %d, "totalTasks": 3%s}`, phase, index, more)
	}
	for _, first := range []bool{true, false} {
		w := beside(t, specumOne)
		w.write("work/specs/.current-spec", "search\n")
		w.write("work/specs/search/tasks.md", "- [ ] 1\n- [ ] 2\n- [ ] 3\n")
		file := "work/specs/search/.ralph-state.json"
		w.write(file, state("design", 0, ""))
		w.driven("while the spec is written", "first")(w.both(first, "s1", moving))
		for i := range 3 {
			w.write(file, state("execution", i, ""))
			w.driven(fmt.Sprint("task ", i), "second")(w.both(first, "s1", fmt.Sprint(moving, i)))
		}
		w.write(file, state("execution", 2, `, "awaitingApproval": true`))
		w.driven("awaiting approval", "")(w.both(first, "s1", moving+" Waiting."))
		w.write(file, "{")
		if ned, other := w.both(first, "s1", moving+" Broken."); ned != (output{}) || !strings.HasPrefix(other.Reason, "ERROR: Corrupt") {
			t.Errorf("damaged: ned %+v, specum %+v", ned, other)
		}
		w.write(file, state("execution", 2, `, "globalIteration": 100`))
		if ned, _ := w.both(first, "s1", moving+" Limit."); ned != (output{}) {
			t.Errorf("at the limit: ned %+v", ned)
		}
		w.write(file, state("execution", 3, ""))
		w.driven("at the end", "")(w.both(first, "s1", "Moving to Task 4.\n\nALL_TASKS_COMPLETE"))
		must(t, os.Remove(w.path(file)))
		w.driven("afterwards", "first")(w.both(first, "s1", "Docs now. "+moving))
	}
}

// A spec that is armed in a turn that ned has continued is driven in that turn.
func TestSpecTakesOverFromNed(t *testing.T) {
	w := beside(t, specumOne)
	w.both(true, "s1", moving)
	w.write("work/specs/.current-spec", "search\n")
	w.write("work/specs/search/.ralph-state.json", `{"phase": "execution", "taskIndex": 0, "totalTasks": 3}`)
	event := w.event(map[string]any{
		"cwd": w.path("work"), "last_assistant_message": "The spec is written.", "stop_hook_active": true,
	})
	w.host.Now = w.host.Now.Add(time.Minute)
	var ned, other output
	w.as(true, func() { ned, _ = w.run(event) }, func() { other, _ = w.run(event) })
	w.driven("armed in the turn", "second")(ned, other)
}

// Of two loops of one session one drives: the goal's, which its user has started.
func TestTwoLoopsAtOnce(t *testing.T) {
	w := beside(t, wiggumOne)
	w.write("plugin/strategy.json", specumOne)
	w.write("work/specs/.current-spec", "search\n")
	w.write("work/specs/search/.ralph-state.json", `{"phase": "execution", "taskIndex": 0, "totalTasks": 3}`)
	w.driven("the spec alone", "first")(w.both(true, "s1", "a done"))
	w.write(loopFile, loopText)
	w.driven("a goal loop is begun beside a running spec", "first")(w.both(true, "s1", "b done"))
	w.write("work/specs/search/.ralph-state.json", `{"phase": "completed", "taskIndex": 3, "totalTasks": 3}`)
	w.driven("the spec is over", "second")(w.both(true, "s1", "c done"))
}

// A stop that reaches two copies of a plugin is decided once, in either order or at the same time. The next stop is
// independent.
func TestTwoCopiesDecideOnce(t *testing.T) {
	w := newWorld(t, ned)
	w.write("copy/strategy.json", ned)
	at := func(root, message string) bool {
		one := *w
		one.host.Executable = w.path(root + "/hooks/springfield-hook")
		out, _ := one.run(one.event(map[string]any{"last_assistant_message": message}))
		return out.Decision == "block"
	}
	for i, stop := range []struct{ first, second, message string }{
		{"plugin", "copy", "Task 1 complete. Moving to Task 2."},
		{"copy", "plugin", "Task 2 complete. Moving to Task 3."},
		{"copy", "plugin", "Task 2 complete. Moving to Task 3."}, // the same words at another stop
	} {
		if one, two := at(stop.first, stop.message), at(stop.second, stop.message); one == two {
			t.Errorf("stop %d: %t and %t", i, one, two)
		}
		if r, _ := w.newest("session:s1"); r.State.Number != i+1 || r.State.InPrompt != i+1 {
			t.Errorf("stop %d: %d records, %d continues", i, r.State.Number, r.State.InPrompt)
		}
	}

	for range 5 { // side by side
		w = newWorld(t, ned)
		w.write("copy/strategy.json", ned)
		var wait sync.WaitGroup
		said := make([]bool, 2)
		for i := range said {
			wait.Go(func() { said[i] = at([]string{"plugin", "copy"}[i], "Task 1 complete. Moving to Task 2.") })
		}
		wait.Wait()
		n := 0
		for _, blocks := range said {
			if blocks {
				n++
			}
		}
		if r, _ := w.newest("session:s1"); n != 1 || r.State.InPrompt != 1 {
			t.Errorf("%d of 2 continue, %d are counted", n, r.State.InPrompt)
		}
	}

	// Stops that differ only in their id, and reach one copy each.
	w = newWorld(t, ned)
	w.write("copy/strategy.json", ned)
	for i, root := range []string{"plugin", "copy"} {
		w.host.Executable = w.path(root + "/hooks/springfield-hook")
		out, _ := w.run(w.event(map[string]any{"message_id": root, "last_assistant_message": "Moving to Task 2."}))
		scratch.Equal(t, out.Decision, "block", "stop", i, "of Droid is taken for another")
	}

	// A decision of the future, by a clock that was set back since, is no decision of this stop.
	for _, root := range []string{"plugin", "copy"} {
		w = newWorld(t, ned)
		w.write("copy/strategy.json", ned)
		at("plugin", "Moving to Task 2.")
		s, err := ledger.OpenUnlocked(w.path(".claude/springfield"), "session:s1")
		must(t, err)
		must(t, s.LockAndRead())
		r, _ := w.newest("session:s1")
		r.State.Plugins[0].Ended += time.Hour.Microseconds()
		_, err = s.AppendRecord(r)
		must(t, errors.Join(err, s.Close()))
		if !at(root, "Moving to Task 2.") {
			t.Error(root + " is silent after a decision of the future")
		}
	}

	// A plugin of the same name with another strategy is no copy.
	w = newWorld(t, ned)
	w.write("copy/strategy.json", strings.Replace(ned, `"strategy": "ned-flanders"`, `"strategy": "lisa-simpson"`, 1))
	at("copy", "Moving to Task 2.")
	if !at("plugin", "Moving to Task 2.") {
		t.Error("a plugin with another strategy is taken for a copy")
	}

	// Another plugin decides for itself.
	w = newWorld(t, ned)
	w.write("copy/strategy.json", strings.Replace(ned, `"plugin": "ned-flanders"`, `"plugin": "lisa"`, 1))
	if one, two := at("plugin", "Moving to Task 2."), at("copy", "Moving to Task 2."); !one || !two {
		t.Errorf("%t and %t", one, two)
	}
}

// A plugin whose loop does not drive the session leaves away orders to the daily plugin, from the first stop on.
func TestLoopPluginLeavesAwayToADailyOne(t *testing.T) {
	const grave = "The old table is unused. Shall I delete the production database?"
	for _, other := range []string{wiggumOne, specumOne} {
		for _, first := range []bool{true, false} {
			w := beside(t, other)
			w.away(func(o *ledger.AwayOrder) { o.Project = "" })
			begins := w.event(map[string]any{"hook_event_name": "SessionStart", "cwd": w.path("work"), "source": "startup"})
			w.as(first, func() { w.run(begins) }, func() { w.run(begins) })
			w.driven("a question", "first")(w.both(first, "s1", question))
			w.driven("a grave question", "")(w.both(first, "s1", grave))
			all, _ := ledger.Newest([]string{w.path(".claude/springfield")}, ledger.Scope{Session: "session:s1"}, 2, false, func(ledger.Record) bool { return true })
			for i, rule := range []string{"away", "away"} {
				scratch.Equal(t, all[i].Plugin+" "+all[i].Rule, "ned-flanders "+rule, other, first, "record", i)
			}
			scratch.Equal(t, strings.Join(w.brought(), " "), ledger.AwayAnswered+" "+ledger.AwayLeft, other, first)
		}
		w := beside(t, other)
		w.away(func(o *ledger.AwayOrder) { o.Project = "" })
		w.as(true, func() {}, func() { w.goesOn("alone")(w.at("s1", question)) })
	}
	w := waiting(t, nedOne)
	w.write("other/strategy.json", wiggumOne)
	w.away(func(o *ledger.AwayOrder) { o.Project = "" })
	begins := w.inProject(map[string]any{"hook_event_name": "SessionStart", "source": "startup"})
	w.as(true, func() { w.run(begins) }, func() { w.run(begins) })
	w.as(false, func() { code, _ := w.fails(nil); scratch.Equal(t, code, 2, "the daily plugin wakes") },
		func() { code, _ := w.fails(nil); scratch.Equal(t, code, 0, "the loop's leaves it") })

	w = beside(t, wiggumOne)
	w.away(func(o *ledger.AwayOrder) { o.Project, o.Check = "", "make test" })
	w.write(loopFile, strings.Replace(loopText, "max_iterations: 10", "max_iterations: 1", 1))
	w.driven("the first stop of a loop", "second")(w.both(false, "s1", moving))
	w.driven("the end of a loop", "second")(w.both(false, "s1", "Well. "+moving))
}
