// The budget: how often a session may be continued. It is counted in our own
// ledger, because stop_hook_active is one sticky bit that says little and can
// be wrong.

package guard

import (
	"slices"
	"sort"
	"strconv"
	"time"

	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/timestamp"
)

// Limits are what a session may spend. Settings can change them; a project's
// file only downwards.
type Limits struct {
	Burst     int // continues within Window, since the user's own last prompt
	PerPrompt int // continues for one prompt of the user
	PerHour   int // continues within an hour, whatever the user prompts
	Same      int // continues in a row without any progress
	Idle      int // continues in a row without a tool call
}

// Window is the span of time that Burst is about.
const Window = 5 * time.Minute

// MaxHour is the most that PerHour can be. MaxSession is how often a session is continued within
// an hour by all paths together: what counts for PerHour, and the rounds of loops, which do not.
// Only what the user has typed at a terminal for a loop stands above it, for that loop.
const (
	MaxHour    = 200
	MaxSession = 240
)

// Defaults are the limits where nothing else is said. Idle stays below the
// eight after which Claude Code ends the turn.
func Defaults() Limits { return Limits{Burst: 3, PerPrompt: 20, PerHour: 60, Same: 2, Idle: 7} }

// Count is what the budget counts by.
type Count struct {
	// Prompt is the user's prompt that the stop belongs to.
	Prompt string
	// Own is the user's own last prompt, if Claude Code itself says that the stop belongs
	// to it; else "". A new one begins a new burst.
	Own string
	// Seen is the text, the todos and the tools of the session so far: equal to the
	// one before when nothing has happened. Tools counts the tool calls so far.
	Seen  string
	Tools int
	// Witness is what the transcript has of our continues.
	Witness
	Now time.Time
}

// Witness is what a transcript has of our continues. It counts where it has more of them
// than the ledger: some of the ledger has gone missing then.
type Witness struct {
	Times    []int64 // of the newest, Unix milliseconds
	All      int     // all of them, also those of loops
	InPrompt int     // since the prompt
	InOwn    int     // since the user's own last prompt
}

// SpendContinue takes one continue from the budget, if there is one left. It returns
// the state to remember and what is left after it; a Veto says which limit was
// reached. The state is to be remembered either way.
//
// The time is one that counts, see ledger.Clock. Continues that lie in its future count as just
// now, so that a changed clock never buys another one.
func SpendContinue(s ledger.State, l Limits, stop Count) (ledger.State, ledger.Left, Veto) {
	t := stop.Now.UnixMilli()
	s = MeetPrompt(s, stop.Prompt, stop.Own)
	recent := countWithin(clampTimes(s.Continues, t), t, Window)
	if stop.All > s.Known {
		s.InPrompt, s.InOwn = max(s.InPrompt, stop.InPrompt), max(s.InOwn, stop.InOwn)
		recent = max(recent, countWithin(clampTimes(stop.Times, t), t, Window))
	}
	s = keepHour(s, stop)
	hour := len(s.Continues)
	if s.Own != "" { // else no prompt is known to be the user's, and all count
		recent = min(recent, s.InOwn)
	}

	same, idle := s.Same, s.Idle
	if s.Seen != stop.Seen {
		same = 0
	}
	if s.Tools != stop.Tools {
		idle = 0
	}
	veto := l.limitReached(s, stop, recent, same, idle)
	if veto.Rule != "" {
		return s, ledger.Left{}, veto
	}
	s.Continues = append(s.Continues, t)
	s.InPrompt++
	s.InOwn++
	s.Known++
	s.Seen, s.Same = stop.Seen, same+1
	s.Tools, s.Idle = stop.Tools, idle+1
	return s, ledger.Left{Burst: l.Burst - recent - 1, Prompt: l.PerPrompt - s.InPrompt, Hour: l.PerHour - hour - 1}, Veto{}
}

// MeetPrompt returns a state at a stop that belongs to a prompt: one of the user's own, if that is
// known.
func MeetPrompt(s ledger.State, prompt, own string) ledger.State {
	if s.Prompt != prompt {
		s.Prompt, s.InPrompt, s.Same, s.Idle, s.Seen = prompt, 0, 0, 0, ""
	}
	if own == "" || own == s.Own {
		return s
	}
	if s.Own != "" {
		s.InOwn, s.InLoops = 0, 0
	} else { // it may have begun before the transcript had it, or before ledgers had InOwn
		s.InOwn = max(s.InOwn, s.InPrompt)
	}
	s.Own = own
	return s
}

// keepHour is a state with the continues of the last hour alone, those of the transcript where it
// has more of them.
func keepHour(s ledger.State, stop Count) ledger.State {
	t := stop.Now.UnixMilli()
	s.Continues, s.Rounds = clampTimes(s.Continues, t), clampTimes(s.Rounds, t)
	if seen := clampTimes(stop.Times, t); stop.All > s.Known && len(seen) > len(s.Continues)+len(s.Rounds) {
		s.Continues, s.Rounds = seen, nil
	}
	return s
}

