// The record: the SHA-256 of every file as springfield last wrote it into a suite. It distinguishes an edit by the
// user from a new text of springfield.
//   - A deletion that an update has accepted has a sum of its own. A deletion by mistake is still found.
//   - Line endings are ignored, because they differ on Windows.
//   - springfield.yaml is not included, because it belongs to the user.
//   - The record is not trusted: it may name only paths inside the suite, and none of git's.

package generator

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
)

const RecordFile = ".springfield/rendered.sha256"

const maxRecord = 1 << 20

// acceptedSum replaces the sum of a deleted file.
const acceptedSum = "0000000000000000000000000000000000000000000000000000000000000000"

// fileSums has the textSum of each file, by path.
type fileSums map[string]string

// textSum returns the SHA-256 of data in hex, reading CRLF in a text as LF.
func textSum(data []byte) string {
	if bytes.IndexByte(data, 0) >= 0 { // a program, too large to normalize
		return journal.HashBytes(data)
	}
	if text, ok := textWithLF(data); ok {
		data = []byte(text)
	}
	return journal.HashBytes(data)
}

// textWithLF converts CRLF to LF. It returns false for a NUL, a lone CR or invalid UTF-8.
func textWithLF(data []byte) (text string, isText bool) {
	text = strings.ReplaceAll(string(data), "\r\n", "\n")
	return text, utf8.ValidString(text) && !strings.ContainsAny(text, "\x00\r")
}

func withLineEndsOf(model []byte, lfText string) []byte {
	if crlf := bytes.Count(model, []byte("\r\n")); crlf > 0 && 2*crlf >= bytes.Count(model, []byte("\n")) {
		lfText = strings.ReplaceAll(lfText, "\n", "\r\n")
	}
	return []byte(lfText)
}

func readRecordIfAny(suiteDir string) (fileSums, error) {
	file := filepath.Join(suiteDir, filepath.FromSlash(RecordFile))
	data, err := rooted.ReadFile(suiteDir, RecordFile, maxRecord)
	var link *rooted.LinkError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.As(err, &link):
		return nil, fmt.Errorf("read record: %w", err)
	}
	var r fileSums
	if err == nil {
		r, err = decodeRecord(data)
	}
	if err != nil {
		return nil, check.Advisef("restore it from git, or remove it, "+
			"and the new version of every file that you changed will be written beside it", "read %s: %w", file, check.DropPath(err))
	}
	return r, nil
}

func (r fileSums) encodeSums() []byte {
	text := "# What springfield wrote when it made this suite or last updated it; springfield update compares with it.\n"
	for _, name := range slices.Sorted(maps.Keys(r)) {
		text += r[name] + "  " + name + "\n"
	}
	return []byte(text)
}

// decodeRecord parses a record. It rejects paths outside the suite or below .git.
func decodeRecord(data []byte) (fileSums, error) {
	text, ok := textWithLF(data)
	if !ok {
		return nil, errors.New("not a text file")
	}
	r := fileSums{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); line == "" || line[0] == '#' {
			continue
		}
		checksum, name, ok := strings.Cut(line, "  ")
		if raw, err := hex.DecodeString(checksum); !ok || err != nil || len(raw) != 32 {
			return nil, fmt.Errorf("%q is not a checksum followed by a file", line)
		}
		top, _, _ := strings.Cut(name, "/")
		if !filepath.IsLocal(filepath.FromSlash(name)) || path.Clean(name) != name || strings.TrimSpace(name) != name ||
			strings.EqualFold(top, ".git") || name == SuiteFile || name == RecordFile {
			return nil, fmt.Errorf("%q is not a file that springfield writes", name)
		}
		if _, twice := r[name]; twice {
			return nil, fmt.Errorf("%q is listed twice", name)
		}
		r[name] = checksum
	}
	return r, nil
}
