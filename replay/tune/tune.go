// Package tune finds which changes of its rules a user's own history speaks for.
//
// The rules:
//   - sessions, not rows, are dealt to two halves; what is learned on one is tested
//     on the other, and only what holds there is proposed;
//   - a phrase is letters, apostrophes and blanks, at most five words, none of them
//     a name, and stands in several sessions of both halves: a rules file gets no
//     private text;
//   - a candidate is counted by the code of the hook, as the rule that it would be;
//   - of a history without any pattern, something is proposed in one run out of
//     10,000 at most: see Chance.
package tune

import (
	"cmp"
	"context"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/replay"
	"github.com/cameronsjo/springfield/runtime/strategy"

	"github.com/cameronsjo/springfield/runtime/rules"
)

// What a proposal needs.
const (
	minCases    = 5 // rows that it would decide better, in each half
	minSessions = 3 // that they are from, in each half
	// maxProposals is how many one run makes. At most so many candidates go to the
	// held-out half at once: phrases that make Claude go on, phrases that stop it, and
	// rules to switch off.
	maxProposals = 8
	triedOn      = 8
	triedStop    = 4
	triedOff     = 4
	// perSession is how many rows of one session a candidate can take in the test: a
	// session is one conversation, and its rows are not so many independent witnesses.
	// So many points in mid-work are in it at least, see thin.
	perSession = 3
	// Unless a rule has no wrong continue, mostWrong is their highest share in what it
	// continues, and mostStops in the stops that it could be wrong about; mostLost is
	// the highest share of work that a stop rule lets lie. All by the upper end of
	// their intervals.
	mostWrong = 0.05
	mostStops = 0.005
	mostLost  = 0.2
	// promising is how unlikely a candidate has to be on the learning half to be
	// tested on the other; it guards nothing.
	promising = 0.01
	// shortlist is how many candidates are counted by the hook's own code.
	shortlist = 24
)

// Chance bounds how likely it is that anything is proposed where labels have
// nothing to do with texts. Every candidate is tested on the held-out half at
// Chance divided by the number of tests.
const Chance = 1e-4

// Tuning is what Propose has to know besides the rows.
type Tuning struct {
	// Rules are in force, in their order.
	Rules []rules.Rule
	// Choice is which of a row's choices is theirs.
	Choice int
}

// Proposal is what a history speaks for.
type Proposal struct {
	Learned  Half       `json:"learned"`
	Held     Half       `json:"held_out"`
	Proposed []Proposed `json:"proposed"`
	// Before and After are what the rules make of the held-out half, and what they
	// make of it with the proposals: Weigh counts them.
	Before *Outcome `json:"before,omitempty"`
	After  *Outcome `json:"after,omitempty"`
}

// Half is one of the two halves of a history. Only rows that count are in it, and
// that a rule has decided, not a guard.
type Half struct {
	Sessions int `json:"sessions"`
	Continue int `json:"continue"` // rows where Claude should have gone on
	Stop     int `json:"stop"`     // rows where a person had something else to say
	Missed   int `json:"missed"`   // of the first, where the rules stop
	Wrong    int `json:"wrong"`    // of the second, where the rules continue
}

// Proposed is one change.
type Proposed struct {
	// Rule is one to add, or Off the id of one to switch off.
	Rule *rules.Rule `json:"rule,omitempty"`
	Off  string      `json:"off,omitempty"`
	// Where is what Rule looks at: opens, says or closes; Phrase is what for.
	Where  string `json:"where,omitempty"`
	Phrase string `json:"phrase,omitempty"`
	// Learned and Held count the rows that it would decide otherwise.
	Learned Evidence `json:"learned"`
	Held    Evidence `json:"held_out"`
	// P is how likely the held-out half would be by chance alone. It is at most
	// Chance divided by the number of tests.
	P        float64   `json:"p"`
	Excerpts []Excerpt `json:"excerpts"`
}

// Evidence are rows that a change would decide otherwise, by what people did.
type Evidence struct {
	Nudges   int `json:"nudges"`   // they had to say "continue"
	MidWork  int `json:"mid_work"` // no stop: Claude went on by itself, which stands for missed work
	Answered int `json:"answered"` // they had something else to say
	Sessions int `json:"sessions"` // of the rows that speak for it
}

// Excerpt is a row behind a proposal.
type Excerpt struct {
	File  string       `json:"file"`
	Line  int          `json:"line"`
	Label replay.Label `json:"label"`
	Text  string       `json:"text"` // its last sentence
}

// Outcome is what rules make of the held-out half.
type Outcome struct {
	Caught replay.Rate `json:"caught"`
	Wrong  replay.Rate `json:"wrong"`
}

// HeldOut tells whether a session is in the half that proposals are tested on. It
// is the same in every run.
func HeldOut(session string) bool {
	return mixed(session)&1 == 1
}

