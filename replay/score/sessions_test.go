// Labelled stops of past sessions.

package score

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
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

// contests are the strategies that decide on a session alone; those that read the
// project's files need the project. They keep what they read, so they are for one
// goroutine, and for packs as they are.
func contests() []contest {
	kept := &rules.Kept{}
	enter := func(name, of, set string) contest {
		known, _ := registry.StrategyNamed(of)
		options := known.New().(rules.Ruled)
		options.Chosen().Set = set
		return contest{name: name, settings: hook.Settings{Plugin: of, Strategy: known, Options: options, Limits: guard.Defaults(), Prepared: options.Prepare(kept)}}
	}
	var all []contest
	for _, set := range registry.RuleSets() {
		all = append(all, enter(set, "ned-flanders", set))
	}
	tree, sure := enter("seed, tree only", "ned-flanders", "seed"), enter(lisa+", a judge that is always right", lisa, "")
	tree.alone, sure.oracle = true, true
	return append(all, tree, enter("bart-simpson", "bart-simpson", ""), enter(lisa, lisa, ""), sure, enter(noLedger, "marge-simpson", ""))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// noLedger is marge-simpson where there is nothing for her to read. Closings alone ask her.
const noLedger = "marge-simpson, no ledger"

var sessions = flag.String("sessions", "", "directory of labelled stops: stops.jsonl and sessions/")

// tally counts one source's rows of one kind.
type tally struct{ rows, continued int }

func score(out io.Writer, dir string, verbose bool) error {
	rows, err := readRows(filepath.Join(dir, "stops.jsonl"))
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "springfield-score-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)

	counts := map[string]map[string]*tally{} // contest, then "source expect"
	ways := slices.DeleteFunc(contests(), func(c contest) bool { return c.name == noLedger })
	for _, session := range slices.Sorted(maps.Keys(rows)) {
		err := eachCut(filepath.Join(dir, "sessions", session), filepath.Join(scratch, session), rows[session], func(r row, path, text string) error {
			for _, c := range ways {
				v, err := decide(c, path, text)
				if err != nil {
					return err
				}
				if v.Page != "" && c.oracle && r.Expect == "CONTINUE" {
					v.Decision = strategy.Continue
				}
				count(counts, c.name, r, v)
				if verbose && c.name == "default" && r.Expect == "CONTINUE" && v.Decision == strategy.Stop {
					fmt.Fprintf(out, "missed, %s: %s line %d: rule %s, %s: %q\n", c.name, r.Session, r.Line, v.Rule, v.Evidence, text[max(0, len(text)-300):])
				}
				if verbose && (c.name == "default" || c.name == "bart-simpson" || c.name == lisa) && r.Expect == "STOP" && v.Decision == strategy.Continue {
					fmt.Fprintf(out, "wrong, %s: %s line %d, %s: rule %s, %s\n", c.name, r.Session, r.Line, r.Label, v.Rule, v.Evidence)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, c := range ways {
		report(out, c.name, counts[c.name])
	}
	return nil
}

func readRows(path string) (map[string][]row, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	rows := map[string][]row{}
	for n, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var r row
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", path, n+1, err)
		}
		if filepath.Base(r.Session) != r.Session {
			return nil, fmt.Errorf("%s: line %d: session %q is not a file name", path, n+1, r.Session)
		}
		rows[r.Session] = append(rows[r.Session], r)
	}
	if len(rows) == 0 {
		return nil, errors.New(path + " has no rows")
	}
	for _, list := range rows {
		slices.SortFunc(list, func(a, b row) int { return cmp.Compare(a.Line, b.Line) })
	}
	return rows, nil
}

// eachCut grows a copy of a session line by line and calls visit where a row
// cuts it, with the last text that Claude had said by then.
func eachCut(from, to string, rows []row, visit func(r row, path, text string) error) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer os.Remove(to)
	defer out.Close()
	lines := bufio.NewReaderSize(in, 1<<20)
	text := ""
	for n := 1; len(rows) > 0; n++ {
		line, err := lines.ReadBytes('\n')
		if len(line) == 0 {
			return fmt.Errorf("%s has %d lines, a row is at %d", from, n-1, rows[0].Line)
		}
		if err == nil || len(line) > 0 {
			if _, err := out.Write(line); err != nil {
				return err
			}
		}
		if said := textOf(line); said != "" {
			text = said
		}
		for len(rows) > 0 && rows[0].Line == n {
			if err := visit(rows[0], to, text); err != nil {
				return err
			}
			rows = rows[1:]
		}
	}
	return nil
}

// textOf is the last text of an assistant's line, "" for any other.
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

func decide(c contest, path, text string) (strategy.Verdict, error) {
	event := hook.Event{SessionID: strings.TrimSuffix(filepath.Base(path), ".jsonl"), TranscriptPath: path, LastMessage: text}
	snapshot := hook.Stop{Event: event, Settings: c.settings, Alone: c.alone}.Examine()
	if len(snapshot.Faults) > 0 {
		return strategy.Verdict{}, errors.New(snapshot.Faults[0])
	}
	return snapshot.Verdict, nil
}

func count(counts map[string]map[string]*tally, contest string, r row, v strategy.Verdict) {
	if r.Expect != "STOP" && r.Expect != "CONTINUE" {
		return
	}
	if counts[contest] == nil {
		counts[contest] = map[string]*tally{}
	}
	for _, key := range []string{r.Source + "\t" + r.Expect, "all\t" + r.Expect} {
		t := counts[contest][key]
		if t == nil {
			t = &tally{}
			counts[contest][key] = t
		}
		t.rows++
		if v.Decision == strategy.Continue {
			t.continued++
		}
	}
}

func report(out io.Writer, name string, counts map[string]*tally) {
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

func share(t *tally) string {
	if t == nil || t.rows == 0 {
		return "no rows"
	}
	return fmt.Sprintf("%d of %d (%.2f %%)", t.continued, t.rows, 100*float64(t.continued)/float64(t.rows))
}

func said(s string) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"content":[{"type":"text","text":%q}]}}`, s)
}

const prompt = `{"type":"user","uuid":"u1","message":{"content":"go"}}`

// write makes a directory of made sessions with their rows.
func write(t *testing.T, rows string, sessions map[string][]string) string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "sessions"), 0o755))
	for name, lines := range sessions {
		must(t, os.WriteFile(filepath.Join(dir, "sessions", name), []byte(strings.Join(lines, "\n")), 0o600))
	}
	must(t, os.WriteFile(filepath.Join(dir, "stops.jsonl"), []byte(rows), 0o600))
	return dir
}

// At every row the transcript is cut there and decided on by the code of the hook, with
// nothing remembered from the row before. Two figures come out per source: wrongly
// continued, of the rows where a person had something else to say, and caught, of the
// rows in mid-work. With -sessions it is what labelled stops of past sessions say of the
// rules; -v lists the rows behind what is wrongly continued, and what is missed. The
// sessions stay where they are: they are other people's.
func TestScoreSessions(t *testing.T) {
	if *sessions != "" {
		must(t, score(display.SafeWriter(os.Stdout), *sessions, testing.Verbose()))
		return
	}
	dir := write(t, `{"session":"a","line":3,"expect":"STOP","label":"OTHER","source":"x"}
{"session":"a","line":2,"expect":"CONTINUE","label":"MIDTURN","source":"x"}
{"session":"a","line":4,"expect":"WEAK_STOP","label":"END","source":"x"}
{"session":"b","line":2,"expect":"STOP","label":"OTHER","source":"y"}
`, map[string][]string{
		"a": {prompt, said("Now I'll write the parser."), said("Task 1 complete. Should I go on with Task 2?"), said("Let me fix it.")},
		"b": {prompt, said("Built with Next.js, as you asked.")},
	})
	var out bytes.Buffer
	must(t, score(&out, dir, true))
	// The cut decides: at line 2 the question of line 3 has not been asked.
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
