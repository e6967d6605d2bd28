package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/replay"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/strategy/ned"

	"github.com/cameronsjo/springfield/runtime/rules"
)

// made is a history that a test makes, decided by ned-flanders' own rules and
// those added.
type made struct {
	rows []replay.Row
	add  []rules.Rule
}

func (m *made) config() rules.Options { return rules.Options{Add: m.add} }

func (m *made) tuning(t *testing.T) Tuning {
	t.Helper()
	return Tuning{Rules: (&ned.Options{Options: m.config()}).Rules()}
}

// say adds a row to a session.
func (m *made) say(session int, label replay.Label, text string) {
	m.rows = append(m.rows, replay.Row{
		File: fmt.Sprintf("s%d.jsonl", session), Line: len(m.rows) + 1, Session: fmt.Sprintf("session-%d", session),
		Label: label, Means: label.Means(), Text: text,
	})
}

// decided are the rows with one choice: what the rules say.
func (m *made) decided(t *testing.T, configs ...rules.Options) []replay.Row {
	t.Helper()
	if len(configs) == 0 {
		configs = []rules.Options{m.config()}
	}
	rows := slices.Clone(m.rows)
	for i := range rows {
		rows[i].Choices = nil
		for _, c := range configs {
			v := (&ned.Options{Options: c}).Decide(strategy.Situation{Message: strategy.Message{Text: rows[i].Text}})
			rows[i].Choices = append(rows[i].Choices, replay.Choice{Decision: string(v.Decision), Rule: v.Rule, Evidence: v.Evidence})
		}
	}
	return rows
}

