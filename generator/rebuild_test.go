package generator

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cameronsjo/springfield/internal/journal"
)

// planBuild plans a build of what was compiled for a spec.
func planBuild(t *testing.T, dir string, spec Spec, built Build) Plan {
	t.Helper()
	p, err := MakePlan(dir, Building, rendered(t, spec, built))
	must(t, err)
	return p
}

// A build that cannot be put in place, or that cannot take an old hook away,
// leaves the suite as it was.
func TestRebuildIsAllOrNothing(t *testing.T) {
	linux, mac := Target{"linux", "amd64"}, Target{"darwin", "arm64"}
	t.Run("judges come and go with their targets", func(t *testing.T) {
		both, one := suiteOf(t, []string{"lisa-simpson"}, linux, mac), suiteOf(t, []string{"lisa-simpson"}, linux)
		dir := suiteWith(t, rendered(t, both, compiledFor(both)))
		r := planBuild(t, dir, one, compiledFor(one))
		changed, removed := r.Paths(Rebuilt, Followed), r.Paths(Removed)
		if len(removed) != 4 || !slices.Contains(removed, "lisa-simpson/hooks/darwin-arm64/springfield-judge") || !slices.Contains(changed, "lisa-simpson/hooks/springfield-judge") {
			t.Errorf("changes %v, removes %v", changed, removed)
		}
	})
	for name, spoil := range map[string]func(dir string) journal.Edit{
		"a file in the way": func(dir string) journal.Edit {
			return journal.Edit{In: dir, Path: filepath.Join(dir, SuiteFile, "below"), After: &journal.Content{}}
		},
		"nothing to remove": func(dir string) journal.Edit {
			return journal.Edit{In: dir, Path: filepath.Join(dir, "ned-flanders", "hooks", "nowhere"), Before: &journal.Content{}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := suiteWith(t, rendered(t, specOf(linux, mac), compiled(linux, mac)))
			before := tree(t, dir)
			r := planBuild(t, dir, specOf(linux), compiled(linux))
			r.Edits = append(r.Edits, spoil(dir))
			if r.WriteUnjournaled() == nil {
				t.Fatal("no error")
			}
			if got := tree(t, dir); !bytes.Equal(got, before) {
				t.Errorf("left behind:\n%s", differing(before, got))
			}
			// And without the fault it is the suite that would have been made.
			must(t, planBuild(t, dir, specOf(linux), compiled(linux)).WriteUnjournaled())
			fresh := suiteWith(t, rendered(t, specOf(linux), compiled(linux)))
			if got, want := tree(t, dir), tree(t, fresh); !bytes.Equal(got, want) {
				t.Error(differing(want, got))
			}
			if r = planBuild(t, dir, specOf(linux), compiled(linux)); !r.IsEmpty() {
				t.Errorf("again it would change %v", r.Outcomes)
			}
		})
	}
}
