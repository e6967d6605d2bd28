package strategy

import (
	"strconv"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
)

// Options are the settings for a strategy. Each file is decoded to a new value, and these are then overlaid.
type Options interface {
	// Object lists the members in strategy.json for this strategy.
	codec.Object
	// Over overlays one file's settings on the settings below, which have the same type. A value that the
	// writer may not set is dropped and recorded as a fault.
	Over(below Options, l *Layer)
	Needs() Needs
	Decide(Situation) Verdict
}

// Needs are parts of a Situation that are only read if needed.
type Needs struct {
	Todos, Skill, Plans, Memories bool
	Calls                         bool // commands and results of the turn's calls, also of the last one
	// Lines is the number of lines to read from the transcript's end.
	Lines int
	// Files returns the files to read in the workspace. It is called again with the files read so far until
	// it names no new ones, up to eight times.
	Files func(Situation) []WantedFile
}

// Writer is the writer of a settings file.
type Writer int

// A project's files can come from people whom the user does not trust.
const (
	Author  Writer = iota // of the plugin
	User                  // of this machine
	Project               // anyone
)

// Layer is one settings file, overlaid on the files below.
type Layer struct {
	By       Writer
	Strategy string // its name
	// IsAbs reports whether a path is absolute on this machine.
	IsAbs  func(path string) bool
	Faults []string
}

func (l *Layer) NoteFault(text string) { l.Faults = append(l.Faults, text) }

// Number is a setting from 1 to Most. Any file can lower it, only the user's own can raise it.
type Number struct {
	Name        string
	Value, Most int
	Unit        string // printed after Most, like " minutes"
	// Raised lets the plugin's file also raise the number. A project's attempt is then ignored without a fault.
	Raised bool
	set    int // by the current file, 0: not set
}

// Member lists n.Name for m. Reading does not change Value before PutOver.
func (n *Number) Member(m *codec.Coder) { codec.Number(m, n.Name, &n.set) }

// PutOver replaces n with below, the setting from the files below, and sets Value to the number read by Member, if
// valid and l.By may set it. Otherwise, it records a fault in l, or ignores the number (see Raised).
func (n *Number) PutOver(below Number, l *Layer) {
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

// Ceiling returns the setting that limits the rounds in a loop's file, byDefault until a layer sets it.
func Ceiling(byDefault int) (ofRounds Number) {
	return Number{Name: "ceiling", Value: byDefault, Most: activity.MostIterations}
}

// Looping is implemented by the options of a strategy whose loop sets a maximum, so that the budget does not
// count rounds.
type Looping interface {
	MaxIterations() int
}