func propose(t *testing.T, rows []replay.Row, tuning Tuning) Proposal {
	t.Helper()
	p, err := Propose(t.Context(), rows, tuning)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (m *made) tune(t *testing.T) Proposal {
	t.Helper()
	return propose(t, m.decided(t), m.tuning(t))
}

// ordinary fills sessions with what says nothing: reports that people answer, and
// work in the middle, in the same words.
func ordinary(sessions int) *made { return ordinaryOf(sessions, 6) }

func ordinaryOf(sessions, rows int) *made {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(words ...string) string { return words[random.IntN(len(words))] }
	m := &made{}
	for s := range sessions {
		for range rows {
			text := fmt.Sprintf("The %s %s %s, and %s of the %s %s.", pick("parser", "table", "index", "cache", "schema"), pick("reads", "keeps", "holds", "has"),
				pick("all rows", "both keys", "the dates", "five files"), pick("most", "some", "half", "none"), pick("tests", "queries", "callers", "fields"), pick("agree", "pass", "differ", "match"))
			m.say(s, []replay.Label{replay.Answered, replay.Answered, replay.MidWork, replay.Nudge}[random.IntN(4)], text)
		}
	}
	return m
}

const onwards = "Half of the rows are in. Onwards with the next chunk."

// planted is a history with a pattern that the default rules miss.
func planted(sessions int) *made {
	m := ordinary(sessions)
	for s := range sessions {
		m.say(s, replay.MidWork, onwards)
		m.say(s, replay.Nudge, "All four tests pass.\n\nOnwards with the next chunk of the table.")
	}
	return m
}

// The same in a language whose words have no blanks between them.
func TestTuneFindsChinese(t *testing.T) {
	m := ordinary(60)
	for s := range 60 {
		m.say(s, replay.MidWork, "一半的行已经导入。甜甜圈转盘上桌，表格很多。")
		m.say(s, replay.Nudge, "四个测试都通过。\n\n甜甜圈转盘上桌，索引很多。")
	}
	p := m.tune(t)
	if len(p.Proposed) != 1 || p.Proposed[0].Rule == nil || p.Proposed[0].Rule.Then != strategy.Continue || !strings.Contains("甜甜圈转盘上桌", p.Proposed[0].Phrase) {
		t.Fatalf("%+v", p.Proposed)
	}
}

func TestTuneFindsWhatIsPlanted(t *testing.T) {
	t.Parallel()
	m := planted(60)
	p := m.tune(t)
	if len(p.Proposed) != 1 {
		t.Fatalf("%d proposals: %+v", len(p.Proposed), p.Proposed)
	}
	c := p.Proposed[0]
	if c.Where != "opens" || c.Phrase != "onwards with the next chunk" || c.Rule == nil || c.Rule.Then != strategy.Continue || c.Rule.ID != "tuned-onwards-with-the-next-chunk" {
		t.Fatalf("%+v, %+v", c, c.Rule)
	}
	held := 0
	for s := range 60 {
		if HeldOut(fmt.Sprintf("session-%d", s)) {
			held++
		}
	}
	if want := (Evidence{held, held, 0, held}); c.Held != want {
		t.Errorf("held out: %+v, want %+v", c.Held, want)
	}
	if n := 60 - held; c.Learned != (Evidence{n, n, 0, n}) {
		t.Errorf("learned: %+v of %d sessions", c.Learned, n)
	}
	if p.Learned.Sessions+p.Held.Sessions != 60 || p.Held.Sessions != held || p.Held.Missed < 2*held {
		t.Errorf("halves: %+v %+v", p.Learned, p.Held)
	}
	if c.P > Chance || len(c.Excerpts) != 3 || c.Excerpts[0].Label != replay.Nudge || !HeldOut("session-"+strings.TrimSuffix(c.Excerpts[0].File[1:], ".jsonl")) {
		t.Errorf("p %g, excerpts %+v", c.P, c.Excerpts)
	}
	for i, e := range c.Excerpts {
		if !strings.HasPrefix(e.Text, "Onwards with the next chunk") || m.rows[e.Line-1].File != e.File {
			t.Errorf("excerpt %d: %+v", i, e)
		}
	}

	// Decided anew with it: all are caught, none is wrong, and nothing is left.
	after := m.config()
	after.Add = append(after.Add, *c.Rule)
	if settled := p.Weigh(m.decided(t, m.config(), after)); !settled || len(p.Proposed) != 1 {
		t.Fatalf("weighed out: %+v", p)
	}
	if p.After.Caught.N-p.Before.Caught.N != 2*held || p.After.Wrong != p.Before.Wrong || p.After.Caught.Of != p.Held.Continue {
		t.Errorf("before %+v, after %+v", p.Before, p.After)
	}
	m.add = after.Add
	if again := m.tune(t); len(again.Proposed) != 0 {
		t.Errorf("a second time: %+v", again.Proposed)
	}
}

// The rule that is proposed keeps off what needs a person, whatever it was learned on.
func TestTunedRuleLeavesQuestionsAlone(t *testing.T) {
	p := planted(60).tune(t)
	config := rules.Options{Add: []rules.Rule{*p.Proposed[0].Rule}}
	for text, want := range map[string]strategy.Decision{
		onwards: strategy.Continue,
		"Shall I? Onwards with the next chunk otherwise.":      strategy.Stop,
		"Onwards with the next chunk once you have looked.":    strategy.Stop,
		"Onwards with the next chunk when the build is green.": strategy.Stop,
		"Onwards with the next chunk?":                         strategy.Stop,
		"Onwards with the next chunk. Let me know.":            strategy.Stop,
	} {
		if v := (&ned.Options{Options: config}).Decide(strategy.Situation{Message: strategy.Message{Text: text}}); v.Decision != want {
			t.Errorf("%s: %s by %s", text, v.Decision, v.Rule)
		}
	}
}

// Where labels have nothing to do with texts, nothing is proposed. One run does
// with a probability below Chance, so all of these together with one below
// 300 * Chance, 3 %.
func TestTuneProposesNothingOnShuffledLabels(t *testing.T) {
	t.Parallel()
	balanced := planted(60)
	work := planted(60) // nearly all is work: without the test most phrases would be right often enough
	for s := range 60 {
		for _, m := range []*made{balanced, work} { // what the rules continue, for stop rules and off
			m.say(s, replay.MidWork, "Now I'll write the next file.")
			m.say(s, replay.Answered, "I'll leave the rest as it is.")
		}
		for n := range 10 {
			work.say(s, replay.Nudge, fmt.Sprintf("The %s is in", []string{"first", "second", "next", "last", "whole"}[n%5]))
		}
	}
	// In this one many phrases stand in a dozen rows, and now and then one is right in
	// all of them.
	rich := ordinaryOf(60, 20)
	for name, m := range map[string]*made{"balanced": balanced, "work": work, "rich": rich} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			decided, tuning := m.decided(t), m.tuning(t)
			for seed := range uint64(100) {
				random := rand.New(rand.NewPCG(seed, 7))
				rows := slices.Clone(decided)
				random.Shuffle(len(rows), func(i, j int) {
					rows[i].Label, rows[j].Label = rows[j].Label, rows[i].Label
					rows[i].Means, rows[j].Means = rows[j].Means, rows[i].Means
				})
				if p := propose(t, rows, tuning); len(p.Proposed) > 0 {
					t.Errorf("seed %d: %+v", seed, p.Proposed)
				}
			}
		})
	}
}

