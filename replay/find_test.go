package replay

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// stopped is a session with one nudge.
func stopped(id string) *made {
	return newMade(id).asks("write the parser").works().says("The parser is written.").rests().asks("continue")
}

func TestFind(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{
		"projects/a/1.jsonl", "projects/a/agent-1.jsonl", "projects/a/1/subagents/agent-2.jsonl", "projects/a/1/subagents/3.jsonl", "projects/a/1/4.jsonl",
		"projects/a/notes.txt", "projects/b/5.jsonl", "elsewhere/6.jsonl", "elsewhere/session.log", "elsewhere/agent-7.jsonl",
	} {
		scratch.PutFile(t, filepath.Join(home, filepath.FromSlash(name)), "{}\n")
	}
	for _, test := range []struct {
		paths string // relative to home
		want  string
		skips string
	}{
		{"projects", "projects/a/1.jsonl projects/a/1/4.jsonl projects/b/5.jsonl", ""},
		{"projects/b projects/a projects/b/5.jsonl", "projects/a/1.jsonl projects/a/1/4.jsonl projects/b/5.jsonl", ""},
		{"elsewhere", "elsewhere/6.jsonl", ""},
		{"elsewhere/session.log elsewhere/agent-7.jsonl", "elsewhere/agent-7.jsonl elsewhere/session.log", ""},
		{"none projects/b", "projects/b/5.jsonl", "none: not found"},
		{"", "", ""},
	} {
		var paths, got, skips []string
		for _, p := range strings.Fields(test.paths) {
			paths = append(paths, filepath.Join(home, filepath.FromSlash(p)))
		}
		files, skipped := findLogs(context.Background(), paths)
		for _, f := range files {
			rel, _ := filepath.Rel(home, f.path)
			got = append(got, filepath.ToSlash(rel))
		}
		for _, s := range skipped {
			rel, _ := filepath.Rel(home, s.File)
			skips = append(skips, filepath.ToSlash(rel)+": "+s.Why)
		}
		if strings.Join(got, " ") != test.want || strings.Join(skips, " ") != test.skips {
			t.Errorf("%s: %v, skipped %v", test.paths, got, skips)
		}
	}
}

// The common part of resumed and forked sessions counts once.
func TestForks(t *testing.T) {
	common := newMade("a").asks("write the parser").works().says("The parser is written.").rests().asks("continue").
		says("Now the lexer.").works().says("The lexer is written.").rests()
	// Copied lines keep uuids and times; newer clients add the new session and the origin.
	copied := func(id string, mark bool) *made {
		m := newMade(id)
		for _, line := range common.lines {
			if mark {
				line = strings.Replace(line, `"sessionId":"a"`, `"sessionId":"`+id+`","forkedFrom":{"sessionId":"a","messageUuid":"x"}`, 1)
			}
			m.raw(line)
		}
		m.at = common.at
		return m
	}
	ended := []Label{Nudge, MidWork, Ended}
	for name, test := range map[string]struct {
		sessions []*made
		want     []string // session, line, label
	}{
		"alone": {[]*made{common}, []string{"a 4 nudge", "a 7 mid-work", "a 10 end"}},
		"resumed": {[]*made{common, copied("b", false).wait(time.Hour).asks("and now the types").works().says("Done.")},
			[]string{"a 4 nudge", "a 7 mid-work", "a 10 answered", "b 15 end"}},
		"forked, and both went on": {[]*made{copied("a", false).wait(time.Minute).asks("go on").says("The end."), copied("0", true).wait(time.Hour).asks("and now the types").works().says("Done.")},
			[]string{"a 4 nudge", "a 7 mid-work", "a 10 nudge", "a 13 end", "0 15 end"}},
		"forked, and the fork ended first": {[]*made{copied("a", false).wait(time.Hour).asks("go on").says("The end."), copied("0", true).wait(time.Minute).asks("and now the types").says("Done.")},
			[]string{"a 4 nudge", "a 7 mid-work", "a 10 nudge", "a 13 end", "0 13 end"}},
	} {
		home := t.TempDir()
		for _, m := range test.sessions {
			m.write(t, home)
		}
		r := replayed(t, home)
		var got []string
		for _, row := range r.Rows {
			got = append(got, fmt.Sprint(strings.TrimSuffix(filepath.Base(row.File), ".jsonl"), " ", row.Line, " ", row.Label))
		}
		errorIf(t, !slices.Equal(got, test.want), "%s: %q, want %q", name, got, test.want)
		if r.Sessions != 1 || r.Files != len(test.sessions) {
			t.Errorf("%s: %d sessions in %d files", name, r.Sessions, r.Files)
		}
	}
	scratch.Equal(t, labelsOf(alone(t, common)), ended)
	// A session without a row is not counted.
	later := t.TempDir()
	common.write(t, later)
	newMade("later").wait(30*24*time.Hour).asks("and the cellar").says("Done.").write(t, later)
	candidates := candidatesOf(t, "ned-flanders")
	r := RunReplay(t.Context(), Options{Paths: []string{ProjectsDir(later)}, Since: common.at.Add(20 * 24 * time.Hour), Candidates: candidates})
	if len(r.Rows) != 1 || r.Sessions != 1 || r.Files != 2 {
		t.Errorf("%d rows, %d sessions in %d files", len(r.Rows), r.Sessions, r.Files)
	}
	// Sessions whose lines have no uuid are not merged.
	home := t.TempDir()
	for _, id := range []string{"a", "b"} {
		m := newMade(id)
		for _, line := range common.lines {
			m.raw(strings.ReplaceAll(line, `"uuid"`, `"was"`))
		}
		m.write(t, home)
	}
	if r := replayed(t, home); len(r.Rows) != 6 || r.Sessions != 2 {
		t.Errorf("%d rows, %d sessions", len(r.Rows), r.Sessions)
	}
}

