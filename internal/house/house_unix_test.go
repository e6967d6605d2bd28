//go:build unix

// Package house holds the rules of the house: who may import whom, and that documents, comments and workflows are true.
package house

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	hookruntime "github.com/cameronsjo/springfield/runtime"
	"github.com/cameronsjo/springfield/runtime/registry"

	"github.com/cameronsjo/springfield/internal/scratch"
)

const module = hookruntime.Module

// TestMain runs the tests in the root of the tree.
func TestMain(m *testing.M) {
	if err := os.Chdir(filepath.Join("..", "..")); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// pkg is the result of `go list` for a package.
type pkg struct {
	ImportPath string
	Name       string
	Dir        string
	Standard   bool
	GoFiles    []string
	EmbedFiles []string
	Imports    []string
	Deps       []string
}

// list runs `go list`, once for the same arguments.
func list(t *testing.T, args ...string) []pkg {
	t.Helper()
	asked := strings.Join(args, " ") + os.Getenv("GOOS")
	if known, ok := listed[asked]; ok {
		return known
	}
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Name,Dir,Standard,GoFiles,EmbedFiles,Imports,Deps"}, args...)...)
	out, err := cmd.Output()
	must(t, err, "go list")
	var all []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			listed[asked] = all
			return all
		}
		must(t, err)
		all = append(all, p)
	}
}

var (
	must   = scratch.Must
	listed = map[string][]pkg{} // results of list
)

// room returns a package's path in the tree, like "runtime/hook".
func room(importPath string) string { return strings.TrimPrefix(importPath, module+"/") }

func inside(importPath, rooms string) bool {
	return importPath == module+"/"+rooms || strings.HasPrefix(importPath, module+"/"+rooms+"/")
}

func TestRuntimeIsStandardLibraryOnly(t *testing.T) {
	for _, p := range list(t, "-deps", "./runtime/...") {
		if !p.Standard && !inside(p.ImportPath, "runtime") {
			t.Errorf("runtime depends on %s", p.ImportPath)
		}
	}
	for _, p := range list(t, "-deps", "./runtime/springfield-hook") {
		if inside(p.ImportPath, "runtime/backend") || p.ImportPath == "net" || strings.HasPrefix(p.ImportPath, "net/") || p.ImportPath == "os/exec" || strings.HasPrefix(p.ImportPath, "crypto/") {
			t.Errorf("the hook depends on %s", p.ImportPath)
		}
		for _, large := range []string{"fmt", "encoding/json", "reflect"} { // they bring half a megabyte, and tables that each start makes anew
			if inside(p.ImportPath, "runtime") && slices.Contains(p.Imports, large) {
				t.Errorf("%s imports %s, which makes the hook larger and slower: use strconv and runtime/codec", room(p.ImportPath), large)
			}
		}
	}
}

// Strategies, and what they share, get everything as arguments and know no other strategy.
func TestStrategiesArePure(t *testing.T) {
	pure := []string{"strategy", "rules", "specs", "activity", "codec", "quotation", "secret", "markdown", "lastmessage", "lastprompt", "grave", "language", "display", "timestamp", "judge"}
	for _, p := range list(t, "./runtime/strategy/...", "./runtime/rules", "./runtime/specs", "./runtime/judge") {
		// Only direct imports count: bytes imports io, but opens no file.
		for _, no := range []string{"os", "os/exec", "path/filepath", "time", "net", "syscall", "io", "runtime", "unsafe", "math/rand", "math/rand/v2"} {
			if slices.Contains(p.Imports, no) {
				t.Errorf("%s imports %s: everything has to arrive in its argument", room(p.ImportPath), no)
			}
		}
		for _, dep := range p.Deps {
			if inside(dep, "runtime") && !slices.ContainsFunc(pure, func(name string) bool { return inside(dep, "runtime/"+name) }) {
				t.Errorf("%s depends on %s: everything has to arrive in its argument", room(p.ImportPath), room(dep))
			}
			if dep != module+"/runtime/strategy" && inside(dep, "runtime/strategy") {
				t.Errorf("%s depends on the strategy %s", room(p.ImportPath), path.Base(dep))
			}
		}
	}
}

