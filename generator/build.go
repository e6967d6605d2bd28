// Programs for a suite: carried by the CLI, or compiled from embedded sources in a clean environment, so that
// builds are reproducible.

package generator

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	goversion "go/version"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/internal/group"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
	hookruntime "github.com/cameronsjo/springfield/runtime"
)

// Build records compiled programs, in a suite or in the manifest of a CLI.
type Build struct {
	Source   string            `yaml:"source" json:"source"` // of the sources, SHA-256
	Go       string            `yaml:"go" json:"go"`
	SHA256   map[string]string `yaml:"sha256" json:"sha256"`                   // of the hook, by target
	Judge    map[string]string `yaml:"judge,omitempty" json:"judge,omitempty"` // of springfield-judge, by target
	Builder  Builder           `yaml:"-" json:"-"`
	Binaries []Binary          `yaml:"-" json:"-"`
}

type Binary struct {
	Program Program
	Target  Target
	Data    []byte
}

func (b *Build) addBinary(program Program, target Target, data []byte) {
	sums := &b.SHA256
	if program == Judge {
		sums = &b.Judge
	}
	if *sums == nil {
		*sums = map[string]string{}
	}
	(*sums)[target.String()] = journal.HashBytes(data)
	b.Binaries = append(b.Binaries, Binary{program, target, data})
}

// ChecksumOf returns a program's checksum for a target ("" if not recorded).
func (b Build) ChecksumOf(program Program, target Target) string {
	if program == Judge {
		return b.Judge[target.String()]
	}
	return b.SHA256[target.String()]
}

// Unbuilt returns a Build listing each program and target, without data and checksums.
func Unbuilt(targets []Target, programs []Program) (b Build) {
	for _, program := range programs {
		for _, t := range targets {
			b.Binaries = append(b.Binaries, Binary{Program: program, Target: t})
		}
	}
	return b
}

// Builder is a source of programs.
type Builder string

const (
	Auto     Builder = "auto" // carried, otherwise compiled
	WithGo   Builder = "go"
	Prepared Builder = "prebuilt"
)

// Toolchain compiles programs. Only a main fills it.
type Toolchain struct {
	Builder  Builder  // "" is Auto
	Prebuilt fs.FS    // carried programs, may be nil
	Go       string   // the go command, "" if there is none
	Path     string   // for the go command
	Home     string   // may be empty
	Windows  []string // variables go needs on Windows, as KEY=value
	GoCache  string   // temporary if empty or unusable
	// Working, if not nil, is called before compiling. step receives each action. done is called at the end.
	Working func() (step func(does string), done func())
	Warn    func(text string) // receives warnings, can be nil
}

// ErrNoGo is returned if there is no Go toolchain, ErrOldGo if the toolchain is too old.
var (
	ErrNoGo  = errors.New("compile the hook: there is no go command on PATH")
	ErrOldGo = errors.New("go is too old")
)

