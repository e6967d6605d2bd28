// The ledger of superpowers' subagent-driven development, read as that skill
// reads it after a compaction:
//
//	.superpowers/sdd/<name of the plan>/progress.md
//	# SDD ledger — plan: docs/superpowers/plans/2026-09-09-agent-loop.md
//	Task 1: complete (commits 1a2b3c4..5d6e7f8, review clean)
//	Task 2: fix round 1/5 (…)
//
// The first line names the plan; a task with a line "Task N: complete" is done,
// whatever else is said of it; the next one is the first without. How many there
// are, and what they are, stands in the plan, in its headings "### Task N: …"
// and the check boxes below them. The skill ticks none of these; where the user
// has ticked all of a task's, it is done, too.

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
	sddDir  = ".superpowers/sdd/"
	sddFile = "/progress.md"
	// maxLedgers is how many ledgers are looked at, the last by name, which begins
	// with a date.
	maxLedgers = 24
	// maxLabels is of how many tasks at once a line can speak, and as many again.
	maxLabels = 200
	// maxMentions is how often a ledger can speak of a task. One that does so more
	// often is not believed: it would take longer to read than a decision may.
	maxMentions = 20_000
	// planLines are those in which a ledger names its plan.
	planLines = 12
)

type sddLedger struct {
	plan  string            // the path that it names, "" if none
	done  map[string]bool   // labels of the tasks that are complete
	last  map[string]string // what was said last of a task, by its label
	boxes []markdown.Box    // where the list is kept in the ledger
	vague bool              // it says that something is complete, but not in this form
	// mentions counts how often it speaks of a task.
	mentions int
}

func parseSDD(text string) sddLedger {
	l := sddLedger{done: map[string]bool{}, last: map[string]string{}}
	markdown.EachLine(text, func(n int, line string, code bool) {
		if code || l.mentions > maxMentions {
			return
		}
		if l.plan == "" && n <= planLines {
			l.plan = planInLine(line)
		}
		b, ticked := markdown.ParseBox(line)
		if ticked {
			b.Line = n
			l.boxes = append(l.boxes, b)
			line = b.Text
		}
		labels, says, first := taskLine(line)
		complete := ticked && b.Done || isComplete(says)
		l.mentions += len(labels)
		for _, label := range labels {
			switch {
			case complete:
				l.done[label] = true
			case !first:
				continue // a word about a task in some other line
			}
			l.last[label] = says
		}
		if !l.vague && len(labels) == 0 && len(line) >= len("✅") && !strings.HasPrefix(line, "#") && rules.HasAnyPhrase(line, []string{"complete", "completed", "done", "✅"}) {
			l.vague = true
		}
	})
	l.vague = l.vague && len(l.last) == 0 && len(l.boxes) == 0
	return l
}

// planInLine finds the plan that a line names: "# SDD ledger — plan: FILE.md".
func planInLine(line string) string {
	folded := quotation.LowerASCII(line)
	i := strings.Index(folded, "plan:")
	end := strings.LastIndex(folded, ".md")
	if i < 0 || end < i {
		return ""
	}
	name := line[i+len("plan:") : end+len(".md")]
	// A link, or words in front of the path.
	if j := strings.LastIndexAny(name, "(`<[\""); j >= 0 {
		name = name[j+1:]
	}
	return strings.Trim(name, " \t*_")
}

// taskLine reads "Task 3: complete (…)", also with a mark in front or for several
// tasks at once, "Tasks 1-3: complete". first tells that it stands in front of
// the line.
func taskLine(line string) (labels []string, says string, first bool) {
	folded := quotation.LowerASCII(line)
	for from := 0; ; {
		i := strings.Index(folded[from:], "task")
		if i < 0 {
			return nil, "", false
		}
		i += from
		from = i + len("task")
		if rules.WordBefore(line, i) {
			continue
		}
		rest := strings.TrimPrefix(folded[from:], "s")
		trimmed := strings.TrimLeft(rest, " \t#")
		label, rest := taskLabel(trimmed)
		if label == "" {
			continue
		}
		labels = []string{label}
		for len(labels) < maxLabels {
			more, after := anotherLabel(label, rest)
			if len(more) == 0 {
				break
			}
			labels, label, rest = append(labels, more...), more[len(more)-1], after
		}
		rest = strings.TrimLeft(rest, " \t*_`)")
		first = strings.Trim(line[:i], " \t-*+_>|#`.)0123456789") == ""
		for _, mark := range []string{":", "—", "–", "-", "✅", "✓", "☑", "✔"} {
			if after, ok := strings.CutPrefix(rest, mark); ok && (first || mark == ":") {
				if len(mark) > 1 && mark != "—" && mark != "–" {
					after = rest
				}
				return labels, strings.TrimLeft(after, " \t*_`:"), first
			}
		}
		if first {
			return labels, rest, true
		}
	}
}

