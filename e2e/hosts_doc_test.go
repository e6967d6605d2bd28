package e2e

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// The page names the versions that are tested, none that is newer as tested, and no agent as not tried that is.
func TestHostsDocNamesVersions(t *testing.T) {
	data := string(scratch.ReadFile(t, "../docs/hosts.md"))
	_, notTried, found := strings.Cut(data, "\n## Not tried\n")
	if !found {
		t.Fatal("docs/hosts.md does not say what was not tried")
	}
	source := string(scratch.ReadFile(t, "client_test.go"))
	claude := regexp.MustCompile(`(?m)^var newest = "(.+)"$`).FindStringSubmatch(source)
	oldest := regexp.MustCompile(`oldest\s+= "(.+)"`).FindStringSubmatch(source)
	tested := map[string]string{"Claude Code": oldest[1] + " (the oldest supported version), " + claude[1]}
	for _, h := range namedHosts(t) {
		tested[h.title] = h.version
	}
	for title, versions := range tested {
		line := regexp.MustCompile(`(?m)^- ` + regexp.QuoteMeta(title+": "+versions) + `(; in part [0-9.]+)?$`)
		failIf(t, !line.MatchString(data), "%s is not in the list as tested: %s", title, versions)
		failIf(t, strings.Contains(notTried, title), "%s is tried", title)
	}
}

var must, failIf = scratch.Must, scratch.FailIf

type namedHost struct{ title, version string }

// namedHosts are those that TestHosts runs, from the sources: their build tags do not matter.
func namedHosts(t *testing.T) (all []namedHost) {
	t.Helper()
	files, err := filepath.Glob("*_test.go")
	must(t, err)
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		must(t, err)
		for _, d := range file.Decls {
			list, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			if v, ok := list.Specs[0].(*ast.ValueSpec); ok && v.Names[0].Name == "hosts" {
				for _, element := range v.Values[0].(*ast.CompositeLit).Elts {
					all = append(all, namedHost{member(element, "title"), member(element, "version")})
				}
			}
		}
	}
	if len(all) == 0 {
		t.Fatal("no hosts")
	}
	return all
}

// member is a member of a composite literal, a string.
func member(of ast.Expr, key string) string {
	for _, element := range of.(*ast.CompositeLit).Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok && pair.Key.(*ast.Ident).Name == key {
			return text(pair.Value)
		}
	}
	return ""
}

func text(e ast.Expr) string {
	literal, ok := e.(*ast.BasicLit)
	if !ok {
		return ""
	}
	s, _ := strconv.Unquote(literal.Value)
	return s
}
