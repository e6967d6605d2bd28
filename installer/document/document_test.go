package document

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

func TestParseRefuses(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"line comment", "{\n  // mine\n  \"a\": 1\n}", `line 2, column 3: comments are not allowed in JSON`},
		{"block comment", "{\"a\": /* 1 */ 2}", `line 1, column 7: comments are not allowed in JSON`},
		{"trailing comma in an object", "{\n  \"a\": 1,\n}", `line 2, column 9: trailing comma: JSON allows none before "}"`},
		{"trailing comma in an array", "{\"a\": [1, 2 , ]}", `line 1, column 13: trailing comma: JSON allows none before "]"`},
		{"truncated", "{\n  \"a\": [1", `line 2, column 9: the document ends unexpectedly`},
		{"truncated string", `{"a": "b`, `line 1, column 8: the document ends unexpectedly`},
		{"two documents", "{}\n{}", `line 2, column 1: unexpected '{' where the document should end`},
		{"array", "\n [1]", `line 2, column 2: the document is an array, not an object`},
		{"null", `null`, `line 1, column 1: the document is null, not an object`},
		{"missing comma", "{\n  \"a\": 1\n  \"b\": 2\n}", `line 3, column 3: unexpected '"' where a comma or } should follow`},
		{"missing colon", `{"a" 1}`, `line 1, column 6: unexpected '1' where a colon should follow the key`},
		{"bare key", "{\"ä\": 1,\n b: 2}", `line 2, column 2: unexpected 'b' where a key in double quotes should begin`},
		{"a character of two bytes", `{"ä": é}`, `line 1, column 7: unexpected 'é' where a value should begin`},
		{"two marks", "\ufeff\ufeff{}", `line 1, column 1: unexpected '\ufeff' where a value should begin`},
		{"a mark is not counted", "\ufeff{1}", `line 1, column 2: unexpected '1' where a key in double quotes should begin`},
		{"line end in a string", "{\"a\": \"b\n\"}", `line 1, column 9: unexpected '\n' in a string`},
		{"bad escape that looks like a comment", `{"a": "\#"}`, `line 1, column 9: unexpected '#' in an escape`},
		{"bad literal", `{"a": nul}`, `line 1, column 10: unexpected '}' in the word null`},
		{"Latin-1", "{\n\"ü\": \"\xfc\"}", `line 2, column 7: not UTF-8`},
		{"UTF-16", "\xff\xfe{\x00}\x00", `line 1, column 1: the file is UTF-16, not UTF-8`},
		{"far too deep", strings.Repeat(`{"a":`, 1e6), `line 1, column 50001: unexpected '{' nested too deep`},
		{"too large", `{"a": "` + strings.Repeat("x", MaxSize) + `"}`, `larger than 8 MiB`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d, err := ParseDocument([]byte(test.text))
			var syntax *SyntaxError
			if d != nil || !errors.As(err, &syntax) {
				t.Fatalf("Parse = %v, %v, want a *SyntaxError", d, err)
			}
			scratch.Equal(t, err.Error(), test.want, err)
		})
	}
}

func TestGet(t *testing.T) {
	d, err := ParseDocument([]byte("\ufeff{\n  \"a\": {\"b@c.d\": [1, 2 ], \"\\u0061\\u0026\": \"&&\"},\n  \"s\": \"x\",\n  \"n\": null,\n" +
		"  \"d\": {\"k\": 1, \"k\": {}},\n  \"s2\": {\"\\u006b\": 1, \"k\": 2}\n}"))
	must(t, err)
	tests := []struct {
		path       string
		want       string
		found      bool
		wantErrMsg string
	}{
		{path: "a/b@c.d", want: "[1, 2 ]", found: true},
		{path: "a/a&", want: `"&&"`, found: true},
		{path: "n", want: "null", found: true},
		{path: "a/missing"},
		{path: "missing/deeper/still"},
		{path: "d", want: `{"k": 1, "k": {}}`, found: true},
		{path: "d/other"},
		{path: "d/k", wantErrMsg: `line 5, column 17: duplicate key "k"`},
		{path: "d/k/x", wantErrMsg: `line 5, column 17: duplicate key "k"`},
		{path: "s2/k", wantErrMsg: `line 6, column 23: duplicate key "k"`},
		{path: "s/x", wantErrMsg: `line 3, column 8: "s" is a string, not an object`},
		{path: "n/x", wantErrMsg: `line 4, column 8: "n" is null, not an object`},
		{path: "a/b@c.d/0", wantErrMsg: `line 2, column 18: "b@c.d" is an array, not an object`},
	}
	for _, test := range tests {
		t.Run(strings.ReplaceAll(test.path, "/", ","), func(t *testing.T) {
			raw, found, err := d.Get(strings.Split(test.path, "/")...)
			message := ""
			if err != nil {
				message = err.Error()
			}
			if string(raw) != test.want || found != test.found || message != test.wantErrMsg {
				t.Errorf("Get = %q, %v, %q", raw, found, message)
			}
		})
	}
	if whole, found, err := d.Get(); err != nil || !found || !strings.HasPrefix(string(whole), "{\n") {
		t.Errorf("the whole document is %q, %v, %v", whole, found, err)
	}
}

func TestSame(t *testing.T) {
	texts := []string{`null`, `true`, `1`, `1.0`, `"1"`, `""`, `[]`, `{}`, `[1]`, `["1"]`, `[[]]`, `[{}]`, `{"a":1}`, `{"a":2}`, `{"b":1}`, `{"a":1,"b":1}`, `{"a":null}`, `{"a":{}}`, `{"a":[]}`}
	for i, one := range texts {
		for j, other := range texts {
			scratch.Equal(t, MeanSame(json.RawMessage(one), json.RawMessage(other)), i == j, one, other)
		}
	}
}
