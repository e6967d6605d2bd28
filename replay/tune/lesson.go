// Learning: which phrases of one half of a history speak for a rule, counted as
// the rule would be, and how unlikely that is by chance.

package tune

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/replay"
	"github.com/cameronsjo/springfield/runtime/strategy"

	"github.com/cameronsjo/springfield/runtime/rules"
)

// point is a row that counts, taken apart.
type point struct {
	row     *replay.Row
	rule    string // that decides it now
	on      bool   // that rule makes Claude go on
	open    bool   // no rule stops it that a late one stands behind
	spare   bool   // one of so many points in mid-work that the test is better without
	last    string // the last sentence
	opening []span // what it begins with, if that is words: none or one
	spans   []span // what says looks at
	closing string // the last character, if a rule may look for it
	folded  string // all of it, to see quickly where a phrase is not
}

func newPoint(row *replay.Row, c replay.Choice) *point {
	end := rules.EndingOf(row.Text)
	p := &point{row: row, rule: c.Rule, on: c.Decision == string(strategy.Continue), last: end.Last}
	for _, sentence := range end.Sentences {
		p.spans = append(p.spans, spansOf(sentence)...)
	}
	if spans := spansOf(end.Last); len(spans) > 0 && spans[0].first {
		p.opening = spans[:1]
	}
	if strings.ContainsRune(".:;!…,>", end.Closing) {
		p.closing = string(end.Closing)
	}
	p.folded = rules.Fold(strings.Join(append(end.Sentences, end.Last), "\n"))
	return p
}

// work tells whether Claude should have gone on.
func (p *point) work() bool { return p.row.Means == replay.WantContinue }

// candidate is a change that rows may speak for.
type candidate struct {
	then strategy.Decision // what it would make of the rows that it changes
	// A rule to add, with what it looks for, or the id of one to switch off.
	rule          rules.Rule
	where, phrase string
	words         int
	off           string

	learned, held tally
}

// goOn is what Claude is told where a learned rule makes it go on.
const goOn = "You said what comes next, and have not done it yet.{todos} Do it now. When all is done, say so. If you need a decision from the user, ask for it."

func newCandidate(ph *phrase, then strategy.Decision) *candidate {
	c := &candidate{then: then, where: ph.where, phrase: ph.text, words: ph.words}
	c.rule = rules.Rule{ID: "tuned", Then: then}
	switch ph.where {
	case opens:
		c.rule.Opens = []string{ph.text}
	case says:
		c.rule.Says = []string{ph.text}
	case closes:
		c.rule.Closes = ph.text
	}
	if then == strategy.Continue {
		c.rule.Late = true // it outvotes no rule that knows that a person is needed
		c.rule.Unless = []string{"you", "your", "once", "until", "unless", "when", "whenever", "if", "wait", "waiting", "let me know", "feel free", "happy to", "ready"}
		c.rule.Reason = goOn
	}
	return c
}

// inPlay tells whether the change could be about a row.
func (c *candidate) inPlay(p *point) bool {
	switch {
	case c.off != "":
		return true
	case c.then == strategy.Stop:
		return p.on
	}
	return p.open
}

// right tells whether the change would decide a row as it should be.
func (c *candidate) right(p *point) bool { return p.work() == (c.then == strategy.Continue) }

// spares tells whether a row is not in the test. What would switch rules off or stop
// more has wrong continues to show, which are few: it is tested on all.
func (c *candidate) spares(p *point) bool { return p.spare && c.then == strategy.Continue }

// holds tells whether the change is about a row that is in play.
func (c *candidate) holds(p *point) bool {
	switch {
	case c.off != "":
		return p.on && p.rule == c.off
	case c.where == closes && p.closing != c.phrase, c.where != closes && !strings.Contains(p.folded, c.phrase):
		return false // soon seen
	}
	return rules.Ask([]rules.Rule{c.rule}, strategy.Situation{Message: strategy.Message{Text: p.row.Text}})[0].Holds
}

