package document

// sjson replaces and deletes members. It cannot insert one with a separator: that goes after
// the last member with the same separators, so that deleting it restores the text.
//
// Each result is parsed and compared: the member must have the new value, and every other byte must be unchanged.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/sjson"
)

// Edit sets or removes one member of a document.
type Edit struct {
	// Path has the keys from the root to the member; missing objects are created. A missing
	// Element is appended to its array.
	Path []string

	// Value is the new value; nil removes the member.
	Value json.RawMessage

	// Verbatim keeps the text of Value, to restore an old one. Otherwise Value is formatted
	// like its surroundings, and an equal member keeps its text.
	Verbatim bool
}

// errUnfaithful means a bug in this package.
var errUnfaithful = errors.New("the edit would change more than it should: nothing is changed")

// EncodeValue is json.Marshal without escapes for `&`, `<` and `>`.
func EncodeValue(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// ApplyEdits returns the document after the edits, in order. The error for a path that Get refuses is a *SyntaxError.
// It also refuses invalid values, contradictory edits and results that ParseDocument would refuse.
func (d *Document) ApplyEdits(edits ...Edit) ([]byte, error) {
	for _, edit := range edits {
		if err := edit.checkEdit(); err != nil {
			return nil, err
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

func (e Edit) nameOf() string {
	return fmt.Sprintf("%q", PathName(e.Path, "/"))
}

// PathName returns a path for messages.
func PathName(path []string, between string) string {
	return strings.ReplaceAll(strings.Join(path, between), element, "")
}

func (e Edit) checkEdit() error {
	if len(e.Path) == 0 {
		return errors.New("a change needs a path")
	}
	for _, key := range e.Path {
		// Invalid escapes such as \ud800 also read as RuneError: two keys would look equal.
		if strings.ContainsRune(key, utf8.RuneError) {
			return fmt.Errorf("change %s: the key %q is not UTF-8", e.nameOf(), key)
		}
	}
	if _, err := parseValue(string(e.Value)); e.Value != nil && err != nil {
		return fmt.Errorf("change %s: the value is not JSON: %w", e.nameOf(), err)
	}
	return nil
}

// applyEdit returns d itself if the edit is a no-op.
func (d *Document) applyEdit(e Edit) (*Document, error) {
	objects, found, err := d.findPath(e.Path)
	if err != nil || found == nil && e.Value == nil || found != nil && e.Value != nil && found.value.holdsEdit(e) {
		return d, err
	}
	around := objects[len(objects)-1]
	members := around.listMembers()
	missing := e.Path[len(objects)-1:]
	var text string
	var start, end int // of the bytes that may change
	switch {
	case found == nil && len(members) == 0: // replace the object
		start, end = around.start, around.endOffset()
		text = d.text[:start] + d.layOutValue(d.text[:start], objects, nil, missing, e) + d.text[end:]
	case found == nil:
		end = members[len(members)-1].value.endOffset()
		start = end
		text = d.text[:end] + separator(around, colonStyle(objects))
		value := d.layOutValue(text, objects, nil, missing[1:], e)
		if around.isObject() {
			text += QuoteKey(missing[0]) + colonStyle(objects)
		}
		text += value + d.text[end:]
	case e.Value != nil:
		start, end = found.value.start, found.value.endOffset()
		value := d.layOutValue(d.text[:found.start], objects, &found.value, nil, e)
		text, err = sjson.SetRaw(d.text, sjsonPath(objects, e.Path), value)
	default:
		i := around.first[found.key]
		start, end = around.start+1, around.endOffset()-1
		// sjson removes one comma and keeps the blanks of both sides. Keep none for a sole
		// member, those before the first one, and those after any other.
		var keep string
		if i+1 < len(members) {
			end, keep = members[i+1].start, found.gap
		}
		if i > 0 {
			start, keep = members[i-1].value.endOffset(), leadingCharacters(d.text[found.value.endOffset():], blanks)
		}
		text = d.text
		if escaped, ok := strings.CutPrefix(text[found.start:], `"\"`); ok {
			text = text[:found.start] + `"\u0022` + escaped // sjson would miss the start of the key
		}
		text, err = sjson.Delete(text, sjsonPath(objects, e.Path))
		if rest, ok := strings.CutPrefix(text, d.text[:start]); ok {
			text = d.text[:start] + keep + strings.TrimLeft(rest, blanks)
		}
	}
	changed, ok := strings.CutPrefix(text, d.text[:start])
	if err != nil || !ok || !strings.HasSuffix(changed, d.text[end:]) {
		return nil, errUnfaithful
	}
	text = d.mark + text
	parse := ParseDocument
	if d.commented {
		parse = ParseCommented
		if text, err = d.placeComments(e, objects, found, start, end, strings.TrimSuffix(changed, d.text[end:])); err != nil {
			return nil, err
		}
	}
	after, err := parse([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("the result would be refused: %s", withoutPosition(err))
	}
	if !isOnly(e, d, after) {
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

// holdsEdit reports whether v already has the value of an edit.
func (v *value) holdsEdit(e Edit) bool {
	if e.Verbatim {
		return v.text == strings.Trim(string(e.Value), blanks)
	}
	return MeanSame(json.RawMessage(v.text), e.Value)
}

// sjsonPath converts a path to sjson's syntax, with escaped keys and indexes of elements.
func sjsonPath(objects []*value, path []string) string {
	var b []byte
	for i, key := range path {
		if i > 0 {
			b = append(b, '.')
		}
		if _, inArray := elementName(key); inArray {
			b = strconv.AppendInt(b, int64(objects[i].first[key]), 10)
			continue
		}
		b = append(b, ':') // not an index
		for i := range len(key) {
			b = append(b, '\\', key[i])
		}
	}
	return string(b)
}

// QuoteKey returns a key in JSON.
func QuoteKey(key string) string {
	text, _ := EncodeValue(key)
	return string(text)
}

// isOnly reports whether an edit is the only difference between before and after.
func isOnly(e Edit, before, after *Document) bool {
	was, is := before.root, after.root
	for i, key := range e.Path {
		old, _ := before.memberOf(was, key)
		found, err := after.memberOf(is, key)
		if err != nil || !slices.Equal(was.otherTexts(key), is.otherTexts(key)) {
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

// otherTexts returns the texts of all members without this key.
func (v *value) otherTexts(key string) (texts []string) {
	for _, m := range v.listMembers() {
		if m.key != key {
			texts = append(texts, v.text[m.start-v.start:m.value.endOffset()-v.start])
		}
	}
	return texts
}
