package ledger

import (
	"io"
	"os"
)

// rotate begins the file anew with a record and keeps what it had as .1. Windows does
// not put another file in the place of one that is open, and the lock is that of the
// open one: so the content is copied, and the record takes its place. After a kill on
// the way the last line is the one of before. False: it did not work, the record goes
// where it always goes.
func (s *Session) rotate(line []byte) bool {
	old := make([]byte, min(s.size, 2*maxFile))
	n, err := s.file.ReadAt(old, s.size-int64(len(old)))
	if err != nil && err != io.EOF {
		return false
	}
	kept, err := writeBeside(s.path+".1", old[:n])
	if err != nil {
		return false
	}
	if rename(kept, s.path+".1") != nil {
		os.Remove(kept)
		return false
	}
	f, err := os.OpenFile(s.path, os.O_WRONLY, 0) // one that appends writes nowhere else
	if err != nil {
		return false
	}
	defer f.Close()
	if _, err := f.WriteAt(line, 0); err != nil || f.Truncate(int64(len(line))) != nil {
		return false
	}
	s.size, s.torn = int64(len(line)), false
	return true
}

// moveOpen gives a file that is open another name, in the place of what has it. It has
// to be closed first, and stays where it is while another process has it open.
func moveOpen(f *os.File, from, to string) {
	f.Close()
	_ = rename(from, to)
}
