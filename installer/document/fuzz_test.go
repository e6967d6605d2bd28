package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// What FuzzEdit sets, and where.
var (
	fuzzValues = []string{
		`true`, `"a && <b> \u00e9"`, `{"x":{"y":[1,{"z":2.50}]},"e":{}}`, `[]`, `null`, `[1,[2],{"k":"v","l":"w"}]`, `{}`, `-1.0e5`,
	}
	fuzzParents = [][]string{nil, {"enabledPlugins"}, {"a", "b"}}
)

func FuzzEdit(f *testing.F) {
	documents := []string{
		"", "\n", "{}", "{ }\n", "{\n}\n", "\ufeff{}\r\n", `{"a": 1}`, `{"a":1,"b":2}`, `{ "a": 1, "b": 2 }`,
		"{\n  \"a\": 1\n}\n", "{\r\n\t\"a\" : 1,\r\n\t\"b\" : {\r\n\t}\r\n}\r\n", "{ \"a\": 1\n, \"b\": 2\n}", "{\n\n  \"a\": [\n 1, 2],\n\n\"z\":{}}",
		"{\n  \"enabledPlugins\": {\n    \"ned-flanders@superpowers-marketplace\": true\n  },\n  \"model\": \"opus\"\n}\n",
		"{\"enabledPlugins\":{},\"a\":{\"b\":{}}}", "{\n    \"enabledPlugins\": {}, \"a\": {\"b\": { \"k\": 1 }}\n}",
		`{"a":{"b":{"k":1,"k":2}},"k":"\ud800"}`, `{"a":{"b":"text"},"enabledPlugins":null}`, `{"enabledPlugins":[],"enabledPlugins":{}}`,
		"{\"a\":\r1\r,\r\"b\"\r:\r2\r}", `{"\u006b": 1e400, "\"": "\\\"}{,:"}`, "{\"a\":\n{\"b\":\n{\"x\":\n1}}}",
		"// no\n{}", `{"a":1,}`, `{"a":[1,]}`, `{"a"`, `{}{}`, `[{}]`, "{\"\xff\":1}", `{"a":tru`, `{"a":01}`, `{"a":"\#"}`, "\xff\xfe{", "{\u00a0}", `{"a":-`, `{"a":nul#}`,
		strings.Repeat(`{"a":`, 101), strings.Repeat(`{"a":`, 100) + "{}" + strings.Repeat("}", 100), strings.Repeat(`{"a":`, 98) + "{}" + strings.Repeat("}", 98),
	}
	for i, document := range documents {
		for j, key := range []string{"k", "double-shot-latte@superpowers-marketplace", ""} {
			f.Add([]byte(document), key, uint8(7*i+j))
		}
	}
	f.Add([]byte(`{"k":{"x":1}}`), "a", uint8(1))
	f.Add([]byte(`{"a":0}`), "\"\\\u2028<&>", uint8(1))
	f.Add([]byte(`{"a":0}`), "\ufffd", uint8(0))

	f.Fuzz(func(t *testing.T, data []byte, key string, op uint8) {
		d, err := ParseDocument(data)
		if refused := !readable(data); (err != nil) != refused {
			t.Fatalf("Parse(%q) = %v, should it be refused: %v", data, err, refused)
		}
		if err != nil {
			checkRefusal(t, data, err)
			return
		}
		if _, inArray := elementName(key); inArray {
			return // TestElementsInAnyLayout
		}
		path := append(slices.Clone(fuzzParents[int(op)%len(fuzzParents)]), key)
		value := fuzzValues[int(op)/len(fuzzParents)%len(fuzzValues)]
		checkSet(t, data, d, path, value)
		checkRemove(t, data, d, path)
	})
}