// A project includes directories below it, not those with a longer name.
func TestProject(t *testing.T) {
	home := t.TempDir()
	stopped("a").write(t, home)
	other := stopped("b")
	for i := range other.lines {
		other.lines[i] = strings.ReplaceAll(other.lines[i], "/home/me/project", "/home/me/project-2/inner")
	}
	other.write(t, home)
	for project, want := range map[string]int{"/home/me/project": 1, "/home/me/project-2": 1, "/home/me": 2, "/elsewhere": 0} {
		r := RunReplay(t.Context(), Options{Paths: []string{home}, Project: project})
		errorIf(t, r.Files != want, "%s: %d files", project, r.Files)
	}
}

// The rows do not depend on the number of processors or the order of files.
func TestDeterministic(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	home := t.TempDir()
	for i := range 12 {
		working(fmt.Sprint("s", i), 200<<10, int64(i)).write(t, home)
	}
	var first Report
	for workers := 1; workers <= 5; workers += 2 {
		runtime.GOMAXPROCS(workers)
		r := RunReplay(t.Context(), Options{Paths: []string{home}, Candidates: candidatesOf(t, CandidateNamesByLog()...)})
		if workers == 1 {
			if first = r; len(r.Rows) < 50 || len(r.Rows[0].Choices) != len(CandidateNamesByLog()) {
				t.Fatalf("%d rows", len(r.Rows))
			}
			continue
		}
		if !reflect.DeepEqual(r.Rows, first.Rows) || r.Bytes != first.Bytes || r.Sessions != first.Sessions {
			t.Errorf("%d workers: other rows", workers)
		}
	}
}

// An interrupted replay returns a partial report.
func TestCancelled(t *testing.T) {
	home := t.TempDir()
	for i := range 3 {
		working(fmt.Sprint("s", i), 3<<20, int64(i)).write(t, home)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	r := RunReplay(ctx, Options{Paths: []string{home}, Progress: func(Progress) { cancel() }})
	if !r.Partial || len(r.Rows) == 0 || r.Bytes < span || r.Bytes > 2*span || len(r.Labels) != len(AllLabels()) {
		t.Errorf("partial %v, %d rows of %d bytes", r.Partial, len(r.Rows), r.Bytes)
	}
	if r := RunReplay(ctx, Options{Paths: []string{home}}); !r.Partial || len(r.Rows) > 0 {
		t.Errorf("cancelled before: partial %v, %d rows", r.Partial, len(r.Rows))
	}
}