func TestHalves(t *testing.T) {
	for name, id := range map[string]string{"numbers": "%d", "padded": "session-%06d", "in front": "%d-session", "like UUIDs": "0b1c%04x-77aa-4bcd-9f00-1234567890ab"} {
		held := 0
		for n := range 4000 {
			if HeldOut(fmt.Sprintf(id, n)) {
				held++
			}
		}
		if held < 1800 || held > 2200 {
			t.Errorf("%s: %d of 4000 are held out", name, held)
		}
	}
}

// The bound above rests on a test that keeps to its level: candidates that are
// looked for in one half of a history without a pattern pass on the other as rarely
// as they may.
func TestHeldOutTestKeepsItsLevel(t *testing.T) {
	t.Parallel()
	base := ordinary(60)
	decided, tuning := base.decided(t), base.tuning(t)
	const level = 0.05
	tried, passed := 0, 0
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 11))
		rows := slices.Clone(decided)
		random.Shuffle(len(rows), func(i, j int) { rows[i].Means, rows[j].Means = rows[j].Means, rows[i].Means })
		learn, held := tuning.points(rows)
		l := newLesson(learn, strategy.Continue)
		for _, ph := range l.phrases {
			if ph.where != opens && ph.words == 2 {
				tried++
				if c := newCandidate(ph, strategy.Continue); c.count(held).p() <= level {
					passed++
				}
			}
		}
	}
	if tried < 1000 || float64(passed) > level*float64(tried) {
		t.Errorf("%d of %d pass a test at %g", passed, tried, level)
	}
}

