// Package check defines the findings of doctor, validate and publish, and errors with hints.
package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
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

// Text returns the message after the file and the position, as far as they are known.
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

// Sure converts look, which cannot fail, to the Look of a Check.
func Sure[T any](look func(T) []Finding) func(context.Context, T) ([]Finding, error) {
	return func(_ context.Context, at T) ([]Finding, error) { return look(at), nil }
}

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

// Advise adds a hint to an error. If err is a misuse, the result is one, too.
func Advise(err error, advice string) error {
	var inner *Advised
	return &Advised{err, advice, errors.As(err, &inner) && inner.Misuse}
}

// Misuse returns an error about wrong usage, with a hint.
func Misuse(err error, advice string) error { return &Advised{err, advice, true} }

func Advisef(advice, format string, args ...any) error {
	return Advise(fmt.Errorf(format, args...), advice)
}

func Misusef(advice, format string, args ...any) error {
	return Misuse(fmt.Errorf(format, args...), advice)
}

// CauseOf returns the error inside an *fs.PathError, without the path. It returns other errors unchanged.
func CauseOf(err error) error {
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		return at.Err
	}
	return err
}

// QuoteArgument quotes an argument for a shell if necessary.
func QuoteArgument(arg string) string {
	if arg != "" && strings.Trim(arg, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+=-") == "" {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

func NamesOf[T any](things []T, name func(T) string) []string {
	names := make([]string, len(things))
	for i, thing := range things {
		names[i] = name(thing)
	}
	return names
}

// HintAtNames returns a hint for an unknown name: "did you mean" with up to three of the nearest names. The names
// follow prefix, or replace NAME in it. If no name is similar, it returns otherwise, or a list of all names if
// otherwise is empty.
func HintAtNames(typed, prefix string, names []string, otherwise string) string {
	var near []string
	prefix, behind, _ := strings.Cut(prefix, "NAME")
	nearest := far
	for _, name := range names {
		switch d := distance(strings.ToLower(typed), strings.ToLower(name)); {
		case d < nearest:
			near, nearest = []string{prefix + name + behind}, d
		case d == nearest && d < far:
			near = append(near, prefix+name+behind)
		}
	}
	switch last := len(names) - 1; {
	case len(near) > 0:
		return "did you mean " + strings.Join(near[:min(len(near), 3)], " or ") + "?"
	case otherwise == "" && strings.HasPrefix(prefix, "--"):
		return prefix + "is " + strings.Join(names[:last], ", ") + " or " + names[last]
	case otherwise == "":
		return "choose from " + strings.Join(names, ", ")
	}
	return otherwise
}

const far = 4 // the distance of unrelated names

// distance returns the edit distance of two names if it is at most 2, and small enough for the length of typed.
// Otherwise it returns 3 if name contains typed, and far if not.
func distance(typed, name string) int {
	row := make([]int, len(name)+1) // edit distance to each prefix of name
	for i := range row {
		row[i] = i
	}
	for i := range min(len(typed), 64) {
		above := row[0]
		row[0]++
		for j := range len(name) {
			cost := above
			if typed[i] != name[j] {
				cost = 1 + min(above, row[j], row[j+1])
			}
			above, row[j+1] = row[j+1], cost
		}
	}
	letters := func(word string) []byte { return slices.Sorted(slices.Values([]byte(word))) }
	switch {
	case row[len(name)] <= min(2, (len(typed)+1)/3):
		return row[len(name)]
	case row[len(name)] == 2 && slices.Equal(letters(typed), letters(name)): // two letters are swapped
		return 2
	case len(typed) > 2 && strings.Contains(name, typed):
		return far - 1
	}
	return far
}
