// The Go runtime of hooks and judges reads no variable whose name begins with GO.
//
// A project's settings can set variables for hooks, and Go's runtime obeys some before main: GODEBUG=cgocheck=2 or a
// malformed GOMEMLIMIT ends every Go program with exit code 2, which Claude Code takes for "go on"; GOMAXPROCS=200000
// costs gigabytes. No statement of ours runs early enough. So the build replaces the two functions through which the
// runtime reads these variables, and marks the program. If the Go sources differ, we print a warning and the programs
// obey the variables.

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

// runtimePatch is a function in the runtime that reads the environment, as it is in all supported Go versions, with
// the statements to insert.
type runtimePatch struct {
	file  string
	forms []runtimeForm
}

type runtimeForm struct{ function, statements string }

// runtimePatches returns all patches. getGodebugEarly reads GODEBUG before there is an environment; its second result,
// missing in the first releases of Go 1.25, reports whether it could. Everything else uses gogetenv.
func runtimePatches() []runtimePatch {
	return []runtimePatch{
		{"env_posix.go", []runtimeForm{
			{"func gogetenv(key string) string {\n",
				"\tif len(key) > 1 && key[0]|0x20 == 'g' && key[1]|0x20 == 'o' {\n\t\treturn springfieldMark[len(springfieldMark):]\n\t}\n"},
		}},
		{"proc.go", []runtimeForm{
			{"func getGodebugEarly() (string, bool) {\n", "\tif true {\n\t\treturn \"\", GOOS != \"windows\"\n\t}\n"},
			{"func getGodebugEarly() string {\n", "\tif true {\n\t\treturn \"\"\n\t}\n"},
		}},
	}
}

// markDeclaration is appended to the first patched file. It is a variable, because the linker drops unused constants.
const markDeclaration = "\nvar springfieldMark = \"" + goMark + "\"\n"

// newestGo is the last version of Go of which these functions are known to be all.
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
		i := slices.IndexFunc(p.forms, func(f runtimeForm) bool { return bytes.Count(text, []byte(f.function)) == 1 })
		if err != nil || i < 0 {
			known, replace = false, nil
			break
		}
		form := p.forms[i]
		patched := bytes.Replace(text, []byte(form.function), []byte(form.function+form.statements), 1)
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
