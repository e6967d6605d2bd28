// Looking back: the decisions on file, for why, log and status, the newest first. An
// index has a line for each session and day, so that only the ledgers are opened that can
// have what is asked for, however many there are.

package ledger

import (
	"bytes"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/file"
)

const (
	// maxOpened bounds how many ledgers are looked into at once.
	maxOpened = 2000
	// maxBack bounds what is read of one file, in bytes; no ledger is so large.
	maxBack = 4 * maxFile
)

// Scope is which sessions are looked at. The zero one is all.
type Scope struct {
	// Session is one, as the hook names it.
	Session string
	// Project is a directory: the sessions of the projects in it.
	Project string
}

func (s Scope) HasProject(project string) bool {
	return s.Project == "" || file.LiesWithin(project, s.Project)
}

// session is one that is looked into.
type session struct {
	active
	dir string
}

func (s session) openTail() *tail { return openTail(SessionFile(s.dir, s.ID)) }

// sessionsOf are those of a scope, the one that was at work last first.
func sessionsOf(dirs []string, of Scope) (all []session) {
	if of.Session != "" {
		for _, dir := range dirs {
			all = append(all, session{active{ID: of.Session}, dir})
		}
		return all
	}
	for _, dir := range dirs {
		newest := map[string]active{}
		_ = indexOf(dir).eachLine(func(line []byte) { // what cannot be read is passed over
			var a active
			if codec.ReadObject(line, &a) == nil && a.ID != "" && of.HasProject(a.Project) {
				newest[a.ID] = a
			}
		})
		for _, a := range newest {
			all = append(all, session{a, dir})
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].At > all[j].At }) // not of slices, which costs 6 KB of binary a type
	return all
}

// Backwards yields the decisions of a scope in some state directories, the newest first. A
// ledger is opened only when its session can have made the next one.
func Backwards(dirs []string, of Scope) iter.Seq[Record] { return backwards(sessionsOf(dirs, of)) }

func backwards(all []session) iter.Seq[Record] {
	return func(yield func(Record) bool) {
		ahead := all[:min(len(all), maxOpened)]
		var open []*tail
		for {
			newest := -1
			for i, t := range open {
				if newest < 0 || t.head.At > open[newest].head.At {
					newest = i
				}
			}
			for ; len(ahead) > 0 && (newest < 0 || ahead[0].At/dayLength >= open[newest].head.At/dayLength); ahead = ahead[1:] {
				t := ahead[0].openTail()
				if !t.stepBack() {
					continue
				}
				if open = append(open, t); newest < 0 || t.head.At > open[newest].head.At {
					newest = len(open) - 1
				}
			}
			if newest < 0 || !yield(open[newest].head) {
				return
			}
			if !open[newest].stepBack() {
				open = slices.Delete(open, newest, newest+1)
			}
		}
	}
}

// SessionsNamed are the newest decisions of at most n sessions whose ids begin like that, those
// that were at work last first.
func SessionsNamed(dirs []string, beginning string, n int) (all []Record) {
	for _, s := range sessionsOf(dirs, Scope{}) {
		if t := s.openTail(); len(all) < n && strings.HasPrefix(s.ID, "session:"+beginning) && t.stepBack() {
			all = append(all, t.head)
		}
	}
	return all
}

// maxLooked bounds how many decisions are looked at for one that is wanted.
const maxLooked = 5000

// Newest are the newest n decisions of a scope that are wanted, oldest first, and how many
// were looked at. Of a stop that another plugin decided, only every keeps those that stood aside.
func Newest(dirs []string, of Scope, n int, every bool, wanted func(Record) bool) (all []Record, looked int) {
	for r := range Backwards(dirs, of) {
		if looked++; looked > max(maxLooked, 50*n) || len(all) == n && (every || !all[n-1].standsAside()) {
			break
		}
		if !wanted(r) {
			continue
		}
		stop := max(0, len(all)-maxPlugins) // the decisions of one stop lie beside each other
		if !every {
			all = append(all[:stop], slices.DeleteFunc(all[stop:], func(o Record) bool { return o.StandsAsideFor(&r) })...)
		}
		if len(all) == n {
			break
		}
		if every || !slices.ContainsFunc(all[min(stop, len(all)):], func(o Record) bool { return r.StandsAsideFor(&o) }) {
			all = append(all, r)
		}
	}
	slices.Reverse(all)
	return all, looked
}

// FindDecision returns the decision with an ID, like 3f2a51-17. The ID says how the session's
// key ends, so only those ledgers are looked into.
func FindDecision(dirs []string, of Scope, id string) (Record, bool) {
	if IsDecisionID(id) {
		for r := range backwards(slices.DeleteFunc(sessionsOf(dirs, of), func(s session) bool { return shortKey(s.ID) != id[:shortened] })) {
			if r.ID == id {
				return r, true
			}
		}
	}
	return Record{}, false
}

// IsDecisionID tells whether a text can be a decision's ID.
func IsDecisionID(text string) bool {
	end, number, ok := strings.Cut(text, "-")
	_, err := strconv.ParseUint(number, 10, 31)
	return ok && err == nil && len(end) == shortened && strings.Trim(end, "0123456789abcdef") == ""
}

// HasSession tells whether anything is recorded of a session.
func HasSession(dir, session string) bool {
	return file.IsReadable(SessionFile(dir, session)) || file.IsReadable(holdFile(dir, session))
}

// Readable says what keeps decisions from being read. That there are none does not.
func Readable(dir string) error {
	for _, name := range []string{"index", "sessions"} {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDONLY|file.Nonblock, 0) // one of them is a directory
		if err == nil {
			f.Close()
		} else if !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}

// tail goes through the records of a session's file from its end.
type tail struct {
	rest []byte // not told yet
	head Record
}

// openTail reads a file; one that cannot be read has no records.
func openTail(path string) *tail {
	f, size, err := file.OpenRegular(path, file.Nofollow)
	if err != nil {
		return &tail{}
	}
	defer f.Close()
	data := make([]byte, min(size, maxBack))
	n, _ := f.ReadAt(data, size-int64(len(data))) // less, if it has been halved meanwhile
	return &tail{rest: data[:n]}
}

// stepBack goes to the record before; false: there is none.
func (t *tail) stepBack() bool {
	for len(t.rest) > 0 {
		i := bytes.LastIndexByte(t.rest, '\n')
		line := t.rest[i+1:]
		t.rest = t.rest[:max(i, 0)]
		var r Record
		if codec.ReadObject(bytes.TrimSpace(line), &r) == nil && r.Decision != "" && r.Decision != Asking {
			t.head = r
			return true
		}
	}
	return false
}