func TestWhoImportsWhom(t *testing.T) {
	settings := []string{"generator", "cmd", "runtime", "github.com/spf13/cobra", "github.com/AlecAivazis/survey/v2"}
	serves := []string{"generator", "installer", "cmd", "runtime", "templates", "replay"}
	texts := []string{"runtime/codec", "runtime/display", "runtime/quotation", "runtime/secret"} // they only handle text
	above := []string{"runtime/strategy", "runtime/transcript", "runtime/hook", "runtime/console", "runtime/judge"}
	forbidden := map[string][]string{ // by package, also for packages below
		"generator":                {"installer", "cmd", "github.com/spf13/cobra", "github.com/AlecAivazis/survey/v2"},
		"installer":                {"publish", "replay", "installer/doctor", "cmd", "github.com/spf13/cobra", "github.com/AlecAivazis/survey/v2"},
		"installer/client":         settings,
		"installer/doctor":         {"cmd", "github.com/spf13/cobra", "github.com/AlecAivazis/survey/v2"},
		"installer/document":       settings,
		"installer/hosts":          settings,
		"installer/pluginsettings": {"generator", "internal/interview", "replay", "cmd", "github.com/spf13/cobra", "github.com/AlecAivazis/survey/v2"},
		"installer/settings":       settings,
		"internal/check":           append([]string{"internal/journal", "internal/rooted", "internal/git"}, serves...),
		"internal/git":             serves,
		"internal/interview":       {"installer", "cmd", "github.com/spf13/cobra"},
		"internal/journal":         append([]string{"github.com/spf13/cobra"}, serves...),
		"internal/rooted":          append([]string{"internal/journal"}, serves...),
		"publish":                  {"cmd", "installer/doctor", "internal/interview", "replay", "github.com/spf13/cobra"},
		"replay":                   {"generator", "installer", "internal/interview", "cmd", "github.com/spf13/cobra", "github.com/AlecAivazis/survey/v2"},
		"runtime/guard":            above,
		"runtime/ledger":           above,
		"templates":                {"generator", "installer", "cmd", "runtime"},
	}
	// The libraries that were chosen for the project, and where each is used.
	chosen := map[string]string{
		"github.com/spf13/cobra": "cmd", "github.com/AlecAivazis/survey/v2": "internal/interview", "github.com/Masterminds/sprig/v3": "generator", "github.com/tidwall/sjson": "installer",
	}
	for _, p := range list(t, "./...") {
		for library, place := range chosen {
			if slices.Contains(p.Imports, library) && inside(p.ImportPath, place) {
				delete(chosen, library)
			}
		}
		top := room(p.ImportPath)
		for forbidden[top] == nil && top != "." {
			top = path.Dir(top)
		}
		for _, dep := range p.Deps {
			for _, no := range forbidden[top] {
				third := strings.Contains(no, ".") && (dep == no || strings.HasPrefix(dep, no+"/"))
				if third || inside(dep, no) && !slices.ContainsFunc(texts, func(text string) bool { return inside(dep, text) }) {
					t.Errorf("%s depends on %s", room(p.ImportPath), dep)
				}
			}
			if dep == module+"/runtime" && !slices.ContainsFunc([]string{"generator", "installer", "internal/interview", "publish", "cmd"}, func(rooms string) bool { return inside(p.ImportPath, rooms) }) {
				t.Errorf("%s depends on runtime, which only these may import", room(p.ImportPath))
			}
		}
	}
	for library, place := range chosen {
		t.Errorf("%s does not use %s", place, library)
	}
}

// Only mains print, exit or read the environment.
func TestOnlyMainsTouchTheProcess(t *testing.T) {
	for _, p := range list(t, "./...") {
		if p.Name == "main" || room(p.ImportPath) == "internal/scratch" { // of tests, as are their mains
			continue
		}
		for _, file := range p.GoFiles {
			text := read(t, p.Dir, file)
			for _, call := range []string{"os.Exit(", "os.Getenv(", "os.LookupEnv(", "os.Environ(", "os.Stdin", "os.Stdout", "os.Stderr", "fmt.Print", "log.Print", "log.Fatal", "func init()"} {
				if strings.Contains(text, call) {
					t.Errorf("%s/%s: %s belongs in a main", room(p.ImportPath), file, call)
				}
			}
		}
	}
}

