// Package workspace reads and changes files that a strategy keeps in the
// project: a loop's state, a plan, a list of tasks.
//
// The project may be one that the user does not trust. So every file is
// reached through os.Root: no name and no link leads out of the workspace. What
// is read is bounded, and what is no regular file is not read.
package workspace

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

const (
	// MaxFile is the largest file that is read, in bytes.
	MaxFile = 256 << 10
	// maxNames is how many entries of a directory are read.
	maxNames = 1000
	// fresh is how young a file is that its writer may still be at work on.
	fresh = 2 * time.Second
	// patience is how long fresh files are waited for, all of them together, pause
	// how long one must stay the same.
	patience = time.Second
	pause    = 40 * time.Millisecond
)

type Space struct {
	root *os.Root
	Dir  string    // absolute
	late time.Time // when to wait no more
}

// OpenSpace opens a directory, "" for the process's own.
func OpenSpace(dir string) (*Space, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	// With the dot a pipe in place of the directory is refused, and not waited for.
	root, err := os.OpenRoot(dir + string(filepath.Separator) + ".")
	if err != nil {
		return nil, err
	}
	return &Space{root: root, Dir: dir}, nil
}

func (s *Space) Close() { _ = s.root.Close() }

// ReadWanted reads one file, or the names in a directory.
func (s *Space) ReadWanted(want strategy.Want) strategy.File {
	f := s.lookNow(want.Name)
	if want.Whole == nil {
		return f
	}
	if s.late.IsZero() && f.Readable() && f.Age < fresh.Milliseconds() {
		s.late = time.Now().Add(patience - pause)
	}
	for f.Readable() && f.Age < fresh.Milliseconds() && time.Now().Before(s.late) {
		time.Sleep(pause)
		again := s.lookNow(want.Name)
		same := again.Found == f.Found && bytes.Equal(again.Data, f.Data)
		f = again
		if same && want.Whole(f.Data) {
			break
		}
	}
	return f
}

func (s *Space) lookNow(name string) strategy.File {
	local, err := localName(name)
	if err != nil {
		return strategy.File{Problem: err.Error()}
	}
	f, err := s.root.OpenFile(local, os.O_RDONLY|file.Nonblock, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return strategy.File{}
	}
	if err != nil {
		problem := plainCause(err)
		if link := s.firstLink(local); link != "" {
			problem = link + " is a link: " + problem
		}
		return strategy.File{Found: true, Problem: problem}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return strategy.File{Found: true, Problem: plainCause(err)}
	}
	age := time.Since(info.ModTime())
	out := strategy.File{Found: true, Age: max(0, age.Milliseconds())}
	switch {
	case strings.HasSuffix(name, "/"):
		if !info.IsDir() {
			out.Problem = "not a directory"
			break
		}
		names, err := f.Readdirnames(maxNames)
		if err != nil && err != io.EOF {
			out.Problem = plainCause(err)
		}
		slices.Sort(names)
		out.Names = names
	case !info.Mode().IsRegular():
		out.Problem = "not a regular file"
	default:
		out.Data, err = io.ReadAll(io.LimitReader(f, MaxFile+1))
		switch {
		case err != nil:
			out.Data, out.Problem = nil, plainCause(err)
		case len(out.Data) > MaxFile:
			out.Data, out.Problem = nil, "larger than 256 KiB"
		case out.Data == nil:
			out.Data = []byte{}
		}
	}
	return out
}

// errOutside says that a name leads out of the workspace.
var errOutside = errors.New("outside of the workspace")

// localName is a name as the system writes it, if it stays in the workspace.
func localName(name string) (string, error) {
	local := filepath.FromSlash(path.Clean(name))
	if name == "" || strings.ContainsRune(name, 0) || !filepath.IsLocal(local) {
		return "", errOutside
	}
	return local, nil
}

// plainCause is what is wrong, without the name and the system call.
func plainCause(err error) string {
	switch e := err.(type) { // not errors.As, which makes the hook larger
	case *fs.PathError:
		err = e.Err
	case *os.LinkError:
		err = e.Err
	}
	return err.Error()
}

// maxUp is how many directories upwards are looked at.
const maxUp = 40

// Nearest is the directory that a session's files lie in: from dir upwards the
// first that has one of the marks, names with slashes, else the top of the
// repository that dir lies in, else dir. A session's directory follows every cd,
// its files do not. Without a repository nothing above dir counts, and never a
// home directory that is one: what lies there is not the project's. Where none of these has a mark,
// the project that the session was started in counts if dir lies in it: a repository in the project, a
// submodule and a worktree have a top of their own. "" is no project.
func Nearest(dir, project string, marks []string, home string) string {
	dir, _ = findMarked(dir, project, marks, home)
	return dir
}

// HasMark reports whether that directory has one of the marks.
func HasMark(dir, project string, marks []string, home string) bool {
	_, marked := findMarked(dir, project, marks, home)
	return marked
}

// findMarked looks for each mark once in each directory.
func findMarked(dir, project string, marks []string, home string) (nearest string, marked bool) {
	dir, err := filepath.Abs(dir)
	if err != nil || len(marks) == 0 {
		return dir, false
	}
	top := dir
	for up, below, n := dir, "", 0; up != below && n < maxUp && (up == dir || up != filepath.Clean(home)); up, below, n = filepath.Dir(up), up, n+1 {
		if hasEntry(up, ".git") {
			top = up
			break
		}
	}
	for up := dir; ; up = filepath.Dir(up) {
		if hasAny(up, marks) {
			return up, true
		}
		if up == top {
			break
		}
	}
	if above := ProjectAround(dir, project); above != "" && len(above) < len(top) && hasAny(above, marks) {
		return above, true
	}
	return top, false
}

// ProjectAround is the project as dir spells it, "" if dir does not lie in it.
func ProjectAround(dir, project string) string {
	want, err := os.Stat(project)
	for n := 0; err == nil && n < maxUp; n++ {
		if is, err := os.Stat(dir); err == nil && os.SameFile(is, want) {
			return dir
		}
		above := filepath.Dir(dir)
		if above == dir {
			break
		}
		dir = above
	}
	return ""
}

func hasAny(dir string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return hasEntry(dir, name) })
}

func hasEntry(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name)))
	return err == nil
}
