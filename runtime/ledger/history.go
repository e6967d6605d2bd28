// The index contains a line per session and day, so that a search opens only ledgers that can match.

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
	maxOpened = 2000        // ledgers per search
	maxBack   = 4 * maxFile // bytes per ledger
)

// Scope selects sessions. The zero Scope selects all.
type Scope struct {
	Session string // by its key
	Project string // directory

	decision string // begins the IDs of the session's decisions; "" for any
}

type session struct {
	active
	dir string
}

// sessionsOf returns a scope's sessions, latest first, by the first decision of their last day. If of.Session is set,
// it returns this session for each directory, without time and project, even with no ledger.
func sessionsOf(dirs []string, of Scope) (all []session) {
	if of.Session != "" {
		for _, dir := range dirs {
			all = append(all, session{active{ID: of.Session}, dir})
		}
		return all
	}
	for _, dir := range dirs {
		newest := map[string]active{}
		_ = indexLines(dir).eachLine(func(line []byte) { // unreadable lines are skipped
			var a active
			if codec.ReadObject(line, &a) == nil && a.ID != "" && (of.Project == "" || file.WithinByName(a.Project, of.Project)) &&
				(of.decision == "" || SessionKey(a.ID)[inID:] == of.decision) {
				newest[a.ID] = a
			}
		})
		for _, a := range newest {
			all = append(all, session{a, dir})
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].At > all[j].At }) // slices.SortFunc adds 6 KB per type
	return all
}

// Backwards yields decisions from the latest maxOpened sessions in a scope, newest first, including those before a
// prompt and those of None. of.Session has a prefix, usually "session:".
func Backwards(stateDirs []string, of Scope) iter.Seq[Record] {
	return func(yield func(Record) bool) {
		ahead := sessionsOf(stateDirs, of)
		ahead = ahead[:min(len(ahead), maxOpened)]
		var open []*tail
		for {
			newest := -1
			for i, t := range open {
				if newest < 0 || t.head.At > open[newest].head.At {
					newest = i
				}
			}
			for ; len(ahead) > 0 && (newest < 0 || ahead[0].At/dayLength >= open[newest].head.At/dayLength); ahead = ahead[1:] {
				t := &tail{}
				t.rest, _ = file.ReadEnd(SessionFile(ahead[0].dir, ahead[0].ID), file.Nofollow, maxBack)
				if !t.prevRecord() {
					continue
				}
				if open = append(open, t); newest < 0 || t.head.At > open[newest].head.At {
					newest = len(open) - 1
				}
			}
			if newest < 0 || !yield(open[newest].head) {
				return
			}
			if !open[newest].prevRecord() {
				open = append(open[:newest], open[newest+1:]...)
			}
		}
	}
}

// LastOfEachSession returns the last decision in each of up to mostSessions sessions whose ID (without "session:")
// starts with idPrefix, in the order of sessionsOf. A session in two directories is listed twice.
func LastOfEachSession(stateDirs []string, idPrefix string, mostSessions int) (all []Record) {
	for _, s := range sessionsOf(stateDirs, Scope{}) {
		if len(all) < mostSessions && strings.HasPrefix(s.ID, "session:"+idPrefix) {
			var t tail
			if t.rest, _ = file.ReadEnd(SessionFile(s.dir, s.ID), file.Nofollow, maxBack); t.prevRecord() {
				all = append(all, t.head)
			}
		}
	}
	return all
}

const maxLooked = 5000 // decisions per search

// Newest returns the last n decisions in a scope that wanted accepts, oldest first, and the number examined. n is
// positive. Newest examines at most max(maxLooked, 50*n). It skips decisions that stand aside unless withAside is set.
// of.Session has a prefix, usually "session:".
func Newest(stateDirs []string, of Scope, n int, withAside bool, wanted func(Record) bool) (all []Record, looked int) {
	for r := range Backwards(stateDirs, of) {
		if looked++; looked > max(maxLooked, 50*n) || len(all) == n && (withAside || all[n-1].minorRank() == 0) {
			break
		}
		if !wanted(r) {
			continue
		}
		stop := max(0, len(all)-maxPlugins) // decisions for the same stop are adjacent
		if !withAside {
			kept := all[:stop]
			for _, o := range all[stop:] {
				if !o.StandsAsideFor(&r) {
					kept = append(kept, o)
				}
			}
			all = kept
		}
		if len(all) == n {
			break
		}
		if withAside || !slices.ContainsFunc(all[min(stop, len(all)):], func(o Record) bool { return r.StandsAsideFor(&o) }) {
			all = append(all, r)
		}
	}
	for i, j := 0, len(all)-1; i < j; i, j = i+1, j-1 {
		all[i], all[j] = all[j], all[i]
	}
	return all, looked
}

// DecisionByID returns a decision by ID (3f2a51-17). Unless of.Session is set (with prefix, usually "session:"), it
// reads only ledgers with a matching key.
func DecisionByID(stateDirs []string, of Scope, id string) (Record, bool) {
	if IsDecisionID(id) {
		of.decision = id[:shortened]
		for r := range Backwards(stateDirs, of) {
			if r.ID == id {
				return r, true
			}
		}
	}
	return Record{}, false
}

func IsDecisionID(text string) bool {
	end, number, ok := strings.Cut(text, "-")
	_, err := strconv.ParseUint(number, 10, 31)
	return ok && err == nil && len(end) == shortened && strings.Trim(end, "0123456789abcdef") == ""
}

// HasSession reports whether a session has a ledger or a hold. ledgerID has a prefix, usually "session:".
func HasSession(stateDir, ledgerID string) bool {
	return file.IsReadable(SessionFile(stateDir, ledgerID)) || file.IsReadable(holdFile(stateDir, ledgerID))
}

// Readable returns the error that prevents reading decisions, or nil, also for missing files.
func Readable(stateDir string) error {
	for _, name := range []string{"index", "sessions"} {
		f, err := os.OpenFile(filepath.Join(stateDir, name), os.O_RDONLY|file.Nonblock, 0)
		if err == nil {
			f.Close()
		} else if !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}

type tail struct {
	rest []byte // of a ledger; less if it was halved meanwhile, nil if it cannot be read
	head Record
}

func (t *tail) prevRecord() bool {
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
