// A variable of the environment that Go itself obeys, and that a hostile project
// can set: Claude Code hands a project's settings "env" to hooks. A GOMEMLIMIT
// that is malformed ends every Go program before its first statement, with the
// variable's text on standard error and exit code 2, which Claude Code takes
// for "go on, and here is why". No statement of ours comes early enough, so the
// hook is compiled with a runtime that does not ask for the variable.

package generator

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// deafTo is where the runtime asks, and deaf what it finds there instead.
const (
	deafTo = "func readGOMEMLIMIT() int64 {\n"
	deaf   = deafTo + "\tif true { // springfield: the environment is not trusted\n\t\treturn 1<<63 - 1\n\t}\n"
)

// deafen writes the file that tells go build what to replace, and returns its
// path. With a Go that asks elsewhere nothing is replaced, and that is said.
func (t Toolchain) deafen(ctx context.Context, stage, goCommand string) (string, error) {
	root, err := t.run(ctx, stage, goCommand, nil, "env", "GOROOT")
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	source := filepath.Join(strings.TrimSpace(string(root)), "src", "runtime", "mgcpacer.go")
	text, err := os.ReadFile(source)
	if err == nil && bytes.Count(text, []byte(deafTo)) == 1 {
		replace[source] = filepath.Join(stage, "mgcpacer.go")
		if err := os.WriteFile(replace[source], bytes.Replace(text, []byte(deafTo), []byte(deaf), 1), 0o644); err != nil {
			return "", fmt.Errorf("compile the hook: %w", err)
		}
	} else {
		fmt.Fprintln(t.Talk, "springfield: note: this Go is not known well enough to make the hook deaf to GOMEMLIMIT")
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", fmt.Errorf("compile the hook: %w", err)
	}
	overlay := filepath.Join(stage, "overlay.json")
	if err := os.WriteFile(overlay, data, 0o644); err != nil {
		return "", fmt.Errorf("compile the hook: %w", err)
	}
	return overlay, nil
}
