// Labelled stops of past sessions.

package score

import (
	"bufio"
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

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/replay"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// row is one labelled stop.
type row struct {
	Session string `json:"session"`
	Line    int    `json:"line"`   // the transcript ends here
	Expect  string `json:"expect"` // STOP, CONTINUE; others do not count
	Label   string `json:"label"`
	Source  string `json:"source"`
}

// contest is one way to decide.
type contest struct {
	name     string
	settings hook.Settings
	alone    bool // the strategy without guards
	oracle   bool // the judge, where one is asked, says what the label says
}

const lisa = "lisa-simpson"

// contests returns the strategies that need no project files. They share a cache, so they are for one goroutine.
func contests() []contest {
	kept := &rules.Cache{}
	enter := func(name, of, set string) contest {
		known, _ := registry.StrategyNamed(of)
		options := known.New().(rules.Ruled)
		options.Chosen().Set = set
		return contest{name: name, settings: hook.Settings{Plugin: of, Strategy: known, Options: options, Limits: guard.Defaults, Prepared: options.Prepare(kept)}}
	}
	var all []contest
	ned, _ := registry.StrategyNamed("ned-flanders")
	for _, set := range rules.RuleSetsOf(ned) {
		all = append(all, enter(set, "ned-flanders", set))
	}
	tree, sure := enter("seed, tree only", "ned-flanders", "seed"), enter(lisa+", a judge that is always right", lisa, "")
	tree.alone, sure.oracle = true, true
	return append(all, tree, enter("bart-simpson", "bart-simpson", ""), enter(lisa, lisa, ""), sure, enter(noLedger, "marge-simpson", ""))
}

var must = scratch.Must

// noLedger is marge-simpson without a ledger, for closings alone.
const noLedger = "marge-simpson, no ledger"

var sessions = flag.String("sessions", "", "directory of labelled stops: stops.jsonl and sessions/")

// shares are rates by name.
type shares map[string]*replay.Rate

func (s shares) count(name string, yes bool) {
	if s[name] == nil {
		s[name] = &replay.Rate{}
	}
	s[name].Of++
	if yes {
		s[name].N++
	}
}

// score prints the shares of continued rows by contest and source.
func score(t *testing.T, out io.Writer, dir string, verbose bool) {
	counts := map[string]shares{} // by contest, then by "source expect"
	ways := slices.DeleteFunc(contests(), func(c contest) bool { return c.name == noLedger })
	rows, scratch := readRows(t, filepath.Join(dir, "stops.jsonl")), t.TempDir()
	for _, session := range slices.Sorted(maps.Keys(rows)) {
		visitCuts(t, filepath.Join(dir, "sessions", session), filepath.Join(scratch, session), rows[session], func(r row, path, text string) {
			for _, c := range ways {
				v := decide(t, c, path, text)
				if v.Page != "" && c.oracle && r.Expect == "CONTINUE" {
					v.Decision = strategy.Continue
				}
				if counts[c.name] == nil {
					counts[c.name] = shares{}
				}
				if r.Expect == "STOP" || r.Expect == "CONTINUE" {
					counts[c.name].count(r.Source+"\t"+r.Expect, v.Decision == strategy.Continue)
					counts[c.name].count("all\t"+r.Expect, v.Decision == strategy.Continue)
				}
				if verbose && c.name == "default" && r.Expect == "CONTINUE" && v.Decision == strategy.Stop {
					fmt.Fprintf(out, "missed, %s: %s line %d: rule %s, %s: %q\n", c.name, r.Session, r.Line, v.Rule, v.Evidence, text[max(0, len(text)-300):])
				}
				if verbose && (c.name == "default" || c.name == "bart-simpson" || c.name == lisa) && r.Expect == "STOP" && v.Decision == strategy.Continue {
					fmt.Fprintf(out, "wrong, %s: %s line %d, %s: rule %s, %s\n", c.name, r.Session, r.Line, r.Label, v.Rule, v.Evidence)
				}
			}
		})
	}
	for _, c := range ways {
		report(out, c.name, counts[c.name])
	}
}

// readRows returns the rows of each session by line.
func readRows(t *testing.T, path string) map[string][]row {
	data, err := os.ReadFile(path)
	must(t, err)
	rows := map[string][]row{}
	for n, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var r row
		if err := json.Unmarshal(line, &r); err != nil || filepath.Base(r.Session) != r.Session {
			t.Fatalf("%s: line %d: session %q, which has to be a file name: %v", path, n+1, r.Session, err)
		}
		rows[r.Session] = append(rows[r.Session], r)
	}
	for _, list := range rows {
		slices.SortFunc(list, func(a, b row) int { return cmp.Compare(a.Line, b.Line) })
	}
	return rows
}

