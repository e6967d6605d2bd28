package journal

// Another program's part of a change: a host's own plugin command, which copies a plugin
// and writes its own settings anew. Its copy stays; of the settings, every byte is given
// back before the change itself is written.

import (
	"crypto/rand"
	"errors"
	"os"
	"slices"
	"time"
)

// RunError says that another program has not done its part. All files are as before.
type RunError struct{ Err error }

func (e *RunError) Error() string { return e.Err.Error() }
func (e *RunError) Unwrap() error { return e.Err }

// runOther has the other program do its part. left are the files that have not got their
// bytes back.
func (c Change) runOther() (left []string, err error) {
	if c.Run == nil {
		return nil, nil
	}
	kept := slices.DeleteFunc(slices.Concat(c.Edits, c.Keep), func(e Edit) bool { return e.Own || e.isDirectory() })
	links := make([]string, len(kept))
	for i, e := range kept {
		links[i], _ = os.Readlink(e.Path) // "" for a file that is none
	}
	if failed := c.Run(); failed != nil {
		err = &RunError{failed}
	}
	for i, e := range kept {
		if failed := e.giveBack(links[i]); failed != nil {
			err = errors.Join(err, failed)
			left = append(left, e.Path)
		}
	}
	return left, err
}

// giveBack gives a file the bytes and the mode back that it had, and a link that was
// replaced by a file.
func (e Edit) giveBack(link string) error {
	if now, _ := os.Readlink(e.Path); link != "" && now != link {
		fresh := tempName(e.Path, rand.Text())
		err := os.Symlink(link, fresh)
		if err == nil {
			err = os.Rename(fresh, e.Path)
		}
		if err != nil {
			_ = os.Remove(fresh)
			return nameFailure("write", e.Path, err)
		}
	}
	now, err := OpenEdit(e.In, e.Path)
	if err != nil {
		return err
	}
	now.After = e.Before
	return now.WriteUnjournaled()
}

// isInterrupted tells whether an entry is of a change that was killed, and another program may
// have been at its files.
func (e Entry) isInterrupted() bool { return e.open && len(e.Calls) > 0 }

// maxRun is longer than all commands of a call can take.
const maxRun = 5 * time.Minute

// isEdited tells whether a file was written after the other program of a change that was
// killed can have been at it: then it is the user's again.
func (e Entry) isEdited(at string) bool {
	info, err := os.Lstat(at)
	return err == nil && info.ModTime().After(e.written.Add(maxRun*time.Duration(len(e.Calls))))
}
