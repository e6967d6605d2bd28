package marge

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/markdown"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

const (
	sddDir      = ".superpowers/sdd/"
	sddFile     = "/progress.md"
	maxLedgers  = 24     // ledgers to read, the last by name, as names begin with a date
	maxLabels   = 200    // tasks in a line
	maxMentions = 20_000 // of tasks in a ledger: more would take too long
	planLines   = 12     // where to look for the plan
)

// sddLedger is the ledger of superpowers' subagent-driven development, .superpowers/sdd/PLAN/progress.md:
//
//	# SDD ledger — plan: docs/superpowers/plans/2026-09-09-agent-loop.md
//	Task 1: complete (commits 1a2b3c4..5d6e7f8, review clean)
//	Task 2: fix round 1/5 (…)
//
// A line "Task N: complete" is final. The plan lists the tasks, as headings "### Task N: …", with check boxes
// that the skill leaves open. A task is also done if the user has ticked all of these.
type sddLedger struct {
	plan     string            // path, "" if none
	done     map[string]bool   // labels of complete tasks
	last     map[string]string // last words about a task, by label
	boxes    []markdown.Box    // the ledger's own
	vague    bool              // completions are written differently
	mentions int               // of tasks
}

func parseSDD(text string) sddLedger {
	l := sddLedger{done: map[string]bool{}, last: map[string]string{}}
	var out aside
	markdown.EachLine(text, func(n int, line string, code bool) {
		if code || l.mentions > maxMentions {
			return
		}
		line = out.dropAside(line)
		if l.plan == "" && n <= planLines {
			l.plan = planInLine(line)
		}
		b, ticked := markdown.ParseBox(line)
		if ticked {
			b.Line = n
			l.boxes = append(l.boxes, b)
			line = b.Text
		}
		labels, words, first := tasksNamedIn(line)
		complete := ticked && b.Done || isComplete(words)
		l.mentions += len(labels)
		for _, label := range labels {
			switch {
			case complete:
				l.done[label] = true
			case !first:
				continue // a mention in another line
			}
			l.last[label] = words
		}
		if !l.vague && len(labels) == 0 && len(line) >= len("✅") && !strings.HasPrefix(line, "#") && rules.HasAnyPhrase(line, []string{"complete", "completed", "done", "✅"}, nil) {
			l.vague = true
		}
	})
	l.vague = l.vague && len(l.last) == 0 && len(l.boxes) == 0
	return l
}

// planInLine returns the path in "# SDD ledger — plan: FILE.md", or "".
func planInLine(line string) string {
	folded := quotation.LowerASCII(line)
	i := strings.Index(folded, "plan:")
	end := strings.LastIndex(folded, ".md")
	if i < 0 || end < i {
		return ""
	}
	name := line[i+len("plan:") : end+len(".md")]
	name = name[strings.LastIndexAny(name, "(`<[\"")+1:] // without a link or words before the path
	return strings.Trim(name, " \t*_")
}

// tasksNamedIn parses lines like "Tasks 1-3: complete" into labels and the words following, in lower case. opensLine is
// true if only marks and numbers precede the labels.
func tasksNamedIn(line string) (labels []string, words string, opensLine bool) {
	folded := quotation.LowerASCII(line)
	for from := 0; ; {
		i := strings.Index(folded[from:], "task")
		if i < 0 {
			return nil, "", false
		}
		i += from
		from = i + len("task")
		if rules.IsWordRuneBefore(line, i) {
			continue
		}
		rest := strings.TrimPrefix(folded[from:], "s")
		trimmed := strings.TrimLeft(rest, " \t#")
		label, rest := cutNumber(trimmed)
		if label == "" {
			continue
		}
		labels = []string{label}
		for len(labels) < maxLabels {
			more, after := nextLabels(label, rest)
			if len(more) == 0 {
				break
			}
			labels, label, rest = append(labels, more...), more[len(more)-1], after
		}
		rest = strings.TrimLeft(rest, " \t*_`)")
		opensLine = strings.Trim(line[:i], " \t-*+_>|#`.)0123456789") == ""
		for _, mark := range append([]string{":", "—", "–", "-"}, tickMarks...) {
			if after, ok := strings.CutPrefix(rest, mark); ok && (opensLine || mark == ":") {
				if slices.Contains(tickMarks, mark) {
					after = rest
				}
				return labels, strings.TrimLeft(after, " \t*_`:"), opensLine
			}
		}
		if opensLine {
			return labels, rest, true
		}
	}
}

