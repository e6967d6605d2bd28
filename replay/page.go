// A report as one page of HTML: nothing is fetched, nothing else runs.
//
// What comes from a session is data. The figures are put in by html/template,
// which escapes by context; the rows are JSON in which no tag can end; the script
// of the page puts them in as text. A policy lets this style and this script run,
// by their hashes, and nothing else.

package replay

import (
	"bufio"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/display"
)

//go:embed page/page.html.tmpl page/page.css page/page.js
var pageFiles embed.FS

// PageMark is in every page that WriteHTML makes, near its beginning.
const PageMark = `<meta name="generator" content="springfield replay">`

// WriteHTML writes a report as a page.
func WriteHTML(w io.Writer, r Report) error {
	files := map[string]string{}
	for _, name := range []string{"page.html.tmpl", "page.css", "page.js"} {
		text, err := pageFiles.ReadFile("page/" + name)
		if err != nil {
			return fmt.Errorf("make page: %w", err)
		}
		// A checkout on Windows may have other line ends; a browser hashes what it
		// reads them as.
		files[name] = strings.ReplaceAll(string(text), "\r\n", "\n")
	}
	t, err := template.New("page").Parse(files["page.html.tmpl"])
	if err != nil {
		return fmt.Errorf("make page: %w", err)
	}
	data, err := json.Marshal(r.pageData()) // escapes <, >, & and the line ends of JavaScript
	if err != nil {
		return fmt.Errorf("make page: %w", err)
	}
	p := r.page()
	p.CSS, p.JS, p.Data = template.CSS(files["page.css"]), template.JS(files["page.js"]), template.JS(data)
	p.Policy = "default-src 'none'; style-src " + hashOf(files["page.css"]) + "; script-src " + hashOf(files["page.js"]) + "; base-uri 'none'; form-action 'none'"
	// The page is large: not once more in memory. Names of files and rules stand in it
	// beside the rows, and in its JSON an escape is the same value.
	b := bufio.NewWriter(display.Writer(w))
	if err := t.Execute(b, p); err != nil {
		return fmt.Errorf("make page: %w", err)
	}
	return b.Flush()
}

// hashOf is how a policy names what may run.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// page is what the template sees.
type page struct {
	Policy            string
	CSS               template.CSS
	JS, Data          template.JS
	Stops, Work, Rows int
	Sessions, Files   int
	Made, Since       string
	Partial, Redacted bool
	Few               bool
	Marked            string // whose marks stand at the end of a row
	Advice            string
	Labels            []pageLabel
	Scores            []pageScore
	Notes             []string
	Skipped           []Skipped
}

type pageLabel struct {
	Name, Means, Share string
	N                  int
	Bar                []bar
}

type pageScore struct {
	Name, Cost, Saved, Reads string
	OnlyAsks, Open           bool
	Caught, Wrong            whisker
	Precision, Nudges        whisker
	Asked                    int
	Rules                    []pageRule
	Guards                   []Count
	Timeline                 *timeline
	Projects                 []pagePart
}

type pageRule struct {
	Name, Decision        string
	Right, Wrong, Unknown int
	Bar                   []bar
}

type pagePart struct{ Name, Caught, Wrong string }

// whisker is a share, of how many, and its interval on a line from 4 to 156.
type whisker struct {
	Title, Text, Of, Interval string
	X, X1, X2                 string
	Bad, None                 bool // none: there is nothing to have a share of
}

// bar is a part of a bar that is 140 long.
type bar struct {
	Class, X, W string
}

type timeline struct {
	Width   int
	Label   string
	Columns []column
}

type column struct {
	X, X2                       int
	Y, H, Y2, H2                string
	Month, Year                 string
	Name, Caught, Wrong, Titled string
}

// few rows of a kind: the page says so.
const few = 100

