// Package strategy holds the decisions: one file per strategy.
//
// A strategy is pure. Everything it looks at arrives in a Situation, everything
// it wants leaves in a Verdict; it reads no file, no clock and no environment.
// That is what lets the hook, the tests and a replay over past sessions share
// it. The package imports neither os nor time, and a test keeps it so.
package strategy

// Decision says what happens to the turn.
type Decision string

const (
	Stop     Decision = "stop"     // Claude hands the turn back
	Continue Decision = "continue" // Claude goes on
)

// Situation is what a strategy may look at: the end of a session as the hook
// found it.
type Situation struct {
	// Text is the last thing Claude said: the event's own text, else the newest
	// text in the window.
	Text string
	// LastTool names the last tool called in the window, "" if none was.
	LastTool string
	// Todos is the newest todo list in the window, nil if there is none.
	Todos []Todo
}

// Todo is one entry of the model's todo list.
type Todo struct {
	Content string
	Status  string // pending, in_progress or completed
}

// Verdict is a decision and why it was taken.
type Verdict struct {
	Decision Decision
	Rule     string // id of the rule that decided
	Evidence string // the words or the fact it decided on, short
	Reason   string // to the model when it continues: what remains, what next
}

// Config is what a plugin's strategy.json chooses.
type Config struct {
	Strategy string   `json:"strategy"`
	Rules    string   `json:"rules,omitempty"` // name of a built-in rule set
	Add      []Rule   `json:"add,omitempty"`   // asked before the built-in rules
	Off      []string `json:"off,omitempty"`   // ids of built-in rules to leave out
}

// Strategy is one way of deciding.
type Strategy struct {
	Name string
	// Window is how many lines of the transcript's end it reads.
	Window int
	// Check reports what is wrong with a configuration, nil if nothing is.
	Check func(Config) error
	// Decide takes the decision. With a configuration that Check refuses it
	// decides by the strategy's own defaults.
	Decide func(Config, Situation) Verdict
}

// All lists what exists, in alphabetical order. A function, so that nothing is
// built before a decision needs it.
func All() []Strategy {
	return []Strategy{ned()}
}

// Named returns the strategy with this name.
func Named(name string) (Strategy, bool) {
	for _, s := range All() {
		if s.Name == name {
			return s, true
		}
	}
	return Strategy{}, false
}

// Names lists the names of all strategies.
func Names() []string {
	var names []string
	for _, s := range All() {
		names = append(names, s.Name)
	}
	return names
}
