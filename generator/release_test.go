package generator

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/check"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

func TestVersions(t *testing.T) {
	for _, test := range []struct{ version, part, want string }{
		{"0.1.0", "patch", "0.1.1"}, {"0.1.9", "minor", "0.2.0"}, {"1.2.3", "major", "2.0.0"}, {"1.2.3-rc.1", "patch", "1.2.3"}, {"1.2.3+7", "minor", "1.3.0"},
		{"1.2", "patch", ""}, {"v1.2.3", "patch", ""}, {"1.2.3", "all", ""},
	} {
		if got, err := Bump(test.version, test.part); got != test.want || (err != nil) != (test.want == "") {
			t.Errorf("Bump(%s, %s) = %s, %v", test.version, test.part, got, err)
		}
	}
	for _, test := range []struct {
		from, to string
		ok       bool
	}{
		{"0.1.0", "0.1.1", true}, {"0.9.0", "0.10.0", true}, {"1.0.0-rc.1", "1.0.0", true},
		{"0.1.0", "0.1.0", false}, {"0.2.0", "0.1.9", false}, {"1.0.0", "1.0.0-rc.1", false}, {"1.0.0", "1.0.0+2", false}, {"1.0.0", "2", false}, {"x", "1.0.0", false},
	} {
		if err := Grows(test.from, test.to); (err == nil) != test.ok {
			t.Errorf("Grows(%s, %s) = %v", test.from, test.to, err)
		}
	}
}

func TestAddRelease(t *testing.T) {
	const head = "# Releases of p\n\n"
	first := AddRelease("", "p", "0.1.0", "2026-11-21", []string{"First release."})
	if first != head+"## 0.1.0 (2026-11-21)\n\n- First release.\n" {
		t.Errorf("the first: %q", first)
	}
	second := AddRelease(first, "p", "0.2.0", "2026-11-22", []string{"a", "b"})
	if second != head+"## 0.2.0 (2026-11-22)\n\n- a\n- b\n\n"+strings.TrimPrefix(first, head) {
		t.Errorf("the second: %q", second)
	}
	if again := AddRelease(second, "p", "0.1.0", "2027-01-01", []string{"x"}); again != second {
		t.Errorf("one that is there: %q", again)
	}
	if got := AddRelease("Words of mine.\n", "p", "0.1.0", "d", []string{"x"}); got != "Words of mine.\n\n## 0.1.0 (d)\n\n- x\n" {
		t.Errorf("behind words: %q", got)
	}
	if got := AddRelease("## 0.1.0\r\n- old\r\n", "p", "0.1.0", "d", []string{"x"}); got != "## 0.1.0\r\n- old\r\n" {
		t.Errorf("with CRLF: %q", got)
	}
	if got := AddRelease("# P\r\n\r\n## 0.1.0\r\n- old\r\n", "p", "0.2.0", "d", []string{"x"}); got != "# P\r\n\r\n## 0.2.0 (d)\r\n\r\n- x\r\n\r\n## 0.1.0\r\n- old\r\n" {
		t.Errorf("into CRLF: %q", got)
	}
	if got := AddRelease("Words of mine.\r\n", "p", "0.1.0", "d", []string{"x"}); got != "Words of mine.\r\n\r\n## 0.1.0 (d)\r\n\r\n- x\r\n" {
		t.Errorf("behind words, with CRLF: %q", got)
	}
	if got := AddRelease("", "p", "0.1.0", "d", []string{"a\x1b[2Jb\u202ec\u009b"}); !strings.HasSuffix(got, "\n- a[2Jbc\n") {
		t.Errorf("orders to a terminal: %q", got)
	}
	for _, heading := range []string{"v0.1.0", "[0.1.0]", "[v0.1.0] - 2026-11-21", "[0.1.0](https://example.invalid)", "0.1.0: first"} {
		if had := "## " + heading + "\n- old\n"; AddRelease(had, "p", "0.1.0", "d", []string{"x"}) != had {
			t.Errorf("%q was not seen", heading)
		}
	}
	for _, heading := range []string{"0.1.01", "0.1.0-rc.1", "[Unreleased]", "10.1.0", "# 0.1.0"} {
		if had := "## " + heading + "\n- old\n"; AddRelease(had, "p", "0.1.0", "d", []string{"x"}) == had {
			t.Errorf("%q was taken for 0.1.0", heading)
		}
	}
	if got := AddRelease("## 0.1.0\n- old\n", "p", "0.2.0", "d", []string{"x"}); !strings.HasPrefix(got, "## 0.2.0 (d)\n\n- x\n\n## 0.1.0\n") {
		t.Errorf("without a title: %q", got)
	}
}

