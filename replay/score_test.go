package replay

import (
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"
	"time"
)

// Known values of Wilson's interval: Newcombe, Statistics in Medicine 17 (1998), table I, and the
// rule of three's neighbourhood.
func TestWilson(t *testing.T) {
	for _, test := range []struct {
		n, of     int
		low, high float64
	}{{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}, {20, 20, 0.8389, 1}, {0, 0, 0, 1}} {
		r := Rate{N: test.n, Of: test.of}
		r.ComputeInterval()
		if math.Abs(r.Low-test.low) > 5e-5 || math.Abs(r.High-test.high) > 5e-5 {
			t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", test.n, test.of, r.Low, r.High, test.low, test.high)
		}
	}
}

// rowsOf makes n rows of a label at which each strategy says what it says.
func rowsOf(n int, label Label, choices ...string) (rows []Row) {
	for i := range n {
		r := Row{Session: fmt.Sprint(label, choices, i), Label: label, Means: label.MeaningOf(), Project: fmt.Sprintf("/p%d", i%20), At: time.Date(2026, time.Month(1+i%3), 1, 0, 0, 0, 0, time.UTC), Idle: float64(i) * 600}
		for _, c := range choices {
			choice := Choice{Decision: "stop", Rule: "otherwise"}
			switch c {
			case "go":
				choice = Choice{Decision: "continue", Rule: "intent"}
			case "asks":
				choice.Asks, choice.Bytes = true, 2000
			case "held":
				choice.Alone, choice.Guard = "continue", "plan-mode"
			}
			r.Choices = append(r.Choices, choice)
		}
		rows = append(rows, r)
	}
	return rows
}

func reportOf(names []string, rows ...[]Row) Report {
	r := Report{}
	for _, name := range names {
		r.Scores = append(r.Scores, Score{Name: name})
	}
	for _, some := range rows {
		r.Rows = append(r.Rows, some...)
	}
	r.FillInScores()
	return r
}

func TestScore(t *testing.T) {
	r := reportOf([]string{"one", "two"},
		rowsOf(40, MidWork, "go", "asks"),
		rowsOf(10, MidWork, "stop", "stop"),
		rowsOf(10, Nudge, "go", "stop"),
		rowsOf(3, Answered, "go", "asks"),
		rowsOf(27, Answered, "stop", "held"),
		rowsOf(5, Ended, "go", "asks"),
		rowsOf(4, Interrupted, "stop", "asks"), // no Stop hook ran
	)
	one, two := r.Scores[0], r.Scores[1]
	is := func(what string, got Rate, n, of int) {
		t.Helper()
		failIf(t, got.N != n || got.Of != of, "%s: %d of %d, want %d of %d", what, got.N, got.Of, n, of)
	}
	is("caught", one.Caught, 50, 60)
	is("wrong", one.Wrong, 3, 30)
	is("nudges", one.Nudges, 10, 10)
	is("precision", one.Precision, 50, 53)
	is("asked", one.Asked, 0, 45)
	is("the other's caught", two.Caught, 0, 60)
	is("asked, at stops only", two.Asked, 8, 45)
	if two.Bytes != 16_000 || math.Abs(two.Dollars-8*PriceOfQuestion(2000)) > 1e-12 || PriceOfQuestion(2000) <= 0 {
		t.Errorf("%d bytes, $%v", two.Bytes, two.Dollars)
	}
	if len(one.Rules) != 2 || one.Rules[0] != (RuleCount{"intent", "continue", 50, 3, 5}) || one.Rules[1] != (RuleCount{"otherwise", "stop", 27, 10, 4}) {
		t.Errorf("%+v", one.Rules)
	}
}

