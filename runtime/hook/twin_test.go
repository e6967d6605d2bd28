package hook

import (
	"strings"
	"sync"
	"testing"
)

// A stop that reaches two copies of a plugin is decided once, in whichever order and also
// at the same time; the next stop is another one, whatever is said there.
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

	// Stops that differ by what the host calls them alone, and reach one copy each.
	w = newWorld(t, ned)
	w.write("copy/strategy.json", ned)
	for i, root := range []string{"plugin", "copy"} {
		w.host.Executable = w.path(root + "/hooks/springfield-hook")
		out, _ := w.run(w.event(map[string]any{"message_id": root, "last_assistant_message": "Moving to Task 2."}))
		if out.Decision != "block" {
			t.Errorf("stop %d of Droid is taken for another", i)
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
