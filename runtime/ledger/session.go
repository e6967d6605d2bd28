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
	// maxRecord bounds a line, in bytes, so that the part read from the end contains the last state.
	maxRecord = 32 << 10
	// maxFile is the size in bytes at which a ledger is halved: a few hundred decisions.
	maxFile = 1 << 20
	// lockWait bounds the wait for other hooks of the session, after which the agent may stop.
	lockWait = 50 * time.Millisecond
)

var ErrBusy = errors.New("the session's ledger is locked by another hook")

// StateDir returns a session's state directory: "springfield" next to the transcript's directory "projects", else
// .claude/springfield in home, or "". It reads no environment variable.
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

// SessionKey returns a hash of an ID for file names. A session's ID has a prefix, usually "session:".
func SessionKey(id string) string {
	h := fnv.New128a()
	io.WriteString(h, id)
	return hex.EncodeToString(h.Sum(nil))
}

// A decision's ID begins with the last digits of the session's key, which FNV mixes best.
const shortened, inID = 6, 32 - shortened

// SessionFile returns the path of a session's ledger. ledgerID has a prefix, usually "session:".
func SessionFile(stateDir, ledgerID string) string {
	return filepath.Join(stateDir, "sessions", SessionKey(ledgerID)+".jsonl")
}

type Session struct {
	dir  string
	path string
	id   string
	file *os.File
	size int64 // when State was read
	torn bool  // no newline after the last line
	// State is the last state on file. LockAndRead updates it.
	State  State
	at     int64 // of the last record
	locked bool
}

// OpenUnlocked opens or creates a session's ledger and reads the last state, without locking. ledgerID has a prefix,
// usually "session:". Callers close the ledger.
func OpenUnlocked(stateDir, ledgerID string) (openedOrNew *Session, err error) {
	if stateDir == "" {
		return nil, errors.New("no home directory to keep the ledger in")
	}
	path := SessionFile(stateDir, ledgerID)
	f, err := openAppend(stateDir, path)
	if err != nil {
		return nil, err
	}
	s := &Session{dir: stateDir, path: path, id: ledgerID, file: f}
	if err := s.readNewest(); err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

// LockAndRead locks the session, or returns ErrBusy after 50 ms. It rereads the state if another hook has written.
// Close releases the lock.
func (s *Session) LockAndRead() error {
	if !s.locked {
		if err := waitLock(s.file, time.Now().Add(lockWait)); err != nil {
			return err
		}
		s.locked = true
	}
	// File.Stat adds 120 KB to the hook.
	if size, err := s.file.Seek(0, io.SeekEnd); err != nil || size == s.size {
		return err
	}
	return s.readNewest()
}

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

// AppendRecord writes r with a single write(). Callers set the new state in r.State. Decisions are numbered and their
// ID returned, except for Asking and "". If the session is not locked, r is None, and gets neither state nor ID.
// AppendRecord adds the session to the index once a day, and halves long files. It does not sync.
func (s *Session) AppendRecord(r Record) (id string, err error) {
	if !s.locked && r.Decision == None {
		r.State = State{}
	} else if r.Decision != Asking && r.Decision != "" {
		r.State.Number = s.State.Number + 1
		r.ID = SessionKey(s.id)[inID:] + "-" + strconv.Itoa(r.State.Number)
	}
	line := append(codec.Append(nil, &r), '\n')
	if len(line) > maxRecord {
		return "", errors.New("record is longer than 32 KiB")
	}
	if s.at == 0 || s.at/dayLength != r.At/dayLength {
		_ = indexLines(s.dir).addLine(&active{r.At, s.id, r.ProjectOrCwd()}) // only for searches, so never fatal
	}
	if s.locked && s.size > maxFile {
		s.size = keepLastHalf(s.path, s.size, maxFile)
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

// active is a line of the index: a session was active on a day.
type active struct {
	At      int64 // first decision of that day, Unix milliseconds
	ID      string
	Project string
}

func (a *active) Members(m *codec.Coder) {
	codec.Number(m.EvenEmpty(), "at", &a.At)
	m.EvenEmpty().Text("id", &a.ID)
	m.Text("project", &a.Project)
}

const dayLength = 86_400_000 // milliseconds

func indexLines(stateDir string) lineFile {
	return lineFile{stateDir, filepath.Join(stateDir, "index"), 8 << 20, 4 << 10}
}

// Close closes the ledger and releases the lock.
func (s *Session) Close() error { return s.file.Close() }
