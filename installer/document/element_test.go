package document

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func setElement(name, member, value string) Edit {
	path := []string{"plugins", Element(name)}
	if member != "" {
		path = append(path, member)
	}
	c := Edit{Path: path}
	if value != "" {
		c.Value = json.RawMessage(value)
	}
	return c
}

func TestElements(t *testing.T) {
	const two = "{\n  \"plugins\": [\n    {\n      \"name\": \"a\",\n      \"version\": \"1.0.0\"\n    },\n    {\n      \"name\": \"b\", \"tags\": [\"x\"]\n    }\n  ]\n}\n"
	checkEdits(t, []edited{
		{"a new last one", two, []Edit{setElement("c", "", `{"name":"c","version":"0.1.0"}`)},
			"{\n  \"plugins\": [\n    {\n      \"name\": \"a\",\n      \"version\": \"1.0.0\"\n    },\n    {\n      \"name\": \"b\", \"tags\": [\"x\"]\n    },\n    {\n      \"name\": \"c\",\n      \"version\": \"0.1.0\"\n    }\n  ]\n}\n"},
		{"a member of one", two, []Edit{setElement("a", "version", `"1.1.0"`)}, strings.Replace(two, "1.0.0", "1.1.0", 1)},
		{"a new member of one", two, []Edit{setElement("b", "version", `"2.0.0"`)}, strings.Replace(two, `["x"]`, `["x"], "version": "2.0.0"`, 1)},
		{"all of one, the same", two, []Edit{setElement("a", "", `{"version":"1.0.0","name":"a"}`)}, two},
		{"without the first", two, []Edit{setElement("a", "", "")}, "{\n  \"plugins\": [\n    {\n      \"name\": \"b\", \"tags\": [\"x\"]\n    }\n  ]\n}\n"},
		{"without the last", two, []Edit{setElement("b", "", "")}, "{\n  \"plugins\": [\n    {\n      \"name\": \"a\",\n      \"version\": \"1.0.0\"\n    }\n  ]\n}\n"},
		{"one that is not there", two, []Edit{setElement("z", "", "")}, two},
		{"one line", `{"plugins":[{"name":"a"},{"name":"b"}]}`, []Edit{setElement("c", "", `{"name":"c"}`)}, `{"plugins":[{"name":"a"},{"name":"b"},{"name":"c"}]}`},
		{"one line, sole, blanks", `{"plugins": [{ "name": "a" }]}`, []Edit{setElement("c", "", `{"name":"c"}`)}, `{"plugins": [{ "name": "a" }, {"name": "c"}]}`},
		{"the first", "{\n  \"plugins\": []\n}\n", []Edit{setElement("c", "", `{"name":"c"}`)}, "{\n  \"plugins\": [\n    {\n      \"name\": \"c\"\n    }\n  ]\n}\n"},
		{"no array yet", "{\n  \"name\": \"m\"\n}\n", []Edit{setElement("c", "", `{"name":"c"}`)}, "{\n  \"name\": \"m\",\n  \"plugins\": [\n    {\n      \"name\": \"c\"\n    }\n  ]\n}\n"},
		{"tabs and CRLF", "{\r\n\t\"plugins\": [\r\n\t\t{\"name\": \"a\"}\r\n\t]\r\n}\r\n", []Edit{setElement("c", "", `{"name":"c"}`)}, "{\r\n\t\"plugins\": [\r\n\t\t{\"name\": \"a\"},\r\n\t\t{\"name\": \"c\"}\r\n\t]\r\n}\r\n"},
		{"elements that are something else", `{"plugins":[1,"a",{"name":7},{"name":"a","x":1}]}`, []Edit{setElement("a", "x", "2")}, `{"plugins":[1,"a",{"name":7},{"name":"a","x":2}]}`},
		{"an escaped name", `{"plugins":[{"name":"\u0061"}]}`, []Edit{setElement("a", "x", "2")}, `{"plugins":[{"name":"\u0061","x":2}]}`},
		{"two changes", two, []Edit{setElement("a", "version", `"1.1.0"`), setElement("c", "", `{"name":"c"}`), setElement("b", "", "")},
			"{\n  \"plugins\": [\n    {\n      \"name\": \"a\",\n      \"version\": \"1.1.0\"\n    },\n    {\n      \"name\": \"c\"\n    }\n  ]\n}\n"},
	})
}

func TestElementsRefused(t *testing.T) {
	for before, want := range map[string]string{
		`{"plugins":[{"name":"a"},{"name":"a"}]}`: `line 1, column 26: a second element named "a"`,
		`{"plugins":{"a":1}}`:                     `line 1, column 12: "plugins" is an object, not an array`,
		`{"plugins":null}`:                        `line 1, column 12: "plugins" is null, not an array`,
	} {
		d, err := ParseDocument([]byte(before))
		must(t, err)
		_, err = d.ApplyEdits(setElement("a", "x", "1"))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", before, err, want)
		}
	}
	d, _ := ParseDocument([]byte(`{}`))
	if _, err := d.ApplyEdits(Edit{Path: []string{Element("a")}, Value: json.RawMessage("1")}); err == nil {
		t.Error("the root is no array, and took an element")
	}
}