func TestTuneProposesNothing(t *testing.T) {
	t.Parallel()
	many := func(n int, f func(m *made, s int)) *made {
		m := ordinary(60)
		for s := range n {
			f(m, s)
		}
		return m
	}
	for name, m := range map[string]*made{
		"no rows":          {},
		"nothing in it":    ordinary(60),
		"few sessions":     planted(4),
		"only one session": many(40, func(m *made, s int) { m.say(7, replay.MidWork, onwards) }),
		"conflicting": many(60, func(m *made, s int) {
			m.say(s, replay.MidWork, onwards)
			m.say(s, replay.Answered, onwards)
		}),
		"right too rarely": many(60, func(m *made, s int) {
			m.say(s, replay.MidWork, onwards)
			if s%6 == 0 {
				m.say(s, replay.Answered, onwards)
			}
		}),
		"not with the held-out half": many(60, func(m *made, s int) {
			m.say(s, replay.MidWork, onwards)
			if HeldOut(fmt.Sprintf("session-%d", s)) {
				m.say(s, replay.Answered, onwards)
			}
		}),
		"not surely enough with the held-out half": many(60, func(m *made, s int) {
			m.say(s, replay.MidWork, onwards)
			if s%8 == 0 && HeldOut(fmt.Sprintf("session-%d", s)) {
				m.say(s, replay.Answered, onwards)
			}
		}),
		"two sessions of the held-out half": func() *made {
			m := &made{}
			for s := range 60 {
				for range 10 {
					m.say(s, replay.Answered, "All of it is in the table")
				}
				if slices.Contains([]int{1, 10, 11, 0, 2}, s) { // of which the last two are held out
					for range 3 {
						m.say(s, replay.Nudge, onwards)
					}
				}
			}
			return m
		}(),
		"a single word": many(60, func(m *made, s int) { m.say(s, replay.Nudge, "Onwards 12") }),
		"what a rule stops that knows of a person": many(60, func(m *made, s int) { m.say(s, replay.Nudge, onwards+", glad to") }),
		"changed by a guard":                       planted(60),
		"a token": many(60, func(m *made, s int) {
			m.say(s, replay.MidWork, "The parser reads ghpXa9Qz77.")
			m.say(s, replay.Answered, "The parser reads all rows.")
		}),
		"a long key": many(60, func(m *made, s int) {
			m.say(s, replay.MidWork, "The parser reads abcdefghijklmnopqrstuvwxyz.")
			m.say(s, replay.Answered, "The parser reads all rows.")
		}),
		"a name": many(60, func(m *made, s int) {
			m.say(s, replay.MidWork, "The parser keeps Marlene's dates.")
			m.say(s, replay.Answered, "The parser keeps all dates.")
		}),
		"a name in front": many(60, func(m *made, s int) {
			m.say(s, replay.MidWork, "Marlene has the dates.")
			m.say(s, replay.Answered, "They did what Marlene said.")
			m.say(s, replay.Answered, "Somebody has the dates.")
		}),
		"an address": many(60, func(m *made, s int) {
			m.say(s, replay.MidWork, "The parser reads marlene@example.com.")
			m.say(s, replay.Answered, "The parser reads all rows.")
		}),
		"a path and a number": many(60, func(m *made, s int) {
			m.say(s, replay.MidWork, "The parser reads /home/marlene/x 4711.")
			m.say(s, replay.Answered, "The parser reads all rows.")
		}),
		"decided by a guard": func() *made { return planted(60) }(),
	} {
		rows := m.decided(t)
		if name == "decided by a guard" {
			for i := range rows {
				rows[i].Choices[0] = replay.Choice{Decision: "stop", Rule: "background"}
			}
		}
		if name == "changed by a guard" {
			for i := range rows {
				rows[i].Choices[0].Guard = "budget"
			}
		}
		p := propose(t, rows, m.tuning(t))
		if strings.Contains(name, "guard") && (p.Learned != Half{} || p.Held != Half{}) {
			t.Errorf("%s: %+v, %+v", name, p.Learned, p.Held)
		}
		if len(p.Proposed) > 0 {
			t.Errorf("%s: %+v %+v", name, p.Proposed[0], p.Proposed[0].Rule)
		}
	}
}

// A user for whom a phrase that the rules continue on is a way to hand over.
func TestTuneFindsStops(t *testing.T) {
	m := ordinary(60)
	for s := range 60 {
		m.say(s, replay.MidWork, "Now I'll write the next file.")
		m.say(s, replay.MidWork, "Now I'll read the schema.")
		m.say(s, replay.Answered, "I'll carry it over to the barn.")
	}
	p := m.tune(t)
	if len(p.Proposed) != 1 || p.Proposed[0].Rule == nil || p.Proposed[0].Rule.Then != strategy.Stop {
		t.Fatalf("%+v", p.Proposed)
	}
	c := p.Proposed[0]
	if c.Phrase != "i'll carry it over to" || c.Held.Answered != p.Held.Wrong || c.Held.MidWork+c.Held.Nudges != 0 || c.Learned.Answered != p.Learned.Wrong {
		t.Errorf("%+v of %+v, %+v", c, p.Learned, p.Held)
	}
	after := m.config()
	after.Add = []rules.Rule{*c.Rule}
	if !p.Weigh(m.decided(t, m.config(), after)) || p.After.Wrong.N != 0 || p.Before.Wrong.N != p.Held.Wrong || p.After.Caught.N != p.Before.Caught.N {
		t.Errorf("%+v %+v", p.Before, p.After)
	}
}

