package document

// JSON with comments, as some programs read their settings. Comments are blanks for an
// edit: it is worked out on a text in which they are blanked out, and made on the text that
// has them. An edit that would take a comment along is refused.

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Commented is a document that may have comments.
type Commented struct {
	*Document
	data []byte
}

var errTakesComment = errors.New("the edit would take a comment along: nothing is changed")

// ParseCommented reads a document that may have comments.
func ParseCommented(data []byte) (*Commented, error) {
	d, err := Parse(WithoutComments(data))
	if err != nil {
		return nil, err
	}
	return &Commented{d, data}, nil
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

// Apply gives the document's bytes after the edits, as Document.Apply does. Comments stay.
func (c *Commented) Apply(edits ...Edit) ([]byte, error) {
	data := c.data
	for _, e := range edits {
		before := WithoutComments(data)
		d, err := Parse(before)
		if err != nil {
			return nil, err
		}
		after, err := d.Apply(e)
		if err != nil {
			return nil, err
		}
		if data, err = spliced(data, before, after); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// spliced makes the one splice that leads from before to after, on data, which differs from
// before in comments.
func spliced(data, before, after []byte) ([]byte, error) {
	from := 0
	for from < len(before) && from < len(after) && before[from] == after[from] {
		from++
	}
	behind := 0
	for behind < len(before)-from && behind < len(after)-from && before[len(before)-1-behind] == after[len(after)-1-behind] {
		behind++
	}
	end := len(before) - behind
	if !bytes.Equal(data[from:end], before[from:end]) {
		return nil, errTakesComment
	}
	made := bytes.Join([][]byte{data[:from], after[from : len(after)-behind], data[end:]}, nil)
	if !bytes.Equal(WithoutComments(made), after) {
		return nil, errTakesComment // it would lie in a comment
	}
	return made, nil
}

// Get is Document.Get: comments are in no value.
func (c *Commented) Get(path ...string) (json.RawMessage, bool, error) {
	return c.Document.Get(path...)
}