// Few files start programs and one starts git, where they are protected from the project.
func TestWhoStartsPrograms(t *testing.T) {
	allowed := map[string]string{
		"internal/git/git.go":         "git",
		"installer/client/command.go": "claude, also for claude plugin validate",
		"installer/hosts/converse.go": "Codex, asked which hooks it trusts",
		"generator/build.go":          "go",
		"runtime/backend/run.go":      "claude or the user's own program, for the judge",
		"runtime/process/process.go":  "the user's own program",
		"internal/scratch/scratch.go": "go, for tests",

		"internal/scratch/unprivileged_unix.go": "a test, as a user without rights",
	}
	starts := []string{"exec.Command", "exec.CommandContext", "exec.Cmd", "os.StartProcess", "syscall.Exec", "syscall.ForkExec", "syscall.StartProcess"}
	found := map[string]bool{}
	for name, file := range parseAll(t) {
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "e2e/") {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			starter := ""
			switch n := n.(type) {
			case *ast.CallExpr:
				starter = types.ExprString(n.Fun)
				looks := strings.HasSuffix(strings.ToLower(starter), "lookpath")
				if (looks || slices.Contains(starts, starter)) && allowed[name] != "git" && slices.ContainsFunc(n.Args, isGit) {
					t.Errorf("%s starts git: %s", name, types.ExprString(n))
				}
			case *ast.CompositeLit:
				if n.Type != nil {
					starter = types.ExprString(n.Type)
				}
			}
			found[name] = found[name] || slices.Contains(starts, starter)
			return true
		})
	}
	for name, does := range found {
		scratch.ErrorIf(t, does && allowed[name] == "", "%s starts programs", name)
	}
	for name := range allowed {
		scratch.ErrorIf(t, !found[name], "%s starts nothing any more", name)
	}
}

// isGit reports whether an argument is the command itself.
func isGit(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && (lit.Value == `"git"` || lit.Value == `"git.exe"`)
}

// The embedded sources are those of the compiled programs.
func TestEmbeddedSourcesAreComplete(t *testing.T) {
	var embedded, needed []string
	err := fs.WalkDir(hookruntime.Source, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && hookruntime.IsSource(name) {
			embedded = append(embedded, name)
		}
		return err
	})
	must(t, err)
	for _, system := range []string{"linux", "darwin", "windows", "freebsd"} {
		t.Setenv("GOOS", system)
		for _, p := range list(t, "-deps", "./runtime/springfield-hook", "./runtime/springfield-judge") {
			for _, file := range slices.Concat(p.GoFiles, p.EmbedFiles) {
				if name := path.Join(strings.TrimPrefix(room(p.ImportPath), "runtime/"), file); inside(p.ImportPath, "runtime") && !slices.Contains(needed, name) {
					needed = append(needed, name)
				}
			}
		}
	}
	slices.Sort(needed)
	scratch.Equal(t, embedded, needed, "embedded")
}

func TestModuleLinesAgree(t *testing.T) {
	text := read(t, ".", "go.mod")
	for _, line := range []string{"module " + hookruntime.Module + "\n", "\ngo " + hookruntime.Go + "\n"} {
		if !strings.Contains(text, line) {
			t.Errorf("go.mod has no line %q, but runtime/source.go says so", strings.TrimSpace(line))
		}
	}
	oldest := regexp.MustCompile(`(?m)^go (1\.\d+)`).FindStringSubmatch(text)
	scratch.Holds(t, "docs/install.md", read(t, "docs", "install.md"), "Go "+oldest[1]+" is the oldest")
}

// docs/house.md lists every package.
func TestHouseHasEveryPackage(t *testing.T) {
	text := read(t, "docs", "house.md")
	for _, p := range list(t, "./...") {
		name := room(p.ImportPath)
		switch {
		case path.Dir(name) == "runtime/strategy", path.Dir(name) == "runtime/host": // one line for all of these
		case !strings.Contains(text, " "+name+"/"):
			t.Errorf("docs/house.md does not say what %s is", name)
		}
	}
}

// README.md links a page for every strategy.
func TestEveryStrategyHasAPage(t *testing.T) {
	readme := read(t, ".", "README.md")
	for _, name := range registry.StrategyNames() {
		page := "docs/" + name + ".md"
		if _, err := os.Stat(page); err != nil {
			t.Error(err)
		}
		scratch.ErrorIf(t, !strings.Contains(readme, "("+page+")"), "README.md does not lead to %s", page)
	}
}

