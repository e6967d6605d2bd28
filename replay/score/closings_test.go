// Package score measures rules on labelled stops and on closings, with tests that make score runs. Closings are last
// messages by independent authors, labelled, without a session.
package score

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/replay"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

var (
	printed = flag.Bool("scores", false, "print the scores")
	lang    = flag.String("lang", "", "languages to score, with commas between them; of these only what may be read is scored")
)

const closings = "../../closings"

// closing is a labelled last message.
type closing struct {
	ID     string `json:"id"`
	Lang   string `json:"lang"`   // as in BCP 47
	Expect string `json:"expect"` // continue or stop
	Kind   string `json:"kind"`   // what it is, as closings/README.md lists
	Hard   bool   `json:"hard"`   // it has words of the other side
	Text   string `json:"text"`

	author string
}

// scoreClosings decides on every closing of dev, on which rules may be shaped, and of check, whose rows are
// never shown. With chosen languages, ned-flanders alone decides on dev.
func scoreClosings(t *testing.T, out io.Writer, dir string, verbose bool, only []string) {
	halves, ways := []string{"dev", "check"}, contests()
	if len(only) > 0 {
		halves, ways = halves[:1], ways[:1]
	}
	for _, half := range halves {
		rows := readClosings(t, filepath.Join(dir, half))
		if len(only) > 0 {
			rows = slices.DeleteFunc(rows, func(r closing) bool { return !slices.Contains(only, r.Lang) })
		}
		fmt.Fprintf(out, "%s: %d closings\n", half, len(rows))
		for _, c := range ways {
			if c.alone {
				continue // there is no guard that a closing could meet
			}
			scoreHalf(t, out, c, rows, verbose && half == "dev")
		}
	}
}

// parts are the ways to cut rows, for the strategy whose rules are read closely.
func parts() map[string]func(closing) string {
	return map[string]func(closing) string{
		"author":   func(c closing) string { return c.author },
		"language": func(c closing) string { return c.Lang },
		"kind":     func(c closing) string { return c.Kind },
		"hard":     func(c closing) string { return fmt.Sprint(c.Hard) },
	}
}

func scoreHalf(t *testing.T, out io.Writer, c contest, rows []closing, verbose bool) {
	all := tallies{}
	for _, r := range rows {
		v := decide(t, c, "", r.Text)
		goesOn := v.Decision == strategy.Continue || c.oracle && v.Page != "" && r.Expect == "continue"
		all.count("all", r, goesOn)
		all.count(map[bool]string{true: "English", false: "other languages"}[r.Lang == "en"], r, goesOn)
		if v.Page != "" {
			all.asked++
		}
		for name, part := range parts() {
			all.count(name+"\t"+part(r), r, goesOn)
		}
		if verbose && c.name == "default" && goesOn != (r.Expect == "continue") {
			fmt.Fprintf(out, "%s %s %s: rule %s, %s\n%s\n\n", r.ID, r.Expect, r.Kind, v.Rule, v.Evidence, r.Text)
		}
	}
	fmt.Fprintf(out, "%s\n", c.name)
	for _, name := range []string{"all", "English", "other languages"} {
		all.line(out, name, name)
	}
	if all.asked > 0 {
		fmt.Fprintf(out, "  %-24s %d of %d\n", "asks a judge", all.asked, len(rows))
	}
	if c.name != "default" {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(all.of)) {
		if name, value, ok := strings.Cut(key, "\t"); ok {
			all.line(out, key, name+" "+value)
		}
	}
}

// tallies are rates by part.
type tallies struct {
	of    map[string]*[2]replay.Rate // wrongly continued, caught
	asked int
}

func (t *tallies) count(key string, r closing, goesOn bool) {
	if t.of == nil {
		t.of = map[string]*[2]replay.Rate{}
	}
	if t.of[key] == nil {
		t.of[key] = &[2]replay.Rate{}
	}
	rate := &t.of[key][0]
	if r.Expect == "continue" {
		rate = &t.of[key][1]
	}
	rate.Of++
	if goesOn {
		rate.N++
	}
}

func (t tallies) line(out io.Writer, key, name string) {
	rates := t.of[key]
	if rates == nil {
		return
	}
	fmt.Fprintf(out, "  %-24s wrongly continued %-28s caught %s\n", name, spoken(rates[0]), spoken(rates[1]))
}

