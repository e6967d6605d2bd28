// The budget: how often a session may be continued. It is counted in our own
// ledger, because stop_hook_active is one sticky bit that says little and can
// be wrong.

package guard

import (
	"strconv"
	"time"

	"github.com/cameronsjo/springfield/runtime/ledger"
)

const (
	// Burst is how many continues any window of time may hold.
	Burst = 3
	// Window is that span of time.
	Window = 5 * time.Minute
	// PerPrompt is how many continues one prompt of the user may get.
	PerPrompt = 20
)

// Spend takes one continue from the budget, if there is one left. It returns
// the state to remember and what is left after it; a Veto says which limit was
// reached. The state is to be remembered either way.
//
// A clock that was set back makes earlier continues lie in the future. They
// count as just now, so that a changed clock never buys another continue and
// never locks a session for longer than the window.
func Spend(s ledger.State, prompt string, now time.Time) (ledger.State, Left, Veto) {
	t := now.UnixMilli()
	recent := 0
	times := make([]int64, 0, Burst)
	for _, at := range s.Continues {
		at = min(at, t)
		times = append(times, at)
		if t-at < Window.Milliseconds() {
			recent++
		}
	}
	s.Continues = times[max(0, len(times)-Burst):]
	if s.Prompt != prompt {
		s.Prompt, s.InPrompt = prompt, 0
	}

	if recent >= Burst {
		return s, Left{}, Veto{"budget", strconv.Itoa(recent) + " continues within 5 minutes"}
	}
	if s.InPrompt >= PerPrompt {
		return s, Left{}, Veto{"budget", strconv.Itoa(s.InPrompt) + " continues for this prompt"}
	}
	times = append(times, t)
	s.Continues = times[max(0, len(times)-Burst):]
	s.InPrompt++
	return s, Left{Burst: Burst - recent - 1, Prompt: PerPrompt - s.InPrompt}, Veto{}
}

// Left is what remains of the budget.
type Left struct {
	Burst  int // in the current window
	Prompt int // for the current prompt
}
