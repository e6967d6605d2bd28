package absence

import (
	"cmp"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/host/claude"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// Reader reads the sessions of a project since a time, or of all projects for "". Later calls read only new
// lines of logs, and decisions only after a change.
type Reader struct {
	Places
	project string
	since   int64
	logs    map[string]*followed // by session
	decided []decided            // the latest first
}

type decided struct {
	last  ledger.Record
	first int64
	left  *ledger.Record // the last continue that used the budget, of the last decision's prompt
}

func (r *Reader) readDecided() {
	r.decided = nil
	byID, looked := map[string]int{}, 0
	for d := range ledger.Backwards(r.States, ledger.Scope{Project: r.project}) {
		if looked++; d.At < r.since || looked > mostDecisions {
			break
		}
		if d.Decision == "pass" || d.Decision == "remind" || d.Session == "" {
			continue
		}
		i, known := byID[d.Session]
		if !known {
			i = len(r.decided)
			byID[d.Session], r.decided = i, append(r.decided, decided{last: d})
		}
		one := &r.decided[i]
		if one.last.StandsAsideFor(&d) {
			one.last = d
		}
		if one.first = d.At; one.left == nil && d.Left != nil && d.State.Prompt == one.last.State.Prompt {
			one.left = &d
		}
	}
}

// readSessions returns up to MostSessions sessions that are running, have decisions, are in alsoIDs or were read
// before, and the number of others. The caller calls readDecided first.
func (r *Reader) readSessions(alsoIDs []string) (all []*session, more int) {
	byID := map[string]*session{}
	add := func(id, cwd string) *session {
		if byID[id] == nil && id != "" {
			byID[id] = &session{id: id, cwd: cwd}
			all = append(all, byID[id])
		}
		return byID[id]
	}
	processes := map[string]claude.Process{} // the last used of each session
	for _, q := range claude.RunningProcesses(r.Config) {
		if other := processes[q.Session]; cmp.Or(cmp.Compare(q.Since, other.Since), cmp.Compare(q.ID, other.ID)) > 0 {
			processes[q.Session] = q
		}
	}
	for id, q := range processes {
		if r.project == "" || file.WithinByName(q.Cwd, r.project) {
			add(id, q.Cwd)
		}
	}
	slices.SortFunc(all, func(a, b *session) int { return cmp.Compare(a.id, b.id) })
	for _, id := range alsoIDs {
		add(id, r.project)
	}
	for _, d := range r.decided {
		s := add(d.last.Session, "")
		s.decision, s.first, s.left = d.last, d.first, d.left
		s.host, s.cwd = d.last.Host, d.last.ProjectOrCwd()
	}
	for _, id := range slices.Sorted(maps.Keys(r.logs)) { // a process may have ended since
		add(id, r.logs[id].cwd)
	}
	more = max(0, len(all)-MostSessions)
	all = all[:len(all)-more]
	_, known := os.Stat(filepath.Join(r.Config, "sessions"))
	logs := sync.OnceValue(func() []string {
		names, _ := filepath.Glob(filepath.Join(r.Config, "projects", "*", "*.jsonl"))
		return names
	})
	before := r.logs
	r.logs = map[string]*followed{}
	for _, s := range all {
		if s.process = processes[s.id]; s.process.Waits == "dialog open" { // the user's own, such as /model
			s.process.Status = ""
		}
		s.ended = s.process.ID == 0 && s.host == "" && known == nil
		log := before[s.id]
		if log == nil {
			log = &followed{since: r.since, sought: -1}
		}
		log.cwd = cmp.Or(s.process.Cwd, s.cwd)
		r.logs[s.id] = log
		if log.path == "" {
			log.path = r.seekLogOnce(s, log, logs)
		}
		s.log = log.readOn()
		if s.log.first > 0 && (s.first == 0 || s.log.first < s.first) {
			s.first = s.log.first
		}
	}
	return all, more
}

// seekLogOnce returns the path to the session's log, or "". If Claude Code has none or several, it searches all agents'
// logs once per decision.
func (r *Reader) seekLogOnce(s *session, log *followed, claudeLogs func() []string) string {
	names := claudeLogs()
	is := func(name string) bool { return filepath.Base(name) == s.id+".jsonl" }
	if i := slices.IndexFunc(names, is); i >= 0 && !slices.ContainsFunc(names[i+1:], is) {
		return names[i]
	}
	if log.sought == s.decision.At {
		return ""
	}
	log.sought = s.decision.At
	path, _ := r.FindLog(s.id)
	return path
}

// followed is a log as far as it has been read.
type followed struct {
	path, stamp string
	cwd         string // of the session
	sought      int64  // the decision at the last search, or -1
	since       int64
	cursor      *transcript.Cursor
	log         sessionLog
}

func (f *followed) readOn() sessionLog {
	stamp := stampOf(f.path)
	if stamp == "" || stamp == f.stamp {
		return f.log
	}
	f.stamp = stamp
	if f.cursor == nil || errors.Is(f.cursor.ReadOn(f.path, f.log.takeCurrent), transcript.ErrRewritten) {
		f.cursor, f.log = registry.ReadLogHost(f.path).Log.NewCursor(), sessionLog{since: f.since}
		_ = f.cursor.ReadOn(f.path, f.log.takeCurrent) // a log that cannot be read counts as empty
	}
	f.log.needOfWords()
	return f.log
}

func stampOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return strconv.FormatInt(info.Size(), 36) + " " + strconv.FormatInt(info.ModTime().UnixNano(), 36)
}
