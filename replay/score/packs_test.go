package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/language"
)

// Each entry of a pack is needed by a row of dev or of the examples, and each example
// is decided as it should be. English is left out: what no row needs was tried without,
// and closings of authors who had not been seen were decided worse.
func TestNoEntryIsIdle(t *testing.T) {
	for _, code := range language.Codes() {
		var out bytes.Buffer
		if err := mutate(&out, closings, code); err != nil {
			t.Fatal(err)
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
