// The workflow state of the first design: .claude/workflow-state.json, which a
// skill has the model write.
//
//	{"skill": "executing-plans", "phase": "batch_execution", "tasks_total": 5,
//	 "tasks_completed": 2, "waiting_for_user": false, "updated_at": "2026-02-06T21:30:00Z"}
//
// Two members are ours and optional: next, what comes next in words, and
// session_id, the session that the state is about. Others are the user's own.

package marge

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/timestamp"

	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// WorkflowFile is where the workflow state lies.
const WorkflowFile = ".claude/workflow-state.json"

// maxTasks is the most tasks that a state can count.
const maxTasks = 1_000_000

// maxMembers is how many members a state has at most: each is compared with all
// others.
const maxMembers = 200

// Workflow is a workflow state.
type Workflow struct {
	Skill, Phase string
	Total, Done  int
	Waiting      bool
	Next         string
	Session      string
	// Updated is when it was written, in Unix milliseconds.
	Updated int64
	// Line is the line that says how many tasks are complete, 0 if none does.
	Line int
}

// ParseWorkflow reads a workflow state. An error begins with the line and the
// column that it is about.
func ParseWorkflow(data []byte) (Workflow, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	fail := func(offset int, problem string) (Workflow, error) {
		line, column := codec.Position(data, offset)
		return Workflow{}, errors.New("line " + strconv.Itoa(line) + ", column " + strconv.Itoa(column) + ": " + problem)
	}
	switch fault := codec.FindFault(data); {
	case fault == nil:
	case fault.Cut:
		return fail(len(data), "the file ends too early")
	default:
		return fail(fault.At, fault.Says)
	}
	if codec.KindName(bytes.TrimSpace(data)) != "object" {
		return fail(0, "it is not a JSON object")
	}
	var w Workflow
	var names []string
	for _, m := range codec.ListMembers(data) {
		if len(names) == maxMembers {
			return fail(m.Key, "more than "+strconv.Itoa(maxMembers)+" members")
		}
		if slices.Contains(names, m.Name) {
			return fail(m.Key, shownName(m.Name)+" is given twice")
		}
		if m.Name == "tasks_completed" {
			w.Line, _ = codec.Position(data, m.At)
		}
		if problem := w.takeMember(m.Name, m.Value); problem != "" {
			return fail(m.At, problem)
		}
		names = append(names, m.Name)
	}
	return w, nil
}

// takeMember reads one member. It returns what is wrong with it.
func (w *Workflow) takeMember(name string, value []byte) (problem string) {
	var text string
	switch name {
	case "skill", "phase", "next", "session_id", "updated_at":
		var ok bool
		if text, ok = codec.ExactString(value); !ok {
			return name + " is not a string"
		}
	}
	switch name {
	case "skill":
		w.Skill = text
	case "phase":
		w.Phase = text
	case "next":
		w.Next = text
	case "session_id":
		w.Session = text
	case "tasks_total":
		w.Total, problem = wholeNumber(name, value)
	case "tasks_completed":
		w.Done, problem = wholeNumber(name, value)
	case "waiting_for_user":
		switch string(value) {
		case "true", "false":
			w.Waiting = value[0] == 't'
		case "null":
		default:
			problem = name + " is neither true nor false"
		}
	case "updated_at":
		var ok bool
		if w.Updated, ok = timestamp.ParseTime(text); !ok && text != "" {
			problem = name + " is not a time like 2026-02-06T21:30:00Z"
		}
	}
	return problem
}

func wholeNumber(name string, value []byte) (n int, problem string) {
	n, err := strconv.Atoi(string(value))
	switch {
	case err != nil:
		return 0, name + " is not a whole number"
	case n < 0:
		return 0, name + " is negative"
	case n > maxTasks:
		return 0, name + " is more than " + strconv.Itoa(maxTasks)
	}
	return n, ""
}

// CheckMembers says what is wrong between the members, nil if nothing is.
func (w Workflow) CheckMembers() error {
	switch {
	case w.Total == 0:
		return errors.New("tasks_total is 0 or missing: there is nothing to count")
	case w.Done > w.Total:
		return errors.New("tasks_completed is " + strconv.Itoa(w.Done) + ", more than tasks_total, " + strconv.Itoa(w.Total))
	case w.Updated == 0:
		return errors.New("updated_at is missing: how old it is cannot be known")
	}
	return nil
}

func workflowWants(strategy.Situation) []strategy.Want {
	return []strategy.Want{{Name: WorkflowFile, Whole: codec.IsValid}}
}

func workflowReads(o *Options, s strategy.Situation) (p progress) {
	f := s.Workspace.Files[WorkflowFile]
	if !f.Found {
		return p
	}
	p.found = true
	var w Workflow
	err := errors.New(f.Problem)
	if f.Problem == "" {
		if w, err = ParseWorkflow(f.Data); err == nil && !w.Waiting {
			err = w.CheckMembers()
		}
	}
	if err != nil {
		// Half a year after the work it was about, a broken file is only litter.
		if p.unsure = o.isTooOld(WorkflowFile, f.Age); p.unsure == "" {
			p.fault = WorkflowFile + ": " + err.Error()
		}
		return p
	}
	p.done, p.total = w.Done, w.Total
	if w.Session != "" && s.Session.ID != "" && w.Session != s.Session.ID {
		p.unsure = WorkflowFile + " is about another session"
		return p
	}
	age := s.Session.Now - w.Updated
	if w.Updated == 0 || age < 0 { // a clock that is wrong must not keep it fresh for years
		age = f.Age
	}
	if p.unsure = o.isTooOld(WorkflowFile, age); p.unsure != "" {
		return p
	}
	if w.Waiting {
		p.waiting = WorkflowFile + " says that it waits for you"
		return p
	}
	done := strconv.Itoa(w.Done) + " of " + strconv.Itoa(w.Total)
	p.where = done + " tasks done, says " + placeOf(WorkflowFile, w.Line)
	var b strings.Builder
	b.WriteString("The workflow state has " + done + " tasks done (" + placeOf(WorkflowFile, w.Line) + ").")
	for _, part := range []struct{ name, text string }{{"skill", w.Skill}, {"phase", w.Phase}} {
		if part.text != "" {
			b.WriteString(" Its " + part.name + " is " + quotation.QuoteEvidence(part.text) + ".")
		}
	}
	b.WriteString(" Go on with task " + strconv.Itoa(w.Done+1) + " now")
	if w.Next != "" {
		b.WriteString(": " + quotation.QuoteEvidence(w.Next))
	}
	b.WriteString(". When it is done, update that file, tasks_completed and updated_at; if you need the user, set waiting_for_user there, ask, and wait.")
	p.next = b.String()
	return p
}
