package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/inspection"
	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/display"
)

// Eight strategies, as wide as about.yaml may make them, fit the terminal.
func TestTableFits(t *testing.T) {
	all := []inspection.Strategy{{Name: "ned-flanders", Cost: "$0", SkillMods: "none", Complexity: "low", Needs: "nothing", Measured: &generator.Measured{English: generator.Rates{Stops: 556, Work: 391, Caught: 344}}}}
	for _, name := range []string{"lisa-simpson", "marge-simpson", "bart-simpson", "ralph-wiggum", "todo-continuation", "ralph-specum", "ralph-speckit"} {
		all = append(all, inspection.Strategy{
			Name: name, Cost: "~$0.001", SkillMods: "heavy", Complexity: "medium", Needs: "a state file", Measured: &generator.Measured{English: generator.Rates{Stops: 556, Wrong: 48, Work: 391, Caught: 391}},
		})
	}
	all[7].Measured = nil
	lines := layout.Table(compared(all))
	if len(lines) != len(all)+1 {
		t.Errorf("%d lines", len(lines))
	}
	for _, line := range lines {
		if utf8.RuneCountInString(line) > columns {
			t.Errorf("%d wide: %s", utf8.RuneCountInString(line), line)
		}
	}
	for n, want := range map[int]string{
		1: "ned-flanders       $0       none        0 %    88 %    low         nothing",
		2: "lisa-simpson       ~$0.001  heavy       8.6 %  100 %   medium      a state file",
		8: "ralph-speckit      ~$0.001  heavy       -      -       medium      a state file",
	} {
		if lines[n] != want {
			t.Errorf("line %d is\n%s, want\n%s", n, lines[n], want)
		}
	}
}

// What JSON allows and a terminal would obey or hide is escaped; it means the same.
func TestJSONIsInert(t *testing.T) {
	const nasty = "\u202e\u200b\u009b2J\u007f\U000e0041 é 日本 👍 <script> \x1b[2J"
	var out bytes.Buffer
	a := &app{out: display.Writer(&out)}
	if err := a.encode(map[string]string{nasty: nasty}); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsFunc(out.String(), func(r rune) bool { return r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf) }) {
		t.Errorf("%q", out.String())
	}
	var back map[string]string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back[nasty] != nasty {
		t.Errorf("%q, %v", back, err)
	}
	if !strings.Contains(out.String(), "é 日本 👍 <script>") {
		t.Errorf("too much is escaped: %s", out.String())
	}
}
