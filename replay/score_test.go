package replay

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// Values of Wilson's interval from Newcombe, Statistics in Medicine 17 (1998), table I.
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

// rowsOf returns n rows of a label with a choice for each strategy.
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
		rowsOf(2, Affirmed, "stop", "stop"),
		rowsOf(2, Commanded, "stop", "stop"),
		rowsOf(3, Background, "stop", "stop"), // nobody answered
		rowsOf(5, Ended, "go", "asks"),
		rowsOf(4, Interrupted, "stop", "asks"), // no Stop hook ran
	)
	one, two := r.Scores[0], r.Scores[1]
	is := func(what string, got Rate, n, of int) {
		t.Helper()
		errorIf(t, got.N != n || got.Of != of, "%s: %d of %d, want %d of %d", what, got.N, got.Of, n, of)
	}
	is("saved", one.Saved, 10, 12)
	is("in the way", one.InTheWay, 3, 32)
	is("wanted", one.Wanted, 10, 13)
	is("mid-work", one.MidWork, 40, 50)
	is("asked", one.Asked, 0, 52)
	is("the other's saved", two.Saved, 0, 12)
	is("asked, at stops only", two.Asked, 8, 52)
	if two.Bytes != 16_000 || math.Abs(two.Dollars-8*PriceOfQuestion(2000)) > 1e-12 || PriceOfQuestion(2000) <= 0 {
		t.Errorf("%d bytes, $%v", two.Bytes, two.Dollars)
	}
	if len(one.Rules) != 2 || one.Rules[0] != (RuleCount{"otherwise", "stop", 32, 0, 6}) || one.Rules[1] != (RuleCount{"intent", "continue", 10, 3, 5}) {
		t.Errorf("%+v", one.Rules)
	}
}

// The advice on an empty report names the reason.
func TestAdviceOfNothing(t *testing.T) {
	for says, r := range map[string]Report{
		"before the interruption":  {Partial: true, TooOld: 3},
		"is later than all stops":  {Since: time.Now(), TooOld: 3},
		"--project excludes all":   {Elsewhere: 2},
		"No session log was found": {Skipped: []Skipped{{"a", "not found"}}},
	} {
		if r.FillInScores(); !strings.Contains(r.Advice, says) {
			t.Errorf("%q does not say %q", r.Advice, says)
		}
	}
}
