package client

// What Claude Code itself says of a suite: claude plugin validate --strict, in a
// configuration of its own, so that it neither sees nor touches the user's.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/internal/check"
)

// validatePatience is how long the client may take for one directory.
const validatePatience = 30 * time.Second

// Validate has the client look at the suite in a directory and at its plugins.
// asking is told which client that is, before it starts. The error is that of ctx,
// or of a temporary directory; all else is a finding.
func (c Command) Validate(ctx context.Context, dir string, plugins []string, asking func(client string)) (all []check.Finding, err error) {
	if c.Path == "" {
		return []check.Finding{{Check: "client", State: check.Note, Says: "there is no claude on PATH, so Claude Code has not been asked"}}, nil
	}
	throwaway, err := os.MkdirTemp("", throwawayPrefix)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(throwaway)) }()
	version, _ := c.Version(ctx)
	v := validator{Command: c, throwaway: throwaway, dir: dir, name: strings.TrimSpace("Claude Code " + version)}
	asking(v.name)
	help, _, err := v.callValidate(ctx, "--help")
	if err != nil {
		v.addFinding(check.Warning, "", fmt.Sprintf("%s cannot be asked: %v", v.name, err), "")
		return v.found, ctx.Err()
	}
	v.json, v.directory = strings.Contains(help, "--json"), strings.Contains(help, "--profile")
	for _, target := range append([]string{"."}, plugins...) {
		if err := v.lookAt(ctx, target); ctx.Err() != nil {
			return nil, ctx.Err()
		} else if err != nil {
			v.addFinding(check.Warning, "", fmt.Sprintf("%s has no answer about %s: %v", v.name, target, err), "")
			return v.found, nil
		}
	}
	return v.summarizeFindings(), nil
}

// validator is a client that is asked about a suite.
type validator struct {
	Command
	throwaway string // its configuration
	dir       string // the suite
	name      string
	json      bool // prints JSON
	directory bool // knows what its plugin directory asks
	found     []check.Finding
}

func (v *validator) addFinding(state check.State, file, says, fix string) {
	v.found = append(v.found, check.Finding{Check: "client", State: state, File: file, Says: says, Fix: fix})
}

// callValidate starts the client; passed is that it has nothing against what it was asked.
func (v *validator) callValidate(ctx context.Context, args ...string) (out string, passed bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, validatePatience)
	defer cancel()
	text, err := v.commandIn(ctx, v.throwaway, append([]string{"plugin", "validate"}, args...)).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && ctx.Err() == nil {
		return string(text), false, nil
	}
	return string(text), err == nil, err
}

// lookAt asks about the suite, ".", or a plugin of it.
func (v *validator) lookAt(ctx context.Context, target string) error {
	args := []string{"--strict"}
	if v.json {
		args = append(args, "--json")
	}
	if v.directory && target != "." {
		args = append(args, "--profile", "directory")
	}
	path := filepath.Join(v.dir, target)
	out, passed, err := v.callValidate(ctx, append(args, path)...)
	if err != nil {
		return err
	}
	before := len(v.found)
	v.readOutput(target, out)
	if !passed && len(v.found) == before {
		v.addFinding(check.Failure, target, "Claude Code refuses it without a reason",
			"claude plugin validate --strict "+check.QuoteArgument(path))
	}
	return nil
}

// expected begins the one warning that every plugin has.
const expected = "CLAUDE.md at the plugin root is not loaded"

// summarizeFindings is what was found, with a sentence if that is nothing, and with the warnings
// that are expected as one note.
func (v *validator) summarizeFindings() []check.Finding {
	all := slices.DeleteFunc(slices.Clone(v.found), func(f check.Finding) bool { return strings.HasPrefix(f.Says, expected) })
	if len(all) == 0 {
		says := v.name + ": claude plugin validate --strict accepts it"
		all = append(all, check.Finding{Check: "client", State: check.Fine, Says: says})
	}
	if slices.ContainsFunc(v.found, func(f check.Finding) bool { return strings.HasPrefix(f.Says, expected) }) {
		all = append(all, check.Finding{Check: "client", State: check.Note, File: "CLAUDE.md",
			Says: "Claude Code warns that it does not load it from a plugin; that is expected, it is for those who work on the plugin"})
	}
	return all
}

// clientPart is what the client prints of one file, as far as we read it.
type clientPart struct {
	File             string
	Errors, Warnings []struct{ Path, Message string }
}

// readOutput reads what the client prints about a target: JSON, or from older ones text.
func (v *validator) readOutput(target, out string) {
	var r struct {
		Manifest  clientPart
		Contents  []clientPart
		Directory *struct {
			Findings []struct{ File, Field, Message, Fix string }
		}
	}
	if json.Unmarshal([]byte(out), &r) != nil {
		v.readText(target, out)
		return
	}
	for _, part := range append(r.Contents, r.Manifest) {
		file := v.relativePath(target, part.File)
		for _, e := range part.Errors {
			v.addFinding(check.Failure, file, withPathInFront(e.Path, e.Message), "")
		}
		for _, w := range part.Warnings {
			v.addFinding(check.Warning, file, withPathInFront(w.Path, w.Message), "")
		}
	}
	if r.Directory != nil {
		for _, f := range r.Directory.Findings {
			v.addFinding(check.Warning, v.relativePath(target, f.File), withPathInFront(f.Field, f.Message), f.Fix)
		}
	}
}

func (v *validator) readText(target, out string) {
	state, file := check.Warning, ""
	for _, line := range strings.Split(out, "\n") {
		line = strings.TrimSpace(line)
		switch rest, isFinding := strings.CutPrefix(line, "❯ "); {
		case strings.HasPrefix(line, "Validating "):
			_, file, _ = strings.Cut(line, ": ")
		case strings.HasPrefix(line, "✘ Found"):
			state = check.Failure
		case strings.HasPrefix(line, "⚠ Found"):
			state = check.Warning
		case isFinding:
			path, message, _ := strings.Cut(rest, ": ")
			v.addFinding(state, v.relativePath(target, file), withPathInFront(path, message), "")
		}
	}
}

// relativePath is a file as seen from the suite, with slashes.
func (v *validator) relativePath(target, file string) string {
	if !filepath.IsAbs(file) {
		if file != "" && target != "." {
			file = target + "/" + file
		}
		return file
	}
	if relative, err := filepath.Rel(v.dir, file); err == nil {
		file = filepath.ToSlash(relative)
	}
	return file
}

// withPathInFront is a message with the member that it is about in front.
func withPathInFront(path, message string) string {
	if path == "" || path == "root" {
		return message
	}
	return path + ": " + message
}
