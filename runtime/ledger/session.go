// The file of one session: lock, read the newest state, append one line.

package ledger

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"time"
)

const (
	// maxRecord bounds a line; a longer one is refused, so that the newest
	// state always lies within what Open reads from the end.
	maxRecord = 16 << 10
	// lockWait is how long a hook waits for another hook of the same session.
	// After that Claude may stop: being late is worse than being silent.
	lockWait = 50 * time.Millisecond
)

// ErrBusy says that another hook held the session's file for too long.
var ErrBusy = errors.New("the session's ledger is locked by another hook")

// Dir is the state directory for a session: "springfield" beside the
// "projects" directory that its transcript lies in, which is where Claude Code
// keeps its configuration, else below the user's home. No variable of the
// environment names it, because a project's settings can set any variable.
func Dir(transcript, home string) string {
	if filepath.IsAbs(transcript) {
		projects := filepath.Dir(filepath.Dir(filepath.Clean(transcript)))
		if filepath.Base(projects) == "projects" {
			return filepath.Join(filepath.Dir(projects), "springfield")
		}
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, ".claude", "springfield")
}

// SessionFile is where a session's ledger lies in a state directory. The name
// is a hash: a session id is data from outside and never part of a path.
func SessionFile(dir, id string) string {
	h := fnv.New128a()
	io.WriteString(h, id)
	return filepath.Join(dir, "sessions", hex.EncodeToString(h.Sum(nil))+".jsonl")
}

// Session is the locked ledger of one session, from Open to Close.
type Session struct {
	file *os.File
	torn bool // the last line has no line end
	// State is the newest state on file, zero for a new session.
	State State
}

// Open locks the ledger of a session in a state directory and reads its newest
// state. It creates what is missing, for the user alone.
func Open(dir, id string) (*Session, error) {
	if dir == "" {
		return nil, errors.New("no home directory to keep the ledger in")
	}
	path := SessionFile(dir, id)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if errors.Is(err, os.ErrNotExist) {
		// Each for the user alone. The directory above is Claude Code's and there
		// already, but for a home that Claude Code has never seen.
		if filepath.Base(filepath.Dir(dir)) == ".claude" {
			os.Mkdir(filepath.Dir(dir), 0o700)
		}
		os.Mkdir(dir, 0o700)
		os.Mkdir(filepath.Dir(path), 0o700)
		f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	}
	if err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(lockWait); ; time.Sleep(time.Millisecond) {
		got, err := tryLock(f)
		if got {
			break
		}
		if err == nil && time.Now().After(deadline) {
			err = ErrBusy
		}
		if err != nil {
			f.Close()
			return nil, err
		}
	}
	s := &Session{file: f}
	if err := s.read(); err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

// read finds the newest complete record.
func (s *Session) read() error {
	// Seek tells the size; Stat would too, and bring 120 KB of time formatting
	// into the binary with it.
	size, err := s.file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	// Two records' worth: a whole one is in there even after a torn one.
	start := max(0, size-2*maxRecord)
	buf := make([]byte, size-start)
	n, err := s.file.ReadAt(buf, start)
	if err != nil && err != io.EOF {
		return err
	}
	buf = buf[:n]
	s.torn = n > 0 && buf[n-1] != '\n'
	for len(buf) > 0 {
		buf = bytes.TrimRight(buf, "\n")
		line := buf[bytes.LastIndexByte(buf, '\n')+1:]
		var r Record
		if json.Unmarshal(line, &r) == nil && r.Decision != "" {
			s.State = r.State
			return nil
		}
		buf = buf[:len(buf)-len(line)]
	}
	return nil
}

// Append writes one record with one write(). It does not sync: what it keeps
// must survive kill -9, not a power cut, and a sync would cost more than the
// whole decision.
func (s *Session) Append(r Record) error {
	line, err := encode(r)
	if err != nil {
		return err
	}
	if s.torn {
		line = append([]byte{'\n'}, line...)
	}
	n, err := s.file.Write(line)
	s.torn = n > 0 && n < len(line)
	return err
}

func encode(r Record) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		return nil, err
	}
	if b.Len() > maxRecord {
		return nil, errors.New("record is longer than 16 KiB")
	}
	return b.Bytes(), nil
}

// Close gives the lock back.
func (s *Session) Close() error { return s.file.Close() }
