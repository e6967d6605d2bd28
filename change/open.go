package change

// Reading a file as it is, wherever links lead.

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cameronsjo/springfield/folder"
)

const (
	// maxSize bounds what is read of a file: several times a compiled hook.
	maxSize = 64 << 20

	// newFileMode is for files that did not exist and of which no mode is said:
	// settings can hold tokens in their environment, so they are their owner's alone.
	newFileMode fs.FileMode = 0o600

	// maxLinks is where a chain of symbolic links counts as a loop, as in Linux.
	maxLinks = 40
)

// Open reads a file of at most 64 MiB: both contents of the edit are what it holds.
// One that does not exist is no error. A path to anything but a regular file is
// refused. Every error is an *fs.PathError for the path.
//
// in is a directory that may be anyone's and in which the file lies: links up to it
// are followed, for any other the error wraps a *folder.LinkError. Without a
// directory the file is the user's own, and links are followed.
func Open(in, path string) (Edit, error) {
	e := Edit{In: in, Path: path}
	err := e.locate()
	if err == nil {
		e.Before, _, err = e.read()
	}
	if err != nil {
		return Edit{}, failed("open", path, err)
	}
	e.After = e.Before
	return e, nil
}

// locate finds where the bytes are.
func (e *Edit) locate() (err error) {
	if e.In == "" {
		e.at, err = Resolve(e.Path)
		return err
	}
	name, err := filepath.Rel(e.In, e.Path)
	if err == nil && !filepath.IsLocal(name) {
		err = fmt.Errorf("not in %s", e.In)
	}
	if _, missing := os.Stat(e.In); err == nil && missing != nil {
		err = checkAbove(e.In)
	}
	if err == nil {
		e.root, err = Resolve(e.In)
	}
	e.at = filepath.Join(e.root, name)
	return err
}

// checkAbove refuses a directory that does not exist because a link leads nowhere.
func checkAbove(dir string) error {
	above, _, err := folder.OpenAbove(dir)
	if err == nil {
		err = above.Close()
	}
	return err
}

// reach opens the directory that the file is written from, for a file of the user's
// own the nearest that there is. name is the file's in there.
func (e Edit) reach() (in folder.Folder, name string, err error) {
	if e.In == "" {
		in, name, err = folder.OpenAbove(filepath.Dir(e.at))
		return in, filepath.Join(name, filepath.Base(e.at)), err
	}
	local, err := filepath.Rel(e.root, e.at)
	if err != nil {
		return in, "", err
	}
	if in, name, err = folder.OpenAbove(e.root); err != nil {
		return in, "", err
	}
	name = filepath.Join(name, local)
	if err = in.Check(name); err != nil {
		_ = in.Close()
	}
	return in, name, err
}

// read gives what the file holds now, nil if it is not there.
func (e Edit) read() (*Content, fs.FileInfo, error) {
	stat, open, name := os.Stat, os.Open, e.at
	if e.In != "" {
		in, local, err := e.reach()
		if err != nil {
			return nil, nil, err
		}
		defer func() { _ = in.Close() }()
		stat, open, name = in.Stat, in.Open, local
	}
	// Looked at before it is opened: opening a pipe would wait for its writer.
	info, err := stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil
	case err != nil:
		return nil, nil, err
	case !info.Mode().IsRegular():
		return nil, nil, errors.New("not a regular file")
	}
	file, err := open(name)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, maxSize+1))
	if err == nil && len(data) > maxSize {
		err = fmt.Errorf("larger than %d MiB", maxSize>>20)
	}
	if err != nil {
		return nil, nil, err
	}
	return &Content{data, info.Mode().Perm()}, info, nil
}

// unchanged compares the file with what was read from it.
func (e Edit) unchanged() error {
	found := e
	if err := found.locate(); err != nil {
		return err
	}
	if found.at != e.at {
		return ErrChanged
	}
	if e.After.isDir() {
		if _, err := os.Lstat(e.at); !errors.Is(err, fs.ErrNotExist) {
			return ErrChanged
		}
		return nil
	}
	now, _, err := e.read()
	if err != nil {
		return err
	}
	if !e.Before.holds(now) {
		return ErrChanged
	}
	return nil
}

// Resolve follows every symbolic link in a path, also where nothing exists behind
// it: filepath.EvalSymlinks gives up on a dangling link, and making the file then
// would replace the link.
func Resolve(path string) (string, error) {
	if !filepath.IsAbs(path) {
		here, err := os.Getwd()
		if err != nil {
			return "", err
		}
		path = here + string(filepath.Separator) + path
	}
	done, pending := split(path)
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
		names := strings.FieldsFunc(target, isSeparator)
		if filepath.IsAbs(target) {
			done, names = split(target)
		}
		pending = append(names, pending...)
	}
	return done, nil
}

// split takes an absolute path apart without cleaning it: `link/..` is not where
// link is, but where it leads.
func split(path string) (root string, names []string) {
	volume := filepath.VolumeName(path)
	return volume + string(filepath.Separator), strings.FieldsFunc(path[len(volume):], isSeparator)
}

func isSeparator(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) }

// failed names the path a user knows instead of the one of a temporary file.
func failed(verb, path string, err error) error {
	var pathErr *fs.PathError
	var linkErr *os.LinkError
	var refused *folder.LinkError
	switch {
	case verb != "open" && errors.As(err, &refused):
		return refused // which names the path
	case errors.As(err, &pathErr):
		err = pathErr.Err
	case errors.As(err, &linkErr):
		err = linkErr.Err
	}
	return &fs.PathError{Op: verb, Path: path, Err: err}
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Tree gives the edits that make a directory like another one, all together one tree:
// an undo takes it away only as long as it is exactly as it was made. in is the
// directory that this does not leave.
func Tree(like, in, path string) ([]Edit, error) {
	var edits []Edit
	err := filepath.WalkDir(like, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(like, name)
		if err != nil {
			return err
		}
		e := Edit{In: in, Path: filepath.Join(path, relative), Tree: path, After: &Content{Mode: info.Mode()}}
		if !d.IsDir() {
			file, err := Open("", name)
			if err != nil {
				return err
			}
			e.After = file.Before
		}
		edits = append(edits, e)
		return nil
	})
	return edits, err
}
