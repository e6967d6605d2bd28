// Real stops, with the words that the person typed next.

package score

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/lastmessage"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

var stops = flag.String("stops", "", "directory of real stops: stops.jsonl")

// realStop is a stop of a published session.
type realStop struct {
	Repo, Session string
	N             int      // its number in the session
	Reliable      bool     // the export did not cut the last message
	Prompt, Last  string   // the turn's prompt and final text
	Tools         []string // names of its last calls
	Kind          string   // of what the person typed next: NUDGE, AFFIRM, OTHER, COMMAND, NOTIF
	After         []string // what ended the turn, none for the agent itself
	Why, Leave    string   // labels by eye
}

// isWanted reports whether the person asked for the work to go on.
func (r realStop) isWanted() bool { return r.Kind == "NUDGE" || r.Kind == "AFFIRM" }

// playStops writes each session in Claude Code's format and visits every stop with the state from earlier ones.
func playStops(t *testing.T, dir string, c contest, visit func(realStop, hook.Snapshot)) {
	data, err := os.ReadFile(filepath.Join(dir, "stops.jsonl"))
	must(t, err)
	bySession := map[string][]realStop{}
	for line := range bytes.Lines(data) {
		var r realStop
		must(t, json.Unmarshal(line, &r))
		bySession[r.Repo+" "+r.Session] = append(bySession[r.Repo+" "+r.Session], r)
	}
	path := filepath.Join(t.TempDir(), "session.jsonl")
	for _, name := range slices.Sorted(maps.Keys(bySession)) {
		rows := bySession[name]
		slices.SortFunc(rows, func(a, b realStop) int { return cmp.Compare(a.N, b.N) })
		var log bytes.Buffer
		var before ledger.State
		now := time.UnixMilli(1_700_000_000_000)
		for i, r := range rows {
			id := fmt.Sprintf("00000000-0000-4000-8000-%012d", i+1)
			fmt.Fprintf(&log, `{"type":"user","uuid":"u%d","promptId":%q,"origin":{"kind":"human"},"timestamp":%q,"message":{"content":%s}}`+"\n", i, id, now.UTC().Format(time.RFC3339), quoted(r.Prompt))
			for k, tool := range r.Tools {
				fmt.Fprintf(&log, `{"type":"assistant","uuid":"a%d-%d","message":{"content":[{"type":"tool_use","id":"t%d-%d","name":%s,"input":{}}]}}`+"\n", i, k, i, k, quoted(tool))
				fmt.Fprintf(&log, `{"type":"user","uuid":"r%d-%d","message":{"content":[{"type":"tool_result","tool_use_id":"t%d-%d","content":"ok"}]}}`+"\n", i, k, i, k)
			}
			fmt.Fprintf(&log, `{"type":"assistant","uuid":"m%d","message":{"content":[{"type":"text","text":%s}]}}`+"\n", i, quoted(r.Last))
			must(t, os.WriteFile(path, log.Bytes(), 0o600))
			stop := hook.Stop{Event: hook.Event{SessionID: name, TranscriptPath: path, LastMessage: r.Last, PromptID: id}, Settings: c.settings, Before: before, Now: now}
			snapshot := stop.Examine()
			visit(r, snapshot)
			before, now = snapshot.Settle().Next, now.Add(time.Hour)
			// The agent did stop, because the person answered.
			_, before.AsksLeave = lastmessage.ReadMessage(r.Last).FindAct(lastmessage.Leave, false)
		}
	}
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// scoreStops prints the shares of wanted continues and of wrong ones.
func scoreStops(t *testing.T, out io.Writer, dir string, verbose bool) {
	rates := shares{}
	playStops(t, dir, contests()[0], func(r realStop, s hook.Snapshot) {
		if len(r.After) > 0 || r.Last == "" {
			return
		}
		goesOn := s.Verdict.Decision == strategy.Continue
		if goesOn {
			rates.count("of the continues, wanted", r.isWanted())
			rates.count("of the continues by "+s.Verdict.Rule+", wanted", r.isWanted())
		}
		if r.Reliable && !r.isWanted() {
			rates.count("wrongly continued, reliable rows", goesOn)
		}
		if r.Why != "" {
			rates.count("continued, why "+r.Why, goesOn)
		}
		if r.Leave != "" {
			rates.count("continued, leave "+r.Leave, goesOn)
		}
		if verbose && goesOn {
			fmt.Fprintf(out, "%s %s %s %d: rule %s, %s\n", r.Kind, r.Repo, r.Session, r.N, s.Verdict.Rule, s.Verdict.Evidence)
		}
	})
	for _, name := range slices.Sorted(maps.Keys(rates)) {
		fmt.Fprintf(out, "  %-40s %s\n", name, spoken(*rates[name]))
	}
}

// The hook's code decides on real stops with its memory. With -stops this prints rates; -v lists continues.
func TestScoreStops(t *testing.T) {
	if *stops != "" {
		scoreStops(t, &display.SafeWriter{To: os.Stdout}, *stops, testing.Verbose())
		return
	}
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "stops.jsonl"), []byte(strings.Join([]string{
		`{"repo":"a","session":"s","n":1,"reliable":true,"prompt":"Add the parser.","last":"The parser is in. Now I'll write the tests.","tools":["Edit"],"kind":"NUDGE","why":"b"}`,
		`{"repo":"a","session":"s","n":2,"reliable":true,"prompt":"continue","last":"All tests pass.","tools":["Edit"],"kind":"OTHER"}`,
		`{"repo":"a","session":"s","n":3,"reliable":true,"prompt":"Add the printer.","last":"Now I'll add it.","tools":["Edit"],"kind":"OTHER"}`,
		`{"repo":"a","session":"s","n":4,"reliable":true,"prompt":"Go on.","last":"Now I'll test it.","tools":["Edit"],"kind":"OTHER","after":["cancelled"]}`,
	}, "\n")), 0o600))
	var out bytes.Buffer
	scoreStops(t, &out, dir, true)
	for _, want := range []string{`of the continues, wanted +1 of 2 `, `wrongly continued, reliable rows +1 of 2 `, `continued, why b +1 of 1 `, `NUDGE a s 1: rule intent`} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("no match for %s in\n%s", want, out.String())
		}
	}
}
