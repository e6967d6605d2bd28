// The second opinion is learned from labelled stops of real sessions (make learn) and scored (make score).

package score

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/lastmessage"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

var learned = flag.String("learned", "", "the file that the second opinion is written to, learned from all that lies below -sessions")

// example is a labelled message with the traits for the second opinion.
type example struct {
	source, session string
	report          bool // else there was work left
	rule            string
	goesOn          bool // the rules say so
	doubtful        bool // the rule needs the second opinion
	traits          []string
	weight          float64
}

// madeUp is the source of closings, which add short reports and other languages.
const madeUp = "made-up closings"

// rulesAlone is ned-flanders without the second opinion.
func rulesAlone() contest {
	c := contests()[0]
	options := c.settings.Options.(rules.Ruled)
	options.Chosen().Off = []string{rules.Opinion}
	c.settings.Prepared = options.Prepare(&rules.Cache{})
	return c
}

// learnable reads the examples of all stops.jsonl below a directory, without the second opinion.
func learnable(t *testing.T, dir string) []example {
	c := rulesAlone()
	doubtful := map[string]bool{}
	for _, r := range rules.BaseRules {
		doubtful[r.ID] = doubtful[r.ID] || r.Doubtful
	}
	var all []example
	add := func(source, session, text string, report bool, s strategy.Situation, v strategy.Verdict) {
		all = append(all, example{source: source, session: session, report: report, rule: v.Rule, goesOn: v.Decision == strategy.Continue,
			doubtful: doubtful[v.Rule], traits: rules.WeighedTraits(v.Rule, &s, lastmessage.ReadMessage(text).Traits())})
	}
	must(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != "stops.jsonl" {
			return err
		}
		rows, scratch := readRows(t, path), t.TempDir()
		for _, session := range slices.Sorted(maps.Keys(rows)) {
			visitCuts(t, filepath.Join(filepath.Dir(path), "sessions", session), filepath.Join(scratch, session), rows[session], func(r row, path, text string) {
				if r.Expect != "STOP" && r.Expect != "CONTINUE" {
					return
				}
				event := hook.Event{SessionID: strings.TrimSuffix(session, ".jsonl"), TranscriptPath: path, LastMessage: text}
				snapshot := hook.Stop{Event: event, Settings: c.settings}.Examine()
				add(r.Source, session, text, r.Expect == "STOP", snapshot.Situation, snapshot.Verdict)
			})
		}
		return nil
	}))
	if *stops != "" {
		playStops(t, *stops, c, func(r realStop, snapshot hook.Snapshot) {
			if len(r.After) == 0 && r.Last != "" && r.Kind != "AFFIRM" { // a yes answers a question, which is no premature stop
				add(r.Repo, r.Session, r.Last, r.Kind != "NUDGE", snapshot.Situation, snapshot.Verdict)
			}
		})
	}
	for _, made := range readClosings(t, filepath.Join(closings, "learn")) {
		s := strategy.Situation{Message: strategy.Message{Text: made.Text, FromEvent: true}, Turn: strategy.Turn{Known: true, Count: 1}}
		add(madeUp, made.ID, made.Text, made.Expect == "stop", s, c.settings.Options.Decide(s))
	}
	return all
}

// weighExamples gives both sides equal weight, and no source more than a quarter.
func weighExamples(all []example) {
	sum := map[string]float64{}
	for i := range all {
		all[i].weight = 1
		sum[all[i].source]++
	}
	share := maps.Clone(sum)
	for range 50 {
		total := 0.0
		for _, source := range slices.Sorted(maps.Keys(share)) {
			total += share[source]
		}
		for source, n := range share {
			share[source] = min(n, total/4)
		}
	}
	var sides [2]float64
	for i, e := range all {
		all[i].weight = share[e.source] / sum[e.source]
		sides[side(e)] += all[i].weight
	}
	for i, e := range all {
		all[i].weight *= (sides[0] + sides[1]) / 2 / sides[side(e)]
	}
}

func side(e example) int {
	if e.report {
		return 1
	}
	return 0
}

