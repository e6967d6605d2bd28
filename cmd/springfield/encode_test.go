package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/cameronsjo/springfield/runtime/display"
)

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