// nextLabels parses a list's next label ("1, 2") or the rest of prev's range ("1-3"). Without any, rest is s. s is
// lower case.
func nextLabels(prev, s string) (labels []string, rest string) {
	trimmed := strings.TrimLeft(s, " ")
	for _, mark := range []string{"-", "–", "to ", "through ", ",", "&", "and "} {
		after, ok := strings.CutPrefix(trimmed, mark)
		if !ok {
			continue
		}
		to, rest := cutNumber(strings.TrimLeft(after, " "))
		if to == "" {
			return nil, s
		}
		if mark == "," || mark == "&" || mark == "and " {
			return []string{to}, rest
		}
		low, err := strconv.Atoi(prev)
		high, err2 := strconv.Atoi(to)
		if err != nil || err2 != nil || high <= low || high-low > maxLabels {
			return nil, s
		}
		for n := low + 1; n <= high; n++ {
			labels = append(labels, strconv.Itoa(n))
		}
		return labels, rest
	}
	return nil, s
}

var tickMarks = []string{"✅", "✓", "☑", "✔"}

func isComplete(words string) bool {
	ticked := func(mark string) bool { return strings.HasPrefix(words, mark) }
	return rules.OpensWithPhrase(words, []string{"complete", "completed", "done", "finished", "approved", "merged"}, nil) ||
		slices.ContainsFunc(tickMarks, ticked)
}

// ledgerNames returns the names, not paths, of the last maxLedgers ledgers in sddDir by name.
func ledgerNames(s strategy.Situation) []string {
	all := slices.DeleteFunc(slices.Clone(s.Workspace.Files[sddDir].Names), func(name string) bool {
		return strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".md")
	})
	return all[max(0, len(all)-maxLedgers):]
}

// newestOwnLedger returns the name of this session's ledger that changed last, or "". othersToo reports whether other
// sessions use ledgers.
func newestOwnLedger(s strategy.Situation) (slug string, othersToo bool) {
	for _, name := range ledgerNames(s) {
		f := s.Workspace.Files[sddDir+name+sddFile]
		switch {
		case !f.Found:
		case !mayFollowLedger(s, name):
			othersToo = true
		case slug == "" || f.Age <= s.Workspace.Files[sddDir+slug+sddFile].Age:
			slug = name
		}
	}
	return slug, othersToo
}

// mayFollowLedger reports whether the session has named the ledger or plan, or is not known to have called a tool.
func mayFollowLedger(s strategy.Situation, slug string) bool {
	return !s.Turn.Known || s.Turn.LastTool == "" || slices.ContainsFunc(s.Plans, func(p activity.Plan) bool {
		return strings.HasSuffix(p.Name, sddDir+slug) || planFileStem(p.Name) == slug
	})
}

// nextSDDWants returns the files to read next, by those already in s.Workspace.Files. Callers repeat it until none is
// new.
func nextSDDWants(s strategy.Situation) []strategy.WantedFile {
	all := []strategy.WantedFile{{Name: sddDir}}
	for _, name := range ledgerNames(s) {
		all = append(all, strategy.WantedFile{Name: sddDir + name + sddFile})
	}
	if slug, _ := newestOwnLedger(s); slug != "" {
		for _, name := range planNames(s, slug) {
			all = append(all, strategy.WantedFile{Name: name})
		}
	}
	return all
}

