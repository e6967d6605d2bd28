// Changing files. A file is written beside its place and renamed over it, so
// nobody ever reads half of it; before that it is read once more, so that an
// edit made meanwhile is never overwritten.

package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/cameronsjo/springfield/runtime/strategy"
)

// ErrChanged says that somebody has changed a file since it was read.
var ErrChanged = errors.New("it was changed meanwhile")

// Apply makes changes, in their order, and stops at the first that fails. Its
// error names the file.
func (s *Space) Apply(changes []strategy.Change) error {
	for _, c := range changes {
		if err := s.change(c); err != nil && !c.Optional {
			verb := "write"
			if c.Data == nil {
				verb = "delete"
			}
			return fmt.Errorf("%s %s: %s", verb, c.Name, plain(err))
		}
	}
	return nil
}

func (s *Space) change(c strategy.Change) error {
	name, err := inside(c.Name)
	if err != nil {
		return err
	}
	if c.Was != nil {
		now := s.look(c.Name)
		if now.Problem != "" {
			return errors.New(now.Problem)
		}
		if now.Found && !bytes.Equal(now.Data, c.Was) || !now.Found && c.Data != nil {
			return ErrChanged
		}
	}
	if c.Data == nil {
		if err := s.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	mode := fs.FileMode(0o644)
	if info, err := s.root.Lstat(name); err == nil {
		mode = info.Mode().Perm()
		switch {
		case !info.Mode().IsRegular():
			return errors.New("it is a link") // a rename would put a file in its place
		case mode&0o200 == 0:
			return errors.New("it is read-only")
		}
	}
	temp := name + ".new-" + strconv.Itoa(os.Getpid())
	if err := s.write(temp, c.Data, mode); err != nil {
		_ = s.root.Remove(temp)
		return err
	}
	if err := s.root.Rename(temp, name); err != nil {
		_ = s.root.Remove(temp)
		return err
	}
	return nil
}

// write makes the directory, too, if it is missing.
func (s *Space) write(name string, data []byte, mode fs.FileMode) error {
	const flags = os.O_WRONLY | os.O_CREATE | os.O_EXCL
	f, err := s.root.OpenFile(name, flags, mode)
	if errors.Is(err, fs.ErrNotExist) {
		if err := s.root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		f, err = s.root.OpenFile(name, flags, mode)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// Check tells why a file could not be changed, nil if it could: it makes the file
// that would be renamed over it, and takes that away again. A file in a directory
// that is not there yet is not checked.
func (s *Space) Check(name string) error {
	local, err := inside(name)
	if err != nil {
		return err
	}
	if info, err := s.root.Lstat(local); err == nil {
		switch {
		case !info.Mode().IsRegular():
			return errors.New("it is no regular file (" + info.Mode().String() + ")")
		case info.Mode().Perm()&0o200 == 0:
			return errors.New("it is read-only (" + info.Mode().String() + ")")
		}
	}
	temp := local + ".new-" + strconv.Itoa(os.Getpid())
	f, err := s.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) { // or the hook is at it now
		return nil
	}
	if err != nil {
		says := plain(err)
		if info, err := s.root.Stat(filepath.Dir(local)); err == nil {
			says = "its directory cannot be written (" + info.Mode().String() + "): " + says
		}
		return errors.New(says)
	}
	_ = f.Close()
	return s.root.Remove(temp)
}
