// The calendar: which sessions were at work on each day, a file per day. A session is
// noted in the hour of its first start and of each decision that is its first in an
// hour, so the usual decision writes nothing here. Looking back reads the newest days
// first and opens only the ledgers that it needs, however many there are.

package ledger

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/file"
)

const (
	// maxDay bounds what is read of a day, in bytes, and maxCalendar of all days.
	maxDay      = 8 << 20
	maxCalendar = 64 << 20
	// maxNote bounds a line, in bytes.
	maxNote = 13 + 32 + maxNoted + maxPlace + 8
	// maxNoted and maxPlace bound a session's id and its project in a line, in bytes.
	maxNoted, maxPlace = 200, 600
	// maxUndated bounds how many sessions of the old index are looked at.
	maxUndated = 1000
	// hour is an hour in milliseconds.
	hour = 3_600_000
)

// Scope is which sessions are looked at. The zero one is all.
type Scope struct {
	// Session is one, as the hook names it.
	Session string
	// Project is a directory: the sessions of the projects in it.
	Project string
}

// Active is a session that was at work.
type Active struct {
	At      int64 // when it was noted last, Unix milliseconds; 0 if that is not known
	Key     string
	Session string // as Claude Code names it, "" if it is not known
	Project string // "" if it is not known
}

// until is a moment after its last decision. Its next hour has a note of its own.
func (a Active) until() int64 {
	if a.At == 0 {
		return 1 << 62
	}
	return a.At - a.At%hour + hour
}

func (a Active) note() []byte {
	return []byte(strconv.FormatInt(a.At, 10) + "\t" + a.Key + "\t" + field(a.Session, maxNoted) + "\t" + field(a.Project, maxPlace) + "\n")
}

// parseNote reads a line of a day, or of the index of before there were days.
func parseNote(line []byte) (a Active, ok bool) {
	if f := bytes.Split(line, []byte{'\t'}); len(f) == 4 {
		at, err := strconv.ParseInt(string(f[0]), 10, 64)
		a = Active{at, string(f[1]), string(f[2]), string(f[3])}
		return a, err == nil && at > 0 && isKey(a.Key)
	}
	a.Key = string(line)
	return a, isKey(a.Key)
}

func calendarDir(dir string) string { return filepath.Join(dir, "days") }

// oldIndex lists sessions as they began, without a day. Sweep moves them to theirs.
func oldIndex(dir string) string { return filepath.Join(dir, "sessions", "index") }

// enter notes that a session is at work. It is only for looking back: a failure is no
// reason to fail.
func enter(dir string, a Active) {
	path := filepath.Join(calendarDir(dir), day(time.UnixMilli(a.At)))
	f, err := openFile(dir, path)
	if os.IsNotExist(err) {
		os.Mkdir(calendarDir(dir), 0o700)
		f, err = openFile(dir, path)
	}
	if err == nil {
		_, _ = f.Write(a.note())
		f.Close()
	}
}

// isKey tells whether a text can be a session's key.
func isKey(s string) bool { return len(s) == 32 && isHex(s) }

func isHex(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'f') })
}

// days are the days of the calendar, the newest first.
func days(dir string) []string {
	d, err := os.Open(calendarDir(dir))
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	names = slices.DeleteFunc(names, func(name string) bool { return !isDay(name) })
	slices.Sort(names)
	slices.Reverse(names)
	return names
}

// isDay tells whether a name is that of a day.
func isDay(name string) bool {
	const form = "0000-00-00"
	if len(name) != len(form) {
		return false
	}
	for i := range name {
		if digit := name[i] >= '0' && name[i] <= '9'; digit != (form[i] == '0') || !digit && name[i] != '-' {
			return false
		}
	}
	return true
}

// sessions goes through the sessions of a scope, those that were at work last first.
type sessions struct {
	dir   string
	of    Scope
	days  []string // not read yet; "" is the old index
	read  []Active // of the newest day that is read, the newest last
	seen  map[string]bool
	bytes int64
	// suffix is how the keys end that are looked for, and needle what the lines of
	// days have that can be meant.
	suffix string
	needle []byte
	buffer []byte
}

