package generator

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// program is the head of a compiled program, as much as says for which machine
// it is, and the mark of our runtime.
func program(t Target) []byte { return append(head(t), goMark...) }

// head is that without the mark.
func head(t Target) []byte { return scratch.ProgramHead(t.OS, t.Arch) }

func put(t *testing.T, path string, data []byte, mode os.FileMode) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, data, mode))
}

// A hook or a judge that was compiled with a runtime as Go has it is found,
// wherever it lies; what is not there is none.
func TestCheckRuntime(t *testing.T) {
	linux, windows := Target{"linux", "amd64"}, Target{"windows", "amd64"}
	for name, test := range map[string]struct {
		files   map[string][]byte
		machine Target
		bad     string
	}{
		"ours":            {map[string][]byte{"springfield-hook": program(linux)}, linux, ""},
		"none":            {nil, linux, ""},
		"Go's own":        {map[string][]byte{"springfield-hook": head(linux)}, linux, "springfield-hook"},
		"behind launcher": {map[string][]byte{"springfield-hook": []byte("#!/bin/sh\n"), "linux-amd64/springfield-hook": head(linux)}, linux, "linux-amd64"},
		"another machine": {map[string][]byte{"springfield-hook": []byte("#!/bin/sh\n"), "linux-amd64/springfield-hook": program(linux), "springfield-hook.exe": head(windows)}, linux, ""},
		"windows":         {map[string][]byte{"springfield-hook": []byte("#!/bin/sh\n"), "springfield-hook.exe": head(windows)}, windows, ".exe"},
		"the judge":       {map[string][]byte{"springfield-hook": program(linux), "springfield-judge": head(linux)}, linux, "springfield-judge"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for path, data := range test.files {
				put(t, filepath.Join(dir, "hooks", path), data, 0o755)
			}
			err := CheckRuntime(dir, test.machine)
			if test.bad == "" && err != nil || test.bad != "" && (!errors.Is(err, ErrReadsGo) || !strings.Contains(err.Error(), test.bad)) {
				t.Error(err)
			}
		})
	}
}

// Another judge under the same version is another plugin.
func TestProgramSum(t *testing.T) {
	linux := Target{"linux", "amd64"}
	dir := t.TempDir()
	sum := func() string {
		t.Helper()
		s, err := ProgramSum(dir, linux)
		must(t, err)
		return s
	}
	if _, err := ProgramSum(dir, linux); err == nil {
		t.Error("no hook has a sum")
	}
	put(t, filepath.Join(dir, "hooks", "springfield-hook"), program(linux), 0o755)
	alone := sum()
	put(t, filepath.Join(dir, "hooks", "springfield-judge"), program(linux), 0o755)
	with := sum()
	put(t, filepath.Join(dir, "hooks", "springfield-judge"), append(program(linux), 0), 0o755)
	if other := sum(); alone == with || with == other {
		t.Errorf("%s\n%s\n%s", alone, with, other)
	}
	put(t, filepath.Join(dir, "hooks", "linux-amd64", "springfield-hook"), program(linux), 0o755)
	put(t, filepath.Join(dir, "hooks", "springfield-hook"), []byte("#!/bin/sh\n"), 0o755)
	if launched := sum(); launched != alone {
		t.Errorf("behind a launcher %s, want %s", launched, alone)
	}
}

// A hook looks for its judge beside itself, and nowhere else.
func TestCheckPrograms(t *testing.T) {
	linux, arm, mac, windows := Target{"linux", "amd64"}, Target{"linux", "arm64"}, Target{"darwin", "arm64"}, Target{"windows", "amd64"}
	launcher := []byte("#!/bin/sh\n")
	type files map[string]struct {
		data []byte
		mode os.FileMode
	}
	for name, test := range map[string]struct {
		files   files
		machine Target
		is      error
		says    string
	}{
		"one":                   {files{"springfield-hook": {program(linux), 0o755}}, linux, nil, ""},
		"none":                  {nil, linux, ErrNoHook, "is missing"},
		"another":               {files{"springfield-hook": {program(arm), 0o755}}, linux, ErrNoHook, "compiled for linux/arm64, not for linux/amd64"},
		"only windows":          {files{"springfield-hook.exe": {program(windows), 0o755}}, mac, ErrNoHook, "compiled for windows/amd64, not for darwin/arm64"},
		"no bit":                {files{"springfield-hook": {program(linux), 0o644}}, linux, ErrNotExecutable, "springfield-hook"},
		"no program":            {files{"springfield-hook": {[]byte("version https://git-lfs"), 0o755}}, linux, nil, "not a program"},
		"launcher":              {files{"springfield-hook": {launcher, 0o755}, "darwin-arm64/springfield-hook": {program(mac), 0o755}}, mac, nil, ""},
		"launcher alone":        {files{"springfield-hook": {launcher, 0o755}, "darwin-arm64/springfield-hook": {program(mac), 0o755}}, linux, ErrNoHook, "compiled for darwin/arm64, not for linux/amd64"},
		"launcher, bit":         {files{"springfield-hook": {launcher, 0o644}, "linux-amd64/springfield-hook": {program(linux), 0o755}}, linux, ErrNotExecutable, "springfield-hook"},
		"behind it, bit":        {files{"springfield-hook": {launcher, 0o755}, "linux-amd64/springfield-hook": {program(linux), 0o644}}, linux, ErrNotExecutable, "linux-amd64"},
		"windows":               {files{"springfield-hook.exe": {program(windows), 0o644}}, windows, nil, ""},
		"windows on arm":        {files{"springfield-hook.exe": {program(windows), 0o644}}, Target{"windows", "arm64"}, nil, ""},
		"judge, one":            {files{"springfield-judge": {program(linux), 0o755}}, linux, nil, ""},
		"judge, none":           {nil, linux, ErrNoJudge, "springfield-judge is missing"},
		"judge, another":        {files{"springfield-judge": {program(arm), 0o755}}, linux, ErrNoJudge, "compiled for linux/arm64, not for linux/amd64"},
		"judge, bit":            {files{"springfield-judge": {program(linux), 0o644}}, linux, ErrNotExecutable, "springfield-judge"},
		"judge, no launcher's":  {files{"springfield-hook": {launcher, 0o755}, "springfield-judge": {program(linux), 0o755}}, linux, ErrNoJudge, "is missing"},
		"judge, launcher":       {files{"springfield-hook": {launcher, 0o755}, "darwin-arm64/springfield-judge": {program(mac), 0o755}}, mac, nil, ""},
		"judge, windows on arm": {files{"springfield-judge.exe": {program(windows), 0o644}}, Target{"windows", "arm64"}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for path, f := range test.files {
				put(t, filepath.Join(dir, "hooks", path), f.data, f.mode)
			}
			start := CheckHook
			if strings.HasPrefix(name, "judge") {
				start = CheckJudge
			}
			err := start(dir, test.machine)
			switch {
			case test.is == nil && test.says == "":
				if err != nil {
					t.Error(err)
				}
			case err == nil || !strings.Contains(err.Error(), test.says) || test.is != nil && !errors.Is(err, test.is):
				t.Errorf("%v, want %v with %q", err, test.is, test.says)
			}
		})
	}
}