// learn returns the weights of a deterministic logistic regression.
func learn(examples []example) map[string]float64 {
	const (
		steps    = 400
		stride   = 0.3
		least    = 5 // examples that have a trait
		strength = 2 // how much each weight is held back
	)
	examples = slices.Clone(examples)
	weighExamples(examples)
	number, names, count := map[string]int{}, []string{}, map[string]int{}
	for _, e := range examples {
		for _, trait := range e.traits {
			if count[trait]++; count[trait] == least {
				number[trait] = len(names)
				names = append(names, trait)
			}
		}
	}
	has := make([][]int, len(examples))
	for i, e := range examples {
		for _, trait := range e.traits {
			if n, ok := number[trait]; ok {
				has[i] = append(has[i], n)
			}
		}
	}
	weights, slope, seen := make([]float64, len(names)), make([]float64, len(names)), make([]float64, len(names))
	for range steps {
		for n, w := range weights {
			slope[n] = strength * w
		}
		for i, e := range examples {
			z := 0.0
			for _, n := range has[i] {
				z += weights[n]
			}
			off := e.weight * (1/(1+math.Exp(-z)) - float64(side(e)))
			for _, n := range has[i] {
				slope[n] += off
			}
		}
		for n := range weights {
			seen[n] += slope[n] * slope[n]
			weights[n] -= stride * slope[n] / math.Sqrt(seen[n]+1e-9)
		}
	}
	learned := map[string]float64{}
	for n, name := range names {
		learned[name] = weights[n]
	}
	return learned
}

// scoreLeftOut scores each example with weights from the other sources.
func scoreLeftOut(all []example) []int {
	scores := make([]int, len(all))
	for _, source := range sources(all) {
		weights := learn(slices.DeleteFunc(slices.Clone(all), func(e example) bool { return e.source == source }))
		for i, e := range all {
			for _, trait := range e.traits {
				if e.source == source {
					scores[i] += int(math.Round(100 * weights[trait]))
				}
			}
		}
	}
	return scores
}

func sources(all []example) []string {
	found := map[string]bool{}
	for _, e := range all {
		found[e.source] = true
	}
	return slices.Sorted(maps.Keys(found))
}

// limit is the score above which a continue is revoked. At 0, reports and the rest are equally likely if weighted
// equally; of real stops, 1 % are premature. Chosen by printLimits with each repository left out: a lower limit loses
// only correct continues.
const limit = -100

// printLimits prints what other limits would continue.
func printLimits(out io.Writer, all []example, scores []int) {
	fmt.Fprintf(out, "continues by limit: at reports, at work that was left\n")
	for _, limit := range []int{-500, -400, -300, -250, -200, -150, -100, 0, 100, 100_000} {
		var n [2]int
		for i, e := range all {
			if e.source != madeUp && e.goesOn && (!e.doubtful || scores[i] <= limit) {
				n[side(e)]++
			}
		}
		fmt.Fprintf(out, "  %6d %5d %5d\n", limit, n[1], n[0])
	}
}

// encodeOpinion returns the file that the hook embeds.
func encodeOpinion(all []example, scores []int) []byte {
	weights := learn(all)
	var lines []string
	asked := map[string]bool{} // the rules that ask the second opinion: no other weighs
	for _, r := range rules.BaseRules {
		asked["rule "+r.ID] = r.Doubtful
	}
	for trait, w := range weights {
		if strings.HasPrefix(trait, "rule ") && !asked[trait] {
			continue
		}
		if points := int(math.Round(100 * w)); points != 0 {
			lines = append(lines, fmt.Sprintf("%d %s", points, trait))
		}
	}
	slices.SortFunc(lines, func(a, b string) int {
		return strings.Compare(a[strings.LastIndex(a, " "):], b[strings.LastIndex(b, " "):])
	})
	slices.Sort(lines)
	seen := sha256.New()
	for _, e := range all {
		fmt.Fprintln(seen, e.source, e.session, e.report, e.rule, e.traits)
	}
	var out bytes.Buffer
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	fmt.Fprintf(&out, "# What the second opinion has learned: see opinion.go. make learn writes this file.\n# examples %x\n# weights %x\nlimit %d\n",
		seen.Sum(nil)[:8], sum[:8], limit)
	for _, line := range lines {
		fmt.Fprintln(&out, line)
	}
	for _, step := range calibrate(all, scores) {
		fmt.Fprintf(&out, "seen %d %d %d\n", step[0], step[1], step[2])
	}
	return out.Bytes()
}