// mixed is a number that looks nothing like the text.
func mixed(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	x := h.Sum64() // whose low bits hang on the last byte alone
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	return x ^ x>>33
}

// Propose proposes changes. It changes nothing and asks no model. After each that is
// found the rest is learned from what remains; all that a history without a
// pattern has to get past is the first.
//
// When ctx ends before it has, the error is that of ctx.
func Propose(ctx context.Context, rows []replay.Row, t Tuning) (Proposal, error) {
	p := Proposal{Proposed: []Proposed{}} // no null where JSON has a list
	learn, held := t.points(rows)
	p.Learned, p.Held = halfOf(learn), halfOf(held)
	lessons := []*lesson{newLesson(learn, strategy.Stop), newLesson(learn, strategy.Continue)}
	for len(p.Proposed) < maxProposals {
		next := t.next(ctx, lessons, learn, held)
		if ctx.Err() != nil {
			return Proposal{}, ctx.Err()
		}
		if next == nil {
			break
		}
		learn, held = next.without(learn), next.without(held)
		for _, l := range lessons {
			l.forget(next)
		}
		p.Proposed = append(p.Proposed, next.proposed(t, p.Proposed))
	}
	return p, nil
}

// next is the first candidate that holds on the held-out half, nil if none does.
// Stops come first: what they mend a rule need not be switched off for.
func (t Tuning) next(ctx context.Context, lessons []*lesson, learn, held []*point) *candidate {
	var tried []*candidate
	for _, l := range lessons {
		most := triedOn
		if l.then == strategy.Stop {
			most = triedStop
		}
		tried = append(tried, l.best(ctx, most)...)
		if l.then == strategy.Stop {
			tried = append(tried, t.off(learn)...)
		}
	}
	for _, c := range tried {
		c.learned, c.held = c.count(learn), c.count(held)
		if c.fits(c.held) && c.held.p() <= Chance/float64(len(tried)) {
			return c
		}
	}
	return nil
}

// off are the rules that make Claude go on where it should not more often than
// where it should. Rules that let it stop are not looked at: what they miss costs a
// word, what they prevent can cost an afternoon.
func (t Tuning) off(learn []*point) []*candidate {
	var all []*candidate
	for _, r := range t.Rules {
		c := &candidate{off: r.ID, then: strategy.Stop}
		if r.Then != strategy.Continue || slices.ContainsFunc(all, func(other *candidate) bool { return other.off == c.off }) {
			continue
		}
		if c.learned = c.count(learn); c.fits(c.learned) {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b *candidate) int { return b.learned.hits - a.learned.hits })
	return all[:min(len(all), triedOff)]
}

// points deals the rows that count to the two halves, in the order of their
// sessions.
func (t Tuning) points(rows []replay.Row) (learn, held []*point) {
	known := map[string]bool{"otherwise": true}
	for _, r := range t.Rules {
		known[r.ID] = true
	}
	open := map[string]bool{"otherwise": true}
	for _, r := range t.Rules[rules.LatePlace(t.Rules):] {
		open[r.ID] = true
	}
	var all []*point
	for i := range rows {
		row := &rows[i]
		if row.Means == replay.Unknown || row.Text == "" || t.Choice >= len(row.Choices) {
			continue
		}
		// What a guard decides no rule changes.
		if c := row.Choices[t.Choice]; c.Guard == "" && known[c.Rule] {
			p := newPoint(row, c)
			p.open = !p.on && open[c.Rule]
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b *point) int { return strings.Compare(a.row.Session, b.row.Session) })
	words := census{}
	for _, p := range all {
		words.take(p.spans)
		words.take(p.opening)
	}
	thin(all)
	for _, p := range all {
		p.spans = words.withoutNames(p.spans)
		if p.opening = words.withoutNames(p.opening); len(p.opening) > 0 {
			p.opening = p.opening[:btoi(p.opening[0].first)] // none if it begins with a name
		}
		if HeldOut(p.row.Session) {
			held = append(held, p)
		} else {
			learn = append(learn, p)
		}
	}
	return learn, held
}

// thin leaves points in mid-work out of the test where a session has many more of
// them than stops: a hundred of them say little more than ten, and where nearly all
// rows are work, nothing that they say could be beyond chance. Which ones, hangs on
// their lines alone. They are counted all the same.
func thin(points []*point) {
	for len(points) > 0 {
		n := slices.IndexFunc(points, func(p *point) bool { return p.row.Session != points[0].row.Session })
		if n < 0 {
			n = len(points)
		}
		stops := 0
		var work []*point
		for _, p := range points[:n] {
			switch {
			case !p.open:
			case p.row.Label == replay.MidWork:
				work = append(work, p)
			case !p.work():
				stops++
			}
		}
		slices.SortFunc(work, func(a, b *point) int {
			return cmp.Or(cmp.Compare(mixed(strconv.Itoa(a.row.Line)), mixed(strconv.Itoa(b.row.Line))), cmp.Compare(a.row.Line, b.row.Line))
		})
		for _, p := range work[min(len(work), max(perSession, stops)):] {
			p.spare = true
		}
		points = points[n:]
	}
}

