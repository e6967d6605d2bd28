package marge

import (
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/lastmessage"
	"github.com/cameronsjo/springfield/runtime/markdown"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

const (
	maxPlans = 4 // plans that are read
	lookBack = 3 // earlier turns whose plans count after a prompt such as "continue"
)

// plan is a Markdown file with check boxes, like the plans of superpowers' writing-plans. It counts in turns
// in which the prompt, the agent or a tool call names it.
type plan struct {
	tasks []task
	boxes []markdown.Box
}

// task is a heading "Task 3: …".
type task struct {
	label, title string
	line         int
	boxes        int          // below it
	open         markdown.Box // first open, line 0 if none
}

func parsePlan(text string) (p plan) {
	current, known := -1, map[string]int{}
	var out aside
	markdown.EachLine(text, func(n int, line string, code bool) {
		if code {
			return
		}
		if line = out.dropAside(line); line == "" {
			return
		}
		if heading := lastmessage.HeadingIn(line); heading != "" {
			if label, title, ok := taskHeading(markdown.WithoutMarks(heading)); ok {
				if current, ok = known[label]; !ok {
					current = len(p.tasks)
					known[label] = current
					p.tasks = append(p.tasks, task{label: label, title: title, line: n})
				}
			}
			return
		}
		if b, ok := markdown.ParseBox(line); ok {
			b.Line = n
			p.boxes = append(p.boxes, b)
			if current < 0 {
				return
			}
			t := &p.tasks[current]
			if t.boxes++; !b.Done && t.open.Line == 0 {
				t.open = b
			}
		}
	})
	return p
}

// aside tracks the parts of a plan that are not work: HTML comments, and sections such as "Out of scope".
type aside struct {
	comment bool // a comment is open
	level   int  // of the heading of such a section, 0 outside
}

// dropAside returns the line without comments ("" in sections not about work). Callers pass all lines in order, except
// code blocks.
func (a *aside) dropAside(line string) (restOrBlank string) {
	if a.comment {
		_, after, closed := strings.Cut(line, "-->")
		line, a.comment = after, !closed
	}
	line = lastmessage.WithoutComments(line)
	if strings.HasPrefix(strings.TrimSpace(line), "<!--") { // elsewhere it may be code
		line, a.comment = "", true
	}
	if heading := lastmessage.HeadingIn(line); heading != "" {
		if level := len(line) - len(strings.TrimLeft(line, "#")); a.level == 0 || level <= a.level {
			if a.level = 0; isAside(markdown.WithoutMarks(heading)) {
				a.level = level
			}
		}
	}
	if a.level > 0 {
		return ""
	}
	return line
}

// isAside reports whether a heading (without # and marks) begins a section that is not work.
func isAside(heading string) bool {
	return strings.HasSuffix(strings.ToLower(heading), "(optional)") || rules.OpensWithPhrase(heading, []string{
		"out of scope", "not in scope", "optional", "non-goals", "nice to have", "nice-to-have", "stretch goals", "future work",
	}, nil)
}

// taskHeading parses "Task 3: Parse the file" without # and marks. label is lower case.
func taskHeading(heading string) (label, title string, ok bool) {
	const word = "Task"
	if len(heading) < len(word) || !strings.EqualFold(heading[:len(word)], word) {
		return "", "", false
	}
	rest := heading[len(word):]
	trimmed := strings.TrimLeft(rest, " \t#")
	if label, trimmed = cutNumber(trimmed); label == "" || trimmed == rest {
		return "", "", false
	}
	return label, strings.TrimLeft(trimmed, " \t:.)-–—"), true
}

// cutNumber cuts a label, e.g. 2.1 or 3a, from the start of s. label is lower case ("" if s starts with no digit).
func cutNumber(s string) (label, rest string) {
	i := 0
	for i < len(s) && i < 12 && (isDigit(s[i]) || s[i] == '.' && i > 0 && i+1 < len(s) && isDigit(s[i+1])) {
		i++
	}
	if i > 0 && i < len(s) && s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z' && !rules.IsWordRuneAt(s, i+1) {
		i++
	}
	return strings.ToLower(s[:i]), s[i:]
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// plansInUse returns up to maxPlans plans named in this turn, by their paths from the workspace and the project,
// without ledgers. A prompt such as "continue" adds those of the last lookBack turns.
func plansInUse(s strategy.Situation) []activity.Plan {
	within := 0
	if prompt := strings.TrimSpace(s.Turn.Prompt); len(prompt) <= 60 && rules.OpensWithPhrase(prompt, []string{
		"continue", "go on", "go ahead", "keep going", "carry on", "proceed", "resume", "next", "yes", "ok", "okay", "do it", "sounds good",
	}, nil) {
		within = lookBack
	}
	var all []activity.Plan
	for _, p := range s.Plans {
		if p.Turns > within || strings.Contains(p.Name, sddDir) {
			continue
		}
		names, project := []string{relativeTo(s.Workspace.Dir, p.Name)}, s.Workspace.Project
		if around := relativeTo(project, p.Name); project != "" && around != "" {
			names = append(names, project+"/"+around)
		}
		for _, name := range names {
			if p.Name = name; name != "" && !strings.HasSuffix(name, "/") && len(all) < maxPlans {
				all = append(all, p)
			}
		}
	}
	return all
}

func planWants(s strategy.Situation) (all []strategy.WantedFile) {
	for _, p := range plansInUse(s) {
		all = append(all, strategy.WantedFile{Name: p.Name})
	}
	return all
}

// progressInPlanFiles returns the progress in the plans that planWants had read into s.Workspace.Files.
func progressInPlanFiles(_ *Options, s strategy.Situation) (p progress) {
	for _, named := range plansInUse(s) {
		f := s.Workspace.Files[named.Name]
		if f.Problem != "" && p.unsure == "" {
			p.unsure = "the plan " + shownName(named.Name) + ": " + f.Problem
		}
		hasLedger := s.Workspace.Files[sddDir+planFileStem(named.Name)+sddFile].Found // which counts instead
		read := parsePlan(string(f.Data))
		if !f.Readable() || hasLedger || len(read.boxes) == 0 {
			continue
		}
		p = byBoxes(named.Name, read.boxes)
		if p.done == 0 && named.Written {
			p.unsure = "no task of " + shownName(named.Name) + " has begun: it was written in this turn, and no box is ticked"
		}
		return p
	}
	return p
}

// byBoxes returns the progress from check boxes. Callers set Line in each box.
func byBoxes(name string, boxes []markdown.Box) progress {
	p := progress{total: len(boxes)}
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

func planFileStem(name string) (fileStem string) {
	return strings.TrimSuffix(name[strings.LastIndexByte(name, '/')+1:], ".md")
}
