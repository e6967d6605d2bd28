package replay

import (
	"fmt"

	"github.com/cameronsjo/springfield/internal/layout"
)

type Stops struct {
	N           int `json:"n"`
	Continue    int `json:"continue"`    // a bare "continue"
	Yes         int `json:"yes"`         // a bare yes
	New         int `json:"new"`         // anything else: words, a command, a prompt typed before
	Background  int `json:"background"`  // news of background work
	Ended       int `json:"ended"`       // nothing
	Interrupted int `json:"interrupted"` // by a person, so no Stop hook ran
	Pushed      int `json:"pushed"`      // a Stop hook continued
}

func (s *Stops) countLabel(l Label) {
	n := map[Label]*int{
		Nudge: &s.Continue, Affirmed: &s.Yes, Answered: &s.New, Commanded: &s.New, Queued: &s.New,
		Background: &s.Background, Ended: &s.Ended, Interrupted: &s.Interrupted, Pushed: &s.Pushed,
	}[l]
	if n != nil { // mid-work is not a stop
		*n++
		s.N++
	}
}

func (r Report) SummarizeStops() string {
	s := r.Stops
	said := layout.CountOf(s.N, "stop") + " in " + layout.CountOf(r.Sessions, "session")
	if s.N == 0 {
		return said
	}
	said += fmt.Sprintf(": you answered %d with “continue”, %d with a yes, %d with something new; "+
		"%d waited for background work, %d got no answer", s.Continue, s.Yes, s.New, s.Background, s.Ended)
	if s.Interrupted > 0 {
		said += fmt.Sprintf("; at %d, you interrupted", s.Interrupted)
	}
	if s.Pushed > 0 {
		said += fmt.Sprintf("; at %d, a hook continued", s.Pushed)
	}
	return said
}
