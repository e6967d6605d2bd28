package strategy

import "testing"

func BenchmarkNed(b *testing.B) {
	ned, _ := Named("ned-flanders")
	for _, set := range NedRuleSets() {
		b.Run(set, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ned.Decide(Config{Rules: set}, Situation{Message: Message{Text: "All three are in place, with tests for each of them."}})
			}
		})
	}
}
