package document

// How new text looks.
//
// The rules, each taken from the nearest place in the document that shows it:
//   - a new member is separated from its last sibling as that one is from the
//     one before it; behind a sole sibling it goes on its own line if that one
//     does;
//   - the colon is spaced as its last sibling's, without a line end;
//   - a new object or array is laid out like the one it replaces, else like its
//     last sibling of that kind, else over several lines where the object around
//     it is; inside it, everything is on one line or everything on its own;
//   - an empty object is filled over several lines if it, or the object around
//     it, is on several lines, or if it is the whole document;
//   - the indentation unit is that of the object around, else the first the
//     document shows, else two spaces; line ends are the document's first.
//
// Strings, numbers and keys inside a new value keep the text they came with.

import "strings"

// layout is how one new value is written.
type layout struct {
	newline     string // empty: everything on one line
	indent      string // of the line the value begins on
	unit        string
	colon       string
	comma       string // on one line
	open, close string // blanks inside the braces on one line
}

// fit lays out a fragment that is, or replaces, the value of a member of the
// last of the objects.
func (d *Document) fit(objects []*value, old *value, f fragment, indent string) layout {
	object := objects[len(objects)-1]
	model := d.model(object, old, f.text[f.root.start])
	if model != nil && d.isBroken(model) || model == nil && d.isBroken(object) {
		return d.onLines(objects, indent)
	}
	return d.onOneLine(objects, model)
}

// fill lays out the last of the objects, an empty one, with a member in it.
func (d *Document) fill(objects []*value) layout {
	object := objects[len(objects)-1]
	around := objects[max(0, len(objects)-2)]
	if object == d.root || d.isBroken(object) || d.isBroken(around) {
		return d.onLines(objects, d.indent(object.start))
	}
	return d.onOneLine(objects, nil)
}

// model is the container that a new one in object is laid out like, or nil.
func (d *Document) model(object, old *value, kind byte) *value {
	shows := func(v *value) bool {
		return d.text[v.start] == kind && isContainer(d.text, v) && (len(v.members) > 0 || d.isBroken(v))
	}
	if old != nil && shows(old) {
		return old
	}
	for i := len(object.members) - 1; i >= 0; i-- {
		if v := object.members[i].value; v != old && shows(v) {
			return v
		}
	}
	return nil
}

func (d *Document) onLines(objects []*value, indent string) layout {
	newline := "\n"
	if i := strings.IndexByte(d.text, '\n'); i > 0 && d.text[i-1] == '\r' {
		newline = "\r\n"
	}
	return layout{newline: newline, indent: indent, unit: d.unit(objects), colon: d.colon(objects)}
}

func (d *Document) onOneLine(objects []*value, model *value) layout {
	l := layout{colon: d.colon(objects)}
	sample := d.sample(objects, model)
	if sample != nil {
		l.colon = d.colonOf(sample.last())
		l.open = d.gap(sample, 0)
		l.close = d.text[sample.last().value.end : sample.end-1]
	}
	switch {
	case model != nil && len(model.members) > 1:
		l.comma = d.gap(model, 1)
	case sample != nil:
		l.comma = d.comma(sample)
	case strings.HasSuffix(l.colon, " "):
		l.comma = ", "
	default:
		l.comma = ","
	}
	return l
}

// sample is an object with members on one line: the model, or else the nearest
// one around, or else the first of the document, or nil.
func (d *Document) sample(objects []*value, model *value) *value {
	shows := func(v *value) bool { return d.isObject(v) && len(v.members) > 0 && !d.isBroken(v) }
	if model != nil && shows(model) {
		return model
	}
	for i := len(objects) - 1; i >= 0; i-- {
		if shows(objects[i]) {
			return objects[i]
		}
	}
	return d.root.first(shows)
}

// separator is what stands before a new last member of an object that has some.
func (d *Document) separator(object *value) string {
	if n := len(object.members); n > 1 {
		return d.gap(object, n-1)
	}
	if end, line, ok := cutLastLine(d.gap(object, 0)); ok {
		return "," + end + line
	}
	return d.comma(object)
}

