// The workflow state by hand: .claude/workflow-state.json, which marge-simpson
// reads. A skill can write the file itself; `state set` keeps what else stands in
// it, refuses what the hook could not read, and never forgets the time.

package command

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/moment"
	"github.com/cameronsjo/springfield/runtime/object"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/workspace"

	"github.com/cameronsjo/springfield/runtime/strategy/marge"
)

// StateFields are what `state set` sets, in the order in which a new file has
// them.
func StateFields() []string {
	return []string{"skill", "phase", "tasks_total", "tasks_completed", "waiting_for_user", "next"}
}

// maxValue is the longest value, in bytes.
const maxValue = 200

// shownState is what --json prints.
type shownState struct {
	File string
	// State is the file's object, null if there is no file.
	State []byte
	// Decision is what marge-simpson would do at a stop whose message asks nothing.
	Decision       strategy.Decision
	Rule, Evidence string
}

func (s *shownState) Members(m *codec.Members) {
	m.Keep().Text("file", &s.File)
	m.Raw("state", &s.State)
	m.Keep().Text("decision", (*string)(&s.Decision))
	m.Keep().Text("rule", &s.Rule)
	m.Keep().Text("evidence", &s.Evidence)
}

// StateShow shows what the workflow state says.
func (d *Console) StateShow(asJSON bool) error {
	space, err := d.space()
	if err != nil {
		return err
	}
	defer space.Close()
	return d.showState(space, asJSON)
}

// StateSet sets fields, given as KEY=VALUE.
func (d *Console) StateSet(fields []string, asJSON bool) error {
	var news []object.Member
	for _, field := range fields {
		m, err := readField(field)
		if err != nil {
			return err
		}
		news = append(news, m)
	}
	space, err := d.space()
	if err != nil {
		return err
	}
	defer space.Close()
	f := space.Read(strategy.Want{Name: marge.WorkflowFile, Whole: codec.Valid})
	if f.Problem != "" {
		return badState(errors.New(f.Problem))
	}
	var was marge.Workflow
	if f.Found {
		if was, err = marge.ParseWorkflow(f.Data); err != nil {
			return badState(err)
		}
	}
	members := was.Members
	for _, m := range news {
		members = setMember(members, m.Name, m.Value)
	}
	for _, fallback := range []object.Member{{Name: "tasks_completed", Value: []byte("0")}, {Name: "waiting_for_user", Value: []byte("false")}} {
		if !has(members, fallback.Name) {
			members = setMember(members, fallback.Name, fallback.Value)
		}
	}
	if !f.Found {
		members = inOrder(members)
	}
	members = setMember(members, "updated_at", quoted(moment.Write(d.Now().UnixMilli())))
	if d.Caller != nil && d.Session != "" {
		members = setMember(members, "session_id", quoted(d.Session))
	} else { // what a person sets is about any session
		members = slices.DeleteFunc(members, func(m object.Member) bool { return m.Name == "session_id" })
	}
	data, err := d.checkedState(members)
	if err != nil {
		return err
	}
	err = space.Apply([]strategy.Change{{Name: marge.WorkflowFile, Data: data, Was: f.Data}})
	if err != nil {
		return &adviceError{err.Error(), "look at the file, then set it again"}
	}
	return d.showState(space, asJSON)
}

// checkedState is the file that members make, if the hook could read it.
func (d *Console) checkedState(members []object.Member) ([]byte, error) {
	data := encodeState(members)
	now, err := marge.ParseWorkflow(data)
	if err == nil && !now.Waiting {
		err = now.Check()
	}
	if err != nil {
		return nil, misused(err.Error(), "set both: "+d.Self+" state set tasks_total=5 tasks_completed=2")
	}
	if len(data) > workspace.MaxFile {
		return nil, &adviceError{marge.WorkflowFile + " would be larger than 256 KiB", "remove from it what is not about the workflow"}
	}
	return data, nil
}

// stateCall answers the hook's own word: state set KEY=VALUE…, state show.
func (d *Console) stateCall(args []string) error {
	asJSON := false
	args = slices.DeleteFunc(slices.Clone(args), func(arg string) bool {
		asJSON = asJSON || arg == "--json"
		return arg == "--json"
	})
	switch {
	case len(args) == 0 || len(args) == 1 && args[0] == "show":
		return d.StateShow(asJSON)
	case args[0] == "set" && len(args) > 1:
		return d.StateSet(args[1:], asJSON)
	}
	return ErrUsage
}

// space is the workspace that marge-simpson reads in.
func (d *Console) space() (*workspace.Space, error) {
	return workspace.Open(workspace.Nearest(d.Work, marge.Strategy().Marks, d.Home))
}

