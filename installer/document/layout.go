package document

// New text is formatted like its surroundings:
//   - Separators and the spacing of colons follow the last siblings.
//   - An object or array is on several lines like the value that it replaces, or the last sibling of its kind, or the
//     object around it. The first member of the whole document gets its own line.
//   - The indentation is that of the object around, or the first in the document, or two spaces.
//   - Line endings follow the first line.

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

type layout struct {
	newline  string // "" for one line
	unit     string
	colon    string
	verbatim bool // for the edit's value, but not for new objects around it
}

// layOutValue formats an edit's value inside new objects or arrays for keys. The result is for the last object, follows
// preceding, and replaces old if not nil. keys omits a new member's key if the caller writes the comma and key. e.Value
// is set.
func (d *Document) layOutValue(preceding string, objects []*value, old *value, keys []string, e Edit) string {
	text := strings.Trim(string(e.Value), blanks)
	for _, key := range slices.Backward(keys) {
		if _, inArray := elementName(key); inArray {
			text = "[" + text + "]"
		} else {
			text = "{" + EncodeKey(key) + ":" + text + "}"
		}
	}
	around, outer := objects[len(objects)-1], objects[max(0, len(objects)-2)]
	members := around.listChildren()
	onLines := around.isMultiline() || len(members) == 0 && (around == d.root || outer.isMultiline())
	like := func(v *value) {
		if v.text[0] == text[0] && (len(v.listChildren()) > 0 || v.isMultiline()) {
			onLines = v.isMultiline()
		}
	}
	for i := range members {
		like(&members[i].value)
	}
	if old != nil {
		like(old)
	}
	l := layout{colon: lastColonStyle(objects), verbatim: e.Verbatim}
	if onLines {
		l.newline, l.unit = d.lineEnd(), indentUnit(objects, d.text)
	}
	var b strings.Builder
	l.writeValue(&b, text, lineIndent(preceding), len(keys))
	return b.String()
}

func (d *Document) lineEnd() string {
	if i := strings.IndexByte(d.text, '\n'); i > 0 && d.text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// commaAndGap returns the comma and blanks before a new last member of a non-empty object or array. colon is from
// lastColonStyle.
func commaAndGap(around *value, colon string) string {
	members := around.listChildren()
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

func commaStyle(colon string) string {
	if strings.HasSuffix(colon, " ") {
		return ", "
	}
	return ","
}

// lastColonStyle returns the last member's colon, with blanks, in the innermost non-empty object. It ignores a colon
// with a newline. The default is ": ".
func lastColonStyle(objects []*value) string {
	for _, v := range slices.Backward(objects) {
		members := v.listChildren()
		if n := len(members); n > 0 && v.isObject() && !strings.Contains(members[n-1].colon, "\n") {
			return members[n-1].colon
		}
	}
	return ": "
}

// indentUnit returns the indentation per level of the innermost object with members on separate lines, or else in the
// root. The default is two spaces.
func indentUnit(objects []*value, docText string) (unitOrBlanks string) {
	shown := slices.Clone(objects)
	slices.Reverse(shown)
	for i := range objects[0].members {
		shown = append(shown, &objects[0].members[i].value)
	}
	for _, v := range shown {
		members := v.listChildren()
		if len(members) == 0 || !strings.Contains(members[0].gap, "\n") {
			continue
		}
		if unit, deeper := strings.CutPrefix(lineIndent(docText[:members[0].start]), lineIndent(docText[:v.start])); deeper {
			return unit
		}
	}
	return "  "
}

func (v *value) isMultiline() bool { return strings.Contains(v.text, "\n") }

func lineIndent(preceding string) string {
	line := preceding[strings.LastIndexByte(preceding, '\n')+1:]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// writeValue writes a value in the layout. The edit's value is levelsToEdit levels below, and unchanged with
// l.verbatim.
func (l layout) writeValue(b *strings.Builder, text, indent string, levelsToEdit int) {
	if !strings.ContainsAny(text[:1], "{[") || l.verbatim && levelsToEdit == 0 {
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
		l.writeValue(b, v.Raw, inner, levelsToEdit-1)
		return true
	})
	if b.Len() > begun {
		b.WriteString(end)
	}
	b.WriteByte(text[len(text)-1])
}
