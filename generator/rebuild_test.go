package generator

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/change"
)

// planBuild plans a build of what was compiled for a spec.
func planBuild(t *testing.T, dir string, spec Spec, built Build) (Plan, error) {
	t.Helper()
	files, err := Render(spec, built)
	if err != nil {
		t.Fatal(err)
	}
	return MakePlan(dir, Building, files)
}

// A build that cannot be put in place, or that cannot take an old hook away,
// leaves the suite as it was.
func TestRebuildIsAllOrNothing(t *testing.T) {
	linux, mac := Target{"linux", "amd64"}, Target{"darwin", "arm64"}
	t.Run("judges come and go with their targets", func(t *testing.T) {
		both, one := suiteOf(t, []string{"lisa-simpson"}, linux, mac), suiteOf(t, []string{"lisa-simpson"}, linux)
		dir := filepath.Join(t.TempDir(), "suite")
		files, err := Render(both, compiledFor(both))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := Write(dir, files); err != nil {
			t.Fatal(err)
		}
		r, err := planBuild(t, dir, one, compiledFor(one))
		if err != nil {
			t.Fatal(err)
		}
		changed, removed := r.Paths(Rebuilt, Followed), r.Paths(Removed)
		if len(removed) != 4 || !slices.Contains(removed, "lisa-simpson/hooks/darwin-arm64/springfield-judge") || !slices.Contains(changed, "lisa-simpson/hooks/springfield-judge") {
			t.Errorf("changes %v, removes %v", changed, removed)
		}
	})
	for name, spoil := range map[string]func(dir string) change.Edit{
		"a file in the way": func(dir string) change.Edit {
			return change.Edit{In: dir, Path: filepath.Join(dir, SuiteFile, "below"), After: &change.Content{}}
		},
		"nothing to remove": func(dir string) change.Edit {
			return change.Edit{In: dir, Path: filepath.Join(dir, "ned-flanders", "hooks", "nowhere"), Before: &change.Content{}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "suite")
			files, err := Render(specOf(linux, mac), compiled(linux, mac))
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := Write(dir, files); err != nil {
				t.Fatal(err)
			}
			before := tree(t, dir)
			r, err := planBuild(t, dir, specOf(linux), compiled(linux))
			if err != nil {
				t.Fatal(err)
			}
			if want := []string{"ned-flanders/hooks/linux-amd64/springfield-hook", "ned-flanders/hooks/darwin-arm64/springfield-hook"}; len(r.Paths(Removed)) != 2 || !slices.Contains(r.Paths(Removed), want[0]) || !slices.Contains(r.Paths(Removed), want[1]) {
				t.Errorf("removes %v", r.Paths(Removed))
			}
			r.Edits = append(r.Edits, spoil(dir))
			if r.Write() == nil {
				t.Fatal("no error")
			}
			if got := tree(t, dir); !bytes.Equal(got, before) {
				t.Errorf("left behind:\n%s", differing(before, got))
			}
			// And without the fault it is the suite that would have been made.
			if r, err = planBuild(t, dir, specOf(linux), compiled(linux)); err != nil {
				t.Fatal(err)
			}
			if err := r.Write(); err != nil {
				t.Fatal(err)
			}
			fresh := filepath.Join(t.TempDir(), "fresh")
			if files, err = Render(specOf(linux), compiled(linux)); err != nil {
				t.Fatal(err)
			}
			if _, _, err := Write(fresh, files); err != nil {
				t.Fatal(err)
			}
			if got, want := tree(t, dir), tree(t, fresh); !bytes.Equal(got, want) {
				t.Error(differing(want, got))
			}
			if r, err = planBuild(t, dir, specOf(linux), compiled(linux)); err != nil || !r.Empty() {
				t.Errorf("again it would change %v, %v", r.Outcomes, err)
			}
		})
	}
}

// Whatever else stands in springfield.yaml stays as its owner wrote it.
func TestRebuildKeepsComments(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "suite")
	write(t, dir)
	file := filepath.Join(dir, SuiteFile)
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	old = bytes.Replace(old, []byte("plugins:\n"), []byte("plugins: # one is enough\n"), 1)
	put(t, file, append([]byte("# hands off\n"), old...), 0o644)
	newer := compiled(host())
	newer.Go = "go1.99"
	r, err := planBuild(t, dir, specOf(host()), newer)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Write(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# hands off\n", "# one is enough\n", "go: go1.99\n"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if len(r.SameVersion) != 0 {
		t.Errorf("no hook has changed, but %v is named", r.SameVersion)
	}
}
