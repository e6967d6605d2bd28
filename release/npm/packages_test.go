package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// release makes a directory like dist/, in which every program is a script of one line, and the file of licences.
func release(t *testing.T) (dist, licences string) {
	t.Helper()
	dist = t.TempDir()
	var sums strings.Builder
	for _, p := range platforms() {
		text := "#!/bin/sh\n. \"$SPRINGFIELD_SCRIPT\" # " + p.asset + "\n"
		write(t, filepath.Join(dist, p.asset), text)
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256([]byte(text)), p.asset)
	}
	write(t, filepath.Join(dist, "SHA256SUMS"), sums.String())
	licences = filepath.Join(dist, "licences.txt")
	write(t, licences, "The licences of many.\n")
	return dist, licences
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// packages makes the packages of a release in a directory that is not there before.
func packages(t *testing.T, dist, notices, version, to string) error {
	t.Helper()
	here(t)
	return run([]string{"-dist", dist, "-licences", notices, "-version", version, "-to", to}, io.Discard)
}

func TestPackages(t *testing.T) {
	dist, notices := release(t)
	to := filepath.Join(t.TempDir(), "made", "npm")
	if err := packages(t, dist, notices, "v1.2.3-rc.1", to); err != nil {
		t.Fatal(err)
	}
	var got []string
	err := filepath.WalkDir(to, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(to, path)
			info, _ := d.Info()
			mode := info.Mode().String()
			if runtime.GOOS == "windows" { // which has no such modes
				mode = "-rw-r--r--"
				if filepath.Base(filepath.Dir(path)) == "bin" {
					mode = "-rwxr-xr-x"
				}
			}
			got = append(got, mode+" "+filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, name := range []string{"springfield", "springfield-darwin-arm64", "springfield-darwin-x64", "springfield-linux-arm64", "springfield-linux-x64", "springfield-win32-arm64", "springfield-win32-x64"} {
		program := "springfield"
		switch {
		case name == "springfield":
			program = "springfield.js"
		case strings.Contains(name, "win32"):
			program = "springfield.exe"
		}
		for _, file := range []string{"rw-r--r-- LICENSE", "rw-r--r-- README.md", "rw-r--r-- THIRD_PARTY_LICENSES", "rwxr-xr-x bin/" + program, "rw-r--r-- package.json"} {
			mode, file, _ := strings.Cut(file, " ")
			want = append(want, "-"+mode+" "+name+"/"+file)
		}
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("made\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// Each package has the program of its machine.
	for name, asset := range map[string]string{
		"springfield-linux-x64/bin/springfield": "springfield-linux-amd64", "springfield-linux-arm64/bin/springfield": "springfield-linux-arm64",
		"springfield-darwin-x64/bin/springfield": "springfield-darwin-amd64", "springfield-darwin-arm64/bin/springfield": "springfield-darwin-arm64",
		"springfield-win32-x64/bin/springfield.exe": "springfield-windows-amd64.exe", "springfield-win32-arm64/bin/springfield.exe": "springfield-windows-arm64.exe",
	} {
		if !strings.HasSuffix(contents(t, to, name), "# "+asset+"\n") {
			t.Errorf("%s is not %s", name, asset)
		}
	}
}

func TestManifests(t *testing.T) {
	dist, notices := release(t)
	to := filepath.Join(t.TempDir(), "npm")
	if err := packages(t, dist, notices, "1.2.3", to); err != nil {
		t.Fatal(err)
	}
	shared := map[string]string{
		"version": `"1.2.3"`, "license": `"MIT"`, "publishConfig": `{"access":"public","provenance":true}`,
		"repository": `{"type":"git","url":"git+https://github.com/cameronsjo/springfield.git"}`, "files": `["bin","THIRD_PARTY_LICENSES"]`,
		"homepage": `"https://github.com/cameronsjo/springfield#readme"`, "bugs": `{"url":"https://github.com/cameronsjo/springfield/issues"}`,
	}
	for dir, own := range map[string]map[string]string{
		"springfield": {
			"name": `"@cameronsjo/springfield"`, "bin": `{"springfield":"bin/springfield.js"}`, "engines": `{"node":">=18"}`,
			"description": `"Keep coding agents going while work remains"`, "keywords": `["claude-code","codex","copilot","gemini-cli","qwen-code","stop-hook","plugin","cli"]`,
			"optionalDependencies": `{"@cameronsjo/springfield-darwin-arm64":"1.2.3","@cameronsjo/springfield-darwin-x64":"1.2.3","@cameronsjo/springfield-linux-arm64":"1.2.3",` +
				`"@cameronsjo/springfield-linux-x64":"1.2.3","@cameronsjo/springfield-win32-arm64":"1.2.3","@cameronsjo/springfield-win32-x64":"1.2.3"}`,
		},
		"springfield-win32-x64": {
			"name": `"@cameronsjo/springfield-win32-x64"`, "os": `["win32"]`, "cpu": `["x64"]`, "preferUnplugged": "true",
			"description": `"The springfield program for win32 x64"`,
		},
		"springfield-darwin-arm64": {
			"name": `"@cameronsjo/springfield-darwin-arm64"`, "os": `["darwin"]`, "cpu": `["arm64"]`, "preferUnplugged": "true",
			"description": `"The springfield program for darwin arm64"`,
		},
	} {
		var got map[string]json.RawMessage
		if err := json.Unmarshal([]byte(contents(t, to, dir+"/package.json")), &got); err != nil {
			t.Fatal(err)
		}
		want := maps.Clone(shared)
		maps.Copy(want, own)
		for member, value := range got { // npm runs scripts, so there must be no other member either
			var compact bytes.Buffer
			if err := json.Compact(&compact, value); err != nil || compact.String() != want[member] {
				t.Errorf("%s: %s is %s, not %s", dir, member, compact.String(), want[member])
			}
			delete(want, member)
		}
		for member := range want {
			t.Errorf("%s has no %s", dir, member)
		}
	}
}

func contents(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestPackagesRefuse(t *testing.T) {
	const asset = "springfield-darwin-arm64"
	for name, c := range map[string]struct {
		version string
		spoil   func(t *testing.T, dist string)
		says    string
	}{
		"a changed program": {"1.2.3", func(t *testing.T, dist string) { write(t, filepath.Join(dist, asset), "#!/bin/sh\n") }, "and SHA256SUMS says"},
		"a missing program": {"1.2.3", func(t *testing.T, dist string) {
			if err := os.Remove(filepath.Join(dist, asset)); err != nil {
				t.Fatal(err)
			}
		}, asset},
		"a program without a checksum": {"1.2.3", func(t *testing.T, dist string) {
			sums := contents(t, dist, "SHA256SUMS")
			write(t, filepath.Join(dist, "SHA256SUMS"), strings.Replace(sums, asset, "springfield-plan9-arm64", 1))
		}, "SHA256SUMS has no " + asset},
		"two checksums of one program": {"1.2.3", func(t *testing.T, dist string) {
			sums := contents(t, dist, "SHA256SUMS")
			write(t, filepath.Join(dist, "SHA256SUMS"), sums+sums)
		}, "line 7: springfield-linux-amd64 is listed a second time"},
		"a cut checksum": {"1.2.3", func(t *testing.T, dist string) {
			write(t, filepath.Join(dist, "SHA256SUMS"), contents(t, dist, "SHA256SUMS")[2:])
		}, "line 1: want a SHA-256 checksum"},
		"no checksums": {"1.2.3", func(t *testing.T, dist string) {
			if err := os.Remove(filepath.Join(dist, "SHA256SUMS")); err != nil {
				t.Fatal(err)
			}
		}, "SHA256SUMS"},
		"no licences": {"1.2.3", func(t *testing.T, dist string) {
			if err := os.Remove(filepath.Join(dist, "licences.txt")); err != nil {
				t.Fatal(err)
			}
		}, "licences.txt"},
		"no version":        {"", nil, "metadata.json"},
		"no release":        {"(devel)", nil, `version "(devel)"`},
		"two numbers":       {"v1.2", nil, `version "v1.2"`},
		"a path":            {"../1.2.3", nil, `version "../1.2.3"`},
		"a changed tree":    {"v1.2.3+dirty", nil, "npm drops what follows the +"},
		"a number with a 0": {"v01.2.3", nil, `version "v01.2.3"`},
	} {
		t.Run(name, func(t *testing.T) {
			dist, notices := release(t)
			if c.spoil != nil {
				c.spoil(t, dist)
			}
			parent := t.TempDir()
			err := packages(t, dist, notices, c.version, filepath.Join(parent, "npm"))
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, and not %q", err, c.says)
			}
			if left, _ := os.ReadDir(parent); len(left) > 0 {
				t.Errorf("left %v behind", left)
			}
		})
	}
}

// A directory with other files is left as it is.
func TestPackagesKeepADirectory(t *testing.T) {
	dist, notices := release(t)
	to := t.TempDir()
	write(t, filepath.Join(to, "recipe.txt"), "donuts")
	if err := packages(t, dist, notices, "1.2.3", to); err == nil || contents(t, to, "recipe.txt") != "donuts" {
		t.Errorf("wrote into a directory that was not empty: %v", err)
	}
	write(t, filepath.Join(dist, "metadata.json"), `{"project_name": "springfield", "version": "1.2.4-snapshot"}`)
	empty := t.TempDir()
	if err := packages(t, dist, notices, "", empty); err != nil || !strings.Contains(contents(t, empty, "springfield/package.json"), `"version": "1.2.4-snapshot"`) {
		t.Errorf("not made in an empty directory with the version of the release: %v", err)
	}
}

// here makes the root of the tree the working directory, as for go run ./release/npm.
func here(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("LICENSE"); err != nil {
		t.Chdir(filepath.Join("..", ".."))
	}
}