// calibrate counts messages, and the reports among them, by steps of the score.
func calibrate(all []example, scores []int) (table [][3]int) {
	for _, upTo := range []int{-200, -100, 0, 50, 100, 150, 200, 300, 100_000} {
		table = append(table, [3]int{upTo})
	}
	for i, e := range all {
		if e.source == madeUp {
			continue
		}
		for n := range table {
			if scores[i] <= table[n][0] {
				table[n][1]++
				table[n][2] += side(e)
				break
			}
		}
	}
	return table
}

// goesOn reports whether rules and second opinion continue.
func goesOn(e example, score int) bool { return e.goesOn && (!e.doubtful || score <= limit) }

// rate is how often examples of one side were continued.
type rate struct{ of, alone, both int }

func (r rate) String() string {
	return fmt.Sprintf("%4d of %5d (%5.2f %%) → %4d (%5.2f %%)", r.alone, r.of, percent(r.alone, r.of), r.both, percent(r.both, r.of))
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }

// rates returns wrongly continued and caught, by rules alone and with the second opinion.
func rates(all []example, scores []int, in func(example) bool) (wrong, caught rate) {
	for i, e := range all {
		if !in(e) {
			continue
		}
		r := &caught
		if e.report {
			r = &wrong
		}
		r.of++
		if e.goesOn {
			r.alone++
		}
		if goesOn(e, scores[i]) {
			r.both++
		}
	}
	return wrong, caught
}

// printLearned prints what the second opinion changes, each repository left out in turn.
func printLearned(out io.Writer, all []example, scores []int) {
	show := func(name string, in func(example) bool) {
		wrong, caught := rates(all, scores, in)
		fmt.Fprintf(out, "  %-32s %s   %s\n", name, wrong, caught)
	}
	fmt.Fprintf(out, "each repository left out in turn; rules alone → with the second opinion\n  %-32s %-38s   %s\n", "", "wrongly continued", "caught")
	largest, worst, mean, of := "", 0.0, [2]float64{}, 0.0
	stops := map[string]int{}
	for _, e := range all {
		stops[e.source] += side(e)
	}
	for _, source := range sources(all) {
		show(source, func(e example) bool { return e.source == source })
		if source == madeUp {
			continue
		}
		if stops[source] > stops[largest] {
			largest = source
		}
		if stops[source] >= 50 {
			wrong, caught := rates(all, scores, func(e example) bool { return e.source == source })
			worst = max(worst, percent(wrong.both, wrong.of))
			mean[0] += percent(wrong.both, wrong.of)
			mean[1] += percent(caught.both, caught.of)
			of++
		}
	}
	real := func(e example) bool { return e.source != madeUp }
	show("all repositories", real)
	show("all but "+largest, func(e example) bool { return real(e) && e.source != largest })
	fmt.Fprintf(out, "  mean over repositories with 50 stops or more: %.2f %% wrongly continued, %.1f %% caught; the worst: %.2f %%\n", mean[0]/of, mean[1]/of, worst)
	low, high := interval(all, scores)
	wrong, caught := rates(all, scores, real)
	fmt.Fprintf(out, "  wrongly continued, drawing sessions: %.2f to %.2f %%\n", low, high)
	for _, premature := range []float64{.025, .05} {
		w, c := (1-premature)*percent(wrong.both, wrong.of), premature*percent(caught.both, caught.of)
		fmt.Fprintf(out, "  if %.1f %% of stops are premature, %.0f of 100 continues are wrong\n", 100*premature, 100*w/(w+c))
	}
	printLimits(out, all, scores)
}

