package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const tree = "../.."

// odd are words and phrases that are not plain English, or not the field's own.
var odd = regexp.MustCompile(`(?i)\b(nobody|somebody|whoever|anybody|whosoever)\b` + `|` + strings.Join([]string{
	`when it does not do? what you want`, `is to be listed as wrong`, `live in your next`, `stop by otherwise`, `\brun over\b`, `\bruns over you\b`,
	`that will not do\b`, `is here or switched on`, `loop rests\b`, `is there twice`, `passed over`, `passes over`, `has it forgotten`,
	`the one not known`, `nothing is to do\b`, `it is no shell`, `no other than`, `none of its own\b`,
	`\bmend(s|ed|ing)?\b`, `\banew\b`, `(is|are|has) on file\b`, `is not on record`, `\bis no (JSON|token|address|message|name|regular|whole number|list|field)\b`, `\blies? (in|below|at|outside|there|now|where)\b`,
	`cannot be told`, `length of time`, `what to do is said`, `lets Claude stop always`, `call (it|this|springfield) again`, `(have|having|has) (the claude command|Claude Code) (fetch|forget)`,
}, "|"))

func TestPlainEnglish(t *testing.T) {
	all, err := Collect(tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if found := odd.FindString(s.Text); found != "" {
			t.Errorf("%s:%d: %q is not plain English: %s", s.File, s.Line, found, s.Text)
		}
	}
}

// Links between documents lead to a file, and to a heading of it.
func TestLinksLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]*)\)`)
	pages, err := filepath.Glob(filepath.Join(tree, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "closings/README.md"} {
		pages = append(pages, filepath.Join(tree, name))
	}
	found := 0
	for _, page := range pages {
		for _, m := range link.FindAllStringSubmatch(contents(t, page), -1) {
			file, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(file, "://") || strings.Contains(m[1], "{{") {
				continue
			}
			found++
			target := page
			if file != "" {
				target = filepath.Join(filepath.Dir(page), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %s leads nowhere", page, m[1])
			} else if anchor != "" && !anchors(contents(t, target))[anchor] {
				t.Errorf("%s: %s has no heading of that name", page, m[1])
			}
		}
	}
	if found < 50 {
		t.Errorf("%d links found", found)
	}
}

func contents(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// anchors are the names that GitHub gives to headings.
func anchors(text string) map[string]bool {
	sign := regexp.MustCompile(`[^\pL\pN _-]`)
	all := map[string]bool{}
	for line := range strings.Lines(text) {
		if title := strings.TrimLeft(line, "#"); title != line && strings.HasPrefix(title, " ") {
			all[strings.ReplaceAll(sign.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), ""), " ", "-")] = true
		}
	}
	return all
}

func TestCollect(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"cmd/x.go":                   "package x\n\nimport \"a/b c\"\n\nvar _ = errors.New(\"read it: \" + name + \". Then stop\")\nvar _ = m[\"two words\"]\nvar _ = T{A: `one`, B: `x` + `y z`}\n",
		"cmd/x_test.go":              "package x\n\nvar _ = \"not for people\"\n",
		"docs/a.md":                  "# The title here\n\nOne sentence. Another\none, of two lines.\n\n    code is left out\n\n| a cell here | b |\n",
		"templates/x/README.md.tmpl": "Hello there.\n",
		"Makefile":                   "x: ## does a thing\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := run(&out, dir, ""); err != nil {
		t.Fatal(err)
	}
	got, _, _ := strings.Cut(out.String(), "     2  in the code")
	want := "\ncmd/x.go\n    5  read it: ….\n    5  Then stop\n\ntemplates/x/README.md.tmpl\n    1  Hello there.\n\n" +
		"docs/a.md\n    1  The title here\n    3  One sentence.\n    3  Another one, of two lines.\n    8  a cell here\n\nMakefile\n    1  does a thing\n\n"
	if got != want {
		t.Errorf("listed\n%s\nnot\n%s", got, want)
	}
	out.Reset()
	if err := run(&out, dir, dir); err != nil || !strings.Contains(out.String(), "     8       8       8       0       0  all\n") {
		t.Errorf("compared with itself: %v\n%s", err, &out)
	}
}
