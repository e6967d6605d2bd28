package change

// Another program's part of a change: a host's own plugin command, which copies a plugin
// and writes its own settings anew. Its copy stays; of the settings, every byte is given
// back before the change itself is written.

import (
	"errors"
	"os"
	"slices"
	"time"
)

// RunError says that another program has not done its part. All files are as before.
type RunError struct{ Err error }

func (e *RunError) Error() string { return e.Err.Error() }
func (e *RunError) Unwrap() error { return e.Err }

// run has the other program do its part, and notes in failure which files have not got their
// bytes back.
func (c Change) run(failure *WriteError) error {
	if c.Run == nil {
		return nil
	}
	var kept []shelter
	for _, e := range slices.Concat(c.Edits, c.Keep) {
		if !e.Own && !e.Before.isDir() && !e.After.isDir() {
			kept = append(kept, shelterOf(e))
		}
	}
	var failed error
	if err := c.Run(); err != nil {
		failed = &RunError{err}
	}
	for _, s := range kept {
		if err := s.giveBack(); err != nil {
			failed = errors.Join(failed, err)
			failure.Left = append(failure.Left, s.Path)
		}
	}
	return failed
}

// shelter is a file as it was before another program ran.
type shelter struct {
	Edit
	link string // what the file's path led to, if it is a link itself
}

func shelterOf(e Edit) shelter {
	link, _ := os.Readlink(e.Path) // "" for a file that is none
	return shelter{e, link}
}

// giveBack gives a file the bytes and the mode back that it had, and a link that was
// replaced by a file.
func (s shelter) giveBack() error {
	if s.link != "" {
		if now, _ := os.Readlink(s.Path); now != s.link {
			if err := s.relink(); err != nil {
				return failed("write", s.Path, err)
			}
		}
	}
	now, err := Open(s.In, s.Path)
	if err != nil {
		return err
	}
	now.After = s.Before
	if !now.Changes() {
		return nil
	}
	return now.Write()
}

func (s shelter) relink() error {
	fresh := tempName(s.Path, newToken())
	if err := os.Symlink(s.link, fresh); err != nil {
		return err
	}
	err := os.Rename(fresh, s.Path)
	if err != nil {
		_ = os.Remove(fresh)
	}
	return err
}

// withKept adds the files that a change keeps, so that the journal has their bytes.
func withKept(edits, kept []Edit) []Edit {
	all := slices.Clone(edits)
	for _, k := range kept {
		if k.Before != nil && !slices.ContainsFunc(all, func(e Edit) bool { return e.at == k.at }) {
			k.After = k.Before
			all = append(all, k)
		}
	}
	return all
}

// isKept tells whether an edit changes nothing: its bytes are there for a change that was
// killed while another program ran.
func (f Edited) isKept() bool {
	return f.Before != nil && f.After != nil && !f.isDir() && f.Before.SHA256 != "" && f.Before.SHA256 == f.After.SHA256 && f.Before.Mode == f.After.Mode
}

// isCut tells whether an entry is of a change that was killed, and another program may
// have been at its files.
func (e Entry) isCut() bool { return e.open && len(e.Calls) > 0 }

// maxRun is longer than all commands of a call can take.
const maxRun = 5 * time.Minute

// isEdited tells whether a file was written after the other program of a change that was
// killed can have been at it: then it is the user's again.
func (e Entry) isEdited(at string) bool {
	info, err := os.Lstat(at)
	return err == nil && info.ModTime().After(e.written.Add(maxRun*time.Duration(len(e.Calls))))
}
