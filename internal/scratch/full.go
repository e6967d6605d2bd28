package scratch

import (
	"flag"
	"math/rand/v2"
)

// Full is set by `make hostile`. Otherwise the largest tests try random combinations.
var Full = flag.Bool("full", false, "try every combination, not a part of them")

// Skipped reports whether to skip a combination. On average it keeps 1 in oneIn, in a full run all.
func Skipped(oneIn int) bool { return !*Full && rand.IntN(oneIn) > 0 }

// EveryStep returns the steps' distance and a random first step below it (1 and 0 in a full run).
func EveryStep(distance int) (apart, first int) {
	if *Full {
		return 1, 0
	}
	return distance, rand.IntN(distance)
}
