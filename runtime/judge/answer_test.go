package judge

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/codec"
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

func TestMicros(t *testing.T) {
	thousand := Usage{Input: 1000, Output: 100}
	for _, c := range []struct {
		model string
		use   Usage
		want  int64
		known bool
	}{
		{"haiku", thousand, 1500, true},           // of one client it is 5.5, of another 4.5
		{"claude-haiku-5-5", thousand, 150, true}, // 0.1 + 0.05 thousandths of a dollar
		{"claude-haiku-4-5-20251001", thousand, 1500, true},
		{"us.anthropic.claude-haiku-4-5-20251001-v1:0", thousand, 1500, true},
		{"sonnet", thousand, 4500, true},
		{"opus", thousand, 7500, true},
		{"claude-opus-4-1-20250805", thousand, 22500, true},
		{"claude-haiku-4-5", Usage{CacheRead: 1000, CacheWrite: 1000}, 1350, true},
		{"claude-haiku-4-5", Usage{Input: 1}, 1, true},
		{"claude-haiku-5-5", Usage{Input: 1}, 1, true}, // never less than it costs
		{"claude-haiku-4-5", Usage{}, 0, true},
		{"claude-haiku-4-5", Usage{Input: -5, Output: math.MinInt64}, 0, true},
		{"claude-opus-50", thousand, 22500, false},
		{"glm-9", thousand, 22500, false},
		{"", thousand, 22500, false},
	} {
		if got := PriceInMicros(c.model, c.use); got != c.want || HasPrice(c.model) != c.known {
			t.Errorf("%s %+v: %d %v, want %d %v", c.model, c.use, got, HasPrice(c.model), c.want, c.known)
		}
	}
	most := int64(math.MaxInt64)
	if got := PriceInMicros("x", Usage{most, most, most, most}); got <= 0 {
		t.Errorf("everything costs %d", got)
	}
}

// No model is dearer than an unknown one.
func TestUnknownIsDearest(t *testing.T) {
	for _, p := range listPrices() {
		if d, _ := findPrice("unknown"); p.in > d.in || p.out > d.out || !strings.HasPrefix(p.model, "claude-") {
			t.Errorf("%+v", p)
		}
	}
}

// An alias is never counted for less than what the API is asked by its name.
func TestAliasesAreDear(t *testing.T) {
	use := Usage{Input: 1000, Output: 100, CacheRead: 1000, CacheWrite: 1000}
	for _, alias := range []string{"haiku", "sonnet", "opus"} {
		if PriceInMicros(alias, use) < PriceInMicros(ModelID(alias), use) || !HasPrice(alias) || !HasPrice(ModelID(alias)) {
			t.Errorf("%s costs %d, %s %d", alias, PriceInMicros(alias, use), ModelID(alias), PriceInMicros(ModelID(alias), use))
		}
	}
}

func TestValidModel(t *testing.T) {
	for _, model := range []string{"haiku", ModelID("haiku"), ModelID("sonnet"), ModelID("opus"), "claude-opus-5[1m]", "claude-haiku-4-5@20251001", "us.anthropic.claude-haiku-4-5-20251001-v1:0", "arn:aws:bedrock:us-east-1:1:inference-profile/x", "openrouter/a_b"} {
		if !ValidModel(model) {
			t.Errorf("%s is refused", model)
		}
	}
	for _, model := range []string{"", "-p", "--settings", "a b", "a\nb", "häiku", "a;b", "$(a)", "a\"b", strings.Repeat("a", 101)} {
		if ValidModel(model) {
			t.Errorf("%q is taken", model)
		}
	}
	if ModelID("glm-9") != "glm-9" {
		t.Error("an id does not pass")
	}
}

// What one of hook and judge writes the other reads.
func TestHookAndJudgeUnderstandEachOther(t *testing.T) {
	asked := Question{"claude", "haiku", "S <&>", "P", 7, "/c", "https://a", "/p", []string{"a", "b"}}
	var question Question
	if err := codec.ReadObject(codec.Append(nil, &asked), &question); err != nil || !reflect.DeepEqual(question, asked) {
		t.Errorf("%+v, %v", question, err)
	}
	for _, said := range []Reply{{}, {true, "why", "haiku", Usage{1, 2, 3, 4}, 5, 6, Junk, "detail"}} {
		var reply Reply
		if err := codec.ReadObject(codec.Append(nil, &said), &reply); err != nil || reply != said {
			t.Errorf("%+v is read as %+v, %v", said, reply, err)
		}
	}
}