func (r Report) page() page {
	p := page{
		Rows: len(r.Rows), Sessions: r.Sessions, Files: r.Files, Partial: r.Partial, Redacted: r.Redacted,
		Advice: clean(r.Advice), Skipped: slices.Clone(r.Skipped),
	}
	if !r.Made.IsZero() {
		p.Made = r.Made.UTC().Format("2 January 2006")
	}
	if !r.Since.IsZero() {
		p.Since = r.Since.Format("2 January 2006")
	}
	most := 1
	for i := range r.Rows {
		if r.Rows[i].Label == MidWork {
			p.Work++
		} else {
			p.Stops++
		}
	}
	for _, l := range r.Labels {
		most = max(most, l.N)
	}
	for _, l := range r.Labels {
		if l.N > 0 {
			class, means := "fill-idle", "nobody knows"
			switch {
			case l.Label == MidWork:
				class, means = "fill-sun", "no stop: what Claude says when work goes on"
			case l.Means == WantStop:
				class, means = "fill-good", "right"
			case l.Means == WantContinue:
				class, means = "fill-sun", "one too many"
			}
			p.Labels = append(p.Labels, pageLabel{string(l.Label), means, shareText(float64(l.N) / float64(max(1, len(r.Rows)))), l.N, []bar{barOf(class, 0, l.N, most)}})
		}
	}
	best := r.best()
	var marked []string
	for i, s := range r.Scores {
		if !s.OnlyAsks {
			marked = append(marked, clean(s.Name))
		}
		if len(r.Rows) > 0 && !s.OnlyAsks && (s.Caught.Of < few || s.Wrong.Of < few) {
			p.Few = true
		}
		p.Scores = append(p.Scores, s.page(i == best))
		if s.Note != "" {
			p.Notes = append(p.Notes, clean(s.Name+": "+s.Note))
		}
	}
	p.Marked = strings.Join(marked, ", ")
	for i := range p.Skipped {
		p.Skipped[i] = Skipped{clean(p.Skipped[i].File), clean(p.Skipped[i].Why)}
	}
	return p
}

func (s Score) page(open bool) pageScore {
	p := pageScore{
		Name: clean(s.Name), OnlyAsks: s.OnlyAsks, Open: open, Asked: s.Asked.N, Cost: "$0", Saved: "–",
		Caught: whiskerOf("caught", s.Caught), Wrong: whiskerOf("run over", s.Wrong), Precision: whiskerOf("right when it goes on", s.Precision), Nudges: whiskerOf("nudges saved", s.Nudges),
		Timeline: timelineOf(s.Months),
	}
	p.Wrong.Bad = true
	if s.Asked.N > 0 {
		p.Reads = sizeText(s.Bytes)
		if p.Cost = "<$0.01"; s.Dollars >= 0.005 {
			p.Cost = fmt.Sprintf("$%.2f", s.Dollars)
		}
	}
	if s.Saved >= 60 {
		p.Saved = fmt.Sprintf("%.0f min", s.Saved/60)
	}
	if s.Saved >= 7200 {
		p.Saved = fmt.Sprintf("%.0f h", s.Saved/3600)
	}
	most := 1
	for _, rule := range s.Rules {
		most = max(most, rule.Right+rule.Wrong+rule.Unknown)
	}
	for _, rule := range s.Rules {
		p.Rules = append(p.Rules, pageRule{clean(rule.Rule), rule.Decision, rule.Right, rule.Wrong, rule.Unknown, []bar{
			barOf("fill-good", 0, rule.Right, most), barOf("fill-bad", rule.Right, rule.Wrong, most), barOf("fill-idle", rule.Right+rule.Wrong, rule.Unknown, most),
		}})
	}
	for _, g := range s.Guards {
		p.Guards = append(p.Guards, Count{clean(g.Name), g.N})
	}
	for _, part := range s.Projects {
		p.Projects = append(p.Projects, pagePart{clean(part.Name), ofText(part.Caught), ofText(part.Wrong)})
	}
	return p
}

func ofText(r Rate) string {
	if r.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%d of %d", r.N, r.Of)
}

func whiskerOf(title string, r Rate) whisker {
	at := func(share float64) string { return fmt.Sprintf("%.1f", 4+152*share) }
	return whisker{
		Title: title, None: r.Of == 0, Text: shareText(r.Share()), Of: ofText(r), Interval: strings.TrimSuffix(shareText(r.Low), " %") + "–" + shareText(r.High),
		X: at(r.Share()), X1: at(r.Low), X2: at(r.High),
	}
}

