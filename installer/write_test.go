package installer

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/installer/document"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, path string) *File {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// checkFile wants these bytes in the file and no other file left beside it.
func checkFile(t *testing.T, path, text string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil || string(data) != text {
		t.Errorf("%s holds %q, %v, want %q", path, data, err, text)
	}
	checkNoTemp(t, filepath.Dir(path))
}

func checkNoTemp(t *testing.T, dir string) {
	t.Helper()
	if left, _ := filepath.Glob(filepath.Join(dir, ".*.tmp")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// realDir is a temporary directory without a symbolic link on the way.
func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestReplaceFile(t *testing.T) {
	path := filepath.Join(realDir(t), "settings.json")
	write(t, path, "old")
	f := open(t, path)
	if f.Path != path || f.Asked != path || string(f.Data) != "old" || !f.Exists {
		t.Errorf("Open = %+v", f)
	}
	for _, text := range []string{"new", "", "newer"} {
		if err := f.Replace([]byte(text)); err != nil {
			t.Fatal(err)
		}
		checkFile(t, path, text)
	}
	if err := f.Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("still there: %v", err)
	}
	if err := f.Remove(); err != nil {
		t.Errorf("removing what is gone: %v", err)
	}
	if err := f.Replace([]byte("back")); err != nil {
		t.Fatal(err)
	}
	checkFile(t, path, "back")
}

func TestReplaceMakesDirectories(t *testing.T) {
	path := filepath.Join(realDir(t), "project", ".claude", "settings.json")
	f := open(t, path)
	if f.Exists || f.Data != nil || f.Path != path || f.Mode != newFileMode {
		t.Errorf("Open = %+v", f)
	}
	if err := f.Replace([]byte("{}")); err != nil {
		t.Fatal(err)
	}
	checkFile(t, path, "{}")
}

func TestOpenFollowsLinks(t *testing.T) {
	dir := realDir(t)
	in := func(elem ...string) string { return filepath.Join(append([]string{dir}, elem...)...) }
	write(t, in("dotfiles", "deep", "settings.json"), "linked")
	write(t, in("dotfiles", "up.json"), "up")
	write(t, in("up.json"), "not this one")
	if err := os.Mkdir(in("home"), 0o755); err != nil {
		t.Fatal(err)
	}
	link(t, in("dotfiles", "deep", "settings.json"), in("home", "absolute"))
	link(t, filepath.Join("..", "dotfiles", "deep", "settings.json"), in("home", "relative"))
	link(t, "relative", in("home", "chain"))
	link(t, filepath.Join("..", "home", "chain"), in("home", "longer"))
	link(t, filepath.Join("..", "dotfiles", "deep"), in("home", "directory"))
	// directory/.. is dotfiles, not home.
	link(t, "directory"+string(filepath.Separator)+".."+string(filepath.Separator)+"up.json", in("home", "up"))
	link(t, filepath.Join("..", "dotfiles", "missing", "settings.json"), in("home", "dangling"))
	link(t, "dangling", in("home", "chain-dangling"))
	link(t, filepath.Join("..", "nowhere"), in("home", "dangling-directory"))

	tests := []struct {
		asked, path, text string
		exists            bool
	}{
		{in("home", "absolute"), in("dotfiles", "deep", "settings.json"), "linked", true},
		{in("home", "relative"), in("dotfiles", "deep", "settings.json"), "linked", true},
		{in("home", "chain"), in("dotfiles", "deep", "settings.json"), "linked", true},
		{in("home", "longer"), in("dotfiles", "deep", "settings.json"), "linked", true},
		{in("home", "directory", "settings.json"), in("dotfiles", "deep", "settings.json"), "linked", true},
		{in("home", "up"), in("dotfiles", "up.json"), "up", true},
		{in("home", "dangling"), in("dotfiles", "missing", "settings.json"), "", false},
		{in("home", "chain-dangling"), in("dotfiles", "missing", "settings.json"), "", false},
		{in("home", "dangling-directory", "settings.json"), in("nowhere", "settings.json"), "", false},
		{in("home", "none"), in("home", "none"), "", false},
	}
	for _, test := range tests {
		t.Run(filepath.Base(test.asked), func(t *testing.T) {
			f := open(t, test.asked)
			if f.Path != test.path || f.Asked != test.asked || string(f.Data) != test.text || f.Exists != test.exists {
				t.Errorf("Open = %+v", f)
			}
		})
	}

	for _, asked := range []string{"longer", "dangling", "dangling-directory"} {
		before, err := os.Readlink(in("home", asked))
		if err != nil {
			t.Fatal(err)
		}
		path := in("home", asked)
		if asked == "dangling-directory" {
			path = filepath.Join(path, "settings.json")
		}
		f := open(t, path)
		if err := f.Replace([]byte(asked)); err != nil {
			t.Fatal(err)
		}
		checkFile(t, f.Path, asked)
		checkFile(t, path, asked)
		if after, err := os.Readlink(in("home", asked)); err != nil || after != before {
			t.Errorf("the link became %q, %v", after, err)
		}
	}
}

func TestOpenRelativePath(t *testing.T) {
	dir := realDir(t)
	t.Chdir(dir)
	write(t, filepath.Join(dir, "settings.json"), "here")
	f := open(t, "settings.json")
	if f.Path != filepath.Join(dir, "settings.json") || f.Asked != "settings.json" {
		t.Errorf("Open = %+v", f)
	}
	if err := f.Replace([]byte("there")); err != nil {
		t.Fatal(err)
	}
	checkFile(t, f.Path, "there")
}

func TestOpenRefuses(t *testing.T) {
	dir := realDir(t)
	write(t, filepath.Join(dir, "file"), "")
	link(t, "b", filepath.Join(dir, "a"))
	link(t, "a", filepath.Join(dir, "b"))
	link(t, "self", filepath.Join(dir, "self"))
	large, err := os.Create(filepath.Join(dir, "large"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(large.Truncate(document.MaxSize+1), large.Close()); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ path, want string }{
		{"a", "too many symbolic links"},
		{filepath.Join("self", "settings.json"), "too many symbolic links"},
		{"", "not a regular file"},
		{"large", "larger than 8 MiB"},
	}
	for _, test := range tests {
		path := filepath.Join(dir, test.path)
		f, err := Open(path)
		if want := "open " + path + ": " + test.want; f != nil || err == nil || err.Error() != want {
			t.Errorf("Open = %v, %v, want %s", f, err, want)
		}
	}
	path := filepath.Join(dir, "file", "settings.json")
	var pathErr *fs.PathError
	if f, err := Open(path); f != nil || !errors.As(err, &pathErr) || pathErr.Path != path {
		t.Errorf("Open in a file = %v, %v", f, err)
	}
}

func TestReplaceAfterAnotherWriter(t *testing.T) {
	tests := []struct {
		name      string
		exists    bool
		interfere func(t *testing.T, path string)
	}{
		{"changed", true, func(t *testing.T, path string) { write(t, path, "theirs") }},
		{"changed in one byte", true, func(t *testing.T, path string) { write(t, path, "ourS") }},
		{"emptied", true, func(t *testing.T, path string) { write(t, path, "") }},
		{"deleted", true, func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}},
		{"appeared", false, func(t *testing.T, path string) { write(t, path, "theirs") }},
		{"appeared empty", false, func(t *testing.T, path string) { write(t, path, "") }},
		{"became a link", true, func(t *testing.T, path string) {
			write(t, path+".theirs", "ours")
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			link(t, path+".theirs", path)
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(realDir(t), "settings.json")
			if test.exists {
				write(t, path, "ours")
			}
			f := open(t, path)
			test.interfere(t, path)
			theirs, theirErr := os.ReadFile(path)
			for verb, attempt := range map[string]func() error{
				"write":  func() error { return f.Replace([]byte("new")) },
				"remove": f.Remove,
			} {
				err := attempt()
				if want := verb + " " + path + ": " + ErrChanged.Error(); !errors.Is(err, ErrChanged) || err.Error() != want {
					t.Errorf("got %v, want %s", err, want)
				}
			}
			now, err := os.ReadFile(path)
			if !bytes.Equal(now, theirs) || (err == nil) != (theirErr == nil) {
				t.Errorf("their file became %q, %v", now, err)
			}
			checkNoTemp(t, filepath.Dir(path))
		})
	}
}

func TestReplaceFailsWithoutRest(t *testing.T) {
	dir := realDir(t)
	path := filepath.Join(dir, "settings.json")
	f := open(t, path)
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	var pathErr *fs.PathError
	if err := f.Replace([]byte("new")); !errors.As(err, &pathErr) || pathErr.Path != path {
		t.Errorf("replacing a directory: %v", err)
	}
	checkNoTemp(t, dir)

	write(t, filepath.Join(dir, "file"), "")
	below := filepath.Join(dir, "made", "settings.json")
	f = open(t, below)
	write(t, filepath.Join(dir, "made"), "a file where the directory would be")
	if err := f.Replace([]byte("new")); !errors.As(err, &pathErr) || pathErr.Path != below {
		t.Errorf("replacing below a file: %v", err)
	}
}

func TestLock(t *testing.T) {
	path := filepath.Join(realDir(t), "state", "lock")
	unlock, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if _, err := Lock(path); !errors.Is(err, ErrLocked) || err.Error() != "lock "+path+": "+ErrLocked.Error() {
		t.Errorf("a second Lock = %v", err)
	}
	if waited := time.Since(start); waited < lockPatience || waited > 3*lockPatience {
		t.Errorf("it waited %v", waited)
	}

	released := make(chan struct{})
	go func() {
		defer close(released)
		time.Sleep(4 * lockRetry)
		unlock()
	}()
	again, err := Lock(path)
	<-released
	if err != nil {
		t.Fatalf("Lock after unlock = %v", err)
	}
	again()
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}

	write(t, filepath.Join(filepath.Dir(path), "file"), "")
	if _, err := Lock(filepath.Join(filepath.Dir(path), "file", "lock")); err == nil || errors.Is(err, ErrLocked) {
		t.Errorf("a lock below a file: %v", err)
	}
}
