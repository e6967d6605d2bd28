package document

// Editing a document.
//
// The rules:
//   - a change is one splice: the bytes before and behind it are copied;
//   - what already means what a change asks for is left as it is written;
//   - a member is added behind its last sibling and takes that one's
//     separators; removing takes them away again, so the two cancel out;
//   - nothing is given out before it has been read back: it must mean exactly
//     what was asked for, and every other member must still be there, in its
//     order, byte for byte.
//
// How new text looks is decided in layout.go.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
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

// Encode gives the JSON text of v for an Edit. It differs from json.Marshal
// in that `&`, `<` and `>` stay readable.
func Encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Apply gives the document's bytes after the edits, made one after the
// other; the document itself stays as it is. It refuses with a *SyntaxError
// what Get refuses on any of the paths, and with other errors values that are
// not JSON, edits that contradict each other, and results that Parse would
// refuse. With an error there are no bytes.
func (d *Document) Apply(edits ...Edit) ([]byte, error) {
	for _, edit := range edits {
		if err := edit.check(); err != nil {
			return nil, err
		}
	}
	after := d
	for _, edit := range edits {
		next, err := after.apply(edit)
		if err != nil {
			// A place in a half-changed document says nothing to its owner.
			if _, _, original := d.find(edit.Path); original != nil {
				return nil, original
			}
			return nil, fmt.Errorf("change %s: %s", edit.name(), problem(err))
		}
		after = next
	}
	if after == d {
		return []byte(d.source), nil
	}
	if err := faithful(d, after, edits); err != nil {
		return nil, err
	}
	return []byte(after.source), nil
}

func (e Edit) name() string {
	return fmt.Sprintf("%q", strings.ReplaceAll(strings.Join(e.Path, "/"), element, ""))
}

func (e Edit) check() error {
	if len(e.Path) == 0 {
		return errors.New("a change needs a path")
	}
	for _, key := range e.Path {
		// Broken escapes such as \ud800 read as the replacement character: with
		// it in a key, two different members would look like one.
		if strings.ContainsRune(key, utf8.RuneError) {
			return fmt.Errorf("change %s: the key %q is not UTF-8", e.name(), key)
		}
	}
	if e.Value == nil {
		return nil
	}
	if _, err := parse(string(e.Value)); err != nil {
		return fmt.Errorf("change %s: the value is not JSON: %w", e.name(), err)
	}
	return nil
}

// splice replaces text[start:end].
type splice struct {
	start, end int
	text       string
}

// apply makes one change. It gives d itself when there is nothing to do.
func (d *Document) apply(e Edit) (*Document, error) {
	objects, found, err := d.find(e.Path)
	if err != nil {
		return nil, err
	}
	var s splice
	switch {
	case e.Value == nil && found == nil, e.Value != nil && found != nil && d.holds(found.value, e):
		return d, nil
	case e.Value == nil:
		s = d.remove(objects[len(objects)-1], found)
	case found == nil:
		s, err = d.insert(objects, e)
	default:
		s, err = d.replace(objects, found, e)
	}
	if err != nil {
		return nil, err
	}
	text := d.text[:s.start] + s.text + d.text[s.end:]
	if found != nil {
		text = d.put(objects, e.Path, s)
	}
	after, err := Parse([]byte(d.mark + text))
	if err != nil {
		return nil, fmt.Errorf("the result would be refused: %s", problem(err))
	}
	return after, nil
}

// problem is what an error says without the place.
func problem(err error) string {
	var syntax *SyntaxError
	if errors.As(err, &syntax) {
		return syntax.Problem
	}
	return err.Error()
}

// holds tells whether v already is what an edit asks for.
func (d *Document) holds(v *value, e Edit) bool {
	if e.Verbatim {
		return d.raw(v) == strings.Trim(string(e.Value), blanks)
	}
	is, err := decode(d.raw(v))
	wanted, wantedErr := decode(string(e.Value))
	return err == nil && wantedErr == nil && equal(is, wanted)
}

// remove takes the separator before the member along, or the one behind it for
// the first; a sole member leaves empty braces.
func (d *Document) remove(object *value, m *member) splice {
	siblings := object.members
	i := slices.IndexFunc(siblings, func(sibling member) bool { return sibling.start == m.start })
	switch {
	case i > 0:
		return splice{start: siblings[i-1].value.end, end: m.value.end}
	case len(siblings) > 1:
		return splice{start: m.start, end: siblings[1].start}
	}
	return splice{start: object.start + 1, end: object.end - 1}
}

// insert adds the member behind its last sibling. An empty object is written
// anew with the member in it.
func (d *Document) insert(objects []*value, e Edit) (splice, error) {
	object := objects[len(objects)-1]
	missing := e.Path[len(objects)-1:]
	if len(object.members) == 0 {
		f, err := newFragment(missing, e)
		if err != nil {
			return splice{}, err
		}
		return splice{object.start, object.end, d.fill(objects).render(f)}, nil
	}
	f, err := newFragment(missing[1:], e)
	if err != nil {
		return splice{}, err
	}
	separator := d.separator(object)
	indent := d.indent(object.last().value.end)
	if _, line, ok := cutLastLine(separator); ok {
		indent = leadingBlanks(line)
	}
	text := d.fit(objects, nil, f, indent).render(f)
	if d.isObject(object) {
		text = Quote(missing[0]) + d.colon(objects) + text
	}
	text = separator + text
	return splice{object.last().value.end, object.last().value.end, text}, nil
}

