// Errors become text, hint and exit code here and nowhere else: 0 done, 1
// failed, 2 usage, 130 cancelled. Lower case, no full stop, the fix in a hint.

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/cameronsjo/springfield/folder"
	"github.com/cameronsjo/springfield/generator"
)

// usageError is a call that cannot be meant: wrong flag, missing answer.
type usageError struct {
	err  error
	hint string
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// hinted is an error that knows what to do about itself.
type hinted struct {
	err  error
	hint string
}

func (e *hinted) Error() string { return e.err.Error() }
func (e *hinted) Unwrap() error { return e.err }
func (e *hinted) Hint() string  { return e.hint }

// errCancelled is Ctrl-C, or a no to the last question.
var errCancelled = errors.New("cancelled")

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
	var several *severalError
	var spec *generator.SpecError
	if errors.As(err, &usage) || errors.As(err, &several) || errors.As(err, &spec) {
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

func hint(err error) string {
	var usage *usageError
	var known interface{ Hint() string }
	var spec *generator.SpecError
	var occupied *generator.OccupiedError
	var several *severalError
	var typed *typedError
	var link *folder.LinkError
	switch {
	case errors.As(err, &typed):
		return typed.hint()
	case errors.As(err, &link): // whatever else the call says about itself
		const none = "springfield follows no link there, since it may have come with the directory: "
		if dir := projectBehind(link.Path); dir != "" {
			return none + "go to " + quoted(dir) + ", and call it there"
		}
		return none + "put what it leads to in its place, or remove it"
	case errors.As(err, &several):
		return several.hint()
	case errors.As(err, &usage):
		return usage.hint
	case errors.As(err, &known):
		return known.Hint()
	case errors.As(err, &spec):
		return spec.Hint
	case errors.As(err, &occupied):
		return "name another directory: springfield init DIR"
	case errors.Is(err, generator.ErrNoSuite):
		return "it has no " + generator.SuiteFile + "; springfield init makes a suite"
	case errors.Is(err, generator.ErrNoGo):
		return "install Go (go.dev/dl), then call springfield again; a released springfield carries compiled hooks and needs none"
	case errors.Is(err, generator.ErrOldGo):
		return "install a newer Go (go.dev/dl) and put it in front on PATH; a released springfield carries compiled hooks and needs none"
	case errors.Is(err, generator.ErrNoExec):
		return "set TMPDIR to a directory where programs may be started: TMPDIR=$HOME springfield …"
	case errors.Is(err, generator.ErrUnknownGo):
		return "put Go 1.25 or 1.26 in front on PATH (go.dev/dl); a released springfield carries compiled hooks and needs none"
	case errors.Is(err, generator.ErrNoPrebuilt):
		return "compile with Go instead: --builder go; a released springfield carries compiled hooks"
	case errors.Is(err, fs.ErrPermission):
		return "the directory or file belongs to another user, or is read-only"
	}
	return ""
}