// A rule that is wrong more often than right, in words that have nothing in
// common, is switched off; a rule that stops never is.
func TestTuneSwitchesOff(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	m := ordinary(80)
	letters := func() string {
		var b strings.Builder
		for range 7 {
			b.WriteByte(byte('a' + random.IntN(26)))
		}
		return b.String()
	}
	for s := range 80 {
		for range 3 {
			m.say(s, replay.Answered, letters()+" "+letters()+" "+letters()+":")
			m.say(s, replay.MidWork, "Now I'll write "+letters()+".")
			m.say(s, replay.MidWork, "All is done "+letters()+".")
		}
		m.say(s, replay.MidWork, letters()+" "+letters()+":")
	}
	p := m.tune(t)
	var off []Proposed
	for _, c := range p.Proposed {
		if c.Off != "" {
			off = append(off, c)
		}
	}
	if len(off) != 1 || off[0].Off != "colon" || off[0].Rule != nil {
		t.Fatalf("%+v", p.Proposed)
	}
	p.Proposed = off
	c := off[0]
	if c.Held.Answered != p.Held.Wrong || c.Held.MidWork != p.Held.Wrong/3 || c.Held.Sessions != p.Held.Sessions {
		t.Errorf("%+v of %+v", c.Held, p.Held)
	}
	after := m.config()
	after.Off = []string{"colon"}
	if !p.Weigh(m.decided(t, m.config(), after)) || p.After.Wrong.N != 0 {
		t.Errorf("%+v %+v", p.Before, p.After)
	}
}

// What does not help on the held-out half is taken out again.
func TestWeighTakesOut(t *testing.T) {
	t.Parallel()
	m := ordinary(40)
	for s := range 40 {
		m.say(s, replay.MidWork, onwards)
		m.say(s, replay.Answered, "The rest is for tomorrow")
	}
	good := rules.Rule{ID: "good", Opens: []string{"onwards"}, Then: strategy.Continue}
	idle := rules.Rule{ID: "idle", Opens: []string{"an unused phrase"}, Then: strategy.Continue}
	bad := rules.Rule{ID: "bad", Opens: []string{"the rest"}, Then: strategy.Continue}
	p := Proposal{Proposed: []Proposed{{Rule: &idle}, {Rule: &good}, {Rule: &bad}, {Off: "colon"}}}
	weigh := func() bool {
		configs := []rules.Options{m.config()}
		for _, c := range p.Proposed {
			next := configs[len(configs)-1]
			if c.Rule != nil {
				next.Add = append(slices.Clone(next.Add), *c.Rule)
			} else {
				next.Off = append(slices.Clone(next.Off), c.Off)
			}
			configs = append(configs, next)
		}
		return p.Weigh(m.decided(t, configs...))
	}
	if weigh() {
		t.Error("settled with a rule that does harm")
	}
	if len(p.Proposed) != 1 || p.Proposed[0].Rule.ID != "good" || !weigh() || p.After.Caught.N <= p.Before.Caught.N || p.After.Wrong != p.Before.Wrong {
		t.Errorf("%+v, %+v, %+v", p.Proposed, p.Before, p.After)
	}
}

// Where a session has many more points in mid-work than stops, the test has as many
// of them as stops, but three, and all nudges; the counts have all.
func TestThin(t *testing.T) {
	m := &made{}
	for s, n := range []struct{ work, stops, nudges int }{{50, 8, 2}, {50, 0, 0}, {2, 9, 0}} {
		for range n.work {
			m.say(s, replay.MidWork, "The rest of the rows")
		}
		for range n.stops {
			m.say(s, replay.Answered, "The parser has the dates.")
		}
		for range n.nudges {
			m.say(s, replay.Nudge, "The rest of the rows")
		}
		m.say(s, replay.MidWork, "Now I'll write the next file.")
	}
	learn, held := m.tuning(t).points(m.decided(t))
	all := slices.Concat(learn, held)
	slices.SortStableFunc(all, func(a, b *point) int { return strings.Compare(a.row.Session, b.row.Session) })
	got := newCandidate(&phrase{where: opens, text: "the rest of"}, strategy.Continue).count(all)
	if got.MidWork != 102 || got.Nudges != 2 || got.pool != 8+2+8+3+2+9 || got.good != 8+2+3+2 || got.drawn != 3+3+2 {
		t.Errorf("%+v", got)
	}
}

