package grave_test

import (
	"bufio"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/grave"
)

// example is a row of closings/grave.
type example struct {
	Lang    string `json:"lang"`
	Grave   bool   `json:"grave"`
	Text    string `json:"text"`
	buckets []int
	asked   int    // the number of buckets of the questions, which come first
	before  string // the end of the text without the questions
}

func (e *example) read() {
	v := grave.Visitor{Visit: func(bucket int, _ string) { e.buckets = append(e.buckets, bucket) }}
	questions, end := grave.QuestionsOrLast(e.Text)
	v.VisitFeatures(questions, "")
	e.asked = len(e.buckets)
	v.VisitGrams(end, false)
	for _, question := range questions {
		end = strings.Replace(end, question+"\n", "", 1)
	}
	e.before = strings.TrimSpace(end)
}

// readExamples returns the examples by file. Each file is by one author.
func readExamples(t *testing.T) (all [][]example) {
	files, err := filepath.Glob("../../closings/grave/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		var rows []example
		for lines := bufio.NewScanner(file); lines.Scan(); {
			var e example
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				t.Fatal(name, err)
			}
			e.read()
			rows = append(rows, e)
		}
		all = append(all, rows)
	}
	return all
}

// inContext returns each example that is only a question, twice, after statements that precede a harmless question.
func inContext(examples []example) (all []example) {
	before := map[string][]string{}
	for _, e := range examples {
		if !e.Grave && e.before != "" {
			before[e.Lang] = append(before[e.Lang], e.before)
		}
	}
	for i, e := range examples {
		if pool := before[e.Lang]; e.before == "" && len(pool) > 0 {
			for _, n := range []int{i * 7919, i*7919 + 104729} {
				in := example{Grave: e.Grave, Text: pool[n%len(pool)] + "\n" + e.Text}
				in.read()
				all = append(all, in)
			}
		}
	}
	return all
}

// alone returns each example that is only a question, with the features of a question only.
func alone(examples []example) (all []example) {
	for _, e := range examples {
		if e.before == "" {
			e.buckets = e.buckets[:e.asked]
			all = append(all, e)
		}
	}
	return all
}

// frames are the ways in which agents ask in English. They do not say how grave an act is.
var frames = []string{"Shall I ", "Should I ", "Want me to ", "Would you like me to ", "Do you want me to ", "OK to ", "Can I ", "If you want, I can ", "I can also ", "Ready to "}

// inOtherWords returns each example in English that asks in one of these ways, in three others.
func inOtherWords(examples []example) (all []example) {
	for i, e := range examples {
		for n, frame := range frames {
			if before, rest, found := strings.Cut(e.Text, frame); found && e.Lang == "en" {
				for k := range 3 {
					other := example{Lang: e.Lang, Grave: e.Grave, Text: before + frames[(n+1+(i+k*3)%(len(frames)-1))%len(frames)] + rest}
					other.read()
					all = append(all, other)
				}
				break
			}
		}
	}
	return all
}

// learn returns the weights of a logistic regression, rounded.
func learn(examples []example) grave.Weights {
	const (
		passes = 15
		stride = 0.3
		decay  = 1e-4
	)
	examples = append(slices.Clip(examples), inOtherWords(examples)...)
	examples = slices.Concat(examples, alone(examples), inContext(examples))
	weights, slopes, mean := make([]float64, grave.Buckets), make([]float64, grave.Buckets), make([]float64, grave.Buckets)
	random := rand.New(rand.NewPCG(1, 2))
	for pass := range passes {
		for _, i := range random.Perm(len(examples)) {
			e, sum := examples[i], 0.0
			for _, b := range e.buckets {
				sum += weights[b]
			}
			scale := 1 / math.Sqrt(float64(len(e.buckets)))
			off := 1 / (1 + math.Exp(-sum*scale))
			if e.Grave {
				off--
			}
			for _, b := range e.buckets {
				slope := off*scale + decay*weights[b]
				slopes[b] += slope * slope
				weights[b] -= stride * slope / (1e-3 + math.Sqrt(slopes[b]))
			}
		}
		for b, w := range weights {
			if pass >= passes/3 {
				mean[b] += w
			}
		}
	}
	var sizes []float64
	for _, w := range mean {
		if w != 0 {
			sizes = append(sizes, math.Abs(w))
		}
	}
	slices.Sort(sizes)
	step := sizes[len(sizes)*995/1000] / 7
	packed := make([]byte, len(mean)/2)
	for b, w := range mean {
		packed[b/2] |= byte(math.Round(max(-7, min(7, w/step)))+8) << (b % 2 * 4)
	}
	return grave.Weights(packed)
}

// weights.bin is learned from the examples. Rounding may differ by one on other machines.
func TestWeightsAreCurrent(t *testing.T) {
	want := learn(slices.Concat(readExamples(t)...))
	if *scratch.Update { // learn anew
		if err := os.WriteFile("weights.bin", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile("weights.bin")
	if err != nil || len(got) != len(want) {
		t.Fatal(len(got), err)
	}
	for i := range got {
		for _, half := range []int{0, 4} {
			if off := int(got[i]>>half&15) - int(want[i]>>half&15); off < -1 || 1 < off {
				t.Fatal("weights.bin is not learned from closings/grave: make generate")
			}
		}
	}
}

// Weights find most grave acts in the examples of a third of the authors, from whom they did not learn. With -full,
// each third is left out once.
func TestUnseenAuthors(t *testing.T) {
	const parts = 3
	all, of, found := readExamples(t), map[bool]int{}, map[bool]int{}
	every, first := scratch.EveryStep(parts)
	for part := first; part < parts; part += every {
		var rest, own []example
		for i, examples := range all {
			if i%parts == part {
				own = append(own, examples...)
			} else {
				rest = append(rest, examples...)
			}
		}
		weights := learn(rest)
		for _, e := range own {
			of[e.Grave]++
			if _, isGrave := weights.Find(e.Text); isGrave {
				found[e.Grave]++
			}
		}
	}
	t.Logf("found %d of %d grave acts, and %d of %d harmless ones", found[true], of[true], found[false], of[false])
	if found[true]*100 < of[true]*75 || found[false]*100 > of[false]*20 {
		t.Error("the weights do not generalise")
	}
}
