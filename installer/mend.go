package installer

// Small plans of their own, for repairs: every one is in the journal, so undo
// takes it back.

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/cameronsjo/springfield/installer/document"
)

// PlanSwitch says in a scope that a plugin is on or off, and nothing else.
func PlanSwitch(p Places, scope Scope, id string, on bool) (Plan, error) {
	verb, value := "switch off", "false"
	if on {
		verb, value = "switch on", "true"
	}
	return p.planMember(scope, fmt.Sprintf("%s %s in %s settings", verb, id, scope), switchTo(id, value))
}

// PlanEnv sets a variable for Claude Code and its hooks in a scope.
func PlanEnv(p Places, scope Scope, name, value string) (Plan, error) {
	text, err := document.Encode(value)
	if err != nil {
		return Plan{}, err
	}
	return p.planMember(scope, fmt.Sprintf("set %s in %s settings", name, scope), document.Edit{Path: []string{"env", name}, Value: text})
}

// PlanDeclare has user settings declare a directory as a marketplace.
func PlanDeclare(p Places, name, dir string) (Plan, error) {
	value, err := document.Encode(map[string]source{"source": {Source: "directory", Path: dir}})
	if err != nil {
		return Plan{}, err
	}
	return p.planMember(User, "declare marketplace "+name+" in user settings", document.Edit{Path: []string{"extraKnownMarketplaces", name}, Value: value})
}

func (p Places) planMember(scope Scope, did string, change document.Edit) (Plan, error) {
	file, doc, err := p.openScope(scope)
	if err != nil {
		return Plan{}, err
	}
	// Where springfield has enabled something, this belongs to it, and disable
	// gives back what was there before.
	m, err := p.recall(file.Path)
	if err != nil {
		return Plan{}, err
	}
	behalf := ""
	if m != nil && slices.ContainsFunc(m.Members, func(r remembered) bool { return slices.Contains(r.For, file.Path) }) {
		behalf = file.Path
	}
	plan := Plan{Did: did}
	return plan, plan.set(p, file, doc, []document.Edit{change}, behalf)
}

// PlanRemove takes a regular file of the project away: one below the directory that
// sessions start in.
func PlanRemove(p Places, path string) (Plan, error) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return Plan{}, fmt.Errorf("%s is not a regular file", path)
	}
	file, err := OpenIn(p.Work, path)
	if err != nil {
		return Plan{}, err
	}
	e := newEdit(file, nil, nil)
	e.remove = true
	return Plan{Did: "remove " + path, edits: []edit{e}}, nil
}

// Interrupted is the newest edit if it was killed when only some of its files
// were written.
func Interrupted(p Places) (e Entry, interrupted bool, err error) {
	ids, err := p.journalled()
	if err != nil || len(ids) == 0 {
		return Entry{}, false, err
	}
	if e, err = p.entry(ids[len(ids)-1]); err != nil {
		return Entry{}, false, err
	}
	if !e.open {
		return e, false, nil
	}
	before, after := 0, 0
	for _, f := range e.Files {
		file, err := Open(f.Asked)
		if err != nil {
			return e, false, nil // not readable: nobody can tell
		}
		switch {
		case f.Before.Existed == f.After.Existed && string(f.Before.Data) == string(f.After.Data):
		case f.Before.is(file):
			before++
		case f.After.is(file):
			after++
		}
	}
	return e, before > 0 && after > 0, nil
}

// Remembered is a plugin that springfield has enabled.
type Remembered struct {
	ID    string
	Scope Scope
	File  string // the scope's settings
}

// SwitchedOnByUs lists the plugins that springfield remembers to have enabled in
// the settings of any scope, the widest first.
func SwitchedOnByUs(p Places) []Remembered {
	var all []Remembered
	for _, scope := range Scopes() {
		path, err := p.Settings(scope)
		if err != nil {
			continue
		}
		target, err := resolve(path)
		if err != nil {
			continue
		}
		m, err := p.recall(target)
		if err != nil || m == nil {
			continue
		}
		for _, r := range m.Members {
			if len(r.Path) == 2 && m.switchedOn(r.Path[1]) {
				all = append(all, Remembered{r.Path[1], scope, path})
			}
		}
	}
	return all
}

// CheckState says why the state directory could not be written.
func CheckState(p Places) error {
	dir := p.state()
	for !exists(dir) && filepath.Dir(dir) != dir {
		dir = filepath.Dir(dir) // it will be made in there
	}
	f, err := os.CreateTemp(dir, ".springfield-check-*")
	if err != nil {
		return failed("write", dir, err)
	}
	_ = f.Close()
	return os.Remove(f.Name())
}

// Trusted tells whether the person has accepted the project's directory in
// Claude Code, and whether that can be known at all. Accepting a directory
// accepts what lies in it, up to the root of the repository.
func Trusted(p Places) (trusted, known bool) {
	dir := p.Config
	if p.Config == filepath.Join(p.Home, ".claude") {
		dir = p.Home
	}
	file, err := Open(filepath.Join(dir, ".claude.json"))
	if err != nil || !file.Exists {
		return false, false
	}
	var record struct {
		Projects map[string]struct {
			Trusted bool `json:"hasTrustDialogAccepted"`
		} `json:"projects"`
	}
	if json.Unmarshal(file.Data, &record) != nil {
		return false, false
	}
	for dir := p.Work; ; dir = filepath.Dir(dir) {
		if record.Projects[dir].Trusted {
			return true, true
		}
		if dir == p.Root || dir == filepath.Dir(dir) {
			return false, true
		}
	}
}

// Damaged lists files of springfield's own that cannot be read.
func Damaged(p Places) []error {
	var all []error
	files, _ := os.ReadDir(p.state("edits"))
	for _, f := range files {
		path := p.state("edits", f.Name())
		if filepath.Ext(path) != ".json" || !f.Type().IsRegular() {
			continue
		}
		data, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(data, new(memory))
		}
		if err != nil {
			all = append(all, &DamagedError{path, err})
		}
	}
	ids, _ := p.journalled()
	for _, id := range ids {
		if _, err := p.entry(id); err != nil {
			all = append(all, err)
		}
	}
	return all
}

// Honoured is how many continues in a row Claude Code honours with the value of
// CLAUDE_CODE_STOP_HOOK_BLOCK_CAP that settings give.
func Honoured(i Inventory) int {
	value, _, found := i.Env(BlockCap)
	return honoured(value, found)
}

// Model is the model that settings choose, and the layer that it comes from; ""
// if they leave it to Claude Code.
func (i Inventory) Model() (model, from string) {
	raw, layer, ok := i.find("model")
	if !ok {
		return "", ""
	}
	return stringIn(raw), layer.Name
}

// MarketNamed is a marketplace that Claude Code knows, or that user settings
// declare to it.
func MarketNamed(p Places, name string) (Market, bool) {
	m, err := p.market(name)
	return m, err == nil
}
