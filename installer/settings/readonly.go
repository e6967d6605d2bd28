package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
)

// hintDenied adds a hint to an IsFileDenied error: how to get access, the entries to add by hand and, unless instead is
// "", that command for this project alone. It returns other errors and nil unchanged.
func hintDenied(err error, instead string, edits []document.Edit) error {
	if !IsFileDenied(err) {
		return err
	}
	hint, separator := "your settings are unchanged; "+HowToAccess(err), "; add these entries there: "
	for _, edit := range edits {
		if value := string(edit.Value); len(edit.Path) == 2 && value != "false" {
			hint, separator = hint+separator+fmt.Sprintf("%q: {%q: %s}", edit.Path[0], edit.Path[1], value), ", "
		}
	}
	if instead != "" {
		hint += "; for this project alone, run: " + instead
	}
	return check.Advise(err, hint)
}

func IsFileDenied(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// HowToAccess returns a hint for an IsFileDenied error. It suggests chmod only for the user's own unreadable files.
func HowToAccess(denied error) string {
	at := &fs.PathError{}
	errors.As(denied, &at)
	path := at.Path
	target, _ := journal.Resolve(path) // unreadable: no link
	closed := unwritablePath(path)
	info, unseen := os.Stat(closed)
	switch {
	case target != "" && target != path:
		return path + " is a link to " + target + ", as Nix and stow make them; change it at its source"
	case errors.Is(denied, syscall.EROFS):
		return closed + " is on a read-only file system; mount it writable, or change its source"
	case unseen != nil || !journal.MayChmod(info):
		return closed + " belongs to another user; ask them to change it"
	case info.Mode()&0o400 == 0 || info.IsDir() && info.Mode()&0o100 == 0:
		return "chmod u+rwX " + check.QuoteArgument(closed)
	}
	return closed + " is read-only; make it writable if springfield may change it"
}

// unwritablePath returns the path whose mode denies access: the first directory that cannot be entered, or path. If
// path is missing or writable, it returns the directory to write to.
func unwritablePath(path string) string {
	if file, err := os.OpenFile(path, os.O_RDWR, 0); err == nil {
		if info, err := file.Stat(); err != nil || info.Mode()&0o222 != 0 { // root opens a read-only one, too
			path = filepath.Dir(path)
		}
		file.Close()
	}
	for rooted.IsSurelyMissing(path) {
		path = filepath.Dir(path)
	}
	for dir := path; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrPermission) {
			path = filepath.Dir(dir)
		}
	}
	return path
}

// ProbeStateDir returns an error if no file can be created in the state directory or its nearest existing ancestor. It
// writes and removes a temporary file there.
func ProbeStateDir(p client.Places) error {
	dir := rooted.FindUpward(p.StatePath(), rooted.IsTaken) // StatePath would be created there
	f, err := os.CreateTemp(dir, ".springfield-check-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", dir, errors.Unwrap(err))
	}
	_ = f.Close()
	return os.Remove(f.Name())
}
