package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// set and drop make changes for tests; the path is written with slashes.
func set(path, value string) Edit {
	return Edit{Path: strings.Split(path, "/"), Value: json.RawMessage(value)}
}

func drop(path string) Edit { return Edit{Path: strings.Split(path, "/")} }

func verbatim(path, value string) Edit {
	c := set(path, value)
	c.Verbatim = true
	return c
}

var must = scratch.Must

type edited struct {
	name    string
	before  string
	changes []Edit
	after   string
}

func checkEdits(t *testing.T, tests []edited) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d, err := ParseDocument([]byte(test.before))
			must(t, err)
			after, err := d.ApplyEdits(test.changes...)
			must(t, err)
			scratch.Equal(t, string(after), test.after)
			again, err := ParseDocument(after)
			must(t, err)
			if twice, err := again.ApplyEdits(test.changes...); err != nil || string(twice) != test.after {
				t.Errorf("a second time it becomes %q, %v", twice, err)
			}
		})
	}
}

func TestInsert(t *testing.T) {
	checkEdits(t, []edited{
		{"one line with blanks", `{"a": 1, "b": 2}`, []Edit{set("c", "3")}, `{"a": 1, "b": 2, "c": 3}`},
		{"one line without", `{"a":1,"b":2}`, []Edit{set("c", "3")}, `{"a":1,"b":2,"c":3}`},
		{"one line, sole", `{"a": 1}`, []Edit{set("c", "3")}, `{"a": 1, "c": 3}`},
		{"one line, sole, padded", `{ "a":1 }`, []Edit{set("c", "3")}, `{ "a":1,"c":3 }`},
		{"odd separators", `{"a" :1 ,"b" :2 }`, []Edit{set("c", "3")}, `{"a" :1 ,"b" :2 ,"c" :3 }`},
		{"two blanks", "{\n  \"a\": 1\n}\n", []Edit{set("c", "3")}, "{\n  \"a\": 1,\n  \"c\": 3\n}\n"},
		{"four blanks", "{\n    \"a\": 1,\n    \"b\": 2\n}", []Edit{set("c", "3")}, "{\n    \"a\": 1,\n    \"b\": 2,\n    \"c\": 3\n}"},
		{"CRLF", "{\r\n  \"a\": 1\r\n}\r\n", []Edit{set("c", "3")}, "{\r\n  \"a\": 1,\r\n  \"c\": 3\r\n}\r\n"},
		{"mark", "\ufeff{\n  \"a\": 1\n}\n", []Edit{set("c", "3")}, "\ufeff{\n  \"a\": 1,\n  \"c\": 3\n}\n"},
		{"comma first", "{ \"a\": 1\n, \"b\": 2\n}\n", []Edit{set("c", "3")}, "{ \"a\": 1\n, \"b\": 2\n, \"c\": 3\n}\n"},
		{"brace on the last line", "{\n  \"a\": 1}", []Edit{set("c", "3")}, "{\n  \"a\": 1,\n  \"c\": 3}"},
		{"blank line behind the brace", "{\n\n  \"a\": 1\n}", []Edit{set("c", "3")}, "{\n\n  \"a\": 1,\n  \"c\": 3\n}"},
		{"not indented", "{\n\"a\": 1\n}", []Edit{set("c/d", "3")}, "{\n\"a\": 1,\n\"c\": {\n\"d\": 3\n}\n}"},
		{"nested", "{\n  \"a\": {\n    \"b\": 1\n  },\n  \"z\": 0\n}\n", []Edit{set("a/c", "3")},
			"{\n  \"a\": {\n    \"b\": 1,\n    \"c\": 3\n  },\n  \"z\": 0\n}\n"},
		{"nested on one line", "{\n  \"a\": {\"b\": 1},\n  \"z\": 0\n}\n", []Edit{set("a/c", "3")},
			"{\n  \"a\": {\"b\": 1, \"c\": 3},\n  \"z\": 0\n}\n"},
		{"nothing else is tidied", "{\"a\":1,\n     \"b\" : [1 ,2]  ,\n \"c\":\t\"\\u00e9 \\/ &&\" \n\n }  \n\n", []Edit{set("x@y.z", "true")},
			"{\"a\":1,\n     \"b\" : [1 ,2]  ,\n \"c\":\t\"\\u00e9 \\/ &&\"  ,\n \"x@y.z\":\ttrue \n\n }  \n\n"},
		{"keys are not escaped for HTML", `{"a": 1}`, []Edit{set("<&&>ü", `"a && b < c > d"`)}, `{"a": 1, "<&&>ü": "a && b < c > d"}`},
		{"duplicates elsewhere stay", `{"a": 1, "a": {"x": 1, "x": 2}}`, []Edit{set("c", "3")}, `{"a": 1, "a": {"x": 1, "x": 2}, "c": 3}`},
	})
}

