// Package guard holds what every strategy inherits: the situations in which
// nobody is asked, and the budget nobody can talk away.
package guard

// Moment is what the event itself says about the stop.
type Moment struct {
	PermissionMode string
	Crons          int          // scheduled wake-ups of the session
	Tasks          []Background // work that runs in the background
}

// Background is one task of the session that still runs.
type Background struct {
	Type        string // shell, subagent, monitor, …
	Description string
}

// Veto is a stop without asking the strategy. The zero Veto is none.
type Veto struct{ Rule, Evidence string }

// Before looks at the event alone: whoever plans or waits is not done and must
// not be pushed. Shell tasks do not count here, because a development server
// runs all day; see Waiting.
func Before(m Moment) Veto {
	if m.PermissionMode == "plan" {
		return Veto{"plan-mode", "permission mode is plan"}
	}
	if m.Crons > 0 {
		return Veto{"scheduled", "a scheduled prompt will wake Claude"}
	}
	for _, t := range m.Tasks {
		if t.Type != "shell" {
			return Veto{"background", t.Type + " in the background: " + t.Description}
		}
	}
	return Veto{}
}

// Waiting looks at shell tasks: one that this turn started will wake Claude
// when it ends.
func Waiting(m Moment, startedNow bool) Veto {
	if !startedNow {
		return Veto{}
	}
	for _, t := range m.Tasks {
		if t.Type == "shell" {
			return Veto{"background", "shell command in the background: " + t.Description}
		}
	}
	return Veto{}
}
