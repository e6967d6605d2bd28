package score

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/replay"
)

// meanings are the labels of a replay that say the same as a row's.
func meanings(label string) []replay.Label {
	switch label {
	case "OTHER":
		return []replay.Label{replay.Answered}
	case "COMMAND":
		return []replay.Label{replay.Commanded}
	case "NOTIF":
		return []replay.Label{replay.Background}
	case "QUEUED":
		return []replay.Label{replay.Queued}
	case "MIDTURN":
		return []replay.Label{replay.MidWork}
	case "AFFIRM", "AFFIRM_NQ":
		return []replay.Label{replay.Affirmed, replay.Nudge}
	case "SOFT":
		return []replay.Label{replay.Nudge, replay.Answered}
	case "END":
		return []replay.Label{replay.Ended}
	}
	return nil
}

// labels compares what a replay makes of the sessions with the rows: the labels,
// and the decisions of the seed's tree. Each session is replayed by itself, because
// a row may name what resumed sessions have in common in any of them.
func labels(out io.Writer, dir string) error {
	rows, err := readRows(filepath.Join(dir, "stops.jsonl"))
	if err != nil {
		return err
	}
	candidates, err := replay.Candidates([]string{"seed-tree"}, "")
	if err != nil {
		return err
	}
	n, agree, more := 0, 0, map[replay.Label]int{}
	decided := map[string]*tally{"STOP": {}, "CONTINUE": {}}
	var different []string
	for _, session := range slices.Sorted(maps.Keys(rows)) {
		report, err := replay.Run(context.Background(), replay.Options{Paths: []string{filepath.Join(dir, "sessions", session)}, Candidates: candidates})
		if err != nil {
			return err
		}
		found := map[int]replay.Row{}
		for _, r := range report.Rows {
			found[r.Line] = r
			more[r.Label]++
		}
		for _, r := range rows[session] {
			n++
			got, ok := found[r.Line]
			if ok {
				more[got.Label]--
				if t := decided[r.Expect]; t != nil {
					t.rows++
					if got.Choices[0].Decision == "continue" {
						t.continued++
					}
				}
			}
			if slices.Contains(meanings(r.Label), got.Label) {
				agree++
				continue
			}
			different = append(different, fmt.Sprintf("  %-9s is %-12s %s line %d, then %q", r.Label, cmp.Or(string(got.Label), "no row"), session, r.Line, got.Next))
		}
	}
	slices.Sort(different)
	fmt.Fprintf(out, "labels agree on %d of %d rows (%.1f %%)\n%s\n", agree, n, 100*float64(agree)/float64(n), strings.Join(different, "\n"))
	fmt.Fprintln(out, "rows besides")
	for _, label := range replay.Labels() {
		fmt.Fprintf(out, "  %-12s %d\n", label, more[label])
	}
	fmt.Fprintf(out, "seed-tree in a replay, at rows that it has: wrongly continued %s, caught %s\n", share(decided["STOP"]), share(decided["CONTINUE"]))
	return nil
}
