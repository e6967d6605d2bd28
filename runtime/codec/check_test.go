package codec

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

var texts = []string{
	``, ` `, `{}`, ` [ ] `, `{"a":1}`, `{"a":1,}`, `{"a" 1}`, `{"a":}`, `{a:1}`, `{"a":1 "b":2}`, `[1,]`, `[1 2]`, `[01]`, `-`, `-a`, `1.`, `1.e`, `1e`, `1e+`, `1E+5`, `-0`, `0.5e-3`,
	`tru`, `trux`, `nul `, `falsy`, `"a`, `"\x"`, `"\u12g4"`, `"\u12`, "\"\x01\"", "\"a\nb\"", `"\ud800\udc00 \ud800 \u0041\b\f\n\/"`, "\"\xff\xfe ü\"", `{"a":[1,{"b":null}]} x`, `{}{}`, `'`, `["'"]x"`, "\xef\xbb\xbf{}", "\x00",
	`{"b" : [ ] , "c":{ }, "d":[1, "a b"]}`,
}

// What is wrong with a text, and where, is what encoding/json says. What is right is
// read, and laid out, as it does.
func FuzzCheck(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var want json.RawMessage
		err := json.Unmarshal(data, &want)
		switch fault, syntax := FindFault(data), (*json.SyntaxError)(nil); {
		case fault == nil && err == nil:
		case fault == nil || !errors.As(err, &syntax):
			t.Fatalf("%q: %v, want %v", data, fault, err)
		case fault.Cut && strings.HasPrefix(syntax.Error(), "invalid character ' '") && fault.At == len(data)-1: // it adds a blank at the end
		case fault.Says != syntax.Error() || fault.At != max(0, int(syntax.Offset)-1) || fault.Cut != (syntax.Error() == "unexpected end of JSON input"):
			t.Fatalf("%q: %+v, want %v at %d", data, fault, err, syntax.Offset-1)
		}
		if err != nil {
			return
		}
		var text string
		err = json.Unmarshal(want, &text)
		if got, ok := ExactString(bytes.TrimSpace(data)); ok != (err == nil) || got != text {
			t.Errorf("%q says %q, %v; want %q, %v", data, got, ok, text, err)
		}
	})
}

// The first value of a text is where a decoder of encoding/json stops.
func TestFirst(t *testing.T) {
	deep := []string{strings.Repeat("[", 10_001), strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)}
	for _, text := range append(append(deep, texts...), `{"a":1} {`, `[1]x`, `"a"b`, `1 2`) {
		d := json.NewDecoder(strings.NewReader(text))
		var want json.RawMessage
		err := d.Decode(&want)
		value, fault := FirstValue([]byte(text))
		if (fault == nil) != (err == nil) || err == nil && string(bytes.TrimSpace(value)) != string(want) {
			t.Errorf("%.40q: %.40q, %v; want %.40q, %v", text, value, fault, want, err)
		}
	}
}

// chosen is what a person writes.
type chosen struct {
	Text    string     `json:"text"`
	Yes     *bool      `json:"yes"`
	Whole   int        `json:"whole"`
	Float   *float64   `json:"float"`
	Texts   []string   `json:"texts"`
	Inside  chosenPart `json:"inside"`
	Pointed *chosenPart
	Parts   []chosenPart `json:"parts"`
}

type chosenPart struct {
	Name string `json:"name"`
	N    *int   `json:"n"`
}

func (c *chosenPart) Members(m *Members) {
	m.Text("name", &c.Name)
	OptionalMember(m, "n", &c.N, Number[int])
}

func (c *chosen) Members(m *Members) {
	m.Text("text", &c.Text)
	OptionalMember(m, "yes", &c.Yes, (*Members).Bool)
	Number(m, "whole", &c.Whole)
	OptionalMember(m, "float", &c.Float, Float)
	m.Texts("texts", &c.Texts)
	m.Object("inside", &c.Inside)
	Optional(m, "pointed", &c.Pointed)
	ListOf(m, "parts", &c.Parts)
}