// TestEditAnyLayout runs the checks of FuzzEdit on valid documents in random layouts.
func TestEditAnyLayout(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(choices ...string) string { return choices[random.IntN(len(choices))] }
	for range 5000 {
		newline := pick("\n", "\n", "\r\n", "")
		unit, colon, comma, pad := pick("  ", "    ", "\t", ""), pick(": ", ":", " : ", ":\n"), pick(", ", ",", " ,", "\n, "), pick("", " ", "\n")
		var object func(depth int, indent string) string
		object = func(depth int, indent string) string {
			n := random.IntN(4)
			if n == 0 {
				return "{" + pad + "}"
			}
			open, between, end := newline+indent+unit, ","+newline+indent+unit, newline+indent
			if newline == "" || random.IntN(4) == 0 {
				open, between, end = pad, comma, pad
			}
			keys := []string{"a", "b", "k", "enabledPlugins", "x.y@z", "\\u006b2"}
			random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
			var members []string
			for _, key := range keys[:n] {
				value := pick("1", "true", `"\u00e9 && \\"`, "null", "[]", "[1"+comma+"2]", "["+open+"{}"+end+"]")
				if depth < 4 && random.IntN(2) == 0 {
					value = object(depth+1, indent+unit)
				}
				members = append(members, `"`+key+`"`+colon+value)
			}
			return "{" + open + strings.Join(members, between) + end + "}"
		}
		data := []byte(pick("", ByteOrderMark) + pick("", "\n") + object(0, "") + pick("", "\n", "\r\n", " "))
		d, err := ParseDocument(data)
		must(t, err, data)
		path := append(slices.Clone(fuzzParents[random.IntN(len(fuzzParents))]), pick("k", "k2", "a", "new@m.n"))
		checkSet(t, data, d, path, fuzzValues[random.IntN(len(fuzzValues))])
		checkRemove(t, data, d, path)
	}
}

// readable reports, with encoding/json, whether ParseDocument has to accept the data.
func readable(data []byte) bool {
	text := bytes.TrimPrefix(data, []byte(ByteOrderMark))
	if len(data) > MaxSize || !utf8.Valid(text) {
		return false
	}
	if len(bytes.Trim(text, blanks)) == 0 {
		return true
	}
	var root map[string]json.RawMessage
	return json.Unmarshal(text, &root) == nil && root != nil
}

func checkRefusal(t *testing.T, data []byte, err error) {
	var syntax *SyntaxError
	if !errors.As(err, &syntax) || syntax.Problem == "" {
		t.Fatalf("Parse(%q) = %v, want a *SyntaxError", data, err)
	}
	lines := strings.Split(strings.TrimPrefix(string(data), ByteOrderMark), "\n")
	if syntax.Line < 1 || syntax.Line > len(lines) || syntax.Column < 1 || syntax.Column > 1+utf8.RuneCountInString(lines[syntax.Line-1]) {
		t.Fatalf("Parse(%q) = %v, which is no place in it", data, err)
	}
}