func (d *Document) replace(objects []*value, m *member, e Edit) (splice, error) {
	f, err := newFragment(nil, e)
	if err != nil {
		return splice{}, err
	}
	text := d.fit(objects, m.value, f, d.indent(m.start)).render(f)
	return splice{m.value.start, m.value.end, text}, nil
}

// fragment is new text for a document before it is laid out.
type fragment struct {
	text     string
	root     *value
	verbatim *value // the value whose text stays, or nil
}

// newFragment wraps the value of an edit into one object, or array, per key.
func newFragment(keys []string, e Edit) (fragment, error) {
	text := wrapped(keys, strings.Trim(string(e.Value), blanks))
	root, err := parse(text)
	if err != nil {
		return fragment{}, err
	}
	f := fragment{text: text, root: root}
	if e.Verbatim {
		f.verbatim = root
		for range keys {
			f.verbatim = f.verbatim.members[0].value
		}
	}
	return f, nil
}

// Quote is the JSON text of a key.
func Quote(key string) string {
	text, _ := Encode(key) // a string always has a JSON text
	return string(text)
}

// faithful reads both documents afresh and compares meaning and text.
func faithful(before, after *Document, edits []Edit) error {
	wanted, err := decode(before.text)
	if err != nil {
		return err
	}
	is, err := decode(after.text)
	if err != nil {
		return err
	}
	paths := make([][]string, len(edits))
	for i, e := range edits {
		paths[i] = e.Path
		if err := e.on(wanted); err != nil {
			return err
		}
	}
	if !equal(is, wanted) || !keeps(before, after, before.root, after.root, paths) {
		return errUnfaithful
	}
	return nil
}

// on makes the change to decoded JSON.
func (e Edit) on(root any) error {
	_, err := e.in(root, e.Path)
	return err
}

// in makes it in a container, along the rest of the path, and gives the container
// as it is then.
func (e Edit) in(container any, path []string) (any, error) {
	name, inArray := elementName(path[0])
	if inArray {
		list, ok := container.([]any)
		if !ok {
			return nil, errUnfaithful
		}
		i := slices.IndexFunc(list, func(v any) bool {
			object, ok := v.(map[string]any)
			return ok && object["name"] == name
		})
		switch {
		case i < 0 && e.Value == nil:
			return list, nil
		case i < 0:
			list = append(list, nil)
			i = len(list) - 1
		case len(path) == 1 && e.Value == nil:
			return slices.Delete(list, i, i+1), nil
		}
		v, err := e.below(list[i], path)
		list[i] = v
		return list, err
	}
	object, ok := container.(map[string]any)
	if !ok {
		return nil, errUnfaithful
	}
	was, found := object[path[0]]
	switch {
	case !found && e.Value == nil:
		return object, nil
	case len(path) == 1 && e.Value == nil:
		delete(object, path[0])
		return object, nil
	}
	v, err := e.below(was, path)
	object[path[0]] = v
	return object, err
}

// below is the value at the first key of the path after the change; what is
// missing is made.
func (e Edit) below(was any, path []string) (any, error) {
	if len(path) == 1 {
		return decode(string(e.Value))
	}
	if was == nil {
		was = map[string]any{}
		if _, inArray := elementName(path[1]); inArray {
			was = []any{}
		}
	}
	return e.in(was, path[1:])
}

// keeps tells whether the members, or elements, that lie on none of the paths are
// the same text in both containers, in the same order, and so on inside the others.
func keeps(before, after *Document, b, a *value, paths [][]string) bool {
	entered := map[string][][]string{}
	for _, path := range paths {
		entered[path[0]] = append(entered[path[0]], path[1:])
	}
	others := func(d *Document, object *value) (texts []string) {
		for i := range object.members {
			m := &object.members[i]
			if _, ok := entered[d.label(object, m)]; !ok {
				texts = append(texts, d.text[m.start:m.value.end])
			}
		}
		return texts
	}
	if !slices.Equal(others(before, b), others(after, a)) {
		return false
	}
	for key, rest := range entered {
		if slices.ContainsFunc(rest, func(path []string) bool { return len(path) == 0 }) {
			continue // the whole member is ours
		}
		was, wasErr := before.member(b, key)
		is, isErr := after.member(a, key)
		switch {
		case wasErr != nil || isErr != nil:
			return false
		case was == nil:
		case is == nil || !isContainer(before.text, was.value) || before.text[was.value.start] != after.text[is.value.start]:
			return false
		case !keeps(before, after, was.value, is.value, rest):
			return false
		}
	}
	return true
}