func halfOf(points []*point) Half {
	var h Half
	last := ""
	for _, p := range points {
		if p.row.Session != last || h.Sessions == 0 {
			h.Sessions, last = h.Sessions+1, p.row.Session
		}
		switch {
		case p.work():
			h.Continue++
			if !p.on {
				h.Missed++
			}
		default:
			h.Stop++
			if p.on {
				h.Wrong++
			}
		}
	}
	return h
}

// proposed is a candidate as a change to show.
func (c *candidate) proposed(t Tuning, earlier []Proposed) Proposed {
	p := Proposed{Off: c.off, Where: c.where, Phrase: c.phrase, Learned: c.learned.Evidence, Held: c.held.Evidence, P: c.held.p()}
	if c.off == "" {
		rule := c.rule
		rule.ID = c.id(t, earlier)
		p.Rule = &rule
	}
	rows := slices.Concat(c.held.rows, c.learned.rows)
	slices.SortStableFunc(rows, func(a, b *point) int { // nudges first: there the user had to say it
		return cmp.Compare(btoi(b.row.Label == replay.Nudge), btoi(a.row.Label == replay.Nudge))
	})
	var seen []string
	for _, pt := range rows {
		if len(p.Excerpts) < 3 && !slices.Contains(seen, pt.row.Session) {
			seen = append(seen, pt.row.Session)
			p.Excerpts = append(p.Excerpts, Excerpt{pt.row.File, pt.row.Line, pt.row.Label, strings.Join(strings.Fields(pt.last), " ")})
		}
	}
	return p
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// id names a rule by its phrase, as no other is named.
func (c *candidate) id(t Tuning, earlier []Proposed) string {
	id := "tuned-"
	for _, r := range c.phrase {
		switch {
		case r >= 'a' && r <= 'z':
			id += string(r)
		case r == ' ' && !strings.HasSuffix(id, "-"):
			id += "-"
		}
	}
	if id = strings.Trim(id[:min(len(id), 36)], "-"); id == "tuned" {
		id += "-" + c.where
	}
	taken := func(id string) bool {
		return slices.ContainsFunc(t.Rules, func(r rules.Rule) bool { return r.ID == id }) ||
			slices.ContainsFunc(earlier, func(p Proposed) bool { return p.Rule != nil && p.Rule.ID == id })
	}
	for n, bare := 2, id; taken(id); n++ {
		id = bare + "-" + strconv.Itoa(n)
	}
	return id
}

// Outcomes counts what each choice of the rows makes of the held-out half, guards
// included.
func Outcomes(rows []replay.Row) []Outcome {
	var all []Outcome
	for i := range rows {
		if len(rows[i].Choices) > len(all) {
			all = append(all, make([]Outcome, len(rows[i].Choices)-len(all))...)
		}
		if !HeldOut(rows[i].Session) {
			continue
		}
		for j, c := range rows[i].Choices {
			rate := &all[j].Caught
			switch rows[i].Means {
			case replay.WantStop:
				rate = &all[j].Wrong
			case replay.WantContinue:
			default:
				continue
			}
			rate.Of++
			if c.Decision == string(strategy.Continue) {
				rate.N++
			}
		}
	}
	for i := range all {
		for _, r := range []*replay.Rate{&all[i].Caught, &all[i].Wrong} {
			r.Bound()
		}
	}
	return all
}

// Weigh takes out the proposals that make the held-out half no better, decided
// anew: choice 0 of the rows are the rules in force, choice i those with the first i
// proposals. It tells whether all have stayed; if not, the rest is to be weighed
// again.
func (p *Proposal) Weigh(rows []replay.Row) (settled bool) {
	outcomes := Outcomes(rows)
	if len(outcomes) <= len(p.Proposed) {
		outcomes = append(outcomes, make([]Outcome, len(p.Proposed)+1-len(outcomes))...)
	}
	kept := []Proposed{}
	for i, c := range p.Proposed {
		caught := outcomes[i+1].Caught.N - outcomes[i].Caught.N
		wrong := outcomes[i+1].Wrong.N - outcomes[i].Wrong.N
		better := wrong < 0 && -caught <= -wrong
		if c.Rule != nil && c.Rule.Then == strategy.Continue {
			better = caught > 0 && harmless(max(0, wrong), caught, outcomes[i].Wrong.Of)
		}
		if better {
			kept = append(kept, c)
		}
	}
	settled = len(kept) == len(p.Proposed)
	p.Proposed = kept
	p.Before, p.After = &outcomes[0], &outcomes[len(outcomes)-1]
	return settled
}
