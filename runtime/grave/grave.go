// Package grave finds questions about grave acts, which only the user may decide because they cannot be
// undone or reach other people. It is pure.
//
// A linear classifier learned from closings/grave decides, in all languages at once. Its features are the words,
// the pairs of words and the character n-grams of the words, so that it knows a word by its stem.
package grave

import (
	_ "embed"
	"math"
)

// Buckets is the number of weights. Each feature has the weight at its hash. Features may share a weight.
const Buckets = 1 << 17

// Weights has two weights of -7 to 7 in a byte, the first in the lower half, each plus 8.
type Weights string

// TestWeightsAreCurrent writes weights.bin.
//
//go:embed weights.bin
var learned string

// Find reports whether a text asks for a grave act, possibly in statements before the question, and returns the folded
// word that indicates it most.
func Find(text string) (word string, found bool) { return Weights(learned).Find(text) }

// A text is grave if its score, in standard deviations of a random text, is more than likely. A question with more than
// sure is grave whatever is around it.
const likely, sure = 0.5, 3

// Find is like the function Find, with these weights.
func (w Weights) Find(text string) (word string, found bool) {
	questions, end := QuestionsOrLast(text)
	for _, question := range questions {
		s := score{weights: w}
		v := Visitor{Visit: s.add}
		if v.VisitGrams(question, true); s.isMoreThan(sure) {
			return s.act, true
		}
	}
	s := score{weights: w}
	v := Visitor{Visit: s.add}
	if v.VisitFeatures(questions, end); s.isMoreThan(likely) {
		return s.act, true
	}
	return "", false
}

type score struct {
	weights         Weights
	features, total int
	word, act       string // act is the word with the most weight so far
	ofWord, most    int
}

func (s *score) isMoreThan(deviations float64) bool {
	return float64(s.total) > deviations*math.Sqrt(float64(s.features))
}

func (s *score) add(bucket int, word string) {
	weight := int(s.weights[bucket/2]>>(bucket%2*4)&15) - 8
	if word != s.word {
		s.ofWord, s.word = 0, word
	}
	s.features, s.total, s.ofWord = s.features+1, s.total+weight, s.ofWord+weight
	if s.ofWord > s.most {
		s.most, s.act = s.ofWord, word
	}
}
