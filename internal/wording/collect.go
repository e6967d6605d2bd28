package main

import (
	"cmp"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentence is something that a person reads, or a phrase of it.
type Sentence struct {
	File string
	Line int
	Kind string
	Text string
}

// What sentences come from.
const (
	code      = "in the code: errors, hints, help, labels, questions, reasons"
	generated = "in templates: what generated plugins and suites say"
	document  = "in documents: README, docs, CONTRIBUTING, SECURITY, closings"
	schema    = "in JSON Schemas"
	page      = "in the page of replay"
	command   = "in make help and make demo"
)

func kinds() []string { return []string{code, generated, document, schema, page, command} }

// kindOf tells what a file is, by its name; "" if it says nothing to people.
func kindOf(name string) string {
	dir, _, _ := strings.Cut(name, "/")
	switch ext := path.Ext(name); {
	case dir == "e2e" && name != "e2e/demo.sh", dir == "internal" && name != "internal/layout", dir == "hostile",
		strings.HasSuffix(name, "_test.go"), strings.Contains(name, "testdata/"), strings.HasPrefix(name, "runtime/language/"), path.Base(name) == "schemas.go":
		return ""
	case dir == "templates" && (strings.HasSuffix(name, ".md.tmpl") || strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml.tmpl") || strings.HasPrefix(name, "templates/shared/parts/")):
		return generated
	case strings.HasSuffix(name, ".schema.json") && dir == "docs":
		return schema
	case strings.HasPrefix(name, "replay/page/") && ext != ".css":
		return page
	case name == "Makefile", name == "e2e/demo.sh":
		return command
	case ext == ".md" && (!strings.Contains(name, "/") || dir == "docs" || dir == "closings"):
		return document
	case ext == ".go":
		return code
	}
	return ""
}

// Collect reads a checkout.
func Collect(tree string) ([]Sentence, error) {
	var all []Sentence
	err := filepath.WalkDir(tree, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); file != tree && strings.HasPrefix(base, ".") && base != ".github" {
				return filepath.SkipDir
			}
			return nil
		}
		name, err := filepath.Rel(tree, file)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		kind := kindOf(name)
		if kind == "" {
			return nil
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		found, err := read(name, kind, string(data))
		for _, s := range found {
			s.File, s.Kind = name, kind
			all = append(all, s)
		}
		return err
	})
	slices.SortStableFunc(all, func(a, b Sentence) int {
		return cmp.Or(cmp.Compare(slices.Index(kinds(), a.Kind), slices.Index(kinds(), b.Kind)), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	if err == nil && len(all) == 0 {
		err = errors.New("nothing found: is " + tree + " a checkout of springfield?")
	}
	return all, err
}

func read(name, kind, text string) ([]Sentence, error) {
	switch {
	case kind == code:
		return goStrings(name, text)
	case kind == command:
		return commandLines(text), nil
	case kind == schema, strings.HasSuffix(name, ".js"):
		return quoted(text), nil
	case strings.HasSuffix(name, ".yaml"), strings.HasSuffix(name, ".yml.tmpl"):
		return members(text), nil
	case kind == page:
		return markup(text), nil
	}
	return markdown(text), nil
}

// goStrings lists the string literals of a file that have at least two words. Import
// paths, tags, patterns and the keys of maps and indexes are not among them.
func goStrings(name, text string) ([]Sentence, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, 0)
	if err != nil {
		return nil, err
	}
	var all []Sentence
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec, *ast.IndexExpr:
			return false
		case *ast.Field:
			n.Tag = nil
		case *ast.CallExpr:
			if is := called(n); is == "MustCompile" || is == "Contains" || is == "HasPrefix" || is == "HasSuffix" || is == "Cut" || is == "CutPrefix" {
				return false
			}
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); ok && (id.Name == "Ending" || id.Name == "Says") {
				return false // what a rule looks for in a message
			}
		case *ast.BinaryExpr:
			if n.Op == token.ADD && isText(n) {
				all = append(all, sentences(files.Position(n.Pos()).Line, joined(n))...)
				return false
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				all = append(all, sentences(files.Position(n.Pos()).Line, joined(n))...)
			}
		}
		return true
	})
	return all, nil
}

func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

// isText tells whether a sum has a literal, so that it is a text.
func isText(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.STRING
	case *ast.BinaryExpr:
		return isText(e.X) || isText(e.Y)
	}
	return false
}

// joined is a text as it is read, with … for what is not a literal.
func joined(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return text
		}
	case *ast.BinaryExpr:
		return joined(e.X) + joined(e.Y)
	}
	return "…"
}

