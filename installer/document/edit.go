package document

// Editing a document.
//
// The rules:
//   - what already means what a change asks for is left as it is written;
//   - sjson replaces and deletes;
//   - sjson cannot place a new member: it goes behind its last sibling and takes that
//     one's separators; deleting takes them away again, so the two cancel out;
//   - nothing is given out before it has been read back: outside of the place of the
//     change no byte may differ, the member must mean exactly what was asked for, and
//     every other must still be there, in its order, byte for byte.
//
// How new text looks is decided in layout.go.

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
	// Path is the keys from the root to the member. Objects missing on the way
	// are created when setting. An Element is a key, too: of an array that has no
	// such element the value becomes the last one.
	Path []string

	// Value is what the member is set to; nil removes the member, and removing
	// one that is absent changes nothing.
	Value json.RawMessage

	// Verbatim writes Value as its text is, for giving back what a document
	// held before. Otherwise Value is laid out to fit its surroundings, and
	// a member that means the same already keeps its text.
	Verbatim bool
}

// errUnfaithful would be a defect in this package; the document is safe, since
// it is found before any byte leaves it.
var errUnfaithful = errors.New("the edit would change more than it should: nothing is changed")

// EncodeValue gives the JSON text of v for an Edit. It differs from json.Marshal
// in that `&`, `<` and `>` stay readable.
func EncodeValue(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// ApplyEdits gives the document's bytes after the edits, made one after the
// other; the document itself stays as it is. It refuses with a *SyntaxError
// what Get refuses on any of the paths, and with other errors values that are
// not JSON, edits that contradict each other, and results that ParseDocument would
// refuse. With an error there are no bytes.
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
			// A place in a half-changed document says nothing to its owner.
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

// PathName is a path for people.
func PathName(path []string, between string) string {
	return strings.ReplaceAll(strings.Join(path, between), element, "")
}

func (e Edit) checkEdit() error {
	if len(e.Path) == 0 {
		return errors.New("a change needs a path")
	}
	for _, key := range e.Path {
		// Broken escapes such as \ud800 read as the replacement character: with
		// it in a key, two different members would look like one.
		if strings.ContainsRune(key, utf8.RuneError) {
			return fmt.Errorf("change %s: the key %q is not UTF-8", e.nameOf(), key)
		}
	}
	if _, err := parseValue(string(e.Value)); e.Value != nil && err != nil {
		return fmt.Errorf("change %s: the value is not JSON: %w", e.nameOf(), err)
	}
	return nil
}

// applyEdit makes one change. It gives d itself when there is nothing to do.
func (d *Document) applyEdit(e Edit) (*Document, error) {
	objects, found, err := d.findPath(e.Path)
	if err != nil || found == nil && e.Value == nil || found != nil && e.Value != nil && found.value.holdsEdit(e) {
		return d, err
	}
	around := objects[len(objects)-1]
	members := around.listMembers()
	missing := e.Path[len(objects)-1:]
	var text string
	var start, end int // of the bytes that may become others
	switch {
	case found == nil && len(members) == 0: // the object is written anew
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
		// sjson takes one comma along and leaves blanks of both sides. A sole member
		// leaves none, the first one those before it, any other those behind it.
		var keep string
		if i+1 < len(members) {
			end, keep = members[i+1].start, found.gap
		}
		if i > 0 {
			start, keep = members[i-1].value.endOffset(), leadingCharacters(d.text[found.value.endOffset():], blanks)
		}
		text = d.text
		if escaped, ok := strings.CutPrefix(text[found.start:], `"\"`); ok {
			text = text[:found.start] + `"\u0022` + escaped // sjson would not see where the key begins
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
	if d.commented {
		if text, err = d.placeComments(e, objects, found, start, end, strings.TrimSuffix(changed, d.text[end:])); err != nil {
			return nil, err
		}
	}
	after, err := ParseCommented([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("the result would be refused: %s", withoutPosition(err))
	}
	if !isOnly(e, d, after) {
		return nil, errUnfaithful
	}
	return after, err
}

// withoutPosition is what an error says without the place.
func withoutPosition(err error) string {
	var syntax *SyntaxError
	if errors.As(err, &syntax) {
		return syntax.Problem
	}
	return err.Error()
}

// holdsEdit tells whether v already is what an edit asks for.
func (v *value) holdsEdit(e Edit) bool {
	if e.Verbatim {
		return v.text == strings.Trim(string(e.Value), blanks)
	}
	return MeanSame(json.RawMessage(v.text), e.Value)
}

// sjsonPath is a path to what is there, in the words of sjson: every key is one,
// whatever it looks like, and an element is named by its place.
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
		b = append(b, ':') // a number is a key, too
		for i := range len(key) {
			b = append(b, '\\', key[i])
		}
	}
	return string(b)
}

// QuoteKey is the JSON text of a key.
func QuoteKey(key string) string {
	text, _ := EncodeValue(key) // a string always has a JSON text
	return string(text)
}

// isOnly tells whether an edit, and nothing else, leads from before to after.
func isOnly(e Edit, before, after *Document) bool {
	was, is := before.root, after.root
	for i, key := range e.Path {
		old, _ := before.memberOf(was, key) // it was found before
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

// otherTexts is the text of all members, or elements, but those with a key.
func (v *value) otherTexts(key string) (texts []string) {
	for _, m := range v.listMembers() {
		if m.key != key {
			texts = append(texts, v.text[m.start-v.start:m.value.endOffset()-v.start])
		}
	}
	return texts
}
