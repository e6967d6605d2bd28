// Errors become text or JSON, a hint and an exit code only here. An error is in lower case with no full stop.
// The fix is in the hint.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/interview"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/terminal"
)

// errCancelled is returned after Ctrl-C or a no.
var errCancelled = interview.ErrCancelled

// reportError prints err, as JSON on standard output or text on standard error, and returns the exit code. asJSON must
// be false after a printed result.
func (s *streams) reportError(err error, asJSON bool) int {
	if err == nil {
		return 0
	}
	code, advice := failureCode(err), hintOf(err)
	if code == cancelled {
		err, advice = errCancelled, ""
	}
	switch {
	case asJSON && s.encodeFailure(err, advice) == nil:
	case code == cancelled:
		s.talk("springfield: %v", err)
	default:
		s.printError("springfield: error: ", err, advice)
	}
	return code
}

// printError prints lead, err and the hint (unless "") on standard error.
func (s *streams) printError(lead string, err error, hint string) {
	s.notePrinter().InRed().PrintLead(lead, "%v", err)
	if hint != "" {
		s.notePrinter().InBold().PrintLead("springfield: hint: ", "%s", hint)
	}
}

const (
	failed     = 1
	wrongUsage = 2
	cancelled  = 130
)

func failureCode(notNil error) int {
	var advised *check.Advised
	var call interface{ IsUsage() bool } // from runtime/console
	switch {
	case errors.Is(notNil, errCancelled) || errors.Is(notNil, terminal.ErrCancelled) || errors.Is(notNil, context.Canceled):
		return cancelled
	case errors.As(notNil, &advised) && advised.Misuse || errors.As(notNil, &call) && call.IsUsage():
		return wrongUsage
	}
	return failed
}

func (s *streams) encodeFailure(err error, hint string) error {
	failure := struct {
		Error string `json:"error"`
		Hint  string `json:"hint"` // "" if none exists
	}{err.Error(), display.UnglueBlanks(hint)}
	enc := json.NewEncoder(s.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(failure)
}

// asksJSON reports whether --json is given, also after invalid flags.
func asksJSON(cmd *cobra.Command, args []string) bool {
	if flag := cmd.Flags().Lookup("json"); flag != nil && flag.Changed {
		return flag.Value.String() == "true"
	}
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}

func hintOf(err error) string {
	const carried = "releases, from v0.1.0 on, contain compiled hooks (" + generator.Page + ")"
	var known interface{ Hint() string }
	var link *rooted.LinkError
	switch {
	case errors.As(err, &link) && link.Typed:
		real, err := filepath.EvalSymlinks(link.Path)
		if err != nil {
			return "its target does not exist: remove the link, or name another path"
		}
		return "if you mean its target, use that path: " + check.QuoteArgument(real)
	case errors.As(err, &link):
		return "springfield does not follow links there, because they may have come with the directory: " +
			"replace the link with its target, or remove it"
	case errors.As(err, &known):
		return known.Hint()
	case errors.Is(err, generator.ErrNoGo):
		return "install Go (go.dev/dl), then run the command again; " + carried
	case errors.Is(err, generator.ErrOldGo):
		return "install a newer Go (go.dev/dl) and put it first in PATH; " + carried
	case errors.Is(err, generator.ErrNoPrebuilt):
		return "compile with Go instead: --builder go; " + carried
	case errors.Is(err, fs.ErrPermission):
		return "check the permissions: the directory or file belongs to another user, or is read-only"
	}
	return ""
}
