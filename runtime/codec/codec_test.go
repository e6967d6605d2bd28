package codec

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

// members calls yield with each top-level member of a JSON object: the key as
// written between its quotes, and the raw value. It returns false when the
// line is not a complete object; members before the fault have been yielded.
func members(line []byte, yield func(key, value []byte)) bool {
	w := EnterValue(line, '{')
	for w.Next() {
		if v := w.Value(); v != nil {
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

func (p *part) Members(m *Members) { m.Text("name", &p.Name) }

func (a *all) Members(m *Members) {
	m.Text("text", &a.Text)
	Number(m.KeepEmpty(), "kept", &a.Kept)
	Number(m, "number", &a.Number)
	Number(m, "small", &a.Small)
	m.Bool("yes", &a.Yes)
	m.Texts("texts", &a.Texts)
	NumberPair(m, "pair", &a.Pair)
	Optional(m, "one", &a.One)
	m.Object("part", &a.Part)
	ListOf(m, "parts", &a.Parts)
}

// What encoding/json writes is read, and what is written is what it would write.
func TestAgreesWithEncodingJSON(t *testing.T) {
	for _, want := range []all{
		{},
		{Text: "a \"quote\", a \\ and\nlines\t\r\x01 \u2028 ü ✅ 𝄞 <&>", Kept: -3, Number: 1<<64 - 1, Small: 255, Yes: true},
		{Texts: []string{"", "two"}, Pair: [2]int64{0, 7}, One: &part{}, Part: part{"p"}, Parts: []part{{"a"}, {}}},
	} {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(want); err != nil {
			t.Fatal(err)
		}
		if got := Append(nil, &want); string(got) != string(bytes.TrimSpace(b.Bytes())) {
			t.Errorf("written %s\nwant    %s", got, b.Bytes())
		}
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

// raws has a member that is kept as it is.
type raws struct{ log []byte }

func (r *raws) Members(m *Members) { m.Raw("log", &r.log) }

// Readers of lines use the space of one line for the next.
func TestWhatIsReadOutlivesTheLine(t *testing.T) {
	line := []byte(`{"log":{"a":1}}`)
	var r raws
	if err := ReadObject(line, &r); err != nil {
		t.Fatal(err)
	}
	copy(line, `{"log":[22,333]}`)
	if string(r.log) != `{"a":1}` {
		t.Errorf("it has become %s", r.log)
	}
}
