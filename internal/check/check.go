// Package check defines the findings of doctor, validate and publish, and errors with hints.
package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
)

// State is the severity of a finding.
type State string

const (
	Fine    State = "ok"
	Note    State = "note"    // worth knowing
	Warning State = "warning" // works, but not as expected
	Failure State = "failure"
)

// Position is a place in a text, counted from 1, or the zero value.
type Position struct {
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
}

type Finding struct {
	Check    string `json:"check"`
	State    State  `json:"state"`
	File     string `json:"file,omitempty"`
	Position        // in File
	Says     string `json:"says"`
	Fix      string `json:"fix,omitempty"` // by the user

	SHA256 map[string]string `json:"sha256,omitempty"` // checksums of programs, by file
}

func Passed(says string) Finding      { return Finding{State: Fine, Says: says} }
func Noted(says, fix string) Finding  { return Finding{State: Note, Says: says, Fix: fix} }
func Warned(says, fix string) Finding { return Finding{State: Warning, Says: says, Fix: fix} }
func Failed(says, fix string) Finding { return Finding{State: Failure, Says: says, Fix: fix} }

// Text returns the message without the fix, after any known file and position.
func (f Finding) Text() string {
	switch {
	case f.File == "":
		return f.Says
	case f.Line == 0:
		return f.File + ": " + f.Says
	}
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.Says)
}

// Check checks a T for a single thing.
type Check[T any] struct {
	Name string
	Look func(context.Context, T) ([]Finding, error) // RunAll sets Check in its findings
	Fine func(T) string                              // if nothing was found, can be nil
}

func WithoutError[T any](look func(T) []Finding) func(context.Context, T) ([]Finding, error) {
	return func(_ context.Context, at T) ([]Finding, error) { return look(at), nil }
}

// RunAll runs the checks in order and returns all findings with the check's name. If a check finds nothing and Fine
// returns a text, a finding with state Fine is added. It stops on the first error and returns no findings.
func RunAll[T any](ctx context.Context, at T, checks ...Check[T]) (all []Finding, err error) {
	for _, c := range checks {
		found, err := c.Look(ctx, at)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 && c.Fine != nil && c.Fine(at) != "" {
			found = []Finding{Passed(c.Fine(at))}
		}
		for _, f := range found {
			f.Check = c.Name
			all = append(all, f)
		}
	}
	return all, nil
}

func CountState(findings []Finding, state State) (n int) {
	for _, f := range findings {
		if f.State == state {
			n++
		}
	}
	return n
}

// Advised is an error with a hint.
type Advised struct {
	Err    error
	Advice string
	Misuse bool // wrong usage, such as an unknown flag
}

func (e *Advised) Error() string { return e.Err.Error() }
func (e *Advised) Unwrap() error { return e.Err }
func (e *Advised) Hint() string  { return e.Advice }

// Advise adds a hint to cause, which is not nil. It hides an earlier hint. A misuse stays a misuse.
func Advise(cause error, advice string) error {
	var inner *Advised
	return &Advised{cause, advice, errors.As(cause, &inner) && inner.Misuse}
}

// Misuse returns an error about wrong usage, with a hint.
func Misuse(err error, advice string) error { return &Advised{err, advice, true} }

func Advisef(advice, format string, args ...any) error {
	return Advise(fmt.Errorf(format, args...), advice)
}

func Misusef(advice, format string, args ...any) error {
	return Misuse(fmt.Errorf(format, args...), advice)
}

// DropPath unwraps an *fs.PathError. Other errors are unchanged.
func DropPath(err error) error {
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		return at.Err
	}
	return err
}

const far = 4 // the distance of unrelated names
