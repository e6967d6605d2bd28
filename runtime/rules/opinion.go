package rules

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/strategy"
)

// Opinion is the ID of the second opinion, which vetoes continues of doubtful rules at messages that look like
// reports: it sums up weights of the traits of a message's end, learned from real stops.
const Opinion = "opinion"

// `make learn` writes opinion.txt.
//
//go:embed opinion.txt
var learnedOpinion string

// veto turns a continue into a stop, if the message looks like a report.
func (a *asking) veto(v *strategy.Verdict) {
	a.read = true
	score, limit, seen, reports := weigh(learnedOpinion, OpinionTraits(v.Rule, a.situation, a.message.closing().Traits()))
	if score <= limit {
		return
	}
	*v = strategy.Verdict{
		Decision: strategy.Stop, Rule: Opinion, Sure: 100 * reports / max(seen, 1), Faults: v.Faults,
		Evidence: "the rules say go on (" + v.Rule + ", " + v.Evidence + "); of " + strconv.Itoa(seen) + " messages scored like this, " +
			strconv.Itoa(reports) + " were reports",
	}
}

// OpinionTraits are the traits of the message's end, the rule that continues, and whether the user's prompt was
// a question.
func OpinionTraits(rule string, s *strategy.Situation, message []string) []string {
	all := append(message, "always", "rule "+rule)
	if s.Turn.Question {
		all = append(all, "prompt question")
	}
	return all
}

// weigh sums up the weights of traits, in hundredths. A message with a score above the limit is a report; seen and
// reports count the learned messages with a similar score. A line of the data is "limit SCORE", "weight POINTS TRAIT",
// or, at the end and by score, "seen SCORE MESSAGES REPORTS" for the messages up to a score.
func weigh(data string, traits []string) (score, limit, seen, reports int) {
	for line := range strings.Lines(data) {
		kind, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		first, rest, _ := strings.Cut(rest, " ")
		n, _ := strconv.Atoi(first)
		switch {
		case kind == "limit":
			limit = n
		case kind == "weight" && slices.Contains(traits, rest):
			score += n
		case kind == "seen" && seen == 0 && score <= n:
			first, rest, _ := strings.Cut(rest, " ")
			seen, _ = strconv.Atoi(first)
			reports, _ = strconv.Atoi(rest)
		}
	}
	return score, limit, seen, reports
}
