package interview

import (
	"errors"
	"fmt"
	"io"
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
	stdio survey.AskOpt
	width int // of the terminal, in columns
}

func newSurvey(t Terminal) Asker {
	core.DisableColor = !t.Color // survey does not read NO_COLOR itself
	// What keys do has to fit beside the question in a narrow terminal.
	brief := strings.NewReplacer("Use arrows to move, space to select,", "arrows, space to mark", "Use arrows to move, type to filter", "arrows", " type to filter", "", " for more help", " explains")
	survey.MultiSelectQuestionTemplate = brief.Replace(survey.MultiSelectQuestionTemplate)
	survey.ErrorTemplate = strings.Replace(survey.ErrorTemplate, " Sorry, your reply was invalid:", "", 1)
	survey.SelectQuestionTemplate = brief.Replace(survey.SelectQuestionTemplate)
	width, _, err := term.GetSize(int(t.Screen.Fd()))
	if err != nil || width <= 0 {
		width = 80
	}
	return onTerminal{t, survey.WithStdio(t.In, t.Screen, t.Screen), width}
}

// refusal is what is wrong, broken between words.
func (p onTerminal) refusal(err error) error {
	return errors.New(strings.Join(layout.Hang("", "", display.Line(p.problem(err)), p.width-4), "\n "))
}

func (p onTerminal) ask(q survey.Prompt, answer any, opts ...survey.AskOpt) error {
	err := survey.AskOne(q, answer, append(opts, p.stdio, survey.WithRemoveSelectAll(), survey.WithRemoveSelectNone())...)
	if errors.Is(err, terminal.InterruptErr) || errors.Is(err, io.EOF) {
		return ErrCancelled
	}
	return err
}

func (p onTerminal) Many(question string, options []Option, chosen []string, check func([]string) error) ([]string, error) {
	var answer []string
	q := &survey.MultiSelect{
		Message: display.Line(question), Options: values(options), Default: chosen, Description: p.help(options), Help: p.whole(options), PageSize: len(options),
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
		Message: display.Line(question), Options: values(options), Default: chosen, Description: p.help(options), Help: p.whole(options), PageSize: len(options),
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

// help cuts the line about an option to what fits behind it: survey wraps in
// the middle of words.
func (p onTerminal) help(options []Option) func(string, int) string {
	return func(value string, i int) string {
		const frame = 10 // marker, box, dash
		return layout.Clip(options[i].Help, max(1, p.width-len(value)-frame))
	}
}

// whole is what the question mark shows: the lines about all options, unabridged.
// It is "" where nothing is cut.
func (p onTerminal) whole(options []Option) string {
	cut := false
	var lines []string
	for i, o := range options {
		cut = cut || p.help(options)(o.Value, i) != o.Help
		lines = append(lines, strings.Join(layout.Hang("", "", o.Value+": "+o.Help, p.width-6), "\n    "))
	}
	if !cut {
		return ""
	}
	return strings.Join(lines, "\n  ")
}