// sayContinue is true of a limit that the user's next prompt resets.
const sayContinue = "type continue"

// limitReached tells which limit is reached, if any: recent are the continues of the burst, same and
// idle those in a row that brought no progress, or no tool call. That of an hour comes first: no prompt
// resets it.
func (l Limits) limitReached(s ledger.State, stop Count, recent, same, idle int) Veto {
	next := "" // of what a prompt resets, if prompts have names
	if stop.Prompt != "" {
		next = sayContinue
	}
	if veto := hourSpent(s, MaxSession, stop.Now); veto.Rule != "" {
		return veto
	}
	switch {
	case len(s.Continues) >= l.PerHour:
		return vetoOfLimit("hour", l.PerHour, len(s.Continues), "in an hour", timeUntilFree(s.Continues, l.PerHour, stop.Now, time.Hour))
	case recent >= l.Burst:
		if s.Own == "" {
			next = timeUntilFree(s.Continues, l.Burst, stop.Now, Window)
		}
		return vetoOfLimit("burst", l.Burst, recent, "in 5 minutes", next)
	case s.InPrompt >= l.PerPrompt:
		return vetoOfLimit("prompt", l.PerPrompt, s.InPrompt, "for this prompt", next)
	case same >= l.Same:
		return Veto{Rule: "stagnation", Evidence: "kept going " + times(same) + " without progress" + toLook, Next: sayContinue}
	case idle >= l.Idle:
		return Veto{Rule: "idle", Evidence: "kept going " + times(idle) + " in a row without a tool call" + toLook, Next: next}
	}
	return Veto{}
}

// toLook is why a limit is there.
const toLook = " and is stopping so that you can look"

// vetoOfLimit is the veto of a limit that settings can change. One of 0 is no matter of waiting.
func vetoOfLimit(limit string, most, spent int, within, next string) Veto {
	if most <= 0 {
		return Veto{Rule: "budget", Evidence: "may not keep going: budget." + limit + " is 0", Limit: limit}
	}
	return Veto{Rule: "budget", Evidence: "kept going " + times(spent) + " " + within + toLook, Next: next, Limit: limit}
}

// timeUntilFree says when fewer than most of the newest times lie within a span.
func timeUntilFree(times []int64, most int, now time.Time, span time.Duration) string {
	if most <= 0 || most > len(times) {
		return ""
	}
	return "it can go on by itself again in " + timestamp.LengthInWords(times[len(times)-most]+span.Milliseconds()-now.UnixMilli())
}

// chain is how many loops of the greatest length a prompt of the user's own may bring, or the
// session where none is known to be.
const chain = 4

// TakeRound takes one round of a loop whose greatest length is most, or what the user has typed for
// it, 0 for nothing. A loop counts its own rounds, by a name that a file can change; this counts
// those of all.
func TakeRound(s ledger.State, stop Count, most, typed int) (ledger.State, Veto) {
	s = keepHour(MeetPrompt(s, stop.Prompt, stop.Own), stop)
	if typed == 0 && s.InLoops >= chain*most {
		return s, Veto{Rule: "rounds", Evidence: "kept going " + times(s.InLoops) + " by loops since your last prompt, and one loop may have " + strconv.Itoa(most), Next: sayContinue}
	}
	if veto := hourSpent(s, max(MaxSession, typed), stop.Now); veto.Rule != "" {
		return s, veto
	}
	if typed == 0 {
		s.InLoops++
	}
	s.Rounds = append(s.Rounds, stop.Now.UnixMilli())
	s.Known++
	return s, Veto{}
}

// hourSpent tells whether the session has had so many continues within the hour, loops' included.
func hourSpent(s ledger.State, most int, now time.Time) Veto {
	all := slices.Concat(s.Continues, s.Rounds)
	if len(all) < most {
		return Veto{}
	}
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] }) // not of slices, which makes the hook larger
	return Veto{Rule: "budget", Evidence: "kept going " + times(len(all)) + " in an hour, loops included," + toLook, Next: timeUntilFree(all, most, now, time.Hour)}
}

// clampTimes copies the times of the last hour, none of them later than now.
func clampTimes(times []int64, now int64) (clamped []int64) {
	for _, at := range times {
		if at = min(at, now); now-at < time.Hour.Milliseconds() {
			clamped = append(clamped, at)
		}
	}
	return clamped
}

func countWithin(times []int64, now int64, span time.Duration) (n int) {
	for _, at := range times {
		if now-at < span.Milliseconds() {
			n++
		}
	}
	return n
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}
