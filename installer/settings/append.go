package settings

// Appending a paragraph to a text file that its owner writes. What is not UTF-8 is
// refused: what to write behind it cannot be known.

import (
	"errors"
	"fmt"

	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/journal"
)

// newTextMode is for text files that did not exist: they are made to be read by
// everyone who works beside their owner.
const newTextMode = 0o644

// ErrNotText says that a file is not UTF-8 text.
var ErrNotText = errors.New("not text in UTF-8")

// AppendParagraph adds a paragraph to the text file at an absolute path, a blank line before
// it; a file that does not exist is made. When the paragraph is there already, the
// edit changes nothing. An error wraps ErrNotText, or is the system's. in is a
// directory around it that may be anyone's, "" if it lies in none; see journal.OpenEdit.
func AppendParagraph(in, path, text string) (journal.Edit, error) {
	e, err := journal.OpenEdit(in, path)
	if err != nil {
		return e, fmt.Errorf("read text: %w", err)
	}
	had := e.Before.Bytes()
	if !journal.IsText(had) {
		return e, fmt.Errorf("read text: %s: %w", path, ErrNotText)
	}
	after, changed := document.AppendParagraph(string(had), text)
	if !changed {
		return e, nil
	}
	if err := e.ChangeTo([]byte(after), newTextMode); err != nil {
		return e, fmt.Errorf("write text: %w", err)
	}
	return e, nil
}