func TestInsertContainer(t *testing.T) {
	checkEdits(t, []edited{
		{"missing parents", "{\n  \"a\": 1\n}\n", []Edit{set("b/c/d", "true")},
			"{\n  \"a\": 1,\n  \"b\": {\n    \"c\": {\n      \"d\": true\n    }\n  }\n}\n"},
		{"missing parents on one line", `{"a":1}`, []Edit{set("b/c/d", "true")}, `{"a":1,"b":{"c":{"d":true}}}`},
		{"two members of a new object", "{\n\t\"a\": 1\n}\n", []Edit{set("p/x@m", "true"), set("p/y@m", "false")},
			"{\n\t\"a\": 1,\n\t\"p\": {\n\t\t\"x@m\": true,\n\t\t\"y@m\": false\n\t}\n}\n"},
		{"an object in a new object", "{\r\n    \"a\": 1\r\n}", []Edit{set("m/x", `{"source":{"source":"directory","path":"/p"},"l":[1,{"n":[]}],"e":{}}`)},
			"{\r\n    \"a\": 1,\r\n    \"m\": {\r\n        \"x\": {\r\n            \"source\": {\r\n                \"source\": \"directory\",\r\n                \"path\": \"/p\"\r\n            },\r\n" +
				"            \"l\": [\r\n                1,\r\n                {\r\n                    \"n\": []\r\n                }\r\n            ],\r\n            \"e\": {}\r\n        }\r\n    }\r\n}"},
		{"on one line as its siblings", "{\n  \"m\": {\n    \"a\": {\"s\": {\"p\": 1, \"q\": 2}},\n    \"z\": true\n  }\n}\n", []Edit{set("m/b", `{"s": {"p": 3}}`)},
			"{\n  \"m\": {\n    \"a\": {\"s\": {\"p\": 1, \"q\": 2}},\n    \"z\": true,\n    \"b\": {\"s\": {\"p\": 3}}\n  }\n}\n"},
		{"an object unlike arrays", "{\n  \"a\": [1,2]\n}\n", []Edit{set("b", `{"k": 5}`)}, "{\n  \"a\": [1,2],\n  \"b\": {\n    \"k\": 5\n  }\n}\n"},
		{"no line end behind a colon", "{\n  \"a\":\n  {\n    \"x\": 1\n  }\n}\n", []Edit{set("b/y", "2")},
			"{\n  \"a\":\n  {\n    \"x\": 1\n  },\n  \"b\": {\n    \"y\": 2\n  }\n}\n"},
		{"units differ", "{\n  \"a\": {\n      \"x\": 1\n  }\n}\n", []Edit{set("a/b/c", "2")}, "{\n  \"a\": {\n      \"x\": 1,\n      \"b\": {\n          \"c\": 2\n      }\n  }\n}\n"},
		{"behind a broken sibling", "{\"a\": {\n  \"x\": 1\n}}", []Edit{set("b/y", "2")}, "{\"a\": {\n  \"x\": 1\n}, \"b\": {\n  \"y\": 2\n}}"},
		{"strings keep their text", "{\n  \"a\": 1\n}\n", []Edit{set("b", `["\u00e9\/ && \ud83d\ude00", 1.0e+2]`)},
			"{\n  \"a\": 1,\n  \"b\": [\n    \"\\u00e9\\/ && \\ud83d\\ude00\",\n    1.0e+2\n  ]\n}\n"},
	})
}

