// Package replay runs strategies over past sessions. It counts how many prompts they would save and how often
// they would continue against the user's wishes, and estimates the price of judges.
//
// It only reads transcripts and asks no model. Stops are labelled from the next event (find.go, label.go),
// and all strategies decide with the hook's code (decide.go). A Report is made from the rows (score.go,
// verdict.go) and shown as JSON, text (text.go) or HTML (page.go).
package replay

import "time"

// Report is the result of a replay. It can be printed as JSON.
type Report struct {
	Version int       `json:"version"` // of this shape: 1
	Made    time.Time `json:"made"`
	Since   time.Time `json:"since,omitzero"` // earlier stops were skipped
	// Partial is set after an interruption.
	Partial  bool      `json:"partial,omitempty"`
	Files    int       `json:"files"`
	Sessions int       `json:"sessions"` // with rows; resumed and forked ones once
	Bytes    int64     `json:"bytes"`
	Seconds  float64   `json:"seconds"`
	Skipped  []Skipped `json:"skipped,omitempty"`
	// TooOld counts the stops and points before Since. Elsewhere counts the files of other projects.
	TooOld    int   `json:"too_old,omitempty"`
	Elsewhere int   `json:"elsewhere,omitempty"`
	Stops     Stops `json:"stops"`
	// Labels are in the order of AllLabels.
	Labels []LabelCount `json:"labels"`
	// Scores are in the requested order of strategies.
	Scores []Score `json:"scores"`
	Leave  Consent `json:"leave"`
	Advice string  `json:"advice"`
	// Rows are all stops and mid-work points, oldest session first.
	Rows []Row `json:"rows"`
}

// Skipped is a file that was not read completely.
type Skipped struct {
	File string `json:"file"`
	Why  string `json:"why"`
}

type LabelCount struct {
	Label Label  `json:"label"`
	Means Expect `json:"means"`
	N     int    `json:"n"`
}

// Label is the event that follows a stop.
type Label string

const (
	Nudge       Label = "nudge"       // a bare "continue"
	Affirmed    Label = "affirmed"    // a bare "yes" after a question
	Answered    Label = "answered"    // an answer or a new instruction
	Commanded   Label = "command"     // a slash command
	Background  Label = "background"  // news of background work, which Claude waited for
	Queued      Label = "queued"      // a prompt typed before the stop
	Interrupted Label = "interrupted" // by a person
	Pushed      Label = "pushed"      // from a Stop hook
	Ended       Label = "end"         // of the file
	MidWork     Label = "mid-work"    // not a stop: text right before the next tool call
)

// Expect is the verdict of a label on the stop.
type Expect string

const (
	WantStop     Expect = "stop"
	WantContinue Expect = "continue"
	Unknown      Expect = "unknown" // not counted
)

type Row struct {
	File    string    `json:"file"`
	Line    int       `json:"line"` // last line that is read, as in explain FILE --line
	Session string    `json:"session"`
	Host    string    `json:"host,omitempty"` // "": Claude Code
	Project string    `json:"project"`        // directory of the session
	At      time.Time `json:"at,omitzero"`
	Label   Label     `json:"label"`
	Means   Expect    `json:"means"`
	// Text is the end of the message from Claude, up to 1,000 bytes. Next is the start of the next prompt, up to 300.
	Text string `json:"text"`
	Next string `json:"next,omitempty"`
	// Idle is the time until then, in seconds.
	Idle     float64 `json:"idle,omitempty"`
	Todos    string  `json:"todos,omitempty"` // "2/5 complete, 3 pending"
	Skill    string  `json:"skill,omitempty"`
	LastTool string  `json:"last_tool,omitempty"`
	// Leave is set if the agent asks permission to go on with agreed work that is not grave.
	Leave   bool     `json:"leave,omitempty"`
	Choices []Choice `json:"choices"` // in the order of the scores
}

type Choice struct {
	Decision string `json:"decision"` // after guards and limits
	Rule     string `json:"rule"`
	Evidence string `json:"evidence,omitempty"`
	// Alone is the decision before guards and limits, if it differs.
	Alone string `json:"alone,omitempty"`
	// Guard is the guard or limit that made the difference.
	Guard string `json:"guard,omitempty"`
	// Away is the act of an away order on the question at a stop: answered or left.
	Away string `json:"away,omitempty"`
	// Asks is set if a judge would be asked. Bytes is the size of the prompt, system prompt included.
	Asks  bool `json:"asks,omitempty"`
	Bytes int  `json:"bytes,omitempty"`
}

type Score struct {
	Name string `json:"name"` // as requested
	Note string `json:"note,omitempty"`
	// Continued counts the real stops at which it would continue. Away counts the questions at all other
	// stops, and how many would be answered with an away order.
	Continued Stops `json:"continued"`
	Away      Rate  `json:"away"`
	// Saved counts prompts with "continue" or a yes that would not be needed. InTheWay counts continues
	// before any other answer. Wanted is Saved as a share.
	Saved    Rate `json:"saved"`
	InTheWay Rate `json:"in_the_way"`
	Wanted   Rate `json:"wanted"`
	// MidWork counts continues at points where the agent went on by itself.
	MidWork Rate `json:"mid_work"`
	// Asked counts the stops at which we would ask a judge.
	Asked   Rate        `json:"asked"`
	Bytes   int64       `json:"bytes"`   // input of judges
	Dollars float64     `json:"dollars"` // at the list price of the default model
	Rules   []RuleCount `json:"rules"`
}

// Rate is a share with its 95 % interval (Wilson).
type Rate struct {
	N    int     `json:"n"`
	Of   int     `json:"of"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

type RuleCount struct {
	Rule     string `json:"rule"`
	Decision string `json:"decision"`
	Right    int    `json:"right"`
	Wrong    int    `json:"wrong"`
	Unknown  int    `json:"unknown"`
}