// shareText is a share in per cent, with a digit behind the point where that is
// not nothing.
func shareText(share float64) string {
	switch p := 100 * share; {
	case p > 0 && p < .05:
		return "<0.1 %"
	case p >= .05 && p < 9.95, p > 99.05 && p < 99.95:
		return fmt.Sprintf("%.1f %%", p)
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

func sizeText(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1_000_000:
		return fmt.Sprintf("%d KB", n/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

func barOf(class string, from, n, most int) bar {
	scale := 140 / float64(most)
	return bar{class, fmt.Sprintf("%.1f", float64(from)*scale), fmt.Sprintf("%.1f", float64(n)*scale)}
}

// maxColumns is how many months a timeline shows, the newest.
const maxColumns = 24

func timelineOf(months []Part) *timeline {
	months = slices.DeleteFunc(slices.Clone(months), func(m Part) bool { return m.Name == "" })
	months = months[max(0, len(months)-maxColumns):]
	if len(months) < 2 {
		return nil
	}
	t := &timeline{Width: 34 * len(months), Label: "Caught and run over, by month"}
	for i, m := range months {
		y := func(r Rate) (string, string) {
			h := 76 * r.Share()
			return fmt.Sprintf("%.1f", 80-h), fmt.Sprintf("%.1f", h)
		}
		c := column{X: 34*i + 2, X2: 34*i + 21, Name: m.Name, Caught: ofText(m.Caught), Wrong: ofText(m.Wrong)}
		c.Titled = fmt.Sprintf("%s: caught %s, run over %s", c.Name, c.Caught, c.Wrong)
		c.Y, c.H = y(m.Caught)
		c.Y2, c.H2 = y(m.Wrong)
		year, month, _ := strings.Cut(m.Name, "-")
		c.Month = month
		if i == 0 || !strings.HasPrefix(months[i-1].Name, year) {
			c.Year = year
		}
		t.Columns = append(t.Columns, c)
	}
	return t
}

// pageData are the rows for the page's script: arrays, because there are many,
// and texts that come again as their numbers.
func (r Report) pageData() any {
	type label struct {
		Name  string `json:"name"`
		Means Expect `json:"means"`
		N     int    `json:"n"`
		// Hooked tells whether a model would have been asked there.
		Hooked bool `json:"hooked"`
	}
	var data struct {
		Scores   []string `json:"scores"`
		Deciding []int    `json:"deciding"`
		OnlyAsks []int    `json:"onlyAsks"`
		Best     int      `json:"best"` // the strategy to begin with
		Labels   []label  `json:"labels"`
		Texts    []string `json:"texts"`
		Rows     [][]any  `json:"rows"`
	}
	// No null: the script goes through all of them.
	data.Scores, data.Deciding, data.OnlyAsks, data.Rows = []string{}, []int{}, []int{}, [][]any{}
	data.Best = max(0, r.best())
	for i, s := range r.Scores {
		data.Scores = append(data.Scores, clean(s.Name))
		if s.OnlyAsks {
			data.OnlyAsks = append(data.OnlyAsks, i)
		} else {
			data.Deciding = append(data.Deciding, i)
		}
	}
	labels := map[Label]int{}
	for _, l := range Labels() {
		labels[l] = len(data.Labels)
		data.Labels = append(data.Labels, label{string(l), l.Means(), 0, l.Hooked()})
	}
	numbers := map[string]int{}
	number := func(text string) int {
		text = clean(text)
		n, ok := numbers[text]
		if !ok {
			n = len(data.Texts)
			numbers[text] = n
			data.Texts = append(data.Texts, text)
		}
		return n
	}
	number("")
	for i := range r.Rows {
		row := &r.Rows[i]
		data.Labels[labels[row.Label]].N++
		at := int64(0)
		if !row.At.IsZero() {
			at = row.At.Unix()
		}
		choices := [][]any{}
		for _, c := range row.Choices {
			does := 0
			if c.Decision == "continue" {
				does |= 1
			}
			if c.Asks {
				does |= 2
			}
			choices = append(choices, []any{does, number(c.Rule), number(c.Evidence), number(c.Alone), number(c.Guard), c.Bytes})
		}
		data.Rows = append(data.Rows, []any{
			number(row.File), row.Line, number(row.Project), at, labels[row.Label], clean(row.Text), clean(row.Next), row.Idle,
			number(row.Todos), number(row.Skill), number(row.LastTool), choices,
		})
	}
	return data
}

// clean marks what a reader does not see, or what turns the writing round: unlike
// display.Text it leaves a dot, because the page is where a message is looked at.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || display.IsJoiner(r):
			return r
		case !display.Shows(r):
			return '·'
		case r == utf8.RuneError:
			return '?'
		}
		return r
	}, text)
}
