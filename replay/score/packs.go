// Trying packs of languages: other data for one, and what each of its entries does.

package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/cameronsjo/springfield/runtime/language"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// swapPacks takes the packs of a directory instead of those that are built in.
func swapPacks(dir string) error {
	for _, code := range language.Codes() {
		data, err := os.ReadFile(filepath.Join(dir, code+".txt"))
		if err != nil {
			return err
		}
		p := language.Parse(code, string(data))
		if faults := p.Check(); len(faults) > 0 {
			return fmt.Errorf("%s.txt: %w", code, faults[0])
		}
		language.Swap(p)
	}
	return nil
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
	ned, _ := strategy.Named("ned-flanders")
	decide := ned.Prepare(strategy.Config{Strategy: ned.Name}, nil)
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
