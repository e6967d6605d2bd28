package document

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// Comments stay where they are, and what was added goes again without a trace.
func TestCommentsStay(t *testing.T) {
	set := Edit{Path: []string{"plugins", "ned@hooks"}, Value: json.RawMessage("true")}
	for before, want := range map[string]string{
		"// mine\n{}":                                        "// mine\n{\n  \"plugins\": {\n    \"ned@hooks\": true\n  }\n}",
		"{\n  // mine\n  \"a\": 1\n}\n":                      "{\n  // mine\n  \"a\": 1,\n  \"plugins\": {\n    \"ned@hooks\": true\n  }\n}\n",
		"{\"a\": \"// no comment\"} /* one */":               "{\"a\": \"// no comment\", \"plugins\": {\"ned@hooks\": true}} /* one */",
		"{\n  \"plugins\": {\n    \"x\": true // on\n  }\n}": "{\n  \"plugins\": {\n    \"x\": true,\n    \"ned@hooks\": true // on\n  }\n}",
		"{\"plugins\": {\"ned@hooks\": false /* off */}}":    "{\"plugins\": {\"ned@hooks\": true /* off */}}",
	} {
		c, err := ParseCommented([]byte(before))
		if err != nil {
			t.Fatalf("%q: %v", before, err)
		}
		after, err := c.ApplyEdits(set)
		if err != nil || string(after) != want {
			t.Errorf("%q became %v\n%q\nnot\n%q", before, err, after, want)
		}
	}
	for _, refused := range []string{"/* without an end\n{}", "{\"a\": 1,} // a comma", "// nothing else", "{} {} // two"} {
		if _, err := ParseCommented([]byte(refused)); err == nil && refused != "// nothing else" {
			t.Errorf("%q is read", refused)
		}
	}
	c, err := ParseCommented([]byte("{\"plugins\": {/* mine */}, \"a\": 1}"))
	must(t, err)
	if after, err := c.ApplyEdits(Edit{Path: []string{"plugins"}}); err == nil {
		t.Errorf("a comment is gone: %q", after)
	}
}

// Whatever is edited, no comment is lost: without the member that was set, the text is what
// it was.
func FuzzCommented(f *testing.F) {
	for _, text := range []string{"// a\n{}", "{\"a\": 1 /* b */, // c\n\"p\": {\"x\": 1}}", "{\r\n// \"\r\n}", "{\"a\": \"/*\", \"b\": \"\\\"//\"}", "{\"p\": { }}"} {
		f.Add([]byte(text))
	}
	set, remove := Edit{Path: []string{"p", "ned"}, Value: json.RawMessage(`"//"`)}, Edit{Path: []string{"p", "ned"}}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ParseCommented(data)
		if err != nil || len(data) > 1<<14 {
			return
		}
		_, found, err := c.Get("p", "ned")
		object, parent, _ := c.Get("p")
		if found || !parent || err != nil || len(object) > 2 && strings.Trim(string(object), blanks+"{}") == "" {
			return // the blanks that an empty object had are the journal's to give back
		}
		after, err := c.ApplyEdits(set)
		if err != nil {
			return
		}
		again, err := ParseCommented(after)
		if err != nil {
			t.Fatalf("%q became %q: %v", data, after, err)
		}
		back, err := again.ApplyEdits(remove)
		if err != nil || !bytes.Equal(back, data) {
			t.Errorf("%q\nbecame %q,\nthen %q (%v)", data, after, back, err)
		}
	})
}
