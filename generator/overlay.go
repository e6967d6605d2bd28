// The Go runtime that hooks and judges are compiled with reads no variable
// whose name begins with GO.
//
// A project's settings can set variables for hooks, and Go's runtime obeys some
// of them before the first statement of main: GODEBUG=cgocheck=2 or a malformed
// GOMEMLIMIT ends every Go program with exit code 2, which Claude Code takes for
// "go on"; GOMAXPROCS=200000 costs gigabytes. No statement of ours comes early
// enough. So the two functions through which the runtime asks for such variables
// are replaced for the build, and every program made this way carries a mark. A Go
// that asks in other ways compiles programs that obey its variables, with a warning.

package generator

import (
	"bytes"
	"encoding/json"
	"errors"
	goversion "go/version"
	"os"
	"path/filepath"
	"strings"
)

// goMark is in every program whose runtime reads no variable of Go's own. It
// says how a program was compiled; it proves nothing about a forged one.
const goMark = "springfield: this runtime reads no variable whose name begins with GO"

// runtimePatch is a function of Go's runtime that asks the environment, in every form that
// a supported Go gives it, with the statements that it begins with in our programs.
type runtimePatch struct {
	file  string
	forms []runtimeForm
}

type runtimeForm struct{ function, statements string }

// runtimePatches are all of them. getGodebugEarly looks for GODEBUG before there is an
// environment; what it returns second is whether it could look, which the first releases
// of Go 1.25 do not say. Everything else goes through gogetenv.
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

// applyPatch returns the file with the patch, and false if it has none of the forms once.
func (p runtimePatch) applyPatch(text []byte) ([]byte, bool) {
	for _, form := range p.forms {
		if bytes.Count(text, []byte(form.function)) == 1 {
			return bytes.Replace(text, []byte(form.function), []byte(form.function+form.statements), 1), true
		}
	}
	return nil, false
}

// markDeclaration ends the file of the first patch: a variable, because the
// linker keeps what a constant says only where it is used.
const markDeclaration = "\nvar springfieldMark = \"" + goMark + "\"\n"

// newestGo is the newest Go of which it is known that these functions are all that asks.
const newestGo = "go1.27"

// writeOverlay writes the files that go build takes in the place of the runtime's own, and returns the
// path of the list of them: an empty one where this Go has other functions. The Go is known if all
// is replaced that reads variables.
func writeOverlay(stage, root, version string) (list string, known bool, err error) {
	version, _, _ = strings.Cut(version, " ") // what follows are experiments
	known = goversion.IsValid(version) && goversion.Compare(goversion.Lang(version), newestGo) <= 0
	replace := map[string]string{}
	for i, p := range runtimePatches() {
		source := filepath.Join(root, "src", "runtime", p.file)
		text, err := os.ReadFile(source)
		patched, ok := p.applyPatch(text)
		if err != nil || !ok {
			known, replace = false, nil
			break
		}
		if i == 0 {
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

// isMarked reports whether the runtime of a program reads no variable of Go's own.
func isMarked(program []byte) bool { return bytes.Contains(program, []byte(goMark)) }

// ErrReadsGo says that a program obeys variables of Go's own, so that a
// project's settings can make it block every stop.
var ErrReadsGo = errors.New("it obeys GODEBUG and other variables of Go's own, by which a project's settings can make Claude go on without end")
