// Files of lines that many append to, and files that are replaced as a whole.

package ledger

import (
	"bufio"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
)

// appendLine appends a line to a file of the state directory with one write. A
// file over so many bytes is kept as .1, and a new one begun.
func appendLine(dir, path string, line []byte, most int64) error {
	f, err := openFile(path)
	if os.IsNotExist(err) {
		makeDirs(dir)
		f, err = openFile(path)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err // a pipe
	}
	if size > most {
		// Two that rotate at once lose one old file, never a new line.
		if got, err := tryLock(f); err == nil && got && isAt(f, path) && rename(path, path+".1") == nil {
			fresh, err := openFile(path)
			if err != nil {
				return err
			}
			defer fresh.Close()
			f = fresh
		}
	}
	var last [1]byte
	if size, err := f.Seek(0, io.SeekEnd); err == nil && size > 0 {
		if _, err := f.ReadAt(last[:], size-1); err == nil && last[0] != '\n' {
			line = append([]byte{'\n'}, line...) // a kill has torn the one before
		}
	}
	_, err = f.Write(line)
	return err
}

// openToRead opens a file of the state directory. A link or a pipe in its place,
// which would hold Claude up, is an error.
func openToRead(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock|nofollow, 0)
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(0, io.SeekCurrent); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// eachLine reads a file of lines and the older one beside it, at most twice as
// many bytes of each as it is rotated at, and passes over longer lines.
func eachLine(path string, most int64, longest int, take func(line []byte)) error {
	for _, path := range []string{path + ".1", path} {
		f, err := openToRead(path)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return err
		}
		lines := bufio.NewReaderSize(io.LimitReader(f, 2*most), longest+1)
		for err == nil {
			var line []byte
			line, err = lines.ReadSlice('\n')
			take(line)
			for err == bufio.ErrBufferFull { // none of ours is so long
				_, err = lines.ReadSlice('\n')
			}
		}
		f.Close()
	}
	return nil
}

// replace puts a file in the place of another, whole.
func replace(path string, data []byte) error {
	fresh, err := writeBeside(path, data)
	if err != nil {
		return err
	}
	if err := rename(fresh, path); err != nil {
		os.Remove(fresh)
		return err
	}
	return nil
}

// writeBeside writes a file that is to take another's place, under a name that
// no one else has: two that write at once do not meet, and nothing that lies
// there before is written through.
func writeBeside(path string, data []byte) (fresh string, err error) {
	fresh = path + "." + strconv.FormatUint(rand.Uint64(), 36) + ".new" // os.CreateTemp brings in 40 KB
	f, err := os.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		os.Remove(fresh)
		return "", err
	}
	return fresh, nil
}
