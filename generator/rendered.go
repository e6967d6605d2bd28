// The record: what springfield itself last wrote into a suite, as one txtar
// file that reads and diffs well. It is the base of every merge: by it update
// tells an edit of the user's from a text that springfield has changed.
//
// The rules:
//   - a text is kept in full, everything else and every hook by its SHA-256;
//   - line ends count for nothing: a checkout on Windows has others;
//   - springfield.yaml is not in it: its answers are the user's;
//   - what is read from it is not trusted: only paths inside the suite, and none
//     of git's.

package generator

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/tools/txtar"

	"github.com/cameronsjo/springfield/folder"
)

// RecordFile is the record's path in a suite.
const RecordFile = ".springfield/rendered.txtar"

// maxRecord bounds it, in bytes.
const maxRecord = 16 << 20

const recordHead = `What springfield wrote when it made this suite or last updated it. springfield update compares
with it to tell your edits from its own. Keep it with the suite; there is nothing in it to edit.

`

// RecordError is a record that cannot be used.
type RecordError struct {
	File string
	Err  error
}

func (e *RecordError) Error() string { return fmt.Sprintf("read %s: %v", e.File, e.Err) }
func (e *RecordError) Unwrap() error { return e.Err }

// rendered is what springfield wrote, by path.
type rendered map[string]writing

// writing is one file as springfield wrote it: a text with plain line ends, or
// the SHA-256 of anything else.
type writing struct{ text, sum string }

func writingOf(f File) writing {
	text, ok := plain(f.Data)
	if !ok || f.Compiled {
		return writing{sum: sum(f.Data)}
	}
	return writing{text: text}
}

// is says whether a file still is as springfield wrote it.
func (w writing) is(data []byte) bool {
	if w.sum != "" {
		return w.sum == sum(data)
	}
	text, ok := plain(data)
	return ok && text == w.text
}

// plain is a text with "\n" for line ends; false for what is no text.
func plain(data []byte) (string, bool) {
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	return text, utf8.ValidString(text) && !strings.ContainsAny(text, "\x00\r")
}

// withEndsOf gives a plain text the line ends of another one.
func withEndsOf(model []byte, text string) []byte {
	if crlf := bytes.Count(model, []byte("\r\n")); crlf > 0 && 2*crlf >= bytes.Count(model, []byte("\n")) {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return []byte(text)
}

// readRendered reads the record of the suite in a directory; a suite of an
// older springfield has none.
func readRendered(dir string) (rendered, error) {
	file := filepath.Join(dir, filepath.FromSlash(RecordFile))
	data, err := folder.ReadFile(dir, RecordFile, maxRecord)
	var link *folder.LinkError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return rendered{}, nil
	case errors.As(err, &link):
		return nil, fmt.Errorf("read record: %w", err)
	case err != nil:
		return nil, &RecordError{file, cause(err)}
	}
	r, err := decodeRendered(data)
	if err != nil {
		return nil, &RecordError{file, err}
	}
	return r, nil
}

// add notes files as springfield writes them.
func (r rendered) add(files []File) {
	for _, f := range files {
		if f.Path != SuiteFile {
			r[f.Path] = writingOf(f)
		}
	}
}

// file is the record as a file of the suite.
func (r rendered) file() File {
	a := txtar.Archive{Comment: []byte(recordHead)}
	for _, p := range slices.Sorted(maps.Keys(r)) {
		w := r[p]
		switch {
		case w.sum != "":
			a.Files = append(a.Files, txtar.File{Name: p + " sha256:" + w.sum})
		case needsQuote(w.text):
			a.Files = append(a.Files, txtar.File{Name: p + " quoted", Data: quote(w.text)})
		default:
			a.Files = append(a.Files, txtar.File{Name: p, Data: []byte(w.text)})
		}
	}
	return File{Path: RecordFile, Mode: 0o644, Data: txtar.Format(&a)}
}

func decodeRendered(data []byte) (rendered, error) {
	text, ok := plain(data)
	switch {
	case !ok:
		return nil, errors.New("not a text")
	case strings.Contains("\n"+text, conflict):
		return nil, errors.New("it has conflict markers of git")
	}
	summed := regexp.MustCompile(`^(.*) sha256:([0-9a-f]{64})$`)
	r := rendered{}
	for _, f := range txtar.Parse([]byte(text)).Files {
		p, w := f.Name, writing{text: string(f.Data)}
		if m := summed.FindStringSubmatch(f.Name); m != nil {
			p, w = m[1], writing{sum: m[2]}
		} else if bare, ok := strings.CutSuffix(f.Name, " quoted"); ok {
			p, w = bare, writing{text: unquote(string(f.Data))}
		}
		if err := checkPath(p); err != nil {
			return nil, err
		}
		if _, twice := r[p]; twice {
			return nil, fmt.Errorf("%q is listed twice", p)
		}
		r[p] = w
	}
	return r, nil
}

// checkPath refuses what no suite of springfield's has: a record comes with a
// repository, and files that it names can be removed.
func checkPath(p string) error {
	top, _, _ := strings.Cut(p, "/")
	if !filepath.IsLocal(filepath.FromSlash(p)) || path.Clean(p) != p || strings.TrimSpace(p) != p ||
		strings.EqualFold(top, ".git") || p == SuiteFile || p == RecordFile {
		return fmt.Errorf("%q is not a file that springfield writes", p)
	}
	return nil
}

// conflict begins what git writes into a file that it could not merge.
const conflict = "\n<<<<<<< "

// needsQuote says whether txtar would not give a text back as it is, or it
// would look like a conflict.
func needsQuote(text string) bool {
	a := txtar.Parse([]byte(text))
	return len(a.Files) > 0 || string(a.Comment) != text || strings.Contains("\n"+text, conflict)
}

// unended stands behind a quoted text whose last line does not end.
const unended = "\\ no newline at the end\n"

func quote(text string) []byte {
	quoted := ">" + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n>") + "\n"
	if !strings.HasSuffix(text, "\n") {
		quoted += unended
	}
	return []byte(quoted)
}

func unquote(quoted string) string {
	quoted, open := strings.CutSuffix(quoted, unended)
	text := strings.ReplaceAll(strings.TrimPrefix(quoted, ">"), "\n>", "\n")
	if open {
		text = strings.TrimSuffix(text, "\n")
	}
	return text
}
