package judge

import (
	"strconv"
	"strings"
)

// price is what a model costs, in millionths of a dollar for a million tokens in
// and out. Writing to the cache costs 1.25 times the input, reading from it a
// tenth (some models take less: what is counted is never too little).
type price struct {
	model   string // as the id begins
	in, out int64
}

// listPrices are the published ones of 2026-11-21; haiku 5.5 is the price up to
// 100,000 tokens, which no page comes near. The longest beginning counts.
func listPrices() []price {
	return []price{
		{"claude-haiku-5-5", 100_000, 500_000},
		{"claude-haiku-4-5", 1_000_000, 5_000_000},
		{"claude-sonnet-5", 2_000_000, 10_000_000},
		{"claude-sonnet-4", 3_000_000, 15_000_000},
		{"claude-opus-5-5", 4_000_000, 20_000_000},
		{"claude-opus-5", 5_000_000, 25_000_000},
		{"claude-opus-4-5", 5_000_000, 25_000_000},
		{"claude-opus-4-6", 5_000_000, 25_000_000},
		{"claude-opus-4-7", 5_000_000, 25_000_000},
		{"claude-opus-4-8", 5_000_000, 25_000_000},
		{"claude-opus-4", 15_000_000, 75_000_000},
		{"claude-fable-5", 10_000_000, 50_000_000},
	}
}

// dearestOf is the dearest model that a client of the last years takes an alias for: until
// that has answered, it is not known which one it is.
func dearestOf(model string) string {
	switch model {
	case "haiku":
		return "claude-haiku-4-5"
	case "sonnet":
		return "claude-sonnet-4-6"
	case "opus":
		return "claude-opus-5"
	}
	return model
}

// ValidModel says whether a name can be a model's: an alias, an id, or what
// Bedrock and Vertex call it. It never looks like a flag, nor like a way out of the
// address that some providers put it into.
func ValidModel(model string) bool {
	if model == "" || len(model) > 100 || model[0] == '-' || strings.Contains(model, "..") {
		return false
	}
	for _, r := range model {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("._:/@[]-", r):
		default:
			return false
		}
	}
	return true
}

// findPrice looks a model up by whatever it is called: us.anthropic.claude-…-v1:0
// and claude-…@20251001 are the same models. One that is not in the list counts at the
// dearest price there is: a ceiling in dollars must hold for it, too.
func findPrice(model string) price {
	id := dearestOf(model)
	if i := strings.Index(id, "claude-"); i > 0 {
		id = id[i:]
	}
	best := price{"", 15_000_000, 75_000_000}
	for _, p := range listPrices() {
		rest, found := strings.CutPrefix(id, p.model)
		if found && (rest == "" || rest[0] < '0' || rest[0] > '9') && len(p.model) > len(best.model) {
			best = p
		}
	}
	return best
}

// MaxOutput is how many tokens an answer may be made of, thinking included where
// a model cannot be kept from it.
const MaxOutput = 2000

// maxTokens bounds what is believed of a count: no provider bills more for one
// question, and sums of sums must not overflow.
const maxTokens = 100_000_000

// PriceInMicros is what a use of a model costs by the list, in millionths of a dollar,
// rounded up.
func PriceInMicros(model string, u Usage) int64 {
	p := findPrice(model)
	count := func(n int64) int64 { return min(max(n, 0), maxTokens) }
	// In quarters and tenths a cache's price is no whole number: sum up in
	// fortieths first.
	sum := p.in*(40*count(u.Input)+50*count(u.CacheWrite)+4*count(u.CacheRead)) + p.out*40*count(u.Output)
	const million = 40 * 1_000_000
	return sum/million + min(sum%million, 1)
}

// PriceAtMost is the most that a question can cost where a model is asked: a token for each byte of it and of what a
// client, a schema and the API add, all of it put into a cache, and an answer as long as it may be.
func PriceAtMost(model string, q Question) int64 {
	const added = 2000
	return PriceInMicros(model, Usage{CacheWrite: int64(len(q.System) + len(q.Page) + added), Output: MaxOutput})
}

// Dollars says millionths of a dollar: $0.0011, $0.000026, $0.20.
func Dollars(micros int64) string {
	s := strconv.FormatFloat(float64(micros)/1e6, 'f', 6, 64)
	for strings.HasSuffix(s, "0") && len(s)-strings.IndexByte(s, '.') > 3 {
		s = s[:len(s)-1]
	}
	return "$" + s
}
