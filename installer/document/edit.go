package document

// A new member is appended with the separators of the last one, so that removing it restores the text.
//
// Each result is parsed and compared: the member must have the new value, and every other byte must be unchanged.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Edit sets or removes a single member.
type Edit struct {
	// Path contains the keys from the root to the member. Missing objects are created. A missing Element is
	// appended to the array.
	Path []string

	// Value is the new value. nil removes the member.
	Value json.RawMessage

	// Verbatim inserts Value unchanged, to restore old text. Otherwise Value is formatted like the
	// surroundings, and an equal member is left unchanged.
	Verbatim bool
}

// errUnfaithful indicates a bug in this package.
var errUnfaithful = errors.New("the edit would change more than it should, so nothing was changed")

// EncodeValue encodes JSON without escapes for `&`, `<` and `>`.
func EncodeValue(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// ApplyEdits applies edits in order and returns the text. d is unchanged. Paths refused by Get are a *SyntaxError.
// Invalid values, contradictory edits and results refused by ParseDocument are errors too.
func (d *Document) ApplyEdits(edits ...Edit) ([]byte, error) {
	for _, edit := range edits {
		if len(edit.Path) == 0 {
			return nil, errors.New("a change needs a path")
		}
		for _, key := range edit.Path {
			// Invalid escapes such as \ud800 also read as RuneError: two keys would look equal.
			if strings.ContainsRune(key, utf8.RuneError) {
				return nil, fmt.Errorf("change %s: the key %q is not UTF-8", edit.nameOf(), key)
			}
		}
		if _, err := parseValue(string(edit.Value)); edit.Value != nil && err != nil {
			return nil, fmt.Errorf("change %s: the value is not JSON: %w", edit.nameOf(), err)
		}
	}
	after := d
	for _, edit := range edits {
		next, err := after.applyEdit(edit)
		if err != nil {
			// A position in a half-changed document is useless.
			if _, _, original := d.findPath(edit.Path); original != nil {
				return nil, original
			}
			return nil, fmt.Errorf("change %s: %s", edit.nameOf(), withoutPosition(err))
		}
		after = next
	}
	return []byte(after.source), nil
}

func (e Edit) nameOf() (quotedPath string) {
	return fmt.Sprintf("%q", PathName(e.Path, "/"))
}

// PathName joins the keys of a path for messages.
func PathName(path []string, between string) string {
	return strings.ReplaceAll(strings.Join(path, between), element, "")
}

// applyEdit returns the edited document (d itself for a no-op). e.Path is not empty, and e.Value is JSON or nil.
func (d *Document) applyEdit(e Edit) (*Document, error) {
	objects, found, err := d.findPath(e.Path)
	if err != nil || found == nil && e.Value == nil || found != nil && e.Value != nil && found.value.equalsEdit(e) {
		return d, err
	}
	around := objects[len(objects)-1]
	members := around.listChildren()
	missing := e.Path[len(objects)-1:]
	var text string    // the new one
	var start, end int // of the old one
	switch {
	case found == nil && len(members) == 0:
		start, end = around.start, around.endOffset()
		text = d.layOutValue(d.text[:start], objects, nil, missing, e)
	case found == nil:
		start = members[len(members)-1].value.endOffset()
		end, text = start, commaAndGap(around, lastColonStyle(objects))
		value := d.layOutValue(d.text[:start]+text, objects, nil, missing[1:], e)
		if around.isObject() {
			text += EncodeKey(missing[0]) + lastColonStyle(objects)
		}
		text += value
	case e.Value != nil:
		start, end = found.value.start, found.value.endOffset()
		text = d.layOutValue(d.text[:found.start], objects, &found.value, nil, e)
	default:
		start, end = around.cutRangeOf(found)
	}
	parse, source := ParseDocument, d.text
	if d.commented {
		parse, source = ParseCommented, strings.TrimPrefix(d.source, d.mark)
		if len(source) != len(d.text) { // it has only comments: the object goes below them
			whole, err := ParseCommented([]byte(strings.TrimRight(d.source, "\r\n") + d.lineEnd() + d.text))
			if err != nil {
				return nil, err
			}
			return whole.applyEdit(e)
		}
		text = d.keepComments(source, start, end) + text
	}
	after, err := parse([]byte(d.mark + source[:start] + text + source[end:]))
	if err != nil {
		return nil, fmt.Errorf("the result would be invalid: %s", withoutPosition(err))
	}
	if !isOnlyChange(e, d, after) {
		return nil, errUnfaithful
	}
	return after, err
}

func withoutPosition(err error) string {
	var syntax *SyntaxError
	if errors.As(err, &syntax) {
		return syntax.Problem
	}
	return err.Error()
}

func (v *value) equalsEdit(e Edit) bool {
	if e.Verbatim {
		return v.text == strings.Trim(string(e.Value), blanks)
	}
	return MeanSame(json.RawMessage(v.text), e.Value)
}

// cutRangeOf returns the byte range to delete with a member. The first of several ends at the second, others begin
// after the previous one. A sole member includes all blanks.
func (v *value) cutRangeOf(m *member) (start, end int) {
	switch i := v.first[m.key]; {
	case i > 0:
		return v.members[i-1].value.endOffset(), m.value.endOffset()
	case len(v.members) > 1:
		return m.start, v.members[1].start
	}
	return v.start + 1, v.endOffset() - 1
}

// EncodeKey encodes a key as a JSON string.
func EncodeKey(key string) string {
	text, _ := EncodeValue(key)
	return string(text)
}

func isOnlyChange(e Edit, before, after *Document) bool {
	was, is := before.root, after.root
	for i, key := range e.Path {
		old, _ := before.memberOf(was, key)
		found, err := after.memberOf(is, key)
		if err != nil || !slices.Equal(was.otherMembers(key), is.otherMembers(key)) {
			return false
		}
		if found == nil {
			return e.Value == nil && i == len(e.Path)-1
		}
		if i == len(e.Path)-1 {
			return MeanSame(json.RawMessage(found.value.text), e.Value)
		}
		if old == nil {
			old = &member{value: value{text: "{}"}}
		}
		was, is = &old.value, &found.value
	}
	return false
}

func (v *value) otherMembers(key string) (texts []string) {
	for _, m := range v.listChildren() {
		if m.key != key {
			texts = append(texts, v.text[m.start-v.start:m.value.endOffset()-v.start])
		}
	}
	return texts
}
