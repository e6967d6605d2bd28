package guard

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/ledger"
)

// A small model of the host: sessions that stop, a person who prompts, a clock that is set back and forth, a ledger
// that is deleted, a transcript that remembers, one that makes up prompts, and loops. In every order of these the
// promise holds: since the person's own last prompt never more than three continues in any five minutes, nor twenty
// for a prompt, nor sixty in an hour; loops' are besides, a hundred for a prompt, and both together never more than
// 240 in an hour. No host of the model has a cap of its own, so nothing else ends it.

type model struct {
	now      int64 // true seconds
	offset   int64 // what the clock says is now + offset
	text     int
	prompt   int
	tools    int
	low      bool // a file lowers the burst to none, for now
	state    ledger.State
	witness  []int64 // by the clock of then, Unix milliseconds
	inPrompt int     // as the transcript counts
	inOwn    int     // as the transcript counts, since the person's own prompt
	last     int     // that prompt
	own      string  // the same, while Claude Code says that the stop belongs to it

	names   naming
	granted []int64 // true seconds; a clock that is set ahead makes them older, as one that has slept
	rounds  []int64 // the same, of loops
	spent   int     // for this prompt, truly
	since   int     // how many of granted were before the person's own prompt
	looped  int     // rounds since that prompt
	deleted bool    // the ledger, once
	ahead   bool    // the clock was set ahead, once

	newest, at int64 // what the clock has said at most, and when
}

// tellTime is the clock at a stop.
func (m *model) tellTime() time.Time {
	clock, runs := m.now+m.offset, m.newest+m.now-m.at
	if m.newest == 0 {
		runs = clock
	}
	if ahead := clock - runs; ahead > 0 {
		for _, times := range []*[]int64{&m.granted, &m.rounds} {
			*times = slices.Clone(*times)
			for i := range *times {
				(*times)[i] -= ahead
			}
		}
	}
	m.newest, m.at = max(clock, runs), m.now
	m.state.Clock = m.state.Clock.Advance(time.Unix(clock, 0), (m.now-999_000)*1000)
	return time.UnixMilli(m.state.Clock.At)
}

// naming is the way in which a host names prompts.
type naming byte

const (
	byBoth  naming = iota // in the event and in the log, as Claude Code does
	byLog                 // in the log only: no prompt is known to be the person's
	byEvent               // in the event, by an id that changes when the person prompts and only then
)

// promptOf is the prompt that a stop belongs to, and whose it is.
func (m *model) promptOf() (prompt, own string) {
	switch m.names {
	case byLog:
		return fmt.Sprint(m.prompt), ""
	case byEvent:
		return fmt.Sprint(m.last), fmt.Sprint(m.last)
	}
	return fmt.Sprint(m.prompt), m.own
}

// actions are the possible events, a letter each.
const actions = "stTPckdbmwl"

// clocks are those of a second search, with a clock that is set ahead and with loops.
const clocks = "sPbfmhLv"

func (m *model) step(action byte) error {
	switch action {
	case 's', 't': // Claude stops, after new words, or after the same
		if action == 's' {
			m.text++
		}
		return m.stop()
	case 'T': // a tool is called, then Claude stops
		m.tools++
		return m.stop()
	case 'P': // the person prompts
		m.prompt, m.tools, m.inPrompt, m.inOwn, m.spent = m.prompt+1, 0, 0, 0, 0
		m.last, m.own, m.since, m.looped = m.prompt, fmt.Sprint(m.prompt), len(m.granted), 0
	case 'c': // a command of ours, or a line of the transcript that pretends to be a prompt
		m.prompt, m.tools, m.inPrompt, m.own = m.prompt+1, 0, 0, ""
		if m.names != byEvent {
			m.spent = 0
		}
	case 'k': // the transcript has the person's own prompt, which it lacked
		m.own = fmt.Sprint(m.last)
	case 'd': // the ledger is deleted, where the clock does not go to and fro: the log's times are by the clock
		if !m.ahead {
			m.state, m.deleted = ledger.State{}, true
		}
	case 'L', 'v': // a loop goes on, once or 24 times
		for range map[byte]int{'L': 1, 'v': 24}[action] {
			if err := m.round(); err != nil {
				return err
			}
		}
	case 'f': // the clock is set ahead
		if !m.deleted {
			m.offset, m.ahead = m.offset+3600, true
		}
	case 'h': // an hour passes
		m.now += 3599
	case 'b': // the clock is set back
		m.offset -= 3600
	case 'm': // a minute passes
		m.now += 60
	case 'l': // a limit is lowered, or raised again
		m.low = !m.low
	case 'w': // a window passes
		m.now += 299
	}
	return nil
}

// count is a stop as the budget counts it.
func (m *model) count() Count {
	witness := Witness{Times: m.witness[max(0, len(m.witness)-240):], All: len(m.witness), InPrompt: m.inPrompt, InOwn: m.inOwn}
	if m.names == byEvent { // whose transcript names the person's own prompts, too
		witness.InPrompt = m.inOwn
	}
	prompt, own := m.promptOf()
	return Count{Prompt: prompt, Own: own, Seen: fmt.Sprint(m.text, m.tools), Tools: m.tools, Witness: witness, Now: m.tellTime()}
}

