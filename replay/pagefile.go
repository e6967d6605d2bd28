package replay

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cameronsjo/springfield/internal/rooted"
)

// PageFile is where a page is to be written: a path, and the directory that writing must
// not leave, "" for that of the file.
type PageFile struct{ Path, In string }

// PageError says why a page is not written there.
type PageError struct {
	err  error
	hint string
}

func (e *PageError) Error() string { return "write page: " + e.err.Error() }
func (e *PageError) Unwrap() error { return e.err }

// Hint is what to do about it, "" if that is plain.
func (e *PageError) Hint() string { return e.hint }

// CheckTarget looks before anything is read: a file that is no page of springfield's is
// another's, and is left alone. It tells whether there is a page.
func (p PageFile) CheckTarget() (there bool, err error) {
	info, err := os.Lstat(p.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if dir, err := os.Stat(filepath.Dir(p.Path)); err != nil || !dir.IsDir() {
			return false, &PageError{fmt.Errorf("%s is not a directory", filepath.Dir(p.Path)), "make that directory first, or name another file"}
		}
		return false, nil
	case err != nil:
		return false, &PageError{err, ""}
	case !info.Mode().IsRegular():
		return false, &PageError{fmt.Errorf("%s is not a file", p.Path), "name another file"}
	}
	f, err := os.Open(p.Path)
	if err != nil {
		return false, &PageError{err, ""}
	}
	defer f.Close()
	head := make([]byte, 2048)
	n, _ := io.ReadFull(f, head)
	if n > 0 && !strings.Contains(string(head[:n]), PageMark) {
		return false, &PageError{fmt.Errorf("%s is not a page of springfield replay, so it is left alone", p.Path), "name another file, or move that one away"}
	}
	return n > 0, nil
}

// WritePage writes the page whole, or not at all.
func (p PageFile) WritePage(r Report) (err error) {
	defer func() {
		if err != nil {
			err = &PageError{err, ""}
		}
	}()
	ground := cmp.Or(p.In, filepath.Dir(p.Path))
	in, err := rooted.OpenFolder(ground)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	page, err := filepath.Rel(ground, p.Path)
	if err != nil {
		return err
	}
	return in.Replace(page, ".springfield-page-", func(w io.Writer) error { return WriteHTML(w, r) })
}
