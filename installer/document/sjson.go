package document

// What sjson does: it sets and removes by path what is there, and builds the JSON of
// members that are not. It knows no layout: where new text begins a line, and what a
// removed member leaves of its separators, edit.go and layout.go decide.

import (
	"strconv"
	"strings"

	"github.com/tidwall/sjson"
)

// put is the text after one splice in the place of what is at a path. sjson finds and
// changes it by the path; what it gives is taken only if every byte around is as it
// was. It reads some keys in other ways than encoding/json, such as empty ones and
// broken escapes: these are spliced here.
func (d *Document) put(objects []*value, path []string, s splice) string {
	around, behind := d.text[:s.start], d.text[s.end:]
	if at, ok := d.sjsonPath(objects, path); ok {
		var after string
		var err error
		if s.text == "" {
			after, err = sjson.Delete(d.text, at)
		} else {
			after, err = sjson.SetRaw(d.text, at, s.text)
		}
		if err == nil && len(after) == len(around)+len(s.text)+len(behind) &&
			strings.HasPrefix(after, around) && strings.HasSuffix(after, behind) && after[len(around):len(after)-len(behind)] == s.text {
			return after
		}
	}
	return around + s.text + behind
}

// sjsonPath is a path in the words of sjson; an element is named by its place.
func (d *Document) sjsonPath(objects []*value, path []string) (string, bool) {
	keys := make([]string, len(path))
	for i, key := range path {
		_, inArray := elementName(key)
		switch {
		case key == "":
			return "", false
		case inArray:
			if _, err := d.member(objects[i], key); err != nil {
				return "", false
			}
			keys[i] = strconv.Itoa(objects[i].index.first[key])
		default:
			keys[i] = sjsonKey(key)
		}
	}
	return strings.Join(keys, "."), true
}

// sjsonKey is a key that is one, whatever it looks like to sjson.
func sjsonKey(key string) string {
	b := []byte{':'} // a number is a key, too
	for i := range len(key) {
		if c := key[i]; c > ' ' && c < 0x7f && c != '_' && c != '-' && !isAlphanumeric(c) {
			b = append(b, '\\')
		}
		b = append(b, key[i])
	}
	return string(b)
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// wrapped is a value in one object, or array, per key.
func wrapped(keys []string, value string) string {
	for i := len(keys) - 1; i >= 0; i-- {
		_, inArray := elementName(keys[i])
		if inArray {
			value, _ = sjson.SetRaw("[]", "-1", value) // it appends, whatever the value
			continue
		}
		if text, err := sjson.SetRaw("{}", sjsonKey(keys[i]), value); keys[i] != "" && err == nil && !strings.ContainsAny(keys[i], "<>&\u2028\u2029") {
			value = text
			continue
		}
		value = "{" + Quote(keys[i]) + ":" + value + "}"
	}
	return value
}
