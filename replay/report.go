// Package replay runs strategies over past sessions and counts what each would
// have done: how many prompts it would have saved, how often it would have been in the
// way, what it would have asked and cost.
//
// It reads transcripts, never writes, and asks no model. Stops are found and
// labelled by what came next (find.go, label.go), every strategy decides at each
// by the code of the hook (decide.go), and a Report is made of the rows
// (score.go, verdict.go), which is its JSON; text.go shows it on a terminal, page.go as HTML.
package replay

import "time"

// Report is everything that a replay has found. It is also its JSON.
type Report struct {
	Version int       `json:"version"` // of this shape: 1
	Made    time.Time `json:"made"`
	Since   time.Time `json:"since,omitzero"` // stops before it were left out
	// Partial tells that the replay was cut short.
	Partial  bool      `json:"partial,omitempty"`
	Files    int       `json:"files"`
	Sessions int       `json:"sessions"` // that rows are of; resumed and forked ones once
	Bytes    int64     `json:"bytes"`
	Seconds  float64   `json:"seconds"` // how long the replay took
	Skipped  []Skipped `json:"skipped,omitempty"`
	// TooOld counts the stops and points that were left out because they were before
	// Since; Elsewhere the files of other projects.
	TooOld    int `json:"too_old,omitempty"`
	Elsewhere int `json:"elsewhere,omitempty"`
	// Stops are the real stops, by what came after them.
	Stops Stops `json:"stops"`
	// Labels count the rows by what came next, in the order of Labels().
	Labels []LabelCount `json:"labels"`
	// Scores are the strategies, in the order in which they were asked for.
	Scores []Score `json:"scores"`
	// Leave counts the answers to questions for leave to go on with agreed work.
	Leave Leave `json:"leave"`
	// Advice is one sentence: which strategy the user's answers speak for, if any.
	Advice string `json:"advice"`
	// Rows are all stops and mid-work points, oldest session first.
	Rows []Row `json:"rows"`
}

// Skipped is a file that was not read, or not whole.
type Skipped struct {
	File string `json:"file"`
	Why  string `json:"why"`
}

// LabelCount is how many rows have a label.
type LabelCount struct {
	Label Label  `json:"label"`
	Means Expect `json:"means"`
	N     int    `json:"n"`
}

// Label is what came after a stop.
type Label string

const (
	Nudge       Label = "nudge"       // a bare "continue": the stop was one too many
	Affirmed    Label = "affirmed"    // a bare "yes" after a question
	Answered    Label = "answered"    // an answer or a new instruction
	Commanded   Label = "command"     // a slash command
	Background  Label = "background"  // the next event came from background work: Claude was waiting
	Queued      Label = "queued"      // the next prompt had been typed before the stop
	Interrupted Label = "interrupted" // a person broke in
	Pushed      Label = "pushed"      // a Stop hook's feedback
	Ended       Label = "end"         // the file ends there
	MidWork     Label = "mid-work"    // no stop: text right before the next tool call
)

// Expect is what a label says of the stop.
type Expect string

const (
	WantStop     Expect = "stop"     // Claude was right to stop: a continue is wrong
	WantContinue Expect = "continue" // Claude should have gone on
	Unknown      Expect = "unknown"  // it does not count
)

// Row is one stop, or one point in mid-work, and what each strategy says.
type Row struct {
	File    string    `json:"file"`
	Line    int       `json:"line"` // the transcript is cut behind it; explain FILE --line shows the same
	Session string    `json:"session"`
	Host    string    `json:"host,omitempty"` // by name; none: Claude Code
	Project string    `json:"project"`        // the session's directory
	At      time.Time `json:"at,omitzero"`
	Label   Label     `json:"label"`
	Means   Expect    `json:"means"`
	// Text is the end of what Claude said, at most 1,000 bytes; Next how the person
	// went on, at most 300.
	Text string `json:"text"`
	Next string `json:"next,omitempty"`
	// Idle is how long nothing happened until then, in seconds.
	Idle float64 `json:"idle,omitempty"`
	// Situation: what the hook would have known besides the text.
	Todos    string `json:"todos,omitempty"` // "2/5 complete, 3 pending"
	Skill    string `json:"skill,omitempty"`
	LastTool string `json:"last_tool,omitempty"`
	// Leave is set at a stop that asks leave to go on with agreed work, and for no grave act.
	Leave   bool     `json:"leave,omitempty"`
	Choices []Choice `json:"choices"` // one for each of the scores, in their order
}

// Choice is what one strategy does at a row.
type Choice struct {
	Decision string `json:"decision"` // stop or continue, with guards and budgets over time
	Rule     string `json:"rule"`
	Evidence string `json:"evidence,omitempty"`
	// Alone is what the strategy says without guards and budgets, if that differs.
	Alone string `json:"alone,omitempty"`
	// Guard is the guard or the limit that made the difference.
	Guard string `json:"guard,omitempty"`
	// Away is what an away order would have made of the question at a stop: answered or left.
	Away string `json:"away,omitempty"`
	// Asks tells that a judge would be asked here; Bytes is how much it would get to
	// read, system prompt included.
	Asks  bool `json:"asks,omitempty"`
	Bytes int  `json:"bytes,omitempty"`
}

type Score struct {
	Name string `json:"name"` // as it was asked for: ned-flanders, ned-flanders:seed, a file
	Note string `json:"note,omitempty"`
	// Continued are the real stops that it would have continued; Away is how many questions at
	// the others an away order would have answered: the rest it would have left to the user.
	Continued Stops `json:"continued"`
	Away      Rate  `json:"away"`
	// Saved are the prompts that were only "continue" or a yes, and that its continues spare;
	// InTheWay its continues where the user answered with something else. Wanted are the saved
	// prompts, of both.
	Saved    Rate `json:"saved"`
	InTheWay Rate `json:"in_the_way"`
	Wanted   Rate `json:"wanted"`
	// MidWork are the points in mid-work at which it continues: a proxy, no stops.
	MidWork Rate `json:"mid_work"`
	// Asked is how often a judge would be asked, of the stops at which Stop hooks run.
	Asked   Rate    `json:"asked"`
	Bytes   int64   `json:"bytes"`   // that judges would read
	Dollars float64 `json:"dollars"` // at the published price of the default model
	// Rules count what fired.
	Rules []RuleCount `json:"rules"`
}

// Rate is a share with its 95 % interval (Wilson).
type Rate struct {
	N    int     `json:"n"`
	Of   int     `json:"of"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// RuleCount is how often a rule decided, by what the rows say of it.
type RuleCount struct {
	Rule     string `json:"rule"`
	Decision string `json:"decision"`
	Right    int    `json:"right"`
	Wrong    int    `json:"wrong"`
	Unknown  int    `json:"unknown"`
}