func (c *candidate) without(points []*point) []*point {
	var rest []*point
	for _, p := range points {
		if !c.inPlay(p) || !c.holds(p) {
			rest = append(rest, p)
		}
	}
	return rest
}

// tally is what a change would do to some rows.
type tally struct {
	Evidence
	hits, misses int      // rows that it would decide right, and wrong
	rows         []*point // the hits
	stops        int      // rows where a person had something else to say, whatever it does
	// The test: of pool rows that it could be about, good of which it would decide
	// right, it takes drawn, and of those fine are good. No more than perSession rows
	// of a session are taken, and spare ones are not in it.
	pool, good, drawn, fine int
}

// count tells what it would do to points, which come session by session.
func (c *candidate) count(points []*point) tally {
	var t tally
	session, taken, counted := "", 0, false
	for i, p := range points {
		if !c.inPlay(p) {
			continue
		}
		right, spare := c.right(p), c.spares(p)
		if !p.work() {
			t.stops++
		}
		if !spare {
			t.pool++
			t.good += btoi(right)
		}
		if i == 0 || p.row.Session != session {
			session, taken, counted = p.row.Session, 0, false
		}
		if !c.holds(p) {
			continue
		}
		if !spare && taken < perSession {
			taken++
			t.drawn++
			t.fine += btoi(right)
		}
		switch {
		case p.row.Label == replay.Nudge:
			t.Nudges++
		case p.work():
			t.MidWork++
		default:
			t.Answered++
		}
		if !right {
			t.misses++
			continue
		}
		t.hits++
		t.rows = append(t.rows, p)
		if !counted {
			t.Sessions++
			counted = true
		}
	}
	return t
}

// p is how likely it is to draw so many good rows, or more, by chance: Fisher's
// exact test, one-sided.
func (t tally) p() float64 { return tail(t.pool, t.good, t.drawn, t.fine) }

// fits tells whether a change does enough good and little enough harm.
func (c *candidate) fits(t tally) bool {
	if t.hits < minCases || t.Sessions < minSessions {
		return false
	}
	switch {
	case c.off != "":
		low := bounded(t.hits, t.hits+t.misses).Low
		return low > 0.5
	case c.then == strategy.Continue:
		return harmless(t.misses, t.hits, t.stops)
	}
	return t.misses == 0 || atMost(t.misses, t.hits+t.misses, mostLost)
}

// harmless tells whether wrong continues beside so many right ones, of so many
// stops, can be borne.
func harmless(wrong, right, stops int) bool {
	return wrong == 0 || atMost(wrong, wrong+right, mostWrong) && atMost(wrong, stops, mostStops)
}

// lesson is what there is to learn for rules of one kind.
type lesson struct {
	then    strategy.Decision
	points  []*point // in play
	alive   []bool   // those that no accepted change is about
	phrases []*phrase
	known   map[*phrase][]int // points where its rule holds
}

func newLesson(learn []*point, then strategy.Decision) *lesson {
	l := &lesson{then: then, known: map[*phrase][]int{}}
	c := candidate{then: then}
	for _, p := range learn {
		if c.inPlay(p) {
			l.points = append(l.points, p)
			l.alive = append(l.alive, true)
		}
	}
	l.phrases = phrasesOf(l.points, c.right)
	return l
}

// forget leaves out the rows that a change is about.
func (l *lesson) forget(c *candidate) {
	for i, p := range l.points {
		if l.alive[i] && c.inPlay(p) && c.holds(p) {
			l.alive[i] = false
		}
	}
}

// best are the most promising candidates, each learned on the rows that those
// before it leave.
func (l *lesson) best(ctx context.Context, most int) []*candidate {
	var all []*candidate
	alive := slices.Clone(l.alive)
	for len(all) < most && ctx.Err() == nil {
		ph, c := l.pick(alive)
		if c == nil {
			break
		}
		for _, i := range l.held(ph) {
			alive[i] = false
		}
		all = append(all, c)
	}
	return all
}

