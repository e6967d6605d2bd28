package check_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/cameronsjo/springfield/check"
)

func TestText(t *testing.T) {
	for want, f := range map[string]check.Finding{
		"gone":           {Says: "gone"},
		"a.json: gone":   {File: "a.json", Says: "gone"},
		"a.json:2:7: no": {File: "a.json", Position: check.Position{Line: 2, Column: 7}, Says: "no"},
	} {
		if got := f.Text(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestFindingAsJSON(t *testing.T) {
	f := check.Finding{Check: "rules", State: check.Failure, File: "a.json", Position: check.Position{Line: 2, Column: 7}, Says: "no", Mend: func(context.Context) error { return nil }}
	data, err := json.Marshal(f)
	if want := `{"check":"rules","state":"failure","file":"a.json","line":2,"column":7,"says":"no"}`; err != nil || string(data) != want {
		t.Errorf("%s, %v", data, err)
	}
}

func TestRunNamesChecks(t *testing.T) {
	looks := func(says string, state check.State) func(int) []check.Finding {
		return func(int) []check.Finding { return []check.Finding{{State: state, Says: says}} }
	}
	found := check.Run(7, []check.Check[int]{{"a", looks("x", check.Fine)}, {"b", func(int) []check.Finding { return nil }}, {"c", looks("y", check.Failure)}})
	if len(found) != 2 || found[0].Check != "a" || found[1].Check != "c" || check.Count(found, check.Failure) != 1 {
		t.Errorf("%+v", found)
	}
}

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
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"twins 1", "stubborn", "refuses", "hides", "behind"}; !slices.Equal(made, want) {
		t.Errorf("made %q, want %q", made, want)
	}
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
