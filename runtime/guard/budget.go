// The budget of continues per session. The ledger counts them, because stop_hook_active can be wrong.

package guard

import (
	"slices"
	"sort"
	"strconv"
	"time"

	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/timestamp"
)

// Limits bound the continues of a session. Settings can change them, but a project can only lower them.
type Limits struct {
	Burst     int // continues within Window, from the user's last prompt
	PerPrompt int // per prompt of the user
	PerHour   int // within an hour
	Same      int // consecutive, no progress
	Idle      int // consecutive, no tool call
}

// Window is the time span of Burst.
const Window = 5 * time.Minute

const (
	// MaxHour is the most for PerHour.
	MaxHour = 200
	// MaxSession limits the continues of a session within an hour, including loops, which PerHour ignores.
	// Only a maximum for a loop that the user typed at a terminal overrides it.
	MaxSession = 240
)

// Defaults are the default limits. Idle is below Claude Code's limit of eight continues in a row with no tool call.
var Defaults = Limits{Burst: 3, PerPrompt: 20, PerHour: 60, Same: 2, Idle: 7}

// Count is the input of the budget.
type Count struct {
	Prompt string
	// Own is the user's last prompt, if Claude Code confirms that the stop belongs to it, or "". A new one
	// starts a new burst.
	Own string
	// Seen is a hash of the session's text, todos and tools, which changes with any progress. Tools is the
	// number of tool calls so far.
	Seen  string
	Tools int
	Witness
	Now time.Time
}

// Witness counts our continues in the transcript. If it exceeds the ledger's count, the ledger lost some, and
// Witness is used.
type Witness struct {
	Times    []int64 // of the last, Unix milliseconds
	All      int     // including those of loops
	InPrompt int     // since the prompt
	InOwn    int     // from the user's last prompt
}

// SpendContinue returns the new state, which callers must always store, and the remaining budget or a veto. count.Now
// is from a ledger.Clock. Continues later than count.Now count as just now.
func SpendContinue(s ledger.State, l Limits, count Count) (toStore ledger.State, _ ledger.Left, _ Veto) {
	t := count.Now.UnixMilli()
	s = MeetPrompt(s, count.Prompt, count.Own)
	recent := len(timesWithin(s.Continues, t, Window))
	if count.All > s.Known {
		s.InPrompt, s.InOwn = max(s.InPrompt, count.InPrompt), max(s.InOwn, count.InOwn)
		recent = max(recent, len(timesWithin(count.Times, t, Window)))
	}
	s = trimToHour(s, count)
	hour := len(s.Continues)
	if s.Own != "" { // otherwise all count
		recent = min(recent, s.InOwn)
	}

	same, idle := s.Same, s.Idle
	if s.Seen != count.Seen {
		same = 0
	}
	if s.Tools != count.Tools {
		idle = 0
	}
	if veto := l.limitReached(s, count, recent, same, idle); veto.Rule != "" {
		return s, ledger.Left{}, veto
	}
	s.Continues = append(s.Continues, t)
	s.InPrompt++
	s.InOwn++
	s.Known++
	s.Seen, s.Same = count.Seen, same+1
	s.Tools, s.Idle = count.Tools, idle+1
	left := ledger.Left{Burst: l.Burst - recent - 1, Prompt: l.PerPrompt - s.InPrompt, Hour: l.PerHour - hour - 1}
	return s, left, Veto{}
}

// MeetPrompt returns s with counts reset. A different prompt, even "", resets per-prompt counts. typed is the user's
// last prompt ID, or "". A new typed resets the counts since that prompt, unless none was known before.
func MeetPrompt(s ledger.State, prompt, typed string) ledger.State {
	if s.Prompt != prompt {
		s.Prompt, s.InPrompt, s.Same, s.Idle, s.Seen = prompt, 0, 0, 0, ""
	}
	if typed == "" || typed == s.Own {
		return s
	}
	if s.Own != "" {
		s.InOwn, s.InLoops = 0, 0
	} else { // the transcript may have lagged, and older ledgers have no InOwn
		s.InOwn = max(s.InOwn, s.InPrompt)
	}
	s.Own = typed
	return s
}

// trimToHour reduces s to the last hour's continues and rounds. It uses the transcript's continues if s has lost some.
func trimToHour(s ledger.State, count Count) ledger.State {
	t := count.Now.UnixMilli()
	s.Continues, s.Rounds = timesWithin(s.Continues, t, time.Hour), timesWithin(s.Rounds, t, time.Hour)
	if seen := timesWithin(count.Times, t, time.Hour); count.All > s.Known && len(seen) > len(s.Continues)+len(s.Rounds) {
		s.Continues, s.Rounds = seen, nil
	}
	return s
}

