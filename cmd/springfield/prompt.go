// Asking people. survey/v2 is archived upstream, so this is the only file that
// knows it; everything else sees the prompter. Questions go to standard error,
// results have standard output for themselves.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/AlecAivazis/survey/v2"
	"github.com/AlecAivazis/survey/v2/core"
	"github.com/AlecAivazis/survey/v2/terminal"
	"golang.org/x/term"

	"github.com/cameronsjo/springfield/runtime/display"
)

// option is something to choose, with a line about it.
type option struct{ value, help string }

// prompter asks one question at a time, again while check refuses the answer.
// Ctrl-C is errCancelled.
type prompter interface {
	many(question string, options []option, chosen []string, check func([]string) error) ([]string, error)
	one(question string, options []option, chosen string) (string, error)
	text(question, preset string, check func(string) error) (string, error)
	confirm(question string) (bool, error)
}

// newPrompter asks on the terminal.
func (a *app) newPrompter(ctx context.Context) prompter {
	if a.plain {
		return newPlain(ctx, a.in, a.err)
	}
	core.DisableColor = !a.color // survey does not read NO_COLOR itself
	// What keys do has to fit beside the question in a narrow terminal.
	brief := strings.NewReplacer("Use arrows to move, space to select,", "arrows, space to mark", "Use arrows to move, type to filter", "arrows", " type to filter", "", " for more help", " explains")
	survey.MultiSelectQuestionTemplate = brief.Replace(survey.MultiSelectQuestionTemplate)
	survey.ErrorTemplate = strings.Replace(survey.ErrorTemplate, " Sorry, your reply was invalid:", "", 1)
	survey.SelectQuestionTemplate = brief.Replace(survey.SelectQuestionTemplate)
	width, _, err := term.GetSize(int(a.screen.Fd()))
	if err != nil || width <= 0 {
		width = 80
	}
	return surveyPrompter{survey.WithStdio(a.in, a.screen, a.screen), width}
}

// problem is what is wrong with an answer, and what to do, on one line.
func problem(err error) string {
	if hint := hint(err); hint != "" {
		return err.Error() + "; " + hint
	}
	return err.Error()
}

// refusal is what is wrong, broken between words.
func (p surveyPrompter) refusal(err error) error {
	return errors.New(strings.Join(fold(display.Line(problem(err)), p.width-4), "\n "))
}

// surveyPrompter moves the cursor, so it writes past display.Writer: what others wrote
// goes through display.Line. The options are springfield's own.
type surveyPrompter struct {
	stdio survey.AskOpt
	width int // of the terminal, in columns
}

func (p surveyPrompter) ask(q survey.Prompt, answer any, opts ...survey.AskOpt) error {
	err := survey.AskOne(q, answer, append(opts, p.stdio, survey.WithRemoveSelectAll(), survey.WithRemoveSelectNone())...)
	if errors.Is(err, terminal.InterruptErr) || errors.Is(err, io.EOF) {
		return errCancelled
	}
	return err
}

func (p surveyPrompter) many(question string, options []option, chosen []string, check func([]string) error) ([]string, error) {
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

func (p surveyPrompter) one(question string, options []option, chosen string) (string, error) {
	var answer string
	err := p.ask(&survey.Select{
		Message: display.Line(question), Options: values(options), Default: chosen, Description: p.help(options), Help: p.whole(options), PageSize: len(options),
	}, &answer)
	return answer, err
}

func (p surveyPrompter) text(question, preset string, check func(string) error) (string, error) {
	var answer string
	err := p.ask(&survey.Input{Message: display.Line(question), Default: display.Line(preset)}, &answer, survey.WithValidator(func(v any) error {
		if err := check(fmt.Sprint(v)); err != nil {
			return p.refusal(err)
		}
		return nil
	}))
	return answer, err
}

func (p surveyPrompter) confirm(question string) (bool, error) {
	answer := true
	err := p.ask(&survey.Confirm{Message: display.Line(question), Default: true}, &answer)
	return answer, err
}

func values(options []option) []string {
	var list []string
	for _, o := range options {
		list = append(list, o.value)
	}
	return list
}

// help cuts the line about an option to what fits behind it: survey wraps in
// the middle of words.
func (p surveyPrompter) help(options []option) func(string, int) string {
	return func(value string, i int) string {
		const frame = 10 // marker, box, dash
		text := []rune(options[i].help)
		if room := p.width - len(value) - frame; len(text) > room {
			return string(text[:max(0, room-1)]) + "…"
		}
		return string(text)
	}
}

// whole is what the question mark shows: the lines about all options, unabridged.
// It is "" where nothing is cut.
func (p surveyPrompter) whole(options []option) string {
	cut := false
	var lines []string
	for i, o := range options {
		cut = cut || p.help(options)(o.value, i) != o.help
		lines = append(lines, strings.Join(fold(o.value+": "+o.help, p.width-6), "\n    "))
	}
	if !cut {
		return ""
	}
	return strings.Join(lines, "\n  ")
}

// fold breaks a text between words.
func fold(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len([]rune(line))+1+len([]rune(word)) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
