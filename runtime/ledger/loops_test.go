package ledger

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/activity"
)

func tell(t *testing.T, dir string, events ...activity.LoopEvent) {
	t.Helper()
	for _, e := range events {
		must(t, AppendLoop(dir, e))
	}
}

// onFile are the events of the history, like "a1:start a1:iteration".
func onFile(t *testing.T, dir string) string {
	t.Helper()
	all, err := LoopEvents(dir)
	must(t, err)
	var out []string
	for _, e := range all {
		out = append(out, e.Loop+":"+e.Event)
	}
	return strings.Join(out, " ")
}

// What is remembered stays small, however many errors there were.
func TestRememberIsBounded(t *testing.T) {
	var s State
	for i := range 20 {
		m := activity.Memory{Key: strconv.Itoa(i)}
		for e := range 20 {
			m.Told = append(m.Told, strconv.Itoa(e))
		}
		s.Remember(m)
	}
	if len(s.Loops) != 8 || s.Loops[7].Key != "19" || len(s.Loops[7].Told) != 8 || s.Loops[7].Told[7] != "19" {
		t.Errorf("%+v", s.Loops)
	}
}

func TestLoopHistory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".claude", "springfield") // nothing there yet
	if got := onFile(t, dir); got != "" {
		t.Errorf("before the first: %s", got)
	}
	whole := strings.Repeat("\x01", 16<<10) // six bytes each, in JSON
	tell(t, dir,
		activity.LoopEvent{Loop: "a1", Event: activity.LoopStarted, File: whole, Dir: "/w"},
		activity.LoopEvent{Loop: "b2", Event: activity.LoopStarted},
		activity.LoopEvent{Loop: "a1", Event: activity.LoopGoesOn, Count: 2, Max: 9, Text: "<&>"},
		activity.LoopEvent{Loop: "a1", Event: activity.LoopPromised, Count: 3, Max: 9})
	if got, want := onFile(t, dir), "a1:start b2:start a1:iteration a1:promise"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	all, _ := LoopEvents(dir)
	if all[0].File != whole || all[0].Dir != "/w" || all[2].Count != 2 || all[2].Max != 9 || all[2].Text != "<&>" {
		t.Error("an event is not what was written")
	}
	if !LoopIsOver(dir, "a1") || LoopIsOver(dir, "b2") || LoopIsOver(dir, "c3") {
		t.Error("which loops are over is wrong")
	}
	if info, err := os.Stat(loopLines(dir).path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// Neither what a kill has torn nor what another program has written there hides
// what comes after it, and nothing is written that would not be read.
func TestLoopHistoryIsRobust(t *testing.T) {
	for name, junk := range map[string]string{
		"torn":       `{"loop":"a1","event":"itera`,
		"other JSON": "[]\n{}\nnull\n{\"loop\":7}\n",
		"no id":      `{"loop":"../../x","event":"start"}` + "\n",
		"very long":  `{"loop":"a1","event":"start","file":"` + strings.Repeat("x", 3*(128<<10)) + "\"}\n",
		"just too long": `{"loop":"a1","event":"start","file":"` + strings.Repeat("x", (128<<10)) + "\"}\n" +
			`{"loop":"c3","event":"start"}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			tell(t, dir, activity.LoopEvent{Loop: "a1", Event: activity.LoopStarted})
			f, err := os.OpenFile(loopLines(dir).path, os.O_APPEND|os.O_WRONLY, 0)
			must(t, err)
			if _, err := f.WriteString(junk); err != nil {
				t.Fatal(err)
			}
			f.Close()
			tell(t, dir, activity.LoopEvent{Loop: "a1", Event: activity.LoopLimited})
			want := "a1:start a1:limit"
			if name == "just too long" {
				want = "a1:start c3:start a1:limit"
			}
			if got := onFile(t, dir); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
	dir := t.TempDir()
	for _, e := range []activity.LoopEvent{
		{Loop: "", Event: "start"}, {Loop: "../x", Event: "start"}, {Loop: "A", Event: "start"}, {Loop: strings.Repeat("a", 17), Event: "start"},
		{Loop: "a1", Event: "start", File: strings.Repeat("x", (128 << 10))},
	} {
		if err := AppendLoop(dir, e); err == nil {
			t.Errorf("%.20q was written", e.Loop)
		}
	}
}

// The history stays within bounds, and its newest is always there.
func TestLoopHistoryIsHalved(t *testing.T) {
	dir := t.TempDir()
	e := activity.LoopEvent{Loop: "a1", Event: activity.LoopGoesOn, File: strings.Repeat("x", 100<<10)}
	for i := range 120 {
		e.Count = i
		tell(t, dir, e)
	}
	if info, err := os.Stat(loopLines(dir).path); err != nil || info.Size() > (8<<20)+(128<<10) {
		t.Errorf("%v, %v", info, err)
	}
	all, err := LoopEvents(dir)
	if err != nil || len(all) < 41 || all[len(all)-1].Count != 119 {
		t.Fatalf("%d events, %v", len(all), err)
	}
	for i := 1; i < len(all); i++ {
		if all[i].Count != all[i-1].Count+1 {
			t.Fatalf("%d follows %d", all[i].Count, all[i-1].Count)
		}
	}
}

// Whatever lies in the history, what is written now is the last thing in it.
func FuzzLoopHistory(f *testing.F) {
	f.Add([]byte(`{"loop":"a1","event":"start","file":"---\n---\n"}` + "\n"))
	f.Add([]byte("\x00\n[]\n{\"loop\":\"b\"}\n{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		must(t, os.WriteFile(loopLines(dir).path, data, 0o600))
		tell(t, dir, activity.LoopEvent{Loop: "zz", Event: activity.LoopLimited, Count: 7})
		all, err := LoopEvents(dir)
		if err != nil || len(all) == 0 || all[len(all)-1].Loop != "zz" || all[len(all)-1].Count != 7 || !LoopIsOver(dir, "zz") {
			t.Fatalf("%q: %v, %v", data, all, err)
		}
	})
}
