package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cameronsjo/springfield/internal/rooted"
)

const (
	maxSize = 64 << 20 // bytes of a file, several times a compiled hook

	newFileMode fs.FileMode = 0o600 // settings can hold tokens

	maxLinks = 40 // in a path, as in Linux
)

// OpenEdit reads a regular file (up to 64 MiB) into Before and After, both nil if missing. Errors are *fs.PathError. in
// is an untrusted directory, where links are errors. If in is "", the file is the user's and links are followed. Paths
// are absolute.
func OpenEdit(in, path string) (Edit, error) {
	e := Edit{In: in, Path: path}
	err := e.setAtAndRoot()
	if err == nil {
		e.Before, err = e.readNow()
	}
	if err != nil {
		return Edit{}, nameFailure("open", path, err)
	}
	e.After = e.Before
	return e, nil
}

func (e *Edit) setAtAndRoot() (err error) {
	if e.In == "" {
		e.At, err = Resolve(e.Path)
		return err
	}
	if !rooted.HoldsPath(e.In, e.Path) {
		return fmt.Errorf("not in %s", e.In)
	}
	if _, err := os.Stat(e.In); err != nil { // refuses a dangling link
		above, _, err := rooted.OpenNearest(e.In)
		if err != nil {
			return err
		}
		_ = above.Close()
	}
	e.root, err = Resolve(e.In)
	name, _ := filepath.Rel(e.In, e.Path)
	e.At = filepath.Join(e.root, name)
	return err
}

// reachAbove calls do with an open directory and path's name in it: e.root if path is below, where links are errors,
// otherwise path's nearest existing ancestor.
func (e Edit) reachAbove(path string, do func(in rooted.Folder, name string) error) error {
	from, bound := filepath.Dir(path), e.root != "" && rooted.HoldsPath(e.root, path)
	if bound {
		from = e.root
	}
	in, name, err := rooted.OpenNearest(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	local, err := filepath.Rel(from, path)
	name = filepath.Join(name, local)
	if err == nil && bound {
		err = in.RefuseLinks(name)
	}
	if err != nil {
		return err
	}
	return do(in, name)
}

// readNow reads the file at e.At (nil if missing). Call setAtAndRoot first.
func (e Edit) readNow() (now *Content, err error) {
	keep := func(data []byte, info fs.FileInfo, err error) error {
		if err == nil {
			now = &Content{Data: data, Mode: info.Mode().Perm()}
		}
		return err
	}
	if e.In == "" {
		err = keep(rooted.ReadFollowing(e.At, maxSize))
	} else {
		err = e.reachAbove(e.At, func(in rooted.Folder, name string) error { return keep(in.ReadFile(name, maxSize)) })
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return now, err
}

func (e Edit) checkUnchanged() error {
	found := e
	if err := found.setAtAndRoot(); err != nil {
		return err
	}
	if found.At != e.At {
		return ErrChanged
	}
	now, err := e.readNow()
	if err == nil && !e.Before.hasSameBytes(now) {
		err = ErrChanged
	}
	return err
}

// Resolve returns the absolute path with all symlinks resolved, even dangling ones.
func Resolve(path string) (string, error) {
	if !filepath.IsAbs(path) {
		here, err := os.Getwd()
		if err != nil {
			return "", err
		}
		path = here + string(filepath.Separator) + path
	}
	done, pending := rooted.SplitPath(path)
	for links := 0; len(pending) > 0; {
		next := filepath.Join(done, pending[0])
		pending = pending[1:]
		info, err := os.Lstat(next)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			done = next
			continue
		}
		if links++; links > maxLinks {
			return "", errors.New("too many symbolic links")
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", err
		}
		if target != "" && os.IsPathSeparator(target[0]) && filepath.VolumeName(target) == "" {
			target = filepath.VolumeName(done) + target
		}
		root, names := rooted.SplitPath(target)
		if filepath.IsAbs(target) {
			done = root
		}
		pending = append(names, pending...)
	}
	return done, nil
}

// nameFailure returns err as an *fs.PathError for path. err is set. Unless verb is "open", it keeps a
// *rooted.LinkError.
func nameFailure(verb, path string, err error) error {
	var pathErr *fs.PathError
	var linkErr *os.LinkError
	var refused *rooted.LinkError
	switch {
	case verb != "open" && errors.As(err, &refused):
		return refused // it has the path
	case errors.As(err, &pathErr):
		err = pathErr.Err
	case errors.As(err, &linkErr):
		err = linkErr.Err
	}
	return &fs.PathError{Op: verb, Path: path, Err: err}
}

func isAbsent(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}
