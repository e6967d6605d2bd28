package ned

import (
	"testing"

	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

func BenchmarkNed(b *testing.B) {
	for _, set := range (&Options{}).RuleSets() {
		b.Run(set, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				decide(rules.Options{Set: set}, strategy.Situation{Message: strategy.Message{Text: "All three are in place, with tests for each of them."}})
			}
		})
	}
}
