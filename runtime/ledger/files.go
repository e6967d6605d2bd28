package ledger

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/file"
)

// openAppend opens a file in a state directory for reading and appending. It creates the file and dir if missing, and
// refuses a symlink and a relative dir. path includes dir.
func openAppend(dir, path string) (*os.File, error) {
	if !filepath.IsAbs(dir) {
		return nil, errNoDir
	}
	const flags = os.O_RDWR | os.O_CREATE | os.O_APPEND | file.Nonblock | file.Nofollow
	f, err := openOwned(path, flags)
	if os.IsNotExist(err) {
		makeStateDirs(dir)
		f, err = openOwned(path, flags)
	}
	return f, err
}

// makeStateDirs creates a state directory with sessions inside, and its parent only if named .claude. It ignores
// errors.
func makeStateDirs(dir string) {
	if filepath.Base(filepath.Dir(dir)) == ".claude" {
		makeDirOwnedAsParent(filepath.Dir(dir))
	}
	makeDirOwnedAsParent(dir)
	makeDirOwnedAsParent(filepath.Join(dir, "sessions"))
}

// makeAll creates a directory and its parents for the user alone. An existing directory is an error.
func makeAll(dir string) error {
	err := makeDirOwnedAsParent(dir)
	if above := filepath.Dir(dir); os.IsNotExist(err) && above != dir {
		err = cmp.Or(makeAll(above), makeDirOwnedAsParent(dir))
	}
	return err
}

// TakeLock takes the named lock, or returns ErrBusy after wait, even if this process has the lock. Closing the file
// releases it. ErrBusy's text is about a session's ledger.
func TakeLock(stateDir, name string, wait time.Duration) (*os.File, error) {
	f, err := openAppend(stateDir, filepath.Join(stateDir, "sessions", SessionKey(name)+".lock"))
	if err != nil {
		return nil, err
	}
	if err := waitLock(f, time.Now().Add(wait)); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func waitLock(f *os.File, until time.Time) error {
	for {
		if got, err := tryLock(f); err != nil || got {
			return err
		}
		if time.Now().After(until) {
			return ErrBusy
		}
		time.Sleep(time.Millisecond)
	}
}

// LockWorkspace locks a strategy's files in a directory for changes, or returns ErrBusy after wait. Closing the file
// releases the lock. workspace is from workspace.Space.
func LockWorkspace(stateDir, workspace string, wait time.Duration) (*os.File, error) {
	return TakeLock(stateDir, "workspace:"+workspace, wait)
}

// keepLastHalf keeps the complete lines in a file's last most/2 bytes and returns the new size (size on error). Callers
// lock the file and check that size exceeds most.
func keepLastHalf(path string, size, most int64) (newSize int64) {
	f, err := os.OpenFile(path, os.O_RDWR|file.Nonblock|file.Nofollow, 0) // O_APPEND would write only at the end
	if err != nil {
		return size
	}
	defer f.Close()
	kept := make([]byte, most/2)
	n, err := f.ReadAt(kept, size-most/2)
	if err != nil && err != io.EOF {
		return size
	}
	kept = kept[bytes.IndexByte(kept[:n], '\n')+1 : n]
	if _, err := f.WriteAt(kept, 0); err != nil || f.Truncate(int64(len(kept))) != nil {
		return size
	}
	return int64(len(kept))
}

// lineFile is a file of lines that many processes append to. It is halved when larger than most bytes.
type lineFile struct {
	dir, path string
	most      int64
	longest   int // bytes of a line
}

func (l lineFile) addLine(o codec.Object) error {
	line := append(codec.Append(nil, o), '\n')
	if len(line) > l.longest {
		return errors.New("the event is longer than " + strconv.Itoa(l.longest>>10) + " KiB")
	}
	f, err := openAppend(l.dir, l.path)
	if err != nil {
		return err
	}
	defer f.Close()
	locked := waitLock(f, time.Now().Add(lockWait)) == nil // optional
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err // a pipe
	}
	if locked && size > l.most {
		size = keepLastHalf(l.path, size, l.most)
	}
	var last [1]byte
	if _, err := f.ReadAt(last[:], max(0, size-1)); err == nil && last[0] != '\n' {
		line = append([]byte{'\n'}, line...) // after a line torn by a kill
	}
	_, err = f.Write(line)
	return err
}

// eachLine calls take with each line in the first 2*most bytes, including any line ending. Long lines are cut. The last
// line can be empty. take must not keep the slice. A missing file has no lines.
func (l lineFile) eachLine(take func(line []byte)) error {
	f, _, err := file.OpenRegular(l.path, file.Nofollow)
	if os.IsNotExist(err) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(io.LimitReader(f, 2*l.most), l.longest+1)
	for err == nil {
		var line []byte
		line, err = r.ReadSlice('\n')
		take(line)
		for err == bufio.ErrBufferFull {
			_, err = r.ReadSlice('\n')
		}
	}
	return nil
}

// readSmall reads a JSON object of up to 128 KiB. For a missing file, it returns false and an error.
func readSmall(path string, o codec.Object) (there bool, err error) {
	data, err := file.ReadBeginning(path, file.Nofollow, maxSmall)
	if err != nil {
		return !os.IsNotExist(err) && !errors.Is(err, syscall.ENOTDIR), err
	}
	return true, codec.ReadObject(data, o)
}

const maxSmall = 128 << 10 // bytes

// replaceFile replaces the file at path with o, using a temporary file. It follows no symlinks.
func replaceFile(path string, o codec.Object) error {
	fresh := path + "." + strconv.FormatUint(rand.Uint64(), 36) + ".new" // os.CreateTemp adds 40 KB to the hook
	f, err := openOwned(fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	_, err = f.Write(append(codec.Append(nil, o), '\n'))
	if err = cmp.Or(err, f.Close()); err == nil {
		err = renameOver(fresh, path)
	}
	if err != nil {
		os.Remove(fresh)
	}
	return err
}

// WatchPaths returns paths of which at least one changes when a session begins, or when an order or a hold changes.
func WatchPaths(stateDir string) []string {
	return []string{
		indexLines(stateDir).path, filepath.Join(stateDir, awayName), awayLines(stateDir).path, holdFile(stateDir, ""), holdLines(stateDir).path,
		filepath.Join(stateDir, "sessions"),
	}
}
