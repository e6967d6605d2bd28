package check_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// A repair is tried once, a needless one is not, and what it reveals is repaired too.
func TestMend(t *testing.T) {
	broken := []string{"twins 1", "twins 2", "stubborn", "refuses", "hides"}
	var made []string
	look := func() ([]check.Finding, error) {
		var all []check.Finding
		for _, what := range broken {
			all = append(all, check.Finding{Check: "c", State: check.Failure, Says: what, Mend: func(context.Context) error {
				made = append(made, what)
				gone := map[string][]string{"twins 1": {"twins 1", "twins 2"}, "hides": {"hides"}, "behind": {"behind"}}[what]
				broken = slices.DeleteFunc(broken, func(b string) bool { return slices.Contains(gone, b) })
				switch what {
				case "refuses":
					return errors.New("no")
				case "hides":
					broken = append(broken, "behind")
				}
				return nil
			}})
		}
		return all, nil
	}
	found, _ := look()
	o, err := check.Mend(context.Background(), found, look)
	scratch.Must(t, err)
	scratch.Equal(t, made, []string{"twins 1", "stubborn", "refuses", "hides", "behind"}, "made")
	says := func(all []check.Finding) (texts []string) {
		for _, f := range all {
			texts = append(texts, f.Says)
		}
		return texts
	}
	if !slices.Equal(says(o.Mended), []string{"twins 1", "hides", "behind"}) || !slices.Equal(says(o.Left), []string{"stubborn", "refuses"}) || len(o.Failed) != 1 || o.Failed[0].Error() != "c: no" {
		t.Errorf("%q mended, %q left, %v", says(o.Mended), says(o.Left), o.Failed)
	}
}

func TestMendStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	f := check.Finding{Mend: func(context.Context) error { cancel(); return errors.New("cut off") }}
	if _, err := check.Mend(ctx, []check.Finding{f, {Says: "next", Mend: func(context.Context) error { t.Error("goes on"); return nil }}}, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestHintAtNames(t *testing.T) {
	names := []string{"ned-flanders", "ned-flanders:seed", "lisa-simpson", "bart-simpson", "all"}
	for typed, want := range map[string]string{
		"ned-flander": "did you mean --x ned-flanders?", "ned-flanders:sed": "did you mean --x ned-flanders:seed?", "Lisa": "did you mean --x lisa-simpson?",
		"lal": "did you mean --x all?", "aLisa": "nothing", "simpson": "did you mean --x lisa-simpson or --x bart-simpson?", "al": "did you mean --x all?",
		"x": "nothing", "": "nothing", "homer-simpsons-donut": "nothing", strings.Repeat("a", 1<<20): "nothing",
	} {
		if got := check.HintAtNames(typed, "--x ", names, "nothing"); got != want {
			t.Errorf("%.30q: %q, want %q", typed, got, want)
		}
	}
	if got := check.HintAtNames("moe", "--x ", names[3:], ""); got != "--x is bart-simpson or all" {
		t.Error(got)
	}
	if got := check.HintAtNames("moe", "", names[3:], ""); got != "choose from bart-simpson, all" {
		t.Error(got)
	}
}