func (d *Console) showState(space *workspace.Space, asJSON bool) error {
	shown := shownState{State: []byte("null"), File: filepath.Join(space.Dir, filepath.FromSlash(marge.WorkflowFile))}
	f := space.Read(strategy.Want{Name: marge.WorkflowFile})
	v := marge.Strategy().New().Decide(strategy.Situation{
		Session:   strategy.Session{Now: d.Now().UnixMilli(), ID: d.Session},
		Workspace: strategy.Workspace{Files: map[string]strategy.File{marge.WorkflowFile: f}},
	})
	shown.Decision, shown.Rule, shown.Evidence = v.Decision, v.Rule, v.Evidence
	if f.Problem != "" {
		return badState(errors.New(f.Problem))
	}
	var w marge.Workflow
	if f.Found {
		var err error
		if w, err = marge.ParseWorkflow(f.Data); err != nil {
			return badState(err)
		}
		shown.State = codec.Compact(nil, bytes.TrimPrefix(f.Data, []byte("\xef\xbb\xbf")))
	}
	if asJSON {
		return d.encode(&shown)
	}
	if !f.Found {
		d.line("there is no workflow state in " + space.Dir)
		d.line("next: " + d.Self + " state set tasks_total=5 tasks_completed=0")
		return nil
	}
	d.line(shown.File)
	d.field("  skill    ", w.Skill)
	d.field("  phase    ", w.Phase)
	d.line("  tasks    " + strconv.Itoa(w.Done) + " of " + strconv.Itoa(w.Total) + " done")
	d.field("  next     ", w.Next)
	if w.Waiting {
		d.line("  waits    for you")
	}
	if w.Updated != 0 {
		d.line("  updated  " + d.ago(w.Updated))
	}
	d.field("  session  ", w.Session)
	for _, m := range w.Members {
		if !slices.Contains(append(StateFields(), "updated_at", "session_id"), m.Name) {
			d.field("  "+pad(m.Name, 8)+" ", string(codec.Compact(nil, m.Value)))
		}
	}
	d.line("  so       " + string(shown.Decision) + ", rule " + shown.Rule + ": " + shown.Evidence)
	return nil
}

func badState(err error) error {
	return &adviceError{"read state: " + marge.WorkflowFile + ": " + err.Error(), "correct the file, or delete it and set the fields again"}
}

// readField reads KEY=VALUE as a member.
func readField(field string) (object.Member, error) {
	name, text, ok := strings.Cut(field, "=")
	fail := func(problem, advice string) (object.Member, error) {
		return object.Member{}, misused(problem, advice)
	}
	if !ok || !slices.Contains(StateFields(), name) {
		problem := "the workflow state has no field " + strconv.Quote(name)
		switch {
		case slices.Contains([]string{"updated_at", "session_id"}, name):
			problem = name + " is set automatically"
		case slices.Contains(StateFields(), name):
			problem = name + " has no value"
		}
		return fail(problem, "the fields are "+strings.Join(StateFields(), ", ")+"; write them like tasks_completed=2")
	}
	switch name {
	case "tasks_total", "tasks_completed":
		n, err := strconv.ParseUint(text, 10, 20)
		if err != nil {
			return fail(name+": "+strconv.Quote(text)+" is not a whole number from 0 to a million", "write it like "+name+"=2")
		}
		return object.Member{Name: name, Value: strconv.AppendUint(nil, n, 10)}, nil
	case "waiting_for_user":
		switch strings.ToLower(text) {
		case "true", "yes", "1":
			return object.Member{Name: name, Value: []byte("true")}, nil
		case "false", "no", "0":
			return object.Member{Name: name, Value: []byte("false")}, nil
		}
		return fail(name+": "+strconv.Quote(text)+" is neither true nor false", "write it like "+name+"=true")
	}
	if len(text) > maxValue {
		return fail(name+" is longer than "+strconv.Itoa(maxValue)+" bytes", "a few words are enough")
	}
	return object.Member{Name: name, Value: quoted(strings.Join(strings.Fields(display.Text(text)), " "))}, nil
}

func quoted(text string) []byte { return codec.AppendText(nil, text) }

func has(members []object.Member, name string) bool {
	return slices.ContainsFunc(members, func(m object.Member) bool { return m.Name == name })
}

// setMember puts a value in the place of the member's, or behind all others.
func setMember(members []object.Member, name string, value []byte) []object.Member {
	members = slices.Clone(members)
	for i := range members {
		if members[i].Name == name {
			members[i].Value = value
			return members
		}
	}
	return append(members, object.Member{Name: name, Value: value})
}

// inOrder puts the members of a new file into the order of the fields.
func inOrder(members []object.Member) []object.Member {
	var all []object.Member
	for _, name := range StateFields() {
		for _, m := range members {
			if m.Name == name {
				all = append(all, m)
			}
		}
	}
	return all
}

// encodeState writes members in their order, one a line.
func encodeState(members []object.Member) []byte {
	all := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			all = append(all, ',')
		}
		all = append(append(codec.AppendText(all, m.Name), ':'), m.Value...)
	}
	return append(codec.Indent(nil, append(all, '}')), '\n')
}