// SourceHash returns the SHA-256 of the programs' sources, which springfield.yaml records.
func SourceHash() (string, error) {
	h := sha256.New()
	patched, pairs := goSourcePatches() // the overlay changes programs too
	fmt.Fprintf(h, "patch %q %q %q %q\n", patched, pairs, longSleep, markDeclaration)
	err := readSources(func(name string, data []byte) error {
		fmt.Fprintf(h, "%s %d\n", name, len(data))
		_, err := h.Write(data) // not through fmt, which copies it
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}

// BuildPrograms returns programs for all targets, carried or compiled according to t.Builder. Errors include ErrNoGo,
// ErrOldGo, *CompileError and ErrNoPrebuilt.
func (t Toolchain) BuildPrograms(ctx context.Context, targets []Target, programs ...Program) (_ Build, err error) {
	hash, err := SourceHash()
	if err != nil {
		return Build{}, err
	}
	var built Build
	if t.Builder != WithGo {
		built, err = readPrebuilt(t.Prebuilt, hash, targets, programs)
	}
	if t.Builder == WithGo || t.Builder != Prepared && errors.Is(err, ErrNoPrebuilt) {
		built, err = t.compileAll(ctx, hash, targets, programs)
	}
	return built, err
}

// MakeSuite builds programs and renders all files in memory. spec must be valid.
func (t Toolchain) MakeSuite(ctx context.Context, spec Spec) ([]File, Build, error) {
	built, err := t.BuildPrograms(ctx, spec.Targets, spec.Programs()...)
	if err != nil {
		return nil, built, err
	}
	files, err := RenderSuite(spec, built)
	return files, built, cmp.Or(err, ctx.Err())
}

func (t Toolchain) compileAll(ctx context.Context, sourceHash string, targets []Target, programs []Program) (built Build, err error) {
	if t.Go == "" {
		return Build{}, ErrNoGo
	}
	stage, err := stageSources()
	defer func() { err = errors.Join(err, os.RemoveAll(stage)) }()
	if err != nil {
		return Build{}, fmt.Errorf("compile the hook: %w", err)
	}
	if real, err := filepath.EvalSymlinks(t.Go); err == nil && rooted.TargetExists(filepath.Join(filepath.Dir(filepath.Dir(real)), "VERSION")) {
		t.Home = "" // go would keep its counters there; only a version manager's go needs it
		_, _ = t.runGo(ctx, stage, nil, "telemetry", "off")
	}
	env, err := t.runGo(ctx, stage, nil, "env", "GOVERSION", "GOROOT")
	if err != nil {
		return Build{}, err
	}
	version, root, _ := strings.Cut(string(env), "\n")
	built = Build{Source: sourceHash, Go: strings.TrimSpace(version), SHA256: map[string]string{}, Builder: WithGo}
	if goversion.IsValid(built.Go) && goversion.Compare(built.Go, "go"+hookruntime.Go) < 0 {
		return Build{}, fmt.Errorf("compile the hook: %w: %s is %s, but the hook needs go%s", ErrOldGo, t.Go, built.Go, hookruntime.Go)
	}
	step := func(string) {}
	if t.Working != nil {
		working, done := t.Working()
		defer done()
		step = working
	}
	overlay, known, err := writeOverlay(stage, strings.TrimSpace(root), built.Go)
	if err != nil {
		return Build{}, fmt.Errorf("compile the hook: %w", err)
	}
	if !known && t.Warn != nil {
		t.Warn("springfield does not know how " + built.Go + " reads its variables; in a program compiled with it, " +
			ErrReadsGo.Error() + "; put Go 1.25, 1.26 or 1.27 first in PATH")
	}
	wanted := Unbuilt(targets, programs).Binaries
	for i, b := range wanted {
		does := "compiling the " + b.Program.ShortName() + " for " + b.Target.String()
		if len(wanted) > 1 {
			does += fmt.Sprintf(" (%d of %d)", i+1, len(wanted))
		}
		step(does + ", up to a minute the first time")
		data, err := t.compileProgram(ctx, stage, overlay, b)
		if err != nil {
			return Build{}, err
		}
		built.addBinary(b.Program, b.Target, data)
	}
	return built, nil
}

func (t Toolchain) compileProgram(ctx context.Context, stage, overlay string, b Binary) ([]byte, error) {
	target, program := b.Target, "./runtime/"+string(b.Program)
	system := []string{"GOOS=" + target.OS, "GOARCH=" + target.Arch}
	out := filepath.Join(stage, "out-"+string(b.Program)+"-"+target.OS+"-"+target.Arch)
	_, err := t.runGo(ctx, stage, system, "build",
		"-trimpath", "-buildvcs=false", "-gcflags="+hookruntime.Module+"/...=-l", "-gcflags=regexp/...=-l", "-gcflags=time=-l", "-gcflags=strings=-l", "-gcflags=syscall=-l", // without inlining, which adds 200 KB to the hook
		"-ldflags=-s -w", "-overlay="+overlay, "-o", out, program)
	if err != nil {
		return nil, fmt.Errorf("for %s: %w", target, err)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return nil, fmt.Errorf("compile the hook: for %s: %w", target, err)
	}
	return data, nil
}

// runGo runs go in tempDir's src directory in a clean environment, and returns the standard output. A failure is a
// *CompileError.
func (t Toolchain) runGo(ctx context.Context, tempDir string, env []string, args ...string) ([]byte, error) {
	cache := t.GoCache
	if !filepath.IsAbs(cache) || os.MkdirAll(cache, 0o755) != nil {
		cache = filepath.Join(tempDir, "gocache")
	}
	cmd := exec.CommandContext(ctx, t.Go, args...)
	cmd.Dir = filepath.Join(tempDir, "src")
	cmd.Env = append([]string{
		"PATH=" + t.Path, "HOME=" + cmp.Or(t.Home, tempDir), "TMPDIR=" + filepath.Join(tempDir, "tmp"),
		"GOCACHE=" + cache, "GOPATH=" + filepath.Join(tempDir, "gopath"),
		"GOENV=off", "GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local", "GOPROXY=off", "CGO_ENABLED=0",
	}, env...)
	cmd.Env = append(cmd.Env, t.Windows...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	group.KillOnCancel(cmd)
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &CompileError{Args: args, Output: strings.TrimSpace(stderr.String()), Err: err}
	}
	return stdout.Bytes(), nil
}

// CompileError is a failed run of go.
type CompileError struct {
	Args   []string
	Output string
	Err    error
}

func (e *CompileError) Error() string {
	return fmt.Sprintf("compile the hook: go %s: %s", e.Args[0], cmp.Or(e.Output, e.Err.Error()))
}

func (e *CompileError) Unwrap() error { return e.Err }

// readSources calls use for each source file, with LF line ends. data is valid only during the call.
func readSources(use func(name string, data []byte) error) error {
	var all bytes.Buffer
	err := fs.WalkDir(hookruntime.Source, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !hookruntime.IsSource(name) {
			return err
		}
		file, err := hookruntime.Source.Open(name)
		if err == nil {
			all.Reset()
			_, err = all.ReadFrom(file)
		}
		if err != nil {
			return fmt.Errorf("read the hook's sources: %w", err)
		}
		data := all.Bytes()
		if bytes.Contains(data, []byte("\r\n")) { // a checkout on Windows, for the same hash
			data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
		}
		return use("runtime/"+name, data)
	})
	return cmp.Or(err, use("go.mod", []byte("module "+hookruntime.Module+"\n\ngo "+hookruntime.Go+"\n")))
}

// stageSources writes the sources to src in a new temporary directory, and creates tmp for go. Callers remove stage,
// even on errors.
func stageSources() (stage string, err error) {
	if stage, err = os.MkdirTemp("", "springfield-build-"); err == nil {
		err = os.Mkdir(filepath.Join(stage, "tmp"), 0o755)
	}
	if err == nil {
		err = readSources(func(name string, data []byte) error {
			path := filepath.Join(stage, "src", filepath.FromSlash(name))
			return cmp.Or(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, data, 0o644))
		})
	}
	return stage, err
}
