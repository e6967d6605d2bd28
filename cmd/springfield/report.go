// Errors become text, hint and exit code here and nowhere else: 0 done, 1
// failed, 2 usage, 130 cancelled. Lower case, no full stop, the fix in a hint.

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/cameronsjo/springfield/activation"
	"github.com/cameronsjo/springfield/check"
	"github.com/cameronsjo/springfield/folder"
	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/interview"
	"github.com/cameronsjo/springfield/publish"
)

// usageError is a call that cannot be meant: wrong flag, missing answer.
type usageError struct {
	err  error
	hint string
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }
func (e *usageError) Hint() string  { return e.hint }

// hinted is an error that knows what to do about itself.
type hinted struct {
	err  error
	hint string
}

func (e *hinted) Error() string { return e.err.Error() }
func (e *hinted) Unwrap() error { return e.err }
func (e *hinted) Hint() string  { return e.hint }

// errCancelled is Ctrl-C, or a no to the last question.
var errCancelled = interview.ErrCancelled

// report prints an error and returns the exit code.
func (a *app) report(err error) int {
	if err == nil {
		return 0
	}
	if errors.Is(err, errCancelled) || errors.Is(err, context.Canceled) {
		fmt.Fprintln(a.err, "springfield:", errCancelled)
		return 130
	}
	a.talk("springfield: error: %v", err)
	if hint := hint(err); hint != "" {
		a.talk("springfield: hint: %s", hint)
	}
	var usage *usageError
	var request *publish.Error
	var activating *activation.UsageError
	var several *activation.SeveralError
	var spec *generator.SpecError
	if errors.As(err, &usage) || errors.As(err, &request) && request.Usage || errors.As(err, &activating) || errors.As(err, &several) || errors.As(err, &spec) {
		return 2
	}
	return 1
}

// projectBehind is the project whose .claude, or settings in it, a link leads to, ""
// for another link.
func projectBehind(link string) string {
	target, err := filepath.EvalSymlinks(link)
	if err != nil || filepath.Base(target) != filepath.Base(link) {
		return ""
	}
	if filepath.Base(target) != ".claude" {
		target = filepath.Dir(target)
	}
	if filepath.Base(target) != ".claude" {
		return ""
	}
	return filepath.Dir(target)
}

// hint is what the user can do about an error, "" if that is not known.
func hint(err error) string {
	var known interface{ Hint() string }
	var spec *generator.SpecError
	var fault *generator.FileError
	var occupied *generator.OccupiedError
	var typed *folder.TypedError
	var link *folder.LinkError
	switch {
	case errors.As(err, &typed):
		real, err := filepath.EvalSymlinks(typed.Link.Path)
		if err != nil {
			return "it leads nowhere: remove it, or name another place"
		}
		return "if you mean where it leads, name that: " + check.Quote(real)
	case errors.As(err, &link): // whatever else the call says about itself
		const none = "springfield follows no link there, since it may have come with the directory: "
		if dir := projectBehind(link.Path); dir != "" {
			return none + "go to " + check.Quote(dir) + ", and call it there"
		}
		return none + "put what it leads to in its place, or remove it"
	case errors.As(err, &known):
		return known.Hint()
	case errors.As(err, &spec):
		return spec.Hint
	case errors.As(err, &fault):
		return fault.Hint
	case errors.As(err, &occupied):
		return "name another directory: springfield init DIR"
	}
	const carried = "a released springfield carries compiled hooks"
	for _, kind := range []struct {
		err  error
		hint string
	}{
		{generator.ErrNoSuite, "it has no " + generator.SuiteFile + "; springfield init makes a suite"},
		{generator.ErrNoGo, "install Go (go.dev/dl), then call springfield again; " + carried + " and needs none"},
		{generator.ErrOldGo, "install a newer Go (go.dev/dl) and put it in front on PATH; " + carried + " and needs none"},
		{generator.ErrUnknownGo, "put Go 1.25 or 1.26 in front on PATH (go.dev/dl); " + carried + " and needs none"},
		{generator.ErrNoExec, "set TMPDIR to a directory where programs may be started: TMPDIR=$HOME springfield …"},
		{generator.ErrNoPrebuilt, "compile with Go instead: --builder go; " + carried},
		{fs.ErrPermission, "the directory or file belongs to another user, or is read-only"},
	} {
		if errors.Is(err, kind.err) {
			return kind.hint
		}
	}
	return ""
}
