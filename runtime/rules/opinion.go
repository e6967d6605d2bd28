package rules

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/strategy"
)

// Opinion is the ID of the second opinion. It vetoes a continue by a doubtful rule if the message's traits
// look like a report's, by weights learned from real stops.
const Opinion = "opinion"

// `make learn` writes opinion.txt.
//
//go:embed opinion.txt
var learnedOpinion string

// stopByWeights replaces v, a continue, with a stop if the traits look like a report's.
func (a *evaluation) stopByWeights(v *strategy.Verdict) {
	a.read = true
	score, limit, seen, reports := weigh(learnedOpinion, WeighedTraits(v.Rule, a.situation, a.message.closing().Traits()))
	if score <= limit {
		return
	}
	*v = strategy.Verdict{
		Decision: strategy.Stop, Rule: Opinion, Sure: 100 * reports / max(seen, 1), Faults: v.Faults,
		Evidence: "the rules say go on (" + v.Rule + ", " + v.Evidence + "); of " + strconv.Itoa(seen) + " messages scored like this, " +
			strconv.Itoa(reports) + " were reports",
	}
}

// WeighedTraits returns the message's traits, "always", the ID of the rule that continues, and "prompt question" if the
// user's prompt was a question.
func WeighedTraits(rule string, s *strategy.Situation, traits []string) []string {
	all := append(traits, "always", "rule "+rule)
	if s.Turn.Question {
		all = append(all, "prompt question")
	}
	return all
}

// weigh returns the sum of the traits' weights, in hundredths, the limit above which a message is a report, and the
// numbers of learned messages with a similar score and of reports among them.
func weigh(weights string, traits []string) (score, limit, similar, reports int) {
	for line := range strings.Lines(weights) {
		kind, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		first, counts, _ := strings.Cut(rest, " ")
		n, _ := strconv.Atoi(first)
		weight, err := strconv.Atoi(kind)
		switch {
		case kind == "limit":
			limit = n
		case err == nil && slices.Contains(traits, rest):
			score += weight
		case kind == "seen" && similar == 0 && score <= n:
			first, rest, _ := strings.Cut(counts, " ")
			similar, _ = strconv.Atoi(first)
			reports, _ = strconv.Atoi(rest)
		}
	}
	return score, limit, similar, reports
}
