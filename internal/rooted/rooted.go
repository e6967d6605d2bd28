// Package rooted holds a directory that the user may not trust: a cloned suite, a
// project, a marketplace's checkout.
//
// Two things keep the one who made it from choosing another file of the user's. All
// of its files are reached through os.Root, so no name, no link and no swap of
// one for the other leads out. And what writes asks CheckLinks first: a link on the
// way is refused with its name, also one that stays inside, since it is not the
// file that the user is told of.
package rooted

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// LinkError says that a path goes through a link.
type LinkError struct {
	Path   string // of the link
	Target string // as the link has it, "" if that cannot be read
	Typed  bool   // the path is one that the user typed
}

func (e *LinkError) Error() string {
	says := e.Path + " is a link"
	if e.Target != "" {
		says += ", to " + e.Target
	}
	if e.Typed {
		says += ", which is not followed"
	}
	return says
}

// Folder is an open directory. Names in it are relative and have slashes or the
// system's separators. The methods of os.Root never leave it, but follow links
// that stay inside; CheckLinks, Lstat and ReadFile follow none.
type Folder struct{ *os.Root }

// OpenFolder opens a directory. Links in dir itself are followed: they are of the one who
// names it.
func OpenFolder(dir string) (Folder, error) {
	// Looked at before it is opened: opening a pipe would wait for its writer.
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return Folder{}, &fs.PathError{Op: "open", Path: dir, Err: syscall.ENOTDIR}
	}
	root, err := os.OpenRoot(dir)
	return Folder{root}, err
}

// OpenAbove opens a directory, or where it is not there yet, the nearest one
// above it. name is the directory as seen from there, "." if it is the one.
// Where a link that leads nowhere is in its place, the error is a *LinkError.
func OpenAbove(dir string) (f Folder, name string, err error) {
	for at := dir; ; at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at) {
			continue
		}
		if err != nil {
			return Folder{}, "", err
		}
		if _, err := os.Stat(at); err != nil && isLink(info) {
			return Folder{}, "", linkErrorAt(at)
		}
		if f, err = OpenFolder(at); err != nil {
			return f, "", err
		}
		if name, err = filepath.Rel(at, dir); err != nil {
			_ = f.Close()
		}
		return f, name, err
	}
}

// PathOf is the path of a name, for people.
func (f Folder) PathOf(name string) string {
	return filepath.Join(f.Name(), filepath.FromSlash(name))
}

// CheckLinks gives a *LinkError if a name, or a directory on the way to it, is a link,
// whether it leads out or not. What is not there is no link.
func (f Folder) CheckLinks(names ...string) error {
	for _, name := range names {
		parts := strings.Split(filepath.Clean(filepath.FromSlash(name)), string(filepath.Separator))
		for i := range parts {
			at := filepath.Join(parts[:i+1]...)
			info, err := f.Root.Lstat(at)
			if err != nil {
				break // what is wrong with it, the use of it says
			}
			if isLink(info) {
				return linkErrorAt(f.PathOf(at))
			}
		}
	}
	return nil
}

// Lstat looks at a name itself; a link on the way to it gives a *LinkError.
func (f Folder) Lstat(name string) (fs.FileInfo, error) {
	name = filepath.FromSlash(name)
	if err := f.CheckLinks(filepath.Dir(name)); err != nil {
		return nil, err
	}
	return f.Root.Lstat(name)
}

// ReadFile reads a regular file of at most limit bytes. A link gives a *LinkError.
func (f Folder) ReadFile(name string, limit int64) ([]byte, fs.FileInfo, error) {
	name = filepath.FromSlash(name)
	if err := f.CheckLinks(name); err != nil {
		return nil, nil, err
	}
	return readRegular(f.PathOf(name), name, limit, f.Root.Lstat, f.Root.Open)
}

