package judge

import (
	"cmp"
	"strconv"
	"strings"
)

// price is in millionths of a dollar per million tokens. Cache writes cost at most 1.25 times the input, reads a tenth.
type price struct {
	model   string // prefix of the id
	in, out int64
}

// prices were published on 2026-11-21. Haiku 5.5 has a different price above 100,000 tokens, which no page
// reaches. The longest prefix matches.
var prices = []price{
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

func priceOrMost(model string) price {
	// The most expensive models that recent clients use for the aliases, since the actual model is not known yet.
	dearest := map[string]string{"haiku": "claude-haiku-4-5", "sonnet": "claude-sonnet-4-6", "opus": "claude-opus-5"}
	id := cmp.Or(dearest[model], model)
	if i := strings.Index(id, "claude-"); i > 0 {
		id = id[i:]
	}
	best := price{"", 15_000_000, 75_000_000}
	for _, p := range prices {
		rest, found := strings.CutPrefix(id, p.model)
		if found && (rest == "" || rest[0] < '0' || rest[0] > '9') && len(p.model) > len(best.model) {
			best = p
		}
	}
	return best
}

// MaxOutput limits the tokens of an answer, including the thinking of models that always think.
const MaxOutput = 2000

// maxTokens is the maximum of a count, so that sums do not overflow.
const maxTokens = 100_000_000

// PriceInMicros returns the list price of u in millionths of a dollar, rounded up. An unknown model has the highest
// price.
func PriceInMicros(model string, u Usage) int64 {
	p := priceOrMost(model)
	count := func(n int64) int64 { return min(max(n, 0), maxTokens) }
	// Cache prices are quarters and tenths, so sum up fortieths.
	sum := p.in*(40*count(u.Input)+50*count(u.CacheWrite)+4*count(u.CacheRead)) + p.out*40*count(u.Output)
	const million = 40 * 1_000_000
	return sum/million + min(sum%million, 1)
}

// PriceAtMost returns an upper bound for the price of a question in millionths of a dollar. It ignores q.Model.
func PriceAtMost(model string, q Question) int64 {
	const added = 2000
	return PriceInMicros(model, Usage{CacheWrite: int64(len(q.System) + len(q.Page) + added), Output: MaxOutput})
}

// Dollars formats millionths of a dollar: $0.0011, $0.000026, $0.20.
func Dollars(micros int64) string {
	s := strconv.FormatFloat(float64(micros)/1e6, 'f', 6, 64)
	for strings.HasSuffix(s, "0") && len(s)-strings.IndexByte(s, '.') > 3 {
		s = s[:len(s)-1]
	}
	return "$" + s
}
