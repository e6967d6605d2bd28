// The real stops: what came after each, and how many of each a strategy would have continued.

package replay

import (
	"fmt"
	"strconv"

	"github.com/cameronsjo/springfield/internal/layout"
)

// Stops counts real stops by what came after them.
type Stops struct {
	N           int `json:"n"`
	Continue    int `json:"continue"`    // only "continue" or the like
	Yes         int `json:"yes"`         // only a yes
	New         int `json:"new"`         // something else: words, a command, a prompt typed before
	Background  int `json:"background"`  // news of work in the background, which the agent waited for
	Ended       int `json:"ended"`       // nothing
	Interrupted int `json:"interrupted"` // a person broke in, so no Stop hook ran
	Pushed      int `json:"pushed"`      // a Stop hook had the agent go on
}

func (s *Stops) countLabel(l Label) {
	n := map[Label]*int{
		Nudge: &s.Continue, Affirmed: &s.Yes, Answered: &s.New, Commanded: &s.New, Queued: &s.New,
		Background: &s.Background, Ended: &s.Ended, Interrupted: &s.Interrupted, Pushed: &s.Pushed,
	}[l]
	if n != nil { // mid-work is no stop
		*n++
		s.N++
	}
}

// kind is one of the numbers, and the words behind it, as in "4 of the 5 with a yes".
type kind struct {
	words string
	n     int
}

func (s Stops) kinds() []kind {
	return []kind{
		{"with “continue”", s.Continue}, {"with a yes", s.Yes}, {"with something new", s.New},
		{"that waited for background work", s.Background}, {"after which nothing came", s.Ended},
		{"where you broke in", s.Interrupted}, {"from which a hook went on", s.Pushed},
	}
}

// SayStops says what came after the stops.
func (r Report) SayStops() string {
	s := r.Stops
	said := layout.CountOf(s.N, "stop") + " in " + layout.CountOf(r.Sessions, "session")
	if s.N == 0 {
		return said
	}
	said += fmt.Sprintf(": you answered %d with “continue”, %d with a yes, %d with something new; "+
		"%d waited for background work, after %d nothing came", s.Continue, s.Yes, s.New, s.Background, s.Ended)
	if broken := s.Interrupted + s.Pushed; broken > 0 {
		said += fmt.Sprintf(", at %d you broke in or a hook went on", broken)
	}
	return said
}

// SayContinued says for each strategy that decides which of the stops it would have continued,
// and what an away order would have made of the others.
func (r Report) SayContinued() (said []string) {
	for _, s := range r.Scores {
		if r.Stops.N > 0 {
			said = append(said, s.Name+" would have continued "+s.sayContinued(r.Stops))
		}
	}
	return said
}

func (s Score) sayContinued(stops Stops) string {
	said, rest, all := []string{}, stops.N, stops.kinds()
	for i, k := range s.Continued.kinds() {
		if k.n > 0 || i == 0 && all[0].n > 0 { // what a strategy is for is said at any rate
			said = append(said, fmt.Sprintf("%d of the %d %s", k.n, all[i].n, k.words))
			rest -= all[i].n
		}
	}
	switch {
	case s.Continued.N == 0:
		said = []string{"none of them"}
	case rest > 0:
		said = append(said, "none of the rest")
	}
	away := "; away would have answered " + layout.CountOf(s.Away.N, "question")
	if left := s.Away.Of - s.Away.N; left > 0 {
		away += fmt.Sprintf(" and left %d to you", left)
	}
	return joinNames(said, "and") + away
}

// SayMidWork says at how many points in mid-work each strategy would have gone on, "" without
// such points.
func (r Report) SayMidWork() string {
	points := len(r.Rows) - r.Stops.N
	if points == 0 {
		return ""
	}
	said := layout.CountOf(points, "point") + " in the middle of work (a proxy for stops that came too early)"
	lead, verb := ": ", " would have gone on"
	for _, s := range r.Scores {
		said += lead + s.Name + verb + " at " + strconv.Itoa(s.Caught.N-s.Nudges.N)
		lead, verb = ", ", ""
	}
	return said
}