// Replace writes a file whole, or not at all: first beside it, under a name that begins with
// temporary.
func (f Folder) Replace(name, temporary string, write func(io.Writer) error) (err error) {
	fresh := filepath.Join(filepath.Dir(name), temporary+rand.Text())
	file, err := f.OpenFile(fresh, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err = errors.Join(write(file), file.Close()); err == nil {
		err = f.Rename(fresh, name)
	}
	if err != nil {
		_ = f.Remove(fresh)
	}
	return err
}

// ReadPath reads a regular file of at most limit bytes. Links are followed.
func ReadPath(path string, limit int64) ([]byte, fs.FileInfo, error) {
	return readRegular(path, path, limit, os.Stat, os.Open)
}

// OpenPath opens a file that might be anything, if it is a regular one. Links are followed.
func OpenPath(path string) (*os.File, error) {
	file, _, err := openRegular(path, path, os.Stat, os.Open)
	return file, err
}

type (
	stat func(name string) (fs.FileInfo, error)
	open func(name string) (*os.File, error)
)

// openRegular looks at a file before it opens it: opening a pipe would wait for its writer.
func openRegular(path, name string, stat stat, open open) (*os.File, fs.FileInfo, error) {
	info, err := stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "read", Path: path, Err: errors.New("not a regular file")}
	}
	if err != nil {
		return nil, nil, err
	}
	file, err := open(name)
	return file, info, err
}

func readRegular(path, name string, limit int64, stat stat, open open) ([]byte, fs.FileInfo, error) {
	file, info, err := openRegular(path, name, stat, open)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = file.Close() }()
	var all bytes.Buffer
	all.Grow(int(min(info.Size(), limit)) + bytes.MinRead) // growing would copy a program of some MB again and again
	_, err = all.ReadFrom(io.LimitReader(file, limit+1))
	data := all.Bytes()
	if err == nil && int64(len(data)) > limit {
		size := fmt.Sprintf("%d bytes", limit)
		if limit%(1<<20) == 0 {
			size = fmt.Sprintf("%d MiB", limit>>20)
		}
		err = &fs.PathError{Op: "read", Path: path, Err: errors.New("larger than " + size)}
	}
	if err != nil {
		return nil, nil, err
	}
	return data, info, nil
}

// ReadFile reads a file of a directory as Folder.ReadFile does.
func ReadFile(dir, name string, limit int64) ([]byte, error) {
	in, err := OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	data, _, err := in.ReadFile(name, limit)
	return data, err
}

// IsSame tells whether two paths lead to the same directory, or file.
func IsSame(a, b string) bool {
	one, errOne := os.Stat(a)
	other, errOther := os.Stat(b)
	return errOne == nil && errOther == nil && os.SameFile(one, other)
}