// Names, contents and which file is started make the digest; changelog, modes and
// time do not.
func TestDigest(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	digest := func() string {
		t.Helper()
		d, err := Digest(dir)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	write("hooks/springfield-hook", "x")
	write("README.md", "a")
	base := digest()
	write("CHANGELOG.md", "# one")
	if err := os.Chmod(filepath.Join(dir, "hooks", "springfield-hook"), 0o755); err != nil {
		t.Fatal(err)
	}
	if digest() != base {
		t.Error("a changelog, or a mode that a checkout can lose, changed it")
	}
	for _, test := range []struct {
		name, lf, crlf string
		same           bool
	}{
		{"lines.md", "a\nb\n", "a\r\nb\r\n", true}, {"data", "a\x00\n", "a\x00\r\n", false}, {"hooks/springfield-hook", "a\n", "a\r\n", false},
	} {
		write(test.name, test.lf)
		lf := digest()
		write(test.name, test.crlf)
		if same := digest() == lf; same != test.same {
			t.Errorf("%s with other line ends: the same is %v", test.name, same)
		}
	}
	for name, text := range map[string]string{"README.md": "b", "hooks/springfield-hook": "y", "more/CHANGELOG.md": "z"} {
		write(name, text)
		if next := digest(); next == base {
			t.Errorf("%s did not change it", name)
		} else {
			base = next
		}
	}
	if err := os.Symlink("README.md", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if _, err := Digest(dir); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a link: %v", err)
	}
}

// What differs between a suite and its stage, and nothing else.
func TestDifferences(t *testing.T) {
	dir, stage := t.TempDir(), filepath.Join(t.TempDir(), "stage")
	put := func(root, name, text string, mode os.FileMode) {
		t.Helper()
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	put(dir, "a.txt", "a", 0o644)
	put(dir, "gone.txt", "", 0o644)
	put(dir, "p/hooks/springfield-hook", "old", 0o755)
	put(dir, ".git/HEAD", "ref", 0o644)
	put(dir, "sub/.git", "gitdir: x", 0o644)
	if err := Stage(dir, stage); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(stage, ".git")); err == nil {
		t.Error("the repository was copied")
	}
	if none, err := Differences(dir, stage); err != nil || len(none) != 0 {
		t.Errorf("a fresh copy differs: %+v, %v", none, err)
	}
	put(stage, "p/hooks/springfield-hook", "new", 0o755)
	put(stage, "new.txt", "n", 0o644)
	if err := os.Remove(filepath.Join(stage, "gone.txt")); err != nil {
		t.Fatal(err)
	}
	found, err := Differences(dir, stage)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range found {
		what := d.Path
		if d.Compiled {
			what += " compiled"
		}
		if d.Gone {
			what += " gone"
		}
		if d.Before == nil {
			what += " new"
		}
		got = append(got, what)
	}
	if want := "gone.txt gone, new.txt new, p/hooks/springfield-hook compiled"; strings.Join(got, ", ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, ", "), want)
	}
	before, err := regularFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	put(dir, "p/hooks/springfield-hook.exe", "gone", 0o644)
	put(stage, "p/hooks/linux-amd64/springfield-hook", "fresh", 0o755)
	before["p/hooks/springfield-hook.exe"] = 0o644
	compiled, err := Differences(dir, stage)
	if err != nil {
		t.Fatal(err)
	}
	takeBack, err := WriteCompiled(dir, compiled)
	if err != nil {
		t.Fatal(err)
	}
	if left, err := Differences(dir, stage); err != nil || len(left) != 2 {
		t.Errorf("after the hooks: %+v, %v", left, err)
	}
	if err := takeBack(); err != nil {
		t.Fatal(err)
	}
	if again, err := regularFiles(dir); err != nil || !maps.Equal(again, before) {
		t.Errorf("taken back: %v, was %v, %v", again, before, err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "p", "hooks", "springfield-hook")); err != nil || string(data) != "old" {
		t.Errorf("taken back: %q, %v", data, err)
	}
	if err := os.Remove(filepath.Join(dir, "p", "hooks", "springfield-hook.exe")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(stage, "p", "hooks", "linux-amd64")); err != nil {
		t.Fatal(err)
	}
	if _, err := WriteCompiled(dir, found); err != nil {
		t.Fatal(err)
	}
	if left, err := Differences(dir, stage); err != nil || len(left) != 2 {
		t.Errorf("after the hooks: %+v, %v", left, err)
	}
	if err := os.Symlink("a.txt", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := Stage(dir, filepath.Join(t.TempDir(), "again")); err == nil {
		t.Error("a link was copied")
	}
}

// What nobody means to hand out, and a name that says it is from somebody else.
func TestReviewRefuses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "suite")
	spec := suiteOf(t, []string{"ned-flanders"}, Host())
	spec.Plugins[0].Name = "anthropic-ned"
	files, err := Render(spec, Build{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Write(dir, files); err != nil {
		t.Fatal(err)
	}
	litter := []string{".DS_Store", ".env", ".env.local", "key.pem", "README.md.orig", "notes~", "skills/x/.netrc"}
	for _, file := range append(litter, "environment.md", "skills/x/env") {
		path := filepath.Join(dir, "anthropic-ned", filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, faults, err := Review(dir, Suite{Spec: spec}, []string{"anthropic-ned"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range faults {
		if f.State != check.Failure {
			t.Errorf("%s: %s is no failure", f.File, f.Says)
		}
		got = append(got, f.File)
	}
	want := []string{"anthropic-ned/.claude-plugin/plugin.json"} // its name
	for _, file := range litter {
		want = append(want, "anthropic-ned/"+file)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestIsDevice(t *testing.T) {
	for name, want := range map[string]bool{"con": true, "nul": true, "com1": true, "lpt9": true, "comx": false, "com": false, "com10": false, "icon": false, "ned-flanders": false, "": false} {
		if isDevice(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

// Every strategy's description is one that a marketplace takes.
func TestReviewOfWhatIsMade(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "suite")
	spec := suiteOf(t, strategy.Names(), Host())
	files, err := Render(spec, Build{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Write(dir, files); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range spec.Plugins {
		names = append(names, p.Name)
	}
	hooks, faults, err := Review(dir, Suite{Spec: spec}, names)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		t.Errorf("%s: %s", f.File, f.Says)
	}
	if len(hooks) < len(names) {
		t.Errorf("%d hooks of %d plugins", len(hooks), len(names))
	}
	for _, h := range hooks {
		if h.Event == "" || h.Gate == "" || !strings.HasSuffix(h.Command, "/hooks/springfield-hook") {
			t.Errorf("%+v", h)
		}
		// Who asks a model says where it is; nothing of the others leaves the machine.
		if known, _ := strategy.Named(h.Plugin); known.Judges != (len(h.Hosts) > 0) {
			t.Errorf("%s: its judge is %v, it talks to %v", h.Plugin, known.Judges, h.Hosts)
		}
	}
}
