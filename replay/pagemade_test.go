package replay

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// madeReport is a report of n made rows over projects and months, the same for
// the same seed: what a page is looked at and measured with.
func madeReport(n int, seed uint64) Report {
	rng := rand.New(rand.NewPCG(seed, 42))
	pick := func(s ...string) string { return s[rng.IntN(len(s))] }
	r := Report{
		Version: 1, Made: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), Files: n/12 + 1, Bytes: int64(n) * 90_000, Seconds: 2.5,
		Scores: []Score{{Name: "ned-flanders"}, {Name: "ned-flanders:seed"}, {Name: "lisa-simpson"}, {Name: "seed-tree"}, {Name: "double-shot-latte", OnlyAsks: true}},
	}
	labels := []Label{MidWork, MidWork, MidWork, Answered, Answered, Commanded, Nudge, Affirmed, Background, Queued, Interrupted, Pushed, Ended}
	start := time.Date(2026, 1, 3, 8, 0, 0, 0, time.UTC)
	counts := map[Label]int{}
	for i := range n {
		label := labels[rng.IntN(len(labels))]
		counts[label]++
		means := label.Means()
		row := Row{
			File: fmt.Sprintf("/home/homer/.claude/projects/p%d/%08x.jsonl", i%7, i/12), Line: 40 + i%12*31, Session: fmt.Sprintf("%08x", i/12),
			Project: fmt.Sprintf("/home/homer/src/%s", []string{"donuts", "reactor", "moe-taps", "bowlarama", "kwik-e-mart", "duff", "plow-king"}[i/12%7]),
			At:      start.Add(time.Duration(i*300*24*60/n) * time.Minute), Label: label, Means: means,
			Text: fmt.Sprintf("Step %d of the migration is in: %s now reads the schema from one place, and its %d tests pass.\n\n%s", i%9, pick("the parser", "the pump", "the till", "the scoreboard"), 3+i%40,
				pick("Now I'll wire the command to it.", "Shall I go on with the next task?", "Let me know what you think.", "Moving to Task 3.", "Everything is complete.", "Let me look at the log:")),
			Idle: float64(rng.IntN(9000)), LastTool: pick("Bash", "Edit", "Read", "TodoWrite", ""),
		}
		switch label {
		case Nudge:
			row.Next = pick("continue", "weiter", "go on")
		case Affirmed:
			row.Next = "yes"
		case Answered:
			row.Next = pick("no, keep the old name in the config", "please also handle the empty case, and add a test for it", "why did you change the pump?")
		case Commanded:
			row.Next = "/compact"
		}
		if rng.IntN(3) == 0 {
			row.Todos = fmt.Sprintf("%d/5 complete, %d pending", i%5, 5-i%5)
		}
		if rng.IntN(6) == 0 {
			row.Skill = "superpowers:executing-plans"
		}
		for s := range r.Scores {
			c := Choice{Decision: "stop", Rule: pick("otherwise", "asks", "offers", "waits", "finished")}
			// Better ones go on more often where they should, and less where not.
			share := map[Expect]float64{WantContinue: .9 - .2*float64(s), WantStop: .01 + .03*float64(s), Unknown: .2}[means]
			switch {
			case r.Scores[s].OnlyAsks:
				c = Choice{Decision: "stop", Rule: "asks", Asks: true, Bytes: 9000 + rng.IntN(20000)}
			case rng.Float64() < share:
				c = Choice{Decision: "continue", Rule: pick("intent", "todos", "progress", "colon", "skill"), Evidence: "Now I'll wire the command"}
				if rng.IntN(12) == 0 {
					c.Decision, c.Alone, c.Guard = "stop", "continue", pick("budget", "stagnation", "background")
				}
			case s == 2 && rng.IntN(4) == 0:
				c.Asks, c.Bytes, c.Rule = true, 4000+rng.IntN(4000), "unsure"
			}
			row.Choices = append(row.Choices, c)
		}
		r.Rows = append(r.Rows, row)
	}
	r.Sessions = n/12 + 1
	for _, l := range Labels() {
		r.Labels = append(r.Labels, LabelCount{l, l.Means(), counts[l]})
	}
	r.Score()
	return r
}
