package installer

// Appending a paragraph to a text file that its owner writes, such as CLAUDE.md.
//
// The rules:
//   - what is there stays as it is, and the file goes on as it was: with the
//     line ends of its last line, and with a final line end only if it had one;
//   - a paragraph that is in the file already is not added again, wherever its
//     owner has moved it and whatever the line ends are;
//   - what is not UTF-8 is refused: nobody can tell how to write on.

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// newTextMode is for text files that did not exist: they are made to be read by
// whoever works beside their owner.
const newTextMode = 0o644

// ErrNotText says that a file is not UTF-8 text.
var ErrNotText = errors.New("not text in UTF-8")

// PlanAppend adds a paragraph to the text file at an absolute path, a blank line
// before it; a file that does not exist is made. did names the edit for the
// journal. When the paragraph is there already, the plan changes nothing. An
// error wraps ErrNotText, or is the system's. dir is a directory around it that may
// be anybody's, "" if it lies in none; see OpenIn.
func PlanAppend(p Places, dir, path, text, did string) (Plan, error) {
	plan := Plan{Did: did, kind: "text"}
	file, err := OpenIn(dir, path)
	if err != nil {
		return plan, fmt.Errorf("read text: %w", err)
	}
	if !utf8.Valid(file.Data) || strings.ContainsRune(string(file.Data), 0) {
		return plan, fmt.Errorf("read text: %s: %w", path, ErrNotText)
	}
	after, changed := appended(string(file.Data), text)
	if !changed {
		return plan, nil
	}
	if err := writable(file); err != nil {
		return plan, err
	}
	if !file.Exists {
		file.Mode = newTextMode
	}
	known, err := p.recall(file.Path)
	if err != nil {
		return plan, err
	}
	plan.edits = append(plan.edits, newEdit(file, []byte(after), known))
	return plan, nil
}

// appended is a text with a paragraph at its end, unless it has it.
func appended(have, paragraph string) (after string, changed bool) {
	const lf, crlf = "\n", "\r\n"
	paragraph = strings.Trim(strings.ReplaceAll(paragraph, crlf, lf), lf)
	if strings.Contains(strings.ReplaceAll(have, crlf, lf), paragraph) {
		return have, false
	}
	end := lf
	if i := strings.LastIndex(have, lf); i > 0 && have[i-1] == '\r' {
		end = crlf
	}
	paragraph = strings.ReplaceAll(paragraph, lf, end)
	switch {
	case strings.Trim(have, byteOrderMark+blanks) == "":
		return have + paragraph + end, true
	case strings.HasSuffix(have, end+end):
		return have + paragraph + end, true
	case strings.HasSuffix(have, end):
		return have + end + paragraph + end, true
	}
	return have + end + end + paragraph, true
}
