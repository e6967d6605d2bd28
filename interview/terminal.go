package interview

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/AlecAivazis/survey/v2"
	"github.com/AlecAivazis/survey/v2/core"
	"github.com/AlecAivazis/survey/v2/terminal"
	"golang.org/x/term"

	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/display"
)

// onTerminal asks by survey/v2, which is archived upstream: nothing else knows it. It
// moves the cursor, so it writes past display.Writer: what others wrote goes through
// display.Line. The options are springfield's own.
type onTerminal struct {
	Terminal
	ctx   context.Context
	stdio survey.AskOpt
}

func newSurvey(ctx context.Context, t Terminal) Asker {
	core.DisableColor = !t.Color // survey does not read NO_COLOR itself
	survey.ErrorTemplate = strings.Replace(survey.ErrorTemplate, "Sorry, your reply was invalid", "invalid answer", 1)
	return onTerminal{t, ctx, survey.WithStdio(&keys{File: t.In}, t.Screen, t.Screen)}
}

// refusal is what is wrong, broken between words.
func (p onTerminal) refusal(err error) error {
	return errors.New(strings.Join(layout.Hang("", "", display.Line(p.problem(err)), p.width()-4), "\n "))
}

// ask asks in the background, because survey knows no context: a signal that ends
// springfield would wait for a key. The terminal is then given back as it was.
func (p onTerminal) ask(q survey.Prompt, answer any, opts ...survey.AskOpt) error {
	mode, modeErr := term.GetState(int(p.In.Fd()))
	asked := make(chan error, 1)
	go func() {
		asked <- survey.AskOne(q, answer, append(opts, p.stdio, survey.WithRemoveSelectAll(), survey.WithRemoveSelectNone())...)
	}()
	select {
	case err := <-asked:
		if errors.Is(err, terminal.InterruptErr) || errors.Is(err, io.EOF) {
			return ErrCancelled
		}
		return err
	case <-p.ctx.Done():
		if modeErr == nil {
			_ = term.Restore(int(p.In.Fd()), mode)
		}
		fmt.Fprint(p.Screen, "\x1b[?25h\r\n") // a list hides the cursor
		return ErrCancelled
	}
}

func (p onTerminal) Many(question string, options []Option, chosen []string, check func([]string) error) ([]string, error) {
	var answer []string
	q := &survey.MultiSelect{
		Message: display.Line(question), Options: values(options), Default: chosen, PageSize: len(options),
		Description: p.label(options), Help: p.helps(options), Filter: filter(options),
	}
	err := p.ask(q, &answer, survey.WithValidator(func(v any) error {
		var chosen []string
		if list, ok := v.([]core.OptionAnswer); ok {
			for _, o := range list {
				chosen = append(chosen, o.Value)
			}
		}
		if err := check(chosen); err != nil {
			q.Default = chosen // what was marked stays marked
			return p.refusal(err)
		}
		return nil
	}))
	return answer, err
}

func (p onTerminal) One(question string, options []Option, chosen string) (string, error) {
	var answer string
	err := p.ask(&survey.Select{
		Message: display.Line(question), Options: values(options), Default: chosen, PageSize: len(options),
		Description: p.label(options), Help: p.helps(options), Filter: filter(options),
	}, &answer)
	return answer, err
}

func (p onTerminal) Text(question, preset string, check func(string) error) (string, error) {
	var answer string
	err := p.ask(&survey.Input{Message: display.Line(question), Default: display.Line(preset)}, &answer, survey.WithValidator(func(v any) error {
		if err := check(fmt.Sprint(v)); err != nil {
			return p.refusal(err)
		}
		return nil
	}))
	return answer, err
}

func (p onTerminal) Confirm(question string) (bool, error) {
	answer := true
	err := p.ask(&survey.Confirm{Message: display.Line(question), Default: true}, &answer)
	return answer, err
}

func values(options []Option) []string {
	var list []string
	for _, o := range options {
		list = append(list, o.Value)
	}
	return list
}

// label is what a row says of an option, cut to the width: survey breaks lines in the
// middle of words.
func (p onTerminal) label(options []Option) func(value string, i int) string {
	return func(value string, i int) string {
		const frame = 12 // columns of a row that are neither value nor label
		return layout.Clip(options[i].Label, max(p.width()-layout.Width(value)-frame, 0))
	}
}

// helps is what the key ? shows.
func (p onTerminal) helps(options []Option) string {
	var lines []string
	for _, o := range options {
		if o.Help != "" {
			lines = append(lines, layout.Hang(o.Value+": ", "  ", o.Label+". "+o.Help, p.width()-3)...)
		}
	}
	return strings.Join(lines, "\n")
}

// filter keeps the options that have what was typed. Where none has, all stay: survey
// cannot move in an empty list.
func filter(options []Option) func(typed, value string, i int) bool {
	return func(typed, value string, _ int) bool {
		has := func(value string) bool { return strings.Contains(value, strings.ToLower(typed)) }
		return has(value) || !slices.ContainsFunc(values(options), has)
	}
}
