// Changing files. A file is written beside its place and renamed over it, so
// no reader ever finds half of it, and a writer that is killed in between leaves the
// old one; before that it is read once more, so that an edit made meanwhile is not
// overwritten. What is no plain file, or is read-only, is left alone. What a
// killed writer has left beside it goes with the next change.

package workspace

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// ErrChanged says that a file has changed since it was read.
var ErrChanged = errors.New("it was changed meanwhile")

// ApplyChanges makes changes, in their order, and stops at the first that fails. Its
// error names the file.
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
		now := s.lookNow(c.Name)
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
		case c.Data == nil && !info.IsDir(): // it may go, whatever it is
		case info.Mode()&fs.ModeSymlink != 0:
			return errors.New("it is a link") // a rename would put a file in its place
		case !info.Mode().IsRegular():
			return errors.New("it is not a regular file")
		case mode&0o200 == 0:
			return errors.New("it is read-only")
		}
	}
	defer s.sweepLeftovers(name)
	if c.Data == nil {
		if err := s.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	// A name that no other process and no other time comes to.
	temp := name + tempMark + strconv.Itoa(os.Getpid()) + "-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	err = s.writeFile(temp, c.Data, mode, isNew)
	if err == nil {
		err = s.root.Rename(temp, name)
	}
	if err != nil {
		_ = s.root.Remove(temp)
	}
	return err
}

// firstLink is the first link on the way to a name, or the name itself, "" if there is
// none. One that leads out is not followed anyway; one that stays inside would have
// a file be written in a place that a project chose, such as its .git. Where it
// leads is not said: that text, too, is the project's.
func (s *Space) firstLink(name string) string {
	for i := 0; i <= len(name); i++ {
		if i < len(name) && !os.IsPathSeparator(name[i]) {
			continue
		}
		info, err := s.root.Lstat(name[:i])
		if err != nil {
			return "" // it is made, or what is wrong with it is said
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return filepath.ToSlash(name[:i])
		}
	}
	return ""
}

// tempMark stands between a file's name and the number of one that is to take
// its place.
const tempMark = ".new-"

// abandoned is how old a file must be to be that of a writer who was killed.
const abandoned = time.Minute

// sweepLeftovers removes what killed writers of a file have left beside it. It does not
// matter whether that works.
func (s *Space) sweepLeftovers(name string) {
	dir, err := s.root.OpenFile(filepath.Dir(name), os.O_RDONLY|file.Nonblock, 0)
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(maxNames)
	for _, other := range names {
		if !strings.HasPrefix(other, filepath.Base(name)+tempMark) {
			continue
		}
		other = filepath.Join(filepath.Dir(name), other)
		if info, err := s.root.Lstat(other); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > abandoned {
			_ = s.root.Remove(other)
		}
	}
}

// writeFile makes the directory, too, if it is missing. What takes a file's place
// has its mode, whatever the umask says.
func (s *Space) writeFile(name string, data []byte, mode fs.FileMode, isNew bool) error {
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
	if !isNew {
		_ = f.Chmod(mode) // there are file systems without modes
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
