// The Go runtime of hooks and judges reads no variable whose name begins with GO.
//
// A project's settings can set variables for hooks. A malformed GOMEMLIMIT, for example, ends every Go program with exit
// code 2, which Claude Code takes for "go on". The runtime also exits with 2 if a system limit keeps it from starting.
// The build therefore replaces the exit code and the functions that read these variables, and marks the program. In an
// unknown version of Go it replaces nothing, and warns.

package generator

import (
	"encoding/json"
	"errors"
	goversion "go/version"
	"os"
	"path/filepath"
	"strings"
)

// goMark marks every program with this runtime. It proves nothing about a forged program.
const goMark = "springfield: this runtime reads no variable whose name begins with GO"

// goSourcePatches returns file names from Go's sources, and pairs of old and new text. New text ignores variables like
// GODEBUG, exits with 1 instead of 2, and uses one processor. Every file contains an old text in each supported Go
// version.
func goSourcePatches() (files, oldNew []string) {
	const reads, early, first = "func gogetenv(key string) string {\n", "func getGodebugEarly() (string, bool) {\n", "func getGodebugEarly() string {\n"
	const one = "\t\tif key == \"GOMAXPROCS\" {\n\t\t\treturn \"1\"\n\t\t}\n"
	const metrics, cgroup, zone = "func initMetrics() {\n", "func defaultGOMAXPROCSInit() {\n", "func initLocal() {\n"
	const nothing, never = "\tif true {\n\t\treturn\n\t}\n", "\treturn false\n"
	return []string{
			"runtime/env_posix.go", "runtime/proc.go", "runtime/panic.go", "runtime/signal_unix.go", "runtime/signal_windows.go", "runtime/mem_linux.go",
			"runtime/traceruntime.go", "runtime/metrics.go", "runtime/cgroup_linux.go", "time/zoneinfo_unix.go", "time/zoneinfo_windows.go", "internal/godebug/godebug.go",
		}, []string{
			reads, reads + "\tif len(key) > 1 && key[0]|0x20 == 'g' && key[1]|0x20 == 'o' {\n" + one + "\t\treturn springfieldMark[len(springfieldMark):]\n\t}\n",
			early, early + "\tif true {\n\t\treturn \"\", GOOS != \"windows\"\n\t}\n",
			first, first + "\tif true {\n\t\treturn \"\"\n\t}\n",
			"\texit(2)\n", "\texit(1)\n",
			metrics, metrics + nothing,
			cgroup, cgroup + nothing,
			zone, zone + nothing,
			"\tsetUpdate(update)\n", "",
			"\treturn trace.enabled\n", never,
			"\treturn trace.enabledWithAllocFree\n", never,
			"\treturn trace.shutdown.Load()\n", never,
			"\treturn tl.gen != 0\n", never,
		}
}

// markDeclaration is appended to the first patched file. It is a variable, because the linker drops unused constants.
const markDeclaration = "\nvar springfieldMark = \"" + goMark + "\"\n"

// Go's monitor thread first sleeps for 20 µs, which wakes it about 80 times in one decision. It sleeps for 2 ms instead.
const shortSleep, longSleep = "delay = 20\n", "delay = 2000\n"

// newestGo is the last version of Go for which goSourcePatches is known to be complete.
const newestGo = "go1.27"

// writeOverlay writes patched Go files to stage, and returns the overlay file's path. If a file cannot be patched, the
// overlay is empty. allPatched reports whether all code that reads variables is patched.
func writeOverlay(stage, goRoot, goVersion string) (overlay string, allPatched bool, err error) {
	goVersion, _, _ = strings.Cut(goVersion, " ") // the rest names experiments
	allPatched = goversion.IsValid(goVersion) && goversion.Compare(goversion.Lang(goVersion), newestGo) <= 0
	replace := map[string]string{}
	files, pairs := goSourcePatches()
	for _, file := range files {
		source := filepath.Join(goRoot, "src", filepath.FromSlash(file))
		text, err := os.ReadFile(source)
		patched := strings.NewReplacer(pairs...).Replace(string(text))
		if err != nil || patched == string(text) {
			allPatched, replace = false, nil
			break
		}
		patched = strings.ReplaceAll(patched, shortSleep, longSleep)
		if len(replace) == 0 {
			patched += markDeclaration
		}
		replace[source] = filepath.Join(stage, filepath.Base(file))
		if err := os.WriteFile(replace[source], []byte(patched), 0o644); err != nil {
			return "", false, err
		}
	}
	data, _ := json.Marshal(map[string]any{"Replace": replace}) // of texts, which cannot fail
	overlay = filepath.Join(stage, "overlay.json")
	return overlay, allPatched, os.WriteFile(overlay, data, 0o644)
}

// ErrReadsGo is returned for a program that obeys Go's own variables. A project's settings can use these to block
// every stop.
var ErrReadsGo = errors.New("it obeys GODEBUG and other variables of Go, so a project's settings can keep Claude going forever")
