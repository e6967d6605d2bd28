package replay

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestShape(t *testing.T) {
	for text, want := range map[string]string{
		"Now I'll update Docs/README.md:":     "Xxx X'xx xxxxxx Xxxx/XXXXXX.xx:",
		"OTP 481516":                          "XXX 000000",
		"Größe: ٣ – ok? 🔑\u202e\x1b[2J":       "Xxxxx: 0 – xx? ···[0X",
		"Done.\n\n- 日本 (\"a\")\u200b e\u0301": "Xxxx.\n\n- xx (\"x\")· xx",
	} {
		if got := shape(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// words are what must not be left: runs of four letters or more.
var words4 = regexp.MustCompile(`\pL{4,}`)

// redacted is a report with s in every text, redacted: its values, a line each.
func redacted(t testing.TB, s string) string {
	t.Helper()
	r := Report{
		Skipped: []Skipped{{s, s}},
		Rows:    []Row{{File: s, Session: s, Project: s, Label: Answered, Means: WantStop, Text: s, Next: s, Todos: s, Skill: s, LastTool: s, Choices: []Choice{{Decision: "stop", Rule: s, Evidence: s, Guard: s}}}},
		Scores:  []Score{{Name: s + ".json", Note: s}},
	}
	r.Score()
	r.Scores[0].Guards = append(r.Scores[0].Guards, Count{s, 1})
	r.Redact()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var all any
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return values(all)
}

// values are the texts in a JSON value, a line each.
func values(v any) (all string) {
	switch v := v.(type) {
	case string:
		return v + "\n"
	case []any:
		for _, item := range v {
			all += values(item)
		}
	case map[string]any:
		for _, member := range v {
			all += values(member)
		}
	}
	return all
}

func TestRedactLeavesNothing(t *testing.T) {
	const secret = "Zebrafish-Quokka/Platypus 80486 ärgerlich"
	got := redacted(t, secret)
	for _, word := range append(words4.FindAllString(secret, -1), "80486") {
		if strings.Contains(got, word) {
			t.Errorf("%q is left in %s", word, got)
		}
	}
	r := Report{Rows: []Row{
		{File: "/a", Session: "s", Project: "/p", LastTool: "Bash", Todos: "2/5 complete, 3 pending", Choices: []Choice{{Rule: "intent", Guard: "plan-mode"}}},
		{File: "/b", Session: "s", Project: "/p", LastTool: "mcp__secret__tool", Todos: "secret"},
	}, Scores: []Score{{Name: "ned-flanders", Projects: []Part{{Name: "/p"}, {Name: Others}}}}}
	r.Redact()
	one, two := r.Rows[0], r.Rows[1]
	if one.File != "file-1" || two.File != "file-2" || one.Session != two.Session || one.Project != "project-1" || r.Scores[0].Projects[0].Name != "project-1" || r.Scores[0].Projects[1].Name != Others {
		t.Errorf("%+v %+v %+v", one, two, r.Scores[0].Projects)
	}
	if one.LastTool != "Bash" || one.Todos != "2/5 complete, 3 pending" || one.Choices[0].Rule != "intent" || one.Choices[0].Guard != "plan-mode" || two.LastTool != "xxx__xxxxxx__xxxx" || two.Todos != "xxxxxx" || r.Scores[0].Name != "ned-flanders" {
		t.Errorf("%+v %+v", one, two)
	}
}

// No word survives but what a report says by itself.
func FuzzRedact(f *testing.F) {
	own := map[string]bool{}
	for _, word := range words4.FindAllString(redacted(f, ""), -1) {
		own[word] = true
	}
	for _, s := range []string{"hello world", "/home/lisa/saxophone", "ключ от квартиры", "a\u0301b\u0301c\u0301d\u0301", "パスワード", "\xff\xfeabcd", "\tlod", ">uaG"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if builtIn()[s] || isTool(s) {
			return
		}
		for _, word := range words4.FindAllString(redacted(t, s), -1) {
			if !own[word] && strings.Trim(word, "xX") != "" && !slices.Contains([]string{"file", "session", "project", "rules"}, word) {
				t.Errorf("%q is left of %q", word, s)
			}
		}
	})
}