func (m *model) note() {
	m.witness = append(m.witness, (m.now+m.offset)*1000)
	m.inPrompt++
	m.inOwn++
}

// round is a round of a loop, whose file is new each time.
func (m *model) round() (err error) {
	var veto Veto
	if m.state, veto = TakeRound(m.state, m.count(), 25, 0); veto.Rule != "" {
		return nil
	}
	m.note()
	m.looped++
	if m.rounds = append(m.rounds, m.now); m.looped > 100 && m.names != byLog && !m.deleted {
		return fmt.Errorf("%d continues of loops for a prompt", m.looped)
	}
	return m.checkHour()
}

func (m *model) checkHour() error {
	n := 0
	for _, at := range slices.Concat(m.granted, m.rounds) {
		if m.now-at < 3600 {
			n++
		}
	}
	if n > 240 && !m.deleted {
		return fmt.Errorf("%d continues within an hour", n)
	}
	return nil
}

func (m *model) stop() error {
	limits := Defaults
	if m.low {
		limits.Burst = 0
	}
	var veto Veto
	m.state, _, veto = SpendContinue(m.state, limits, m.count())
	if veto.Rule != "" {
		return nil
	}
	m.note()
	m.spent++
	m.granted = append(m.granted, m.now)
	n := len(m.granted)
	since := m.since
	if m.names == byLog {
		since = 0
	}
	if n-4 >= since && m.now-m.granted[n-4] < 300 {
		return fmt.Errorf("four continues within %d seconds", m.now-m.granted[n-4])
	}
	if n > 60 && m.now-m.granted[n-61] < 3600 {
		return fmt.Errorf("61 continues within %d seconds", m.now-m.granted[n-61])
	}
	if m.spent > 20 {
		return fmt.Errorf("%d continues for a prompt", m.spent)
	}
	return m.checkHour()
}

var orders = flag.Int("orders", 6, "the length up to which TestModelExhaustively tries every order; 8 are 43 million")

// All orders of a few steps.
func TestModelExhaustively(t *testing.T) {
	var depth, runs int
	var path []byte
	var alphabet string
	var explore func(m model, at int) error
	explore = func(m model, at int) error {
		if at == depth {
			runs++
			return nil
		}
		for i := range len(alphabet) {
			next := m
			// Slices are shared between branches: clip them, so that each branch appends to its own copy.
			next.witness = m.witness[:len(m.witness):len(m.witness)]
			next.granted = m.granted[:len(m.granted):len(m.granted)]
			next.rounds = m.rounds[:len(m.rounds):len(m.rounds)]
			path[at] = alphabet[i]
			if err := next.step(alphabet[i]); err != nil {
				return fmt.Errorf("%s: %w", path[:at+1], err)
			}
			if err := explore(next, at+1); err != nil {
				return err
			}
		}
		return nil
	}
	want := 0
	for _, search := range []struct {
		names    naming
		alphabet string
		length   int
	}{
		{byBoth, actions, *orders}, {byLog, actions, *orders - 2}, {byEvent, actions, *orders - 2},
		{byBoth, clocks, *orders}, {byLog, clocks, *orders}, {byEvent, clocks, *orders - 2},
	} {
		alphabet, depth, path = search.alphabet, search.length, make([]byte, search.length)
		scratch.Equal(t, explore(model{now: 1_000_000, names: search.names}, 0), nil, search.names, string(path))
		all := 1
		for range depth {
			all *= len(alphabet)
		}
		want += all
	}
	scratch.Equal(t, runs, want, "orders explored")
}

// Random orders beyond that, long enough to meet the limit per prompt.
func TestModelAtRandom(t *testing.T) {
	most, hour, loops := 0, 0, 0
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 1))
		m := model{now: 1_000_000, names: naming(seed % 3)}
		var path []byte
		for range 300 {
			action := actions[r.IntN(len(actions))]
			switch busy := seed%10 == 0; { // a person who prompts and prompts
			case busy && r.IntN(3) > 0:
				action = "sTP"[r.IntN(3)]
			case !busy && (action == 'P' || action == 'c' || action == 'b') && r.IntN(20) > 0:
				action = 'w' // rarely, so that prompts and windows get long
			}
			if seed%5 == 1 && r.IntN(3) > 0 { // loops, and clocks that go wrong
				action = "PLvLvvPhwfbs"[r.IntN(12)]
			}
			path = append(path, action)
			scratch.Must(t, m.step(action), "seed", seed, path)
			most = max(most, m.spent)
			if n := len(m.granted); n >= 60 && m.now-m.granted[n-60] < 3600 {
				hour++
			}
			if n := len(m.rounds); n >= 220 && m.now-m.rounds[n-220] < 3600 {
				loops++
			}
		}
	}
	scratch.ErrorIf(t, hour == 0, "no hour got 60 continues: the limit was never met")
	scratch.ErrorIf(t, loops == 0, "no hour got 220 continues of loops: the limit was never met")
	scratch.ErrorIf(t, most < 20, "no prompt got more than %d continues: the limit was never met", most)
}
