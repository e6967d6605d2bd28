package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const closings = "../../closings"

// The closings are what closings/README.md says of them.
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
		rows, err := readClosings(filepath.Join(closings, half))
		if err != nil {
			t.Fatal(err)
		}
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

func TestScoreClosings(t *testing.T) {
	dir := t.TempDir()
	for half, rows := range map[string]string{
		"dev": `{"id":"x-en-1","lang":"en","expect":"continue","kind":"announce","hard":false,"text":"Now I'll write the parser."}
{"id":"x-en-2","lang":"en","expect":"stop","kind":"question","hard":true,"text":"Shall I go on?"}
{"id":"x-de-3","lang":"de","expect":"continue","kind":"heading","hard":false,"text":"Kürbis"}`,
		"check": `{"id":"x-en-4","lang":"en","expect":"stop","kind":"report","hard":false,"text":"Secret text. Now I'll write the parser."}`,
	} {
		if err := os.MkdirAll(filepath.Join(dir, half), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, half, "x.jsonl"), []byte(rows+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := scoreClosings(&out, dir, true, nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`(?s)^dev: 3 closings.*\ndefault\n  all +wrongly continued 0 of 1 \(0\.0 %, 0\.0–[\d.]+\) +caught 1 of 2 \(50\.0 %`,
		`  language de +wrongly continued no rows +caught 0 of 1`,
		`  kind question +wrongly continued 0 of 1 .* caught no rows`,
		`(?s)check: 1 closings\ndefault\n  all +wrongly continued 1 of 1`,
		`x-de-3 continue heading: rule \S+, .*\nKürbis`,
	} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("no match for %s in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "Secret text") {
		t.Error("a row of check is shown")
	}
	for rows, want := range map[string]string{
		"{":                              "line 1",
		`{"expect":"go"}`:                "neither continue nor stop",
		`{"expect":"stop","other":true}`: "other",
	} {
		if err := os.WriteFile(filepath.Join(dir, "dev", "x.jsonl"), []byte(rows), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := scoreClosings(&bytes.Buffer{}, dir, false, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", rows, err)
		}
	}
}
