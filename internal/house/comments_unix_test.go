//go:build unix

package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	positions = token.NewFileSet() // of parseAll
	parsed    = map[string]*ast.File{}
)

// parseAll parses all Go files outside of testdata once, by path.
func parseAll(t *testing.T) map[string]*ast.File {
	t.Helper()
	if len(parsed) > 0 {
		return parsed
	}
	must(t, filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path.Ext(name) == ".go" && !strings.Contains(name, "testdata") {
			parsed[filepath.ToSlash(name)], err = parser.ParseFile(positions, name, nil, parser.ParseComments)
		}
		return err
	}))
	return parsed
}

// A qualified name in a comment is declared in that package.
func TestCommentsNameWhatExists(t *testing.T) {
	declared := map[string]map[string]bool{} // by a package's name; of others' packages nil
	parsed := parseAll(t)
	for _, file := range parsed {
		names := declared[file.Name.Name]
		if names == nil {
			names = map[string]bool{}
			declared[file.Name.Name] = names
		}
		for _, declaration := range file.Decls {
			ast.Inspect(declaration, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					names[n.Name.Name] = n.Recv == nil || names[n.Name.Name]
					return false
				case *ast.TypeSpec:
					names[n.Name.Name] = true
				case *ast.ValueSpec:
					for _, id := range n.Names {
						names[id.Name] = true
					}
				}
				return true
			})
		}
		for _, imports := range file.Imports {
			if base := path.Base(strings.Trim(imports.Path.Value, `"`)); declared[base] == nil {
				declared[base] = nil
			}
		}
	}
	qualified := regexp.MustCompile(`(?:^|[^\w./-])([a-z]+)\.([A-Z]\w*)`)
	for name, file := range parsed {
		own := map[string]bool{} // variables
		ast.Inspect(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				own[id.Name] = true
			}
			return true
		})
		for _, group := range file.Comments {
			for _, m := range qualified.FindAllStringSubmatch(group.Text(), -1) {
				names, isPackage := declared[m[1]]
				if names != nil && !names[m[2]] || !isPackage && !own[m[1]] {
					t.Errorf("%s: there is no %s.%s", name, m[1], m[2])
				}
			}
		}
	}
}

// properNouns are capitalised words in comments that are not Go names.
const properNouns = " Arabic Anthropic Bedrock Chinese Claude Code Codex Copilot Ctrl DevTools Droid English Esc Factory Foundry Gemini GitHub Go Google Hindi Homebrew " +
	"Japanese JavaScript Latin Linux Lisa March Markdown Microsoft Node OpenAI Persian Portuguese Python Qwen Scoop Spanish Stop Tab Unicode Unix Vertex Wilson Windows "

// An unqualified name in a comment exists in the code, and a doc comment spells the name of its declaration.
func TestCommentsNameThingsAsTheyAreCalled(t *testing.T) {
	parsed, word := parseAll(t), regexp.MustCompile(`\w+`)
	everywhere, in := map[string]bool{}, map[string]map[string]bool{} // by the directory
	for name, file := range parsed {
		here := in[path.Dir(name)]
		if here == nil {
			here = map[string]bool{}
			in[path.Dir(name)] = here
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				here[n.Name], everywhere[n.Name] = true, true
			case *ast.BasicLit:
				for _, w := range word.FindAllString(n.Value, -1) {
					here[w], everywhere[w] = true, true
				}
			}
			return true
		})
	}
	camel := regexp.MustCompile(`(?:^|[^\w./-])([A-Za-z]*[a-z][A-Z]\w*)`)
	capital := regexp.MustCompile(`[a-z,;]\s([A-Z][a-z]+)\b`)
	for name, file := range parsed {
		for _, group := range file.Comments {
			for _, m := range camel.FindAllStringSubmatch(group.Text(), -1) {
				if !everywhere[m[1]] && !strings.Contains(properNouns, " "+m[1]+" ") {
					t.Errorf("%s: there is no %s", name, m[1])
				}
			}
			for _, m := range capital.FindAllStringSubmatch(group.Text(), -1) {
				if !in[path.Dir(name)][m[1]] && !strings.Contains(properNouns, " "+m[1]+" ") && !strings.HasSuffix(name, "_test.go") {
					t.Errorf("%s: there is no %s in this package", name, m[1])
				}
			}
		}
		begins := func(doc *ast.CommentGroup, id *ast.Ident) {
			if first := word.FindString(doc.Text()); first != id.Name && strings.EqualFold(first, id.Name) {
				t.Errorf("%s: the comment on %s calls it %s", name, id.Name, first)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				begins(n.Doc, n.Name)
			case *ast.GenDecl:
				if spec, ok := n.Specs[0].(*ast.TypeSpec); ok {
					begins(n.Doc, spec.Name)
				}
			case *ast.Field:
				if len(n.Names) == 1 {
					begins(n.Doc, n.Names[0])
				}
			}
			return true
		})
	}
}
