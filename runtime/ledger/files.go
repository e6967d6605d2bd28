// The files of the state directory: opened for the user alone, locked, appended to a
// line at a time, halved when they have grown, or replaced as a whole, and swept.

package ledger

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/file"
)

// openFile opens a file of the state directory to append to, and makes the directory
// if it is missing. A link in the file's place is refused: what is written here stays
// here. Without Nonblock the system is asked four times more whether one would have to
// wait for it.
func openFile(dir, path string) (*os.File, error) {
	const flags = os.O_RDWR | os.O_CREATE | os.O_APPEND | file.Nonblock | file.Nofollow
	f, err := os.OpenFile(path, flags, 0o600)
	if os.IsNotExist(err) {
		makeDirs(dir)
		f, err = os.OpenFile(path, flags, 0o600)
	}
	return f, err
}

// makeDirs makes the state directory, each level for the user alone. The
// directory above is Claude Code's and there already, but for a home that
// Claude Code has never seen.
func makeDirs(dir string) {
	if filepath.Base(filepath.Dir(dir)) == ".claude" {
		os.Mkdir(filepath.Dir(dir), 0o700)
	}
	os.Mkdir(dir, 0o700)
	os.Mkdir(filepath.Join(dir, "sessions"), 0o700)
}

// makeAll makes a directory with all above it, for the user alone. Not
// os.MkdirAll, which looks at what is there and brings in 120 KB with that look.
func makeAll(dir string) {
	if above := filepath.Dir(dir); os.IsNotExist(os.Mkdir(dir, 0o700)) && above != dir {
		makeAll(above)
		os.Mkdir(dir, 0o700)
	}
}

// TakeLock takes the lock of a name, which is never part of a path, and waits for it
// as long as it is told. Closing the file gives it back.
func TakeLock(dir, name string, wait time.Duration) (*os.File, error) {
	f, err := openFile(dir, filepath.Join(dir, "sessions", SessionKey(name)+".lock"))
	if err != nil {
		return nil, err
	}
	if err := waitLock(f, time.Now().Add(wait)); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// waitLock takes a file's lock, ErrBusy if another one has it until then.
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

// LockWorkspace takes the lock under which a strategy's files in a directory are
// changed, by a stop or by a person.
func LockWorkspace(dir, workspace string, wait time.Duration) (*os.File, error) {
	return TakeLock(dir, "workspace:"+workspace, wait)
}

// halveFile keeps the newest lines of a file that has grown, half of most bytes, and says how
// long it is then. The file must be locked. They are copied over its beginning, and then
// it is cut behind them: at every moment the last line is the newest, so a kill on the
// way loses none. One that cannot be halved grows on.
func halveFile(path string, size, most int64) int64 {
	f, err := os.OpenFile(path, os.O_RDWR|file.Nonblock|file.Nofollow, 0) // one that appends writes nowhere else
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

// lines is a file of lines that many append to. Over most bytes it is halved. A line has
// at most longest bytes.
type lines struct {
	dir, path string
	most      int64
	longest   int
}

func (l lines) addLine(o codec.Object) error {
	line := append(codec.Append(nil, o), '\n')
	if len(line) > l.longest {
		return errors.New("the event is longer than " + strconv.Itoa(l.longest>>10) + " KiB")
	}
	f, err := openFile(l.dir, l.path)
	if err != nil {
		return err
	}
	defer f.Close()
	locked := waitLock(f, time.Now().Add(lockWait)) == nil // without it the line comes all the same
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err // a pipe
	}
	if locked && size > l.most {
		size = halveFile(l.path, size, l.most)
	}
	var last [1]byte
	if size > 0 {
		if _, err := f.ReadAt(last[:], size-1); err == nil && last[0] != '\n' {
			line = append([]byte{'\n'}, line...) // a kill has torn the one before
		}
	}
	_, err = f.Write(line)
	return err
}

// eachLine reads the file, at most twice as many bytes as it is halved at, and passes over
// longer lines.
func (l lines) eachLine(take func(line []byte)) error {
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
		for err == bufio.ErrBufferFull { // none of ours is so long
			_, err = r.ReadSlice('\n')
		}
	}
	return nil
}