func TestFill(t *testing.T) {
	checkEdits(t, []edited{
		{"no file content", "", []Edit{set("a", "1")}, "{\n  \"a\": 1\n}\n"},
		{"blanks only", "\n \t", []Edit{set("a/b", "1")}, "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n"},
		{"only a mark", "\ufeff", []Edit{set("a", "1")}, "\ufeff{\n  \"a\": 1\n}\n"},
		{"empty", "{}", []Edit{set("a", "1")}, "{\n  \"a\": 1\n}"},
		{"empty with a line end", "{}\n", []Edit{set("a", "1"), set("b", "2")}, "{\n  \"a\": 1,\n  \"b\": 2\n}\n"},
		{"blank", "{ }\n", []Edit{set("a", "1")}, "{\n  \"a\": 1\n}\n"},
		{"broken", "\n{\r\n\r\n}", []Edit{set("a", "1")}, "\n{\n  \"a\": 1\n}"},
		{"indented", "  {}\n", []Edit{set("a", "1")}, "  {\n    \"a\": 1\n  }\n"},
		{"inside, lines", "{\n    \"z\": 0,\n    \"a\": {}\n}\n", []Edit{set("a/b", "1"), set("a/c", "2")},
			"{\n    \"z\": 0,\n    \"a\": {\n        \"b\": 1,\n        \"c\": 2\n    }\n}\n"},
		{"inside, lines, blank", "{\n\t\"a\" : { },\n\t\"z\" : 0\n}\n", []Edit{set("a/b/c", "1")},
			"{\n\t\"a\" : {\n\t\t\"b\" : {\n\t\t\t\"c\" : 1\n\t\t}\n\t},\n\t\"z\" : 0\n}\n"},
		{"inside, one line", `{"a": {}, "z": 0}`, []Edit{set("a/b", "1"), set("a/c", "2")}, `{"a": {"b": 1, "c": 2}, "z": 0}`},
		{"inside, broken", "{\"a\": {\n}}", []Edit{set("a/b", "1")}, "{\"a\": {\n  \"b\": 1\n}}"},
		{"a one-line object in lines", "{\n  \"a\": {\"b\": {}}\n}", []Edit{set("a/b/c", "1")}, "{\n  \"a\": {\"b\": {\"c\": 1}}\n}"},
	})
}

func TestReplace(t *testing.T) {
	checkEdits(t, []edited{
		{"scalar", "{\n  \"a\" :  1 ,\n  \"b\": 2\n}", []Edit{set("a", "false")}, "{\n  \"a\" :  false ,\n  \"b\": 2\n}"},
		{"deep", `{"a": {"b": {"c": "x"}}}`, []Edit{set("a/b/c", `"a && b"`)}, `{"a": {"b": {"c": "a && b"}}}`},
		{"scalar by an object", "{\n  \"a\": 1\n}\n", []Edit{set("a", `{"b": 1}`)}, "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n"},
		{"object by a scalar", "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n", []Edit{set("a", `null`)}, "{\n  \"a\": null\n}\n"},
		{"object by an object", "{\n  \"a\": {\"b\": 1}\n}\n", []Edit{set("a", `{"c":1,"d":[]}`)}, "{\n  \"a\": {\"c\": 1, \"d\": []}\n}\n"},
		{"object by an object in lines", "{\n  \"o\": {\"x\": 1},\n  \"a\": {\n    \"b\": 1\n  }\n}\n", []Edit{set("a", `{"c":1}`)},
			"{\n  \"o\": {\"x\": 1},\n  \"a\": {\n    \"c\": 1\n  }\n}\n"},
		{"array by an array", "{\n  \"a\": [ 1 ,2 ]\n}\n", []Edit{set("a", `[3, 4]`)}, "{\n  \"a\": [3, 4]\n}\n"},
		{"escaped key", `{"\u0061": 1}`, []Edit{set("a", "2")}, `{"\u0061": 2}`},
		{"empty object by an object", "{\n  \"a\": {}\n}\n", []Edit{set("a", `{"b":1}`)}, "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n"},
		{"same value", "{\"a\" : {\"x\":1 , \"y\":[ 1.0 ]}}", []Edit{set("a", `{"y":[1.0],"x":1}`)}, "{\"a\" : {\"x\":1 , \"y\":[ 1.0 ]}}"},
		{"same text, escaped", `{"a": "\u0041"}`, []Edit{set("a", `"A"`)}, `{"a": "\u0041"}`},
		{"same number, other text", `{"a": 1.0}`, []Edit{set("a", `1`)}, `{"a": 1}`},
		{"large numbers", `{"a": 12345678901234567890}`, []Edit{set("a", `12345678901234567891`)}, `{"a": 12345678901234567891}`},
		{"blanks around the value", `{"a": 1}`, []Edit{set("a", " 2\n")}, `{"a": 2}`},
		{"one of an object with duplicates", `{"x": 1, "x": 2, "a": 1}`, []Edit{set("a", "2")}, `{"x": 1, "x": 2, "a": 2}`},
	})
}