// The advice promises no more than the data has.
func TestAdvice(t *testing.T) {
	three := []string{"ned", "bart", "seed"}
	for name, test := range map[string]struct {
		report Report
		says   string
		not    string
	}{
		"nothing": {reportOf(three), "No session log was found", "speak for"},
		"too few": {reportOf(three, rowsOf(29, Answered, "stop", "stop", "stop"), rowsOf(500, MidWork, "go", "stop", "go")), "29 stops where you had something else to say and 500 points where work should go on; about 30", "speak for"},
		"none goes on": {reportOf(three, rowsOf(50, Answered, "stop", "stop", "stop"), rowsOf(50, MidWork, "stop", "stop", "stop")),
			"None of these", "speak for"},
		"clear": {reportOf(three, rowsOf(100, Answered, "stop", "stop", "stop"), rowsOf(80, MidWork, "go", "stop", "stop"), rowsOf(20, MidWork, "go", "go", "go")),
			"speak for ned: it continues at 100 % of the points where work should go on, and wrongly at 0 % of", "no difference"},
		"a hair's breadth": {reportOf(three, rowsOf(100, Answered, "stop", "stop", "stop"), rowsOf(50, MidWork, "go", "go", "go"), rowsOf(3, MidWork, "go", "stop", "stop")),
			"Your sessions show no difference between ned, bart and seed.", "speak for"},
		"catches more, and continues wrongly": {reportOf(three, rowsOf(100, Answered, "stop", "stop", "stop"), rowsOf(20, Answered, "stop", "stop", "go"), rowsOf(60, MidWork, "go", "stop", "go"), rowsOf(40, MidWork, "stop", "stop", "go")),
			"speak for ned: it continues at 60 %", "speak for seed"},
		"two alike": {reportOf(three, rowsOf(100, Answered, "stop", "stop", "stop"), rowsOf(60, MidWork, "go", "stop", "go"), rowsOf(5, MidWork, "go", "go", "go")),
			"no difference between it and seed", ""},
		"as often wrong": {reportOf(three, rowsOf(90, Answered, "stop", "stop", "stop"), rowsOf(10, Answered, "go", "stop", "stop"), rowsOf(85, MidWork, "stop", "stop", "stop"), rowsOf(15, MidWork, "go", "stop", "stop")),
			"speak for none of these", "Only ned"},
		"the less bad of two": {reportOf(three, rowsOf(60, Answered, "stop", "stop", "stop"), rowsOf(40, Answered, "stop", "stop", "go"), rowsOf(1, Answered, "go", "stop", "go"), rowsOf(100, MidWork, "stop", "stop", "stop")),
			"speak for none of these", "speak for ned"},
	} {
		got := test.report.Advice
		if !strings.Contains(got, test.says) || test.not != "" && strings.Contains(got, test.not) || strings.Count(got, ". ") > 0 {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// Where nothing is left the advice says why.
func TestAdviceOfNothing(t *testing.T) {
	unread := []Skipped{{"a", "permission denied"}, {"b", notFound}}
	for says, r := range map[string]Report{
		"before the interruption":  {Partial: true, TooOld: 3},
		"--since begins at ":       {Since: time.Now(), TooOld: 3},
		"--project leaves out all": {Elsewhere: 2},
		"could not be read":        {Skipped: unread},
		"No session log was found": {Skipped: unread[1:]},
	} {
		if r.FillInScores(); !strings.Contains(r.Advice, says) {
			t.Errorf("%q does not say %q", r.Advice, says)
		}
	}
}

// Strategies that differ by chance alone are told apart hardly ever: of 400 made
// histories at most one in twenty.
func TestAdviceIsNotFooledByChance(t *testing.T) {
	t.Parallel()
	// alike is how many rows of a session are the same: one habit said often is one
	// piece of evidence.
	for _, alike := range []int{1, 8} {
		fooled := 0
		for seed := range int64(100) {
			random := rand.New(rand.NewSource(seed))
			r := Report{Scores: []Score{{Name: "a"}, {Name: "b"}, {Name: "c"}}}
			for i := range 240 {
				label := MidWork
				chance := 0.7
				if i%2 == 0 {
					label, chance = Answered, 0.05
				}
				row := Row{Session: fmt.Sprint(i), Label: label, Means: label.MeaningOf()}
				for range r.Scores {
					c := Choice{Decision: "stop", Rule: "r"}
					if random.Float64() < chance {
						c.Decision = "continue"
					}
					row.Choices = append(row.Choices, c)
				}
				for range alike {
					r.Rows = append(r.Rows, row)
				}
			}
			r.FillInScores()
			if !strings.HasPrefix(r.Advice, "Your sessions show no difference") {
				fooled++
			}
		}
		failIf(t, fooled > 5, "%d rows alike in a session: fooled %d times of 100", alike, fooled)
	}
}
