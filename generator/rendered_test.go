package generator

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The record gives back what was noted, in a checkout with other line ends too.
func TestRecord(t *testing.T) {
	r := rendered{}
	r.add([]File{
		{Path: "README.md", Data: []byte("# hooks\r\n\nhello\n")},
		{Path: "empty", Data: nil},
		{Path: "no end", Data: []byte("one\ntwo")},
		{Path: "nested.txtar", Data: []byte("head\n-- a --\nb\n-- c --\n")},
		{Path: "begins.txtar", Data: []byte("-- a --")},
		{Path: "conflict.md", Data: []byte("a\n<<<<<<< HEAD\n")},
		{Path: "blank", Data: []byte("\n")},
		{Path: "p/icon.png", Data: []byte("\x89PNG\x00")},
		{Path: "p/old-mac", Data: []byte("a\rb\r")},
		{Path: "p/hooks/springfield-hook", Data: []byte("#!/bin/sh\n"), Compiled: true},
		{Path: SuiteFile, Data: []byte("marketplace: x\n")},
	})
	if len(r) != 10 || r["README.md"].text != "# hooks\n\nhello\n" || r["p/hooks/springfield-hook"].sum == "" || r["p/icon.png"].sum == "" || r["p/old-mac"].sum == "" {
		t.Errorf("noted %+v", r)
	}
	for name, text := range map[string]string{"as it is": string(r.file().Data), "CRLF": strings.ReplaceAll(string(r.file().Data), "\n", "\r\n")} {
		got, err := decodeRendered([]byte(text))
		if err != nil || !maps.Equal(got, r) {
			t.Errorf("%s: %v\n%+v\n%+v", name, err, got, r)
		}
	}
}

func TestRecordIsNotTrusted(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, filepath.FromSlash(RecordFile))
	if got, err := readRendered(dir); err != nil || len(got) > 0 {
		t.Errorf("without a record: %v, %v", got, err)
	}
	if err := os.Mkdir(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"up and out":       "-- ../x --\n",
		"absolute":         "-- /etc/passwd --\n",
		"roundabout":       "-- a/../../x --\n",
		"not clean":        "-- a//x --\n",
		"git's":            "-- .git/config --\n",
		"git's, on a Mac":  "-- .GIT/config --\n",
		"the answers":      "-- springfield.yaml --\n",
		"itself":           "-- .springfield/rendered.txtar --\n",
		"twice":            "-- a --\n-- a --\n",
		"a sum of nothing": "-- /x sha256:" + strings.Repeat("0", 64) + " --\n",
		"git's conflict":   "-- a --\nx\n<<<<<<< HEAD\ny\n",
		"no text":          "-- a --\n\x00\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := readRendered(dir)
		var record *RecordError
		if !errors.As(err, &record) || record.File != file {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Reading never fails badly, and what it gives is given again.
func FuzzRecord(f *testing.F) {
	f.Add("head\n-- a --\nb\n", "text")
	f.Add("-- a quoted --\n>-- b --\n\\ no newline at the end\n", "-- b --")
	f.Add("-- a sha256:"+strings.Repeat("0a", 32)+" --\r\n", "<<<<<<< x")
	f.Add("", ">\n\\ no newline at the end\n-- x --\n")
	f.Fuzz(func(t *testing.T, record, text string) {
		if r, err := decodeRendered([]byte(record)); err == nil {
			again, err := decodeRendered(r.file().Data)
			if err != nil || !maps.Equal(again, r) {
				t.Fatalf("%q: %v\n%+v\n%+v", record, err, r, again)
			}
		}
		r := rendered{}
		r.add([]File{{Path: "a/file", Data: []byte(text)}, {Path: "next", Data: []byte("next\n")}})
		again, err := decodeRendered(r.file().Data)
		if err != nil || !maps.Equal(again, r) {
			t.Fatalf("%q: %v\n%+v\n%+v", text, err, r, again)
		}
	})
}
