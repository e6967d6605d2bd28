package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/display"
)

// hostile are texts that could be taken for markup.
func hostile() []string {
	return []string{
		"<script>alert(1)</script>", "</script><script>alert(1)</script>", "</style><style>*{display:none}</style>", "<!--<script>", "-->", "]]>", "<![CDATA[", "<img src=x onerror=alert(1)>",
		"javascript:alert(1)", `" onload="alert(1)`, "' onclick='alert(1)'", "{{.Policy}}", "${alert(1)}", "`", "\u2028alert(1)\u2029", "\u202etxet\u202c", "\x00\x1b[2J", "\xff\xfe",
		"&lt;script&gt;", "</textarea></title>", "<svg/onload=alert(1)>", "\\u003cscript\\u003e", "<base href=//evil>", "<meta http-equiv=refresh content=0>",
	}
}

func hostileReport(s string) Report {
	r := Report{
		Version: 1, Made: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC), Skipped: []Skipped{{s, s}},
		Scores: []Score{{Name: s, Note: s}, {Name: "ned-flanders"}, {Name: "lisa-simpson"}},
	}
	for i := range 3 {
		c := Choice{Decision: "continue", Rule: s, Evidence: s, Alone: "stop", Guard: s}
		r.Rows = append(r.Rows, Row{
			File: s, Line: i, Session: s, Project: s, Label: Answered, Means: WantStop, Text: s, Next: s, Todos: s, Skill: s, LastTool: s, At: time.Date(2026, time.Month(1+i), 1, 0, 0, 0, 0, time.UTC),
			Choices: []Choice{c, c, {Decision: "stop", Rule: "asks", Asks: true, Bytes: 10}},
		})
	}
	for _, l := range AllLabels() {
		r.Labels = append(r.Labels, LabelCount{l, l.MeaningOf(), 3})
	}
	r.FillInScores()
	return r
}

func pageOf(t testing.TB, r Report) string {
	t.Helper()
	var b bytes.Buffer
	must(t, WriteHTML(&b, r))
	return b.String()
}

// tag matches tags, comments and declarations outside of scripts and styles.
var (
	rawText = regexp.MustCompile(`(?s)<(script|style)([^>]*)>(.*?)</(?:script|style)>`)
	tag     = regexp.MustCompile(`<[a-zA-Z!/?][^>]*>?`)
	tagName = regexp.MustCompile(`^</?[a-zA-Z!?][a-zA-Z0-9-]*`)
	handler = regexp.MustCompile(`(?i)\son[a-z]+\s*=|javascript:|\sstyle\s*=`)
)

// harmless checks that a page has only our style, script and tags, and JSON data.
func harmless(t testing.TB, page string, ours map[string]bool) {
	t.Helper()
	raw := rawText.FindAllStringSubmatch(page, -1)
	var kinds []string
	for _, m := range raw {
		kinds = append(kinds, m[1]+m[2])
		switch m[1] + m[2] {
		case "style", "script":
			text, err := pageFiles.ReadFile("page/page." + map[string]string{"style": "css", "script": "js"}[m[1]])
			errorIf(t, err != nil || m[3] != string(text), "a %s that is not ours: %.80q", m[1], m[3])
			if !strings.Contains(page, strings.NewReplacer("'", "&#39;", "+", "&#43;").Replace(hashForPolicy(m[3]))) {
				t.Errorf("the policy does not name the %s", m[1])
			}
		default:
			var data any
			scratch.Equal(t, json.Unmarshal([]byte(m[3]), &data), nil, "the data is no JSON")
			errorIf(t, strings.ContainsAny(m[3], "<>&\u2028\u2029"), "the data has letters in it that can end it")
		}
	}
	want := []string{"style", `script type="application/json" id="data"`, "script"}
	errorIf(t, strings.Join(kinds, "|") != strings.Join(want, "|"), "the page has %q", kinds)
	for _, m := range tag.FindAllString(rawText.ReplaceAllString(page, ""), -1) {
		name := strings.ToLower(tagName.FindString(m))
		errorIf(t, !ours[name], "a tag that is not ours: %.100q", m)
		errorIf(t, handler.MatchString(m), "a tag that does something: %.100q", m)
		if strings.HasPrefix(name, "<base") || strings.HasPrefix(name, "<meta") && !strings.Contains(m, "charset") && !strings.Contains(m, "Policy") && !strings.Contains(m, "viewport") && !strings.Contains(m, "generator") && !strings.Contains(m, "referrer") {
			t.Errorf("%.100q", m)
		}
	}
}

