// What each strategy would have done on one's own past sessions.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/folder"
	"github.com/cameronsjo/springfield/replay"
	"github.com/cameronsjo/springfield/runtime/display"
)

type replayOptions struct {
	paths      []string
	strategies []string
	since      string
	project    string
	list       string
	number     int
	numbered   bool // -n was given
	noBudget   bool
	redact     bool
	json       bool
	html       string
}

// rowKinds are what --list takes.
func rowKinds() []string { return []string{"wrong", "missed", "caught", "asked", "nudges", "all"} }

func newReplay(a *app, runF func(context.Context, *app, replayOptions) error) *cobra.Command {
	var o replayOptions
	cmd := &cobra.Command{
		Use:   "replay [PATH...]",
		Short: "Show what each strategy would have done on your own past sessions",
		Long: `Read past sessions (~/.claude/projects, or the session logs and directories given), find where Claude
stopped and what you said next, and let every strategy decide at each of these stops, with the code of
the hook. Shows what each would have caught, where it would have run over you, how often it would ask
a model and what that costs. Nothing of yours is changed, nobody is asked, nothing leaves the machine.`,
		Example: `  springfield replay
  springfield replay --since 90d --strategy ned-flanders --strategy lisa-simpson
  springfield replay --list wrong --strategy ned-flanders
  springfield replay ~/.claude/projects/-home-lisa-sax --json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.paths, o.numbered = args, cmd.Flags().Changed("number")
			return runF(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.strategies, "strategy", nil, "whom to compare: "+strings.Join(replay.Names(), ", ")+", or a rules file; repeatable (default: all that can decide on a session alone)")
	f.StringVar(&o.since, "since", "", "only what happened since: a day like 2026-01-31, or 90d")
	f.StringVar(&o.project, "project", "", "only sessions that began in this directory or below it")
	f.StringVar(&o.list, "list", "", "list stops in place of scores, by what the first --strategy did (default ned-flanders): "+strings.Join(rowKinds(), ", "))
	f.IntVarP(&o.number, "number", "n", 20, "with --list, how many; 0 for all")
	f.BoolVar(&o.noBudget, "no-budget", false, "leave the limits over time out")
	f.BoolVar(&o.redact, "redact", false, "replace every text by its shape, to share the result")
	f.BoolVar(&o.json, "json", false, "print everything as JSON")
	f.StringVar(&o.html, "html", "", "write everything into this file, one page of HTML to browse; - for standard output")
	return cmd
}

func runReplay(ctx context.Context, a *app, o replayOptions) error {
	if o.list != "" && !slices.Contains(rowKinds(), o.list) {
		return &usageError{fmt.Errorf("--list %q: there is no such list", o.list), "there is " + strings.Join(rowKinds(), ", ")}
	}
	if o.numbered && o.list == "" {
		return &usageError{errors.New("-n goes with --list"), "springfield replay --list all -n " + strconv.Itoa(o.number)}
	}
	if o.number < 0 {
		return &usageError{errors.New("-n must not be negative"), "0 lists all"}
	}
	options := replay.Options{}
	var err error
	if options.Since, err = parseSince(o.since, time.Now()); err != nil {
		return err
	}
	if o.html != "" && (o.json || o.list != "") || o.json && o.list != "" {
		return &usageError{errors.New("--json, --html and --list do not go together"), "call it twice; --json and --html have every stop"}
	}
	if err := a.mayWritePage(o.html); err != nil {
		return err
	}
	if o.project != "" {
		options.Project = a.absolute(o.project)
	}
	if o.list != "" && len(o.strategies) == 0 {
		o.strategies = slices.DeleteFunc(alone(), func(name string) bool { return name == listFirst })
		o.strategies = slices.Insert(o.strategies, 0, listFirst)
	}
	if options.Candidates, err = a.candidates(o.strategies); err != nil {
		return err
	}
	for i := range options.Candidates {
		options.Candidates[i].NoBudget = options.Candidates[i].NoBudget || o.noBudget
	}
	if options.Paths, err = a.logs(o.paths); err != nil {
		return err
	}
	var done func()
	options.Progress, done = a.watch("reading")
	report, err := replay.Run(ctx, options)
	done()
	if err != nil {
		return err
	}
	if o.redact {
		report.Redact()
	}
	return a.showReplay(o, report)
}

// listFirst is whom --list is about if nobody is named: what people begin with.
const listFirst = "ned-flanders"

// alone are the strategies that a session log is enough for.
func alone() []string {
	return slices.DeleteFunc(replay.Names(), func(name string) bool {
		c, err := replay.Candidates([]string{name})
		return err != nil || c[0].Settings.Strategy.Reads != nil
	})
}

// candidates are those asked for by name or by the path of a rules file.
func (a *app) candidates(names []string) ([]replay.Candidate, error) {
	if len(names) == 0 {
		names = alone()
	}
	var all []replay.Candidate
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		path := name
		if strings.HasSuffix(name, ".json") {
			path = a.absolute(name)
		}
		c, err := replay.Candidates([]string{path})
		if err != nil {
			if path != name || strings.ContainsRune(name, filepath.Separator) {
				return nil, &hinted{err, "it has to be a plugin's strategy.json, or a file like ~/.claude/springfield/ned-flanders.json"}
			}
			hint := "springfield list tells about them"
			if like := near(name, replay.Names()); len(like) > 0 {
				hint = "did you mean " + strings.Join(like, " or ") + "?"
			}
			return nil, &usageError{err, hint}
		}
		c[0].Name = name
		all = append(all, c...)
	}
	return all, nil
}

// near are the names that somebody who typed another one may have meant.
func near(typed string, names []string) []string {
	all := &cobra.Command{SuggestionsMinimumDistance: 2}
	for _, name := range names {
		all.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	return all.SuggestionsFor(typed)
}

func (a *app) showReplay(o replayOptions, r replay.Report) error {
	var err error
	switch {
	case o.json:
		err = a.encode(r)
	case o.html == "-":
		err = replay.WriteHTML(a.out, r)
	case o.html != "" && r.Partial && isThere(a.absolute(o.html)):
		a.talk("springfield: note: %s is left as it was: what was read by then is less", a.absolute(o.html))
	case o.html != "":
		if err = a.writePage(o.html, r); err == nil {
			a.folded("", "%s", r.Advice)
			a.say("wrote %s; open it in a browser", a.absolute(o.html))
		}
	case o.list != "":
		a.listRows(o, r)
	default:
		a.sayReplay(o, r)
	}
	if err != nil {
		return err
	}
	if len(r.Rows) == 0 && o.since+o.project != "" && !r.Partial {
		a.talk("springfield: note: --since and --project left no stop; without them there may be some")
	}
	if len(o.paths) > 0 && o.since+o.project == "" && len(r.Skipped) == 0 {
		if err := a.nothingNamed(r); err != nil {
			return err
		}
	}
	a.passedOver(r, "; --json has them all")
	if r.Partial {
		a.talk("springfield: note: cut short: this is what had been read by then")
		return errCancelled
	}
	return nil
}

// wide is how wide results may get.
func (a *app) wide() int { return min(max(cmp.Or(a.width, columns), 40), 120) }

// sayReplay prints the scores for people.
func (a *app) sayReplay(o replayOptions, r replay.Report) {
	stops, work := 0, 0
	for _, l := range r.Labels {
		if l.Label == replay.MidWork {
			work = l.N
		} else {
			stops += l.N
		}
	}
	a.folded("", "%s in %s, and %s in mid-work (%.1f MB read in %.1f s)", count(stops, "stop"), count(r.Sessions, "session"), count(work, "point"), float64(r.Bytes)/1e6, r.Seconds)
	if len(r.Rows) > 0 {
		a.say("\nwhat came next")
		for _, l := range r.Labels {
			if l.N > 0 {
				a.folded(fmt.Sprintf("  %-12s %6d  ", l.Label, l.N), "%s", meaning(l))
			}
		}
		a.sayScores(r)
		a.sayNudges(r)
		a.sayMonths(r)
	}
	a.say("")
	a.folded("", "%s", r.Advice)
	if wrong := mostWrong(r); wrong != "" && !o.redact {
		a.say("next: springfield replay --list wrong --strategy %s%s", quoted(wrong), sameSessions(o))
	}
	for _, s := range r.Scores {
		if s.Note != "" && len(r.Rows) > 0 {
			for i, line := range wrap(s.Name+": "+s.Note, a.wide()-6) {
				a.talk("%s%s", map[bool]string{true: "note: ", false: "      "}[i == 0], line)
			}
		}
	}
}

// sameSessions are the arguments that name the same sessions.
func sameSessions(o replayOptions) string {
	s := ""
	for _, flag := range [][2]string{{"--since", o.since}, {"--project", o.project}} {
		if flag[1] != "" {
			s += " " + flag[0] + " " + quoted(flag[1])
		}
	}
	if o.noBudget {
		s += " --no-budget"
	}
	for _, path := range o.paths {
		s += " " + quoted(path)
	}
	return s
}

func mostWrong(r replay.Report) string {
	name, most := "", 0
	for _, s := range r.Scores {
		if s.Wrong.N > most {
			name, most = s.Name, s.Wrong.N
		}
	}
	return name
}

func meaning(l replay.LabelCount) string {
	switch {
	case l.Label == replay.MidWork:
		return "no stop: what Claude says when work goes on"
	case l.Means == replay.WantContinue:
		return "the stop was one too many"
	case l.Means == replay.WantStop:
		return "the stop was right"
	}
	return "does not count"
}

// folded prints a text behind a title, in as many lines as it needs.
func (a *app) folded(title, format string, args ...any) {
	for _, line := range wrap(fmt.Sprintf(format, args...), a.wide()-utf8.RuneCountInString(title)) {
		a.say("%s%s", title, line)
		title = strings.Repeat(" ", utf8.RuneCountInString(title))
	}
}

// sayScores prints a line and two bars for each strategy, or a few lines each where
// that is too wide.
func (a *app) sayScores(r replay.Report) {
	if len(r.Scores) == 0 {
		return
	}
	name := 0
	for _, s := range r.Scores {
		name = min(max(name, utf8.RuneCountInString(s.Name)), 24)
	}
	if width := a.wide(); width < name+56 {
		a.sayCards(r)
	} else {
		a.say("\n  %-*s  %-16s  %-16s  %6s  %8s", name, "", "caught", "run over", "asked", "cost")
		for _, s := range r.Scores {
			did := fmt.Sprintf("%-16s  %-16s", share(s.Caught), share(s.Wrong))
			if s.OnlyAsks {
				did = unknown
			}
			a.say("  %-*s  %-34s  %6d  %8s", name, clip(s.Name, name), did, s.Asked.N, price(s))
		}
		a.sayOf(r)
		for _, bars := range []struct {
			title, fill string
			of          func(replay.Score) replay.Rate
		}{{"caught", "█", func(s replay.Score) replay.Rate { return s.Caught }}, {"run over", "▒", func(s replay.Score) replay.Rate { return s.Wrong }}} {
			a.say("\n%s", bars.title)
			for _, s := range r.Scores {
				if !s.OnlyAsks {
					rate := bars.of(s)
					a.say("  %-*s  %s %s", name, clip(s.Name, name), bar(rate, bars.fill, width-name-14), bareShare(rate))
				}
			}
		}
	}
}

// unknown is what is said of a strategy whose decisions are a model's.
const unknown = "nobody knows"

// sayCards is sayScores for little room.
func (a *app) sayCards(r replay.Report) {
	for _, s := range r.Scores {
		a.say("\n%s", clip(s.Name, a.wide()))
		if s.OnlyAsks {
			a.say("  decides   %s", unknown)
		} else {
			a.say("  caught    %-16s  %s", share(s.Caught), bar(s.Caught, "█", min(a.wide()-30, 40)))
			a.say("  run over  %-16s  %s", share(s.Wrong), bar(s.Wrong, "▒", min(a.wide()-30, 40)))
		}
		a.say("  asked     %d, %s", s.Asked.N, price(s))
	}
	a.say("")
	a.sayOf(r)
}

// sayOf tells what the shares are of.
func (a *app) sayOf(r replay.Report) {
	s := r.Scores[0]
	a.folded("  ", "caught: of %s where work should go on (%s, %d in mid-work)", count(s.Caught.Of, "point"), count(s.Nudges.Of, "nudge"), s.Caught.Of-s.Nudges.Of)
	a.folded("  ", "run over: of %s where you had more to say", count(s.Wrong.Of, "stop"))
	if s.Caught.Of < few || s.Wrong.Of < few {
		a.folded("  ", "few: the intervals in brackets (95 %%) say how little that tells")
	}
}

// bar draws a share. What is not nothing is seen.
func bar(r replay.Rate, fill string, width int) string {
	filled := int(r.Share()*float64(width) + 0.5)
	if r.N > 0 {
		filled = max(filled, 1)
	}
	return strings.Repeat(fill, filled) + strings.Repeat("·", width-filled)
}

// sayNudges tells of the stops that were one too many for certain.
func (a *app) sayNudges(r replay.Report) {
	for i, s := range r.Scores {
		if i == 0 && s.Nudges.Of > 0 {
			a.say("")
			a.folded("", "of %s, where all you said was to go on (idle: an hour each at most)", count(s.Nudges.Of, "nudge"))
		}
		if s.Nudges.N == 0 {
			continue
		}
		idle := ""
		if s.Saved >= 60 {
			idle = fmt.Sprintf("; %s idle before", roughly(s.Saved))
		}
		a.folded("  "+clip(s.Name, 24)+"  ", "%d made needless, %s%s", s.Nudges.N, share(s.Nudges), idle)
	}
}

// few rows are said to be.
const few = 100

// share is like "88 % (84–91)".
func share(r replay.Rate) string {
	if r.Of == 0 {
		return "none there"
	}
	return fmt.Sprintf("%s (%s–%s)", bareShare(r), places(100*r.Low), places(100*r.High))
}

func bareShare(r replay.Rate) string {
	if r.Of == 0 {
		return "–"
	}
	return places(100*r.Share()) + " %"
}

// places gives small figures a decimal place.
func places(p float64) string {
	if p > 0 && p < 9.95 {
		return fmt.Sprintf("%.1f", p)
	}
	return fmt.Sprintf("%.0f", p)
}

func price(s replay.Score) string {
	if s.Asked.N == 0 {
		return "$0"
	}
	if s.Dollars < 0.005 {
		return "<$0.01"
	}
	return fmt.Sprintf("$%.2f", s.Dollars)
}

func roughly(seconds float64) string {
	switch d := time.Duration(seconds) * time.Second; {
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	default:
		return fmt.Sprintf("%.0f days", d.Hours()/24)
	}
}

// sayMonths shows how the strategy that caught most did over time.
func (a *app) sayMonths(r replay.Report) {
	var best replay.Score
	for _, s := range r.Scores {
		if best.Name == "" || cmp.Or(s.Caught.N-best.Caught.N, best.Wrong.N-s.Wrong.N, best.Asked.N-s.Asked.N) > 0 {
			best = s
		}
	}
	months := best.Months
	if len(months) < 2 {
		return
	}
	a.say("")
	a.folded("", "%s by month: caught of mid-work and nudges, run over of stops", best.Name)
	if len(months) > 12 {
		a.say("  %s before", count(len(months)-12, "month"))
		months = months[len(months)-12:]
	}
	for _, m := range months {
		a.say("  %-8s %5d of %-6d %4d of %d", firstOf(m.Name, "no date"), m.Caught.N, m.Caught.Of, m.Wrong.N, m.Wrong.Of)
	}
}

// listRows prints the rows behind a figure.
func (a *app) listRows(o replayOptions, r replay.Report) {
	if len(r.Scores) == 0 {
		return
	}
	name := r.Scores[0].Name
	var rows []replay.Row
	for _, row := range r.Rows {
		if isOf(o.list, row) {
			rows = append(rows, row)
		}
	}
	switch {
	case len(r.Rows) == 0:
		a.folded("", "%s", r.Advice)
		return
	case len(rows) == 0 && o.list == "nudges":
		a.say("no stop was followed by a nudge")
		return
	case len(rows) == 0:
		a.say("no stop of %s is to be listed as %s; --strategy names another", name, o.list)
		return
	}
	all := len(rows)
	if o.number > 0 && all > o.number {
		rows = rows[:o.number]
	}
	for _, row := range rows {
		a.say("%s:%d", display.Line(row.File), row.Line)
		facts := []string{string(row.Label)}
		if !row.At.IsZero() {
			facts = append(facts, row.At.Local().Format("2006-01-02 15:04"))
		}
		for _, fact := range [][2]string{{"todos ", row.Todos}, {"skill ", row.Skill}, {"last tool ", row.LastTool}} {
			if fact[1] != "" {
				facts = append(facts, fact[0]+display.Line(fact[1]))
			}
		}
		a.folded("  ", "%s", strings.Join(facts, ", "))
		a.excerpt("  Claude: ", row.Text, true)
		a.excerpt("  next:   ", row.Next, false)
		for i, c := range row.Choices {
			if i > 0 && len(r.Scores) > 4 && c.Decision == row.Choices[0].Decision {
				continue
			}
			says := fmt.Sprintf("%s by %s", c.Decision, c.Rule)
			if c.Evidence != "" {
				says += ", " + c.Evidence
			}
			if c.Guard != "" {
				says += fmt.Sprintf(" (alone: %s; changed by %s)", c.Alone, c.Guard)
			}
			if c.Asks {
				says += fmt.Sprintf(" (asks a model about %d bytes)", c.Bytes)
			}
			a.folded("  "+r.Scores[i].Name+": ", "%s", display.Line(strings.Join(strings.Fields(says), " ")))
		}
		a.say("")
	}
	if len(rows) < all {
		a.say("%d of %d; -n 0 lists all", len(rows), all)
	} else {
		a.say("%s", count(all, "row"))
	}
	if !o.redact && !r.Scores[0].OnlyAsks {
		a.folded("next: ", "springfield explain FILE --line N --strategy %s, with FILE:N from above", quoted(name))
	}
}

// isOf tells whether the first strategy makes a row one of a list.
func isOf(list string, row replay.Row) bool {
	if len(row.Choices) == 0 {
		return false
	}
	c := row.Choices[0]
	goesOn := c.Decision == "continue"
	switch list {
	case "wrong":
		return goesOn && row.Means == replay.WantStop
	case "missed":
		return !goesOn && row.Means == replay.WantContinue
	case "caught":
		return goesOn && row.Means == replay.WantContinue
	case "asked":
		return c.Asks && row.Label.Hooked()
	case "nudges":
		return row.Label == replay.Nudge
	}
	return true
}

// excerpt prints at most three lines of a text: its end, or its beginning.
func (a *app) excerpt(title, text string, end bool) {
	text = display.Line(strings.Join(strings.Fields(text), " "))
	if r, most := []rune(text), 3*(a.wide()-len(title))-1; len(r) > most && end {
		text = "…" + string(r[len(r)-most:])
	} else if len(r) > most {
		text = string(r[:most]) + "…"
	}
	if text != "" {
		a.folded(title, "%s", text)
	}
}

// mayWritePage looks before anything is read: a file that is no page of ours is
// somebody's.
func (a *app) mayWritePage(name string) error {
	if name == "" || name == "-" {
		return nil
	}
	path, _, err := a.typedFile(name, false)
	if err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if dir, err := os.Stat(filepath.Dir(path)); err != nil || !dir.IsDir() {
			return &hinted{fmt.Errorf("write page: %s is no directory", filepath.Dir(path)), "make it first, or name another file"}
		}
		return nil
	case err != nil:
		return fmt.Errorf("write page: %w", err)
	case !info.Mode().IsRegular():
		return &hinted{fmt.Errorf("write page: %s is not a file", path), "name another file"}
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, 2048)
	n, _ := io.ReadFull(f, head)
	if n > 0 && !strings.Contains(string(head[:n]), replay.PageMark) {
		return &hinted{fmt.Errorf("write page: %s is no page of springfield's, and is left alone", path), "name another file, or move that one away"}
	}
	return nil
}

// isThere tells whether something has a name, and something in it.
func isThere(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() > 0
}

// writePage writes the page whole, or not at all.
func (a *app) writePage(name string, r replay.Report) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write page: %w", err)
		}
	}()
	path, ground, err := a.typedFile(name, false) // reading the sessions has taken its time
	if err != nil {
		return err
	}
	ground = firstOf(ground, filepath.Dir(path))
	in, err := folder.Open(ground)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	page, err := filepath.Rel(ground, path)
	if err != nil {
		return err
	}
	f, temp, err := in.MakeTemp(filepath.Dir(page), ".springfield-page-", "")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = in.Remove(temp)
		}
	}()
	err = replay.WriteHTML(f, r)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return in.Rename(temp, page)
}
