package settings

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/journal"
)

var ErrNotText = errors.New("not UTF-8 text")

// PlanAppendOnce plans to append a paragraph, unless it is there. A missing file is created. A file not in UTF-8 is
// refused with ErrNotText. For in see journal.OpenEdit.
func PlanAppendOnce(in, path, text string) (journal.Edit, error) {
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
	if err := e.PlanContent([]byte(after), 0o644); err != nil {
		return e, fmt.Errorf("write text: %w", err)
	}
	return e, nil
}

// withParagraph appends a paragraph after a blank line, in the text's line endings, unless the text contains it with
// any. It adds a final newline only if the text is blank or has one.
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
