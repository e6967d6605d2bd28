package settings

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
)

// suites lists the suites that the user made or named. enable looks up names only in these, so that it takes
// no plugin from a cloned project.
type suites struct {
	Suites   []string `json:"suites"`
	Accounts []string `json:"accounts,omitempty"` // in the home: configuration directories elsewhere; see OtherAccounts
}

func (list suites) encodeTo(e *journal.Edit) (err error) {
	e.After = &journal.Content{Mode: newFileMode}
	e.After.Data, err = json.MarshalIndent(list, "", "  ")
	return err
}

// PlanAddSuite plans to add a suite to the user's list. dir is absolute. The edit changes nothing on error or if dir is
// listed.
func PlanAddSuite(p client.Places, dir string) (journal.Edit, error) {
	e, list, err := readSuites(p)
	if err != nil {
		return e, fmt.Errorf("remember suite: %w", err)
	}
	if !slices.Contains(list.Suites, dir) {
		list.Suites = append(list.Suites, dir)
		err = list.encodeTo(&e)
	}
	return e, err
}

func KnownSuites(p client.Places) (there, gone []string, err error) {
	_, list, err := readSuites(p)
	if err != nil {
		return nil, nil, fmt.Errorf("list suites: %w", err)
	}
	for _, dir := range list.Suites {
		switch {
		case !filepath.IsAbs(dir):
		case rooted.TargetExists(dir):
			there = append(there, dir)
		default:
			gone = append(gone, dir)
		}
	}
	return there, gone, nil
}

func readSuites(p client.Places) (e journal.Edit, list suites, err error) {
	e, err = journal.OpenEdit("", p.StatePath("suites.json"))
	e.State = true
	if err == nil && e.Before != nil {
		if wrong := json.Unmarshal(e.Before.Data, &list); wrong != nil {
			return e, suites{}, &journal.DamagedError{File: e.Path, Err: wrong}
		}
	}
	return e, list, err
}