// What is read strictly is what encoding/json reads without unknown fields, with the
// same value of a wrong kind at the same place.
func FuzzReadMember(f *testing.F) {
	for _, text := range []string{
		`{}`, `null`, `{"Text":"a\b\u00e9\ud800","YES":true,"whole":-3,"float":1e3,"texts":["a",null],"inside":{"NAME":"x","n":0},"pointed":{},"parts":[{"name":"y"},{}]}`,
		`{"text":1}`, `{"text":[1]}`, `{"yes":"true"}`, `{"whole":1.5}`, `{"whole":1e2}`, `{"whole":"1"}`, `{"float":"x"}`, `{"float":1e999}`, `{"texts":"a"}`, `{"texts":["a",{"b":1}]}`,
		`{"inside":[]}`, `{"inside":{"name":7}}`, `{"inside":{"other":7}}`, `{"pointed":"x"}`, `{"parts":{}}`, `{"parts":[1]}`, `{"parts":[{"n":"x"}]}`, `{"text":null,"inside":null,"pointed":null,"parts":null}`, `{"new":1}`, `7`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		value = bytes.TrimSpace(value)
		data := []byte(`{"it": ` + string(value) + `}`)
		if !IsValid(value) || value[0] == 'n' || bytes.Count(value, []byte(`"parts"`)) > 1 { // given twice, encoding/json puts one list into the other
			return
		}
		var want, got chosen
		d := json.NewDecoder(bytes.NewReader(value))
		d.DisallowUnknownFields()
		err := d.Decode(&want)
		fault := ReadMember(data, "it", data[7:7+len(value)], func(m *Members) { m.Object("it", &got) })
		if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
			if fault == nil {
				t.Fatalf("%s is read as %+v, want %v", value, got, err)
			}
			says := strings.TrimSuffix("it."+wrong.Field, ".") + " cannot be " + WithArticle(wrong.Value)
			if fault.Says != says && !strings.Contains(fault.Says, "unknown member") && !strings.EqualFold(fault.Says, says) {
				t.Errorf("%s: %s, want %s", value, fault.Says, says)
			}
			return
		}
		if (fault == nil) != (err == nil) {
			t.Fatalf("%s: %v, want %v", value, fault, err)
		}
		if a, b := text(t, want), text(t, got); err == nil && a != b && !bytes.Contains(value, []byte("null")) {
			t.Errorf("%s is read as %s, want %s", value, b, a)
		}
	})
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A fault names the place where a value or a name begins.
func TestFaultsHavePlaces(t *testing.T) {
	for text, want := range map[string]struct {
		at   string
		says string
	}{
		`{"it": {"text": 12}}`:                    {"12}}", "it.text cannot be a number"},
		`{"it": {"whole": 1.5}}`:                  {"1.5}}", "it.whole cannot be a number 1.5"},
		`{"it": {"texts": ["a", {"b": 1}]}}`:      {`{"b"`, "it.texts cannot be an object"},
		`{"it": {"parts": [{}, {"name": true}]}}`: {"true}]}", "it.parts.name cannot be a bool"},
		`{"it": {"inside": {"nam": 1}}}`:          {`"nam": 1}}}`, `unknown member "nam"`},
		`{"it": ["a"]}`:                           {"[", "it cannot be an array"},
	} {
		var c chosen
		fault := ReadMember([]byte(text), "it", FindMember([]byte(text), "it"), func(m *Members) { m.Object("it", &c) })
		if fault == nil || fault.Says != want.says || !strings.HasPrefix(text[fault.At:], want.at) {
			t.Errorf("%s: %+v, want %s at %s", text, fault, want.says, want.at)
		}
	}
}

// In what a person has written, null stands for nothing, also in a list of objects. Only
// as many objects are kept as are asked for.
func TestListsOfObjects(t *testing.T) {
	for list, want := range map[string]string{
		`[null, {"name": "a"}, null]`:                                   "a",
		`[{"name": "a"}, {"name":"b"}]`:                                 "ab",
		`[{"name": "a"}, null, {"name":"b"}, {"name":"c"}, {"name":1}]`: "ab",
		`[]`: "",
	} {
		var parts []chosenPart
		fault := ReadMember([]byte(list), "parts", []byte(list), func(m *Members) { ListOf(m.LimitNext(2), "parts", &parts) })
		got := ""
		for _, p := range parts {
			got += p.Name
		}
		if fault != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", list, got, fault, want)
		}
	}
}
