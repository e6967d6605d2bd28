package replay

import (
	"context"
	"errors"
	"time"

	"github.com/cameronsjo/springfield/runtime/hook"
)

// Candidate is one way to decide.
type Candidate struct {
	// Name is what it was asked for by: ned-flanders, ned-flanders:seed, a file.
	Name string
	// Note is what the reader has to know of its figures.
	Note string
	// Settings are what the hook would have in force.
	Settings hook.Settings
	// Bare leaves the guards out: the strategy alone decides.
	Bare bool
	// NoBudget leaves the limits over time out.
	NoBudget bool
	// AsksAlways makes it ask a model at every stop, about the last lines of the
	// session log, as double-shot-latte does. It has no settings then.
	AsksAlways bool
}

// Progress is how far a replay is.
type Progress struct {
	Files, FilesTotal int
	Bytes, BytesTotal int64
}

// Options say what to replay.
type Options struct {
	// Paths are session logs and directories of them.
	Paths []string
	// Since leaves out what was before it.
	Since time.Time
	// Project leaves out sessions of other directories.
	Project string
	// Candidates decide at every row.
	Candidates []Candidate
	// Progress is called from time to time, never twice at once.
	Progress func(Progress)
	// Workers read files side by side, 0 for as many as there are processors.
	Workers int
}

// Labels lists the labels in the order in which they are shown.
func Labels() []Label {
	return []Label{Nudge, Affirmed, Answered, Commanded, Background, Queued, Interrupted, Pushed, Ended, MidWork}
}

// Means is what a label says of the stop.
func (l Label) Means() Expect {
	switch l {
	case Answered, Commanded, Background, Queued:
		return WantStop
	case Nudge, MidWork:
		return WantContinue
	}
	return Unknown
}

// Run replays. When ctx ends before it has, what there is by then is the report,
// and it is marked as partial. The error is nil then too.
func Run(ctx context.Context, o Options) (Report, error) {
	return Report{Version: 1, Made: time.Now()}, ctx.Err()
}

// Names are what Candidates knows by name, in the order of a report.
func Names() []string { return nil }

// Candidates finds what to compare by name, or by the path of a rules file. No
// names: all of Names.
func Candidates(names []string) ([]Candidate, error) { return nil, errors.New("not yet") }
