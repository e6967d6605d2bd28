package ledger

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/runtime/fact"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// decide puts a decision of a session on file.
func decide(t testing.TB, dir, session, project string, at time.Time) string {
	t.Helper()
	s, err := Open(dir, "session:"+session)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	id, err := s.Append(Record{At: at.UnixMilli(), Session: session, Cwd: project + "/sub", Project: project, Plugin: "ned", Decision: "stop", Rule: "r"})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// past writes the ledgers of many sessions as hooks would have, one a session.
func past(t testing.TB, dir string, n int, project func(i int) string, at func(i int) time.Time) {
	t.Helper()
	makeDirs(dir)
	os.Mkdir(calendarDir(dir), 0o700)
	notes := map[string][]byte{}
	for i := range n {
		session := fmt.Sprintf("0000000-%06d", i)
		key := Key("session:" + session)
		a := Active{at(i).UnixMilli(), key, session, project(i)}
		line := fmt.Sprintf(`{"id":"%s-1","at":%d,"session":%q,"cwd":%q,"project":%q,"plugin":"ned","decision":"stop","rule":"r","took":900,"state":{"number":1,"log":{"x":%q}}}`+"\n",
			shortKey("session:"+session), a.At, session, a.Project, a.Project, strings.Repeat("x", 400))
		if err := os.WriteFile(filepath.Join(dir, "sessions", key+".jsonl"), []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		notes[day(at(i))] = append(notes[day(at(i))], a.note()...)
	}
	for name, data := range notes {
		if err := os.WriteFile(filepath.Join(calendarDir(dir), name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Whatever sessions there were and when: the decisions come in the order in which they
// were made, of one project as of all.
func TestBackIsInOrder(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for range 6 {
		dir, at := filepath.Join(t.TempDir(), "springfield"), noon
		var ids, here []string
		for range 60 {
			at = at.Add(time.Duration(draw.IntN(40*60)+1) * time.Second)
			if draw.IntN(10) == 0 {
				at = at.Add(40 * time.Hour)
			}
			n := draw.IntN(6)
			project := []string{"/p", "/p/web", "/pp", "/q"}[n%4]
			id := decide(t, dir, fmt.Sprint("s", n), project, at)
			ids = append(ids, id)
			if n%4 < 2 {
				here = append(here, id)
			}
		}
		for of, want := range map[Scope][]string{{}: ids, {Project: "/p"}: here} {
			var got []string
			for _, r := range History(dir, of, 1000) {
				got = append(got, r.ID)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%+v:\n%q\nwant\n%q", of, got, want)
			}
		}
		if r, ok := Find(dir, Scope{}, ids[7]); !ok || r.ID != ids[7] {
			t.Errorf("%s is not found", ids[7])
		}
		if _, ok := Find(dir, Scope{Project: "/q"}, here[0]); ok {
			t.Errorf("%s is found in another project", here[0])
		}
	}
}

// The newest decisions cost the same, however many sessions there were.
func TestBackOpensFewLedgers(t *testing.T) {
	opened := map[string][]int{}
	for _, n := range []int{200, 1000} {
		dir := filepath.Join(t.TempDir(), "springfield")
		past(t, dir, n, func(i int) string { return fmt.Sprint("/p", i%3) }, func(i int) time.Time { return noon.Add(time.Duration(i-n) * 40 * time.Minute) })
		for name, of := range map[string]Scope{"all": {}, "a project": {Project: "/p1"}, "a session": {Session: "session:0000000-000007"}, "none": {Project: "/none"}} {
			b, found := back{of: of, sessions: sessionsOf(dir, of)}, 0
			for found < 20 {
				if _, ok := b.next(); !ok {
					break
				}
				found++
			}
			opened[name] = append(opened[name], b.opened)
		}
	}
	for name, n := range opened {
		if n[0] != n[1] || n[1] > 25 {
			t.Errorf("%s: of 200 sessions %d ledgers were opened, of 1000 %d", name, n[0], n[1])
		}
	}
}

// An index of before there were days is read, and moved to them once its sessions rest.
func TestOldIndexMoves(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "springfield")
	for i, session := range []string{"a", "b", "c"} {
		decide(t, dir, session, "/p", noon.AddDate(0, 0, -100+49*i))
	}
	os.RemoveAll(calendarDir(dir))
	index := Key("session:a") + "\n" + Key("session:b") + "\n" + Key("session:a") + "\nnone\n" + Key("session:c") + "\n"
	if err := os.WriteFile(oldIndex(dir), []byte(index), 0o600); err != nil {
		t.Fatal(err)
	}
	sessions := func() (all string) {
		for _, r := range History(dir, Scope{Project: "/p"}, 10) {
			all += r.Session
		}
		return all
	}
	if got := sessions(); got != "abc" {
		t.Errorf("the old index has %q", got)
	}
	Sweep(dir, noon.AddDate(0, 0, -2), 10) // c has just decided
	if got := sessions(); got != "abc" {
		t.Errorf("after a sweep that is too early: %q", got)
	}
	for range 5 {
		Sweep(dir, noon, 1)
	}
	if got := sessions(); got != "bc" || len(days(dir)) != 2 {
		t.Errorf("after the sweep: %q on %q", got, days(dir))
	}
	Sweep(dir, noon, 1)
	if _, err := os.Lstat(oldIndex(dir)); !os.IsNotExist(err) {
		t.Errorf("the old index stays: %v", err)
	}
}

// Nothing in the place of a day's file, or in it, keeps other days from being read, or
// lets a ledger outside be opened.
func TestCalendarIsRobust(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "springfield")
	decide(t, dir, "a", "/p", noon)
	good, err := os.ReadFile(filepath.Join(calendarDir(dir), day(noon)))
	if err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]string{
		"a torn line":    string(good) + "1763811234567\t0123456789abc",
		"torn in middle": "1763811234567\t0123\n" + string(good),
		"no text":        strings.Repeat("\x00\xff\n\t", 1000) + "\n" + string(good),
		"a long line":    strings.Repeat("x", 1<<20) + "\n" + string(good),
		"paths":          "1763811234567\t../../../../../../etc/passwd\ts\t/p\n" + string(good),
		"twice":          string(good) + string(good),
		"no line end":    strings.TrimSuffix(string(good), "\n"),
		"a far future":   "9999999999999999\t" + Key("other") + "\ts\t/p\n" + string(good),
		"before time":    "-5\t" + Key("session:a") + "\ts\t/p\n" + string(good),
	} {
		if err := os.WriteFile(filepath.Join(calendarDir(dir), day(noon)), []byte(damage), 0o600); err != nil {
			t.Fatal(err)
		}
		if all := History(dir, Scope{Project: "/p"}, 10); len(all) != 1 {
			t.Errorf("%s: %d decisions", name, len(all))
		}
		if all := History(dir, Scope{}, 10); len(all) != 1 {
			t.Errorf("%s: %d decisions of all", name, len(all))
		}
	}
	os.Mkdir(filepath.Join(calendarDir(dir), "2026-11-23"), 0o700)
	if err := os.WriteFile(filepath.Join(calendarDir(dir), "2026-11-24x"), good, 0o600); err != nil {
		t.Fatal(err)
	}
	if all := History(dir, Scope{}, 10); len(all) != 1 {
		t.Errorf("%d decisions", len(all))
	}
}

// What is kept is kept: by its age, by a hold in force, by an open loop, by another at
// work in it, and by the user's word. All else goes.
func TestSweep(t *testing.T) {
	old := noon.AddDate(0, 0, -91)
	for name, test := range map[string]struct {
		settings string
		prepare  func(t *testing.T, dir string)
		left     string // of a, which is old
	}{
		"old":                 {"", nil, ""},
		"kept for longer":     {`{"keep_days": 100}`, nil, ".jsonl .starts"},
		"kept for less":       {`{"keep_days": 30}`, nil, ""},
		"kept for ever":       {`{"keep_days": 0}`, nil, ".jsonl .starts"},
		"an unreadable word":  {`{"keep_days": "x"`, nil, ".jsonl .starts"},
		"a word out of range": {`{"keep_days": -1}`, nil, ".jsonl .starts"},
		"nothing said":        {`{}`, nil, ""},
		"a rotated one":       {"", func(t *testing.T, dir string) { os.WriteFile(SessionFile(dir, "session:a")+".1", nil, 0o600) }, ""},
		"at work again":       {"", func(t *testing.T, dir string) { decide(t, dir, "a", "/p", noon) }, ".jsonl .starts"},
		"a start of today":    {"", func(t *testing.T, dir string) { begin(dir, "a", noon).Fail("fault:busy", "x") }, ".jsonl .starts"},
		"one that cannot be opened": {"", func(t *testing.T, dir string) {
			os.Remove(SessionFile(dir, "session:a"))
			os.Mkdir(SessionFile(dir, "session:a"), 0o700)
		}, ".jsonl .starts"},
		"a hold in force": {"", func(t *testing.T, dir string) {
			if _, err := SetHold(dir, "session:a", old, 0, claude); err != nil {
				t.Fatal(err)
			}
		}, ".hold"},
		"a hold that ran out": {"", func(t *testing.T, dir string) {
			if _, err := SetHold(dir, "session:a", old, time.Hour, claude); err != nil {
				t.Fatal(err)
			}
		}, ""},
		"an open loop": {"", func(t *testing.T, dir string) {
			file := filepath.Join(dir, "loop.md")
			s, err := Open(dir, "session:a")
			if err == nil {
				err = os.WriteFile(file, nil, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if _, err := s.Append(Record{At: old.UnixMilli(), Session: "a", Project: "/p", Decision: "stop", State: State{Loops: []fact.Memory{{Key: file}}}}); err != nil {
				t.Fatal(err)
			}
		}, ".jsonl .starts"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "springfield")
			for _, session := range []string{"a", "b"} {
				begin(dir, session, old).End()
				decide(t, dir, session, "/p", old)
			}
			decide(t, dir, "new", "/p", noon)
			if test.settings != "" {
				if err := os.WriteFile(KeepFile(dir), []byte(test.settings), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if test.prepare != nil {
				test.prepare(t, dir)
			}
			for range 10 { // a few at a time
				Sweep(dir, noon, 1)
			}
			var left []string
			for _, ending := range []string{".jsonl", ".jsonl.1", ".starts", ".hold"} {
				if _, err := os.Lstat(filepath.Join(dir, "sessions", Key("session:a")+ending)); err == nil {
					left = append(left, ending)
				}
			}
			if got := strings.Join(left, " "); got != test.left {
				t.Errorf("left is %q, want %q", got, test.left)
			}
			all := History(dir, Scope{Project: "/p"}, 10)
			if len(all) == 0 || all[len(all)-1].At != noon.UnixMilli() {
				t.Errorf("%d decisions are recorded", len(all))
			}
			if _, err := os.Lstat(filepath.Join(calendarDir(dir), day(old))); (err == nil) != (test.settings != "" && strings.Contains(test.left, "jsonl")) {
				t.Errorf("the old day: %v", err)
			}
		})
	}
}

func begin(dir, session string, at time.Time) *Mark {
	return Begin(dir, "session:"+session, Start{At: at.UnixMilli(), Plugin: "ned", Event: "Stop", Session: session, Project: "/p"}, at)
}

// Sessions that begin sweep what they add, so nothing grows for ever.
func TestStartsSweep(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "springfield")
	past(t, dir, 40, func(int) string { return "/p" }, func(i int) time.Time { return noon.AddDate(0, 0, -200+i) })
	for i := range 40 {
		m := begin(dir, fmt.Sprint("new", i), noon)
		m.End()
		m.Close()
		begin(dir, fmt.Sprint("new", i), noon).Close() // a second start costs nothing
	}
	names, err := filepath.Glob(filepath.Join(dir, "sessions", "*.jsonl"))
	if err != nil || len(names) != 0 || len(days(dir)) != 1 {
		t.Errorf("%d ledgers are left, on %q, %v", len(names), days(dir), err)
	}
}

// BenchmarkBack looks back over 100,000 sessions of 90 days.
func BenchmarkBack(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "springfield")
	const n = 100_000
	past(b, dir, n, func(i int) string { return fmt.Sprintf("/home/someone/projects/project-%d", i%50) }, func(i int) time.Time { return noon.Add(time.Duration(i-n) * 77 * time.Second) })
	for name, of := range map[string]Scope{"all": {}, "a project": {Project: "/home/someone/projects/project-7"}, "an unknown project": {Project: "/none"}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				History(dir, of, 20)
				Unfiled(dir, of, noon)
			}
		})
	}
	b.Run("an id", func(b *testing.B) {
		for b.Loop() {
			if _, ok := Find(dir, Scope{}, shortKey("session:0000000-000007")+"-1"); !ok {
				b.Fatal("not found")
			}
		}
	})
}
