// The Go runtime of hooks and judges reads no variable whose name begins with GO.
//
// A project's settings can set variables for hooks, and Go's runtime obeys some before main: GODEBUG=cgocheck=2 or a
// malformed GOMEMLIMIT ends every Go program with exit code 2, which Claude Code takes for "go on"; GOMAXPROCS=200000
// costs gigabytes. It also exits with 2 where a limit of processes, memory or files keeps it from starting. No statement
// of ours runs early enough. So the build replaces the two functions through which the runtime reads these variables,
// and its exit code, and marks the program. With a Go of another form nothing is replaced, with a warning.

package generator

import (
	"bytes"
	"encoding/json"
	"errors"
	goversion "go/version"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// goMark is in every program with this runtime. It documents the build; it proves nothing about a forged program.
const goMark = "springfield: this runtime reads no variable whose name begins with GO"

// runtimePatch replaces text of a file of the runtime, in every form of the supported versions of Go.
type runtimePatch struct {
	file  string
	forms []runtimeForm
}

type runtimeForm struct{ from, to string }

// runtimePatches returns all patches. getGodebugEarly reads GODEBUG before there is an environment; its second result,
// missing in the first releases of Go 1.25, reports whether it could. Everything else uses gogetenv.
func runtimePatches() []runtimePatch {
	const reads, early, first = "func gogetenv(key string) string {\n", "func getGodebugEarly() (string, bool) {\n", "func getGodebugEarly() string {\n"
	all := []runtimePatch{
		{"env_posix.go", []runtimeForm{{reads, reads +
			"\tif len(key) > 1 && key[0]|0x20 == 'g' && key[1]|0x20 == 'o' {\n\t\treturn springfieldMark[len(springfieldMark):]\n\t}\n"}}},
		{"proc.go", []runtimeForm{
			{early, early + "\tif true {\n\t\treturn \"\", GOOS != \"windows\"\n\t}\n"},
			{first, first + "\tif true {\n\t\treturn \"\"\n\t}\n"},
		}},
	}
	for _, file := range []string{"panic.go", "signal_unix.go", "signal_windows.go", "mem_linux.go"} {
		all = append(all, runtimePatch{file, []runtimeForm{{"\texit(2)\n", "\texit(1)\n"}}})
	}
	return all
}

// markDeclaration is appended to the first patched file. It is a variable, because the linker drops unused constants.
const markDeclaration = "\nvar springfieldMark = \"" + goMark + "\"\n"

// newestGo is the last version of Go of which these places are known to be all.
const newestGo = "go1.27"

// writeOverlay writes the replacements for go build and returns the path of their list, an empty list for an unknown
// form of Go. known reports whether everything that reads variables is replaced.
func writeOverlay(stage, root, version string) (list string, known bool, err error) {
	version, _, _ = strings.Cut(version, " ") // the rest names experiments
	known = goversion.IsValid(version) && goversion.Compare(goversion.Lang(version), newestGo) <= 0
	replace := map[string]string{}
	for _, p := range runtimePatches() {
		source := filepath.Join(root, "src", "runtime", p.file)
		text, err := os.ReadFile(source)
		i := slices.IndexFunc(p.forms, func(f runtimeForm) bool { return bytes.Contains(text, []byte(f.from)) })
		if err != nil || i < 0 {
			known, replace = false, nil
			break
		}
		form := p.forms[i]
		patched := bytes.ReplaceAll(text, []byte(form.from), []byte(form.to))
		if len(replace) == 0 {
			patched = append(patched, markDeclaration...)
		}
		replace[source] = filepath.Join(stage, p.file)
		if err := os.WriteFile(replace[source], patched, 0o644); err != nil {
			return "", false, err
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err == nil {
		list = filepath.Join(stage, "overlay.json")
		err = os.WriteFile(list, data, 0o644)
	}
	return list, known, err
}

// ErrReadsGo is returned for a program that obeys variables of Go's own, which a project's settings can use to block
// every stop.
var ErrReadsGo = errors.New("it obeys GODEBUG and other variables of Go's own, by which a project's settings can make Claude go on without end")
