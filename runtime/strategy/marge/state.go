package marge

import (
	"bytes"
	"errors"
	"strconv"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/timestamp"
)

// WorkflowFile is the path of the workflow state.
const WorkflowFile = ".claude/workflow-state.json"

// Workflow is the workflow state of the first design, which a skill makes the model write:
//
//	{"skill": "executing-plans", "phase": "batch_execution", "tasks_total": 5,
//	 "tasks_completed": 2, "waiting_for_user": false, "updated_at": "2026-02-06T21:30:00Z"}
//
// The members next and session_id are optional. Unknown members are ignored.
type Workflow struct {
	Skill, Phase string
	Total, Done  int
	Waiting      bool
	Next         string // in words
	Session      string
	written      string
	Updated      int64 // Unix milliseconds
}

func (w *Workflow) Members(m *codec.Coder) {
	m.Text("skill", &w.Skill)
	m.Text("phase", &w.Phase)
	codec.Number(m, "tasks_total", &w.Total)
	codec.Number(m, "tasks_completed", &w.Done)
	m.Bool("waiting_for_user", &w.Waiting)
	m.Text("next", &w.Next)
	m.Text("session_id", &w.Session)
	m.Text("updated_at", &w.written)
}

// ParseWorkflowState parses a workflow state. Callers call CheckMembers for missing members and impossible numbers of
// tasks.
func ParseWorkflowState(data []byte) (w Workflow, err error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	parts, fault := codec.ReadStrictly(data, &w, func(string) bool { return true })
	if len(parts) > 0 {
		fault = parts[0]
	}
	if fault != nil {
		return w, errors.New(quotation.PlainName(fault.DescribeIn(data)))
	}
	var ok bool
	if w.Updated, ok = timestamp.ParseTime(w.written); !ok && w.written != "" {
		err = errors.New("updated_at is not a time like 2026-02-06T21:30:00Z")
	}
	return w, err
}

// CheckMembers returns an error if the task numbers or the time are missing or invalid.
func (w Workflow) CheckMembers() error {
	switch {
	case w.Total <= 0:
		return errors.New("tasks_total is 0 or missing: there is nothing to count")
	case w.Done < 0 || w.Done > w.Total:
		return errors.New("tasks_completed is " + strconv.Itoa(w.Done) + ", and tasks_total is " + strconv.Itoa(w.Total))
	case w.Updated == 0:
		return errors.New("updated_at is missing: how old it is cannot be known")
	}
	return nil
}

func progressInWorkflow(o *Options, s strategy.Situation) (p progress) {
	f := s.Workspace.Files[WorkflowFile]
	if !f.Found {
		return p
	}
	var w Workflow
	err := errors.New(f.Problem)
	if f.Problem == "" {
		if w, err = ParseWorkflowState(f.Data); err == nil && !w.Waiting {
			err = w.CheckMembers()
		}
	}
	if err != nil {
		// A broken file that is stale is left over from earlier work.
		if p.unsure = o.staleness(WorkflowFile, f.Age); p.unsure == "" {
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
	if w.Updated == 0 || age < 0 { // a wrong clock must not keep it fresh for years
		age = f.Age
	}
	if p.unsure = o.staleness(WorkflowFile, age); p.unsure != "" {
		return p
	}
	if w.Waiting {
		p.waiting = WorkflowFile + " says that it waits for you"
		return p
	}
	done := strconv.Itoa(w.Done) + " of " + strconv.Itoa(w.Total)
	p.where = done + " tasks done, says " + WorkflowFile
	p.next = "The workflow state has " + done + " tasks done (" + WorkflowFile + ")."
	for _, part := range []struct{ name, text string }{{"skill", w.Skill}, {"phase", w.Phase}} {
		if part.text != "" {
			p.next += " Its " + part.name + " is " + quotation.QuoteEvidence(part.text) + "."
		}
	}
	p.next += " Go on with task " + strconv.Itoa(w.Done+1) + " now"
	if w.Next != "" {
		p.next += ": " + quotation.QuoteEvidence(w.Next)
	}
	p.next += ". When it is done, update that file, tasks_completed and updated_at; if you need the user, set waiting_for_user there, ask, and wait."
	return p
}
