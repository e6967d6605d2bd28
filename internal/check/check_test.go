package check_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// A repair is tried once, what it makes needless is not, and what it brings to
// light is mended too.
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
