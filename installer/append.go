package installer

// Appending a paragraph to a text file that its owner writes. What is not UTF-8 is
// refused: what to write behind it cannot be known.

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/installer/document"
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
	after, changed := document.AppendParagraph(string(file.Data), text)
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
