package springfield_test

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

// What a comment names as a package's is declared there: a rename passes comments over.
func TestCommentsNameWhatExists(t *testing.T) {
	declared := map[string]map[string]bool{} // by a package's name; of others' packages nil
	parsed := map[string]*ast.File{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".go" || strings.Contains(name, "testdata") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		parsed[name] = file
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
		return nil
	})
	must(t, err)
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
