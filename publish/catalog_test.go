package publish

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/git"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/registry"
)

var must, put = scratch.Must, scratch.PutFile

func catalogOf(t *testing.T, text string) catalog {
	t.Helper()
	dir := t.TempDir()
	put(t, filepath.Join(dir, ".claude-plugin", "marketplace.json"), text)
	c, _, err := read(dir)
	must(t, err)
	return c
}

func entryMember(name, value string) member { return member{name: name, value: json.RawMessage(value)} }

func TestUpsertChangesWhatItMust(t *testing.T) {
	c := catalogOf(t, `{"name":"m","plugins":[{"name":"a","source":"./a","version":"0.1.0","description":"mine","homepage":"h"}]}`)
	changes, err := c.editsToMerge("a", []member{entryMember("source", `"./b"`), entryMember("version", `"0.2.0"`),
		{name: "description", value: json.RawMessage(`"theirs"`), keep: true}, {name: "license", value: json.RawMessage(`"MIT"`), keep: true}})
	must(t, err)
	after, err := c.doc.ApplyEdits(changes...)
	if want := `{"name":"m","plugins":[{"name":"a","source":"./b","version":"0.2.0","description":"mine","homepage":"h","license":"MIT"}]}`; err != nil || string(after) != want {
		t.Errorf("got %s, %v", after, err)
	}
}

func TestReadCatalogRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "line 1, column 1: it has no name",
		"{}":                        "line 1, column 1: it has no name",
		"[]":                        "the document is an array",
		`{"name":"m","plugins":{}}`: `line 1, column 23: "plugins" cannot be of the kind object`,
		`{"name":"m",}`:             "line 1, column 12: trailing comma",
		`{"name":"m","plugins":[{"name":"a"},{"name":"b"},{"name":"a"}]}`: `a second element named "a"`,
		"{\"name\":\"m\",\n\"plugins\":[{\"name\":7}]}":                   `line 2, column 20: "plugins.name" cannot be of the kind number`,
	} {
		dir := t.TempDir()
		put(t, filepath.Join(dir, ".claude-plugin", "marketplace.json"), text)
		if _, _, err := read(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// Relative sources are resolved.
func TestPlace(t *testing.T) {
	for _, test := range []struct{ metadata, source, want string }{
		{`{}`, `"./a/b"`, "a/b"}, {`{}`, `"./"`, "."}, {`{}`, `"a"`, "a"}, {`{"pluginRoot":"./plugins"}`, `"a"`, "plugins/a"},
		{`{"pluginRoot":"./plugins"}`, `"./a"`, "a"}, {`{}`, `"../a"`, "../a"}, {`{}`, `{"source":"github","repo":"o/r"}`, ""}, {`{}`, `7`, ""},
	} {
		c := catalogOf(t, `{"name":"m","metadata":`+test.metadata+`,"plugins":[]}`)
		if got, ok := c.placeOfSource(json.RawMessage(test.source)); got != test.want || ok != (test.want != "") {
			t.Errorf("%s, %s: %q, %v", test.metadata, test.source, got, ok)
		}
	}
}

// A checkout does not select another file of the user's.
func TestCatalogThatIsALink(t *testing.T) {
	const text = `{"name":"m","plugins":[]}`
	dir := t.TempDir()
	put(t, filepath.Join(dir, "elsewhere", "marketplace.json"), text)
	for link, target := range map[string]string{
		".claude-plugin":                  "../elsewhere",
		".claude-plugin/marketplace.json": "../../elsewhere/marketplace.json", // out of it
	} {
		market := filepath.Join(dir, "market")
		must(t, errors.Join(os.RemoveAll(market), os.MkdirAll(filepath.Dir(filepath.Join(market, link)), 0o755), os.Symlink(target, filepath.Join(market, link))))
		var refused *rooted.LinkError
		if _, _, err := read(market); !errors.As(err, &refused) || refused.Target != target {
			t.Errorf("%s: %v", link, err)
		}
	}
	market := filepath.Join(dir, "plain")
	put(t, filepath.Join(market, ".claude-plugin", "marketplace.json"), text)
	link := filepath.Join(dir, "link")
	must(t, os.Symlink(market, link))
	for _, dir := range []string{market, link} {
		if _, name, err := read(dir); err != nil || name != "m" {
			t.Errorf("%s: %q, %v", dir, name, err)
		}
	}
}

func read(dir string) (catalog, string, error) {
	return openCatalog(dir, filepath.Join(dir, ".claude-plugin", "marketplace.json"))
}

func TestToAdd(t *testing.T) {
	for remote, want := range map[string]string{
		"https://github.com/o/r.git":            "o/r",
		"https://github.com/o/r":                "o/r",
		"https://github.com/o/r/":               "o/r",
		"https://git.example.invalid/o/r":       "https://git.example.invalid/o/r.git",
		"https://git.example.invalid/o/r/":      "https://git.example.invalid/o/r.git",
		"git@git.example.invalid:o/r.git":       "git@git.example.invalid:o/r.git",
		"ssh://git@git.example.invalid/o/r.git": "",
		"/srv/git/r.git":                        "",
		"":                                      "",
	} {
		where, _ := git.FetchableURL(remote)
		scratch.Equal(t, argumentToAddIfAny(where), want, remote)
	}
}

func TestVersions(t *testing.T) {
	for _, test := range []struct{ version, part, want string }{
		{"0.1.0", "patch", "0.1.1"}, {"0.1.9", "minor", "0.2.0"}, {"1.2.3", "major", "2.0.0"}, {"1.2.3-rc.1", "patch", "1.2.3"}, {"1.2.3+7", "minor", "1.3.0"},
		{"1.2", "patch", ""}, {"v1.2.3", "patch", ""},
	} {
		if got, err := raiseVersion(test.version, test.part); got != test.want || (err != nil) != (test.want == "") {
			t.Errorf("bump(%s, %s) = %s, %v", test.version, test.part, got, err)
		}
	}
	for _, test := range []struct {
		from, to string
		ok       bool
	}{
		{"0.1.0", "0.1.1", true}, {"0.9.0", "0.10.0", true}, {"1.0.0-rc.1", "1.0.0", true},
		{"0.1.0", "0.1.0", false}, {"0.2.0", "0.1.9", false}, {"1.0.0", "1.0.0-rc.1", false}, {"1.0.0", "1.0.0+2", false}, {"1.0.0", "2", false}, {"x", "1.0.0", false},
	} {
		if err := whyNotNewer(test.from, test.to); (err == nil) != test.ok {
			t.Errorf("grows(%s, %s) = %v", test.from, test.to, err)
		}
	}
}

// The digest depends on names, contents and the started file, not on changelog, modes or times.
func TestDigest(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		put(t, filepath.Join(dir, "p", filepath.FromSlash(name)), text)
	}
	digest := func() string {
		t.Helper()
		d, err := treeOf(t, dir).digestOf("p")
		must(t, err)
		return d
	}
	write("hooks/springfield-hook", "x")
	write("README.md", "a")
	base := digest()
	write("CHANGELOG.md", "# one")
	must(t, os.Chmod(filepath.Join(dir, "p", "hooks", "springfield-hook"), 0o755))
	scratch.Equal(t, digest(), base, "with a changelog, and a mode that a checkout can lose")
	for _, test := range []struct {
		name, lf, crlf string
		same           bool
	}{
		{"lines.md", "a\nb\n", "a\r\nb\r\n", true}, {"data", "a\x00\n", "a\x00\r\n", false}, {"hooks/springfield-hook", "a\n", "a\r\n", false},
	} {
		write(test.name, test.lf)
		lf := digest()
		write(test.name, test.crlf)
		scratch.Equal(t, digest() == lf, test.same, test.name+" is the same with other line ends")
	}
	for name, text := range map[string]string{"README.md": "b", "hooks/springfield-hook": "y", "more/CHANGELOG.md": "z"} {
		write(name, text)
		next := digest()
		scratch.Equal(t, next != base, true, name+" changed it")
		base = next
	}
	must(t, os.Symlink("README.md", filepath.Join(dir, "link")))
	in, err := rooted.OpenFolder(dir)
	must(t, err)
	defer in.Close()
	if _, err := listTree(in); err == nil || !strings.Contains(err.Error(), "is a link") {
		t.Errorf("a link: %v", err)
	}
}

// suiteOf returns a suite on disk without hooks: plugins by name, with their strategies.
func suiteOf(t *testing.T, plugins map[string]string) plannedTree {
	t.Helper()
	spec := generator.Spec{Marketplace: "hooks", Owner: generator.Owner{Name: "Ned"}, Targets: []generator.Target{generator.HostTarget()}}
	for name, strategy := range plugins {
		p, err := generator.NewPlugin(name, strategy, nil)
		must(t, err)
		spec.Plugins = append(spec.Plugins, p)
	}
	files, err := generator.RenderSuite(spec, generator.Build{})
	must(t, err)
	dir := t.TempDir()
	for _, f := range files {
		put(t, filepath.Join(dir, filepath.FromSlash(f.Path)), string(f.Data))
	}
	return treeOf(t, dir)
}

func treeOf(t *testing.T, dir string) plannedTree {
	t.Helper()
	in, err := rooted.OpenFolder(dir)
	must(t, err)
	t.Cleanup(func() { _ = in.Close() })
	all, err := listTree(in)
	must(t, err)
	return all
}

// Litter and misleading names are refused.
func TestReviewRefuses(t *testing.T) {
	suite := suiteOf(t, map[string]string{"anthropic-ned": "ned-flanders"})
	litter := []string{".DS_Store", ".env", ".env.local", "key.pem", "README.md.orig", "notes~", "skills/x/.netrc"}
	for _, file := range append(litter, "environment.md", "skills/x/env") {
		put(t, suite.in.PathOf("anthropic-ned/"+file), "")
	}
	suite = treeOf(t, suite.in.Name())
	var got []string
	for _, f := range (release{plugin: "anthropic-ned"}).reviewPlugin(suite, nil) {
		scratch.Equal(t, f.State, check.Failure, f.File+": "+f.Says)
		got = append(got, f.File)
	}
	want := []string{"anthropic-ned/.claude-plugin/plugin.json"} // its name
	for _, file := range litter {
		want = append(want, "anthropic-ned/"+file)
	}
	slices.Sort(got)
	slices.Sort(want)
	scratch.Equal(t, got, want)
}

// Every generated plugin passes the review.
func TestReviewOfWhatIsMade(t *testing.T) {
	plugins := map[string]string{}
	for _, name := range registry.StrategyNames() {
		plugins[name] = name
	}
	suite := suiteOf(t, plugins)
	for _, name := range registry.StrategyNames() {
		scratch.Equal(t, (release{plugin: name}).reviewPlugin(suite, nil), nil, name)
	}
}