func TestRemove(t *testing.T) {
	checkEdits(t, []edited{
		{"first", `{"a": 1, "b": 2}`, []Edit{drop("a")}, `{"b": 2}`},
		{"last", `{"a": 1, "b": 2}`, []Edit{drop("b")}, `{"a": 1}`},
		{"middle", "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": 1\n  },\n  \"d\": 2\n}\n", []Edit{drop("b")}, "{\n  \"a\": 1,\n  \"d\": 2\n}\n"},
		{"first of lines", "{\r\n\t\"a\": 1,\r\n\t\"b\": 2\r\n}", []Edit{drop("a")}, "{\r\n\t\"b\": 2\r\n}"},
		{"sole", "{\n  \"a\": 1\n}\n", []Edit{drop("a")}, "{}\n"},
		{"sole inside", "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n", []Edit{drop("a/b")}, "{\n  \"a\": {}\n}\n"},
		{"absent", "{ \"a\": 1 }", []Edit{drop("b"), drop("c/d")}, "{ \"a\": 1 }"},
	})
}

func TestVerbatim(t *testing.T) {
	checkEdits(t, []edited{
		{"a container as it was", "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n", []Edit{verbatim("a", "{ }")}, "{\n  \"a\": { }\n}\n"},
		{"the same in other words", `{"a": {}}`, []Edit{verbatim("a", "{\n}")}, "{\"a\": {\n}}"},
		{"in new parents", "{\n  \"a\": 1\n}\n", []Edit{verbatim("b/c", "[1 ,2]")}, "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": [1 ,2]\n  }\n}\n"},
		{"removing", `{"a": 1}`, []Edit{{Path: []string{"a"}, Verbatim: true}}, `{}`},
	})
}

func TestChangesCompose(t *testing.T) {
	d, err := ParseDocument([]byte("{\n  \"a\": \"x\",\n  \"b\": {}\n}\n"))
	must(t, err)
	after, err := d.ApplyEdits(drop("a"), set("a/b", "1"), set("b/c", "2"), drop("b/c"), set("n/m", "[]"), set("n", "0"))
	if want := "{\n  \"b\": {},\n  \"a\": {\n    \"b\": 1\n  },\n  \"n\": 0\n}\n"; err != nil || string(after) != want {
		t.Errorf("got %s, %v", after, err)
	}
}

func TestApplyRefuses(t *testing.T) {
	const document = "{\n  \"d\": 1,\n  \"o\": {\"x\": 1, \"x\": {}},\n  \"s\": \"ä\", \"n\": null, \"l\": [],\n  \"\\u0064\": 2\n}\n"
	syntax := func(want string) func(error) bool {
		return func(err error) bool {
			var syntax *SyntaxError
			return errors.As(err, &syntax) && err.Error() == want
		}
	}
	says := func(want string) func(error) bool {
		return func(err error) bool { return err != nil && err.Error() == want }
	}
	tests := []struct {
		name    string
		changes []Edit
		is      func(error) bool
	}{
		{"duplicate", []Edit{set("d", "2")}, syntax(`line 5, column 3: duplicate key "d"`)},
		{"duplicate, removing", []Edit{drop("d")}, syntax(`line 5, column 3: duplicate key "d"`)},
		{"duplicate inside", []Edit{set("o/x", "2")}, syntax(`line 3, column 17: duplicate key "x"`)},
		{"duplicate on the way", []Edit{set("o/x/y", "2")}, syntax(`line 3, column 17: duplicate key "x"`)},
		{"null as parent", []Edit{set("n/x", "2")}, syntax(`line 4, column 18: "n" is null, not an object`)},
		{"array as parent, removing", []Edit{drop("l/0")}, syntax(`line 4, column 29: "l" is an array, not an object`)},
		{"place of the document, not of what it became", []Edit{set("o/new", "{\"a\": 1}"), set("a/new", "1"), set("l/0", "2")}, syntax(`line 4, column 29: "l" is an array, not an object`)},
		{"contradiction", []Edit{set("a", "1"), set("a/b", "2")}, says(`change "a/b": "a" is a number, not an object`)},
		{"no path", []Edit{{Value: json.RawMessage("1")}}, says(`a change needs a path`)},
		{"no value", []Edit{{Path: []string{"a"}, Value: json.RawMessage("")}}, says(`change "a": the value is not JSON: line 1, column 1: the document ends unexpectedly`)},
		{"a value that is not JSON", []Edit{set("a", "{]")}, says(`change "a": the value is not JSON: line 1, column 2: unexpected ']' where a key in double quotes should begin`)},
		{"a value that is not UTF-8", []Edit{set("a", "\"\xff\"")}, says(`change "a": the value is not JSON: line 1, column 2: not UTF-8`)},
		{"a key that is not UTF-8", []Edit{set("\xff", "1")}, says(`change "\xff": the key "\xff" is not UTF-8`)},
		{"a key that stands for any broken one", []Edit{set("o/�", "1")}, says(`change "o/�": the key "�" is not UTF-8`)},
		{"too large", []Edit{set("a", `"`+strings.Repeat("x", MaxSize-10)+`"`)}, says(`change "a": the result would be invalid: larger than 8 MiB`)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d, err := ParseDocument([]byte(document))
			must(t, err)
			after, err := d.ApplyEdits(test.changes...)
			scratch.ErrorIf(t, after != nil || !test.is(err), "Apply = %q, %v", after, err)
		})
	}
}

