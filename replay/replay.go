package replay

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// Candidate is one way to decide.
type Candidate struct {
	// Name is what it was asked for by: ned-flanders, ned-flanders:seed, a file.
	Name string
	// Note is what the reader has to know of its figures.
	Note string
	// Settings are what the hook would have in force.
	Settings hook.Settings
	// Bare leaves the guards out: the strategy alone decides.
	Bare bool
	// NoBudget leaves the limits over time out.
	NoBudget bool
	// AsksAlways makes it ask a model at every stop, about the last lines of the
	// session log, as double-shot-latte does. It has no settings then.
	AsksAlways bool
}

// Progress is how far a replay is.
type Progress struct {
	Files, FilesTotal int
	Bytes, BytesTotal int64
}

// Options say what to replay.
type Options struct {
	// Paths are session logs and directories of them.
	Paths []string
	// Since leaves out what was before it.
	Since time.Time
	// Project leaves out sessions that began in other directories than this one and
	// those below it.
	Project string
	// Candidates decide at every row. None: all that Candidates knows.
	Candidates []Candidate
	// Progress is called from time to time, never twice at once.
	Progress func(Progress)
	// Workers read files side by side, 0 for as many as there are processors.
	Workers int
}

// Labels lists the labels in the order in which they are shown.
func Labels() []Label {
	return []Label{Nudge, Affirmed, Answered, Commanded, Background, Queued, Interrupted, Pushed, Ended, MidWork}
}

// Means is what a label says of the stop. A bare yes is an answer that Claude may
// have needed or not; whom a hook pushed on, who was broken in on, and where the
// file ends, nobody knows what would have been right.
func (l Label) Means() Expect {
	switch l {
	case Answered, Commanded, Background, Queued:
		return WantStop
	case Nudge, MidWork:
		return WantContinue
	}
	return Unknown
}

// Run replays. When ctx ends before it has, what there is by then is the report,
// and it is marked as partial; the error is nil all the same. The rows are in the
// same order however many workers there are.
func Run(ctx context.Context, o Options) (Report, error) {
	began := time.Now()
	report := Report{Version: 1, Made: began.UTC(), Since: o.Since, Rows: []Row{}}
	if len(o.Candidates) == 0 {
		var err error
		if o.Candidates, err = Candidates(nil); err != nil {
			return report, err
		}
	}
	if o.Project != "" {
		absolute, err := filepath.Abs(o.Project)
		if err != nil {
			return report, fmt.Errorf("find project: %w", err)
		}
		o.Project = absolute
	}
	files, skipped := find(ctx, o.Paths)
	report.Skipped = skipped
	report.Partial = ctx.Err() != nil
	sessions := o.readAll(ctx, files)
	report.Partial = report.Partial || len(sessions) < len(files)
	report.collect(sessions)
	for _, c := range o.Candidates {
		report.Scores = append(report.Scores, Score{Name: c.Name, Note: c.Note, OnlyAsks: c.AsksAlways})
	}
	for _, label := range Labels() {
		n := 0
		for i := range report.Rows {
			if report.Rows[i].Label == label {
				n++
			}
		}
		report.Labels = append(report.Labels, LabelCount{label, label.Means(), n})
	}
	report.Score()
	report.Seconds = time.Since(began).Seconds()
	return report, nil
}

// readAll reads the files side by side. The result has as many sessions as files
// were begun, in the files' order.
func (o Options) readAll(ctx context.Context, files []found) (sessions []session) {
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
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
	book := newPhraseBook()
	var all sync.WaitGroup
	var next atomic.Int64
	for range min(workers, len(files)) {
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
					session: session{path: files[i].path}, follower: follower{book: book}, voters: voters,
					since: since, project: o.Project, tick: func(n int64) bool { meter.add(0, n); return ctx.Err() == nil },
				}
				w.read(lines)
				meter.add(1, 0)
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

// add tells it at most twenty times a second, and the end.
func (m *meter) add(files int, bytes int64) {
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
		return cmp.Or(cmp.Compare(a.start, b.start), compareBool(a.copy, b.copy), cmp.Compare(a.until, b.until), strings.Compare(a.path, b.path))
	})
	rows := map[key]int{}
	firsts := map[key]bool{}
	for _, s := range sessions {
		r.Partial = r.Partial || s.cut
		if s.err != nil {
			r.Skipped = append(r.Skipped, Skipped{s.path, why(s.err)})
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

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// Names are what Candidates knows by name, in the order of a report.
func Names() []string {
	var names []string
	for _, s := range strategy.All() {
		if s.Answers() != "Stop" {
			continue
		}
		names = append(names, s.Name)
		if s.Name == ned {
			names = append(names, ned+":seed")
		}
	}
	return append(names, seedTree, latte)
}

const (
	ned      = "ned-flanders"
	seedTree = "seed-tree"
	latte    = "double-shot-latte"
)

// Candidates finds what to compare by name, or by the path of a rules file. No
// names: all of Names.
func Candidates(names []string) ([]Candidate, error) {
	if len(names) == 0 {
		names = Names()
	}
	var all []Candidate
	for _, name := range names {
		c, err := candidate(name)
		if err != nil {
			return nil, err
		}
		c.Name = name
		all = append(all, c)
	}
	return all, nil
}

func candidate(name string) (Candidate, error) {
	switch name {
	case seedTree:
		c, err := candidate(ned + ":seed")
		c.Bare, c.NoBudget, c.Note = true, true, "the tree of the first design alone, without guards and limits"
		return c, err
	case latte:
		return Candidate{AsksAlways: true, Note: "asks a model at every stop; what it would answer nobody knows, so it counts as a stop"}, nil
	}
	if strings.HasSuffix(name, ".json") || strings.ContainsRune(name, filepath.Separator) {
		settings, err := hook.FromFile(name)
		return named(settings, err)
	}
	base, rules, _ := strings.Cut(name, ":")
	known, ok := strategy.Named(base)
	if !ok {
		return Candidate{}, fmt.Errorf("there is no strategy %q: choose %s, or a rules file", name, strings.Join(Names(), ", "))
	}
	settings := hook.Unplugged(known, "", "")
	settings.Config.Rules = rules
	config, err := known.Check(settings.Config)
	if err != nil {
		return Candidate{}, fmt.Errorf("%s: %w", name, err)
	}
	settings.Config = config
	return named(settings, nil)
}

// named says what has to be known of a strategy's figures.
func named(settings hook.Settings, err error) (Candidate, error) {
	c := Candidate{Settings: settings}
	switch {
	case err != nil:
		return c, err
	case settings.Strategy.Answers() != "Stop":
		return c, fmt.Errorf("%s answers prompts, not stops: there is nothing to replay", settings.Strategy.Name)
	case settings.Strategy.Reads != nil:
		c.Note = "decides without the project's files: those of then are not in a session log"
	case settings.Strategy.Judges:
		c.Note = "counted without the judge's answers: where she would ask, she stops"
	}
	return c, nil
}
