// Package rooted accesses directories that might not be trusted, such as a cloned suite or a project.
//
// It uses os.Root, so that no name or link leads outside. Before a write, RefuseLinks refuses even links that
// stay inside, because the changed file would not be the one shown to the user.
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

// LinkError means that a path goes through a link.
type LinkError struct {
	Path   string // of the link
	Target string // "" if it cannot be read
	Typed  bool   // the user typed the path
}

func (e *LinkError) Error() string {
	says := e.Path + " is a link"
	if e.Target != "" {
		says += ", to " + e.Target
	}
	if e.Typed {
		says += ", which springfield does not follow"
	}
	return says
}

// Folder is an open directory. Names are relative, with slashes or the system's separators. RefuseLinks, Lstat and
// ReadFile do not follow links. Replace and the methods of os.Root follow links that stay inside.
type Folder struct{ *os.Root }

// OpenFolder opens a directory and follows links in dir. Callers close it.
func OpenFolder(dir string) (Folder, error) {
	// Opening a pipe would wait for its writer.
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return Folder{}, &fs.PathError{Op: "open", Path: dir, Err: syscall.ENOTDIR}
	}
	root, err := os.OpenRoot(dir)
	return Folder{root}, err
}

// OpenNearest opens dir or its nearest existing ancestor. rest is the path from there to dir, or ".". A dangling
// symlink is a *LinkError. Callers close f.
func OpenNearest(dir string) (f Folder, rest string, err error) {
	for at := dir; ; at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at) {
			continue
		}
		if err != nil {
			return Folder{}, "", err
		}
		if _, err := os.Stat(at); err != nil && isLink(info) {
			return Folder{}, "", newLinkError(at)
		}
		if f, err = OpenFolder(at); err != nil {
			return f, "", err
		}
		if rest, err = filepath.Rel(at, dir); err != nil {
			_ = f.Close()
		}
		return f, rest, err
	}
}

func (f Folder) PathOf(name string) string {
	return filepath.Join(f.Name(), filepath.FromSlash(name))
}

// RefuseLinks returns a *LinkError if name or its ancestor in f is a symlink. It ignores missing files.
func (f Folder) RefuseLinks(name string) error {
	parts := strings.Split(filepath.Clean(filepath.FromSlash(name)), string(filepath.Separator))
	for i := range parts {
		at := filepath.Join(parts[:i+1]...)
		info, err := f.Root.Lstat(at)
		if err != nil {
			break // the caller will fail
		}
		if isLink(info) {
			return newLinkError(f.PathOf(at))
		}
	}
	return nil
}

// Lstat is os.Root.Lstat, but a symlink above is a *LinkError.
func (f Folder) Lstat(name string) (fs.FileInfo, error) {
	name = filepath.FromSlash(name)
	if err := f.RefuseLinks(filepath.Dir(name)); err != nil {
		return nil, err
	}
	return f.Root.Lstat(name)
}

// ReadFile reads a regular file of at most limit bytes. A symlink in the path is a *LinkError.
func (f Folder) ReadFile(name string, limit int64) ([]byte, fs.FileInfo, error) {
	name = filepath.FromSlash(name)
	if err := f.RefuseLinks(name); err != nil {
		return nil, nil, err
	}
	return readRegular(f.PathOf(name), name, limit, f.Root.Lstat, f.Root.Open)
}

// Replace atomically writes a file by a rename, with mode 0600. prefix begins the temporary file's name.
func (f Folder) Replace(name, prefix string, write func(io.Writer) error) (err error) {
	fresh := filepath.Join(filepath.Dir(name), prefix+rand.Text())
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

// ReadFollowing reads a regular file of at most limit bytes, and follows symlinks.
func ReadFollowing(path string, limit int64) ([]byte, fs.FileInfo, error) {
	return readRegular(path, path, limit, os.Stat, os.Open)
}

// readRegular reads a regular file of at most limit bytes. shown is for errors.
func readRegular(
	shown, name string, limit int64, stat func(string) (fs.FileInfo, error), open func(string) (*os.File, error),
) ([]byte, fs.FileInfo, error) {
	info, err := stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "read", Path: shown, Err: errors.New("not a regular file")}
	}
	if err != nil {
		return nil, nil, err
	}
	file, err := open(name)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = file.Close() }()
	var all bytes.Buffer
	all.Grow(int(min(info.Size(), limit)) + bytes.MinRead) // avoids copies while it grows
	_, err = all.ReadFrom(io.LimitReader(file, limit+1))
	data := all.Bytes()
	if err == nil && int64(len(data)) > limit {
		size := fmt.Sprintf("%d bytes", limit)
		if limit%(1<<20) == 0 {
			size = fmt.Sprintf("%d MiB", limit>>20)
		}
		err = &fs.PathError{Op: "read", Path: shown, Err: errors.New("larger than " + size)}
	}
	if err != nil {
		return nil, nil, err
	}
	return data, info, nil
}

