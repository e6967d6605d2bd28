package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	mit = `The MIT License

Copyright (c) 1989 Ned Flanders

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`
	copyleft = `This program is free software: you can redistribute it and/or modify it under the terms of the GNU General Public License as published by the Free Software Foundation, either version 3 of the License, or (at your option) any later version.
`
	own = "You may use the donuts on Mondays, with the consent of the owner, and on other days if you have asked the owner twice before noon.\n"
)

// What a module has in its files decides whether springfield may be distributed with it.
func TestLicencesOfAModule(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		error string // part of it; "" is none
	}{
		{"a licence", map[string]string{"LICENSE": mit}, ""},
		{"in another spelling", map[string]string{"licence.md": mit}, ""},
		{"with a line ending of Windows", map[string]string{"COPYING.txt": strings.ReplaceAll(mit, "\n", "\r\n")}, ""},
		{"a notice beside it", map[string]string{"LICENSE": mit, "NOTICE": own}, ""},
		{"one more for a package", map[string]string{"LICENSE": mit, "pie/LICENSE": mit}, ""},
		{"source code of that name", map[string]string{"LICENSE": mit, "license.go": "package pie\n"}, ""},
		{"no file", map[string]string{"README.md": mit}, "has no licence in"},
		{"only a notice", map[string]string{"NOTICE": own}, "has no licence in"},
		{"only a package has one", map[string]string{"pie/LICENSE": mit}, "has no licence in"},
		{"copyleft", map[string]string{"LICENSE": copyleft}, "is not one of"},
		{"copyleft for a package", map[string]string{"LICENSE": mit, "pie/COPYING": copyleft}, "pie/COPYING: the licence GPL-"},
		{"copyleft in a notice", map[string]string{"LICENSE": mit, "NOTICE": copyleft}, "is not one of"},
		{"a licence of its own", map[string]string{"LICENSE": own}, "only 0 % of it"},
		{"a condition after the licence", map[string]string{"LICENSE": mit + strings.Repeat(own, 4)}, "% of it is the text of a known licence"},
		{"nothing in the file", map[string]string{"LICENSE": ""}, "only 0 % of it"},
	} {
		root := t.TempDir()
		write(t, root, c.files)
		write(t, root, map[string]string{"pie/pie.go": "package pie\n", "elsewhere/LICENSE": copyleft}) // elsewhere is not compiled
		text, err := document([]module{{name: "example.org/pie", version: "v1.0.0", root: root, packages: []string{filepath.Join(root, "pie")}}})
		switch {
		case c.error == "" && err != nil, c.error != "" && (err == nil || !strings.Contains(err.Error(), c.error)):
			t.Errorf("%s: %v, want %q", c.name, err, c.error)
		case c.error != "" && !strings.Contains(err.Error(), "example.org/pie v1.0.0"):
			t.Errorf("%s: the error does not name the module: %v", c.name, err)
		case c.error == "" && (!strings.Contains(string(text), "Copyright (c) 1989 Ned Flanders") || strings.Contains(string(text), "\r")):
			t.Errorf("%s: the document is\n%s", c.name, text)
		}
	}
}

// Every module is named that has to be looked at, not only the first one.
func TestAllFailuresAreNamed(t *testing.T) {
	_, err := document([]module{{name: "example.org/moe", root: t.TempDir()}, {name: "example.org/barney", root: t.TempDir()}})
	if err == nil || !strings.Contains(err.Error(), "moe") || !strings.Contains(err.Error(), "barney") {
		t.Error(err)
	}
}

// A module counts if its packages are compiled for any of the targets. What only tests import does not.
func TestLicencesOfAProgram(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"go.mod": "module example.org/bar\n\ngo 1.25\n\nrequire (\n\texample.org/moe v0.0.0\n\texample.org/flaming v0.0.0\n\texample.org/test v0.0.0\n)\n" +
			"replace (\n\texample.org/moe => ./moe\n\texample.org/flaming => ./flaming\n\texample.org/test => ./test\n)\n",
		"cmd/springfield/main.go":         "package main\n\nimport _ \"example.org/moe\"\n\nfunc main() {}\n",
		"cmd/springfield/main_windows.go": "package main\n\nimport _ \"example.org/flaming\"\n",
		"cmd/springfield/main_test.go":    "package main\n\nimport _ \"example.org/test\"\n",
		"moe/go.mod":                      "module example.org/moe\n",
		"moe/moe.go":                      "package moe\n",
		"moe/LICENSE":                     mit,
		"flaming/go.mod":                  "module example.org/flaming\n",
		"flaming/flaming.go":              "package flaming\n",
		"test/go.mod":                     "module example.org/test\n",
		"test/test.go":                    "package test\n",
	})
	t.Setenv("GOFLAGS", "-mod=mod")
	file := filepath.Join(dir, "THIRD_PARTY_LICENSES")
	if err := run(dir, file, []string{"linux/amd64"}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nGo, its standard library and runtime go1", "Copyright 2009 The Go Authors", "\nexample.org/moe ", "Ned Flanders"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "flaming") || strings.Contains(string(text), "example.org/test") {
		t.Errorf("a module is named that is not compiled:\n%s", text)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := run(dir, file, []string{"linux/amd64", "windows/arm64"}); err == nil || !strings.Contains(err.Error(), "example.org/flaming") {
		t.Errorf("a module that Windows needs has no licence: %v", err)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("after a failure there is a file: %v", err)
	}
}

// All that this springfield consists of may be distributed.
func TestLicencesOfSpringfield(t *testing.T) {
	file := filepath.Join(t.TempDir(), "THIRD_PARTY_LICENSES")
	if err := run(filepath.Join("..", ".."), file, []string{"linux/amd64", "darwin/arm64", "windows/amd64"}); err != nil {
		t.Error(err)
	}
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
