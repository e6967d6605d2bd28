// Starts of the hook. Each leaves a mark before its work begins and completes it
// when it is done, so that one that was killed, or could not write its decision
// down, is not forgotten: the next start of the session files it as a record.
//
// A session's marks are one small file of lines of the same length. A start
// appends one the first time that its plugin runs in the session, and writes over
// it from then on: the ledger itself gets one append per stop as before.

package ledger

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/file"
)

const (
	// markSize is the length of a mark in bytes, with its line end.
	markSize = 512
	// maxMarks bounds the file, in bytes: more plugins at once than there are. A
	// larger one is not ours, and begins anew.
	maxMarks = 32 * markSize
	// longestStart is more than a start can take, with a judge to wait for. After
	// that its process is another one under the same number.
	longestStart = 5 * time.Minute
	// maxUnfiled bounds how many sessions' marks are read at once.
	maxUnfiled = 200
	// sweptAtOnce is how many old sessions one start sweeps.
	sweptAtOnce = 4
)

// None is the decision of a record about a start that came to none.
const None = "none"

// Killed is the rule of a start that has begun and is not at work any more.
const Killed = "fault:killed"

// Start is one start of the hook for a session.
type Start struct {
	At      int64 // Unix milliseconds
	Plugin  string
	Event   string // what it was to answer: Stop or UserPromptSubmit
	Session string // the session's id as Claude Code says it
	Project string // where it was started; no part of a mark
	// Rule and Evidence say why it came to no decision.
	Rule, Evidence string

	state string // begun, fault or done
	pid   int
	at    int64 // offset of the mark
}

// The states of a mark.
const (
	begun = "begun"
	fault = "fault"
	done  = "done"
)

// Record is what the ledger keeps of a start that came to no decision.
func (s Start) Record() Record {
	r := Record{At: s.At, Session: s.Session, Project: s.Project, Plugin: s.Plugin, Decision: None, Rule: s.Rule, Evidence: s.Evidence}
	if s.Event != "Stop" {
		r.Event = s.Event
	}
	return r
}

// over tells of a mark whose start ended without a decision, and why.
func (s Start) over(now time.Time) (Start, bool) {
	switch {
	case s.state == fault:
		return s, true
	case s.state == begun && (now.UnixMilli()-s.At > longestStart.Milliseconds() || !isAlive(s.pid)):
		s.Rule, s.Evidence = Killed, "the hook started and did not finish: it was killed, or took longer than Claude Code waits for it"
		return s, true
	}
	return s, false
}

// Mark is the mark of the start that is at work. One without a file does nothing:
// a mark is no reason to fail.
type Mark struct {
	dir   string
	file  *os.File
	start Start
	now   time.Time
	first bool // of its plugin in the session
	left  bool // others have ended without a decision
}

func startsFile(dir, id string) string { return filepath.Join(dir, "sessions", Key(id)+".starts") }

// Begin leaves a mark of a start in a session.
func Begin(dir, id string, s Start, now time.Time) *Mark {
	m := &Mark{dir: dir, start: s, now: now}
	if dir == "" {
		return m
	}
	m.start.state, m.start.pid, m.start.at = begun, os.Getpid(), -1
	path := startsFile(dir, id)
	f, err := os.OpenFile(path, os.O_RDWR|file.Nonblock|file.Nofollow, 0)
	if err == nil {
		marks, ok := readMarks(f)
		if !ok {
			f.Close()
			os.Remove(path)
		}
		for _, other := range marks {
			if other.state == begun && other.pid == m.start.pid { // its number is ours now
				other.pid = 0
				f.WriteAt(other.line(), other.at)
			}
			if _, over := other.over(now); over {
				m.left = true
			}
			if other.state == done && other.Plugin == s.Plugin && m.start.at < 0 {
				m.start.at = other.at
			}
		}
		if ok && m.start.at >= 0 {
			m.file = f
			m.write()
			return m
		}
		if ok {
			f.Close()
		}
	}
	m.add(path)
	return m
}

// add appends the plugin's first mark in a session. Another plugin may be doing
// the same, and an append is where two do not meet.
func (m *Mark) add(path string) {
	f, err := openFile(m.dir, path)
	if err != nil {
		return
	}
	defer f.Close()
	if n, err := f.Write(m.start.line()); err != nil || n < markSize {
		return
	}
	end, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return
	}
	m.first = true
	if m.start.at = end - markSize; m.start.at == 0 { // it may never come to a decision
		enter(m.dir, Active{m.start.At, strings.TrimSuffix(filepath.Base(path), ".starts"), m.start.Session, m.start.Project})
	}
	m.file, _ = os.OpenFile(path, os.O_RDWR|file.Nonblock|file.Nofollow, 0) // one that appends writes nowhere else
}