// ReadFile is Folder.ReadFile for the directory dir.
func ReadFile(dir, name string, limit int64) ([]byte, error) {
	in, err := OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	data, _, err := in.ReadFile(name, limit)
	return data, err
}

// SameFile reports whether two paths are the same file or directory.
func SameFile(a, b string) bool {
	one, errOne := os.Stat(a)
	other, errOther := os.Stat(b)
	return errOne == nil && errOther == nil && os.SameFile(one, other)
}

// TargetExists reports whether a path exists. It follows links.
func TargetExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// IsTaken reports whether a path exists, even as a dangling link.
func IsTaken(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// IsSurelyMissing reports whether a path is known not to exist. Dangling links count.
func IsSurelyMissing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// TargetIsDir reports whether a path is a directory. It follows links.
func TargetIsDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// PathFrom cleans path. It resolves a relative path against base.
func PathFrom(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

// FindUpward returns dir or the nearest ancestor where meant is true ("" if none). dir is absolute.
func FindUpward(dir string, meant func(dir string) bool) string {
	for ; !meant(dir); dir = filepath.Dir(dir) {
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
	return dir
}

// HoldsPath reports whether path is dir or below, without resolving symlinks.
func HoldsPath(dir, path string) (isOrBelow bool) {
	relative, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(relative)
}

// NameWithin returns path relative to ground, an untrusted directory ("." for itself). path is absolute. Symlinks
// outside of ground are followed. One inside is a *LinkError. ok is false if path is not in ground.
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
			return "", false, newLinkError(next)
		default:
			real, err := filepath.EvalSymlinks(next)
			if err != nil {
				return "", false, nil // a dangling link
			}
			rest := pending[1:]
			at, pending = SplitPath(real)
			pending = append(pending, rest...)
		}
	}
}

// SplitPath splits path without cleaning it. root is meaningless for a relative path.
func SplitPath(path string) (root string, names []string) {
	volume := filepath.VolumeName(path)
	isSeparator := func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) }
	return volume + string(filepath.Separator), strings.FieldsFunc(path[len(volume):], isSeparator)
}

// isLink reports whether a file is a symlink or a junction of Windows.
func isLink(info fs.FileInfo) bool {
	return info.Mode()&fs.ModeSymlink != 0 || info.Mode()&fs.ModeIrregular != 0
}

func newLinkError(path string) *LinkError {
	target, _ := os.Readlink(path)
	return &LinkError{Path: path, Target: target}
}

// Typed resolves paths typed by the user. It follows links, except in the checkout or suite around the
// working directory, where they might not be trusted. The resulting paths are absolute.
type Typed struct {
	Work   string   // working directory
	Around []string // checkout and suite around Work, or ""
	Home   string   // "" if unknown
	Config string   // Claude Code's configuration directory, "" if unknown
}

// untrustedProjectDir returns the outer one of the checkout and suite around Work, or Work, or "" on an error or if
// that is the configuration directory or contains the home directory.
func (t Typed) untrustedProjectDir() string {
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

// Absolute makes a typed path absolute. For paths inside t.untrustedProjectDir(), inUntrusted is this directory, and
// symlinks below are a *LinkError. Otherwise, and for files directly in t.Config, inUntrusted is "".
func (t Typed) Absolute(path string) (absolute, inUntrusted string, err error) {
	absolute = PathFrom(t.Work, path)
	ground := t.untrustedProjectDir()
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

// FilePath returns a file's path as Absolute does. It also rejects a symlink, except in the home directory if homeLink
// is set.
func (t Typed) FilePath(path string, homeLink bool) (absolute, inUntrusted string, err error) {
	if absolute, inUntrusted, err = t.Absolute(path); err != nil {
		return "", "", err
	}
	if homeLink && inUntrusted == "" && (filepath.Dir(absolute) == t.Config || t.Home != "" && HoldsPath(t.Home, absolute)) {
		return absolute, inUntrusted, nil
	}
	if target, err := os.Readlink(absolute); err == nil {
		return "", "", &LinkError{absolute, target, true}
	}
	return absolute, inUntrusted, nil
}
