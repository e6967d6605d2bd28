package guard

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/ledger"
)

// A small model of the host: sessions that stop, a person who prompts, a clock that is set back, a ledger that is
// deleted, a transcript that remembers, and one that makes up prompts. In every order of these the promise holds:
// since the person's own last prompt never more than three continues in any five minutes, nor twenty for a prompt,
// nor sixty in an hour. No host of the model has a cap of its own, so nothing else ends it.

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
	granted []int64 // true seconds
	spent   int     // for this prompt, truly
	since   int     // how many of granted were before the person's own prompt
}

// naming is how a host names prompts.
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

// actions are what can happen; each letter is one step.
const actions = "stTPckdbmwl"

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
		m.last, m.own, m.since = m.prompt, fmt.Sprint(m.prompt), len(m.granted)
	case 'c': // a command of ours, or a line of the transcript that pretends to be a prompt
		m.prompt, m.tools, m.inPrompt, m.own = m.prompt+1, 0, 0, ""
		if m.names != byEvent {
			m.spent = 0
		}
	case 'k': // the transcript has the person's own prompt, which it lacked
		m.own = fmt.Sprint(m.last)
	case 'd': // the ledger is deleted
		m.state = ledger.State{}
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

func (m *model) stop() error {
	clock := time.Unix(m.now+m.offset, 0)
	witness := Witness{Times: m.witness[max(0, len(m.witness)-64):], All: len(m.witness), InPrompt: m.inPrompt, InOwn: m.inOwn}
	if m.names == byEvent { // whose transcript names the person's own prompts, too
		witness.InPrompt = m.inOwn
	}
	limits := Defaults()
	if m.low {
		limits.Burst = 0
	}
	var veto Veto
	prompt, own := m.promptOf()
	m.state, _, veto = SpendContinue(m.state, limits, Count{
		Prompt: prompt, Own: own, Seen: fmt.Sprint(m.text, m.tools), Tools: m.tools, Witness: witness, Now: clock,
	})
	if veto.Rule != "" {
		return nil
	}
	m.witness = append(m.witness, clock.UnixMilli())
	m.inPrompt++
	m.inOwn++
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
	return nil
}

var orders = flag.Int("orders", 7, "the length up to which TestModelExhaustively tries every order; 8 are 43 million")

// All orders of a few steps.
func TestModelExhaustively(t *testing.T) {
	var depth, runs int
	var path []byte
	var explore func(m model, at int) error
	explore = func(m model, at int) error {
		if at == depth {
			runs++
			return nil
		}
		for i := range len(actions) {
			next := m
			// Slices are shared between branches: clip them, so that each branch appends to its own copy.
			next.witness = m.witness[:len(m.witness):len(m.witness)]
			next.granted = m.granted[:len(m.granted):len(m.granted)]
			path[at] = actions[i]
			if err := next.step(actions[i]); err != nil {
				return fmt.Errorf("%s: %w", path[:at+1], err)
			}
			if err := explore(next, at+1); err != nil {
				return err
			}
		}
		return nil
	}
	want := 0
	for names, length := range map[naming]int{byBoth: *orders, byLog: *orders - 2, byEvent: *orders - 2} {
		depth, path = length, make([]byte, length)
		scratch.Equal(t, explore(model{now: 1_000_000, names: names}, 0), nil, names)
		all := 1
		for range depth {
			all *= len(actions)
		}
		want += all
	}
	scratch.Equal(t, runs, want, "orders explored")
}

// A model that never finishes, on hosts that never end a turn: it always says something
// new, and calls a tool when that helps. Ours alone ends it, whatever names prompts.
func TestAModelThatNeverFinishesIsEnded(t *testing.T) {
	for _, names := range []naming{byBoth, byLog, byEvent} {
		for _, path := range []string{"s", "t", "T", "sm", "Tm", "Tw", "sw", "Tws", "Tmmmmmm"} {
			m := model{now: 1_000_000, names: names}
			for _, action := range "P" + strings.Repeat(path, 500) {
				scratch.Must(t, m.step(byte(action)), names, path)
			}
			if n := len(m.granted); n > 20 || n == 0 {
				t.Errorf("%d, %s: %d continues for a prompt", names, path, n)
			}
		}
	}
}

// Random orders beyond that, long enough to meet the limit per prompt.
func TestModelAtRandom(t *testing.T) {
	most, hour := 0, 0
	for seed := range uint64(3000) {
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
			path = append(path, action)
			scratch.Must(t, m.step(action), "seed", seed, path)
			most = max(most, m.spent)
			if n := len(m.granted); n >= 60 && m.now-m.granted[n-60] < 3600 {
				hour++
			}
		}
	}
	scratch.FailIf(t, hour == 0, "no hour got 60 continues: the limit was never met")
	scratch.FailIf(t, most < 20, "no prompt got more than %d continues: the limit was never met", most)
}