// spoken is a rate with its interval: 3 of 60 (5.0 %, 1.7–13.7).
func spoken(r replay.Rate) string {
	if r.Of == 0 {
		return "no rows"
	}
	r.ComputeInterval()
	return fmt.Sprintf("%d of %d (%.1f %%, %.1f–%.1f)", r.N, r.Of, 100*float64(r.N)/float64(r.Of), 100*r.Low, 100*r.High)
}

// readClosings reads the files of a directory, one per author.
func readClosings(t *testing.T, dir string) (all []closing) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	must(t, err)
	if len(files) == 0 {
		t.Fatalf("%s has no *.jsonl", dir)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		must(t, err)
		for n, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
			c := closing{author: strings.TrimSuffix(filepath.Base(file), ".jsonl")}
			d := json.NewDecoder(bytes.NewReader(line))
			d.DisallowUnknownFields()
			if err := d.Decode(&c); err != nil || c.Expect != "continue" && c.Expect != "stop" {
				t.Fatalf("%s: line %d: expect %q, which has to be continue or stop: %v", file, n+1, c.Expect, err)
			}
			all = append(all, c)
		}
	}
	return all
}

// The closings keep the terms of closings/README.md.
func TestClosingsKeepTheirTerms(t *testing.T) {
	kinds := map[string]string{}
	for expect, list := range map[string]string{
		"continue": "transition announce heading left progress cutoff fix",
		"stop":     "question buried-question offer report report-next waiting blocked choice instruct answer plan team",
	} {
		for _, kind := range strings.Fields(list) {
			kinds[kind] = expect
		}
	}
	ids, texts := map[string]bool{}, map[string]bool{}
	authors, langs, hard, continues, all := map[string]int{}, map[string]int{}, 0, 0, 0
	for _, half := range []string{"dev", "check"} {
		rows := readClosings(t, filepath.Join(closings, half))
		for _, r := range rows {
			if ids[r.ID] || texts[r.Text] || strings.TrimSpace(r.Text) == "" || !strings.HasPrefix(r.ID, r.author+"-"+r.Lang+"-") {
				t.Errorf("%s: the id or the text is there twice, or is not its author's", r.ID)
			}
			if kinds[r.Kind] != r.Expect {
				t.Errorf("%s: %s is no kind of %s", r.ID, r.Kind, r.Expect)
			}
			ids[r.ID], texts[r.Text] = true, true
			all++
			authors[r.author]++
			langs[r.Lang]++
			if r.Hard {
				hard++
			}
			if r.Expect == "continue" {
				continues++
			}
		}
	}
	for author, n := range authors {
		if 4*n > all {
			t.Errorf("%s wrote %d of %d", author, n, all)
		}
	}
	for lang, n := range langs {
		if n < 60 {
			t.Errorf("only %d in %s", n, lang)
		}
	}
	if all < 2500 || len(langs) < 19 || 100*hard < 38*all || 100*hard > 42*all || 100*continues < 48*all || 100*continues > 52*all {
		t.Errorf("%d rows in %d languages, %d of them hard, %d continues", all, len(langs), hard, continues)
	}
}

// The rules alone decide each example of a language correctly.
func TestExamples(t *testing.T) {
	rows := readClosings(t, filepath.Join(closings, "examples"))
	ned := rulesAlone()
	for _, r := range rows {
		v := decide(t, ned, "", r.Text)
		if goesOn := v.Decision == strategy.Continue; goesOn != (r.Expect == "continue") {
			t.Errorf("%s: %s by %s", r.ID, v.Decision, v.Rule)
		}
	}
}

// With -scores this prints the scores; -v lists the rows of dev that are decided wrongly.
func TestScoreClosings(t *testing.T) {
	if *printed {
		scoreClosings(t, &display.SafeWriter{To: os.Stdout}, closings, testing.Verbose(), strings.FieldsFunc(*lang, func(r rune) bool { return r == ',' }))
		return
	}
	var out bytes.Buffer
	scoreClosings(t, &out, closings, true, nil)
	if want := regexp.MustCompile(`(?s)^dev: \d+ closings\n.*\ncheck: \d+ closings\ndefault\n  all +wrongly continued \d+ of \d+ \(`); !want.MatchString(out.String()) {
		t.Errorf("no match for %s in\n%s", want, out.String())
	}
	secret := readClosings(t, filepath.Join(closings, "check"))
	for _, c := range secret {
		if strings.Contains(out.String(), c.ID) {
			t.Errorf("%s, a row of check, is shown", c.ID)
		}
	}
}
