package tables

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// with is the text with a member set to a value.
func (d *Document) with(path []string, value any) (string, error) {
	was, found := d.at(path)
	if found && canonical(was) == canonical(value) {
		return d.text, nil
	}
	table, ok := value.(map[string]any)
	if !ok {
		return d.withScalar(path, value)
	}
	old, _ := was.(map[string]any)
	if found && old == nil {
		return "", fmt.Errorf("it is no table")
	}
	for _, name := range names(old) {
		if _, stays := table[name]; !stays {
			if err := d.become(d.without(slices.Concat(path, []string{name}))); err != nil {
				return "", err
			}
		}
	}
	if !found && slices.ContainsFunc(names(table), func(name string) bool { return !isTable(table[name]) }) {
		return d.added(path, table)
	}
	return d.withEach(path, table, func(any) bool { return true })
}

// withEach is the text with those members of a table set that which wants.
func (d *Document) withEach(path []string, table map[string]any, which func(any) bool) (string, error) {
	for _, name := range names(table) {
		if !which(table[name]) {
			continue
		}
		text, err := d.with(slices.Concat(path, []string{name}), table[name])
		if err == nil {
			err = d.become(text)
		}
		if err != nil {
			return "", err
		}
	}
	return d.text, nil
}

// isTable tells whether a value is a table.
func isTable(value any) bool {
	_, is := value.(map[string]any)
	return is
}

// become has d be another text.
func (d *Document) become(text string) error {
	now, err := Parse([]byte(text))
	if err == nil {
		*d = *now
	}
	return err
}

// added is the text with a new table behind all others.
func (d *Document) added(path []string, table map[string]any) (string, error) {
	line, ends := d.lineBreak(), d.endsLine()
	var b strings.Builder
	b.WriteString(d.text)
	if !ends {
		b.WriteString(line)
	}
	if d.text != "" {
		b.WriteString(line)
	}
	b.WriteString("[" + Name(path) + "]" + line)
	for _, name := range names(table) {
		if isTable(table[name]) {
			continue
		}
		text, err := literal(table[name])
		if err != nil {
			return "", err
		}
		b.WriteString(written(name) + " = " + text + line)
	}
	text := b.String()
	if !ends { // so that taking it back gives a last line without an end, too
		text = strings.TrimSuffix(text, line)
	}
	if err := d.become(text); err != nil {
		return "", err
	}
	return d.withEach(path, table, isTable)
}

// withScalar sets a member that is no table: where it stands, else below the last member
// of its table, else in a new table.
func (d *Document) withScalar(path []string, value any) (string, error) {
	text, err := literal(value)
	if err != nil {
		return "", err
	}
	parent, name := path[:len(path)-1], path[len(path)-1]
	for _, s := range d.sections {
		for _, k := range s.keys {
			switch {
			case s.array || !slices.Equal(k.path, path):
			case k.value == span{}:
				return "", fmt.Errorf("its value is an array or a table")
			default:
				return d.text[:k.value.start] + text + d.text[k.value.end:], nil
			}
		}
	}
	for _, s := range d.sections {
		if s.array || !slices.Equal(s.path, parent) {
			continue
		}
		at := s.end
		if n := len(s.keys); n > 0 {
			at = d.lineEnd(s.keys[n-1].end)
		}
		before, line := d.text[:at], d.lineBreak()
		if at == len(d.text) && !d.endsLine() {
			return before + line + written(name) + " = " + text, nil
		}
		return before + written(name) + " = " + text + line + d.text[at:], nil
	}
	return d.added(parent, map[string]any{name: value})
}

// without is the text without a member. Of a table the header and the members go, and the
// blank line before the header; comments stay.
func (d *Document) without(path []string) string {
	var cuts []span
	for _, s := range d.sections {
		whole := !s.array && len(s.path) >= len(path) && slices.Equal(s.path[:len(path)], path)
		if whole {
			start := s.start
			for _, blank := range []string{"\r\n", "\n"} {
				if before := d.text[:start]; strings.HasSuffix(before, "\n"+blank) {
					start -= len(blank)
					break
				}
			}
			cuts = append(cuts, span{start, s.end})
		}
		for _, k := range s.keys {
			if whole || !s.array && len(k.path) >= len(path) && slices.Equal(k.path[:len(path)], path) {
				cuts = append(cuts, span{strings.LastIndexByte(d.text[:k.start], '\n') + 1, d.lineEnd(k.end)})
			}
		}
	}
	text := d.text
	for _, cut := range slices.Backward(cuts) {
		text = text[:cut.start] + text[cut.end:]
	}
	if !d.endsLine() {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	}
	return text
}

// endsLine tells whether the last line has an end; no text has none to miss.
func (d *Document) endsLine() bool { return d.text == "" || strings.HasSuffix(d.text, "\n") }

// lineBreak is how lines of the document end.
func (d *Document) lineBreak() string {
	if i := strings.IndexByte(d.text, '\n'); i > 0 && d.text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// literal is a value as TOML writes it.
func literal(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return quoted(v), nil
	case bool:
		return strconv.FormatBool(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			text, err := literal(item)
			if err != nil {
				return "", err
			}
			items[i] = text
		}
		return "[" + strings.Join(items, ", ") + "]", nil
	}
	return "", fmt.Errorf("a value of type %T is not written", value)
}

// written is a key as TOML writes it.
func written(key string) string {
	bare := key != ""
	for _, r := range key {
		bare = bare && (r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z')
	}
	if bare {
		return key
	}
	return quoted(key)
}

// quoted is a text as a basic string.
func quoted(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
