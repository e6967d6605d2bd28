package ledger

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/activity"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// decide puts a decision of a session on file.
func decide(t testing.TB, dir, session, project string, at time.Time) string {
	t.Helper()
	s, err := OpenUnlocked(dir, "session:"+session)
	must(t, err)
	defer s.Close()
	id, err := s.AppendRecord(Record{At: at.UnixMilli(), Session: session, Cwd: project + "/sub", Project: project, Plugin: "ned", Decision: "stop", Rule: "r"})
	must(t, err)
	must(t, os.Chtimes(s.path, at, at)) // which sweeping looks at
	return id
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
			for _, r := range history(dir, of, 1000) {
				got = append(got, r.ID)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%+v:\n%q\nwant\n%q", of, got, want)
			}
		}
		if r, ok := DecisionByID([]string{dir}, Scope{}, ids[7]); !ok || r.ID != ids[7] {
			t.Errorf("%s is not found", ids[7])
		}
		if _, ok := DecisionByID([]string{dir}, Scope{Project: "/q"}, here[0]); ok {
			t.Errorf("%s is found in another project", here[0])
		}
	}
}

// Foreign entries among the ledgers hide no decision, and links are not followed.
func TestBackIsRobust(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "springfield")
	decide(t, dir, "a", "/p", noon)
	decide(t, dir, "b", "/p", noon.Add(time.Hour))
	whole := scratch.ReadFile(t, SessionFile(dir, "session:a"))
	outside := filepath.Join(t.TempDir(), "theirs")
	os.WriteFile(outside, whole, 0o600)
	os.Symlink(outside, SessionFile(dir, "session:link"))
	os.Mkdir(SessionFile(dir, "session:directory"), 0o700)
	for name, data := range map[string]string{"empty": "", "junk": strings.Repeat("\x00\xff\n\t", 1000), "torn": string(whole[:len(whole)/2]), "long": strings.Repeat("x", 5<<20)} {
		os.WriteFile(SessionFile(dir, "session:"+name), []byte(data), 0o600)
	}
	good, _ := os.ReadFile(indexLines(dir).path)
	bad := "{\x00\n[]\n{\"at\":\"x\"}\n" + strings.Repeat("x", 1<<20) + "\n" + string(good)
	for _, name := range []string{"link", "directory", "empty", "junk", "torn", "long", "missing", "../../../etc/passwd"} {
		bad += fmt.Sprintf(`{"at":%d,"id":"session:%s","project":"/p"}`, noon.UnixMilli(), name) + "\n"
	}
	os.WriteFile(indexLines(dir).path, []byte(bad+`{"at":176381123`), 0o600)
	for _, of := range []Scope{{}, {Project: "/p"}} {
		if all := history(dir, of, 10); len(all) != 2 || all[1].Session != "b" {
			t.Errorf("%+v: %+v", of, all)
		}
	}
	for beginning, want := range map[string]int{"": 2, "b": 1, "zz": 0} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		named := LastOfEachSession([]string{dir}, beginning, 10)
		runtime.ReadMemStats(&after)
		if read := after.TotalAlloc - before.TotalAlloc; len(named) != want || want > 0 && named[0].Session != "b" || beginning != "" && read > 1<<20 {
			t.Errorf("named %q: %+v, after %d bytes", beginning, named, read)
		}
	}
}

// An old ledger is kept for a hold in force, an open loop, or the user's setting.
func TestSweep(t *testing.T) {
	old := noon.AddDate(0, 0, -91)
	for name, test := range map[string]struct {
		settings string
		prepare  func(t *testing.T, dir string)
		left     string // of a, which is old
	}{
		"old":                {"", nil, ""},
		"kept for longer":    {`{"keep_days": 100}`, nil, ".jsonl"},
		"kept for ever":      {`{"keep_days": 0}`, nil, ".jsonl"},
		"an unreadable word": {`{"keep_days": "x"`, nil, ".jsonl"},
		"at work again":      {"", func(t *testing.T, dir string) { decide(t, dir, "a", "/p", noon) }, ".jsonl"},
		"one that cannot be opened": {"", func(t *testing.T, dir string) {
			os.Remove(SessionFile(dir, "session:a"))
			must(t, errors.Join(os.Mkdir(SessionFile(dir, "session:a"), 0o700), os.Chtimes(SessionFile(dir, "session:a"), old, old)))
		}, ".jsonl"},
		"a hold in force": {"", func(t *testing.T, dir string) {
			if _, err := SetHold(dir, "session:a", old, 0, claude); err != nil || os.Chtimes(holdFile(dir, "session:a"), old, old) != nil {
				t.Fatal(err)
			}
		}, ".hold"},
		"a hold that ran out": {"", func(t *testing.T, dir string) {
			if _, err := SetHold(dir, "session:a", old, time.Hour, claude); err != nil || os.Chtimes(holdFile(dir, "session:a"), old, old) != nil {
				t.Fatal(err)
			}
		}, ""},
		"an open loop": {"", func(t *testing.T, dir string) {
			file := filepath.Join(dir, "loop.md")
			s, err := OpenUnlocked(dir, "session:a")
			must(t, err)
			must(t, os.WriteFile(file, nil, 0o600))
			defer s.Close()
			_, err = s.AppendRecord(Record{At: old.UnixMilli(), Session: "a", Project: "/p", Decision: "stop", State: State{Loops: []activity.Memory{{Key: file}}}})
			if err != nil || os.Chtimes(s.path, old, old) != nil {
				t.Fatal(err)
			}
		}, ".jsonl"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "springfield")
			for _, session := range []string{"a", "b"} {
				decide(t, dir, session, "/p", old)
			}
			decide(t, dir, "new", "/p", noon)
			if test.settings != "" {
				must(t, os.WriteFile(filepath.Join(dir, "settings.json"), []byte(test.settings), 0o600))
			}
			if test.prepare != nil {
				test.prepare(t, dir)
			}
			SweepSomeSessions(dir, noon)
			var left []string
			for _, ending := range []string{".jsonl", ".hold"} {
				if _, err := os.Lstat(filepath.Join(dir, "sessions", SessionKey("session:a")+ending)); err == nil {
					left = append(left, ending)
				}
			}
			scratch.Equal(t, strings.Join(left, " "), test.left, "left is")
			all := history(dir, Scope{Project: "/p"}, 10)
			if len(all) == 0 || all[len(all)-1].At != noon.UnixMilli() {
				t.Errorf("%d decisions are recorded", len(all))
			}
		})
	}
}

// Every session sweeps more than it adds.
func TestSweepComesToAll(t *testing.T) {
	dir, old := t.TempDir(), noon.AddDate(0, 0, -200)
	makeStateDirs(dir)
	for i := range 3 * swept {
		path := SessionFile(dir, fmt.Sprint(i))
		must(t, errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, old, old)))
	}
	for range 100 {
		SweepSomeSessions(dir, noon)
	}
	left, err := os.ReadDir(filepath.Join(dir, "sessions"))
	must(t, err)
	scratch.Equal(t, len(left), 0, "left")
}

// history returns the last n decisions of a scope, oldest first.
func history(dir string, of Scope, n int) []Record {
	all, _ := Newest([]string{dir}, of, n, true, func(Record) bool { return true })
	return all
}