// The check of every edit detects each kind of wrong edit.
func TestIsOnly(t *testing.T) {
	read := func(text string) *Document {
		d, err := ParseDocument([]byte(text))
		must(t, err)
		return d
	}
	before := read(`{"a": {"x": 1, "y": "\u0041"}, "b": [1,2]}`)
	tests := []struct {
		name, after string
		fine        bool
	}{
		{"as asked", `{"a": {"x": 2, "y": "\u0041"}, "b": [1,2]}`, true},
		{"not done", `{"a": {"x": 1, "y": "\u0041"}, "b": [1,2]}`, false},
		{"another member changed", `{"a": {"x": 2, "y": "\u0041"}, "b": [1,3]}`, false},
		{"another member lost", `{"a": {"x": 2, "y": "\u0041"}}`, false},
		{"another member rewritten", `{"a": {"x": 2, "y": "\u0041"}, "b": [1, 2]}`, false},
		{"a sibling rewritten", `{"a": {"x": 2, "y": "A"}, "b": [1,2]}`, false},
		{"siblings doubled", `{"a": {"x": 2, "y": "\u0041", "y": "\u0041"}, "b": [1,2]}`, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			scratch.Equal(t, isOnlyChange(set("a/x", "2"), before, read(test.after)), test.fine, "isOnly")
		})
	}
}

func TestEncode(t *testing.T) {
	raw, err := EncodeValue(map[string]any{"a": "x && y <z>"})
	scratch.ErrorIf(t, err != nil || string(raw) != `{"a":"x && y <z>"}`, "Encode = %s, %v", raw, err)
	if _, err := EncodeValue(func() {}); err == nil {
		t.Error("Encode accepts a function")
	}
}

// Comments stay in place.
func TestCommentsStay(t *testing.T) {
	set := Edit{Path: []string{"plugins", "ned@hooks"}, Value: json.RawMessage("true")}
	for before, want := range map[string]string{
		"// mine\n{}":                                        "// mine\n{\n  \"plugins\": {\n    \"ned@hooks\": true\n  }\n}",
		"{\n  // mine\n  \"a\": 1\n}\n":                      "{\n  // mine\n  \"a\": 1,\n  \"plugins\": {\n    \"ned@hooks\": true\n  }\n}\n",
		"{\"a\": \"// no comment\"} /* one */":               "{\"a\": \"// no comment\", \"plugins\": {\"ned@hooks\": true}} /* one */",
		"{\n  \"plugins\": {\n    \"x\": true // on\n  }\n}": "{\n  \"plugins\": {\n    \"x\": true,\n    \"ned@hooks\": true // on\n  }\n}",
		"// mine\n":                "// mine\n{\n  \"plugins\": {\n    \"ned@hooks\": true\n  }\n}\n",
		"\ufeff/* mine */":         "\ufeff/* mine */\n{\n  \"plugins\": {\n    \"ned@hooks\": true\n  }\n}\n",
		"// mine\r\n/* more\r\n*/": "// mine\r\n/* more\r\n*/\r\n{\r\n  \"plugins\": {\r\n    \"ned@hooks\": true\r\n  }\r\n}\r\n",
		"{\"plugins\": {\"ned@hooks\": false /* off */}}": "{\"plugins\": {\"ned@hooks\": true /* off */}}",
	} {
		c, err := ParseCommented([]byte(before))
		must(t, err, before)
		after, err := c.ApplyEdits(set)
		if err != nil || string(after) != want {
			t.Errorf("%q became %v\n%q\nnot\n%q", before, err, after, want)
		}
	}
	for _, refused := range []string{"/* without an end\n{}", "{\"a\": 1,} // a comma", "{} {} // two"} {
		if _, err := ParseCommented([]byte(refused)); err == nil {
			t.Errorf("%q is read", refused)
		}
	}
}

