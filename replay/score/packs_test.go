// What each entry of a pack of a language does.

package score

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/language"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/strategy/ned"
)

// Each entry of a pack is needed by a row of dev or of the examples, and each example
// is decided as it should be. English is left out: what no row needs was tried without,
// and closings of authors who had not been seen were decided worse.
func TestNoEntryIsIdle(t *testing.T) {
	codes := language.Codes()
	if *lang != "" {
		codes = langs()
	}
	for _, code := range codes {
		if *lang == "" && scratch.Skipped(3) {
			continue
		}
		var out bytes.Buffer
		if err := mutate(&out, closings, code); err != nil {
			t.Fatal(err)
		}
		if *lang != "" {
			t.Log(out.String())
		}
		if said := out.String(); code != "en" && strings.Contains(said, "idle: ") || strings.Contains(said, "wrongly") {
			t.Errorf("%s: %s", code, said[:min(len(said), 1000)])
		}
	}
}

// An entry that nothing needs is named.
func TestMutateNamesWhatIsIdle(t *testing.T) {
	defer language.Swap(language.Parse("de", "# German\n[common]\nich\n[move]\nabrakadabra\n"))()
	var out bytes.Buffer
	if err := mutate(&out, closings, "de"); err != nil || !strings.Contains(out.String(), "idle: [move] abrakadabra") {
		t.Errorf("%v, %s", err, out.String())
	}
}

// mutate takes one entry after the other out of a pack, and names those without
// which every row of dev and of the examples is decided as before.
func mutate(out io.Writer, dir, code string) error {
	var rows []closing
	for _, half := range []string{"dev", "examples"} {
		list, err := readClosings(filepath.Join(dir, half))
		if err != nil && half == "dev" {
			return err
		}
		rows = append(rows, list...)
	}
	p := language.Named(code)
	if p == nil {
		return fmt.Errorf("there is no pack %q", code)
	}
	var own []closing
	for _, r := range rows {
		if r.Lang == code || code == "zh" && r.Lang == "zh-Hant" {
			own = append(own, r)
		}
	}
	decide := (&ned.Options{}).Prepare(nil)
	goesOn := func(r closing) bool {
		return decide(strategy.Situation{Message: strategy.Message{Text: r.Text, Own: true}}).Decision == strategy.Continue
	}
	before, folded := make([]bool, len(own)), make([]string, len(own))
	for i, r := range own {
		before[i] = goesOn(r)
		folded[i] = language.Fold(strings.NewReplacer("*", "", "_", "").Replace(r.Text))
		if r.author == code && before[i] != (r.Expect == "continue") {
			fmt.Fprintf(out, "example %s is decided wrongly\n", r.ID)
		}
	}
	idle, all := 0, 0
	for _, c := range language.Classes() {
		if c == language.Common {
			continue
		}
		for _, entry := range p.Entries(c) {
			all++
			undo := language.Swap(p.Without(c, entry))
			changed := false
			for i, r := range own {
				if !language.MayMatch(entry, folded[i]) {
					continue
				}
				if changed = goesOn(r) != before[i]; changed {
					break
				}
			}
			undo()
			if !changed {
				idle++
				fmt.Fprintf(out, "idle: [%s] %s\n", c, entry)
			}
		}
	}
	fmt.Fprintf(out, "%s: %d of %d entries change nothing in %d rows\n", code, idle, all, len(own))
	return nil
}
