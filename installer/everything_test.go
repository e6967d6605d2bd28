package installer

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Of every file of springfield's state that the docs name, disable --all --purge knows
// whether it goes; what a user writes stays.
func TestStateThatThePurgeKnows(t *testing.T) {
	text, err := os.ReadFile("../docs/files.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text2, _ := strings.Cut(string(text), "\n## State\n")
	table, _, _ := strings.Cut(text2, "\n### ")
	own := map[string]bool{"PLUGIN.json": true, "settings.json": true, "loops": true}
	seen := 0
	for _, row := range strings.Split(table, "\n| `")[1:] {
		first, _, _ := strings.Cut(row, " |")
		for _, name := range regexp.MustCompile("[A-Za-z*][-A-Za-z.*/]*").FindAllString(first, 1) {
			name, _, _ = strings.Cut(name, "/")
			seen++
			if isState(name) == own[name] {
				t.Errorf("%s: the purge removes it: %v", name, isState(name))
			}
		}
	}
	if seen < 15 {
		t.Errorf("the docs name %d files", seen)
	}
}
