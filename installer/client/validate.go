package client

import (
	"context"
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

const validatePatience = 30 * time.Second // for one directory

// Validate runs claude plugin validate --strict on the suite in dir (an absolute path) and its plugins. onStart is
// called first with e.g. "Claude Code 2.1.329". If claude is missing, only a note is returned. stopErr is from ctx or
// the temporary directory. Success and other failures are findings.
func (c Command) Validate(ctx context.Context, dir string, plugins []string, onStart func(client string)) (all []check.Finding, stopErr error) {
	if c.Path == "" {
		return []check.Finding{{Check: "client", State: check.Note, Says: "there is no claude on PATH, so Claude Code did not validate it"}}, nil
	}
	throwaway, stopErr := os.MkdirTemp("", throwawayPrefix)
	if stopErr != nil {
		return nil, stopErr
	}
	defer func() { stopErr = errors.Join(stopErr, os.RemoveAll(throwaway)) }()
	v := validator{Command: c, throwaway: throwaway, dir: dir, name: strings.TrimSpace("Claude Code " + c.Version(ctx))}
	onStart(v.name)
	for _, target := range append([]string{"."}, plugins...) {
		if err := v.validate(ctx, target); ctx.Err() != nil {
			return nil, ctx.Err()
		} else if err != nil {
			v.addFinding(check.Warning, "", fmt.Sprintf("%s could not validate %s: %v", v.name, target, err))
			return v.summarizeFindings(), nil
		}
	}
	return v.summarizeFindings(), nil
}

type validator struct {
	Command
	throwaway string
	dir       string // of the suite
	name      string
	found     []check.Finding
}

func (v *validator) addFinding(state check.State, file, says string) {
	v.found = append(v.found, check.Finding{Check: "client", State: state, File: file, Says: says})
}

func (v *validator) validate(ctx context.Context, pluginOrDot string) (cannotRun error) {
	ctx, cancel := context.WithTimeout(ctx, validatePatience)
	defer cancel()
	path := filepath.Join(v.dir, pluginOrDot)
	out, err := v.commandIn(ctx, v.throwaway, []string{"plugin", "validate", "--strict", path}).Output()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || ctx.Err() != nil) {
		return err
	}
	before := len(v.found)
	v.readOutput(path, string(out))
	if err != nil && len(v.found) == before {
		v.addFinding(check.Failure, pluginOrDot, "Claude Code rejects it without a reason")
		v.found[before].Fix = "claude plugin validate --strict " + check.QuoteArgument(path)
	}
	return nil
}

// expected begins the warning that every plugin gets.
const expected = "CLAUDE.md at the plugin root is not loaded"

// summarizeFindings returns v.found deduplicated, with the expected warning replaced by a note. It adds a Fine finding
// if nothing else is left.
func (v *validator) summarizeFindings() (all []check.Finding) {
	for i, f := range v.found {
		// The suite's run repeats findings of its plugins, those of a manifest after "plugins[0] plugin.json → ".
		_, ofPlugin, repeats := strings.Cut(f.Says, " → ")
		again := func(g check.Finding) bool {
			return g.Says == f.Says && g.File == f.File || repeats && g.Says == ofPlugin
		}
		if !strings.HasPrefix(f.Says, expected) && !slices.ContainsFunc(v.found[i+1:], again) {
			all = append(all, f)
		}
	}
	if len(all) == 0 {
		all = append(all, check.Finding{Check: "client", State: check.Fine,
			Says: v.name + ": claude plugin validate --strict accepts it"})
	}
	if slices.ContainsFunc(v.found, func(f check.Finding) bool { return strings.HasPrefix(f.Says, expected) }) {
		all = append(all, check.Finding{Check: "client", State: check.Note, File: "CLAUDE.md",
			Says: "Claude Code warns that it does not load this file from a plugin; that is expected, because it is for the plugin's developers"})
	}
	return all
}

// readOutput adds findings from the client's output about path.
func (v *validator) readOutput(path, out string) {
	var state check.State // of the listed findings; "" outside of a list
	file, directory := path, false
	for line := range strings.SplitSeq(out, "\n") {
		line = strings.TrimSpace(line)
		switch rest, listed := strings.CutPrefix(line, "❯ "); {
		case strings.HasPrefix(line, "Validating "):
			_, file, _ = strings.Cut(line, ": ")
		case strings.HasPrefix(line, "✘ Found") && !directory:
			state = check.Failure
		case strings.HasPrefix(line, "✘ Found"), strings.HasPrefix(line, "⚠ Found"):
			state = check.Warning
		case strings.HasPrefix(line, "Fix: ") && len(v.found) > 0:
			v.found[len(v.found)-1].Fix = strings.TrimPrefix(line, "Fix: ")
		case !listed && line != "":
			state, directory = "", directory || strings.HasPrefix(line, "Plugin directory checks ")
		case listed && state != "":
			member, message, _ := strings.Cut(rest, ": ")
			if directory {
				name, field, _ := strings.Cut(member, " ")
				file, member = filepath.Join(path, filepath.FromSlash(name)), field
			}
			if member != "" && member != "root" {
				message = member + ": " + message
			}
			relative, err := filepath.Rel(v.dir, file)
			if err != nil {
				relative = file
			}
			v.addFinding(state, filepath.ToSlash(relative), message)
		}
	}
}
