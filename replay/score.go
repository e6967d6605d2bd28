package replay

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/runtime/judge"
	"github.com/cameronsjo/springfield/runtime/ledger"
)

// FillInScores computes stops, scores, Leave and Advice from the rows. r.Scores already contains each strategy's name,
// in the order of the rows' choices.
func (r *Report) FillInScores() {
	r.Stops = Stops{}
	for i := range r.Rows {
		r.Stops.countLabel(r.Rows[i].Label)
	}
	for i := range r.Scores {
		r.Scores[i].countRows(r, i)
	}
	r.Leave = countConsent(r.Rows)
	r.Advice = r.adviceInWords()
}

// countRows computes the score anew, except name and note. candidate is its index in the rows' choices. r.Stops is
// computed.
func (s *Score) countRows(r *Report, candidate int) {
	*s = Score{Name: s.Name, Note: s.Note, Rules: []RuleCount{}}
	rules := map[[2]string]*RuleCount{}
	for n := range r.Rows {
		row := &r.Rows[n]
		if candidate >= len(row.Choices) {
			continue
		}
		c := &row.Choices[candidate]
		goesOn := c.Decision == "continue"
		if goesOn && row.Label.HadStopHooks() {
			s.Continued.countLabel(row.Label)
		}
		countHit(&s.Away, c.Away != "", c.Away == ledger.AwayAnswered)
		countHit(&s.MidWork, row.Label == MidWork, goesOn)
		countHit(&s.Asked, row.Label.HadStopHooks(), c.Asks)
		if c.Asks && row.Label.HadStopHooks() {
			s.Bytes += int64(c.Bytes)
			s.Dollars += PriceOfQuestion(c.Bytes)
		}
		if row.Label == MidWork {
			continue
		}
		rule := rules[[2]string{c.Rule, c.Decision}]
		if rule == nil {
			rule = &RuleCount{Rule: c.Rule, Decision: c.Decision}
			rules[[2]string{c.Rule, c.Decision}] = rule
		}
		switch {
		case row.Means == Unknown:
			rule.Unknown++
		case goesOn == (row.Means == WantContinue):
			rule.Right++
		default:
			rule.Wrong++
		}
	}
	s.Saved = Rate{N: s.Continued.Continue + s.Continued.Yes, Of: r.Stops.Continue + r.Stops.Yes}
	s.InTheWay = Rate{N: s.Continued.New, Of: r.Stops.New}
	s.Wanted = Rate{N: s.Saved.N, Of: s.Saved.N + s.InTheWay.N}
	for _, rate := range []*Rate{&s.Saved, &s.InTheWay, &s.Wanted, &s.MidWork, &s.Asked, &s.Away} {
		rate.ComputeInterval()
	}
	for _, rule := range rules {
		s.Rules = append(s.Rules, *rule)
	}
	slices.SortFunc(s.Rules, func(a, b RuleCount) int {
		return cmp.Or((b.Right+b.Wrong+b.Unknown)-(a.Right+a.Wrong+a.Unknown), strings.Compare(a.Rule, b.Rule),
			strings.Compare(a.Decision, b.Decision))
	})
}

func countHit(r *Rate, eligible, hit bool) {
	if eligible {
		r.Of++
		if hit {
			r.N++
		}
	}
}

// PriceOfQuestion estimates a question's price in dollars for the default model. bytes includes the system prompt.
func PriceOfQuestion(bytes int) float64 {
	return float64(judge.PriceInMicros(judge.DefaultModel, judge.Usage{Input: int64(bytes)/4 + 400, Output: 60})) / 1e6
}

// ComputeInterval sets Low and High to the 95 % Wilson interval, or to 0 and 1 without cases.
func (r *Rate) ComputeInterval() {
	if r.Of == 0 {
		r.Low, r.High = 0, 1
		return
	}
	const z = 1.959963984540054
	n, p := float64(r.Of), float64(r.N)/float64(r.Of)
	center := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	// Exact values, where the formula has rounding errors.
	r.Low, r.High = max(0, center-half), min(1, center+half)
	if r.N == 0 {
		r.Low = 0
	}
	if r.N == r.Of {
		r.High = 1
	}
}

// shareAndRange returns text like "88 %, 84–91". Call ComputeInterval first.
func (r Rate) shareAndRange() string {
	low, high := shareText(r.Low), shareText(r.High)
	return shareText(float64(r.N)/float64(max(1, r.Of))) + ", " + strings.TrimSuffix(low, " %") + "–" + strings.TrimSuffix(high, " %")
}

func shareText(share float64) string {
	switch p := 100 * share; {
	case p > 0 && p < .05:
		return "<0.1 %"
	case p >= .05 && p < 9.95, p > 99.05 && p < 99.95:
		return fmt.Sprintf("%.1f %%", p)
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

func countConsent(rows []Row) (l Consent) {
	after := map[string]bool{} // sessions whose last answer is a yes to such a question
	for i := range rows {
		row := &rows[i]
		switch row.Label {
		case Background, Pushed, Ended, MidWork: // no answer of the user
			continue
		}
		yes := row.Label == Affirmed || row.Label == Nudge
		if row.Leave && row.Label != Queued && row.Label != Interrupted {
			countHit(&l.Yes, true, yes)
			countHit(&l.AfterYes, after[row.Session], yes)
		}
		after[row.Session] = row.Leave && yes
	}
	l.Yes.ComputeInterval()
	l.AfterYes.ComputeInterval()
	return l
}

// Consent counts questions for permission to go on, and how many were answered with a bare yes or "continue".
// AfterYes counts only questions after such a yes.
type Consent struct {
	Yes      Rate `json:"yes"`
	AfterYes Rate `json:"after_yes"`
}
