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

// Situation is what a strategy may look at: a session as the hook found it.
type Situation struct {
	// Text is the last thing Claude said: the event's own text, else the newest
	// of the transcript.
	Text string
	// LastTool names the last tool called, "" if none was.
	LastTool string
	// Asked is the tool that asks the user, AskUserQuestion or ExitPlanMode,
	// when that is what the turn ended with.
	Asked string
	// Todos is the todo list, replayed over the whole session.
	Todos []Todo
	// TodosTurns is how many turns ago it changed; 0: in this one.
	TodosTurns int
	// Skill is the skill in use, "" if none is; SkillTurns how many turns ago it
	// was taken up.
	Skill      string
	SkillTurns int
	// Window is what the last lines of the transcript alone say, for the rules of
	// the first design. Only strategies that ask for lines get it.
	Window Window
}

// Window is what the last lines of the transcript say.
type Window struct {
	LastTool string
	Todos    []Todo
}

// Todo is one entry of the model's todo list.
type Todo struct {
	Content string
	Status  string // pending, in_progress or completed
	Owner   string // an agent that has taken it, "" for nobody
	Blocked bool   // waits for another entry
}

// Verdict is a decision and why it was taken.
type Verdict struct {
	Decision Decision
	Rule     string // id of the rule that decided
	Sure     int    // how sure it is, in percent
	Evidence string // the words or the fact it decided on, short
	Reason   string // to the model when it continues: what remains, what next
	Faults   []error
}

// Config is what a plugin's strategy.json chooses.
type Config struct {
	Strategy string   `json:"strategy"`
	Rules    string   `json:"rules,omitempty"` // name of a built-in rule set
	Add      []Rule   `json:"add,omitempty"`   // asked before the built-in rules
	Off      []string `json:"off,omitempty"`   // ids of rules to leave out
	Order    []string `json:"order,omitempty"` // ids of rules to ask first, in this order
	// Last are rules asked after all others. No file sets them: this is where
	// the continuing rules of a project go, which must not outvote a stop.
	Last []Rule `json:"-"`
}

// Strategy is one way of deciding.
type Strategy struct {
	Name string
	// Lines is how many lines of the transcript's end it reads besides the
	// situation, 0 for none.
	Lines func(Config) int
	// Mend returns the configuration without what is wrong with it, and the
	// faults.
	Mend func(Config) (Config, []error)
	// Rules are the rules in the order in which they are asked, for explaining.
	Rules func(Config) []Rule
	// Decide takes the decision.
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
