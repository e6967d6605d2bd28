package document

// How new text looks.
//
// The rules, each taken from the nearest place in the document that shows it:
//   - a new member is separated from its last sibling as that one is from the
//     one before it; behind a sole sibling it goes on its own line if that one
//     does;
//   - the colon is spaced as its last sibling's, without a line end;
//   - a new object or array goes over several lines if the one it replaces does, else
//     if its last sibling of that kind does, else if the object around it does. So does
//     the first member of the whole document;
//   - the indentation unit is that of the object around, else the first that a member of the
//     document shows, else two spaces; line ends are the document's first.
//
// Strings, numbers and keys inside a new value keep the text they came with.

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// layout is how one new value is written.
type layout struct {
	newline  string // empty: everything on one line
	unit     string
	colon    string
	verbatim bool // the value of the edit, not the objects around it that are new
}

// layOutValue is the text of an edit's value inside new objects, or arrays, for keys. It goes
// into the last of the objects, in the place of an old value or nil, and its line begins
// as the last one of what stands before.
func (d *Document) layOutValue(before string, objects []*value, old *value, keys []string, e Edit) string {
	text := strings.Trim(string(e.Value), blanks)
	for _, key := range slices.Backward(keys) {
		if _, inArray := elementName(key); inArray {
			text = "[" + text + "]"
		} else {
			text = "{" + QuoteKey(key) + ":" + text + "}"
		}
	}
	around, outer := objects[len(objects)-1], objects[max(0, len(objects)-2)]
	members := around.listMembers()
	onLines := around.isBroken() || len(members) == 0 && (around == d.root || outer.isBroken())
	like := func(v *value) {
		if v.text[0] == text[0] && (len(v.listMembers()) > 0 || v.isBroken()) {
			onLines = v.isBroken()
		}
	}
	for i := range members {
		like(&members[i].value)
	}
	if old != nil {
		like(old)
	}
	l := layout{colon: colonStyle(objects), verbatim: e.Verbatim}
	if onLines {
		l.newline, l.unit = d.lineEnd(), indentUnit(objects, d.text)
	}
	var b strings.Builder
	l.writeValue(&b, text, indentOf(before), len(keys))
	return b.String()
}

// lineEnd is the document's first.
func (d *Document) lineEnd() string {
	if i := strings.IndexByte(d.text, '\n'); i > 0 && d.text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// separator is what stands before a new last member of an object that has some.
func separator(object *value, colon string) string {
	members := object.listMembers()
	last := members[len(members)-1]
	line := strings.LastIndexByte(last.gap, '\n')
	switch {
	case len(members) > 1:
		return last.gap
	case line < 0:
		return commaStyle(colon)
	case line > 0 && last.gap[line-1] == '\r':
		line--
	}
	return "," + last.gap[line:]
}

// commaStyle is what separates members on one line, where no two of them show it.
func commaStyle(colon string) string {
	if strings.HasSuffix(colon, " ") {
		return ", "
	}
	return ","
}

// colonStyle is the one of the last member of the innermost object that shows it on
// one line.
func colonStyle(objects []*value) string {
	for _, v := range slices.Backward(objects) {
		members := v.listMembers()
		if n := len(members); n > 0 && v.isObject() && !strings.Contains(members[n-1].colon, "\n") {
			return members[n-1].colon
		}
	}
	return ": "
}

// indentUnit is by how much the innermost object that shows it indents its members, else the
// first member of the document that does.
func indentUnit(objects []*value, text string) string {
	shown := slices.Clone(objects)
	slices.Reverse(shown)
	for i := range objects[0].members {
		shown = append(shown, &objects[0].members[i].value)
	}
	for _, v := range shown {
		members := v.listMembers()
		if len(members) == 0 || !strings.Contains(members[0].gap, "\n") {
			continue
		}
		if unit, deeper := strings.CutPrefix(indentOf(text[:members[0].start]), indentOf(text[:v.start])); deeper {
			return unit
		}
	}
	return "  "
}

// isBroken tells whether a value goes over several lines: no JSON string can
// hold a line end.
func (v *value) isBroken() bool { return strings.Contains(v.text, "\n") }

func indentOf(text string) string {
	return leadingCharacters(text[strings.LastIndexByte(text, '\n')+1:], " \t")
}

// leadingCharacters is what a text has of some characters before all others.
func leadingCharacters(text, chars string) string {
	return text[:len(text)-len(strings.TrimLeft(text, chars))]
}

// writeValue writes a value; the one of the edit is depth levels below.
func (l layout) writeValue(b *strings.Builder, text, indent string, depth int) {
	if !isContainer(text) || l.verbatim && depth == 0 {
		b.WriteString(text)
		return
	}
	inner := indent + l.unit
	open, separator, end := l.newline+inner, ","+l.newline+inner, l.newline+indent
	if l.newline == "" {
		open, separator, end = "", commaStyle(l.colon), ""
	}
	b.WriteByte(text[0])
	between, begun := open, b.Len()
	gjson.Parse(text).ForEach(func(key, v gjson.Result) bool {
		b.WriteString(between)
		between = separator
		if key.Raw != "" {
			b.WriteString(key.Raw + l.colon)
		}
		l.writeValue(b, v.Raw, inner, depth-1)
		return true
	})
	if b.Len() > begun {
		b.WriteString(end)
	}
	b.WriteByte(text[len(text)-1])
}
