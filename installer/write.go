package installer

// Writing a file.
//
// The rules:
//   - a symbolic link stays one: what it points to is replaced, existing or not;
//   - the file is replaced whole by a rename, so no reader ever sees half of it;
//   - it is compared with what was read right before that: another program's
//     change is never written over. Between the two remains an instant that no
//     lock closes, since Claude Code takes none;
//   - mode and owner stay; hard links, access lists and extended attributes do
//     not survive a replacement.

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

const (
	// newFileMode is for files that did not exist: settings can hold tokens in
	// their environment, so they are their owner's alone. Who commits a
	// project's settings does not mind, git keeps only the executable bit.
	newFileMode fs.FileMode = 0o600

	// newDirMode is for directories made on the way: what mkdir gives, as a
	// project's .claude is shared with whoever works on it.
	newDirMode fs.FileMode = 0o755

	// maxLinks is where a chain of symbolic links counts as a loop, as in Linux.
	maxLinks = 40

	lockPatience = 2 * time.Second
	lockRetry    = 50 * time.Millisecond
)

var (
	// ErrChanged says that the file is no longer what was read from it.
	ErrChanged = errors.New("another program changed it in the meantime")

	// ErrLocked says that another springfield holds the lock.
	ErrLocked = errors.New("another springfield is at work")
)

// File is a file as it was read.
type File struct {
	Path   string // where the bytes are: absolute, every symbolic link followed
	Asked  string // the path it was asked for by
	Data   []byte
	Exists bool
	Mode   fs.FileMode // permission bits; those of a new file if it does not exist

	info fs.FileInfo // nil if it does not exist
}

// Open reads a file of at most 8 MiB. One that does not exist is no error: its
// Data is nil, and Replace creates it. A path to anything but a regular file
// is refused. Every error is an *fs.PathError for the path asked for.
func Open(path string) (*File, error) {
	f := &File{Asked: path, Mode: newFileMode}
	var err error
	if f.Path, err = resolve(path); err != nil {
		return nil, failed("open", path, err)
	}
	f.Data, f.info, err = read(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, failed("open", path, err)
	}
	f.Exists, f.Mode = true, f.info.Mode().Perm()
	return f, nil
}

// Replace writes data in place of what was read, or fails and leaves all as it
// was; only directories made on the way remain. The file must still be as Open
// found it, else the error wraps ErrChanged. Every error is an *fs.PathError;
// it wraps the system's, such as fs.ErrPermission, syscall.EROFS or ENOSPC.
func (f *File) Replace(data []byte) error {
	if err := f.replace(data); err != nil {
		return failed("write", f.Path, err)
	}
	f.Data, f.Exists = bytes.Clone(data), true
	return nil
}

func (f *File) replace(data []byte) error {
	if err := writeWhole(f.Path, data, f.Mode, f.info, f.unchanged); err != nil {
		return err
	}
	syncDir(filepath.Dir(f.Path))
	return nil
}

// writeWhole puts data in the place of a file by a rename, or leaves all as it
// was. The new file has the owner of old, if there is one. The last thing before
// the rename is to ask check.
func writeWhole(path string, data []byte, mode fs.FileMode, old fs.FileInfo, check func() error) (err error) {
	dir := filepath.Dir(path)
	if err := step("make directory", func() error { return makeDirs(dir, newDirMode) }); err != nil {
		return err
	}
	sweep(path)
	var temp *os.File
	if err := step("create", func() (err error) {
		temp, err = os.CreateTemp(dir, "."+filepath.Base(path)+tempMark+"*.tmp")
		return err
	}); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = temp.Close() // twice is harmless
			_ = os.Remove(temp.Name())
		}
	}()
	for _, s := range []struct {
		name string
		do   func() error
	}{
		{"write", func() error { _, err := temp.Write(data); return err }},
		// Before the mode: a change of owner may take bits away.
		{"keep owner", func() error { return keepOwner(temp, old) }},
		{"change mode", func() error { return temp.Chmod(mode) }},
		{"sync", temp.Sync},
		{"close", temp.Close},
		{"check", check},
		{"rename", func() error { return rename(temp.Name(), path) }},
	} {
		if err := step(s.name, s.do); err != nil {
			return err
		}
	}
	return nil
}

