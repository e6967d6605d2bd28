package scratch

import (
	"flag"
	"math/rand/v2"
)

// Full is a flag of every test program that shares this package. The largest tests try a part of their
// combinations, drawn in each run: all of them take minutes, and `make hostile` tries them.
var Full = flag.Bool("full", false, "try every combination, not a part of them")

// Skipped tells whether to leave a combination out: all but one of so many.
func Skipped(of int) bool { return !*Full && rand.IntN(of) > 0 }

// EveryStep is how far apart the steps of a list are that are tried, and the first of them: each of them in a full
// run, else one of so many.
func EveryStep(of int) (apart, first int) {
	if *Full {
		return 1, 0
	}
	return of, rand.IntN(of)
}
