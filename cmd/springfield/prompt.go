// Asking people. survey/v2 is archived upstream, so this is the only file that
// knows it; everything else sees the prompter. Questions go to standard error,
// results have standard output for themselves.

package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/AlecAivazis/survey/v2"
	"github.com/AlecAivazis/survey/v2/core"
	"github.com/AlecAivazis/survey/v2/terminal"
	"golang.org/x/term"
)

// option is something to choose, with a line about it.
type option struct{ value, help string }

// prompter asks one question at a time. Ctrl-C is errCancelled.
type prompter interface {
	many(question string, options []option, chosen []string) ([]string, error)
	one(question string, options []option) (string, error)
	text(question, preset string, check func(string) error) (string, error)
	confirm(question string) (bool, error)
}

// newPrompter asks on the terminal.
func (a *app) newPrompter() prompter {
	core.DisableColor = !a.color // survey does not read NO_COLOR itself
	width, _, err := term.GetSize(int(os.Stderr.Fd()))
	if err != nil {
		width = 80
	}
	return surveyPrompter{survey.WithStdio(a.in, os.Stderr, os.Stderr), width}
}

type surveyPrompter struct {
	stdio survey.AskOpt
	width int // of the terminal, in columns
}

func (p surveyPrompter) ask(q survey.Prompt, answer any, opts ...survey.AskOpt) error {
	err := survey.AskOne(q, answer, append(opts, p.stdio)...)
	if errors.Is(err, terminal.InterruptErr) || errors.Is(err, io.EOF) {
		return errCancelled
	}
	return err
}

func (p surveyPrompter) many(question string, options []option, chosen []string) ([]string, error) {
	var answer []string
	err := p.ask(&survey.MultiSelect{
		Message: question, Options: values(options), Default: chosen, Description: p.help(options),
	}, &answer, survey.WithValidator(func(v any) error {
		if list, ok := v.([]core.OptionAnswer); ok && len(list) == 0 {
			return errors.New("choose at least one: the space bar marks it")
		}
		return nil
	}))
	return answer, err
}

func (p surveyPrompter) one(question string, options []option) (string, error) {
	var answer string
	err := p.ask(&survey.Select{Message: question, Options: values(options), Description: p.help(options)}, &answer)
	return answer, err
}

func (p surveyPrompter) text(question, preset string, check func(string) error) (string, error) {
	var answer string
	err := p.ask(&survey.Input{Message: question, Default: preset}, &answer, survey.WithValidator(func(v any) error {
		return check(fmt.Sprint(v))
	}))
	return answer, err
}

func (p surveyPrompter) confirm(question string) (bool, error) {
	answer := true
	err := p.ask(&survey.Confirm{Message: question, Default: true}, &answer)
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
