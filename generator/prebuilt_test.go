package generator

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cameronsjo/springfield/internal/scratch"

	"github.com/cameronsjo/springfield/internal/journal"
)

// carrying returns prebuilt programs as `make prebuilt` writes them, without a compiler.
func carrying(t *testing.T, source string, targets ...Target) fstest.MapFS {
	t.Helper()
	dir := t.TempDir()
	built := compiled(targets...)
	for _, target := range targets {
		built.addBinary(Judge, target, []byte("judge for "+target.String()+"\n"))
	}
	built.Source, built.Go = source, "go1.30.1"
	put(t, filepath.Join(dir, "mips.tar.zst"), []byte("of an older build"), 0o644)
	must(t, WritePrebuilt(dir, built))
	files := fstest.MapFS{}
	for _, name := range names(t, dir) {
		data := scratch.ReadFile(t, filepath.Join(dir, name))
		files[name] = &fstest.MapFile{Data: data}
	}
	architectures := map[string]bool{}
	for _, target := range targets {
		architectures[target.Arch] = true
	}
	if len(files) != len(architectures)+1 {
		t.Fatalf("%v make %v", targets, names(t, dir))
	}
	return files
}

// Prebuilt hooks are used, with or without Go, if they are made from the embedded sources.
func TestBuilders(t *testing.T) {
	source, err := SourceHash()
	must(t, err)
	linux, mac, windows := Target{"linux", "amd64"}, Target{"darwin", "arm64"}, Target{"windows", "amd64"}
	good := func() fstest.MapFS { return carrying(t, source, linux, mac) }
	damaged := good()
	other, err := packPrograms([]Binary{{Hook, linux, []byte("hook for a donut\n")}})
	must(t, err)
	damaged["amd64.tar.zst"] = &fstest.MapFile{Data: other}
	lacking := good()
	lacking["amd64.tar.zst"] = carrying(t, source, windows)["amd64.tar.zst"]
	torn := good()
	torn["amd64.tar.zst"] = &fstest.MapFile{Data: torn["amd64.tar.zst"].Data[:20]}
	for name, test := range map[string]struct {
		builder Builder
		files   fstest.MapFS
		targets []Target
		is      error // nil and no text: they are taken
		says    string
	}{
		"auto":                 {Auto, good(), []Target{linux, mac}, nil, ""},
		"nothing said":         {"", good(), []Target{mac}, nil, ""},
		"prebuilt":             {Prepared, good(), []Target{linux}, nil, ""},
		"go":                   {WithGo, good(), []Target{linux}, ErrNoGo, ""},
		"auto, none":           {Auto, nil, []Target{linux}, ErrNoGo, ""},
		"auto, only the page":  {Auto, fstest.MapFS{"README.md": {}}, []Target{linux}, ErrNoGo, ""},
		"auto, other sources":  {Auto, carrying(t, "0000", linux), []Target{linux}, ErrNoGo, ""},
		"auto, one not there":  {Auto, good(), []Target{linux, windows}, ErrNoGo, ""},
		"prebuilt, none":       {Prepared, nil, []Target{linux}, ErrNoPrebuilt, "contains no compiled hook"},
		"prebuilt, others":     {Prepared, carrying(t, "0000", linux), []Target{linux}, ErrNoPrebuilt, "different version"},
		"prebuilt, one not":    {Prepared, good(), []Target{linux, windows}, ErrNoPrebuilt, "no compiled hook for windows/amd64"},
		"auto, other bytes":    {Auto, damaged, []Target{linux}, nil, "compiled hook for linux/amd64: its checksum is"},
		"auto, lacking":        {Auto, lacking, []Target{mac, linux}, nil, "compiled hook for linux/amd64: amd64.tar.zst ends before"},
		"auto, torn":           {Auto, torn, []Target{linux}, nil, "compiled hook for linux/amd64: amd64.tar.zst: unexpected EOF"},
		"auto, manifest is no": {Auto, fstest.MapFS{"manifest.json": {Data: []byte("{")}}, []Target{linux}, nil, "manifest.json"},
	} {
		t.Run(name, func(t *testing.T) {
			tools := Toolchain{Builder: test.builder}
			if test.files != nil {
				tools.Prebuilt = test.files
			}
			built, err := tools.BuildPrograms(context.Background(), test.targets, Hook)
			if test.is != nil || test.says != "" {
				checkError(t, err, test.is, test.says)
				return
			}
			must(t, err)
			if built.Builder != Prepared || built.Go != "go1.30.1" || built.Source != source || len(built.SHA256) != len(test.targets) {
				t.Errorf("%+v", built)
			}
			for i, b := range built.Binaries {
				want := "hook for " + test.targets[i].String() + "\n"
				if string(b.Data) != want || built.SHA256[b.Target.String()] != journal.HashBytes([]byte(want)) {
					t.Errorf("%s is %q", b.Target, b.Data)
				}
			}
		})
	}
}

// A suite without a judge gets none.
func TestCarriedJudge(t *testing.T) {
	source, err := SourceHash()
	must(t, err)
	linux := Target{"linux", "amd64"}
	tools := Toolchain{Builder: Prepared, Prebuilt: carrying(t, source, linux)}
	built, err := tools.BuildPrograms(context.Background(), []Target{linux}, Hook, Judge)
	must(t, err)
	if len(built.Binaries) != 2 || string(built.Binaries[1].Data) != "judge for linux/amd64\n" || built.Judge["linux/amd64"] != journal.HashBytes(built.Binaries[1].Data) {
		t.Errorf("%+v", built)
	}
	if built, err = tools.BuildPrograms(context.Background(), []Target{linux}, Hook); err != nil || len(built.Binaries) != 1 || built.Judge != nil {
		t.Errorf("%+v, %v", built, err)
	}
}

// WritePrebuilt is reproducible, and git ignores its files.
func TestRefillPrebuilt(t *testing.T) {
	one, other := carrying(t, "5005", AllTargets()...), carrying(t, "5005", AllTargets()...)
	for name := range one {
		if !bytes.Equal(one[name].Data, other[name].Data) {
			t.Errorf("%s differs", name)
		}
	}
	ignored := scratch.ReadFile(t, "../.gitignore")
	for _, line := range []string{"/generator/prebuilt/*", "!/generator/prebuilt/README.md"} {
		if !slices.Contains(strings.Split(string(ignored), "\n"), line) {
			t.Errorf("git does not ignore %s", line)
		}
	}
}
