package workspace

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/runtime/strategy"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// room is a workspace with files around it.
type room struct {
	t      *testing.T
	parent string
	*Space
}

const secret = "what is outside"

func newRoom(t *testing.T) room {
	t.Helper()
	r := room{t: t, parent: t.TempDir()}
	r.write("outside.txt", secret)
	r.write("other/outside.txt", secret)
	r.write("space/here.txt", "here")
	r.write("space/dir/below.txt", "below")
	var err error
	if r.Space, err = OpenSpace(r.path("space")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

var must, errorIf = scratch.Must, scratch.ErrorIf

func (r room) path(name string) string { return filepath.Join(r.parent, filepath.FromSlash(name)) }

func (r room) write(name, data string) {
	r.t.Helper()
	must(r.t, errors.Join(os.MkdirAll(filepath.Dir(r.path(name)), 0o755), os.WriteFile(r.path(name), []byte(data), 0o644)))
}

func (r room) link(to, name string) {
	r.t.Helper()
	must(r.t, os.Symlink(filepath.FromSlash(to), r.path(name)))
}

// tree reads all files outside and within.
func (r room) tree() map[string]string {
	r.t.Helper()
	all := scratch.ReadTree(r.t, r.parent)
	maps.DeleteFunc(all, func(name, _ string) bool { return strings.HasSuffix(name, "/") })
	return all
}

// only demands that of all files these changed, to this.
func (r room) only(before map[string]string, changed map[string]string) {
	r.t.Helper()
	after := r.tree()
	for name, data := range changed {
		errorIf(r.t, after[name] != data, "%s is %q, want %q", name, after[name], data)
		delete(after, name)
		delete(before, name)
	}
	for name, data := range before {
		now, ok := after[name]
		errorIf(r.t, !ok || now != data, "%s became %q", name, now)
		delete(after, name)
	}
	for name := range after {
		r.t.Errorf("%s is new", name)
	}
}

// No name leads out, whatever it looks like, to be read or to be written.
func TestNamesThatLeadOut(t *testing.T) {
	r := newRoom(t)
	before := r.tree()
	for _, name := range []string{
		"", "..", "../outside.txt", "./../outside.txt", "dir/../../outside.txt", "dir/../../space/../outside.txt", "../", "/", "//",
		r.path("outside.txt"), "/etc/passwd", "//etc/passwd", "here.txt\x00", "\x00", "dir/\x00/../x", "../space/here.txt", "dir/../..",
	} {
		f := r.ReadWanted(strategy.WantedFile{Name: name})
		errorIf(t, f.Found || f.Problem == "" || f.Data != nil || f.Names != nil, "read %q: %+v", name, f)
		for _, data := range [][]byte{[]byte("x"), nil} {
			errorIf(t, r.ApplyChanges([]strategy.Change{{Name: name, Data: data}}) == nil,
				"%q with %q: no error", name, data)
			scratch.Equal(t, r.ApplyChanges([]strategy.Change{{Name: name, Data: data, Optional: true}}), nil,
				"optional", name)
		}
	}
	r.only(before, nil)
}

// Names that are only odd are names.
func TestOddNames(t *testing.T) {
	for _, name := range []string{
		"-rf", "--", "a\nb", " ", "~", "$HOME", "...", "..x", "a/..b/c", "dir/./x", "dir//x", "*", "\xff\xfe", "é", strings.Repeat("n", 200), "dir/../new.txt",
	} {
		r := newRoom(t)
		before := r.tree()
		if err := r.ApplyChanges([]strategy.Change{{Name: name, Data: []byte("1")}}); err != nil {
			t.Errorf("write %q: %v", name, err)
			continue
		}
		f := r.ReadWanted(strategy.WantedFile{Name: name})
		errorIf(t, !f.Readable() || string(f.Data) != "1", "read %q: %+v", name, f)
		r.only(before, map[string]string{"space/" + filepath.ToSlash(filepath.Clean(name)): "1"})
		if err := r.ApplyChanges([]strategy.Change{{Name: name, Was: []byte("1")}}); err != nil || r.ReadWanted(strategy.WantedFile{Name: name}).Found {
			t.Errorf("delete %q: %v", name, err)
		}
	}
	r := newRoom(t)
	for _, name := range []string{"dir/", "new/", "."} {
		for _, data := range [][]byte{[]byte("x"), nil} {
			errorIf(t, r.ApplyChanges([]strategy.Change{{Name: name, Data: data}}) == nil, "a file at %q", name)
		}
	}
	if f := r.ReadWanted(strategy.WantedFile{Name: strings.Repeat("n/", 3000)}); f.Readable() {
		t.Errorf("a name of 6,000 bytes: %+v", f)
	}
}

func TestWhatCanLieThere(t *testing.T) {
	for name, test := range map[string]struct {
		make    func(r room)
		data    string // what is read
		problem string // else; "-": there is nothing
		refused string // of a write; "" if it works
	}{
		"a file":                {make: func(r room) { r.write("space/f", "data") }, data: "data"},
		"an empty file":         {make: func(r room) { r.write("space/f", "") }},
		"nothing":               {make: func(room) {}, problem: "-"},
		"a directory":           {make: func(r room) { r.write("space/f/x", "") }, problem: "not a regular file", refused: "not a regular file"},
		"a link":                {make: func(r room) { r.link("here.txt", "space/f") }, data: "here", refused: "it is a link"},
		"a link out":            {make: func(r room) { r.link("../outside.txt", "space/f") }, problem: "escapes", refused: "it is a link"},
		"an absolute link out":  {make: func(r room) { r.link(r.path("outside.txt"), "space/f") }, problem: "escapes", refused: "it is a link"},
		"a link to a link out":  {make: func(r room) { r.link("../outside.txt", "space/g"); r.link("g", "space/f") }, problem: "escapes", refused: "it is a link"},
		"a link to nothing":     {make: func(r room) { r.link("gone", "space/f") }, problem: "-", refused: "it is a link"},
		"a link to itself":      {make: func(r room) { r.link("f", "space/f") }, problem: "too many", refused: "it is a link"},
		"a link to a directory": {make: func(r room) { r.link("dir", "space/f") }, problem: "not a regular file", refused: "it is a link"},
		"as much as is read":    {make: func(r room) { r.write("space/f", strings.Repeat("x", MaxFile)) }, data: strings.Repeat("x", MaxFile)},
		"more than is read":     {make: func(r room) { r.write("space/f", strings.Repeat("x", MaxFile+1)) }, problem: "larger than 256 KiB"},
		"a read-only file": {make: func(r room) {
			r.write("space/f", "data")
			must(r.t, os.Chmod(r.path("space/f"), 0o444))
		}, data: "data", refused: "it is read-only"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRoom(t)
			test.make(r)
			f := r.ReadWanted(strategy.WantedFile{Name: "f"})
			switch {
			case test.problem == "-":
				errorIf(t, f.Found || f.Problem != "", "%+v", f)
			case test.problem != "":
				if !f.Found || !strings.Contains(f.Problem, test.problem) || f.Data != nil {
					t.Errorf("found %v, problem %q", f.Found, f.Problem)
				}
			case !f.Readable() || string(f.Data) != test.data || f.Data == nil || f.Age < 0 || f.Age > time.Minute.Milliseconds():
				t.Errorf("%+v", f)
			}

			before := r.tree()
			err := r.ApplyChanges([]strategy.Change{{Name: "f", Data: []byte("new")}})
			if test.refused == "" {
				errorIf(t, err != nil, "%v", err)
				r.only(before, map[string]string{"space/f": "new"})
				return
			}
			if err == nil || !strings.HasPrefix(err.Error(), "write f: ") || !strings.Contains(err.Error(), test.refused) {
				t.Errorf("%v, want %q", err, test.refused)
			}
			r.only(before, nil)
		})
	}
}

// A link within the directory is followed by reads and refused by writes. A link out of it is always refused.
func TestLinkedDirectories(t *testing.T) {
	r := newRoom(t)
	r.link("dir", "space/within")
	r.link("../other", "space/out")
	if f := r.ReadWanted(strategy.WantedFile{Name: "within/below.txt"}); string(f.Data) != "below" {
		t.Errorf("%+v", f)
	}
	before := r.tree()
	for _, c := range []strategy.Change{{Name: "within/below.txt", Data: []byte("new"), Was: []byte("below")}, {Name: "within/below.txt"}, {Name: "within/new/new.txt", Data: []byte("new")}} {
		if err := r.ApplyChanges([]strategy.Change{c}); err == nil || !strings.HasSuffix(err.Error(), ": within is a link") {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
	for _, name := range []string{"out/outside.txt", "out/new.txt", "out/", "out/sub/new.txt", "within/../../outside.txt"} {
		f := r.ReadWanted(strategy.WantedFile{Name: name})
		errorIf(t, f.Readable() || f.Data != nil || f.Names != nil, "read %s: %+v", name, f)
		for _, c := range []strategy.Change{{Name: name, Data: []byte("x")}, {Name: name}, {Name: name, Data: []byte("x"), Was: []byte(secret)}} {
			errorIf(t, r.ApplyChanges([]strategy.Change{c}) == nil && c.Data != nil, "write %s: no error", name)
		}
	}
	r.only(before, nil)
}

func TestDirectories(t *testing.T) {
	r := newRoom(t)
	r.write("space/dir/a", "")
	r.write("space/dir/sub/b", "")
	if f := r.ReadWanted(strategy.WantedFile{Name: "dir/"}); strings.Join(f.Names, " ") != "a below.txt sub" || !f.Readable() {
		t.Errorf("%+v", f)
	}
	if f := r.ReadWanted(strategy.WantedFile{Name: "here.txt/"}); f.Readable() || f.Names != nil {
		t.Errorf("a file: %+v", f)
	}
	if f := r.ReadWanted(strategy.WantedFile{Name: "gone/"}); f.Found || f.Problem != "" {
		t.Errorf("nothing: %+v", f)
	}
	if f := r.ReadWanted(strategy.WantedFile{Name: "./"}); strings.Join(f.Names, " ") != "dir here.txt" {
		t.Errorf("the workspace: %+v", f)
	}
}

func TestManyNames(t *testing.T) {
	r := newRoom(t)
	for i := range maxNames + 50 {
		r.write("space/many/"+strings.Repeat("x", i%7)+string(rune('a'+i%26))+strings.Repeat("y", i/26), "")
	}
	f := r.ReadWanted(strategy.WantedFile{Name: "many/"})
	errorIf(t, len(f.Names) > maxNames || len(f.Names) < 200, "%d names", len(f.Names))
}

// A change of another program since the read is not overwritten.
func TestChangedMeanwhile(t *testing.T) {
	for name, test := range map[string]struct {
		now     string // "-": it is gone
		change  strategy.Change
		changes bool
		fails   bool
	}{
		"as it was":           {"old", strategy.Change{Name: "f", Data: []byte("new"), Was: []byte("old")}, true, false},
		"edited":              {"edited", strategy.Change{Name: "f", Data: []byte("new"), Was: []byte("old")}, false, true},
		"gone":                {"-", strategy.Change{Name: "f", Data: []byte("new"), Was: []byte("old")}, false, true},
		"empty as it was":     {"", strategy.Change{Name: "f", Data: []byte("new"), Was: []byte{}}, true, false},
		"whatever it is":      {"edited", strategy.Change{Name: "f", Data: []byte("new")}, true, false},
		"new":                 {"-", strategy.Change{Name: "f", Data: []byte("new")}, true, false},
		"emptied by us":       {"old", strategy.Change{Name: "f", Data: []byte{}, Was: []byte("old")}, true, false},
		"deleted":             {"old", strategy.Change{Name: "f", Was: []byte("old")}, true, false},
		"not deleted, edited": {"edited", strategy.Change{Name: "f", Was: []byte("old")}, false, true},
		"deleted already":     {"-", strategy.Change{Name: "f", Was: []byte("old")}, false, false},
		"optional, edited":    {"edited", strategy.Change{Name: "f", Data: []byte("new"), Was: []byte("old"), Optional: true}, false, false},
	} {
		r := newRoom(t)
		if test.now != "-" {
			r.write("space/f", test.now)
		}
		before := r.tree()
		err := r.ApplyChanges([]strategy.Change{test.change})
		if (err != nil) != test.fails || err != nil && !strings.Contains(err.Error(), ErrChanged.Error()) {
			t.Errorf("%s: %v", name, err)
		}
		if !test.changes {
			r.only(before, nil)
			continue
		}
		if test.change.Data == nil {
			delete(before, "space/f")
			r.only(before, nil)
			continue
		}
		r.only(before, map[string]string{"space/f": string(test.change.Data)})
	}
}

// Changes happen in their order, up to the first that fails.
func TestApplyStopsAtTheFirst(t *testing.T) {
	r := newRoom(t)
	before := r.tree()
	err := r.ApplyChanges([]strategy.Change{
		{Name: "a", Data: []byte("1")}, {Name: "../b", Data: []byte("2"), Optional: true}, {Name: "dir", Data: []byte("3")}, {Name: "d", Data: []byte("4")},
	})
	errorIf(t, err == nil || err.Error() != "write dir: it is not a regular file", "%v", err)
	r.only(before, map[string]string{"space/a": "1"})
	if err := r.ApplyChanges([]strategy.Change{{Name: "dir/below.txt/x"}}); err == nil || !strings.HasPrefix(err.Error(), "delete dir/below.txt/x: ") {
		t.Errorf("%v", err)
	}
	errorIf(t, r.ApplyChanges([]strategy.Change{{Name: "dir/below.txt/x", Data: []byte("1")}}) == nil,
		"a file for a directory: no error")
}

// Missing directories are made; a file keeps its mode, and a new one is the user's to write and anybody's to read.
func TestDirectoriesAndModes(t *testing.T) {
	r := newRoom(t)
	must(t, r.ApplyChanges([]strategy.Change{{Name: "a/b/c/f", Data: []byte("1")}}))
	if info, err := os.Stat(r.path("space/a/b/c/f")); err != nil || info.Mode().Perm()&0o600 != 0o600 || info.Mode().Perm()&0o133 != 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	for _, mode := range []os.FileMode{0o600, 0o640, 0o664, 0o755} {
		must(t, os.Chmod(r.path("space/a/b/c/f"), mode))
		must(t, r.ApplyChanges([]strategy.Change{{Name: "a/b/c/f", Data: []byte(mode.String())}}))
		scratch.Equal(t, scratch.ModeOf(t, r.path("space/a/b/c/f")), mode, mode)
	}
}

// A file that another program is writing is read when it is whole.
func TestHalfWritten(t *testing.T) {
	for name, steps := range map[string][]string{
		"whole at once": {"the end"},
		"in two":        {"beg", "beginning and end"},
		"emptied":       {"", "new end"},
		"in three":      {"a", "a b", "a b end"},
	} {
		r := newRoom(t)
		r.write("space/f", steps[0])
		n := 0
		f := r.ReadWanted(strategy.WantedFile{Name: "f", Whole: func(data []byte) bool {
			errorIf(t, string(data) != steps[n], "%s: asked about %q, not %q", name, data, steps[n])
			if n++; n == len(steps) {
				return true
			}
			r.write("space/f", steps[n]) // its writer goes on meanwhile
			return false
		}})
		errorIf(t, string(f.Data) != steps[len(steps)-1] || n != len(steps), "%s: %q at step %d", name, f.Data, n)
	}
}

// One that never becomes whole is given up; one that has not changed for a
// while, or that asks for nothing, is not waited for at all.
func TestNeverWhole(t *testing.T) {
	r := newRoom(t)
	asked := 0
	never := func([]byte) bool { asked++; return false }
	r.write("space/f", "half")
	if f := r.ReadWanted(strategy.WantedFile{Name: "f", Whole: never}); string(f.Data) != "half" || asked == 0 || asked > int(patience/pause) {
		t.Errorf("%q, asked %d times", f.Data, asked)
	}
	past := time.Now().Add(-2 * fresh)
	must(t, os.Chtimes(r.path("space/f"), past, past))
	asked = 0
	if f := r.ReadWanted(strategy.WantedFile{Name: "f", Whole: never}); string(f.Data) != "half" || asked != 0 || f.Age < fresh.Milliseconds() {
		t.Errorf("an old file: %q, asked %d times", f.Data, asked)
	}
	for _, name := range []string{"gone", "../outside.txt", "dir"} {
		if f := r.ReadWanted(strategy.WantedFile{Name: name, Whole: never}); f.Readable() || asked != 0 {
			t.Errorf("%s: %+v, asked %d times", name, f, asked)
		}
	}
	future := time.Now().Add(time.Hour) // clocks differ, or a project wants us to wait
	must(t, os.Chtimes(r.path("space/f"), future, future))
	if f := r.ReadWanted(strategy.WantedFile{Name: "f", Whole: never}); string(f.Data) != "half" || f.Age != 0 || asked > int(patience/pause) {
		t.Errorf("of the future: %+v, asked %d times", f, asked)
	}
}

// A file that is deleted before it is complete is not found.
func TestGoneWhileRead(t *testing.T) {
	r := newRoom(t)
	r.write("space/f", "half")
	f := r.ReadWanted(strategy.WantedFile{Name: "f", Whole: func([]byte) bool {
		err := os.Remove(r.path("space/f"))
		errorIf(t, err != nil && !errors.Is(err, os.ErrNotExist), "%v", err)
		return false
	}})
	errorIf(t, f.Found || f.Problem != "", "%+v", f)
}

// No name or content reads or changes a file outside of the workspace, and every write is read back.
func FuzzNames(f *testing.F) {
	for _, name := range []string{"a", "../outside.txt", "dir/../../outside.txt", "out/x", "out/../../outside.txt", "/etc/passwd", "a\x00b", `..\outside.txt`, `C:\x`, "dir/", "here.txt/x", "-", "\n", "dir/new/x", "link", "dangling", "."} {
		f.Add(name, []byte("data"), []byte("here"), false)
	}
	f.Fuzz(func(t *testing.T, name string, data, was []byte, remove bool) {
		r := newRoom(t)
		r.link("../outside.txt", "space/link")
		r.link("../other", "space/out")
		r.link("../gone.txt", "space/dangling")
		if remove {
			data = nil
		} else if data == nil {
			data = []byte{}
		}
		if read := r.ReadWanted(strategy.WantedFile{Name: name}); strings.Contains(string(read.Data), secret) || len(read.Data) > MaxFile || read.Problem != "" && (read.Data != nil || read.Names != nil) {
			t.Fatalf("read %q: %+v", name, read)
		}
		if len(was)%2 == 0 {
			was = nil
		}
		err := r.ApplyChanges([]strategy.Change{{Name: name, Data: data, Was: was}})
		if err == nil && len(data) <= MaxFile {
			switch read := r.ReadWanted(strategy.WantedFile{Name: name}); {
			case data != nil && (!read.Readable() || string(read.Data) != string(data)):
				t.Errorf("wrote %q, read %+v", data, read)
			case data == nil && read.Found:
				t.Errorf("deleted, and it is there: %+v", read)
			}
		}
		if err != nil && strings.Contains(err.Error(), r.parent) {
			t.Errorf("the error names the machine's directories: %v", err)
		}
		for file, holds := range r.tree() {
			if strings.HasPrefix(file, "space/") {
				if strings.Contains(file, tempMark) && !strings.Contains(name, tempMark) {
					t.Errorf("left behind: %s", file)
				}
				continue
			}
			if holds != secret || file != "outside.txt" && file != "other/outside.txt" {
				t.Errorf("outside, %s became %q", file, holds)
			}
		}
		if _, err := os.Stat(r.path("outside.txt")); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(r.path("other/outside.txt")); err != nil {
			t.Error(err)
		}
	})
}

func TestNearest(t *testing.T) {
	marks := []string{".claude/state.json", ".ledger/"}
	for name, test := range map[string]struct {
		there   []string // directories end in a slash
		dir     string
		want    string
		mark    bool
		project string
	}{
		"no repository":               {[]string{".ledger/", "a/b/"}, "a/b", "a/b", false, ""},
		"no repository, a mark":       {[]string{".ledger/", "a/b/.ledger/"}, "a/b", "a/b", true, ""},
		"below the top":               {[]string{"a/.git/", "a/b/c/"}, "a/b/c", "a", false, ""},
		"a mark on the way":           {[]string{"a/.git/", "a/b/.claude/state.json", "a/b/c/"}, "a/b/c", "a/b", true, ""},
		"a mark here":                 {[]string{"a/.git/", "a/.ledger/", "a/b/.ledger/"}, "a/b", "a/b", true, ""},
		"a mark above the top":        {[]string{".ledger/", "a/.git/", "a/b/"}, "a/b", "a", false, ""},
		"a worktree's .git":           {[]string{".git/", "a/.git", "a/b/"}, "a/b", "a", false, ""},
		"the home is a repository":    {[]string{"home/.git/", "home/.ledger/", "home/x/"}, "home/x", "home/x", false, ""},
		"a repository in the home":    {[]string{"home/.git/", "home/x/.git/", "home/x/y/"}, "home/x/y", "home/x", false, ""},
		"a repository in the project": {[]string{"p/.git/", "p/.ledger/", "p/x/.git/", "p/x/y/"}, "p/x/y", "p", true, "p"},
		"a submodule":                 {[]string{"p/.git/", "p/.ledger/", "p/lib/x/.git"}, "p/lib/x", "p", true, "p"},
		"a worktree in the project":   {[]string{"p/.git/", "p/.ledger/", "p/.claude/worktrees/x/.git"}, "p/.claude/worktrees/x", "p", true, "p"},
		"a worktree with its own":     {[]string{"p/.git/", "p/.ledger/", "p/w/.git", "p/w/.ledger/"}, "p/w", "p/w", true, "p"},
		"a worktree beside it":        {[]string{"p/.git/worktrees/w/", "p/.ledger/", "w/.git"}, "w", "w", false, "p"},
		"a sibling by its name":       {[]string{"p/.git/", "p/.ledger/", "px/"}, "px", "px", false, "p"},
		"below, without a repository": {[]string{"p/.ledger/", "p/x/y/"}, "p/x/y", "p", true, "p"},
		"only the project itself":     {[]string{".ledger/", "p/.git/", "p/a/.ledger/", "p/a/x/.git/"}, "p/a/x", "p/a/x", false, "p"},
		"above the project":           {[]string{"p/a/.ledger/", "p/b/"}, "p", "p", false, "p/a"},
		"no such project":             {[]string{"p/.ledger/", "p/x/"}, "p/x", "p/x", false, "q"},
		"a directory that is gone":    {[]string{"a/.git/"}, "a/gone/b", "a", false, ""},
	} {
		root := t.TempDir()
		for _, path := range test.there {
			full := filepath.Join(root, filepath.FromSlash(path))
			must(t, os.MkdirAll(filepath.Dir(full), 0o755))
			var err error
			if path[len(path)-1] == '/' {
				err = os.MkdirAll(full, 0o755)
			} else {
				err = os.WriteFile(full, nil, 0o600)
			}
			must(t, err)
		}
		project := ""
		if test.project != "" {
			project = filepath.Join(root, filepath.FromSlash(test.project))
		}
		got, marked := Nearest(filepath.Join(root, filepath.FromSlash(test.dir)), project, marks, filepath.Join(root, "home"))
		if want := filepath.Join(root, filepath.FromSlash(test.want)); got != want || marked != test.mark {
			t.Errorf("%s: %s, want %s; has a mark: %v", name, got, want, marked)
		}
		if got, _ := Nearest(filepath.Join(root, filepath.FromSlash(test.dir)), project, nil, ""); got != filepath.Join(root, filepath.FromSlash(test.dir)) {
			t.Errorf("%s: without marks %s", name, got)
		}
	}
}
