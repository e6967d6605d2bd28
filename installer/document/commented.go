package document

// Some programs accept JSON with comments. Edits keep them: comments in a removed member move to new lines,
// and a new member is added before the comment after the last one.

import (
	"slices"
	"strings"
)

func ParseCommented(data []byte) (*Document, error) {
	comments := findComments(string(data))
	plain := slices.Clone(data) // with blanks for comments, to keep all positions
	for _, c := range comments {
		for i := c.start; i < c.end; i++ {
			if plain[i] != '\n' && plain[i] != '\r' {
				plain[i] = ' '
			}
		}
	}
	d, err := ParseDocument(plain)
	if err != nil {
		return nil, err
	}
	d.source, d.commented = string(data), len(comments) > 0
	return d, nil
}

type comment struct{ start, end int }

// findComments returns the byte ranges of comments in JSON, except an unterminated one.
func findComments(text string) (all []comment) {
	for i := 0; i < len(text); i++ {
		rest, length := text[i:], 0
		switch {
		case rest[0] == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case strings.HasPrefix(rest, "//"):
			if length = strings.IndexAny(rest, "\r\n"); length < 0 {
				length = len(rest)
			}
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return all
			}
			length = end + 4
		}
		if length > 0 {
			all = append(all, comment{i, i + length})
			i += length - 1
		}
	}
	return all
}

// keepComments returns the comments between two offsets, on separate lines. source is d.source without the byte order
// mark.
func (d *Document) keepComments(source string, start, end int) (kept string) {
	line := d.lineEnd() + lineIndent(source[:start])
	for _, c := range findComments(source[start:end]) {
		kept += line + source[start+c.start:start+c.end]
	}
	if behind := strings.TrimLeft(d.text[end:], " \t\r"); kept != "" && !strings.HasPrefix(behind, "\n") {
		kept += line
	}
	return kept
}
