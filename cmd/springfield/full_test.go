package main

import (
	"flag"
	"math/rand/v2"
)

// The largest tests try a part of their combinations, drawn anew in each run: all of them
// take minutes.
var full = flag.Bool("full", false, "try every combination, not a part of them")

// skipped tells whether to leave a combination out: all but one of so many.
func skipped(of int) bool { return !*full && rand.IntN(of) > 0 }