func sessionsOf(dir string, of Scope) *sessions {
	s := &sessions{dir: dir, of: of, seen: map[string]bool{}}
	if of.Project != "" {
		s.needle = []byte("\t" + field(of.Project, maxPlace))
	}
	if of.Session != "" {
		s.read = []Active{{Key: Key(of.Session), Session: strings.TrimPrefix(of.Session, "session:")}}
		return s
	}
	// Nothing says when those of the old index were at work.
	s.days = append([]string{""}, days(dir)...)
	return s
}

// next is the next session, each once.
func (s *sessions) next() (Active, bool) {
	for {
		for len(s.read) > 0 {
			a := s.read[len(s.read)-1]
			s.read = s.read[:len(s.read)-1]
			if !s.seen[a.Key] {
				s.seen[a.Key] = true
				return a, true
			}
		}
		if len(s.days) == 0 || s.bytes > maxCalendar {
			return Active{}, false
		}
		s.readDay(s.days[0])
		s.days = s.days[1:]
	}
}

// readDay reads the sessions of a day that belong to the scope. What cannot be read is
// passed over.
func (s *sessions) readDay(name string) {
	path, most := filepath.Join(calendarDir(s.dir), name), int64(maxDay)
	if name == "" {
		path, most = oldIndex(s.dir), maxUndated*33
	}
	f, size, err := file.Open(path, file.Nofollow)
	if err != nil {
		return
	}
	defer f.Close()
	data := slices.Grow(s.buffer[:0], int(min(size, most)))[:min(size, most)]
	s.buffer = data
	n, err := f.ReadAt(data, size-int64(len(data)))
	if err != nil && err != io.EOF {
		return
	}
	s.bytes += int64(n)
	needle := s.needle
	if name == "" {
		needle = nil
	}
	each(data[:n], needle, func(line []byte) {
		if a, ok := parseNote(line); ok && (a.Project == "" || s.of.Has(a.Project)) && strings.HasSuffix(a.Key, s.suffix) {
			s.read = append(s.read, a)
		}
	})
	sort.SliceStable(s.read, func(i, j int) bool { return s.read[i].At < s.read[j].At }) // not of slices, which costs 6 KB of binary a type
}

// each goes through the lines that have a needle, without a look at the others.
func each(data, needle []byte, take func(line []byte)) {
	for len(data) > 0 {
		at := bytes.Index(data, needle)
		if at < 0 {
			return
		}
		start := bytes.LastIndexByte(data[:at], '\n') + 1
		end := bytes.IndexByte(data[at:], '\n')
		if end < 0 {
			end = len(data) - at
		}
		take(data[start : at+end])
		data = data[min(at+end+1, len(data)):]
	}
}

// Has tells whether a project belongs to the scope.
func (s Scope) Has(project string) bool {
	root := s.Project
	if len(root) > maxPlace || len(project) > maxPlace {
		root, project = field(root, maxPlace), field(project, maxPlace)
	}
	return root == "" || project == root || strings.HasPrefix(project, strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator))
}

// Sessions are the n sessions of a scope that were at work last, the newest first.
func Sessions(dir string, of Scope, n int) (all []Active) {
	for s := sessionsOf(dir, of); len(all) < n; {
		a, ok := s.next()
		if !ok {
			break
		}
		all = append(all, a)
	}
	return all
}

// Named are at most n sessions whose ids begin like that, those that were at work last
// first.
func Named(dir, beginning string, n int) (all []Active) {
	s := sessionsOf(dir, Scope{})
	s.needle = []byte("\t" + field(beginning, maxNoted))
	for len(all) < n {
		a, ok := s.next()
		if !ok {
			break
		}
		if a.At == 0 {
			_, last := newestAt(dir, a.Key)
			a.Session, a.Project, a.At = last.Session, last.Place(), last.At
		}
		if a.Session != "" && strings.HasPrefix(a.Session, beginning) {
			all = append(all, a)
		}
	}
	return all
}

// Has tells whether anything is recorded of a session.
func Has(dir, session string) bool {
	base := filepath.Join(dir, "sessions", Key(session))
	return file.Exists(base+".jsonl") || file.Exists(base+".starts") || file.Exists(base+".hold")
}

// Readable says what keeps decisions from being read. That there are none does not.
func Readable(dir string) error {
	for _, name := range []string{calendarDir(dir), filepath.Join(dir, "sessions")} {
		d, err := os.Open(name)
		if err == nil {
			_, err = d.Readdirnames(1)
			d.Close()
		}
		if err != nil && err != io.EOF && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}
