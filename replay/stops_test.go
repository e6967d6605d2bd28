package replay

import (
	"slices"
	"testing"
)

// What came after the stops is said in numbers that add up, and each strategy by what it would
// have continued of them; mid-work apart from that.
func TestStopsAreSaid(t *testing.T) {
	t.Parallel()
	names := []string{"ned", "lisa", "bart"}
	r := reportOf(names,
		rowsOf(4, Nudge, "go", "go", "stop"), rowsOf(1, Nudge, "stop", "stop", "stop"),
		rowsOf(40, Affirmed, "stop", "stop", "stop"), rowsOf(100, Answered, "stop", "stop", "stop"),
		rowsOf(30, Commanded, "stop", "stop", "stop"), rowsOf(20, Queued, "stop", "stop", "stop"),
		rowsOf(19, Background, "stop", "stop", "stop"), rowsOf(2, Ended, "stop", "stop", "go"),
		rowsOf(3, Interrupted, "go", "go", "go"), rowsOf(1, Pushed, "stop", "stop", "stop"),
		rowsOf(7, MidWork, "go", "stop", "stop"),
	)
	r.Sessions = 12
	r.Rows[5].Choices[0].Away, r.Rows[6].Choices[0].Away = "answered", "left"
	r.FillInScores()
	want := []string{
		"220 stops in 12 sessions: you answered 5 with “continue”, 40 with a yes, 150 with something new; " +
			"19 waited for background work, after 2 nothing came, at 4 you broke in or a hook went on",
		"ned would have continued 4 of the 5 with “continue” and none of the rest; away would have answered 1 question and left 1 to you",
		"lisa would have continued 4 of the 5 with “continue” and none of the rest; away would have answered 0 questions",
		"bart would have continued 0 of the 5 with “continue”, 2 of the 2 after which nothing came and none of the rest; away would have answered 0 questions",
		"7 points in the middle of work (a proxy for stops that came too early): ned would have gone on at 7, lisa at 0, bart at 0",
	}
	got := append(append([]string{r.SayStops()}, r.SayContinued()...), r.SayMidWork())
	failIf(t, !slices.Equal(got, want), "%q", got)
	r = reportOf([]string{"ned"}, rowsOf(1, Background, "stop"))
	got = append(append([]string{r.SayStops()}, r.SayContinued()...), r.SayMidWork())
	want = []string{"1 stop in 0 sessions: you answered 0 with “continue”, 0 with a yes, 0 with something new; 1 waited for background work, after 0 nothing came", "ned would have continued none of them; away would have answered 0 questions", ""}
	failIf(t, !slices.Equal(got, want), "%q", got)
	empty := reportOf(nil)
	failIf(t, empty.SayStops() != "0 stops in 0 sessions" || empty.SayContinued() != nil || empty.SayMidWork() != "", "%+v", empty)
}

// An away order answers a question where the agent stopped, except a grave one, and is silent
// where the strategy goes on, a guard has spoken, or no Stop hook ran.
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
		failIf(t, ned.N != test.answered || ned.Of != test.answered+test.left, "%s: %+v", name, ned)
	}
}
