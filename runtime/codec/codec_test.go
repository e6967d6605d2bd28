package codec

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// members calls yield with each top-level member of a JSON object: the key as written between its quotes, and the raw
// value. It returns false when the line is not a complete object; members before the fault have been yielded.
func members(line []byte, yield func(key, value []byte)) bool {
	w := EnterValue(line, '{')
	for w.Next() {
		if v := w.TakeValue(); v != nil {
			yield(w.Key, v)
		}
	}
	return w.IsAlone()
}

// The walker must see the members that encoding/json sees, and must not accept
// an object that encoding/json refuses for its structure.
func FuzzMembers(f *testing.F) {
	for _, line := range []string{`{"type":"user","a":[1,{"b":"}"}]}`, `{}`, `{ }`, `{"a":1,}`, `{"a" : "\\\"" , "b":[]}`, `{"a":{"a":1}`, `{"a"}`, "{\"\\\\\":\"\\\\\"}", `{"a":tru}`} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var want map[string]json.RawMessage
		valid := json.Unmarshal(line, &want) == nil && want != nil
		got := map[string][]byte{}
		complete := members(line, func(key, value []byte) {
			var k string
			if json.Unmarshal(append(append([]byte{'"'}, key...), '"'), &k) == nil {
				got[k] = value
			}
		})
		if !valid {
			return
		}
		if !complete {
			t.Fatalf("refused %q", line)
		}
		if len(got) != len(want) {
			t.Fatalf("%q: %d members, want %d", line, len(got), len(want))
		}
		for k, v := range want {
			if !bytes.Equal(bytes.TrimSpace(v), got[k]) {
				t.Fatalf("%q: member %q is %q, want %q", line, k, got[k], v)
			}
		}
	})
}

// all has a member of each kind.
type all struct {
	Text   string   `json:"text,omitempty"`
	Kept   int      `json:"kept"`
	Number uint64   `json:"number,omitempty"`
	Small  uint8    `json:"small,omitempty"`
	Yes    bool     `json:"yes,omitempty"`
	Texts  []string `json:"texts,omitempty"`
	Pair   [2]int64 `json:"pair,omitzero"`
	One    *part    `json:"one,omitempty"`
	Part   part     `json:"part,omitzero"`
	Parts  []part   `json:"parts,omitempty"`
}

type part struct {
	Name string `json:"name,omitempty"`
}

func (p *part) Members(m *Coder) { m.Text("name", &p.Name) }

func (a *all) Members(m *Coder) {
	m.Text("text", &a.Text)
	Number(m.EvenEmpty(), "kept", &a.Kept)
	Number(m, "number", &a.Number)
	Number(m, "small", &a.Small)
	m.Bool("yes", &a.Yes)
	m.Texts("texts", &a.Texts)
	NumberPair(m, "pair", &a.Pair)
	Optional(m, "one", &a.One)
	m.Object("part", &a.Part)
	ListOf(m, "parts", &a.Parts)
}

// Append writes, and ReadObject reads, the JSON of encoding/json.
func TestAgreesWithEncodingJSON(t *testing.T) {
	for _, want := range []all{
		{},
		{Text: "a \"quote\", a \\ and\nlines\t\r\x01 \u2028 ü ✅ 𝄞 <&>", Kept: -3, Number: 1<<64 - 1, Small: 255, Yes: true},
		{Texts: []string{"", "two"}, Pair: [2]int64{0, 7}, One: &part{}, Part: part{"p"}, Parts: []part{{"a"}, {}}},
	} {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		scratch.Must(t, e.Encode(want))
		scratch.Equal(t, string(Append(nil, &want)), string(bytes.TrimSpace(b.Bytes())), "written", b.Bytes())
		var back all
		if err := ReadObject(b.Bytes(), &back); err != nil || !reflect.DeepEqual(back, want) {
			t.Errorf("read %+v, %v\nwant %+v", back, err, want)
		}
	}
}

func TestRefuses(t *testing.T) {
	for _, data := range []string{
		``, `[]`, `{`, `{"text":"a"`, `{"text":"a"}x`, `{"text":1}`, `{"kept":"1"}`, `{"kept":1.5}`, `{"small":256}`, `{"small":-1}`,
		`{"number":-1}`, `{"number":18446744073709551616}`, `{"pair":[0,18446744073709551615]}`, `{"kept":9223372036854775808}`,
		`{"yes":1}`, `{"texts":"a"}`, `{"texts":[1]}`, `{"part":[]}`, `{"parts":[{"name":1}]}`, `{"parts":[{]}`,
	} {
		var a all
		if err := ReadObject([]byte(data), &a); err == nil {
			t.Errorf("%s is read as %+v", data, a)
		}
	}
	var a all
	if err := ReadObject([]byte(` {"text" : null, "new": [{"x": 1}], "kept" : 2 } `), &a); err != nil || a.Kept != 2 {
		t.Errorf("%+v, %v", a, err)
	}
}

// raws has a raw member.
type raws struct{ log []byte }

func (r *raws) Members(m *Coder) { m.Raw("log", &r.log) }

// Readers of lines use the space of one line for the next.
func TestWhatIsReadOutlivesTheLine(t *testing.T) {
	line := []byte(`{"log":{"a":1}}`)
	var r raws
	scratch.Must(t, ReadObject(line, &r))
	copy(line, `{"log":[22,333]}`)
	scratch.ErrorIf(t, string(r.log) != `{"a":1}`, "it has become %s", r.log)
}