// anotherLabel reads a further label behind one: "1-3", "1 to 3", "1, 2", "1 & 2".
func anotherLabel(label, s string) (labels []string, rest string) {
	trimmed := strings.TrimLeft(s, " ")
	for _, mark := range []string{"-", "–", "to ", "through ", ",", "&", "and "} {
		after, ok := strings.CutPrefix(trimmed, mark)
		if !ok {
			continue
		}
		to, rest := taskLabel(strings.TrimLeft(after, " "))
		if to == "" {
			return nil, s
		}
		if mark == "," || mark == "&" || mark == "and " {
			return []string{to}, rest
		}
		low, err := strconv.Atoi(label)
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

func isComplete(says string) bool {
	return rules.OpensWithPhrase(says, []string{"complete", "completed", "done", "finished", "approved", "merged"}) || strings.HasPrefix(says, "✅") ||
		strings.HasPrefix(says, "✓") || strings.HasPrefix(says, "✔") || strings.HasPrefix(says, "☑")
}

// workspaceName is the name of a plan's workspace: its file's name without .md.
func workspaceName(name string) string {
	return strings.TrimSuffix(name[strings.LastIndexByte(name, '/')+1:], ".md")
}

// ledgerSlugs are the workspaces whose ledgers are looked at.
func ledgerSlugs(s strategy.Situation) []string {
	var all []string
	for _, name := range s.Workspace.Files[sddDir].Names {
		if !strings.HasPrefix(name, ".") && !strings.HasSuffix(name, ".md") {
			all = append(all, name)
		}
	}
	return all[max(0, len(all)-maxLedgers):]
}

// newestWorkspace is the workspace whose ledger changed last, of those that are this
// session's.
func newestWorkspace(s strategy.Situation) (slug string, others bool) {
	for _, name := range ledgerSlugs(s) {
		f := s.Workspace.Files[sddDir+name+sddFile]
		switch {
		case !f.Found:
		case !isOwnLedger(s, name):
			others = true
		case slug == "" || f.Age <= s.Workspace.Files[sddDir+slug+sddFile].Age:
			slug = name
		}
	}
	return slug, others
}

// isOwnLedger tells whether a ledger is what this session works on. Several sessions
// can be at work in one directory, and a ledger names none; but a session that
// follows a ledger names it, or its plan. One that has called no tool yet may be
// about to.
func isOwnLedger(s strategy.Situation, slug string) bool {
	if !s.Turn.Known || s.Turn.LastTool == "" {
		return true
	}
	return slices.ContainsFunc(s.Plans, func(p activity.Plan) bool {
		return strings.HasSuffix(p.Name, sddDir+slug) || workspaceName(p.Name) == slug
	})
}

func sddWants(s strategy.Situation) []strategy.Want {
	all := []strategy.Want{{Name: sddDir}}
	for _, name := range ledgerSlugs(s) {
		all = append(all, strategy.Want{Name: sddDir + name + sddFile})
	}
	if slug, _ := newestWorkspace(s); slug != "" {
		for _, name := range planNames(s, slug) {
			all = append(all, strategy.Want{Name: name})
		}
	}
	return all
}

// planNames are where the plan of a ledger may lie: where the ledger says, which
// may be another checkout, and where superpowers puts plans.
func planNames(s strategy.Situation, slug string) []string {
	var all []string
	base := slug + ".md"
	if named := parseSDD(string(s.Workspace.Files[sddDir+slug+sddFile].Data)).plan; named != "" {
		if name := relativeToWorkspace(s.Workspace.Dir, named); name != "" {
			all = append(all, name)
		}
		base = workspaceName(strings.ReplaceAll(named, `\`, "/")) + ".md"
	}
	for _, dir := range []string{"docs/superpowers/plans/", "docs/plans/", "plans/"} {
		all = append(all, dir+base)
	}
	return all
}

func sddReads(o *Options, s strategy.Situation) (p progress) {
	slug, others := newestWorkspace(s)
	if slug == "" {
		if others {
			p.unsure = "the ledgers in " + sddDir + " are not what this session works on"
		}
		return p
	}
	name := sddDir + slug + sddFile
	f := s.Workspace.Files[name]
	p.found = true
	if f.Problem != "" {
		p.unsure = shownName(name) + ": " + f.Problem
		return p
	}
	if p.unsure = o.isTooOld(name, f.Age); p.unsure != "" {
		return p
	}
	ledger := parseSDD(string(f.Data))
	if ledger.mentions > maxMentions {
		p.unsure = shownName(name) + " speaks of tasks more than " + strconv.Itoa(maxMentions) + " times"
		return p
	}
	if ledger.vague {
		p.unsure = shownName(name) + " has no line “Task N: complete”, and says in some other way what is"
		return p
	}
	for _, file := range planNames(s, slug) {
		if f := s.Workspace.Files[file]; f.Readable() {
			switch read := parsePlan(string(f.Data)); {
			case len(read.tasks) > 0:
				return ledger.countByPlan(p, name, file, read)
			case len(read.boxes) > 0:
				return byBoxes(file, read.boxes)
			}
		}
	}
	if len(ledger.boxes) == 0 {
		p.unsure = shownName(name) + ": its plan " + shownName(ledger.plan) + " is not there, or has neither headings “Task N” nor check boxes"
		return p
	}
	return byBoxes(name, ledger.boxes)
}

func (l sddLedger) countByPlan(p progress, name, file string, read plan) progress {
	next := task{}
	for _, t := range read.tasks {
		if l.done[t.label] || t.boxes > 0 && t.open.Line == 0 { // every box of it is ticked
			p.done++
		} else if next.line == 0 {
			next = t
		}
	}
	p.total = len(read.tasks)
	p.where = strconv.Itoa(p.done) + " of " + strconv.Itoa(p.total) + " tasks complete in " + shownName(name)
	if next.line == 0 {
		return p
	}
	says := l.last[next.label]
	if rules.OpensWithPhrase(says, []string{"blocked", "waiting", "awaiting", "paused", "on hold", "needs", "needs_context", "escalated"}) {
		p.waiting = shownName(name) + " says of task " + next.label + ": " + quotation.QuoteEvidence(says)
		return p
	}
	p.where += ", next is task " + next.label + " " + quotation.QuoteEvidence(next.title)
	p.next = "The ledger has " + strconv.Itoa(p.done) + " of " + strconv.Itoa(p.total) + " tasks complete (" + shownName(name) + "). Next is task " + next.label + ", " +
		quotation.QuoteEvidence(next.title) + " (" + placeOf(file, next.line) + ")"
	if next.open.Line > 0 {
		p.next += ", from " + quotation.QuoteEvidence(next.open.Text) + " (line " + strconv.Itoa(next.open.Line) + ") on"
	}
	p.next += "."
	if says != "" {
		p.next += " The ledger's last word about it is " + quotation.QuoteEvidence(says) + "."
	}
	p.next += " Go on with it now, as the skill says, and add its line to the ledger when it is complete. If you need a decision from the user, ask for it and wait."
	return p
}

// byBoxes counts by the check boxes of a plan, or of a ledger itself.
func byBoxes(name string, boxes []markdown.Box) progress {
	p := progress{found: true, total: len(boxes)}
	var first markdown.Box
	for _, b := range boxes {
		if b.Done {
			p.done++
		} else if first.Line == 0 {
			first = b
		}
	}
	count := strconv.Itoa(p.done) + " of " + strconv.Itoa(p.total)
	p.where = count + " boxes ticked in " + shownName(name)
	if first.Line == 0 {
		return p
	}
	p.where += ", next is line " + strconv.Itoa(first.Line) + ": " + quotation.QuoteEvidence(first.Text)
	p.next = "The list has " + count + " boxes ticked. Next is " + quotation.QuoteEvidence(first.Text) + " (" + placeOf(name, first.Line) +
		"). Go on with it now and tick it when it is done. If you need a decision from the user, ask for it and wait."
	return p
}