// readSmall reads an object from a small file. Not there is no error.
func readSmall(path string, o codec.Object) (there bool, err error) {
	data, err := file.ReadBeginning(path, file.Nofollow, maxSmall)
	if err != nil {
		return !os.IsNotExist(err) && !errors.Is(err, syscall.ENOTDIR), err
	}
	return true, codec.ReadObject(data, o)
}

// maxSmall bounds such a file, in bytes.
const maxSmall = 16 << 10

// replaceFile puts an object in the place of a file, whole. It is written under a name that no
// one else has: two that write at once do not meet, and nothing that lies there before is
// written through.
func replaceFile(path string, o codec.Object) error {
	fresh := path + "." + strconv.FormatUint(rand.Uint64(), 36) + ".new" // os.CreateTemp brings in 40 KB
	f, err := os.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(codec.Append(nil, o), '\n'))
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = renameOver(fresh, path)
	}
	if err != nil {
		os.Remove(fresh)
	}
	return err
}

// Sweeping: ledgers of sessions in which nothing was decided for 90 days are removed. A
// session that begins sweeps after its answer, and so does the CLI. A hold in force
// stays, and so does the ledger of a session with an open loop.

const (
	// KeepDays is for how many days after its last decision a session's ledger is kept,
	// unless the user says otherwise, and mostDays the longest time that can be said.
	KeepDays = 90
	mostDays = 36_500
	// swept is how many files one sweep looks at, from a place on that chance chooses: it
	// takes little time, and in the end comes to all.
	swept = 200
)

// keeping is the user's word on it.
type keeping struct {
	Days int // 0: for ever
}

func (k *keeping) Members(m *codec.Members) { codec.Number(m.KeepEmpty(), "keep_days", &k.Days) }

// KeepFile is where the user says how long ledgers are kept: {"keep_days": 30}.
func KeepFile(dir string) string { return filepath.Join(dir, "settings.json") }

// DaysKept is for how many days ledgers are kept, 0 for ever. While the user's word on it
// cannot be read nothing is removed.
func DaysKept(dir string) (days int, err error) {
	k := keeping{KeepDays}
	switch there, err := readSmall(KeepFile(dir), &k); {
	case there && err != nil:
		return 0, errors.New("read " + KeepFile(dir) + ": " + err.Error())
	case k.Days < 0 || k.Days > mostDays:
		return 0, errors.New("read " + KeepFile(dir) + ": keep_days must be between 0 (for ever) and " + strconv.Itoa(mostDays))
	}
	return k.Days, nil
}

// SweepOldSessions removes files of sessions that are no longer kept.
func SweepOldSessions(dir string, now time.Time) {
	keep, err := DaysKept(dir)
	if err != nil || keep == 0 {
		return
	}
	d, err := os.Open(filepath.Join(dir, "sessions"))
	if err != nil {
		return
	}
	names, _ := d.Readdirnames(-1)
	d.Close()
	if len(names) == 0 {
		return
	}
	first, before := rand.IntN(len(names)), now.AddDate(0, 0, -keep)
	for i := range min(len(names), swept) {
		path := filepath.Join(dir, "sessions", names[(first+i)%len(names)])
		if !isOlderThan(path, before) {
			continue
		}
		switch {
		case strings.HasSuffix(path, ".jsonl"):
			removeLedger(path, before)
		case strings.HasSuffix(path, ".hold"):
			var h Hold
			if there, err := readSmall(path, &h); there && err == nil && h.isOver(now) {
				os.Remove(path)
			}
		}
	}
}

func isOlderThan(path string, before time.Time) bool {
	info, err := os.Lstat(path)
	return err == nil && info.ModTime().Before(before)
}

// removeLedger removes an old ledger, unless its session is at work again or has a loop.
func removeLedger(path string, before time.Time) {
	f, err := os.OpenFile(path, os.O_RDWR|file.Nonblock|file.Nofollow, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if got, err := tryLock(f); err != nil || !got || !isOlderThan(path, before) {
		return
	}
	t := openTail(path)
	t.stepBack()
	for _, loop := range t.head.State.Loops {
		if filepath.IsAbs(loop.Key) && file.IsReadable(loop.Key) {
			return
		}
	}
	if os.Remove(path) != nil { // Windows removes no open file
		f.Close()
		os.Remove(path)
	}
}