// The comments beside a member that goes, or whose value changes, get lines of their own.
func TestCommentsOfWhatIsRemoved(t *testing.T) {
	for before, after := range map[string]string{
		`{|  "x": 1, // x's|  "ned": true|}`:                           `{|  "x": 1|  // x's|}`,
		`{|  "x": 1,|  // mine|  "ned": true // too|}`:                 `{|  "x": 1|  // mine // too|}`,
		`{|  "ned": true, // mine|  "y": 2|}`:                          `{|  |  // mine|  "y": 2|}`,
		`{|  // mine|  "ned": true|}`:                                  `{|// mine|}`,
		`{"ned": true /* mine */}`:                                     "{|/* mine */|}",
		`{|  "x": 1, /* mine */ // and|  "ned": true,|  "y": 2|}`:      `{|  "x": 1|  /* mine */|  // and|  ,|  "y": 2|}`,
		`{|  "ned": {|    // mine|    "a": 1 // "too"|  },|  "y": 2|}`: `{|  |  // mine|  // "too"|  "y": 2|}`,
	} {
		for _, end := range []string{"\n", "\r\n"}[:min(2, 1+strings.Count(before, "|"))] {
			c, err := ParseCommented([]byte(strings.ReplaceAll(before, "|", end)))
			must(t, err, before)
			got, err := c.ApplyEdits(drop("ned"))
			must(t, err, before)
			scratch.Equal(t, strings.ReplaceAll(string(got), end, "|"), after, before)
		}
	}
	c, err := ParseCommented([]byte(`{"p": {"ned": {"a": 1 /* mine */}}}`))
	must(t, err)
	got, err := c.ApplyEdits(set("p/ned", "true"))
	must(t, err)
	scratch.Equal(t, string(got), "{\"p\": {\"ned\": \n/* mine */\ntrue}}")
}

// An edit loses no comment, and removing what was set restores the text.
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
		must(t, err, data, after)
		for _, path := range [][]string{{"p"}, {"a"}} { // whatever goes, no comment does
			if gone, err := again.ApplyEdits(Edit{Path: path}); err == nil && len(findComments(string(gone))) != len(findComments(string(data))) {
				t.Errorf("%q\nbecame %q without %s", after, gone, path)
			} else if err != nil && !strings.Contains(err.Error(), "duplicate") {
				t.Errorf("%q keeps %s: %v", after, path, err)
			}
		}
		back, err := again.ApplyEdits(remove)
		if err != nil || !bytes.Equal(back, data) {
			t.Errorf("%q\nbecame %q,\nthen %q (%v)", data, after, back, err)
		}
	})
}

// Keys that are special in a path are ordinary keys.
func TestOddKeys(t *testing.T) {
	set := func(data []byte, path []string, value []byte) ([]byte, error) {
		d, err := ParseDocument(data)
		if err != nil {
			return nil, err
		}
		return d.ApplyEdits(Edit{Path: path, Value: value})
	}
	for _, key := range []string{"a.b@c", "*", "?", "#", "1", "-1", ":a", "@this", "!x", "a|b", `\`, `"`, "{x}", "[0]", "", " ", "é", "<&>", "~"} {
		before := "{\n  \"x\": {" + EncodeKey(key) + ": 1, \"z\": [1.0]},\n  \"y\":2\n}\n"
		after, err := set([]byte(before), []string{"x", key}, []byte(`{"n":true}`))
		if want := "{\n  \"x\": {" + EncodeKey(key) + ": {\"n\": true}, \"z\": [1.0]},\n  \"y\":2\n}\n"; err != nil || string(after) != want {
			t.Errorf("%q, %v", after, err)
		}
		gone, err := set(after, []string{"x", key}, nil)
		scratch.ErrorIf(t, err != nil || string(gone) != "{\n  \"x\": {\"z\": [1.0]},\n  \"y\":2\n}\n",
			"%q is removed: %q, %v", key, gone, err)
		nested, err := set([]byte("{}\n"), []string{key, key}, []byte("1"))
		if want := "{\n  " + EncodeKey(key) + ": {\n    " + EncodeKey(key) + ": 1\n  }\n}\n"; err != nil || string(nested) != want {
			t.Errorf("%q, %v; want %q", nested, err, want)
		}
	}
}
