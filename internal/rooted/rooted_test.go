package rooted

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// lay makes a tree: "dir/", "file", "link -> target".
func lay(t *testing.T, dir string, entries ...string) {
	t.Helper()
	for _, e := range entries {
		name, target, isLink := strings.Cut(e, " -> ")
		path := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		switch {
		case err != nil:
		case isLink:
			err = os.Symlink(filepath.FromSlash(target), path)
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(path, 0o755)
		default:
			err = os.WriteFile(path, []byte(name), 0o644)
		}
		must(t, err)
	}
}

// scratch is a directory without links on the way to it.
func scratch(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	return dir
}

func opened(t *testing.T, dir string) Folder {
	t.Helper()
	f, err := OpenFolder(dir)
	must(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func TestLinksAreRefused(t *testing.T) {
	outer := scratch(t)
	lay(t, outer, "secret", "home/secret", "top/dir/file", "top/file", "top/in -> dir", "top/out -> ../home", "top/gone -> nowhere",
		"top/dir/key -> ../../secret", "top/dir/up -> ..", "top/round -> round")
	f := opened(t, filepath.Join(outer, "top"))
	for name, link := range map[string]string{ // the link that is named, "" for none
		"file": "", "dir/file": "", "dir/new": "", "new/new/new": "", ".": "", "file/below": "",
		"in": "in", "in/file": "in", "in/new": "in", "out": "out", "out/secret": "out", "out/new/new": "out",
		"gone": "gone", "gone/new": "gone", "dir/key": "dir/key", "dir/up/dir/file": "dir/up", "round": "round", "dir/../in/file": "in",
	} {
		err := f.RefuseLinks(name)
		var refused *LinkError
		if !errors.As(err, &refused) != (link == "") || refused != nil && (refused.Path != f.PathOf(link) || refused.Target == "") {
			t.Errorf("check %s: %v, want %q", name, err, link)
		}
		_, _, err = f.ReadFile(name, 100)
		if link != "" && !errors.As(err, &refused) {
			t.Errorf("read %s: %v", name, err)
		}
		_, err = f.Lstat(name)
		if onTheWay := link != "" && link != name; errors.As(err, &refused) != onTheWay {
			t.Errorf("look at %s: %v", name, err)
		}
	}
}

// What Check has not seen, because it was swapped since, leads nowhere either.
func TestNothingLeadsOut(t *testing.T) {
	outer := scratch(t)
	lay(t, outer, "home/secret", "top/out -> ../home", "top/abs -> "+filepath.ToSlash(filepath.Join(outer, "home")), "top/file", "top/gone -> ../home/new")
	f := opened(t, filepath.Join(outer, "top"))
	for _, to := range []string{"out/new", "abs/new", "../home/new", "gone", filepath.Join(outer, "home", "new")} {
		for what, err := range map[string]error{
			"write":  f.WriteFile(to, nil, 0o644),
			"mkdir":  f.Mkdir(to+"/dir", 0o755),
			"rename": func() error { return f.Rename("file", filepath.ToSlash(to)+"/x") }(),
			"link":   f.Link("file", to+"/x"),
		} {
			if err == nil {
				t.Errorf("%s %s: no error", what, to)
			}
		}
		if err := f.MkdirAll(to+"/a/b", 0o755); err == nil {
			t.Errorf("make directories %s: no error", to)
		}
	}
	if entries, err := os.ReadDir(filepath.Join(outer, "home")); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestReadFileIsBounded(t *testing.T) {
	dir := t.TempDir()
	lay(t, dir, "1234", "dir/")
	f := opened(t, dir)
	if data, info, err := f.ReadFile("1234", 4); string(data) != "1234" || err != nil || info.Size() != 4 {
		t.Errorf("%q, %v", data, err)
	}
	for name, want := range map[string]string{"1234": "larger than 3 bytes", "dir": "not a regular file"} {
		if _, _, err := f.ReadFile(name, 3); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), f.PathOf(name)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := f.ReadFile("none", 3); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestOpenAbove(t *testing.T) {
	outer := scratch(t)
	lay(t, outer, "a/b/", "linked -> a", "gone -> nowhere", "file")
	for path, want := range map[string]string{"a/b": ".", "a/b/c/d": "c/d", "linked/b": ".", "linked/x": "x"} {
		f, name, err := OpenNearest(filepath.Join(outer, filepath.FromSlash(path)))
		if err != nil || filepath.ToSlash(name) != want || f.PathOf(name) != filepath.Join(outer, filepath.FromSlash(path)) {
			t.Errorf("%s: %q, %v", path, name, err)
			continue
		}
		_ = f.Close()
	}
	for path, want := range map[string]string{"gone": "gone is a link, to nowhere", "gone/x": "gone is a link, to nowhere", "file": "", "file/x": ""} {
		if _, _, err := OpenNearest(filepath.Join(outer, filepath.FromSlash(path))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestWithin(t *testing.T) {
	outer := scratch(t)
	lay(t, outer, "home/secret", "ground/dir/file", "ground/out -> ../home", "ground/in -> dir", "ground/gone -> nowhere",
		"alias -> ground", "deep -> ground/dir", "home/own -> secret", "mine -> home", "nowhere -> gone")
	ground := filepath.Join(outer, "ground")
	for path, want := range map[string]string{ // the name in ground, "-" for outside, or the link that is refused
		"ground": ".", "ground/dir/file": "dir/file", "ground/new/new": "new/new", "alias/dir/file": "dir/file", "deep/file": "dir/file",
		"deep": "dir", "alias": ".", "home/secret": "-", "home/own": "-", "mine/own": "-", "nowhere/x": "-", "new": "-", ".": "-",
		"ground/out": "!ground/out", "ground/out/x": "!ground/out", "ground/in/file": "!ground/in", "ground/gone": "!ground/gone",
		"alias/out/x": "!ground/out", "mine/../ground/in": "!ground/in",
	} {
		name, ok, err := NameWithin(ground, filepath.Join(outer, filepath.FromSlash(path)))
		got := filepath.ToSlash(name)
		var refused *LinkError
		switch {
		case errors.As(err, &refused):
			rel, _ := filepath.Rel(outer, refused.Path)
			got = "!" + filepath.ToSlash(rel)
		case err != nil:
			t.Errorf("%s: %v", path, err)
		case !ok:
			got = "-"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if _, _, err := NameWithin(filepath.Join(outer, "none"), ground); err == nil {
		t.Error("a ground that is not there")
	}
}

// Programs in relative directories are the project's.
func TestFindProgram(t *testing.T) {
	dir := scratch(t)
	name := "tool"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	for _, path := range []string{filepath.Join(dir, "first", "readme"), filepath.Join(dir, "second", name)} {
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, nil, 0o755))
	}
	t.Chdir(filepath.Join(dir, "second"))
	t.Setenv("PATH", filepath.Join(dir, "second"))
	tool := filepath.Join(dir, "second", name)
	list := func(dirs ...string) string { return strings.Join(dirs, string(filepath.ListSeparator)) }
	for _, test := range []struct{ program, path, want string }{
		{name, list(filepath.Join(dir, "first"), filepath.Join(dir, "second")), tool},
		{name, list("", ".", filepath.Join("..", "second"), filepath.Join(dir, "second")), tool},
		{name, list("", ".", filepath.Join("..", "second")), ""},
		{name, "", ""},
		{tool, "", tool},
		{tool, list(dir), tool},
		{tool + "x", list(dir), ""},
		{"." + string(filepath.Separator) + name, list(filepath.Join(dir, "second")), ""},
		{filepath.Join("second", name), list(dir), ""},
	} {
		if got := FindProgram(test.program, test.path); got != test.want {
			t.Errorf("%q in %q: %q, want %q", test.program, test.path, got, test.want)
		}
	}
	for path, want := range map[string]string{list("", ".", "second", dir): dir, list(".", "second"): os.DevNull, "": os.DevNull} {
		if got := AbsoluteDirs(path); got != want {
			t.Errorf("absolute of %q are %q, want %q", path, got, want)
		}
	}
}