func TestProposeCancelled(t *testing.T) {
	m := planted(60)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if p, err := Propose(ctx, m.decided(t), m.tuning(t)); !errors.Is(err, context.Canceled) || len(p.Proposed) > 0 {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestTuneNamesRulesApart(t *testing.T) {
	m := planted(60)
	m.add = []rules.Rule{{ID: "tuned-onwards-with-the-next-chunk", Says: []string{"an unused phrase"}, Then: strategy.Stop}}
	p := m.tune(t)
	if len(p.Proposed) != 1 || p.Proposed[0].Rule.ID != "tuned-onwards-with-the-next-chunk-2" {
		t.Errorf("%+v", p.Proposed)
	}
}

func TestTail(t *testing.T) {
	for _, tt := range []struct {
		pool, good, drawn, fine int
		want                    float64
	}{
		{10, 5, 3, 3, 10.0 / 120}, {10, 5, 3, 2, 60.0 / 120}, {10, 5, 3, 0, 1}, {4, 4, 2, 2, 1}, {4, 0, 2, 1, 0}, {6, 3, 5, 3, 3.0 / 6}, {0, 0, 0, 0, 1},
	} {
		if got := tail(tt.pool, tt.good, tt.drawn, tt.fine); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("tail(%d, %d, %d, %d) = %g, want %g", tt.pool, tt.good, tt.drawn, tt.fine, got, tt.want)
		}
	}
}

func TestSpans(t *testing.T) {
	for sentence, want := range map[string][]string{
		"Onwards with the next chunk.":               {"^onwards with the next chunk"},
		"Now, let’s see: all  of it":                 {"^now", "let's see", "all", "of it"},
		"Read /etc/x and a@b.c, then go-on 42 times": {"^read", "and", "then", "times"},
		"`code` in (some) words":                     {"in", "some", "words"},
		"the fooBar API of _this_":                   {"^the", "of"},
		"Über allen Gipfeln":                         {"^über allen gipfeln"},
		"接下来处理第二块。":                                  {"^接下来处理第二块"},
		"次に `x` を直します。":                              {"^次に", "を直します"},
		"अब मैं अगला हिस्सा लेता हूँ।": {"^अब मैं अगला हिस्सा लेता हूँ"},
		"Дальше следующий кусок":       {"^дальше следующий кусок"},
		"": nil,
	} {
		var got []string
		for _, s := range spansOf(sentence) {
			text := s.phrase(0, len(s.words))
			if s.first {
				text = "^" + text
			}
			got = append(got, text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", sentence, got, want)
		}
	}
}

// Whatever was said: no phrase has anything but letters, apostrophes and blanks,
// and a rule made of one that opens a text holds there.
func FuzzSpans(f *testing.F) {
	f.Add("Onwards with the next chunk. It’s /home/x 12")
	f.Add("İstanbul’da ’’ x''y ſ K")
	f.Add("a\x00b\xff c\u202ed")
	f.Fuzz(func(t *testing.T, text string) {
		p := newPoint(&replay.Row{Text: text}, replay.Choice{})
		for _, s := range append(p.spans, p.opening...) {
			for i := range s.words {
				for n := 1; i+n <= len(s.words); n++ {
					if phrase := s.phrase(i, n); !onlyWords(phrase) {
						t.Fatalf("%q has the phrase %q", text, phrase)
					}
				}
			}
		}
		for n, opening := range p.openings() {
			if c := newCandidate(&phrase{where: opens, text: opening, words: n}, strategy.Stop); !c.holds(p) {
				t.Fatalf("%q does not open %q", opening, text)
			}
		}
	})
}

// onlyWords tells whether a phrase is what a rules file may get.
func onlyWords(phrase string) bool {
	for _, w := range strings.Split(phrase, " ") {
		if !isPlain(w) {
			return false
		}
	}
	return true
}
