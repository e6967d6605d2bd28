// Package check is what doctor, validate and publish say of what they look at: a
// check has a name, looks at one thing, and says what it found, where, and how to
// mend it. The checks themselves live with what they check.
package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// State is how a check ended.
type State string

const (
	Fine    State = "ok"
	Note    State = "note"    // worth knowing
	Warning State = "warning" // it works, but not as one would think
	Failure State = "failure" // it does not work
)

// Position is a place in a text, both counted from 1; the zero value is none.
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
	Fix      string `json:"fix,omitempty"` // what the user would do

	// SHA256 are the checksums of programs that it is about, by file.
	SHA256 map[string]string `json:"sha256,omitempty"`

	// Mend is the safe repair, nil if there is none: undo takes it back, or it
	// loses nothing.
	Mend func(context.Context) error `json:"-"`
}

func Passed(says string) Finding      { return Finding{State: Fine, Says: says} }
func Noted(says, fix string) Finding  { return Finding{State: Note, Says: says, Fix: fix} }
func Warned(says, fix string) Finding { return Finding{State: Warning, Says: says, Fix: fix} }
func Failed(says, fix string) Finding { return Finding{State: Failure, Says: says, Fix: fix} }

// MendBy is the finding with its safe repair.
func (f Finding) MendBy(mend func(context.Context) error) Finding {
	f.Mend = mend
	return f
}

// Text is what was found with its place in front.
func (f Finding) Text() string {
	switch {
	case f.File == "":
		return f.Says
	case f.Line == 0:
		return f.File + ": " + f.Says
	}
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.Says)
}

// Check looks at one aspect of a T.
type Check[T any] struct {
	Name string
	Look func(context.Context, T) ([]Finding, error) // which need not name the check; the error is about looking
	Fine func(T) string                              // what is said where nothing was found; nil, or "": nothing
}

// Sure is the Look of a check that always can.
func Sure[T any](look func(T) []Finding) func(context.Context, T) ([]Finding, error) {
	return func(_ context.Context, at T) ([]Finding, error) { return look(at), nil }
}

// RunAll has every check look, in their order.
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

// CountState tells how many findings are in a state.
func CountState(findings []Finding, state State) (n int) {
	for _, f := range findings {
		if f.State == state {
			n++
		}
	}
	return n
}

// Outcome is what a round of repairs has come to.
type Outcome struct {
	Mended []Finding // as they were found
	Left   []Finding
	Failed []error // repairs that did not succeed
}

// Mend makes the repairs of findings one by one, looking again after each: one
// repair can make another needless.
func Mend(ctx context.Context, found []Finding, again func() ([]Finding, error)) (Outcome, error) {
	o := Outcome{Left: found}
	same := func(a, b Finding) bool { return a.Check == b.Check && a.Text() == b.Text() }
	var tried []Finding
	for {
		i := slices.IndexFunc(o.Left, func(f Finding) bool {
			return f.Mend != nil && !slices.ContainsFunc(tried, func(t Finding) bool { return same(t, f) })
		})
		if i < 0 {
			return o, nil
		}
		f := o.Left[i]
		tried = append(tried, f)
		if err := f.Mend(ctx); err != nil {
			if ctx.Err() != nil {
				return o, ctx.Err()
			}
			o.Failed = append(o.Failed, fmt.Errorf("%s: %w", f.Check, err))
			continue
		}
		left, err := again()
		if err != nil {
			return o, err
		}
		o.Left = left
		if !slices.ContainsFunc(left, func(still Finding) bool { return same(still, f) }) {
			o.Mended = append(o.Mended, f)
		}
	}
}

// Advised is an error that knows what to do about itself.
type Advised struct {
	Err    error
	Advice string // "" if that is not known
	Misuse bool   // it is a call that cannot be meant: wrong flag, missing answer
}

func (e *Advised) Error() string { return e.Err.Error() }
func (e *Advised) Unwrap() error { return e.Err }
func (e *Advised) Hint() string  { return e.Advice }

// Advise is an error with what to do about it. About a misuse it stays one.
func Advise(err error, advice string) error {
	var inner *Advised
	return &Advised{err, advice, errors.As(err, &inner) && inner.Misuse}
}

// Misuse is an error about a call that cannot be meant, with what to type instead.
func Misuse(err error, advice string) error { return &Advised{err, advice, true} }

// Advisef and Misusef make the error, too, as fmt.Errorf does.
func Advisef(advice, format string, args ...any) error {
	return Advise(fmt.Errorf(format, args...), advice)
}

func Misusef(advice, format string, args ...any) error {
	return Misuse(fmt.Errorf(format, args...), advice)
}

// CauseOf is what an error of the system says without the path.
func CauseOf(err error) error {
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		return at.Err
	}
	return err
}

// QuoteArgument is an argument of a command as a shell takes it.
func QuoteArgument(arg string) string {
	if arg != "" && strings.Trim(arg, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+=-") == "" {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// NamesOf are what things are called.
func NamesOf[T any](things []T, name func(T) string) []string {
	names := make([]string, len(things))
	for i, thing := range things {
		names[i] = name(thing)
	}
	return names
}

// HintAtNames is the hint about a typed name that is none of names: those that may have been meant, as they are
// typed behind prefix, or where it has NAME. Where none is near it is otherwise, and where that is "" all there are.
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

// far is the distance of what is not meant.
const far = 4

// distance is how many letters of a name are wrong, missing or too many, where these are one or two; 3, where it was
// typed in part.
func distance(typed, name string) int {
	row := make([]int, len(name)+1) // how many letters tell what was typed so far from each beginning of the name
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
	case row[len(name)] == 2 && slices.Equal(letters(typed), letters(name)): // two of them in the wrong order
		return 2
	case len(typed) > 2 && strings.Contains(name, typed):
		return far - 1
	}
	return far
}
