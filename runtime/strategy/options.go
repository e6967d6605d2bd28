// Options: what the files of settings choose. Each strategy has a type of its own for
// them. It lists its members of strategy.json, and says what a layer may change; the
// hook decodes the files, strictly, and puts them over one another.

package strategy

import (
	"strconv"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
)

// Options are what is in force for a strategy.
type Options interface {
	// Object are the members that strategy.json can have for the strategy beside those that
	// it has for all.
	codec.Object
	// Over puts what one file has set over what is in force below it, which has the
	// same type. What its writer may not set is not in force, and a fault.
	Over(below Options, l *Layer)
	// Needs are what it reads of a stop.
	Needs() Needs
	// Decide takes the decision.
	Decide(Situation) Verdict
}

// Needs are the parts of a situation that a strategy reads beside the message, the
// turn and the session. It gets no others.
type Needs struct {
	Todos, Skill, Plans, Memories bool
	// Lines is how many lines of the transcript's end it reads, 0 for none. Word is
	// what it looks for in them, if that is all it looks for.
	Lines int
	Word  string
	// Files names files of the workspace to read before the decision. It is asked
	// again with what was read until it names nothing new, at most eight times.
	Files func(Situation) []Want
}

// Writer is the one who has written a file of settings.
type Writer int

// A layer may say what its writer may: a project may belong to people whom the user
// does not trust.
const (
	Author  Writer = iota // of the plugin
	User                  // whose machine it is
	Project               // anyone
)

// Layer is one file of settings, put over those below it.
type Layer struct {
	By       Writer
	Strategy string // its name
	// IsAbs tells an absolute path on this machine.
	IsAbs  func(path string) bool
	Faults []string
}

func (l *Layer) NoteFault(says string) { l.Faults = append(l.Faults, says) }

// Number is a member that is a whole number from 1 to Most. Everyone can set it lower
// than what is in force below, only the user's own file higher.
type Number struct {
	Name        string
	Value, Most int
	Unit        string // behind Most, like " minutes"
	// Raised tells that the plugin's file can set it higher, too; a project's that does is
	// no fault.
	Raised bool
	set    int // by the file at hand, 0: it has none
}

// Member is a file's number.
func (n *Number) Member(m *codec.Members) { codec.Number(m, n.Name, &n.set) }

// OverlayNumber puts the number of a file over the one below.
func (n *Number) OverlayNumber(below Number, l *Layer) {
	set := n.set
	*n = below
	switch {
	case set == 0:
	case set < 0 || set > n.Most:
		l.NoteFault(n.Name + ": must be from 1 to " + strconv.Itoa(n.Most) + n.Unit)
	case set > n.Value && n.Raised && l.By == Project:
	case set > n.Value && !n.Raised && l.By != User:
		l.NoteFault(n.Name + ": only your own file can raise it")
	default:
		n.Value = set
	}
}

// Ceiling is the most rounds that a loop's own file may ask for, so many as long as no
// file of settings says another number.
func Ceiling(rounds int) Number {
	return Number{Name: "ceiling", Value: rounds, Most: activity.MostIterations}
}

// Looping are options of a strategy whose loop has a maximum of its own: the budget
// does not count its rounds.
type Looping interface {
	MaxIterations() int
}
