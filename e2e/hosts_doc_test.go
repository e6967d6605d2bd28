package e2e

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// docs/hosts.md names the tests that show each feature. They exist, and every subtest of TestHosts is among them.
func TestHostsDocNamesTests(t *testing.T) {
	tests, steps, _ := named(t)
	_, section, found := strings.Cut(string(scratch.ReadFile(t, "../docs/hosts.md")), "\n## What works where")
	if !found {
		t.Fatal("docs/hosts.md has no section “What works where”")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	items := strings.Split(section, "\n- ")[1:]
	failIf(t, len(items) < 5, "the section has %d items", len(items))
	name, used := regexp.MustCompile("`([^`]+)`"), map[string]bool{}
	for _, item := range items {
		feature, shown, _ := strings.Cut(item, ":")
		failIf(t, !name.MatchString(shown), "%q names no test", feature)
		for _, m := range name.FindAllStringSubmatch(shown, -1) {
			used[m[1]] = true
			failIf(t, !slices.Contains(tests, m[1]) && !slices.Contains(steps, m[1]), "%q: there is no test %s", feature, m[1])
		}
	}
	for _, step := range steps {
		failIf(t, !used[step], "no item names the subtest %s of TestHosts", step)
	}
}

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
	rows := map[string]string{"Claude Code": claude[1] + ", " + oldest[1] + " | `claude`"}
	_, _, hosts := named(t)
	for _, h := range hosts {
		rows[h.title] = h.version + " | `" + h.name + "`"
	}
	for title, row := range rows {
		tested, flag, _ := strings.Cut(row, " | ")
		line := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(title+" | "+tested) + ` \| [0-9.]+ \| ` + regexp.QuoteMeta(flag) + ` \|`)
		failIf(t, !line.MatchString(data), "%s is not in the table as tested: %s", title, row)
		failIf(t, strings.Contains(notTried, title), "%s is tried", title)
	}
}

var must, failIf = scratch.Must, scratch.FailIf

type namedHost struct{ name, title, version string }

// named are the tests of this package, the subtests of TestHosts, and the hosts that it runs, from the sources: their
// build tags do not matter.
func named(t *testing.T) (tests, steps []string, hosts []namedHost) {
	t.Helper()
	files, err := filepath.Glob("*_test.go")
	must(t, err)
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		must(t, err)
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if tests = append(tests, d.Name.Name); d.Name.Name == "TestHosts" {
					steps = append(steps, arguments(d, "step")...)
				}
			case *ast.GenDecl:
				if v, ok := d.Specs[0].(*ast.ValueSpec); ok && v.Names[0].Name == "hosts" {
					for _, element := range v.Values[0].(*ast.CompositeLit).Elts {
						hosts = append(hosts, namedHost{member(element, "name"), member(element, "title"), member(element, "version")})
					}
				}
			}
		}
	}
	if len(tests) == 0 || len(steps) == 0 || len(hosts) == 0 {
		t.Fatalf("%d tests, %d steps, %d hosts", len(tests), len(steps), len(hosts))
	}
	return tests, steps, hosts
}

// arguments are the first arguments, which are strings, of the calls of a function.
func arguments(in ast.Node, function string) (all []string) {
	ast.Inspect(in, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && len(call.Args) > 0 {
			if f, ok := call.Fun.(*ast.Ident); ok && f.Name == function {
				all = append(all, text(call.Args[0]))
			}
		}
		return true
	})
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