// held are the points where the rule of a phrase holds.
func (l *lesson) held(ph *phrase) []int {
	at, ok := l.known[ph]
	if !ok {
		c := newCandidate(ph, l.then)
		for i, p := range l.points {
			if c.holds(p) {
				at = append(at, i)
			}
		}
		l.known[ph] = at
	}
	return at
}

// rough is a phrase counted by where it stands, without the rest of its rule.
type rough struct {
	ph   *phrase
	p    float64
	hits int
}

// better orders candidates: the less likely by chance, the more it does, and of
// several that do the same the most particular.
func (a rough) better(b rough) int {
	rank := func(ph *phrase) int { return slices.Index([]string{opens, says, closes}, ph.where) }
	return cmp.Or(cmp.Compare(a.p, b.p), cmp.Compare(b.hits, a.hits), cmp.Compare(rank(a.ph), rank(b.ph)),
		cmp.Compare(b.ph.words, a.ph.words), strings.Compare(a.ph.text, b.ph.text))
}

// pick is the most promising candidate on the rows that are alive.
func (l *lesson) pick(alive []bool) (*phrase, *candidate) {
	c := &candidate{then: l.then}
	var whole tally
	for i, p := range l.points {
		if !alive[i] {
			continue
		}
		whole.stops += btoi(!p.work())
		if !c.spares(p) {
			whole.pool++
			whole.good += btoi(c.right(p))
		}
	}
	var all []rough
	for _, ph := range l.phrases {
		if r := l.rough(ph, alive, whole); r.p <= promising {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, rough.better)
	var found *candidate
	var best rough
	for _, r := range all[:min(len(all), shortlist)] {
		c := newCandidate(r.ph, l.then)
		t := l.count(c, r.ph, alive, whole)
		exact := rough{r.ph, t.p(), t.hits}
		if c.fits(t) && exact.p <= promising && (found == nil || exact.better(best) < 0) {
			found, best = c, exact
		}
	}
	return best.ph, found
}

// rough counts where a phrase stands; p is 1 if it cannot come into question.
func (l *lesson) rough(ph *phrase, alive []bool, whole tally) rough {
	c := &candidate{then: l.then}
	hits, misses, drawn, fine, sessions, session := 0, 0, 0, 0, 0, ""
	for _, i := range ph.at {
		p := l.points[i]
		if !alive[i] {
			continue
		}
		right := c.right(p)
		if !c.spares(p) {
			drawn++
			fine += btoi(right)
		}
		if !right {
			misses++
		} else if hits++; hits == 1 || p.row.Session != session {
			sessions, session = sessions+1, p.row.Session
		}
	}
	if hits < minCases || sessions < minSessions || 2*misses > hits || l.then == strategy.Continue && ph.where != closes && ph.words < minWords {
		return rough{ph, 1, hits}
	}
	return rough{ph, tail(whole.pool, whole.good, drawn, fine), hits}
}

// count is a candidate's count on the rows that are alive, from where its rule is
// known to hold.
func (l *lesson) count(c *candidate, ph *phrase, alive []bool, whole tally) tally {
	var points []*point
	for _, i := range l.held(ph) {
		if alive[i] {
			points = append(points, l.points[i])
		}
	}
	t := c.count(points)
	t.pool, t.good, t.stops = whole.pool, whole.good, whole.stops
	return t
}

// tail is how likely at least fine good ones are among drawn out of pool, good of
// which are good.
func tail(pool, good, drawn, fine int) float64 {
	sum := 0.0
	for i := max(fine, drawn-(pool-good), 0); i <= min(drawn, good); i++ {
		sum += math.Exp(replay.LogChoose(good, i) + replay.LogChoose(pool-good, drawn-i) - replay.LogChoose(pool, drawn))
	}
	return min(sum, 1)
}

// bounded is a share with its interval.
func bounded(n, of int) replay.Rate {
	r := replay.Rate{N: n, Of: of}
	r.Bound()
	return r
}

// atMost tells whether a share is below a bound, by the upper end of its interval.
func atMost(n, of int, bound float64) bool {
	return bounded(n, of).High <= bound
}
