package replay

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/registry"
)

// Progress is how far a replay is.
type Progress struct {
	Files, FilesTotal int
	Bytes, BytesTotal int64
}

// Options say what to replay.
type Options struct {
	// Paths are session logs and directories of them.
	Paths []string
	// Kept are the directories of hosts, whose sessions are read too.
	Kept []Kept
	// Host leaves out sessions of other hosts than the one with this name.
	Host string
	// Since leaves out what was before it.
	Since time.Time
	// Project, an absolute path, leaves out sessions that began in other directories than
	// this one and those below it.
	Project string
	// Candidates decide at every row.
	Candidates []Candidate
	// Progress is called from time to time, never twice at once.
	Progress func(Progress)
}

// RunReplay replays. When ctx ends before it has, what there is by then is the report,
// and it is marked as partial. The rows are in the same order however many processors read.
func RunReplay(ctx context.Context, o Options) Report {
	began := time.Now()
	report := Report{Version: 1, Made: began.UTC(), Since: o.Since, Rows: []Row{}}
	files, skipped := findLogs(ctx, o.Paths, o.Kept...)
	if o.Host != "" {
		files = slices.DeleteFunc(files, func(f found) bool {
			if f.host == nil {
				f.host = registry.HostOfLog(f.path)
			}
			return f.host.Name != o.Host
		})
	}
	report.Skipped = skipped
	report.Partial = ctx.Err() != nil
	sessions := o.readAll(ctx, files)
	report.Partial = report.Partial || len(sessions) < len(files)
	report.collect(sessions)
	for _, c := range o.Candidates {
		report.Scores = append(report.Scores, Score{Name: c.Name, Note: c.Note})
	}
	for _, label := range AllLabels() {
		n := 0
		for i := range report.Rows {
			if report.Rows[i].Label == label {
				n++
			}
		}
		report.Labels = append(report.Labels, LabelCount{label, label.MeaningOf(), n})
	}
	report.FillInScores()
	report.Seconds = time.Since(began).Seconds()
	return report
}

// readAll reads the files side by side. The result has as many sessions as files
// were begun, in the files' order.
func (o Options) readAll(ctx context.Context, files []found) (sessions []session) {
	meter := meter{told: o.Progress, Progress: Progress{FilesTotal: len(files)}}
	for _, f := range files {
		meter.BytesTotal += f.size
	}
	since := int64(0)
	if !o.Since.IsZero() {
		since = o.Since.UnixMilli()
	}
	results := make([]*session, len(files))
	order := make([]int, len(files)) // the largest first: one that comes last keeps one processor busy alone
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(files[b].size, files[a].size) })
	lines := window(o.Candidates)
	var all sync.WaitGroup
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		all.Go(func() {
			voters := voters(o.Candidates)
			for ctx.Err() == nil {
				for i := range voters {
					voters[i].state = ledger.State{}
				}
				n := int(next.Add(1)) - 1
				if n >= len(files) {
					return
				}
				i := order[n]
				w := walker{
					session: session{path: files[i].path, host: files[i].host}, voters: voters,
					since: since, project: o.Project, tick: func(n int64) bool { meter.addProgress(0, n); return ctx.Err() == nil },
				}
				w.read(lines)
				meter.addProgress(1, 0)
				results[i] = &w.session
			}
		})
	}
	all.Wait()
	for _, s := range results {
		if s != nil {
			sessions = append(sessions, *s)
		}
	}
	return sessions
}

// meter tells how far a replay is.
type meter struct {
	told func(Progress)
	lock sync.Mutex
	Progress
	last time.Time
}

// addProgress tells it at most twenty times a second, and the end.
func (m *meter) addProgress(files int, bytes int64) {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.Files += files
	m.Bytes += bytes
	if now := time.Now(); m.told != nil && (m.Files == m.FilesTotal || now.Sub(m.last) > 50*time.Millisecond) {
		m.last = now
		m.told(m.Progress)
	}
}

// collect puts the sessions into the report, the oldest first. What is said in
// several logs, because a session was resumed or forked into a file of its own,
// belongs to the first of them; but where that one ends, what came next is what
// came next in the other.
func (r *Report) collect(sessions []session) {
	slices.SortStableFunc(sessions, func(a, b session) int {
		return cmp.Or(cmp.Compare(a.start, b.start), strings.Compare(strconv.FormatBool(a.copy), strconv.FormatBool(b.copy)), cmp.Compare(a.until, b.until),
			strings.Compare(a.path, b.path))
	})
	rows := map[key]int{}
	firsts := map[key]bool{}
	for _, s := range sessions {
		r.Partial = r.Partial || s.cut
		if s.err != nil {
			r.Skipped = append(r.Skipped, Skipped{s.path, why(s.err)})
		}
		r.TooOld += s.old
		if s.other {
			r.Elsewhere++
		}
		if s.other || s.err != nil && s.size == 0 {
			continue
		}
		r.Files++
		r.Bytes += s.size
		before := len(r.Rows)
		for i, row := range s.rows {
			k := s.keys[i]
			if at, ok := rows[k]; ok && k != 0 {
				if known := &r.Rows[at]; known.Label == Ended && row.Label != Ended {
					known.Label, known.Means, known.Next, known.Idle = row.Label, row.Means, row.Next, row.Idle
				}
				continue
			}
			rows[k] = len(r.Rows)
			r.Rows = append(r.Rows, row)
		}
		if len(r.Rows) > before && (s.first == 0 || !firsts[s.first]) {
			firsts[s.first] = true
			r.Sessions++
		}
	}
}
