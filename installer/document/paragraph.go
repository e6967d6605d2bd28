package document

// Appending a paragraph to a text that its owner writes, such as CLAUDE.md.
//
// The rules:
//   - what is there stays as it is, and the text goes on as it was: with the
//     line ends of its last line, and with a final line end only if it had one;
//   - a paragraph that is in the text already is not added again, wherever its
//     owner has moved it and whatever the line ends are.

import "strings"

// AppendParagraph is a text with a paragraph at its end, unless it has it.
func AppendParagraph(have, paragraph string) (after string, changed bool) {
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
	case strings.Trim(have, ByteOrderMark+blanks) == "":
		return have + paragraph + end, true
	case strings.HasSuffix(have, end+end):
		return have + paragraph + end, true
	case strings.HasSuffix(have, end):
		return have + end + paragraph + end, true
	}
	return have + end + end + paragraph, true
}
