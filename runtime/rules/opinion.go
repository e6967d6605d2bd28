// The second opinion. Rules know what words say; it knows what messages look like that
// real sessions ended with. It is a sum of learned weights, one for each trait of the
// message's end, and it only takes continues back: of the rules that were wrong too often
// on real sessions, see BaseRules. `make learn` makes opinion.txt.

package rules

import (
	_ "embed"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/strategy"
)

// Opinion is the id of the rule that takes continues back, and of the switch for it.
const Opinion = "opinion"

//go:embed opinion.txt
var learnedOpinion string

// takeBack makes a stop of a continue, if the message looks like a report.
func (a *asking) takeBack(v *strategy.Verdict) {
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

// OpinionTraits are what the second opinion looks at: the traits of the message's end, the
// rule that says go on, and whether the user's prompt was a question.
func OpinionTraits(rule string, s *strategy.Situation, message []string) []string {
	all := append(message, "always", "rule "+rule)
	if s.Turn.Question {
		all = append(all, "prompt question")
	}
	return all
}

// weigh adds up the weights of traits, in hundredths: above the limit, the message is
// taken for a report. Of messages that were seen with a score like this, some were. A line
// of the data is "limit SCORE", "weight POINTS TRAIT", or "seen SCORE MESSAGES REPORTS",
// for the messages up to a score; these stand last, in their order.
func weigh(data string, traits []string) (score, limit, seen, reports int) {
	has := make(map[string]bool, len(traits))
	for _, t := range traits {
		has[t] = true
	}
	for line := range strings.Lines(data) {
		what, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		first, rest, _ := strings.Cut(rest, " ")
		n, _ := strconv.Atoi(first)
		switch {
		case what == "limit":
			limit = n
		case what == "weight" && has[rest]:
			score += n
		case what == "seen" && seen == 0 && score <= n:
			first, rest, _ := strings.Cut(rest, " ")
			seen, _ = strconv.Atoi(first)
			reports, _ = strconv.Atoi(rest)
		}
	}
	return score, limit, seen, reports
}
