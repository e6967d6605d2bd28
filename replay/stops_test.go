package replay

import "testing"

// The numbers of the summary add up.
func TestStopsAreSaid(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]Report{
		"12 stops in 0 sessions: you answered 1 with “continue”, 2 with a yes, 3 with something new; 1 waited for background work, after 1 nothing came, at 4 you broke in or a hook went on": reportOf(nil,
			rowsOf(1, Nudge), rowsOf(2, Affirmed), rowsOf(1, Answered), rowsOf(1, Commanded), rowsOf(1, Queued), rowsOf(1, Background),
			rowsOf(1, Ended), rowsOf(3, Interrupted), rowsOf(1, Pushed), rowsOf(7, MidWork)),
		"1 stop in 0 sessions: you answered 0 with “continue”, 0 with a yes, 0 with something new; 1 waited for background work, after 0 nothing came": reportOf(nil, rowsOf(1, Background)),
		"0 stops in 0 sessions": reportOf(nil),
	} {
		failIf(t, r.SayStops() != want, "%s, want %s", r.SayStops(), want)
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
		failIf(t, ned.N != test.answered || ned.Of != test.answered+test.left, "%s: %+v", name, ned)
	}
}
