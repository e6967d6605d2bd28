// Changes of files are atomic: a rename replaces the old file. Before that, the old file is read again, so that a
// concurrent edit is not lost. Read-only and irregular files are not overwritten.

package workspace

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/strategy"
)

// ErrChanged is the error for a file that has changed since it was read.
var ErrChanged = errors.New("it was changed meanwhile")

// ApplyChanges writes or deletes files in order, up to the first error. Errors of optional changes are ignored.
// errors.Is does not find ErrChanged.
func (s *Space) ApplyChanges(changes []strategy.Change) error {
	for _, c := range changes {
		if err := s.applyChange(c); err != nil && !c.Optional {
			verb := "write"
			if c.Data == nil {
				verb = "delete"
			}
			return errors.New(verb + " " + c.Name + ": " + plainCause(err))
		}
	}
	return nil
}

func (s *Space) applyChange(c strategy.Change) error {
	name, err := localName(c.Name)
	if err != nil {
		return err
	}
	if strings.HasSuffix(c.Name, "/") {
		return errors.New("it names a directory")
	}
	if c.Was != nil {
		now := s.readNow(c.Name)
		if now.Problem != "" {
			return errors.New(now.Problem)
		}
		if now.Found && !bytes.Equal(now.Data, c.Was) || !now.Found && c.Data != nil {
			return ErrChanged
		}
	}
	if link := s.firstLink(filepath.Dir(name)); link != "" {
		return errors.New(link + " is a link")
	}
	mode, isNew := fs.FileMode(0o644), true
	if info, err := s.root.Lstat(name); err == nil {
		mode, isNew = info.Mode().Perm(), false
		switch {
		case c.Data == nil && !info.IsDir(): // may be removed
		case info.Mode()&fs.ModeSymlink != 0:
			return errors.New("it is a link") // a rename would replace it
		case !info.Mode().IsRegular():
			return errors.New("it is not a regular file")
		case mode&0o200 == 0:
			return errors.New("it is read-only")
		}
	}
	if c.Data == nil {
		if err := s.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	temp := name + tempMark + strconv.Itoa(os.Getpid()) + "-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	err = s.createFile(temp, c.Data, mode, isNew)
	if err == nil {
		err = s.root.Rename(temp, name)
	}
	if err != nil {
		_ = s.root.Remove(temp)
	}
	return err
}

// firstLink returns the first symlink on the path, or "".
func (s *Space) firstLink(local string) string {
	for i := 0; i <= len(local); i++ {
		if i < len(local) && !os.IsPathSeparator(local[i]) {
			continue
		}
		info, err := s.root.Lstat(local[:i])
		if err != nil {
			return "" // the caller creates it or reports the error
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return filepath.ToSlash(local[:i])
		}
	}
	return ""
}

const tempMark = ".new-" // between the file name of a temporary file and a number

// createFile creates a file, and its directory if needed. Existing files are errors. The umask applies only if useUmask
// is set. Callers remove the file on errors.
func (s *Space) createFile(local string, data []byte, mode fs.FileMode, useUmask bool) error {
	const flags = os.O_WRONLY | os.O_CREATE | os.O_EXCL
	f, err := s.root.OpenFile(local, flags, mode)
	if errors.Is(err, fs.ErrNotExist) {
		if err := s.root.MkdirAll(filepath.Dir(local), 0o755); err != nil {
			return err
		}
		f, err = s.root.OpenFile(local, flags, mode)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if !useUmask {
		_ = f.Chmod(mode) // some file systems have no modes
	}
	return cmp.Or(err, f.Close())
}