// One entry changes and the others keep their bytes; adding and removing one restores the document.
func TestElementsInAnyLayout(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	pick := func(choices ...string) string { return choices[random.IntN(len(choices))] }
	for range 3000 {
		newline, unit, colon := pick("\n", "\r\n", ""), pick("  ", "    ", "\t"), pick(": ", ":")
		inline := pick(", ", ",")
		var entries []string
		n := 1 + random.IntN(4)
		for i := range n {
			members := []string{fmt.Sprintf(`"name"%s"p%d"`, colon, i), `"source"` + colon + pick(`"./x"`, `{"source"`+colon+`"url"}`), `"version"` + colon + `"1.0.0"`}
			random.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
			if newline != "" && random.IntN(2) == 0 {
				entries = append(entries, "{"+newline+unit+unit+unit+strings.Join(members, ","+newline+unit+unit+unit)+newline+unit+unit+"}")
			} else {
				entries = append(entries, "{"+strings.Join(members, inline)+"}")
			}
		}
		head, between, tail := newline+unit+unit, ","+newline+unit+unit, newline+unit
		if newline == "" {
			head, between, tail = "", inline, ""
		}
		text := "{" + newline + unit + `"plugins"` + colon + "[" + head + strings.Join(entries, between) + tail + "]" + newline + "}" + pick("", "\n")
		d, err := ParseDocument([]byte(text))
		must(t, err, text)
		added, err := d.ApplyEdits(setElement("new", "", `{"name":"new","version":"0.1.0"}`))
		must(t, err, text)
		for _, entry := range entries {
			if !strings.Contains(string(added), entry) {
				t.Fatalf("%q lost the entry %q", added, entry)
			}
		}
		again, err := ParseDocument(added)
		must(t, err)
		if gone, err := again.ApplyEdits(setElement("new", "", "")); err != nil || string(gone) != text {
			t.Fatalf("added and removed: %q, %v; was %q", gone, err, text)
		}
		one := random.IntN(n)
		raised, err := d.ApplyEdits(setElement(fmt.Sprintf("p%d", one), "version", `"1.0.1"`))
		must(t, err, text)
		want := slices.Clone(entries)
		want[one] = strings.Replace(want[one], "1.0.0", "1.0.1", 1)
		if wanted := strings.Replace(text, entries[one], want[one], 1); string(raised) != wanted {
			t.Fatalf("got %q, want %q", raised, wanted)
		}
	}
}

// A change is refused or exactly what was asked for, and its reversal restores the document.
func FuzzElements(f *testing.F) {
	f.Add([]byte(`{"plugins":[{"name":"a"},{"name":"b","version":"1"}]}`), "a", "2")
	f.Add([]byte("{\r\n\t\"plugins\" : [\r\n\t\t1, {\"name\": \"\\u0061\"}\r\n\t]\r\n}"), "a", "\"")
	f.Add([]byte(`{"plugins":[]}`), "", "x")
	f.Fuzz(func(t *testing.T, data []byte, name, version string) {
		d, err := ParseDocument(data)
		if err != nil || !utf8.ValidString(version) {
			return
		}
		value, err := EncodeValue(version)
		if err != nil {
			return
		}
		_, had, err := d.Get("plugins", Element(name))
		if err != nil {
			return
		}
		quoted, err := EncodeValue(name)
		if err != nil {
			return
		}
		entry := json.RawMessage(`{"name":` + string(quoted) + `,"version":` + string(value) + `}`)
		after, err := d.ApplyEdits(Edit{Path: []string{"plugins", Element(name)}, Value: entry})
		if err != nil {
			return
		}
		again, err := ParseDocument(after)
		must(t, err, data, after)
		raw, found, err := again.Get("plugins", Element(name))
		if err != nil || !found {
			t.Fatalf("%q: the entry %q is not in %q: %v", data, entry, after, err)
		}
		var is struct{ Name, Version string }
		if err := json.Unmarshal(raw, &is); err != nil || is.Version != version {
			t.Fatalf("%q: the entry became %s, %v", data, raw, err)
		}
		if had {
			return
		}
		if gone, err := again.ApplyEdits(setElement(name, "", "")); err != nil || len(d.text) > 3 && strings.Contains(string(data), `"plugins":[{`) && string(gone) != string(data) {
			t.Fatalf("%q came back as %q, %v", data, gone, err)
		}
	})
}