// comma is the separator in an object on one line. A sole member shows it by
// its other blanks.
func (d *Document) comma(object *value) string {
	switch {
	case len(object.members) > 1:
		return d.gap(object, 1)
	case d.gap(object, 0) != "", strings.HasSuffix(d.colonOf(object.last()), " "), !d.isObject(object):
		return ", "
	}
	return ","
}

// colon is the one of the last member of the innermost object that shows it on
// one line.
func (d *Document) colon(objects []*value) string {
	for i := len(objects) - 1; i >= 0; i-- {
		if len(objects[i].members) == 0 || !d.isObject(objects[i]) {
			continue
		}
		if colon := d.colonOf(objects[i].last()); !strings.Contains(colon, "\n") {
			return colon
		}
	}
	return ": "
}

func (d *Document) colonOf(m member) string { return d.text[m.keyEnd:m.value.start] }

// unit is the indentation of one level.
func (d *Document) unit(objects []*value) string {
	unit := "  "
	shows := func(v *value) bool {
		if len(v.members) == 0 {
			return false
		}
		_, line, broken := cutLastLine(d.gap(v, 0))
		if !broken {
			return false
		}
		step, deeper := strings.CutPrefix(leadingBlanks(line), d.indent(v.start))
		if deeper {
			unit = step
		}
		return deeper
	}
	for i := len(objects) - 1; i >= 0; i-- {
		if shows(objects[i]) {
			return unit
		}
	}
	d.root.first(shows)
	return unit
}

// gap is the text between a member or element and what comes before it.
func (d *Document) gap(around *value, i int) string {
	before := around.start + 1
	if i > 0 {
		before = around.members[i-1].value.end
	}
	return d.text[before:around.members[i].start]
}

// indent is how the line of a place begins.
func (d *Document) indent(offset int) string {
	return leadingBlanks(d.text[strings.LastIndexByte(d.text[:offset], '\n')+1:])
}

// isBroken tells whether a value goes over several lines: no JSON string can
// hold a line end.
func (d *Document) isBroken(v *value) bool { return strings.Contains(d.raw(v), "\n") }

// first finds a value that matches, outer before inner, in document order.
func (v *value) first(matches func(*value) bool) *value {
	if matches(v) {
		return v
	}
	for _, m := range v.members {
		if found := m.value.first(matches); found != nil {
			return found
		}
	}
	return nil
}

// cutLastLine gives the last line end of a text and what follows it.
func cutLastLine(text string) (end, line string, ok bool) {
	i := strings.LastIndexByte(text, '\n')
	if i < 0 {
		return "", "", false
	}
	if i > 0 && text[i-1] == '\r' {
		return "\r\n", text[i+1:], true
	}
	return "\n", text[i+1:], true
}

func leadingBlanks(line string) string {
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

func (l layout) render(f fragment) string {
	var b strings.Builder
	l.write(&b, f, f.root, l.indent)
	return b.String()
}

func (l layout) write(b *strings.Builder, f fragment, v *value, indent string) {
	if v == f.verbatim || !isContainer(f.text, v) {
		b.WriteString(f.text[v.start:v.end])
		return
	}
	braces := f.text[v.start:v.start+1] + f.text[v.end-1:v.end]
	if len(v.members) == 0 {
		b.WriteString(braces)
		return
	}
	inner := indent + l.unit
	open, separator, end := l.newline+inner, ","+l.newline+inner, l.newline+indent
	if l.newline == "" {
		open, separator, end = "", l.comma, ""
		if braces == "{}" {
			open, end = l.open, l.close
		}
	}
	b.WriteString(braces[:1] + open)
	for i, m := range v.members {
		if i > 0 {
			b.WriteString(separator)
		}
		if m.keyEnd > m.start {
			b.WriteString(f.text[m.start:m.keyEnd] + l.colon)
		}
		l.write(b, f, m.value, inner)
	}
	b.WriteString(end + braces[1:])
}
