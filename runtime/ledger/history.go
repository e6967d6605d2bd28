// Looking back: the decisions on file, for why and log, the newest first.

package ledger

import (
	"bufio"
	"bytes"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/file"
)

const (
	// maxOpened bounds how many ledgers are looked into at once.
	maxOpened = 2000
	// chunk is how much of a ledger is read at a time, from its end, in bytes.
	chunk = 16 << 10
	// maxBack bounds what is read of one file, in bytes; no ledger is so large.
	maxBack = 4 * maxFile
)

// Back yields the decisions of a scope, the newest first. A ledger is opened only
// when its session can have made the next one, and read from its end.
func Back(dir string, of Scope) iter.Seq[Record] {
	return BackIn([]string{dir}, of)
}

// BackIn is Back through several state directories.
func BackIn(dirs []string, of Scope) iter.Seq[Record] {
	return func(yield func(Record) bool) {
		all := make([]back, len(dirs))
		heads := make([]Record, len(dirs))
		for i, dir := range dirs {
			all[i] = back{of: of, sessions: sessionsOf(dir, of)}
			heads[i], _ = all[i].next()
		}
		for {
			newest := 0
			for i := range heads {
				if heads[i].At > heads[newest].At || heads[newest].Decision == "" {
					newest = i
				}
			}
			if heads[newest].Decision == "" || !yield(heads[newest]) { // a record has one
				return
			}
			heads[newest], _ = all[newest].next()
		}
	}
}

// back is the way back through the ledgers of a scope.
type back struct {
	of       Scope
	sessions *sessions
	ahead    Active // the next session that is not open
	begun    bool
	more     bool // there is one
	open     []*tail
	opened   int
}

func (b *back) next() (Record, bool) {
	if !b.begun {
		b.begun = true
		b.ahead, b.more = b.sessions.next()
	}
	newest := b.newest()
	for b.more && b.opened < maxOpened && (newest < 0 || b.ahead.until() > b.open[newest].head.At) {
		b.look(b.ahead)
		b.ahead, b.more = b.sessions.next()
		newest = b.newest()
	}
	if newest < 0 {
		return Record{}, false
	}
	r := b.open[newest].head
	if !b.open[newest].step() {
		b.open = slices.Delete(b.open, newest, newest+1)
	}
	return r, true
}

// newest is the open ledger with the newest decision, -1 if there is none.
func (b *back) newest() int {
	found := -1
	for i, t := range b.open {
		if found < 0 || t.head.At > b.open[found].head.At {
			found = i
		}
	}
	return found
}

// look opens a session's ledger, unless it turns out to be another project's.
func (b *back) look(a Active) {
	b.opened++
	path := filepath.Join(b.sessions.dir, "sessions", a.Key+".jsonl")
	t := &tail{paths: []string{path, path + ".1"}}
	if t.step() && (a.Project != "" || b.of.Has(t.head.Place())) {
		b.open = append(b.open, t)
	}
}

// Place is the project of a decision, as far as it is known.
func (r *Record) Place() string {
	if r.Project != "" {
		return r.Project
	}
	return r.Cwd
}

// tail reads records from the end of a session's files.
type tail struct {
	paths []string // not finished yet, the newest first
	begun bool     // the first of them
	at    int64    // what is before that is not read yet
	read  int64    // of this file
	rest  []byte   // read, and not told yet
	head  Record
}

// step goes to the record before; false: there is none.
func (t *tail) step() bool {
	for len(t.paths) > 0 {
		for {
			line, ok := t.line()
			if !ok {
				break
			}
			if r, ok := decode(bytes.TrimSpace(line)); ok {
				t.head = r
				return true
			}
		}
		t.paths, t.begun, t.rest = t.paths[1:], false, nil
	}
	t.head = Record{}
	return false
}

// line is the line before; false: the file has no more.
func (t *tail) line() ([]byte, bool) {
	for {
		if i := bytes.LastIndexByte(t.rest, '\n'); i >= 0 {
			line := t.rest[i+1:]
			t.rest = t.rest[:i]
			return line, true
		}
		if t.begun && t.at == 0 {
			line := t.rest
			t.rest = nil
			return line, len(line) > 0
		}
		if !t.fill() {
			return nil, false
		}
	}
}