var texts = []string{
	``, ` `, `{}`, ` [ ] `, `{"a":1}`, `{"a":1,}`, `{"a" 1}`, `{"a":}`, `{a:1}`, `{"a":1 "b":2}`, `[1,]`, `[1 2]`, `[01]`, `-`, `-a`, `1.`, `1.e`, `1e`, `1e+`, `1E+5`, `-0`, `0.5e-3`,
	`tru`, `trux`, `nul `, `falsy`, `"a`, `"\x"`, `"\u12g4"`, `"\u12`, "\"\x01\"", "\"a\nb\"", `"\ud800\udc00 \ud800 \u0041\b\f\n\/"`, "\"\xff\xfe ü\"", `{"a":[1,{"b":null}]} x`, `{}{}`, `'`, `["'"]x"`, "\xef\xbb\xbf{}", "\x00",
	`{"b" : [ ] , "c":{ }, "d":[1, "a b"]}`,
}

// FindFault returns the offset of the error of encoding/json, and ExactString its value.
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
		case fault.Says == "the document ends unexpectedly" && strings.HasPrefix(syntax.Error(), "invalid character ' '") && fault.At == len(data)-1: // it adds a blank at the end
		case fault.At != max(0, int(syntax.Offset)-1) || (fault.Says == "the document ends unexpectedly") != (syntax.Error() == "unexpected end of JSON input"):
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

// chosen stands for settings that a person writes.
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

func (c *chosenPart) Members(m *Coder) {
	m.Text("name", &c.Name)
	ReadOptional(m, "n", &c.N, Number[int])
}

func (c *chosen) Members(m *Coder) {
	m.Text("text", &c.Text)
	ReadOptional(m, "yes", &c.Yes, (*Coder).Bool)
	Number(m, "whole", &c.Whole)
	ReadOptional(m, "float", &c.Float, ReadFloat)
	m.Texts("texts", &c.Texts)
	m.Object("inside", &c.Inside)
	Optional(m, "pointed", &c.Pointed)
	ListOf(m, "parts", &c.Parts)
}

// within is an object with the members that a function lists.
type within struct{ list func(*Coder) }

func (w within) Members(m *Coder) { w.list(m) }

func firstFault(data []byte, o Object) *Fault {
	parts, whole := ReadStrictly(data, o, nil)
	if len(parts) > 0 {
		return parts[0]
	}
	return whole
}

// Faulty members are omitted and the others read. A text that is not a JSON object is omitted whole.
func TestWhatIsWrongIsLeftOut(t *testing.T) {
	for file, want := range map[string]struct {
		read   string
		faults int
	}{
		`{"it": {"text": "a", "no": 1, "yes": 7, "whole": 2.5, "float": "x"}}`:    {`{"Text":"a"}`, 4},
		`{"it": {"texts": ["a", 1, "b"], "inside": {"name": "x", "n": "y"}}}`:     {`{"Texts":["a","b"],"Inside":{"Name":"x"}}`, 2},
		`{"it": {"parts": [{"name": "a", "no": 1}, {"name": "b"}, 7], "no": {}}}`: {`{"Parts":[{"Name":"b"}]}`, 3},
		`{"it": {"pointed": {"name": "x", "no": 1}, "yes": true}}`:                {`{"Yes":true}`, 1},
		`{"it": {"yes": true}} x`: {`{}`, 1},
		`["it"]`:                  {`{}`, 1},
	} {
		var got, wanted chosen
		parts, whole := ReadStrictly([]byte(file), within{func(m *Coder) { m.Object("it", &got) }}, nil)
		if whole != nil {
			parts = append(parts, whole)
		}
		scratch.Must(t, json.Unmarshal([]byte(want.read), &wanted))
		if a, b := text(t, wanted), text(t, got); a != b || len(parts) != want.faults {
			t.Errorf("%s is read as %s, want %s, %d faults", file, b, a, len(parts))
		}
	}
}

// ReadStrictly agrees with encoding/json without unknown fields, also about the path of a value of the wrong type.
func FuzzReadStrictly(f *testing.F) {
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
		fault := firstFault(data, within{func(m *Coder) { m.Object("it", &got) }})
		if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
			if fault == nil {
				t.Fatalf("%s is read as %+v, want %v", value, got, err)
			}
			says := strings.TrimSuffix("it."+wrong.Field, ".") + " cannot be " + WithArticle(wrong.Value)
			fault.Says, _, _ = strings.Cut(fault.Says, "; hooks ")
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
	scratch.Must(t, err)
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
		`{"it": {"parts": [{}, {"name": true}]}}`: {"true}]}", "it.parts.name cannot be a bool; hooks ignore parts[1]"},
		`{"it": {"inside": {"nam": 1}}}`:          {`"nam": 1}}}`, `unknown member "nam"`},
		`{"it": ["a"]}`:                           {"[", "it cannot be an array"},
	} {
		var c chosen
		fault := firstFault([]byte(text), within{func(m *Coder) { m.Object("it", &c) }})
		if fault == nil || fault.Says != want.says || !strings.HasPrefix(text[fault.At:], want.at) {
			t.Errorf("%s: %+v, want %s at %s", text, fault, want.says, want.at)
		}
	}
}

// A null in a list of objects is skipped. Most limits the length of the list.
func TestListsOfObjects(t *testing.T) {
	for list, want := range map[string]string{
		`[null, {"name": "a"}, null]`:                                   "a",
		`[{"name": "a"}, {"name":"b"}]`:                                 "ab",
		`[{"name": "a"}, null, {"name":"b"}, {"name":"c"}, {"name":1}]`: "ab",
		`[]`: "",
	} {
		var parts []chosenPart
		two := within{func(m *Coder) { m.Most = 2; ListOf(m, "parts", &parts) }}
		fault := firstFault([]byte(`{"parts": `+list+`}`), two)
		got := ""
		for _, p := range parts {
			got += p.Name
		}
		scratch.ErrorIf(t, fault != nil || got != want, "%s: %q, %v; want %q", list, got, fault, want)
	}
}
