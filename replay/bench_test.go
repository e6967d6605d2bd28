package replay

import (
	"fmt"
	"os"
	"testing"
)

// BenchmarkRun replays made sessions with every candidate. SESSIONS names other
// ones.
func BenchmarkRun(b *testing.B) {
	dir := os.Getenv("SESSIONS")
	if dir == "" {
		dir = b.TempDir()
		for i := range 24 {
			working(fmt.Sprint("session-", i), 4<<20, int64(i)).write(b, dir)
		}
	}
	candidates, err := Candidates(nil, "")
	must(b, err)
	rows := 0
	var size int64
	for b.Loop() {
		report, err := RunReplay(b.Context(), Options{Paths: []string{dir}, Candidates: candidates})
		if err != nil || len(report.Rows) == 0 {
			b.Fatal(len(report.Rows), err)
		}
		rows, size = len(report.Rows), report.Bytes
	}
	b.SetBytes(size)
	b.ReportMetric(float64(rows)/(float64(size)/1e6), "rows/MB")
}
