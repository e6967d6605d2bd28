// Package workspace reads and changes files that a strategy keeps in the project, such as the state of a loop or a plan.
//
// The user may not trust the project. All files are therefore opened through os.Root, which no name or symlink can
// leave. Reads are bounded and limited to regular files.
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
	"sort"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

const (
	MaxFile  = 256 << 10             // the largest file read, in bytes
	maxNames = 1000                  // the most entries to read from a directory
	fresh    = 2 * time.Second       // might still be written if not this old
	patience = time.Second           // the longest wait for all fresh files
	pause    = 40 * time.Millisecond // the time that a fresh file must stay the same
)

type Space struct {
	root *os.Root
	Dir  string    // absolute
	late time.Time // the end of waiting
}

// OpenSpace opens a directory, the working directory for "". Callers close the Space.
func OpenSpace(dir string) (*Space, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	// With the dot, a pipe in place of the directory is an error instead of blocking.
	root, err := os.OpenRoot(dir + string(filepath.Separator) + ".")
	if err != nil {
		return nil, err
	}
	return &Space{root: root, Dir: dir}, nil
}

func (s *Space) Close() { _ = s.root.Close() }

// ReadWanted reads a file, or a directory's names if want.Name ends in a slash. If want.Whole is set, it rereads a file
// less than two seconds old for up to a second, until it is unchanged and want.Whole accepts it.
func (s *Space) ReadWanted(want strategy.WantedFile) strategy.File {
	f := s.readNow(want.Name)
	for want.Whole != nil && f.Readable() && f.Age < fresh.Milliseconds() {
		if s.late.IsZero() {
			s.late = time.Now().Add(patience - pause)
		}
		if !time.Now().Before(s.late) {
			break
		}
		time.Sleep(pause)
		before := f
		f = s.readNow(want.Name)
		if f.Found == before.Found && bytes.Equal(f.Data, before.Data) && want.Whole(f.Data) {
			break
		}
	}
	return f
}

// readNow reads as ReadWanted does, but only once and without waiting.
func (s *Space) readNow(name string) strategy.File {
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
	out := strategy.File{Found: true, Age: max(0, time.Since(info.ModTime()).Milliseconds())}
	dir := strings.HasSuffix(name, "/")
	switch {
	case dir && !info.IsDir():
		out.Problem = "not a directory"
	case dir:
		out.Names, err = f.Readdirnames(maxNames)
		if err != nil && err != io.EOF {
			out.Problem = plainCause(err)
		}
		sort.SliceStable(out.Names, func(i, j int) bool { return out.Names[i] < out.Names[j] })
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

var errOutside = errors.New("outside of the workspace")

// localName converts a name with slashes to the system's form. Names leaving the workspace are errors.
func localName(name string) (string, error) {
	local := filepath.FromSlash(path.Clean(name))
	if name == "" || strings.ContainsRune(name, 0) || !filepath.IsLocal(local) {
		return "", errOutside
	}
	return local, nil
}

func plainCause(err error) string {
	switch e := err.(type) { // errors.As would make the hook larger
	case *fs.PathError:
		err = e.Err
	case *os.LinkError:
		err = e.Err
	}
	return err.Error()
}

const maxUp = 40

// Nearest returns the first directory containing any of marks (names with slashes), from dir up to the repository's
// top, or dir without a repository. Repositories at home or above do not count. Without a match, it returns
// projectAbove if this contains the top and a mark, otherwise the top. Without marks, it returns dir.
func Nearest(dir, projectAbove string, marks []string, home string) (dirOrRepo string, marked bool) {
	dir, err := filepath.Abs(dir)
	if err != nil || len(marks) == 0 {
		return dir, false
	}
	top := dir
	for n, up := range dirsUpFrom(dir) {
		if n > 0 && up == filepath.Clean(home) {
			break
		}
		if hasAny(up, ".git") {
			top = up
			break
		}
	}
	for _, up := range dirsUpFrom(dir) {
		if hasAny(up, marks...) {
			return up, true
		}
		if up == top {
			break
		}
	}
	if above := ProjectSpelledLike(dir, projectAbove); above != "" && len(above) < len(top) && hasAny(above, marks...) {
		return above, true
	}
	return top, false
}

// ProjectSpelledLike returns project in the spelling of dir, an absolute path ("" if project does not contain dir).
func ProjectSpelledLike(dir, project string) (partOfDir string) {
	want, err := os.Stat(project)
	if err != nil {
		return ""
	}
	for _, up := range dirsUpFrom(dir) {
		if is, err := os.Stat(up); err == nil && os.SameFile(is, want) {
			return up
		}
	}
	return ""
}

func dirsUpFrom(absDir string) (all []string) {
	for len(all) < maxUp && (len(all) == 0 || absDir != all[len(all)-1]) {
		all = append(all, absDir)
		absDir = filepath.Dir(absDir)
	}
	return all
}

func hasAny(dir string, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name)))
		return err == nil
	})
}
