// Errors become text or JSON, a hint and an exit code here and nowhere else: 0 done, 1
// failed, 2 wrong usage, 130 cancelled. Lower case, no full stop, the fix in a hint.

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
)

// errCancelled is Ctrl-C, or a no to the last question.
var errCancelled = interview.ErrCancelled

// reportError prints an error and returns the exit code. With asJSON the error is the
// result: an object on standard output.
func (a *app) reportError(err error, asJSON bool) int {
	if err == nil {
		return 0
	}
	code, advice := exitCode(err), hintOf(err)
	if code == cancelled {
		err, advice = errCancelled, ""
	}
	switch {
	case asJSON && a.encodeFailure(err, advice) == nil:
	case code == cancelled:
		a.talk("springfield: %v", err)
	default:
		a.notePrinter().InRed().PrintLead("springfield: error: ", "%v", err)
		if advice != "" {
			a.notePrinter().InBold().PrintLead("springfield: hint: ", "%s", advice)
		}
	}
	return code
}

// The exit codes besides 0.
const (
	failed     = 1
	wrongUsage = 2
	cancelled  = 130
)

func exitCode(err error) int {
	var advised *check.Advised
	var call interface{ IsUsage() bool } // a call about loops, which the hook answers, too
	switch {
	case errors.Is(err, errCancelled) || errors.Is(err, context.Canceled):
		return cancelled
	case errors.As(err, &advised) && advised.Misuse || errors.As(err, &call) && call.IsUsage():
		return wrongUsage
	}
	return failed
}

// encodeFailure prints an error as JSON, on one line like a row of a list.
func (a *app) encodeFailure(err error, hint string) error {
	failure := struct {
		Error string `json:"error"`
		Hint  string `json:"hint"` // "" if there is none
	}{err.Error(), display.PartWords(hint)}
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(failure)
}

// asksJSON tells whether a command line asks for JSON. A wrong flag ends the
// reading of flags, so what follows it is looked for by its text.
func asksJSON(cmd *cobra.Command, args []string) bool {
	if flag := cmd.Flags().Lookup("json"); flag != nil && flag.Changed {
		return flag.Value.String() == "true"
	}
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}

// hintOf is what the user can do about an error, "" if that is not known.
func hintOf(err error) string {
	var known interface{ Hint() string }
	var link *rooted.LinkError
	switch {
	case errors.As(err, &link) && link.Typed:
		real, err := filepath.EvalSymlinks(link.Path)
		if err != nil {
			return "it leads nowhere: remove it, or name another place"
		}
		return "if you mean where it leads, name that: " + check.QuoteArgument(real)
	case errors.As(err, &link): // whatever else the call says about itself
		return "springfield follows no link there, since it may have come with the directory: " +
			"put what it leads to in its place, or remove it"
	case errors.As(err, &known):
		return known.Hint()
	}
	const carried = "a released springfield carries compiled hooks (" + generator.Page + ")"
	for _, kind := range []struct {
		err  error
		hint string
	}{
		{generator.ErrNoGo, "install Go (go.dev/dl), then run springfield again; " + carried + " and needs none"},
		{generator.ErrOldGo, "install a newer Go (go.dev/dl) and put it in front on PATH; " + carried + " and needs none"},
		{generator.ErrNoPrebuilt, "compile with Go instead: --builder go; " + carried},
		{fs.ErrPermission, "the directory or file belongs to another user, or is read-only"},
	} {
		if errors.Is(err, kind.err) {
			return kind.hint
		}
	}
	return ""
}
