package replay

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestVerdict(t *testing.T) {
	t.Parallel()
	r := reportOf([]string{"ned", "lisa", "bart"},
		rowsOf(3, Nudge, "go", "go", "stop"), rowsOf(1, Affirmed, "go", "asks", "stop"), rowsOf(5, Affirmed, "stop", "stop", "stop"),
		rowsOf(1, Answered, "go", "stop", "stop"), rowsOf(99, Answered, "stop", "stop", "stop"), rowsOf(30, Commanded, "stop", "stop", "stop"),
		rowsOf(20, Queued, "stop", "stop", "stop"), rowsOf(19, Background, "go", "stop", "stop"), rowsOf(2, Ended, "stop", "stop", "go"),
		rowsOf(3, Interrupted, "go", "go", "go"), rowsOf(7, MidWork, "go", "stop", "stop"),
	)
	r.Rows[5].Choices[0].Away, r.Rows[6].Choices[0].Away = "answered", "left"
	r.Rows[5].Choices[1].Away = "answered"
	r.FillInScores()
	want := [][]string{
		{"ned", "would have saved you 4 of 9 prompts, and been in the way at 1 of 150 other answers (0.7 %, 0.1–3.7); 4 of 5 continues were wanted (80 %, 38–96)"},
		{"lisa", "would have saved you 3 of 9 prompts, and been in the way at 0 of 150 other answers (0 %, 0–2.5); 3 of 3 continues were wanted (100 %, 44–100); would have asked a model 1 time, <$0.01"},
		{"bart", "would have saved you no prompt here"},
		{"away", "would have answered 1 question and left 1 to you"},
		{"leave", "you answered no question for permission to go on"},
		{"mid-work", "not stops: at 7 points the agent went on by itself; if it had stopped there, these would continue: ned at 7, lisa at 0, bart at 0"},
	}
	got := r.VerdictRows()
	errorIf(t, !slices.EqualFunc(got, want, slices.Equal), "%q", got)

	none := reportOf([]string{"ned"})
	errorIf(t, none.VerdictRows() != nil, "a verdict on nothing")
}

// The advice names a plugin only if it would save more prompts than it disturbs.
func TestAdvice(t *testing.T) {
	t.Parallel()
	both := []string{"lisa-simpson", "ned-flanders"}
	for want, r := range map[string]Report{
		"No session log was found": reportOf(both),
		"ned-flanders would have saved you 1 prompt: run springfield enable ned-flanders":  reportOf(both, rowsOf(1, Nudge, "go", "go")), // a tie
		"lisa-simpson would have saved you 3 prompts: run springfield enable lisa-simpson": reportOf(both, rowsOf(2, Nudge, "go", "go"), rowsOf(1, Affirmed, "go", "stop")),
		"ned-flanders would have saved you 2 prompts: run springfield enable ned-flanders": reportOf(both, rowsOf(2, Nudge, "go", "go"), rowsOf(1, Answered, "go", "stop")),
		"mine.json would have saved you 2 prompts":                                         reportOf([]string{"mine.json"}, rowsOf(2, Nudge, "go")),
		"None of these would have saved you a prompt here.":                                reportOf(both, rowsOf(9, Nudge, "stop", "stop"), rowsOf(9, MidWork, "go", "go")),
		"no prompt here; at 2 stops a hook continued already, which is not counted.":       reportOf(both[1:], rowsOf(2, Pushed, "go")),
		"ned-flanders would have saved you no prompt here.":                                reportOf(both[1:], rowsOf(2, Nudge, "stop"), rowsOf(3, Answered, "go")),
		"favor no plugin here: each would have been in the way":                            reportOf(both, rowsOf(2, Nudge, "stop", "go"), rowsOf(2, Answered, "stop", "go")),
	} {
		errorIf(t, !strings.Contains(r.Advice, want), "%s, want %s", r.Advice, want)
	}
}

