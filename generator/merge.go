// Merging three texts, line by line: what springfield rendered before (base),
// what the user made of it (mine), what springfield renders now (theirs).
//
// The rules:
//   - lines that one side changed follow that side; the same change on both
//     sides counts once;
//   - changes that touch each other, with no common line between them, are a
//     conflict: both texts stay, marked as git marks them;
//   - in JSON neighbouring lines are separate members, so there changes may
//     touch; but a merge counts only if it means what a merge of the values,
//     member by member, means.

package generator

import (
	"reflect"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Marks of a conflict. Their labels tell ours from git's own.
const (
	markMine   = "<<<<<<< your edit\n"
	markMiddle = "=======\n"
	markTheirs = ">>>>>>> springfield\n"
)

// isMarked says whether a text still has a conflict that merge has marked.
func isMarked(text string) bool {
	return strings.Contains("\n"+text+"\n", "\n"+markMine) && strings.Contains("\n"+text+"\n", "\n"+markTheirs)
}

// merge merges texts whose lines end in "\n". Without conflict it is clean.
func merge(base, mine, theirs string) (merged string, clean bool) {
	x, y := udiff.Lines(base, mine), udiff.Lines(base, theirs)
	var b strings.Builder
	at := 0
	clean = true
	for len(x)+len(y) > 0 {
		start, end, i, j := region(x, y)
		b.WriteString(base[at:start])
		a, c := patch(base, start, end, x[:i]), patch(base, start, end, y[:j])
		switch {
		case j == 0 || a == c:
			b.WriteString(a)
		case i == 0:
			b.WriteString(c)
		default:
			clean = false
			b.WriteString(markMine + ended(a) + markMiddle + ended(c) + markTheirs)
		}
		at, x, y = end, x[i:], y[j:]
	}
	b.WriteString(base[at:])
	return b.String(), clean
}

// region is the first stretch of base that the edits x and y change: the first
// edit and all that touch it, i of x and j of y.
func region(x, y []udiff.Edit) (start, end, i, j int) {
	start = -1
	take := func(edits []udiff.Edit, n *int) bool {
		if *n == len(edits) || start >= 0 && edits[*n].Start > end {
			return false
		}
		e := edits[*n]
		if start < 0 {
			start, end = e.Start, e.End
		}
		end = max(end, e.End)
		*n++
		return true
	}
	if len(y) == 0 || len(x) > 0 && x[0].Start <= y[0].Start {
		take(x, &i)
	} else {
		take(y, &j)
	}
	for take(x, &i) || take(y, &j) {
	}
	return start, end, i, j
}

// patch is base[start:end] with the edits made.
func patch(base string, start, end int, edits []udiff.Edit) string {
	var b strings.Builder
	for _, e := range edits {
		b.WriteString(base[start:e.Start])
		b.WriteString(e.New)
		start = e.End
	}
	b.WriteString(base[start:end])
	return b.String()
}

// ended is a text that ends its last line.
func ended(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// mergeJSON merges the texts of JSON documents. There is no merge where both
// sides changed the same value, and where a text is not plain JSON.
func mergeJSON(base, mine, theirs string) (string, bool) {
	var values [3]any
	for i, text := range []string{base, mine, theirs} {
		var err error
		if values[i], err = decode(text); err != nil {
			return "", false
		}
	}
	want, ok := mergeValues(values[0], values[1], values[2])
	if !ok {
		return "", false
	}
	base, mine, theirs = commas(base), commas(mine), commas(theirs)
	x, y := udiff.Lines(base, mine), udiff.Lines(base, theirs)
	// Where both put something at the same place, order can decide the meaning:
	// a new member and a new object behind it.
	for _, order := range [][2][]udiff.Edit{{x, y}, {y, x}} {
		edits, ok := udiff.Merge(order[0], order[1])
		if !ok {
			return "", false
		}
		merged, err := udiff.Apply(base, edits)
		if err != nil {
			return "", false
		}
		merged = noCommas(merged)
		if got, err := decode(merged); err == nil && reflect.DeepEqual(got, want) {
			return merged, true
		}
	}
	return "", false
}

// commas puts a comma behind the last member of every object and list as well,
// so that adding one more changes no line but its own; noCommas takes them away
// again. A JSON string never spans lines, so a line's end is never inside one.
func commas(text string) string {
	return atClosers(text, func(line string) string {
		if strings.HasSuffix(line, "{") || strings.HasSuffix(line, "[") || line == "" {
			return line
		}
		return line + ","
	})
}

func noCommas(text string) string {
	return atClosers(text, func(line string) string { return strings.TrimSuffix(line, ",") })
}

// atClosers changes every line that has a line with } or ] behind it.
func atClosers(text string, change func(line string) string) string {
	lines := strings.SplitAfter(text, "\n")
	closes := false
	for i := len(lines) - 1; i >= 0; i-- {
		bare := strings.TrimRight(lines[i], " \t\n")
		if bare == "" {
			continue
		}
		if closes {
			lines[i] = change(bare) + lines[i][len(bare):]
		}
		first := strings.TrimLeft(bare, " \t")[0]
		closes = first == '}' || first == ']'
	}
	return strings.Join(lines, "")
}

// absent is the value of a member that is not there.
type absent struct{}

// mergeValues merges decoded documents: objects member by member, other lists
// than those of named objects by position.
func mergeValues(base, mine, theirs any) (any, bool) {
	switch {
	case reflect.DeepEqual(mine, theirs), reflect.DeepEqual(base, theirs):
		return mine, true
	case reflect.DeepEqual(base, mine):
		return theirs, true
	}
	if b, m, t, ok := all[map[string]any](base, mine, theirs); ok {
		merged := map[string]any{}
		for _, from := range []map[string]any{b, m, t} {
			for key := range from {
				v, ok := mergeValues(member(b, key), member(m, key), member(t, key))
				if !ok {
					return nil, false
				}
				if v != any(absent{}) {
					merged[key] = v
				}
			}
		}
		return merged, true
	}
	b, m, t, ok := all[[]any](base, mine, theirs)
	if !ok || len(b) != len(m) || len(b) != len(t) {
		return nil, false
	}
	merged := make([]any, len(b))
	for i := range b {
		if merged[i], ok = mergeValues(b[i], m[i], t[i]); !ok {
			return nil, false
		}
	}
	return merged, true
}

// all takes three values for one type, if they all are of it.
func all[T any](base, mine, theirs any) (b, m, t T, ok bool) {
	b, one := base.(T)
	m, two := mine.(T)
	t, three := theirs.(T)
	return b, m, t, one && two && three
}

func member(object map[string]any, key string) any {
	if v, ok := object[key]; ok {
		return v
	}
	return absent{}
}

// decode reads a JSON document strictly: no member may be there twice. A list of
// objects that all have a name of their own becomes an object by "[name]".
func decode(text string) (any, error) {
	d, err := parseJSON([]byte(text))
	return named(d.value), err
}

func named(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v {
			v[key] = named(member)
		}
	case []any:
		for i, item := range v {
			v[i] = named(item)
		}
		return byName(v)
	}
	return value
}

func byName(list []any) any {
	objects := map[string]any{}
	for _, v := range list {
		object, _ := v.(map[string]any)
		if name, ok := object["name"].(string); ok {
			objects["["+name+"]"] = object
		}
	}
	if len(list) == 0 || len(objects) < len(list) {
		return list
	}
	return objects
}
