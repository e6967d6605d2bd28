// What the judge would be asked, and what that costs, beside a judge that is
// asked at every stop and gets the log's last lines.

package score

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/cameronsjo/springfield/runtime/judge"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// questions counts over all rows, whether their labels count or not.
type questions struct {
	rows  int
	asked map[string]int // by label
	pages []int          // bytes of each page
	// raw is what double-shot-latte would send at the same stops: the last four
	// lines, at most 32,000 bytes. everywhere is the same at all rows.
	raw        []int
	everywhere int
	ours       int
}

func (q *questions) count(r row, v strategy.Verdict, path string) error {
	window, err := lastLines(path, 4, 32_000)
	if err != nil {
		return err
	}
	q.rows++
	q.everywhere += window
	if v.Page == "" {
		return nil
	}
	if q.asked == nil {
		q.asked = map[string]int{}
	}
	q.asked[r.Label]++
	q.pages = append(q.pages, len(v.Page))
	q.raw = append(q.raw, window)
	q.ours += len(v.Page)
	return nil
}

func (q *questions) report(out io.Writer) {
	if len(q.pages) == 0 {
		fmt.Fprintln(out, "no judge would be asked")
		return
	}
	raw := 0
	for _, n := range q.raw {
		raw += n
	}
	slices.Sort(q.pages)
	slices.Sort(q.raw)
	median := q.pages[len(q.pages)/2]
	fmt.Fprintf(out, "questions: %d of %d rows (%.1f %%) %v\n", len(q.pages), q.rows, 100*float64(len(q.pages))/float64(q.rows), q.asked)
	fmt.Fprintf(out, "  page: median %d bytes, longest %d; system prompt %d\n", median, q.pages[len(q.pages)-1], len(judge.Prompt("Claude")))
	fmt.Fprintf(out, "  the last four lines, at the same stops: median %d bytes; pages are 1/%.1f of their bytes, 1/%.0f of those of every stop\n",
		q.raw[len(q.raw)/2], float64(raw)/float64(q.ours), float64(q.everywhere)/float64(q.ours))
	// Four bytes a token, and the frame that a request has around both.
	usage := judge.Usage{Input: int64(median+len(judge.Prompt("Claude")))/4 + 400, Output: 60}
	fmt.Fprintf(out, "  a median question: about %d tokens in, %d out, $%.5f with %s\n", usage.Input, usage.Output, float64(judge.Micros(judge.DefaultModel, usage))/1e6, judge.DefaultModel)
}

// lastLines is how many bytes the last lines of a file have, at most so many.
func lastLines(path string, lines, most int) (int, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	end := len(data)
	data = bytes.TrimRight(data, "\n")
	for range lines {
		i := bytes.LastIndexByte(data, '\n')
		if i < 0 {
			return min(end, most), nil
		}
		data = data[:i]
	}
	return min(end-len(data)-1, most), nil
}
