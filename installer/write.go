package installer

// Writing a file.
//
// The rules:
//   - a symbolic link of the user's stays one: what it points to is replaced,
//     existing or not;
//   - in a directory that may be anybody's, a project or a marketplace, a link is
//     refused, wherever it leads, and nothing outside is reached;
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
	"time"

	"github.com/cameronsjo/springfield/installer/document"

	"github.com/gofrs/flock"

	"github.com/cameronsjo/springfield/folder"
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
	in   string      // the directory that it must not leave; "" for a file of the user's own
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
	return f.open()
}

// OpenIn is Open for a file below a directory that may be anybody's. Links up to
// dir are followed, for any other the error wraps a *folder.LinkError, also when
// it takes the place of a directory before Replace or Remove. Without a directory
// it is Open.
func OpenIn(dir, path string) (*File, error) {
	if dir == "" {
		return Open(path)
	}
	f := &File{Asked: path, Mode: newFileMode}
	name, err := filepath.Rel(dir, path)
	if err == nil {
		f.in, err = resolve(dir)
	}
	if err != nil {
		return nil, failed("open", path, err)
	}
	f.Path = filepath.Join(f.in, name)
	return f.open()
}

func (f *File) open() (*File, error) {
	var err error
	f.Data, f.info, err = f.read()
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, failed("open", f.Asked, err)
	}
	f.Exists, f.Mode = true, f.info.Mode().Perm()
	return f, nil
}

// reach opens the directory that the file is written from, for a file of the
// user's own the nearest that there is. name is the file's in there.
func (f *File) reach() (in folder.Folder, name string, err error) {
	if f.in == "" {
		in, name, err = folder.OpenAbove(filepath.Dir(f.Path))
		return in, filepath.Join(name, filepath.Base(f.Path)), err
	}
	local, err := filepath.Rel(f.in, f.Path)
	if err != nil {
		return in, "", err
	}
	if in, name, err = folder.OpenAbove(f.in); err != nil {
		return in, "", err
	}
	name = filepath.Join(name, local)
	if err = in.Check(name); err != nil {
		_ = in.Close()
	}
	return in, name, err
}

// Replace writes data in place of what was read, or fails and leaves all as it
// was; only directories made on the way remain. The file must still be as Open
// found it, else the error wraps ErrChanged. Every error is an *fs.PathError;
// it wraps the system's, such as fs.ErrPermission, syscall.EROFS or ENOSPC.
func (f *File) Replace(data []byte) error {
	if err := f.writeWhole(data, f.unchanged); err != nil {
		return failed("write", f.Path, err)
	}
	f.Data, f.Exists = bytes.Clone(data), true
	return nil
}

// writeWhole puts data in the place of a file by a rename, or leaves all as it
// was. The new file has the owner of the old one, if there is one. The last thing
// before the rename is to ask check.
func (f *File) writeWhole(data []byte, check func() error) (err error) {
	in, name, err := f.reach()
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	dir := filepath.Dir(name)
	if err := step("make directory", func() error { return makeDirsIn(in, dir, newDirMode) }); err != nil {
		return err
	}
	sweep(in, dir)
	var temp *os.File
	var tempName string
	if err := step("create", func() (err error) {
		temp, tempName, err = in.MakeTemp(dir, "."+filepath.Base(name)+tempMark, ".tmp")
		return err
	}); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = temp.Close() // twice is harmless
			_ = in.Remove(tempName)
		}
	}()
	for _, s := range []struct {
		name string
		do   func() error
	}{
		{"write", func() error { _, err := temp.Write(data); return err }},
		// Before the mode: a change of owner may take bits away.
		{"keep owner", func() error { return keepOwner(temp, f.info, in, dir) }},
		{"change mode", func() error { return temp.Chmod(f.Mode) }},
		{"sync", temp.Sync},
		{"close", temp.Close},
		{"check", check},
		{"rename", func() error { return persist(func() error { return in.Rename(tempName, name) }) }},
	} {
		if err := step(s.name, s.do); err != nil {
			return err
		}
	}
	syncDir(in, dir)
	return nil
}

// makeDirs makes a directory and those above it that are missing, each its
// surroundings' owner's.
func makeDirs(dir string, mode fs.FileMode) error {
	in, name, err := folder.OpenAbove(dir)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	return makeDirsIn(in, name, mode)
}

func makeDirsIn(in folder.Folder, name string, mode fs.FileMode) error {
	made, err := in.MakeDirs(name, mode)
	for _, dir := range made {
		if err := ownAsAround(in, dir); err != nil {
			return err
		}
	}
	return err
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

// sweep removes the temporary files that killed processes have left in a
// directory.
func sweep(in folder.Folder, dir string) {
	at, err := in.Open(dir)
	if err != nil {
		return
	}
	defer func() { _ = at.Close() }()
	entries, _ := at.ReadDir(-1)
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, ".") || !strings.Contains(name, tempMark) || !strings.HasSuffix(name, ".tmp") || !e.Type().IsRegular() {
			continue
		}
		if info, err := in.Root.Lstat(filepath.Join(dir, name)); err == nil && time.Since(info.ModTime()) > abandoned {
			_ = in.Remove(filepath.Join(dir, name))
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
	in, name, err := f.reach()
	if err != nil {
		return failed("remove", f.Path, err)
	}
	defer func() { _ = in.Close() }()
	if err := step("remove", func() error { return persist(func() error { return in.Remove(name) }) }); err != nil {
		return failed("remove", f.Path, err)
	}
	syncDir(in, filepath.Dir(name))
	f.Data, f.Exists, f.info = nil, false, nil
	return nil
}

// dropDir removes the directory of a file that is removed, if nothing is in it.
func (f *File) dropDir() {
	dir := filepath.Dir(f.Path)
	in, err := folder.Open(filepath.Dir(dir))
	if err != nil {
		return
	}
	defer func() { _ = in.Close() }()
	if info, err := in.Lstat(filepath.Base(dir)); err == nil && info.IsDir() {
		_ = in.Remove(filepath.Base(dir))
	}
}

// unchanged compares the file with what was read from it.
func (f *File) unchanged() error {
	if f.in == "" {
		path, err := resolve(f.Asked)
		if err != nil {
			return err
		}
		if path != f.Path {
			return ErrChanged
		}
	}
	data, _, err := f.read()
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
		err = ownLock(path) // or nobody but root could ever take it
	}
	if err != nil {
		_ = lock.Unlock()
		return nil, failed("lock", path, err)
	}
	return func() { _ = lock.Unlock() }, nil
}

func ownLock(path string) error {
	in, err := folder.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	return ownAsAround(in, filepath.Base(path))
}

// LockDir is a Lock for a directory, by whatever path it is named. The lock file
// lies in our own state.
func LockDir(p Places, dir string) (unlock func(), err error) {
	path, err := resolve(dir)
	if err != nil {
		return nil, failed("lock", dir, err)
	}
	if err := p.makeState("locks"); err != nil {
		return nil, err
	}
	return Lock(p.state("locks", named(path)+".lock"))
}

// read gives a regular file's bytes.
func (f *File) read() ([]byte, fs.FileInfo, error) {
	if f.in == "" {
		return read(f.Path)
	}
	in, name, err := f.reach()
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = in.Close() }()
	return in.ReadFile(name, document.MaxSize)
}

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
	data, err := io.ReadAll(io.LimitReader(file, document.MaxSize+1))
	if err != nil {
		return nil, nil, err
	}
	if len(data) > document.MaxSize {
		return nil, nil, errors.New("larger than 8 MiB")
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
func syncDir(in folder.Folder, name string) {
	if dir, err := in.Open(name); err == nil {
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