// meaning decodes a document, an empty one too.
func meaning(t *testing.T, data []byte) map[string]any {
	root := map[string]any{}
	text := bytes.TrimPrefix(data, []byte(ByteOrderMark))
	if len(bytes.Trim(text, blanks)) == 0 {
		return root
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	must(t, decoder.Decode(&root), data)
	return root
}

// without removes the path and then the parents that are left empty.
func without(root map[string]any, path []string) map[string]any {
	if len(path) > 1 {
		if inner, ok := root[path[0]].(map[string]any); ok && len(without(inner, path[1:])) > 0 {
			return root
		} else if !ok {
			return root
		}
	}
	delete(root, path[0])
	return root
}

// at finds a path in decoded JSON. ok reports whether all parents are objects or absent.
func at(root map[string]any, path []string) (v any, found, ok bool) {
	for i, key := range path {
		if v, found = root[key]; !found {
			return nil, false, true
		}
		if i < len(path)-1 {
			if root, ok = v.(map[string]any); !ok {
				return nil, false, false
			}
		}
	}
	return v, true, true
}

func checkSet(t *testing.T, data []byte, d *Document, path []string, value string) {
	change := Edit{Path: path, Value: json.RawMessage(value)}
	after, err := d.ApplyEdits(change)
	old, found, parentsOK := at(meaning(t, data), path)
	if err != nil {
		message := err.Error()
		if after != nil ||
			!strings.Contains(message, "duplicate key") &&
				(!strings.Contains(message, "not an object") || parentsOK) &&
				(!strings.Contains(message, "is not UTF-8") || utf8.ValidString(path[len(path)-1]) && !strings.Contains(path[len(path)-1], "\ufffd")) {
			t.Fatalf("setting %q in %q: %v", path, data, err)
		}
		return
	}
	if !parentsOK {
		t.Fatalf("setting %q in %q went through what is not an object", path, data)
	}

	is, wanted := meaning(t, after), meaning(t, data)
	var v any
	decoder := json.NewDecoder(strings.NewReader(value))
	decoder.UseNumber()
	must(t, decoder.Decode(&v))
	if set, ok, _ := at(is, path); !ok || !reflect.DeepEqual(set, v) {
		t.Fatalf("setting %q in %q gives %q", path, data, after)
	}
	if !reflect.DeepEqual(without(is, path), without(wanted, path)) {
		t.Fatalf("setting %q in %q changes more: %q", path, data, after)
	}

	again, err := ParseDocument(after)
	must(t, err, "setting", path, data, "gives", after)
	if twice, err := again.ApplyEdits(change); err != nil || !bytes.Equal(twice, after) {
		t.Fatalf("setting %q in %q twice gives %q, then %q, %v", path, data, after, twice, err)
	}

	if found && reflect.DeepEqual(old, v) {
		if !bytes.Equal(after, data) {
			t.Fatalf("setting %q in %q to what it is gives %q", path, data, after)
		}
		return
	}
	if found {
		raw, _, err := d.Get(path...)
		must(t, err)
		checkAround(t, data, after, len(raw))
		back, err := again.ApplyEdits(Edit{Path: path, Value: raw, Verbatim: true})
		if err != nil || !bytes.Equal(back, data) {
			t.Fatalf("setting %q in %q and back gives %q, %v", path, data, back, err)
		}
		return
	}
	checkInsertion(t, data, after, d, again, path)
}

// checkInsertion removes the topmost member that was new.
func checkInsertion(t *testing.T, data, after []byte, d, again *Document, path []string) {
	for n := 1; n <= len(path); n++ {
		if _, found, err := d.Get(path[:n]...); err != nil {
			t.Fatal(err)
		} else if found {
			continue
		}
		parent, _, err := d.Get(path[:n-1]...)
		must(t, err)
		if strings.Trim(string(parent), blanks+"{}") == "" {
			if len(bytes.Trim(data, blanks+ByteOrderMark)) > 0 {
				checkAround(t, data, after, len(parent))
			}
			return
		}
		checkAround(t, data, after, 0)
		back, err := again.ApplyEdits(Edit{Path: path[:n]})
		if err != nil || !bytes.Equal(back, data) {
			t.Fatalf("setting %q in %q and removing it gives %q, %v", path, data, back, err)
		}
		return
	}
}

// checkAround checks that all of before but some consecutive bytes is in after, around the new ones.
func checkAround(t *testing.T, before, after []byte, replaced int) {
	prefix := 0
	for prefix < min(len(before), len(after)) && before[prefix] == after[prefix] {
		prefix++
	}
	suffix := 0
	for suffix < min(len(before), len(after)) && before[len(before)-1-suffix] == after[len(after)-1-suffix] {
		suffix++
	}
	if prefix+suffix < len(before)-replaced {
		t.Fatalf("%q became %q: more than %d bytes are lost", before, after, replaced)
	}
}

func checkRemove(t *testing.T, data []byte, d *Document, path []string) {
	after, err := d.ApplyEdits(Edit{Path: path})
	if err != nil {
		return // for the reasons that checkSet knows
	}
	is, wanted := meaning(t, after), meaning(t, data)
	_, found, _ := at(wanted, path)
	if !found {
		if !bytes.Equal(after, data) {
			t.Fatalf("removing nothing at %q in %q gives %q", path, data, after)
		}
		return
	}
	if _, still, _ := at(is, path); still {
		t.Fatalf("removing %q in %q gives %q", path, data, after)
	}
	object := wanted
	for _, key := range path[:len(path)-1] {
		object = object[key].(map[string]any)
	}
	delete(object, path[len(path)-1])
	if !reflect.DeepEqual(is, wanted) {
		t.Fatalf("removing %q in %q changes more: %q", path, data, after)
	}
}
