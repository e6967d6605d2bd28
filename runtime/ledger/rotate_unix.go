//go:build unix

package ledger

import "os"

// rotate begins a new file with a record and keeps the old one under the name
// .1. At every moment one of the two is complete and in place, so a kill loses
// nothing. The new file is locked before it is in place: no other hook comes
// between this record and the next. False: it did not work, the record goes
// where it always goes.
func (s *Session) rotate(line []byte) bool {
	fresh, err := writeBeside(s.path, line)
	if err != nil {
		return false
	}
	file, err := openFile(s.dir, fresh)
	if err != nil {
		os.Remove(fresh)
		return false
	}
	if got, err := tryLock(file); err != nil || !got || !s.replace(fresh) {
		file.Close()
		os.Remove(fresh)
		return false
	}
	s.file.Close()
	s.file, s.size, s.torn = file, int64(len(line)), false
	return true
}

// replace puts a file in the place of the ledger, which becomes .1.
func (s *Session) replace(fresh string) bool {
	old := s.path + ".1"
	os.Remove(old)
	if os.Link(s.path, old) != nil { // file systems without links lose the old decisions, never the state
		os.Remove(old)
	}
	if rename(fresh, s.path) != nil {
		os.Remove(old) // it would be the same file under two names
		return false
	}
	return true
}

// moveOpen gives a file that is open another name, in the place of what has it.
func moveOpen(_ *os.File, from, to string) { _ = rename(from, to) }
