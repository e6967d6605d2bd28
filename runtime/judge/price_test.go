package judge

import (
	"math"
	"strings"
	"testing"
)

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