// tagsOf returns the tags of a page with harmless texts.
func tagsOf(t testing.TB) map[string]bool {
	ours := map[string]bool{}
	for _, m := range tag.FindAllString(rawText.ReplaceAllString(pageOf(t, hostileReport("tame")), ""), -1) {
		ours[strings.ToLower(tagName.FindString(m))] = true
	}
	if len(ours) < 20 {
		t.Fatalf("tags %v", ours)
	}
	return ours
}

func TestPageIsHarmless(t *testing.T) {
	t.Parallel()
	ours := tagsOf(t)
	for _, s := range append(hostile(), strings.Join(hostile(), " ")) {
		page := pageOf(t, hostileReport(s))
		harmless(t, page, ours)
		if !strings.Contains(page[:2048], PageMark) || !strings.Contains(page, "default-src &#39;none&#39;") {
			t.Error("no mark, or no policy")
		}
	}
}

func FuzzPage(f *testing.F) {
	ours := tagsOf(f)
	for _, s := range hostile() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { harmless(t, pageOf(t, hostileReport(s)), ours) })
}

// manyRows is a report of 3n rows.
func manyRows(n int) Report {
	names := []string{"ned-flanders", "lisa-simpson", "bart-simpson"}
	return reportOf(names, rowsOf(n, MidWork, "go", "go", "asks"), rowsOf(n, Answered, "stop", "go", "held"), rowsOf(n, Nudge, "go", "stop", "go"))
}

// The page has the whole verdict.
func TestPageSaysTheVerdict(t *testing.T) {
	for _, r := range []Report{manyRows(400), manyRows(10)} {
		page := pageOf(t, r)
		for _, line := range r.VerdictRows() {
			want := fmt.Sprintf("%s</th><td class=\"words\">%s<", line[0], html.EscapeString(line[1]))
			errorIf(t, !strings.Contains(page, want), "no %s", want)
		}
		errorIf(t, !strings.Contains(page, html.EscapeString(r.Advice)), "no %s", r.Advice)
	}
}

// No text in the page is hidden from an editor or reversed by a browser.
func TestPageHidesNothing(t *testing.T) {
	const s = "\u202etxet\u202c\u009b\u200b\u200d\ufeff\U000e0041\x7f\x9b"
	for line := range strings.Lines(pageOf(t, hostileReport(s))) {
		if text := strings.Trim(line, "\n\t"); !utf8.ValidString(text) || strings.ContainsFunc(strings.ReplaceAll(text, "\t", ""), func(r rune) bool { return !display.IsShown(r) }) {
			t.Errorf("%q", text)
		}
	}
}

// An empty page has no script.
func TestPageOfNothing(t *testing.T) {
	for _, r := range []Report{{}, {Scores: []Score{{Name: "ned-flanders"}}}} {
		r.FillInScores()
		page := pageOf(t, r)
		if strings.Contains(page, "<script") || !strings.Contains(page, "the couch is empty") || !strings.Contains(page, "No session log was found") || strings.Count(page, "replay again") != 1 {
			t.Error(page)
		}
	}
}

const schemas = "../docs/schemas/"

// conforms checks a report against its published schema.
func conforms(t *testing.T, r Report) error {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schema, err := c.Compile(schemas + "replay.schema.json")
	must(t, err)
	data, err := json.Marshal(r)
	must(t, err)
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	must(t, err)
	return schema.Validate(v)
}

// A report fits its published schema: a full one, and one of nothing.
func TestSchema(t *testing.T) {
	check := func(r Report) error { return conforms(t, r) }
	full := alone(t, working("s", 1<<20, 3), CandidateNames()...)
	if len(full.Rows) == 0 || len(full.Scores) != len(CandidateNames()) {
		t.Fatalf("%d rows, %d scores", len(full.Rows), len(full.Scores))
	}
	must(t, check(full))
	scratch.Equal(t, check(replayed(t, t.TempDir())), nil, "without a session")
	full.Since, full.Partial, full.TooOld, full.Elsewhere, full.Skipped = full.Made, true, 1, 1, []Skipped{{"a", "b"}}
	scratch.Equal(t, check(full), nil, "with all that can be left out")
	full.Rows[0].Label = "new"
	errorIf(t, check(full) == nil, "the schema takes any label")
}