// PathExists tells whether there is something at a path, links followed.
func PathExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// IsTaken tells whether a name is taken, by a link that leads nowhere, too.
func IsTaken(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// IsMissing tells whether there is surely nothing at a path.
func IsMissing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// IsDirectory tells whether a directory is at a path, links followed.
func IsDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// PathFrom is a path as seen from a directory.
func PathFrom(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// FindAbove is the nearest directory that is meant: dir, or one above it; "" if none is.
func FindAbove(dir string, meant func(dir string) bool) string {
	for ; !meant(dir); dir = filepath.Dir(dir) {
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
	return dir
}

// HoldsPath tells whether a path is a directory, or lies below it, by their names.
func HoldsPath(dir, path string) bool {
	relative, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(relative)
}

// NameWithin tells where a path that the user types lies in a directory that the user
// may not trust. Links up to there are followed; a link in ground gives a
// *LinkError. Not ok: the path is not in ground, nor is what its links lead to.
func NameWithin(ground, path string) (name string, ok bool, err error) {
	top, err := os.Stat(ground)
	if err != nil {
		return "", false, err
	}
	at, pending := SplitPath(filepath.Clean(path))
	for {
		if info, err := os.Stat(at); !ok && err == nil && os.SameFile(info, top) {
			name, ok = ".", true
		}
		if len(pending) == 0 {
			return name, ok, nil
		}
		next := filepath.Join(at, pending[0])
		info, err := os.Lstat(next)
		switch {
		case err != nil || !isLink(info):
			at, pending = next, pending[1:]
			if ok {
				name = filepath.Join(name, filepath.Base(at))
			}
		case ok:
			return "", false, linkErrorAt(next)
		default:
			real, err := filepath.EvalSymlinks(next)
			if err != nil {
				return "", false, nil // it leads nowhere
			}
			rest := pending[1:]
			at, pending = SplitPath(real)
			pending = append(pending, rest...)
		}
	}
}

// SplitPath takes an absolute path apart without cleaning it: `link/..` is not where
// link is, but where it leads.
func SplitPath(path string) (root string, names []string) {
	volume := filepath.VolumeName(path)
	return volume + string(filepath.Separator), strings.FieldsFunc(path[len(volume):], IsSeparator)
}

// IsSeparator tells whether a character stands between names in a path.
func IsSeparator(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) }

// isLink counts what Windows calls a junction, too: Go says of it that it is
// neither a directory nor a file.
func isLink(info fs.FileInfo) bool {
	return info.Mode()&fs.ModeSymlink != 0 || info.Mode()&fs.ModeIrregular != 0
}

func linkErrorAt(path string) *LinkError {
	target, _ := os.Readlink(path)
	return &LinkError{Path: path, Target: target}
}

// Typed takes paths that the user types. Their links are the user's own, except in
// the checkout or suite in which the user stands: what lies there may have come with
// it, and `hooks` may be a link to somewhere in the home. All paths are absolute.
type Typed struct {
	Work   string   // what relative paths are relative to
	Around []string // the checkout and the suite around Work, "" for none
	Home   string   // the user's home, "" if unknown
	Config string   // Claude Code's configuration directory, "" if unknown
}

// groundOf is the checkout or the suite around Work, else Work itself. It is "" where
// that is the user's own: a home, what holds it, or the configuration directory.
func (t Typed) groundOf() string {
	ground := t.Work
	for _, around := range t.Around {
		if around != "" && len(around) < len(ground) {
			ground = around
		}
	}
	if t.Home != "" {
		if _, holds, err := NameWithin(ground, t.Home); holds || err != nil {
			return ""
		}
	}
	if name, holds, err := NameWithin(ground, t.Config); holds && name == "." || err != nil {
		return ""
	}
	return ground
}

// Absolute makes a typed path absolute, and refuses a link in the ground. in is the
// ground if the path lies there: writing must not leave it.
func (t Typed) Absolute(path string) (absolute, in string, err error) {
	absolute = PathFrom(t.Work, path)
	ground := t.groundOf()
	if ground == "" || filepath.Dir(absolute) == t.Config {
		return absolute, "", nil
	}
	name, inside, err := NameWithin(ground, absolute)
	var link *LinkError
	switch {
	case errors.As(err, &link):
		link.Typed = true
		return "", "", link
	case err != nil:
		return "", "", fmt.Errorf("look at %s: %w", absolute, err)
	case inside:
		return filepath.Join(ground, name), ground, nil
	}
	return absolute, "", nil
}

// FilePath is Absolute for a file to write. No write goes through a link in its place
// either, but for the user's own files, which may be links to where they are kept.
func (t Typed) FilePath(path string, own bool) (absolute, in string, err error) {
	if absolute, in, err = t.Absolute(path); err != nil {
		return "", "", err
	}
	if own && in == "" && (filepath.Dir(absolute) == t.Config || t.Home != "" && HoldsPath(t.Home, absolute)) {
		return absolute, in, nil
	}
	if target, err := os.Readlink(absolute); err == nil {
		return "", "", &LinkError{absolute, target, true}
	}
	return absolute, in, nil
}
