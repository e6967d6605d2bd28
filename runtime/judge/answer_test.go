package judge

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestReadAnswer(t *testing.T) {
	for _, c := range []struct {
		data string
		cont bool
		why  string
		ok   bool
	}{
		{`{"why":"two todos are pending","continue":true}`, true, "two todos are pending", true},
		{` { "continue" : false , "why" : "" } ` + "\n", false, "", true},
		{`{"why":"a\n\tb\u202e\u001b[31mc\u0000 ","continue":true}`, true, "a b[31mc", true},
		{`{"why":"` + strings.Repeat("é", 400) + `","continue":true}`, true, strings.Repeat("é", MaxWhy/2), true},
		{data: `[{"why":"","continue":true}]`},
		{data: `{"why":"","continue":true} Claude should go on`},
		{data: `{"why":"","continue":true}{"why":"","continue":false}`},
		{data: `{"why":"","continue":true}` + "\v\u00a0\n"}, // white space, but none of JSON's
		{data: `Here you are: {"why":"","continue":true}`},
		{data: "```json\n{\"why\":\"\",\"continue\":true}\n```"},
		{data: `{"continue":true}`},
		{data: `{"why":"","continue":true,}`},
		{data: `{"why","","continue",true}`},
		{data: `{"why":"","continue":"true"}`},
		{data: `{"why":"","continue":null}`},
		{data: `{"why":null,"continue":true}`},
		{data: `{"why":["continue",true],"continue":true}`},
		{data: `{"why":"","Continue":true}`},
		{data: `{"why":"","continue":true,"note":"x"}`},
		{data: `{"why":"","continue":false,"continue":true}`},
		{data: `{"why":"","continue":true,"continu\u0065":true}`},
		{data: `{"why":"` + "\xff" + `","continue":true}`},
		{data: `{"why":"` + strings.Repeat("x", maxAnswer) + `","continue":true}`},
	} {
		cont, why, err := ReadAnswer([]byte(c.data))
		if cont != c.cont || why != c.why || (err == nil) != c.ok {
			t.Errorf("%.80q: %v %q %v", c.data, cont, why, err)
		}
	}
}

// The schema asks for what ReadAnswer takes, no more and no less.
func TestSchema(t *testing.T) {
	var schema struct {
		Type       string                     `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
		More       *bool                      `json:"additionalProperties"`
	}
	if err := json.Unmarshal([]byte(AnswerSchema()), &schema); err != nil {
		t.Fatal(err)
	}
	if schema.Type != "object" || len(schema.Properties) != 2 || len(schema.Required) != 2 || schema.More == nil || *schema.More {
		t.Errorf("%+v", schema)
	}
	for _, name := range schema.Required {
		if schema.Properties[name] == nil {
			t.Errorf("%s is required and not described", name)
		}
	}
}

func TestOneLine(t *testing.T) {
	for _, c := range []struct {
		in    string
		limit int
		want  string
	}{
		{"  a \r\n b\u2028c  ", 10, "a b c"},
		{"a\u200bb\u2066c\ufeffd", 10, "abcd"},
		{"\xffa\xed\xa0\x80", 10, "a"},
		{"ab cd", 3, "ab"},
		{"aé", 2, "a"},
	} {
		if got := OneLine(c.in, c.limit); got != c.want {
			t.Errorf("%q to %d: %q, want %q", c.in, c.limit, got, c.want)
		}
	}
}

func FuzzReadAnswer(f *testing.F) {
	for _, seed := range []string{`{"why":"x","continue":true}`, `{"why":"x","continue":true} y`, `{"continue":{"why":[]}}`, "```json\n{}\n```", `{"why":"\ud800","continue":false}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		cont, why, err := ReadAnswer(data)
		if err != nil {
			if cont || why != "" {
				t.Fatalf("%q: an answer with an error: %v %q", data, cont, why)
			}
			return
		}
		// Whatever is taken is what an ordinary reader sees in it.
		var plain map[string]any
		if json.Unmarshal(data, &plain) != nil || len(plain) != 2 || plain["continue"] != cont {
			t.Fatalf("%q was taken for %v", data, cont)
		}
		if len(why) > MaxWhy || !utf8.ValidString(why) || strings.TrimSpace(why) != why {
			t.Fatalf("%q: why is %q", data, why)
		}
		for _, r := range why {
			if unicode.In(r, unicode.C, unicode.Zl, unicode.Zp) {
				t.Fatalf("%q: %q draws", data, why)
			}
		}
	})
}
