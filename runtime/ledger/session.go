// The file of one session: read the newest state, lock, append one line.

package ledger

import (
	"bytes"
	"encoding/hex"
	"errors"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/cameronsjo/springfield/runtime/codec"
)

const (
	// maxRecord bounds a line, in bytes; a longer one is refused, so that the
	// newest state always lies within what is read from the end.
	maxRecord = 32 << 10
	// maxFile is where a ledger is halved, in bytes: a few hundred decisions.
	maxFile = 1 << 20
	// lockWait is how long a hook waits for another hook of the same session.
	// After that Claude may stop: being late is worse than being silent.
	lockWait = 50 * time.Millisecond
)

// ErrBusy says that another hook held the session's file for too long.
var ErrBusy = errors.New("the session's ledger is locked by another hook")

// StateDir is the state directory for a session: "springfield" beside the
// "projects" directory that its transcript lies in, which is where Claude Code
// keeps its configuration, else below the user's home. No variable of the
// environment names it, because a project's settings can set any variable.
func StateDir(transcript, home string) string {
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

// SessionKey names a session in file names. It is a hash: a session id is data from
// outside and never part of a path.
func SessionKey(id string) string {
	h := fnv.New128a()
	io.WriteString(h, id)
	return hex.EncodeToString(h.Sum(nil))
}

// shortened is how many digits of a key an ID has.
const shortened = 6

// shortKey tells a person's sessions apart. FNV mixes its last digits best.
func shortKey(id string) string {
	key := SessionKey(id)
	return key[len(key)-shortened:]
}

// SessionFile is where a session's ledger lies in a state directory.
func SessionFile(dir, id string) string {
	return filepath.Join(dir, "sessions", SessionKey(id)+".jsonl")
}

type Session struct {
	dir  string
	path string
	id   string
	file *os.File
	size int64 // of the file when State was read
	torn bool  // the last line has no line end
	// State is the newest state on file, zero for a new session. LockSession brings it
	// up to date.
	State  State
	at     int64 // of the newest record
	locked bool
}

// OpenSession opens the ledger of a session in a state directory and reads its newest
// state. It creates what is missing, for the user alone.
func OpenSession(dir, id string) (*Session, error) {
	if dir == "" {
		return nil, errors.New("no home directory to keep the ledger in")
	}
	path := SessionFile(dir, id)
	f, err := openFile(dir, path)
	if err != nil {
		return nil, err
	}
	s := &Session{dir: dir, path: path, id: id, file: f}
	if err := s.readNewest(); err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

// LockSession waits for other hooks of the session, at most 50 ms, and reads the state
// again if one of them has written. Close gives the lock back.
func (s *Session) LockSession() error {
	for deadline := time.Now().Add(lockWait); !s.locked; {
		if err := waitLock(s.file, deadline); err != nil {
			return err
		}
		if s.locked = isStillAt(s.file, s.path); !s.locked { // it has been swept while we waited
			s.file.Close()
			var err error
			if s.file, err = openFile(s.dir, s.path); err != nil {
				return err
			}
			s.size = -1
		}
	}
	// Seek tells the size; Stat would too, and bring 120 KB of time formatting
	// into the binary with it.
	size, err := s.file.Seek(0, io.SeekEnd)
	if err != nil || size == s.size {
		return err
	}
	return s.readNewest()
}

// readNewest finds the newest complete record with a state: in the last bytes; if that fails, in
// so many that a whole record is among them even after a torn one; else in all.
func (s *Session) readNewest() error {
	size, err := s.file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	s.size, s.State, s.at = size, State{}, 0
	for _, span := range []int64{8 << 10, 3 * maxRecord, 2 * maxFile} {
		start := max(0, size-span)
		buf := make([]byte, size-start)
		n, err := s.file.ReadAt(buf, start)
		if err != nil && err != io.EOF {
			return err
		}
		s.torn = n > 0 && buf[n-1] != '\n'
		for buf = buf[:n]; len(buf) > 0; {
			buf = bytes.TrimRight(buf, "\n")
			line := buf[bytes.LastIndexByte(buf, '\n')+1:]
			var r Record
			if codec.ReadObject(line, &r) == nil && (r.Decision != "" && r.Decision != None || r.State.Number != 0 || len(r.State.Plugins) > 0) {
				s.State, s.at = r.State, r.At
				return nil
			}
			buf = buf[:len(buf)-len(line)]
		}
		if start == 0 {
			break
		}
	}
	return nil
}

// AppendRecord writes one record with one write(), numbers it and returns its ID.
// The session must be locked; a start without a decision is written all the same, with
// no state and no ID. One with no decision at all is only state: of a plugin that has met the
// session. It does not sync: what it keeps must survive
// kill -9, not a power cut, and a sync would cost more than the whole decision.
func (s *Session) AppendRecord(r Record) (id string, err error) {
	switch {
	case r.Decision == Asking:
	case !s.locked && r.Decision == None:
		r.State = State{}
	case r.Decision == "":
	default:
		r.State.Number = s.State.Number + 1
		r.ID = shortKey(s.id) + "-" + strconv.Itoa(r.State.Number)
	}
	line := append(codec.Append(nil, &r), '\n')
	if len(line) > maxRecord {
		return "", errors.New("record is longer than 32 KiB")
	}
	if s.at == 0 || s.at/dayLength != r.At/dayLength {
		_ = indexOf(s.dir).addLine(&active{r.At, s.id, r.ProjectPlace()}) // only for looking back, so no reason to fail
	}
	if s.locked && s.size > maxFile {
		s.size = halveFile(s.path, s.size, maxFile)
	}
	if s.torn {
		line = append([]byte{'\n'}, line...)
	}
	n, err := s.file.Write(line)
	s.torn = n > 0 && n < len(line)
	s.size += int64(n)
	if err == nil && (r.ID != "" || r.Decision == "") {
		s.State, s.at = r.State, r.At
	}
	return r.ID, err
}

// active says that a session was at work on a day: a line of the index.
type active struct {
	At      int64 // its first decision on that day, Unix milliseconds
	ID      string
	Project string
}

func (a *active) Members(m *codec.Members) {
	codec.Number(m.KeepEmpty(), "at", &a.At)
	m.KeepEmpty().Text("id", &a.ID)
	m.Text("project", &a.Project)
}

// dayLength is a day in milliseconds, as UTC has them.
const dayLength = 86_400_000

// indexOf is halved at some fifty thousand lines.
func indexOf(dir string) lines {
	return lines{dir, filepath.Join(dir, "index"), 8 << 20, 4 << 10}
}

// Close gives the lock back.
func (s *Session) Close() error { return s.file.Close() }
