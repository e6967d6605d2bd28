package document

// JSON with comments, as some programs read their settings. Comments are blanks for an
// edit: it is worked out on a text in which they are blanked out, and made on the text that
// has them. An edit that would take a comment along is refused.

import (
	"bytes"
	"errors"
)

// ParseCommented reads a document that may have comments. They stay in every edit.
func ParseCommented(data []byte) (*Document, error) {
	d, err := ParseDocument(WithoutComments(data))
	if err != nil {
		return nil, err
	}
	d.source, d.commented = string(data), true
	return d, nil
}

// WithoutComments is a text with blanks where it has comments, so that every other byte
// keeps its place.
func WithoutComments(data []byte) []byte {
	plain := bytes.Clone(data)
	for i := 0; i < len(plain); i++ {
		switch {
		case plain[i] == '"':
			for i++; i < len(plain) && plain[i] != '"'; i++ {
				if plain[i] == '\\' {
					i++
				}
			}
		case bytes.HasPrefix(plain[i:], []byte("//")):
			for ; i < len(plain) && plain[i] != '\n' && plain[i] != '\r'; i++ {
				plain[i] = ' '
			}
		case bytes.HasPrefix(plain[i:], []byte("/*")):
			end := bytes.Index(plain[i+2:], []byte("*/"))
			if end < 0 {
				return plain // the parser says where
			}
			for stop := i + 2 + end + 2; i < stop; i++ {
				if plain[i] != '\n' && plain[i] != '\r' {
					plain[i] = ' '
				}
			}
			i--
		}
	}
	return plain
}

// addComments is the text after an edit with the comments of the source. It makes the
// one change that leads from the source without comments to after.
func addComments(source, after string) (string, error) {
	before := string(WithoutComments([]byte(source)))
	from, behind, most := 0, 0, min(len(before), len(after))
	for from < most && before[from] == after[from] {
		from++
	}
	for behind < most-from && before[len(before)-1-behind] == after[len(after)-1-behind] {
		behind++
	}
	end := len(before) - behind
	made := source[:from] + after[from:len(after)-behind] + source[end:]
	if source[from:end] != before[from:end] || string(WithoutComments([]byte(made))) != after {
		return "", errors.New("the edit would take a comment along: nothing is changed") // or lie in one
	}
	return made, nil
}