// planNames returns the paths, relative to the workspace, where the ledger's plan might be, the most likely first.
func planNames(s strategy.Situation, slug string) (candidates []string) {
	base := slug + ".md"
	if named := parseSDD(string(s.Workspace.Files[sddDir+slug+sddFile].Data)).plan; named != "" {
		if name := relativeTo(s.Workspace.Dir, named); name != "" {
			candidates = append(candidates, name)
		}
		base = planFileStem(strings.ReplaceAll(named, `\`, "/")) + ".md"
	}
	for _, dir := range []string{"docs/superpowers/plans/", "docs/plans/", "plans/"} {
		candidates = append(candidates, dir+base)
	}
	return candidates
}

func sddReads(o *Options, s strategy.Situation) (p progress) {
	slug, others := newestOwnLedger(s)
	if slug == "" {
		if others {
			p.unsure = "the ledgers in " + sddDir + " are not what this session works on"
		}
		return p
	}
	name := sddDir + slug + sddFile
	f := s.Workspace.Files[name]
	ledger := parseSDD(string(f.Data))
	switch stale := o.staleness(name, f.Age); {
	case f.Problem != "":
		p.unsure = shownName(name) + ": " + f.Problem
	case stale != "":
		p.unsure = stale
	case ledger.mentions > maxMentions:
		p.unsure = shownName(name) + " speaks of tasks more than " + strconv.Itoa(maxMentions) + " times"
	case ledger.vague:
		p.unsure = shownName(name) + " has no line “Task N: complete”, and says in some other way what is"
	}
	if p.unsure != "" {
		return p
	}
	for _, file := range planNames(s, slug) {
		f := s.Workspace.Files[file]
		if !f.Readable() {
			continue
		}
		switch read := parsePlan(string(f.Data)); {
		case len(read.tasks) > 0:
			return ledger.countByPlan(p, name, file, read)
		case len(read.boxes) > 0:
			return byBoxes(file, read.boxes)
		}
	}
	if len(ledger.boxes) == 0 {
		p.unsure = shownName(name) + ": its plan " + shownName(ledger.plan) + " is not there, or has neither headings “Task N” nor check boxes"
		return p
	}
	return byBoxes(name, ledger.boxes)
}

// countByPlan returns p, which has no counts yet, with the progress in read, a plan with tasks. ledgerFile and planFile
// are names to show.
func (l sddLedger) countByPlan(p progress, ledgerFile, planFile string, read plan) progress {
	next := task{}
	for _, t := range read.tasks {
		if l.done[t.label] || t.boxes > 0 && t.open.Line == 0 { // all boxes ticked
			p.done++
		} else if next.line == 0 {
			next = t
		}
	}
	p.total = len(read.tasks)
	p.where = strconv.Itoa(p.done) + " of " + strconv.Itoa(p.total) + " tasks complete in " + shownName(ledgerFile)
	if next.line == 0 {
		return p
	}
	words := l.last[next.label]
	if rules.OpensWithPhrase(words, []string{"blocked", "waiting", "awaiting", "paused", "on hold", "needs", "needs_context", "escalated"}, nil) {
		p.waiting = shownName(ledgerFile) + " says of task " + next.label + ": " + quotation.QuoteEvidence(words)
		return p
	}
	p.where += ", next is task " + next.label + " " + quotation.QuoteEvidence(next.title)
	p.next = "The ledger has " + strconv.Itoa(p.done) + " of " + strconv.Itoa(p.total) + " tasks complete (" + shownName(ledgerFile) + "). Next is task " + next.label + ", " +
		quotation.QuoteEvidence(next.title) + " (" + placeOf(planFile, next.line) + ")"
	if next.open.Line > 0 {
		p.next += ", from " + quotation.QuoteEvidence(next.open.Text) + " (line " + strconv.Itoa(next.open.Line) + ") on"
	}
	p.next += "."
	if words != "" {
		p.next += " The ledger's last word about it is " + quotation.QuoteEvidence(words) + "."
	}
	p.next += " Go on with it now, as the skill says, and add its line to the ledger when it is complete. If you need a decision from the user, ask for it and wait."
	return p
}