// commandLines are the descriptions of targets, comments left out, and what a script
// prints.
func commandLines(text string) []Sentence {
	var all []Sentence
	number := 0
	for line := range strings.Lines(text) {
		number++
		if _, says, ok := strings.Cut(line, "## "); ok {
			all = append(all, sentences(number, says)...)
		} else if says, ok := strings.CutPrefix(strings.TrimSpace(line), "say "); ok {
			all = append(all, sentences(number, strings.Trim(says, `"'`))...)
		}
	}
	return all
}

var inQuotes = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|` + "`[^`]*`")

// quoted are the strings of a JSON or JavaScript file.
func quoted(text string) []Sentence {
	var all []Sentence
	number := 0
	for line := range strings.Lines(text) {
		number++
		if strings.HasPrefix(strings.TrimSpace(line), "//") || strings.Contains(line, `"pattern"`) {
			continue
		}
		for _, q := range inQuotes.FindAllString(line, -1) {
			says := q[1 : len(q)-1]
			if unquoted, err := strconv.Unquote(q); err == nil {
				says = unquoted
			}
			all = append(all, sentences(number, says)...)
		}
	}
	return all
}

// members are the values of a YAML file.
func members(text string) []Sentence {
	var all []Sentence
	member := regexp.MustCompile(`^\s*-?\s*[A-Za-z_-]+:\s+(.*)`)
	number := 0
	for line := range strings.Lines(text) {
		number++
		switch m := member.FindStringSubmatch(strings.TrimRight(line, "\n")); {
		case strings.HasPrefix(strings.TrimSpace(line), "#"), strings.HasPrefix(strings.TrimSpace(line), "- {"):
		case m != nil:
			all = append(all, sentences(number, m[1])...)
		default:
			all = append(all, sentences(number, line)...)
		}
	}
	return all
}

var tag = regexp.MustCompile(`<[^>]*>|\{\{[^}]*\}\}`)

// markup is the text between tags.
func markup(text string) []Sentence {
	var all []Sentence
	number := 0
	for line := range strings.Lines(text) {
		number++
		for _, part := range tag.Split(line, -1) {
			all = append(all, sentences(number, part)...)
		}
	}
	return all
}

var begins = regexp.MustCompile(`^(#+ |[-*] |\d+\. |\||> )`)

// markdown lists paragraphs, headings, entries and cells; code is left out.
func markdown(text string) []Sentence {
	var all []Sentence
	paragraph, from, number, fenced := "", 0, 0, false
	flush := func() {
		all = append(all, sentences(from, paragraph)...)
		paragraph = ""
	}
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\n")
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "```"):
			flush()
			fenced = !fenced
		case fenced, paragraph == "" && strings.HasPrefix(line, "    "), trimmed == "":
			flush()
		case strings.HasPrefix(trimmed, "|"):
			flush()
			for _, cell := range strings.Split(strings.Trim(trimmed, "|"), "|") {
				all = append(all, sentences(number, cell)...)
			}
		default:
			if begins.MatchString(trimmed) {
				flush()
			}
			if paragraph == "" {
				from = number
			}
			paragraph += begins.ReplaceAllString(trimmed, "") + " "
		}
	}
	flush()
	return all
}

// sentences takes a text apart. What has less than two words is a name.
func sentences(line int, text string) []Sentence {
	var all []Sentence
	for part := range strings.SplitSeq(text, "\n") {
		for _, s := range split(strings.Join(strings.Fields(part), " ")) {
			if words(s) > 1 {
				all = append(all, Sentence{Line: line, Text: s})
			}
		}
	}
	return all
}

// split breaks behind a full stop, an exclamation or a question mark that a capital
// letter follows.
func split(text string) []string {
	var all []string
	start := 0
	for n := 0; n+2 < len(text); n++ {
		if !strings.ContainsRune(".!?", rune(text[n])) {
			continue
		}
		end := n + 1
		for end < len(text) && strings.ContainsRune("\"')*_`", rune(text[end])) {
			end++
		}
		if end+1 >= len(text) || text[end] != ' ' {
			continue
		}
		if next, _ := utf8.DecodeRuneInString(strings.TrimLeft(text[end+1:], "\"'(*_`“[")); unicode.IsUpper(next) {
			all, start = append(all, text[start:end]), end+1
		}
	}
	return append(all, text[start:])
}

// words counts words of at least two letters, without what stands in for values.
func words(text string) int {
	count := 0
	for word := range strings.FieldsSeq(text) {
		letters := 0
		for _, r := range word {
			if unicode.IsLetter(r) {
				letters++
			}
		}
		if letters > 1 && !strings.HasPrefix(word, "%") {
			count++
		}
	}
	return count
}