// sayContinue is the advice for limits that the user's next prompt resets.
const sayContinue = "type continue"

// limitReached returns a veto if a limit is reached. s is from trimToHour. recent counts the burst's continues, same
// those in a row with no progress, idle those in a row with no tool call.
func (l Limits) limitReached(s ledger.State, count Count, recent, same, idle int) Veto {
	next := "" // if prompts are known
	if count.Prompt != "" {
		next = sayContinue
	}
	switch {
	case len(s.Continues)+len(s.Rounds) >= MaxSession:
		return newHourVeto(s, MaxSession, count.Now)
	case len(s.Continues) >= l.PerHour:
		next = sayWhenFree(s.Continues, l.PerHour, count.Now, time.Hour)
		return newLimitVeto("hour", l.PerHour, len(s.Continues), "in an hour", next)
	case recent >= l.Burst:
		if s.Own == "" {
			next = sayWhenFree(s.Continues, l.Burst, count.Now, Window)
		}
		return newLimitVeto("burst", l.Burst, recent, "in 5 minutes", next)
	case s.InPrompt >= l.PerPrompt:
		return newLimitVeto("prompt", l.PerPrompt, s.InPrompt, "for this prompt", next)
	case same >= l.Same:
		return vetoOfCount("stagnation", same, "without progress", sayContinue)
	case idle >= l.Idle:
		return vetoOfCount("idle", idle, "in a row without a tool call", next)
	}
	return Veto{}
}

func vetoOfCount(rule string, times int, how, next string) Veto {
	evidence := "kept going " + timesText(times) + " " + how + " and is stopping so that you can look"
	return Veto{Rule: rule, Evidence: evidence, Next: next}
}

// newLimitVeto returns the veto for a configurable limit. setting is its name in budget. If most is 0, next is omitted.
func newLimitVeto(setting string, most, spent int, phrase, next string) Veto {
	if most <= 0 {
		return Veto{Rule: "budget", Evidence: "may not keep going: budget." + setting + " is 0", Limit: setting}
	}
	veto := vetoOfCount("budget", spent, phrase, next)
	veto.Limit = setting
	return veto
}

// sayWhenFree says when fewer than most of times will be within span. times are ascending, the last most of them within
// span. It returns "" if there are fewer, or if most is 0.
func sayWhenFree(times []int64, most int, now time.Time, span time.Duration) string {
	if most <= 0 || most > len(times) {
		return ""
	}
	free := times[len(times)-most] + span.Milliseconds()
	return "it can go on by itself again in " + timestamp.LengthInWords(free-now.UnixMilli())
}

const chain = 4 // loops of maximum length for each prompt of the user

// TakeRound spends a loop's round. It returns a veto if all loops together had too many rounds since the user's last
// prompt, or the session too many continues and rounds in an hour. ceiling is the settings' maximum per loop, typedOr0
// the user's own or 0.
func TakeRound(s ledger.State, count Count, ceiling, typedOr0 int) (ledger.State, Veto) {
	s = trimToHour(MeetPrompt(s, count.Prompt, count.Own), count)
	if typedOr0 == 0 && s.InLoops >= chain*ceiling {
		evidence := "kept going " + timesText(s.InLoops) + " by loops since your last prompt, and one loop may have " +
			strconv.Itoa(ceiling)
		return s, Veto{Rule: "rounds", Evidence: evidence, Next: sayContinue}
	}
	if most := max(MaxSession, typedOr0); len(s.Continues)+len(s.Rounds) >= most {
		return s, newHourVeto(s, most, count.Now)
	}
	if typedOr0 == 0 {
		s.InLoops++
	}
	s.Rounds = append(s.Rounds, count.Now.UnixMilli())
	s.Known++
	return s, Veto{}
}

func newHourVeto(s ledger.State, most int, now time.Time) Veto {
	all := slices.Concat(s.Continues, s.Rounds)
	sort.SliceStable(all, func(i, j int) bool { return all[i] < all[j] }) // package slices would make the hook larger
	return vetoOfCount("budget", len(all), "in an hour, loops included,", sayWhenFree(all, most, now, time.Hour))
}

func timesWithin(times []int64, nowMillis int64, span time.Duration) (clamped []int64) {
	for _, at := range times {
		if at = min(at, nowMillis); nowMillis-at < span.Milliseconds() {
			clamped = append(clamped, at)
		}
	}
	return clamped
}

func timesText(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}
