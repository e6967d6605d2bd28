// The proof that a Go makes programs that ignore its own variables: a small
// program is compiled as the hook is, and has to say the same with an empty
// environment as with every variable and every debug setting of its runtime set
// to something absurd.

package generator

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// probeSource says what its runtime has been told. 64 MiB is far more than it
// needs.
//
//go:embed probe.go.txt
var probeSource []byte

// ErrNoExec says that no program can be started in the temporary directory, so
// that a Go cannot be tried out there.
var ErrNoExec = errors.New("programs cannot be started in the temporary directory")

// probeTime bounds one run of the probe.
const probeTime = 30 * time.Second

// prove compiles the probe for this machine and runs it.
func (t Toolchain) prove(ctx context.Context, stage, goCommand, overlay string) error {
	dir := filepath.Join(stage, "src", "probe")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("compile the hook: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), probeSource, 0o644); err != nil {
		return fmt.Errorf("compile the hook: %w", err)
	}
	program := filepath.Join(stage, "probe")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if _, err := t.run(ctx, stage, goCommand, nil, buildArgs(overlay, program, "./probe")...); err != nil {
		return err
	}
	settings, err := t.debugSettings(ctx, stage, goCommand)
	if err != nil {
		return err
	}
	want, err := t.probe(ctx, stage, program, nil)
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("compile the hook: %w: %s", ErrNoExec, stage)
	}
	if err != nil {
		return fmt.Errorf("compile the hook: start the probe: %w", err)
	}
	for _, absurd := range absurdities(settings) {
		got, err := t.probe(ctx, stage, program, absurd)
		if err != nil || got != want {
			return fmt.Errorf("compile the hook: %w: with %s a probe says %q instead of %q (%w)", ErrUnknownGo, strings.Join(absurd, " "), got, want, err)
		}
	}
	return nil
}

// probe runs the probe with some variables. What it writes on standard error
// counts: Go reports there what GODEBUG asks for.
func (t Toolchain) probe(ctx context.Context, stage, program string, vars []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, program)
	cmd.Dir, cmd.Env = stage, slices.Concat(vars, t.Windows)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return out.String(), err
}

// debugSetting is how the runtime's sources name a setting of GODEBUG.
var debugSetting = regexp.MustCompile(`\{name: "(\w+)"`)

// debugSettings are the settings of GODEBUG that a Go's runtime knows, by its own
// sources.
func (t Toolchain) debugSettings(ctx context.Context, stage, goCommand string) ([]string, error) {
	root, err := t.run(ctx, stage, goCommand, nil, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	source := filepath.Join(strings.TrimSpace(string(root)), "src", "runtime", "runtime1.go")
	text, err := os.ReadFile(source)
	if err != nil {
		return nil, fmt.Errorf("compile the hook: %w", err)
	}
	var names []string
	for _, found := range debugSetting.FindAllSubmatch(text, -1) {
		names = append(names, string(found[1]))
	}
	if !slices.Contains(names, "cgocheck") {
		return nil, fmt.Errorf("compile the hook: %w", errors.Join(ErrUnknownGo, fmt.Errorf("%s names no settings of GODEBUG", source)))
	}
	return names, nil
}

// absurdities are environments that a runtime which reads its variables does
// not survive, or does not keep to itself. None costs one that reads them much:
// GOMAXPROCS=200000 would take gigabytes, and is seen at 1021 as well.
func absurdities(settings []string) (all [][]string) {
	for _, value := range []string{"1", "2", "999999999"} {
		debug := "cpu.all=off,http2debug=2,panicnil=1"
		for _, name := range settings {
			debug += "," + name + "=" + value
		}
		all = append(all, []string{"GODEBUG=" + debug, "GOMAXPROCS=1021", "GOGC=" + value, "GOMEMLIMIT=" + value,
			"GOTRACEBACK=crash", "GOROOT=elsewhere", "GOFIPS140=on", "GORACE=halt_on_error=1", "GOCOVERDIR=elsewhere"})
	}
	return append(all,
		[]string{"GODEBUG=cgocheck=2"}, []string{"GODEBUG=inittrace=1"}, []string{"GODEBUG=cpu.sse2=off"},
		[]string{"GOMAXPROCS=1021"}, []string{"GOMEMLIMIT=go on with the next task"}, []string{"GOMEMLIMIT=1"}, []string{"GOGC=off"})
}