// makeDirs makes a directory and those above it that are missing, each its
// surroundings' owner's.
func makeDirs(dir string, mode fs.FileMode) error {
	info, err := os.Stat(dir)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := makeDirs(filepath.Dir(dir), mode); err != nil {
		return err
	}
	if err := os.Mkdir(dir, mode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return ownAsAround(dir)
}

// step does one step of writing, which a test build can make fail.
func step(name string, do func() error) error {
	if err := reach(name); err != nil {
		return err
	}
	return do()
}

// abandoned is when a temporary file has surely lost the process that made it.
const abandoned = time.Hour

const tempMark = ".springfield-"

// sweep removes the temporary files that killed processes have left in the
// directory of a file.
func sweep(path string) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, ".") || !strings.Contains(name, tempMark) || !strings.HasSuffix(name, ".tmp") || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > abandoned {
			_ = os.Remove(filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
}

// Remove deletes the file under the same condition as Replace. One that does
// not exist is left so.
func (f *File) Remove() error {
	if err := step("check", f.unchanged); err != nil {
		return failed("remove", f.Path, err)
	}
	if !f.Exists {
		return nil
	}
	if err := step("remove", func() error { return remove(f.Path) }); err != nil {
		return failed("remove", f.Path, err)
	}
	syncDir(filepath.Dir(f.Path))
	f.Data, f.Exists, f.info = nil, false, nil
	return nil
}

// unchanged compares the file with what was read from it.
func (f *File) unchanged() error {
	path, err := resolve(f.Asked)
	if err != nil {
		return err
	}
	if path != f.Path {
		return ErrChanged
	}
	data, _, err := read(f.Path)
	if errors.Is(err, fs.ErrNotExist) && !f.Exists {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err != nil || !f.Exists || !bytes.Equal(data, f.Data) {
		return ErrChanged
	}
	return nil
}

// Lock waits up to two seconds for the lock file at path, which it creates and
// which stays, empty, after unlock. It holds between springfields only, until
// unlock or the end of the process. Without success the error wraps ErrLocked.
func Lock(path string) (unlock func(), err error) {
	if err := makeDirs(filepath.Dir(path), newDirMode); err != nil {
		return nil, failed("lock", path, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	lock := flock.New(path)
	_, err = lock.TryLockContext(ctx, lockRetry)
	if errors.Is(err, context.DeadlineExceeded) {
		err = ErrLocked
	}
	if err == nil {
		err = ownAsAround(path) // or nobody but root could ever take it
	}
	if err != nil {
		_ = lock.Unlock()
		return nil, failed("lock", path, err)
	}
	return func() { _ = lock.Unlock() }, nil
}

// read gives a regular file's bytes.
func read(path string) ([]byte, fs.FileInfo, error) {
	// Looked at before it is opened: opening a pipe would wait for its writer.
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errors.New("not a regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, maxSize+1))
	if err != nil {
		return nil, nil, err
	}
	if len(data) > maxSize {
		return nil, nil, errors.New(tooLarge)
	}
	return data, info, nil
}

// resolve follows every symbolic link in a path, also where nothing exists
// behind it: filepath.EvalSymlinks gives up on a dangling link, and making the
// file then would replace the link.
func resolve(path string) (string, error) {
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

// split takes an absolute path apart without cleaning it: `link/..` is not
// where link is, but where it leads.
func split(path string) (root string, names []string) {
	volume := filepath.VolumeName(path)
	return volume + string(filepath.Separator), strings.FieldsFunc(path[len(volume):], isSeparator)
}

func isSeparator(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) }

// syncDir makes a rename outlast a power cut where the system can; the file is
// whole either way.
func syncDir(path string) {
	if dir, err := os.Open(path); err == nil {
		_ = dir.Sync()
		_ = dir.Close()
	}
}

// failed names the path a user knows instead of the one of a temporary file.
func failed(verb, path string, err error) error {
	var pathErr *fs.PathError
	var linkErr *os.LinkError
	switch {
	case errors.As(err, &pathErr):
		err = pathErr.Err
	case errors.As(err, &linkErr):
		err = linkErr.Err
	}
	return &fs.PathError{Op: verb, Path: path, Err: err}
}
