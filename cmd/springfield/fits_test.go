package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/internal/layout"
)

// On a terminal of 80 columns no verb prints a line that the terminal would break in
// mid-word, but for long paths; and none prints the home directory where ~ does.
func TestEveryVerbFits(t *testing.T) {
	w := newWorld(t)
	w.furnish(t)
	w.columns = 80
	lines := 0
	check := func(call, text string) {
		diff := false
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\n")
			diff = strings.HasPrefix(line, "--- ") || diff && strings.ContainsAny(line[:min(1, len(line))], "+-@ ")
			if diff && !strings.HasPrefix(line, "--- ") && !strings.HasPrefix(line, "+++ ") {
				continue
			}
			lines++
			last := line[strings.LastIndex(line, " ")+1:]
			if wide := layout.Width(line); wide > 80 && (layout.Width(last) < 60 || wide-layout.Width(last) > 80) {
				t.Errorf("%s: %d columns: %q", call, wide, line)
			}
			if strings.Contains(line, w.home()) {
				t.Errorf("%s: the home directory is whole: %q", call, line)
			}
		}
	}
	loop := ""
	for _, c := range calls() {
		if c.line == "why" && c.good {
			w.stop(t, filepath.Join(w.work(), "hooks", "ned-flanders"), "s1", filepath.Join(w.home(), ".claude", "projects", "-w", "s1.jsonl"))
		}
		if c.line == "loop history" && loop == "" {
			got := w.call(t, "loop", "history", "--json")
			if object, ok := asObject(decoded(t, c.line, got.out)); ok {
				loop, _ = object["id"].(string)
			}
		}
		got := w.call(t, strings.Fields(strings.ReplaceAll(c.line, "LOOP", loop))...)
		if !strings.Contains(c.line, "--scope managed") { // prints a file
			check(c.line, got.out)
		}
		check(c.line, got.err)
	}
	each(newRoot(&app{}), func(cmd *cobra.Command) {
		if cmd.Hidden {
			return
		}
		args := append(strings.Fields(strings.TrimPrefix(cmd.CommandPath(), "springfield")), "--help")
		check(strings.Join(args, " "), w.must(t, args...).out)
	})
	if lines < 500 {
		t.Errorf("%d lines were looked at", lines)
	}
}