// The page has an item for each check and limit.
func TestEveryCheckHasAnItem(t *testing.T) {
	page, found := read(t, "docs", "ned-flanders.md"), 0
	check := regexp.MustCompile(`\bVeto\{(?:Rule: )?"([a-z-]+)"`)
	for _, dir := range []string{"guard", "hook"} {
		files, err := filepath.Glob(filepath.Join("runtime", dir, "*.go"))
		must(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, match := range check.FindAllStringSubmatch(read(t, ".", file), -1) {
				found++
				if rule := match[1]; rule != "rounds" && !strings.Contains(page, "\n- `"+rule+"`: ") { // rounds are of loops, which have pages of their own
					t.Errorf("%s: docs/ned-flanders.md has no item for %s", file, rule)
				}
			}
		}
	}
	scratch.ErrorIf(t, found < 15, "%d checks found", found)
}

// A function has at most 100 lines.
func TestFunctionsAreShort(t *testing.T) {
	const lines = 100
	for name, file := range parseAll(t) {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || strings.HasSuffix(name, "_test.go") {
				continue
			}
			if long := positions.Position(f.End()).Line - positions.Position(f.Pos()).Line + 1; long > lines {
				t.Errorf("%s: %s has %d lines, and may have %d", name, f.Name.Name, long, lines)
			}
		}
	}
}

// tests returns the names of all functions in test files.
func tests(t *testing.T) map[string]bool {
	t.Helper()
	there := map[string]bool{}
	for name, file := range parseAll(t) {
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && strings.HasSuffix(name, "_test.go") {
				there[f.Name.Name] = true
			}
		}
	}
	return there
}

// Tests and source files that a page names exist.
func TestDocumentsNameTests(t *testing.T) {
	there := tests(t)
	pages, err := filepath.Glob(filepath.Join("docs", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	name := regexp.MustCompile(`\b(Test|Fuzz)[A-Z]\w*`)
	source := regexp.MustCompile(`\b(cmd|e2e|generator|installer|internal|publish|replay|runtime)/([a-z-]+/)*[a-z_]+\.go\b`)
	for _, page := range pages {
		for _, test := range name.FindAllString(read(t, ".", page), -1) {
			scratch.ErrorIf(t, !there[test], "%s: there is no %s", page, test)
		}
		for _, source := range source.FindAllString(read(t, ".", page), -1) {
			if _, err := os.Stat(source); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
}

func read(t *testing.T, dir, file string) string {
	t.Helper()
	return string(scratch.ReadFile(t, filepath.Join(dir, file)))
}

// A new strategy needs only two folders and a new host one: both are built, enabled and asked.
func TestANinthStrategyIsTwoFoldersAndAHostIsOne(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("sh", "e2e/maggie.sh", ".", t.TempDir()).CombinedOutput()
	if err != nil || !strings.HasSuffix(string(out), "maggie is a strategy, milhouse is a host\n") {
		t.Errorf("%v\n%s", err, out)
	}
}

// Links between documents lead to an existing file and heading.
func TestLinksLeadSomewhere(t *testing.T) {
	link, sign := regexp.MustCompile(`\]\(([^)\s]*)\)`), regexp.MustCompile(`[^\pL\pN _-]`)
	pages, err := filepath.Glob(filepath.Join("docs", "*.md"))
	must(t, err)
	found := 0
	for _, page := range append(pages, "README.md", "CONTRIBUTING.md", "SECURITY.md", filepath.Join("closings", "README.md")) {
		for _, m := range link.FindAllStringSubmatch(read(t, ".", page), -1) {
			file, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(file, "://") {
				continue
			}
			found++
			target := page
			if file != "" {
				target = filepath.Join(filepath.Dir(page), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %s leads nowhere", page, m[1])
				continue
			}
			leads := anchor == ""
			for line := range strings.Lines(read(t, ".", target)) {
				if title := strings.TrimLeft(line, "#"); title != line && strings.HasPrefix(title, " ") { // as GitHub names headings
					name := strings.ReplaceAll(sign.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), ""), " ", "-")
					leads = leads || name == anchor
				}
			}
			if !leads {
				t.Errorf("%s: %s has no heading of that name", page, m[1])
			}
		}
	}
	if found < 50 {
		t.Errorf("%d links found", found)
	}
}