func (m *Mark) write() {
	if m.file != nil {
		m.file.WriteAt(m.start.line(), m.start.at)
	}
}

// End completes the mark: the start came to a decision, or is recorded.
func (m *Mark) End() {
	m.start.state = done
	m.write()
}

// Fail completes the mark with the reason for which the start came to no decision,
// which could not be filed.
func (m *Mark) Fail(rule, evidence string) {
	m.start.state, m.start.Rule, m.start.Evidence = fault, rule, evidence
	m.write()
}

// Close gives the mark's file back. Until then it can still fail. The first start of a
// plugin in a session sweeps: so at least as many old sessions go as new ones come.
func (m *Mark) Close() {
	if m.first {
		m.first = false
		Sweep(m.dir, m.now, sweptAtOnce)
	}
	if m.file != nil {
		m.file.Close()
		m.file = nil
	}
}

// Left are the session's other starts that ended without a decision and are not on
// file, oldest first. The session must be locked.
func (m *Mark) Left() (all []Start) {
	if !m.left || m.file == nil {
		return nil
	}
	marks, _ := readMarks(m.file)
	for _, s := range marks {
		if s, over := s.over(m.now); over && s.at != m.start.at {
			all = append(all, s)
		}
	}
	sortStarts(all)
	return all
}

// Filed says that one of them is recorded now.
func (m *Mark) Filed(s Start) {
	s.state = done
	m.file.WriteAt(s.line(), s.at)
}

// Unfiled are the starts that ended without a decision and are not on file yet, of the
// 200 sessions of a scope that were at work last, oldest first.
func Unfiled(dir string, of Scope, now time.Time) (all []Record) {
	var left []Start
	for _, a := range Sessions(dir, of, maxUnfiled) {
		if of.Project != "" && a.Project == "" {
			continue // a mark does not say it either
		}
		f, _, err := file.Open(filepath.Join(dir, "sessions", a.Key+".starts"), file.Nofollow)
		if err != nil {
			continue
		}
		marks, _ := readMarks(f)
		f.Close()
		for _, s := range marks {
			if s, over := s.over(now); over {
				s.Project = a.Project
				left = append(left, s)
			}
		}
	}
	sortStarts(left)
	for _, s := range left {
		all = append(all, s.Record())
	}
	return all
}

// sortStarts puts the oldest first.
func sortStarts(all []Start) {
	sort.SliceStable(all, func(i, j int) bool { return all[i].At < all[j].At })
}

// readMarks reads the marks of an open file; false: they are too many to be ours.
func readMarks(f *os.File) ([]Start, bool) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil || size > maxMarks {
		return nil, err != nil // a pipe, say, which has no marks
	}
	buf := make([]byte, size)
	n, _ := f.ReadAt(buf, 0)
	return parseMarks(buf[:n]), true
}

// parseMarks finds the marks of a file. A torn or foreign line is none.
func parseMarks(data []byte) (all []Start) {
	for at := 0; at < len(data); {
		end := bytes.IndexByte(data[at:], '\n')
		if end < 0 {
			break
		}
		if s, ok := parseMark(string(data[at : at+end])); ok && end == markSize-1 {
			s.at = int64(at)
			all = append(all, s)
		}
		at += end + 1
	}
	return all
}

func parseMark(line string) (s Start, ok bool) {
	f := strings.SplitN(strings.TrimRight(line, " "), "\t", 8)
	if len(f) != 8 || f[0] != begun && f[0] != fault && f[0] != done {
		return s, false
	}
	at, err := strconv.ParseInt(f[1], 10, 64)
	pid, errPid := strconv.Atoi(f[2])
	if err != nil || errPid != nil {
		return s, false
	}
	s = Start{state: f[0], At: at, pid: pid, Event: f[3], Plugin: f[4], Session: f[5], Rule: f[6], Evidence: f[7]}
	return s, s.state != fault || s.Rule != ""
}

// line is the mark as it stands in the file.
func (s Start) line() []byte {
	head := s.state + "\t" + strconv.FormatInt(s.At, 10) + "\t" + strconv.Itoa(s.pid) + "\t" +
		field(s.Event, 32) + "\t" + field(s.Plugin, 80) + "\t" + field(s.Session, 100) + "\t" + field(s.Rule, 40) + "\t"
	head += field(s.Evidence, markSize-1-len(head))
	return append(append([]byte(head), bytes.Repeat([]byte{' '}, markSize-1-len(head))...), '\n')
}

// field is a text in at most so many bytes, without what separates fields.
func field(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
	if len(s) > most {
		s = s[:most]
	}
	return strings.TrimRight(strings.ToValidUTF8(s, ""), " ")
}
