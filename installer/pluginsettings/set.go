package pluginsettings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/runtime/secret"
)

// Assignment is the new value of a key. nil removes the key.
type Assignment struct {
	Key   Key
	Value json.RawMessage
}

// ErrInvalid is returned if a settings file cannot be read or the hook would ignore it.
var ErrInvalid = errors.New("read settings")

// PlanSet plans to set keys, or remove keys with no value. Values the hook would refuse and scopes with no file are
// misuse errors. Errors for an unusable file wrap ErrInvalid.
func (s Stack) PlanSet(scope Scope, assignments []Assignment) (c journal.Change, err error) {
	did := check.NamesOf(assignments, func(a Assignment) string {
		if a.Value == nil {
			return "unset " + a.Key.Name
		}
		return "set " + a.Key.Name + "=" + layout.ClipText(secret.Mask(string(a.Value)), 40)
	})
	c = journal.Change{Did: strings.Join(did, ", ") + " of " + s.Plugin.Name, Kind: "rules"}
	var edits []document.Edit
	for _, a := range assignments {
		edits = append(edits, document.Edit{Path: a.Key.pathInFile(), Value: a.Value})
	}
	i := slices.IndexFunc(s.Files, func(f File) bool { return f.Scope == scope })
	if i < 0 {
		says := s.Plugin.Name + " is not in a suite"
		if scope == Project {
			says = "this directory is your home directory, whose settings are not a project's"
		}
		return c, check.Misuse(errors.New(says), "use --scope user to change it for all your sessions")
	}
	f := s.Files[i]
	var link *rooted.LinkError
	if errors.As(f.err, &link) { // already has the path and a hint
		return c, fmt.Errorf("%w: %w", ErrInvalid, link)
	}
	if f.err != nil {
		return c, fmt.Errorf("%w: %s: %s", ErrInvalid, f.Path, f.Fault)
	}
	after, err := f.doc.ApplyEdits(edits...)
	if err == nil {
		after, err = withoutEmpty(after, edits)
	}
	if err != nil {
		return c, fmt.Errorf("%w: %s: %w", ErrInvalid, f.Path, err)
	}
	if len(after) == 0 {
		after = f.data // nothing to remove from a missing file
	}
	// The reason for a value is more useful than that for the file.
	changed := f
	changed.doc, _ = document.ParseDocument(after)
	for _, a := range assignments {
		if a.Value == nil {
			continue
		}
		if _, why := changed.usablePart(a.Key, a.Value, Stack{Files: s.Files[:i]}.ValueOf(a.Key).Value); why != "" {
			hint := "run springfield set " + s.Plugin.Name + " " + a.Key.Name + " to see its value in each file; it can be " + a.Key.Accepts()
			var words []string
			_ = json.Unmarshal(a.Value, &words) // may not be a list
			for _, word := range words {
				if len(a.Key.ids) > 0 && !slices.Contains(a.Key.ids, word) {
					hint = check.HintAtNames(word, "", a.Key.ids, hint)
				}
			}
			return journal.Change{}, check.Misuse(errors.New(a.Key.Name+" would have no effect: "+why), hint)
		}
	}
	if _, _, err := f.below.Overlay(after, f.by); err != nil {
		return c, fmt.Errorf("%w: %s: %w", ErrInvalid, f.Path, err)
	}
	if bytes.Equal(after, f.data) {
		return c, nil
	}
	e, mode := f.edit, fs.FileMode(0o644) // a project's file is committed
	if scope == User {
		mode = 0o600 // a progress command can hold a secret
	}
	// An empty file is removed, unless that would leave a dangling link.
	info, err := os.Lstat(f.Path)
	if len(changed.doc.Fields()) == 0 && scope != Suite && (err != nil || info.Mode()&fs.ModeSymlink == 0) {
		after = nil
	}
	if err := e.PlanContent(after, mode); err != nil {
		return c, fmt.Errorf("write settings: %w", err)
	}
	c.Edits = []journal.Edit{e}
	return c, nil
}

// withoutEmpty removes the objects left empty by removals in applied.
func withoutEmpty(after []byte, applied []document.Edit) ([]byte, error) {
	for _, e := range applied {
		if e.Value != nil || len(e.Path) < 2 {
			continue
		}
		d, err := document.ParseDocument(after)
		if err != nil {
			return nil, err
		}
		around := e.Path[:len(e.Path)-1]
		if raw, ok, err := d.Get(around...); err == nil && ok && document.MeanSame(raw, json.RawMessage("{}")) {
			if after, err = d.ApplyEdits(document.Edit{Path: around}); err != nil {
				return nil, err
			}
		}
	}
	return after, nil
}