// visitCuts copies a session line by line and calls visit at each row, with Claude's last text.
func visitCuts(t *testing.T, from, to string, rows []row, visit func(r row, path, text string)) {
	in, err := os.Open(from)
	must(t, err)
	defer in.Close()
	out, err := os.Create(to)
	must(t, err)
	defer os.Remove(to)
	defer out.Close()
	lines := bufio.NewReaderSize(in, 1<<20)
	text := ""
	for n := 1; len(rows) > 0; n++ {
		line, _ := lines.ReadBytes('\n')
		if len(line) == 0 {
			t.Fatalf("%s has %d lines, a row is at %d", from, n-1, rows[0].Line)
		}
		_, err := out.Write(line)
		must(t, err)
		text = cmp.Or(textOf(line), text)
		for ; len(rows) > 0 && rows[0].Line == n; rows = rows[1:] {
			visit(rows[0], to, text)
		}
	}
}

// textOf returns the last text of an assistant's line, or "".
func textOf(line []byte) string {
	var l struct {
		Type      string
		Sidechain bool `json:"isSidechain"`
		Message   struct{ Content json.RawMessage }
	}
	if json.Unmarshal(line, &l) != nil || l.Type != "assistant" || l.Sidechain {
		return ""
	}
	var text string
	if json.Unmarshal(l.Message.Content, &text) == nil {
		return text
	}
	var blocks []struct{ Type, Text string }
	if json.Unmarshal(l.Message.Content, &blocks) != nil {
		return ""
	}
	for _, b := range blocks {
		if b.Type == "text" && b.Text != "" {
			text = b.Text
		}
	}
	return text
}

func decide(t *testing.T, c contest, path, text string) strategy.Verdict {
	event := hook.Event{SessionID: strings.TrimSuffix(filepath.Base(path), ".jsonl"), TranscriptPath: path, LastMessage: text}
	snapshot := hook.Stop{Event: event, Settings: c.settings, Unguarded: c.alone}.Examine()
	if len(snapshot.Faults) > 0 {
		t.Fatalf("%s at %q: %s", c.name, text, snapshot.Faults[0])
	}
	return snapshot.Verdict
}

func report(out io.Writer, name string, counts shares) {
	fmt.Fprintf(out, "%s\n  %-28s %-24s %s\n", name, "source", "wrongly continued", "caught")
	var sources []string
	for key := range counts {
		if source, _, _ := strings.Cut(key, "\t"); source != "all" && !slices.Contains(sources, source) {
			sources = append(sources, source)
		}
	}
	slices.Sort(sources)
	for _, source := range append(sources, "all") {
		fmt.Fprintf(out, "  %-28s %-24s %s\n", source, share(counts[source+"\tSTOP"]), share(counts[source+"\tCONTINUE"]))
	}
}

func share(r *replay.Rate) string {
	if r == nil {
		return "no rows"
	}
	return fmt.Sprintf("%d of %d (%.2f %%)", r.N, r.Of, percent(r.N, r.Of))
}

func said(s string) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"content":[{"type":"text","text":%q}]}}`, s)
}

const prompt = `{"type":"user","uuid":"u1","message":{"content":"go"}}`

// Each row is decided on by the hook's code, without memory. With -sessions this scores labelled stops: wrongly
// continued and, in mid-work, caught. -v lists the errors. The sessions are private and are not copied.
func TestScoreSessions(t *testing.T) {
	if *sessions != "" {
		score(t, &display.SafeWriter{To: os.Stdout}, *sessions, testing.Verbose())
		return
	}
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "sessions"), 0o755))
	for name, lines := range map[string][]string{
		"stops.jsonl": {
			`{"session":"a","line":3,"expect":"STOP","label":"OTHER","source":"x"}`,
			`{"session":"a","line":2,"expect":"CONTINUE","label":"MIDTURN","source":"x"}`,
			`{"session":"a","line":4,"expect":"WEAK_STOP","label":"END","source":"x"}`,
			`{"session":"b","line":2,"expect":"STOP","label":"OTHER","source":"y"}`,
		},
		"sessions/a": {prompt, said("Now I'll write the parser."), said("Task 1 complete. Should I go on with Task 2?"), said("Let me fix it.")},
		"sessions/b": {prompt, said("Built with Next.js, as you asked.")},
	} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(lines, "\n")), 0o600))
	}
	var out bytes.Buffer
	score(t, &out, dir, true)
	// At line 2, the question of line 3 does not exist yet.
	for _, want := range []string{
		`default\n.*\n  x +0 of 1 \(0.00 %\) +1 of 1 \(100.00 %\)\n  y +0 of 1 \(0.00 %\) +no rows\n  all +0 of 2 \(0.00 %\) +1 of 1`,
		`seed\n.*\n  x +1 of 1 \(100.00 %\) +0 of 1 \(0.00 %\)\n  y +1 of 1 .*\n  all +2 of 2`,
		`seed, tree only\n`,
	} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("no match for %s in\n%s", want, out.String())
		}
	}
}
