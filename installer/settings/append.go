package settings

// Appending a paragraph to a text file that its owner writes, such as CLAUDE.md.
//
// The rules:
//   - what is there stays as it is, and the text goes on as it was: with the
//     line ends of its last line, and with a final line end only if it had one;
//   - a paragraph that is in the text already is not added again, wherever its
//     owner has moved it and whatever the line ends are;
//   - what is not UTF-8 is refused: what to write behind it cannot be known.

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/journal"
)

// newTextMode is for text files that did not exist: they are made to be read by
// everyone who works beside their owner.
const newTextMode = 0o644

// ErrNotText says that a file is not UTF-8 text.
var ErrNotText = errors.New("not text in UTF-8")

// AppendParagraph adds a paragraph to the text file at an absolute path; a file that does
// not exist is made. An error wraps ErrNotText, or is the system's. in is a directory
// around it that may be anyone's, "" if it lies in none; see journal.OpenEdit.
func AppendParagraph(in, path, text string) (journal.Edit, error) {
	e, err := journal.OpenEdit(in, path)
	if err != nil {
		return e, fmt.Errorf("read text: %w", err)
	}
	had := e.Before.Bytes()
	if !journal.IsText(had) {
		return e, fmt.Errorf("read text: %s: %w", path, ErrNotText)
	}
	after := withParagraph(string(had), text)
	if after == string(had) {
		return e, nil
	}
	if err := e.ChangeTo([]byte(after), newTextMode); err != nil {
		return e, fmt.Errorf("write text: %w", err)
	}
	return e, nil
}

// withParagraph is a text with a paragraph at its end, unless it has it.
func withParagraph(have, paragraph string) string {
	const lf, crlf = "\n", "\r\n"
	paragraph = strings.Trim(strings.ReplaceAll(paragraph, crlf, lf), lf)
	if strings.Contains(strings.ReplaceAll(have, crlf, lf), paragraph) {
		return have
	}
	end := lf
	if i := strings.LastIndex(have, lf); i > 0 && have[i-1] == '\r' {
		end = crlf
	}
	paragraph = strings.ReplaceAll(paragraph, lf, end)
	switch {
	case strings.TrimSpace(strings.TrimPrefix(have, document.ByteOrderMark)) == "", strings.HasSuffix(have, end+end):
		return have + paragraph + end
	case strings.HasSuffix(have, end):
		return have + end + paragraph + end
	}
	return have + end + end + paragraph
}
