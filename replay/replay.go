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

type Progress struct {
	Files, FilesTotal int
	Bytes, BytesTotal int64
}

type Options struct {
	// Paths are session logs and their directories.
	Paths   []string
	LogDirs []LogDir
	// Host limits the replay to sessions of the host with this name.
	Host string
	// Since skips earlier stops.
	Since time.Time
	// Project, an absolute path, limits the replay to sessions that began in or below this directory.
	Project    string
	Candidates []Candidate
	// Progress is called occasionally, never concurrently.
	Progress func(Progress)
}

// RunReplay replays the selected sessions, partially if ctx ends. The rows' order is deterministic.
func RunReplay(ctx context.Context, o Options) Report {
	began := time.Now()
	report := Report{Version: 1, Made: began.UTC(), Since: o.Since, Rows: []Row{}}
	files, skipped := findLogs(ctx, o.Paths, o.LogDirs...)
	if o.Host != "" {
		files = slices.DeleteFunc(files, func(f found) bool {
			if f.host == nil {
				f.host = registry.ReadLogHost(f.path)
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
	counts := map[Label]int{}
	for i := range report.Rows {
		counts[report.Rows[i].Label]++
	}
	for _, label := range AllLabels() {
		report.Labels = append(report.Labels, LabelCount{label, label.MeaningOf(), counts[label]})
	}
	report.FillInScores()
	report.Seconds = time.Since(began).Seconds()
	return report
}

// readAll reads the files in parallel, and sorts files by size. The sessions are in no order. If ctx ends, some are
// missing.
func (o Options) readAll(ctx context.Context, files []found) (onePerFile []session) {
	meter := meter{told: o.Progress, Progress: Progress{FilesTotal: len(files)}}
	for _, f := range files {
		meter.BytesTotal += f.size
	}
	// Start with the largest, which at the end would keep one processor busy alone.
	slices.SortStableFunc(files, func(a, b found) int { return cmp.Compare(b.size, a.size) })
	lines := linesNeeded(o.Candidates)
	var all sync.WaitGroup
	var next atomic.Int64
	var lock sync.Mutex
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		all.Go(func() {
			voters := voters(o.Candidates)
			for ctx.Err() == nil {
				for i := range voters {
					voters[i].state = ledger.State{}
				}
				i := int(next.Add(1)) - 1
				if i >= len(files) {
					return
				}
				w := walker{
					session: session{path: files[i].path, host: files[i].host, given: files[i].given}, voters: voters,
					since: o.Since.UnixMilli(), project: o.Project,
					tick: func(n int64) bool { meter.addProgress(0, n); return ctx.Err() == nil },
				}
				w.read(lines)
				meter.addProgress(1, 0)
				lock.Lock()
				onePerFile = append(onePerFile, w.session)
				lock.Unlock()
			}
		})
	}
	all.Wait()
	return onePerFile
}

type meter struct {
	told func(Progress)
	lock sync.Mutex
	Progress
	last time.Time
}

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

// collect adds the sessions to the report, oldest first. Lines copied to a resumed or forked session count only in the
// first log.
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