// fill reads what is before, at most chunk bytes.
func (t *tail) fill() bool {
	f, size, err := file.Open(t.paths[0], file.Nofollow)
	if err != nil {
		return false
	}
	defer f.Close()
	if !t.begun {
		t.begun, t.at, t.read = true, size, 0
	}
	n := min(chunk, t.at)
	if t.at > size || t.read > maxBack {
		return false // it has become another file, or was never ours
	}
	data := make([]byte, n, n+int64(len(t.rest)))
	if _, err := f.ReadAt(data, t.at-n); err != nil && err != io.EOF {
		return false
	}
	t.at, t.read = t.at-n, t.read+n
	if len(t.rest) < 2*maxRecord { // a longer line is none of ours
		data = append(data, t.rest...)
	}
	t.rest = data
	return n > 0
}

// History returns the newest n decisions of a scope, oldest first.
func History(dir string, of Scope, n int) (all []Record) {
	for r := range Back(dir, of) {
		if len(all) == n {
			break
		}
		all = append(all, r)
	}
	slices.Reverse(all)
	return all
}

// Find returns the decision with an ID, like 3f2a51-17. The ID says how the session's
// key ends, so only those ledgers are looked into.
func Find(dir string, of Scope, id string) (Record, bool) {
	end, _, _ := strings.Cut(id, "-")
	s := sessionsOf(dir, of)
	if len(end) != shortened {
		return Record{}, false
	}
	if s.suffix = end; s.needle == nil {
		s.needle = []byte(end + "\t")
	}
	for {
		a, ok := s.next()
		if !ok {
			return Record{}, false
		}
		path := filepath.Join(dir, "sessions", a.Key+".jsonl")
		for t := (&tail{paths: []string{path, path + ".1"}}); t.step(); {
			if t.head.ID == id && (a.Project != "" || of.Has(t.head.Place())) {
				return t.head, true
			}
		}
	}
}

// IsID tells whether a text can be a decision's ID.
func IsID(text string) bool {
	end, number, ok := strings.Cut(text, "-")
	_, err := strconv.ParseUint(number, 10, 31)
	return ok && err == nil && len(end) == shortened && isHex(end)
}

// maxFollowed bounds how many sessions are followed: those that were at work last.
const maxFollowed = 200

// News reads decisions as they are made: those in files that have grown since the last
// call. sizes is what it remembers between calls; the first call with an empty one
// takes everything that is there as known.
func News(dir string, of Scope, sizes map[string]int64) []Record {
	first := len(sizes) == 0
	sizes[""] = 0 // no longer empty, even if there is no file yet
	var all []Record
	for _, a := range Sessions(dir, of, maxFollowed) {
		path := filepath.Join(dir, "sessions", a.Key+".jsonl")
		known, seen := sizes[path]
		if !seen && first {
			known = -1
		}
		records, size := readFrom(path, known)
		sizes[path] = size
		for _, r := range records {
			if a.Project != "" || of.Has(r.Place()) {
				all = append(all, r)
			}
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].At < all[j].At })
	return all
}

// readFrom reads what can be read of a file, from an offset on, and tells how large it
// is. A smaller file than that is another one, since it was rotated; from -1 on nothing
// is read.
func readFrom(path string, offset int64) (all []Record, size int64) {
	f, size, err := file.Open(path, file.Nofollow)
	if err != nil {
		return nil, 0
	}
	defer f.Close()
	switch {
	case offset < 0:
		offset = size
	case offset > size:
		offset = 0
	}
	lines := bufio.NewScanner(io.NewSectionReader(f, offset, min(size-offset, maxBack)))
	lines.Buffer(nil, 2*maxRecord)
	for lines.Scan() {
		if r, ok := decode(bytes.TrimSpace(lines.Bytes())); ok {
			all = append(all, r)
		}
	}
	return all, size
}

// newestAt is when a session did something last, 0 if its files do not say.
func newestAt(dir, key string) (at int64, last Record) {
	path := filepath.Join(dir, "sessions", key+".jsonl")
	if t := (&tail{paths: []string{path, path + ".1"}}); t.step() {
		at, last = t.head.At, t.head
	}
	if f, _, err := file.Open(filepath.Join(dir, "sessions", key+".starts"), file.Nofollow); err == nil {
		marks, _ := readMarks(f)
		f.Close()
		for _, m := range marks {
			at = max(at, m.At)
		}
	}
	return at, last
}

// within tells whether a moment is in the time that sessions are kept.
func within(at int64, now time.Time, days int) bool {
	return now.UnixMilli()-at < int64(days)*86_400_000
}