// The user's answers to questions for leave suggest a setting.
func TestLeave(t *testing.T) {
	t.Parallel()
	// asked returns questions for leave with their answers; a small letter is a stop that asks no leave.
	asked := func(session, answers string) (rows []Row) {
		labels := map[rune]Label{'Y': Affirmed, 'C': Nudge, 'N': Answered, 'S': Commanded, 'Q': Queued, 'B': Background, 'I': Interrupted, 'M': MidWork}
		for _, a := range answers {
			upper := []rune(strings.ToUpper(string(a)))[0]
			rows = append(rows, Row{Session: session, Label: labels[upper], Means: labels[upper].MeaningOf(), Leave: a == upper && a != 'M'})
		}
		return rows
	}
	for _, test := range []struct {
		sessions []string
		want     string
	}{
		{nil, "you answered no question for permission to go on"},
		{[]string{"QBI"}, "no question"}, // nobody answered
		{[]string{"yycn"}, "no question"},
		{[]string{"N"}, "to 0 of 1 question for permission to go on, too few"},
		{[]string{"YNnY"}, "2 of 3 questions for permission to go on, 0 of 1 right after such a yes, too few"},
		{[]string{"YmBbCC", "C"}, "4 of 4 questions for permission to go on, 2 of 2 right after such a yes, too few"},
		{[]string{"Y", "Y", "Y", "C", "S"}, "4 of 5 questions for permission to go on: springfield set ned-flanders leave=always"},
		{[]string{"YYYY", "N", "N"}, "4 of 6 questions for permission to go on, 3 of 3 right after such a yes: springfield set ned-flanders leave=after-yes"},
		{[]string{"YN", "YN", "YN"}, "3 of 6 questions for permission to go on, 0 of 3 right after such a yes: springfield set ned-flanders leave=never"},
		{[]string{"YyY", "YqY", "YIY"}, "6 of 6 questions for permission to go on: "}, // another answer came between
		{[]string{"N", "N", "N", "N", "Y"}, "1 of 5 questions for permission to go on: springfield set ned-flanders leave=never"},
	} {
		var rows []Row
		for i, answers := range test.sessions {
			rows = append(rows, asked(fmt.Sprint(i), answers)...)
		}
		got := countConsent(rows).say()
		errorIf(t, !strings.Contains(got, test.want), "%q: %s, want %s", test.sessions, got, test.want)
	}
}

// A stop asks leave if it asks to go on with agreed work, and for nothing grave.
func TestLeaveInReplay(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]bool{
		"Phase 2 is done. Shall I start phase 3?":       true,
		"Phase 2 is done. Shall I go on and deploy it?": false,
		"Shall the cache live in memory or on disk?":    false,
		"Phase 2 is done. All tests pass.":              false,
	} {
		for _, mid := range []bool{false, true} {
			m := newMade("s").asks("do the plan").works().says(said)
			if m.rests().asks("yes"); mid {
				m = newMade("s").asks("do the plan").works().says(said).works()
			}
			row := alone(t, m, "ned-flanders").Rows[0]
			errorIf(t, row.Leave != (want && !mid), "%s, mid-work %v: %v %s", said, mid, row.Leave, row.Label)
		}
	}
}

// The numbers of the summary add up.
func TestStopsAreSaid(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]Report{
		"12 stops in 0 sessions: you answered 1 with “continue”, 2 with a yes, 3 with something new; 1 waited for background work, 1 got no answer; at 3, you interrupted; at 1, a hook continued": reportOf(nil,
			rowsOf(1, Nudge), rowsOf(2, Affirmed), rowsOf(1, Answered), rowsOf(1, Commanded), rowsOf(1, Queued), rowsOf(1, Background),
			rowsOf(1, Ended), rowsOf(3, Interrupted), rowsOf(1, Pushed), rowsOf(7, MidWork)),
		"1 stop in 0 sessions: you answered 0 with “continue”, 0 with a yes, 0 with something new; 1 waited for background work, 0 got no answer": reportOf(nil, rowsOf(1, Background)),
		"0 stops in 0 sessions": reportOf(nil),
	} {
		errorIf(t, r.SummarizeStops() != want, "%s, want %s", r.SummarizeStops(), want)
	}
}

// An away order answers questions at stops, except grave ones, and defers to strategy and guards.
func TestAwayInReplay(t *testing.T) {
	t.Parallel()
	const question = "Shall the cache live in memory or on disk?"
	start := func() *made { return newMade("s").asks("write the cache").works() }
	plan := func(m *made) *made {
		return m.raw(`{"type":"permission-mode","permissionMode":"plan","sessionId":"s"}`)
	}
	for name, test := range map[string]struct {
		session        *made
		answered, left int
	}{
		"a question":         {start().says(question).rests().asks("in memory"), 1, 0},
		"again, by itself":   {start().says(question).rests().asks("you choose").says(question).rests().asks("ok"), 2, 0},
		"grave":              {start().says("Shall I delete the production database?").rests().asks("no"), 0, 1},
		"a report":           {start().says("The cache is written, and all tests pass.").rests().asks("thanks, now the docs"), 0, 0},
		"it goes on":         {start().says("Now I'll write the next one.").rests().asks("continue"), 0, 0},
		"mid-work":           {start().says(question).works().says("All done.").rests(), 0, 0},
		"a person breaks in": {start().says(question).asks("[Request interrupted by user]"), 0, 0},
		"plan mode":          {plan(start()).says(question).rests().asks("in memory"), 0, 0},
	} {
		ned := alone(t, test.session, "ned-flanders").Scores[0].Away
		errorIf(t, ned.N != test.answered || ned.Of != test.answered+test.left, "%s: %+v", name, ned)
	}
}
