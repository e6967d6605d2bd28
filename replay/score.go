// Scores: what each strategy did over all rows, and what that is worth saying.
//
// Every share has its 95 % interval by Wilson. Strategies decide at the same rows,
// and the rows of a session are alike, so they are compared by the sessions in
// which one does better than the other: an exact sign test, at 5 % for all
// comparisons together.

package replay

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/judge"
	"github.com/cameronsjo/springfield/runtime/ledger"
)

// enough is how many rows of a kind there have to be before strategies are compared.
const enough = 30

// FillInScores fills in the scores of a report from its rows, and the advice.
func (r *Report) FillInScores() {
	r.Stops = Stops{}
	for i := range r.Rows {
		r.Stops.countLabel(r.Rows[i].Label)
	}
	for i := range r.Scores {
		r.Scores[i].countRows(r, i)
	}
	r.Advice = r.adviceFor()
}

// HadStopHooks tells whether Stop hooks ran there: not in mid-work, nor where a person
// broke in.
func (l Label) HadStopHooks() bool { return l != MidWork && l != Interrupted }

func (s *Score) countRows(r *Report, i int) {
	*s = Score{Name: s.Name, Note: s.Note, Rules: []RuleCount{}}
	rules := map[[2]string]*RuleCount{}
	var continued, right int
	for n := range r.Rows {
		row := &r.Rows[n]
		if i >= len(row.Choices) {
			continue
		}
		c := &row.Choices[i]
		goesOn := c.Decision == "continue"
		if goesOn && row.Label.HadStopHooks() {
			s.Continued.countLabel(row.Label)
		}
		countHit(&s.Away, c.Away != "", c.Away == ledger.AwayAnswered)
		countHit(&s.Caught, row.Means == WantContinue, goesOn)
		countHit(&s.Wrong, row.Means == WantStop, goesOn)
		countHit(&s.Nudges, row.Label == Nudge, goesOn)
		countHit(&s.Asked, row.Label.HadStopHooks(), c.Asks)
		if goesOn && row.Means != Unknown {
			continued++
			if row.Means == WantContinue {
				right++
			}
		}
		if c.Asks && row.Label.HadStopHooks() {
			s.Bytes += int64(c.Bytes)
			s.Dollars += PriceOfQuestion(c.Bytes)
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
	s.Precision = Rate{N: right, Of: continued}
	for _, rate := range []*Rate{&s.Caught, &s.Wrong, &s.Nudges, &s.Precision, &s.Asked, &s.Away} {
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

func countHit(r *Rate, counts, is bool) {
	if counts {
		r.Of++
		if is {
			r.N++
		}
	}
}

// PriceOfQuestion is about what a question costs with the default model, in dollars: four
// bytes a token, the frame that a request has around them, and a short answer.
func PriceOfQuestion(bytes int) float64 {
	return float64(judge.PriceInMicros(judge.DefaultModel, judge.Usage{Input: int64(bytes)/4 + 400, Output: 60})) / 1e6
}

// ComputeInterval works out the interval of a share: Wilson, 95 %. Of nothing it is
// everything.
func (r *Rate) ComputeInterval() {
	if r.Of == 0 {
		r.Low, r.High = 0, 1
		return
	}
	const z = 1.959963984540054
	n, p := float64(r.Of), float64(r.N)/float64(r.Of)
	center := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	// At the ends the formula is exact but for rounding.
	r.Low, r.High = max(0, center-half), min(1, center+half)
	if r.N == 0 {
		r.Low = 0
	}
	if r.N == r.Of {
		r.High = 1
	}
}

// Share is the rate itself, 0 of nothing.
func (r Rate) Share() float64 {
	if r.Of == 0 {
		return 0
	}
	return float64(r.N) / float64(r.Of)
}

// Text is the share as text.
func (r Rate) Text() string { return shareText(r.Share()) }

// Interval is that of the share, like "84–91 %".
func (r Rate) Interval() string {
	return strings.TrimSuffix(shareText(r.Low), " %") + "–" + shareText(r.High)
}

// shareText is a share in per cent, with a digit behind the point where that is not nothing.
func shareText(share float64) string {
	switch p := 100 * share; {
	case p > 0 && p < .05:
		return "<0.1 %"
	case p >= .05 && p < 9.95, p > 99.05 && p < 99.95:
		return fmt.Sprintf("%.1f %%", p)
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// adviceFor says in one sentence what the data speaks for.
func (r *Report) adviceFor() string {
	stops, work := 0, 0
	for i := range r.Rows {
		switch r.Rows[i].Means {
		case WantStop:
			stops++
		case WantContinue:
			work++
		}
	}
	deciding := r.deciding()
	switch {
	case len(r.Rows) == 0:
		return r.nothing()
	case stops < enough || work < enough:
		return fmt.Sprintf("Too few to compare strategies: %s where you had something else to say and %s where work should go on; about %d of each are needed.", layout.CountOf(stops, "stop"), layout.CountOf(work, "point"), enough)
	case len(r.Scores) == 0:
		return "No strategy was asked for."
	case len(deciding) == 0:
		return "None of these strategies would have continued anywhere in your sessions."
	}
	level := levelOf(deciding)
	careful := r.carefulStrategies(deciding)
	if len(careful) == 0 {
		return "Your sessions speak for none of these strategies: none continues clearly more often where work was left than where you had something to say."
	}
	best := r.bestCareful()
	var same []string
	for _, i := range careful {
		more, fewer := r.countDifferences(best, i, WantContinue)
		if i != best && signTest(more, fewer) >= level {
			same = append(same, r.Scores[i].Name)
		}
	}
	b := &r.Scores[best]
	what := fmt.Sprintf("it continues at %s of the points where work should go on, and wrongly at %s of the stops where you had something to say", b.Caught.Text(), b.Wrong.Text())
	switch {
	case len(deciding) == 1:
		return fmt.Sprintf("Only %s would have continued at all: %s.", b.Name, what)
	case len(same) == len(deciding)-1:
		return fmt.Sprintf("Your sessions show no difference between %s.",
			joinNames(append([]string{b.Name}, same...), "and"))
	case len(same) > 0:
		return fmt.Sprintf("Your sessions speak for %s: %s; they show no difference between it and %s.", b.Name,
			what, joinNames(same, "and"))
	}
	return fmt.Sprintf("Your sessions speak for %s: %s, and every other one does worse, beyond chance.", b.Name, what)
}

// nothing says why there is nothing to learn from. Which logs were not read is said elsewhere.
func (r *Report) nothing() string {
	switch {
	case r.Partial:
		return "Nothing was found before the interruption."
	case r.TooOld > 0:
		return fmt.Sprintf("No stop is left: --since begins at %s, after all of them (%d).", r.Since.Format(time.DateOnly), r.TooOld)
	case r.Elsewhere > 0:
		return fmt.Sprintf("No stop is left: --project leaves out all session logs (%d).", r.Elsewhere)
	case r.Files == 0 && slices.ContainsFunc(r.Skipped, func(s Skipped) bool { return s.Why != notFound }):
		return "No stop was found: the session logs could not be read."
	case r.Files == 0:
		return "No session log was found: Claude Code writes one for each session, so use it for a while and replay again."
	}
	return fmt.Sprintf("No stop was found in %s: use Claude Code for a while and replay again.", layout.CountOf(r.Files, "session log"))
}

// deciding are the strategies that continue somewhere.
func (r *Report) deciding() (deciding []int) {
	for i, s := range r.Scores {
		if s.Caught.N+s.Wrong.N > 0 {
			deciding = append(deciding, i)
		}
	}
	return deciding
}

// levelOf is 5 % for all comparisons of these strategies together.
func levelOf(deciding []int) float64 {
	return 0.05 / float64(max(1, len(deciding)*(len(deciding)-1)))
}

// carefulStrategies are those of them that do not wrongly continue significantly more often than
// another, and continue clearly more often where that is right than where it is wrong.
func (r *Report) carefulStrategies(deciding []int) []int {
	level := levelOf(deciding)
	return slices.DeleteFunc(slices.Clone(deciding), func(i int) bool {
		return r.Scores[i].Caught.Low <= r.Scores[i].Wrong.High || slices.ContainsFunc(deciding, func(j int) bool {
			more, fewer := r.countDifferences(i, j, WantStop)
			return more > fewer && signTest(more, fewer) < level
		})
	})
}

// bestCareful is the careful strategy that catches most, the one to look at first; of all
// where none is careful, -1 where none goes on at all.
func (r *Report) bestCareful() int {
	deciding := r.deciding()
	careful := r.carefulStrategies(deciding)
	switch {
	case len(deciding) == 0:
		return -1
	case len(careful) == 0:
		careful = deciding
	}
	return slices.MaxFunc(careful, func(i, j int) int {
		return cmp.Or(cmp.Compare(r.Scores[i].Caught.N, r.Scores[j].Caught.N), cmp.Compare(r.Scores[j].Wrong.N, r.Scores[i].Wrong.N), cmp.Compare(r.Scores[j].Asked.N, r.Scores[i].Asked.N))
	})
}

// countDifferences counts the sessions in which, at the rows of a kind, the one goes on more
// often, and the other.
func (r *Report) countDifferences(one, other int, means Expect) (moreOne, moreOther int) {
	more := map[string]int{}
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Means != means || max(one, other) >= len(row.Choices) {
			continue
		}
		switch a, b := row.Choices[one].Decision == "continue", row.Choices[other].Decision == "continue"; {
		case a && !b:
			more[row.Session]++
		case b && !a:
			more[row.Session]--
		}
	}
	for _, n := range more {
		switch {
		case n > 0:
			moreOne++
		case n < 0:
			moreOther++
		}
	}
	return moreOne, moreOther
}

// signTest is how likely a split at least as uneven is by chance: two-sided,
// exact, of a fair coin.
func signTest(a, b int) float64 {
	n, k := a+b, min(a, b)
	if n == 0 {
		return 1
	}
	logFactorial := func(n int) float64 {
		l, _ := math.Lgamma(float64(n + 1))
		return l
	}
	p := 0.0
	for i := range k + 1 {
		p += math.Exp(logFactorial(n) - logFactorial(i) - logFactorial(n-i) - float64(n)*math.Ln2)
	}
	return min(1, 2*p)
}

// joinNames is "a", "a and b", "a, b and c".
func joinNames(names []string, and string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " " + and + " " + names[len(names)-1]
}