// interval returns the 95 % bootstrap interval, by session, of the share wrongly continued.
func interval(all []example, scores []int) (low, high float64) {
	bySession := map[string]*[2]int{}
	for i, e := range all {
		if e.source == madeUp || !e.report {
			continue
		}
		n := bySession[e.session]
		if n == nil {
			n = &[2]int{}
			bySession[e.session] = n
		}
		n[0]++
		if goesOn(e, scores[i]) {
			n[1]++
		}
	}
	names, random := slices.Sorted(maps.Keys(bySession)), rand.New(rand.NewPCG(1, 2))
	var shares []float64
	for range 1000 {
		var of, wrong int
		for range names {
			n := bySession[names[random.IntN(len(names))]]
			of, wrong = of+n[0], wrong+n[1]
		}
		shares = append(shares, percent(wrong, of))
	}
	slices.Sort(shares)
	return shares[25], shares[974]
}

// Learning from made sessions separates reports from announcements and keeps neither texts nor names.
func TestLearn(t *testing.T) {
	if *sessions != "" {
		all := learnable(t, *sessions)
		scores := scoreLeftOut(all)
		printLearned(&display.SafeWriter{To: os.Stdout}, all, scores)
		if *learned != "" {
			must(t, os.WriteFile(*learned, encodeOpinion(all, scores), 0o644))
		}
		return
	}
	dir := makeSessions(t)
	all := learnable(t, dir)
	scores := scoreLeftOut(all)
	for i, e := range all {
		if e.source != madeUp && (scores[i] > 0) != e.report {
			t.Errorf("%s, report %v: score %d", e.session, e.report, scores[i])
		}
	}
	var out bytes.Buffer
	printLearned(&out, all, scores)
	for _, want := range []string{`(?m)^  made/c +\d+ of +8 .*→ +0 .* 8 of +8 \(100`, `all but made/a`} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("no match for %s in\n%s", want, out.String())
		}
	}
	file := string(encodeOpinion(all, scores))
	if again := string(encodeOpinion(all, scores)); again != file {
		t.Error("the same examples taught something else")
	}
	if strings.Contains(file, "zebra") || strings.Contains(file, "made/") || !strings.Contains(file, "\nlimit ") || !strings.Contains(file, "\nseen ") {
		t.Errorf("what was learned:\n%s", file)
	}
	var shares float64
	weighExamples(all)
	bySource := map[string]float64{}
	for _, e := range all {
		bySource[e.source] += e.weight
		shares += e.weight
	}
	for source, weight := range bySource {
		if weight > shares/3 { // a quarter, before both sides are made equal
			t.Errorf("%s has %.2f of the weight", source, weight/shares)
		}
	}
}

// makeSessions writes labelled stops of made repositories, most of them from the first.
func makeSessions(t *testing.T) string {
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "sessions"), 0o755))
	var stops []string
	for source, n := range map[string]int{"made/a": 60, "made/b": 12, "made/c": 8, "made/d": 8} {
		for i := range n {
			for expect, text := range map[string]string{
				"STOP":     fmt.Sprintf("Fixed zebra %d and pushed it.\n\n- all tests pass\n- the branch is merged\n\n| file | lines |\n|---|---|\n| zebra | %d |\n\nNow it shows %d of %d stripes.", i, i, i+3, i+9),
				"CONTINUE": fmt.Sprintf("Zebra %d is measured.\n\nNow I'll update the tests:", i),
			} {
				name := fmt.Sprintf("%s-%s-%d", filepath.Base(source), strings.ToLower(expect), i)
				must(t, os.WriteFile(filepath.Join(dir, "sessions", name), []byte(prompt+"\n"+said(text)+"\n"), 0o600))
				stops = append(stops, fmt.Sprintf(`{"session":%q,"line":2,"expect":%q,"label":"OTHER","source":%q}`, name, expect, source))
			}
		}
	}
	must(t, os.WriteFile(filepath.Join(dir, "stops.jsonl"), []byte(strings.Join(stops, "\n")), 0o600))
	return dir
}
